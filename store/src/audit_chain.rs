//! The chain of hashes through the audit log, and the check of the whole of it.
//!
//! A row's hash is SHA-256, in lower-case hex, over these ten fields, each written as `<length in bytes>:<bytes>,` in UTF-8
//! and an absent one as `-,`: `nanobot-audit-1`, `n`, `at` (both in decimal), `actor`, `kind`, `session_id`, `turn_id`,
//! `subject`, `detail` (the JSON text as it is stored), `prev_hash`. The lengths make it impossible that two different rows are
//! written alike. `prev_hash` is the hash of the row before it, 64 zeros in the first.
//!
//! What this proves: rows that were changed, taken out or moved by somebody who did not compute all later hashes again, and an
//! end that was cut off by somebody who did not set `audit_head` back. What it cannot: there is no key in it, so who can
//! write the file and takes the trouble can write a whole new chain. Only a head (`n` and `hash`) that was noted elsewhere
//! shows that.

use futures_util::TryStreamExt;
use sha2::{Digest, Sha256};
use sqlx::{Row as _, SqliteConnection};

use crate::decode::{Broken, Columns};
use crate::error::StoreError;
use crate::store::{Store, end};

/// The first field, so that another way of writing can be told from this one.
const FORMAT: &str = "nanobot-audit-1";
/// What stands before the first row.
const BEGINNING: &str = "0000000000000000000000000000000000000000000000000000000000000000";
/// Rows that are read at a time.
const CHUNK: i64 = 1_000;

/// What a check of the audit log found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditReport {
    /// Rows that were read: all of them, or those before the first fault.
    pub rows: u64,
    /// Hash of the newest row as it was last seen when a row was added. Noted elsewhere, it proves later that nothing up to
    /// here was changed.
    pub head_hash: String,
    /// The first place that is not as it was written; `None` when the chain is whole.
    pub first_fault: Option<AuditFault>,
}

/// A place where the log is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditFault {
    /// Number of the row.
    pub n: u64,
    /// What is wrong with it.
    pub what: String,
}

/// The columns that are hashed.
pub(crate) struct RawRow {
    pub(crate) n: i64,
    pub(crate) at: i64,
    pub(crate) actor: String,
    pub(crate) kind: String,
    pub(crate) session_id: Option<String>,
    pub(crate) turn_id: Option<String>,
    pub(crate) subject: String,
    pub(crate) detail: String,
    pub(crate) prev_hash: String,
}

