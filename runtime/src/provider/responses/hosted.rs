//! Tools that the server runs itself: what an item about one says to a person.

use nanobot_engine::hook::ProviderToolEvent;
use nanobot_engine::text;
use serde_json::{Map, Value};

/// Types of the items in which servers tell of their own tools.
const HOSTED_TYPES: [&str; 6] = [
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
];
/// Longest argument and longest text that is handed on, in characters.
const MAX_CHARS: usize = 1_000;
/// Sources that are named.
const MAX_SOURCES: usize = 8;

/// Is an item of this type about a tool that the server ran?
pub(crate) fn is_hosted(kind: &str) -> bool {
    HOSTED_TYPES.contains(&kind)
}

/// Where a tool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    Started,
    Running,
    Done,
    Failed,
}

impl Phase {
    /// The phase that the end of an event's name tells, as in `response.web_search_call.searching`.
    pub(crate) fn of_event(step: &str) -> Self {
        match step {
            "completed" => Self::Done,
            "failed" | "incomplete" => Self::Failed,
            _ => Self::Running,
        }
    }

    /// The phase of an item that is over.
    pub(crate) fn of_item(item: &Value) -> Self {
        let has_error = item.get("error").is_some_and(|error| !error.is_null());
        match item.get("status").and_then(Value::as_str) {
            Some("failed" | "incomplete") => Self::Failed,
            _ if has_error => Self::Failed,
            _ => Self::Done,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Running => "running",
            Self::Done => "done",
            Self::Failed => "error",
        }
    }
}

/// The event for a person. `item` is the item as far as it is known.
pub(crate) fn event(phase: Phase, kind: &str, call_id: &str, item: &Value) -> ProviderToolEvent {
    let name = match (kind, string(item, "name")) {
        ("mcp_call", Some(name)) => name,
        _ => kind.strip_suffix("_call").unwrap_or(kind),
    };
    let is_over = matches!(phase, Phase::Done | Phase::Failed);
    ProviderToolEvent {
        phase: phase.name().to_owned(),
        call_id: call_id.to_owned(),
        name: name.to_owned(),
        arguments: arguments(kind, item).filter(|arguments| !arguments.is_empty()),
        text: if is_over { result(kind, item).filter(|text| !text.trim().is_empty()) } else { None },
    }
}

fn string<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn cut(text: &str) -> Value {
    Value::String(text::ellipsis(text, MAX_CHARS))
}

/// The fields of these names that are texts.
fn fields(value: &Value, keys: &[&str]) -> Map<String, Value> {
    keys.iter().filter_map(|key| Some(((*key).to_owned(), cut(string(value, key)?)))).collect()
}

fn arguments(kind: &str, item: &Value) -> Option<Map<String, Value>> {
    match kind {
        "web_search_call" => {
            let action = item.get("action")?;
            let found = fields(action, &["query", "url", "pattern"]);
            Some(if found.is_empty() { query_of(action) } else { found })
        }
        "file_search_call" => Some(query_of(item)),
        "code_interpreter_call" => Some(fields(item, &["code"])),
        "image_generation_call" => {
            string(item, "revised_prompt").map(|prompt| Map::from_iter([("prompt".to_owned(), cut(prompt))]))
        }
        "mcp_call" => {
            let text = string(item, "arguments")?;
            match serde_json::from_str::<Map<String, Value>>(text) {
                Ok(arguments) if text.chars().count() <= MAX_CHARS => Some(arguments),
                _ => Some(Map::from_iter([("arguments".to_owned(), cut(text))])),
            }
        }
        _ => string(item, "server_label").map(|label| Map::from_iter([("server".to_owned(), cut(label))])),
    }
}

/// Several queries as one.
fn query_of(value: &Value) -> Map<String, Value> {
    let queries: Vec<&str> =
        value.get("queries").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    match queries.as_slice() {
        [] => Map::new(),
        queries => Map::from_iter([("query".to_owned(), cut(&queries.join("; ")))]),
    }
}

