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

/// Replays whole, byte by byte, in pieces, and cut in two at every byte (at some in a large file, unless long tests are on).
pub(crate) fn replay_all_ways(name: &str, bytes: &[u8], decoder: impl Fn() -> Box<dyn Decoder>) -> Outcome {
    let whole = replay(decoder(), [bytes]);
    assert_eq!(replay(decoder(), bytes.chunks(1)), whole, "{name}, byte by byte");
    for size in [2, 3, 7, 64, 1_000] {
        assert_eq!(replay(decoder(), bytes.chunks(size)), whole, "{name}, chunks of {size}");
    }
    let step = if is_long_run() { 1 } else { 1 + bytes.len() * bytes.len() / 1_000_000 };
    for cut in (0..bytes.len()).step_by(step) {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(replay(decoder(), [head, tail]), whole, "{name}, cut at {cut}");
    }
    whole
}
