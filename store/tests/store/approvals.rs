//! Approvals: asked, answered once, expired, cancelled, and what becomes of them when sessions are forked or deleted.

use nanobot_engine::approval::{Allowance, ApprovalDecision, ApprovalKind};
use nanobot_engine::event::StopReason;
use nanobot_engine::id::{ApprovalId, SessionId, TurnId};
use nanobot_engine::message::Role;
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{
    ApprovalAnswer, ApprovalRecord, ApprovalState, AuditEntry, AuditKind, Op, SessionPatch, SpendOf, Store, StoreError,
    conflict,
};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::kit::{Kit, approval, session_record, start, turn};

impl Kit {
    /// A session with a running turn.
    async fn running(&self) -> (SessionId, TurnId) {
        let session = self.session().await;
        let turn = turn(session, 1);
        self.commit(session, vec![Op::InsertTurn(Box::new(turn.clone())), start(&turn, 2)]).await;
        (session, turn.id)
    }

    async fn ask(&self, session_id: SessionId, approval: ApprovalRecord) -> ApprovalRecord {
        self.commit(session_id, vec![Op::RequestApproval(Box::new(approval.clone()))]).await;
        ApprovalRecord { session_id, ..approval }
    }

    async fn state(&self, id: ApprovalId) -> ApprovalState {
        self.store.approval(id).await.unwrap().unwrap().state
    }
}

fn answer(decision: ApprovalDecision, at: i64) -> ApprovalAnswer {
    ApprovalAnswer { decision, by: "laptop".to_owned(), reason: None, arguments: None, at }
}

fn resolve(id: ApprovalId, answer: ApprovalAnswer) -> Op {
    Op::ResolveApproval { id, answer: Box::new(answer) }
}

/// What an answer makes of a pending approval.
fn answered(asked: ApprovalRecord, answer: ApprovalAnswer) -> ApprovalRecord {
    ApprovalRecord {
        state: if answer.decision == ApprovalDecision::Deny { ApprovalState::Denied } else { ApprovalState::Allowed },
        decision: Some(answer.decision),
        decided_by: Some(answer.by),
        decided_reason: answer.reason,
        decided_arguments: answer.arguments,
        decided_at: Some(answer.at),
        ..asked
    }
}

fn finish(turn_id: TurnId, at: i64) -> Op {
    Op::FinishTurn {
        turn_id,
        state: TurnStatus::Cancelled,
        stop_reason: StopReason::Cancelled,
        error: None,
        usage: Usage::default(),
        ended_seq: 9,
        at,
    }
}

fn text() -> impl Strategy<Value = String> {
    any::<String>().prop_map(|text| text.replace('\0', ""))
}

fn arguments() -> impl Strategy<Value = Map<String, Value>> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
        prop::collection::vec(text(), 0..3).prop_map(Value::from),
    ];
    prop::collection::vec((text(), value), 0..4).prop_map(Map::from_iter)
}

prop_compose! {
    fn any_approval()(
        id in any::<u128>(),
        kind in prop_oneof![Just(ApprovalKind::Tool), Just(ApprovalKind::Budget), Just(ApprovalKind::Input)],
        (tool, hint) in (text(), text()),
        (call_id, diff, reason) in (option::of(text()), option::of(text()), option::of(text())),
        arguments in arguments(),
        (requested_at, wait) in (any::<i32>(), 1..i64::from(u32::MAX)),
    ) -> ApprovalRecord {
        let requested_at = i64::from(requested_at);
        ApprovalRecord {
            id: ApprovalId(Uuid::from_u128(id)), call_id, kind, tool, arguments, hint, diff, reason, requested_at,
            expires_at: requested_at + wait, ..approval(TurnId(Uuid::nil()), 0)
        }
    }
}

