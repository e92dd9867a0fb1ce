//! Short ways to write messages, calls, tools and replies.

use std::sync::Arc;

use nanobot_engine::approval::Asking;
use nanobot_engine::hook::Decision;
use nanobot_engine::id::{ApprovalId, MessageId, TurnId};
use nanobot_engine::machine::{Input, SteerMessage};
use nanobot_engine::message::{Block, Message, Origin, Role, Row, Signature, ToolCall};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolSpec, ToolTable};
use serde_json::{Value, json};
use uuid::Uuid;

pub(crate) fn text(text: impl Into<String>) -> Block {
    Block::Text { text: text.into() }
}

pub(crate) fn thinking(text: &str, signature: Option<&str>) -> Block {
    Block::Thinking {
        text: text.to_owned(),
        signature: signature.map(|value| Signature { by: "stub/model".to_owned(), value: value.to_owned() }),
    }
}

pub(crate) fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments, malformed: None, signature: None }
}

pub(crate) fn result(call_id: &str, name: &str, text: &str) -> Message {
    let block = Block::Result {
        call_id: call_id.to_owned(),
        name: name.to_owned(),
        status: CallStatus::Ok,
        text: text.to_owned(),
    };
    Message { role: Role::Tool, blocks: vec![block] }
}

pub(crate) fn user(text: &str) -> Message {
    Message::user(text)
}

pub(crate) fn assistant(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

/// What a question would need.
pub(crate) fn asking(number: u128) -> Asking {
    Asking { approval_id: ApprovalId(uuid(20_000 + number)), expires_at: 1_000_000, diff: None }
}

pub(crate) fn decided(position: usize, decision: Decision) -> Input {
    Input::Decided { position, decision, hint: "h".to_owned(), asking: asking(position as u128) }
}

pub(crate) fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

pub(crate) fn row(number: u64, turn: u128, message: Message) -> Row {
    Row {
        id: MessageId(uuid(u128::from(number) + 1_000)),
        seq: number,
        turn_id: TurnId(uuid(turn)),
        parent_id: None,
        message,
        context: None,
        interrupted: false,
        origin: Origin::User,
        client_message_id: None,
        created_at: 0,
    }
}

pub(crate) fn steer(number: u128, text: &str) -> SteerMessage {
    SteerMessage {
        message_id: MessageId(uuid(number)),
        text: text.to_owned(),
        client_message_id: Some(format!("client-{number}")),
        origin: Origin::User,
    }
}

fn spec(name: &str, concurrency: Concurrency) -> ToolSpec {
    ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({
            "type": "object",
            "properties": {"path": {"type": "string"}, "depth": {"type": "integer", "minimum": 1}},
            "required": ["path"],
            "additionalProperties": false
        }),
        concurrency,
    }
}

/// `list_dir` and `read_file` may run together, `snapshot` reads alone, `write_file` changes something.
pub(crate) fn tools() -> Arc<ToolTable> {
    Arc::new(
        [
            spec("list_dir", Concurrency::Shared),
            spec("read_file", Concurrency::Shared),
            spec("snapshot", Concurrency::Alone),
            spec("write_file", Concurrency::Exclusive),
        ]
        .into_iter()
        .collect(),
    )
}
