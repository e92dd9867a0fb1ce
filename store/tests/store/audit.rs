//! The audit log: written in order whoever writes, read in pages, and every way to tamper with it found.

use std::path::{Path, PathBuf};

use nanobot_engine::id::TurnId;
use nanobot_store::{
    AuditEntry, AuditFault, AuditKind, AuditReport, AuditRow, Inspection, Op, Store, StoreError, TitleSource,
};
use proptest::prelude::*;
use serde_json::Value;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use uuid::Uuid;

use crate::kit::Kit;

fn entry(kind: AuditKind, subject: &str, at: i64) -> AuditEntry {
    AuditEntry::new(kind, "laptop", subject, at)
}

impl Kit {
    async fn audited(&self, count: i64) {
        for at in 1..=count {
            self.store.audit(entry(AuditKind::Login, &format!("row {at}"), at)).await.unwrap();
        }
    }

    async fn all(&self) -> Vec<AuditRow> {
        self.store.audit_page(None, 10_000, None).await.unwrap().items
    }

    async fn report(&self) -> AuditReport {
        self.store.verify_audit().await.unwrap()
    }

    /// A copy of the database that was tampered with past all triggers.
    async fn tampered(&self, name: &str, sql: &'static str) -> PathBuf {
        let path = self.folder.path().join(name);
        self.store.backup(&path).await.unwrap();
        let mut raw = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
        let without_triggers = "DROP TRIGGER audit_only_grows; DROP TRIGGER audit_is_never_changed; \
             DROP TRIGGER audit_is_never_shortened; DROP TRIGGER audit_head_stays; DROP TRIGGER audit_head_only_grows;";
        sqlx::raw_sql(without_triggers).execute(&mut raw).await.unwrap();
        sqlx::raw_sql(sql).execute(&mut raw).await.unwrap();
        path
    }
}

async fn inspected(path: &Path) -> AuditReport {
    let mut look = Inspection::open(path).await.unwrap();
    let report = look.verify_audit().await.unwrap().unwrap();
    look.close().await;
    report
}

prop_compose! {
    fn any_entry()(
        place in 0..AuditKind::ALL.len(),
        at in any::<i64>(),
        (actor, subject, key, value) in any::<(String, String, String, String)>(),
        (session, turn) in any::<(Option<u128>, Option<u128>)>(),
    ) -> AuditEntry {
        AuditEntry {
            session_id: session.map(|id| nanobot_engine::id::SessionId(Uuid::from_u128(id))),
            turn_id: turn.map(|id| TurnId(Uuid::from_u128(id))),
            detail: serde_json::Map::from_iter([(key, Value::from(value))]),
            ..AuditEntry::new(AuditKind::ALL[place], actor, subject, at)
        }
    }
}

/// Also whatever is in them, so that nothing that is written makes the chain look broken.
#[test]
fn rows_are_read_as_they_were_written_and_the_chain_is_whole() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let kit = runtime.block_on(Kit::new());
    proptest!(ProptestConfig::with_cases(150), |(entry in any_entry())| {
        let (row, report) = runtime.block_on(async {
            kit.store.audit(entry.clone()).await.unwrap();
            (kit.store.audit_page(None, 1, Some(entry.kind)).await.unwrap().items.remove(0), kit.report().await)
        });
        let clean = |text: &str| text.replace('\0', "");
        prop_assert_eq!((row.at, row.actor, row.subject), (entry.at, clean(&entry.actor), clean(&entry.subject)));
        prop_assert_eq!(row.kind, entry.kind.to_string());
        prop_assert_eq!(row.session_id, entry.session_id.map(|id| id.to_string()));
        prop_assert_eq!(row.turn_id, entry.turn_id.map(|id| id.to_string()));
        let (key, value) = entry.detail.iter().next().unwrap();
        let detail: Value = serde_json::from_str(&row.detail).unwrap();
        prop_assert_eq!(&detail[clean(key)], &Value::from(clean(value.as_str().unwrap())));
        prop_assert_eq!(report, AuditReport { rows: row.n, head_hash: row.hash, first_fault: None });
    });
}

#[tokio::test]
async fn an_empty_log_is_whole() {
    let kit = Kit::new().await;
    let expected = AuditReport { rows: 0, head_hash: "0".repeat(64), first_fault: None };
    assert_eq!(kit.report().await, expected);
    assert_eq!(kit.store.audit_page(None, 10, None).await.unwrap().items, []);
}