prop_compose! {
    fn any_answer()(
        decision in prop_oneof![
            Just(ApprovalDecision::AllowOnce), Just(ApprovalDecision::AllowSession),
            Just(ApprovalDecision::AllowAlways), Just(ApprovalDecision::Deny),
        ],
        (by, reason, arguments) in (text(), option::of(text()), option::of(arguments())),
    ) -> ApprovalAnswer {
        ApprovalAnswer { decision, by, reason, arguments, at: 0 }
    }
}

#[test]
fn approvals_are_read_as_they_were_asked_and_answered() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (kit, session, turn) = runtime.block_on(async {
        let kit = Kit::new().await;
        let (session, turn) = kit.running().await;
        (kit, session, turn)
    });
    proptest!(ProptestConfig::with_cases(150), |(asked in any_approval(), given in any_answer())| {
        runtime.block_on(async {
            // What it says of a decision does not count: it is pending.
            let claimed = answered(ApprovalRecord { turn_id: turn, ..asked.clone() }, given.clone());
            let asked = kit.ask(session, claimed).await;
            let asked = ApprovalRecord {
                state: ApprovalState::Pending, decision: None, decided_by: None, decided_reason: None,
                decided_arguments: None, decided_at: None, ..asked
            };
            let pending = kit.store.pending_approvals().await.unwrap();
            prop_assert_eq!(pending, std::slice::from_ref(&asked));

            let given = ApprovalAnswer { at: asked.requested_at, ..given };
            kit.commit(session, vec![resolve(asked.id, given.clone())]).await;
            let expected = answered(asked.clone(), given);
            prop_assert_eq!(kit.store.approval(asked.id).await.unwrap(), Some(expected.clone()));
            prop_assert_eq!(kit.store.pending_approvals().await.unwrap(), []);
            let of_turn = kit.store.approvals_of_turn(turn).await.unwrap();
            prop_assert!(of_turn.contains(&expected));
            prop_assert!(of_turn.is_sorted_by_key(|approval| approval.requested_at));
            Ok(())
        })?;
    });
}

#[tokio::test]
async fn the_first_answer_counts_and_a_second_one_changes_nothing() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let asked = kit.ask(session, approval(turn, 1_000)).await;
    let first = answer(ApprovalDecision::Deny, 2_000);
    kit.commit(session, vec![resolve(asked.id, first.clone())]).await;
    for decision in [ApprovalDecision::AllowAlways, ApprovalDecision::Deny] {
        let step = vec![Op::TouchSession { at: 9_000 }, resolve(asked.id, answer(decision, 3_000))];
        let error = kit.store.commit(session, step).await.unwrap_err();
        assert!(matches!(error, StoreError::Conflict(conflict::APPROVAL)), "{error}");
        assert!(error.to_string().contains("the decision about this approval is taken already"), "{error}");
    }
    assert_eq!(kit.store.approval(asked.id).await.unwrap(), Some(answered(asked, first)));
    assert_ne!(kit.store.session(session).await.unwrap().unwrap().updated_at, 9_000, "the step is gone as a whole");
}

