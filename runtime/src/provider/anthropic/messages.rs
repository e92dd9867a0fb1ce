//! Projects a conversation onto the messages of a Messages request.
//!
//! The projection holds to what the API asks ("Messages", "Tool use", "Extended thinking"): the user first, roles in turn, no blank text,
//! one result for each call at the start of the very next message, nothing of the assistant last but what it is to go on with. The log
//! itself is never changed.

use std::borrow::Cow;
use std::mem;

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{Media, ModelRequest};
use nanobot_engine::tool::CallStatus;
use serde_json::Value;

use super::blocks::{ResultContent, WireBlock, WireMessage, WireRole, item_type};
use super::media::media_block;
use super::sealed::{Resumed, make_legal};
use crate::provider::clean::{ASSISTANT_FIRST, BLANK_RESULT, LOST_RESULT, clean, clean_arguments, is_blank};
use crate::provider::ids::WireIds;
use crate::provider::names::legal_name;

/// Asks another model to go on with what one had paused in, or any model where there is nothing else to send.
pub(crate) const GO_ON: &str = "(go on)";
/// Longest tool name that the API takes.
const MAX_NAME_CHARS: usize = 128;
/// In place of a tool name that is blank.
const NAMELESS: &str = "unknown";

/// The conversation, ready to be sent to `by`.
pub(crate) fn project<'a>(request: &'a ModelRequest, by: &str) -> Vec<WireMessage<'a>> {
    // "Tool use": blocks of calls and results are refused in a request that defines no tools.
    let form = match request.messages.iter().any(|message| message.calls().next().is_some()) {
        true if request.tools.is_empty() => CallForm::Words,
        _ => CallForm::Blocks,
    };
    let mut out = Projection {
        out: Vec::new(),
        ids: WireIds::default(),
        open: Vec::new(),
        pause: Pause::No,
        by,
        media: (!request.plain).then_some(&request.media),
        seal: if request.plain || form == CallForm::Words { Seal::LeftOut } else { Seal::SentBack },
        form,
    };
    for message in &request.messages {
        match message.role {
            Role::User => out.user(message),
            Role::Assistant => out.assistant(message),
            Role::Tool => out.results(message),
            Role::Notice => {}
        }
    }
    out.finish()
}

/// How calls and their results are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CallForm {
    Blocks,
    Words,
}

/// What becomes of signed thinking and of the provider's own items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seal {
    SentBack,
    LeftOut,
}

/// Did the latest message end with a pause?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pause {
    No,
    /// Of the model that is asked now.
    Ours,
    /// Of another model, or what it sealed is left out.
    Others,
}

/// A call that waits for its result.
struct OpenCall<'a> {
    id: &'a str,
    wire_id: String,
    name: Cow<'a, str>,
    result: Option<CallResult<'a>>,
}

struct CallResult<'a> {
    text: Cow<'a, str>,
    is_error: bool,
    media: Vec<WireBlock<'a>>,
}

struct Projection<'a, 'b> {
    out: Vec<WireMessage<'a>>,
    ids: WireIds,
    open: Vec<OpenCall<'a>>,
    pause: Pause,
    by: &'b str,
    media: Option<&'a Media>,
    seal: Seal,
    form: CallForm,
}

