//! Search over messages and titles.

use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::Role;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use crate::decode::{Broken, Columns, all};
use crate::encode::{contains_pattern, folded};
use crate::error::StoreError;
use crate::matching::{marks, snippet, words};
use crate::store::{Store, end};

/// A message that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageHit {
    /// Its session.
    pub session_id: SessionId,
    /// Title of the session.
    pub title: String,
    /// The row.
    pub message_id: MessageId,
    /// Its number.
    pub seq: u64,
    /// Who it is from.
    pub role: Role,
    /// The text around the first match.
    pub snippet: String,
    /// `(start, length)` of each match, in Unicode scalars of the snippet.
    pub marks: Vec<(u32, u32)>,
    /// UTC milliseconds.
    pub created_at: i64,
}

/// A session that was found by its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionHit {
    /// The session.
    pub session_id: SessionId,
    /// Its title.
    pub title: String,
    /// `(start, length)` of each match, in Unicode scalars of the title.
    pub marks: Vec<(u32, u32)>,
}

/// Rows indexed in one transaction while a search waits for it.
const INDEX_STEP: u32 = 200;
/// Steps that a search takes at most; the rest is found once it is indexed.
const INDEX_STEPS: u32 = 20;
/// The index knows this many characters of a message.
const INDEXED_CHARS: i64 = 20_000;
/// Words shorter than this are not in the index; they are looked for in the newest rows.
const INDEXED_WORD: usize = 3;
/// How many of the newest rows.
const NEWEST_ROWS: i64 = 20_000;
/// Words of a query that count.
const MAX_WORDS: usize = 8;

fn read_message(columns: &mut Columns) -> Result<(MessageHit, String), Broken> {
    let hit = MessageHit {
        session_id: columns.id()?,
        title: columns.text()?,
        message_id: columns.id()?,
        seq: columns.number()?,
        role: columns.named()?,
        created_at: columns.integer()?,
        snippet: String::new(),
        marks: Vec::new(),
    };
    Ok((hit, columns.text()?))
}

fn read_session(columns: &mut Columns) -> Result<SessionHit, Broken> {
    Ok(SessionHit { session_id: columns.id()?, title: columns.text()?, marks: Vec::new() })
}

impl Store {
    /// Puts up to `limit` rows that are new since the last time into the index; true when there are more.
    pub async fn index_pending(&self, limit: u32) -> Result<bool, StoreError> {
        let waiting = sqlx::query(
            "SELECT MAX(m.row), (SELECT upto FROM search_progress WHERE name = 'messages') FROM messages m",
        )
        .fetch_one(self.readers())
        .await?;
        let mut waiting = Columns::new(&waiting);
        if waiting.optional_integer()?.unwrap_or(0) <= waiting.integer()? {
            return Ok(false);
        }
        let mut transaction = self.begin_write().await?;
        let result = index(&mut transaction, limit.max(1)).await;
        end(transaction, result).await
    }

    /// Messages of people and models that contain every word of `query` in any case of letters, newest first.
    pub async fn search_messages(&self, query: &str, limit: u32) -> Result<Vec<MessageHit>, StoreError> {
        let mut words = words(query);
        words.truncate(MAX_WORDS);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut steps = 0;
        while steps < INDEX_STEPS && self.index_pending(INDEX_STEP).await? {
            steps += 1;
        }
        let (indexed, short): (Vec<String>, Vec<String>) =
            words.iter().cloned().partition(|word| word.chars().count() >= INDEXED_WORD);
        let mut sql = QueryBuilder::<Sqlite>::new(
            "SELECT m.session_id, s.title, m.id, m.seq, m.role, m.created_at, m.text \
             FROM messages m JOIN sessions s ON s.id = m.session_id \
             WHERE s.deleted_at IS NULL AND m.role IN ('user', 'assistant')",
        );
        if indexed.is_empty() {
            sql.push(" AND m.row > (SELECT COALESCE(MAX(n.row), 0) FROM messages n) - ").push_bind(NEWEST_ROWS);
        } else {
            sql.push(" AND m.row IN (SELECT f.rowid FROM messages_fts f WHERE f.messages_fts MATCH ")
                .push_bind(phrases(&indexed))
                .push(")");
        }
        for word in short {
            // SQLite folds ASCII alone, so the other case is asked for too.
            sql.push(" AND (m.text LIKE ")
                .push_bind(contains_pattern(&word.to_lowercase()))
                .push(" ESCAPE '\\' OR m.text LIKE ")
                .push_bind(contains_pattern(&word.to_uppercase()))
                .push(" ESCAPE '\\')");
        }
        sql.push(" ORDER BY m.row DESC LIMIT ").push_bind(limit);
        let rows = sql.build().fetch_all(self.readers()).await?;
        let hits = all(&rows, "message", read_message);
        Ok(hits
            .into_iter()
            .map(|(hit, text)| {
                let (snippet, marks) = snippet(&text, &words);
                MessageHit { snippet, marks, ..hit }
            })
            .collect())
    }

