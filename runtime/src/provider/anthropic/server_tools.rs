//! Tools that the provider runs itself, told in words while they run.

use nanobot_engine::hook::ProviderToolEvent;
use nanobot_engine::text;
use serde_json::{Map, Value};

/// Longest account of a result, in characters.
const RESULT_CHARS: usize = 1_000;
/// Sources that are named.
const MAX_SOURCES: usize = 8;

/// The call began; what it is asked is known only when the provider sends it whole.
pub(crate) fn started(call_id: &str, name: &str) -> ProviderToolEvent {
    event("started", call_id, name)
}

/// The question is whole.
pub(crate) fn running(call_id: &str, name: &str, arguments: Option<&Map<String, Value>>) -> ProviderToolEvent {
    ProviderToolEvent { arguments: arguments.cloned(), ..event("running", call_id, name) }
}

/// The result came.
pub(crate) fn ended(call_id: &str, name: &str, item: &Value) -> ProviderToolEvent {
    let content = item.get("content").unwrap_or(&Value::Null);
    let error = content.get("error_code").and_then(Value::as_str);
    let failed = error.is_some() || item.get("is_error") == Some(&Value::Bool(true));
    let words = match error {
        Some(code) => code.to_owned(),
        None => describe(content),
    };
    let words = text::ellipsis(words.trim(), RESULT_CHARS);
    ProviderToolEvent {
        text: (!words.is_empty()).then_some(words),
        ..event(if failed { "error" } else { "done" }, call_id, name)
    }
}

fn event(phase: &str, call_id: &str, name: &str) -> ProviderToolEvent {
    let (phase, call_id, name) = (phase.to_owned(), call_id.to_owned(), name.to_owned());
    ProviderToolEvent { phase, call_id, name, arguments: None, text: None }
}

fn describe(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(entries) => {
            let lines = entries.iter().map(describe).filter(|line| !line.trim().is_empty());
            lines.take(MAX_SOURCES).collect::<Vec<_>>().join("\n")
        }
        Value::Object(entry) => describe_entry(entry),
        Value::Null | Value::Bool(_) | Value::Number(_) => String::new(),
    }
}

/// A source by title and address, the output of a program, or the text that an entry holds.
fn describe_entry(entry: &Map<String, Value>) -> String {
    let field = |key: &str| entry.get(key).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    if let Some(url) = field("url") {
        let title = field("title").or_else(|| entry.get("content")?.get("title")?.as_str());
        return title.map_or_else(|| url.to_owned(), |title| format!("{} ({url})", text::one_line(title, 120)));
    }
    let output: Vec<&str> = ["stdout", "stderr"].into_iter().filter_map(field).collect();
    if !output.is_empty() {
        return output.join("\n");
    }
    if let Some(text) = field("text").or_else(|| field("tool_name")) {
        return text.to_owned();
    }
    let inner = ["content", "tool_references"].into_iter().find_map(|key| entry.get(key));
    inner.map(describe).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_are_told_in_words() {
        let source = |n: usize| json!({"type": "web_search_result", "title": format!("T{n}"), "url": format!("https://{n}.test")});
        let sources: Vec<Value> = (0..20).map(source).collect();
        for (content, phase, words) in [
            (
                json!([source(1), {"type": "web_search_result", "url": "https://b.test"}]),
                "done",
                Some("T1 (https://1.test)\nhttps://b.test"),
            ),
            (
                json!({"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}),
                "error",
                Some("max_uses_exceeded"),
            ),
            (
                json!({"type": "bash_code_execution_result", "stdout": "1\n", "stderr": "", "return_code": 0}),
                "done",
                Some("1"),
            ),
            (
                json!({"type": "web_fetch_result", "url": "https://c.test", "content": {"title": "C"}}),
                "done",
                Some("C (https://c.test)"),
            ),
            (json!([{"type": "text", "text": "hello"}]), "done", Some("hello")),
            (
                json!({"type": "tool_search_tool_search_result", "tool_references": [{"type": "tool_reference", "tool_name": "a"}]}),
                "done",
                Some("a"),
            ),
            (json!(null), "done", None),
        ] {
            let event = ended("id", "name", &json!({"content": content}));
            assert_eq!((event.phase.as_str(), event.text.as_deref()), (phase, words), "{content}");
        }
        let text = ended("id", "name", &json!({"content": sources})).text.expect("text");
        assert_eq!(text.lines().count(), MAX_SOURCES);
        let long = ended("id", "name", &json!({"content": "é".repeat(5_000), "is_error": true}));
        assert_eq!((long.phase.as_str(), long.text.expect("text").chars().count()), ("error", RESULT_CHARS));
    }
}
