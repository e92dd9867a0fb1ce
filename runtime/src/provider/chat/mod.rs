//! OpenAI Chat Completions and the many servers that speak it.

mod calls;
mod client;
mod decode;
mod endpoint;
mod errors;
mod ids;
mod messages;
mod models;
mod request;
mod retry_after;
mod shape;
mod stream;
mod usage;

pub use client::{ChatConfig, ChatProvider, Limits};
pub use decode::ChatDecoder;
pub use endpoint::Endpoint;
pub use messages::Images;
pub use models::{ListedModel, list_models, provider_models};
pub use request::{ChatBody, OutputLimitField, Quirks, ReasoningReplay, TemperatureField};

#[cfg(test)]
mod fixtures;
