//! What the machine asks of a model and what it gets back, independent of any provider's wire.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::message::{Block, Message};
use crate::tool::ToolSpec;
use crate::usage::Usage;

/// One request, ready to be projected onto a provider's wire.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// Model name as the provider knows it.
    pub model: String,
    /// System prompt; byte-stable over a session.
    pub system: Arc<str>,
    /// The governed conversation.
    pub messages: Vec<Message>,
    /// Tools on offer; empty for a closing answer.
    pub tools: Arc<[ToolSpec]>,
    /// Limit of the answer in tokens.
    pub max_tokens: u64,
    /// Sampling temperature, when set.
    pub temperature: Option<f64>,
    /// `low`, `medium`, `high`, …, when set.
    pub reasoning_effort: Option<String>,
}

/// How a stream ended. Set only by the protocol's own signal; there is exactly one per stream.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamEnd {
    /// The provider said that the answer is whole.
    Complete,
    /// The provider stopped at the output limit.
    Length,
    /// The bytes ended without the provider's own end signal.
    Truncated,
    /// The provider answered, and there was nothing in it.
    Empty,
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
    /// The request is larger than the model's window.
    ContextLength,
    /// The stream ended without its end signal.
    Truncated,
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
            Self::ContextLength => "context_length",
            Self::Truncated => "stream_truncated",
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
    /// The one and last item.
    End(Box<Reply>),
}

/// The assembled answer, handed over with the end of its stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// How the stream ended. Calls may run only when this is `Complete`.
    pub end: StreamEnd,
    /// Thinking, text and calls, in order. Call ids may still be empty or repeated.
    pub blocks: Vec<Block>,
    /// What the provider reported, if it did.
    pub usage: Option<Usage>,
}
