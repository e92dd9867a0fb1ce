//! The body of a request, block by block.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ModelRequest;
use nanobot_engine::tool::CallStatus;
use serde_json::{Value, json};

use super::{BY, body, messages, request, signature, user};
use crate::provider::anthropic::AnthropicWire;
use crate::provider::wire::Wire;

fn text(text: &str) -> Block {
    Block::Text { text: text.into() }
}

fn assistant(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

fn call(id: &str) -> Block {
    let arguments = json!({"cmd": "l\0s"}).as_object().cloned().unwrap_or_default();
    Block::Call(ToolCall { id: id.into(), name: "shell".into(), arguments, malformed: None, signature: None })
}

fn result(call_id: &str, status: CallStatus, text: &str) -> Block {
    Block::Result { call_id: call_id.into(), name: "shell".into(), status, text: text.into() }
}

fn tool(blocks: Vec<Block>) -> Message {
    Message { role: Role::Tool, blocks }
}

fn item(by: &str, item: Value) -> Block {
    Block::ProviderItem { by: by.into(), item }
}

fn search(id: &str) -> Value {
    json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {}})
}

fn found(id: &str) -> Value {
    json!({"type": "web_search_tool_result", "tool_use_id": id, "content": []})
}

#[test]
fn the_whole_body_is_as_the_api_has_it() {
    let mut request = request(vec![
        Message::user("hi"),
        assistant(vec![
            Block::Thinking { text: "hm".into(), signature: signature(BY, "SIG") },
            text("I look."),
            call("toolu_1"),
        ]),
        tool(vec![result("toolu_1", CallStatus::Error, "no such file")]),
    ]);
    request.model = "anthropic/claude-sonnet-4-5".into();
    request.temperature = Some(0.5);
    request.reasoning_effort = Some("low".into());
    let bytes = AnthropicWire.body(&request, BY).expect("plain data");
    let want = concat!(
        r#"{"model":"claude-sonnet-4-5","max_tokens":5120,"#,
        r#""system":[{"type":"text","text":"be good","cache_control":{"type":"ephemeral"}}],"messages":["#,
        r#"{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},"#,
        r#"{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"SIG"},{"type":"text","text":"I look."},"#,
        r#"{"type":"tool_use","id":"toolu_1","name":"shell","input":{"cmd":"ls"}}]},"#,
        r#"{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"no such file","is_error":true,"cache_control":{"type":"ephemeral"}}]}],"#,
        r#""tools":[{"name":"shell","description":"Runs a command.","input_schema":{"type":"object","properties":{"cmd":{"type":"string"}}},"cache_control":{"type":"ephemeral"}}],"#,
        r#""tool_choice":{"type":"auto"},"thinking":{"type":"enabled","budget_tokens":1024},"temperature":1.0,"stream":true}"#,
    );
    assert_eq!(String::from_utf8(bytes).expect("text"), want);
    assert_eq!(AnthropicWire.path(), "messages");
    assert_eq!(AnthropicWire.headers(), [("anthropic-version", "2023-06-01")]);
}

#[test]
fn the_plain_form_leaves_out_what_may_be_refused() {
    let mut request = request(vec![
        Message { role: Role::User, blocks: vec![text("look"), image("image/png", "a")] },
        assistant(vec![
            Block::Thinking { text: "hm".into(), signature: signature(BY, "SIG") },
            item(BY, json!({"type": "redacted_thinking", "data": "ENC"})),
            call("toolu_1"),
        ]),
        tool(vec![result("toolu_1", CallStatus::Ok, "r")]),
    ]);
    request.media.insert("a", "AAAA");
    request.plain = true;
    let messages = messages(&request);
    assert_eq!(messages[0]["content"][1]["text"], "[an image (image/png) that could not be sent]");
    assert_eq!(
        messages[1]["content"],
        json!([{"type": "tool_use", "id": "toolu_1", "name": "shell", "input": {"cmd": "ls"}}])
    );
    assert!(!body(&request).to_string().contains("cache_control"));
}

