//! What the targets of all wires share: an answer is the same however its bytes are cut, has exactly one end, and brings calls only when
//! it is complete.

#![expect(clippy::expect_used, reason = "a target tells of a fault by a panic")]

use nanobot_engine::message::Block;
use nanobot_engine::model::{Reply, StreamEnd, StreamItem};
use nanobot_runtime::provider::{SseReader, Wire};

/// Streamed reasoning, streamed text and the end.
type Outcome = (String, String, Reply);

fn replay<'a>(wire: &dyn Wire, chunks: impl IntoIterator<Item = &'a [u8]>) -> Option<Outcome> {
    let mut reader = SseReader::default();
    let mut decoder = wire.decoder("stub", "stub/model");
    let mut items = Vec::new();
    for chunk in chunks {
        reader.feed(chunk, |event| decoder.event(event, &mut items)).ok()?;
    }
    decoder.end(&mut items);
    Some(outcome(items))
}

fn outcome(items: Vec<StreamItem>) -> Outcome {
    let (mut reasoning, mut text, mut reply) = (String::new(), String::new(), None);
    for item in items {
        assert!(reply.is_none(), "nothing comes after the end");
        match item {
            StreamItem::Reasoning(more) => reasoning.push_str(&more),
            StreamItem::Text(more) => text.push_str(&more),
            StreamItem::ProviderTool(_) => {}
            StreamItem::End(end) => reply = Some(*end),
        }
    }
    (reasoning, text, reply.expect("there is always an end"))
}

/// Checks one input: its first byte says where it is cut and whether it is an event stream or a whole body.
pub fn check(wire: &dyn Wire, data: &[u8]) {
    let Some((cut, bytes)) = data.split_first() else { return };
    let Some(whole) = replay(wire, [bytes]) else { return };
    let (head, tail) = bytes.split_at(usize::from(*cut).min(bytes.len()));
    assert_eq!(replay(wire, [head, tail]).as_ref(), Some(&whole));
    assert_eq!(replay(wire, bytes.chunks(1)).as_ref(), Some(&whole));
    sound(&whole);
    let mut items = Vec::new();
    wire.decoder("stub", "stub/model").body(bytes, &mut items);
    sound(&outcome(items));
}

fn sound((_, text, reply): &Outcome) {
    let calls = reply.blocks.iter().any(|block| matches!(block, Block::Call(_)));
    assert!(!calls || reply.end == StreamEnd::Complete, "a cut answer brings no calls: {reply:?}");
    let pause = reply.blocks.contains(&Block::Pause);
    assert_eq!(pause, reply.end == StreamEnd::Paused, "{reply:?}");
    let stored: String = reply
        .blocks
        .iter()
        .filter_map(|block| if let Block::Text { text } = block { Some(text.as_str()) } else { None })
        .collect();
    // Items that a server mixes up are shown as they come and stored one after the other.
    assert_eq!(sorted(&stored), sorted(text), "what is stored is what was shown");
}

fn sorted(text: &str) -> Vec<char> {
    let mut chars: Vec<char> = text.chars().collect();
    chars.sort_unstable();
    chars
}
