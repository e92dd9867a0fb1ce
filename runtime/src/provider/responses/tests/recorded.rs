//! Recorded streams, whole and cut anywhere.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelErrorKind, StreamEnd};
use serde_json::{Value, json};

use super::{BY, Outcome, read, read_json, replay};

/// Replays whole, byte by byte, in chunks, and cut in two at every byte (at some in a large file).
fn replay_all_ways(name: &str, bytes: &[u8]) -> Outcome {
    let whole = replay([bytes]);
    assert_eq!(replay(bytes.chunks(1)), whole, "{name}, byte by byte");
    for size in [2, 3, 7, 64, 1_000] {
        assert_eq!(replay(bytes.chunks(size)), whole, "{name}, chunks of {size}");
    }
    for cut in cuts(bytes.len()) {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(replay([head, tail]), whole, "{name}, cut at {cut}");
    }
    whole
}

/// Every byte of a small file, some of a large one; more of them when the long form of the tests is wanted.
fn cuts(length: usize) -> impl Iterator<Item = usize> {
    let is_long = std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1");
    let bytes_in_all = if is_long { 150_000_000 } else { 4_000_000 };
    (0..length).step_by(1 + length * length / bytes_in_all)
}

fn entries() -> Vec<Value> {
    let index = read_json("streams/index.json");
    let all = index["entries"].as_array().expect("a list").clone();
    let entries: Vec<Value> = all.into_iter().filter(|entry| entry["api"] == "responses").collect();
    assert!(entries.len() >= 10, "{}", entries.len());
    entries
}

fn bytes_of(entry: &Value) -> Vec<u8> {
    read(&format!("streams/{}", entry["file"].as_str().expect("a file")))
}

/// The events of a recorded stream.
fn events(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).expect("UTF-8").replace("\r\n", "\n");
    text.lines().filter_map(|line| serde_json::from_str(line.strip_prefix("data:")?).ok()).collect()
}

#[test]
fn recorded_streams_give_what_they_hold() {
    for entry in entries() {
        let name = entry["name"].as_str().expect("a name");
        let bytes = bytes_of(&entry);
        let got = replay_all_ways(name, &bytes);
        check(name, &got, &entry["expected"]);
        check_sealed(name, &got, &events(&bytes));
    }
}

fn check(name: &str, got: &Outcome, expected: &Value) {
    assert_eq!(got.text, expected["text"].as_str().expect("a text"), "{name}");
    let reasoning = [&expected["reasoning"], &expected["reasoning_summary"]].map(|text| text.as_str().unwrap_or(""));
    assert_eq!(got.reasoning, reasoning.concat(), "{name}");
    match (&got.reply.end, expected["status"].as_str()) {
        (StreamEnd::Complete, Some("completed")) => {}
        (StreamEnd::Error(error), Some("failed")) => assert_eq!(error.kind, ModelErrorKind::Quota, "{name}"),
        other => panic!("{name}: {other:?}"),
    }
    let calls: Vec<Value> =
        got.calls().iter().map(|call| json!([call.id, call.name, call.arguments, call.malformed])).collect();
    let want: Vec<Value> = expected["tool_calls"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|call| json!([call["call_id"], call["name"], call["arguments"], null]))
        .collect();
    assert_eq!(calls, want, "{name}");

    let usage = &expected["usage"];
    assert_eq!(got.reply.usage.is_none(), usage.is_null(), "{name}");
    if let Some(got) = got.reply.usage {
        let counts = [got.input_tokens, got.cached_tokens, got.output_tokens];
        let want = ["input", "cached_input", "output"].map(|key| usage[key].as_u64().unwrap_or(0));
        assert_eq!(counts, want, "{name}");
    }

    // What is streamed is what is kept.
    let kept = |text: fn(&Block) -> Option<&str>| got.reply.blocks.iter().filter_map(text).collect::<String>();
    assert_eq!(kept(|block| if let Block::Text { text } = block { Some(text) } else { None }), got.text, "{name}");
    let thinking = kept(|block| if let Block::Thinking { text, signature: None } = block { Some(text) } else { None });
    assert_eq!(thinking, got.reasoning, "{name}");
}

