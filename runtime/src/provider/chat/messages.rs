//! Projects a conversation onto the messages of a Chat Completions request.
//!
//! The projection holds to what the strictest servers ask: a user message first and nothing of the assistant last, no blank message, no
//! two messages of one role in a row, exactly one result for each call and no result without one. The log itself is never changed.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::ModelRequest;
use serde_json::Value;

use super::dialect::Dialect;
use super::parts::{Content, ExtraContent, File, ImageUrl, Part, WireCall, WireFunction, WireMessage, push_part};
use super::terms::{AfterResults, CallProof, Feature, IdForm, ReasoningReplay, UserMedia};
use crate::provider::clean::{ASSISTANT_FIRST, arguments_text, clean, is_blank};
use crate::provider::ids::WireIds;
use crate::provider::names::legal_name;
use crate::provider::open_calls::OpenCalls;

/// Stands where a request needs a question and the conversation has none.
const NOTHING_SAID: &str = "(no message)";
/// Stands between results and the user's words where the server wants the assistant to speak.
const SPOKE_NEXT: &str = "(The user spoke next.)";
/// What Google documents for calls whose signature is not known: "skip_thought_signature_validator" in its guide to thought signatures.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// Longest name that all servers take.
const MAX_NAME_CHARS: usize = 64;
/// Stands for a name that never came.
const NAMELESS: &str = "unnamed";
/// Type of the provider item that holds `reasoning_details`.
pub(crate) const DETAILS: &str = "reasoning_details";

/// What the messages of one request are written for.
#[derive(Clone, Copy)]
pub(crate) struct Target<'a> {
    pub(crate) dialect: Dialect<'a>,
    /// Provider and model: sealed things of others are left out.
    pub(crate) by: &'a str,
    /// Missing reasoning is sent as "".
    pub(crate) backfill: bool,
}

/// The system prompt and the conversation, ready to be sent.
pub(crate) fn project<'a>(request: &'a ModelRequest, target: Target<'a>) -> Vec<WireMessage<'a>> {
    let mut ids = WireIds::default();
    if target.dialect.ids == IdForm::NineAlphanumeric {
        ids = WireIds::nine_alphanumeric();
    }
    let mut out = Projection { out: Vec::new(), ids, open: OpenCalls::default(), request, target };
    for message in &request.messages {
        match message.role {
            Role::User => out.user(message),
            Role::Assistant => out.assistant(message),
            Role::Tool => out.open.take_results(message),
            Role::Notice => {}
        }
    }
    let mut messages = out.finish();
    if target.dialect.cache_markers == Feature::On && !request.plain {
        mark(&mut messages);
    }
    messages
}

/// Puts cache markers on the system prompt and on the last two user messages.
fn mark(messages: &mut [WireMessage<'_>]) {
    let mut users = 0;
    for message in messages.iter_mut().rev() {
        match message {
            WireMessage::User { content } if users < 2 => {
                content.mark();
                users += 1;
            }
            WireMessage::System { content } => content.mark(),
            _ => {}
        }
    }
}

struct Projection<'a> {
    out: Vec<WireMessage<'a>>,
    ids: WireIds,
    open: OpenCalls<'a>,
    request: &'a ModelRequest,
    target: Target<'a>,
}

impl<'a> Projection<'a> {
    fn user(&mut self, message: &'a Message) {
        let mut parts = Vec::new();
        let mut after_text = true;
        for block in &message.blocks {
            let Some(part) = self.part(block) else { continue };
            let is_text = matches!(block, Block::Text { .. });
            push_part(&mut parts, part, if is_text && after_text { "" } else { "\n\n" });
            after_text = is_text;
        }
        if parts.is_empty() {
            return;
        }
        self.close_calls();
        let mut all = match self.out.pop() {
            Some(WireMessage::User { content }) => content.into_parts(),
            Some(other) => {
                let is_result = matches!(other, WireMessage::Tool { .. });
                self.out.push(other);
                if is_result && self.target.dialect.after_results == AfterResults::Assistant {
                    self.out.push(spoken(Cow::Borrowed(SPOKE_NEXT)));
                }
                Vec::new()
            }
            None => Vec::new(),
        };
        for part in parts {
            push_part(&mut all, part, "\n\n");
        }
        self.out.push(WireMessage::User { content: Content::from_parts(all) });
    }

