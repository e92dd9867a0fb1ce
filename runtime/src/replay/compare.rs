//! Two values side by side: the first thing that differs, in words.

use nanobot_engine::text;
use nanobot_engine::turn::{Part, Turn};
use serde_json::{Value, json};

/// Longest quotation of a value, in characters.
const QUOTE_CHARS: usize = 160;
/// How much of a text is quoted before the place where it differs, in characters.
const LEAD_CHARS: usize = 24;

/// A value in a few words.
pub(super) fn words(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        other => text::one_line(&other.to_string(), QUOTE_CHARS),
    }
}

/// Where two values differ first: `blocks 2, text: stored is "a", and now "b"`.
pub(super) fn first_difference(then: &Value, now: &Value) -> Option<String> {
    match (then, now) {
        (Value::Object(then), Value::Object(now)) => {
            let names = then.keys().chain(now.keys().filter(|name| !then.contains_key(*name)));
            names.filter_map(|name| below(name, then.get(name), now.get(name))).next()
        }
        (Value::Array(then), Value::Array(now)) => {
            let count = then.len().max(now.len());
            (0..count).find_map(|at| below(&(at + 1).to_string(), then.get(at), now.get(at)))
        }
        (Value::String(then), Value::String(now)) => {
            let (then, now) = (text::without_nul(then), text::without_nul(now));
            (then != now).then(|| {
                let same = then.chars().zip(now.chars()).take_while(|(a, b)| a == b).count();
                format!(": stored is {}, and now {}", quote(&then, same), quote(&now, same))
            })
        }
        (then, now) => (then != now).then(|| format!(": stored is {}, and now {}", words(then), words(now))),
    }
}

fn below(name: &str, then: Option<&Value>, now: Option<&Value>) -> Option<String> {
    let nothing = Value::Null;
    let rest = first_difference(then.unwrap_or(&nothing), now.unwrap_or(&nothing))?;
    Some(if rest.starts_with(':') { format!("{name}{rest}") } else { format!("{name}, {rest}") })
}

/// A text around the place where it differs.
fn quote(whole: &str, same: usize) -> String {
    let skipped = same.saturating_sub(LEAD_CHARS);
    let rest: String = whole.chars().skip(skipped).collect();
    let mark = if skipped > 0 { "…" } else { "" };
    format!("{:?}", format!("{mark}{}", text::ellipsis(&rest, QUOTE_CHARS)))
}

/// What is shown of a turn, without what is another each time: numbers of its output, times, and what hooks did wrong, which are not
/// called again.
pub(super) fn comparable(mut turn: Turn) -> Value {
    turn.user = None;
    turn.started_at = None;
    turn.ended_at = None;
    turn.parts.retain(|part| !matches!(part, Part::Notice { code, .. } if code == "hook_failed"));
    let mut value = json!(turn);
    if let Some(parts) = value.get_mut("parts").and_then(Value::as_array_mut) {
        for part in parts.iter_mut().filter_map(Value::as_object_mut) {
            for name in ["stream_id", "duration_ms", "output"] {
                part.remove(name);
            }
            if let Some(data) = part.get_mut("data").and_then(Value::as_object_mut) {
                data.remove("until_at");
            }
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_named_with_both_sides() {
        let long = "x".repeat(40);
        for (then, now, want) in [
            (json!({"a": 1, "b": [1, 2]}), json!({"b": [1, 2], "a": 1}), None),
            (json!({"a": 1}), json!({"a": 2}), Some("a: stored is 1, and now 2")),
            (json!({"a": [{"b": "x"}]}), json!({"a": [{"b": "y"}]}), Some("a, 1, b: stored is \"x\", and now \"y\"")),
            (json!([1]), json!([1, {"c": 2}]), Some("2: stored is nothing, and now {\"c\":2}")),
            (json!({}), json!({"d": null}), None),
            (json!("a\u{0}b"), json!("ab"), None),
            (
                json!(format!("{long}1")),
                json!(format!("{long}2")),
                Some(": stored is \"…xxxxxxxxxxxxxxxxxxxxxxxx1\", and now \"…xxxxxxxxxxxxxxxxxxxxxxxx2\""),
            ),
        ] {
            assert_eq!(first_difference(&then, &now).as_deref(), want, "{then} {now}");
        }
    }
}
