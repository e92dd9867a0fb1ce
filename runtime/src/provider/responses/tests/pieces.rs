//! Answers in the pieces in which servers send them, and in any order.

use nanobot_engine::message::Block;
use nanobot_engine::model::{StreamEnd, StreamItem};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::decode::ResponsesDecoder;
use super::{BY, Outcome, replay_events};
use crate::provider::replay::collect;
use crate::provider::sse::SseEvent;
use crate::provider::wire::Decoder;

fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output}})
}

fn added(index: u64, item: Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

fn done(index: u64, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

fn call(id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "x", "arguments": arguments})
}

fn arguments(index: u64, id: &str, delta: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "output_index": index, "item_id": id, "delta": delta})
}

fn message(id: &str, texts: &[&str]) -> Value {
    let parts: Vec<Value> = texts.iter().map(|text| json!({"type": "output_text", "text": text})).collect();
    json!({"type": "message", "id": id, "role": "assistant", "content": parts})
}

fn text(id: &str, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "item_id": id, "delta": delta})
}

fn said(got: &Outcome) -> Vec<String> {
    got.calls().iter().map(|call| format!("{} {} {}", call.id, call.name, json!(call.arguments))).collect()
}

#[test]
fn calls_are_whole_however_they_come() {
    let whole = "{\"k\":1}";
    let want = ["a x {\"k\":1}"];
    let parts = [added(0, call("a", "")), arguments(0, "fc_a", "{\"k\""), arguments(0, "fc_a", ":1}")];
    let last = json!({"type": "response.function_call_arguments.done", "item_id": "fc_a", "arguments": whole});
    for events in [
        vec![done(0, call("a", whole)), completed(json!([]))],
        vec![completed(json!([call("a", whole)]))],
        vec![added(0, call("a", "")), last.clone(), completed(json!([]))],
        [&parts[..], &[completed(json!([]))]].concat(),
        [&parts[..], &[last, done(0, call("a", whole)), completed(json!([call("a", whole)]))]].concat(),
        // What came in pieces was damaged; the whole is what counts.
        [&parts[..2], &[done(0, call("a", whole)), completed(json!([]))]].concat(),
        // Neither place nor id.
        vec![
            json!({"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "a", "name": "x"}}),
            json!({"type": "response.function_call_arguments.delta", "delta": whole}),
            completed(json!([])),
        ],
        // A place only with the pieces.
        vec![
            json!({"type": "response.output_item.added", "item": {"type": "function_call", "call_id": "a", "name": "x"}}),
            arguments(0, "", whole),
            completed(json!([])),
        ],
    ] {
        let got = replay_events(&events);
        assert_eq!(said(&got), want, "{events:?}");
        assert_eq!(got.reply.end, StreamEnd::Complete, "{events:?}");
    }
}

#[test]
fn calls_keep_apart_and_in_the_order_of_the_output() {
    let parallel = [
        added(1, call("b", "")),
        added(0, call("a", "")),
        arguments(1, "fc_b", "{\"n\":"),
        arguments(0, "fc_a", "{}"),
        arguments(1, "fc_b", "2}"),
        completed(json!([])),
    ];
    assert_eq!(said(&replay_events(&parallel)), ["a x {}", "b x {\"n\":2}"]);
    // All on one place.
    let same_place = [
        added(0, call("a", "")),
        added(0, call("b", "")),
        arguments(0, "fc_a", "{\"n\":1}"),
        arguments(0, "fc_b", "{\"n\":2}"),
        completed(json!([call("a", "{\"n\":1}"), call("b", "{\"n\":2}")])),
    ];
    assert_eq!(said(&replay_events(&same_place)), ["a x {\"n\":1}", "b x {\"n\":2}"]);
    // Ids that change with each event.
    let changing = [
        added(0, json!({"type": "function_call", "id": "1", "call_id": "a", "name": "x", "arguments": ""})),
        arguments(0, "2", "{\"n\":1}"),
        done(0, json!({"type": "function_call", "id": "3", "call_id": "a", "name": "x", "arguments": "{\"n\":1}"})),
        completed(json!([{"type": "function_call", "id": "4", "call_id": "a", "name": "x", "arguments": "{\"n\":1}"}])),
    ];
    assert_eq!(said(&replay_events(&changing)), ["a x {\"n\":1}"]);
}

#[test]
fn damaged_calls_are_kept_as_they_came() {
    for (arguments, malformed) in [("{\"k\":", true), ("[1]", true), ("", false), ("null", false)] {
        let got = replay_events(&[completed(json!([call("a", arguments)]))]);
        let call = got.calls()[0];
        assert_eq!(call.malformed.as_deref(), malformed.then_some(arguments));
        assert!(call.arguments.is_empty());
    }
    let nameless = json!({"type": "function_call", "id": "f", "arguments": "{}"});
    assert_eq!(said(&replay_events(&[completed(json!([nameless]))])), ["f  {}"]);
}

#[test]
fn a_text_is_said_once_however_it_comes() {
    let item = message("m", &["one ", "two"]);
    let part = |index: u64, text: &str| {
        let part = json!({"type": "output_text", "text": text});
        json!({"type": "response.content_part.done", "item_id": "m", "content_index": index, "part": part})
    };
    let all = [
        text("m", "on"),
        text("m", "e "),
        json!({"type": "response.output_text.done", "item_id": "m", "text": "one "}),
        part(0, "one "),
        part(1, "two"),
        done(0, item.clone()),
        completed(json!([item])),
    ];
    for from in [0, 2, 3, 5, 6] {
        let got = replay_events(&all[from..]);
        assert_eq!(got.text, "one two", "from {from}");
        assert_eq!(got.reply.blocks, [Block::Text { text: got.text.clone() }], "from {from}");
    }
    // Parts that are not numbered.
    let unnumbered =
        [text("m", "one "), text("m", "two"), done(0, message("m", &["one ", "two"])), completed(json!([]))];
    assert_eq!(replay_events(&unnumbered).text, "one two");
    // The whole goes on where the pieces end.
    let lost = [text("m", "one t"), done(0, message("m", &["one ", "two"])), completed(json!([]))];
    assert_eq!(replay_events(&lost).text, "one two");
    let lost = [text("m", "on"), done(0, message("m", &["one ", "two"])), completed(json!([]))];
    assert_eq!(replay_events(&lost).text, "one two");
    // Neither a place nor the same id: the message of the end is the one that came.
    let reasoning = json!({"type": "reasoning", "id": "r", "summary": []});
    let renamed = [text("m", "one"), completed(json!([reasoning, message("n", &["one"])]))];
    assert_eq!(replay_events(&renamed).text, "one");
    // The whole is something else: what was shown stays.
    let other = [text("m", "three"), done(0, message("m", &["one"])), completed(json!([]))];
    assert_eq!(replay_events(&other).text, "three");
}

#[test]
fn messages_and_parts_of_reasoning_stand_apart() {
    let summary = |index: u64, delta: &str| json!({"type": "response.reasoning_summary_text.delta", "item_id": "r", "summary_index": index, "delta": delta});
    let events = [
        summary(0, "**A**"),
        summary(1, "b"),
        summary(2, "\nc"),
        text("m", "one"),
        text("n", "two"),
        text("n", " three"),
        completed(json!([])),
    ];
    let got = replay_events(&events);
    assert_eq!((got.reasoning.as_str(), got.text.as_str()), ("**A**\n\nb\nc", "one\n\ntwo three"));
}

#[test]
fn reasoning_is_not_said_twice() {
    let item = json!({
        "type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "why"}],
        "content": [{"type": "reasoning_text", "text": "why"}],
    });
    let raw = json!({"type": "response.reasoning_text.delta", "item_id": "r", "delta": "why"});
    let summary = json!({"type": "response.reasoning_summary_text.delta", "item_id": "r", "delta": "why"});
    for events in [
        vec![done(0, item.clone())],
        vec![raw.clone(), done(0, item.clone())],
        vec![summary.clone(), raw, done(0, item.clone())],
    ] {
        let got = replay_events(&[&events[..], &[completed(json!([item]))]].concat());
        let want = [
            Block::Thinking { text: "why".into(), signature: None },
            Block::ProviderItem { by: BY.into(), item: item.clone() },
        ];
        assert_eq!((got.reasoning.as_str(), &got.reply.blocks[..]), ("why", &want[..]), "{events:?}");
    }
}

#[test]
fn inline_think_tags_are_reasoning() {
    let got = replay_events(&[text("m", "<thi"), text("m", "nk>a</think>"), text("m", "b"), completed(json!([]))]);
    assert_eq!((got.reasoning.as_str(), got.text.as_str()), ("a", "b"));
}

#[test]
fn items_are_kept_in_the_order_of_the_output() {
    let reasoning = json!({"type": "reasoning", "id": "r", "summary": [], "encrypted_content": "E+/="});
    let search = json!({"type": "web_search_call", "id": "w", "status": "completed", "action": {"type": "search", "query": "q"}});
    let unknown = json!({"type": "something_new", "id": "u"});
    let output = json!([reasoning, search, unknown, message("m", &["hi"]), call("a", "{}")]);
    let got = replay_events(&[done(3, message("m", &["hi"])), done(1, search.clone()), completed(output)]);
    assert_eq!(
        serde_json::to_value(&got.reply.blocks).expect("plain data"),
        json!([
            {"type": "provider_item", "by": BY, "item": reasoning},
            {"type": "provider_item", "by": BY, "item": search},
            {"type": "text", "text": "hi"},
            {"type": "call", "id": "a", "name": "x", "arguments": {}},
        ])
    );
    assert_eq!(got.steps(), ["web_search started", "web_search done"]);
}

#[test]
fn tools_of_the_server_always_end() {
    let step = |step: &str| json!({"type": format!("response.web_search_call.{step}"), "item_id": "w"});
    let begun = added(0, json!({"type": "web_search_call", "id": "w", "status": "in_progress"}));
    let failed = json!({"type": "web_search_call", "id": "w", "status": "failed"});
    for (events, want) in [
        (vec![begun.clone()], &["started", "error"][..]),
        (vec![begun.clone(), step("searching"), step("searching")], &["started", "running", "error"]),
        (vec![step("searching"), step("completed")], &["started", "running", "done"]),
        (vec![begun.clone(), step("failed"), completed(json!([failed]))], &["started", "error"]),
        (vec![begun, done(0, failed)], &["started", "error"]),
    ] {
        let got = replay_events(&events);
        let phases: Vec<&str> = got.tools.iter().map(|event| event.phase.as_str()).collect();
        assert_eq!(phases, want, "{events:?}");
    }
}

proptest! {
    #[test]
    fn any_events_end_once_and_only_whole_answers_call(picks in proptest::collection::vec(0_usize..18, 0..14)) {
        let events = [
            text("m", "<think>a"),
            text("m", "</think>b"),
            text("", "c"),
            json!({"type": "response.output_text.delta", "output_index": 0, "delta": 3}),
            json!({"type": "response.reasoning_text.delta", "output_index": 0, "delta": "d"}),
            added(0, json!({"type": "reasoning", "id": "r"})),
            added(1, call("a", "")),
            arguments(1, "fc_a", "{}"),
            done(1, call("b", "{\"k\":")),
            done(2, json!({"type": "web_search_call"})),
            json!({"type": "response.output_item.done"}),
            json!({"type": "response.mcp_call.failed", "item_id": 3}),
            completed(json!([call("a", "{}"), message("m", &["b"]), 3, null])),
            json!({"type": "response.incomplete"}),
            json!({"type": "response.failed", "response": "x"}),
            json!("[DONE]"),
            json!("junk"),
            json!({"type": 5, "error": {"message": "no"}}),
        ];
        let mut decoder = ResponsesDecoder::new("stub", BY);
        let mut items = Vec::new();
        for pick in picks {
            let event = &events[pick];
            let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
            decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
        }
        decoder.end(&mut items);
        let ends = items.iter().filter(|item| matches!(item, StreamItem::End(_))).count();
        prop_assert_eq!(ends, 1);
        let got = collect(items);
        prop_assert!(got.calls().is_empty() || got.reply.end == StreamEnd::Complete);
        let texts = |block: &Block| if let Block::Text { text } = block { text.len() } else { 0 };
        prop_assert_eq!(got.reply.blocks.iter().map(texts).sum::<usize>(), got.text.len());
    }
}
