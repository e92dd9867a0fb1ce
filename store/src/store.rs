//! The database as a whole: opening, checking, copying and closing it, and transactions.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sqlx::pool::PoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions as _, Connection as _, Row as _, Sqlite, SqlitePool, Transaction};

use tokio::sync::mpsc;

use crate::error::StoreError;
use crate::migrate::{MIGRATIONS, Migration, check, migrate, write_backup};
use crate::writer::Job;

/// The database. Cheap to clone; all clones share the connections.
///
/// One connection writes, so that writers wait in order here instead of failing at a lock in SQLite; up to four read.
#[derive(Clone, Debug)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
    steps: mpsc::Sender<Job>,
    options: Arc<SqliteConnectOptions>,
    purpose: Purpose,
}

/// What the database was opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    Work,
    Reading,
}

/// Pages in the write-ahead log at which the writer itself moves them into the main file: only when the task that does
/// it beside the writer cannot keep up.
const WAL_PAGES: &str = "16000";
/// How long a connection waits for a lock that another process holds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a caller waits for a connection of this process.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);
/// How long opening waits before it tries again.
const RETRY_PAUSE: Duration = Duration::from_millis(20);
const READERS: u32 = 4;
/// Readers that nobody needs give their memory back.
const READER_IDLE: Duration = Duration::from_secs(60);

impl Store {
    /// Opens the database, creating it (for its owner alone) or bringing it up to date.
    pub async fn open(path: &Path) -> Result<Self, StoreError> {
        Self::open_with(path, BUSY_TIMEOUT).await
    }

    /// As [`Store::open`], with the time that a write waits while another process holds the database.
    pub async fn open_with(path: &Path, busy_timeout: Duration) -> Result<Self, StoreError> {
        Self::open_version(path, busy_timeout, MIGRATIONS).await
    }

    /// Opens a database that is up to date for reading alone: nothing is made or changed, and every write fails. Works beside a
    /// running server.
    ///
    /// # Errors
    /// When there is no file, when it is no database of ours, and when its version is not that of this program.
    pub async fn open_for_reading(path: &Path) -> Result<Self, StoreError> {
        let options = SqliteConnectOptions::new()
            .filename(path)
            .read_only(true)
            .create_if_missing(false)
            .busy_timeout(BUSY_TIMEOUT)
            .row_buffer_size(256)
            .disable_statement_logging();
        let mut connection = options.connect().await?;
        let found = check(&mut connection, MIGRATIONS).await;
        let _ = connection.close().await;
        let (found, known) = (found?, MIGRATIONS.last().map_or(0, |migration| migration.version));
        if found < known {
            return Err(StoreError::Older { found, known });
        }
        Ok(Self::with_options(options, Purpose::Reading))
    }

    pub(crate) async fn open_version(
        path: &Path,
        busy_timeout: Duration,
        migrations: &[Migration],
    ) -> Result<Self, StoreError> {
        if !path.exists() {
            crate::file::create_folder(path.parent().unwrap_or(Path::new("")))?;
            match crate::file::create_private(path) {
                // Another process was faster.
                Err(_) if path.exists() => {}
                created => created?,
            }
        }
        let options = SqliteConnectOptions::new()
            .filename(path)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Normal)
            .foreign_keys(true)
            .busy_timeout(busy_timeout)
            .row_buffer_size(256)
            .disable_statement_logging();
        let store = Self::with_options(options, Purpose::Work);
        let mut patience = busy_timeout;
        loop {
            match store.prepare(path, migrations).await {
                // Changing a new file to the write-ahead log does not wait for the other process that does the same.
                Err(StoreError::Busy) if !patience.is_zero() => {
                    let pause = RETRY_PAUSE.min(patience);
                    tokio::time::sleep(pause).await;
                    patience -= pause;
                }
                prepared => return prepared.map(|()| store),
            }
        }
    }

    /// The connections, none of them open yet.
    fn with_options(options: SqliteConnectOptions, purpose: Purpose) -> Self {
        let writer = PoolOptions::<Sqlite>::new()
            .max_connections(1)
            .min_connections(0)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(None)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(
                options
                    .clone()
                    .pragma("cache_size", "-4000")
                    .pragma("wal_autocheckpoint", WAL_PAGES)
                    .statement_cache_capacity(96),
            );
        let readers = PoolOptions::<Sqlite>::new()
            .max_connections(READERS)
            .min_connections(0)
            .acquire_timeout(ACQUIRE_TIMEOUT)
            .idle_timeout(READER_IDLE)
            .max_lifetime(None)
            .test_before_acquire(false)
            .connect_lazy_with(options.clone().pragma("cache_size", "-2000").statement_cache_capacity(32));
        let steps = crate::writer::spawn(writer.clone(), readers.clone());
        Self { writer, readers, steps, options: Arc::new(options), purpose }
    }

    async fn prepare(&self, path: &Path, migrations: &[Migration]) -> Result<(), StoreError> {
        let mut connection = self.writer.acquire().await?;
        migrate(&mut connection, path, migrations).await
    }

    /// Writes everything into the main file and closes it. Calls after this fail.
    pub async fn close(&self) {
        self.readers.close().await;
        if self.purpose == Purpose::Work
            && let Ok(mut connection) = self.writer.acquire().await
            && let Err(error) = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").execute(&mut *connection).await
        {
            tracing::warn!(%error, "the write-ahead log stays beside the database; the next start reads it");
        }
        self.writer.close().await;
    }

    /// Fails when the database cannot be read.
    pub async fn ping(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.readers).await?;
        Ok(())
    }

    /// What is wrong with the file, in SQLite's words; empty when nothing is.
    pub async fn integrity_check(&self) -> Result<Vec<String>, StoreError> {
        // On a connection of its own: a reader remembers an older layout of the search index and would call it damaged.
        let mut connection = self.options.connect().await?;
        let rows = sqlx::query("PRAGMA integrity_check(100)").fetch_all(&mut connection).await;
        let _ = connection.close().await;
        let mut problems = Vec::new();
        for row in rows? {
            let line: String = row.try_get(0)?;
            if line != "ok" {
                problems.push(line);
            }
        }
        Ok(problems)
    }

    /// Writes a compact copy to a file that does not exist yet. Reading and writing go on meanwhile.
    pub async fn backup(&self, to: &Path) -> Result<(), StoreError> {
        let mut connection = self.options.connect().await?;
        let written = write_backup(&mut connection, to).await;
        let _ = connection.close().await;
        written
    }

    /// Where steps go to be committed.
    pub(crate) fn steps(&self) -> &mpsc::Sender<Job> {
        &self.steps
    }

    /// The connections for single reads.
    pub(crate) fn readers(&self) -> &SqlitePool {
        &self.readers
    }

    /// A transaction that sees one state of the database, for reads that have to agree.
    pub(crate) async fn begin_read(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        begin(&self.readers, "BEGIN").await
    }

    /// A transaction that may write; it holds the only writer until it ends.
    pub(crate) async fn begin_write(&self) -> Result<Transaction<'static, Sqlite>, StoreError> {
        begin(&self.writer, "BEGIN IMMEDIATE").await
    }
}

