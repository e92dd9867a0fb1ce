//! The list of sessions.

use nanobot_engine::event::StopReason;
use nanobot_engine::message::Role;
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{ListSessions, Op, SessionPatch, StoreError, TitleSource, WorkState};

use crate::kit::{Kit, delta, event, start, turn, work};

fn list(query: Option<&str>, cursor: Option<String>, limit: u32) -> ListSessions {
    ListSessions { query: query.map(str::to_owned), cursor, limit }
}

#[tokio::test]
async fn every_session_is_on_exactly_one_page() {
    let kit = Kit::new().await;
    // Ties in time are common: a page may end between them.
    for at in [5, 3, 3, 3, 9, 1, 3] {
        kit.titled("t", at).await;
    }
    for limit in 1..=8 {
        let (mut times, mut ids, mut cursor) = (Vec::new(), Vec::new(), None);
        loop {
            let page = kit.store.list_sessions(list(None, cursor, limit)).await.unwrap();
            assert!(page.items.len() <= limit as usize);
            times.extend(page.items.iter().map(|session| session.created_at));
            ids.extend(page.items.iter().map(|session| session.id));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(times, [9, 5, 3, 3, 3, 3, 1], "limit {limit}");
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), 7);
    }
}

#[tokio::test]
async fn the_newest_message_comes_first() {
    let kit = Kit::new().await;
    let (old, new) = (kit.titled("old", 1).await, kit.titled("new", 2).await);
    let order = async || {
        let page = kit.store.list_sessions(list(None, None, 10)).await.unwrap();
        page.items.into_iter().map(|session| session.id).collect::<Vec<_>>()
    };
    assert_eq!(order().await, [new, old]);
    kit.commit(old, vec![Op::TouchSession { at: 3 }]).await;
    assert_eq!(order().await, [old, new]);
    let touched = kit.store.session(old).await.unwrap().unwrap();
    assert_eq!((touched.updated_at, touched.last_message_at), (3, Some(3)));
    kit.store.delete_session(old, 4).await.unwrap();
    assert_eq!(order().await, [new]);
}

#[tokio::test]
async fn titles_are_found_in_any_case_and_signs_have_no_meaning() {
    let kit = Kit::new().await;
    for title in ["Ärger im Büro", "100% done", "100 percent", "a_b", "日本語"] {
        kit.titled(title, 1).await;
    }
    let titles = async |query: &str| {
        let page = kit.store.list_sessions(list(Some(query), None, 10)).await.unwrap();
        page.items.into_iter().map(|session| session.title).collect::<Vec<_>>()
    };
    assert_eq!(titles("ärger").await, ["Ärger im Büro"]);
    assert_eq!(titles(" BÜRO ").await, ["Ärger im Büro"]);
    assert_eq!(titles("100%").await, ["100% done"]);
    assert_eq!(titles("_").await, ["a_b"]);
    assert_eq!(titles("本").await, ["日本語"]);
    assert_eq!(titles("").await.len(), 5);
    assert_eq!(titles("nothing like it").await.len(), 0);
}

#[tokio::test]
async fn cursors_of_others_are_refused() {
    let kit = Kit::new().await;
    for cursor in ["", "x", "1_2", "1_", "_", "1.019358a0-0000-7000-8000-000000000000"] {
        let result = kit.store.list_sessions(list(None, Some(cursor.to_owned()), 5)).await;
        assert!(matches!(result, Err(StoreError::BadCursor)), "{cursor}");
    }
}

#[tokio::test]
async fn a_patch_changes_what_it_names() {
    let kit = Kit::new().await;
    let session = kit.titled("before", 1).await;
    let all = SessionPatch {
        title: Some("after".into()),
        pinned: Some(true),
        preset: Some(Some("fast".into())),
        access: Some(Some("full".into())),
        workspace: Some(Some("/w".into())),
        active_message_id: None,
    };
    let patched = kit.store.patch_session(session, all).await.unwrap();
    assert_eq!(patched, kit.store.session(session).await.unwrap().unwrap());
    assert_eq!((patched.title.as_str(), patched.title_source, patched.pinned), ("after", TitleSource::User, true));
    assert_eq!(patched.preset.as_deref(), Some("fast"));
    let same = kit.store.patch_session(session, SessionPatch::default()).await.unwrap();
    assert_eq!(same, patched);
    let removed = SessionPatch { preset: Some(None), pinned: Some(false), ..SessionPatch::default() };
    let removed = kit.store.patch_session(session, removed).await.unwrap();
    assert_eq!((removed.preset, removed.pinned, removed.access.as_deref()), (None, false, Some("full")));
    kit.store.delete_session(session, 2).await.unwrap();
    let late = kit.store.patch_session(session, SessionPatch::default()).await;
    assert!(matches!(late, Err(StoreError::SessionGone(_))));
}

