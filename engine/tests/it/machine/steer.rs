//! Messages that join a running turn.

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::machine::{ContinueReason, Effect};
use serde_json::json;

use crate::support::build::{call, steer};
use crate::support::driver::{Driver, World, lines, reply, run};

fn said(driver: &Driver<'_>) -> Vec<String> {
    driver.store.rows.iter().map(|row| row.message.text()).collect()
}

fn joined(driver: &Driver<'_>) -> Vec<String> {
    let events = driver.shown.iter();
    events
        .filter_map(|event| match event {
            EventBody::UserMessage { text, steer: true, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn al_04_a_message_joins_behind_the_tool_results_exactly_once() {
    let mut world = World::new(vec![
        reply().call(call("a", "list_dir", json!({"path": "a"}))),
        reply().call(call("b", "list_dir", json!({"path": "b"}))),
        reply().say("A and B"),
    ]);
    world.steer = vec![(0, steer(1, "also check B")), (0, steer(2, "and be quick"))];
    let driver = run(&world);
    assert_eq!(said(&driver), ["", "did a", "also check B", "and be quick", "", "did b", "A and B"]);
    assert_eq!(joined(&driver), ["also check B", "and be quick"]);
    assert_eq!(driver.machine.state().steer_cycles, 1);
}

#[test]
fn a_message_after_the_final_text_makes_it_a_middle_one() {
    let mut world = World::new(vec![reply().say("done with A"), reply().say("and with B")]);
    world.steer = vec![(0, steer(1, "also B"))];
    let driver = run(&world);
    assert_eq!(said(&driver), ["done with A", "also B", "and with B"]);
    assert_eq!(driver.store.rows.iter().map(|row| row.answer).collect::<Vec<_>>(), [false, false, true]);
    assert_eq!(driver.machine.state().continued, Some(ContinueReason::Steer));
    let trace: Vec<String> = driver.trace.iter().flat_map(lines).collect();
    let at = trace.iter().position(|line| line == "E stream_end 29.0 11 resuming=true").unwrap();
    assert_eq!(
        trace[at..at + 5],
        [
            "E stream_end 29.0 11 resuming=true",
            "E usage",
            "D Assistant \"done with A\", steer \"also B\"",
            "E user_message \"also B\" steer=true",
            "H AfterIteration"
        ]
    );
}

#[test]
fn steering_has_its_limit_and_the_rest_is_left_for_the_next_turn() {
    let mut world = World::new((0..9).map(|n| reply().say(&format!("answer {n}"))).collect());
    world.limits.max_steer_cycles = 2;
    world.steer = (0..4).map(|n| (n, steer(u128::from(n), &format!("more {n}")))).collect();
    let driver = run(&world);
    assert_eq!(said(&driver), ["answer 0", "more 0", "answer 1", "more 1", "answer 2"]);
    assert_eq!(driver.store.finished.as_ref().unwrap().stop_reason, StopReason::Completed);
    let drains = driver.trace.iter().filter(|effect| **effect == Effect::DrainSteer).count();
    assert_eq!(drains, 2, "nothing is taken that cannot be answered");
}

#[test]
fn a_closing_answer_takes_no_more_messages() {
    let mut world = World::new(vec![reply().call(call("a", "list_dir", json!({"path": "a"}))), reply().say("closed")]);
    world.limits.max_iterations = 1;
    world.steer = vec![(1, steer(1, "too late"))];
    let driver = run(&world);
    assert_eq!(said(&driver), ["", "did a", "closed"]);
    assert_eq!(joined(&driver), [""; 0]);
}
