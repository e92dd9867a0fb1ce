//! Sessions: the list of conversations and what is known of each.

use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::turn::TurnStatus;
use sqlx::{Row as _, SqliteConnection};

use crate::decode::{Broken, Columns, all, one};
use crate::encode;
use crate::error::StoreError;
use crate::names::Named;
use crate::page::Page;
use crate::store::{Store, end};

/// Who made a title.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TitleSource {
    /// There is no title yet.
    #[default]
    None,
    /// The first words of the first message.
    FirstWords,
    /// A model.
    Model,
    /// A person; never replaced by anything else.
    User,
}

/// A session. The fields that are counted from other tables are ignored when it is written.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionRecord {
    /// Identity.
    pub id: SessionId,
    /// Title; empty when there is none.
    pub title: String,
    /// Who made the title.
    pub title_source: TitleSource,
    /// Preset of its own.
    pub preset: Option<String>,
    /// Workspace of its own.
    pub workspace: Option<String>,
    /// Access mode of its own.
    pub access: Option<String>,
    /// Pinned in the list.
    pub pinned: bool,
    /// End of the active branch.
    pub active_message_id: Option<MessageId>,
    /// The session it was forked from.
    pub forked_from: Option<SessionId>,
    /// Where it was forked, in numbers of that session.
    pub forked_at_seq: Option<u64>,
    /// No number up to this one is given out again.
    pub reserved_seq: u64,
    /// Number of the newest event, 0 when there is none. Counted.
    pub last_event_seq: u64,
    /// The turn that runs. Counted.
    pub running_turn_id: Option<TurnId>,
    /// State of the turn that runs. Counted.
    pub running_state: Option<TurnStatus>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// UTC milliseconds.
    pub last_message_at: Option<i64>,
    /// UTC milliseconds; set while it can still be restored.
    pub deleted_at: Option<i64>,
}

/// Which sessions to list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSessions {
    /// Part of the title, in any case of letters.
    pub query: Option<String>,
    /// `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Most sessions on the page.
    pub limit: u32,
}

/// Changes to a session; `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionPatch {
    /// New title, given by a person.
    pub title: Option<String>,
    /// Pinned or not.
    pub pinned: Option<bool>,
    /// New preset; `Some(None)` removes it.
    pub preset: Option<Option<String>>,
    /// New access mode; `Some(None)` removes it.
    pub access: Option<Option<String>>,
    /// New workspace; `Some(None)` removes it.
    pub workspace: Option<Option<String>>,
    /// New end of the active branch.
    pub active_message_id: Option<MessageId>,
}

/// The columns that [`read`] takes, from `sessions s` with its running turn `t`.
macro_rules! select_session {
    ($rest:literal) => {
        concat!(
            "SELECT s.id, s.title, s.title_source, s.preset, s.workspace, s.access, s.pinned, s.active_message_id, ",
            "s.forked_from, s.forked_at_seq, s.reserved_seq, ",
            "(SELECT COALESCE(MAX(e.seq), 0) FROM events e WHERE e.session_id = s.id), ",
            "t.id, t.state, s.created_at, s.updated_at, s.last_message_at, s.deleted_at ",
            "FROM sessions s LEFT JOIN turns t ON t.session_id = s.id ",
            "AND t.state IN ('running', 'awaiting_approval', 'parked') ",
            $rest
        )
    };
}

fn read(columns: &mut Columns) -> Result<SessionRecord, Broken> {
    Ok(SessionRecord {
        id: columns.id()?,
        title: columns.text()?,
        title_source: columns.named()?,
        preset: columns.optional_text()?,
        workspace: columns.optional_text()?,
        access: columns.optional_text()?,
        pinned: columns.flag()?,
        active_message_id: columns.optional_id()?,
        forked_from: columns.optional_id()?,
        forked_at_seq: columns.optional_number()?,
        reserved_seq: columns.number()?,
        last_event_seq: columns.number()?,
        running_turn_id: columns.optional_id()?,
        running_state: columns.optional_named()?,
        created_at: columns.integer()?,
        updated_at: columns.integer()?,
        last_message_at: columns.optional_integer()?,
        deleted_at: columns.optional_integer()?,
    })
}

