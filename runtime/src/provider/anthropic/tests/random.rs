//! Any history gives a request that the API takes, and a longer one keeps what the shorter one sent.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
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
        for model in models {
            request.model = model.to_owned();
            let bytes = AnthropicWire.body(&request, arbitrary::BY).expect("plain data");
            prop_assert_eq!(&bytes, &AnthropicWire.body(&request, arbitrary::BY).expect("plain data"));
            let body: Value = serde_json::from_slice(&bytes).expect("JSON");
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
        if *thinks {
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
