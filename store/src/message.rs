//! Message rows: a tree for each session, and walks along its branches.

use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::{Block, Branch, Message, Role, Row};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, number, text};
use crate::error::StoreError;
use crate::names::Named;
use crate::page::Page;
use crate::store::{Store, end};
use crate::turn::TurnRecord;

/// The branch that ends at a row, leaf first; takes two places: session and row.
macro_rules! with_branch {
    ($($rest:tt)+) => {
        concat!(
            "WITH RECURSIVE branch(row, parent_row, seq, turn_id) AS (",
            "SELECT row, parent_row, seq, turn_id FROM messages WHERE session_id = ? AND id = ? ",
            "UNION ALL SELECT p.row, p.parent_row, p.seq, p.turn_id FROM branch b JOIN messages p ON p.row = b.parent_row) ",
            $($rest)+
        )
    };
}
pub(crate) use with_branch;

/// The columns that [`read`] takes, of `messages m`.
macro_rules! columns {
    () => {
        "m.id, m.seq, m.turn_id, m.parent_id, m.role, m.context, m.interrupted, m.origin, m.client_message_id, \
         m.created_at, m.text, m.blocks"
    };
}

/// How many user rows have the same parent.
macro_rules! siblings_count {
    () => {
        "(SELECT COUNT(*) FROM messages x WHERE x.session_id = m.session_id AND x.parent_row = m.parent_row \
         AND x.role = 'user')"
    };
}

fn read(columns: &mut Columns) -> Result<Row, Broken> {
    let id = columns.id()?;
    let seq = columns.number()?;
    let turn_id = columns.id()?;
    let parent_id = columns.optional_id()?;
    let role = columns.named()?;
    let context = columns.optional_text()?;
    let interrupted = columns.flag()?;
    let origin = columns.named()?;
    let client_message_id = columns.optional_text()?;
    let created_at = columns.integer()?;
    let text = columns.text()?;
    let blocks = columns.optional_json()?.unwrap_or_else(|| vec![Block::Text { text }]);
    Ok(Row {
        id,
        seq,
        turn_id,
        parent_id,
        message: Message { role, blocks },
        context,
        interrupted,
        origin,
        client_message_id,
        created_at,
    })
}

fn read_with_siblings(columns: &mut Columns) -> Result<(Row, i64), Broken> {
    Ok((read(columns)?, columns.integer()?))
}

fn read_with_session(columns: &mut Columns) -> Result<(Row, SessionId), Broken> {
    Ok((read(columns)?, columns.id()?))
}

impl Store {
    /// The rows from the root to `leaf`; empty when the session has no such row.
    pub async fn branch_rows(&self, session: SessionId, leaf: MessageId) -> Result<Vec<Row>, StoreError> {
        let mut connection = self.readers().acquire().await?;
        branch(&mut connection, &encode::id(session.0), &encode::id(leaf.0)).await
    }

    /// A page of the branch that ends at `leaf` (the active one when `None`), in ascending order, each row with its place
    /// among its siblings if it has any. Without bounds it is the newest page; `next_cursor` is the next `before_seq`, or the
    /// next `after_seq` when `after_seq` was given.
    pub async fn messages_page(
        &self,
        session: SessionId,
        leaf: Option<MessageId>,
        after_seq: Option<u64>,
        before_seq: Option<u64>,
        limit: u32,
    ) -> Result<Page<(Row, Option<Branch>)>, StoreError> {
        let limit = limit.max(1);
        let mut transaction = self.begin_read().await?;
        let result = page(&mut transaction, session, leaf, after_seq, before_seq, limit).await;
        end(transaction, result).await
    }

    /// The rows of a turn in order, its request first.
    pub async fn turn_rows(&self, session: SessionId, turn: &TurnRecord) -> Result<Vec<Row>, StoreError> {
        let rows = sqlx::query(concat!(
            "SELECT ",
            columns!(),
            " FROM messages m WHERE m.session_id = ? AND m.seq >= ? AND m.seq <= ? AND m.turn_id = ? ORDER BY m.seq"
        ))
        .bind(encode::id(session.0))
        .bind(number(turn.seq))
        .bind(turn.ended_seq.map_or(i64::MAX, number))
        .bind(encode::id(turn.id.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "message", read))
    }

    /// A row and the session it belongs to.
    pub async fn message(&self, id: MessageId) -> Result<Option<(SessionId, Row)>, StoreError> {
        let row = sqlx::query(concat!("SELECT ", columns!(), ", m.session_id FROM messages m WHERE m.id = ?"))
            .bind(encode::id(id.0))
            .fetch_optional(self.readers())
            .await?;
        let found = row.and_then(|row| one(&row, "message", read_with_session));
        Ok(found.map(|(row, session)| (session, row)))
    }