fn image(mime: &str, id: &str) -> Block {
    Block::Image { mime: mime.into(), media_id: id.into() }
}

fn document(mime: &str, id: &str) -> Block {
    Block::Document { mime: mime.into(), name: format!("{id}.x"), media_id: id.into() }
}

#[test]
fn media_go_as_bytes_as_text_or_by_name() {
    let blocks = vec![
        text("look"),
        image("image/png", "a"),
        image("image/svg+xml", "a"),
        image("image/png", "lost"),
        document("application/pdf", "a"),
        document("text/plain", "words"),
        document("text/plain", "blank"),
        document("application/zip", "a"),
    ];
    let mut request = request(vec![Message { role: Role::User, blocks }]);
    request.media.insert("a", "AAAA");
    request.media.insert("words", "aMOpAGxsbw==");
    request.media.insert("blank", "IAo=");
    let words = |text: &str| json!({"type": "text", "text": text});
    let source = |mime: &str| json!({"type": "base64", "media_type": mime, "data": "AAAA"});
    assert_eq!(
        messages(&request)[0]["content"],
        json!([
            words("look"),
            {"type": "image", "source": source("image/png")},
            words("[an image (image/svg+xml) that could not be sent]"),
            words("[an image (image/png) that could not be sent]"),
            {"type": "document", "source": source("application/pdf"), "title": "a.x"},
            words("[words.x]\nhéllo"),
            words("[the document blank.x (text/plain) that could not be sent]"),
            words("[the document a.x (application/zip) that could not be sent]"),
        ])
    );
}

#[test]
fn images_behind_a_result_are_in_it() {
    let shot = tool(vec![result("a", CallStatus::Ok, "seen"), image("image/png", "shot")]);
    let mut request = request(vec![Message::user("go"), assistant(vec![call("a")]), shot, Message::user("and?")]);
    request.media.insert("shot", "AAAA");
    assert_eq!(
        messages(&request)[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "a", "content": [
                {"type": "text", "text": "seen"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}},
            ]},
            {"type": "text", "text": "and?"},
        ])
    );
}