#[tokio::test]
async fn of_many_answers_at_once_one_counts() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let asked = kit.ask(session, approval(turn, 1_000)).await;
    let answers = (0..20_i64).map(|at| {
        let (store, id) = (kit.store.clone(), asked.id);
        tokio::spawn(async move {
            let by = format!("client {at}");
            let given = ApprovalAnswer { by, ..answer(ApprovalDecision::AllowOnce, 2_000 + at) };
            // The row of the audit log is part of the step: it is there for the one that counts alone.
            let entry = AuditEntry::new(AuditKind::ApprovalResolved, given.by.clone(), "exec", given.at);
            let step = vec![Op::Audit(Box::new(entry)), resolve(id, given.clone())];
            store.commit(session, step).await.map(|()| given)
        })
    });
    let mut good = Vec::new();
    for task in answers.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(given) => good.push(given),
            Err(error) => assert!(matches!(error, StoreError::Conflict(conflict::APPROVAL)), "{error}"),
        }
    }
    let [given] = good.as_slice() else { panic!("one answer counts: {good:?}") };
    assert_eq!(kit.store.approval(asked.id).await.unwrap(), Some(answered(asked, given.clone())));
    let audit = kit.store.audit_page(None, 50, None).await.unwrap().items;
    assert_eq!(audit.iter().map(|row| row.actor.as_str()).collect::<Vec<_>>(), [given.by.as_str()]);
    assert_eq!(kit.store.verify_audit().await.unwrap().first_fault, None);
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let kit = Kit::new().await;
    let (session, turn_id) = kit.running().await;
    let (other, other_turn) = kit.running().await;
    let asked = kit.ask(session, approval(turn_id, 1_000)).await;
    let not_found = |what| move |error: StoreError| matches!(error, StoreError::NotFound(name) if name == what);
    let commit = async |session, op| kit.store.commit(session, vec![op]).await.unwrap_err();
    let given = || answer(ApprovalDecision::AllowOnce, 2_000);
    assert!(not_found("approval")(commit(session, resolve(ApprovalId(Uuid::nil()), given())).await));
    assert!(not_found("approval")(commit(other, resolve(asked.id, given())).await), "of another session");
    assert!(not_found("turn")(commit(session, Op::RequestApproval(Box::new(approval(other_turn, 1)))).await));
    let again = commit(session, Op::RequestApproval(Box::new(asked.clone()))).await;
    assert!(matches!(again, StoreError::Conflict(conflict::ID)), "{again}");
    assert_eq!(kit.store.approval(ApprovalId(Uuid::nil())).await.unwrap(), None);
    assert_eq!(kit.store.pending_approvals().await.unwrap(), [asked]);
}

#[tokio::test]
async fn what_nobody_answers_in_time_expires() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let (other, other_turn) = kit.running().await;
    let at_limit = kit.ask(session, approval(turn, 1_000)).await;
    let later = kit.ask(session, approval(turn, 1_001)).await;
    let elsewhere = kit.ask(other, approval(other_turn, 1_000)).await;
    let limit = at_limit.expires_at;
    // At its limit it cannot be answered, though nobody has ended it yet.
    let late = kit.store.commit(session, vec![resolve(at_limit.id, answer(ApprovalDecision::AllowOnce, limit))]).await;
    assert!(matches!(late, Err(StoreError::Conflict(conflict::APPROVAL))), "{late:?}");
    kit.commit(session, vec![Op::ExpireApproval { id: elsewhere.id, at: limit }]).await;
    assert_eq!(kit.state(elsewhere.id).await, ApprovalState::Pending, "it is another session's");
    kit.commit(session, vec![Op::ExpireApproval { id: at_limit.id, at: limit }]).await;
    let expired = ApprovalRecord { state: ApprovalState::Expired, decided_at: Some(limit), ..at_limit.clone() };
    assert_eq!(kit.store.approval(at_limit.id).await.unwrap(), Some(expired.clone()));
    assert_eq!(kit.store.pending_approvals().await.unwrap(), [elsewhere, later.clone()]);
    kit.commit(session, vec![resolve(later.id, answer(ApprovalDecision::AllowOnce, limit))]).await;
    // Ending again changes neither what is answered nor what has ended.
    let again = |id| Op::ExpireApproval { id, at: i64::MAX };
    kit.commit(session, vec![again(later.id), again(at_limit.id)]).await;
    assert_eq!(kit.state(later.id).await, ApprovalState::Allowed);
    assert_eq!(kit.store.approval(at_limit.id).await.unwrap(), Some(expired));
}

