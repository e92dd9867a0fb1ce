//! Calls that wait for a person, and turns that wait for more budget.

use std::sync::Arc;

use nanobot_engine::approval::{Answered, ApprovalOutcome};
use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::fold::{empty_turn, fold_into};
use nanobot_engine::hook::{Ask, Decision};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::machine::{Effect, Input, Phase, TurnLimits, TurnMachine, TurnState};
use nanobot_engine::message::Block;
use nanobot_engine::model::{Reply, StreamEnd};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::turn::{Part, Turn, TurnStatus};
use nanobot_engine::usage::Usage;
use serde_json::json;

use crate::support::build::{asking, call, decided, tools, uuid};
use crate::support::driver::{Driver, World, answered, lines, reply, run};

fn ask() -> Decision {
    Decision::Ask(Ask::once("it changes files"))
}

fn world() -> World {
    let asked = call("c", "write_file", json!({"path": "a"}));
    let mut world = World::new(vec![reply().call(asked), reply().say("done")]);
    world.decide = Arc::new(|_| ask());
    world
}

fn answering(outcome: ApprovalOutcome, change: impl Fn(Answered) -> Answered + 'static) -> World {
    let mut world = world();
    world.answer = Arc::new(move |question| change(answered(question, outcome)));
    world
}

fn result(driver: &Driver<'_>) -> (CallStatus, String) {
    let blocks = driver.store.rows.iter().flat_map(|row| &row.message.blocks);
    let results: Vec<_> = blocks
        .filter_map(|block| match block {
            Block::Result { status, text, .. } => Some((*status, text.clone())),
            _ => None,
        })
        .collect();
    let [result] = &results[..] else { panic!("one result: {results:?}") };
    result.clone()
}

fn event_lines(driver: &Driver<'_>) -> Vec<String> {
    let about = ["tool_", "approval_"];
    let lines = driver.trace.iter().flat_map(lines).filter_map(|line| line.strip_prefix("E ").map(str::to_owned));
    lines.filter(|line| about.iter().any(|word| line.starts_with(word))).collect()
}

#[test]
fn a_call_waits_until_a_person_allows_it() {
    let world = answering(ApprovalOutcome::AllowOnce, |answer| answer);
    let driver = run(&world);
    assert_eq!(result(&driver), (CallStatus::Ok, "did c".to_owned()));
    assert_eq!(
        event_lines(&driver),
        [
            "tool_started 29.0 c write_file",
            "approval_requested 29.0 \"it changes files\"",
            "approval_resolved 29.0 AllowOnce",
            "tool_finished 29.0 c Ok",
        ]
    );
    assert_eq!(driver.ran, ["c"]);
    let [(question, Some(answer))] = &driver.store.questions[..] else { panic!("one question") };
    assert_eq!((question.tool.as_str(), question.hint.as_str()), ("write_file", "hint c"));
    assert_eq!(json!(question.arguments), json!({"path": "a"}));
    assert_eq!(answer.outcome, ApprovalOutcome::AllowOnce);
}

#[test]
fn what_is_not_allowed_never_runs_and_the_model_reads_why() {
    for (outcome, reason, expected) in [
        (ApprovalOutcome::Deny, Some("use b instead"), "Error: this call was not allowed: use b instead"),
        (ApprovalOutcome::Deny, Some("  "), "Error: a person denied this call. Do not repeat it;"),
        (ApprovalOutcome::Expired, None, "Error: nobody answered the question about this call in time"),
    ] {
        let reason = reason.map(str::to_owned);
        let world = answering(outcome, move |answer| Answered { reason: reason.clone(), ..answer });
        let driver = run(&world);
        let (status, text) = result(&driver);
        assert_eq!(status, CallStatus::Denied);
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(driver.ran, [""; 0]);
        assert_eq!(driver.store.finished.as_ref().unwrap().stop_reason, StopReason::Completed);
    }
}

