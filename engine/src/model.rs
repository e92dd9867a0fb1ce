//! What the machine asks of a model and what it gets back, independent of any provider's wire.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::hook::ProviderToolEvent;
use crate::message::{Block, Message};
use crate::tool::ToolSpec;
use crate::usage::Usage;

/// One request, ready to be projected onto a provider's wire.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelRequest {
    /// Model name as the provider knows it.
    pub model: String,
    /// System prompt; byte-stable over a session.
    pub system: Arc<str>,
    /// The governed conversation.
    pub messages: Vec<Message>,
    /// Tools on offer: the same in every request of a session, so that the provider's cache holds.
    pub tools: Arc<[ToolSpec]>,
    /// May the model call them?
    pub tool_choice: ToolChoice,
    /// Limit of the answer in tokens.
    pub max_tokens: u64,
    /// Sampling temperature, when set.
    pub temperature: Option<f64>,
    /// `low`, `medium`, `high`, …, when set.
    pub reasoning_effort: Option<String>,
    /// Bytes of the images and documents that the messages refer to.
    pub media: Media,
    /// Ask in the plainest form: without media, sealed state and settings that a provider may refuse.
    pub plain: bool,
}

impl ModelRequest {
    /// Is there anything that the plain form would leave out?
    #[must_use]
    pub fn can_be_plainer(&self) -> bool {
        let sealed = |block: &Block| match block {
            Block::Image { .. } | Block::Document { .. } | Block::ProviderItem { .. } => true,
            Block::Thinking { signature, .. } => signature.is_some(),
            Block::Call(call) => call.signature.is_some(),
            Block::Text { .. } | Block::Result { .. } | Block::Pause => false,
        };
        !self.plain
            && (self.temperature.is_some()
                || self.reasoning_effort.is_some()
                || self.messages.iter().any(|message| message.blocks.iter().any(sealed)))
    }
}

/// Stored media in the form in which all wires take it: base64 by id. What is not here is named in the request, but not sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Media(BTreeMap<String, Arc<str>>);

impl Media {
    /// Adds the bytes of a medium, in base64.
    pub fn insert(&mut self, media_id: impl Into<String>, base64: impl Into<Arc<str>>) {
        self.0.insert(media_id.into(), base64.into());
    }

    /// The bytes of a medium, in base64.
    #[must_use]
    pub fn get(&self, media_id: &str) -> Option<&str> {
        self.0.get(media_id).map(|base64| &**base64)
    }
}

/// May the model call tools?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// No: it has to answer in words.
    None,
}

/// How a stream ended. Set only by the protocol's own signal; there is exactly one per stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StreamEnd {
    /// The provider said that the answer is whole.
    Complete,
    /// The provider stopped at the output limit.
    Length,
    /// The bytes ended without the provider's own end signal.
    Truncated,
    /// The provider answered, and there was nothing in it.
    Empty,
    /// The provider stopped in the middle and goes on when its message is sent back. The message ends with [`Block::Pause`].
    Paused,
    /// The request failed, or an error came inside the stream.
    Error(ModelError),
}

/// Why a model could not be asked, or its answer not be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{detail}")]
pub struct ModelError {
    /// Kind, which decides what is done about it.
    pub kind: ModelErrorKind,
    /// Words for a person: what happened and what to do.
    pub detail: String,
    /// How long the provider asks to wait.
    pub retry_after_ms: Option<u64>,
    /// What the provider itself says about asking again, where it does.
    #[serde(default)]
    pub should_retry: Option<bool>,
}

impl ModelError {
    /// An error of which the provider said nothing more.
    #[must_use]
    pub fn new(kind: ModelErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after_ms: None, should_retry: None }
    }

    /// The same with the wait that the provider asks for.
    #[must_use]
    pub fn after(self, retry_after_ms: Option<u64>) -> Self {
        Self { retry_after_ms, ..self }
    }
}

/// Kinds of model failure, one per distinct recovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelErrorKind {
    /// No model is set up.
    NoModel,
    /// Key refused (401, 403).
    Auth,
    /// Too many requests for now (429).
    RateLimit,
    /// The account is used up (429 with a quota code, 402).
    Quota,
    /// Server failure (5xx, overloaded, connection refused or lost).
    Unavailable,
    /// Connect, first byte, idle or total limit passed.
    Timeout,
    /// What came back is not this protocol: HTML, wrong JSON, wrong content type.
    BadResponse,
    /// The provider refused the request as wrong (other 4xx).
    RefusedRequest,
    /// The provider does not know this model or address (404, 405).
    NotFound,
    /// The model or a filter before it refused to answer this conversation.
    Refusal,
    /// The request is larger than the model's window.
    ContextLength,
    /// The stream ended without its end signal.
    Truncated,
    /// The model failed so often that it is left alone for a while; nothing was sent.
    CircuitOpen,
}

impl ModelErrorKind {
    /// Stable code in the protocol.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NoModel => "no_model",
            Self::Auth => "provider_auth",
            Self::RateLimit => "provider_rate_limit",
            Self::Quota => "provider_quota",
            Self::Unavailable => "provider_unavailable",
            Self::Timeout => "provider_timeout",
            Self::BadResponse => "provider_bad_response",
            Self::RefusedRequest => "provider_refused_request",
            Self::NotFound => "provider_not_found",
            Self::Refusal => "model_refused",
            Self::ContextLength => "context_length",
            Self::Truncated => "stream_truncated",
            Self::CircuitOpen => "provider_paused",
        }
    }
}

/// One piece of a stream, already normalised: inline think tags are reasoning here.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// More reasoning.
    Reasoning(String),
    /// More visible text.
    Text(String),
    /// A tool that the provider runs itself began, moved on or ended.
    ProviderTool(ProviderToolEvent),
    /// The one and last item.
    End(Box<Reply>),
}

/// The assembled answer, handed over with the end of its stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    /// How the stream ended. Calls may run only when this is `Complete`.
    pub end: StreamEnd,
    /// Thinking, text and calls, in order. Call ids may still be empty or repeated.
    pub blocks: Vec<Block>,
    /// What the provider reported, if it did.
    pub usage: Option<Usage>,
}
