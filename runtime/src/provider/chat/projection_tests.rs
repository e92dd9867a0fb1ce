//! Requests: the repair of histories, and what each provider is sent.

use std::sync::Arc;

use nanobot_engine::message::{Block, Message, Role, Signature, ToolCall};
use nanobot_engine::model::{Media, ModelRequest, ToolChoice};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolSpec};
use serde_json::{Value, json};

use super::dialect::ProviderDialect;
use super::request::ChatBody;
use crate::provider::replay::{history, read_json};

const BY: &str = "stub/m";

fn called(id: &str, name: &str, arguments: serde_json::Map<String, Value>) -> Block {
    Block::Call(ToolCall { id: id.into(), name: name.into(), arguments, malformed: None, signature: None })
}

fn signed(id: &str, by: &str, value: &str) -> Block {
    let signature = Some(Signature { by: by.into(), value: value.into() });
    Block::Call(ToolCall {
        id: id.into(),
        name: "shell".into(),
        arguments: serde_json::Map::new(),
        malformed: None,
        signature,
    })
}

fn said(text: &str) -> Block {
    Block::Text { text: text.into() }
}

fn thought(text: &str) -> Block {
    Block::Thinking { text: text.into(), signature: None }
}

fn answer(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

fn result(id: &str) -> Message {
    let text = "ok".to_owned();
    let result = Block::Result { call_id: id.into(), name: "shell".into(), status: CallStatus::Ok, text };
    Message { role: Role::Tool, blocks: vec![result] }
}

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: "be good".into(),
        messages,
        tools: Arc::from([]),
        tool_choice: ToolChoice::Auto,
        max_tokens: 100,
        temperature: None,
        reasoning_effort: None,
        media: Media::default(),
        plain: false,
    }
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "list_dir".into(),
        description: "Lists.".into(),
        parameters: json!({"type": "object", "properties": {}}),
        concurrency: Concurrency::Shared,
    }
}

fn body(provider: &str, request: &ModelRequest) -> Value {
    let body = ChatBody::new(request, ProviderDialect::of(provider, ""), BY);
    serde_json::to_value(body).expect("plain data")
}

fn messages(provider: &str, request: &ModelRequest) -> Vec<Value> {
    body(provider, request)["messages"].as_array().expect("a list").clone()
}

fn project(history: Vec<Message>) -> Vec<Value> {
    let messages = messages("", &request(history));
    assert_eq!(messages[0], json!({"role": "system", "content": "be good"}));
    messages[1..].to_vec()
}

fn shell(id: &str) -> Value {
    let function = json!({"name": "shell", "arguments": "{\"cmd\":\"ls\"}"});
    json!({"id": id, "type": "function", "function": function})
}

/// PR-06.
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

/// TH-07.
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
    longer.push(answer(vec![said("ok")]));
    longer.push(Message::user("more"));
    assert_eq!(project(longer)[..got.len()], got[..]);
}

/// TH-05.
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

/// TH-03 and TH-01: a stray result is left out, and pairs stay whole.
#[test]
fn stray_results_are_left_out_and_pairs_stay() {
    let got = project(history(&read_json("cases/th-tail-orphan.json")));
    assert_eq!(got.last(), Some(&json!({"role": "user", "content": "q2"})));
    assert_eq!(got.len(), 4);
    let cut = history(&read_json("cases/th-trimmed-call.json"));
    let got = project(cut[3..].to_vec());
    assert_eq!(
        got,
        [
            json!({"role": "user", "content": "(The assistant opened this conversation.)"}),
            json!({"role": "assistant", "content": "done"}),
            json!({"role": "user", "content": "now?"}),
        ]
    );
    let got = project(history(&read_json("cases/th-crash-mid-tool.json")));
    assert_eq!(got.iter().filter(|message| message["role"] == "tool").count(), 3);
}

/// PR-07: what Rust cannot hold is replaced when it is read; NUL is removed when it is sent.
#[test]
fn nul_is_removed_and_lost_results_are_named() {
    let mut arguments = serde_json::Map::new();
    arguments.insert("a\0".into(), json!(["x\0y"]));
    let messages = vec![
        Message::user("a\0b"),
        Message::user("\0 "),
        Message::user("c"),
        Message { role: Role::Notice, blocks: vec![said("for people")] },
        answer(vec![thought("hm"), called("c", "a tool", arguments)]),
    ];
    let got = project(messages);
    assert_eq!(got[0], json!({"role": "user", "content": "ab\n\nc"}));
    assert_eq!(got[1]["tool_calls"][0]["function"], json!({"name": "a_tool", "arguments": "{\"a\":[\"xy\"]}"}));
    assert_eq!(got[1].get("reasoning_content"), None);
    assert_eq!((&got[2]["role"], &got[2]["tool_call_id"]), (&json!("tool"), &json!("c")));
    assert!(got[2]["content"].as_str().expect("text").starts_with("Error: "));
    assert_eq!(project(Vec::new()), [json!({"role": "user", "content": "(no message)"})]);
}

