//! Reported cases: histories that once made a provider refuse every request.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ModelRequest;
use nanobot_engine::tool::CallStatus;
use serde_json::{Value, json};

use super::rules::check;
use super::{BY, body, messages, request, signature, user};
use crate::provider::replay::{history, read_json};

fn sent(messages_in: Vec<Message>) -> Vec<Value> {
    let request = request(messages_in);
    check(&body(&request), &request, BY).expect("legal");
    messages(&request)
}

fn shell(id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": "shell", "input": {"cmd": "ls"}})
}

fn result(id: &str, text: &str) -> Value {
    json!({"type": "tool_result", "tool_use_id": id, "content": text})
}

fn assistant(content: Value) -> Value {
    json!({"role": "assistant", "content": content})
}

/// The history of PR-04, sealed by `by`.
fn signed(by: &str) -> Vec<Message> {
    let block = |block: &Value| {
        let text = |key: &str| block[key].as_str().expect("text").to_owned();
        match block["type"].as_str().expect("a type") {
            "text" => Block::Text { text: text("text") },
            "thinking" => Block::Thinking { text: text("text"), signature: signature(by, &text("signature")) },
            "tool_use" => Block::Call(ToolCall {
                id: text("id"),
                name: text("name"),
                arguments: block["input"].as_object().cloned().expect("an object"),
                malformed: None,
                signature: None,
            }),
            _ => Block::ProviderItem { by: by.to_owned(), item: block.clone() },
        }
    };
    let case = read_json("cases/pr-thinking-signature-history.json");
    let message = |message: &Value| {
        let text = message["content"].as_str().unwrap_or_default().to_owned();
        match message["role"].as_str().expect("a role") {
            "user" => Message::user(text),
            "tool" => {
                let call_id = message["tool_call_id"].as_str().expect("an id").to_owned();
                let result = Block::Result { call_id, name: "shell".into(), status: CallStatus::Ok, text };
                Message { role: Role::Tool, blocks: vec![result] }
            }
            _ => {
                let blocks = message["blocks"].as_array().expect("a list").iter().map(block).collect();
                Message { role: Role::Assistant, blocks }
            }
        }
    };
    let mut messages: Vec<Message> = case["messages"].as_array().expect("a list").iter().map(message).collect();
    messages.push(Message::user("thanks"));
    messages
}

#[test]
fn pr_04_signed_reasoning_goes_back_whole_to_its_maker_and_to_nobody_else() {
    let disk = json!({"type": "tool_use", "id": "t1", "name": "shell", "input": {"cmd": "df -h"}});
    let used = json!({"role": "user", "content": [result("t1", "90% used")]});
    let full = json!({"type": "text", "text": "Disk is 90% full."});
    let thinking = |text: &str, signature: &str| json!({"type": "thinking", "thinking": text, "signature": signature});
    assert_eq!(
        sent(signed(BY)),
        [
            user("check disk"),
            assistant(json!([thinking("I should look at df first.", "SIG-AAA"), disk])),
            used.clone(),
            assistant(json!([thinking("", "SIG-BBB"), {"type": "redacted_thinking", "data": "ENC"}, full])),
            user("thanks"),
        ]
    );
    let unsigned = [user("check disk"), assistant(json!([disk])), used, assistant(json!([full])), user("thanks")];
    assert_eq!(sent(signed("other/model")), unsigned);
    let plain = ModelRequest { plain: true, ..request(signed(BY)) };
    assert_eq!(messages(&plain), unsigned);
    // The open round goes on thinking with the same model only.
    for (by, thinks) in [(BY, true), ("other/model", false)] {
        let mut open = request(signed(by));
        open.messages.truncate(3);
        open.reasoning_effort = Some("high".into());
        assert_eq!(body(&open)["thinking"].is_object(), thinks, "{by}");
        assert_eq!(messages(&open)[1]["content"][0]["signature"] == "SIG-AAA", thinks, "{by}");
    }
}

