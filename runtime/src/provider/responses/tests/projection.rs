//! Reported histories on this wire, and one request to the byte.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{ModelRequest, ToolChoice};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolSpec};
use serde_json::{Value, json};

use super::{BY, body, input, read_json, request};
use crate::provider::replay::history;
use crate::provider::responses::ResponsesWire;
use crate::provider::wire::Wire;

fn result(call_id: &str, text: &str) -> Message {
    let (call_id, text) = (call_id.to_owned(), text.to_owned());
    let block = Block::Result { call_id, name: "shell".into(), status: CallStatus::Ok, text };
    Message { role: Role::Tool, blocks: vec![block] }
}

fn call(id: &str) -> Block {
    let arguments = json!({"cmd": "ls"}).as_object().cloned().unwrap_or_default();
    Block::Call(ToolCall { id: id.into(), name: "shell".into(), arguments, malformed: None, signature: None })
}

fn text(text: &str) -> Block {
    Block::Text { text: text.into() }
}

fn sealed(item: &Value) -> Block {
    Block::ProviderItem { by: BY.into(), item: item.clone() }
}

fn assistant(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

fn user_item(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": text})
}

fn assistant_item(text: &str) -> Value {
    json!({"type": "message", "role": "assistant", "content": text})
}

fn call_item(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "shell", "arguments": "{\"cmd\":\"ls\"}"})
}

fn output_item(id: &str, output: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output})
}

fn project(messages: Vec<Message>) -> Vec<Value> {
    input(&request(messages))
}

#[test]
fn blank_and_misplaced_messages_are_repaired() {
    let got = project(history(&read_json("cases/pr-bad-shapes-history.json")));
    let want = [
        user_item("(The assistant opened this conversation.)"),
        assistant_item("(greeting pushed by a schedule)"),
        user_item("real question"),
    ];
    assert_eq!(got, want);
    // Nothing but the assistant's own words.
    assert_eq!(project(vec![assistant(vec![text("a")]), assistant(vec![text("b")])]), [user_item("a\n\nb")]);
}

