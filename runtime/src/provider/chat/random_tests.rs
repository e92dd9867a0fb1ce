//! Random histories: whatever a log holds, the request is one that the strictest servers take.

use std::sync::LazyLock;

use nanobot_engine::model::ModelRequest;
use proptest::prelude::*;
use proptest::test_runner::Config;
use serde_json::{Value, json};

use super::dialect::ProviderDialect;
use super::request::ChatBody;
use crate::provider::arbitrary;
use crate::provider::replay::{is_long_run, read_json};

/// Models that bring out what dialects know.
const MODELS: [&str; 4] = ["model", "gemini-3-pro", "anthropic/claude-sonnet-4.5", "deepseek-v4-pro"];

static SCHEMA: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let mut schema = read_json("schemas/openai_chat.schema.json");
    schema["$ref"] = json!("#/$defs/CreateChatCompletionRequest");
    jsonschema::validator_for(&schema).expect("a good schema")
});

fn request() -> impl Strategy<Value = ModelRequest> {
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "S"}]);
    let items = vec![
        json!({"type": "reasoning_details", "reasoning_details": details}),
        json!({"type": "reasoning_details", "reasoning_details": "?"}),
        json!({"type": "something else"}),
    ];
    (arbitrary::request(items), prop::sample::select(&MODELS))
        .prop_map(|(request, model)| ModelRequest { model: model.to_owned(), ..request })
}

/// Some of the dialects; over all cases each comes up often.
fn dialects() -> impl Strategy<Value = Vec<ProviderDialect>> {
    let all: Vec<ProviderDialect> = ProviderDialect::all().filter(|known| !known.name().is_empty()).collect();
    prop::sample::subsequence(all, 3)
}

/// What every server takes, and some insist on.
fn check(body: &Value, short_ids: bool) -> Result<(), TestCaseError> {
    let messages = body["messages"].as_array().expect("a list");
    let text = body.to_string();
    prop_assert!(!text.contains("\\u0000"), "NUL in {}", text);
    let (mut open, mut seen): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    let mut before = "system";
    for (position, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        match role {
            "system" => prop_assert_eq!(position, 0),
            "tool" => {
                prop_assert!(!open.is_empty(), "a result without a call in {}", text);
                prop_assert_eq!(message["tool_call_id"].as_str(), Some(open.remove(0)));
            }
            "user" | "assistant" => {
                prop_assert!(open.is_empty(), "a call without its result in {}", text);
                prop_assert!(before != role, "two of {} in a row in {}", role, text);
                prop_assert!(role == "user" || before != "system", "the assistant first in {}", text);
            }
            other => prop_assert!(false, "a role {}", other),
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let id = call["id"].as_str().expect("an id");
            let is_legal = |b: u8| b.is_ascii_alphanumeric() || (!short_ids && (b == b'_' || b == b'-'));
            let fits = if short_ids { id.len() == 9 } else { (1..=64).contains(&id.len()) };
            prop_assert!(fits && id.bytes().all(is_legal) && !seen.contains(&id), "id {:?}", id);
            let name = call["function"]["name"].as_str().expect("a name");
            prop_assert!(!name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
            let arguments: Value = serde_json::from_str(call["function"]["arguments"].as_str().expect("text"))
                .expect("arguments are JSON");
            prop_assert!(arguments.is_object());
            seen.push(id);
            open.push(id);
        }
        check_content(message)?;
        before = role;
    }
    prop_assert!(open.is_empty());
    prop_assert!(matches!(before, "user" | "tool"), "{} last in {}", before, text);
    Ok(())
}

fn check_content(message: &Value) -> Result<(), TestCaseError> {
    match &message["content"] {
        Value::Null => prop_assert!(message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty())),
        Value::String(text) => prop_assert!(!text.trim().is_empty(), "a blank message: {}", message),
        Value::Array(parts) => {
            prop_assert!(!parts.is_empty());
            for part in parts {
                prop_assert!(part["type"] != "text" || !part["text"].as_str().expect("text").trim().is_empty());
            }
        }
        other => prop_assert!(false, "content {}", other),
    }
    Ok(())
}

/// Nothing sealed by others, and in the plain form nothing sealed at all.
fn check_sealed(request: &ModelRequest, body: &Value) -> Result<(), TestCaseError> {
    let text = body.to_string();
    if request.plain {
        for word in ["reasoning_details", "c2lnbmVk", "image_url", "file_data", "cache_control", "temperature"] {
            prop_assert!(!text.contains(word), "{} in {}", word, text);
        }
        prop_assert!(!text.contains("reasoning_effort") && !text.contains("\"thinking\""));
    }
    Ok(())
}

/// Fields that are a provider's own.
fn is_standard(body: &Value) -> bool {
    let text = body.to_string();
    let vendor = [
        "cache_control",
        "extra_content",
        "reasoning_content",
        "reasoning_details",
        "\"reasoning\"",
        "\"thinking\"",
        "enable_thinking",
        "reasoning_split",
        "tool_stream",
        "\"minimum\"",
    ];
    !vendor.iter().any(|word| text.contains(word))
}

proptest! {
    #![proptest_config(Config { cases: if is_long_run() { 10_000 } else { 500 }, ..Config::default() })]

    #[test]
    fn any_history_becomes_a_legal_request(request in request(), others in dialects()) {
        for dialect in others.into_iter().chain([ProviderDialect::default()]) {
            let name = dialect.name();
            let body = serde_json::to_value(ChatBody::new(&request, dialect, arbitrary::BY)).expect("plain data");
            check(&body, name == "mistral")?;
            check_sealed(&request, &body)?;
            if is_standard(&body) {
                let errors: Vec<String> = SCHEMA.iter_errors(&body).map(|error| error.to_string()).collect();
                prop_assert!(errors.is_empty(), "{}: {:?} in {}", name, errors, body);
            }
            if name.is_empty() {
                prop_assert!(is_standard(&body));
                let text = |request: &ModelRequest| {
                    serde_json::to_vec(&ChatBody::new(request, dialect, arbitrary::BY)).expect("plain data")
                };
                prop_assert_eq!(text(&request), text(&request.clone()));
            }
        }
    }
}

#[test]
fn the_schema_can_refuse() {
    let refuses = |body: Value| !SCHEMA.is_valid(&body);
    assert!(!refuses(json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]})));
    assert!(refuses(json!({"model": "m", "messages": [{"role": "nobody", "content": "hi"}]})));
    assert!(refuses(json!({"model": "m", "messages": [{"role": "tool", "content": "hi"}]})));
    assert!(refuses(json!({"messages": []})));
}
