//! What ends an answer, and what is in it then.

use nanobot_engine::message::Message;

use super::*;

fn reply(events: &[Value]) -> Reply {
    let mut decoder = ChatDecoder::new("stub", "stub/m", ProviderDialect::default());
    let mut items = Vec::new();
    for event in events {
        let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
        decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
    }
    decoder.end(&mut items);
    match items.pop() {
        Some(StreamItem::End(reply)) => *reply,
        other => panic!("no end: {other:?}"),
    }
}

fn delta(delta: Value, finish: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

#[test]
fn ends_follow_the_servers_own_signal() {
    let text = delta(json!({"content": "hi"}), Value::Null);
    let end = |finish: &str| reply(&[text.clone(), delta(json!({}), json!(finish))]).end;
    assert_eq!(end("stop"), StreamEnd::Complete);
    assert_eq!(end("STOP"), StreamEnd::Complete);
    assert_eq!(end("content_filter"), StreamEnd::Complete);
    assert_eq!(end("something new"), StreamEnd::Complete);
    assert_eq!(end("length"), StreamEnd::Length);
    assert_eq!(end("abort"), StreamEnd::Truncated);
    assert!(matches!(end("network_error"), StreamEnd::Error(_)));
    assert_eq!(reply(std::slice::from_ref(&text)).end, StreamEnd::Truncated);
    assert_eq!(reply(&[text.clone(), json!("[DONE]")]).end, StreamEnd::Complete);
    assert_eq!(reply(&[json!("[DONE]")]).end, StreamEnd::Empty);
    assert_eq!(reply(&[delta(json!({"content": " \n"}), json!("stop"))]).end, StreamEnd::Empty);
    assert_eq!(reply(&[delta(json!({"reasoning": "x"}), json!("stop"))]).end, StreamEnd::Complete);
    let damaged = reply(&[text, json!("oops")]).end;
    assert!(matches!(damaged, StreamEnd::Error(error) if error.kind == ModelErrorKind::Truncated));
}

#[test]
fn a_filtered_answer_runs_nothing() {
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}]});
    let got = reply(&[delta(call, json!("content_filter"))]);
    assert!(matches!(got.end, StreamEnd::Error(error) if error.kind == ModelErrorKind::Refusal));
    assert_eq!(got.blocks, []);
    let refusal = json!({"refusal": "I will not. ", "tool_calls": [{"index": 0, "function": {"name": "x"}}]});
    let got = reply(&[delta(refusal, json!("content_filter"))]);
    assert_eq!((got.end, got.blocks), (StreamEnd::Complete, Message::user("I will not. ").blocks));
}

#[test]
fn calls_written_as_text_count_when_there_are_no_others() {
    let text = delta(json!({"content": "<tool_call>{\"name\":\"x\"}</tool_call>"}), Value::Null);
    let stop = delta(json!({}), json!("stop"));
    let names = |reply: &Reply| -> Vec<String> {
        let calls = reply.blocks.iter().filter_map(|b| if let Block::Call(call) = b { Some(call) } else { None });
        calls.map(|call| format!("{} {}", call.id, call.name)).collect()
    };
    let got = reply(&[text.clone(), stop.clone()]);
    assert_eq!((&got.end, names(&got)), (&StreamEnd::Complete, vec!["call_0 x".to_owned()]));
    assert_eq!(got.blocks.len(), 1);
    let got = reply(&[text.clone(), delta(json!({}), json!("length"))]);
    assert_eq!((&got.end, got.blocks.len()), (&StreamEnd::Length, 0));
    let call = |name: &str| {
        delta(
            json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": name, "arguments": "{}"}}]}),
            Value::Null,
        )
    };
    let got = reply(&[text.clone(), call("y"), stop.clone()]);
    assert_eq!((names(&got), got.blocks.len()), (vec!["a y".to_owned()], 2));
    let got = reply(&[text, call("x"), stop]);
    assert_eq!((names(&got), got.blocks.len()), (vec!["a x".to_owned()], 1));
}

#[test]
fn reasoning_is_the_answer_where_a_server_has_it_so() {
    let chunk = delta(json!({"reasoning": "Hello."}), json!("stop")).to_string();
    let ask = |provider: &str| {
        let mut items = Vec::new();
        let dialect = ProviderDialect::of(provider, "");
        let mut decoder = ChatDecoder::new("stub", "stub/m", dialect);
        decoder.event(SseEvent { name: "", data: &chunk, last_id: "" }, &mut items);
        decoder.end(&mut items);
        match items.pop() {
            Some(StreamItem::End(reply)) => reply.blocks,
            other => panic!("no end: {other:?}"),
        }
    };
    assert_eq!(ask("stepfun"), Message::user("Hello.").blocks);
    assert_eq!(ask("other"), [Block::Thinking { text: "Hello.".into(), signature: None }]);
}