async fn begin(pool: &SqlitePool, statement: &'static str) -> Result<Transaction<'static, Sqlite>, StoreError> {
    match pool.begin_with(statement).await {
        Ok(transaction) => Ok(transaction),
        // SQLite ends a transaction by itself when the disk is full or fails; the driver still counts it as open.
        // Such a connection is of no use any more.
        Err(sqlx::Error::InvalidSavePointStatement) => {
            pool.acquire().await?.close().await?;
            Ok(pool.begin_with(statement).await?)
        }
        Err(error) => Err(error.into()),
    }
}

/// Ends a transaction by its result.
pub(crate) async fn end<T>(
    transaction: Transaction<'static, Sqlite>,
    result: Result<T, StoreError>,
) -> Result<T, StoreError> {
    match result {
        Ok(value) => {
            transaction.commit().await?;
            Ok(value)
        }
        Err(error) => {
            // Fails when SQLite has rolled back by itself, which is as good.
            let _ = transaction.rollback().await;
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests {
    use nanobot_engine::event::EventBody;
    use nanobot_engine::id::{SessionId, StreamId};
    use uuid::Uuid;

    use super::*;
    use crate::{Op, SessionRecord, StoredEvent, TitleSource};

    fn record() -> SessionRecord {
        SessionRecord {
            id: SessionId(Uuid::now_v7()),
            title: String::new(),
            title_source: TitleSource::None,
            preset: None,
            workspace: None,
            access: None,
            pinned: false,
            active_message_id: None,
            forked_from: None,
            forked_at_seq: None,
            reserved_seq: 0,
            last_event_seq: 0,
            running_turn_id: None,
            running_state: None,
            created_at: 1,
            updated_at: 1,
            last_message_at: None,
            deleted_at: None,
        }
    }

    fn large(seq: u64, bytes: usize) -> Op {
        let body = EventBody::Delta { stream_id: StreamId::new(1, 0), text: "x".repeat(bytes) };
        Op::AppendEvents(vec![StoredEvent { first_seq: seq, seq, turn_id: None, at: 1, body, pieces: Vec::new() }])
    }

    #[tokio::test]
    async fn a_full_disk_stops_writing_until_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("full.db")).await.unwrap();
        let session = record();
        store.create_session(&session).await.unwrap();
        let limit = "PRAGMA max_page_count = 60";
        sqlx::query(limit).execute(&store.writer).await.unwrap();
        let mut seq = 1;
        let error = loop {
            if let Err(error) = store.commit(session.id, vec![large(seq, 20_000), large(seq + 1, 20_000)]).await {
                break error;
            }
            seq += 2;
        };
        assert!(matches!(error, StoreError::Full), "{error}");
        // The step is gone as a whole; reading goes on, and so do small writes that find room.
        assert_eq!(store.last_event_seq(session.id).await.unwrap(), seq - 1);
        for _ in 0..3 {
            // The writer may be a new connection now, which has to be told of the limit.
            store.commit(session.id, vec![Op::TouchSession { at: 2 }]).await.unwrap();
            sqlx::query(limit).execute(&store.writer).await.unwrap();
            let error = store.commit(session.id, vec![large(seq, 400_000)]).await.unwrap_err();
            assert!(matches!(error, StoreError::Full), "{error}");
        }
        store.commit(session.id, vec![Op::TouchSession { at: 3 }]).await.unwrap();
        sqlx::query("PRAGMA max_page_count = 4000").execute(&store.writer).await.unwrap();
        store.commit(session.id, vec![large(seq, 400_000)]).await.unwrap();
        assert_eq!(store.integrity_check().await.unwrap(), [""; 0]);
    }

    #[tokio::test]
    async fn a_transaction_that_sqlite_ended_does_not_spoil_the_writer() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("ended.db")).await.unwrap();
        let mut transaction = store.begin_write().await.unwrap();
        // What SQLite does by itself on a full or failing disk.
        sqlx::query("ROLLBACK").execute(&mut *transaction).await.unwrap();
        let _ = end::<()>(transaction, Err(StoreError::Full)).await;
        for _ in 0..3 {
            store.create_session(&record()).await.unwrap();
        }
    }
}
