//! SNIP: one tool result that is too long becomes head, tail, size and a way to read the rest.

use super::decisions::Cut;
use super::render::place;
use super::work::Work;
use super::{Ladder, Step, counted};
use crate::message::Block;
use crate::text::{head, tail};

/// Room kept below the limit for the note in the middle.
pub const SNIP_MARGIN_CHARS: usize = 1_024;

/// Cuts results over the limit. Steps tell only of the newest row's turn: what was cut in older turns was told of then. The limit is a
/// promise, so the cut is made however little it gains.
pub(super) fn snip(work: &mut Work<'_>, ladder: &mut Ladder, max_chars: usize) {
    let turn = work.rows.last().map(|row| row.turn_id);
    let (mut older, mut newer) = (Vec::new(), Vec::new());
    for (at, row) in work.sent_rows() {
        for (position, block) in row.message.blocks.iter().enumerate() {
            let Block::Result { text, .. } = block else { continue };
            // Bytes are never fewer than characters.
            if text.len() <= max_chars || text.chars().nth(max_chars).is_none() {
                continue;
            }
            if work.shape.plan.cut(row.id, place(position)).is_none() {
                let found = if Some(row.turn_id) == turn { &mut newer } else { &mut older };
                found.push((at, place(position)));
            }
        }
    }
    for (at, block) in older {
        work.cut(at, block, Cut::Shorten { max_chars });
    }
    if newer.is_empty() {
        return;
    }
    let before = work.total();
    let count = newer.len();
    for (at, block) in newer {
        work.cut(at, block, Cut::Shorten { max_chars });
    }
    let results = counted(count, "tool result");
    let detail = format!("{results} over {max_chars} characters cut to head and tail");
    ladder.tell(Step::Snip, before, work.total(), detail);
}

/// The short form of `text`, or `None` when it is short enough. The short form is never cut again.
#[must_use]
pub fn snip_text(text: &str, call_id: &str, max_chars: usize) -> Option<String> {
    let total = text.chars().count();
    if total <= max_chars {
        return None;
    }
    let room = max_chars.saturating_sub(SNIP_MARGIN_CHARS).max(max_chars / 2);
    let head_chars = room * 2 / 3;
    let tail_chars = room - head_chars;
    let left_out = total - head_chars - tail_chars;
    let id = crate::text::ellipsis(call_id, 80);
    let note = format!(
        "\n\n[… {left_out} of {total} characters left out. Read the rest with read_file, path \"result:{id}\", offset and limit.]\n\n"
    );
    let short = format!("{}{note}{}", head(text, head_chars), tail(text, tail_chars));
    // With a tiny limit the note itself may not fit; then the plain cut is all there is.
    if short.chars().count() <= max_chars { Some(short) } else { Some(head(text, max_chars).to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_limit_nothing_happens_and_one_past_it_does() {
        assert_eq!(snip_text(&"x".repeat(16_000), "c", 16_000), None);
        let short = snip_text(&"x".repeat(16_001), "call_7", 16_000).unwrap();
        assert!(short.chars().count() <= 16_000);
        assert!(short.contains("result:call_7"));
        assert_eq!(snip_text(&short, "call_7", 16_000), None);
    }

    #[test]
    fn never_cuts_a_character() {
        for limit in [1, 2, 3, 80, 300, 4_000] {
            for text in ["的".repeat(5_000), "👩‍👩‍👧‍👦é".repeat(900)] {
                let short = snip_text(&text, "c", limit).unwrap();
                assert!(short.chars().count() <= limit, "limit {limit}");
            }
        }
    }
}
