//! Accepting messages: committed before they are answered, exactly once by the sender's own id.

use nanobot_engine::event::EventBody;
use nanobot_engine::id::{MessageId, TurnId};
use nanobot_engine::message::Branch;
use nanobot_engine::text::without_nul;
use nanobot_store::{Op, StoreError, WorkItem, WorkMode, WorkState, conflict};
use uuid::Uuid;

use super::{AgentLoop, MAX_QUEUED, queued_record};
use crate::error::RuntimeError;
use crate::runtime::{Accepted, Inbound};

/// Longest id that a sender may give a message.
const MAX_CLIENT_ID_CHARS: usize = 255;

impl AgentLoop {
    pub(super) async fn submit(&mut self, mut inbound: Inbound) -> Result<Accepted, RuntimeError> {
        if self.shared.shutdown.is_cancelled() || self.parked {
            return Err(RuntimeError::ShuttingDown);
        }
        // An empty id is what some clients send when they have none.
        inbound.client_message_id = inbound.client_message_id.filter(|id| !id.is_empty());
        self.check(&mut inbound)?;
        self.catch_up().await?;
        let client_id = inbound.client_message_id.clone();
        let accepted = self.accept(inbound).await;
        match (accepted, client_id) {
            (Err(RuntimeError::Store(StoreError::Conflict(conflict::CLIENT_MESSAGE_ID))), Some(client_id)) => {
                self.accepted_before(&client_id).await
            }
            (accepted, _) => accepted,
        }
    }

    fn check(&self, inbound: &mut Inbound) -> Result<(), RuntimeError> {
        if inbound.content.trim().is_empty() {
            let detail = "the message is empty; write something".to_owned();
            return Err(RuntimeError::Invalid { code: "empty_message", detail });
        }
        let limit = self.shared.options.max_message_chars;
        let chars = inbound.content.chars().count();
        if chars > limit {
            let detail = format!("the message has {chars} characters; the limit is {limit}. Put long text into a file");
            return Err(RuntimeError::Invalid { code: "message_too_long", detail });
        }
        if inbound.client_message_id.as_ref().is_some_and(|id| id.chars().count() > MAX_CLIENT_ID_CHARS) {
            let detail = format!("client_message_id has more than {MAX_CLIENT_ID_CHARS} characters");
            return Err(RuntimeError::Invalid { code: "bad_client_message_id", detail });
        }
        if let Some(preset) = &mut inbound.preset {
            *preset = self.shared.preset_name(preset)?;
        }
        Ok(())
    }

    async fn accept(&mut self, inbound: Inbound) -> Result<Accepted, RuntimeError> {
        if let Some(Some(parent)) = inbound.parent_message_id {
            let known = self.shared.store.message(parent).await?;
            if known.is_none_or(|(session_id, _)| session_id != self.session.id) {
                return Err(RuntimeError::NotFound("parent message in this session"));
            }
        }
        let item = WorkItem {
            id: Uuid::now_v7(),
            session_id: self.session.id,
            message_id: MessageId(Uuid::now_v7()),
            turn_id: TurnId(Uuid::now_v7()),
            client_message_id: inbound.client_message_id,
            mode: inbound.mode,
            origin: inbound.origin,
            content: without_nul(&inbound.content),
            attachments: inbound.attachments,
            parent_message_id: inbound.parent_message_id,
            preset: inbound.preset,
            state: WorkState::Queued,
            seq: 0,
            created_at: self.now(),
        };
        match (&self.running, item.mode) {
            // More than may wait for one turn wait for turns of their own.
            (Some(running), WorkMode::Steer)
                if item.parent_message_id.is_none()
                    && !running.stop.is_cancelled()
                    && running.steer.len() < MAX_QUEUED =>
            {
                let item = WorkItem { turn_id: running.turn_id, ..item };
                let steer = std::sync::Arc::clone(&running.steer);
                let ops = vec![Op::InsertWork(Box::new(item.clone()))];
                self.log.commit(ops, None, item.created_at, Vec::new()).await?;
                let accepted = accepted(&item, 0);
                steer.push(item);
                Ok(accepted)
            }
            (None, _) if self.queue.is_empty() => {
                let accepted = self.start_now(item).await?;
                Ok(accepted)
            }
            _ => {
                if self.queue.len() >= MAX_QUEUED {
                    // One that was accepted before waits already and needs no room.
                    if let Some(client_id) = &item.client_message_id
                        && let Ok(accepted) = self.accepted_before(client_id).await
                    {
                        return Ok(accepted);
                    }
                    let detail = format!("{MAX_QUEUED} messages are waiting already; wait for one to be worked on");
                    return Err(RuntimeError::Conflict { code: "queue_full", detail });
                }
                let item = self.store_new_queued(item).await?;
                self.queue.push_back(item.clone());
                self.shared.note_change();
                Ok(accepted(&item, u32::try_from(self.queue.len()).unwrap_or(u32::MAX)))
            }
        }
    }