#[test]
fn texts_of_one_message_follow_each_other_and_messages_stand_apart() {
    let message = Message { role: Role::User, blocks: vec![said("look"), said("\n\nIt is noon.")] };
    let got = project(vec![message, Message::user("and now?")]);
    assert_eq!(got, [json!({"role": "user", "content": "look\n\nIt is noon.\n\nand now?"})]);
}

#[test]
fn media_are_sent_where_they_are_taken() {
    let image = |id: &str| Block::Image { mime: "image/png".into(), media_id: id.into() };
    let file = |mime: &str, name: &str, id: &str| Block::Document {
        mime: mime.into(),
        name: name.into(),
        media_id: id.into(),
    };
    let blocks =
        vec![said("look"), image("a"), image("b"), file("application/pdf", "a.pdf", "a"), file("text/plain", "n", "t")];
    let mut request = request(vec![Message { role: Role::User, blocks }]);
    request.media.insert("a", "AA==");
    request.media.insert("t", "aGkA");
    let png = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}});
    let lost = "[an image (image/png) that could not be sent]";
    let pdf = "[a document \"a.pdf\" (application/pdf) that could not be sent]";
    let text = |text: String| json!({"type": "text", "text": text});
    assert_eq!(
        messages("", &request)[1]["content"],
        json!([text("look".into()), png, text(format!("{lost}\n\n{pdf}\n\n[file n]\nhi"))])
    );
    let part = json!({"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AA=="}});
    assert_eq!(
        messages("openai", &request)[1]["content"],
        json!([text("look".into()), png, text(lost.into()), part, text("[file n]\nhi".into())])
    );
    let all = format!("look\n\n{lost}\n\n{lost}\n\n{pdf}\n\n[file n]\nhi");
    assert_eq!(messages("deepseek", &request)[1]["content"], json!(all));
    request.plain = true;
    assert_eq!(messages("openai", &request)[1]["content"], json!(all));
}

