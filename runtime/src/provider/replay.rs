//! Replays recorded bytes through a decoder: whole, byte by byte, and cut in two anywhere.

use std::fs;
use std::path::PathBuf;

use nanobot_engine::message::Block;
use nanobot_engine::model::{Reply, StreamItem};
use serde_json::Value;

use super::sse::SseReader;
use super::wire::Decoder;

/// The bytes of a file below `tests/fixtures`.
pub(crate) fn fixture(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A JSON file below `tests/fixtures`.
pub(crate) fn fixture_json(path: &str) -> Value {
    serde_json::from_slice(&fixture(path)).expect(path)
}

/// Are the long loops to be run whole?
pub(crate) fn is_long_run() -> bool {
    std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1")
}

/// What a stream came to: the streamed reasoning and text, and the reply.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) reply: Reply,
}

/// Feeds the chunks; what was streamed must be what the reply holds.
pub(crate) fn replay<'a>(mut decoder: Box<dyn Decoder>, chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::default();
    let mut items = Vec::new();
    for chunk in chunks {
        reader.feed(chunk, |event| decoder.event(event, &mut items)).expect("within the limit");
    }
    decoder.end(&mut items);
    let (mut reasoning, mut text, mut reply) = (String::new(), String::new(), None);
    for item in items {
        assert!(reply.is_none(), "nothing after the end");
        match item {
            StreamItem::Reasoning(more) => reasoning.push_str(&more),
            StreamItem::Text(more) => text.push_str(&more),
            StreamItem::ProviderTool(_) => {}
            StreamItem::End(end) => reply = Some(*end),
        }
    }
    let reply = reply.expect("an end");
    let joined = |read: fn(&Block) -> Option<&str>| -> String { reply.blocks.iter().filter_map(read).collect() };
    let held = joined(|block| if let Block::Text { text } = block { Some(text) } else { None });
    assert_eq!(held, text, "streamed and held text");
    let held = joined(|block| if let Block::Thinking { text, .. } = block { Some(text) } else { None });
    assert_eq!(held, reasoning, "streamed and held reasoning");
    Outcome { reasoning, text, reply }
}

/// Replays whole, byte by byte, in pieces, and cut in two: at every byte as far as the reader goes, and with the decoder at every byte
/// of a small file and at many of a large one.
pub(crate) fn replay_all_ways(name: &str, bytes: &[u8], decoder: impl Fn() -> Box<dyn Decoder>) -> Outcome {
    let whole = replay(decoder(), [bytes]);
    assert_eq!(replay(decoder(), bytes.chunks(1)), whole, "{name}, byte by byte");
    for size in [2, 3, 7, 64, 1_000] {
        assert_eq!(replay(decoder(), bytes.chunks(size)), whole, "{name}, chunks of {size}");
    }
    cut_at_every_byte(name, bytes);
    let step = 1 + bytes.len() * bytes.len() / if is_long_run() { 10_000_000 } else { 1_000_000 };
    for cut in (0..bytes.len()).step_by(step) {
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
