//! Tests of the wire: recorded answers, ends of answers, projected histories, and random ones.

mod ends;
mod pieces;
mod projection;
mod random;
mod recorded;

use std::fs;
use std::path::PathBuf;

use nanobot_engine::hook::ProviderToolEvent;
use nanobot_engine::message::{Block, Message, ToolCall};
use nanobot_engine::model::{Media, ModelRequest, Reply, StreamItem, ToolChoice};
use serde_json::Value;

use super::decode::ResponsesDecoder;
use super::wire::ResponsesWire;
use crate::provider::sse::{SseEvent, SseReader};
use crate::provider::wire::{Decoder, Wire};

const BY: &str = "stub/model";

fn read(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn read_json(path: &str) -> Value {
    serde_json::from_slice(&read(path)).expect(path)
}

/// What an answer came to: what was streamed, and the reply.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    reasoning: String,
    text: String,
    tools: Vec<ProviderToolEvent>,
    reply: Reply,
}

impl Outcome {
    fn of(items: Vec<StreamItem>) -> Self {
        let (mut reasoning, mut text, mut tools, mut reply) = (String::new(), String::new(), Vec::new(), None);
        for item in items {
            assert!(reply.is_none(), "nothing after the end");
            match item {
                StreamItem::Reasoning(more) => reasoning.push_str(&more),
                StreamItem::Text(more) => text.push_str(&more),
                StreamItem::ProviderTool(event) => tools.push(event),
                StreamItem::End(end) => reply = Some(*end),
            }
        }
        Self { reasoning, text, tools, reply: reply.expect("an end") }
    }

    fn calls(&self) -> Vec<&ToolCall> {
        let mut calls = Vec::new();
        for block in &self.reply.blocks {
            if let Block::Call(call) = block {
                calls.push(call);
            }
        }
        calls
    }

    fn sealed(&self) -> Vec<&Value> {
        let mut items = Vec::new();
        for block in &self.reply.blocks {
            if let Block::ProviderItem { item, by } = block {
                assert_eq!(by, BY);
                items.push(item);
            }
        }
        items
    }

    /// The steps of the server's own tools, as in `web_search started`.
    fn steps(&self) -> Vec<String> {
        self.tools.iter().map(|event| format!("{} {}", event.name, event.phase)).collect()
    }
}

/// Replays the bytes of a stream in these chunks.
fn replay<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::default();
    let mut decoder = ResponsesDecoder::new("stub", BY);
    let mut items = Vec::new();
    for chunk in chunks {
        reader.feed(chunk, |event| decoder.event(event, &mut items)).expect("within the limit");
    }
    decoder.end(&mut items);
    Outcome::of(items)
}

/// Replays events of which each is a JSON value, or text as it is.
fn replay_events(events: &[Value]) -> Outcome {
    let mut decoder = ResponsesDecoder::new("stub", BY);
    let mut items = Vec::new();
    for event in events {
        let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
    }
    decoder.end(&mut items);
    Outcome::of(items)
}

fn read_body(body: &str) -> Outcome {
    let mut items = Vec::new();
    ResponsesDecoder::new("stub", BY).body(body.as_bytes(), &mut items);
    Outcome::of(items)
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: "be good".into(),
        messages,
        tools: std::sync::Arc::from([]),
        tool_choice: ToolChoice::Auto,
        max_tokens: 100,
        temperature: None,
        reasoning_effort: None,
        media: Media::default(),
        plain: false,
    }
}

fn body(request: &ModelRequest) -> Value {
    let bytes = ResponsesWire::default().body(request, BY).expect("plain data");
    serde_json::from_slice(&bytes).expect("JSON")
}

/// The input items of a request.
fn input(request: &ModelRequest) -> Vec<Value> {
    body(request)["input"].as_array().expect("a list").clone()
}
