//! The journal of a turn: what its machine was given, and what each request to a model was made from. It goes with its session.

use std::collections::BTreeMap;

use nanobot_engine::id::{SessionId, TurnId};
use uuid::Uuid;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, text};
use crate::error::StoreError;
use crate::store::Store;

/// A stretch of a turn: at most one request, what came before it, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalEntry {
    /// The turn.
    pub turn_id: TurnId,
    /// The request on record that was made in this stretch; see [`ModelRequestRecord`](crate::ModelRequestRecord).
    pub request_id: Option<Uuid>,
    /// What the request was made from, as JSON; `None` when none was sent.
    pub recipe: Option<String>,
    /// What the machine was given, as JSON.
    pub inputs: String,
}

fn read(columns: &mut Columns) -> Result<JournalEntry, Broken> {
    Ok(JournalEntry {
        turn_id: columns.id()?,
        request_id: columns.optional_id()?,
        recipe: columns.optional_text()?,
        inputs: columns.text()?,
    })
}

fn read_body(columns: &mut Columns) -> Result<(String, String), Broken> {
    Ok((columns.text()?, columns.text()?))
}

fn read_recipe(columns: &mut Columns) -> Result<(Uuid, String), Broken> {
    Ok((columns.id()?, columns.text()?))
}

impl Store {
    /// The journal of a turn, in order; empty when the turn was made before there was one.
    pub async fn journal(&self, turn_id: TurnId) -> Result<Vec<JournalEntry>, StoreError> {
        let rows = sqlx::query("SELECT turn_id, request_id, recipe, inputs FROM journal WHERE turn_id = ? ORDER BY n")
            .bind(encode::id(turn_id.0))
            .fetch_all(self.readers())
            .await?;
        Ok(all(&rows, "journal entry", read))
    }

    /// What the requests of a turn were made from, as JSON, by the id of the request.
    pub async fn recipes(&self, turn_id: TurnId) -> Result<BTreeMap<Uuid, String>, StoreError> {
        let rows = sqlx::query(
            "SELECT request_id, recipe FROM journal \
             WHERE turn_id = ? AND request_id IS NOT NULL AND recipe IS NOT NULL",
        )
        .bind(encode::id(turn_id.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "recipe of a request", read_recipe).into_iter().collect())
    }

    /// A text that requests of the session share.
    pub async fn journal_body(&self, session: SessionId, hash: &str) -> Result<Option<String>, StoreError> {
        let row = sqlx::query("SELECT hash, body FROM journal_bodies WHERE session_id = ? AND hash = ?")
            .bind(encode::id(session.0))
            .bind(hash)
            .fetch_optional(self.readers())
            .await?;
        Ok(row.and_then(|row| one(&row, "shared text", read_body)).map(|(_, body)| body))
    }
}

/// Adds an entry at the end of its turn's journal.
pub(crate) fn insert(batch: &mut Batch, entry: JournalEntry) {
    let turn_id = encode::id(entry.turn_id.0);
    batch
        .statement(
            "INSERT INTO journal(turn_id, n, request_id, recipe, inputs) \
             VALUES (?, (SELECT COALESCE(MAX(n), 0) + 1 FROM journal WHERE turn_id = ?), ?, ?, ?)",
            Expect::Anything,
        )
        .bind(turn_id.clone())
        .bind(turn_id)
        .bind(entry.request_id.map(encode::id))
        .bind(entry.recipe.map(text))
        .bind(text(entry.inputs));
}

/// Keeps a text for the requests of the session, unless it is kept already.
pub(crate) fn keep_body(batch: &mut Batch, session: &str, hash: String, body: String) {
    batch
        .statement(
            "INSERT INTO journal_bodies(session_id, hash, body) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            Expect::Anything,
        )
        .bind(session)
        .bind(hash)
        .bind(text(body));
}