fn result(kind: &str, item: &Value) -> Option<String> {
    let lines = match kind {
        "web_search_call" => {
            list(item.pointer("/action/sources").or_else(|| item.get("results")), &["title", "url", "name"])
        }
        "file_search_call" => list(item.get("results"), &["filename", "file_id"]),
        "mcp_list_tools" => list(item.get("tools"), &["name"]),
        "code_interpreter_call" => {
            let logs = item.get("outputs").and_then(Value::as_array).into_iter().flatten();
            logs.filter_map(|output| string(output, "logs")).collect::<Vec<_>>().join("\n")
        }
        "mcp_call" => string(item, "output").unwrap_or_default().to_owned(),
        _ => String::new(),
    };
    let text = match item.get("error") {
        None | Some(Value::Null) => lines,
        Some(Value::String(error)) => error.clone(),
        Some(error) => string(error, "message").map_or_else(|| error.to_string(), str::to_owned),
    };
    Some(text::ellipsis(&text, MAX_CHARS))
}

/// The first few things of a list, one a line: what these fields say of each.
fn list(things: Option<&Value>, keys: &[&str]) -> String {
    let things = things.and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let mut lines: Vec<String> = Vec::new();
    for thing in things.iter().take(MAX_SOURCES) {
        let said: Vec<&str> = keys.iter().filter_map(|key| string(thing, key)).collect();
        lines.push(said.join(" "));
    }
    if things.len() > MAX_SOURCES {
        lines.push(format!("and {} more", things.len() - MAX_SOURCES));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(kind: &str, item: &Value) -> (String, String, Value, Option<String>) {
        let event = event(Phase::of_item(item), kind, "id", item);
        (event.phase, event.name, event.arguments.map_or(Value::Null, Value::Object), event.text)
    }

    #[test]
    fn items_are_told_in_short() {
        let sources: Vec<Value> = (0..10).map(|n| json!({"type": "url", "url": format!("https://a/{n}")})).collect();
        let search = json!({"status": "completed", "action": {"type": "search", "query": "x".repeat(2_000), "sources": sources}});
        let (phase, name, arguments, text) = seen("web_search_call", &search);
        assert_eq!((phase.as_str(), name.as_str()), ("done", "web_search"));
        assert_eq!(arguments["query"].as_str().map(|query| query.chars().count()), Some(1_000));
        let text = text.expect("sources");
        assert!(text.starts_with("https://a/0\n") && text.ends_with("https://a/7\nand 2 more"), "{text}");

        let page = json!({"action": {"type": "find_in_page", "url": "https://a", "pattern": "b"}});
        assert_eq!(seen("web_search_call", &page).2, json!({"url": "https://a", "pattern": "b"}));
        let files = json!({"queries": ["a", "b"], "results": [{"filename": "f.txt", "score": 1}]});
        let want = ("done".to_owned(), "file_search".to_owned(), json!({"query": "a; b"}), Some("f.txt".to_owned()));
        assert_eq!(seen("file_search_call", &files), want);
        let code = json!({"code": "1+1", "outputs": [{"type": "logs", "logs": "2"}]});
        let want = ("done".to_owned(), "code_interpreter".to_owned(), json!({"code": "1+1"}), Some("2".to_owned()));
        assert_eq!(seen("code_interpreter_call", &code), want);
        let call = json!({"name": "ask", "arguments": "{\"q\":1}", "error": {"type": "http_error", "message": "no"}});
        let want = ("error".to_owned(), "ask".to_owned(), json!({"q": 1}), Some("no".to_owned()));
        assert_eq!(seen("mcp_call", &call), want);
        let tools = json!({"server_label": "wiki", "tools": [{"name": "a"}, {"name": "b"}], "error": null});
        let want = ("done".to_owned(), "mcp_list_tools".to_owned(), json!({"server": "wiki"}), Some("a\nb".to_owned()));
        assert_eq!(seen("mcp_list_tools", &tools), want);
        let image = json!({"status": "failed", "revised_prompt": "a cat"});
        let want = ("error".to_owned(), "image_generation".to_owned(), json!({"prompt": "a cat"}), None);
        assert_eq!(seen("image_generation_call", &image), want);
    }
}
