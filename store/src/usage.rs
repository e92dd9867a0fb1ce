//! Usage: sums over the requests to models, by day, session or preset.

use nanobot_engine::id::SessionId;
use sqlx::sqlite::SqliteRow;
use sqlx::{AssertSqlSafe, SqliteConnection};

use crate::decode::{Broken, Columns, all};
use crate::error::StoreError;
use crate::store::{Store, end};

/// How requests are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageBy {
    /// By the day they began on.
    Day,
    /// By session, those removed for good included.
    Session,
    /// By preset.
    Preset,
}

/// What a group is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UsageKey {
    /// A day: its place in the list of days that was asked for, from 0.
    Day(usize),
    /// A session.
    Session {
        /// Its id.
        id: SessionId,
        /// Its title; empty when it has none or the session is deleted.
        title: String,
    },
    /// A preset.
    Preset {
        /// Its name at the time of the requests.
        name: String,
        /// `provider/model` of the newest request.
        model: String,
    },
}

/// Sums over requests.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UsageSums {
    /// Attempts, failed ones included.
    pub requests: u64,
    /// Attempts that failed.
    pub failed_requests: u64,
    /// Tokens sent, including cached ones.
    pub input_tokens: u64,
    /// The part of `input_tokens` that providers read from their caches.
    pub cached_tokens: u64,
    /// Tokens produced.
    pub output_tokens: u64,
    /// Price in US dollars of the requests that have one; `None` when none has.
    pub cost_usd: Option<f64>,
    /// Requests that used tokens and have no price: the true cost is higher than `cost_usd`.
    pub unpriced_requests: u64,
    /// Requests whose tokens are our own estimate.
    pub estimated_requests: u64,
}

/// The requests of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct UsageGroup {
    /// What they have in common.
    pub key: UsageKey,
    /// Their sums.
    pub sums: UsageSums,
}

/// Usage over some days.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UsageReport {
    /// Groups that have requests: days in time, sessions and presets by tokens, those with the most first.
    pub groups: Vec<UsageGroup>,
    /// Over all requests of the time, also those of groups that were left out.
    pub total: UsageSums,
}

/// The columns that [`read_sums`] takes, of `model_requests r`. A sum over no rows is null, hence the zeros.
macro_rules! sums {
    () => {
        "COUNT(*) AS requests, COALESCE(SUM(1 - r.ok), 0) AS failed, COALESCE(SUM(r.input_tokens), 0) AS input, \
         COALESCE(SUM(r.cached_tokens), 0) AS cached, COALESCE(SUM(r.output_tokens), 0) AS output, \
         SUM(r.cost_usd) AS cost, COALESCE(SUM(CASE WHEN r.cost_usd IS NULL AND r.input_tokens + r.output_tokens > 0 \
         THEN 1 ELSE 0 END), 0) AS unpriced, COALESCE(SUM(r.estimated), 0) AS estimated"
    };
}

/// The same columns of groups `g`, and their order and number.
macro_rules! sums_of_groups {
    () => {
        "g.requests, g.failed, g.input, g.cached, g.output, g.cost, g.unpriced, g.estimated"
    };
}

macro_rules! in_time {
    () => {
        " FROM model_requests r WHERE r.started_at >= ? AND r.started_at < ?"
    };
}

const TOTAL: &str = concat!("SELECT ", sums!(), in_time!());

const BY_SESSION: &str = concat!(
    "SELECT g.session_id, COALESCE(s.title, ''), ",
    sums_of_groups!(),
    " FROM (SELECT r.session_id, ",
    sums!(),
    in_time!(),
    " GROUP BY r.session_id) g LEFT JOIN sessions s ON s.id = g.session_id AND s.deleted_at IS NULL \
     ORDER BY g.input + g.output DESC, g.session_id LIMIT ?"
);

const BY_PRESET: &str = concat!(
    "SELECT g.preset, (SELECT n.provider || '/' || n.model FROM model_requests n \
     WHERE n.started_at = g.newest AND n.preset = g.preset ORDER BY n.id DESC LIMIT 1), ",
    sums_of_groups!(),
    " FROM (SELECT r.preset, MAX(r.started_at) AS newest, ",
    sums!(),
    in_time!(),
    " GROUP BY r.preset) g ORDER BY g.input + g.output DESC, g.preset LIMIT ?"
);

/// The days are joined first, so that each is one range of the index.
fn by_day(days: usize) -> String {
    let days = vec!["(?, ?, ?)"; days].join(", ");
    format!(
        concat!(
            "WITH days(place, since, until) AS (VALUES {}) SELECT d.place, ",
            sums!(),
            " FROM days d CROSS JOIN model_requests r WHERE r.started_at >= d.since AND r.started_at < d.until \
             GROUP BY d.place ORDER BY d.place"
        ),
        days
    )
}

