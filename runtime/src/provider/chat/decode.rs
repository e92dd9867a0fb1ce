//! Decodes a Chat Completions answer, streamed or whole, into stream items and the final reply.
//!
//! An answer is complete only when the server said so: a finish reason, or `[DONE]`. The end of the bytes alone is a cut, whatever came
//! before it, and a cut answer never brings calls.

use std::collections::HashSet;

use nanobot_engine::message::{Block, ToolCall};
use nanobot_engine::model::{ModelError, ModelErrorKind, Reply, StreamEnd, StreamItem};
use nanobot_engine::usage::Usage;
use serde_json::{Value, json};

use super::calls::{CallAssembly, mint};
use super::details::Details;
use super::dialect::ProviderDialect;
use super::messages::DETAILS;
use super::shape::{Labelled, MissingIndex, read_calls, read_text};
use super::usage::read_usage;
use crate::provider::answer::Answer;
use crate::provider::errors::{Failure, bad_response, damaged_stream};
use crate::provider::lenient::read_json;
use crate::provider::markup::MarkedCalls;
use crate::provider::sse::SseEvent;
use crate::provider::wire::Decoder;

/// The state of one answer.
#[derive(Debug)]
pub struct ChatDecoder {
    provider: String,
    /// Provider and model; marks what only they understand.
    by: String,
    dialect: ProviderDialect,
    answer: Answer,
    details: Details,
    calls: CallAssembly,
    usage: Option<Usage>,
    finish: Option<Finish>,
    /// Text or calls came after a finish reason, as from servers that put one on each chunk.
    went_on: bool,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Open,
    /// `[DONE]` came, or the whole body was read.
    Signalled,
    /// The end was handed out.
    Over,
}

/// What a finish reason means to us.
#[derive(Clone, Debug, PartialEq)]
enum Finish {
    Complete,
    Length,
    /// The text is to be taken as it is; calls are not to be run.
    Filtered,
    /// A reason that nobody told us of: an end, but no licence to run calls that are not whole.
    Unknown,
    /// The server gave up, for a reason of its own.
    Failed(String),
    /// The server was stopped before the answer was whole.
    Aborted,
}

impl ChatDecoder {
    /// A decoder for one answer; `provider` is named in errors, `by` marks what only this model understands.
    #[must_use]
    pub fn new(provider: impl Into<String>, by: impl Into<String>, dialect: ProviderDialect) -> Self {
        Self {
            provider: provider.into(),
            by: by.into(),
            dialect,
            answer: Answer::with_markup(),
            details: Details::default(),
            calls: CallAssembly::default(),
            usage: None,
            finish: None,
            went_on: false,
            phase: Phase::Open,
        }
    }

    fn failure(&self, body: &Value) -> ModelError {
        Failure::read(body, None).into_error(&self.provider, None)
    }

    fn chunk(&mut self, chunk: &Value, missing: MissingIndex, items: &mut Vec<StreamItem>) {
        if is_error(chunk) {
            self.fail(self.failure(chunk), items);
            return;
        }
        let usage = chunk.get("usage").or_else(|| chunk.pointer("/x_groq/usage"));
        self.usage = usage.and_then(read_usage).or(self.usage);
        for choice in chunk.get("choices").and_then(Value::as_array).into_iter().flatten() {
            // Only one answer was asked for; others are a server's extra.
            if choice.get("index").and_then(Value::as_u64).unwrap_or(0) != 0 {
                continue;
            }
            if is_error(choice) {
                self.fail(self.failure(choice), items);
                return;
            }
            self.choice(choice, missing, items);
        }
    }