impl Store {
    /// Adds a session.
    pub async fn create_session(&self, session: &SessionRecord) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = insert(&mut transaction, session).await;
        end(transaction, result).await
    }

    /// A session that is not deleted.
    pub async fn session(&self, id: SessionId) -> Result<Option<SessionRecord>, StoreError> {
        let row = sqlx::query(select_session!("WHERE s.id = ? AND s.deleted_at IS NULL"))
            .bind(encode::id(id.0))
            .fetch_optional(self.readers())
            .await?;
        Ok(row.and_then(|row| one(&row, "session", read)))
    }

    /// The sessions that are not deleted, those with the newest message (or creation) first.
    pub async fn list_sessions(&self, list: ListSessions) -> Result<Page<SessionRecord>, StoreError> {
        let (before_at, before_id) = match list.cursor.as_deref() {
            Some(cursor) => parse_cursor(cursor)?,
            // Sorts after every UUID.
            None => (i64::MAX, "~".to_owned()),
        };
        let part = list.query.as_deref().map(str::trim).unwrap_or_default();
        let limit = list.limit.max(1);
        let rows = sqlx::query(select_session!(
            "WHERE s.deleted_at IS NULL AND s.title_folded LIKE ? ESCAPE '\\' AND (s.recent_at, s.id) < (?, ?) \
             ORDER BY s.recent_at DESC, s.id DESC LIMIT ?"
        ))
        .bind(encode::contains_pattern(&encode::folded(part)))
        .bind(before_at)
        .bind(before_id)
        .bind(i64::from(limit) + 1)
        .fetch_all(self.readers())
        .await?;
        let more = rows.len() > limit as usize;
        let rows = rows.get(..limit as usize).unwrap_or(&rows);
        let items = all(rows, "session", read);
        let next_cursor = items.last().filter(|_| more).map(|last| {
            let recent_at = last.last_message_at.unwrap_or(last.created_at);
            format!("{recent_at}_{}", last.id)
        });
        Ok(Page { items, next_cursor })
    }

    /// Changes a session and gives its new state. `updated_at` stays: a change of settings is no news of the conversation.
    pub async fn patch_session(&self, id: SessionId, patch: SessionPatch) -> Result<SessionRecord, StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = apply(&mut transaction, id, patch).await;
        end(transaction, result).await
    }

    /// Hides a session. Its unfinished turns end as cancelled, its waiting messages and approvals are taken back, so that a
    /// restored session is at rest.
    ///
    /// # Errors
    /// [`StoreError::SessionGone`] when it is deleted already or was never created.
    pub async fn delete_session(&self, id: SessionId, at: i64) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = bury(&mut transaction, id, at).await;
        end(transaction, result).await
    }

    /// Brings a deleted session back.
    pub async fn restore_session(&self, id: SessionId) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = sqlx::query("UPDATE sessions SET deleted_at = NULL WHERE id = ?")
            .bind(encode::id(id.0))
            .execute(&mut *transaction)
            .await;
        let result = match result {
            Ok(done) if done.rows_affected() == 0 => Err(StoreError::NotFound("session")),
            Ok(_) => Ok(()),
            Err(error) => Err(error.into()),
        };
        end(transaction, result).await
    }

    /// Removes for good what was deleted before `before` (UTC milliseconds), one transaction for each session; gives
    /// their number.
    pub async fn purge_deleted(&self, before: i64) -> Result<u64, StoreError> {
        let mut purged = 0;
        loop {
            let mut transaction = self.begin_write().await?;
            let result = purge_one(&mut transaction, before).await;
            if !end(transaction, result).await? {
                return Ok(purged);
            }
            purged += 1;
        }
    }
}

