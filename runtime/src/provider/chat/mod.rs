//! OpenAI Chat Completions and the many servers that speak it.

mod calls;
mod decode;
mod details;
mod dialect;
mod messages;
mod parts;
mod request;
mod shape;
mod terms;
mod usage;
mod wire;

pub(crate) use calls::read_arguments;
pub use decode::ChatDecoder;
pub use dialect::ProviderDialect;
pub use request::ChatBody;
pub(crate) use usage::{count as token_count, reported as reported_usage};
pub use wire::ChatWire;

#[cfg(test)]
mod projection_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod stream_tests;
