//! How much a model is to think, for each family.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ToolChoice;
use nanobot_engine::tool::CallStatus;
use serde_json::{Map, Value, json};

use super::{BY, body, request, signature};

/// What a request says of thinking: the field, the effort, the limit and the temperature.
fn said(model: &str, effort: Option<&str>, max_tokens: u64) -> Value {
    let mut request = request(vec![Message::user("hi")]);
    request.model = model.into();
    request.reasoning_effort = effort.map(str::to_owned);
    request.max_tokens = max_tokens;
    request.temperature = Some(0.5);
    let body = body(&request);
    json!([body["thinking"], body["output_config"]["effort"], body["max_tokens"], body["temperature"]])
}

fn budget(tokens: u64) -> Value {
    json!({"type": "enabled", "budget_tokens": tokens})
}

#[test]
fn older_families_think_by_a_budget() {
    let said = |effort, max_tokens| said("claude-sonnet-4-5", effort, max_tokens);
    for effort in [None, Some(""), Some("none")] {
        assert_eq!(said(effort, 1_000), json!([null, null, 1_000, 0.5]));
    }
    assert_eq!(said(Some("minimal"), 1_000), json!([budget(1_024), null, 5_120, 1.0]));
    assert_eq!(said(Some("low"), 8_000), json!([budget(1_024), null, 8_000, 1.0]));
    assert_eq!(said(Some("medium"), 1_000), json!([budget(4_096), null, 8_192, 1.0]));
    assert_eq!(said(Some("what?"), 1_000), json!([budget(4_096), null, 8_192, 1.0]));
    assert_eq!(said(Some("high"), 1_000), json!([budget(8_192), null, 12_288, 1.0]));
    assert_eq!(said(Some("high"), 10_000), json!([budget(10_000), null, 14_096, 1.0]));
    assert_eq!(said(Some("xhigh"), 1_000), json!([budget(16_384), null, 20_480, 1.0]));
    assert_eq!(said(Some("high"), 64_000), json!([budget(27_904), null, 64_000, 1.0]));
    assert_eq!(said(Some("adaptive"), 1_000), json!([{"type": "adaptive"}, null, 1_000, null]));
}

#[test]
fn newer_families_decide_themselves() {
    let adaptive = json!({"type": "adaptive"});
    for model in
        ["claude-opus-4-7", "anthropic/claude-opus-5", "claude-sonnet-5", "claude-fable-5", "claude-mythos-preview"]
    {
        assert_eq!(said(model, Some("minimal"), 1_000), json!([adaptive, "low", 1_000, null]), "{model}");
        assert_eq!(said(model, Some("high"), 1_000), json!([adaptive, "high", 1_000, null]), "{model}");
        assert_eq!(said(model, Some("xhigh"), 1_000), json!([adaptive, "xhigh", 1_000, null]), "{model}");
        assert_eq!(said(model, None, 1_000), json!([null, null, 1_000, null]), "{model}");
    }
    for (model, want) in [
        ("claude-opus-4-7", json!(null)),
        ("claude-opus-5", json!({"type": "disabled"})),
        ("claude-sonnet-5", json!({"type": "disabled"})),
        ("claude-opus-5-5", json!(null)),
        ("claude-fable-5", json!(null)),
    ] {
        assert_eq!(said(model, Some("none"), 1_000)[0], want, "{model}");
    }
    assert_eq!(said("claude-3-5-haiku-20241022", Some("high"), 1_000), json!([null, null, 1_000, 0.5]));
}

#[test]
fn closing_and_plain_requests_do_not_think() {
    let mut request = request(vec![Message::user("hi")]);
    request.reasoning_effort = Some("high".into());
    request.temperature = Some(2.0);
    assert_eq!(body(&request)["thinking"], budget(8_192));
    request.tool_choice = ToolChoice::None;
    let closing = body(&request);
    assert_eq!((&closing["thinking"], &closing["temperature"]), (&Value::Null, &json!(1.0)));
    assert_eq!(closing["tool_choice"], json!({"type": "none"}));
    assert_eq!(closing["tools"].as_array().map(Vec::len), Some(1));
    request.tool_choice = ToolChoice::Auto;
    request.plain = true;
    let plain = body(&request);
    assert_eq!((plain.get("thinking"), plain.get("temperature")), (None, None));
    assert!(!plain.to_string().contains("cache_control"));
}

#[test]
fn an_open_round_without_signed_thinking_is_gone_on_with_without() {
    let call = |thinking: Option<&str>, id: &str| {
        let think = thinking.map(|by| Block::Thinking { text: "t".into(), signature: signature(by, "S") });
        let arguments = Map::new();
        let call = ToolCall { id: id.into(), name: "shell".into(), arguments, malformed: None, signature: None };
        Message { role: Role::Assistant, blocks: think.into_iter().chain([Block::Call(call)]).collect() }
    };
    let result = |id: &str| Message {
        role: Role::Tool,
        blocks: vec![Block::Result {
            call_id: id.into(),
            name: "shell".into(),
            status: CallStatus::Ok,
            text: "r".into(),
        }],
    };
    let thinks = |model: &str, messages: &[Message]| {
        let mut request = request(messages.to_vec());
        request.model = model.into();
        request.reasoning_effort = Some("low".into());
        !body(&request)["thinking"].is_null()
    };
    let old = "claude-sonnet-4-5";
    let user = || Message::user("go");
    assert!(thinks(old, &[user(), call(Some(BY), "a"), result("a")]));
    assert!(!thinks(old, &[user(), call(None, "a"), result("a")]));
    assert!(!thinks(old, &[user(), call(Some("other/model"), "a"), result("a")]));
    assert!(!thinks(old, &[user(), call(None, "a"), result("a"), user()]), "still the results of that call");
    assert!(thinks("claude-opus-4-7", &[user(), call(None, "a"), result("a")]));
    // Only the start of the round counts.
    assert!(thinks(old, &[user(), call(Some(BY), "a"), result("a"), call(None, "b"), result("b")]));
    assert!(!thinks(old, &[user(), call(None, "a"), result("a"), call(Some(BY), "b"), result("b")]));
    let answer = Message { role: Role::Assistant, blocks: vec![Block::Text { text: "done".into() }] };
    assert!(thinks(old, &[user(), call(None, "a"), result("a"), answer, user()]));
}

#[test]
fn thinking_is_left_out_of_an_open_round_when_it_is_off() {
    let thinking = Block::Thinking { text: "t".into(), signature: signature(BY, "S") };
    let arguments = Map::new();
    let call = ToolCall { id: "a".into(), name: "shell".into(), arguments, malformed: None, signature: None };
    let answer = Message { role: Role::Assistant, blocks: vec![thinking, Block::Call(call)] };
    let open = vec![Message::user("go"), answer];
    for (model, kept_open) in [("claude-sonnet-4-5", 1), ("claude-opus-4-7", 1), ("claude-fable-5", 2), ("kimi-k2", 2)]
    {
        let mut request = request(open.clone());
        request.model = model.into();
        let kept = |request: &_| body(request)["messages"][1]["content"].as_array().map(Vec::len);
        assert_eq!(kept(&request), Some(kept_open), "{model}");
        request.messages.push(Message { role: Role::Assistant, blocks: vec![Block::Text { text: "done".into() }] });
        request.messages.push(Message::user("next"));
        assert_eq!(kept(&request), Some(2), "{model}: what is over stays as it was");
    }
}