#[test]
fn the_whole_body_is_as_the_protocol_has_it() {
    let mut request = request(vec![Message::user("hi")]);
    request.temperature = Some(0.5);
    request.tools = Arc::from([tool()]);
    let text = |request: &ModelRequest| {
        serde_json::to_string(&ChatBody::new(request, ProviderDialect::default(), BY)).expect("plain data")
    };
    assert_eq!(
        text(&request),
        concat!(
            r#"{"model":"m","messages":[{"role":"system","content":"be good"},{"role":"user","content":"hi"}],"#,
            r#""tools":[{"type":"function","function":{"name":"list_dir","description":"Lists.","parameters":{"type":"object","properties":{}}}}],"#,
            r#""max_tokens":100,"temperature":0.5,"stream":true,"stream_options":{"include_usage":true}}"#
        )
    );
    request.tool_choice = ToolChoice::None;
    assert!(text(&request).contains(r#"}}}],"tool_choice":"none","max_tokens""#));
    request.tools = Arc::from([]);
    assert!(!text(&request).contains("tool"));
}

/// The fields that a provider and model get for an effort, beside messages and stream.
fn fields(provider: &str, model: &str, effort: Option<&str>) -> Value {
    let mut request = request(vec![Message::user("hi")]);
    request.model = model.into();
    request.temperature = Some(0.5);
    request.reasoning_effort = effort.map(str::to_owned);
    let mut body = body(provider, &request);
    let fields = body.as_object_mut().expect("an object");
    for key in ["messages", "stream", "stream_options"] {
        assert!(fields.remove(key).is_some());
    }
    body
}

#[test]
fn limits_temperature_and_effort_follow_provider_and_model() {
    let plain = |model: &str| json!({"model": model, "max_tokens": 100, "temperature": 0.5});
    let set = |model: &str, extra: Value| {
        let mut fields = json!({"model": model, "max_tokens": 100});
        fields.as_object_mut().expect("an object").extend(extra.as_object().cloned().expect("an object"));
        fields
    };
    for (provider, model, effort, want) in [
        ("custom", "m", None, plain("m")),
        ("custom", "m", Some("none"), plain("m")),
        ("custom", "m", Some(""), plain("m")),
        ("custom", "m", Some("low"), set("m", json!({"reasoning_effort": "low"}))),
        ("custom", "gpt-50", None, plain("gpt-50")),
        ("custom", "a/b", None, plain("a/b")),
        ("openai", "gpt-4o", None, json!({"model": "gpt-4o", "max_completion_tokens": 100, "temperature": 0.5})),
        ("custom", "openai/o3-mini", None, json!({"model": "openai/o3-mini", "max_completion_tokens": 100})),
        ("volcengine", "m", None, json!({"model": "m", "max_completion_tokens": 100, "temperature": 0.5})),
        ("mistral", "mistral-small", Some("low"), set("mistral-small", json!({}))),
        ("mistral", "mistral-small", Some("medium"), set("mistral-small", json!({"reasoning_effort": "high"}))),
        ("mistral", "magistral-small", Some("high"), set("magistral-small", json!({}))),
        ("dashscope", "q", Some("minimal"), set("q", json!({"reasoning_effort": "minimum", "enable_thinking": false}))),
        ("dashscope", "q", Some("high"), set("q", json!({"reasoning_effort": "high", "enable_thinking": true}))),
        ("dashscope", "q", None, plain("q")),
        ("modelscope", "modelscope/q/x", Some("none"), {
            json!({"model": "q/x", "max_tokens": 100, "temperature": 0.5, "enable_thinking": false})
        }),
        ("custom", "qwen3.6-plus", Some("low"), {
            set("qwen3.6-plus", json!({"reasoning_effort": "low", "enable_thinking": true}))
        }),
        ("moonshot", "kimi-k3", Some("low"), {
            json!({"model": "kimi-k3", "max_completion_tokens": 100, "reasoning_effort": "max"})
        }),
        ("moonshot", "kimi-k3", Some("none"), json!({"model": "kimi-k3", "max_completion_tokens": 100})),
        ("moonshot", "kimi-k2.5", None, set("kimi-k2.5", json!({}))),
        ("moonshot", "kimi-k2.5", Some("low"), set("kimi-k2.5", json!({"thinking": {"type": "enabled"}}))),
        ("moonshot", "kimi-k2.5", Some("none"), set("kimi-k2.5", json!({"thinking": {"type": "disabled"}}))),
        ("moonshot", "kimi-k2.7-code", Some("none"), set("kimi-k2.7-code", json!({}))),
        ("deepseek", "deepseek-chat", Some("high"), {
            set("deepseek-chat", json!({"reasoning_effort": "high", "thinking": {"type": "enabled"}}))
        }),
        ("minimax", "MiniMax-M2", Some("high"), {
            set("MiniMax-M2", json!({"reasoning_effort": "high", "reasoning_split": true}))
        }),
        ("openrouter", "x/y", Some("high"), set("x/y", json!({"reasoning": {"effort": "high"}}))),
        ("openrouter", "x/y", Some("none"), plain("x/y")),
        ("openrouter", "moonshotai/kimi-k2.6", Some("none"), {
            json!({"model": "moonshotai/kimi-k2.6", "max_tokens": 100, "temperature": 0.5, "reasoning": {"effort": "none"}})
        }),
        ("opencode_go", "opencode-go/kimi-k2.6", None, plain("kimi-k2.6")),
        ("aihubmix", "a/b/c", None, plain("c")),
    ] {
        assert_eq!(fields(provider, model, effort), want, "{provider} {model} {effort:?}");
    }
}

#[test]
fn providers_are_known_by_name_or_address() {
    let of = |name: &str, url: &str| ProviderDialect::of(name, url).name();
    assert_eq!(of("Volcengine-Coding-Plan", ""), "volcengine_coding_plan");
    assert_eq!(of("mine", "https://api.deepseek.com/v1"), "deepseek");
    assert_eq!(of("mine", "https://ark.cn-beijing.volces.com/api/v3"), "volcengine");
    assert_eq!(of("mine", "https://notapi.deepseek.com.test/v1"), "");
    assert_eq!(of("mine", "no address"), "");
    assert_eq!(of("mine", "https://api.moonshot.cn/v1"), "moonshot");
    let names: std::collections::HashSet<_> = ProviderDialect::all().map(|known| known.name()).collect();
    assert_eq!(names.len(), ProviderDialect::all().count());
}

#[test]
fn tool_arguments_are_streamed_where_it_has_to_be_asked_for() {
    let mut request = request(vec![Message::user("hi")]);
    assert_eq!(body("zhipu", &request).get("tool_stream"), None);
    request.tools = Arc::from([tool()]);
    assert_eq!(body("zhipu", &request)["tool_stream"], true);
    assert_eq!(body("custom", &request).get("tool_stream"), None);
}

fn reasoned() -> ModelRequest {
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "S"}]);
    let item = |by: &str| Block::ProviderItem {
        by: by.into(),
        item: json!({"type": "reasoning_details", "reasoning_details": details}),
    };
    request(vec![
        Message::user("go"),
        answer(vec![thought("hm"), item(BY), item("other/m"), signed("c", BY, "SIG"), signed("d", "other/m", "X")]),
        result("c"),
        result("d"),
        answer(vec![said("done")]),
        Message::user("next"),
    ])
}

