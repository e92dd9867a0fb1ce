//! The journal of a turn and the texts that its requests share.

use nanobot_store::{JournalEntry, Op, Store, StoreError};

use crate::kit::{Kit, journal_entry, start, turn};

#[tokio::test]
async fn entries_come_back_in_order_and_go_with_their_session() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let record = turn(session, 1);
    kit.commit(session, vec![Op::InsertTurn(Box::new(record.clone())), start(&record, 2)]).await;
    let first = journal_entry(record.id);
    let unsent = JournalEntry { request_id: None, recipe: None, inputs: "[]".to_owned(), ..first.clone() };
    let last = journal_entry(record.id);
    let ops = [&first, &unsent, &last].map(|entry| Op::Journal(Box::new(entry.clone())));
    kit.commit(session, ops.to_vec()).await;
    assert_eq!(kit.store.journal(record.id).await.unwrap(), [first.clone(), unsent, last.clone()]);
    let recipes = kit.store.recipes(record.id).await.unwrap();
    assert_eq!(recipes.len(), 2);
    assert_eq!(recipes.get(&last.request_id.unwrap()), last.recipe.as_ref());

    let other = kit.session().await;
    let body = |body: &str| Op::KeepBody { hash: "aa".to_owned(), body: body.into() };
    kit.commit(session, vec![body("words"), body("are kept once")]).await;
    kit.commit(other, vec![body("of another session")]).await;
    assert_eq!(kit.store.journal_body(session, "aa").await.unwrap().as_deref(), Some("words"));
    assert_eq!(kit.store.journal_body(session, "bb").await.unwrap(), None);

    kit.store.delete_session(session, 9_000).await.unwrap();
    assert_eq!(kit.store.purge_deleted(10_000).await.unwrap(), 1);
    assert_eq!(kit.store.journal(record.id).await.unwrap(), []);
    assert_eq!(kit.store.journal_body(session, "aa").await.unwrap(), None);
    assert_eq!(kit.store.journal_body(other, "aa").await.unwrap().as_deref(), Some("of another session"));
}

#[tokio::test]
async fn a_turn_that_is_not_there_has_no_journal() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let record = turn(session, 1);
    let step = vec![Op::Journal(Box::new(journal_entry(record.id)))];
    assert!(kit.store.commit(session, step).await.is_err());
}

#[tokio::test]
async fn a_store_for_reading_reads_beside_a_writer_and_writes_nothing() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let reading = Store::open_for_reading(&kit.path()).await.unwrap();
    let later = kit.session().await;
    for id in [session, later] {
        assert!(reading.session(id).await.unwrap().is_some());
    }
    let error = reading.commit(session, vec![Op::TouchSession { at: 2 }]).await.unwrap_err();
    assert!(matches!(error, StoreError::ReadOnly), "{error}");
    reading.close().await;
    assert!(kit.store.session(session).await.unwrap().is_some());
    kit.store.close().await;

    // Nobody else has it open.
    let reading = Store::open_for_reading(&kit.path()).await.unwrap();
    assert!(reading.session(session).await.unwrap().is_some());
    reading.close().await;
    let mut raw = kit.raw().await;
    sqlx::query("DELETE FROM migrations WHERE version = (SELECT MAX(version) FROM migrations)")
        .execute(&mut raw)
        .await
        .unwrap();
    let error = Store::open_for_reading(&kit.path()).await.unwrap_err();
    assert!(matches!(error, StoreError::Older { .. }), "{error}");
    let missing = kit.folder.path().join("missing.db");
    assert!(Store::open_for_reading(&missing).await.is_err());
    assert!(!missing.exists());
}
