//! Several statements sent to the connection's thread at once: crossing to it and back costs more than a small write.

use futures_util::TryStreamExt;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, AssertSqlSafe, Either, Encode, Executor as _, Sqlite, SqliteConnection, Type};

use crate::error::StoreError;

/// Statements that run in order, with the values that fill their places (`?`, never numbered).
#[derive(Default)]
pub(crate) struct Batch {
    sql: String,
    arguments: SqliteArguments,
    meanings: Vec<Meaning>,
    failure: Option<StoreError>,
}

/// What a statement is for, should it fail.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// Nothing in particular.
    Anything,
    /// It changed a row, else there is no such thing.
    Change(&'static str),
    /// It changed a row, else somebody else was faster.
    Free(&'static str),
}

/// What the failure of a statement means.
#[derive(Clone, Copy)]
enum Meaning {
    /// What SQLite says.
    Plain,
    /// The step's session is gone.
    Gone,
    /// The statement before it changed nothing: there is no such thing.
    Missing(&'static str),
    /// The statement before it changed nothing: it was taken.
    Taken(&'static str),
}

/// Fails, and so stops the batch, when the statement before it changed nothing.
const CHANGED: &str = "SELECT json('') WHERE changes() = 0;";

impl Batch {
    /// Most statements in one batch; more would only fill the cache of statements.
    pub(crate) const LIMIT: usize = 24;

    pub(crate) fn len(&self) -> usize {
        self.meanings.len()
    }

    /// Begins with a statement that fails when the session is gone.
    pub(crate) fn guard(&mut self, session: &str) {
        self.sql
            .push_str("SELECT json('') WHERE NOT EXISTS (SELECT 1 FROM sessions WHERE id = ? AND deleted_at IS NULL);");
        self.meanings.push(Meaning::Gone);
        self.bind(session);
    }

    /// Begins a statement. It is fixed text, never made of data.
    pub(crate) fn statement(&mut self, sql: &'static str, expect: Expect) -> &mut Self {
        self.sql.push_str(sql);
        self.sql.push(';');
        self.meanings.push(Meaning::Plain);
        match expect {
            Expect::Anything => {}
            Expect::Change(what) => {
                self.sql.push_str(CHANGED);
                self.meanings.push(Meaning::Missing(what));
            }
            Expect::Free(what) => {
                self.sql.push_str(CHANGED);
                self.meanings.push(Meaning::Taken(what));
            }
        }
        self
    }

    /// Fills the next place.
    pub(crate) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.failure.get_or_insert(StoreError::Other(format!("a value cannot be stored: {error}")));
        }
        self
    }

    /// Runs the statements between `before` and `after`, each a statement without places or nothing. `Ok(false)` when the
    /// session is gone. The batch stops at the first statement that fails.
    pub(crate) async fn run(
        self,
        connection: &mut SqliteConnection,
        before: &'static str,
        after: &'static str,
    ) -> Result<bool, StoreError> {
        let Self { sql, arguments, meanings, failure } = self;
        if let Some(failure) = failure {
            return Err(failure);
        }
        // Joined from fixed texts by `statement` alone.
        let sql = if before.is_empty() && after.is_empty() { sql } else { format!("{before}{sql}{after}") };
        let first = usize::from(!before.is_empty());
        let mut results = connection.fetch_many(sqlx::query_with(AssertSqlSafe(sql), arguments));
        let mut done: usize = 0;
        loop {
            match results.try_next().await {
                Ok(Some(Either::Left(_))) => done += 1,
                Ok(Some(Either::Right(_))) => {}
                Ok(None) => return Ok(true),
                Err(error) => {
                    let meaning = done.checked_sub(first).and_then(|at| meanings.get(at)).copied();
                    let error = StoreError::from(error);
                    // A full disk or a lock can stop any statement and says so itself.
                    return match (meaning, &error) {
                        (Some(Meaning::Gone), StoreError::Other(_)) => Ok(false),
                        (Some(Meaning::Missing(what)), StoreError::Other(_)) => Err(StoreError::NotFound(what)),
                        (Some(Meaning::Taken(what)), StoreError::Other(_)) => Err(StoreError::Conflict(what)),
                        _ => Err(error),
                    };
                }
            }
        }
    }
}
