//! The tool ledger: one record for each call, so that nothing is run twice after a crash.

use nanobot_engine::id::{SessionId, StreamId, TurnId};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use serde_json::{Map, Value};
use sqlx::SqliteConnection;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, text};
use crate::error::StoreError;
use crate::names::Named;
use crate::store::Store;

/// A call and what is known of it. Its key is `(turn_id, iteration, position)`.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRecord {
    /// The turn.
    pub turn_id: TurnId,
    /// The iteration that asked for it.
    pub iteration: u32,
    /// Place among the calls of the iteration, from 0.
    pub position: u32,
    /// The provider's id; unique within the iteration only.
    pub call_id: String,
    /// Place among the parts of the turn.
    pub stream_id: StreamId,
    /// Tool.
    pub name: String,
    /// Arguments.
    pub arguments: Map<String, Value>,
    /// How far it is.
    pub status: CallStatus,
    /// The whole result, once there is one.
    pub outcome: Option<ToolOutcome>,
    /// UTC milliseconds.
    pub started_at: Option<i64>,
    /// UTC milliseconds.
    pub ended_at: Option<i64>,
}

fn read(columns: &mut Columns) -> Result<CallRecord, Broken> {
    Ok(CallRecord {
        turn_id: columns.id()?,
        iteration: columns.number()?,
        position: columns.number()?,
        call_id: columns.text()?,
        stream_id: StreamId(columns.text()?),
        name: columns.text()?,
        arguments: columns.json()?,
        status: columns.named()?,
        outcome: columns.optional_json()?,
        started_at: columns.optional_integer()?,
        ended_at: columns.optional_integer()?,
    })
}

impl Store {
    /// The calls of a turn in order.
    pub async fn calls(&self, turn_id: TurnId) -> Result<Vec<CallRecord>, StoreError> {
        let mut connection = self.readers().acquire().await?;
        of_turn(&mut connection, turn_id).await
    }

    /// The whole result of the newest call with this id in the session that has one.
    pub async fn call_output(&self, session: SessionId, call_id: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query(
            "SELECT c.outcome FROM calls c JOIN turns t ON t.id = c.turn_id \
             WHERE c.call_id = ? AND t.session_id = ? AND c.outcome IS NOT NULL \
             ORDER BY t.seq DESC, c.iteration DESC, c.position DESC LIMIT 1",
        )
        .bind(call_id)
        .bind(encode::id(session.0))
        .fetch_optional(self.readers())
        .await?;
        let outcome = row.and_then(|row| one(&row, "tool result", |columns| columns.json::<ToolOutcome>()));
        Ok(outcome.map(|outcome| outcome.text))
    }
}

/// The calls of a turn in order, within a transaction.
pub(crate) async fn of_turn(connection: &mut SqliteConnection, turn_id: TurnId) -> Result<Vec<CallRecord>, StoreError> {
    let rows = sqlx::query(
        "SELECT turn_id, iteration, position, call_id, stream_id, name, arguments, status, outcome, started_at, \
         ended_at FROM calls WHERE turn_id = ? ORDER BY iteration, position",
    )
    .bind(encode::id(turn_id.0))
    .fetch_all(connection)
    .await?;
    Ok(all(&rows, "tool call", read))
}

/// Adds a call or replaces what is known of it.
pub(crate) fn upsert(batch: &mut Batch, call: CallRecord) -> Result<(), StoreError> {
    batch
        .statement(
            "INSERT INTO calls(turn_id, iteration, position, call_id, stream_id, name, status, started_at, ended_at, \
             arguments, outcome) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) \
             ON CONFLICT(turn_id, iteration, position) DO UPDATE SET call_id = excluded.call_id, \
             stream_id = excluded.stream_id, name = excluded.name, status = excluded.status, \
             started_at = excluded.started_at, ended_at = excluded.ended_at, arguments = excluded.arguments, \
             outcome = excluded.outcome",
            Expect::Anything,
        )
        .bind(encode::id(call.turn_id.0))
        .bind(call.iteration)
        .bind(call.position)
        .bind(text(call.call_id))
        .bind(text(call.stream_id.0))
        .bind(text(call.name))
        .bind(call.status.word())
        .bind(call.started_at)
        .bind(call.ended_at)
        .bind(json(&call.arguments)?)
        .bind(call.outcome.map(|outcome| json(&outcome)).transpose()?);
    Ok(())
}
