//! For tests of all wires: replays recorded streams, whole and cut anywhere.

use std::fs;
use std::path::PathBuf;

use nanobot_engine::hook::ProviderToolEvent;
use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{Reply, StreamEnd, StreamItem};
use nanobot_engine::tool::CallStatus;
use serde_json::Value;

use super::sse::SseReader;
use super::wire::Decoder;

/// A file of `tests/fixtures`.
pub(crate) fn read(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A JSON file of `tests/fixtures`.
pub(crate) fn read_json(path: &str) -> Value {
    serde_json::from_slice(&read(path)).expect(path)
}

/// Are the long loops to be run whole?
pub(crate) fn is_long_run() -> bool {
    std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1")
}

/// What a stream came to: what was streamed, and the reply.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) tools: Vec<ProviderToolEvent>,
    pub(crate) reply: Reply,
}

impl Outcome {
    pub(crate) fn calls(&self) -> Vec<&ToolCall> {
        self.reply.blocks.iter().filter_map(|b| if let Block::Call(call) = b { Some(call) } else { None }).collect()
    }
}

/// Gathers the items of one answer, and checks that what was streamed is what the reply holds.
pub(crate) fn gather(items: Vec<StreamItem>) -> Outcome {
    let outcome = collect(items);
    let message = Message { role: Role::Assistant, blocks: outcome.reply.blocks.clone() };
    assert_eq!(message.text(), outcome.text);
    assert_eq!(message.reasoning().unwrap_or_default(), outcome.reasoning);
    assert!(message.calls().next().is_none() || outcome.reply.end == StreamEnd::Complete);
    outcome
}

/// The same for streams whose items are interleaved in a way that no server does: the reply holds them in their own order.
pub(crate) fn collect(items: Vec<StreamItem>) -> Outcome {
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
    Outcome { reasoning, text, tools, reply: reply.expect("an end") }
}

/// Replays the chunks of a stream into a new decoder.
pub(crate) fn replay<'a>(mut decoder: Box<dyn Decoder>, chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::default();
    let mut items = Vec::new();
    for chunk in chunks {
        reader.feed(chunk, |event| decoder.event(event, &mut items)).expect("within the limit");
    }
    decoder.end(&mut items);
    gather(items)
}

/// Replays whole, byte by byte, in pieces, and cut in two: at every byte as far as the reader goes, and with the decoder at every byte
/// of a small file and at many of a large one.
pub(crate) fn replay_all_ways(name: &str, bytes: &[u8], decoder: &dyn Fn() -> Box<dyn Decoder>) -> Outcome {
    let whole = replay(decoder(), [bytes]);
    assert_eq!(replay(decoder(), bytes.chunks(1)), whole, "{name}, byte by byte");
    for size in [2, 3, 7, 64, 1_000] {
        assert_eq!(replay(decoder(), bytes.chunks(size)), whole, "{name}, chunks of {size}");
    }
    cut_at_every_byte(name, bytes);
    for cut in cuts(bytes) {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(replay(decoder(), [head, tail]), whole, "{name}, cut at {cut}");
    }
    whole
}

/// The reader gives the same events wherever a stream is cut. It keeps nothing from one event to the next but the event's id, so that
/// each cut is looked at within the two events around it; what the decoder is handed is the same then, and so is the answer.
fn cut_at_every_byte(name: &str, bytes: &[u8]) {
    let mut starts = vec![0];
    for at in 1..bytes.len() {
        if bytes[..at].ends_with(b"\n\n") || bytes[..at].ends_with(b"\n\r\n") {
            starts.push(at);
        }
    }
    starts.push(bytes.len());
    for window in starts.windows(3).map(|starts| (starts[0], starts[2])).chain([(0, bytes.len().min(2_000))]) {
        let part = &bytes[window.0..window.1];
        let whole = events([part]);
        for cut in 0..part.len() {
            let (head, tail) = part.split_at(cut);
            assert_eq!(events([head, tail]), whole, "{name}, cut at {}", window.0 + cut);
        }
    }
}

fn events<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Vec<(String, String)> {
    let mut reader = SseReader::default();
    let mut events = Vec::new();
    for chunk in chunks {
        reader
            .feed(chunk, |event| events.push((event.name.to_owned(), event.data.to_owned())))
            .expect("within the limit");
    }
    events
}

/// Replays each beginning of a stream, with nothing after it.
pub(crate) fn replay_beginnings(bytes: &[u8], decoder: &dyn Fn() -> Box<dyn Decoder>, check: impl Fn(usize, Outcome)) {
    for cut in cuts(bytes) {
        check(cut, replay(decoder(), [&bytes[..cut]]));
    }
}

fn cuts(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let step = 1 + bytes.len() * bytes.len() / if is_long_run() { 10_000_000 } else { 1_000_000 };
    (0..bytes.len()).step_by(step)
}

/// The neutral shape of stored histories in the cases.
pub(crate) fn history(case: &Value) -> Vec<Message> {
    let message = |m: &Value| {
        let text = |v: &Value| match v {
            Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
            other => other.as_str().unwrap_or_default().to_owned(),
        };
        if m["role"] == "tool" {
            let call_id = m["tool_call_id"].as_str().unwrap_or_default().to_owned();
            let result =
                Block::Result { call_id, name: "shell".into(), status: CallStatus::Ok, text: text(&m["content"]) };
            return Message { role: Role::Tool, blocks: vec![result] };
        }
        let role = if m["role"] == "user" { Role::User } else { Role::Assistant };
        let mut blocks = vec![Block::Text { text: text(&m["content"]) }];
        for call in m["tool_calls"].as_array().into_iter().flatten() {
            blocks.push(Block::Call(ToolCall {
                id: call["id"].as_str().expect("an id").to_owned(),
                name: call["name"].as_str().expect("a name").to_owned(),
                arguments: serde_json::from_str(call["arguments"].as_str().expect("text")).expect("an object"),
                malformed: None,
                signature: None,
            }));
        }
        Message { role, blocks }
    };
    case["messages"].as_array().expect("a list").iter().map(message).collect()
}
