//! Group commit: steps that wait at the same time share one transaction, each of them still whole or not at all.
//!
//! A step alone costs one crossing to SQLite's thread: `BEGIN`, its statements and `COMMIT` go there together. Steps that
//! came meanwhile join behind a savepoint of their own, so that one that fails takes back only itself.

use sqlx::{Executor as _, SqliteConnection, SqlitePool};
use tokio::sync::{mpsc, oneshot};

use crate::audit::AuditEntry;
use crate::batch::Batch;
use crate::error::StoreError;

/// Steps that may wait; callers wait when it is full.
const WAITING: usize = 1_024;
/// Steps after which the write-ahead log is moved into the main file.
const CHECKPOINT_EVERY: usize = 256;
/// Steps in one transaction.
const GROUP: usize = 64;

/// A piece of a step.
pub(crate) enum Part {
    /// Statements that are known beforehand.
    Batch(Batch),
    /// A row of the audit log: its number and hash follow from the one before it.
    Audit(Box<AuditEntry>),
}

/// One encoded step and where its outcome goes.
pub(crate) struct Job {
    /// The first one is a batch that begins with the tombstone check.
    pub(crate) parts: Vec<Part>,
    /// What `SessionGone` names.
    pub(crate) gone: fn(nanobot_engine::id::SessionId) -> StoreError,
    /// The session of the step.
    pub(crate) session_id: nanobot_engine::id::SessionId,
    /// Told once the transaction is committed, or the step failed.
    pub(crate) reply: oneshot::Sender<Result<(), StoreError>>,
}

/// Starts the task that commits steps, and one beside it that moves the write-ahead log into the main file, so that no
/// step has to wait for that. Both end when the last sender is dropped.
pub(crate) fn spawn(pool: SqlitePool, readers: SqlitePool) -> mpsc::Sender<Job> {
    let (sender, mut jobs) = mpsc::channel::<Job>(WAITING);
    let (checkpoint, mut wanted) = mpsc::channel::<()>(1);
    tokio::spawn(async move {
        while wanted.recv().await.is_some() {
            if let Err(error) = sqlx::query("PRAGMA wal_checkpoint(PASSIVE)").execute(&readers).await {
                tracing::debug!(%error, "the write-ahead log was not moved into the main file; it is tried again");
            }
        }
    });
    tokio::spawn(async move {
        let mut group = Vec::with_capacity(GROUP);
        let mut steps = 0;
        while jobs.recv_many(&mut group, GROUP).await > 0 {
            steps += group.len();
            if steps >= CHECKPOINT_EVERY {
                steps = 0;
                // One that is wanted already does for both.
                let _ = checkpoint.try_send(());
            }
            match pool.acquire().await {
                Ok(mut connection) => {
                    if commit_group(&mut connection, std::mem::take(&mut group)).await == Usable::No {
                        // The transaction could not be ended; a fresh connection can.
                        let _ = connection.close().await;
                    }
                }
                Err(error) => fail(group.drain(..), &StoreError::from(error)),
            }
        }
    });
    sender
}

#[derive(PartialEq, Eq)]
enum Usable {
    Yes,
    No,
}

fn fail(jobs: impl IntoIterator<Item = Job>, error: &StoreError) {
    for job in jobs {
        // A caller that went away does not care.
        let _ = job.reply.send(Err(error.clone()));
    }
}

async fn commit_group(connection: &mut SqliteConnection, group: Vec<Job>) -> Usable {
    let mut written: Vec<oneshot::Sender<Result<(), StoreError>>> = Vec::with_capacity(group.len());
    let mut jobs = group.into_iter();
    while let Some(job) = jobs.next() {
        let Job { parts, gone, session_id, reply } = job;
        let alone = written.is_empty();
        let before = if alone { "BEGIN IMMEDIATE;" } else { "SAVEPOINT step;" };
        let whole = alone && jobs.len() == 0;
        let error = match run(connection, parts, before, if whole { "COMMIT" } else { "" }).await {
            Ok(true) if whole => {
                let _ = reply.send(Ok(()));
                return Usable::Yes;
            }
            Ok(true) => {
                written.push(reply);
                continue;
            }
            Ok(false) => gone(session_id),
            Err(error) => error,
        };
        let undo = if alone { "ROLLBACK" } else { "ROLLBACK TO step" };
        let undone = connection.execute(undo).await.is_ok();
        let busy = matches!(error, StoreError::Busy);
        // A lock that another process holds stops everybody; nobody waits for it one after the other.
        let hopeless = (alone && busy) || (!alone && !undone);
        let _ = reply.send(Err(error.clone()));
        if hopeless {
            fail_written(written, &error);
            fail(jobs, &error);
            let _ = connection.execute("ROLLBACK").await;
            return if busy { Usable::Yes } else { Usable::No };
        }
    }
    if written.is_empty() {
        return Usable::Yes;
    }
    match connection.execute("COMMIT").await {
        Ok(_) => {
            for reply in written {
                let _ = reply.send(Ok(()));
            }
            Usable::Yes
        }
        Err(error) => {
            fail_written(written, &StoreError::from(error));
            match connection.execute("ROLLBACK").await {
                Ok(_) => Usable::Yes,
                Err(_) => Usable::No,
            }
        }
    }
}

fn fail_written(written: Vec<oneshot::Sender<Result<(), StoreError>>>, error: &StoreError) {
    for reply in written {
        let _ = reply.send(Err(error.clone()));
    }
}

/// Runs a step's statements. `Ok(false)`: its session is gone.
async fn run(
    connection: &mut SqliteConnection,
    parts: Vec<Part>,
    before: &'static str,
    after: &'static str,
) -> Result<bool, StoreError> {
    let last = parts.len().saturating_sub(1);
    for (index, part) in parts.into_iter().enumerate() {
        let before = if index == 0 { before } else { "" };
        let after = if index == last { after } else { "" };
        let there = match part {
            Part::Batch(batch) => batch.run(connection, before, after).await?,
            Part::Audit(entry) => {
                crate::audit::append(connection, *entry, after).await?;
                true
            }
        };
        if !there {
            return Ok(false);
        }
    }
    Ok(true)
}
