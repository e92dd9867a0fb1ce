//! SNIP: one tool result that is too long becomes head, tail, size and a way to read the rest.

use crate::text::{head, tail};

/// Room kept below the limit for the note in the middle.
pub const SNIP_MARGIN_CHARS: usize = 1_024;

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
