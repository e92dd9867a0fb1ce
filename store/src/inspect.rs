//! A look at a database that changes nothing: no file is made, no migration applied. Works beside a running server.

use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, Row as _, SqliteConnection};

use crate::audit_chain::{AuditReport, verify};
use crate::error::StoreError;
use crate::migrate::{MIGRATIONS, check};

/// How long a look waits for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// The version that brought the audit log.
const AUDIT_SINCE: i64 = 3;

/// A database that is only looked at.
pub struct Inspection {
    connection: SqliteConnection,
    version: i64,
}

impl Inspection {
    /// Opens a database for reading alone.
    ///
    /// # Errors
    /// When there is no file, when it is no database of ours, or when it is newer than this program.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .create_if_missing(false)
            .busy_timeout(BUSY_TIMEOUT)
            .disable_statement_logging();
        let mut connection = options.connect().await?;
        let version = check(&mut connection, MIGRATIONS).await?;
        Ok(Self { connection, version })
    }

    /// The version of the file; 0 when it is empty.
    #[must_use]
    pub fn version(&self) -> i64 {
        self.version
    }

    /// The version that this program brings a file to.
    #[must_use]
    pub fn newest_version() -> i64 {
        MIGRATIONS.last().map_or(0, |migration| migration.version)
    }

    /// What is wrong with the file, in SQLite's words; empty when nothing is. Leaves out what takes long: whether indexes fit
    /// their tables.
    pub async fn quick_check(&mut self) -> Result<Vec<String>, StoreError> {
        let rows = sqlx::query("PRAGMA quick_check(100)").fetch_all(&mut self.connection).await?;
        let mut problems = Vec::new();
        for row in rows {
            let line: String = row.try_get(0)?;
            if line != "ok" {
                problems.push(line);
            }
        }
        Ok(problems)
    }

    /// Computes the chain of the audit log again; `None` when the file is of a version without one.
    pub async fn verify_audit(&mut self) -> Result<Option<AuditReport>, StoreError> {
        if self.version < AUDIT_SINCE {
            return Ok(None);
        }
        let mut transaction = self.connection.begin().await?;
        let report = verify(&mut transaction).await?;
        transaction.rollback().await?;
        Ok(Some(report))
    }

    /// Closes the file.
    pub async fn close(self) {
        let _ = self.connection.close().await;
    }
}
