//! Accepted messages that wait for their turn.

use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::Origin;
use uuid::Uuid;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, number, text};
use crate::error::StoreError;
use crate::names::Named;
use crate::store::Store;

/// What a message may do while a turn runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkMode {
    /// Joins the running turn when it can, else waits.
    Auto,
    /// Joins the running turn.
    Steer,
    /// Waits for a turn of its own.
    Queue,
}

/// How far an accepted message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// Waits.
    Queued,
    /// Its turn runs.
    Claimed,
    /// Joined a running turn.
    Injected,
    /// Its turn ended.
    Done,
    /// Taken back.
    Cancelled,
}

/// An accepted message.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkItem {
    /// Identity.
    pub id: Uuid,
    /// Its session.
    pub session_id: SessionId,
    /// The row it will be.
    pub message_id: MessageId,
    /// The turn it starts or joined.
    pub turn_id: TurnId,
    /// The sender's own id; unique within the session.
    pub client_message_id: Option<String>,
    /// What it may do while a turn runs.
    pub mode: WorkMode,
    /// What sent it.
    pub origin: Origin,
    /// Its text.
    pub content: String,
    /// Attached media.
    pub attachments: Vec<String>,
    /// The row it follows: `None` follows the active branch, `Some(None)` begins a new root.
    pub parent_message_id: Option<Option<MessageId>>,
    /// Preset for its turn.
    pub preset: Option<String>,
    /// How far it is.
    pub state: WorkState,
    /// Number of its `user_message` event.
    pub seq: u64,
    /// UTC milliseconds.
    pub created_at: i64,
}

/// The columns that [`read`] takes, of `work_items w`.
macro_rules! columns {
    () => {
        "w.id, w.session_id, w.message_id, w.turn_id, w.client_message_id, w.mode, w.origin, w.content, \
         w.attachments, w.follows, w.parent_message_id, w.preset, w.state, w.seq, w.created_at"
    };
}
pub(crate) use columns;

pub(crate) fn read(columns: &mut Columns) -> Result<WorkItem, Broken> {
    Ok(WorkItem {
        id: columns.id()?,
        session_id: columns.id()?,
        message_id: columns.id()?,
        turn_id: columns.id()?,
        client_message_id: columns.optional_text()?,
        mode: columns.named()?,
        origin: columns.named()?,
        content: columns.text()?,
        attachments: columns.json()?,
        parent_message_id: match columns.named()? {
            Follows::Active => columns.optional_id::<MessageId>().map(|_| None)?,
            Follows::Root | Follows::Message => Some(columns.optional_id()?),
        },
        preset: columns.optional_text()?,
        state: columns.named()?,
        seq: columns.number()?,
        created_at: columns.integer()?,
    })
}

/// What an accepted message follows.
pub(crate) enum Follows {
    Active,
    Root,
    Message,
}

impl Store {
    /// The messages that wait, in order.
    pub async fn queued_work(&self, session: SessionId) -> Result<Vec<WorkItem>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM work_items w WHERE w.session_id = ? AND w.state = 'queued' ORDER BY w.seq"
        ))
        .bind(encode::id(session.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "accepted message", read))
    }

    /// The sessions that are not deleted and have messages that wait.
    pub async fn sessions_with_queued_work(&self) -> Result<Vec<SessionId>, StoreError> {
        let rows = sqlx::query(
            "SELECT DISTINCT w.session_id FROM work_items w JOIN sessions s ON s.id = w.session_id \
             WHERE w.state = 'queued' AND s.deleted_at IS NULL",
        )
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "accepted message", |columns| columns.id()))
    }

    /// The message that its sender gave this id.
    pub async fn work_by_client_id(
        &self,
        session: SessionId,
        client_message_id: &str,
    ) -> Result<Option<WorkItem>, StoreError> {
        let row = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM work_items w WHERE w.session_id = ? AND w.client_message_id = ?"
        ))
        .bind(encode::id(session.0))
        .bind(text(client_message_id.to_owned()))
        .fetch_optional(self.readers())
        .await?;
        Ok(row.and_then(|row| one(&row, "accepted message", read)))
    }

    /// The message that a turn was made for, not one that joined it.
    pub async fn work_of_turn(&self, turn_id: TurnId) -> Result<Option<WorkItem>, StoreError> {
        let row = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM work_items w LEFT JOIN turns t ON t.id = w.turn_id WHERE w.turn_id = ? \
             ORDER BY w.message_id = t.user_message_id DESC, w.seq LIMIT 1"
        ))
        .bind(encode::id(turn_id.0))
        .fetch_optional(self.readers())
        .await?;
        Ok(row.and_then(|row| one(&row, "accepted message", read)))
    }
}

/// Adds an accepted message to the session of the step.
pub(crate) fn insert(batch: &mut Batch, session: &str, item: WorkItem) -> Result<(), StoreError> {
    let (follows, parent) = match item.parent_message_id {
        None => (Follows::Active, None),
        Some(None) => (Follows::Root, None),
        Some(Some(parent)) => (Follows::Message, Some(parent)),
    };
    batch
        .statement(
            "INSERT INTO work_items(id, session_id, message_id, turn_id, client_message_id, mode, origin, follows, \
             parent_message_id, preset, state, seq, created_at, attachments, content) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(encode::id(item.id))
        .bind(session)
        .bind(encode::id(item.message_id.0))
        .bind(encode::id(item.turn_id.0))
        .bind(item.client_message_id.map(text))
        .bind(item.mode.word())
        .bind(item.origin.word())
        .bind(follows.word())
        .bind(parent.map(|id| encode::id(id.0)))
        .bind(item.preset.map(text))
        .bind(item.state.word())
        .bind(number(item.seq))
        .bind(item.created_at)
        .bind(json(&item.attachments)?)
        .bind(text(item.content));
    Ok(())
}