    fn part(&self, block: &'a Block) -> Option<Part<'a>> {
        let media = if self.request.plain { UserMedia::Text } else { self.target.dialect.media };
        match block {
            Block::Text { text } => (!is_blank(text)).then(|| Part::text(clean(text))),
            Block::Image { mime, media_id } => {
                Some(match self.request.media.get(media_id).filter(|_| media != UserMedia::Text) {
                    Some(base64) => {
                        Part::ImageUrl { image_url: ImageUrl { url: format!("data:{mime};base64,{base64}") } }
                    }
                    None => Part::text(format!("[an image ({}) that could not be sent]", clean(mime))),
                })
            }
            Block::Document { mime, name, media_id } => {
                Some(self.document(mime, clean(name), self.request.media.get(media_id), media))
            }
            Block::Call(_)
            | Block::Result { .. }
            | Block::Thinking { .. }
            | Block::ProviderItem { .. }
            | Block::Pause => None,
        }
    }

    fn document(&self, mime: &str, name: Cow<'a, str>, base64: Option<&str>, media: UserMedia) -> Part<'a> {
        let is_text = mime.starts_with("text/") || mime == "application/json";
        if is_text
            && let Some(bytes) = base64.and_then(|base64| STANDARD.decode(base64).ok())
            && let Ok(text) = String::from_utf8(bytes)
        {
            return Part::text(format!("[file {name}]\n{}", clean(&text)));
        }
        match base64.filter(|_| media == UserMedia::ImagesAndFiles) {
            Some(base64) => {
                Part::File { file: File { filename: name, file_data: format!("data:{mime};base64,{base64}") } }
            }
            None => Part::text(format!("[a document {name:?} ({}) that could not be sent]", clean(mime))),
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
        if content.is_none() && message.calls().next().is_none() {
            return;
        }
        let mut details = self.details(message);
        let mut reasoning = if details.is_empty() { self.reasoning(message) } else { None };
        self.close_calls();
        match self.out.pop() {
            // Calls are followed by their results, so an assistant message before this one has text alone.
            Some(WireMessage::Assistant {
                content: Some(before),
                reasoning_content,
                reasoning_details: mut earlier,
                ..
            }) => {
                let mut joined = Some(before);
                if let Some(more) = content.take() {
                    join(&mut joined, more, "\n\n");
                }
                content = joined;
                reasoning = reasoning.or(reasoning_content);
                earlier.append(&mut details);
                details = earlier;
            }
            Some(other) => self.out.push(other),
            None => {}
        }
        if self.target.backfill && reasoning.is_none() {
            reasoning = Some(String::new());
        }
        let tool_calls = self.calls(message);
        self.out.push(WireMessage::Assistant {
            content,
            reasoning_content: reasoning,
            reasoning_details: details,
            tool_calls,
        });
    }

    /// Earlier reasoning in the open, where the server wants it.
    fn reasoning(&self, message: &Message) -> Option<String> {
        match self.target.dialect.replay {
            _ if self.request.plain => None,
            ReasoningReplay::Omit | ReasoningReplay::Details => None,
            ReasoningReplay::Content | ReasoningReplay::DetailsOrContent => {
                message.reasoning().map(|text| clean(&text).into_owned()).filter(|text| !is_blank(text))
            }
        }
    }

    /// Sealed reasoning of this very model, unchanged.
    fn details(&self, message: &'a Message) -> Vec<&'a Value> {
        let wanted = matches!(self.target.dialect.replay, ReasoningReplay::Details | ReasoningReplay::DetailsOrContent);
        if self.request.plain || !wanted {
            return Vec::new();
        }
        let mut all = Vec::new();
        for block in &message.blocks {
            if let Block::ProviderItem { by, item } = block
                && by == self.target.by
                && item.get("type").and_then(Value::as_str) == Some(DETAILS)
            {
                all.extend(item.get(DETAILS).and_then(Value::as_array).into_iter().flatten());
            }
        }
        all
    }

    fn calls(&mut self, message: &'a Message) -> Vec<WireCall<'a>> {
        let mut out = Vec::new();
        for (position, call) in message.calls().enumerate() {
            let wire_id = self.ids.assign(&call.id);
            self.open.push(&call.id, wire_id.clone());
            let function = WireFunction {
                name: legal_name(&call.name, MAX_NAME_CHARS, NAMELESS),
                arguments: arguments_text(call),
            };
            let extra_content = self.proof(call, position);
            out.push(WireCall { id: wire_id, kind: "function", function, extra_content });
        }
        out
    }

    fn proof(&self, call: &'a ToolCall, position: usize) -> Option<ExtraContent<'a>> {
        if self.target.dialect.proof == CallProof::None {
            return None;
        }
        let ours = call.signature.as_ref().filter(|signature| signature.by == self.target.by && !self.request.plain);
        match ours {
            Some(signature) => Some(ExtraContent::signed(&signature.value)),
            None => (position == 0).then(|| ExtraContent::signed(NO_SIGNATURE)),
        }
    }

    fn close_calls(&mut self) {
        for (tool_call_id, content) in self.open.close() {
            self.out.push(WireMessage::Tool { tool_call_id, content });
        }
    }

    fn finish(mut self) -> Vec<WireMessage<'a>> {
        self.close_calls();
        let mut last_answer = None;
        if let Some(WireMessage::Assistant { .. }) = self.out.last() {
            last_answer = self.out.pop();
        }
        let mut head = Vec::new();
        let system = &*self.request.system;
        if !is_blank(system) {
            head.push(WireMessage::System { content: Content::Text(clean(system)) });
        }
        let user = |text| WireMessage::User { content: Content::Text(text) };
        match (self.out.first(), last_answer) {
            (Some(WireMessage::Assistant { .. }), _) => head.push(user(Cow::Borrowed(ASSISTANT_FIRST))),
            // Nothing but the assistant's own words: they become the question, since a request needs one.
            (None, Some(WireMessage::Assistant { content: Some(content), .. })) => head.push(user(content)),
            (None, _) => head.push(user(Cow::Borrowed(NOTHING_SAID))),
            _ => {}
        }
        head.append(&mut self.out);
        head
    }
}

fn spoken(text: Cow<'_, str>) -> WireMessage<'_> {
    WireMessage::Assistant {
        content: Some(text),
        reasoning_content: None,
        reasoning_details: Vec::new(),
        tool_calls: Vec::new(),
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
