//! Decodes a Messages answer, streamed or whole, into stream items and the final reply.
//!
//! An answer is whole only when `message_stop` came ("Streaming messages"). The end of the bytes alone is a cut, and a cut answer never
//! brings calls; only that the output limit was reached is believed without it, since nothing is run on the strength of that.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelError, ModelErrorKind, Reply, StreamEnd, StreamItem};
use nanobot_engine::text;
use serde_json::Value;

use super::parts::{Calls, Parts};
use super::usage::Counts;
use crate::provider::answer::Answer;
use crate::provider::errors::{Failure, bad_response, damaged_stream};
use crate::provider::lenient::read_json;
use crate::provider::sse::SseEvent;
use crate::provider::wire::Decoder;

/// Longest quotation of why the provider refused, in characters.
const QUOTE_CHARS: usize = 500;

/// The state of one answer.
#[derive(Debug)]
pub(crate) struct MessagesDecoder {
    provider: String,
    by: String,
    answer: Answer,
    parts: Parts,
    usage: Counts,
    stop: Option<Stop>,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// `message_stop` came, or the whole body was read.
    Signalled,
    /// The end was handed out.
    Over,
}

/// What a stop reason means to us ("Stop reasons").
#[derive(Clone, Debug, PartialEq, Eq)]
enum Stop {
    Complete,
    Length,
    /// The provider goes on when the message is sent back.
    Paused,
    /// A filter stopped the answer, for the reason given.
    Refused(String),
    /// A reason that nobody told us of: an end, but no licence to run calls that are not whole.
    Unknown,
}

impl MessagesDecoder {
    /// A decoder for one answer; `provider` is named in errors, `by` marks what only this model understands.
    pub(crate) fn new(provider: impl Into<String>, by: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            by: by.into(),
            answer: Answer::default(),
            parts: Parts::default(),
            usage: Counts::default(),
            stop: None,
            phase: Phase::Open,
        }
    }

    fn failure(&self, body: &Value) -> ModelError {
        Failure::read(body, None).into_error(&self.provider, None)
    }

    fn take(&mut self, name: &str, event: &Value, items: &mut Vec<StreamItem>) {
        let index = event.get("index").and_then(Value::as_u64).unwrap_or(0);
        let field = |key: &str| event.get(key).unwrap_or(&Value::Null);
        match event.get("type").and_then(Value::as_str).unwrap_or(name) {
            "message_start" => self.usage.update(field("message").get("usage")),
            "content_block_start" => self.parts.start(index, field("content_block"), &mut self.answer, items),
            "content_block_delta" => self.parts.delta(index, field("delta"), &mut self.answer, items),
            "content_block_stop" => self.parts.stop(index, &mut self.answer, items),
            "message_delta" => {
                self.usage.update(event.get("usage"));
                self.stopped(field("delta"));
            }
            "message_stop" => {
                self.phase = Phase::Signalled;
                self.end(items);
            }
            "error" => self.fail(self.failure(event), items),
            _ if field("error").is_object() => self.fail(self.failure(event), items),
            // "Streaming messages": new kinds of events may come, and `ping` says nothing.
            _ => {}
        }
    }

    /// Reads the stop reason of a `message_delta` or of a whole message.
    fn stopped(&mut self, message: &Value) {
        let reason = message.get("stop_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty());
        self.stop = match reason {
            None => return,
            Some("end_turn" | "stop_sequence" | "tool_use") => Some(Stop::Complete),
            Some("max_tokens" | "model_context_window_exceeded") => Some(Stop::Length),
            // "Compaction": a message may be paused behind a summary too.
            Some("pause_turn" | "compaction") => Some(Stop::Paused),
            Some("refusal") => {
                let why = message.pointer("/stop_details/explanation").and_then(Value::as_str).unwrap_or_default();
                Some(Stop::Refused(text::one_line(why, QUOTE_CHARS)))
            }
            Some(_) => Some(Stop::Unknown),
        };
    }

    fn stream_end(&self) -> StreamEnd {
        let is_whole = match &self.stop {
            Some(Stop::Length) => return StreamEnd::Length,
            _ if self.phase != Phase::Signalled => false,
            Some(Stop::Refused(why)) if self.answer.text.trim().is_empty() => {
                return StreamEnd::Error(self.refused(why));
            }
            Some(Stop::Paused) => return StreamEnd::Paused,
            Some(Stop::Complete | Stop::Refused(_)) => true,
            Some(Stop::Unknown) | None => self.parts.calls_are_whole(),
        };
        match is_whole {
            false => StreamEnd::Truncated,
            true if self.answer.is_blank() && !self.parts.has_calls() => StreamEnd::Empty,
            true => StreamEnd::Complete,
        }
    }

    fn refused(&self, why: &str) -> ModelError {
        let opening = format!(
            "{} refused to answer this conversation: put the question in other words or choose another model",
            self.provider
        );
        let detail = if why.is_empty() { opening } else { format!("{opening}. It said: {why}") };
        ModelError::new(ModelErrorKind::Refusal, detail)
    }

    fn hand_out(&mut self, mut end: StreamEnd, items: &mut Vec<StreamItem>) {
        let calls = match (&end, &self.stop) {
            (StreamEnd::Complete, Some(Stop::Refused(_))) => Calls::LeftOut,
            (StreamEnd::Complete, _) => Calls::HandedOut,
            _ => Calls::LeftOut,
        };
        let mut blocks = std::mem::take(&mut self.parts).into_blocks(&self.by, calls);
        if end == StreamEnd::Paused {
            // There has to be something to send back.
            match blocks.is_empty() {
                true => end = StreamEnd::Empty,
                false => blocks.push(Block::Pause),
            }
        }
        self.phase = Phase::Over;
        items.push(StreamItem::End(Box::new(Reply { end, blocks, usage: self.usage.usage() })));
    }
}

