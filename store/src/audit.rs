//! The audit log: who did what that matters for safety. Rows are only ever added, each chained to the one before it.

use std::fmt;
use std::str::FromStr;

use nanobot_engine::id::{SessionId, TurnId};
use serde_json::{Map, Value};
use sqlx::{Row as _, SqliteConnection};

use crate::audit_chain::{RawRow, hash};
use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all};
use crate::encode::{self, json, number, text};
use crate::error::StoreError;
use crate::names::Named;
use crate::page::Page;
use crate::store::{Store, end};

/// Longest actor and subject, in characters.
const MAX_TEXT_CHARS: usize = 500;
/// Longest detail, in bytes of JSON; a longer one is left out and its size kept.
const MAX_DETAIL_BYTES: usize = 16 * 1024;

/// What was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuditKind {
    /// Somebody signed in with a browser.
    Login,
    /// A wrong credential was shown.
    LoginFailed,
    /// More wrong credentials than are written one by one.
    LoginsFailed,
    /// An access token was made.
    TokenCreated,
    /// An access token was revoked.
    TokenRevoked,
    /// Settings were changed.
    SettingsChanged,
    /// A turn asked a person.
    ApprovalRequested,
    /// A person answered, or nobody did in time.
    ApprovalResolved,
    /// A call was allowed or denied without asking.
    PermissionDecided,
}

impl AuditKind {
    /// All kinds.
    pub const ALL: [Self; 9] = [
        Self::Login,
        Self::LoginFailed,
        Self::LoginsFailed,
        Self::TokenCreated,
        Self::TokenRevoked,
        Self::SettingsChanged,
        Self::ApprovalRequested,
        Self::ApprovalResolved,
        Self::PermissionDecided,
    ];
}

impl fmt::Display for AuditKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for AuditKind {
    type Err = StoreError;

    fn from_str(word: &str) -> Result<Self, StoreError> {
        Self::from_word(word).ok_or(StoreError::NotFound("kind of audit row"))
    }
}

/// A row to be added.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditEntry {
    /// UTC milliseconds.
    pub at: i64,
    /// Who: the name of a token, `config` (the credential of the configuration), `loopback` (somebody on this machine),
    /// `terminal` (the command line), `system`, `model`, or `nobody` (who did not come in). At most 500 characters are kept.
    pub actor: String,
    /// What was done.
    pub kind: AuditKind,
    /// The session it was about.
    pub session_id: Option<SessionId>,
    /// The turn it was about.
    pub turn_id: Option<TurnId>,
    /// What it was done to, in a few words. At most 500 characters are kept.
    pub subject: String,
    /// More of it. Never a secret: rows cannot be removed. Over 16 KiB of JSON it is replaced with its size.
    pub detail: Map<String, Value>,
}

impl AuditEntry {
    /// A row without session, turn and detail.
    pub fn new(kind: AuditKind, actor: impl Into<String>, subject: impl Into<String>, at: i64) -> Self {
        Self {
            at,
            actor: actor.into(),
            kind,
            session_id: None,
            turn_id: None,
            subject: subject.into(),
            detail: Map::new(),
        }
    }
}

/// A row of the log, as it is written: kinds of a newer program and rows that somebody changed can be read, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditRow {
    /// Its number, from 1 without gaps.
    pub n: u64,
    /// UTC milliseconds.
    pub at: i64,
    /// Who; see [`AuditEntry::actor`].
    pub actor: String,
    /// The word of an [`AuditKind`].
    pub kind: String,
    /// The session it was about.
    pub session_id: Option<String>,
    /// The turn it was about.
    pub turn_id: Option<String>,
    /// What it was done to.
    pub subject: String,
    /// More of it, a JSON object.
    pub detail: String,
    /// SHA-256 in hex of this row and the hash before it.
    pub hash: String,
}

fn read(columns: &mut Columns) -> Result<AuditRow, Broken> {
    Ok(AuditRow {
        n: columns.number()?,
        at: columns.integer()?,
        actor: columns.text()?,
        kind: columns.text()?,
        session_id: columns.optional_text()?,
        turn_id: columns.optional_text()?,
        subject: columns.text()?,
        detail: columns.text()?,
        hash: columns.text()?,
    })
}

