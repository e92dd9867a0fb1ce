//! Reads the parts of a delta or message in the shapes that servers give them.

use std::borrow::Cow;

use serde_json::Value;

use super::calls::Fragment;

/// Fields that carry reasoning; the first with text wins, since some servers send the same text in two of them.
const REASONING_FIELDS: [&str; 4] = ["reasoning_content", "reasoning", "thinking", "reasoning_text"];

/// A piece of an answer as the server labels it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelled<'a> {
    Reasoning(&'a str),
    /// May still hold inline think tags.
    Content(&'a str),
    /// Why the model does not answer; text like any other, without markup.
    Refusal(&'a str),
}

/// Hands on the reasoning, the content and the refusal of a delta or message, in that order.
pub(crate) fn read_text<'a>(message: &'a Value, mut take: impl FnMut(Labelled<'a>)) {
    let plain = REASONING_FIELDS.iter().find_map(|field| message.get(field).and_then(text).filter(|t| !t.is_empty()));
    match plain {
        Some(reasoning) => take(Labelled::Reasoning(reasoning)),
        None => details(message.get("reasoning_details"), &mut take),
    }
    match message.get("content") {
        Some(Value::Array(parts)) => parts.iter().for_each(|part| read_part(part, &mut take)),
        Some(content) => content.as_str().into_iter().for_each(|content| take(Labelled::Content(content))),
        None => {}
    }
    if let Some(refusal) = message.get("refusal").and_then(Value::as_str) {
        take(Labelled::Refusal(refusal));
    }
}

fn details<'a>(details: Option<&'a Value>, take: &mut impl FnMut(Labelled<'a>)) {
    for detail in details.and_then(Value::as_array).into_iter().flatten() {
        let reasoning = detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str);
        if let Some(reasoning) = reasoning {
            take(Labelled::Reasoning(reasoning));
        }
    }
}

fn read_part<'a>(part: &'a Value, take: &mut impl FnMut(Labelled<'a>)) {
    match part.get("type").and_then(Value::as_str) {
        Some("thinking" | "reasoning") => {
            match part.get("thinking").or_else(|| part.get("reasoning")).or_else(|| part.get("text")) {
                Some(Value::Array(inner)) => {
                    inner.iter().filter_map(text).for_each(|inner| take(Labelled::Reasoning(inner)));
                }
                Some(inner) => text(inner).into_iter().for_each(|inner| take(Labelled::Reasoning(inner))),
                None => {}
            }
        }
        Some("refusal") => {
            part.get("refusal").and_then(Value::as_str).into_iter().for_each(|text| take(Labelled::Refusal(text)));
        }
        _ => text(part).into_iter().for_each(|content| take(Labelled::Content(content))),
    }
}

/// A string, or the `text` of an object.
fn text(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("text").and_then(Value::as_str))
}

/// May a fragment without an index take its place in the list for one?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingIndex {
    /// A delta: the fragment may go on with an earlier call.
    Unknown,
    /// A whole message: each entry is a call.
    Position,
}

/// Hands on the fragments of calls in a delta or message.
pub(crate) fn read_calls(message: &Value, missing: MissingIndex, mut take: impl FnMut(Fragment<'_>)) {
    let calls = match message.get("tool_calls") {
        Some(Value::Array(calls)) => calls.as_slice(),
        Some(call @ Value::Object(_)) => std::slice::from_ref(call),
        _ => &[],
    };
    for (position, call) in (0_u64..).zip(calls) {
        let index = call.get("index").and_then(|index| index.as_u64().or_else(|| index.as_str()?.parse().ok()));
        let index = match missing {
            MissingIndex::Unknown => index,
            MissingIndex::Position => Some(position),
        };
        let signature = call
            .pointer("/extra_content/google/thought_signature")
            .or_else(|| call.pointer("/function/thought_signature"))
            .and_then(Value::as_str);
        take_call(call.get("function").unwrap_or(call), index, call.get("id"), signature, &mut take);
    }
    if let Some(function) = message.get("function_call").filter(|function| function.is_object()) {
        take_call(function, Some(0), None, None, &mut take);
    }
}

fn take_call(
    function: &Value,
    index: Option<u64>,
    id: Option<&Value>,
    signature: Option<&str>,
    take: &mut impl FnMut(Fragment<'_>),
) {
    let arguments: Cow<'_, str> = match function.get("arguments") {
        None | Some(Value::Null) => Cow::Borrowed(""),
        Some(Value::String(arguments)) => Cow::Borrowed(arguments),
        Some(arguments) => Cow::Owned(arguments.to_string()),
    };
    let id: Cow<'_, str> = match id {
        Some(Value::String(id)) => Cow::Borrowed(id),
        Some(Value::Number(id)) => Cow::Owned(id.to_string()),
        _ => Cow::Borrowed(""),
    };
    let name = function.get("name").and_then(Value::as_str).unwrap_or_default();
    take(Fragment { index, id: &id, name, arguments: &arguments, signature: signature.unwrap_or_default() });
}
