//! Answers kept so that a repeated request gets the same one.

use crate::decode::{Broken, Columns, one};
use crate::encode::text;
use crate::error::StoreError;
use crate::store::{Store, end};

/// A request that was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdempotencyRecord {
    /// The client's key.
    pub key: String,
    /// Method and path it was used on.
    pub route: String,
    /// SHA-256 of the request's body, in hex.
    pub request_sha256: String,
    /// HTTP status of the answer.
    pub status: u16,
    /// Body of the answer.
    pub body: String,
    /// UTC milliseconds.
    pub created_at: i64,
}

fn read(columns: &mut Columns) -> Result<IdempotencyRecord, Broken> {
    Ok(IdempotencyRecord {
        key: columns.text()?,
        route: columns.text()?,
        request_sha256: columns.text()?,
        status: columns.number()?,
        body: columns.text()?,
        created_at: columns.integer()?,
    })
}

impl Store {
    /// The answer that was given to this key on this route.
    pub async fn idempotent(&self, key: &str, route: &str) -> Result<Option<IdempotencyRecord>, StoreError> {
        let row = sqlx::query(
            "SELECT key, route, request_sha256, status, body, created_at FROM idempotency WHERE key = ? AND route = ?",
        )
        .bind(text(key.to_owned()))
        .bind(route)
        .fetch_optional(self.readers())
        .await?;
        Ok(row.and_then(|row| one(&row, "answer", read)))
    }

    /// Keeps an answer.
    ///
    /// # Errors
    /// [`StoreError::Conflict`] when the key has an answer on this route already.
    pub async fn save_idempotent(&self, record: &IdempotencyRecord) -> Result<(), StoreError> {
        let record = record.clone();
        let mut transaction = self.begin_write().await?;
        let result = sqlx::query(
            "INSERT INTO idempotency(key, route, request_sha256, status, body, created_at) VALUES (?, ?, ?, ?, ?, ?)",
        )
        .bind(text(record.key))
        .bind(record.route)
        .bind(record.request_sha256)
        .bind(record.status)
        .bind(text(record.body))
        .bind(record.created_at)
        .execute(&mut *transaction)
        .await;
        end(transaction, result.map(drop).map_err(StoreError::from)).await
    }

    /// Drops the answers given before `before` (UTC milliseconds); gives their number.
    pub async fn purge_idempotent(&self, before: i64) -> Result<u64, StoreError> {
        let mut transaction = self.begin_write().await?;
        let result =
            sqlx::query("DELETE FROM idempotency WHERE created_at < ?").bind(before).execute(&mut *transaction).await;
        end(transaction, result.map(|done| done.rows_affected()).map_err(StoreError::from)).await
    }
}
