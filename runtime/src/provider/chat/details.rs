//! Keeps `reasoning_details`, which OpenRouter and others want back unchanged, while they arrive in pieces.
//!
//! OpenRouter, "Reasoning tokens", "Preserving reasoning": the whole list goes back as it came. In a stream the text of one entry comes
//! in many, with the signature in the last; pieces of one type and index are one entry.

use serde_json::{Map, Value};

/// Fields whose pieces are joined.
const JOINED: [&str; 2] = ["text", "summary"];

/// The entries so far.
#[derive(Debug, Default)]
pub(crate) struct Details {
    entries: Vec<Map<String, Value>>,
}

impl Details {
    /// Takes the list of one delta or message.
    pub(crate) fn add(&mut self, details: Option<&Value>) {
        for piece in details.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object) {
            let open = self.entries.iter_mut().rev().find(|entry| goes_on(entry, piece));
            match open {
                Some(entry) => merge(entry, piece),
                None => self.entries.push(piece.clone()),
            }
        }
    }

    /// The whole list; `None` when nothing came.
    pub(crate) fn into_value(self) -> Option<Value> {
        let entries: Vec<Value> = self.entries.into_iter().map(Value::Object).collect();
        (!entries.is_empty()).then_some(Value::Array(entries))
    }
}

/// Is `piece` a part of `entry`? Sealed data comes whole, so a second one is another entry.
fn goes_on(entry: &Map<String, Value>, piece: &Map<String, Value>) -> bool {
    let same = |key: &str| entry.get(key) == piece.get(key);
    let same_or_absent = |key: &str| match (entry.get(key), piece.get(key)) {
        (None | Some(Value::Null), _) | (_, None | Some(Value::Null)) => true,
        (a, b) => a == b,
    };
    let is_signed = entry.get("signature").and_then(Value::as_str).is_some_and(|signature| !signature.is_empty());
    let brings_text = JOINED.iter().any(|key| text(piece, key).is_some_and(|text| !text.is_empty()));
    same("type")
        && same("index")
        && same_or_absent("id")
        && !piece.contains_key("data")
        && !entry.contains_key("data")
        && !(is_signed && brings_text)
}

fn text<'a>(entry: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    entry.get(key).and_then(Value::as_str)
}

fn merge(entry: &mut Map<String, Value>, piece: &Map<String, Value>) {
    for (key, value) in piece {
        let is_blank = value.is_null() || value.as_str() == Some("");
        match entry.get_mut(key) {
            Some(Value::String(before)) if JOINED.contains(&key.as_str()) => {
                before.push_str(value.as_str().unwrap_or_default());
            }
            Some(_) if is_blank => {}
            Some(before) => *before = value.clone(),
            None => {
                entry.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn merged(pieces: &[Value]) -> Value {
        let mut details = Details::default();
        for piece in pieces {
            details.add(Some(&json!([piece])));
        }
        details.into_value().unwrap_or_default()
    }

    #[test]
    fn pieces_of_one_entry_are_joined_and_sealed_ones_stay_apart() {
        let text = |text: &str, index: u64| json!({"type": "reasoning.text", "text": text, "index": index});
        let got = merged(&[
            text("a", 0),
            text("b", 0),
            json!({"type": "reasoning.text", "signature": "SIG", "index": 0}),
            text("c", 0),
            text("d", 1),
            json!({"type": "reasoning.encrypted", "data": "X", "id": "r1", "index": 1}),
            json!({"type": "reasoning.encrypted", "data": "Y", "id": "r2", "index": 1}),
        ]);
        assert_eq!(
            got,
            json!([
                {"type": "reasoning.text", "text": "ab", "index": 0, "signature": "SIG"},
                {"type": "reasoning.text", "text": "c", "index": 0},
                {"type": "reasoning.text", "text": "d", "index": 1},
                {"type": "reasoning.encrypted", "data": "X", "id": "r1", "index": 1},
                {"type": "reasoning.encrypted", "data": "Y", "id": "r2", "index": 1},
            ])
        );
    }

    #[test]
    fn empty_signatures_do_not_replace_one() {
        let got = merged(&[
            json!({"type": "reasoning.text", "text": "a", "signature": "", "index": 0}),
            json!({"type": "reasoning.text", "text": "", "signature": "SIG", "index": 0}),
            json!({"type": "reasoning.text", "text": "", "signature": null, "index": 0}),
        ]);
        assert_eq!(got, json!([{"type": "reasoning.text", "text": "a", "signature": "SIG", "index": 0}]));
        assert_eq!(merged(&[json!("x"), json!(null)]), Value::Null);
    }
}