#[test]
fn calls_are_words_where_there_are_no_tools() {
    let thinking = Block::Thinking { text: "hm".into(), signature: signature(BY, "SIG") };
    let mut request = request(vec![
        Message::user("go"),
        assistant(vec![thinking, call("a"), call("b")]),
        tool(vec![result("a", CallStatus::Ok, "r")]),
        Message::user("sum up"),
    ]);
    request.tools = Vec::new().into();
    let words = |text: &str| json!({"type": "text", "text": text});
    let lost = "[result of shell]\nError: no result of this call was recorded; it may or may not have taken effect.";
    assert_eq!(
        messages(&request)[1..],
        [
            json!({"role": "assistant", "content": [words(r#"[called shell with {"cmd":"ls"}]"#), words(r#"[called shell with {"cmd":"ls"}]"#)]}),
            json!({"role": "user", "content": [words("[result of shell]\nr"), words(lost), words("sum up")]}),
        ]
    );
    assert_eq!(body(&request).get("tool_choice"), None);
}

#[test]
fn names_that_no_tool_can_have_are_made_legal() {
    let named = |id: &str, name: &str| {
        let name = name.to_owned();
        Block::Call(ToolCall {
            id: id.into(),
            name,
            arguments: serde_json::Map::new(),
            malformed: None,
            signature: None,
        })
    };
    let blocks = vec![named("a", ""), named("b", "a tool/é"), named("c", &"x".repeat(200))];
    let sent = messages(&request(vec![Message::user("go"), assistant(blocks)]));
    let names: Vec<&str> =
        sent[1]["content"].as_array().expect("calls").iter().filter_map(|b| b["name"].as_str()).collect();
    assert_eq!(names, ["unknown", "a_tool__", &"x".repeat(128)]);
}

fn paused(blocks: Vec<Block>) -> ModelRequest {
    let mut blocks = blocks;
    blocks.push(Block::Pause);
    request(vec![Message::user("search"), assistant(blocks)])
}

#[test]
fn a_paused_answer_goes_back_to_its_maker_as_it_is() {
    let blocks = vec![text("One moment. "), item(BY, search("s1")), item(BY, found("s1")), item(BY, search("s2"))];
    let sent = messages(&paused(blocks.clone()));
    assert_eq!(
        sent[1..],
        [json!({"role": "assistant", "content": [
            {"type": "text", "text": "One moment. "}, search("s1"), found("s1"), search("s2"),
        ]})]
    );
    // Once it went on, the two messages are one again.
    let mut request = paused(blocks);
    request.messages.push(assistant(vec![item(BY, found("s2")), text("Found.")]));
    request.messages.push(Message::user("thanks"));
    let sent = messages(&request);
    assert_eq!(sent.len(), 3);
    assert_eq!(
        sent[1]["content"],
        json!([{"type": "text", "text": "One moment. "}, search("s1"), found("s1"), search("s2"), found("s2"), {"type": "text", "text": "Found."}])
    );
    // It never went on: the open search is left out.
    request.messages.remove(2);
    let content = messages(&request)[1]["content"].clone();
    assert_eq!(content, json!([{"type": "text", "text": "One moment. "}, search("s1"), found("s1")]));
}

#[test]
fn a_pause_of_another_model_is_gone_on_with_in_words() {
    let sent = messages(&paused(vec![text("One moment."), item("other/model", search("s1"))]));
    let words = json!({"role": "assistant", "content": [{"type": "text", "text": "One moment."}]});
    assert_eq!(sent[1..], [words.clone(), user("(go on)")]);
    let mut plain = paused(vec![text("One moment."), item(BY, search("s1"))]);
    plain.plain = true;
    assert_eq!(messages(&plain)[1..], [words.clone(), user("(go on)")]);
    assert_eq!(messages(&paused(vec![text("One moment.")]))[1..], [words, user("(go on)")]);
}

#[test]
fn a_paused_answer_ends_in_no_white_space_and_thinks_only_when_thinking_is_on() {
    let thinking = Block::Thinking { text: "hm".into(), signature: signature(BY, "SIG") };
    let mut request = paused(vec![thinking, item(BY, search("s1")), item(BY, found("s1")), text("So \n")]);
    let content = |request: &ModelRequest| messages(request)[1]["content"].clone();
    assert_eq!(content(&request), json!([search("s1"), found("s1"), {"type": "text", "text": "So"}]));
    request.reasoning_effort = Some("low".into());
    assert_eq!(content(&request)[0], json!({"type": "thinking", "thinking": "hm", "signature": "SIG"}));
}

#[test]
fn thinking_is_never_the_last_of_a_message() {
    let thinking = || Block::Thinking { text: "hm".into(), signature: signature(BY, "SIG") };
    let sealed = item(BY, json!({"type": "redacted_thinking", "data": "ENC"}));
    let sent = messages(&request(vec![
        Message::user("a"),
        assistant(vec![text("b"), thinking(), sealed]),
        Message::user("c"),
        assistant(vec![thinking()]),
        Message::user("d"),
    ]));
    let tail = json!({"role": "user", "content": [{"type": "text", "text": "c"}, {"type": "text", "text": "d"}]});
    assert_eq!(sent, [user("a"), json!({"role": "assistant", "content": [{"type": "text", "text": "b"}]}), tail]);
}

#[test]
fn at_most_four_places_are_marked() {
    let turn = |n: usize| vec![Message::user(format!("q{n}")), assistant(vec![text("a")])];
    let history = (0..5).flat_map(turn).chain([Message::user("last")]).collect();
    let body = body(&request(history));
    let marked = |value: &Value| value.get("cache_control") == Some(&json!({"type": "ephemeral"}));
    assert!(marked(&body["system"][0]) && marked(&body["tools"][0]));
    let places: Vec<usize> = (0..11).filter(|n| marked(&body["messages"][n]["content"][0])).collect();
    assert_eq!(places, [8, 10]);
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
}
