//! Calls: refused, replaced, unknown, malformed, repeated.

use std::sync::Arc;

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::hook::Decision;
use nanobot_engine::machine::{Effect, Input, Phase, TurnLimits, TurnMachine, TurnState};
use nanobot_engine::message::{Block, ToolCall};
use nanobot_engine::model::{Reply, StreamEnd};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::usage::Usage;
use serde_json::json;

use crate::support::build::{call, decided, tools};
use crate::support::checker::strict;
use crate::support::driver::{Driver, World, reply, run};
use crate::support::fixture;
use crate::support::monitor::Monitor;

/// Status and text of each result row.
fn results(driver: &Driver<'_>) -> Vec<(String, CallStatus, String)> {
    let blocks = driver.store.rows.iter().flat_map(|row| &row.message.blocks);
    blocks
        .filter_map(|block| match block {
            Block::Result { call_id, status, text, .. } => Some((call_id.clone(), *status, text.clone())),
            _ => None,
        })
        .collect()
}

/// `started` or `finished` and the id, in order.
fn tool_events(driver: &Driver<'_>) -> Vec<String> {
    let events = driver.shown.iter();
    events
        .filter_map(|event| match event {
            EventBody::ToolStarted { call_id, arguments, hint, .. } => {
                Some(format!("started {call_id} {} {hint}", json!(arguments)))
            }
            EventBody::ToolFinished { call_id, status, .. } => Some(format!("finished {call_id} {status:?}")),
            _ => None,
        })
        .collect()
}

fn one(asked: ToolCall, decide: impl Fn(&ToolCall) -> Decision + 'static) -> World {
    let mut world = World::new(vec![reply().call(asked), reply().say("done")]);
    world.decide = Arc::new(decide);
    world
}

