//! Turns and their calls.

use nanobot_engine::event::{StopReason, TurnError};
use nanobot_engine::id::{MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::message::Role;
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{CallRecord, Op, StoreError, TurnRecord, conflict};
use serde_json::{Map, json};
use uuid::Uuid;

use crate::kit::{Kit, row, start, turn, work};

#[tokio::test]
async fn a_turn_goes_from_queued_to_its_end() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let mut expect = turn(session, 1);
    expect.parent_message_id = Some(MessageId(Uuid::now_v7()));
    kit.commit(session, vec![Op::InsertTurn(Box::new(expect.clone()))]).await;
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect.clone()));

    let early = Op::Checkpoint { turn_id: expect.id, checkpoint: "{}".into() };
    assert!(matches!(kit.store.commit(session, vec![early]).await, Err(StoreError::NotFound("running turn"))));

    let (boot, user) = (Uuid::now_v7(), MessageId(Uuid::now_v7()));
    let start = Op::StartTurn {
        turn_id: expect.id,
        started_seq: 3,
        at: 30,
        boot_id: boot,
        user_message_id: user,
        preset: "fast".into(),
        model: "small".into(),
    };
    kit.commit(session, vec![start, Op::Checkpoint { turn_id: expect.id, checkpoint: "{\"a\":1}".into() }]).await;
    expect = TurnRecord {
        state: TurnStatus::Running,
        started_seq: Some(3),
        started_at: Some(30),
        boot_id: Some(boot),
        user_message_id: Some(user),
        preset: "fast".into(),
        model: "small".into(),
        checkpoint: Some("{\"a\":1}".into()),
        ..expect
    };
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect.clone()));
    assert_eq!(kit.store.unfinished_turns().await.unwrap(), [expect.clone()]);

    let boot = Uuid::now_v7();
    let waits = TurnStatus::AwaitingApproval;
    kit.commit(session, vec![Op::SetTurnState { turn_id: expect.id, state: waits }]).await;
    expect = TurnRecord { state: waits, ..expect };
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect.clone()));
    let stored = kit.store.session(session).await.unwrap().unwrap();
    assert_eq!((stored.running_turn_id, stored.running_state), (Some(expect.id), Some(waits)));
    kit.commit(session, vec![Op::ResumeTurn { turn_id: expect.id, state: waits, boot_id: boot, attempts: 1 }]).await;
    expect = TurnRecord { boot_id: Some(boot), resume_attempts: 1, ..expect };
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect.clone()));
    let running = TurnStatus::Running;
    kit.commit(session, vec![Op::ResumeTurn { turn_id: expect.id, state: running, boot_id: boot, attempts: 2 }]).await;
    expect = TurnRecord { state: running, boot_id: Some(boot), resume_attempts: 2, ..expect };
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect.clone()));

    let error = TurnError { code: "provider_auth".into(), detail: "the key was refused; enter another".into() };
    let usage = Usage { input_tokens: 5, cost_usd: Some(0.25), ..Usage::default() };
    kit.commit(
        session,
        vec![Op::FinishTurn {
            turn_id: expect.id,
            state: TurnStatus::Failed,
            stop_reason: StopReason::Error,
            error: Some(error.clone()),
            usage,
            ended_seq: 9,
            at: 90,
        }],
    )
    .await;
    expect = TurnRecord {
        state: TurnStatus::Failed,
        stop_reason: Some(StopReason::Error),
        error: Some(error),
        usage: Some(usage),
        ended_seq: Some(9),
        ended_at: Some(90),
        checkpoint: None,
        ..expect
    };
    assert_eq!(kit.store.turn(expect.id).await.unwrap(), Some(expect));
    assert_eq!(kit.store.unfinished_turns().await.unwrap(), []);
    assert_eq!(kit.store.turn(TurnId(Uuid::now_v7())).await.unwrap(), None);
}

#[tokio::test]
async fn waiting_turns_come_with_their_messages_in_order() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let (first, second) = (turn(session, 4), turn(session, 2));
    for record in [&first, &second] {
        let mut item = work(session, record, None);
        item.parent_message_id = Some(None);
        kit.commit(session, vec![Op::InsertTurn(Box::new(record.clone())), Op::InsertWork(Box::new(item))]).await;
    }
    let queued = kit.store.queued_turns(session).await.unwrap();
    assert_eq!(
        queued.iter().map(|(turn, item)| (turn.id, item.turn_id)).collect::<Vec<_>>(),
        [(second.id, second.id), (first.id, first.id)]
    );
    assert_eq!(queued[0].1.parent_message_id, Some(None));
    kit.commit(session, vec![start(&second, 5)]).await;
    assert_eq!(kit.store.queued_turns(session).await.unwrap().len(), 1);
}

