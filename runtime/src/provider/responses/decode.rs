//! Decodes a Responses answer, streamed or whole, into stream items and the final reply.
//!
//! An answer is complete only when the server said so with `response.completed`. The end of the bytes or `[DONE]` alone is a cut,
//! whatever came before it, and a cut answer never brings calls.

use nanobot_engine::model::{ModelError, Reply, StreamEnd, StreamItem};
use nanobot_engine::usage::Usage;
use serde_json::Value;

use super::hosted::{self, Phase};
use super::output::{Output, Place};
use super::spoken::{PartKey, PartKind, read_part};
use super::usage::read_usage;
use crate::provider::errors::{Failure, bad_response, damaged_stream};
use crate::provider::lenient::read_json;
use crate::provider::sse::SseEvent;
use crate::provider::wire::Decoder;

/// The state of one answer.
#[derive(Debug)]
pub struct ResponsesDecoder {
    provider: String,
    by: String,
    output: Output,
    usage: Option<Usage>,
    is_over: bool,
}

/// How the server says that it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Complete,
    Length,
    /// A filter stopped it: the text is to be taken as it is, calls are not to be run.
    Filtered,
    /// It did not, or before the answer was whole.
    Cut,
    Failed,
}

impl ResponsesDecoder {
    /// A decoder for one answer; `provider` is named in errors, `by` marks what only this model understands.
    #[must_use]
    pub fn new(provider: impl Into<String>, by: impl Into<String>) -> Self {
        Self { provider: provider.into(), by: by.into(), output: Output::default(), usage: None, is_over: false }
    }

    fn failure(&self, body: &Value) -> ModelError {
        Failure::read(body, None).into_error(&self.provider, None)
    }

    fn take(&mut self, name: &str, mut event: Value, items: &mut Vec<StreamItem>) {
        let kind = event.get("type").and_then(Value::as_str).unwrap_or(name).to_owned();
        let Some(step) = kind.strip_prefix("response.") else {
            if kind == "error" || is_error(&event) {
                self.fail(self.failure(&event), items);
            }
            return;
        };
        match step {
            "completed" | "incomplete" | "failed" | "cancelled" => {
                let outcome = Outcome::of_status(step);
                self.close(event.get_mut("response").map(Value::take).unwrap_or_default(), outcome, items);
            }
            "output_item.added" | "output_item.done" => {
                let item = event.get_mut("item").map(Value::take).unwrap_or_default();
                let id = item.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
                let place = Place { index: index(&event, "output_index"), id: &id };
                match step {
                    "output_item.added" => self.output.added(place, &item, items),
                    _ => self.output.done(place, item, items),
                }
            }
            _ => self.step(step, &event, items),
        }
    }

    /// An event about a part of an item.
    fn step(&mut self, step: &str, event: &Value, items: &mut Vec<StreamItem>) {
        let Some((what, step)) = step.rsplit_once('.') else { return };
        let text = |key: &str| event.get(key).and_then(Value::as_str);
        let place = Place { index: index(event, "output_index"), id: text("item_id").unwrap_or_default() };
        let number = index(event, "content_index").or_else(|| index(event, "summary_index")).unwrap_or(0);
        if let Some(kind) = PartKind::of_event(what) {
            let key = PartKey { kind, index: number };
            match step {
                "delta" => self.output.more(place, key, text("delta").unwrap_or_default(), items),
                "done" => {
                    let whole = text("text").or_else(|| text("refusal")).unwrap_or_default();
                    self.output.whole(place, key, whole, items);
                }
                _ => {}
            }
            return;
        }
        match (what, step) {
            ("content_part" | "reasoning_summary_part", "done") => {
                if let Some((kind, whole)) = event.get("part").and_then(read_part) {
                    self.output.whole(place, PartKey { kind, index: number }, whole, items);
                }
            }
            ("function_call_arguments", "delta") => {
                self.output.more_arguments(place, text("delta").unwrap_or_default());
            }
            ("function_call_arguments", "done") => {
                self.output.whole_arguments(place, event.get("arguments").unwrap_or(&Value::Null));
            }
            (kind, step) if hosted::is_hosted(kind) => {
                self.output.hosted(place, kind, Phase::of_event(step), items);
            }
            _ => {}
        }
    }

    /// The server ended the answer; `response` is the whole of it.
    fn close(&mut self, mut response: Value, said: Outcome, items: &mut Vec<StreamItem>) {
        self.usage = response.get("usage").and_then(read_usage).or(self.usage);
        // Some servers send one event for all ends and tell them apart inside.
        let outcome = match response.get("status").and_then(Value::as_str).map(Outcome::of_status) {
            Some(status) if said == Outcome::Complete => status,
            _ => said,
        };
        let outcome = match outcome {
            Outcome::Failed => {
                self.fail(self.failure(&response), items);
                return;
            }
            Outcome::Length => {
                Outcome::of_reason(response.pointer("/incomplete_details/reason").and_then(Value::as_str))
            }
            Outcome::Complete | Outcome::Filtered | Outcome::Cut => outcome,
        };
        if let Some(Value::Array(list)) = response.get_mut("output").map(Value::take) {
            self.output.absorb(list, items);
        }
        self.settle(outcome, items);
    }