    /// The user rows that follow `parent` (that begin a root, when `None`), in order of their numbers.
    pub async fn siblings(&self, session: SessionId, parent: Option<MessageId>) -> Result<Vec<MessageId>, StoreError> {
        let mut connection = self.readers().acquire().await?;
        siblings(&mut connection, &encode::id(session.0), parent).await
    }

    /// The end of the branch that takes the newest row at every fork below `message_id`; the row itself when nothing
    /// follows it.
    pub async fn newest_leaf_below(&self, session: SessionId, message_id: MessageId) -> Result<MessageId, StoreError> {
        let session = encode::id(session.0);
        let row = sqlx::query(
            "WITH RECURSIVE down(row, depth) AS (\
             SELECT row, 0 FROM messages WHERE session_id = ? AND id = ? \
             UNION ALL SELECT (SELECT c.row FROM messages c WHERE c.session_id = ? AND c.parent_row = d.row \
             ORDER BY c.seq DESC LIMIT 1), d.depth + 1 FROM down d WHERE d.row IS NOT NULL) \
             SELECT m.id FROM down d JOIN messages m ON m.row = d.row ORDER BY d.depth DESC LIMIT 1",
        )
        .bind(session.as_str())
        .bind(encode::id(message_id.0))
        .bind(session.as_str())
        .fetch_optional(self.readers())
        .await?
        .ok_or(StoreError::NotFound("message"))?;
        Ok(Columns::new(&row).id()?)
    }

    /// The place of a row among its siblings; `None` when it has none.
    pub async fn branch_of(&self, row: &Row) -> Result<Option<Branch>, StoreError> {
        if row.message.role != Role::User {
            return Ok(None);
        }
        let mut transaction = self.begin_read().await?;
        let result = branch_of(&mut transaction, row).await;
        end(transaction, result).await
    }
}

/// The rows from the root to `leaf`.
pub(crate) async fn branch(
    connection: &mut SqliteConnection,
    session: &str,
    leaf: &str,
) -> Result<Vec<Row>, StoreError> {
    let rows = sqlx::query(with_branch!("SELECT ", columns!(), " FROM branch b JOIN messages m ON m.row = b.row"))
        .bind(session)
        .bind(leaf)
        .fetch_all(connection)
        .await?;
    // Sorting here spares SQLite a copy of every text.
    let mut rows = all(&rows, "message", read);
    rows.sort_unstable_by_key(|row| row.seq);
    Ok(rows)
}

async fn page(
    connection: &mut SqliteConnection,
    session: SessionId,
    leaf: Option<MessageId>,
    after_seq: Option<u64>,
    before_seq: Option<u64>,
    limit: u32,
) -> Result<Page<(Row, Option<Branch>)>, StoreError> {
    let session = encode::id(session.0);
    let leaf = match leaf {
        Some(leaf) => Some(encode::id(leaf.0)),
        None => active_leaf(connection, &session).await?,
    };
    let Some(leaf) = leaf else { return Ok(Page { items: Vec::new(), next_cursor: None }) };
    let sql = if after_seq.is_some() {
        with_branch!(
            "SELECT ",
            columns!(),
            ", ",
            siblings_count!(),
            " FROM (SELECT row, seq FROM branch WHERE seq > ? AND seq < ? ORDER BY seq LIMIT ?) b \
             JOIN messages m ON m.row = b.row ORDER BY b.seq"
        )
    } else {
        // Each step of the walk gives the parent of the row before, so it is in order and ends where the page does.
        with_branch!(
            "SELECT ",
            columns!(),
            ", ",
            siblings_count!(),
            " FROM (SELECT row, seq FROM branch WHERE seq > ? AND seq < ? LIMIT ?) b \
             JOIN messages m ON m.row = b.row ORDER BY b.seq"
        )
    };
    let mut rows: Vec<SqliteRow> = sqlx::query(sql)
        .bind(session.as_str())
        .bind(leaf)
        .bind(number(after_seq.unwrap_or(0)))
        .bind(before_seq.map_or(i64::MAX, number))
        .bind(i64::from(limit) + 1)
        .fetch_all(&mut *connection)
        .await?;
    let more = rows.len() > limit as usize;
    if more {
        let surplus = if after_seq.is_some() { rows.len() - 1 } else { 0 };
        rows.remove(surplus);
    }
    let mut items = Vec::with_capacity(rows.len());
    for (row, siblings) in all(&rows, "message", read_with_siblings) {
        let branch = if siblings > 1 && row.message.role == Role::User {
            place(&row, self::siblings(connection, &session, row.parent_id).await?)
        } else {
            None
        };
        items.push((row, branch));
    }
    let edge = if after_seq.is_some() { items.last() } else { items.first() };
    let next_cursor = edge.filter(|_| more).map(|(row, _)| row.seq.to_string());
    Ok(Page { items, next_cursor })
}