/// Turns of three rows each, the third a branch off the first.
async fn branched(kit: &Kit) -> (SessionId, Vec<TurnRecord>, Vec<MessageId>) {
    let session = kit.session().await;
    let (mut turns, mut leaves): (Vec<TurnRecord>, Vec<MessageId>) = (Vec::new(), Vec::new());
    let mut seq = 0;
    for number in 0..4 {
        let record = turn(session, seq + 1);
        kit.commit(session, vec![Op::InsertTurn(Box::new(record.clone()))]).await;
        let mut parent = if number == 3 { leaves.first() } else { leaves.last() }.copied();
        for role in [Role::User, Role::Assistant, Role::Tool] {
            seq += 2;
            let mut stored = row(seq, parent, role, "x");
            stored.turn_id = record.id;
            parent = Some(stored.id);
            kit.commit(session, vec![Op::InsertMessage(Box::new(stored))]).await;
        }
        turns.push(record);
        leaves.extend(parent);
    }
    (session, turns, leaves)
}

#[tokio::test]
async fn a_branch_lists_the_turns_that_are_on_it() {
    let kit = Kit::new().await;
    let (session, turns, leaves) = branched(&kit).await;
    let listed = async |leaf: usize, before, limit| {
        let found = kit.store.branch_turns(session, leaves[leaf], before, limit).await.unwrap();
        found.into_iter().map(|found| turns.iter().position(|turn| turn.id == found.id).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(listed(2, None, 10).await, [0, 1, 2]);
    assert_eq!(listed(3, None, 10).await, [0, 3]);
    assert_eq!(listed(2, None, 2).await, [1, 2]);
    assert_eq!(listed(2, Some(turns[1].seq), 2).await, [0]);
    assert_eq!(listed(2, Some(turns[0].seq), 2).await, [0; 0]);
    assert_eq!(listed(3, Some(turns[3].seq), 9).await, [0]);
    // A turn of another branch still means its place in time.
    assert_eq!(listed(2, Some(turns[3].seq), 9).await, [0, 1, 2]);
}

fn call(turn_id: TurnId, iteration: u32, position: u32, call_id: &str) -> CallRecord {
    let arguments: Map<_, _> = [("path".to_owned(), json!("a\u{1f600}"))].into_iter().collect();
    CallRecord {
        turn_id,
        iteration,
        position,
        call_id: call_id.to_owned(),
        stream_id: StreamId::new(1, position),
        name: "read_file".to_owned(),
        arguments,
        status: CallStatus::Intended,
        outcome: None,
        started_at: None,
        ended_at: None,
    }
}

#[tokio::test]
async fn the_ledger_keeps_one_record_for_each_call() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let record = turn(session, 1);
    kit.commit(session, vec![Op::InsertTurn(Box::new(record.clone()))]).await;
    let upsert = |call: &CallRecord| Op::UpsertCall(Box::new(call.clone()));
    // Providers use ids again in the next iteration.
    let mut first = call(record.id, 0, 0, "call_1");
    let (second, third) = (call(record.id, 0, 1, "call_2"), call(record.id, 1, 0, "call_1"));
    kit.commit(session, vec![upsert(&third), upsert(&second), upsert(&first)]).await;
    assert_eq!(kit.store.calls(record.id).await.unwrap(), [first.clone(), second.clone(), third.clone()]);
    assert_eq!(kit.store.call_output(session, "call_1").await.unwrap(), None);

    first.status = CallStatus::Ok;
    first.started_at = Some(1);
    first.ended_at = Some(2);
    first.outcome = Some(ToolOutcome { exit_code: Some(-1), diff: Some("+a".into()), ..ToolOutcome::ok("old") });
    kit.commit(session, vec![upsert(&first)]).await;
    assert_eq!(kit.store.calls(record.id).await.unwrap()[0], first);
    assert_eq!(kit.store.call_output(session, "call_1").await.unwrap().as_deref(), Some("old"));
    let newer = CallRecord { outcome: Some(ToolOutcome::ok("new")), ..third };
    kit.commit(session, vec![upsert(&newer)]).await;
    assert_eq!(kit.store.call_output(session, "call_1").await.unwrap().as_deref(), Some("new"));
    assert_eq!(kit.store.call_output(kit.session().await, "call_1").await.unwrap(), None);

    let error = kit.store.commit(session, vec![upsert(&call(record.id, 0, 2, "call_2"))]).await.unwrap_err();
    assert!(matches!(error, StoreError::Conflict(conflict::CALL)), "{error}");
}
