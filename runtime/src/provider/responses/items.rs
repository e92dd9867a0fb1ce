//! Projects a conversation onto the input items of a Responses request.
//!
//! The projection holds to what the strictest servers ask: a user message first and nothing of the assistant last, nothing blank, exactly
//! one output for each call and no output without one, a sealed item only in its own place. The log itself is never changed.

use std::borrow::Cow;
use std::collections::HashSet;

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ModelRequest;
use serde::Serialize;
use serde_json::Value;

use super::documents::{MediaBytes, UserPart, user_part};
use super::hosted;
use crate::provider::clean::{ASSISTANT_FIRST, arguments_text, clean, is_blank};
use crate::provider::ids::WireIds;
use crate::provider::names::legal_name;
use crate::provider::open_calls::OpenCalls;

/// Longest name of a function that the API takes.
const MAX_NAME_CHARS: usize = 128;
/// Stands for a name that never came.
const NAMELESS: &str = "unnamed";

/// One input item.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum InputItem<'a> {
    Typed(TypedItem<'a>),
    /// Only the server that made it understands it.
    Sealed(&'a Value),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum TypedItem<'a> {
    Message(RoleMessage<'a>),
    FunctionCall { call_id: String, name: Cow<'a, str>, arguments: String },
    FunctionCallOutput { call_id: String, output: Cow<'a, str> },
}

#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum RoleMessage<'a> {
    User {
        content: UserContent<'a>,
    },
    /// As plain text: without the id of an output message, this is the form that all servers take.
    Assistant {
        content: Cow<'a, str>,
    },
}

/// Text alone, or parts when there are media.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum UserContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<UserPart<'a>>),
}

/// The conversation, ready to be sent to `by`.
pub(crate) fn project<'a>(request: &'a ModelRequest, by: &str) -> Vec<InputItem<'a>> {
    let (media, sealed_by) =
        if request.plain { (MediaBytes::Named, None) } else { (MediaBytes::Sent(&request.media), Some(by)) };
    let mut out = Projection {
        out: Vec::new(),
        ids: WireIds::default(),
        open: OpenCalls::default(),
        sealed_ids: HashSet::new(),
        sealed_by,
        media,
    };
    for message in &request.messages {
        match message.role {
            Role::User => out.user(message),
            Role::Assistant => out.assistant(message),
            Role::Tool => out.open.take_results(message),
            Role::Notice => {}
        }
    }
    out.finish()
}

struct Projection<'a, 'b> {
    out: Vec<InputItem<'a>>,
    ids: WireIds,
    open: OpenCalls<'a>,
    /// Ids of the sealed items so far, since one that comes twice is refused.
    sealed_ids: HashSet<&'a str>,
    /// Whose sealed items go back; `None`: nobody's.
    sealed_by: Option<&'b str>,
    media: MediaBytes<'a>,
}

impl<'a> Projection<'a, '_> {
    fn user(&mut self, message: &'a Message) {
        let mut parts = Vec::new();
        let mut after_text = false;
        for block in &message.blocks {
            let Some(part) = user_part(block, self.media) else { continue };
            let is_text = matches!(block, Block::Text { .. });
            push_part(&mut parts, part, if is_text && after_text { "" } else { "\n\n" });
            after_text = is_text;
        }
        if parts.is_empty() {
            return;
        }
        self.close_calls();
        let mut all = match self.out.pop() {
            Some(InputItem::Typed(TypedItem::Message(RoleMessage::User { content }))) => content.into_parts(),
            Some(other) => {
                self.out.push(other);
                Vec::new()
            }
            None => Vec::new(),
        };
        for part in parts {
            push_part(&mut all, part, "\n\n");
        }
        self.out.push(user_item(UserContent::from_parts(all)));
    }

    /// Sealed items wait until a text or call of their own message follows them: alone they are refused.
    fn assistant(&mut self, message: &'a Message) {
        let has_text = message.blocks.iter().any(|block| matches!(block, Block::Text { text } if !is_blank(text)));
        if !has_text && message.calls().next().is_none() {
            return;
        }
        self.close_calls();
        let mut sealed = Vec::new();
        let mut place = Place::Open;
        // Texts that follow each other in one message are one text; a text of the message before stands apart.
        let mut separator = "\n\n";
        for block in &message.blocks {
            match block {
                Block::Text { text } if is_blank(text) => {
                    if separator.is_empty() && sealed.is_empty() {
                        self.assistant_space(&clean(text));
                    }
                }
                Block::Text { text } => {
                    self.flush(&mut sealed);
                    self.assistant_text(clean(text), separator);
                    place = Place::Open;
                    separator = "";
                }
                Block::Call(call) => {
                    self.flush(&mut sealed);
                    self.call(call);
                    place = Place::Open;
                }
                Block::ProviderItem { by, item } if self.sealed_by == Some(by.as_str()) => {
                    place = self.seal(item, place, &mut sealed);
                }
                Block::ProviderItem { .. }
                | Block::Thinking { .. }
                | Block::Image { .. }
                | Block::Document { .. }
                | Block::Result { .. }
                | Block::Pause => {}
            }
        }
    }

    fn seal(&self, item: &'a Value, place: Place, sealed: &mut Vec<&'a Value>) -> Place {
        let id = item.get("id").and_then(Value::as_str);
        let is_new = id.is_none_or(|id| {
            !self.sealed_ids.contains(id)
                && !sealed.iter().any(|item| item.get("id").and_then(Value::as_str) == Some(id))
        });
        match item.get("type").and_then(Value::as_str) {
            Some("reasoning") if is_new && has_substance(item) => {
                sealed.push(item);
                Place::Open
            }
            Some("reasoning") => Place::AfterGap,
            // What a hosted tool did is only taken together with the reasoning that led to it.
            Some(kind) if hosted::is_hosted(kind) && is_new && place == Place::Open => {
                sealed.push(item);
                place
            }
            _ => place,
        }
    }

    fn flush(&mut self, sealed: &mut Vec<&'a Value>) {
        for item in sealed.drain(..) {
            self.sealed_ids.extend(item.get("id").and_then(Value::as_str));
            self.out.push(InputItem::Sealed(item));
        }
    }

    fn assistant_text(&mut self, text: Cow<'a, str>, separator: &str) {
        if let Some(InputItem::Typed(TypedItem::Message(RoleMessage::Assistant { content }))) = self.out.last_mut() {
            let content = content.to_mut();
            content.push_str(separator);
            content.push_str(&text);
            return;
        }
        self.out.push(InputItem::Typed(TypedItem::Message(RoleMessage::Assistant { content: text })));
    }

    /// White space between two texts of one message.
    fn assistant_space(&mut self, space: &str) {
        if let Some(InputItem::Typed(TypedItem::Message(RoleMessage::Assistant { content }))) = self.out.last_mut() {
            content.to_mut().push_str(space);
        }
    }

    fn call(&mut self, call: &'a ToolCall) {
        let call_id = self.ids.assign(&call.id);
        self.open.push(&call.id, call_id.clone());
        let item = TypedItem::FunctionCall {
            call_id,
            name: legal_name(&call.name, MAX_NAME_CHARS, NAMELESS),
            arguments: arguments_text(call),
        };
        self.out.push(InputItem::Typed(item));
    }

    fn close_calls(&mut self) {
        for (call_id, output) in self.open.close() {
            self.out.push(InputItem::Typed(TypedItem::FunctionCallOutput { call_id, output }));
        }
    }

    fn finish(mut self) -> Vec<InputItem<'a>> {
        self.close_calls();
        let mut last_answer: Option<Cow<'a, str>> = None;
        loop {
            match self.out.pop() {
                Some(InputItem::Sealed(_)) => {}
                Some(InputItem::Typed(TypedItem::Message(RoleMessage::Assistant { content }))) => {
                    last_answer = Some(match last_answer {
                        Some(after) => Cow::Owned(format!("{content}\n\n{after}")),
                        None => content,
                    });
                }
                Some(other) => {
                    self.out.push(other);
                    break;
                }
                None => break,
            }
        }
        let first = match (self.out.first(), last_answer) {
            (Some(InputItem::Typed(TypedItem::Message(RoleMessage::User { .. }))), _) | (None, None) => None,
            (Some(_), _) => Some(Cow::Borrowed(ASSISTANT_FIRST)),
            // Nothing but the assistant's own words: they become the question, since a request needs one.
            (None, Some(answer)) => Some(answer),
        };
        let mut head: Vec<InputItem<'a>> = first.into_iter().map(|text| user_item(UserContent::Text(text))).collect();
        head.append(&mut self.out);
        head
    }
}

