//! Forks: the copy shows the same and shares nothing.

use std::collections::HashSet;

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::id::{MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::message::{Message, Role};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{CallRecord, Op, Piece, SessionRecord, StoreError, StoredEvent, TitleSource};
use serde_json::Map;
use uuid::Uuid;

use crate::kit::{Kit, event, row, session_record, turn};

/// Two turns of twenty numbers each: request, a call with its result, and an answer whose delta has two pieces.
async fn original(kit: &Kit) -> (SessionId, Vec<MessageId>) {
    let session = kit.session().await;
    let mut ids: Vec<MessageId> = Vec::new();
    for base in [100, 120] {
        let mut record = turn(session, base);
        let id = record.id;
        record.parent_message_id = ids.last().copied();
        let stream = |index| StreamId::new(base, index);
        let mut rows = Vec::new();
        for (offset, role, text) in [
            (2, Role::User, "request"),
            (6, Role::Assistant, "calling"),
            (8, Role::Tool, "result"),
            (12, Role::Assistant, "answer"),
        ] {
            let mut stored = row(base + offset, ids.last().copied(), role, text);
            stored.turn_id = id;
            ids.push(stored.id);
            rows.push(stored);
        }
        let answer = EventBody::Delta { stream_id: stream(1), text: "answer".into() };
        let pieces = [(base + 9, 3), (base + 10, 6)].map(|(seq, end)| Piece { seq, end }).to_vec();
        let request = EventBody::UserMessage {
            message_id: rows[0].id,
            text: "request".into(),
            attachments: Vec::new(),
            parent_id: rows[0].parent_id,
            branch: None,
            client_message_id: Some("c".into()),
            steer: false,
            stream_id: None,
        };
        let finished = EventBody::TurnFinished {
            stop_reason: StopReason::Completed,
            latency_ms: 5,
            usage: Usage::default(),
            error: None,
        };
        let events = vec![
            event(base, Some(id), request),
            event(
                base + 3,
                Some(id),
                EventBody::TurnStarted { origin: record.origin, preset: "p".into(), model: "m".into() },
            ),
            event(
                base + 5,
                Some(id),
                EventBody::ToolStarted {
                    stream_id: stream(0),
                    call_id: "call_1".into(),
                    name: "read_file".into(),
                    arguments: Map::new(),
                    hint: String::new(),
                },
            ),
            StoredEvent { first_seq: base + 9, pieces, ..event(base + 10, Some(id), answer) },
            event(base + 13, Some(id), EventBody::Message { message_id: rows[3].id, text: "answer".into() }),
            event(base + 14, Some(id), finished),
        ];
        let call = CallRecord {
            turn_id: id,
            iteration: 0,
            position: 0,
            call_id: "call_1".into(),
            stream_id: stream(0),
            name: "read_file".into(),
            arguments: Map::new(),
            status: CallStatus::Ok,
            outcome: Some(ToolOutcome::ok(format!("output {base}"))),
            started_at: None,
            ended_at: None,
        };
        let start = Op::StartTurn {
            turn_id: id,
            started_seq: base + 3,
            at: 1,
            boot_id: Uuid::nil(),
            user_message_id: rows[0].id,
            preset: "p".into(),
            model: "m".into(),
        };
        let mut ops = vec![Op::InsertTurn(Box::new(record)), start];
        ops.extend(rows.into_iter().map(|row| Op::InsertMessage(Box::new(row))));
        ops.extend([
            Op::AppendEvents(events),
            Op::UpsertCall(Box::new(call)),
            Op::FinishTurn {
                turn_id: id,
                state: TurnStatus::Done,
                stop_reason: StopReason::Completed,
                error: None,
                usage: Usage { input_tokens: 3, ..Usage::default() },
                ended_seq: base + 14,
                at: 2,
            },
        ]);
        kit.commit(session, ops).await;
    }
    kit.commit(session, vec![Op::SetActive { message_id: *ids.last().unwrap() }]).await;
    (session, ids)
}

fn fork_record() -> SessionRecord {
    SessionRecord { title_source: TitleSource::User, ..session_record("Fork", 50) }
}

#[tokio::test]
async fn a_fork_shows_the_same_under_its_own_names() {
    let kit = Kit::new().await;
    let (session, ids) = original(&kit).await;
    let new = fork_record();
    kit.store.fork_session(session, 132, &new).await.unwrap();

    let fork = kit.store.session(new.id).await.unwrap().unwrap();
    assert_eq!((fork.forked_from, fork.forked_at_seq, fork.title.as_str()), (Some(session), Some(132), "Fork"));
    let leaf = fork.active_message_id.unwrap();
    let (old, copied) = (
        kit.store.branch_rows(session, *ids.last().unwrap()).await.unwrap(),
        kit.store.branch_rows(new.id, leaf).await.unwrap(),
    );
    let messages =
        |rows: &[nanobot_engine::message::Row]| rows.iter().map(|row| row.message.clone()).collect::<Vec<Message>>();
    assert_eq!(messages(&copied), messages(&old));
    assert!(copied.iter().all(|row| !ids.contains(&row.id)));
    assert!(copied.windows(2).all(|pair| pair[1].parent_id == Some(pair[0].id) && pair[0].seq < pair[1].seq));

    // Rows and events share one counter, without gaps from 1 on.
    let events = kit.store.events_after(new.id, 0, None, 100).await.unwrap();
    let mut numbers: Vec<u64> = copied.iter().map(|row| row.seq).chain(events.iter().map(|event| event.seq)).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert!(fork.reserved_seq >= numbers.len() as u64);

    let turns = kit.store.branch_turns(new.id, leaf, None, 10).await.unwrap();
    assert_eq!(turns.len(), 2);
    let turn_ids: HashSet<TurnId> = turns.iter().map(|turn| turn.id).collect();
    assert!(copied.iter().all(|row| turn_ids.contains(&row.turn_id)));
    for turn in &turns {
        assert_eq!((turn.state, turn.stop_reason), (TurnStatus::Done, Some(StopReason::Completed)));
        let events = kit.store.turn_events(new.id, turn).await.unwrap();
        assert_eq!(events.len(), 6);
        let EventBody::UserMessage { message_id, .. } = &events[0].body else { panic!("{:?}", events[0]) };
        assert_eq!(Some(*message_id), turn.user_message_id);
        let EventBody::Delta { stream_id, text } = &events[3].body else { panic!("{:?}", events[3]) };
        assert_eq!((stream_id, text.as_str()), (&StreamId::new(turn.seq, 1), "answer"));
        let EventBody::Message { message_id, .. } = &events[4].body else { panic!("{:?}", events[4]) };
        assert!(copied.iter().any(|row| row.id == *message_id));
        assert_eq!(kit.store.calls(turn.id).await.unwrap()[0].stream_id, StreamId::new(turn.seq, 0));
    }
    assert_eq!(kit.store.call_output(new.id, "call_1").await.unwrap().as_deref(), Some("output 120"));
    kit.store.delete_session(session, 1).await.unwrap();
    kit.store.purge_deleted(2).await.unwrap();
    assert_eq!(kit.store.branch_rows(new.id, leaf).await.unwrap(), copied);
}

#[tokio::test]
async fn a_fork_may_cut_a_turn_anywhere() {
    let kit = Kit::new().await;
    let (session, ids) = original(&kit).await;
    for at_seq in 100..140 {
        let new = fork_record();
        let forked = kit.store.fork_session(session, at_seq, &new).await;
        if at_seq < 102 {
            assert!(matches!(forked, Err(StoreError::NotFound("message"))));
            continue;
        }
        forked.unwrap();
        let expect = kit.store.branch_rows(session, *ids.last().unwrap()).await.unwrap();
        let expect = expect.iter().filter(|row| row.seq <= at_seq).count();
        let leaf = kit.store.session(new.id).await.unwrap().unwrap().active_message_id.unwrap();
        assert_eq!(kit.store.branch_rows(new.id, leaf).await.unwrap().len(), expect, "at {at_seq}");
        for turn in kit.store.branch_turns(new.id, leaf, None, 10).await.unwrap() {
            assert_eq!(turn.state, TurnStatus::Done);
            let events = kit.store.turn_events(new.id, &turn).await.unwrap();
            let last = events.last().map(|event| &event.body);
            assert!(matches!(last, Some(EventBody::TurnFinished { .. })), "at {at_seq}: {last:?}");
        }
        assert_eq!(kit.store.unfinished_turns().await.unwrap(), []);
    }
    kit.store.delete_session(session, 1).await.unwrap();
    assert!(matches!(kit.store.fork_session(session, 140, &fork_record()).await, Err(StoreError::SessionGone(_))));
}