impl Store {
    /// Adds a row to the audit log. To write it together with a step of a session, use [`Op::Audit`](crate::Op::Audit).
    pub async fn audit(&self, entry: AuditEntry) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = append(&mut transaction, entry, "").await;
        end(transaction, result).await
    }

    /// Rows of the audit log, newest first: those before number `before_n`, of one kind when it is given. The cursor of the
    /// next page is the next `before_n`.
    pub async fn audit_page(
        &self,
        before_n: Option<u64>,
        limit: u32,
        kind: Option<AuditKind>,
    ) -> Result<Page<AuditRow>, StoreError> {
        let limit = limit.max(1);
        let before_n = before_n.map_or(i64::MAX, number);
        // Two statements, so that each has its own index.
        let query = match kind {
            None => sqlx::query(
                "SELECT n, at, actor, kind, session_id, turn_id, subject, detail, hash FROM audit \
                 WHERE n < ? ORDER BY n DESC LIMIT ?",
            ),
            Some(kind) => sqlx::query(
                "SELECT n, at, actor, kind, session_id, turn_id, subject, detail, hash FROM audit \
                 WHERE kind = ? AND n < ? ORDER BY n DESC LIMIT ?",
            )
            .bind(kind.word()),
        };
        let rows = query.bind(before_n).bind(i64::from(limit) + 1).fetch_all(self.readers()).await?;
        let more = rows.len() > limit as usize;
        let items = all(rows.get(..limit as usize).unwrap_or(&rows), "row of the audit log", read);
        let next_cursor = items.last().filter(|_| more).map(|last| last.n.to_string());
        Ok(Page { items, next_cursor })
    }
}

/// Adds a row behind the newest one, within the writer's transaction; `after` ends it, or is nothing.
pub(crate) async fn append(
    connection: &mut SqliteConnection,
    entry: AuditEntry,
    after: &'static str,
) -> Result<(), StoreError> {
    let head = sqlx::query("SELECT n, hash FROM audit_head").fetch_one(&mut *connection).await?;
    let row = RawRow {
        n: head.try_get::<i64, _>(0)?.saturating_add(1),
        at: entry.at,
        actor: clipped(entry.actor),
        kind: entry.kind.word().to_owned(),
        session_id: entry.session_id.map(|id| encode::id(id.0)),
        turn_id: entry.turn_id.map(|id| encode::id(id.0)),
        subject: clipped(entry.subject),
        detail: detail(&entry.detail)?,
        prev_hash: head.try_get(1)?,
    };
    let hash = hash(&row);
    let mut batch = Batch::default();
    batch
        .statement(
            "INSERT INTO audit(n, at, actor, kind, session_id, turn_id, subject, prev_hash, hash, detail) \
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(row.n)
        .bind(row.at)
        .bind(row.actor)
        .bind(row.kind)
        .bind(row.session_id)
        .bind(row.turn_id)
        .bind(row.subject)
        .bind(row.prev_hash)
        .bind(hash.as_str())
        .bind(row.detail);
    batch
        .statement("UPDATE audit_head SET n = ?, hash = ?", Expect::Change("head of the audit log"))
        .bind(row.n)
        .bind(hash.as_str());
    batch.run(connection, "", after).await?;
    Ok(())
}

fn clipped(words: String) -> String {
    let words = text(words);
    if words.len() <= MAX_TEXT_CHARS { words } else { nanobot_engine::text::ellipsis(&words, MAX_TEXT_CHARS) }
}

fn detail(detail: &Map<String, Value>) -> Result<String, StoreError> {
    let written = json(detail)?;
    if written.len() <= MAX_DETAIL_BYTES {
        return Ok(written);
    }
    json(&serde_json::json!({ "left_out_bytes": written.len() }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_word_of_its_own() {
        for (place, kind) in AuditKind::ALL.into_iter().enumerate() {
            assert_eq!(kind.to_string().parse::<AuditKind>().unwrap(), kind);
            assert!(!AuditKind::ALL[..place].contains(&kind), "{kind} stands there twice");
        }
        assert!("dance".parse::<AuditKind>().is_err());
    }

    #[test]
    fn long_texts_are_cut_and_long_details_left_out() {
        assert_eq!(clipped("é".repeat(500)), "é".repeat(500));
        assert_eq!(clipped("é".repeat(501)).chars().count(), 500);
        let of = |bytes: usize| Map::from_iter([("k".to_owned(), Value::from("x".repeat(bytes)))]);
        let frame = "{\"k\":\"\"}".len();
        assert_eq!(detail(&of(MAX_DETAIL_BYTES - frame)).unwrap().len(), MAX_DETAIL_BYTES);
        assert_eq!(detail(&of(MAX_DETAIL_BYTES - frame + 1)).unwrap(), "{\"left_out_bytes\":16385}");
    }
}
