//! Recorded streams and reported cases, whole and cut anywhere.

use nanobot_engine::message::{Block, ToolCall};
use nanobot_engine::model::{ModelErrorKind, Reply, StreamEnd};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::decode::ChatDecoder;
use super::dialect::ProviderDialect;
use crate::provider::errors::Failure;
use crate::provider::replay::{Outcome, read, read_json, replay, replay_all_ways};
use crate::provider::wire::Decoder;

const BY: &str = "stub/m";

/// Why the official SDK reads these streams differently from the index, and what we do.
const SDK_DIFFERS: [(&str, &str); 3] = [
    (
        "groq/tool-use-failed",
        "the SDK throws at the error event and forgets the chunks before it; we end with the error",
    ),
    ("derived/openai-chat-error-midstream", "the same; what was streamed before the error stays in the reply"),
    (
        "derived/sse-bom-nospace-comments",
        "the SDK parses an event of `retry:` alone as JSON; it has no data, so it is skipped",
    ),
];

fn decoder() -> Box<dyn Decoder> {
    Box::new(ChatDecoder::new("stub", BY, ProviderDialect::default()))
}

fn calls(reply: &Reply) -> Vec<&ToolCall> {
    reply.blocks.iter().filter_map(|block| if let Block::Call(call) = block { Some(call) } else { None }).collect()
}

fn details(reply: &Reply) -> Vec<Value> {
    let mut items = Vec::new();
    for block in &reply.blocks {
        if let Block::ProviderItem { by, item } = block {
            assert_eq!((by.as_str(), &item["type"]), (BY, &json!("reasoning_details")));
            items.extend(item["reasoning_details"].as_array().expect("a list").clone());
        }
    }
    items
}