#[test]
fn a_person_may_change_the_arguments_to_others_that_fit() {
    let changed = |arguments: serde_json::Value| {
        let mut world = answering(ApprovalOutcome::AllowOnce, move |answer| Answered {
            arguments: arguments.as_object().cloned(),
            ..answer
        });
        world.run_tool = Arc::new(|call| ToolOutcome::ok(json!(call.arguments).to_string()));
        world
    };
    let world = changed(json!({"path": "b", "depth": "2"}));
    let driver = run(&world);
    let told = r#"[A person changed the arguments of this call to {"path":"b","depth":2}]"#;
    assert_eq!(result(&driver), (CallStatus::Ok, format!("{told}\n\n{}", r#"{"path":"b","depth":2}"#)));
    let world = changed(json!({"depth": 0}));
    let driver = run(&world);
    let (status, text) = result(&driver);
    assert_eq!(status, CallStatus::Error);
    assert!(text.contains("missing required parameter path"), "{text}");
    assert_eq!(driver.ran, [""; 0]);
}

fn in_batch(calls: &[(&str, &str)]) -> TurnMachine {
    let mut machine = TurnMachine::new(TurnLimits::default(), tools(), 81, TurnState::default());
    let mut out = Vec::new();
    machine.step(1, Input::Begin, &mut out);
    let ready =
        Input::RequestReady { steps: Vec::new(), budget_tokens: 9, decisions: Box::default(), can_be_plainer: false };
    machine.step(2, ready, &mut out);
    let blocks = calls.iter().map(|(id, tool)| Block::Call(call(id, tool, json!({"path": id})))).collect();
    let reply = Box::new(Reply { end: StreamEnd::Complete, blocks, usage: None });
    machine.step(3, Input::ReplyEnded { reply, usage: Usage::default(), dice: 0.5 }, &mut out);
    machine
}

fn step(machine: &mut TurnMachine, at: i64, input: Input) -> Vec<Effect> {
    let mut out = Vec::new();
    machine.step(at, input, &mut out);
    out
}

fn allow(number: u128) -> Input {
    Input::Answered(Box::new(Answered {
        approval_id: asking(number).approval_id,
        outcome: ApprovalOutcome::AllowOnce,
        by: "somebody".to_owned(),
        reason: None,
        arguments: None,
    }))
}

fn runs(effects: &[Effect]) -> Vec<usize> {
    effects
        .iter()
        .flat_map(|effect| match effect {
            Effect::RunCalls(calls) => calls.iter().map(|(position, _)| *position).collect(),
            _ => Vec::new(),
        })
        .collect()
}

/// Others of the group run while one waits; only when nothing runs any more does the turn wait.
#[test]
fn calls_beside_one_that_waits_run_on() {
    let mut machine = in_batch(&[("a", "list_dir"), ("b", "list_dir"), ("c", "list_dir"), ("d", "write_file")]);
    assert!(runs(&step(&mut machine, 4, decided(0, Decision::Proceed))).is_empty());
    assert!(runs(&step(&mut machine, 4, decided(1, ask()))).is_empty());
    assert_eq!(runs(&step(&mut machine, 4, decided(2, Decision::Proceed))), [0, 2]);
    assert!(!machine.state().awaits_person());
    let finished = |position| Input::CallFinished { position, outcome: ToolOutcome::ok("x") };
    step(&mut machine, 5, finished(0));
    assert!(!machine.state().awaits_person());
    let effects = step(&mut machine, 5, finished(2));
    assert!(machine.state().awaits_person());
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Decide { .. })), "the next group waits too");
    assert_eq!(machine.state().pending().count(), 1);
    // An answer to another question moves nothing.
    assert_eq!(step(&mut machine, 6, allow(77)), []);
    assert_eq!(runs(&step(&mut machine, 7, allow(1))), [1]);
    assert_eq!(step(&mut machine, 8, allow(1)), [], "it is answered once");
    let effects = step(&mut machine, 9, finished(1));
    assert!(effects.iter().any(|effect| matches!(effect, Effect::Decide { position: 3, .. })));
}

