//! Reads the inside of tool-call markup. Values in tags are text; the tool's schema casts them when the call is run.

use nanobot_engine::message::ToolCall;
use serde_json::{Map, Value};

/// What markup turned out to be.
#[derive(Debug, PartialEq)]
pub(crate) enum Reading {
    /// At least one call.
    Calls(Vec<ToolCall>),
    /// JSON that goes on beyond what is taken for its end.
    Unfinished,
    Nothing,
}

/// Reads the calls in `body`.
pub(crate) fn read(body: &str) -> Reading {
    let body = without_fence(body.trim());
    if body.starts_with(['{', '[']) {
        return match serde_json::from_str::<Value>(body) {
            Ok(value) => json_calls(&value).map_or(Reading::Nothing, Reading::Calls),
            Err(error) if error.is_eof() => Reading::Unfinished,
            Err(_) => Reading::Nothing,
        };
    }
    let read = if body.starts_with("<function=") {
        all(body, |text| element(text, "<function=", '>', "</function>"), function)
    } else if body.starts_with("<invoke ") {
        all(body, |text| element(text, "<invoke name=", '>', "</invoke>"), invoke)
    } else if body.starts_with("<|tool_call_begin|>") {
        all(body, section, kimi)
    } else if body.contains("<|tool_call_argument_begin|>") {
        body.split_once("<|tool_call_argument_begin|>").and_then(kimi).map(|call| vec![call])
    } else {
        glm(body).map(|call| vec![call])
    };
    read.map_or(Reading::Nothing, Reading::Calls)
}

fn without_fence(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    match inner.and_then(|inner| inner.split_once('\n')) {
        Some((language, inner)) if !language.contains(['{', '[']) => inner.trim(),
        _ => text,
    }
}

fn call(name: &str, arguments: Map<String, Value>) -> Option<ToolCall> {
    let name = name.trim();
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '{' | '}'));
    is_name.then(|| ToolCall { id: String::new(), name: name.to_owned(), arguments, malformed: None, signature: None })
}

fn json_calls(value: &Value) -> Option<Vec<ToolCall>> {
    match value {
        Value::Array(items) if !items.is_empty() => items.iter().map(json_call).collect(),
        value => json_call(value).map(|call| vec![call]),
    }
}

fn json_call(value: &Value) -> Option<ToolCall> {
    let value = value.get("tool_call").filter(|inner| inner.is_object()).unwrap_or(value);
    let function = value.get("function").filter(|inner| inner.is_object()).unwrap_or(value);
    let name = function.get("name")?.as_str()?;
    let keys = ["arguments", "parameters", "args"];
    let arguments = keys.iter().find_map(|key| function.get(*key).or_else(|| value.get(*key)));
    let arguments = match arguments {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments.clone(),
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(_) => return None,
    };
    call(name, arguments)
}

/// Reads one element after the other; anything else between them spoils all.
fn all<'a>(
    text: &'a str,
    next: impl Fn(&'a str) -> Option<((&'a str, &'a str), &'a str)>,
    read: impl Fn((&'a str, &'a str)) -> Option<ToolCall>,
) -> Option<Vec<ToolCall>> {
    let (mut rest, mut calls) = (text.trim(), Vec::new());
    while !rest.is_empty() {
        let (parts, after) = next(rest)?;
        calls.push(read(parts)?);
        rest = after.trim();
    }
    (!calls.is_empty()).then_some(calls)
}

/// Head and body of the element that `text` begins with, and what follows it.
fn element<'a>(text: &'a str, open: &str, end_of_head: char, close: &str) -> Option<((&'a str, &'a str), &'a str)> {
    let (head, rest) = text.strip_prefix(open)?.split_once(end_of_head)?;
    let (body, after) = rest.split_once(close)?;
    Some(((head, body), after))
}

fn function((name, body): (&str, &str)) -> Option<ToolCall> {
    let body = body.trim();
    let arguments = if body.starts_with('{') {
        serde_json::from_str(body).ok()?
    } else {
        parameters(body, "<parameter=", |head| head)?
    };
    call(name, arguments)
}

fn invoke((name, body): (&str, &str)) -> Option<ToolCall> {
    call(unquoted(name), parameters(body.trim(), "<parameter name=", unquoted)?)
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '\''])
}

fn parameters<'a>(mut text: &'a str, open: &str, name: impl Fn(&'a str) -> &'a str) -> Option<Map<String, Value>> {
    let mut arguments = Map::new();
    while !text.is_empty() {
        let ((head, value), after) = element(text, open, '>', "</parameter>")?;
        arguments.insert(name(head).trim().to_owned(), Value::String(inner_text(value).to_owned()));
        text = after.trim();
    }
    Some(arguments)
}

/// A value without the line breaks that only set it apart from its tags.
fn inner_text(value: &str) -> &str {
    let value = value.strip_prefix('\n').unwrap_or(value);
    value.strip_suffix('\n').unwrap_or(value)
}

fn section(text: &str) -> Option<((&str, &str), &str)> {
    let (inner, after) = text.strip_prefix("<|tool_call_begin|>")?.split_once("<|tool_call_end|>")?;
    Some((inner.split_once("<|tool_call_argument_begin|>")?, after))
}

/// `functions.name:0` and its arguments.
fn kimi((head, arguments): (&str, &str)) -> Option<ToolCall> {
    let head = head.trim();
    let name = head.strip_prefix("functions.").unwrap_or(head);
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    call(name, serde_json::from_str(arguments.trim()).ok()?)
}

/// A name, then keys and values in tags.
fn glm(text: &str) -> Option<ToolCall> {
    let (name, mut rest) = match text.split_once("<arg_key>") {
        Some((name, _)) => (name, text.get(name.len()..)?),
        None => return None,
    };
    let mut arguments = Map::new();
    while !rest.is_empty() {
        let (key, after) = rest.strip_prefix("<arg_key>")?.split_once("</arg_key>")?;
        let (value, after) = after.trim_start().strip_prefix("<arg_value>")?.split_once("</arg_value>")?;
        arguments.insert(key.trim().to_owned(), Value::String(inner_text(value).to_owned()));
        rest = after.trim_start();
    }
    call(name, arguments)
}
