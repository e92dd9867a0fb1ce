//! What clients send.

use nanobot_engine::approval::ApprovalDecision;
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, TurnId};
use nanobot_runtime::plain::plain;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::extract::present;

/// A command, or why a frame is none.
#[derive(Debug)]
pub(super) enum Parsed {
    Command(Command),
    /// Plain text for the connection's own chat.
    Legacy(String),
    Bad {
        code: &'static str,
        detail: String,
    },
    /// A command with a field that does not fit.
    BadField(Box<BadField>),
}

/// What does not fit, and what the command was about, as far as that can be read.
#[derive(Debug)]
pub(super) struct BadField {
    pub(super) detail: String,
    pub(super) chat_id: Option<SessionId>,
    pub(super) client_message_id: Option<String>,
    pub(super) approval_id: Option<ApprovalId>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Command {
    NewChat(NewChat),
    Attach(Attach),
    Detach(Chat),
    Message(Box<Message>),
    Stop(Chat),
    Retry(Retry),
    Approve(Box<Approve>),
    Ping(Ping),
}

#[derive(Debug, Deserialize)]
pub(super) struct NewChat {
    /// The same key again attaches the session that it made.
    pub(super) idempotency_key: Option<String>,
    pub(super) title: Option<String>,
    pub(super) preset: Option<String>,
    pub(super) workspace: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Attach {
    pub(super) chat_id: SessionId,
    #[serde(default)]
    pub(super) after_seq: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct Chat {
    pub(super) chat_id: SessionId,
}

#[derive(Debug, Deserialize)]
pub(super) struct Retry {
    pub(super) chat_id: SessionId,
    pub(super) turn_id: TurnId,
    pub(super) client_message_id: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Approve {
    pub(super) approval_id: ApprovalId,
    pub(super) decision: ApprovalDecision,
    pub(super) arguments: Option<Map<String, Value>>,
    pub(super) reason: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Ping {}

#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) chat_id: SessionId,
    pub(super) content: String,
    #[serde(default)]
    pub(super) attachments: Vec<String>,
    #[serde(default)]
    pub(super) mode: crate::routes::turns::Mode,
    #[serde(default, deserialize_with = "present")]
    pub(super) parent_message_id: Option<Option<MessageId>>,
    pub(super) preset: Option<String>,
    pub(super) client_message_id: Option<String>,
}

const TYPES: [&str; 9] =
    ["new_chat", "attach", "detach", "message", "stop", "retry", "ping", "approve", "cancel_subagent"];

/// Understands a text frame.
pub(super) fn parse(text: &str) -> Parsed {
    let Ok(Value::Object(object)) = serde_json::from_str::<Value>(text) else {
        return match serde_json::from_str::<String>(text) {
            Ok(string) => Parsed::Legacy(string),
            // A list or a number is more likely a mistake than something to say.
            Err(_) if serde_json::from_str::<Value>(text).is_ok() => Parsed::Bad {
                code: "bad_frame",
                detail: "a frame is an object with a `type`, or plain text".to_owned(),
            },
            Err(_) if text.trim_start().starts_with('{') => Parsed::Bad {
                code: "bad_frame",
                detail: "the frame begins like an object but is no JSON; was it cut?".to_owned(),
            },
            Err(_) => Parsed::Legacy(text.to_owned()),
        };
    };
    let Some(kind) = object.get("type") else {
        let text = ["content", "text", "message"].iter().find_map(|key| object.get(*key).and_then(Value::as_str));
        return match text {
            Some(text) => Parsed::Legacy(text.to_owned()),
            None => Parsed::Bad {
                code: "bad_frame",
                detail: "the frame has no `type`; see docs/PROTOCOL.md for the commands".to_owned(),
            },
        };
    };
    let Some(kind) = kind.as_str() else {
        return Parsed::Bad { code: "bad_frame", detail: "`type` must be a string".to_owned() };
    };
    if !TYPES.contains(&kind) {
        let kind = nanobot_engine::text::ellipsis(kind, 40);
        return Parsed::Bad { code: "unknown_type", detail: format!("there is no command {kind:?}") };
    }
    if kind == "cancel_subagent" {
        return Parsed::Bad { code: "not_found", detail: format!("there is nothing to {kind} here") };
    }
    let kind = kind.to_owned();
    let text = |field: &str| object.get(field).and_then(Value::as_str).map(str::to_owned);
    let about = BadField {
        detail: String::new(),
        chat_id: text("chat_id").and_then(|id| id.parse().ok()),
        client_message_id: text("client_message_id"),
        approval_id: text("approval_id").and_then(|id| id.parse().ok()),
    };
    match serde_path_to_error::deserialize(Value::Object(object)) {
        Ok(command) => Parsed::Command(command),
        Err(error) => {
            let path = error.path().to_string();
            let place = if path == "." { kind } else { format!("{kind}: {path}") };
            let detail = format!("{place}: {}", plain(&error.into_inner().to_string()));
            Parsed::BadField(Box::new(BadField { detail, ..about }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> &'static str {
        match parse(text) {
            Parsed::Bad { code, .. } => code,
            Parsed::BadField(_) => "bad_field",
            Parsed::Legacy(_) => "legacy",
            Parsed::Command(_) => "command",
        }
    }

    #[test]
    fn frames_are_told_apart() {
        assert_eq!(code(r#"{"type":"ping"}"#), "command");
        assert_eq!(code(r#"{"type":"ping","extra":1}"#), "command");
        assert_eq!(code("hello there"), "legacy");
        assert_eq!(code("{\"type\":\"mess"), "bad_frame");
        assert_eq!(code(r#""hello""#), "legacy");
        assert_eq!(code(r#"{"content":"hi"}"#), "legacy");
        assert_eq!(code(r#"{"text":"hi"}"#), "legacy");
        assert_eq!(code("[1,2]"), "bad_frame");
        assert_eq!(code("42"), "bad_frame");
        assert_eq!(code("{}"), "bad_frame");
        assert_eq!(code(r#"{"type":7}"#), "bad_frame");
        assert_eq!(code(r#"{"type":"nope"}"#), "unknown_type");
        assert_eq!(code(r#"{"type":"attach"}"#), "bad_field");
        assert_eq!(code(r#"{"type":"attach","chat_id":"x"}"#), "bad_field");
        assert_eq!(
            code(r#"{"type":"message","chat_id":"018f0000-0000-7000-8000-000000000000","content":5}"#),
            "bad_field"
        );
    }
}
