//! Access tokens and browser logins; only hashes are stored.

use crate::audit::{AuditEntry, AuditKind, append};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{json, text};
use crate::error::StoreError;
use crate::store::{Store, end};

/// An access token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRecord {
    /// Unique name.
    pub name: String,
    /// What it may do.
    pub scopes: Vec<String>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub last_used_at: Option<i64>,
    /// UTC milliseconds; set when it is no longer valid.
    pub revoked_at: Option<i64>,
}

/// A browser that has logged in with a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoginRecord {
    /// SHA-256 of the cookie's secret, in hex.
    pub hash: String,
    /// The token it logged in with.
    pub token_name: String,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub expires_at: i64,
}

fn read_token(columns: &mut Columns) -> Result<TokenRecord, Broken> {
    Ok(TokenRecord {
        name: columns.text()?,
        scopes: columns.json()?,
        created_at: columns.integer()?,
        last_used_at: columns.optional_integer()?,
        revoked_at: columns.optional_integer()?,
    })
}

fn read_login(columns: &mut Columns) -> Result<LoginRecord, Broken> {
    Ok(LoginRecord {
        hash: columns.text()?,
        token_name: columns.text()?,
        created_at: columns.integer()?,
        expires_at: columns.integer()?,
    })
}

impl Store {
    /// Adds a token by the SHA-256 of its text, with a row in the audit log. Names are never used twice, so that a revoked one
    /// stays what it was. `actor` is who makes it, as in [`AuditEntry`].
    pub async fn create_token(
        &self,
        name: &str,
        sha256_hex: &str,
        scopes: &[String],
        actor: &str,
        at: i64,
    ) -> Result<(), StoreError> {
        let mut entry = AuditEntry::new(AuditKind::TokenCreated, actor, name, at);
        entry.detail.insert("scopes".to_owned(), scopes.into());
        let scopes = json(scopes)?;
        let mut transaction = self.begin_write().await?;
        let result = async {
            sqlx::query("INSERT INTO tokens(name, hash, scopes, created_at) VALUES (?, ?, ?, ?)")
                .bind(text(name.to_owned()))
                .bind(sha256_hex)
                .bind(scopes)
                .bind(at)
                .execute(&mut *transaction)
                .await?;
            append(&mut transaction, entry, "").await
        }
        .await;
        end(transaction, result).await
    }

    /// All tokens, the revoked ones too, oldest first.
    pub async fn tokens(&self) -> Result<Vec<TokenRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT name, scopes, created_at, last_used_at, revoked_at FROM tokens ORDER BY created_at, name",
        )
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "token", read_token))
    }

    /// Makes a token invalid and ends the browser logins made with it, with a row in the audit log. `actor` is who does it, as
    /// in [`AuditEntry`].
    ///
    /// # Errors
    /// [`StoreError::NotFound`] when no valid token has this name.
    pub async fn revoke_token(&self, name: &str, actor: &str, at: i64) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = async {
            let done = sqlx::query("UPDATE tokens SET revoked_at = ? WHERE name = ? AND revoked_at IS NULL")
                .bind(at)
                .bind(name)
                .execute(&mut *transaction)
                .await?;
            if done.rows_affected() == 0 {
                return Err(StoreError::NotFound("token"));
            }
            sqlx::query("DELETE FROM browser_logins WHERE token_name = ?")
                .bind(name)
                .execute(&mut *transaction)
                .await?;
            append(&mut transaction, AuditEntry::new(AuditKind::TokenRevoked, actor, name, at), "").await
        }
        .await;
        end(transaction, result).await
    }

    /// The token with this hash, revoked or not.
    pub async fn token_by_hash(&self, hash: &str) -> Result<Option<TokenRecord>, StoreError> {
        let row = sqlx::query("SELECT name, scopes, created_at, last_used_at, revoked_at FROM tokens WHERE hash = ?")
            .bind(hash)
            .fetch_optional(self.readers())
            .await?;
        Ok(row.and_then(|row| one(&row, "token", read_token)))
    }

    /// Notes that a token was used.
    pub async fn touch_token(&self, name: &str, at: i64) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = sqlx::query("UPDATE tokens SET last_used_at = ? WHERE name = ?")
            .bind(at)
            .bind(name)
            .execute(&mut *transaction)
            .await;
        end(transaction, result.map(drop).map_err(StoreError::from)).await
    }

    /// Adds a browser login and drops those that had ended when it began.
    pub async fn create_login(&self, login: &LoginRecord) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result = async {
            sqlx::query("DELETE FROM browser_logins WHERE expires_at <= ?")
                .bind(login.created_at)
                .execute(&mut *transaction)
                .await?;
            sqlx::query("INSERT INTO browser_logins(hash, token_name, created_at, expires_at) VALUES (?, ?, ?, ?)")
                .bind(login.hash.as_str())
                .bind(login.token_name.as_str())
                .bind(login.created_at)
                .bind(login.expires_at)
                .execute(&mut *transaction)
                .await?;
            Ok(())
        }
        .await;
        end(transaction, result).await
    }

    /// The login with this hash; the caller compares `expires_at` with its clock.
    pub async fn login_by_hash(&self, hash: &str) -> Result<Option<LoginRecord>, StoreError> {
        let row = sqlx::query("SELECT hash, token_name, created_at, expires_at FROM browser_logins WHERE hash = ?")
            .bind(hash)
            .fetch_optional(self.readers())
            .await?;
        Ok(row.and_then(|row| one(&row, "login", read_login)))
    }

    /// Ends a browser login; nothing happens when there is none.
    pub async fn delete_login(&self, hash: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin_write().await?;
        let result =
            sqlx::query("DELETE FROM browser_logins WHERE hash = ?").bind(hash).execute(&mut *transaction).await;
        end(transaction, result.map(drop).map_err(StoreError::from)).await
    }
}
