//! Brings a database to the version of this program, with a backup before each upgrade.

use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};
use sqlx::{Connection as _, Row as _, SqliteConnection};

use crate::error::StoreError;

/// One step from a version to the next. Steps are only ever added at the end of the list.
#[derive(Clone, Copy)]
pub(crate) struct Migration {
    /// The version that it leads to.
    pub(crate) version: i64,
    /// Its file's name.
    pub(crate) name: &'static str,
    /// Its statements.
    pub(crate) sql: &'static str,
}

impl Migration {
    fn sha256(&self) -> String {
        Sha256::digest(self.sql).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// All migrations, oldest first.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, name: "initial", sql: include_str!("../../migrations/0001_initial.sql") },
    Migration { version: 2, name: "model_requests", sql: include_str!("../../migrations/0002_model_requests.sql") },
    Migration { version: 3, name: "audit_approvals", sql: include_str!("../../migrations/0003_audit_approvals.sql") },
    Migration { version: 4, name: "allowances", sql: include_str!("../../migrations/0004_allowances.sql") },
    Migration { version: 5, name: "journal", sql: include_str!("../../migrations/0005_journal.sql") },
    Migration { version: 6, name: "worked", sql: include_str!("../../migrations/0006_worked.sql") },
];

/// Applies what is missing. Refuses files that are newer than `migrations` or were made by others.
pub(crate) async fn migrate(
    connection: &mut SqliteConnection,
    path: &Path,
    migrations: &[Migration],
) -> Result<(), StoreError> {
    let found = check(connection, migrations).await?;
    let pending: Vec<&Migration> = migrations.iter().filter(|migration| migration.version > found).collect();
    if pending.is_empty() {
        return Ok(());
    }
    if found > 0 {
        let backup = backup_path(path, found)?;
        write_backup(connection, &backup).await?;
        tracing::info!(path = %backup.display(), "the database was backed up before its upgrade");
    }
    for migration in pending {
        apply(connection, migration).await?;
    }
    Ok(())
}

/// The version of the file; 0 when it is empty.
pub(crate) async fn check(connection: &mut SqliteConnection, migrations: &[Migration]) -> Result<i64, StoreError> {
    let tables = sqlx::query("SELECT COUNT(*), COALESCE(SUM(name = 'migrations'), 0) FROM sqlite_schema")
        .fetch_one(&mut *connection)
        .await?;
    if tables.try_get::<i64, _>(1)? == 0 {
        return if tables.try_get::<i64, _>(0)? == 0 {
            Ok(0)
        } else {
            Err(StoreError::Other("the file belongs to another program; choose another path".to_owned()))
        };
    }
    let known = migrations.last().map_or(0, |migration| migration.version);
    let rows = sqlx::query("SELECT version, sha256 FROM migrations ORDER BY version").fetch_all(connection).await?;
    let mut found = 0;
    for row in rows {
        found = row.try_get(0)?;
        let sha256: &str = row.try_get(1)?;
        match migrations.iter().find(|migration| migration.version == found) {
            None => {}
            Some(migration) if migration.sha256() == sha256 => {}
            Some(_) => return Err(StoreError::Altered { version: found }),
        }
    }
    if found > known { Err(StoreError::Newer { found, known }) } else { Ok(found) }
}

async fn apply(connection: &mut SqliteConnection, migration: &Migration) -> Result<(), StoreError> {
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    sqlx::query(
        "CREATE TABLE IF NOT EXISTS migrations(version INTEGER PRIMARY KEY NOT NULL, name TEXT NOT NULL, \
         sha256 TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
    )
    .execute(&mut *transaction)
    .await?;
    // Another process may have been faster while this one waited for the lock.
    let done = sqlx::query("SELECT 1 FROM migrations WHERE version = ?")
        .bind(migration.version)
        .fetch_optional(&mut *transaction)
        .await?;
    if done.is_none() {
        sqlx::raw_sql(migration.sql).execute(&mut *transaction).await?;
        sqlx::query("INSERT INTO migrations(version, name, sha256, applied_at) VALUES (?, ?, ?, ?)")
            .bind(migration.version)
            .bind(migration.name)
            .bind(migration.sha256())
            .bind(now_ms())
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(())
}

/// `<folder>/backups/<name>-v<version>-<UTC ms>.db`
fn backup_path(path: &Path, version: i64) -> Result<PathBuf, StoreError> {
    let folder = path.parent().unwrap_or(Path::new("")).join("backups");
    crate::file::create_folder(&folder)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(folder.join(format!("{name}-v{version}-{}.db", now_ms())))
}

/// Writes a copy of the database, readable by its owner alone. The file must not exist.
pub(crate) async fn write_backup(connection: &mut SqliteConnection, to: &Path) -> Result<(), StoreError> {
    let name = to.to_str().ok_or_else(|| StoreError::Other("the path of the backup is not UTF-8".to_owned()))?;
    crate::file::create_private(to)?;
    let written = sqlx::query("VACUUM INTO ?").bind(name).execute(connection).await;
    if written.is_err() {
        let _ = std::fs::remove_file(to);
    }
    written?;
    Ok(())
}

/// Wall clock; only names and dates of backups and migrations depend on it.
fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| i64::try_from(time.as_millis()).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::Store;

    const WAIT: Duration = Duration::from_secs(5);

    fn newest() -> i64 {
        MIGRATIONS.last().unwrap().version
    }

    async fn next(path: &Path, sql: &'static str) -> Result<Store, StoreError> {
        let migrations = [MIGRATIONS, &[Migration { version: newest() + 1, name: "next", sql }]].concat();
        Store::open_version(path, WAIT, &migrations).await
    }

    fn backups(folder: &Path) -> Vec<PathBuf> {
        let Ok(entries) = std::fs::read_dir(folder.join("backups")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    #[tokio::test]
    async fn an_upgrade_is_preceded_by_a_backup_and_done_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nanobot.db");
        let store = Store::open(&path).await.unwrap();
        store.create_token("kept", "aa", &[], "system", 1).await.unwrap();
        store.close().await;
        assert!(backups(folder.path()).is_empty(), "a new database needs none");

        for _ in 0..2 {
            let store = next(&path, "CREATE TABLE added(x) STRICT; DELETE FROM tokens;").await;
            // STRICT wants types: the statement fails, and with it the whole migration.
            assert!(store.is_err());
        }
        for _ in 0..2 {
            let store = next(&path, "CREATE TABLE added(x TEXT) STRICT; DELETE FROM tokens;").await.unwrap();
            assert_eq!(store.tokens().await.unwrap(), []);
            store.close().await;
        }
        let found = backups(folder.path());
        assert_eq!(found.len(), 3, "{found:?}");
        for backup in found {
            let name = backup.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(name.starts_with(&format!("nanobot-v{}-", newest())) && name.ends_with(".db"), "{name}");
            let old = Store::open(&backup).await.unwrap();
            assert_eq!(old.tokens().await.unwrap().len(), 1);
        }
        let error = Store::open(&path).await.unwrap_err();
        assert!(
            matches!(error, StoreError::Newer { found, known } if (found, known) == (newest() + 1, newest())),
            "{error}"
        );
    }

    #[tokio::test]
    async fn two_processes_may_start_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("nanobot.db");
        let starts = std::array::from_fn::<_, 4, _>(|_| {
            let path = path.clone();
            tokio::spawn(async move { Store::open(&path).await.map(drop) })
        });
        for start in starts {
            start.await.unwrap().unwrap();
        }
    }

    #[test]
    fn versions_count_up_from_one() {
        let versions: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=versions.len() as i64).collect::<Vec<_>>());
    }
}