/// The end of the session's active branch.
pub(crate) async fn active_leaf(
    connection: &mut SqliteConnection,
    session: &str,
) -> Result<Option<String>, StoreError> {
    let row = sqlx::query("SELECT active_message_id FROM sessions WHERE id = ?")
        .bind(session)
        .fetch_optional(connection)
        .await?;
    match row {
        Some(row) => Ok(Columns::new(&row).optional_text()?),
        None => Ok(None),
    }
}

async fn siblings(
    connection: &mut SqliteConnection,
    session: &str,
    parent: Option<MessageId>,
) -> Result<Vec<MessageId>, StoreError> {
    let sql = match parent {
        Some(_) => {
            "SELECT m.id FROM messages m WHERE m.session_id = ? AND m.role = 'user' \
             AND m.parent_row = (SELECT p.row FROM messages p WHERE p.id = ?) ORDER BY m.seq"
        }
        None => {
            "SELECT m.id FROM messages m WHERE m.session_id = ? AND m.role = 'user' AND m.parent_row = 0 ORDER BY m.seq"
        }
    };
    let mut query = sqlx::query(sql).bind(session);
    if let Some(parent) = parent {
        query = query.bind(encode::id(parent.0));
    }
    let rows = query.fetch_all(connection).await?;
    Ok(all(&rows, "message id", |columns| columns.id()))
}

async fn branch_of(connection: &mut SqliteConnection, row: &Row) -> Result<Option<Branch>, StoreError> {
    let found = sqlx::query("SELECT session_id FROM messages WHERE id = ?")
        .bind(encode::id(row.id.0))
        .fetch_optional(&mut *connection)
        .await?
        .ok_or(StoreError::NotFound("message"))?;
    let session = Columns::new(&found).text()?;
    Ok(place(row, siblings(connection, &session, row.parent_id).await?))
}

fn place(row: &Row, siblings: Vec<MessageId>) -> Option<Branch> {
    let index = siblings.iter().position(|id| *id == row.id)?;
    let (index, count) = (u32::try_from(index).ok()?, u32::try_from(siblings.len()).ok()?);
    (count > 1).then_some(Branch { index, count, siblings })
}

/// Adds a row. A parent that the session does not have is refused.
pub(crate) fn insert(batch: &mut Batch, session: &str, row: Row) -> Result<(), StoreError> {
    let Row { id, seq, turn_id, parent_id, message, context, interrupted, origin, client_message_id, created_at } = row;
    let Message { role, mut blocks } = message;
    let parent = parent_id.map(|id| encode::id(id.0));
    let plain = match blocks.as_mut_slice() {
        [Block::Text { text }] => Some(std::mem::take(text)),
        _ => None,
    };
    let (plain, stored_blocks) = match plain {
        Some(plain) => (text(plain), None),
        None => (text(readable(&blocks)), Some(json(&blocks)?)),
    };
    batch
        .statement(
            "INSERT INTO messages(parent_row, seq, id, turn_id, session_id, parent_id, role, origin, interrupted, \
             client_message_id, created_at, context, text, blocks) \
             VALUES (COALESCE((SELECT row FROM messages WHERE id = ? AND session_id = ?), 0), \
             ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(parent.clone())
        .bind(session)
        .bind(number(seq))
        .bind(encode::id(id.0))
        .bind(encode::id(turn_id.0))
        .bind(session)
        .bind(parent)
        .bind(role.word())
        .bind(origin.word())
        .bind(interrupted)
        .bind(client_message_id.map(text))
        .bind(created_at)
        .bind(context.map(text))
        .bind(plain)
        .bind(stored_blocks);
    Ok(())
}

/// What search looks at: text blocks, not the results of tools.
fn readable(blocks: &[Block]) -> String {
    let mut out = String::new();
    for block in blocks {
        match block {
            Block::Text { text } => out.push_str(text),
            Block::Image { .. }
            | Block::Call(_)
            | Block::Result { .. }
            | Block::Thinking { .. }
            | Block::Document { .. }
            | Block::ProviderItem { .. }
            | Block::Pause => {}
        }
    }
    out
}