#[test]
fn pr_06_blank_and_misplaced_messages_are_repaired() {
    assert_eq!(
        sent(history(&read_json("cases/pr-bad-shapes-history.json"))),
        [
            user("(The assistant opened this conversation.)"),
            assistant(json!([{"type": "text", "text": "(greeting pushed by a schedule)"}])),
            user("real question"),
        ]
    );
    let only = Message { role: Role::Assistant, blocks: vec![Block::Text { text: "hello".into() }] };
    assert_eq!(sent(vec![only]), [user("hello")]);
    assert_eq!(sent(Vec::new()), [user("(go on)")]);
}

#[test]
fn pr_07_nul_is_removed_and_the_body_is_valid_text() {
    // Lone surrogates are replaced where the log is read; no text here can hold one.
    let arguments = serde_json::Map::new();
    let call = ToolCall { id: "c1".into(), name: "shell".into(), arguments, malformed: None, signature: None };
    let tool = Block::Result {
        call_id: "c1".into(),
        name: "shell".into(),
        status: CallStatus::Ok,
        text: "\u{fffd} tail \0 nul".into(),
    };
    let got = sent(vec![
        Message::user("ok \u{fffd}\0"),
        Message { role: Role::Assistant, blocks: vec![Block::Call(call)] },
        Message { role: Role::Tool, blocks: vec![tool] },
    ]);
    assert_eq!(got[0], user("ok \u{fffd}"));
    assert_eq!(got[2]["content"], json!([result("c1", "\u{fffd} tail  nul")]));
}

#[test]
fn th_01_and_th_03_results_without_their_call_are_left_out() {
    let trimmed = history(&read_json("cases/th-trimmed-call.json"));
    let got = sent(trimmed[trimmed.len() - 4..].to_vec());
    assert_eq!(
        got,
        [
            user("(The assistant opened this conversation.)"),
            assistant(json!([{"type": "text", "text": "done"}])),
            user("now?")
        ]
    );
    let stray = history(&read_json("cases/th-tail-orphan.json"));
    assert_eq!(sent(stray[2..].to_vec()), [user("q2")]);
}

#[test]
fn th_02_lost_results_are_named() {
    let mut cut = history(&read_json("cases/th-crash-mid-tool.json"));
    cut.push(Message::user("status?"));
    let got = sent(cut);
    assert_eq!(got.len(), 3);
    let results = got[2]["content"].as_array().expect("a list");
    assert_eq!(results[0], result("a", "built"));
    for (block, id) in results[1..3].iter().zip(["b", "c"]) {
        assert_eq!((&block["tool_use_id"], &block["is_error"]), (&json!(id), &json!(true)));
        assert!(block["content"].as_str().expect("text").starts_with("Error: no result"), "{block}");
    }
    assert_eq!(results[3], json!({"type": "text", "text": "status?"}));
}

#[test]
fn th_05_each_call_has_one_result_and_reused_ids_are_renamed() {
    let got = sent(history(&read_json("cases/th-dup-and-missing-ids.json")));
    let again = got[3]["content"][1]["id"].as_str().expect("an id");
    assert_ne!(again, "x");
    assert_eq!(
        got,
        [
            user("go"),
            assistant(json!([shell("x")])),
            json!({"role": "user", "content": [result("x", "first")]}),
            assistant(json!([{"type": "text", "text": "ok"}, shell(again)])),
            json!({"role": "user", "content": [result(again, "third"), {"type": "text", "text": "next"}]}),
        ]
    );
}

#[test]
fn th_07_ids_are_made_legal_pairwise_and_stably() {
    let stored = history(&read_json("cases/th-id-sanitising.json"));
    let got = sent(stored.clone());
    let calls = got[1]["content"].as_array().expect("calls");
    let ids: Vec<&str> = calls.iter().filter_map(|call| call["id"].as_str()).collect();
    assert_eq!((ids.len(), ids[1]), (4, "fc_1_a"));
    for (position, (id, text)) in ids.iter().zip(["A", "B", "C", "D"]).enumerate() {
        assert_eq!(got[2]["content"][position], result(id, text));
    }
    let mut longer = stored;
    longer.push(Message { role: Role::Assistant, blocks: vec![Block::Text { text: "ok".into() }] });
    longer.push(Message::user("more"));
    assert_eq!(sent(longer)[..3], got[..]);
}