    fn choice(&mut self, choice: &Value, missing: MissingIndex, items: &mut Vec<StreamItem>) {
        let object = |key: &str| choice.get(key).filter(|value| value.is_object());
        if let Some(delta) = object("delta").or_else(|| object("message")) {
            let answer = &mut self.answer;
            let mut has_news = false;
            read_text(delta, |piece| match piece {
                Labelled::Reasoning(more) => {
                    has_news |= !more.is_empty();
                    answer.reasoning(more, items);
                }
                Labelled::Content(more) => {
                    has_news |= !more.is_empty();
                    answer.content(more, items);
                }
                Labelled::Refusal(more) => {
                    has_news |= !more.is_empty();
                    answer.text(more, items);
                }
            });
            self.details.add(delta.get("reasoning_details"));
            read_calls(delta, missing, |fragment| {
                has_news = true;
                self.calls.add(fragment);
            });
            self.went_on |= has_news && self.finish.is_some();
        }
        if let Some(usage) = choice.get("usage").and_then(read_usage) {
            self.usage = Some(usage);
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str).filter(|reason| !reason.is_empty()) {
            self.finish = Some(Finish::read(reason));
        }
    }

    fn stream_end(&self, has_marked_calls: bool) -> StreamEnd {
        let signalled = self.phase == Phase::Signalled;
        let complete = match &self.finish {
            Some(Finish::Length) => return StreamEnd::Length,
            Some(Finish::Failed(reason)) => {
                let message = format!("finish_reason {reason}");
                let failure = Failure { message: &message, ..Failure::default() };
                return StreamEnd::Error(failure.into_error(&self.provider, None));
            }
            Some(Finish::Aborted) => false,
            Some(Finish::Complete | Finish::Filtered) => true,
            Some(Finish::Unknown) => self.calls.all_whole(),
            None => signalled && self.calls.all_whole(),
        };
        let is_blank = self.answer.is_blank() && !has_marked_calls;
        match complete {
            false => StreamEnd::Truncated,
            true if self.finish == Some(Finish::Filtered) && self.answer.text.trim().is_empty() => {
                let detail = format!(
                    "{} stopped before a word of its answer, as a filter does: say it differently or choose another model",
                    self.provider
                );
                StreamEnd::Error(ModelError::new(ModelErrorKind::Refusal, detail))
            }
            true if is_blank && self.calls.is_empty() => StreamEnd::Empty,
            true => StreamEnd::Complete,
        }
    }

    /// Some servers put the whole answer where reasoning goes.
    fn take_reasoning_as_answer(&mut self, items: &mut Vec<StreamItem>) {
        let is_over = matches!(self.finish, Some(Finish::Complete | Finish::Unknown)) || self.phase == Phase::Signalled;
        let is_all = self.answer.text.trim().is_empty() && self.calls.is_empty();
        if self.dialect.reasoning_may_be_answer() && is_over && is_all {
            let answer = std::mem::take(&mut self.answer.reasoning);
            self.answer.text(&answer, items);
        }
    }

    /// The calls of the protocol; those written as text count only when there are none.
    fn all_calls(&mut self, marked: Vec<MarkedCalls>, items: &mut Vec<StreamItem>) -> Vec<ToolCall> {
        let mut calls = std::mem::take(&mut self.calls).into_calls(&self.by);
        if calls.is_empty() {
            let (mut taken, mut next) = (HashSet::new(), 0);
            for mut call in marked.into_iter().flat_map(|marked| marked.calls) {
                call.id = mint(&mut taken, &mut next);
                calls.push(call);
            }
            return calls;
        }
        for marked in marked {
            let is_said_twice = marked
                .calls
                .iter()
                .all(|marked| calls.iter().any(|call| call.name == marked.name && call.arguments == marked.arguments));
            if !is_said_twice {
                self.answer.text(&marked.raw, items);
            }
        }
        calls
    }

