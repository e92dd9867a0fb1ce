//! OpenAI Chat Completions and the many servers that speak it.

mod calls;
mod decode;
mod messages;
mod request;
mod shape;
mod usage;
mod wire;

pub(crate) use calls::read_arguments;
pub use decode::ChatDecoder;
pub use request::{ChatBody, OutputLimitField, Quirks, ReasoningReplay, TemperatureField};
pub(crate) use usage::count as token_count;
pub use wire::ChatWire;

#[cfg(test)]
mod fixtures;
