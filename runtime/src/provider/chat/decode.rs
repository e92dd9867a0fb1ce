//! Decodes a Chat Completions answer, streamed or whole, into stream items and the final reply.
//!
//! An answer is complete only when the server said so: a finish reason, or `[DONE]`. The end of the bytes alone is a cut, whatever came
//! before it, and a cut answer never brings calls.

use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelError, Reply, StreamEnd, StreamItem};
use nanobot_engine::usage::Usage;
use serde_json::Value;

use super::calls::CallAssembly;
use super::shape::{Labelled, MissingIndex, read_calls, read_text};
use super::usage::read_usage;
use crate::provider::answer::Answer;
use crate::provider::errors::{Failure, bad_response, damaged_stream};
use crate::provider::sse::SseEvent;
use crate::provider::wire::Decoder;

/// The state of one answer.
#[derive(Debug)]
pub struct ChatDecoder {
    provider: String,
    answer: Answer,
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
    /// A decoder for one answer; `provider` is named in errors.
    #[must_use]
    pub fn new(provider: impl Into<String>) -> Self {
        Self {
            provider: provider.into(),
            answer: Answer::default(),
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
            });
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

    fn stream_end(&self) -> StreamEnd {
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
        let blank = self.answer.is_blank();
        match complete {
            false => StreamEnd::Truncated,
            true if blank && self.calls.is_empty() => StreamEnd::Empty,
            true => StreamEnd::Complete,
        }
    }