/// Is the place after the items so far one for what a hosted tool did?
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Open,
    /// The reasoning before it is not sent.
    AfterGap,
}

/// Is there something in a reasoning item that the server does not have to look up? Nothing is stored there.
fn has_substance(item: &Value) -> bool {
    let is_encrypted = item.get("encrypted_content").and_then(Value::as_str).is_some_and(|text| !text.is_empty());
    is_encrypted || item.get("content").and_then(Value::as_array).is_some_and(|content| !content.is_empty())
}

fn user_item(content: UserContent<'_>) -> InputItem<'_> {
    InputItem::Typed(TypedItem::Message(RoleMessage::User { content }))
}

impl<'a> UserContent<'a> {
    fn into_parts(self) -> Vec<UserPart<'a>> {
        match self {
            Self::Text(text) => vec![UserPart::Text { text }],
            Self::Parts(parts) => parts,
        }
    }

    fn from_parts(mut parts: Vec<UserPart<'a>>) -> Self {
        match parts.pop() {
            Some(UserPart::Text { text }) if parts.is_empty() => Self::Text(text),
            Some(last) => {
                parts.push(last);
                Self::Parts(parts)
            }
            None => Self::Parts(parts),
        }
    }
}

fn push_part<'a>(parts: &mut Vec<UserPart<'a>>, part: UserPart<'a>, separator: &str) {
    match (parts.last_mut(), part) {
        (Some(UserPart::Text { text: before }), UserPart::Text { text }) => {
            let joined = before.to_mut();
            joined.push_str(separator);
            joined.push_str(&text);
        }
        (_, part) => parts.push(part),
    }
}