impl Store {
    /// Sums the requests that began between the first and the last of `boundaries` (UTC milliseconds, ascending; the last
    /// one is not part of it). Each pair of neighbours is one day, as long as the caller's time zone makes it; only
    /// [`UsageBy::Day`] looks at those between. At most `limit` sessions or presets; days are never left out for it.
    ///
    /// # Errors
    /// As for any read.
    pub async fn usage(&self, by: UsageBy, boundaries: &[i64], limit: u32) -> Result<UsageReport, StoreError> {
        let [since, .., until] = *boundaries else { return Ok(UsageReport::default()) };
        let mut reading = self.begin_read().await?;
        let report = report(&mut reading, by, boundaries, (since, until), limit).await;
        end(reading, report).await
    }
}

async fn report(
    connection: &mut SqliteConnection,
    by: UsageBy,
    boundaries: &[i64],
    (since, until): (i64, i64),
    limit: u32,
) -> Result<UsageReport, StoreError> {
    let groups = match by {
        UsageBy::Day => {
            let days = boundaries.array_windows();
            // Made of fixed text. Its length differs with the days, so it is not worth its place in the cache.
            let mut query = sqlx::query(AssertSqlSafe(by_day(days.len()))).persistent(false);
            for ([since, until], place) in days.zip(0_i64..) {
                query = query.bind(place).bind(since).bind(until);
            }
            all(&query.fetch_all(&mut *connection).await?, "usage", read_day)
        }
        UsageBy::Session => all(&largest(connection, BY_SESSION, (since, until), limit).await?, "usage", read_session),
        UsageBy::Preset => all(&largest(connection, BY_PRESET, (since, until), limit).await?, "usage", read_preset),
    };
    let row = sqlx::query(TOTAL).bind(since).bind(until).fetch_one(connection).await?;
    Ok(UsageReport { groups, total: read_sums(&mut Columns::new(&row))? })
}

async fn largest(
    connection: &mut SqliteConnection,
    sql: &'static str,
    (since, until): (i64, i64),
    limit: u32,
) -> Result<Vec<SqliteRow>, StoreError> {
    Ok(sqlx::query(sql).bind(since).bind(until).bind(limit).fetch_all(connection).await?)
}

fn read_day(columns: &mut Columns) -> Result<UsageGroup, Broken> {
    Ok(UsageGroup { key: UsageKey::Day(columns.number()?), sums: read_sums(columns)? })
}

fn read_session(columns: &mut Columns) -> Result<UsageGroup, Broken> {
    let key = UsageKey::Session { id: columns.id()?, title: columns.text()? };
    Ok(UsageGroup { key, sums: read_sums(columns)? })
}

fn read_preset(columns: &mut Columns) -> Result<UsageGroup, Broken> {
    let key = UsageKey::Preset { name: columns.text()?, model: columns.text()? };
    Ok(UsageGroup { key, sums: read_sums(columns)? })
}

fn read_sums(columns: &mut Columns) -> Result<UsageSums, Broken> {
    Ok(UsageSums {
        requests: columns.number()?,
        failed_requests: columns.number()?,
        input_tokens: columns.number()?,
        cached_tokens: columns.number()?,
        output_tokens: columns.number()?,
        cost_usd: columns.optional_real()?,
        unpriced_requests: columns.number()?,
        estimated_requests: columns.number()?,
    })
}

#[cfg(test)]
mod tests {
    use sqlx::Row as _;

    use super::*;

    /// What SQLite does for a statement, a line for each step.
    async fn plan(store: &Store, sql: &str) -> String {
        let rows = sqlx::query(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"))).fetch_all(store.readers()).await;
        let steps = rows.unwrap().iter().map(|row| row.get::<String, _>(3)).collect::<Vec<_>>();
        steps.join("\n")
    }

    #[tokio::test]
    async fn requests_outside_of_the_time_are_not_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("plan.db")).await.unwrap();
        for sql in [TOTAL, BY_SESSION, BY_PRESET, &by_day(3), &by_day(400)] {
            let plan = plan(&store, sql).await;
            let range = "SEARCH r USING INDEX model_requests_by_time (started_at>? AND started_at<?)";
            assert_eq!(plan.matches(range).count(), 1, "{sql}\n{plan}");
            assert!(!plan.contains("SCAN r") && !plan.contains("SCAN n"), "{sql}\n{plan}");
        }
    }
}
