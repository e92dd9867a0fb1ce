//! Files of other ages and in other states: old, newer, altered, foreign, damaged, in use.

use std::path::Path;
use std::time::Duration;

use nanobot_engine::message::Role;
use nanobot_store::{ApprovalRecord, AuditEntry, AuditKind, Op, Store, StoreError, UsageBy, UsageKey};

use crate::kit::{Kit, approval, delta, event, journal_entry, model_request};

const SHORT: Duration = Duration::from_millis(30);

async fn open_error(path: &Path) -> StoreError {
    match Store::open(path).await {
        Ok(_) => panic!("{} was opened", path.display()),
        Err(error) => error,
    }
}

#[tokio::test]
async fn closing_leaves_one_file_that_opens_again() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let leaf = kit.row(session, 1, None, Role::User, "kept").await;
    kit.store.ping().await.unwrap();
    kit.store.close().await;
    kit.store.close().await;
    assert!(kit.store.ping().await.is_err());
    let left: Vec<_> = std::fs::read_dir(kit.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["nanobot.db"]);
    let again = Store::open(&kit.path()).await.unwrap();
    assert_eq!(again.branch_rows(session, leaf).await.unwrap().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn files_are_for_their_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new").join("nanobot.db");
    let store = Store::open(&path).await.unwrap();
    let copy = folder.path().join("copy.db");
    store.backup(&copy).await.unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for file in [path.clone(), copy.clone(), path.with_extension("db-wal")] {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
    assert_eq!(mode(path.parent().unwrap()), 0o700);
    let error = store.backup(&copy).await.unwrap_err();
    assert!(error.to_string().contains("exists already; choose another name"), "{error}");
    Store::open(&copy).await.unwrap().ping().await.unwrap();
}

#[tokio::test]
async fn a_newer_file_is_refused_and_left_alone() {
    let kit = Kit::new().await;
    kit.store.close().await;
    let mut raw = kit.raw().await;
    sqlx::query("INSERT INTO migrations VALUES (99, 'later', 'ff', 1)").execute(&mut raw).await.unwrap();
    let error = open_error(&kit.path()).await;
    assert!(matches!(error, StoreError::Newer { found: 99, known: 6 }), "{error}");
    assert!(error.to_string().contains("install the newer nanobot again"), "{error}");
}

#[tokio::test]
async fn an_altered_migration_is_refused() {
    let kit = Kit::new().await;
    kit.store.close().await;
    let mut raw = kit.raw().await;
    sqlx::query("UPDATE migrations SET sha256 = 'ff'").execute(&mut raw).await.unwrap();
    let error = open_error(&kit.path()).await;
    assert!(matches!(error, StoreError::Altered { version: 1 }), "{error}");
}

#[tokio::test]
async fn a_file_of_another_program_is_refused() {
    let kit = Kit::new().await;
    let mut raw = {
        use sqlx::ConnectOptions as _;
        let path = kit.folder.path().join("other.db");
        sqlx::sqlite::SqliteConnectOptions::new().filename(path).create_if_missing(true).connect().await.unwrap()
    };
    sqlx::query("CREATE TABLE theirs(x)").execute(&mut raw).await.unwrap();
    let error = open_error(&kit.folder.path().join("other.db")).await;
    assert!(error.to_string().contains("another program"), "{error}");
}

#[tokio::test]
async fn a_damaged_file_says_what_to_do() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.commit(session, vec![Op::AppendEvents((1..200).map(|seq| event(seq, None, delta("x"))).collect())]).await;
    kit.store.close().await;
    let whole = std::fs::read(kit.path()).unwrap();

    let path = kit.folder.path().join("damaged.db");
    std::fs::write(
        &path,
        b"this is a text and no database, though it is long enough to be taken for one by its size alone........",
    )
    .unwrap();
    let error = open_error(&path).await;
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");
    assert!(error.to_string().contains("put the newest backup"), "{error}");

    let mut damaged = whole.clone();
    for byte in damaged.iter_mut().skip(4_096) {
        *byte = 0xaa;
    }
    std::fs::write(&path, &damaged).unwrap();
    let error = open_error(&path).await;
    assert!(matches!(error, StoreError::Corrupt(_)), "{error}");

    // Damage in one table: the rest works, and the check finds it.
    let mut damaged = whole;
    let at = damaged.len() - 4_096;
    damaged[at..].fill(0xaa);
    std::fs::write(&path, &damaged).unwrap();
    let store = Store::open(&path).await.unwrap();
    let found = store.integrity_check().await;
    assert!(!matches!(&found, Ok(problems) if problems.is_empty()), "{found:?}");
}

