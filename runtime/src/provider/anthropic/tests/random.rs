//! Any history gives a request that the API takes, and a longer one keeps what the shorter one sent.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ModelRequest;
use nanobot_engine::tool::CallStatus;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use super::rules::check;
use super::{BY, messages, request, signature};
use crate::provider::anthropic::AnthropicWire;
use crate::provider::arbitrary;
use crate::provider::wire::Wire;

fn runner(few: u32) -> TestRunner {
    let is_long = std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1");
    TestRunner::new(Config {
        cases: if is_long { 10_000 } else { few },
        failure_persistence: None,
        ..Config::default()
    })
}

fn items() -> Vec<Value> {
    let search = |id: &str| json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"query": "q"}});
    let found = |id: &str| json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []});
    vec![
        json!({"type": "redacted_thinking", "data": "ENC"}),
        json!({"type": "compaction", "content": "summary"}),
        search("srvtoolu_1"),
        found("srvtoolu_1"),
        search("srvtoolu_2"),
        found("srvtoolu_2"),
        search("srvtoolu_3"),
        json!("no object"),
        json!({"no": "type"}),
    ]
}

#[test]
fn any_history_keeps_the_rules_of_the_api() {
    let models = ["model", "anthropic/claude-sonnet-4-5", "claude-opus-4-7", "claude-sonnet-5", "claude-fable-5"];
    let ran = runner(500).run(&arbitrary::request(items()), |mut request| {
        let bytes = |request: &ModelRequest| AnthropicWire.body(request, arbitrary::BY).expect("plain data");
        prop_assert_eq!(bytes(&request), bytes(&request));
        for model in models {
            request.model = model.to_owned();
            let body: Value = serde_json::from_slice(&bytes(&request)).expect("JSON");
            if let Err(what) = check(&body, &request, arbitrary::BY) {
                return Err(TestCaseError::fail(format!("{what}\n{body:#}")));
            }
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

/// One round: does it think, how many calls, how many words before them.
type Round = (bool, u8, bool);

fn turn(number: usize, rounds: &[Round]) -> Vec<Message> {
    let mut turn = vec![Message::user(format!("question {number}"))];
    for (at, (thinks, calls, speaks)) in rounds.iter().enumerate() {
        let mut blocks = Vec::new();
        // Thinking that was off when a round began stays off for the round.
        if *thinks && rounds[0].0 {
            let signature = signature(BY, &format!("S{number}.{at}"));
            blocks.push(Block::Thinking { text: "hm".into(), signature });
        }
        if *speaks || *calls == 0 {
            blocks.push(Block::Text { text: format!("words {number}.{at}") });
        }
        let ids: Vec<String> = (0..*calls).map(|n| format!("call|{n}")).collect();
        blocks.extend(ids.iter().map(|id| {
            Block::Call(ToolCall {
                id: id.clone(),
                name: "shell".into(),
                arguments: Map::new(),
                malformed: None,
                signature: None,
            })
        }));
        turn.push(Message { role: Role::Assistant, blocks });
        turn.extend(ids.into_iter().map(|call_id| {
            let text = format!("result {number}.{at}");
            let result = Block::Result { call_id, name: "shell".into(), status: CallStatus::Ok, text };
            Message { role: Role::Tool, blocks: vec![result] }
        }));
    }
    turn
}

/// The blocks in order, each with its role.
fn flat(sent: &[Value]) -> Vec<String> {
    let blocks = |message: &Value| message["content"].as_array().cloned().unwrap_or_default();
    sent.iter().flat_map(|m| blocks(m).into_iter().map(move |block| format!("{} {block}", m["role"]))).collect()
}

#[test]
fn a_longer_conversation_begins_with_what_was_sent_before() {
    let rounds = proptest::collection::vec((any::<bool>(), 0_u8..3, any::<bool>()), 0..4);
    let turns = proptest::collection::vec(rounds, 1..5);
    let ran = runner(200).run(&turns, |turns| {
        let history: Vec<Message> = turns.iter().enumerate().flat_map(|(n, rounds)| turn(n, rounds)).collect();
        let mut longest = request(history.clone());
        longest.reasoning_effort = Some("high".into());
        let all = flat(&messages(&longest));
        for end in 1..history.len() {
            // A request is made when the user or the last of the results has spoken.
            if history[end - 1].role == Role::Assistant || history[end].role == Role::Tool {
                continue;
            }
            longest.messages = history[..end].to_vec();
            let sent = flat(&messages(&longest));
            prop_assert_eq!(&all[..sent.len()], &sent[..]);
        }
        Ok(())
    });
    ran.unwrap_or_else(|error| panic!("{error}"));
}

#[test]
fn the_check_sees_what_is_wrong() {
    let mut stored = turn(0, &[(true, 2, true), (false, 0, true)]);
    stored.push(Message::user("and now?"));
    let mut request = request(stored);
    request.reasoning_effort = Some("low".into());
    let legal = super::body(&request);
    check(&legal, &request, BY).expect("legal");
    let text = |text: &str| json!({"type": "text", "text": text});
    for (pointer, wrong) in [
        ("/model", json!("anthropic/x")),
        ("/max_tokens", json!(1_024)),
        ("/messages/0/role", json!("assistant")),
        ("/messages/0/content", json!([])),
        ("/messages/0/content/0/text", json!(" ")),
        ("/messages/0/content/0/text", json!("a\0b")),
        (
            "/messages/0/content/0",
            json!({"type": "image", "source": {"type": "base64", "media_type": "x", "data": "AA=="}}),
        ),
        ("/messages/1/content/0/thinking", json!("other words")),
        ("/messages/1/content/0/signature", json!("")),
        ("/messages/1/content/1", json!({"type": "redacted_thinking", "data": "not ours"})),
        ("/messages/1/content/2/id", json!("call 1")),
        ("/messages/1/content/2/name", json!("a b")),
        ("/messages/1/content/3", text("a call less")),
        ("/messages/2/content/0", text("a result less")),
        ("/messages/2/content/0/content", json!("")),
        ("/messages/4/content/0", json!({"type": "tool_result", "tool_use_id": "x", "content": "y"})),
        ("/messages/3", json!({"role": "user", "content": [text("twice")]})),
        ("/messages/4", json!({"role": "assistant", "content": [text("prefill")]})),
        ("/tools", json!(null)),
        ("/tool_choice", json!({"type": "any"})),
        ("/thinking", json!({"type": "enabled", "budget_tokens": 10})),
        ("/thinking", json!({"type": "sometimes"})),
        ("/stream", json!(false)),
    ] {
        let mut body = legal.clone();
        *body.pointer_mut(pointer).expect(pointer) = wrong.clone();
        assert!(check(&body, &request, BY).is_err(), "{pointer} = {wrong}");
    }
    let mut open = legal.clone();
    open["messages"].as_array_mut().expect("a list").truncate(3);
    check(&open, &request, BY).expect("legal");
    let mut off = open.clone();
    off["thinking"].take();
    assert!(check(&off, &request, BY).is_err(), "thinking in an open round of a model that does not think");
    open["messages"][1]["content"].as_array_mut().expect("a list").remove(0);
    assert!(check(&open, &request, BY).is_err(), "an open round without thinking");
    let mut marked = legal;
    marked["messages"][3]["content"][0]["cache_control"] = json!({"type": "ephemeral"});
    assert!(check(&marked, &request, BY).is_err(), "five markers");
    let dangling = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
    let item = Block::ProviderItem { by: BY.into(), item: dangling.clone() };
    request.messages.push(Message { role: Role::Assistant, blocks: vec![item] });
    marked["messages"][3]["content"] = json!([text("a"), dangling]);
    assert!(check(&marked, &request, BY).is_err(), "a server tool without its result");
}
