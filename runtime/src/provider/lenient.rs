//! Reads JSON that holds half of a surrogate pair, as some servers write when they cut a text in two.

use serde_json::Value;

/// The visible substitute for what is no character.
const SUBSTITUTE: &str = "\\ufffd";

/// Parses JSON; halves of surrogate pairs become U+FFFD, since no string can hold them.
///
/// # Errors
/// When it is no JSON for another reason.
pub(crate) fn read_json(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).or_else(|error| match mended(text) {
        Some(mended) => serde_json::from_str(&mended),
        None => Err(error),
    })
}

/// The text with halves replaced; `None` when there are none.
fn mended(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some((before, escape)) = memchr::memchr(b'\\', rest.as_bytes()).and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        let length = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..0xDC00), Some(0xDC00..0xE000)) => 12,
            (Some(0xD800..0xE000), _) => {
                found = true;
                out.push_str(SUBSTITUTE);
                rest = escape.get(6..).unwrap_or_default();
                continue;
            }
            (Some(_), _) => 6,
            // The next character belongs to the escape, whatever it is.
            (None, _) => 1 + escape.chars().nth(1).map_or(0, char::len_utf8),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        out.push_str(escape);
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

/// The UTF-16 unit of the `\uXXXX` that the text begins with.
fn unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn halves_are_replaced_and_whole_pairs_stay() {
        for (text, want) in [
            (r#""ok \ud83d""#, json!("ok \u{fffd}")),
            (r#""\udc00 tail""#, json!("\u{fffd} tail")),
            (r#""\ud83d\ude00\ud83d""#, json!("\u{1f600}\u{fffd}")),
            (r#""\ud83d\ud83d\ude00""#, json!("\u{fffd}\u{1f600}")),
            (r#""\\ud83d \ud83dx é""#, json!("\\ud83d \u{fffd}x é")),
            (r#"{"\ud83d":1}"#, json!({"\u{fffd}": 1})),
        ] {
            assert_eq!(read_json(text).ok(), Some(want), "{text}");
        }
        for text in ["", "{", r#""\ud83d"#, r#""\u12""#, r#""\"#, "\"\\é\""] {
            assert!(read_json(text).is_err(), "{text}");
        }
    }
}
