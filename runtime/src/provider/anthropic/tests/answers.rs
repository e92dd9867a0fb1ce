//! Answers in the shapes of other servers, whole bodies, and answers that end badly.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelErrorKind, StreamEnd, StreamItem};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{BY, decoder, signature};
use crate::provider::replay::{Outcome, gather};
use crate::provider::sse::SseEvent;

fn run(events: &[Value]) -> Outcome {
    let mut decoder = decoder();
    let mut items = Vec::new();
    for event in events {
        let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
    }
    decoder.end(&mut items);
    gather(items)
}

fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn end(reason: &str) -> [Value; 2] {
    [json!({"type": "message_delta", "delta": {"stop_reason": reason}}), json!({"type": "message_stop"})]
}

fn text(text: &str) -> Vec<Value> {
    vec![start(0, json!({"type": "text", "text": ""})), delta(0, json!({"type": "text_delta", "text": text})), stop(0)]
}

fn text_then(words: &str, reason: &str) -> Outcome {
    run(&[text(words), end(reason).to_vec()].concat())
}

#[test]
fn ends_follow_the_stop_reason() {
    for (reason, want) in [
        ("end_turn", StreamEnd::Complete),
        ("stop_sequence", StreamEnd::Complete),
        ("tool_use", StreamEnd::Complete),
        ("something new", StreamEnd::Complete),
        ("refusal", StreamEnd::Complete),
        ("max_tokens", StreamEnd::Length),
        ("model_context_window_exceeded", StreamEnd::Length),
        ("pause_turn", StreamEnd::Paused),
        ("compaction", StreamEnd::Paused),
    ] {
        assert_eq!(text_then("hi", reason).reply.end, want, "{reason}");
        let cut = [text("hi"), end(reason)[..1].to_vec()].concat();
        let want_cut = if want == StreamEnd::Length { want } else { StreamEnd::Truncated };
        assert_eq!(run(&cut).reply.end, want_cut, "{reason}");
    }
    assert_eq!(run(&[text("hi"), vec![json!({"type": "message_stop"})]].concat()).reply.end, StreamEnd::Complete);
    assert_eq!(text_then(" \n", "end_turn").reply.end, StreamEnd::Empty);
    assert_eq!(run(&end("end_turn")).reply.end, StreamEnd::Empty);
    assert_eq!(run(&end("pause_turn")).reply.end, StreamEnd::Empty);
    assert_eq!(run(&[]).reply.end, StreamEnd::Truncated);
    assert_eq!(text_then("hi", "pause_turn").reply.blocks.last(), Some(&Block::Pause));
}

#[test]
fn errors_and_damage_have_their_kind() {
    for (kind, want) in [
        ("overloaded_error", ModelErrorKind::Unavailable),
        ("api_error", ModelErrorKind::Unavailable),
        ("rate_limit_error", ModelErrorKind::RateLimit),
        ("authentication_error", ModelErrorKind::Auth),
        ("permission_error", ModelErrorKind::Auth),
        ("invalid_request_error", ModelErrorKind::RefusedRequest),
        ("billing_error", ModelErrorKind::Quota),
        ("not_found_error", ModelErrorKind::NotFound),
    ] {
        let got = run(&[text("hi"), vec![json!({"type": "error", "error": {"type": kind, "message": "no"}})]].concat());
        assert!(matches!(&got.reply.end, StreamEnd::Error(error) if error.kind == want), "{kind}: {got:?}");
        assert_eq!(got.text, "hi");
    }
    let got = run(&[text("hi"), vec![json!("{\"type\":")]].concat());
    assert!(matches!(&got.reply.end, StreamEnd::Error(error) if error.kind == ModelErrorKind::Truncated), "{got:?}");
    let unknown = [vec![json!("[DONE]"), json!({"type": "new_kind", "x": 1}), json!({})], text("hi")].concat();
    assert_eq!(run(&[unknown, end("end_turn").to_vec()].concat()).reply.end, StreamEnd::Complete);
}

#[test]
fn a_refusal_runs_nothing() {
    let call = start(1, json!({"type": "tool_use", "id": "a", "name": "x", "input": {}}));
    let got = run(&[text("no"), vec![call.clone(), stop(1)], end("refusal").to_vec()].concat());
    assert_eq!((got.reply.end, got.reply.blocks), (StreamEnd::Complete, vec![Block::Text { text: "no".into() }]));
    let got = run(&[vec![call, stop(1)], end("refusal").to_vec()].concat());
    assert!(matches!(&got.reply.end, StreamEnd::Error(error) if error.kind == ModelErrorKind::Refusal), "{got:?}");
    assert!(got.reply.blocks.is_empty());
}

#[test]
fn calls_come_in_the_shapes_of_all_servers() {
    let whole = json!({"type": "tool_use", "id": "call_1", "name": " x ", "input": {"k": 1}});
    let none = json!({"type": "tool_use", "id": "", "name": "y"});
    let as_text = json!({"type": "tool_use", "id": "c", "name": "z", "input": "{\"k\":2}"});
    let bad = json!({"type": "tool_use", "id": "d", "name": "w", "input": {}});
    let events = [
        vec![start(0, whole), stop(0), start(1, none), start(2, as_text), start(3, bad)],
        vec![delta(3, json!({"type": "input_json_delta", "partial_json": "{\"k\":"})), stop(3)],
        end("tool_use").to_vec(),
    ];
    let got = run(&events.concat());
    assert_eq!(
        serde_json::to_value(&got.reply.blocks).expect("plain data"),
        json!([
            {"type": "call", "id": "call_1", "name": "x", "arguments": {"k": 1}},
            {"type": "call", "id": "", "name": "y", "arguments": {}},
            {"type": "call", "id": "c", "name": "z", "arguments": {"k": 2}},
            {"type": "call", "id": "d", "name": "w", "arguments": {}, "malformed": "{\"k\":"},
        ])
    );
    let cut = events.concat();
    assert_eq!(run(&cut[..cut.len() - 1]).reply.end, StreamEnd::Truncated);
    let unknown = [cut[..cut.len() - 2].to_vec(), end("something new").to_vec()].concat();
    assert_eq!(run(&unknown).reply.end, StreamEnd::Truncated);
}

