//! Puts a person's own fields into a request body.

use serde_json::{Map, Value};

/// Lists that are added to instead of being replaced.
const ADDED_TO: [&str; 2] = ["tools", "include"];

/// Merges `extra` into `body`: objects field by field, `tools` and `include` at their end and without repetitions, anything else in place
/// of what was there.
pub(crate) fn merge_body(body: &mut Map<String, Value>, extra: &Map<String, Value>) {
    for (key, value) in extra {
        match (body.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => merge_body(inner, more),
            (Some(Value::Array(list)), Value::Array(more)) if ADDED_TO.contains(&key.as_str()) => {
                for item in more {
                    if !list.contains(item) {
                        list.push(item.clone());
                    }
                }
            }
            (_, value) => {
                body.insert(key.clone(), value.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_merged_and_lists_added_to() {
        let mut body = json!({"a": {"b": 1, "c": 2}, "tools": [1], "include": ["x"], "stop": ["p"]});
        let extra = json!({"a": {"c": 3, "d": {}}, "tools": [2], "include": ["x", "y"], "stop": ["q"], "new": true});
        let (Value::Object(inner), Value::Object(extra)) = (&mut body, extra) else { panic!("objects") };
        merge_body(inner, &extra);
        let want = json!({
            "a": {"b": 1, "c": 3, "d": {}}, "tools": [1, 2], "include": ["x", "y"], "stop": ["q"], "new": true,
        });
        assert_eq!(body, want);
    }
}
