//! The messages of a Chat Completions request as they look on the wire.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;

/// One message on the wire.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum WireMessage<'a> {
    System {
        content: Content<'a>,
    },
    User {
        content: Content<'a>,
    },
    Assistant {
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        reasoning_details: Vec<&'a Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: String,
        content: Cow<'a, str>,
    },
}

/// Text alone, or parts when there is more.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Content<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Part<'a> {
    Text {
        text: Cow<'a, str>,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    ImageUrl {
        image_url: ImageUrl,
    },
    File {
        file: File<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(crate) struct ImageUrl {
    pub(crate) url: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct File<'a> {
    pub(crate) filename: Cow<'a, str>,
    pub(crate) file_data: String,
}

/// Marks the end of what is worth keeping in the provider's cache.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct CacheControl {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCall<'a> {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    pub(crate) function: WireFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) extra_content: Option<ExtraContent<'a>>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireFunction<'a> {
    pub(crate) name: Cow<'a, str>,
    pub(crate) arguments: String,
}

/// What Google's models want back with a call.
#[derive(Debug, Serialize)]
pub(crate) struct ExtraContent<'a> {
    google: GoogleContent<'a>,
}

#[derive(Debug, Serialize)]
struct GoogleContent<'a> {
    thought_signature: &'a str,
}

impl<'a> ExtraContent<'a> {
    pub(crate) fn signed(thought_signature: &'a str) -> Self {
        Self { google: GoogleContent { thought_signature } }
    }
}

impl<'a> Part<'a> {
    pub(crate) fn text(text: impl Into<Cow<'a, str>>) -> Self {
        Self::Text { text: text.into(), cache_control: None }
    }
}

impl<'a> Content<'a> {
    pub(crate) fn into_parts(self) -> Vec<Part<'a>> {
        match self {
            Self::Text(text) => vec![Part::text(text)],
            Self::Parts(parts) => parts,
        }
    }

    pub(crate) fn from_parts(mut parts: Vec<Part<'a>>) -> Self {
        match parts.pop() {
            Some(Part::Text { text, cache_control: None }) if parts.is_empty() => Self::Text(text),
            Some(last) => {
                parts.push(last);
                Self::Parts(parts)
            }
            None => Self::Parts(parts),
        }
    }

    /// Puts a cache marker on the last text.
    pub(crate) fn mark(&mut self) {
        let mut parts = std::mem::replace(self, Self::Parts(Vec::new())).into_parts();
        let last = parts.iter_mut().rev().find_map(|part| match part {
            Part::Text { cache_control, .. } => Some(cache_control),
            Part::ImageUrl { .. } | Part::File { .. } => None,
        });
        if let Some(marker) = last {
            *marker = Some(CacheControl { kind: "ephemeral" });
        }
        *self = Self::from_parts(parts);
    }
}

/// Adds a part; text after text goes on in the same part after `separator`.
pub(crate) fn push_part<'a>(parts: &mut Vec<Part<'a>>, part: Part<'a>, separator: &str) {
    match (parts.last_mut(), part) {
        (Some(Part::Text { text: before, .. }), Part::Text { text, .. }) => {
            let joined = before.to_mut();
            joined.push_str(separator);
            joined.push_str(&text);
        }
        (_, part) => parts.push(part),
    }
}
