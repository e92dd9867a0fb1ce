//! The event log of a session: what was shown, in order, ready to be shown again.

use nanobot_engine::event::EventBody;
use nanobot_engine::id::{SessionId, TurnId};
use sqlx::SqliteConnection;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all};
use crate::encode::{self, json, number};
use crate::error::StoreError;
use crate::store::Store;
use crate::turn::TurnRecord;

/// One stored event. Neighbouring deltas of a segment are stored as one, with the borders of their pieces.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Number of its first piece; equal to `seq` for anything but a joined delta.
    pub first_seq: u64,
    /// Its number; of a joined delta, the number of its last piece.
    pub seq: u64,
    /// The turn it belongs to.
    pub turn_id: Option<TurnId>,
    /// UTC milliseconds.
    pub at: i64,
    /// What happened.
    pub body: EventBody,
    /// The pieces of a joined delta in order; empty for a single piece.
    pub pieces: Vec<Piece>,
}

/// One piece of a joined delta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its number.
    pub seq: u64,
    /// Byte offset in the joined text at which it ends.
    pub end: u32,
}

/// What [`Store::count_events_after`] counts at most; whoever is further behind reads everything again.
const COUNT_LIMIT: i64 = 20_001;

fn read(columns: &mut Columns) -> Result<StoredEvent, Broken> {
    Ok(StoredEvent {
        first_seq: columns.number()?,
        seq: columns.number()?,
        turn_id: columns.optional_id()?,
        at: columns.integer()?,
        pieces: columns
            .optional_json::<Vec<(u64, u32)>>()?
            .unwrap_or_default()
            .into_iter()
            .map(|(seq, end)| Piece { seq, end })
            .collect(),
        body: columns.json()?,
    })
}

impl Store {
    /// Events after the number `after` in ascending order, at most `limit`. A joined delta is given whole when only a part
    /// of it lies after `after`, or only a part of it up to `upto`.
    pub async fn events_after(
        &self,
        session: SessionId,
        after: u64,
        upto: Option<u64>,
        limit: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let rows = sqlx::query(
            "SELECT first_seq, seq, turn_id, at, pieces, body FROM events \
             WHERE session_id = ? AND seq > ? AND first_seq <= ? ORDER BY seq LIMIT ?",
        )
        .bind(encode::id(session.0))
        .bind(number(after))
        .bind(upto.map_or(i64::MAX, number))
        .bind(limit)
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "event", read))
    }

    /// The events of a turn: its `user_message`, then what it showed.
    pub async fn turn_events(&self, session: SessionId, turn: &TurnRecord) -> Result<Vec<StoredEvent>, StoreError> {
        let mut connection = self.readers().acquire().await?;
        of_turn(&mut connection, &encode::id(session.0), turn).await
    }

    /// The number of the session's newest event, 0 when there is none.
    pub async fn last_event_seq(&self, session: SessionId) -> Result<u64, StoreError> {
        let row = sqlx::query("SELECT COALESCE(MAX(seq), 0) FROM events WHERE session_id = ?")
            .bind(encode::id(session.0))
            .fetch_one(self.readers())
            .await?;
        Ok(Columns::new(&row).number()?)
    }

    /// How many stored events come after the number `after`, a joined delta counted once; never more than 20,001.
    pub async fn count_events_after(&self, session: SessionId, after: u64) -> Result<u64, StoreError> {
        let row = sqlx::query(
            "SELECT COUNT(*) FROM (SELECT 1 FROM events WHERE session_id = ? AND seq > ? LIMIT ?) AS counted",
        )
        .bind(encode::id(session.0))
        .bind(number(after))
        .bind(COUNT_LIMIT)
        .fetch_one(self.readers())
        .await?;
        Ok(Columns::new(&row).number()?)
    }
}

/// The events of a turn, within a transaction.
pub(crate) async fn of_turn(
    connection: &mut SqliteConnection,
    session: &str,
    turn: &TurnRecord,
) -> Result<Vec<StoredEvent>, StoreError> {
    let (from, upto) = match turn.started_seq {
        Some(started) => (number(started), turn.ended_seq.map_or(i64::MAX, number)),
        // Nothing but its request.
        None => (i64::MAX, 0),
    };
    let rows = sqlx::query(
        "SELECT first_seq, seq, turn_id, at, pieces, body FROM events WHERE session_id = ? AND seq = ? \
             UNION ALL SELECT first_seq, seq, turn_id, at, pieces, body FROM events \
             WHERE session_id = ? AND seq >= ? AND seq <= ? AND turn_id = ? AND seq <> ? ORDER BY 2",
    )
    .bind(session)
    .bind(number(turn.seq))
    .bind(session)
    .bind(from)
    .bind(upto)
    .bind(encode::id(turn.id.0))
    .bind(number(turn.seq))
    .fetch_all(connection)
    .await?;
    Ok(all(&rows, "event", read))
}

/// Adds an event to the session of the step.
pub(crate) fn insert(batch: &mut Batch, session: &str, event: StoredEvent) -> Result<(), StoreError> {
    let pieces = if event.pieces.is_empty() {
        None
    } else {
        Some(json(&event.pieces.iter().map(|piece| (piece.seq, piece.end)).collect::<Vec<_>>())?)
    };
    batch
        .statement(
            "INSERT INTO events(session_id, seq, first_seq, turn_id, at, pieces, body) VALUES (?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(session)
        .bind(number(event.seq))
        .bind(number(event.first_seq))
        .bind(event.turn_id.map(|id| encode::id(id.0)))
        .bind(event.at)
        .bind(pieces)
        .bind(json(&event.body)?);
    Ok(())
}