/// The hash of a row, as the description of this file says.
pub(crate) fn hash(row: &RawRow) -> String {
    let (n, at) = (row.n.to_string(), row.at.to_string());
    let fields = [
        Some(FORMAT),
        Some(&n),
        Some(&at),
        Some(&row.actor),
        Some(&row.kind),
        row.session_id.as_deref(),
        row.turn_id.as_deref(),
        Some(&row.subject),
        Some(&row.detail),
        Some(&row.prev_hash),
    ];
    let mut hasher = Sha256::new();
    for field in fields {
        match field {
            Some(text) => {
                hasher.update(format!("{}:", text.len()));
                hasher.update(text);
                hasher.update(",");
            }
            None => hasher.update("-,"),
        }
    }
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Store {
    /// Computes the whole chain again. Reads one state of the log; writing goes on meanwhile.
    pub async fn verify_audit(&self) -> Result<AuditReport, StoreError> {
        let mut transaction = self.begin_read().await?;
        let result = verify(&mut transaction).await;
        end(transaction, result).await
    }
}

/// Computes the chain again, within a transaction that sees one state of the log.
pub(crate) async fn verify(connection: &mut SqliteConnection) -> Result<AuditReport, StoreError> {
    let head = sqlx::query("SELECT n, hash FROM audit_head").fetch_optional(&mut *connection).await?;
    let Some(head) = head else {
        let fault = AuditFault { n: 0, what: "the head of the log was taken away".to_owned() };
        return Ok(AuditReport { rows: 0, head_hash: BEGINNING.to_owned(), first_fault: Some(fault) });
    };
    let (head_n, head_hash): (i64, String) = (head.try_get(0)?, head.try_get(1)?);
    let mut chain = Chain { next: 1, hash: BEGINNING.to_owned(), fault: None };
    // Rows are never added below a number, so each chunk begins behind the highest one that was read.
    let mut after = i64::MIN;
    loop {
        let mut rows = sqlx::query(
            "SELECT n, at, actor, kind, session_id, turn_id, subject, detail, prev_hash, hash FROM audit \
             WHERE n > ? ORDER BY n LIMIT ?",
        )
        .bind(after)
        .bind(CHUNK)
        .fetch(&mut *connection);
        let mut read = 0;
        while let Some(row) = rows.try_next().await? {
            read += 1;
            after = row.try_get_unchecked(0)?;
            chain.add(after, row_of(&mut Columns::new(&row)));
            if chain.fault.is_some() {
                break;
            }
        }
        if read < CHUNK || chain.fault.is_some() {
            break;
        }
    }
    chain.compare_with_head(head_n, &head_hash);
    let rows = u64::try_from(chain.next.saturating_sub(1)).unwrap_or_default();
    Ok(AuditReport { rows, head_hash, first_fault: chain.fault })
}

fn row_of(columns: &mut Columns) -> Result<(RawRow, String), Broken> {
    let row = RawRow {
        n: columns.integer()?,
        at: columns.integer()?,
        actor: columns.text()?,
        kind: columns.text()?,
        session_id: columns.optional_text()?,
        turn_id: columns.optional_text()?,
        subject: columns.text()?,
        detail: columns.text()?,
        prev_hash: columns.text()?,
    };
    Ok((row, columns.text()?))
}

/// The chain as far as it was computed.
struct Chain {
    /// Number that the next row has to have.
    next: i64,
    /// Hash of the row before it.
    hash: String,
    fault: Option<AuditFault>,
}

impl Chain {
    fn add(&mut self, n: i64, row: Result<(RawRow, String), Broken>) {
        let next = self.next;
        if n != next {
            let what = if n < next {
                format!("a row with the number {n} was put before the first one")
            } else {
                format!("{} missing: behind row {} comes row {n}", rows_missing(n - next), next - 1)
            };
            return self.fail(next, what);
        }
        let Ok((row, stored)) = row else { return self.fail(n, "the row cannot be read".to_owned()) };
        if hash(&row) != stored {
            return self.fail(n, "the row was changed: its hash does not fit its content".to_owned());
        }
        if row.prev_hash != self.hash {
            let what = "the row does not follow the one before it: rows were exchanged, or an older one written anew";
            return self.fail(n, what.to_owned());
        }
        self.hash = stored;
        self.next = next.saturating_add(1);
    }

    fn compare_with_head(&mut self, n: i64, hash: &str) {
        if self.fault.is_some() {
            return;
        }
        let last = self.next.saturating_sub(1);
        if last < n {
            let what = format!("the end of the log was cut off: {} missing", rows_missing(n.saturating_sub(last)));
            self.fail(self.next, what);
        } else if last > n {
            self.fail(n.saturating_add(1), "rows were added past the program".to_owned());
        } else if self.hash != hash {
            self.fail(last, "the newest row is not the one that was written last".to_owned());
        }
    }

    fn fail(&mut self, n: i64, what: String) {
        self.fault = Some(AuditFault { n: u64::try_from(n).unwrap_or_default(), what });
    }
}

fn rows_missing(count: i64) -> String {
    if count == 1 { "1 row is".to_owned() } else { format!("{count} rows are") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row() -> RawRow {
        RawRow {
            n: 1,
            at: 1_700_000_000_000,
            actor: "laptop".to_owned(),
            kind: "login".to_owned(),
            session_id: None,
            turn_id: None,
            subject: "Grüße".to_owned(),
            detail: "{}".to_owned(),
            prev_hash: BEGINNING.to_owned(),
        }
    }

    /// Whoever reads the description can compute this without the program.
    #[test]
    fn the_written_form_is_the_documented_one() {
        let written = format!(
            "15:nanobot-audit-1,1:1,13:1700000000000,6:laptop,5:login,-,-,7:Grüße,2:{{}},64:{},",
            "0".repeat(64)
        );
        let expected: String = Sha256::digest(written).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hash(&row()), expected);
    }

    #[test]
    fn every_column_counts_and_nothing_can_move_between_them() {
        let some = |text: &str| Some(text.to_owned());
        let others = [
            RawRow { n: 2, ..row() },
            RawRow { at: 1_700_000_000_001, ..row() },
            RawRow { actor: "laptoplogin".to_owned(), kind: String::new(), ..row() },
            RawRow { kind: "logout".to_owned(), ..row() },
            RawRow { session_id: some(""), ..row() },
            RawRow { session_id: some("x"), ..row() },
            RawRow { turn_id: some("x"), ..row() },
            RawRow { subject: "Grüße,2:{}".to_owned(), ..row() },
            RawRow { detail: "{ }".to_owned(), ..row() },
            RawRow { prev_hash: "1".repeat(64), ..row() },
        ];
        let mut hashes: Vec<String> = others.iter().map(hash).chain([hash(&row())]).collect();
        hashes.sort();
        hashes.dedup();
        assert_eq!(hashes.len(), others.len() + 1);
    }
}