/// More than one chunk of the check, and pages of both orders.
#[tokio::test]
async fn a_long_log_is_checked_and_read_in_pieces() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let rows = |at: i64| Op::Audit(Box::new(entry(AuditKind::PermissionDecided, &at.to_string(), at)));
    kit.commit(session, (1..=1_000).map(rows).collect()).await;
    assert_eq!(kit.report().await.rows, 1_000);
    kit.commit(session, (1_001..=2_001).map(rows).collect()).await;
    kit.store.audit(entry(AuditKind::Login, "", 5)).await.unwrap();
    let report = kit.report().await;
    assert_eq!((report.rows, &report.first_fault), (2_002, &None));
    assert_eq!(report.head_hash, kit.store.audit_page(None, 1, None).await.unwrap().items[0].hash);

    let (mut seen, mut cursor) = (Vec::new(), None);
    loop {
        let page = kit.store.audit_page(cursor, 700, Some(AuditKind::PermissionDecided)).await.unwrap();
        seen.extend(page.items.iter().map(|row| row.n));
        let Some(next) = page.next_cursor else { break };
        cursor = Some(next.parse().unwrap());
    }
    assert_eq!(seen, (1..=2_001).rev().collect::<Vec<u64>>());
    let first = kit.store.audit_page(Some(3), 2, None).await.unwrap();
    assert_eq!((first.items.len(), first.next_cursor), (2, None), "no page behind the first row");
    assert_eq!(kit.store.audit_page(Some(1), 2, None).await.unwrap().items, []);
}

#[tokio::test]
async fn a_row_is_part_of_its_step() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let title =
        |title: &str| Op::SetTitle { title: title.to_owned(), source: TitleSource::User, only_if_not_user: false };
    let audit = |subject: &str| Op::Audit(Box::new(entry(AuditKind::ApprovalResolved, subject, 7)));
    // At the beginning, in the middle and at the end of a step.
    kit.commit(session, vec![audit("a"), title("one"), audit("b"), Op::TouchSession { at: 4 }, audit("c")]).await;
    kit.commit(session, vec![audit("d")]).await;
    let failing = Op::Checkpoint { turn_id: TurnId(Uuid::nil()), checkpoint: String::new() };
    for step in [vec![audit("x"), failing.clone()], vec![title("two"), audit("x"), failing, audit("x")]] {
        assert!(matches!(kit.store.commit(session, step).await, Err(StoreError::NotFound(_))));
    }
    let gone = nanobot_engine::id::SessionId(Uuid::nil());
    assert!(matches!(kit.store.commit(gone, vec![audit("x")]).await, Err(StoreError::SessionGone(_))));
    let subjects: Vec<_> = kit.all().await.into_iter().map(|row| (row.n, row.subject)).collect();
    assert_eq!(subjects, [(4, "d"), (3, "c"), (2, "b"), (1, "a")].map(|(n, s)| (n, s.to_owned())));
    assert_eq!(kit.store.session(session).await.unwrap().unwrap().title, "one");
    assert_eq!(kit.report().await.first_fault, None);
}