#[tokio::test]
async fn a_restored_session_is_at_rest() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let (running, waiting) = (turn(session, 1), turn(session, 2));
    let item = work(session, &waiting, Some("c"));
    kit.commit(
        session,
        vec![
            Op::InsertTurn(Box::new(running.clone())),
            start(&running, 3),
            Op::Checkpoint { turn_id: running.id, checkpoint: "{}".into() },
            Op::InsertTurn(Box::new(waiting.clone())),
            Op::InsertWork(Box::new(item)),
            Op::AppendEvents(vec![event(4, Some(running.id), delta("x"))]),
        ],
    )
    .await;
    kit.store.delete_session(session, 9).await.unwrap();
    assert_eq!(kit.store.session(session).await.unwrap(), None);
    assert_eq!(kit.store.unfinished_turns().await.unwrap(), []);
    kit.store.restore_session(session).await.unwrap();
    assert_eq!(kit.store.unfinished_turns().await.unwrap(), []);
    let ended = kit.store.turn(running.id).await.unwrap().unwrap();
    assert_eq!((ended.state, ended.stop_reason), (TurnStatus::Cancelled, Some(StopReason::Cancelled)));
    assert_eq!((ended.ended_seq, ended.ended_at, ended.checkpoint), (Some(4), Some(9), None));
    let item = kit.store.work_by_client_id(session, "c").await.unwrap().unwrap();
    assert_eq!(item.state, WorkState::Cancelled);
    let next = turn(session, 5);
    kit.commit(session, vec![Op::InsertTurn(Box::new(next.clone())), start(&next, 6)]).await;
}

#[tokio::test]
async fn purging_removes_what_was_deleted_long_ago() {
    let kit = Kit::new().await;
    let (old, new, kept) = (kit.session().await, kit.session().await, kit.session().await);
    for session in [old, new, kept] {
        let record = turn(session, 1);
        kit.row(session, 2, None, Role::User, "needle in the hay").await;
        kit.commit(
            session,
            vec![
                Op::InsertTurn(Box::new(record.clone())),
                Op::InsertWork(Box::new(work(session, &record, None))),
                Op::AppendEvents(vec![event(1, None, delta("x"))]),
            ],
        )
        .await;
    }
    assert_eq!(kit.store.search_messages("needle", 10).await.unwrap().len(), 3);
    kit.store.delete_session(old, 100).await.unwrap();
    kit.store.delete_session(new, 200).await.unwrap();
    assert_eq!(kit.store.purge_deleted(150).await.unwrap(), 1);
    assert!(matches!(kit.store.restore_session(old).await, Err(StoreError::NotFound("session"))));
    kit.store.restore_session(new).await.unwrap();
    assert_eq!(kit.store.search_messages("needle", 10).await.unwrap().len(), 2);
    let mut raw = kit.raw().await;
    for table in ["messages", "turns", "events", "work_items"] {
        let count = sqlx::query(sqlx::AssertSqlSafe(format!("SELECT 1 FROM {table} WHERE session_id = ?")))
            .bind(old.to_string())
            .fetch_all(&mut raw)
            .await
            .unwrap();
        assert_eq!(count.len(), 0, "{table}");
    }
    assert_eq!(kit.store.integrity_check().await.unwrap(), [""; 0]);

    // The numbers of purged rows are given out again; what gets them is found too.
    kit.store.delete_session(new, 100).await.unwrap();
    kit.store.delete_session(kept, 100).await.unwrap();
    assert_eq!(kit.store.purge_deleted(150).await.unwrap(), 2);
    let next = kit.session().await;
    kit.row(next, 1, None, Role::User, "another needle").await;
    let found = kit.store.search_messages("needle", 10).await.unwrap();
    assert_eq!(found.iter().map(|hit| hit.session_id).collect::<Vec<_>>(), [next]);
}
