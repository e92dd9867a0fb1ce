//! Calls that wait for their results while a conversation is projected.

use std::borrow::Cow;

use nanobot_engine::message::{Block, Message};

use super::clean::{BLANK_RESULT, LOST_RESULT, clean, is_blank};

/// Calls in their order, by the id that our log has and the id on the wire.
#[derive(Default)]
pub(crate) struct OpenCalls<'a>(Vec<OpenCall<'a>>);

struct OpenCall<'a> {
    id: &'a str,
    wire_id: String,
    result: Option<Cow<'a, str>>,
}

impl<'a> OpenCalls<'a> {
    /// A call that needs a result.
    pub(crate) fn push(&mut self, id: &'a str, wire_id: String) {
        self.0.push(OpenCall { id, wire_id, result: None });
    }

    /// Gives each result to the first call of its id that has none; others have nowhere to go.
    pub(crate) fn take_results(&mut self, message: &'a Message) {
        for block in &message.blocks {
            let Block::Result { call_id, text, .. } = block else { continue };
            let call = self.0.iter_mut().find(|call| call.id == call_id && call.result.is_none());
            if let Some(call) = call {
                call.result = Some(if is_blank(text) { Cow::Borrowed(BLANK_RESULT) } else { clean(text) });
            }
        }
    }

    /// All calls by their id on the wire, each with exactly one result.
    pub(crate) fn close(&mut self) -> impl Iterator<Item = (String, Cow<'a, str>)> {
        self.0.drain(..).map(|call| (call.wire_id, call.result.unwrap_or(Cow::Borrowed(LOST_RESULT))))
    }
}
