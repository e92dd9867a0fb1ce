//! Small rules for text that all projections share.

use std::borrow::Cow;

use nanobot_engine::message::ToolCall;
use serde_json::{Map, Value};

/// Sent for a call whose result was lost.
pub(crate) const LOST_RESULT: &str = "Error: no result of this call was recorded; it may or may not have taken effect.";
/// Sent for a result without text, since some servers refuse a blank one.
pub(crate) const BLANK_RESULT: &str = "(no output)";
/// Opens a conversation in which the assistant spoke first.
pub(crate) const ASSISTANT_FIRST: &str = "(The assistant opened this conversation.)";

/// Is there no character to see?
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\0')
}

/// The text without NUL, which some servers refuse.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if memchr::memchr(0, text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    Cow::Owned(nanobot_engine::text::without_nul(text))
}

/// The arguments of a call without NUL. Text that never was an object was not run; it is sent as an empty object.
pub(crate) fn clean_arguments(call: &ToolCall) -> Cow<'_, Map<String, Value>> {
    if !call.arguments.iter().any(|(key, value)| memchr::memchr(0, key.as_bytes()).is_some() || has_nul(value)) {
        return Cow::Borrowed(&call.arguments);
    }
    Cow::Owned(call.arguments.iter().map(|(key, value)| (clean(key).into_owned(), clean_value(value))).collect())
}

/// The same as the JSON text that OpenAI's protocols want.
pub(crate) fn arguments_text(call: &ToolCall) -> String {
    serde_json::to_string(&*clean_arguments(call)).unwrap_or_else(|_| "{}".to_owned())
}

fn has_nul(value: &Value) -> bool {
    match value {
        Value::String(text) => memchr::memchr(0, text.as_bytes()).is_some(),
        Value::Array(items) => items.iter().any(has_nul),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| memchr::memchr(0, key.as_bytes()).is_some() || has_nul(value))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

fn clean_value(value: &Value) -> Value {
    match value {
        Value::String(text) => Value::String(clean(text).into_owned()),
        Value::Array(items) => Value::Array(items.iter().map(clean_value).collect()),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(key, value)| (clean(key).into_owned(), clean_value(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}