/// Steps share a transaction, others write alone, and a second process writes beside them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_writers_make_one_chain() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let beside = Store::open(&kit.path()).await.unwrap();
    let mut tasks = Vec::new();
    for at in 0..60_i64 {
        let (store, beside) = (kit.store.clone(), beside.clone());
        tasks.push(tokio::spawn(async move {
            let row = entry(AuditKind::Login, &at.to_string(), at);
            match at % 4 {
                0 => store.audit(row).await,
                1 => beside.audit(row).await,
                2 => store.commit(session, vec![Op::TouchSession { at }, Op::Audit(Box::new(row))]).await,
                _ => {
                    // Fails, and takes its row with it.
                    let failing = Op::Checkpoint { turn_id: TurnId(Uuid::nil()), checkpoint: String::new() };
                    store.commit(session, vec![Op::Audit(Box::new(row)), failing]).await.or(Ok(()))
                }
            }
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    let mut subjects: Vec<i64> = kit.all().await.iter().map(|row| row.subject.parse().unwrap()).collect();
    subjects.sort_unstable();
    assert_eq!(subjects, (0..60).filter(|at| at % 4 != 3).collect::<Vec<_>>());
    let report = kit.report().await;
    assert_eq!((report.rows, report.first_fault), (45, None));
}

#[tokio::test]
async fn the_program_itself_can_only_add_rows() {
    let kit = Kit::new().await;
    kit.audited(3).await;
    let before = kit.all().await;
    let mut raw = kit.raw().await;
    for sql in [
        "UPDATE audit SET actor = 'me' WHERE n = 2",
        "UPDATE audit SET n = 9 WHERE n = 3",
        "DELETE FROM audit",
        "DELETE FROM audit WHERE n = 3",
        "INSERT OR REPLACE INTO audit SELECT n, at, 'me', kind, session_id, turn_id, subject, prev_hash, hash, detail \
         FROM audit WHERE n = 2",
        "INSERT INTO audit SELECT 7, at, actor, kind, session_id, turn_id, subject, prev_hash, hash, detail \
         FROM audit WHERE n = 2",
        "DELETE FROM audit_head",
        "UPDATE audit_head SET n = 1",
        "UPDATE audit_head SET hash = ''",
        "INSERT INTO audit_head(id, n, hash) VALUES (2, 1, '')",
    ] {
        assert!(sqlx::raw_sql(sql).execute(&mut raw).await.is_err(), "{sql}");
    }
    assert_eq!(kit.all().await, before);
    assert_eq!(kit.report().await.first_fault, None);
}

#[tokio::test]
async fn every_way_to_tamper_is_found_at_its_place() {
    let kit = Kit::new().await;
    kit.audited(5).await;
    let cases: [(&'static str, u64, &str); 18] = [
        ("UPDATE audit SET subject = 'other' WHERE n = 3", 3, "was changed"),
        ("UPDATE audit SET actor = 'other' WHERE n = 1", 1, "was changed"),
        ("UPDATE audit SET kind = 'login_failed' WHERE n = 5", 5, "was changed"),
        ("UPDATE audit SET at = at + 1 WHERE n = 2", 2, "was changed"),
        ("UPDATE audit SET session_id = '' WHERE n = 2", 2, "was changed"),
        ("UPDATE audit SET detail = '{ }' WHERE n = 2", 2, "was changed"),
        ("UPDATE audit SET hash = upper(hash) WHERE n = 4", 4, "was changed"),
        ("UPDATE audit SET prev_hash = hash WHERE n = 4", 4, "was changed"),
        ("DELETE FROM audit WHERE n = 3", 3, "1 row is missing: behind row 2 comes row 4"),
        ("DELETE FROM audit WHERE n < 3", 1, "2 rows are missing: behind row 0 comes row 3"),
        // Taken out, and those behind it moved up.
        ("DELETE FROM audit WHERE n = 2; UPDATE audit SET n = n - 1 WHERE n > 2", 2, "was changed"),
        // Exchanged: numbers fit, contents do not.
        (
            "UPDATE audit SET n = 9 WHERE n = 2; UPDATE audit SET n = 2 WHERE n = 3; UPDATE audit SET n = 3 WHERE n = 9",
            2,
            "was changed",
        ),
        ("DELETE FROM audit WHERE n = 5", 5, "the end of the log was cut off: 1 row is missing"),
        ("DELETE FROM audit WHERE n > 2", 3, "the end of the log was cut off: 3 rows are missing"),
        ("DELETE FROM audit", 1, "the end of the log was cut off: 5 rows are missing"),
        ("UPDATE audit_head SET n = 4", 5, "rows were added past the program"),
        ("DELETE FROM audit_head", 0, "the head of the log was taken away"),
        (
            "INSERT INTO audit SELECT 6, at, actor, kind, NULL, NULL, subject, hash, hash, detail FROM audit WHERE n = 5",
            6,
            "was changed",
        ),
    ];
    for (index, (sql, n, what)) in cases.into_iter().enumerate() {
        let report = inspected(&kit.tampered(&format!("{index}.db"), sql).await).await;
        let fault = report.first_fault.unwrap_or_else(|| panic!("not found: {sql}"));
        assert!(fault.n == n && fault.what.contains(what), "{sql}: {fault:?}");
    }
    let good = kit.tampered("good.db", "SELECT 1").await;
    assert_eq!(inspected(&good).await, kit.report().await);
    assert_eq!(kit.report().await.first_fault, None);
}

/// Somebody who knows how it is computed and rewrites a row with its own hash is found at the row behind it; one who writes
/// the head as well is not, as the documentation says, but the head is then another one.
#[tokio::test]
async fn what_the_chain_proves_and_what_it_cannot() {
    let kit = Kit::new().await;
    kit.audited(3).await;
    let noted = kit.report().await;

    // The rows of a log that says other things, made by the program itself.
    let forger = Kit::new().await;
    for at in 1..=3 {
        forger.store.audit(entry(AuditKind::Login, "forged", at)).await.unwrap();
    }
    let forged = forger.folder.path().join("forged.db");
    forger.store.backup(&forged).await.unwrap();
    let graft = async |name: &str, sql: &str| {
        let path = kit.tampered(name, "SELECT 1").await;
        let mut raw = SqliteConnectOptions::new().filename(&path).connect().await.unwrap();
        let attach = format!("ATTACH '{}' AS forged; {sql}", forged.display());
        sqlx::raw_sql(sqlx::AssertSqlSafe(attach)).execute(&mut raw).await.unwrap();
        inspected(&path).await
    };
    let one = "DELETE FROM audit WHERE n = 2; INSERT INTO audit SELECT * FROM forged.audit WHERE n = 2";
    let fault = graft("one.db", one).await.first_fault.unwrap();
    assert!(fault.n == 2 && fault.what.contains("does not follow the one before it"), "{fault:?}");
    let first = "DELETE FROM audit WHERE n = 1; INSERT INTO audit SELECT * FROM forged.audit WHERE n = 1";
    assert_eq!(graft("first.db", first).await.first_fault.unwrap().n, 2);
    let rows = "DELETE FROM audit; INSERT INTO audit SELECT * FROM forged.audit";
    let fault = graft("rows.db", rows).await.first_fault;
    let what = "the newest row is not the one that was written last".to_owned();
    assert_eq!(fault, Some(AuditFault { n: 3, what }));

    let all = "DELETE FROM audit; INSERT INTO audit SELECT * FROM forged.audit; \
               UPDATE audit_head SET hash = (SELECT hash FROM forged.audit_head)";
    let report = graft("all.db", all).await;
    assert_eq!((report.first_fault, report.rows), (None, 3));
    assert_ne!(report.head_hash, noted.head_hash);
    let cut = "DELETE FROM audit WHERE n = 3; UPDATE audit_head SET n = 2, hash = (SELECT hash FROM audit WHERE n = 2)";
    let report = graft("cut.db", cut).await;
    assert_eq!((report.first_fault, report.rows), (None, 2));
    assert_ne!(report.head_hash, noted.head_hash);
}

#[tokio::test]
async fn a_look_changes_nothing_and_needs_no_exclusive_file() {
    let kit = Kit::new().await;
    kit.audited(2).await;
    let mut look = Inspection::open(&kit.path()).await.unwrap();
    assert_eq!((look.version(), Inspection::newest_version()), (6, 6));
    assert_eq!(look.quick_check().await.unwrap(), [""; 0]);
    assert_eq!(look.verify_audit().await.unwrap(), Some(kit.report().await));
    // Writing goes on while it looks.
    kit.audited(1).await;
    assert_eq!(look.verify_audit().await.unwrap().unwrap().rows, 3);
    look.close().await;

    kit.store.close().await;
    let before = std::fs::read(kit.path()).unwrap();
    let mut look = Inspection::open(&kit.path()).await.unwrap();
    assert_eq!(look.verify_audit().await.unwrap().unwrap().rows, 3);
    look.close().await;
    assert_eq!(std::fs::read(kit.path()).unwrap(), before);
    let missing = kit.folder.path().join("missing.db");
    assert!(Inspection::open(&missing).await.is_err());
    assert!(!missing.exists());
}

#[tokio::test]
async fn an_older_file_is_looked_at_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let mut raw = SqliteConnectOptions::new().filename(&path).create_if_missing(true).connect().await.unwrap();
    sqlx::raw_sql(include_str!("../fixtures/v1.sql")).execute(&mut raw).await.unwrap();
    let mut look = Inspection::open(&path).await.unwrap();
    assert_eq!(look.version(), 1);
    assert_eq!(look.verify_audit().await.unwrap(), None);
    assert_eq!(look.quick_check().await.unwrap(), [""; 0]);
    look.close().await;
    assert_eq!(Inspection::open(&path).await.unwrap().version(), 1);
    sqlx::query("INSERT INTO migrations VALUES (99, 'later', 'ff', 1)").execute(&mut raw).await.unwrap();
    assert!(matches!(Inspection::open(&path).await.err(), Some(StoreError::Newer { found: 99, known: 6 })));
}
