//! Watches the events of a turn for what no reader should ever see.

use std::collections::HashMap;

use nanobot_engine::event::EventBody;
use nanobot_engine::id::{ApprovalId, StreamId};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Text { chars: u64, open: bool },
    Reasoning { chars: u64, open: bool },
    Discarded,
    Tool { finished: bool },
    Mark,
}

/// Panics at the first event that breaks a rule.
#[derive(Debug, Default)]
pub(crate) struct Monitor {
    parts: HashMap<StreamId, Part>,
    calls: HashMap<String, StreamId>,
    /// True while the question waits.
    questions: HashMap<ApprovalId, bool>,
}

impl Monitor {
    pub(crate) fn see(&mut self, event: &EventBody) {
        match event {
            EventBody::Delta { stream_id, text } => self.more(stream_id, text, false),
            EventBody::ReasoningDelta { stream_id, text } => self.more(stream_id, text, true),
            EventBody::StreamEnd { stream_id, chars, .. } => {
                let part = self.parts.get_mut(stream_id).unwrap();
                assert_eq!(*part, Part::Text { chars: *chars, open: true }, "{event:?}");
                *part = Part::Text { chars: *chars, open: false };
            }
            EventBody::ReasoningEnd { stream_id, chars, .. } => {
                let part = self.parts.get_mut(stream_id).unwrap();
                assert_eq!(*part, Part::Reasoning { chars: *chars, open: true }, "{event:?}");
                *part = Part::Reasoning { chars: *chars, open: false };
            }
            EventBody::StreamDiscarded { stream_id, .. } => {
                let before = self.parts.insert(stream_id.clone(), Part::Discarded);
                assert!(
                    matches!(before, Some(Part::Text { .. } | Part::Reasoning { .. } | Part::Mark | Part::Discarded)),
                    "discarded what was not shown: {event:?}"
                );
            }
            EventBody::ToolStarted { stream_id, call_id, .. } => {
                self.open(stream_id, Part::Tool { finished: false });
                let before = self.calls.insert(call_id.clone(), stream_id.clone());
                assert_eq!(before, None, "call {call_id} was started twice");
            }
            EventBody::ToolFinished { stream_id, call_id, status, .. } => {
                assert!(status.is_final());
                assert_eq!(self.calls.get(call_id), Some(stream_id), "{event:?}");
                let part = self.parts.get_mut(stream_id).unwrap();
                assert_eq!(*part, Part::Tool { finished: false }, "call {call_id} was finished twice");
                *part = Part::Tool { finished: true };
            }
            EventBody::ProviderTool { stream_id, .. } if self.parts.get(stream_id) == Some(&Part::Mark) => {}
            EventBody::ProviderTool { stream_id, .. }
            | EventBody::Notice { stream_id, .. }
            | EventBody::RetryWait { stream_id, .. }
            | EventBody::ModelSwitched { stream_id, .. }
            | EventBody::ContextGoverned { stream_id, .. } => {
                self.open(stream_id, Part::Mark);
            }
            EventBody::ApprovalRequested { stream_id, approval } => {
                if approval.call_id.is_none() {
                    self.open(stream_id, Part::Mark);
                } else {
                    assert_eq!(self.parts.get(stream_id), Some(&Part::Tool { finished: false }), "{event:?}");
                }
                assert!(self.questions.insert(approval.approval_id, true).is_none(), "asked twice: {event:?}");
            }
            EventBody::ApprovalResolved { answered, .. } => {
                let waited = self.questions.insert(answered.approval_id, false);
                assert_eq!(waited, Some(true), "answered twice, or never asked: {event:?}");
            }
            EventBody::UserMessage { stream_id: Some(stream_id), .. } => self.open(stream_id, Part::Mark),
            _ => {}
        }
    }

    /// Nothing may be left open at the end of a turn.
    pub(crate) fn end(&self) {
        for (stream_id, part) in &self.parts {
            let open = match part {
                Part::Text { open, .. } | Part::Reasoning { open, .. } => *open,
                Part::Tool { finished } => !finished,
                Part::Discarded | Part::Mark => false,
            };
            assert!(!open, "{stream_id:?} is open at the end: {part:?}");
        }
        assert!(self.questions.values().all(|waits| !waits), "a question waits at the end");
    }

    pub(crate) fn calls(&self) -> usize {
        self.calls.len()
    }

    fn open(&mut self, stream_id: &StreamId, part: Part) {
        let before = self.parts.insert(stream_id.clone(), part);
        assert_eq!(before, None, "{stream_id:?} was used before");
    }

    fn more(&mut self, stream_id: &StreamId, text: &str, reasoning: bool) {
        let more = text.chars().count() as u64;
        match self.parts.get_mut(stream_id) {
            Some(Part::Text { chars, open: true }) if !reasoning => *chars += more,
            Some(Part::Reasoning { chars, open: true }) if reasoning => *chars += more,
            Some(part) => panic!("text for {stream_id:?}, which is {part:?}"),
            None if reasoning => self.open(stream_id, Part::Reasoning { chars: more, open: true }),
            None => self.open(stream_id, Part::Text { chars: more, open: true }),
        }
        let open = self
            .parts
            .values()
            .filter(|part| matches!(part, Part::Text { open: true, .. } | Part::Reasoning { open: true, .. }));
        assert!(open.count() <= 1, "two segments are open");
    }
}
