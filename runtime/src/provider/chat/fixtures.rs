//! Replays recorded streams and reported cases, whole and cut anywhere.

use std::fs;
use std::path::PathBuf;

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{ModelErrorKind, ModelRequest, Reply, StreamEnd, StreamItem};
use nanobot_engine::tool::CallStatus;
use serde_json::{Value, json};

use super::decode::ChatDecoder;
use super::errors::Failure;
use super::messages::Images;
use super::request::{ChatBody, Quirks, ReasoningReplay};
use crate::provider::sse::SseReader;

fn read(path: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn read_json(path: &str) -> Value {
    serde_json::from_slice(&read(path)).expect(path)
}

/// What a stream came to: the streamed reasoning and text, and the reply.
#[derive(Debug, PartialEq)]
struct Outcome {
    reasoning: String,
    text: String,
    reply: Reply,
}

fn replay<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Outcome {
    let mut reader = SseReader::default();
    let mut decoder = ChatDecoder::new("stub");
    let mut items = Vec::new();
    for chunk in chunks {
        reader.feed(chunk, |event| decoder.event(event, &mut items)).expect("within the limit");
    }
    decoder.end(&mut items);
    let (mut reasoning, mut text, mut reply) = (String::new(), String::new(), None);
    for item in items {
        assert!(reply.is_none(), "nothing after the end");
        match item {
            StreamItem::Reasoning(more) => reasoning.push_str(&more),
            StreamItem::Text(more) => text.push_str(&more),
            StreamItem::End(end) => reply = Some(*end),
        }
    }
    let reply = reply.expect("an end");
    let mut blocks = reply.blocks.iter();
    if !reasoning.is_empty() {
        assert_eq!(blocks.next(), Some(&Block::Thinking { text: reasoning.clone(), signature: None }));
    }
    if !text.is_empty() {
        assert_eq!(blocks.next(), Some(&Block::Text { text: text.clone() }));
    }
    assert!(blocks.all(|block| matches!(block, Block::Call(_))));
    Outcome { reasoning, text, reply }
}

/// Replays whole, byte by byte, and cut in two at every byte (at some in a large file).
fn replay_all_ways(name: &str, bytes: &[u8]) -> Outcome {
    let whole = replay([bytes]);
    assert_eq!(replay(bytes.chunks(1)), whole, "{name}, byte by byte");
    for size in [2, 3, 7, 64, 1_000] {
        assert_eq!(replay(bytes.chunks(size)), whole, "{name}, chunks of {size}");
    }
    let step = 1 + bytes.len() * bytes.len() / 1_000_000;
    for cut in (0..bytes.len()).step_by(step) {
        let (head, tail) = bytes.split_at(cut);
        assert_eq!(replay([head, tail]), whole, "{name}, cut at {cut}");
    }
    whole
}

fn calls(reply: &Reply) -> Vec<&ToolCall> {
    let call = |block: &'_ Block| matches!(block, Block::Call(_));
    reply.blocks.iter().filter(|b| call(b)).map(|b| if let Block::Call(c) = b { c } else { unreachable!() }).collect()
}

#[test]
fn recorded_streams_give_what_they_hold() {
    let index = read_json("streams/index.json");
    let entries: Vec<&Value> =
        index["entries"].as_array().expect("a list").iter().filter(|e| e["api"] == "chat").collect();
    assert!(entries.len() >= 38, "{}", entries.len());
    for entry in entries {
        let name = entry["name"].as_str().expect("a name");
        let bytes = read(&format!("streams/{}", entry["file"].as_str().expect("a file")));
        check_recorded(name, &replay_all_ways(name, &bytes), &entry["expected"]);
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

    let finish = choice["finish_reason"].as_str();
    match (&got.reply.end, finish, expected["error"].is_null()) {
        (StreamEnd::Error(_), _, false)
        | (StreamEnd::Complete, Some("stop" | "tool_calls"), true)
        | (StreamEnd::Length, Some("length"), true)
        | (StreamEnd::Truncated, None, true) => {}
        other => panic!("{name}: {other:?}"),
    }
    let none = Vec::new();
    let want =
        if got.reply.end == StreamEnd::Complete { choice["tool_calls"].as_array().unwrap_or(&none) } else { &none };
    let calls = calls(&got.reply);
    assert_eq!(calls.len(), want.len(), "{name}");
    for (call, want) in calls.iter().zip(want) {
        assert_eq!(
            json!([call.id, call.name, call.arguments]),
            json!([want["id"], want["name"], want["arguments"]]),
            "{name}"
        );
        assert_eq!(call.malformed, None, "{name}");
    }

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
fn error_events_are_told_apart() {
    let kind = |name: &str| match replay([read(&format!("streams/{name}.sse")).as_slice()]).reply.end {
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
        let got = replay_all_ways(name, &read(&format!("cases/ps-{name}.sse")));
        check_case(name, &got, &read_json(&format!("cases/ps-{name}.expect.json")));
    }
}

fn check_case(name: &str, got: &Outcome, expect: &Value) {
    let end = match got.reply.end {
        StreamEnd::Complete => "complete",
        StreamEnd::Length => "length",
        StreamEnd::Truncated => "truncated",
        StreamEnd::Empty => "empty_reply",
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

/// The neutral shape of stored histories in the cases.
fn history(case: &Value) -> Vec<Message> {
    let message = |m: &Value| {
        let text = |v: &Value| match v {
            Value::Array(parts) => parts.iter().filter_map(|p| p["text"].as_str()).collect(),
            other => other.as_str().unwrap_or_default().to_owned(),
        };
        if m["role"] == "tool" {
            let call_id = m["tool_call_id"].as_str().unwrap_or_default().to_owned();
            let result =
                Block::Result { call_id, name: "shell".into(), status: CallStatus::Ok, text: text(&m["content"]) };
            return Message { role: Role::Tool, blocks: vec![result] };
        }
        let role = if m["role"] == "user" { Role::User } else { Role::Assistant };
        let mut blocks = vec![Block::Text { text: text(&m["content"]) }];
        for call in m["tool_calls"].as_array().into_iter().flatten() {
            blocks.push(Block::Call(ToolCall {
                id: call["id"].as_str().expect("an id").to_owned(),
                name: call["name"].as_str().expect("a name").to_owned(),
                arguments: serde_json::from_str(call["arguments"].as_str().expect("text")).expect("an object"),
                malformed: None,
            }));
        }
        Message { role, blocks }
    };
    case["messages"].as_array().expect("a list").iter().map(message).collect()
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: "be good".into(),
        messages,
        tools: std::sync::Arc::from([]),
        max_tokens: 100,
        temperature: None,
        reasoning_effort: None,
    }
}

fn project(messages: Vec<Message>) -> Vec<Value> {
    let request = request(messages);
    let body =
        serde_json::to_value(ChatBody::new(&request, Quirks::default(), &Images::default())).expect("plain data");
    let messages = body["messages"].as_array().expect("a list").clone();
    assert_eq!(messages[0], json!({"role": "system", "content": "be good"}));
    messages[1..].to_vec()
}

fn shell(id: &str) -> Value {
    let function = json!({"name": "shell", "arguments": "{\"cmd\":\"ls\"}"});
    json!({"id": id, "type": "function", "function": function})
}

#[test]
fn blank_and_misplaced_messages_are_repaired() {
    let got = project(history(&read_json("cases/pr-bad-shapes-history.json")));
    assert_eq!(
        got,
        [
            json!({"role": "user", "content": "(The assistant opened this conversation.)"}),
            json!({"role": "assistant", "content": "(greeting pushed by a schedule)"}),
            json!({"role": "user", "content": "real question"}),
        ]
    );
}

#[test]
fn ids_are_made_legal_pairwise_and_stably() {
    let messages = history(&read_json("cases/th-id-sanitising.json"));
    let got = project(messages.clone());
    let ids: Vec<&str> =
        got[1]["tool_calls"].as_array().expect("calls").iter().filter_map(|c| c["id"].as_str()).collect();
    assert_eq!(ids.len(), 4);
    assert_eq!(ids[1], "fc_1_a");
    for (position, (id, content)) in ids.iter().zip(["A", "B", "C", "D"]).enumerate() {
        assert_eq!(got[2 + position], json!({"role": "tool", "tool_call_id": id, "content": content}));
        assert!(id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{id}");
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1);
    }
    let mut longer = messages;
    longer.push(Message { role: Role::Assistant, blocks: vec![Block::Text { text: "ok".into() }] });
    longer.push(Message::user("more"));
    assert_eq!(project(longer)[..got.len()], got[..]);
}

#[test]
fn each_call_has_one_result_and_reused_ids_are_renamed() {
    let got = project(history(&read_json("cases/th-dup-and-missing-ids.json")));
    let again = got[3]["tool_calls"][0]["id"].as_str().expect("an id");
    assert_ne!(again, "x");
    assert_eq!(
        got,
        [
            json!({"role": "user", "content": "go"}),
            json!({"role": "assistant", "content": null, "tool_calls": [shell("x")]}),
            json!({"role": "tool", "tool_call_id": "x", "content": "first"}),
            json!({"role": "assistant", "content": "ok", "tool_calls": [shell(again)]}),
            json!({"role": "tool", "tool_call_id": again, "content": "third"}),
            json!({"role": "user", "content": "next"}),
        ]
    );
}

#[test]
fn nul_is_removed_and_lost_results_are_named() {
    let mut arguments = serde_json::Map::new();
    arguments.insert("a\0".into(), json!(["x\0y"]));
    let call = ToolCall { id: "c".into(), name: "t".into(), arguments, malformed: None };
    let thinking = Block::Thinking { text: "hm".into(), signature: Some("s".into()) };
    let messages = vec![
        Message::user("a\0b"),
        Message::user("\0 "),
        Message::user("c"),
        Message { role: Role::Notice, blocks: vec![Block::Text { text: "for people".into() }] },
        Message { role: Role::Assistant, blocks: vec![thinking, Block::Call(call)] },
    ];
    let got = project(messages.clone());
    assert_eq!(got[0], json!({"role": "user", "content": "ab\n\nc"}));
    assert_eq!(got[1]["tool_calls"][0]["function"]["arguments"], "{\"a\":[\"xy\"]}");
    assert_eq!(got[1].get("reasoning_content"), None);
    assert_eq!((&got[2]["role"], &got[2]["tool_call_id"]), (&json!("tool"), &json!("c")));
    assert!(got[2]["content"].as_str().expect("text").starts_with("Error: "));

    let request = request(messages);
    let quirks = Quirks { reasoning_replay: ReasoningReplay::ReasoningContent, ..Quirks::default() };
    let body = serde_json::to_value(ChatBody::new(&request, quirks, &Images::default())).expect("plain data");
    assert_eq!(body["messages"][2]["reasoning_content"], "hm");
}

#[test]
fn texts_of_one_message_follow_each_other_and_messages_stand_apart() {
    let text = |text: &str| Block::Text { text: text.into() };
    let message = Message { role: Role::User, blocks: vec![text("look"), text("\n\nIt is noon.")] };
    let got = project(vec![message, Message::user("and now?")]);
    assert_eq!(got, [json!({"role": "user", "content": "look\n\nIt is noon.\n\nand now?"})]);
}

#[test]
fn images_are_sent_when_their_bytes_are_there() {
    let image = |id: &str| Block::Image { mime: "image/png".into(), media_id: id.into() };
    let message =
        Message { role: Role::User, blocks: vec![Block::Text { text: "look".into() }, image("a"), image("b")] };
    let request = request(vec![message]);
    let mut images = Images::default();
    images.insert("a", "data:image/png;base64,AA==");
    let body = serde_json::to_value(ChatBody::new(&request, Quirks::default(), &images)).expect("plain data");
    assert_eq!(
        body["messages"][1]["content"],
        json!([
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}},
            {"type": "text", "text": "[an image (image/png) that could not be sent]"},
        ])
    );
}

#[test]
fn the_whole_body_is_as_the_protocol_has_it() {
    let mut request = request(vec![Message::user("hi")]);
    request.temperature = Some(0.5);
    request.reasoning_effort = Some("low".into());
    request.tools = std::sync::Arc::from([nanobot_engine::tool::ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        parameters: json!({"type": "object"}),
        concurrency: nanobot_engine::tool::Concurrency::Shared,
    }]);
    let images = Images::default();
    let text = |quirks| serde_json::to_string(&ChatBody::new(&request, quirks, &images)).expect("plain data");
    assert_eq!(
        text(Quirks::default()),
        concat!(
            r#"{"model":"m","messages":[{"role":"system","content":"be good"},{"role":"user","content":"hi"}],"#,
            r#""tools":[{"type":"function","function":{"name":"list_dir","description":"Lists.","parameters":{"type":"object"}}}],"#,
            r#""max_tokens":100,"temperature":0.5,"reasoning_effort":"low","stream":true,"stream_options":{"include_usage":true}}"#
        )
    );
    let o3 = text(Quirks::for_model("openai/o3-mini"));
    assert!(o3.contains(r#""max_completion_tokens":100,"reasoning_effort""#), "{o3}");
    assert_eq!(Quirks::for_model("gpt-50"), Quirks::default());
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
    let outcome = replay([body.as_bytes()]);
    let one_chunk = started.elapsed() / 5_000;
    let started = std::time::Instant::now();
    let same = replay(body.split_inclusive("\n\n").map(str::as_bytes));
    println!("per delta: {one_chunk:?} in one chunk, {:?} in a chunk each", started.elapsed() / 5_000);
    assert_eq!(outcome, same);
}
