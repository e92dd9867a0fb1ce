//! What the server sends, and how neighbouring deltas become one frame.

use std::sync::Arc;
use std::time::Duration;

use nanobot_engine::event::{Event, EventBody, SessionState};
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, TurnId};
use nanobot_runtime::Accepted;
use serde::Serialize;
use tokio::time::Instant;

/// At most 60 delta frames a second and session.
const FRAME_GAP: Duration = Duration::from_millis(16);

/// Frames without a number.
#[derive(Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Frame<'a> {
    Ready {
        client_id: &'a str,
        chat_id: SessionId,
        protocol: u32,
        boot_id: String,
        server_version: &'static str,
        limits: FrameLimits,
    },
    Attached {
        chat_id: SessionId,
        head_seq: u64,
        boot_id: String,
        mode: &'static str,
        state: SessionState,
        #[serde(skip_serializing_if = "Option::is_none")]
        turn_id: Option<TurnId>,
    },
    Accepted {
        chat_id: SessionId,
        #[serde(skip_serializing_if = "Option::is_none")]
        client_message_id: Option<&'a str>,
        message_id: MessageId,
        turn_id: TurnId,
        position: u32,
    },
    Pong {},
    SessionsChanged {},
    Error {
        code: &'a str,
        detail: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        chat_id: Option<SessionId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        client_message_id: Option<&'a str>,
        /// The question that could not be answered.
        #[serde(skip_serializing_if = "Option::is_none")]
        approval_id: Option<ApprovalId>,
    },
}

impl<'a> Frame<'a> {
    /// Without the number of the message: a frame with `seq` is an event.
    pub(super) fn accepted(chat_id: SessionId, accepted: &'a Accepted) -> Self {
        Self::Accepted {
            chat_id,
            client_message_id: accepted.client_message_id.as_deref(),
            message_id: accepted.message_id,
            turn_id: accepted.turn_id,
            position: accepted.position,
        }
    }
}

#[derive(Serialize)]
pub(super) struct FrameLimits {
    pub(super) max_frame_bytes: usize,
    pub(super) max_message_chars: usize,
}

/// Joins neighbouring deltas of one segment: the frame carries the last number and the `prev_seq` of its first piece.
#[derive(Default)]
pub(super) struct Coalescer {
    held: Option<Event>,
    last_frame: Option<Instant>,
}

impl Coalescer {
    /// Takes an event; gives what has to go out now.
    pub(super) fn push(&mut self, event: Arc<Event>, mut send: impl FnMut(&Event)) {
        let is_delta = event.body.as_delta().is_some();
        if let Some(held) = &mut self.held {
            if is_delta && join(held, &event) {
                return;
            }
            send(held);
            self.held = None;
            self.last_frame = Some(Instant::now());
        }
        if is_delta {
            self.held = Some(Arc::unwrap_or_clone(event));
        } else {
            send(&event);
        }
    }

    /// Gives the held delta if its time has come; else says when it will.
    pub(super) fn release(&mut self, now: Instant, mut send: impl FnMut(&Event)) -> Option<Instant> {
        self.held.as_ref()?;
        let due = self.last_frame.map(|last| last + FRAME_GAP).filter(|due| *due > now);
        if due.is_none()
            && let Some(held) = self.held.take()
        {
            send(&held);
            self.last_frame = Some(now);
        }
        due
    }
}

fn join(held: &mut Event, event: &Event) -> bool {
    if held.turn_id != event.turn_id {
        return false;
    }
    match (&mut held.body, &event.body) {
        (EventBody::Delta { stream_id, text }, EventBody::Delta { stream_id: other, text: more })
        | (EventBody::ReasoningDelta { stream_id, text }, EventBody::ReasoningDelta { stream_id: other, text: more })
            if stream_id == other =>
        {
            text.push_str(more);
            held.seq = event.seq;
            held.at = event.at;
            true
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nanobot_engine::id::StreamId;

    fn event(seq: u64, body: EventBody) -> Arc<Event> {
        let chat_id = SessionId(uuid::Uuid::nil());
        Arc::new(Event { body, chat_id, seq, prev_seq: seq - 1, turn_id: None, at: 0 })
    }

    fn delta(seq: u64, stream: u32, text: &str) -> Arc<Event> {
        event(seq, EventBody::Delta { stream_id: StreamId::new(1, stream), text: text.to_owned() })
    }

    #[test]
    fn neighbours_join_and_order_stays() {
        let mut coalescer = Coalescer::default();
        let mut sent: Vec<(u64, u64)> = Vec::new();
        let end = EventBody::StreamEnd { stream_id: StreamId::new(1, 0), chars: 3, resuming: false };
        for one in [delta(1, 0, "a"), delta(2, 0, "b"), delta(3, 0, "c"), event(4, end), delta(5, 1, "d")] {
            coalescer.push(one, |event| sent.push((event.prev_seq, event.seq)));
        }
        assert_eq!(sent, [(0, 3), (3, 4)]);
        let due = coalescer.release(Instant::now(), |event| sent.push((event.prev_seq, event.seq)));
        assert!(due.is_some(), "a frame went out a moment ago");
        let later = Instant::now() + FRAME_GAP;
        assert_eq!(coalescer.release(later, |event| sent.push((event.prev_seq, event.seq))), None);
        assert_eq!(sent, [(0, 3), (3, 4), (4, 5)]);
    }

    #[test]
    fn the_first_delta_goes_out_at_once() {
        let mut coalescer = Coalescer::default();
        let mut sent = Vec::new();
        coalescer.push(delta(1, 0, "a"), |event| sent.push(event.seq));
        assert_eq!(coalescer.release(Instant::now(), |event| sent.push(event.seq)), None);
        assert_eq!(sent, [1]);
    }
}