#[test]
fn reasoning_goes_back_where_it_is_asked_for() {
    let mut request = reasoned();
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "S"}]);
    for (provider, model, effort, content, list, last) in [
        ("custom", "m", None, json!(null), json!(null), json!(null)),
        ("mistral", "m", None, json!(null), json!(null), json!(null)),
        ("deepseek", "deepseek-chat", None, json!("hm"), json!(null), json!(null)),
        ("deepseek", "deepseek-v4-pro", None, json!("hm"), json!(null), json!("")),
        ("deepseek", "deepseek-v4-pro", Some("none"), json!("hm"), json!(null), json!(null)),
        ("deepseek", "deepseek-chat", Some("high"), json!("hm"), json!(null), json!("")),
        ("moonshot", "kimi-k2.5", Some("high"), json!("hm"), json!(null), json!("")),
        ("xiaomi_mimo", "mimo-v2.5", None, json!("hm"), json!(null), json!(null)),
        ("zhipu", "glm-5", None, json!("hm"), json!(null), json!(null)),
        ("minimax", "MiniMax-M2", None, json!(null), details.clone(), json!(null)),
        ("openrouter", "anthropic/claude", None, json!(null), details.clone(), json!(null)),
        ("vercel_gateway", "anthropic/claude", None, json!(null), details.clone(), json!(null)),
        ("opencode", "kimi-k2.5", None, json!("hm"), json!(null), json!(null)),
    ] {
        request.model = model.into();
        request.reasoning_effort = effort.map(str::to_owned);
        let got = messages(provider, &request);
        let field = |message: &Value, key: &str| message.get(key).cloned().unwrap_or_default();
        let what = format!("{provider} {model} {effort:?}");
        assert_eq!(field(&got[2], "reasoning_content"), content, "{what}");
        assert_eq!(field(&got[2], "reasoning_details"), list, "{what}");
        assert_eq!(field(&got[5], "reasoning_content"), last, "{what}");
        let all = serde_json::to_string(&got).expect("plain data");
        assert!(!all.contains("SIG") && !all.contains("\"X\""), "{what}");
    }
    request.plain = true;
    assert!(!body("openrouter", &request).to_string().contains("reasoning"));
}

#[test]
fn thought_signatures_go_back_to_their_maker_alone() {
    let mut request = reasoned();
    request.model = "gemini-3-pro".into();
    let proofs = |request: &ModelRequest| -> Vec<Value> {
        let calls = messages("gemini", request)[2]["tool_calls"].as_array().expect("calls").clone();
        calls.iter().map(|call| call.pointer("/extra_content/google/thought_signature").cloned().into()).collect()
    };
    assert_eq!(proofs(&request), [json!("SIG"), json!(null)]);
    let skip = json!("skip_thought_signature_validator");
    request.messages[1] = answer(vec![signed("c", "other/m", "X"), signed("d", BY, "SIG")]);
    assert_eq!(proofs(&request), [skip.clone(), json!("SIG")]);
    request.plain = true;
    assert_eq!(proofs(&request), [skip, json!(null)]);
    request.model = "gemma-3".into();
    assert_eq!(proofs(&request), [json!(null), json!(null)]);
}

#[test]
fn mistral_gets_short_ids_and_hears_the_assistant_after_results() {
    let history = || vec![Message::user("go"), answer(vec![signed("call_1", BY, "S")]), result("call_1")];
    let mut longer = history();
    longer.push(Message::user("stop"));
    let got = messages("mistral", &request(longer));
    let id = got[2]["tool_calls"][0]["id"].as_str().expect("an id");
    assert!(id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{id}");
    assert_eq!(got[3]["tool_call_id"], id);
    assert_eq!((&got[4]["role"], &got[5]["content"]), (&json!("assistant"), &json!("stop")));
    assert_eq!(messages("mistral", &request(history()))[..4], got[..4]);
}

#[test]
fn claude_behind_openrouter_gets_cache_markers() {
    let turn = |text: &str| [Message::user(text), answer(vec![said("ok")])];
    let mut history: Vec<Message> = ["a", "b"].iter().flat_map(|text| turn(text)).collect();
    history.push(Message::user("c"));
    let mut request = request(history);
    request.model = "anthropic/claude-sonnet-4.5".into();
    let part = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    let got = messages("openrouter", &request);
    let contents: Vec<&Value> = got.iter().map(|message| &message["content"]).collect();
    assert_eq!(json!(contents), json!([part("be good"), "a", "ok", part("b"), "ok", part("c")]));
    for (provider, model, plain) in [
        ("openrouter", "openai/gpt-5", false),
        ("custom", "anthropic/claude", false),
        ("openrouter", "anthropic/claude", true),
    ] {
        request.model = model.into();
        request.plain = plain;
        assert!(!body(provider, &request).to_string().contains("cache_control"), "{provider} {model}");
    }
}
