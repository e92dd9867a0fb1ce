//! Chains of requests: what counts in a row begins anew after progress, and each iteration ends once for the hooks.

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::machine::{Effect, Observation};
use nanobot_engine::message::{Block, Role};
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd};
use serde_json::json;

use crate::support::build::{call, steer};
use crate::support::driver::{Driver, Scripted, World, observed, reply, watched};

fn listing(id: &str) -> Scripted {
    reply().call(call(id, "list_dir", json!({"path": id})))
}

fn cut(piece: &str) -> Scripted {
    reply().say(piece).end(StreamEnd::Length)
}

fn ending<'d>(driver: &'d Driver<'_>) -> (StopReason, Option<&'d str>) {
    let ending = driver.store.finished.as_ref().unwrap();
    (ending.stop_reason, ending.error.as_ref().map(|error| error.code.as_str()))
}

fn said(driver: &Driver<'_>) -> Vec<String> {
    driver.store.rows.iter().filter(|row| row.message.role != Role::Tool).map(|row| row.message.text()).collect()
}

#[test]
fn blank_answers_with_work_between_them_are_not_blank_twice() {
    let world = World::new(vec![reply(), listing("a"), reply(), listing("b"), reply(), reply().say("done")]);
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    assert_eq!(driver.ran, ["a", "b"]);

    let mut world = World::new(vec![reply(), reply().say("first"), reply(), reply().say("second")]);
    world.steer = vec![(1, steer(1, "and then?"))];
    let driver = watched(&world);
    assert_eq!(said(&driver), ["first", "and then?", "second"]);

    let world = World::new(vec![listing("a"), reply(), reply()]);
    assert_eq!(ending(&watched(&world)), (StopReason::EmptyFinalResponse, Some("empty_response")));
}

#[test]
fn the_tokens_of_every_request_count_whatever_came_of_it() {
    let world = World::new(vec![reply(), listing("a"), cut("half "), reply().say("whole")]);
    let driver = watched(&world);
    let usage = driver.machine.state().usage;
    assert_eq!((usage.input_tokens, usage.output_tokens), (40, 20));
    let told = driver.shown.iter().filter(|event| matches!(event, EventBody::Usage(_))).count();
    assert_eq!(told, 4);
}

#[test]
fn an_answer_cut_at_the_limit_of_iterations_is_said_to_its_end() {
    let mut world = World::new(vec![cut("The list: one, "), reply().say("two.")]);
    world.limits.max_iterations = 1;
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::MaxIterations, None));
    assert_eq!(said(&driver), ["The list: one, two."]);
    let deltas: Vec<&str> = driver.shown.iter().filter_map(|event| event.as_delta().map(|(_, text)| text)).collect();
    assert_eq!(deltas, ["The list: one, ", "two."], "nothing is shown twice");

    // When nothing more comes, what was said is the answer, marked as cut when it is.
    for last in [reply(), listing("never")] {
        let mut world = World::new(vec![cut("one, "), last]);
        world.limits.max_iterations = 1;
        let driver = watched(&world);
        assert_eq!((ending(&driver).0, said(&driver)), (StopReason::MaxIterations, vec!["one, ".to_owned()]));
        assert_eq!(driver.ran, [""; 0]);
    }
}

#[test]
fn what_was_cut_before_calls_or_a_steer_message_is_not_said_again_in_the_answer() {
    let calls = reply().say("look.").call(call("a", "list_dir", json!({"path": "a"})));
    let world = World::new(vec![cut("Let me "), calls, reply().say("It is empty.")]);
    assert_eq!(said(&watched(&world)), ["Let me look.", "It is empty."]);

    // The follow-up has all of its continuations.
    let script = vec![cut("1"), cut("2"), reply().say("3"), cut("4"), cut("5"), cut("6"), reply().say("7")];
    let mut world = World::new(script);
    world.steer = vec![(2, steer(1, "more"))];
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    assert_eq!(said(&driver), ["123", "more", "4567"]);
    assert!(driver.store.rows.iter().all(|row| !row.interrupted));
}

#[test]
fn messages_that_wait_when_a_request_fails_are_left_for_turns_of_their_own() {
    let lost = || reply().end(StreamEnd::Error(ModelError::new(ModelErrorKind::Auth, "key refused")));
    for (script, reason) in [
        (vec![listing("a"), lost()], StopReason::Error),
        (vec![listing("a"), reply(), reply()], StopReason::EmptyFinalResponse),
        (vec![listing("a"), reply().say("half").end(StreamEnd::Truncated)], StopReason::Error),
    ] {
        let mut world = World::new(script);
        world.steer = vec![(1, steer(1, "late"))];
        let driver = watched(&world);
        assert_eq!(ending(&driver).0, reason);
        assert!(!said(&driver).contains(&"late".to_owned()));
    }
}

