//! Closing turns whose driver could not: it broke, or the store refused a step.

use nanobot_engine::event::{EventBody, SessionState, StopReason, TurnError};
use nanobot_engine::id::TurnId;
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{Op, StoreError, WorkState};

use super::{AgentLoop, Running};
use crate::error::RuntimeError;

impl AgentLoop {
    /// Closes a turn whose driver could not. When the store refuses, live readers are told and closing is tried later.
    pub(super) async fn give_up(&mut self, running: &Running, code: &str, detail: &str) {
        self.rows = None;
        let error = TurnError { code: code.to_owned(), detail: detail.to_owned() };
        let finished = EventBody::TurnFinished {
            stop_reason: StopReason::Error,
            latency_ms: u64::try_from(self.now() - running.accepted_at).unwrap_or(0),
            usage: Usage::default(),
            error: Some(error.clone()),
        };
        if self.close_failed(running.turn_id, running.work_id, error, finished.clone()).await.is_err() {
            self.unclosed = Some((running.turn_id, running.work_id));
            let at = self.now();
            self.log.show_unstored(Some(running.turn_id), at, finished);
            self.log.show_unstored(None, at, EventBody::session_state(SessionState::Idle));
        }
        self.set_status(SessionState::Idle, None);
    }

    async fn close_failed(
        &mut self,
        turn_id: TurnId,
        work_id: Option<uuid::Uuid>,
        error: TurnError,
        finished: EventBody,
    ) -> Result<(), StoreError> {
        let at = self.now();
        let bodies = vec![(Some(turn_id), finished), (None, EventBody::session_state(SessionState::Idle))];
        let ops = |numbers: &[u64]| {
            let mut ops = vec![Op::FinishTurn {
                turn_id,
                state: TurnStatus::Failed,
                stop_reason: StopReason::Error,
                error: Some(error),
                usage: Usage::default(),
                ended_seq: numbers.first().copied().unwrap_or_default(),
                at,
            }];
            ops.extend(work_id.map(|id| Op::SetWorkState { id, state: WorkState::Done, turn_id }));
            ops
        };
        self.log.commit_events(at, bodies, ops).await.map(|_| ())
    }

    /// Before anything new: a turn that the store would not let us close.
    pub(super) async fn close_unclosed(&mut self) -> Result<(), RuntimeError> {
        let Some((turn_id, work_id)) = self.unclosed else { return Ok(()) };
        let error = TurnError {
            code: "storage".to_owned(),
            detail: "The database could not be written while this turn ran. Use Retry.".to_owned(),
        };
        let finished = EventBody::TurnFinished {
            stop_reason: StopReason::Error,
            latency_ms: 0,
            usage: Usage::default(),
            error: Some(error.clone()),
        };
        self.close_failed(turn_id, work_id, error, finished).await?;
        self.unclosed = None;
        if let Some(record) = self.shared.store.session(self.session.id).await? {
            self.session = record;
        }
        Ok(())
    }
}
