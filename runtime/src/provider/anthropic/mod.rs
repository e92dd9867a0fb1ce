//! Anthropic Messages and the servers that speak it.

mod blocks;
mod decode;
mod media;
mod messages;
mod parts;
mod request;
mod sealed;
mod server_tools;
mod thinking;
mod usage;
mod wire;

pub use wire::AnthropicWire;

#[cfg(test)]
mod tests;
