//! Steps: whole or not at all, never to a deleted session, one running turn.

use nanobot_engine::event::StopReason;
use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::Role;
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{Op, StoreError, TitleSource, WorkState, conflict};
use uuid::Uuid;

use crate::kit::{Kit, delta, event, row, session_record, start, turn, work};

#[tokio::test]
async fn a_step_that_fails_at_its_end_leaves_nothing() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.commit(session, vec![Op::AppendEvents(vec![event(50, None, delta("there"))])]).await;
    let first = row(1, None, Role::User, "hello");
    let id = first.id;
    // More writes than fit into one batch, so that the failure is in a later one.
    let mut events: Vec<_> = (2..40).map(|seq| event(seq, None, delta("x"))).collect();
    events.push(event(50, None, delta("again")));
    let ops = vec![
        Op::InsertMessage(Box::new(first)),
        Op::SetActive { message_id: id },
        Op::ReserveSeq { upto: 1_024 },
        Op::AppendEvents(events),
    ];
    let error = kit.store.commit(session, ops).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::EVENT_SEQ)), "{error}");
    assert_eq!(kit.store.message(id).await.unwrap(), None);
    assert_eq!(kit.store.count_events_after(session, 0).await.unwrap(), 1);
    let stored = kit.store.session(session).await.unwrap().unwrap();
    assert_eq!((stored.active_message_id, stored.reserved_seq), (None, 0));
}

#[tokio::test]
async fn nothing_is_written_to_a_deleted_session() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.store.delete_session(session, 9_000).await.unwrap();
    let every = turn(session, 1);
    let ops = vec![
        Op::ReserveSeq { upto: 1 },
        Op::InsertMessage(Box::new(row(1, None, Role::User, "late"))),
        Op::SetActive { message_id: MessageId(Uuid::now_v7()) },
        Op::TouchSession { at: 1 },
        Op::SetTitle { title: "late".into(), source: TitleSource::Model, only_if_not_user: true },
        start(&every, 2),
        Op::AppendEvents(vec![event(1, None, delta("late"))]),
        Op::InsertWork(Box::new(work(session, &every, None))),
        Op::InsertTurn(Box::new(every)),
    ];
    for op in ops {
        let error = kit.store.commit(session, vec![op]).await.unwrap_err();
        assert!(matches!(error, StoreError::SessionGone(id) if id == session), "{error}");
    }
    let never = SessionId(Uuid::now_v7());
    let event = Op::AppendEvents(vec![event(1, None, delta("x"))]);
    assert!(matches!(kit.store.commit(never, vec![event]).await, Err(StoreError::SessionGone(_))));
    assert!(matches!(kit.store.delete_session(session, 1).await, Err(StoreError::SessionGone(_))));

    kit.store.restore_session(session).await.unwrap();
    assert_eq!(kit.store.last_event_seq(session).await.unwrap(), 0);
    kit.commit(session, vec![Op::TouchSession { at: 1 }]).await;
}

#[tokio::test]
async fn a_session_runs_one_turn() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let (first, second) = (turn(session, 1), turn(session, 2));
    kit.commit(session, vec![Op::InsertTurn(Box::new(first.clone())), Op::InsertTurn(Box::new(second.clone()))]).await;
    kit.commit(session, vec![start(&first, 3)]).await;
    let error = kit.store.commit(session, vec![start(&second, 4)]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::RUNNING_TURN)), "{error}");
    let running = kit.store.session(session).await.unwrap().unwrap();
    assert_eq!((running.running_turn_id, running.running_state), (Some(first.id), Some(TurnStatus::Running)));

    let twice = kit.store.commit(session, vec![start(&first, 5)]).await.unwrap_err();
    assert!(matches!(twice, StoreError::NotFound("queued turn")), "{twice}");
    let finish = Op::FinishTurn {
        turn_id: first.id,
        state: TurnStatus::Done,
        stop_reason: StopReason::Completed,
        error: None,
        usage: Usage::default(),
        ended_seq: 6,
        at: 8_000,
    };
    kit.commit(session, vec![finish.clone(), start(&second, 7)]).await;
    let again = kit.store.commit(session, vec![finish]).await.unwrap_err();
    assert!(matches!(again, StoreError::NotFound("unfinished turn")), "{again}");
    let running = kit.store.session(session).await.unwrap().unwrap();
    assert_eq!(running.running_turn_id, Some(second.id));
}