/// Sealed items are those that came, unchanged and in the order of the output, each behind its readable reasoning.
fn check_sealed(name: &str, got: &Outcome, events: &[Value]) {
    let output = events.iter().rev().find_map(|event| event.pointer("/response/output")?.as_array());
    let output = output.expect("an output");
    let done = |place: usize, item: &Value| {
        let event = events.iter().find(|event| {
            event["type"] == "response.output_item.done"
                && (event["output_index"] == place || event["item"]["id"] == item["id"])
        });
        event.map_or_else(|| item.clone(), |event| event["item"].clone())
    };
    let is_sealed = |item: &Value| !["message", "function_call"].contains(&item["type"].as_str().expect("a type"));
    let want: Vec<Value> =
        output.iter().enumerate().filter(|(_, item)| is_sealed(item)).map(|(place, item)| done(place, item)).collect();
    let sealed: Vec<Value> = got.sealed().into_iter().cloned().collect();
    assert_eq!(sealed, want, "{name}");
    for pair in got.reply.blocks.windows(2) {
        if let Block::Thinking { .. } = pair[0] {
            assert!(matches!(&pair[1], Block::ProviderItem { by, .. } if by == BY), "{name}");
        }
    }
    let kinds: Vec<&str> = got.reply.blocks.iter().filter_map(kind).collect();
    let want: Vec<&str> = output.iter().filter_map(|item| item["type"].as_str()).collect();
    assert_eq!(kinds, want, "{name}");
}

fn kind(block: &Block) -> Option<&str> {
    match block {
        Block::Text { .. } => Some("message"),
        Block::Call(_) => Some("function_call"),
        Block::ProviderItem { item, .. } => item["type"].as_str(),
        _ => None,
    }
}

#[test]
fn encrypted_reasoning_is_kept_from_the_item_that_is_done() {
    let bytes = read("streams/openai-responses/reasoning-summary-tool.sse");
    let events = events(&bytes);
    let of = |kind: &str| {
        let event = events.iter().find(|e| e["type"] == kind && e["item"]["type"] == "reasoning").expect("an event");
        event["item"]["encrypted_content"].clone()
    };
    let (early, whole) = (of("response.output_item.added"), of("response.output_item.done"));
    assert_ne!(early, whole);
    let got = replay([bytes.as_slice()]);
    assert_eq!(got.sealed()[0]["encrypted_content"], whole);
}

/// Where the events end, in bytes from the start, up to the one that ends the answer.
fn ends_of_events(bytes: &[u8]) -> Vec<usize> {
    let (mut at, mut ends) = (0, Vec::new());
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        ends.push(at);
        let data = line.strip_prefix(b"data:").and_then(|data| serde_json::from_slice::<Value>(data).ok());
        let kind = data.as_ref().and_then(|event| event["type"].as_str());
        if matches!(kind, Some("response.completed" | "error")) {
            return ends;
        }
    }
    panic!("an end");
}

#[test]
fn no_prefix_is_complete() {
    for entry in entries() {
        let name = entry["name"].as_str().expect("a name");
        let bytes = bytes_of(&entry);
        let ends = ends_of_events(&bytes);
        let last = ends.last().copied().expect("an event");
        for cut in cuts(last).chain(ends) {
            let got = replay([&bytes[..cut]]);
            assert_eq!(got.reply.end, StreamEnd::Truncated, "{name}, cut at {cut}");
            assert!(got.calls().is_empty(), "{name}, cut at {cut}");
        }
        let whole = replay([&bytes[..], b"\n\n"]);
        assert_ne!(whole.reply.end, StreamEnd::Truncated, "{name}");
    }
}

#[test]
fn tools_of_the_server_are_shown_with_what_they_did() {
    let got = replay([read("streams/openai-responses/web-search.sse").as_slice()]);
    assert_eq!(got.steps(), ["web_search started", "web_search running", "web_search done"]);
    let last = got.tools.last().expect("an event");
    assert_eq!(json!(last.arguments), json!({"query": "weather: San Francisco, CA"}));
    assert_eq!(last.text.as_deref(), Some("oai-weather"));
    assert!(got.tools.iter().all(|event| event.call_id.starts_with("ws_")));

    let got = replay([read("streams/openai-responses/mcp-tool.sse").as_slice()]);
    let steps = got.steps();
    for (phase, count) in [("started", 3), ("running", 3), ("done", 3)] {
        assert_eq!(steps.iter().filter(|step| step.ends_with(phase)).count(), count, "{steps:?}");
    }
    // Two of the three lists come only with the end.
    let wiki = got.tools.iter().find(|event| event.phase == "done" && json!(event.arguments)["server"] == "deepwiki");
    let wiki = wiki.and_then(|event| event.text.as_deref());
    assert_eq!(wiki, Some("read_wiki_structure\nread_wiki_contents\nask_question"));
}

#[test]
fn a_price_is_taken_over() {
    let got = replay([read("streams/openrouter-responses/raw-cot.sse").as_slice()]);
    assert_eq!(got.reply.usage.and_then(|usage| usage.cost_usd), Some(1.13e-5));
}
