//! Many at once: eight sessions write while others read (the database is never "locked" for its own process).

use nanobot_engine::message::Role;
use nanobot_store::{ListSessions, Op};

use crate::kit::{Kit, delta, event, row};

const WRITERS: u64 = 8;
const STEPS: u64 = 60;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn writers_and_readers_do_not_disturb_each_other() {
    let kit = Kit::new().await;
    let mut sessions = Vec::new();
    for _ in 0..WRITERS {
        sessions.push(kit.session().await);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for session in sessions.clone() {
        let store = kit.store.clone();
        tasks.spawn(async move {
            let mut parent = None;
            for step in 1..=STEPS {
                let stored = row(step * 4, parent, Role::User, "a step");
                parent = Some(stored.id);
                let ops = vec![
                    Op::InsertMessage(Box::new(stored)),
                    Op::AppendEvents((1..4).map(|seq| event(step * 4 + seq, None, delta("x"))).collect()),
                    Op::TouchSession { at: step.cast_signed() },
                ];
                store.commit(session, ops).await.unwrap();
            }
            let rows = store.branch_rows(session, parent.unwrap()).await.unwrap();
            assert_eq!(rows.len() as u64, STEPS);
        });
        let store = kit.store.clone();
        tasks.spawn(async move {
            // An open reader sees whole steps only: three events after each row.
            for _ in 0..STEPS {
                let events = store.events_after(session, 0, None, 10_000).await.unwrap();
                assert_eq!(events.len() % 3, 0);
                store.list_sessions(ListSessions { limit: 20, ..ListSessions::default() }).await.unwrap();
                store.search_messages("step", 5).await.unwrap();
            }
        });
    }
    let copy = kit.folder.path().join("copy.db");
    kit.store.backup(&copy).await.unwrap();
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    for session in sessions {
        assert_eq!(kit.store.count_events_after(session, 0).await.unwrap(), STEPS * 3);
    }
    let found = kit.store.search_messages("step", 10_000).await.unwrap();
    assert_eq!(found.len() as u64, WRITERS * STEPS);
    let check = "INSERT INTO messages_fts(messages_fts) VALUES ('integrity-check')";
    sqlx::query(check).execute(&mut kit.raw().await).await.unwrap();
    let copy = nanobot_store::Store::open(&copy).await.unwrap();
    assert_eq!(copy.integrity_check().await.unwrap(), [""; 0]);
    assert_eq!(kit.store.integrity_check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_step_that_is_given_up_half_way_is_not_written_and_blocks_nobody() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    for round in 0..40_u32 {
        let events = (1..200).map(|seq| event(seq, None, delta("x"))).collect();
        let mut step = Box::pin(kit.store.commit(session, vec![Op::AppendEvents(events)]));
        // Polled a number of times, then dropped, as when the task that waits for it is cancelled.
        let mut polls = 0;
        let finished = std::future::poll_fn(|context| {
            polls += 1;
            match step.as_mut().poll(context) {
                std::task::Poll::Ready(result) => std::task::Poll::Ready(Some(result)),
                std::task::Poll::Pending if polls > round => std::task::Poll::Ready(None),
                std::task::Poll::Pending => std::task::Poll::Pending,
            }
        })
        .await;
        drop(step);
        kit.commit(session, vec![Op::TouchSession { at: 1 }]).await;
        let count = kit.store.count_events_after(session, 0).await.unwrap();
        match finished {
            Some(result) => {
                result.unwrap();
                assert_eq!(count, 199);
                return;
            }
            None => assert!(count == 0 || count == 199, "{count} events of a step that was given up"),
        }
        if count == 199 {
            return;
        }
    }
}
