//! What turns have spent: tokens, money and time of a session, a turn, or a stretch of time.

use nanobot_engine::id::{SessionId, TurnId};

use crate::encode;
use crate::error::StoreError;
use crate::store::Store;

/// Tokens, money and time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spend {
    /// Tokens sent and produced.
    pub tokens: u64,
    /// US dollars, of the requests that have a price.
    pub usd: f64,
    /// Milliseconds of work, up to the last request of each turn.
    pub worked_ms: u64,
}

/// Whose spending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpendOf {
    /// Of one turn.
    Turn(TurnId),
    /// Of one session, from its beginning.
    Session(SessionId),
    /// Of everybody from this time on, UTC milliseconds.
    Since(i64),
}

impl Store {
    /// What requests to models have cost so far.
    ///
    /// # Errors
    /// When the database refuses.
    pub async fn spend(&self, of: SpendOf) -> Result<Spend, StoreError> {
        const SUMS: &str = "SELECT COALESCE(SUM(input_tokens + output_tokens), 0), COALESCE(SUM(cost_usd), 0.0), \
            COALESCE(SUM(worked_ms), 0) FROM model_requests";
        let query = match of {
            SpendOf::Turn(_) => format!("{SUMS} WHERE turn_id = ?"),
            SpendOf::Session(_) => format!("{SUMS} WHERE session_id = ?"),
            SpendOf::Since(_) => format!("{SUMS} WHERE started_at >= ?"),
        };
        let query = sqlx::query_as::<_, (i64, f64, i64)>(sqlx::AssertSqlSafe(query));
        let query = match of {
            SpendOf::Turn(turn_id) => query.bind(encode::id(turn_id.0)),
            SpendOf::Session(session_id) => query.bind(encode::id(session_id.0)),
            SpendOf::Since(at) => query.bind(at),
        };
        let (tokens, usd, worked_ms) = query.fetch_one(self.readers()).await?;
        let count = |sum: i64| u64::try_from(sum).unwrap_or(0);
        Ok(Spend { tokens: count(tokens), usd, worked_ms: count(worked_ms) })
    }
}
