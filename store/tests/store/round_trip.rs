//! What is stored is what is read: rows, events, messages that wait, sessions.

use nanobot_engine::approval::{Allowance, Answered, Approval, ApprovalKind, ApprovalOutcome};
use nanobot_engine::event::{EventBody, GovernStep, SessionState, StopReason, TurnError};
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::message::{Block, Branch, Message, Origin, Role, Row, Signature, ToolCall};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{Op, Piece, SessionRecord, StoredEvent, TitleSource, WorkItem, WorkMode, WorkState};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::kit::{Kit, session_record, turn, work};

/// Text of any kind, without the one character that is removed.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z\u{1}\"'\\\\\n日😀]{0,20}", Just("\\u0000".to_owned())]
        .prop_map(|text| text.replace('\0', ""))
}

fn uuid() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn object() -> impl Strategy<Value = Map<String, Value>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| Value::from(f64::from(number) / 8.0)),
        text().prop_map(Value::from),
    ];
    let value = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec((text(), inner), 0..3).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    });
    vec((text(), value), 0..4).prop_map(|pairs| pairs.into_iter().collect())
}

fn status() -> impl Strategy<Value = CallStatus> {
    prop_oneof![
        Just(CallStatus::Intended),
        Just(CallStatus::Running),
        Just(CallStatus::Waiting),
        Just(CallStatus::Ok),
        Just(CallStatus::Error),
        Just(CallStatus::Denied),
        Just(CallStatus::Cancelled),
        Just(CallStatus::Unknown),
    ]
}

fn origin() -> impl Strategy<Value = Origin> {
    prop_oneof![
        Just(Origin::User),
        Just(Origin::Model),
        Just(Origin::Tool),
        Just(Origin::Cron),
        Just(Origin::Trigger),
        Just(Origin::Subagent),
        Just(Origin::Heartbeat),
        Just(Origin::Goal),
        Just(Origin::Recovery),
    ]
}

fn reason() -> impl Strategy<Value = StopReason> {
    prop_oneof![
        Just(StopReason::Completed),
        Just(StopReason::MaxIterations),
        Just(StopReason::Budget),
        Just(StopReason::Loop),
        Just(StopReason::Error),
        Just(StopReason::ToolError),
        Just(StopReason::EmptyFinalResponse),
        Just(StopReason::Cancelled),
        Just(StopReason::Interrupted),
    ]
}

fn signature() -> impl Strategy<Value = Signature> {
    (text(), text()).prop_map(|(by, value)| Signature { by, value })
}

fn block() -> impl Strategy<Value = Block> {
    prop_oneof![
        text().prop_map(|text| Block::Text { text }),
        (text(), text()).prop_map(|(mime, media_id)| Block::Image { mime, media_id }),
        (text(), text(), object(), option::of(text()), option::of(signature())).prop_map(
            |(id, name, arguments, malformed, signature)| {
                Block::Call(ToolCall { id, name, arguments, malformed, signature })
            }
        ),
        (text(), text(), status(), text()).prop_map(|(call_id, name, status, text)| Block::Result {
            call_id,
            name,
            status,
            text
        }),
        (text(), option::of(signature())).prop_map(|(text, signature)| Block::Thinking { text, signature }),
        (text(), text(), text()).prop_map(|(mime, name, media_id)| Block::Document { mime, name, media_id }),
        (text(), object()).prop_map(|(by, item)| Block::ProviderItem { by, item: Value::Object(item) }),
        Just(Block::Pause),
    ]
}

fn row() -> impl Strategy<Value = Row> {
    let role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::Notice)];
    let blocks = prop_oneof![text().prop_map(|text| vec![Block::Text { text }]), vec(block(), 0..4)];
    let rest = (option::of(text()), any::<bool>(), origin(), option::of(text()), any::<i64>());
    (uuid(), 1..i64::MAX as u64, uuid(), (role, blocks), rest).prop_map(
        |(id, seq, turn_id, (role, blocks), (context, interrupted, origin, client_message_id, created_at))| Row {
            id: MessageId(id),
            seq,
            turn_id: TurnId(turn_id),
            parent_id: None,
            message: Message { role, blocks },
            context,
            interrupted,
            origin,
            client_message_id,
            created_at,
        },
    )
}

fn usage() -> impl Strategy<Value = Usage> {
    (any::<u64>(), any::<u64>(), any::<u64>(), option::of(any::<i32>()), any::<u32>(), any::<bool>()).prop_map(
        |(input_tokens, cached_tokens, output_tokens, cost, window, estimated)| Usage {
            input_tokens,
            cached_tokens,
            output_tokens,
            cost_usd: cost.map(|cost| f64::from(cost) / 1_024.0),
            context_tokens: 1,
            context_window_tokens: window.into(),
            estimated,
        },
    )
}

fn stream_id() -> impl Strategy<Value = StreamId> {
    (any::<u64>(), any::<u32>()).prop_map(|(seq, index)| StreamId::new(seq, index))
}

