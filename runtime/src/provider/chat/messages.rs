//! Projects a conversation onto the messages of a Chat Completions request.
//!
//! The projection holds to what the strictest servers ask: a user message first and nothing of the assistant last, no blank message, no
//! two messages of one role in a row, exactly one result for each call and no result without one. The log itself is never changed.

use std::borrow::Cow;

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::Media;
use serde::Serialize;

use crate::provider::clean::{ASSISTANT_FIRST, BLANK_RESULT, LOST_RESULT, clean, clean_arguments, is_blank};
use crate::provider::ids::WireIds;

/// Is reasoning of earlier answers sent back?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReasoningReplay {
    /// No: the server would ignore or refuse it.
    #[default]
    Omit,
    /// As `reasoning_content` of the assistant message.
    ReasoningContent,
}

/// One message on the wire.
#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "snake_case")]
pub(crate) enum WireMessage<'a> {
    System {
        content: Cow<'a, str>,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant {
        content: Option<Cow<'a, str>>,
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning_content: Option<String>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        tool_calls: Vec<WireCall<'a>>,
    },
    Tool {
        tool_call_id: String,
        content: Cow<'a, str>,
    },
}

/// Text alone, or parts when there are images.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum UserContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<UserPart<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum UserPart<'a> {
    Text { text: Cow<'a, str> },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Debug, Serialize)]
pub(crate) struct ImageUrl {
    url: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireCall<'a> {
    id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireFunction<'a>,
}

#[derive(Debug, Serialize)]
pub(crate) struct WireFunction<'a> {
    name: Cow<'a, str>,
    arguments: String,
}

/// The system prompt and the conversation, ready to be sent.
pub(crate) fn project<'a>(
    system: &'a str,
    messages: &'a [Message],
    replay: ReasoningReplay,
    media: &'a Media,
) -> Vec<WireMessage<'a>> {
    let mut out = Projection { out: Vec::new(), ids: WireIds::default(), open: Vec::new(), replay, media };
    for message in messages {
        match message.role {
            Role::User => out.user(message),
            Role::Assistant => out.assistant(message),
            Role::Tool => out.results(message),
            Role::Notice => {}
        }
    }
    out.finish(system)
}

/// A call that waits for its result.
struct OpenCall<'a> {
    id: &'a str,
    wire_id: String,
    result: Option<Cow<'a, str>>,
}

struct Projection<'a> {
    out: Vec<WireMessage<'a>>,
    ids: WireIds,
    open: Vec<OpenCall<'a>>,
    replay: ReasoningReplay,
    media: &'a Media,
}

impl<'a> Projection<'a> {
    fn user(&mut self, message: &'a Message) {
        let mut parts = Vec::new();
        for part in message.blocks.iter().filter_map(|block| self.part(block)) {
            push_part(&mut parts, part, "");
        }
        if parts.is_empty() {
            return;
        }
        self.close_calls();
        let mut all = match self.out.pop() {
            Some(WireMessage::User { content }) => content.into_parts(),
            Some(other) => {
                self.out.push(other);
                Vec::new()
            }
            None => Vec::new(),
        };
        for part in parts {
            push_part(&mut all, part, "\n\n");
        }
        self.out.push(WireMessage::User { content: UserContent::from_parts(all) });
    }

    fn part(&self, block: &'a Block) -> Option<UserPart<'a>> {
        match block {
            Block::Text { text } => (!is_blank(text)).then(|| UserPart::Text { text: clean(text) }),
            Block::Image { mime, media_id } => Some(match self.media.get(media_id) {
                Some(base64) => {
                    UserPart::ImageUrl { image_url: ImageUrl { url: format!("data:{mime};base64,{base64}") } }
                }
                None => UserPart::Text { text: Cow::Owned(format!("[an image ({mime}) that could not be sent]")) },
            }),
            _ => None,
        }
    }

    fn assistant(&mut self, message: &'a Message) {
        let mut content: Option<Cow<'a, str>> = None;
        for block in &message.blocks {
            if let Block::Text { text } = block {
                join(&mut content, clean(text), "");
            }
        }
        let mut content = content.filter(|text| !is_blank(text));
        let mut reasoning_content = match self.replay {
            ReasoningReplay::Omit => None,
            ReasoningReplay::ReasoningContent => message.reasoning().map(|text| clean(&text).into_owned()),
        };
        if content.is_none() && message.calls().next().is_none() {
            return;
        }
        self.close_calls();
        match self.out.pop() {
            // Calls are followed by their results, so an assistant message before this one has text alone.
            Some(WireMessage::Assistant { content: Some(before), reasoning_content: reasoning, .. }) => {
                let mut joined = Some(before);
                if let Some(more) = content.take() {
                    join(&mut joined, more, "\n\n");
                }
                content = joined;
                reasoning_content = reasoning_content.or(reasoning);
            }
            Some(other) => self.out.push(other),
            None => {}
        }
        let mut tool_calls = Vec::new();
        for call in message.calls() {
            let wire_id = self.ids.assign(&call.id);
            self.open.push(OpenCall { id: &call.id, wire_id: wire_id.clone(), result: None });
            let function = WireFunction { name: clean(&call.name), arguments: arguments(call) };
            tool_calls.push(WireCall { id: wire_id, kind: "function", function });
        }
        self.out.push(WireMessage::Assistant { content, reasoning_content, tool_calls });
    }

    /// Gives each result to the first call of its id that has none; others have nowhere to go.
    fn results(&mut self, message: &'a Message) {
        for block in &message.blocks {
            let Block::Result { call_id, text, .. } = block else { continue };
            let call = self.open.iter_mut().find(|call| call.id == call_id && call.result.is_none());
            if let Some(call) = call {
                call.result = Some(if is_blank(text) { Cow::Borrowed(BLANK_RESULT) } else { clean(text) });
            }
        }
    }

    fn close_calls(&mut self) {
        for call in self.open.drain(..) {
            let content = call.result.unwrap_or(Cow::Borrowed(LOST_RESULT));
            self.out.push(WireMessage::Tool { tool_call_id: call.wire_id, content });
        }
    }

    fn finish(mut self, system: &'a str) -> Vec<WireMessage<'a>> {
        self.close_calls();
        let mut last_answer = None;
        if let Some(WireMessage::Assistant { .. }) = self.out.last() {
            last_answer = self.out.pop();
        }
        let mut head = Vec::new();
        if !is_blank(system) {
            head.push(WireMessage::System { content: clean(system) });
        }
        match (self.out.first(), last_answer) {
            (Some(WireMessage::Assistant { .. }), _) => {
                head.push(WireMessage::User { content: UserContent::Text(Cow::Borrowed(ASSISTANT_FIRST)) });
            }
            // Nothing but the assistant's own words: they become the question, since a request needs one.
            (None, Some(WireMessage::Assistant { content: Some(content), .. })) => {
                head.push(WireMessage::User { content: UserContent::Text(content) });
            }
            _ => {}
        }
        head.append(&mut self.out);
        head
    }
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

fn join<'a>(joined: &mut Option<Cow<'a, str>>, more: Cow<'a, str>, separator: &str) {
    match joined {
        Some(text) => {
            let text = text.to_mut();
            text.push_str(separator);
            text.push_str(&more);
        }
        None => *joined = Some(more),
    }
}

/// The arguments as the JSON text that the protocol wants.
fn arguments(call: &ToolCall) -> String {
    serde_json::to_string(&*clean_arguments(call)).unwrap_or_else(|_| "{}".to_owned())
}
