//! Model providers: the seam, the one HTTP client, the wire formats behind it, and the built-in demo model.

mod answer;
#[cfg(test)]
mod arbitrary;
mod chat;
mod clean;
mod client;
mod demo;
mod endpoint;
mod errors;
mod http;
mod ids;
mod lenient;
mod markup;
mod markup_forms;
mod merge;
#[expect(clippy::module_inception, reason = "a file is named after its main type")]
mod provider;
#[cfg(test)]
mod replay;
mod retry_after;
mod schema;
mod sse;
mod stream;
mod think;
mod wire;

pub use chat::list_models;
pub use chat::{ChatBody, ChatDecoder, ChatWire, ProviderDialect};
pub use client::{KeyHeader, Limits, Server, WireProvider};
pub use demo::DemoProvider;
pub use endpoint::Endpoint;
pub use http::{HttpClient, http_client};
pub use provider::{ModelStream, Provider};
pub use schema::SchemaRules;
pub use sse::{EventTooLarge, MAX_EVENT_BYTES, SseEvent, SseReader};
pub use think::{Piece, ThinkScanner};
pub use wire::{Decoder, Wire};
