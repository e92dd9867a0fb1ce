//! How answers end, and what is no answer.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelErrorKind, StreamEnd};
use serde_json::{Value, json};

use super::{read_body, replay_events};

fn text(delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "m", "content_index": 0, "delta": delta})
}

fn call() -> Value {
    let item = json!({"type": "function_call", "id": "f", "call_id": "c", "name": "x", "arguments": "{}"});
    json!({"type": "response.output_item.done", "output_index": 1, "item": item})
}

fn end(kind: &str, response: Value) -> Value {
    json!({"type": format!("response.{kind}"), "response": response})
}

fn incomplete(reason: Value) -> Value {
    end("incomplete", json!({"status": "incomplete", "incomplete_details": {"reason": reason}}))
}

fn kind(end: &StreamEnd) -> Option<ModelErrorKind> {
    if let StreamEnd::Error(error) = end { Some(error.kind) } else { None }
}

#[test]
fn only_the_servers_own_signal_ends_an_answer() {
    let ending = |last: Value| replay_events(&[text("hi"), call(), last]);
    let whole = ending(end("completed", json!({"status": "completed", "output": []})));
    assert_eq!((whole.reply.end.clone(), whole.calls().len()), (StreamEnd::Complete, 1));
    for (last, want) in [
        (json!("[DONE]"), StreamEnd::Truncated),
        (json!({"type": "response.something_new"}), StreamEnd::Truncated),
        (end("cancelled", json!({})), StreamEnd::Truncated),
        (incomplete(json!("max_output_tokens")), StreamEnd::Length),
        (incomplete(json!("a new reason")), StreamEnd::Truncated),
        (incomplete(Value::Null), StreamEnd::Truncated),
        (incomplete(json!("content_filter")), StreamEnd::Complete),
        (
            end("completed", json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}})),
            StreamEnd::Length,
        ),
    ] {
        let got = ending(last.clone());
        assert_eq!(got.reply.end, want, "{last}");
        assert!(got.calls().is_empty(), "{last}");
        assert_eq!(got.text, "hi", "{last}");
    }
}

#[test]
fn what_is_blank_is_told_apart() {
    assert_eq!(replay_events(&[end("completed", json!({"output": []}))]).reply.end, StreamEnd::Empty);
    assert_eq!(replay_events(&[text(" \n"), end("completed", json!({}))]).reply.end, StreamEnd::Empty);
    let filtered = replay_events(&[incomplete(json!("content_filter"))]);
    assert_eq!(kind(&filtered.reply.end), Some(ModelErrorKind::Refusal));
    let reasoning = json!({"type": "response.reasoning_text.delta", "item_id": "r", "delta": "hm"});
    assert_eq!(replay_events(&[reasoning, end("completed", json!({}))]).reply.end, StreamEnd::Complete);
}

#[test]
fn a_refusal_is_shown_once_and_runs_nothing() {
    let item = |text: &str| json!({"type": "message", "id": "m", "role": "assistant", "content": [{"type": "refusal", "refusal": text}]});
    let delta =
        |text: &str| json!({"type": "response.refusal.delta", "output_index": 0, "item_id": "m", "delta": text});
    let all = [
        delta("I can"),
        delta("not."),
        json!({"type": "response.refusal.done", "output_index": 0, "item_id": "m", "refusal": "I cannot."}),
        json!({"type": "response.content_part.done", "output_index": 0, "item_id": "m", "part": {"type": "refusal", "refusal": "I cannot."}}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": item("I cannot.")}),
        call(),
        end("completed", json!({"output": [item("I cannot."), call()["item"]]})),
    ];
    for events in [&all[..], &all[2..], &all[3..], &all[4..], &all[6..]] {
        let got = replay_events(events);
        assert_eq!((got.text.as_str(), &got.reply.end), ("I cannot.", &StreamEnd::Complete));
        assert_eq!(got.reply.blocks, [Block::Text { text: "I cannot.".into() }]);
    }
    let blank = replay_events(&[end("completed", json!({"output": [item("")]}))]);
    assert_eq!(kind(&blank.reply.end), Some(ModelErrorKind::Refusal));
}

#[test]
fn failures_have_their_kind() {
    use ModelErrorKind::{ContextLength, Quota, RateLimit, Refusal, RefusedRequest, Truncated, Unavailable};
    for (code, want) in [
        ("insufficient_quota", Quota),
        ("rate_limit_exceeded", RateLimit),
        ("context_length_exceeded", ContextLength),
        ("server_error", Unavailable),
        ("invalid_prompt", RefusedRequest),
        ("invalid_base64_image", RefusedRequest),
        ("bio_policy", Refusal),
    ] {
        let error = json!({"code": code, "message": "no"});
        for event in [
            end("failed", json!({"status": "failed", "error": error})),
            end("completed", json!({"status": "failed", "error": error})),
            json!({"type": "error", "code": code, "message": "no", "param": null}),
            json!({"type": "error", "error": error}),
            json!({"error": error}),
        ] {
            let got = replay_events(&[text("hi"), call(), event.clone(), end("completed", json!({}))]);
            assert_eq!(kind(&got.reply.end), Some(want), "{event}");
            assert_eq!(got.reply.blocks, [Block::Text { text: "hi".into() }], "{event}");
        }
    }
    assert_eq!(kind(&replay_events(&[end("failed", json!({}))]).reply.end), Some(Unavailable));
    let damaged = replay_events(&[text("hi"), json!("{\"type\": \"resp"), end("completed", json!({}))]);
    assert_eq!(kind(&damaged.reply.end), Some(Truncated));
}

#[test]
fn a_whole_body_is_an_answer_too() {
    let output = json!([
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "a"}, {"type": "summary_text", "text": "b"}], "encrypted_content": "E"},
        {"type": "message", "id": "m", "role": "assistant", "content": [{"type": "output_text", "text": "<think>c</think>d"}]},
        {"type": "function_call", "id": "f", "call_id": "c", "name": "x", "arguments": {"k": 1}},
    ]);
    let body = |status: &str| {
        let usage = json!({"input_tokens": 3, "output_tokens": 4});
        json!({"object": "response", "status": status, "error": null, "output": output, "usage": usage}).to_string()
    };
    let got = read_body(&body("completed"));
    assert_eq!(got.reply.end, StreamEnd::Complete);
    assert_eq!(got.reply.usage.map(|usage| usage.output_tokens), Some(4));
    assert_eq!(
        serde_json::to_value(&got.reply.blocks).expect("plain data"),
        json!([
            {"type": "thinking", "text": "a\n\nb"},
            {"type": "provider_item", "by": "stub/model", "item": output[0]},
            {"type": "thinking", "text": "c"},
            {"type": "text", "text": "d"},
            {"type": "call", "id": "c", "name": "x", "arguments": {"k": 1}},
        ])
    );
    for status in ["in_progress", "queued", "cancelled"] {
        let got = read_body(&body(status));
        assert_eq!((&got.reply.end, got.calls().len()), (&StreamEnd::Truncated, 0), "{status}");
    }
    assert_eq!(kind(&read_body(&body("failed")).reply.end), Some(ModelErrorKind::Unavailable));
    let refused = read_body(r#"{"error": {"code": "insufficient_quota", "message": "no"}}"#);
    assert_eq!(kind(&refused.reply.end), Some(ModelErrorKind::Quota));
}

#[test]
fn bodies_of_other_protocols_are_named_as_such() {
    for body in ["{\"models\":[]}", "{\"choices\":[]}", "[]", "not json", ""] {
        assert_eq!(kind(&read_body(body).reply.end), Some(ModelErrorKind::BadResponse), "{body}");
    }
}
