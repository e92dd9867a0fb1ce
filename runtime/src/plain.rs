//! What serde says of a value that does not fit, in words for people.

/// Rewrites a message of serde's derived code; any other message stays as it is, without line ends.
#[must_use]
pub fn plain(message: &str) -> String {
    let message = message.trim().replace('\n', ", ");
    let message = without_place(&message);
    let rewritten = || {
        if message.starts_with("UUID parsing failed") {
            return Some("must be an id".to_owned());
        }
        if message.starts_with("invalid length") && message.contains(", expected struct ") {
            return Some("must be an object".to_owned());
        }
        if let Some(field) = message.strip_prefix("missing field ") {
            return Some(format!("{field} is missing"));
        }
        if let Some(rest) = message.strip_prefix("unknown variant ") {
            let (found, wanted) = rest.split_once(", expected ")?;
            return Some(format!("must be {wanted}, not {found}"));
        }
        let rest = ["invalid type: ", "invalid value: "].iter().find_map(|prefix| message.strip_prefix(prefix))?;
        let (found, wanted) = rest.rsplit_once(", expected ")?;
        Some(format!("must be {}, not {}", wanted_words(wanted), found_words(found)))
    };
    rewritten().unwrap_or_else(|| message.to_owned())
}

/// `serde_json` adds where it was in the text, which says nothing to whoever did not write that text.
fn without_place(message: &str) -> &str {
    let Some((head, place)) = message.rsplit_once(" at line ") else { return message };
    let is_place = place.split_once(" column ").is_some_and(|(line, column)| {
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        is_number(line) && is_number(column)
    });
    if is_place { head } else { message }
}

fn wanted_words(wanted: &str) -> &str {
    match wanted {
        "u8" => "a whole number from 0 to 255",
        "u16" => "a whole number from 0 to 65535",
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i32" | "i64" | "isize" => "a whole number",
        "f32" | "f64" => "a number",
        "a boolean" => "true or false",
        "a string" | "string" | "str" => "text",
        "a sequence" => "a list",
        "a map" => "a section",
        other if other.starts_with("struct ") => "a section",
        other => other,
    }
}

fn found_words(found: &str) -> String {
    match found {
        "null" | "unit value" | "Option value" => return "nothing".to_owned(),
        "map" => return "a section".to_owned(),
        "sequence" => return "a list".to_owned(),
        _ => {}
    }
    for kind in ["integer ", "floating point ", "boolean "] {
        if let Some(value) = found.strip_prefix(kind) {
            return value.trim_matches('`').to_owned();
        }
    }
    found.strip_prefix("string ").map_or_else(|| found.to_owned(), |text| format!("the text {text}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Mode {
        Ask,
        Full,
    }

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its errors are wanted")]
    struct Settings {
        port: u16,
    }

    fn of<T: serde::de::DeserializeOwned + std::fmt::Debug>(value: &Value) -> String {
        plain(&serde_json::from_str::<T>(&value.to_string()).unwrap_err().to_string())
    }

    #[test]
    fn what_serde_says_is_said_in_plain_words() {
        assert_eq!(of::<u64>(&json!("10 min")), "must be a whole number, 0 or more, not the text \"10 min\"");
        assert_eq!(
            of::<u64>(&json!("a, expected u64")),
            "must be a whole number, 0 or more, not the text \"a, expected u64\""
        );
        assert_eq!(of::<u64>(&json!(-1)), "must be a whole number, 0 or more, not -1");
        assert_eq!(of::<u64>(&json!(1.5)), "must be a whole number, 0 or more, not 1.5");
        assert_eq!(of::<u16>(&json!(70_000)), "must be a whole number from 0 to 65535, not 70000");
        assert_eq!(of::<f64>(&json!(null)), "must be a number, not nothing");
        assert_eq!(of::<bool>(&json!("yes")), "must be true or false, not the text \"yes\"");
        assert_eq!(of::<String>(&json!([1])), "must be text, not a list");
        assert_eq!(of::<Vec<String>>(&json!({"a": 1})), "must be a list, not a section");
        assert_eq!(of::<BTreeMap<String, u64>>(&json!(true)), "must be a section, not true");
        assert_eq!(of::<Settings>(&json!(1)), "must be a section, not 1");
        assert_eq!(of::<Settings>(&json!({})), "`port` is missing");
        assert_eq!(of::<Settings>(&json!([])), "must be an object");
        assert_eq!(of::<uuid::Uuid>(&json!("x")), "must be an id");
        assert_eq!(of::<Mode>(&json!("all")), "must be `ask` or `full`, not `all`");
    }

    #[test]
    fn other_words_stay() {
        assert_eq!(plain("must be from 1 to 100"), "must be from 1 to 100");
        assert_eq!(plain("two\nlines at line 3"), "two, lines at line 3");
        assert_eq!(plain("unknown field `x`, expected `y` at line 1 column 4"), "unknown field `x`, expected `y`");
    }
}