/// Adds a session within a transaction.
pub(crate) async fn insert(connection: &mut SqliteConnection, session: &SessionRecord) -> Result<(), StoreError> {
    let title = encode::text(session.title.clone());
    sqlx::query(
        "INSERT INTO sessions(id, title, title_folded, title_source, preset, workspace, access, pinned, \
         active_message_id, forked_from, forked_at_seq, reserved_seq, created_at, updated_at, last_message_at, \
         recent_at, deleted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )
    .bind(encode::id(session.id.0))
    .bind(title.as_str())
    .bind(encode::folded(&title))
    .bind(session.title_source.word())
    .bind(session.preset.clone().map(encode::text))
    .bind(session.workspace.clone().map(encode::text))
    .bind(session.access.clone().map(encode::text))
    .bind(session.pinned)
    .bind(session.active_message_id.map(|id| encode::id(id.0)))
    .bind(session.forked_from.map(|id| encode::id(id.0)))
    .bind(session.forked_at_seq.map(encode::number))
    .bind(encode::number(session.reserved_seq))
    .bind(session.created_at)
    .bind(session.updated_at)
    .bind(session.last_message_at)
    .bind(session.last_message_at.unwrap_or(session.created_at))
    .bind(session.deleted_at)
    .execute(connection)
    .await?;
    Ok(())
}

async fn apply(
    connection: &mut SqliteConnection,
    id: SessionId,
    patch: SessionPatch,
) -> Result<SessionRecord, StoreError> {
    let session = encode::id(id.0);
    let title = patch.title.map(encode::text);
    let (preset, access, workspace) = (patch.preset, patch.access, patch.workspace);
    if access.is_some() {
        // Whoever chooses anew what may be done without asking starts from there.
        crate::approval::forget_allowances(connection, &session).await?;
    }
    let done = sqlx::query(
        "UPDATE sessions SET title = COALESCE(?, title), title_folded = COALESCE(?, title_folded), \
         title_source = COALESCE(?, title_source), pinned = COALESCE(?, pinned), \
         preset = CASE WHEN ? THEN ? ELSE preset END, access = CASE WHEN ? THEN ? ELSE access END, \
         workspace = CASE WHEN ? THEN ? ELSE workspace END, active_message_id = COALESCE(?, active_message_id) \
         WHERE id = ? AND deleted_at IS NULL",
    )
    .bind(title.as_deref())
    .bind(title.as_deref().map(encode::folded))
    .bind(title.as_ref().map(|_| TitleSource::User.word()))
    .bind(patch.pinned)
    .bind(preset.is_some())
    .bind(preset.flatten().map(encode::text))
    .bind(access.is_some())
    .bind(access.flatten().map(encode::text))
    .bind(workspace.is_some())
    .bind(workspace.flatten().map(encode::text))
    .bind(patch.active_message_id.map(|id| encode::id(id.0)))
    .bind(session.as_str())
    .execute(&mut *connection)
    .await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::SessionGone(id));
    }
    if let Some(message) = patch.active_message_id {
        let found = sqlx::query("SELECT 1 FROM messages WHERE id = ? AND session_id = ?")
            .bind(encode::id(message.0))
            .bind(session.as_str())
            .fetch_optional(&mut *connection)
            .await?;
        if found.is_none() {
            return Err(StoreError::NotFound("message"));
        }
    }
    let row = sqlx::query(select_session!("WHERE s.id = ?")).bind(session).fetch_one(connection).await?;
    Ok(read(&mut Columns::new(&row))?)
}

async fn bury(connection: &mut SqliteConnection, id: SessionId, at: i64) -> Result<(), StoreError> {
    let session = encode::id(id.0);
    let done = sqlx::query("UPDATE sessions SET deleted_at = ? WHERE id = ? AND deleted_at IS NULL")
        .bind(at)
        .bind(session.as_str())
        .execute(&mut *connection)
        .await?;
    if done.rows_affected() == 0 {
        return Err(StoreError::SessionGone(id));
    }
    sqlx::query(
        "UPDATE turns SET state = 'cancelled', stop_reason = 'cancelled', checkpoint = NULL, ended_at = ?, \
         ended_seq = (SELECT MAX(e.seq) FROM events e WHERE e.session_id = turns.session_id) \
         WHERE session_id = ? AND state IN ('queued', 'running', 'awaiting_approval', 'parked')",
    )
    .bind(at)
    .bind(session.as_str())
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE work_items SET state = 'cancelled' WHERE session_id = ? AND state IN ('queued', 'claimed')")
        .bind(session.as_str())
        .execute(&mut *connection)
        .await?;
    crate::approval::cancel_all(connection, &session, at).await
}

/// Removes one session; false when there is none left to remove.
async fn purge_one(connection: &mut SqliteConnection, before: i64) -> Result<bool, StoreError> {
    let found = sqlx::query("SELECT id FROM sessions WHERE deleted_at < ? LIMIT 1")
        .bind(before)
        .fetch_optional(&mut *connection)
        .await?;
    let Some(found) = found else { return Ok(false) };
    let session: String = found.try_get(0)?;
    crate::search::forget_session(connection, &session).await?;
    sqlx::query("DELETE FROM sessions WHERE id = ?").bind(session).execute(&mut *connection).await?;
    crate::search::settle(connection).await?;
    Ok(true)
}

fn parse_cursor(cursor: &str) -> Result<(i64, String), StoreError> {
    let (at, id) = cursor.split_once('_').ok_or(StoreError::BadCursor)?;
    let at = at.parse().map_err(|_| StoreError::BadCursor)?;
    let id: SessionId = id.parse().map_err(|_| StoreError::BadCursor)?;
    Ok((at, encode::id(id.0)))
}
