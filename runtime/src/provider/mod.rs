//! Model providers: the seam, the wire formats behind it, and the built-in demo model.

mod chat;
mod demo;
mod http;
#[expect(clippy::module_inception, reason = "a file is named after its main type")]
mod provider;
mod sse;
mod think;

pub use chat::{
    ChatBody, ChatConfig, ChatDecoder, ChatProvider, Endpoint, Images, Limits, OutputLimitField, Quirks,
    ReasoningReplay, TemperatureField,
};
pub use chat::{ListedModel, list_models, provider_models};
pub use demo::DemoProvider;
pub use http::{HttpClient, http_client};
pub use provider::{ModelStream, Provider};
pub use sse::{EventTooLarge, MAX_EVENT_BYTES, SseEvent, SseReader};
pub use think::{Piece, ThinkScanner};
