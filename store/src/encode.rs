//! From our types to column values.

use serde::Serialize;
use uuid::Uuid;

use crate::error::StoreError;

/// A number of a session as SQL knows it.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// An id as SQL knows it.
pub(crate) fn id(value: Uuid) -> String {
    value.to_string()
}

/// Text without NUL characters, which SQL functions and C interfaces cut at.
pub(crate) fn text(value: String) -> String {
    if value.contains('\0') { nanobot_engine::text::without_nul(&value) } else { value }
}

/// A value as JSON without NUL characters.
pub(crate) fn json<T: Serialize + ?Sized>(value: &T) -> Result<String, StoreError> {
    let json = serde_json::to_string(value).map_err(|error| StoreError::Other(format!("cannot be stored: {error}")))?;
    Ok(if json.contains(NUL) { without_escaped_nul(&json) } else { json })
}

/// How a NUL is written in JSON.
const NUL: &str = "\\u0000";

fn without_escaped_nul(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        if let Some(tail) = after.strip_prefix("u0000") {
            rest = tail;
            continue;
        }
        out.push('\\');
        // The escaped character goes along, so that the second half of `\\` is not taken for a beginning.
        let mut characters = after.chars();
        out.extend(characters.next());
        rest = characters.as_str();
    }
    out.push_str(rest);
    out
}

/// Lower case for comparing; the same on both sides.
pub(crate) fn folded(text: &str) -> String {
    text.to_lowercase()
}

/// A `LIKE` pattern for text that contains `part`, with `\` as the escape character.
pub(crate) fn contains_pattern(part: &str) -> String {
    let mut out = String::with_capacity(part.len() + 2);
    out.push('%');
    for character in part.chars().filter(|c| *c != '\0') {
        if matches!(character, '%' | '_' | '\\') {
            out.push('\\');
        }
        out.push(character);
    }
    out.push('%');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nul_characters_are_removed_and_nothing_else() {
        for text in ["", "plain", "a\0b", "\0", "\\u0000", "\\\0", "\\\\u0000\0\\", "\n\0\"é\u{1}"] {
            let stored = json(text).unwrap();
            assert_eq!(serde_json::from_str::<String>(&stored).unwrap(), text.replace('\0', ""), "{text:?}");
        }
    }

    #[test]
    fn patterns_hold_no_wildcards() {
        assert_eq!(contains_pattern("50%_a\\"), "%50\\%\\_a\\\\%");
    }
}