impl<'a> Projection<'a, '_> {
    fn push(&mut self, role: WireRole, content: Vec<WireBlock<'a>>) {
        self.pause = Pause::No;
        match self.out.last_mut() {
            Some(last) if last.role == role => last.content.extend(content),
            _ => self.out.push(WireMessage { role, content }),
        }
    }

    fn user(&mut self, message: &'a Message) {
        let block = |block: &'a Block| match block {
            Block::Text { text } => visible(text),
            other => media_block(other, self.media),
        };
        let content: Vec<_> = message.blocks.iter().filter_map(block).collect();
        if !content.is_empty() {
            self.close_calls();
            self.push(WireRole::User, content);
        }
    }

    fn assistant(&mut self, message: &'a Message) {
        let mut content = Vec::new();
        let mut opened = Vec::new();
        for block in &message.blocks {
            match block {
                Block::Text { text } => content.extend(visible(text)),
                Block::Call(call) => {
                    let wire_id = self.ids.assign(&call.id);
                    let name = wire_name(call);
                    content.push(self.call(call, &name, &wire_id));
                    opened.push(OpenCall { id: &call.id, wire_id, name, result: None });
                }
                Block::Thinking { text, signature: Some(signature) } if self.is_sent_back(&signature.by) => {
                    content.push(WireBlock::Thinking { thinking: text, signature: &signature.value });
                }
                Block::ProviderItem { by, item } if self.is_sent_back(by) && !item_type(item).is_empty() => {
                    content.push(WireBlock::Sealed(item));
                }
                // Unsigned or foreign thinking is refused, and so are the items of others.
                Block::Thinking { .. } | Block::ProviderItem { .. } => {}
                Block::Image { .. } | Block::Document { .. } | Block::Result { .. } | Block::Pause => {}
            }
        }
        if content.iter().all(WireBlock::is_thinking) {
            return;
        }
        self.close_calls();
        self.push(WireRole::Assistant, content);
        self.open = opened;
        if message.blocks.last() == Some(&Block::Pause) {
            self.pause = self.whose_pause(message);
        }
    }

    fn is_sent_back(&self, by: &str) -> bool {
        self.seal == Seal::SentBack && by == self.by
    }

    fn whose_pause(&self, message: &Message) -> Pause {
        let mut makers = message.blocks.iter().filter_map(|block| match block {
            Block::Thinking { signature: Some(signature), .. } => Some(&signature.by),
            Block::ProviderItem { by, .. } => Some(by),
            _ => None,
        });
        match makers.next() {
            Some(first) if self.is_sent_back(first) && makers.all(|maker| maker == first) => Pause::Ours,
            _ => Pause::Others,
        }
    }

    fn call(&self, call: &'a ToolCall, name: &Cow<'a, str>, wire_id: &str) -> WireBlock<'a> {
        let input = clean_arguments(call);
        match self.form {
            CallForm::Blocks => WireBlock::ToolUse { id: wire_id.to_owned(), name: name.clone(), input },
            CallForm::Words => WireBlock::text(format!("[called {name} with {}]", Value::Object(input.into_owned()))),
        }
    }

    /// Gives each result to the first call of its id that has none; others have nowhere to go. Images behind a result belong to it.
    fn results(&mut self, message: &'a Message) {
        let mut latest = None;
        for block in &message.blocks {
            if let Block::Result { call_id, text, status, .. } = block {
                latest = self.open.iter().position(|call| call.id == call_id && call.result.is_none());
                let text = if is_blank(text) { Cow::Borrowed(BLANK_RESULT) } else { clean(text) };
                if let Some(call) = latest.and_then(|at| self.open.get_mut(at)) {
                    call.result = Some(CallResult { text, is_error: is_error(*status), media: Vec::new() });
                }
            } else if let Some(media) = media_block(block, self.media)
                && let Some(call) = latest.and_then(|at| self.open.get_mut(at))
                && let Some(result) = &mut call.result
            {
                result.media.push(media);
            }
        }
    }

    fn close_calls(&mut self) {
        let open = mem::take(&mut self.open);
        if open.is_empty() {
            return;
        }
        let lost = || CallResult { text: Cow::Borrowed(LOST_RESULT), is_error: true, media: Vec::new() };
        let mut content = Vec::with_capacity(open.len());
        for OpenCall { wire_id, name, result, .. } in open {
            let CallResult { text, is_error, mut media } = result.unwrap_or_else(lost);
            match self.form {
                CallForm::Blocks => {
                    let result = if media.is_empty() {
                        ResultContent::Text(text)
                    } else {
                        media.insert(0, WireBlock::text(text));
                        ResultContent::Blocks(media)
                    };
                    content.push(WireBlock::ToolResult {
                        tool_use_id: wire_id,
                        content: result,
                        is_error,
                        cache_control: None,
                    });
                }
                CallForm::Words => {
                    content.push(WireBlock::text(format!("[result of {name}]\n{text}")));
                    content.append(&mut media);
                }
            }
        }
        self.push(WireRole::User, content);
    }

    fn finish(mut self) -> Vec<WireMessage<'a>> {
        self.close_calls();
        let resumed = if self.pause == Pause::Ours { Resumed::Yes } else { Resumed::No };
        make_legal(&mut self.out, resumed);
        let mut out = self.out;
        let mut last_answer = None;
        match (self.pause, out.last_mut()) {
            (Pause::Ours, Some(last)) if last.role == WireRole::Assistant => trim_end(last),
            (Pause::Others, Some(last)) if last.role == WireRole::Assistant => out.push(user_text(GO_ON)),
            // No prefill: newer models refuse it, and an answer is not to be gone on with unless it was paused.
            (_, Some(last)) if last.role == WireRole::Assistant => last_answer = out.pop(),
            _ => {}
        }
        match out.first().map(|first| first.role) {
            Some(WireRole::User) => {}
            Some(WireRole::Assistant) => out.insert(0, user_text(ASSISTANT_FIRST)),
            // Nothing but the assistant's own words: they become the question, since a request needs one.
            None => {
                let mut content = last_answer.map(|answer| answer.content).unwrap_or_default();
                content.retain(|block| matches!(block, WireBlock::Text { .. }));
                out.push(match content.is_empty() {
                    true => user_text(GO_ON),
                    false => WireMessage { role: WireRole::User, content },
                });
            }
        }
        out
    }
}

fn user_text(text: &'static str) -> WireMessage<'static> {
    WireMessage { role: WireRole::User, content: vec![WireBlock::text(text)] }
}

fn visible(text: &str) -> Option<WireBlock<'_>> {
    (!is_blank(text)).then(|| WireBlock::text(clean(text)))
}

fn is_error(status: CallStatus) -> bool {
    match status {
        CallStatus::Error | CallStatus::Denied | CallStatus::Cancelled | CallStatus::Unknown => true,
        CallStatus::Ok | CallStatus::Intended | CallStatus::Running | CallStatus::Waiting => false,
    }
}

/// The API refuses white space at the end of a message that is gone on with.
fn trim_end(message: &mut WireMessage<'_>) {
    if let Some(WireBlock::Text { text, .. }) = message.content.last_mut() {
        let end = text.trim_end().len();
        text.to_mut().truncate(end);
    }
}

/// "Tool use": names are of the letters, digits, `_` and `-`. A model may have called a name that is none.
fn wire_name(call: &ToolCall) -> Cow<'_, str> {
    legal_name(&call.name, MAX_NAME_CHARS, NAMELESS)
}
