//! Tests of the Messages wire: recorded streams, reported cases, and random histories against the rules of the API.

mod answers;
mod cases;
mod effort;
mod random;
mod requests;
mod rules;
mod streams;

use nanobot_engine::message::{Message, Signature};
use nanobot_engine::model::{Media, ModelRequest, ToolChoice};
use nanobot_engine::tool::{Concurrency, ToolSpec};
use serde_json::{Value, json};

use super::wire::AnthropicWire;
use crate::provider::wire::{Decoder, Wire};

/// Who is asked in these tests.
const BY: &str = "anthropic/claude-sonnet-4-5";

fn decoder() -> Box<dyn Decoder> {
    AnthropicWire.decoder("stub", BY)
}

fn signature(by: &str, value: &str) -> Option<Signature> {
    Some(Signature { by: by.to_owned(), value: value.to_owned() })
}

fn shell() -> ToolSpec {
    ToolSpec {
        name: "shell".into(),
        description: "Runs a command.".into(),
        parameters: json!({"type": "object", "properties": {"cmd": {"type": "string"}}}),
        concurrency: Concurrency::Shared,
    }
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: "claude-sonnet-4-5".into(),
        system: "be good".into(),
        messages,
        tools: vec![shell()].into(),
        tool_choice: ToolChoice::Auto,
        max_tokens: 1_000,
        temperature: None,
        reasoning_effort: None,
        media: Media::default(),
        plain: false,
    }
}

fn body(request: &ModelRequest) -> Value {
    serde_json::from_slice(&AnthropicWire.body(request, BY).expect("plain data")).expect("JSON")
}

/// The messages without cache markers.
fn messages(request: &ModelRequest) -> Vec<Value> {
    let mut messages = body(request)["messages"].take();
    strip_markers(&mut messages);
    messages.as_array().expect("a list").clone()
}

fn strip_markers(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(strip_markers),
        Value::Object(fields) => {
            fields.shift_remove("cache_control");
            fields.values_mut().for_each(strip_markers);
        }
        _ => {}
    }
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": [{"type": "text", "text": text}]})
}