    /// Sessions whose title contains every word of `query` in any case of letters, newest first.
    pub async fn search_sessions(&self, query: &str, limit: u32) -> Result<Vec<SessionHit>, StoreError> {
        let mut words = words(query);
        words.truncate(MAX_WORDS);
        if words.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = QueryBuilder::<Sqlite>::new("SELECT s.id, s.title FROM sessions s WHERE s.deleted_at IS NULL");
        for word in &words {
            sql.push(" AND s.title_folded LIKE ").push_bind(contains_pattern(&folded(word))).push(" ESCAPE '\\'");
        }
        sql.push(" ORDER BY s.recent_at DESC, s.id DESC LIMIT ").push_bind(limit);
        let rows = sql.build().fetch_all(self.readers()).await?;
        let hits = all(&rows, "session", read_session);
        Ok(hits.into_iter().map(|hit| SessionHit { marks: marks(&hit.title, &words), ..hit }).collect())
    }
}

/// Each word as a phrase of the index's language, in which `""` is a quotation mark and nothing else has a meaning.
fn phrases(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("\"{}\"", word.replace('"', "\"\""))).collect();
    quoted.join(" ")
}

async fn index(connection: &mut SqliteConnection, limit: u32) -> Result<bool, StoreError> {
    let row = sqlx::query(
        "SELECT p.upto, (SELECT MAX(n.row) FROM (SELECT m.row FROM messages m WHERE m.row > p.upto \
         ORDER BY m.row LIMIT ?) n), (SELECT MAX(m.row) FROM messages m) \
         FROM search_progress p WHERE p.name = 'messages'",
    )
    .bind(limit)
    .fetch_one(&mut *connection)
    .await?;
    let mut columns = Columns::new(&row);
    let (after, upto, last) = (columns.integer()?, columns.optional_integer()?, columns.optional_integer()?);
    let Some(upto) = upto else { return Ok(false) };
    sqlx::query(
        "INSERT INTO messages_fts(rowid, text) SELECT row, substr(text, 1, ?) FROM messages \
         WHERE row > ? AND row <= ? AND role IN ('user', 'assistant') AND text <> ''",
    )
    .bind(INDEXED_CHARS)
    .bind(after)
    .bind(upto)
    .execute(&mut *connection)
    .await?;
    sqlx::query("UPDATE search_progress SET upto = ? WHERE name = 'messages'").bind(upto).execute(connection).await?;
    Ok(last > Some(upto))
}

/// Takes the rows of a session out of the index, before they go.
pub(crate) async fn forget_session(connection: &mut SqliteConnection, session: &str) -> Result<(), StoreError> {
    sqlx::query(
        "DELETE FROM messages_fts WHERE rowid IN (SELECT row FROM messages WHERE session_id = ? \
         AND role IN ('user', 'assistant') AND text <> '' \
         AND row <= (SELECT upto FROM search_progress WHERE name = 'messages'))",
    )
    .bind(session)
    .execute(connection)
    .await?;
    Ok(())
}

/// After rows went: their numbers may be given out again, and then have to be indexed again.
pub(crate) async fn settle(connection: &mut SqliteConnection) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE search_progress SET upto = (SELECT COALESCE(MAX(m.row), 0) FROM messages m) \
         WHERE name = 'messages' AND upto > (SELECT COALESCE(MAX(m.row), 0) FROM messages m)",
    )
    .execute(connection)
    .await?;
    Ok(())
}