/// Six calls in one answer are no loop that the model could have left.
#[test]
fn a_loop_within_one_answer_is_warned_of_before_it_ends_the_turn() {
    let many = |from: usize| {
        (from..from + 6)
            .fold(reply(), |reply, n| reply.call(call(&format!("c{n}"), "list_dir", json!({"path": "same"}))))
    };
    let same =
        |world: &mut World| world.run_tool = std::sync::Arc::new(|_| nanobot_engine::tool::ToolOutcome::ok("same"));
    let mut world = World::new(vec![many(0), reply().say("I see")]);
    same(&mut world);
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    let warned = driver.store.rows.iter().flat_map(|row| &row.message.blocks).any(
        |block| matches!(block, Block::Result { text, .. } if text.contains("[Notice: the same call has now come 6 times")),
    );
    assert!(warned);
    let mut world = World::new(vec![many(0), many(6), reply().say("never")]);
    same(&mut world);
    assert_eq!(ending(&watched(&world)).0, StopReason::Loop);
}

fn groups(driver: &Driver<'_>) -> Vec<Vec<String>> {
    let runs = driver.trace.iter().filter_map(|effect| match effect {
        Effect::RunCalls(calls) => Some(calls.iter().map(|(_, call)| call.id.clone()).collect()),
        _ => None,
    });
    runs.collect()
}

#[test]
fn readers_run_side_by_side_and_everything_else_alone_in_call_order() {
    let calls = [
        ("a", "list_dir"),
        ("b", "read_file"),
        ("c", "snapshot"),
        ("d", "read_file"),
        ("e", "write_file"),
        ("f", "list_dir"),
        ("g", "list_dir"),
        ("h", "no_such_tool"),
        ("i", "list_dir"),
    ];
    let first = calls.iter().fold(reply(), |reply, (id, name)| reply.call(call(id, name, json!({"path": id}))));
    let mut world = World::new(vec![first, reply().say("done")]);
    world.last_first = true;
    let driver = watched(&world);
    let expected: [&[&str]; 5] = [&["a", "b"], &["c"], &["d"], &["e"], &["f", "g", "i"]];
    assert_eq!(groups(&driver), expected);
    let results: Vec<&str> = driver
        .store
        .rows
        .iter()
        .flat_map(|row| &row.message.blocks)
        .filter_map(|block| if let Block::Result { call_id, .. } = block { Some(call_id.as_str()) } else { None })
        .collect();
    assert_eq!(results, ["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
}

#[test]
fn each_iteration_ends_once_for_the_hooks_whatever_its_way_out() {
    let error = || reply().end(StreamEnd::Error(ModelError::new(ModelErrorKind::Auth, "key refused")));
    let ways: Vec<(&str, Vec<Scripted>)> = vec![
        ("an answer", vec![reply().say("done")]),
        ("calls", vec![listing("a"), reply().say("done")]),
        ("calls that cannot run", vec![reply().call(call("a", "nope", json!({}))), reply().say("done")]),
        ("a blank answer", vec![reply(), reply().say("done")]),
        ("blank answers", vec![reply(), reply()]),
        ("a cut answer", vec![cut("half "), reply().say("whole")]),
        ("a cut call", vec![listing("a").end(StreamEnd::Length), reply().say("done")]),
        ("a pause", vec![reply().say("a").end(StreamEnd::Paused), reply().say("b")]),
        ("a failure", vec![error()]),
        ("a failure after calls", vec![listing("a"), error()]),
        ("a loop", (0..6).map(|n| reply().call(call(&format!("c{n}"), "list_dir", json!({"path": "same"})))).collect()),
        ("the limit", vec![listing("a"), listing("b"), listing("c"), reply().say("closed")]),
    ];
    for (name, script) in ways {
        let mut world = World::new(script);
        world.limits.max_iterations = if name == "the limit" { 3 } else { 100 };
        world.run_tool = std::sync::Arc::new(|_| nanobot_engine::tool::ToolOutcome::ok("same"));
        let driver = watched(&world);
        let mut open = false;
        let mut iterations = 0;
        for observation in observed(&driver.trace) {
            match observation {
                Observation::BeforeIteration => {
                    assert!(!std::mem::replace(&mut open, true), "{name}: the one before was not ended");
                    iterations += 1;
                }
                Observation::AfterIteration => assert!(std::mem::take(&mut open), "{name}: ended twice"),
                _ => {}
            }
        }
        assert!(!open && iterations == world.script.len(), "{name}: {iterations}");
    }
}