#[test]
fn ids_are_made_legal_pairwise_and_stably() {
    let messages = history(&read_json("cases/th-id-sanitising.json"));
    let got = project(messages.clone());
    let ids: Vec<&str> =
        got.iter().filter(|i| i["type"] == "function_call").filter_map(|i| i["call_id"].as_str()).collect();
    assert_eq!((ids.len(), ids[1]), (4, "fc_1_a"));
    for (id, output) in ids.iter().zip(["A", "B", "C", "D"]) {
        assert!(got.contains(&output_item(id, output)), "{id}");
        assert!(id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{id}");
        assert_eq!(ids.iter().filter(|other| *other == id).count(), 1);
    }
    let mut longer = messages;
    longer.extend([assistant(vec![text("ok")]), Message::user("more")]);
    assert_eq!(project(longer)[..got.len()], got[..]);
}

#[test]
fn each_call_has_one_output_and_reused_ids_are_renamed() {
    let got = project(history(&read_json("cases/th-dup-and-missing-ids.json")));
    let again = got[4]["call_id"].as_str().expect("an id");
    assert_ne!(again, "x");
    let want = [
        user_item("go"),
        call_item("x"),
        output_item("x", "first"),
        assistant_item("ok"),
        call_item(again),
        output_item(again, "third"),
        user_item("next"),
    ];
    assert_eq!(got, want);
}

#[test]
fn lost_results_are_named_and_strays_left_out() {
    let got = project(history(&read_json("cases/th-crash-mid-tool.json")));
    let lost = "Error: no result of this call was recorded; it may or may not have taken effect.";
    let want = [
        user_item("deploy"),
        assistant_item("running"),
        call_item("a"),
        call_item("b"),
        call_item("c"),
        output_item("a", "built"),
        output_item("b", lost),
        output_item("c", lost),
    ];
    assert_eq!(got, want);
    let got = project(history(&read_json("cases/th-tail-orphan.json")));
    assert_eq!(got.last(), Some(&user_item("q2")));
    let got = project(vec![Message::user("go"), assistant(vec![call("a")]), result("a", " ")]);
    assert_eq!(got.last(), Some(&output_item("a", "(no output)")));
}

#[test]
fn nul_and_lone_surrogates_do_not_reach_the_wire() {
    let loaded = "{\"text\": \"ok \u{fffd}\\u0000\"}";
    let text: Value = serde_json::from_str(loaded).expect("JSON");
    let got = project(vec![Message::user(text["text"].as_str().expect("text")), Message::user("\0 ")]);
    assert_eq!(got, [user_item("ok \u{fffd}")]);
    let mut bad = ToolCall {
        id: "c".into(),
        name: "a tool\0".into(),
        arguments: serde_json::Map::new(),
        malformed: Some("{".into()),
        signature: None,
    };
    bad.arguments.insert("a\0".into(), json!(["x\0y"]));
    let got = project(vec![Message::user("go"), assistant(vec![Block::Call(bad)])]);
    assert_eq!((&got[1]["arguments"], &got[1]["name"]), (&json!("{\"a\":[\"xy\"]}"), &json!("a_tool_")));
}

/// A conversation in the shape of the reported one: reasoning before a call, reasoning before a text.
fn signed() -> (Vec<Message>, Value, Value) {
    let first = json!({"id": "rs_1", "type": "reasoning", "summary": [{"type": "summary_text", "text": "df first"}], "encrypted_content": "SIG-AAA"});
    let second = json!({"id": "rs_2", "type": "reasoning", "summary": [], "encrypted_content": "SIG-BBB"});
    let thinking = Block::Thinking { text: "df first".into(), signature: None };
    let messages = vec![
        Message::user("check disk"),
        assistant(vec![thinking, sealed(&first), call("t1")]),
        result("t1", "90% used"),
        assistant(vec![sealed(&second), text("Disk is 90% full.")]),
        Message::user("and now?"),
    ];
    (messages, first, second)
}

#[test]
fn sealed_reasoning_goes_back_to_its_own_model_only() {
    let (messages, first, second) = signed();
    let request = request(messages);
    let rest = [
        user_item("check disk"),
        call_item("t1"),
        output_item("t1", "90% used"),
        assistant_item("Disk is 90% full."),
        user_item("and now?"),
    ];
    let own = [&rest[..1], &[first], &rest[1..3], &[second], &rest[3..]].concat();
    assert_eq!(input(&request), own);
    let other = ResponsesWire::default().body(&request, "other/model").expect("plain data");
    assert_eq!(serde_json::from_slice::<Value>(&other).expect("JSON")["input"], json!(rest));
    let plain = ModelRequest { plain: true, ..request };
    assert_eq!(input(&plain), rest);
}

#[test]
fn sealed_items_go_only_where_they_are_taken() {
    let reasoning = |id: &str| json!({"id": id, "type": "reasoning", "summary": [], "encrypted_content": "E"});
    let open = json!({"id": "rs_o", "type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]});
    let empty = json!({"id": "rs_e", "type": "reasoning", "summary": [], "content": [], "encrypted_content": ""});
    let search =
        |id: &str| json!({"id": id, "type": "web_search_call", "status": "completed", "action": {"type": "search"}});
    let foreign = json!({"type": "server_tool_use", "id": "s"});
    let got = |blocks: Vec<Block>| {
        let mut all = project(vec![Message::user("go"), assistant(blocks), Message::user("next")]);
        all.retain(|item| item["role"] != "user");
        all
    };
    let (a, b) = (reasoning("rs_a"), reasoning("rs_b"));
    let whole = got(vec![sealed(&a), sealed(&search("w")), sealed(&b), text("hi")]);
    assert_eq!(whole, [a.clone(), search("w"), b.clone(), assistant_item("hi")]);
    assert_eq!(got(vec![sealed(&open), text("hi")]), [open.clone(), assistant_item("hi")]);
    // Nothing of its own follows.
    assert_eq!(got(vec![text("hi"), sealed(&a), sealed(&search("w"))]), [assistant_item("hi")]);
    assert_eq!(got(vec![sealed(&a), text(" ")]).len(), 0);
    // Nothing in it that the server does not have to look up, so that what follows from it cannot be sent either.
    assert_eq!(got(vec![sealed(&empty), sealed(&search("w")), text("hi")]), [assistant_item("hi")]);
    assert_eq!(got(vec![sealed(&foreign), text("hi")]), [assistant_item("hi")]);
    // The same item twice.
    let twice = got(vec![sealed(&a), text("one"), sealed(&a), sealed(&search("w")), text("two")]);
    assert_eq!(twice, [a.clone(), assistant_item("onetwo")]);
    // The last answer is not sent, and what belongs to it neither.
    assert_eq!(project(vec![Message::user("go"), assistant(vec![sealed(&a), text("hi")])]), [user_item("go")]);
}

#[test]
fn media_are_sent_when_their_bytes_are_there() {
    let image = |id: &str| Block::Image { mime: "image/png".into(), media_id: id.into() };
    let document = |mime: &str, name: &str, id: &str| Block::Document {
        mime: mime.into(),
        name: name.into(),
        media_id: id.into(),
    };
    let blocks = vec![
        text("look"),
        image("known"),
        document("application/pdf", "a.pdf", "known"),
        document("text/plain", "b.txt", "text"),
        image("lost"),
        document("application/pdf", "c.pdf", "lost"),
    ];
    let mut request = request(vec![Message { role: Role::User, blocks }]);
    request.media.insert("known", "AAAA");
    request.media.insert("text", "aGVsbG8A");
    let named = "[an image (image/png) that could not be sent]\n\n[the document c.pdf (application/pdf) that could not be sent]";
    assert_eq!(
        input(&request)[0]["content"],
        json!([
            {"type": "input_text", "text": "look"},
            {"type": "input_image", "image_url": "data:image/png;base64,AAAA", "detail": "auto"},
            {"type": "input_file", "filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"},
            {"type": "input_text", "text": format!("[b.txt]\nhello\n\n{named}")},
        ])
    );
    request.plain = true;
    assert!(input(&request)[0]["content"].as_str().is_some_and(|text| text.contains("b.txt (text/plain)")));
}

#[test]
fn texts_of_one_message_follow_each_other_and_messages_stand_apart() {
    let message = Message { role: Role::User, blocks: vec![text("look"), text("\n\nIt is noon.")] };
    assert_eq!(project(vec![message, Message::user("and now?")]), [user_item("look\n\nIt is noon.\n\nand now?")]);
    let answers = [assistant(vec![text("a"), text("\n"), text("b")]), assistant(vec![text("c")])];
    let got = project([&[Message::user("go")], &answers[..], &[Message::user("on")]].concat());
    assert_eq!(got[1], assistant_item("a\nb\n\nc"));
}

fn full() -> ModelRequest {
    let mut request = request(vec![Message::user("hi")]);
    request.temperature = Some(0.5);
    request.reasoning_effort = Some("low".into());
    request.tools = std::sync::Arc::from([ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        parameters: json!({"type": "object"}),
        concurrency: Concurrency::Shared,
    }]);
    request
}

#[test]
fn the_whole_body_is_as_the_protocol_has_it() {
    let bytes = ResponsesWire::default().body(&full(), BY).expect("plain data");
    assert_eq!(
        String::from_utf8(bytes).expect("text"),
        concat!(
            r#"{"model":"m","instructions":"be good","input":[{"type":"message","role":"user","content":"hi"}],"#,
            r#""tools":[{"type":"function","name":"list_dir","description":"Lists.","parameters":{"type":"object","properties":{}},"strict":false}],"#,
            r#""tool_choice":"auto","max_output_tokens":100,"temperature":0.5,"reasoning":{"effort":"low","summary":"auto"},"#,
            r#""include":["reasoning.encrypted_content"],"store":false,"stream":true}"#
        )
    );
}

#[test]
fn settings_follow_the_model_and_the_plain_form() {
    let keys = |request: &ModelRequest| {
        let optional = ["tools", "tool_choice", "temperature", "reasoning", "include", "instructions"];
        let body = body(request);
        optional.into_iter().filter(|key| body.get(*key).is_some()).collect::<Vec<_>>()
    };
    let plain = ModelRequest { plain: true, ..full() };
    assert_eq!(keys(&plain), ["tools", "tool_choice", "instructions"]);
    let bare = request(vec![Message::user("hi")]);
    assert_eq!(keys(&bare), ["instructions"]);
    let o3 = ModelRequest { model: "openai/o3-mini".into(), reasoning_effort: None, ..full() };
    assert_eq!(keys(&o3), ["tools", "tool_choice", "include", "instructions"]);
    let none = ModelRequest { reasoning_effort: Some("none".into()), ..full() };
    assert_eq!(keys(&none), ["tools", "tool_choice", "temperature", "instructions"]);
    let silent = ModelRequest { tool_choice: ToolChoice::None, max_tokens: 1, system: " ".into(), ..full() };
    let got = body(&silent);
    assert_eq!((&got["tool_choice"], &got["max_output_tokens"]), (&json!("none"), &json!(16)));
    assert_eq!(got.get("instructions"), None);
}
