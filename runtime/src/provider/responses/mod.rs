//! OpenAI Responses and the servers that speak it.

mod decode;
mod documents;
mod hosted;
mod items;
mod output;
mod request;
mod spoken;
mod usage;
mod wire;

pub use decode::ResponsesDecoder;
pub use request::ResponsesBody;
pub use wire::ResponsesWire;

#[cfg(test)]
mod tests;
