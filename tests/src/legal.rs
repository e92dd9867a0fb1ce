//! Whether a strict provider would take a Chat Completions request.

use serde_json::Value;

/// Says what is wrong with a request.
///
/// # Errors
/// Names the first message that a strict provider refuses.
pub fn check(request: &Value) -> Result<(), String> {
    let messages = request["messages"].as_array().ok_or("no messages")?;
    let mut open: Vec<String> = Vec::new();
    let mut previous = String::new();
    for (place, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().unwrap_or_default();
        let content = text(&message["content"]);
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        let fault = match role {
            "system" if place == 0 => None,
            "user" if !open.is_empty() => Some("stands before the results of all calls"),
            "user" if previous == "user" => Some("follows another user message"),
            "assistant" if !matches!(previous.as_str(), "user" | "tool") => Some("does not follow user or tool"),
            "assistant" if !open.is_empty() => Some("stands before the results of all calls"),
            "tool" if open.first().map(String::as_str) != message["tool_call_id"].as_str() => {
                Some("is no result of the next call")
            }
            "user" | "tool" if content.trim().is_empty() => Some("is blank"),
            "assistant" if content.trim().is_empty() && calls.is_empty() => Some("is blank"),
            "user" | "assistant" | "tool" => None,
            _ => Some("has no legal role"),
        };
        if let Some(fault) = fault {
            return Err(format!("message {place} ({role}) {fault}: {message}"));
        }
        if role == "tool" {
            open.remove(0);
        }
        for call in calls {
            let id = call["id"].as_str().filter(|id| !id.is_empty()).ok_or("a call without id")?;
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            if !serde_json::from_str::<Value>(arguments).is_ok_and(|arguments| arguments.is_object()) {
                return Err(format!("message {place}: the arguments are no JSON object: {arguments}"));
            }
            open.push(id.to_owned());
        }
        role.clone_into(&mut previous);
    }
    match previous.as_str() {
        "user" | "tool" if open.is_empty() => Ok(()),
        other => Err(format!("the last message is of {other}, with {} calls open", open.len())),
    }
}

/// The text of a message's content.
#[must_use]
pub fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

/// Role and text of each message.
#[must_use]
pub fn said(request: &Value) -> Vec<(String, String)> {
    let messages = request["messages"].as_array().into_iter().flatten();
    messages.map(|m| (m["role"].as_str().unwrap_or_default().to_owned(), text(&m["content"]))).collect()
}