#[test]
fn a_refused_call_is_shown_and_never_run() {
    let world =
        one(call("c", "write_file", json!({"path": "a"})), |_| Decision::Deny { reason: "not here".to_owned() });
    let driver = run(&world);
    assert_eq!(results(&driver), [("c".to_owned(), CallStatus::Denied, "Error: not here".to_owned())]);
    assert_eq!(tool_events(&driver), [r#"started c {"path":"a"} hint c"#, "finished c Denied"]);
    assert_eq!(driver.ran, [""; 0]);
    assert_eq!(driver.machine.state().tools_used, [""; 0]);
}

#[test]
fn replaced_arguments_are_shown_stored_and_run() {
    let replaced = json!({"path": "safe", "depth": "2"}).as_object().unwrap().clone();
    let mut world =
        one(call("c", "write_file", json!({"path": "a"})), move |_| Decision::Replace { arguments: replaced.clone() });
    world.run_tool = Arc::new(|call| ToolOutcome::ok(json!(call.arguments).to_string()));
    let driver = run(&world);
    let fitted = r#"{"path":"safe","depth":2}"#;
    assert_eq!(results(&driver), [("c".to_owned(), CallStatus::Ok, fitted.to_owned())]);
    assert_eq!(tool_events(&driver), [format!("started c {fitted} hint c"), "finished c Ok".to_owned()]);
    assert_eq!(json!(driver.store.ledger[&(0, 0)].call.arguments).to_string(), fitted);
}

#[test]
fn a_hook_cannot_replace_arguments_by_some_that_do_not_fit() {
    let world = one(call("c", "write_file", json!({"path": "a"})), |_| Decision::Replace {
        arguments: json!({"depth": 0}).as_object().unwrap().clone(),
    });
    let driver = run(&world);
    let [(_, CallStatus::Error, text)] = &results(&driver)[..] else { panic!("one error") };
    assert!(text.contains("missing required parameter path; depth must be at least 1"), "{text}");
    assert_eq!(driver.ran, [""; 0]);
}

#[test]
fn what_does_not_fit_never_reaches_a_tool() {
    let malformed = ToolCall { malformed: Some("{\"path\": \"a".to_owned()), ..call("m", "list_dir", json!({})) };
    let cases = [
        (
            call("u", "ListDir", json!({"path": "a"})),
            "Error: there is no tool named \"ListDir\". Did you mean list_dir?",
        ),
        (call("n", "fly", json!({})), "Error: there is no tool named \"fly\". Available tools: list_dir, "),
        (malformed, "Error: the arguments are not a JSON object: \"{\\\"path\\\": \\\"a\". Use named parameters."),
        (
            call("i", "write_file", json!({"depth": "x"})),
            "Error: missing required parameter path; depth must be integer",
        ),
    ];
    for (asked, expected) in cases {
        let id = asked.id.clone();
        let arguments = json!(asked.arguments);
        let world = one(asked, |_| panic!("no hook is asked about a call that cannot run"));
        let driver = run(&world);
        let [(_, CallStatus::Error, text)] = &results(&driver)[..] else { panic!("one error") };
        assert!(text.starts_with(expected), "{text}");
        assert_eq!(tool_events(&driver), [format!("started {id} {arguments} "), format!("finished {id} Error")]);
        assert_eq!(driver.ran, [""; 0]);
    }
}

#[test]
fn good_and_bad_calls_of_one_batch_end_each_in_their_own_way() {
    let mut world = World::new(vec![
        reply()
            .call(call("a", "list_dir", json!({"path": "a"})))
            .call(call("b", "nope", json!({})))
            .call(call("c", "list_dir", json!({"path": "refused"})))
            .call(call("d", "write_file", json!({"path": "d"})))
            .call(call("e", "snapshot", json!({"path": "e"})))
            .call(call("f", "read_file", json!({"path": "f"}))),
        reply().say("done"),
    ]);
    world.decide = Arc::new(|call| match call.id.as_str() {
        "c" => Decision::Deny { reason: "no".to_owned() },
        _ => Decision::Proceed,
    });
    let driver = run(&world);
    let statuses: Vec<_> = results(&driver).into_iter().map(|(id, status, _)| (id, status)).collect();
    let expected = [
        ("a", CallStatus::Ok),
        ("b", CallStatus::Error),
        ("c", CallStatus::Denied),
        ("d", CallStatus::Ok),
        ("e", CallStatus::Ok),
        ("f", CallStatus::Ok),
    ];
    assert_eq!(statuses, expected.map(|(id, status)| (id.to_owned(), status)));
    let groups: Vec<Vec<usize>> = driver
        .trace
        .iter()
        .filter_map(|effect| match effect {
            Effect::RunCalls(calls) => Some(calls.iter().map(|(position, _)| *position).collect()),
            _ => None,
        })
        .collect();
    assert_eq!(groups, [vec![0], vec![3], vec![4], vec![5]], "what changes something runs alone");
    assert_eq!(strict(&with_question(&driver)), Ok(()));
}

fn with_question(driver: &Driver<'_>) -> Vec<nanobot_engine::message::Message> {
    let mut messages = vec![crate::support::build::user("q")];
    messages.extend(driver.store.messages());
    messages.push(crate::support::build::user("q"));
    messages
}

/// Answers that nobody waits for: to a call of a later group, to one that runs, to one that does not exist.
#[test]
fn a_decision_counts_once_and_only_for_a_call_that_was_asked_about() {
    let asked = vec![
        Block::Call(call("a", "write_file", json!({"path": "a"}))),
        Block::Call(call("b", "write_file", json!({"path": "b"}))),
    ];
    let reply = Reply { end: StreamEnd::Complete, blocks: asked, usage: None };
    let mut machine = TurnMachine::new(TurnLimits::default(), tools(), 81, TurnState::default());
    let mut out = Vec::new();
    machine.step(0, Input::Begin, &mut out);
    machine.step(
        0,
        Input::RequestReady { steps: Vec::new(), budget_tokens: 1, decisions: Box::default(), can_be_plainer: false },
        &mut out,
    );
    machine.step(0, Input::ReplyEnded { reply: Box::new(reply), usage: Usage::default(), dice: 0.5 }, &mut out);
    assert!(matches!(out.last(), Some(Effect::Decide { position: 0, .. })));
    out.clear();
    let decided = |position| decided(position, Decision::Proceed);
    machine.step(0, decided(1), &mut out);
    machine.step(0, decided(7), &mut out);
    assert_eq!(out, []);
    machine.step(0, decided(0), &mut out);
    assert!(matches!(&out[..], [Effect::Persist(_), Effect::RunCalls(calls)] if calls.len() == 1));
    out.clear();
    machine.step(0, decided(0), &mut out);
    machine.step(0, Input::CallFinished { position: 1, outcome: ToolOutcome::ok("early") }, &mut out);
    assert_eq!(out, []);
    machine.step(0, Input::CallFinished { position: 0, outcome: ToolOutcome::ok("done") }, &mut out);
    assert!(
        matches!(&out[..], [Effect::Persist(_), Effect::Decide { position: 1, .. }]),
        "b is asked about in its turn"
    );
    out.clear();
    machine.step(0, decided(1), &mut out);
    assert!(matches!(&out[..], [Effect::Persist(_), Effect::RunCalls(_)]), "{out:?}");
}

#[test]
fn no_more_calls_run_together_than_allowed() {
    let mut request = reply();
    for number in 0..19 {
        request = request.call(call(&format!("c{number}"), "list_dir", json!({"path": "a"})));
    }
    let mut world = World::new(vec![request, reply().say("done")]);
    world.run_tool = Arc::new(|call| ToolOutcome::ok(call.id.clone()));
    let driver = run(&world);
    let sizes: Vec<usize> = driver
        .trace
        .iter()
        .filter_map(|effect| match effect {
            Effect::RunCalls(calls) => Some(calls.len()),
            _ => None,
        })
        .collect();
    assert_eq!(sizes, [8, 8, 3]);
    assert_eq!(tools().iter().count(), 4);
}

#[test]
fn ids_are_unique_over_the_whole_turn() {
    let ask = |id: &str| {
        reply().call(call(id, "list_dir", json!({"path": id}))).call(call("", "list_dir", json!({"path": "b"})))
    };
    let world = World::new(vec![ask("call_0"), ask("call_0"), ask("call_0_2"), reply().say("done")]);
    let driver = run(&world);
    let ids: Vec<String> = results(&driver).into_iter().map(|(id, _, _)| id).collect();
    assert_eq!(ids, ["call_0", "call_29_1", "call_0_2", "call_29_3", "call_0_2_2", "call_29_5"]);
    assert_eq!(strict(&with_question(&driver)), Ok(()), "rows need no repair");
    let ledger: Vec<&str> = driver.store.ledger.values().map(|call| call.call.id.as_str()).collect();
    assert_eq!(ledger, ids);
}

#[test]
fn blank_results_and_results_without_an_end_are_made_plain() {
    let mut world = World::new(vec![
        reply().call(call("a", "list_dir", json!({"path": "a"}))).call(call("b", "list_dir", json!({"path": "b"}))),
        reply().say("done"),
    ]);
    world.run_tool = Arc::new(|call| match call.id.as_str() {
        "a" => ToolOutcome::ok(" \n"),
        _ => ToolOutcome { status: CallStatus::Running, ..ToolOutcome::ok("half") },
    });
    let driver = run(&world);
    assert_eq!(
        results(&driver),
        [
            ("a".to_owned(), CallStatus::Ok, "(list_dir completed with no output)".to_owned()),
            ("b".to_owned(), CallStatus::Error, "half".to_owned())
        ]
    );
}

/// A turn that makes the recorded calls, one a request.
fn replay(sequence: &serde_json::Value) -> World {
    let calls = sequence.as_array().unwrap().clone();
    let mut script: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(number, _)| reply().call(call(&format!("c{number}"), "read_file", json!({"path": "same"}))))
        .collect();
    // Tools of the recording stand for themselves in the path.
    for (scripted, recorded) in script.iter_mut().zip(&calls) {
        let key = format!("{} {}", recorded["tool"], recorded["args"]);
        scripted.calls[0].arguments.insert("path".to_owned(), json!(key));
    }
    script.push(reply().say("done"));
    let mut world = World::new(script);
    world.run_tool = Arc::new(move |call| {
        let number: usize = call.id.trim_start_matches('c').parse().unwrap();
        ToolOutcome::ok(calls[number]["result"].as_str().unwrap())
    });
    world
}

#[test]
fn al_01_the_same_call_is_hinted_at_the_third_and_ends_the_turn_at_the_sixth() {
    let world = replay(&fixture("al-loop-vs-poll.json")["loop"]);
    let driver = run(&world);
    let hints: Vec<bool> =
        results(&driver).iter().map(|(_, _, text)| text.contains("[Notice: the same call")).collect();
    assert_eq!(hints, [false, false, true, true, true, true]);
    assert!(results(&driver)[2].2.starts_with("clean\n\n[Notice: the same call has now come 3 times"));
    let ending = driver.store.finished.as_ref().unwrap();
    assert_eq!((ending.stop_reason, &ending.error), (StopReason::Loop, &None));
    let notices: Vec<_> = driver
        .shown
        .iter()
        .filter_map(|event| match event {
            EventBody::Notice { code, text, .. } => Some((code.as_str(), text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(notices, [("loop", "Stopped: the same call came 6 times with the same result.")]);
    assert!(matches!(driver.machine.state().phase, Phase::Done(_)));
    let mut monitor = Monitor::default();
    driver.shown.iter().for_each(|event| monitor.see(event));
    monitor.end();
}

#[test]
fn al_01_a_poll_goes_on_and_a_cycle_does_not() {
    let case = fixture("al-loop-vs-poll.json");
    let world = replay(&case["poll"]);
    assert_eq!(run(&world).store.finished.unwrap().stop_reason, StopReason::Completed);

    let mut cycle = case["period3"].as_array().unwrap().clone();
    cycle.extend(cycle.clone());
    let world = replay(&json!(cycle));
    let driver = run(&world);
    assert_eq!(driver.store.finished.as_ref().unwrap().stop_reason, StopReason::Loop);
    let first = results(&driver).iter().position(|(_, _, text)| text.contains("[Notice: a cycle of 3 calls")).unwrap();
    assert_eq!(first, 8, "told within the third round");
    assert_eq!(results(&driver).len(), 18, "ended with the sixth round");
}

#[test]
fn al_01_cycles_of_up_to_four_calls_end_the_turn() {
    for period in 1..=5_usize {
        let calls: Vec<_> =
            (0..40).map(|n| json!({"tool": format!("t{}", n % period), "args": {}, "result": "same"})).collect();
        let world = replay(&json!(calls));
        let driver = run(&world);
        let expected = if period <= 4 { (StopReason::Loop, 6 * period) } else { (StopReason::Completed, 40) };
        let reason = driver.store.finished.as_ref().unwrap().stop_reason;
        assert_eq!((reason, results(&driver).len()), expected, "period {period}");
    }
}