fn body() -> impl Strategy<Value = EventBody> {
    let message = (uuid(), text(), vec(text(), 0..3), option::of(uuid()), option::of(vec(uuid(), 0..3)), stream_id());
    let message = message.prop_map(|(id, text, attachments, parent, siblings, stream_id)| EventBody::UserMessage {
        message_id: MessageId(id),
        text,
        attachments,
        parent_id: parent.map(MessageId),
        branch: siblings.map(|ids| Branch { index: 0, count: 2, siblings: ids.into_iter().map(MessageId).collect() }),
        client_message_id: None,
        steer: true,
        stream_id: Some(stream_id),
    });
    let step = (text(), any::<u64>(), any::<u64>(), text()).prop_map(|(name, before_tokens, after_tokens, detail)| {
        GovernStep { name, before_tokens, after_tokens, detail }
    });
    let error = (text(), text()).prop_map(|(code, detail)| TurnError { code, detail });
    let output = (stream_id(), text(), text(), text());
    let started = (stream_id(), text(), text(), object(), text());
    let finished = (stream_id(), text(), status(), text(), option::of(text()), option::of(any::<i32>()));
    prop_oneof![
        message,
        (origin(), text(), text()).prop_map(|(origin, preset, model)| EventBody::TurnStarted { origin, preset, model }),
        any::<u32>().prop_map(|attempt| EventBody::TurnResumed { attempt }),
        any::<u32>().prop_map(|iteration| EventBody::IterationStarted { iteration }),
        (stream_id(), text()).prop_map(|(stream_id, text)| EventBody::ReasoningDelta { stream_id, text }),
        (stream_id(), any::<u64>()).prop_map(|(stream_id, chars)| EventBody::ReasoningEnd {
            stream_id,
            chars,
            duration_ms: 4
        }),
        (stream_id(), text()).prop_map(|(stream_id, text)| EventBody::Delta { stream_id, text }),
        (stream_id(), any::<bool>()).prop_map(|(stream_id, resuming)| EventBody::StreamEnd {
            stream_id,
            chars: 1,
            resuming
        }),
        (stream_id(), text()).prop_map(|(stream_id, reason)| EventBody::StreamDiscarded { stream_id, reason }),
        started.prop_map(|(stream_id, call_id, name, arguments, hint)| EventBody::ToolStarted {
            stream_id,
            call_id,
            name,
            arguments,
            hint
        }),
        output.prop_map(|(stream_id, call_id, text, stream)| EventBody::ToolOutput {
            stream_id,
            call_id,
            text,
            stream
        }),
        finished.prop_map(|(stream_id, text, status, preview, diff, exit_code)| EventBody::ToolFinished {
            stream_id,
            call_id: text.clone(),
            name: text,
            status,
            preview,
            duration_ms: 7,
            diff,
            exit_code,
        }),
        (stream_id(), text(), text(), option::of(object())).prop_map(|(stream_id, code, text, data)| {
            EventBody::Notice { stream_id, code, text, data: data.map(Value::Object) }
        }),
        (stream_id(), vec(step, 0..3), any::<u64>()).prop_map(|(stream_id, steps, budget_tokens)| {
            EventBody::ContextGoverned { stream_id, steps, budget_tokens }
        }),
        (stream_id(), text(), text(), option::of(object()), option::of(text())).prop_map(
            |(stream_id, call_id, name, arguments, text)| EventBody::ProviderTool {
                stream_id,
                call_id,
                name,
                phase: "running".to_owned(),
                arguments,
                text,
            }
        ),
        (stream_id(), any::<u32>(), option::of(any::<u32>()), any::<u64>(), text()).prop_map(
            |(stream_id, attempt, max_attempts, delay_ms, reason)| EventBody::RetryWait {
                stream_id,
                attempt,
                max_attempts,
                delay_ms,
                code: reason.clone(),
                reason,
            }
        ),
        (stream_id(), text(), text(), text(), text()).prop_map(|(stream_id, from, to, model, reason)| {
            EventBody::ModelSwitched { stream_id, from, to, model, code: reason.clone(), reason }
        }),
        usage().prop_map(EventBody::Usage),
        (uuid(), text()).prop_map(|(id, text)| EventBody::Message { message_id: MessageId(id), text }),
        (reason(), any::<u64>(), usage(), option::of(error)).prop_map(|(stop_reason, latency_ms, usage, error)| {
            EventBody::TurnFinished { stop_reason, latency_ms, usage, error }
        }),
        Just(EventBody::session_state(SessionState::AwaitingApproval)),
        (stream_id(), uuid(), text(), option::of(text()), any::<i64>()).prop_map(|(stream_id, id, text, other, at)| {
            EventBody::ApprovalRequested { stream_id, approval: Box::new(question(id, text, other, at)) }
        }),
        (stream_id(), uuid(), text(), option::of(text())).prop_map(|(stream_id, id, by, reason)| {
            EventBody::ApprovalResolved {
                stream_id,
                kind: ApprovalKind::Tool,
                call_id: reason.clone(),
                answered: Answered {
                    approval_id: ApprovalId(id),
                    outcome: ApprovalOutcome::AllowSession,
                    by,
                    reason,
                    arguments: None,
                },
            }
        }),
    ]
}

