//! Commits a step: every write of it or none, and nothing to a deleted session.

use nanobot_engine::id::SessionId;
use tokio::sync::oneshot;

use crate::batch::{Batch, Expect};
use crate::encode::{folded, id, json, number, text};
use crate::error::StoreError;
use crate::names::Named;
use crate::op::Op;
use crate::store::Store;
use crate::writer::{Job, Part};

impl Store {
    /// Writes `ops` in order in one transaction; when one fails, none was written.
    ///
    /// # Errors
    /// [`StoreError::SessionGone`] when the session is deleted or was never created; [`StoreError::Conflict`] and
    /// [`StoreError::NotFound`] as the operations say; the rest as for any write.
    pub async fn commit(&self, session_id: SessionId, ops: Vec<Op>) -> Result<(), StoreError> {
        let parts = encode(session_id, ops)?;
        let (reply, outcome) = oneshot::channel();
        let job = Job { parts, gone: StoreError::SessionGone, session_id, reply };
        self.steps().send(job).await.map_err(|_| closed())?;
        outcome.await.map_err(|_| closed())?
    }
}

fn closed() -> StoreError {
    StoreError::Other("it was closed".to_owned())
}

fn encode(session_id: SessionId, ops: Vec<Op>) -> Result<Vec<Part>, StoreError> {
    let session = id(session_id.0);
    let mut step = Step { parts: Vec::new(), open: Batch::default() };
    step.open.guard(&session);
    for op in ops {
        push(&mut step, &session, op)?;
    }
    Ok(step.finish())
}

/// A step while it is encoded.
struct Step {
    parts: Vec<Part>,
    open: Batch,
}

impl Step {
    /// The batch that has room for one more statement.
    fn next(&mut self) -> &mut Batch {
        if self.open.len() >= Batch::LIMIT {
            self.close();
        }
        &mut self.open
    }

    fn close(&mut self) {
        if self.open.len() > 0 {
            self.parts.push(Part::Batch(std::mem::take(&mut self.open)));
        }
    }

    /// A row whose hash is known only when those before it are written.
    fn audit(&mut self, entry: Box<crate::AuditEntry>) {
        self.close();
        self.parts.push(Part::Audit(entry));
    }

    fn finish(mut self) -> Vec<Part> {
        self.close();
        self.parts
    }
}

