//! Turns: what was accepted, how far it is, and what is needed to take it up again.

use nanobot_engine::event::{StopReason, TurnError};
use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::Origin;
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use sqlx::SqliteConnection;
use uuid::Uuid;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, number, text};
use crate::error::StoreError;
use crate::message::with_branch;
use crate::names::Named;
use crate::store::Store;
use crate::work::{self, WorkItem};

/// A stored turn.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnRecord {
    /// Identity.
    pub id: TurnId,
    /// Its session.
    pub session_id: SessionId,
    /// Number of its `user_message` event.
    pub seq: u64,
    /// How far it is.
    pub state: TurnStatus,
    /// What started it.
    pub origin: Origin,
    /// Preset in use.
    pub preset: String,
    /// Model in use.
    pub model: String,
    /// Row of its request, once it has started.
    pub user_message_id: Option<MessageId>,
    /// The row that its request follows, when known.
    pub parent_message_id: Option<MessageId>,
    /// Why it ended.
    pub stop_reason: Option<StopReason>,
    /// What went wrong.
    pub error: Option<TurnError>,
    /// Tokens of the whole turn.
    pub usage: Option<Usage>,
    /// The machine, serialised, while it is at work.
    pub checkpoint: Option<String>,
    /// How often it was taken up again.
    pub resume_attempts: u32,
    /// The process that runs it.
    pub boot_id: Option<Uuid>,
    /// Number of its `turn_started` event.
    pub started_seq: Option<u64>,
    /// Number of its last event.
    pub ended_seq: Option<u64>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub started_at: Option<i64>,
    /// UTC milliseconds.
    pub ended_at: Option<i64>,
}

/// The columns that [`read`] takes, of `turns t`.
macro_rules! columns {
    () => {
        "t.id, t.session_id, t.seq, t.state, t.origin, t.preset, t.model, t.user_message_id, t.parent_message_id, \
         t.stop_reason, t.resume_attempts, t.boot_id, t.started_seq, t.ended_seq, t.created_at, t.started_at, \
         t.ended_at, t.error, t.usage, t.checkpoint"
    };
}

fn read(columns: &mut Columns) -> Result<TurnRecord, Broken> {
    Ok(TurnRecord {
        id: columns.id()?,
        session_id: columns.id()?,
        seq: columns.number()?,
        state: columns.named()?,
        origin: columns.named()?,
        preset: columns.text()?,
        model: columns.text()?,
        user_message_id: columns.optional_id()?,
        parent_message_id: columns.optional_id()?,
        stop_reason: columns.optional_named()?,
        resume_attempts: columns.number()?,
        boot_id: columns.optional_id()?,
        started_seq: columns.optional_number()?,
        ended_seq: columns.optional_number()?,
        created_at: columns.integer()?,
        started_at: columns.optional_integer()?,
        ended_at: columns.optional_integer()?,
        error: columns.optional_json()?,
        usage: columns.optional_json()?,
        checkpoint: columns.optional_text()?,
    })
}

fn read_with_work(columns: &mut Columns) -> Result<(TurnRecord, WorkItem), Broken> {
    Ok((read(columns)?, work::read(columns)?))
}

impl Store {
    /// A turn.
    pub async fn turn(&self, id: TurnId) -> Result<Option<TurnRecord>, StoreError> {
        let mut connection = self.readers().acquire().await?;
        by_id(&mut connection, id).await
    }

    /// The turns of sessions that are not deleted which wait or are at work, by session and number.
    pub async fn unfinished_turns(&self) -> Result<Vec<TurnRecord>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM turns t JOIN sessions s ON s.id = t.session_id WHERE s.deleted_at IS NULL \
             AND t.state IN ('queued', 'running', 'awaiting_approval', 'parked') ORDER BY t.session_id, t.seq"
        ))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "turn", read))
    }

    /// The newest `limit` turns that have a row on the branch which ends at `leaf`, in the order of the branch; with
    /// `before`, those before the turn of that number.
    pub async fn branch_turns(
        &self,
        session: SessionId,
        leaf: MessageId,
        before: Option<u64>,
        limit: u32,
    ) -> Result<Vec<TurnRecord>, StoreError> {
        let session = encode::id(session.0);
        let before = before.map_or(i64::MAX, number);
        let rows = sqlx::query(with_branch!(
            ", places(turn_id, place) AS (SELECT turn_id, MIN(seq) FROM branch GROUP BY turn_id) SELECT ",
            columns!(),
            " FROM (SELECT turn_id, place FROM places WHERE place < COALESCE(\
             (SELECT e.place FROM places e JOIN turns x ON x.id = e.turn_id WHERE x.session_id = ? AND x.seq = ?), ?) \
             ORDER BY place DESC LIMIT ?) p JOIN turns t ON t.id = p.turn_id ORDER BY p.place"
        ))
        .bind(session.as_str())
        .bind(encode::id(leaf.0))
        .bind(session.as_str())
        .bind(before)
        .bind(before)
        .bind(limit)
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "turn", read))
    }

    /// The turns that wait, with the messages they will work, in order.
    pub async fn queued_turns(&self, session: SessionId) -> Result<Vec<(TurnRecord, WorkItem)>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            ", ",
            work::columns!(),
            " FROM turns t JOIN work_items w ON w.turn_id = t.id AND w.session_id = t.session_id \
             WHERE t.session_id = ? AND t.state = 'queued' AND w.state = 'queued' ORDER BY t.seq"
        ))
        .bind(encode::id(session.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "turn", read_with_work))
    }
}

/// A turn, within a transaction.
pub(crate) async fn by_id(connection: &mut SqliteConnection, id: TurnId) -> Result<Option<TurnRecord>, StoreError> {
    let row = sqlx::query(concat!("SELECT ", columns!(), " FROM turns t WHERE t.id = ?"))
        .bind(encode::id(id.0))
        .fetch_optional(connection)
        .await?;
    Ok(row.and_then(|row| one(&row, "turn", read)))
}

/// Adds a turn to the session of the step.
pub(crate) fn insert(batch: &mut Batch, session: &str, turn: TurnRecord) -> Result<(), StoreError> {
    batch
        .statement(
            "INSERT INTO turns(id, session_id, seq, state, origin, preset, model, user_message_id, parent_message_id, \
             stop_reason, resume_attempts, boot_id, started_seq, ended_seq, created_at, started_at, ended_at, error, \
             usage, checkpoint) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(encode::id(turn.id.0))
        .bind(session)
        .bind(number(turn.seq))
        .bind(turn.state.word())
        .bind(turn.origin.word())
        .bind(text(turn.preset))
        .bind(text(turn.model))
        .bind(turn.user_message_id.map(|id| encode::id(id.0)))
        .bind(turn.parent_message_id.map(|id| encode::id(id.0)))
        .bind(turn.stop_reason.map(|reason| reason.word()))
        .bind(turn.resume_attempts)
        .bind(turn.boot_id.map(encode::id))
        .bind(turn.started_seq.map(number))
        .bind(turn.ended_seq.map(number))
        .bind(turn.created_at)
        .bind(turn.started_at)
        .bind(turn.ended_at)
        .bind(turn.error.map(|error| json(&error)).transpose()?)
        .bind(turn.usage.map(|usage| json(&usage)).transpose()?)
        .bind(turn.checkpoint.map(text));
    Ok(())
}
