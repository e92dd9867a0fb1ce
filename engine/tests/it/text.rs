//! Shortening text: never a panic, never half a character, never past the limit.

use nanobot_engine::govern::snip_text;
use nanobot_engine::text::{ellipsis, head, one_line, tail, without_nul};
use nanobot_engine::tool::{CallStatus, PREVIEW_CHARS, ToolOutcome, ToolTable};

use crate::support::fixture;

#[test]
fn en_01_every_limit_is_kept_for_every_string() {
    let case = fixture("en-boundaries.json");
    let strings: Vec<&str> = case["strings"].as_array().unwrap().iter().map(|s| s.as_str().unwrap()).collect();
    let mut limits: Vec<usize> =
        case["limits"].as_array().unwrap().iter().map(|n| usize::try_from(n.as_u64().unwrap()).unwrap()).collect();
    limits.push(0);
    assert!(strings.len() >= 8 && limits.len() >= 11);
    for text in strings {
        let total = text.chars().count();
        for &limit in &limits {
            let kept = total.min(limit);
            let chars = |text: &str| text.chars().count();

            assert_eq!(head(text, limit), text.chars().take(limit).collect::<String>());
            assert_eq!(tail(text, limit), text.chars().skip(total - kept).collect::<String>());

            let short = ellipsis(text, limit);
            assert_eq!(chars(&short), kept);
            if total <= limit {
                assert_eq!(short, text);
            } else if limit > 0 {
                assert_eq!(short, text.chars().take(limit - 1).chain(['…']).collect::<String>());
            }

            let line = one_line(text, limit);
            let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(line, ellipsis(&folded, limit));

            match snip_text(text, "call_1", limit) {
                None => assert!(total <= limit),
                Some(short) => {
                    assert!(total > limit && chars(&short) <= limit);
                    assert_eq!(snip_text(&short, "call_1", limit), None);
                }
            }
        }
        assert!(!without_nul(text).contains('\0'));
        assert_eq!(without_nul(text), text.replace('\0', ""));
        assert!(ToolOutcome::ok(text).preview().chars().count() <= PREVIEW_CHARS);
        assert!(ToolOutcome::failed(CallStatus::Error, text).text.starts_with("Error: "));
        assert!(ToolTable::default().unknown(text).starts_with("Error: there is no tool named"));
    }
}

#[test]
fn white_space_of_any_kind_is_folded() {
    assert_eq!(one_line(" a\n\n\tb\u{3000}c \r\n", 80), "a b c");
    assert_eq!(one_line("", 80), "");
    assert_eq!(one_line(&"word ".repeat(10_000), 12), "word word w…");
}
