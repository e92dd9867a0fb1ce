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
    expectations: Vec<Expect>,
    failure: Option<StoreError>,
}

/// What a statement has to have done.
#[derive(Clone, Copy)]
pub(crate) enum Expect {
    /// Nothing in particular.
    Anything,
    /// It changed a row, else there is no such thing.
    Change(&'static str),
}

impl Batch {
    /// Most statements in one batch; more would only fill the cache of statements.
    pub(crate) const LIMIT: usize = 12;

    pub(crate) fn len(&self) -> usize {
        self.expectations.len()
    }

    /// Begins a statement. It is fixed text, never made of data.
    pub(crate) fn statement(&mut self, sql: &'static str, expect: Expect) -> &mut Self {
        self.sql.push_str(sql);
        self.sql.push(';');
        self.expectations.push(expect);
        self
    }

    /// Fills the next place.
    pub(crate) fn bind<'v, T: Encode<'v, Sqlite> + Type<Sqlite>>(&mut self, value: T) -> &mut Self {
        if let Err(error) = self.arguments.add(value) {
            self.failure.get_or_insert(StoreError::Other(format!("a value cannot be stored: {error}")));
        }
        self
    }

    /// Runs the statements behind `prefix`, a statement without places or nothing. `Ok(false)` when `guarded` and the
    /// first one, a SELECT, gave no row: nothing after it counts and the step has to be given up.
    pub(crate) async fn run(
        self,
        connection: &mut SqliteConnection,
        prefix: &'static str,
        guarded: bool,
    ) -> Result<bool, StoreError> {
        let Self { sql, arguments, expectations, failure } = self;
        if let Some(failure) = failure {
            return Err(failure);
        }
        // Joined from fixed texts by `statement` alone.
        let sql = if prefix.is_empty() { sql } else { format!("{prefix}{sql}") };
        let mut results = connection.fetch_many(sqlx::query_with(AssertSqlSafe(sql), arguments));
        let mut awaiting_prefix = !prefix.is_empty();
        let mut expectations = expectations.into_iter();
        let mut awaiting_guard = guarded;
        let mut seen = false;
        while let Some(result) = results.try_next().await? {
            match result {
                Either::Right(_) => seen = true,
                Either::Left(_) if std::mem::take(&mut awaiting_prefix) => {}
                Either::Left(done) => {
                    let expect = expectations.next().unwrap_or(Expect::Anything);
                    if std::mem::take(&mut awaiting_guard) {
                        if !seen {
                            return Ok(false);
                        }
                        continue;
                    }
                    match expect {
                        Expect::Change(what) if done.rows_affected() == 0 => return Err(StoreError::NotFound(what)),
                        Expect::Change(_) | Expect::Anything => {}
                    }
                }
            }
        }
        Ok(true)
    }
}