fn question(id: Uuid, text: String, other: Option<String>, at: i64) -> Approval {
    Approval {
        approval_id: ApprovalId(id),
        kind: ApprovalKind::Budget,
        tool: text.clone(),
        call_id: other.clone(),
        arguments: Map::from_iter([(text.clone(), text.clone().into())]),
        hint: text.clone(),
        reason: text.clone(),
        diff: other.clone(),
        requested_at: at,
        expires_at: at,
        covers: vec![Allowance { tool: text.clone(), pattern: text }],
        decision: None,
        by: other,
        decided_reason: None,
        decided_at: None,
    }
}

fn event() -> impl Strategy<Value = StoredEvent> {
    let pieces = vec((any::<u64>(), any::<u32>()).prop_map(|(seq, end)| Piece { seq, end }), 0..4);
    let number = 1..i64::MAX as u64;
    (number.clone(), number, option::of(uuid()), any::<i64>(), body(), pieces).prop_map(
        |(first_seq, seq, turn_id, at, body, pieces)| StoredEvent {
            first_seq,
            seq,
            turn_id: turn_id.map(TurnId),
            at,
            body,
            pieces,
        },
    )
}

/// Runs `check` for many values on one database.
fn for_all<T: std::fmt::Debug>(strategy: impl Strategy<Value = T>, check: impl AsyncFn(&Kit, T)) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let kit = runtime.block_on(Kit::new());
    proptest!(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() }, |(value in strategy)| {
        runtime.block_on(check(&kit, value));
    });
}

#[test]
fn rows() {
    for_all(row(), async |kit, row| {
        let session = kit.session().await;
        kit.commit(session, vec![Op::InsertMessage(Box::new(row.clone()))]).await;
        assert_eq!(kit.store.message(row.id).await.unwrap(), Some((session, row)));
    });
}

#[test]
fn events() {
    for_all(event(), async |kit, event| {
        let session = kit.session().await;
        kit.commit(session, vec![Op::AppendEvents(vec![event.clone()])]).await;
        assert_eq!(kit.store.events_after(session, 0, None, 2).await.unwrap(), [event]);
    });
}

#[tokio::test]
async fn messages_that_wait() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let some = MessageId(Uuid::now_v7());
    let mut seq = 0;
    for mode in [WorkMode::Auto, WorkMode::Steer, WorkMode::Queue] {
        for parent_message_id in [None, Some(None), Some(Some(some))] {
            for state in
                [WorkState::Queued, WorkState::Claimed, WorkState::Injected, WorkState::Done, WorkState::Cancelled]
            {
                seq += 1;
                let record = turn(session, seq);
                let item = WorkItem {
                    mode,
                    parent_message_id,
                    state,
                    preset: (seq % 2 == 0).then(|| "fast".to_owned()),
                    origin: Origin::Cron,
                    ..work(session, &record, Some(&seq.to_string()))
                };
                kit.commit(session, vec![Op::InsertWork(Box::new(item.clone()))]).await;
                assert_eq!(kit.store.work_of_turn(record.id).await.unwrap(), Some(item));
            }
        }
    }
    let queued = kit.store.queued_work(session).await.unwrap();
    assert_eq!(queued.iter().map(|item| item.seq).collect::<Vec<_>>(), [1, 6, 11, 16, 21, 26, 31, 36, 41]);
}

#[tokio::test]
async fn sessions() {
    let kit = Kit::new().await;
    for title_source in [TitleSource::None, TitleSource::FirstWords, TitleSource::Model, TitleSource::User] {
        let record = SessionRecord {
            title_source,
            preset: Some("p".into()),
            workspace: Some("/w".into()),
            access: Some("restricted".into()),
            pinned: true,
            active_message_id: Some(MessageId(Uuid::now_v7())),
            forked_from: Some(SessionId(Uuid::now_v7())),
            forked_at_seq: Some(7),
            reserved_seq: 1_024,
            last_message_at: Some(9),
            ..session_record("Title", 5)
        };
        kit.store.create_session(&record).await.unwrap();
        assert_eq!(kit.store.session(record.id).await.unwrap(), Some(record));
    }
}

#[tokio::test]
async fn nul_characters_are_removed() {
    let kit = Kit::new().await;
    let session = kit.session().await;
    let mut stored = crate::kit::row(1, None, Role::User, "a\0b");
    stored.context = Some("\0".into());
    let blocks = vec![Block::Text { text: "c\0".into() }, Block::Text { text: "\\u0000".into() }];
    let tool = Row { message: Message { role: Role::Tool, blocks }, ..crate::kit::row(2, None, Role::Tool, "") };
    let ids = (stored.id, tool.id);
    kit.commit(session, vec![Op::InsertMessage(Box::new(stored)), Op::InsertMessage(Box::new(tool))]).await;
    let (_, first) = kit.store.message(ids.0).await.unwrap().unwrap();
    assert_eq!((first.message.text().as_str(), first.context.as_deref()), ("ab", Some("")));
    let (_, second) = kit.store.message(ids.1).await.unwrap().unwrap();
    assert_eq!(second.message.text(), "c\\u0000");
}