#[tokio::test]
async fn the_end_of_a_turn_takes_back_what_it_waits_for() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let [answered, first, second] = [1, 2, 3].map(|at| approval(turn, at));
    for asked in [&answered, &first, &second] {
        kit.ask(session, asked.clone()).await;
    }
    kit.commit(session, vec![resolve(answered.id, answer(ApprovalDecision::AllowOnce, 5))]).await;
    kit.commit(session, vec![finish(turn, 7)]).await;
    for asked in [first, second] {
        let now = kit.store.approval(asked.id).await.unwrap().unwrap();
        assert_eq!((now.state, now.decided_at, now.decision), (ApprovalState::Cancelled, Some(7), None));
    }
    assert_eq!(kit.state(answered.id).await, ApprovalState::Allowed);
    assert_eq!(kit.store.pending_approvals().await.unwrap(), []);

    let (session, turn) = kit.running().await;
    let asked = kit.ask(session, approval(turn, 1)).await;
    kit.commit(session, vec![Op::CancelApprovals { turn_id: TurnId(Uuid::nil()), at: 8 }]).await;
    assert_eq!(kit.state(asked.id).await, ApprovalState::Pending);
    kit.commit(session, vec![Op::CancelApprovals { turn_id: turn, at: 9 }]).await;
    assert_eq!(kit.state(asked.id).await, ApprovalState::Cancelled);
}

#[tokio::test]
async fn pending_ones_come_by_age_and_survive_a_restart() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let (other, other_turn) = kit.running().await;
    let second = kit.ask(session, approval(turn, 2_000)).await;
    let first = kit.ask(other, approval(other_turn, 1_000)).await;
    let third = kit.ask(other, approval(other_turn, 3_000)).await;
    let done = kit.ask(session, approval(turn, 500)).await;
    let given = ApprovalAnswer {
        reason: Some("not on Fridays".to_owned()),
        arguments: Some(Map::from_iter([("command".to_owned(), "git push --dry-run".into())])),
        ..answer(ApprovalDecision::AllowSession, 600)
    };
    kit.commit(session, vec![resolve(done.id, given.clone())]).await;
    let done = answered(done, given);
    kit.store.close().await;
    let store = Store::open(&kit.path()).await.unwrap();
    assert_eq!(store.pending_approvals().await.unwrap(), [first, second.clone(), third]);
    assert_eq!(store.approvals_of_turn(turn).await.unwrap(), [done, second]);
    assert_eq!(store.integrity_check().await.unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_fork_asks_nothing_and_a_deleted_session_neither() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let mut row = crate::kit::row(3, None, Role::User, "push it");
    row.turn_id = turn;
    kit.commit(session, vec![Op::SetActive { message_id: row.id }, Op::InsertMessage(Box::new(row))]).await;
    let asked = kit.ask(session, approval(turn, 1_000)).await;
    let new = session_record("copy", 2_000);
    kit.store.fork_session(session, 3, &new).await.unwrap();
    assert_eq!(kit.store.pending_approvals().await.unwrap(), std::slice::from_ref(&asked));

    kit.store.delete_session(session, 3_000).await.unwrap();
    let now = kit.store.approval(asked.id).await.unwrap().unwrap();
    assert_eq!((now.state, now.decided_at), (ApprovalState::Cancelled, Some(3_000)));
    let late = vec![resolve(asked.id, answer(ApprovalDecision::AllowOnce, 3_001))];
    assert!(matches!(kit.store.commit(session, late.clone()).await, Err(StoreError::SessionGone(_))));
    kit.store.restore_session(session).await.unwrap();
    assert!(matches!(kit.store.commit(session, late).await, Err(StoreError::Conflict(conflict::APPROVAL))));

    kit.store.delete_session(session, 4_000).await.unwrap();
    kit.store.purge_deleted(4_001).await.unwrap();
    assert_eq!(kit.store.approval(asked.id).await.unwrap(), None);
}