#[test]
fn tagged_reasoning_at_the_start_is_reasoning() {
    let got = text_then("<think>a</think>b<think>c</think>", "end_turn");
    assert_eq!((got.reasoning.as_str(), got.text.as_str()), ("a", "b<think>c</think>"));
    assert_eq!(text_then("<thi", "end_turn").text, "", "a tag that was cut is no answer");
    let after_thinking = [
        vec![start(0, json!({"type": "thinking", "thinking": "a"})), stop(0)],
        vec![start(1, json!({"type": "text", "text": "<think> is a tag"})), stop(1)],
        end("end_turn").to_vec(),
    ];
    assert_eq!(run(&after_thinking.concat()).text, "<think> is a tag");
}

#[test]
fn blocks_keep_their_order_and_signatures_need_a_whole_block() {
    let thinking = |n: u64| {
        vec![
            start(n, json!({"type": "thinking", "thinking": "", "signature": ""})),
            delta(n, json!({"type": "thinking_delta", "thinking": "t"})),
            delta(n, json!({"type": "signature_delta", "signature": "SIG"})),
        ]
    };
    let sealed = json!({"type": "redacted_thinking", "data": "ENC"});
    let events = [
        thinking(0),
        vec![stop(0), start(1, json!({"type": "text", "text": "a"})), stop(1)],
        vec![start(2, json!({"type": "thinking", "thinking": "", "signature": "ONLY"})), stop(2)],
        vec![start(3, sealed.clone()), stop(3)],
        vec![start(4, json!({"type": "text", "text": "b"})), stop(4)],
        thinking(5),
    ]
    .concat();
    let text = |text: &str| Block::Text { text: text.into() };
    let think = |text: &str, signature| Block::Thinking { text: text.into(), signature };
    assert_eq!(
        run(&events).reply.blocks,
        [
            think("t", signature(BY, "SIG")),
            text("a"),
            think("", signature(BY, "ONLY")),
            Block::ProviderItem { by: BY.into(), item: sealed },
            text("b"),
            think("t", None),
        ]
    );
}

#[test]
fn a_whole_body_is_an_answer_too() {
    let body = json!({
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            {"type": "thinking", "thinking": "a", "signature": "S"},
            {"type": "text", "text": "b"},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": {"error_code": "unavailable"}},
            {"type": "tool_use", "id": "t", "name": "x", "input": {"k": 1}},
        ],
        "usage": {"input_tokens": 3, "output_tokens": 4},
    });
    let mut items = Vec::new();
    decoder().body(body.to_string().as_bytes(), &mut items);
    let got = gather(items);
    assert_eq!((got.reply.end.clone(), got.reply.blocks.len()), (StreamEnd::Complete, 5));
    assert_eq!((got.reasoning.as_str(), got.text.as_str(), got.calls().len()), ("a", "b", 1));
    let phases: Vec<&str> = got.tools.iter().map(|event| event.phase.as_str()).collect();
    assert_eq!(phases, ["started", "running", "error"]);
    assert_eq!(got.reply.usage.map(|usage| usage.output_tokens), Some(4));
    for body in ["{\"models\":[]}", "[]", "not json", ""] {
        let mut items = Vec::new();
        decoder().body(body.as_bytes(), &mut items);
        let end = gather(items).reply.end;
        assert!(matches!(&end, StreamEnd::Error(e) if e.kind == ModelErrorKind::BadResponse), "{body}: {end:?}");
    }
}

proptest! {
    #[test]
    fn any_events_end_once_and_only_whole_answers_call(picks in proptest::collection::vec(0_usize..16, 0..14)) {
        let events = [
            start(0, json!({"type": "text", "text": "<think>"})),
            delta(0, json!({"type": "text_delta", "text": "a</thi"})),
            delta(0, json!({"type": "text_delta", "text": "nk>b"})),
            stop(0),
            start(1, json!({"type": "tool_use", "name": "x"})),
            delta(1, json!({"type": "input_json_delta", "partial_json": "{\"k\":"})),
            delta(1, json!({"type": "input_json_delta", "partial_json": "1}"})),
            start(2, json!({"type": "server_tool_use", "id": "s", "name": "n"})),
            start(2, json!({"type": "web_search_tool_result", "tool_use_id": "s", "content": 3})),
            stop(2),
            delta(7, json!({"type": "thinking_delta", "thinking": "t"})),
            json!({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}, "usage": []}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 1}}),
            json!({"type": "message_stop"}),
            json!("junk"),
            json!({"type": "error", "error": {"message": "no"}}),
        ];
        let picked: Vec<Value> = picks.iter().map(|pick| events[*pick].clone()).collect();
        let got = run(&picked);
        let stopped = picks.contains(&13);
        prop_assert!(stopped || !matches!(got.reply.end, StreamEnd::Complete | StreamEnd::Empty | StreamEnd::Paused));
        prop_assert!(got.calls().is_empty() || got.reply.end == StreamEnd::Complete);
    }
}

#[test]
fn text_is_streamed_as_it_comes() {
    let mut decoder = decoder();
    let mut items = Vec::new();
    for event in text("now") {
        let data = event.to_string();
        decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
    }
    assert_eq!(items, [StreamItem::Text("now".into())]);
}