    fn settle(&mut self, outcome: Outcome, items: &mut Vec<StreamItem>) {
        self.output.finish(items);
        let is_stopped = outcome == Outcome::Filtered || self.output.is_refused();
        let end = match outcome {
            Outcome::Length => StreamEnd::Length,
            Outcome::Cut | Outcome::Failed => StreamEnd::Truncated,
            Outcome::Complete | Outcome::Filtered if is_stopped && self.output.has_no_text() => {
                let refusal = Failure { codes: vec!["refusal".to_owned()], ..Failure::default() };
                StreamEnd::Error(refusal.into_error(&self.provider, None))
            }
            Outcome::Complete | Outcome::Filtered if self.output.is_empty() => StreamEnd::Empty,
            Outcome::Complete | Outcome::Filtered => StreamEnd::Complete,
        };
        self.hand_out(end, !is_stopped, items);
    }

    fn hand_out(&mut self, end: StreamEnd, may_call: bool, items: &mut Vec<StreamItem>) {
        let with_calls = may_call && end == StreamEnd::Complete;
        let blocks = std::mem::take(&mut self.output).into_blocks(&self.by, with_calls);
        self.is_over = true;
        items.push(StreamItem::End(Box::new(Reply { end, blocks, usage: self.usage })));
    }
}

impl Decoder for ResponsesDecoder {
    fn event(&mut self, event: SseEvent<'_>, items: &mut Vec<StreamItem>) {
        let data = event.data.trim();
        if self.is_over || data.is_empty() {
            return;
        }
        if data == "[DONE]" {
            self.end(items);
            return;
        }
        match read_json(data) {
            Ok(value) => self.take(event.name, value, items),
            Err(_) if event.name == "error" => self.fail(self.failure(&Value::String(data.to_owned())), items),
            Err(_) => {
                let what = format!("an event is not JSON: {:?}", nanobot_engine::text::one_line(data, 80));
                self.fail(damaged_stream(&self.provider, &what), items);
            }
        }
    }

    fn body(&mut self, body: &[u8], items: &mut Vec<StreamItem>) {
        match serde_json::from_slice::<Value>(body) {
            Ok(response) if response.get("output").is_some_and(Value::is_array) => {
                let outcome = match response.get("status").and_then(Value::as_str) {
                    Some("queued" | "in_progress") => Outcome::Cut,
                    _ => Outcome::Complete,
                };
                self.close(response, outcome, items);
            }
            Ok(response) if is_error(&response) => self.fail(self.failure(&response), items),
            Ok(_) => self.fail(bad_response(&self.provider, "JSON without output"), items),
            Err(_) => self.fail(bad_response(&self.provider, "the body is not JSON"), items),
        }
    }

    fn end(&mut self, items: &mut Vec<StreamItem>) {
        if !self.is_over {
            self.settle(Outcome::Cut, items);
        }
    }

    fn fail(&mut self, error: ModelError, items: &mut Vec<StreamItem>) {
        if !self.is_over {
            self.output.finish(items);
            self.hand_out(StreamEnd::Error(error), false, items);
        }
    }

    /// The last event brings the end with it.
    fn is_finished(&self) -> bool {
        self.is_over
    }

    fn is_over(&self) -> bool {
        self.is_over
    }
}

impl Outcome {
    fn of_status(status: &str) -> Self {
        match status {
            "incomplete" => Self::Length,
            "failed" => Self::Failed,
            "cancelled" => Self::Cut,
            _ => Self::Complete,
        }
    }

    /// Why an answer is incomplete.
    fn of_reason(reason: Option<&str>) -> Self {
        match reason {
            Some("content_filter") => Self::Filtered,
            Some("max_output_tokens" | "max_tokens" | "length") => Self::Length,
            _ => Self::Cut,
        }
    }
}

fn index(event: &Value, key: &str) -> Option<u64> {
    event.get(key).and_then(Value::as_u64)
}

/// Does the object carry an error?
fn is_error(value: &Value) -> bool {
    match value.get("error") {
        None | Some(Value::Null) => value.get("object").and_then(Value::as_str) == Some("error"),
        Some(Value::String(error)) => !error.is_empty(),
        Some(Value::Object(error)) => !error.is_empty(),
        Some(_) => false,
    }
}
