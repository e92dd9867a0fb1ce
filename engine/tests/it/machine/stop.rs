//! Stop: whenever it comes, what was done is kept and the turn is over.

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::hook::Decision;
use nanobot_engine::machine::{Effect, Input, Observation};
use nanobot_engine::message::{Block, Role};
use nanobot_engine::model::Reply;
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::usage::Usage;
use serde_json::json;

use crate::support::build::{call, decided, steer, user};
use crate::support::checker::strict;
use crate::support::driver::{Driver, Store, World, reply, run};
use crate::support::monitor::Monitor;

fn world() -> World {
    let mut world = World::new(vec![
        reply()
            .think("t")
            .say("look ")
            .say("here")
            .call(call("a", "write_file", json!({"path": "a"})))
            .call(call("b", "list_dir", json!({"path": "b"})))
            .call(call("c", "list_dir", json!({"path": "c"})))
            .call(call("d", "nope", json!({}))),
        reply().say("done ").say("now"),
        reply().say("really"),
    ]);
    world.steer = vec![(1, steer(1, "and then?"))];
    world
}

#[test]
fn stop_in_every_phase_keeps_what_was_done() {
    let world = world();
    let whole = run(&world);
    for at in 1..whole.inputs {
        let mut driver = Driver::new(&world, Store::default()).stop_after_inputs(at);
        assert!(driver.run(Input::Begin));
        let ending = driver.store.finished.clone().unwrap();
        assert_eq!(
            (ending.stop_reason, ending.error, ending.content),
            (StopReason::Cancelled, None, None),
            "input {at}"
        );
        assert_eq!(driver.trace.last(), Some(&Effect::Finish(driver.store.finished.clone().unwrap())));

        let mut monitor = Monitor::default();
        driver.shown.iter().for_each(|event| monitor.see(event));
        monitor.end();

        // Whole pairs, and all rows of the uncut turn up to the cut.
        let mut messages = vec![user("q")];
        messages.extend(driver.store.messages());
        messages.push(user("on"));
        assert_eq!(strict(&nanobot_engine::govern::repair(messages.clone())), Ok(()));
        let asked: usize = messages.iter().map(|message| message.calls().count()).sum();
        assert_eq!(monitor.calls(), asked, "every call is shown, input {at}");
        for (cut, uncut) in driver.store.rows.iter().zip(&whole.store.rows) {
            match (&cut.message.blocks[..], cut.message.role) {
                ([Block::Result { status: CallStatus::Cancelled, text, .. }], Role::Tool) => {
                    assert!(text.starts_with("Error: the turn was stopped"), "{text}");
                }
                _ if cut.interrupted => {
                    assert!(uncut.message.text().starts_with(&cut.message.text()), "input {at}");
                }
                _ => assert_eq!(cut, uncut, "input {at}"),
            }
        }

        // Text that people saw is in a row.
        let seen: String = driver
            .shown
            .iter()
            .filter_map(|event| match event {
                EventBody::Delta { text, .. } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        let kept: String = driver
            .store
            .rows
            .iter()
            .filter(|row| row.message.role == Role::Assistant)
            .map(|row| row.message.text())
            .collect();
        assert_eq!(seen, kept, "input {at}");

        let last: Vec<_> = driver.trace.iter().filter(|e| matches!(e, Effect::Observe(_))).rev().take(1).collect();
        assert_eq!(last, [&Effect::Observe(Observation::OnFinally)]);
        assert!(!driver.trace.contains(&Effect::Observe(Observation::AfterRun)));
        assert!(!driver.trace.contains(&Effect::Observe(Observation::OnError)));

        // Later inputs change nothing.
        let state = driver.machine.state().clone();
        let mut out = Vec::new();
        for late in late_inputs() {
            driver.machine.step(9_999, late, &mut out);
        }
        assert_eq!((out, driver.machine.state()), (Vec::new(), &state), "input {at}");
    }
}

fn late_inputs() -> Vec<Input> {
    let reply = Reply { end: nanobot_engine::model::StreamEnd::Complete, blocks: Vec::new(), usage: None };
    vec![
        Input::Begin,
        Input::RequestReady { steps: Vec::new(), budget_tokens: 1, decisions: Box::default(), can_be_plainer: false },
        Input::Reasoning("r".to_owned()),
        Input::Text("t".to_owned()),
        Input::ReplyEnded { reply: Box::new(reply), usage: Usage::default(), dice: 0.5 },
        decided(0, Decision::Proceed),
        Input::CallFinished { position: 0, outcome: ToolOutcome::ok("late") },
        Input::Steered(vec![steer(9, "late")]),
        Input::Finalized("late".to_owned()),
        Input::HookFailed { detail: "late".to_owned(), usage: None },
        Input::Stop { usage: None },
    ]
}

#[test]
fn stop_before_anything_was_said_leaves_a_notice() {
    let world = world();
    let mut driver = Driver::new(&world, Store::default()).stop_after_inputs(1);
    driver.run(Input::Begin);
    assert_eq!(driver.store.rows, []);
    assert!(matches!(&driver.shown[..], [EventBody::Notice { code, .. }] if code == "stopped"), "{:?}", driver.shown);
}

#[test]
fn stop_while_the_answer_passes_the_hooks_counts_its_tokens() {
    let world = World::new(vec![reply().say("answer")]);
    let whole = run(&world);
    // The inputs of this turn: begin, ready, text, end, finalized, drained.
    let mut driver = Driver::new(&world, Store::default()).stop_after_inputs(whole.inputs - 2);
    driver.run(Input::Begin);
    assert_eq!(driver.machine.state().usage.input_tokens, 10);
    assert!(driver.store.rows[0].interrupted);
}
