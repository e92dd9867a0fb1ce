//! Tests of the wire: recorded answers, ends of answers, projected histories, and random ones.

mod ends;
mod pieces;
mod projection;
mod random;
mod recorded;

use nanobot_engine::message::{Block, Message};
use nanobot_engine::model::{Media, ModelRequest, ToolChoice};
use serde_json::Value;

use super::decode::ResponsesDecoder;
use super::wire::ResponsesWire;
use crate::provider::replay::{Outcome, gather, read, read_json};
use crate::provider::sse::{SseEvent, SseReader};
use crate::provider::wire::{Decoder, Wire};

const BY: &str = "stub/model";

impl Outcome {
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
    gather(items)
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
    gather(items)
}

fn read_body(body: &str) -> Outcome {
    let mut items = Vec::new();
    ResponsesDecoder::new("stub", BY).body(body.as_bytes(), &mut items);
    gather(items)
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