    fn hand_out(&mut self, end: StreamEnd, marked: Vec<MarkedCalls>, items: &mut Vec<StreamItem>) {
        let is_whole = end == StreamEnd::Complete && self.finish != Some(Finish::Filtered);
        let calls = if is_whole { self.all_calls(marked, items) } else { Vec::new() };
        let answer = std::mem::take(&mut self.answer);
        let details = std::mem::take(&mut self.details);
        let mut blocks = Vec::new();
        if !answer.reasoning.is_empty() {
            blocks.push(Block::Thinking { text: answer.reasoning, signature: None });
        }
        if is_whole && let Some(details) = details.into_value() {
            let item = json!({"type": DETAILS, DETAILS: details});
            blocks.push(Block::ProviderItem { by: self.by.clone(), item });
        }
        if !answer.text.is_empty() {
            blocks.push(Block::Text { text: answer.text });
        }
        blocks.extend(calls.into_iter().map(Block::Call));
        self.phase = Phase::Over;
        items.push(StreamItem::End(Box::new(Reply { end, blocks, usage: self.usage })));
    }
}

impl Decoder for ChatDecoder {
    fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// Only usage and `[DONE]` are still to come.
    fn is_finished(&self) -> bool {
        self.finish.is_some() && !self.went_on
    }

    fn event(&mut self, event: SseEvent<'_>, items: &mut Vec<StreamItem>) {
        let data = event.data.trim();
        if self.is_over() || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            self.phase = Phase::Signalled;
            self.end(items);
            return;
        }
        match read_json(data) {
            Ok(chunk) if event.name == "error" => self.fail(self.failure(&chunk), items),
            Ok(chunk) => self.chunk(&chunk, MissingIndex::Unknown, items),
            // What comes after the finish reason cannot change the answer.
            Err(_) if self.finish.is_some() => {}
            Err(_) if event.name == "error" => self.fail(self.failure(&Value::String(data.to_owned())), items),
            Err(_) => {
                let what = format!("an event is not JSON: {:?}", nanobot_engine::text::one_line(data, 80));
                self.fail(damaged_stream(&self.provider, &what), items);
            }
        }
    }

    fn body(&mut self, body: &[u8], items: &mut Vec<StreamItem>) {
        match read_json(&String::from_utf8_lossy(body)) {
            Ok(answer) if answer.get("choices").is_some_and(Value::is_array) || is_error(&answer) => {
                self.chunk(&answer, MissingIndex::Position, items);
                if !self.is_over() {
                    self.phase = Phase::Signalled;
                    self.end(items);
                }
            }
            Ok(_) => self.fail(bad_response(&self.provider, "JSON without choices"), items),
            Err(_) => self.fail(bad_response(&self.provider, "the body is not JSON"), items),
        }
    }

    fn end(&mut self, items: &mut Vec<StreamItem>) {
        if self.is_over() {
            return;
        }
        self.answer.finish(items);
        let marked = self.answer.take_marked_calls();
        if marked.is_empty() {
            self.take_reasoning_as_answer(items);
        }
        let end = self.stream_end(!marked.is_empty());
        self.hand_out(end, marked, items);
    }

    fn fail(&mut self, error: ModelError, items: &mut Vec<StreamItem>) {
        if self.is_over() {
            return;
        }
        self.answer.finish(items);
        self.hand_out(StreamEnd::Error(error), Vec::new(), items);
    }
}

impl Finish {
    fn read(reason: &str) -> Self {
        match reason.to_ascii_lowercase().as_str() {
            "stop" | "tool_calls" | "function_call" | "tool_use" | "end_turn" | "stop_sequence" | "eos"
            | "eos_token" | "complete" => Self::Complete,
            "length" | "max_tokens" | "max_output_tokens" | "model_length" | "model_context_window_exceeded" => {
                Self::Length
            }
            "content_filter" | "refusal" | "safety" | "sensitive" => Self::Filtered,
            "error" | "network_error" | "insufficient_system_resource" => Self::Failed(reason.to_owned()),
            "abort" | "aborted" | "cancelled" => Self::Aborted,
            _ => Self::Unknown,
        }
    }
}

/// Does the object carry an error, in one of the two usual ways?
fn is_error(value: &Value) -> bool {
    match value.get("error") {
        None | Some(Value::Null) => value.get("object").and_then(Value::as_str) == Some("error"),
        Some(Value::String(error)) => !error.is_empty(),
        Some(Value::Object(error)) => !error.is_empty(),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests;