    /// The same message again: the same answer, without a second turn.
    async fn accepted_before(&self, client_id: &str) -> Result<Accepted, RuntimeError> {
        let item = self.shared.store.work_by_client_id(self.session.id, client_id).await?;
        let item = item.ok_or(RuntimeError::NotFound("message with this client_message_id"))?;
        let place = self.queue.iter().position(|queued| queued.id == item.id).map_or(0, |place| place + 1);
        Ok(accepted(&item, u32::try_from(place).unwrap_or(u32::MAX)))
    }

    /// Stores a message that has to wait, and shows it.
    async fn store_new_queued(&mut self, mut item: WorkItem) -> Result<WorkItem, StoreError> {
        let parent = item.parent_message_id.flatten();
        let bodies = vec![(Some(item.turn_id), user_message(&item, parent, None))];
        let stored = item.clone();
        let ops = |numbers: &[u64]| {
            let item = WorkItem { seq: first(numbers), ..stored };
            vec![Op::InsertTurn(Box::new(queued_record(&item, parent))), Op::InsertWork(Box::new(item))]
        };
        let shown = self.log.commit_events(item.created_at, bodies, ops).await?;
        item.seq = shown.first().map_or(0, |event| event.seq);
        Ok(item)
    }

    /// A steer message that missed its turn becomes a queued turn of its own.
    pub(super) async fn store_queued(&mut self, item: WorkItem) -> Result<WorkItem, StoreError> {
        let mut item = WorkItem { turn_id: TurnId(Uuid::now_v7()), mode: WorkMode::Queue, ..item };
        let turn_id = item.turn_id;
        let bodies = vec![(Some(turn_id), user_message(&item, None, None))];
        let stored = item.clone();
        let ops = |numbers: &[u64]| {
            let item = WorkItem { seq: first(numbers), ..stored };
            let waiting = Op::SetWorkState { id: item.id, state: WorkState::Queued, turn_id };
            vec![Op::InsertTurn(Box::new(queued_record(&item, None))), waiting]
        };
        let shown = self.log.commit_events(self.now(), bodies, ops).await?;
        item.seq = shown.first().map_or(0, |event| event.seq);
        Ok(item)
    }
}

/// The number of the first event of a step.
pub(super) fn first(numbers: &[u64]) -> u64 {
    numbers.first().copied().unwrap_or_default()
}

pub(super) fn accepted(item: &WorkItem, position: u32) -> Accepted {
    Accepted {
        client_message_id: item.client_message_id.clone(),
        message_id: item.message_id,
        turn_id: item.turn_id,
        position,
        seq: item.seq,
    }
}

pub(super) fn user_message(item: &WorkItem, parent_id: Option<MessageId>, branch: Option<Branch>) -> EventBody {
    EventBody::UserMessage {
        message_id: item.message_id,
        text: item.content.clone(),
        attachments: item.attachments.clone(),
        parent_id,
        branch,
        client_message_id: item.client_message_id.clone(),
        steer: false,
        stream_id: None,
    }
}