#[test]
fn an_answer_may_come_while_others_run() {
    let mut machine = in_batch(&[("a", "list_dir"), ("b", "list_dir")]);
    step(&mut machine, 4, decided(0, Decision::Proceed));
    assert_eq!(runs(&step(&mut machine, 4, decided(1, ask()))), [0]);
    assert_eq!(runs(&step(&mut machine, 5, allow(1))), [1]);
}

#[test]
fn stop_takes_the_question_back() {
    let mut machine = in_batch(&[("a", "write_file")]);
    step(&mut machine, 4, decided(0, ask()));
    assert!(machine.state().awaits_person());
    let effects = step(&mut machine, 5, Input::Stop { usage: None });
    let events: Vec<String> = effects.iter().flat_map(lines).collect();
    let place =
        |wanted: &str| events.iter().position(|line| line.contains(wanted)).unwrap_or_else(|| panic!("{events:?}"));
    assert!(place("approval_resolved 29.0 Cancelled") < place("tool_finished 29.0 a Cancelled"));
    assert_eq!(step(&mut machine, 6, allow(0)), [], "it is over");
    assert!(matches!(machine.state().phase, Phase::Done(_)));
}

fn folded(events: &[EventBody]) -> Turn {
    let mut turn = empty_turn(TurnId(uuid(1)));
    turn.state = TurnStatus::Running;
    for (seq, body) in (1..).zip(events) {
        let (body, chat_id, at) = (body.clone(), SessionId(uuid(2)), 5);
        fold_into(
            &mut turn,
            &nanobot_engine::event::Event { body, chat_id, seq, prev_seq: seq - 1, turn_id: None, at },
        );
    }
    turn
}

#[test]
fn the_fold_shows_what_waits_and_what_was_answered() {
    let world = world();
    let driver = run(&world);
    let asked = driver.shown.iter().position(|event| matches!(event, EventBody::ApprovalRequested { .. })).unwrap();
    let turn = folded(&driver.shown[..=asked]);
    assert_eq!(turn.state, TurnStatus::AwaitingApproval);
    let [Part::Tool(part)] = &turn.parts[..] else { panic!("one call: {turn:?}") };
    assert_eq!(part.status, CallStatus::Waiting);
    assert_eq!(part.approval.as_ref().unwrap().decision, None);
    let turn = folded(&driver.shown[..=asked + 1]);
    assert_eq!(turn.state, TurnStatus::Running);
    let [Part::Tool(part)] = &turn.parts[..] else { panic!("one call: {turn:?}") };
    assert_eq!(part.status, CallStatus::Running);
    let approval = part.approval.as_ref().unwrap();
    assert_eq!((approval.decision, approval.by.as_deref()), (Some(ApprovalOutcome::AllowOnce), Some("somebody")));
    assert_eq!(approval.decided_at, Some(5));
}

#[test]
fn a_turn_waits_at_its_budget_and_goes_on_or_ends() {
    let mut world = World::new(vec![reply().call(call("c", "list_dir", json!({"path": "."}))), reply().say("done")]);
    world.over_budget = vec![1];
    let driver = run(&world);
    let ending = driver.store.finished.as_ref().unwrap();
    assert_eq!((ending.stop_reason, ending.content.as_deref()), (StopReason::Completed, Some("done")));
    let turn = folded(&driver.shown);
    assert!(turn.parts.iter().any(|part| matches!(part, Part::Approval { approval, .. }
        if approval.decision == Some(ApprovalOutcome::AllowOnce) && approval.reason == "the budget is used up")));

    for outcome in [ApprovalOutcome::Deny, ApprovalOutcome::Expired] {
        world.answer = Arc::new(move |question| answered(question, outcome));
        let driver = run(&world);
        assert_eq!(driver.store.finished.as_ref().unwrap().stop_reason, StopReason::Budget);
        let notice = driver.shown.iter().find_map(|event| match event {
            EventBody::Notice { code, text, .. } if code == "budget" => Some(text.as_str()),
            _ => None,
        });
        assert_eq!(notice, Some("Stopped: the budget is used up. Raise turn_usd in the settings, or go on later."));
    }
}
