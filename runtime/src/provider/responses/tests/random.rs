//! Random histories give requests that the published description of the API allows, and that servers take.

use std::collections::HashSet;
use std::sync::LazyLock;

use jsonschema::Validator;
use nanobot_engine::model::ModelRequest;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use serde_json::{Value, json};

use super::{body, read_json};
use crate::provider::arbitrary;
use crate::provider::responses::ResponsesWire;
use crate::provider::wire::Wire;

/// Compiled once, since that takes longer than all checks.
static CREATE_RESPONSE: LazyLock<Validator> = LazyLock::new(|| {
    let mut schema = read_json("schemas/openai_responses.schema.json");
    schema["$ref"] = json!("#/$defs/CreateResponse");
    // Of an older kind of JSON Schema, and nothing that a request of ours holds.
    schema["$defs"]["CompoundFilter"] = json!({"type": "object"});
    // A user message with parts is, as described, both an easy one and a full one; servers do not mind.
    let item = schema["$defs"]["InputItem"].as_object_mut().expect("an object");
    let kinds = item.remove("oneOf").expect("kinds");
    item.insert("anyOf".to_owned(), kinds);
    jsonschema::validator_for(&schema).expect("a schema")
});

/// Examples of what this wire seals, and of what another wire under the same name sealed.
fn items() -> Vec<Value> {
    vec![
        json!({"id": "rs_1", "type": "reasoning", "summary": [], "encrypted_content": "E1"}),
        json!({"id": "rs_2", "type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}], "encrypted_content": "E2", "content": []}),
        json!({"id": "rs_3", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "r"}]}),
        json!({"id": "rs_4", "type": "reasoning", "summary": [], "encrypted_content": null}),
        json!({"id": "ws_1", "type": "web_search_call", "status": "completed", "action": {"type": "search", "query": "q"}}),
        json!({"id": "mcp_1", "type": "mcp_call", "server_label": "s", "name": "n", "arguments": "{}", "output": "o"}),
        json!({"id": "msg_1", "type": "server_tool_use", "name": "web_search"}),
    ]
}

fn config() -> Config {
    let is_long = std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1");
    let (cases, rng_seed) = if is_long { (10_000, RngSeed::Random) } else { (500, RngSeed::Fixed(20_251_130)) };
    Config { cases, rng_seed, failure_persistence: None, ..Config::default() }
}

proptest! {
    #![proptest_config(config())]
    #[test]
    fn any_history_gives_a_legal_request(request in arbitrary::request(items())) {
        let got = body(&request);
        let errors: Vec<String> =
            CREATE_RESPONSE.iter_errors(&got).map(|error| format!("{} at {}", error, error.instance_path())).collect();
        prop_assert!(errors.is_empty(), "{errors:?}");
        let input = got["input"].as_array().expect("a list");
        check_order(input)?;
        check_calls(input)?;
        check_sealed(&request, input)?;
        for text in texts(input) {
            prop_assert!(text.chars().any(|c| !c.is_whitespace()) && !text.contains('\0'), "{text:?}");
        }
        let bytes = |request| ResponsesWire::default().body(request, arbitrary::BY).expect("plain data");
        prop_assert_eq!(bytes(&request), bytes(&request.clone()));
    }
}

fn is(item: &Value, kind: &str) -> bool {
    item["type"] == kind
}

/// A user message first, nothing of the assistant last, no two messages of one role in a row.
fn check_order(input: &[Value]) -> Result<(), TestCaseError> {
    if let (Some(first), Some(last)) = (input.first(), input.last()) {
        prop_assert_eq!(&first["role"], "user");
        prop_assert!(last["role"] == "user" || is(last, "function_call_output"), "{last}");
    }
    for pair in input.windows(2) {
        let both = is(&pair[0], "message") && is(&pair[1], "message");
        prop_assert!(!both || pair[0]["role"] != pair[1]["role"], "{pair:?}");
    }
    Ok(())
}

/// Each call has one legal id of its own and one output after it; each output has a call.
fn check_calls(input: &[Value]) -> Result<(), TestCaseError> {
    let mut open = HashSet::new();
    let mut all = HashSet::new();
    for item in input {
        let id = item["call_id"].as_str().unwrap_or_default().to_owned();
        if is(item, "function_call") {
            let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            prop_assert!(!id.is_empty() && id.len() <= 64 && id.chars().all(is_legal), "{id}");
            let name = item["name"].as_str().expect("a name");
            prop_assert!(!name.is_empty() && name.chars().all(is_legal), "{name}");
            prop_assert!(all.insert(id.clone()), "{id} twice");
            open.insert(id);
        } else if is(item, "function_call_output") {
            prop_assert!(open.remove(&id), "{id} has no call");
        } else if item["role"] == "user" {
            prop_assert!(open.is_empty(), "{open:?}");
        }
    }
    prop_assert!(open.is_empty(), "{open:?}");
    Ok(())
}

/// Sealed items are ours and whole, come once, and are followed by what came of them.
fn check_sealed(request: &ModelRequest, input: &[Value]) -> Result<(), TestCaseError> {
    let ours = items();
    let mut seen = HashSet::new();
    for (at, item) in input.iter().enumerate() {
        if item.get("id").is_none() {
            continue;
        }
        prop_assert!(!request.plain);
        prop_assert!(ours.contains(item), "{item}");
        prop_assert!(!["rs_4", "msg_1"].contains(&item["id"].as_str().expect("an id")), "{item}");
        prop_assert!(seen.insert(item["id"].clone()), "{item} twice");
        let next = input[at + 1..].iter().find(|item| item.get("id").is_none());
        let is_output = next.is_some_and(|next| next["role"] == "assistant" || is(next, "function_call"));
        prop_assert!(is_output, "{item} before {next:?}");
    }
    let is_ours = |block: &nanobot_engine::message::Block| matches!(block, nanobot_engine::message::Block::ProviderItem { by, .. } if by == arbitrary::BY);
    let has_ours = request.messages.iter().any(|message| message.blocks.iter().any(is_ours));
    prop_assert!(seen.is_empty() || has_ours);
    Ok(())
}

fn texts(input: &[Value]) -> Vec<&str> {
    let mut texts = Vec::new();
    for item in input {
        match &item["content"] {
            Value::String(text) if is(item, "message") => texts.push(text.as_str()),
            Value::Array(parts) if is(item, "message") => texts.extend(parts.iter().filter_map(|p| p["text"].as_str())),
            _ => {}
        }
        texts.extend(item["output"].as_str().filter(|_| is(item, "function_call_output")));
    }
    texts
}

#[test]
fn the_description_is_read_as_one() {
    let legal = json!({"model": "m", "input": [{"type": "message", "role": "user", "content": "hi"}]});
    assert!(CREATE_RESPONSE.is_valid(&legal));
    for (pointer, wrong) in [
        ("/input/0/role", json!("tool")),
        ("/input/0/content", json!(3)),
        ("/input/0", json!({"type": "function_call", "call_id": "a", "name": "x"})),
        ("/input/0", json!({"type": "reasoning", "summary": []})),
        ("/input/0", json!({"type": "function_call_output", "call_id": "x".repeat(65), "output": ""})),
    ] {
        let mut body = legal.clone();
        *body.pointer_mut(pointer).expect("a place") = wrong;
        assert!(!CREATE_RESPONSE.is_valid(&body), "{body}");
    }
    assert!(!CREATE_RESPONSE.is_valid(&json!({"input": [], "max_output_tokens": 15})));
}