#[test]
fn a_whole_body_is_an_answer_too() {
    let body = json!({
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": "<think>a</think>b",
            "tool_calls": [{"function": {"name": "x", "arguments": {"k": 1}}}, {"function": {"name": "y"}}],
        }}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4},
    });
    let mut items = Vec::new();
    ChatDecoder::new("stub", "stub/m", ProviderDialect::default()).body(body.to_string().as_bytes(), &mut items);
    assert_eq!(items[..2], [StreamItem::Reasoning("a".into()), StreamItem::Text("b".into())]);
    let Some(StreamItem::End(reply)) = items.last() else { panic!("no end") };
    assert_eq!(reply.end, StreamEnd::Complete);
    assert_eq!(reply.usage.map(|u| u.output_tokens), Some(4));
    let calls: Vec<_> = reply.blocks.iter().filter(|b| matches!(b, Block::Call(_))).collect();
    assert_eq!(
        serde_json::to_value(calls).expect("plain data"),
        json!([
            {"type": "call", "id": "call_0", "name": "x", "arguments": {"k": 1}},
            {"type": "call", "id": "call_1", "name": "y", "arguments": {}},
        ])
    );
}

#[test]
fn bodies_of_other_protocols_are_named_as_such() {
    for body in ["{\"models\":[]}", "[]", "not json", ""] {
        let mut items = Vec::new();
        ChatDecoder::new("stub", "stub/m", ProviderDialect::default()).body(body.as_bytes(), &mut items);
        let Some(StreamItem::End(reply)) = items.last() else { panic!("no end") };
        assert!(matches!(&reply.end, StreamEnd::Error(e) if e.kind.code() == "provider_bad_response"), "{body}");
    }
}

#[test]
fn an_early_finish_reason_is_not_believed() {
    let mut decoder = ChatDecoder::new("stub", "stub/m", ProviderDialect::default());
    let chunk = delta(json!({"content": "a"}), json!("stop")).to_string();
    let mut items = Vec::new();
    decoder.event(SseEvent { name: "", data: &chunk, last_id: "" }, &mut items);
    assert!(decoder.is_finished());
    decoder.event(SseEvent { name: "", data: &chunk, last_id: "" }, &mut items);
    assert!(!decoder.is_finished());
    decoder.end(&mut items);
    assert_eq!(items.first(), Some(&StreamItem::Text("aa".into())));
    assert!(matches!(items.last(), Some(StreamItem::End(reply)) if reply.end == StreamEnd::Complete));
}

proptest::proptest! {
    #[test]
    fn any_events_end_once_and_only_whole_answers_call(picks in proptest::collection::vec(0_usize..14, 0..12)) {
        let call = |v: Value| delta(json!({"tool_calls": v}), Value::Null);
        let events = [
            delta(json!({"content": "<think>a"}), Value::Null),
            delta(json!({"content": "</think>b"}), Value::Null),
            delta(json!({"content": [{"type": "text", "text": "c"}, 3, null]}), Value::Null),
            delta(json!({"reasoning_content": "d", "reasoning": "d"}), Value::Null),
            call(json!([{"index": 0, "function": {"name": "x", "arguments": "{\"k\":"}}])),
            call(json!([{"index": "0", "id": "", "function": {"arguments": "1}"}}])),
            call(json!([{"id": 5, "function": null}, "x", {}])),
            delta(json!({"function_call": {"name": "y", "arguments": {}}}), Value::Null),
            delta(json!(null), json!("stop")),
            delta(json!({}), json!("length")),
            json!({"choices": {}, "usage": []}),
            json!("[DONE]"),
            json!("junk"),
            json!({"error": {"message": "no"}}),
        ];
        let mut decoder = ChatDecoder::new("stub", "stub/m", ProviderDialect::default());
        let mut items = Vec::new();
        for pick in picks {
            let event = &events[pick];
            let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
            decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
        }
        decoder.end(&mut items);
        let ends = items.iter().filter(|item| matches!(item, StreamItem::End(_))).count();
        proptest::prop_assert_eq!(ends, 1);
        let Some(StreamItem::End(reply)) = items.last() else { panic!("the end is last") };
        let has_calls = reply.blocks.iter().any(|block| matches!(block, Block::Call(_)));
        proptest::prop_assert!(!has_calls || reply.end == StreamEnd::Complete);
    }
}
