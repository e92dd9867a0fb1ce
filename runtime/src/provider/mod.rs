//! Model providers: the seam, the one HTTP client, the wire formats behind it, and the built-in demo model.

mod answer;
mod anthropic;
#[cfg(test)]
mod arbitrary;
mod chat;
mod clean;
mod client;
mod demo;
mod endpoint;
mod errors;
mod family;
mod http;
mod ids;
mod lenient;
mod listing;
mod markup;
mod markup_forms;
mod merge;
mod names;
mod open_calls;
#[expect(clippy::module_inception, reason = "a file is named after its main type")]
mod provider;
#[cfg(test)]
mod replay;
mod responses;
mod retry_after;
mod schema;
mod sse;
mod stream;
mod think;
mod wire;

pub use anthropic::AnthropicWire;
pub use chat::{ChatBody, ChatDecoder, ChatWire, ProviderDialect};
pub use client::{Limits, Server, WireProvider};
pub use demo::DemoProvider;
pub use endpoint::Endpoint;
pub use family::ModelFamily;
pub use http::{HttpClient, http_client};
pub use listing::{ListedModel, provider_models};
pub use provider::{ModelStream, Provider};
pub use responses::{ResponsesBody, ResponsesDecoder, ResponsesWire};
pub use schema::SchemaRules;
pub use sse::{EventTooLarge, MAX_EVENT_BYTES, SseEvent, SseReader};
pub use think::{Piece, ThinkScanner};
pub use wire::{Decoder, Wire};
