//! Random conversations for property tests of the projections: anything that a log could hold, legal or not.

use nanobot_engine::message::{Block, Message, Role, Signature, ToolCall};
use nanobot_engine::model::{Media, ModelRequest, ToolChoice};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolSpec};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Who the requests are for; half of what is sealed comes from here, the rest from elsewhere.
pub(crate) const BY: &str = "stub/model";

/// Ids that collide, are blank, illegal or too long.
fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "call_[0-3]",
        1 => Just(String::new()),
        1 => "(fc[:|]1|a b|ö{1,3}|x{60,90})",
    ]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => "[ \n\t]{0,3}",
        6 => "[a-z ]{1,12}",
        1 => "[的文字你好👩‍👧é]{1,6}",
        1 => Just("a\0b".to_owned()),
    ]
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop_oneof![Just(json!({})), Just(json!({"n": 1, "k": ["x\0y"]})), Just(json!({"path": "a/b"}))]
        .prop_map(|value| value.as_object().cloned().unwrap_or_default())
}

fn by() -> impl Strategy<Value = String> {
    prop_oneof![Just(BY.to_owned()), Just("other/model".to_owned())]
}

fn signature() -> impl Strategy<Value = Option<Signature>> {
    proptest::option::of(by().prop_map(|by| Signature { by, value: "c2lnbmVk".to_owned() }))
}

fn call() -> impl Strategy<Value = ToolCall> {
    let name = prop_oneof![1 => Just(""), 6 => Just("list_dir"), 1 => Just("a tool with spaces")];
    (id(), name, arguments(), signature()).prop_map(|(id, name, arguments, signature)| ToolCall {
        id,
        name: name.to_owned(),
        arguments,
        malformed: None,
        signature,
    })
}

/// Blocks of any kind; `items` are those of the provider, in its own form.
fn block(items: Vec<Value>) -> impl Strategy<Value = Block> {
    let status = prop_oneof![Just(CallStatus::Ok), Just(CallStatus::Error), Just(CallStatus::Unknown)];
    let media = prop_oneof![Just("known"), Just("lost")];
    let item = prop::sample::select(items);
    prop_oneof![
        5 => words().prop_map(|text| Block::Text { text }),
        4 => call().prop_map(Block::Call),
        4 => (id(), words(), status).prop_map(|(call_id, text, status)| {
            Block::Result { call_id, name: "list_dir".to_owned(), status, text }
        }),
        2 => (words(), signature()).prop_map(|(text, signature)| Block::Thinking { text, signature }),
        2 => (by(), item).prop_map(|(by, item)| Block::ProviderItem { by, item }),
        1 => media.clone().prop_map(|id| Block::Image { mime: "image/png".to_owned(), media_id: id.to_owned() }),
        1 => media.prop_map(|id| Block::Document {
            mime: "application/pdf".to_owned(), name: "a.pdf".to_owned(), media_id: id.to_owned(),
        }),
        1 => Just(Block::Pause),
    ]
}

fn message(items: Vec<Value>) -> impl Strategy<Value = Message> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::Notice)];
    let of = |role, blocks| Message { role, blocks };
    prop_oneof![
        3 => words().prop_map(Message::user),
        3 => proptest::collection::vec(call().prop_map(Block::Call), 1..4).prop_map(move |blocks| of(Role::Assistant, blocks)),
        3 => (id(), words()).prop_map(move |(call_id, text)| of(Role::Tool, vec![Block::Result {
            call_id, name: "list_dir".to_owned(), status: CallStatus::Ok, text,
        }])),
        5 => (role, proptest::collection::vec(block(items), 0..5)).prop_map(move |(role, blocks)| of(role, blocks)),
    ]
}

/// A request with a random history, as it comes (not governed), with and without tools, effort, plainness and a ban on calls.
/// `items` are examples of what this wire seals.
pub(crate) fn request(items: Vec<Value>) -> impl Strategy<Value = ModelRequest> {
    let history = proptest::collection::vec(message(items), 0..16);
    let effort = prop_oneof![Just(None), Just(Some("low")), Just(Some("none")), Just(Some("high"))];
    (history, effort, any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(messages, effort, plain, ban, with_tools, with_temperature)| {
            let mut media = Media::default();
            media.insert("known", "AAAA");
            let tool = ToolSpec {
                name: "list_dir".to_owned(),
                description: "Lists a folder.".to_owned(),
                parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
                concurrency: Concurrency::Shared,
            };
            ModelRequest {
                model: "model".to_owned(),
                system: "be good".into(),
                messages,
                tools: if with_tools { vec![tool].into() } else { Vec::new().into() },
                tool_choice: if ban { ToolChoice::None } else { ToolChoice::Auto },
                max_tokens: 4_096,
                temperature: with_temperature.then_some(0.5),
                reasoning_effort: effort.map(str::to_owned),
                media,
                plain,
            }
        },
    )
}