#[tokio::test]
async fn a_database_held_by_another_process_is_busy_then_works() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.store.close().await;
    let store = Store::open_with(&kit.path(), SHORT).await.unwrap();
    let mut raw = kit.raw().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut raw).await.unwrap();
    for _ in 0..3 {
        let error = store.commit(session, vec![Op::TouchSession { at: 5 }]).await.unwrap_err();
        assert!(matches!(error, StoreError::Busy), "{error}");
        assert!(store.session(session).await.unwrap().is_some());
    }
    sqlx::query("ROLLBACK").execute(&mut raw).await.unwrap();
    store.commit(session, vec![Op::TouchSession { at: 5 }]).await.unwrap();
    assert_eq!(store.session(session).await.unwrap().unwrap().updated_at, 5);
}

#[tokio::test]
async fn a_file_of_version_1_opens_with_everything_in_it() {
    use nanobot_engine::id::SessionId;
    use sqlx::ConnectOptions as _;

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("old.db");
    let mut raw =
        sqlx::sqlite::SqliteConnectOptions::new().filename(&path).create_if_missing(true).connect().await.unwrap();
    sqlx::raw_sql(include_str!("../fixtures/v1.sql")).execute(&mut raw).await.unwrap();
    drop(raw);

    let store = Store::open(&path).await.unwrap();
    let id: SessionId = "01990000-0000-7000-8000-000000000001".parse().unwrap();
    let session = store.session(id).await.unwrap().unwrap();
    assert_eq!((session.title.as_str(), session.last_event_seq, session.reserved_seq), ("Grüße", 7, 1_024));
    let rows = store.branch_rows(id, session.active_message_id.unwrap()).await.unwrap();
    assert_eq!(rows.iter().map(|row| row.message.text()).collect::<Vec<_>>(), ["hello there", "let me look"]);
    assert_eq!(rows[1].message.calls().count(), 1);
    let turns = store.unfinished_turns().await.unwrap();
    assert_eq!(turns[0].checkpoint.as_deref(), Some("{\"phase\":\"requesting\"}"));
    let events = store.turn_events(id, &turns[0]).await.unwrap();
    assert_eq!(events.iter().map(|event| (event.first_seq, event.seq)).collect::<Vec<_>>(), [(1, 1), (3, 3), (6, 7)]);
    assert_eq!(store.call_output(id, "call_1").await.unwrap().as_deref(), Some("content"));
    assert!(store.work_by_client_id(id, "c1").await.unwrap().is_some());
    assert!(store.token_by_hash("aa").await.unwrap().is_some());
    assert!(store.login_by_hash("bb").await.unwrap().is_some());
    assert!(store.idempotent("k", "POST /api/v1/sessions").await.unwrap().is_some());
    assert_eq!(store.search_messages("hello", 5).await.unwrap().len(), 1);

    // What later versions added is there and empty, and can be used for what is old.
    let turn_id = turns[0].id;
    assert_eq!(store.model_requests_of_turn(turn_id).await.unwrap(), []);
    let request = model_request(id, turn_id, 5_000);
    store.commit(id, vec![Op::ModelRequest(Box::new(request.clone()))]).await.unwrap();
    assert_eq!(store.model_requests_of_turn(turn_id).await.unwrap(), [request]);
    let usage = store.usage(UsageBy::Session, &[0, 10_000], 10).await.unwrap();
    assert_eq!(usage.groups[0].key, UsageKey::Session { id, title: "Grüße".to_owned() });
    assert_eq!(store.journal(turn_id).await.unwrap(), []);
    let entry = journal_entry(turn_id);
    store.commit(id, vec![Op::Journal(Box::new(entry.clone()))]).await.unwrap();
    assert_eq!(store.journal(turn_id).await.unwrap(), [entry]);
    assert_eq!(store.approvals_of_turn(turn_id).await.unwrap(), []);
    let asked = approval(turn_id, 5_000);
    store.commit(id, vec![Op::RequestApproval(Box::new(asked.clone()))]).await.unwrap();
    assert_eq!(store.pending_approvals().await.unwrap(), [ApprovalRecord { session_id: id, ..asked }]);
    assert_eq!(store.verify_audit().await.unwrap().rows, 0);
    store.audit(AuditEntry::new(AuditKind::Login, "laptop", "", 5_000)).await.unwrap();
    let report = store.verify_audit().await.unwrap();
    assert_eq!((report.rows, report.first_fault), (1, None));
    let backups: Vec<_> =
        std::fs::read_dir(folder.path().join("backups")).unwrap().map(|e| e.unwrap().path()).collect();
    let [backup] = backups.as_slice() else { panic!("one backup before the upgrade: {backups:?}") };
    assert!(backup.file_name().unwrap().to_string_lossy().starts_with("old-v1-"), "{}", backup.display());
    assert_eq!(store.integrity_check().await.unwrap(), [""; 0]);
}