fn push(step: &mut Step, session: &str, op: Op) -> Result<(), StoreError> {
    let batch = step.next();
    match op {
        Op::ReserveSeq { upto } => {
            let upto = number(upto);
            batch
                .statement("UPDATE sessions SET reserved_seq = ? WHERE id = ? AND reserved_seq < ?", Expect::Anything)
                .bind(upto)
                .bind(session)
                .bind(upto);
        }
        Op::InsertMessage(row) => crate::message::insert(batch, session, *row)?,
        Op::SetActive { message_id } => {
            batch
                .statement("UPDATE sessions SET active_message_id = ? WHERE id = ?", Expect::Change("session"))
                .bind(id(message_id.0))
                .bind(session);
        }
        Op::TouchSession { at } => {
            batch
                .statement(
                    "UPDATE sessions SET updated_at = ?, last_message_at = ?, recent_at = ? WHERE id = ?",
                    Expect::Change("session"),
                )
                .bind(at)
                .bind(at)
                .bind(at)
                .bind(session);
        }
        Op::SetTitle { title, source, only_if_not_user } => {
            let title = text(title);
            batch
                .statement(
                    "UPDATE sessions SET title = ?, title_folded = ?, title_source = ? \
                     WHERE id = ? AND (? = 0 OR title_source <> 'user')",
                    Expect::Anything,
                )
                .bind(title.as_str())
                .bind(folded(&title))
                .bind(source.word())
                .bind(session)
                .bind(only_if_not_user);
        }
        Op::InsertTurn(turn) => crate::turn::insert(batch, session, *turn)?,
        Op::StartTurn { turn_id, started_seq, at, boot_id, user_message_id, preset, model } => {
            batch
                .statement(
                    "UPDATE turns SET state = 'running', started_seq = ?, started_at = ?, boot_id = ?, \
                     user_message_id = ?, preset = ?, model = ? \
                     WHERE id = ? AND session_id = ? AND state = 'queued'",
                    Expect::Change("queued turn"),
                )
                .bind(number(started_seq))
                .bind(at)
                .bind(id(boot_id))
                .bind(id(user_message_id.0))
                .bind(text(preset))
                .bind(text(model))
                .bind(id(turn_id.0))
                .bind(session);
        }
        Op::Checkpoint { turn_id, checkpoint } => {
            batch
                .statement(
                    "UPDATE turns SET checkpoint = ? WHERE id = ? AND session_id = ? \
                     AND state IN ('running', 'awaiting_approval', 'parked')",
                    Expect::Change("running turn"),
                )
                .bind(text(checkpoint))
                .bind(id(turn_id.0))
                .bind(session);
        }
        Op::SetTurnState { turn_id, state } => {
            batch
                .statement(
                    "UPDATE turns SET state = ? \
                     WHERE id = ? AND session_id = ? AND state IN ('running', 'awaiting_approval', 'parked')",
                    Expect::Change("running turn"),
                )
                .bind(state.word())
                .bind(id(turn_id.0))
                .bind(session);
        }
        Op::ResumeTurn { turn_id, state, boot_id, attempts } => {
            batch
                .statement(
                    "UPDATE turns SET state = ?, boot_id = ?, resume_attempts = ? \
                     WHERE id = ? AND session_id = ? AND state IN ('running', 'awaiting_approval', 'parked')",
                    Expect::Change("running turn"),
                )
                .bind(state.word())
                .bind(id(boot_id))
                .bind(attempts)
                .bind(id(turn_id.0))
                .bind(session);
        }
        Op::FinishTurn { turn_id, state, stop_reason, error, usage, ended_seq, at } => {
            batch
                .statement(
                    "UPDATE turns SET state = ?, stop_reason = ?, error = ?, usage = ?, ended_seq = ?, ended_at = ?, \
                     checkpoint = NULL WHERE id = ? AND session_id = ? \
                     AND state IN ('queued', 'running', 'awaiting_approval', 'parked')",
                    Expect::Change("unfinished turn"),
                )
                .bind(state.word())
                .bind(stop_reason.word())
                .bind(error.map(|error| json(&error)).transpose()?)
                .bind(json(&usage)?)
                .bind(number(ended_seq))
                .bind(at)
                .bind(id(turn_id.0))
                .bind(session);
            crate::approval::cancel(batch, session, turn_id, at);
        }
        Op::UpsertCall(call) => crate::call::upsert(batch, *call)?,
        Op::ModelRequest(request) => crate::model_request::insert(batch, session, *request),
        Op::Journal(entry) => crate::journal::insert(batch, *entry),
        Op::KeepBody { hash, body } => crate::journal::keep_body(batch, session, hash, body.as_ref().to_owned()),
        Op::AppendEvents(events) => {
            for event in events {
                crate::event::insert(step.next(), session, event)?;
            }
        }
        Op::RequestApproval(approval) => crate::approval::insert(batch, session, *approval)?,
        Op::ResolveApproval { id, answer } => crate::approval::resolve(batch, session, id, *answer)?,
        Op::ExpireApproval { id, at } => crate::approval::expire(batch, session, id, at),
        Op::CancelApprovals { turn_id, at } => crate::approval::cancel(batch, session, turn_id, at),
        Op::Audit(entry) => step.audit(entry),
        Op::InsertWork(item) => crate::work::insert(batch, session, *item)?,
        Op::SetWorkState { id: item, state, turn_id } => {
            batch
                .statement(
                    "UPDATE work_items SET state = ?, turn_id = ? WHERE id = ? AND session_id = ?",
                    Expect::Change("accepted message"),
                )
                .bind(state.word())
                .bind(id(turn_id.0))
                .bind(id(item))
                .bind(session);
        }
    }
    Ok(())
}