    fn hand_out(&mut self, end: StreamEnd, items: &mut Vec<StreamItem>) {
        let answer = std::mem::take(&mut self.answer);
        let calls = std::mem::take(&mut self.calls);
        let mut blocks = Vec::new();
        if !answer.reasoning.is_empty() {
            blocks.push(Block::Thinking { text: answer.reasoning, signature: None });
        }
        if !answer.text.is_empty() {
            blocks.push(Block::Text { text: answer.text });
        }
        if end == StreamEnd::Complete && self.finish != Some(Finish::Filtered) {
            blocks.extend(calls.into_calls().into_iter().map(Block::Call));
        }
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
        match serde_json::from_str::<Value>(data) {
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
        match serde_json::from_slice::<Value>(body) {
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
        let end = self.stream_end();
        self.hand_out(end, items);
    }

    fn fail(&mut self, error: ModelError, items: &mut Vec<StreamItem>) {
        if self.is_over() {
            return;
        }
        self.answer.finish(items);
        self.hand_out(StreamEnd::Error(error), items);
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
mod tests {
    use serde_json::json;

    use super::*;

    fn reply(events: &[Value]) -> Reply {
        let mut decoder = ChatDecoder::new("stub");
        let mut items = Vec::new();
        for event in events {
            let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
            decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
        }
        decoder.end(&mut items);
        match items.pop() {
            Some(StreamItem::End(reply)) => *reply,
            other => panic!("no end: {other:?}"),
        }
    }

    fn delta(delta: Value, finish: Value) -> Value {
        json!({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    }

    #[test]
    fn ends_follow_the_servers_own_signal() {
        let text = delta(json!({"content": "hi"}), Value::Null);
        let end = |finish: &str| reply(&[text.clone(), delta(json!({}), json!(finish))]).end;
        assert_eq!(end("stop"), StreamEnd::Complete);
        assert_eq!(end("STOP"), StreamEnd::Complete);
        assert_eq!(end("content_filter"), StreamEnd::Complete);
        assert_eq!(end("something new"), StreamEnd::Complete);
        assert_eq!(end("length"), StreamEnd::Length);
        assert_eq!(end("abort"), StreamEnd::Truncated);
        assert!(matches!(end("network_error"), StreamEnd::Error(_)));
        assert_eq!(reply(std::slice::from_ref(&text)).end, StreamEnd::Truncated);
        assert_eq!(reply(&[text.clone(), json!("[DONE]")]).end, StreamEnd::Complete);
        assert_eq!(reply(&[json!("[DONE]")]).end, StreamEnd::Empty);
        assert_eq!(reply(&[delta(json!({"content": " \n"}), json!("stop"))]).end, StreamEnd::Empty);
        assert_eq!(reply(&[delta(json!({"reasoning": "x"}), json!("stop"))]).end, StreamEnd::Complete);
        assert!(matches!(reply(&[text, json!("oops")]).end, StreamEnd::Error(_)));
    }

    #[test]
    fn a_filtered_answer_runs_nothing() {
        let call = json!({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}]});
        let got = reply(&[delta(call, json!("content_filter"))]);
        assert_eq!((got.end, got.blocks), (StreamEnd::Complete, vec![]));
    }

    #[test]
    fn a_whole_body_is_an_answer_too() {
        let body = json!({
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "<think>a</think>b",
                "tool_calls": [{"function": {"name": "x", "arguments": {"k": 1}}}, {"function": {"name": "y"}}],
            }}],
            "usage": {"prompt_tokens": 3, "completion_tokens": 4},
        });
        let mut items = Vec::new();
        ChatDecoder::new("stub").body(body.to_string().as_bytes(), &mut items);
        assert_eq!(items[..2], [StreamItem::Reasoning("a".into()), StreamItem::Text("b".into())]);
        let Some(StreamItem::End(reply)) = items.last() else { panic!("no end") };
        assert_eq!(reply.end, StreamEnd::Complete);
        assert_eq!(reply.usage.map(|u| u.output_tokens), Some(4));
        let calls: Vec<_> = reply.blocks.iter().filter(|b| matches!(b, Block::Call(_))).collect();
        assert_eq!(
            serde_json::to_value(calls).expect("plain data"),
            json!([
                {"type": "call", "id": "call_0", "name": "x", "arguments": {"k": 1}},
                {"type": "call", "id": "call_1", "name": "y", "arguments": {}},
            ])
        );
    }

    #[test]
    fn bodies_of_other_protocols_are_named_as_such() {
        for body in ["{\"models\":[]}", "[]", "not json", ""] {
            let mut items = Vec::new();
            ChatDecoder::new("stub").body(body.as_bytes(), &mut items);
            let Some(StreamItem::End(reply)) = items.last() else { panic!("no end") };
            assert!(matches!(&reply.end, StreamEnd::Error(e) if e.kind.code() == "provider_bad_response"), "{body}");
        }
    }

    #[test]
    fn an_early_finish_reason_is_not_believed() {
        let mut decoder = ChatDecoder::new("stub");
        let chunk = delta(json!({"content": "a"}), json!("stop")).to_string();
        let mut items = Vec::new();
        decoder.event(SseEvent { name: "", data: &chunk, last_id: "" }, &mut items);
        assert!(decoder.is_finished());
        decoder.event(SseEvent { name: "", data: &chunk, last_id: "" }, &mut items);
        assert!(!decoder.is_finished());
        decoder.end(&mut items);
        assert_eq!(items.first(), Some(&StreamItem::Text("aa".into())));
        assert!(matches!(items.last(), Some(StreamItem::End(reply)) if reply.end == StreamEnd::Complete));
    }

    proptest::proptest! {
        #[test]
        fn any_events_end_once_and_only_whole_answers_call(picks in proptest::collection::vec(0_usize..14, 0..12)) {
            let call = |v: Value| delta(json!({"tool_calls": v}), Value::Null);
            let events = [
                delta(json!({"content": "<think>a"}), Value::Null),
                delta(json!({"content": "</think>b"}), Value::Null),
                delta(json!({"content": [{"type": "text", "text": "c"}, 3, null]}), Value::Null),
                delta(json!({"reasoning_content": "d", "reasoning": "d"}), Value::Null),
                call(json!([{"index": 0, "function": {"name": "x", "arguments": "{\"k\":"}}])),
                call(json!([{"index": "0", "id": "", "function": {"arguments": "1}"}}])),
                call(json!([{"id": 5, "function": null}, "x", {}])),
                delta(json!({"function_call": {"name": "y", "arguments": {}}}), Value::Null),
                delta(json!(null), json!("stop")),
                delta(json!({}), json!("length")),
                json!({"choices": {}, "usage": []}),
                json!("[DONE]"),
                json!("junk"),
                json!({"error": {"message": "no"}}),
            ];
            let mut decoder = ChatDecoder::new("stub");
            let mut items = Vec::new();
            for pick in picks {
                let event = &events[pick];
                let data = event.as_str().map_or_else(|| event.to_string(), str::to_owned);
                decoder.event(SseEvent { name: "", data: &data, last_id: "" }, &mut items);
            }
            decoder.end(&mut items);
            let ends = items.iter().filter(|item| matches!(item, StreamItem::End(_))).count();
            proptest::prop_assert_eq!(ends, 1);
            let Some(StreamItem::End(reply)) = items.last() else { panic!("the end is last") };
            let has_calls = reply.blocks.iter().any(|block| matches!(block, Block::Call(_)));
            proptest::prop_assert!(!has_calls || reply.end == StreamEnd::Complete);
        }
    }
}