#[tokio::test]
async fn what_was_allowed_for_the_session_is_known_until_its_access_mode_is_changed() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let (other, other_turn) = kit.running().await;
    let covering = |turn, at, pattern: &str| ApprovalRecord {
        covers: vec![Allowance { tool: "exec".to_owned(), pattern: pattern.to_owned() }],
        ..approval(turn, at)
    };
    for (at, pattern, decision) in [
        (1, "once", ApprovalDecision::AllowOnce),
        (2, "session", ApprovalDecision::AllowSession),
        (3, "always", ApprovalDecision::AllowAlways),
        (4, "denied", ApprovalDecision::Deny),
        (5, "more", ApprovalDecision::AllowSession),
    ] {
        let asked = kit.ask(session, covering(turn, at, pattern)).await;
        kit.commit(session, vec![resolve(asked.id, answer(decision, 10 + at))]).await;
    }
    kit.ask(session, covering(turn, 6, "pending")).await;
    let elsewhere = kit.ask(other, covering(other_turn, 7, "elsewhere")).await;
    kit.commit(other, vec![resolve(elsewhere.id, answer(ApprovalDecision::AllowSession, 20))]).await;
    let patterns = async |session| {
        let allowed = kit.store.session_allowances(session).await.unwrap();
        allowed.into_iter().map(|allowance| allowance.pattern).collect::<Vec<_>>()
    };
    assert_eq!(patterns(session).await, ["session", "more"]);
    let renamed = SessionPatch { title: Some("new".to_owned()), ..SessionPatch::default() };
    kit.store.patch_session(session, renamed).await.unwrap();
    assert_eq!(patterns(session).await.len(), 2);
    let careful = SessionPatch { access: Some(Some("ask".to_owned())), ..SessionPatch::default() };
    kit.store.patch_session(session, careful).await.unwrap();
    assert_eq!(patterns(session).await, [""; 0]);
    assert_eq!(patterns(other).await, ["elsewhere"]);
}

#[tokio::test]
async fn more_budget_is_found_by_turn_session_and_day() {
    let kit = Kit::new().await;
    let (session, turn) = kit.running().await;
    let (other, other_turn) = kit.running().await;
    let more = |turn, at, more: f64| ApprovalRecord {
        kind: ApprovalKind::Budget,
        call_id: None,
        arguments: Map::from_iter([("key".to_owned(), "turn_usd".into()), ("more".to_owned(), more.into())]),
        ..approval(turn, at)
    };
    let first = kit.ask(session, more(turn, 1, 1.0)).await;
    let second = kit.ask(session, more(turn, 2, 2.0)).await;
    let denied = kit.ask(session, more(turn, 3, 4.0)).await;
    let elsewhere = kit.ask(other, more(other_turn, 4, 8.0)).await;
    let a_tool = kit.ask(session, approval(turn, 5)).await;
    let chosen = Some(Map::from_iter([("more".to_owned(), 16.0.into())]));
    kit.commit(
        session,
        vec![
            resolve(first.id, answer(ApprovalDecision::AllowOnce, 100)),
            resolve(second.id, ApprovalAnswer { arguments: chosen, ..answer(ApprovalDecision::AllowOnce, 200) }),
            resolve(denied.id, answer(ApprovalDecision::Deny, 300)),
            resolve(a_tool.id, answer(ApprovalDecision::AllowOnce, 400)),
        ],
    )
    .await;
    kit.commit(other, vec![resolve(elsewhere.id, answer(ApprovalDecision::AllowOnce, 300))]).await;
    let sum = async |of| kit.store.budget_approvals(of).await.unwrap().iter().map(ApprovalRecord::more).sum::<f64>();
    let close = |left: f64, right: f64| (left - right).abs() < 1e-9;
    assert!(close(sum(SpendOf::Turn(turn)).await, 17.0));
    assert!(close(sum(SpendOf::Session(session)).await, 17.0));
    assert!(close(sum(SpendOf::Session(other)).await, 8.0));
    assert!(close(sum(SpendOf::Since(200)).await, 24.0));
    assert!(close(sum(SpendOf::Since(301)).await, 0.0));
}