/// The first half of a SHA-256, as the index has it.
fn fingerprint(data: &str) -> String {
    Sha256::digest(data.as_bytes()).iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn recorded_streams_give_what_they_hold() {
    let index = read_json("streams/index.json");
    let entries: Vec<&Value> =
        index["entries"].as_array().expect("a list").iter().filter(|e| e["api"] == "chat").collect();
    assert_eq!(entries.len(), 40);
    for entry in entries {
        let name = entry["name"].as_str().expect("a name");
        let explained = SDK_DIFFERS.iter().any(|(known, _)| *known == name);
        assert_eq!(entry["sdk_agrees"] == false, explained, "{name}");
        let bytes = read(&format!("streams/{}", entry["file"].as_str().expect("a file")));
        check_recorded(name, &replay_all_ways(name, &bytes, &decoder), &entry["expected"]);
    }
}

fn check_recorded(name: &str, got: &Outcome, expected: &Value) {
    let choice = &expected["choices"][0];
    let mut text = choice["text"].as_str().unwrap_or_default().to_owned();
    text.push_str(choice["refusal"].as_str().unwrap_or_default());
    let mut reasoning = choice["reasoning"].as_str().unwrap_or_default().to_owned();
    if let Some(rest) = text.strip_prefix("<think>") {
        // The recording holds the tags; this is where they lead.
        let (inner, answer) = rest.split_once("</think>").expect("a closed block");
        reasoning = inner.trim_start().to_owned();
        text = answer.trim_start().to_owned();
    }
    assert_eq!(got.text, text, "{name}");
    assert_eq!(got.reasoning, reasoning, "{name}");

    // `native_finish_reason` is what the server behind a gateway said; the gateway's own word decides.
    let finish = choice["finish_reason"].as_str();
    match (&got.reply.end, finish, expected["error"].is_null()) {
        (StreamEnd::Error(_), _, false)
        | (StreamEnd::Complete, Some("stop" | "tool_calls"), true)
        | (StreamEnd::Length, Some("length"), true)
        | (StreamEnd::Truncated, None, true) => {}
        other => panic!("{name}: {other:?}"),
    }
    let is_complete = got.reply.end == StreamEnd::Complete;
    let list = |value: &Value| if is_complete { value.as_array().cloned().unwrap_or_default() } else { Vec::new() };
    let want = list(&choice["tool_calls"]);
    let calls = calls(&got.reply);
    assert_eq!(calls.len(), want.len(), "{name}");
    for (call, want) in calls.iter().zip(&want) {
        assert_eq!(
            json!([call.id, call.name, call.arguments]),
            json!([want["id"], want["name"], want["arguments"]]),
            "{name}"
        );
        assert_eq!(call.malformed, None, "{name}");
    }

    let details = details(&got.reply);
    let mut types: Vec<&Value> = details.iter().map(|detail| &detail["type"]).collect();
    types.dedup();
    assert_eq!(json!(types), json!(list(&choice["reasoning_detail_types"])), "{name}");
    let sealed = details.iter().filter_map(|detail| detail["signature"].as_str().or(detail["data"].as_str()));
    let fingerprints: Vec<String> = sealed.filter(|sealed| !sealed.is_empty()).map(fingerprint).collect();
    assert_eq!(json!(fingerprints), json!(list(&choice["signature_sha256_16"])), "{name}");

    let usage = &expected["usage"];
    assert_eq!(got.reply.usage.is_none(), usage.is_null(), "{name}");
    if let Some(got) = got.reply.usage {
        let number = |key: &str| usage[key].as_u64().unwrap_or(0);
        assert_eq!(got.input_tokens, number("input"), "{name}");
        assert_eq!(got.cached_tokens, number("cached_input"), "{name}");
        // Some servers show reasoning in the total only.
        assert_eq!(got.output_tokens, number("output").max(number("total").saturating_sub(number("input"))), "{name}");
        assert_eq!(got.cost_usd, usage["cost"].as_f64(), "{name}");
    }
}

#[test]
fn details_hold_the_whole_readable_reasoning() {
    for name in ["openrouter/anthropic-thinking-tool", "vercel-gateway/claude-thinking-tool", "openrouter/kimi-tool"] {
        let got = replay(decoder(), [read(&format!("streams/{name}.sse")).as_slice()]);
        let details = details(&got.reply);
        let text: String = details.iter().filter_map(|detail| detail["text"].as_str()).collect();
        assert_eq!(text, got.reasoning, "{name}");
        assert_eq!(details.len(), 1, "{name}");
    }
}

#[test]
fn thought_signatures_stay_with_their_calls() {
    let bytes = read("streams/derived/gemini-openai-compat-parallel.sse");
    let text = String::from_utf8(bytes.clone()).expect("UTF-8");
    let got = replay(decoder(), [bytes.as_slice()]);
    let signatures: Vec<_> = calls(&got.reply).iter().map(|call| call.signature.clone()).collect();
    let signed = signatures[0].as_ref().expect("the first call is signed");
    assert_eq!(signed.by, BY);
    assert!(signed.value.len() > 20 && text.contains(&format!("{:?}", signed.value)), "{}", signed.value);
    assert_eq!(signatures[1], None);
}

#[test]
fn error_events_are_told_apart() {
    let kind = |name: &str| match replay(decoder(), [read(&format!("streams/{name}.sse")).as_slice()]).reply.end {
        StreamEnd::Error(error) => error.kind,
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(kind("groq/tool-use-failed"), ModelErrorKind::RefusedRequest);
    assert_eq!(kind("derived/openai-chat-error-midstream"), ModelErrorKind::Unavailable);
}

#[test]
fn reported_stream_cases_hold() {
    for name in [
        "args-brace-with-name",
        "empty-body",
        "finish-toolcalls-empty",
        "length-partial-call",
        "parallel-index-missing",
        "parallel-same-index-no-id",
        "sse-framing",
        "text-eof",
        "think-in-code",
        "think-split",
        "toolcall-as-text-in-fence",
        "toolcall-cut-eof",
        "toolcall-no-finish-done",
        "toolcall-whole-eof",
        "usage-odd-shape",
        "usage-only-last",
        "utf8-split",
    ] {
        let got = replay_all_ways(name, &read(&format!("cases/ps-{name}.sse")), &decoder);
        check_case(name, &got, &read_json(&format!("cases/ps-{name}.expect.json")));
    }
}

fn check_case(name: &str, got: &Outcome, expect: &Value) {
    let end = match got.reply.end {
        StreamEnd::Complete => "complete",
        StreamEnd::Length => "length",
        StreamEnd::Truncated => "truncated",
        StreamEnd::Empty => "empty_reply",
        StreamEnd::Paused => "paused",
        StreamEnd::Error(_) => "error",
    };
    assert_eq!(end, expect["end"].as_str().unwrap_or("complete"), "{name}");
    for key in ["text", "text_partial"] {
        if let Some(text) = expect[key].as_str() {
            assert_eq!(got.text, text, "{name}");
        }
    }
    if let Some(reasoning) = expect["reasoning"].as_str() {
        assert_eq!(got.reasoning, reasoning, "{name}");
    }
    if expect["text_keeps_fence"] == true {
        assert!(got.text.contains("```\n<tool_call>"), "{name}");
    }
    assert!(!got.text.contains('\u{fffd}'), "{name}");
    if let Some(usage) = expect.get("usage") {
        let got = got.reply.usage.map(|u| json!({"input": u.input_tokens, "output": u.output_tokens}));
        assert_eq!(&json!(got), usage, "{name}");
    }
    let none = Vec::new();
    let want = expect["tool_calls"].as_array().unwrap_or(&none);
    let calls = calls(&got.reply);
    assert_eq!(calls.len(), want.len(), "{name}");
    let mut ids = Vec::new();
    for (call, want) in calls.iter().zip(want) {
        assert_eq!(call.name, want["name"], "{name}");
        assert_eq!(json!(call.arguments), want["arguments"], "{name}");
        assert!(want["id"].is_null() || call.id == want["id"].as_str().expect("an id"), "{name}");
        assert!(!call.id.is_empty() && !ids.contains(&&call.id), "{name}: {}", call.id);
        ids.push(&call.id);
    }
}

/// PS-12: markup at the top level runs once, with an id of ours, and is not shown.
#[test]
fn a_call_written_as_text_runs_and_is_hidden() {
    let got = replay_all_ways("toolcall-as-text", &read("cases/ps-toolcall-as-text.sse"), &decoder);
    assert_eq!((&got.reply.end, got.text.as_str()), (&StreamEnd::Complete, "Let me look.\n"));
    let calls = calls(&got.reply);
    let call = calls.first().expect("a call");
    assert_eq!((calls.len(), call.id.as_str(), call.name.as_str()), (1, "call_0", "list_dir"));
    assert_eq!(json!(call.arguments), json!({"path": "."}));
}

/// PS-01: cut exactly inside the characters.
#[test]
fn characters_cut_in_two_stay_whole() {
    let bytes = read("cases/ps-utf8-split.sse");
    let whole = replay(decoder(), [bytes.as_slice()]);
    let offsets = read_json("cases/ps-utf8-split.chunks.json");
    let offsets: Vec<usize> = serde_json::from_value(offsets["cut_offsets"].clone()).expect("offsets");
    let mut chunks = Vec::new();
    let mut from = 0;
    for offset in offsets {
        chunks.push(&bytes[from..offset]);
        from = offset;
        let (head, tail) = bytes.split_at(offset);
        assert_eq!(replay(decoder(), [head, tail]), whole, "cut at {offset}");
    }
    chunks.push(&bytes[from..]);
    assert_eq!(replay(decoder(), chunks), whole);
}

/// PR-07: half a surrogate pair spoils one character, not the answer.
#[test]
fn half_a_surrogate_pair_becomes_a_visible_substitute() {
    let bytes = b"data: {\"choices\":[{\"delta\":{\"content\":\"ok \\ud83d\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let got = replay_all_ways("surrogate", bytes, &decoder);
    assert_eq!((got.reply.end, got.text.as_str()), (StreamEnd::Complete, "ok \u{fffd}"));
}

#[test]
fn reported_http_errors_have_their_kind() {
    let kinds: Vec<ModelErrorKind> = read_json("cases/pr-429-kinds.json")
        .as_array()
        .expect("a list")
        .iter()
        .map(|case| {
            let status = u16::try_from(case["status"].as_u64().expect("a status")).expect("a status");
            Failure::read(&case["body"], Some(status)).into_error("stub", None).kind
        })
        .collect();
    use ModelErrorKind::{Quota, RateLimit, Unavailable};
    assert_eq!(kinds, [RateLimit, Quota, RateLimit, RateLimit, Quota, Unavailable]);
}

#[test]
fn a_delta_costs_little() {
    let delta = |i: usize| {
        format!(
            "data: {{\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"word{i} \"}},\"finish_reason\":null}}]}}\n\n"
        )
    };
    let body: String = (0..5_000).map(delta).collect();
    let started = std::time::Instant::now();
    let outcome = replay(decoder(), [body.as_bytes()]);
    let one_chunk = started.elapsed() / 5_000;
    let started = std::time::Instant::now();
    let same = replay(decoder(), body.split_inclusive("\n\n").map(str::as_bytes));
    println!("per delta: {one_chunk:?} in one chunk, {:?} in a chunk each", started.elapsed() / 5_000);
    assert_eq!(outcome, same);
}
