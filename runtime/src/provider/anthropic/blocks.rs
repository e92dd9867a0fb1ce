//! The messages and content blocks of a request.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

/// One message on the wire.
#[derive(Debug, Serialize)]
pub(crate) struct WireMessage<'a> {
    pub(crate) role: WireRole,
    pub(crate) content: Vec<WireBlock<'a>>,
}

/// There are no other roles: results are the user's, the system prompt stands apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WireRole {
    User,
    Assistant,
}

/// One piece of a message.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum WireBlock<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Document {
        source: Source<'a>,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ToolUse {
        id: String,
        name: Cow<'a, str>,
        input: Cow<'a, Map<String, Value>>,
    },
    ToolResult {
        tool_use_id: String,
        content: ResultContent<'a>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: &'a str,
        signature: &'a str,
    },
    /// In the provider's own form.
    #[serde(untagged)]
    Sealed(&'a Value),
}

/// Bytes in the request itself.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Source<'a> {
    Base64 { media_type: &'a str, data: &'a str },
}

/// Text alone, or blocks when there are images.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ResultContent<'a> {
    Text(Cow<'a, str>),
    Blocks(Vec<WireBlock<'a>>),
}

/// A place up to which the provider keeps the prompt for the next request.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum CacheControl {
    /// For five minutes after it was last used.
    Ephemeral,
}

impl<'a> WireBlock<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text { text: text.into(), cache_control: None }
    }

    /// "Prompt caching": thinking cannot carry a marker; blocks of the provider's own form stay as they are.
    pub(crate) fn mark(&mut self) {
        match self {
            Self::Text { cache_control, .. }
            | Self::Image { cache_control, .. }
            | Self::Document { cache_control, .. }
            | Self::ToolResult { cache_control, .. } => *cache_control = Some(CacheControl::Ephemeral),
            Self::ToolUse { .. } | Self::Thinking { .. } | Self::Sealed(_) => {}
        }
    }

    /// Is this reasoning, in the open or not?
    pub(crate) fn is_thinking(&self) -> bool {
        match self {
            Self::Thinking { .. } => true,
            Self::Sealed(item) => item_type(item) == "redacted_thinking",
            _ => false,
        }
    }
}

/// The `type` of an item in the provider's own form; empty when it has none.
pub(crate) fn item_type(item: &Value) -> &str {
    item.get("type").and_then(Value::as_str).unwrap_or_default()
}
