//! Segments: which stretch of text or reasoning is open, and what was said in this request so far.

use serde::{Deserialize, Serialize};

use super::TurnMachine;
use crate::event::EventBody;
use crate::hook::ProviderToolEvent;
use crate::id::StreamId;

/// The streaming state of one request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Segments {
    open: Option<Open>,
    /// Visible text of this request.
    pub(super) text: String,
    /// Reasoning of this request.
    pub(super) reasoning: String,
    /// Every stretch of output of this request, in order.
    #[serde(default)]
    pub(super) shown: Vec<StreamId>,
    /// Those of them that are visible text.
    #[serde(default)]
    pub(super) texts: Vec<StreamId>,
    /// Tools of the provider by the id of their call.
    #[serde(default)]
    provider_tools: Vec<(String, StreamId)>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Open {
    kind: Kind,
    stream_id: StreamId,
    chars: u64,
    since: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    Reasoning,
    Text,
}

impl Segments {
    /// The places of the provider's tools.
    pub(super) fn take_provider_tools(&mut self) -> Vec<(String, StreamId)> {
        std::mem::take(&mut self.provider_tools)
    }

    /// Gives them back to the next request.
    pub(super) fn put_provider_tools(&mut self, tools: Vec<(String, StreamId)>) {
        self.provider_tools = tools;
    }
}

impl TurnMachine {
    /// More reasoning; opens a segment when none is open.
    pub(super) fn reasoning(&mut self, at: i64, text: String) -> [Option<EventBody>; 2] {
        self.state.segments.reasoning.push_str(&text);
        let (closed, stream_id) = self.extend(at, Kind::Reasoning, &text);
        [closed, Some(EventBody::ReasoningDelta { stream_id, text })]
    }

    /// More visible text; the first of it closes reasoning for good.
    pub(super) fn text(&mut self, at: i64, text: String) -> [Option<EventBody>; 2] {
        self.state.segments.text.push_str(&text);
        let (closed, stream_id) = self.extend(at, Kind::Text, &text);
        [closed, Some(EventBody::Delta { stream_id, text })]
    }

    /// News of a tool that the provider runs itself; its first news closes text and reasoning.
    pub(super) fn provider_tool(&mut self, at: i64, event: ProviderToolEvent) -> [Option<EventBody>; 2] {
        let known = self.state.segments.provider_tools.iter().find(|(call_id, _)| *call_id == event.call_id);
        let (closed, stream_id) = match known {
            Some((_, stream_id)) => (None, stream_id.clone()),
            None => {
                let closed = self.close_segment(at, true);
                let stream_id = self.mint_stream();
                self.state.segments.shown.push(stream_id.clone());
                self.state.segments.provider_tools.push((event.call_id.clone(), stream_id.clone()));
                (closed, stream_id)
            }
        };
        let ProviderToolEvent { phase, call_id, name, arguments, text } = event;
        [closed, Some(EventBody::ProviderTool { stream_id, call_id, name, phase, arguments, text })]
    }

    /// What a hook made of the answer takes the place of what was shown of it.
    pub(super) fn show_changed(&mut self, at: i64, earlier: Vec<StreamId>, text: &str) -> Vec<EventBody> {
        let segments = &mut self.state.segments;
        let shown = earlier.into_iter().chain(std::mem::take(&mut segments.texts));
        segments.open = None;
        segments.text.clear();
        let reason = "a hook changed the answer";
        let discard = |stream_id| EventBody::StreamDiscarded { stream_id, reason: reason.to_owned() };
        let mut events: Vec<_> = shown.map(discard).collect();
        if !text.is_empty() {
            events.extend(self.text(at, text.to_owned()).into_iter().flatten());
        }
        events
    }

    fn extend(&mut self, at: i64, kind: Kind, text: &str) -> (Option<EventBody>, StreamId) {
        let chars = text.chars().count() as u64;
        if let Some(open) = self.state.segments.open.as_mut().filter(|open| open.kind == kind) {
            open.chars += chars;
            return (None, open.stream_id.clone());
        }
        let closed = self.close_segment(at, true);
        let stream_id = self.mint_stream();
        self.state.segments.shown.push(stream_id.clone());
        if kind == Kind::Text {
            self.state.segments.texts.push(stream_id.clone());
        }
        self.state.segments.open = Some(Open { kind, stream_id: stream_id.clone(), chars, since: at });
        (closed, stream_id)
    }

    /// Closes what is open. `resuming` says whether the turn goes on after a text segment.
    pub(super) fn close_segment(&mut self, at: i64, resuming: bool) -> Option<EventBody> {
        let Open { kind, stream_id, chars, since } = self.state.segments.open.take()?;
        Some(match kind {
            Kind::Reasoning => EventBody::ReasoningEnd { stream_id, chars, duration_ms: super::elapsed_ms(since, at) },
            Kind::Text => EventBody::StreamEnd { stream_id, chars, resuming },
        })
    }

    /// Closes reasoning, but leaves a text segment open until it is known whether the turn goes on.
    pub(super) fn close_reasoning(&mut self, at: i64) -> Option<EventBody> {
        let reasoning = self.state.segments.open.as_ref().is_some_and(|open| open.kind == Kind::Reasoning);
        if reasoning { self.close_segment(at, true) } else { None }
    }
}