impl Decoder for MessagesDecoder {
    fn event(&mut self, event: SseEvent<'_>, items: &mut Vec<StreamItem>) {
        let data = event.data.trim();
        // `[DONE]` belongs to another protocol; some servers send it in this one too.
        if self.is_over() || data.is_empty() || data == "[DONE]" {
            return;
        }
        match read_json(data) {
            Ok(value) if event.name == "error" => self.fail(self.failure(&value), items),
            Ok(value) => self.take(event.name, &value, items),
            Err(_) if event.name == "error" => self.fail(self.failure(&Value::String(data.to_owned())), items),
            Err(_) => {
                let what = format!("an event is not JSON: {:?}", text::one_line(data, 80));
                self.fail(damaged_stream(&self.provider, &what), items);
            }
        }
    }

    fn body(&mut self, body: &[u8], items: &mut Vec<StreamItem>) {
        let Ok(message) = serde_json::from_slice::<Value>(body) else {
            self.fail(bad_response(&self.provider, "the body is not JSON"), items);
            return;
        };
        if message.get("error").is_some_and(|error| !error.is_null()) {
            self.fail(self.failure(&message), items);
            return;
        }
        let Some(content) = message.get("content").and_then(Value::as_array) else {
            self.fail(bad_response(&self.provider, "JSON without content"), items);
            return;
        };
        for (index, block) in (0_u64..).zip(content) {
            self.parts.start(index, block, &mut self.answer, items);
            self.parts.stop(index, &mut self.answer, items);
        }
        self.usage.update(message.get("usage"));
        self.stopped(&message);
        self.phase = Phase::Signalled;
        self.end(items);
    }

    fn end(&mut self, items: &mut Vec<StreamItem>) {
        if self.is_over() {
            return;
        }
        self.parts.finish(&mut self.answer, items);
        let end = self.stream_end();
        self.hand_out(end, items);
    }

    fn fail(&mut self, error: ModelError, items: &mut Vec<StreamItem>) {
        if self.is_over() {
            return;
        }
        self.parts.finish(&mut self.answer, items);
        self.hand_out(StreamEnd::Error(error), items);
    }

    /// `message_stop` ends the answer at once, and nothing else is the end of it.
    fn is_finished(&self) -> bool {
        false
    }

    fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }
}
