//! Turns as the thread shows them, folded from the same events that readers get live.

use nanobot_engine::fold::{empty_turn, fold_into};
use nanobot_engine::id::{SessionId, StreamId, TurnId};
use nanobot_engine::turn::{Part, Turn, TurnStatus};
use nanobot_store::{TurnRecord, WorkMode};
use serde::Serialize;

use crate::error::RuntimeError;
use crate::runtime::{Runtime, split};

/// A page of turns and the number up to which it is true.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct TurnPage {
    /// Turns, oldest first.
    pub items: Vec<Turn>,
    /// Goes into `before` for the page of older turns.
    pub next_cursor: Option<String>,
    /// Attach with this number to go on from here.
    pub head_seq: u64,
}

impl Runtime {
    /// Turns of the active branch, the newest page first; queued turns come last.
    ///
    /// # Errors
    /// `NoSession` when it does not exist.
    pub async fn turns(&self, id: SessionId, before: Option<u64>, limit: u32) -> Result<TurnPage, RuntimeError> {
        let (head_seq, unstored) = self.snapshot(id).await?;
        // Before the branch: a turn that starts between the two reads is in both, never in none.
        let queued = if before.is_none() { self.store().queued_turns(id).await? } else { Vec::new() };
        let session = self.store().session(id).await?.ok_or(RuntimeError::NoSession(id))?;
        let mut records = match session.active_message_id {
            Some(leaf) => self.store().branch_turns(id, leaf, before, limit + 1).await?,
            None => Vec::new(),
        };
        let more = records.len() > limit as usize;
        if more {
            records.remove(0);
        }
        let next_cursor = records.first().filter(|_| more).map(|first| first.seq.to_string());
        let mut items = Vec::with_capacity(records.len());
        for record in &records {
            items.push(self.fold_turn(record, head_seq, &unstored).await?);
        }
        for waiting in self.store().queued_work(id).await?.into_iter().filter(|item| item.mode == WorkMode::Steer) {
            // It is stored and will join at the turn's next safe point; its event comes then.
            if let Some(turn) = items.iter_mut().find(|turn| turn.id == waiting.turn_id) {
                turn.parts.push(Part::Steer {
                    stream_id: StreamId(format!("waiting.{}", waiting.message_id)),
                    message_id: waiting.message_id,
                    text: waiting.content,
                    client_message_id: waiting.client_message_id,
                });
            }
        }
        for (place, (record, _)) in queued.into_iter().enumerate() {
            if records.iter().any(|known| known.id == record.id) {
                continue;
            }
            let mut turn = self.fold_turn(&record, head_seq, &unstored).await?;
            turn.queue_position = Some(u32::try_from(place + 1).unwrap_or(u32::MAX));
            items.push(turn);
        }
        Ok(TurnPage { items, next_cursor, head_seq })
    }

    /// One turn.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn turn(&self, id: TurnId) -> Result<(SessionId, Turn), RuntimeError> {
        let record = self.store().turn(id).await?.ok_or(RuntimeError::NotFound("turn"))?;
        let (head_seq, unstored) = self.snapshot(record.session_id).await?;
        let turn = self.fold_turn(&record, head_seq, &unstored).await?;
        Ok((record.session_id, turn))
    }

    async fn fold_turn(
        &self,
        record: &TurnRecord,
        head_seq: u64,
        unstored: &[std::sync::Arc<nanobot_engine::event::Event>],
    ) -> Result<Turn, RuntimeError> {
        let mut turn = empty_turn(record.id);
        turn.origin = record.origin;
        turn.preset.clone_from(&record.preset);
        turn.model.clone_from(&record.model);
        let mut last = 0;
        let mut pieces = Vec::new();
        for stored in self.store().turn_events(record.session_id, record).await? {
            split(record.session_id, stored, last, &mut pieces);
            for event in pieces.drain(..) {
                // A piece that was stored after the snapshot was taken comes to the reader as an event.
                if event.seq <= head_seq {
                    last = event.seq;
                    fold_into(&mut turn, &event);
                }
            }
        }
        for event in unstored.iter().filter(|event| event.turn_id == Some(record.id) && event.seq > last) {
            fold_into(&mut turn, event);
        }
        if record.user_message_id.is_some()
            && !matches!(record.state, TurnStatus::Queued)
            && let Some((_, row)) = match record.user_message_id {
                Some(id) => self.store().message(id).await?,
                None => None,
            }
        {
            let branch = self.store().branch_of(&row).await?;
            turn.user = Some(row.view(branch));
        }
        Ok(turn)
    }
}
