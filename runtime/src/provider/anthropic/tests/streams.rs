//! Recorded streams give what they hold, whole and cut anywhere.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelErrorKind, StreamEnd};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{BY, decoder};
use crate::provider::anthropic::blocks::item_type;
use crate::provider::replay::{Outcome, read, read_json, replay, replay_all_ways, replay_beginnings};

fn entries() -> Vec<Value> {
    let index = read_json("streams/index.json");
    index["entries"].as_array().expect("a list").iter().filter(|e| e["api"] == "anthropic").cloned().collect()
}

fn stream(entry: &Value) -> (String, Vec<u8>) {
    let name = entry["name"].as_str().expect("a name").to_owned();
    let bytes = read(&format!("streams/{}", entry["file"].as_str().expect("a file")));
    (name, bytes)
}

fn hash(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn recorded_streams_give_what_they_hold() {
    let entries = entries();
    assert!(entries.len() >= 15, "{}", entries.len());
    for entry in &entries {
        let (name, bytes) = stream(entry);
        check(&name, &replay_all_ways(&name, &bytes, &decoder), &entry["expected"]);
    }
}

fn check(name: &str, got: &Outcome, expected: &Value) {
    assert_eq!(got.text, expected["text"].as_str().expect("text"), "{name}");
    assert_eq!(got.reasoning, expected["thinking"].as_str().expect("text"), "{name}");
    match (&got.reply.end, expected["stop_reason"].as_str()) {
        (StreamEnd::Complete, Some("end_turn" | "tool_use"))
        | (StreamEnd::Length, Some("max_tokens"))
        | (StreamEnd::Paused, Some("pause_turn"))
        | (StreamEnd::Truncated, None) => assert!(expected["error"].is_null(), "{name}"),
        (StreamEnd::Error(error), Some("refusal")) => {
            assert_eq!(error.kind, ModelErrorKind::Refusal, "{name}");
            assert!(error.detail.contains(expected["stop_details"]["explanation"].as_str().expect("words")), "{name}");
        }
        (StreamEnd::Error(error), None) => {
            assert!(!expected["error"].is_null(), "{name}");
            assert_eq!(error.kind, ModelErrorKind::Unavailable, "{name}");
        }
        other => panic!("{name}: {other:?}"),
    }
    check_blocks(name, got, expected);
    let usage = got.reply.usage.expect("usage");
    let number = |key: &str| expected["usage"][key].as_u64().unwrap_or(0);
    let input = number("input") + number("cache_read") + number("cache_write");
    assert_eq!(usage.input_tokens, input, "{name}");
    assert_eq!((usage.cached_tokens, usage.output_tokens), (number("cache_read"), number("output")), "{name}");
    assert_eq!(usage.context_tokens, input + number("output"), "{name}");
}

fn check_blocks(name: &str, got: &Outcome, expected: &Value) {
    let mut want: Vec<&Value> = expected["blocks"].as_array().expect("a list").iter().collect();
    let is_complete = got.reply.end == StreamEnd::Complete;
    want.retain(|block| is_complete || block["type"] != "tool_use");
    let mut blocks = got.reply.blocks.clone();
    if got.reply.end == StreamEnd::Paused {
        assert_eq!(blocks.pop(), Some(Block::Pause), "{name}");
    }
    assert_eq!(blocks.len(), want.len(), "{name}");
    for (block, want) in blocks.iter().zip(want) {
        match block {
            Block::Text { text } => assert_eq!(json!(["text", text]), json!([want["type"], want["text"]]), "{name}"),
            Block::Thinking { text, signature } => {
                let signature = signature.as_ref().expect("signed");
                assert_eq!(signature.by, BY);
                let got = json!(["thinking", text, hash(&signature.value)]);
                assert_eq!(got, json!([want["type"], want["thinking"], want["signature_sha256_16"]]), "{name}");
            }
            Block::Call(call) => {
                let got = json!(["tool_use", call.id, call.name, call.arguments]);
                assert_eq!(got, json!([want["type"], want["id"], want["name"], want["arguments"]]), "{name}");
                assert_eq!(call.malformed, None, "{name}");
            }
            Block::ProviderItem { by, item } => {
                assert_eq!((by.as_str(), item_type(item)), (BY, want["type"].as_str().expect("a type")), "{name}");
                match item_type(item) {
                    "redacted_thinking" => {
                        assert_eq!(hash(item["data"].as_str().expect("data")), want["data_sha256_16"], "{name}");
                    }
                    "compaction" => assert_eq!(item["content"], want["text"], "{name}"),
                    "server_tool_use" => {
                        let got = json!([item["id"], item["name"], item["input"]]);
                        assert_eq!(got, json!([want["id"], want["name"], want["arguments"]]), "{name}");
                    }
                    _ => {}
                }
            }
            other => panic!("{name}: {other:?}"),
        }
    }
}

/// The items of a stream as its `content_block_start` events have them.
fn started(bytes: &[u8]) -> Vec<Value> {
    let data = std::str::from_utf8(bytes).expect("text").lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter_map(|data| serde_json::from_str::<Value>(data).ok()?.get("content_block").cloned()).collect()
}

#[test]
fn items_that_come_whole_are_kept_byte_for_byte() {
    let mut checked = 0;
    for entry in entries() {
        let (name, bytes) = stream(&entry);
        let whole = |item: &&Value| item_type(item).ends_with("_tool_result") || item_type(item) == "redacted_thinking";
        let want: Vec<String> = started(&bytes).iter().filter(whole).map(Value::to_string).collect();
        let outcome = replay(decoder(), [bytes.as_slice()]);
        let got: Vec<String> = outcome
            .reply
            .blocks
            .iter()
            .filter_map(|block| if let Block::ProviderItem { item, .. } = block { Some(item) } else { None })
            .filter(whole)
            .map(Value::to_string)
            .collect();
        assert_eq!(got, want, "{name}");
        checked += want.len();
    }
    assert_eq!(checked, 14);
}

#[test]
fn a_beginning_of_a_stream_is_never_an_answer() {
    for entry in entries() {
        let (name, bytes) = stream(&entry);
        let over = bytes.windows(21).position(|window| window == b"\"type\":\"message_stop\"").unwrap_or(bytes.len());
        replay_beginnings(&bytes, &decoder, |cut, outcome| {
            let end = &outcome.reply.end;
            let is_cut = matches!(end, StreamEnd::Truncated | StreamEnd::Length | StreamEnd::Error(_));
            assert!(is_cut || cut > over, "{name}, cut at {cut}: {end:?}");
            assert!(*end != StreamEnd::Length || name.ends_with("truncated-tool-json"), "{name}, cut at {cut}");
        });
    }
}

#[test]
fn tools_of_the_provider_are_told_as_they_run() {
    let search = replay(decoder(), [read("streams/anthropic/web-search.sse").as_slice()]);
    let phases: Vec<&str> = search.tools.iter().map(|event| event.phase.as_str()).collect();
    assert_eq!(phases, ["started", "running", "done"]);
    assert!(search.tools.iter().all(|event| event.call_id == "srvtoolu_01P3mJaBNTYcRrtoaqGRmxVg"));
    assert!(search.tools.iter().all(|event| event.name == "web_search"));
    assert_eq!(json!(search.tools[1].arguments), json!({"query": "latest stable Ruby version"}));
    let text = search.tools[2].text.as_deref().expect("sources");
    let first = "Ruby 3.4.7 Released | Ruby (https://www.ruby-lang.org/en/news/2025/10/07/ruby-3-4-7-released/)";
    assert_eq!(text.lines().next(), Some(first));
    assert!(text.chars().count() <= 1_000 && text.lines().count() <= 8, "{text}");

    let code = replay(decoder(), [read("streams/anthropic/code-execution.sse").as_slice()]);
    assert_eq!(code.tools[2].text.as_deref(), Some("-428330955.97745"));

    let pause = replay(decoder(), [read("streams/anthropic/pause-turn.sse").as_slice()]);
    let ended = pause.tools.iter().filter(|event| event.phase == "done").count();
    assert_eq!((pause.tools.len(), ended), (32, 10));
}