#[tokio::test]
async fn a_client_id_is_taken_once_in_a_session() {
    let kit = Kit::new().await;
    let (session, other) = (kit.session().await, kit.session().await);
    let record = turn(session, 1);
    let item = work(session, &record, Some("c1"));
    kit.commit(session, vec![Op::InsertWork(Box::new(item.clone()))]).await;
    let error = kit
        .store
        .commit(session, vec![Op::InsertWork(Box::new(work(session, &record, Some("c1"))))])
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::CLIENT_MESSAGE_ID)), "{error}");
    kit.commit(other, vec![Op::InsertWork(Box::new(work(other, &record, Some("c1"))))]).await;
    kit.commit(session, vec![Op::InsertWork(Box::new(work(session, &record, None)))]).await;
    kit.commit(session, vec![Op::InsertWork(Box::new(work(session, &record, None)))]).await;
    assert_eq!(kit.store.work_by_client_id(session, "c1").await.unwrap(), Some(item.clone()));
    assert_eq!(kit.store.work_by_client_id(session, "c2").await.unwrap(), None);

    let joined = turn(session, 9).id;
    kit.commit(session, vec![Op::SetWorkState { id: item.id, state: WorkState::Injected, turn_id: joined }]).await;
    let moved = kit.store.work_of_turn(joined).await.unwrap().unwrap();
    assert_eq!((moved.id, moved.state), (item.id, WorkState::Injected));
    assert_eq!(kit.store.queued_work(session).await.unwrap().len(), 2);
}

#[tokio::test]
async fn rows_need_a_known_parent_and_a_number_of_their_own() {
    let kit = Kit::new().await;
    let (session, other) = (kit.session().await, kit.session().await);
    let foreign = kit.row(other, 1, None, Role::User, "elsewhere").await;
    for parent in [foreign, MessageId(Uuid::now_v7())] {
        let op = Op::InsertMessage(Box::new(row(1, Some(parent), Role::User, "orphan")));
        let error = kit.store.commit(session, vec![op]).await.unwrap_err();
        assert!(matches!(error, StoreError::NotFound("parent message")), "{error}");
    }
    kit.row(session, 1, None, Role::User, "first").await;
    let op = Op::InsertMessage(Box::new(row(1, None, Role::User, "second")));
    let error = kit.store.commit(session, vec![op]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::MESSAGE_SEQ)), "{error}");
    let again = session_record("", 1);
    kit.store.create_session(&again).await.unwrap();
    let error = kit.store.create_session(&again).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::ID)), "{error}");
}

#[tokio::test]
async fn a_title_of_a_person_stays() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let title = |title: &str, source, only_if_not_user| Op::SetTitle { title: title.into(), source, only_if_not_user };
    kit.commit(session, vec![title("first words", TitleSource::FirstWords, true)]).await;
    kit.commit(session, vec![title("Mine", TitleSource::User, false)]).await;
    kit.commit(session, vec![title("Theirs", TitleSource::Model, true)]).await;
    let stored = kit.store.session(session).await.unwrap().unwrap();
    assert_eq!((stored.title.as_str(), stored.title_source), ("Mine", TitleSource::User));
}

#[tokio::test]
async fn reserved_numbers_never_shrink() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    kit.commit(session, vec![Op::ReserveSeq { upto: 2_048 }, Op::ReserveSeq { upto: 1_024 }]).await;
    assert_eq!(kit.store.session(session).await.unwrap().unwrap().reserved_seq, 2_048);
}
