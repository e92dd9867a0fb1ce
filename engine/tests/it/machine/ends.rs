//! Ways a turn ends.

use std::sync::Arc;

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::govern::{BlockCut, Cut, Decisions};
use nanobot_engine::id::MessageId;
use nanobot_engine::machine::{Effect, Input, Observation, Phase, TurnMachine, TurnState};
use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd};
use serde_json::json;

use crate::support::build::{assistant, call, text, tools};
use crate::support::driver::{Driver, StoredRow, World, reply, run, watched};

fn reason<'d>(driver: &'d Driver<'_>) -> (StopReason, Option<&'d str>) {
    let ending = driver.store.finished.as_ref().unwrap();
    (ending.stop_reason, ending.error.as_ref().map(|error| error.code.as_str()))
}

fn listing(number: usize) -> crate::support::driver::Scripted {
    reply().call(call(&format!("c{number}"), "list_dir", json!({"path": format!("{number}")})))
}

#[test]
fn the_limit_of_requests_is_followed_by_an_answer_without_tools() {
    let limited = |last| {
        let mut script: Vec<_> = (0..3).map(listing).collect();
        script.push(last);
        let mut world = World::new(script);
        world.limits.max_iterations = 3;
        world
    };
    let world = limited(reply().say("what I have"));
    let driver = watched(&world);
    assert_eq!(reason(&driver), (StopReason::MaxIterations, None));
    let builds: Vec<bool> = driver
        .trace
        .iter()
        .filter_map(|effect| match effect {
            Effect::BuildRequest { closing } => Some(*closing),
            _ => None,
        })
        .collect();
    assert_eq!(builds, [false, false, false, true]);
    assert_eq!(driver.store.rows.last().unwrap().message.text(), "what I have");

    // A model that calls all the same, or says nothing, does not take the answer away.
    for last in [listing(9), reply(), reply().say(" \n"), listing(9).end(StreamEnd::Length)] {
        let world = limited(last);
        let driver = watched(&world);
        assert_eq!(reason(&driver), (StopReason::MaxIterations, None));
        assert_eq!(driver.ran.len(), 3);
        let answer = driver.store.rows.last().unwrap();
        assert!(answer.answer && answer.message.text().starts_with("The limit of 3 steps was reached"));
        assert_eq!(driver.store.finished.as_ref().unwrap().content, Some(answer.message.text()));
    }
}

#[test]
fn a_blank_answer_is_asked_again_once() {
    let world = World::new(vec![reply().think("hm"), reply().say("here")]);
    let driver = watched(&world);
    assert_eq!(reason(&driver), (StopReason::Completed, None));
    assert_eq!(driver.store.rows.len(), 1);
    assert_eq!(driver.machine.state().usage.input_tokens, 20, "both requests cost");

    for blank in [reply(), reply().say(" \n"), reply().end(StreamEnd::Empty)] {
        let world = World::new(vec![blank.clone(), blank]);
        let driver = watched(&world);
        assert_eq!(reason(&driver), (StopReason::EmptyFinalResponse, Some("empty_response")));
        assert_eq!(driver.store.rows, []);
        assert_eq!(driver.machine.state().usage.input_tokens, 20);
    }
}

#[test]
fn a_stream_that_ended_badly_keeps_its_text_and_runs_no_call() {
    let lost = ModelError::new(ModelErrorKind::Unavailable, "lost");
    let cases = [(StreamEnd::Truncated, "stream_truncated"), (StreamEnd::Error(lost), "provider_unavailable")];
    for (end, code) in cases {
        let asked = call("c", "write_file", json!({"path": "a"}));
        let world = World::new(vec![reply().think("t").say("I will ").say("write").call(asked).end(end)]);
        let driver = watched(&world);
        assert_eq!(reason(&driver), (StopReason::Error, Some(code)));
        let kept = StoredRow { message: assistant(vec![text("I will write")]), interrupted: true, answer: false };
        assert_eq!(driver.store.rows, [kept]);
        assert_eq!(driver.ran, [""; 0]);
        assert!(driver.store.ledger.is_empty());
    }
}

#[test]
fn hooks_may_change_the_final_text_and_unsign_it() {
    let mut world = World::new(vec![reply().think("t").say("secret")]);
    world.finalize = |text| text.replace("secret", "[redacted]");
    let driver = watched(&world);
    assert_eq!(driver.store.rows[0].message.blocks, [Block::Text { text: "[redacted]".to_owned() }]);
    assert_eq!(driver.store.finished.unwrap().content.unwrap(), "[redacted]");
}

/// Wherever a hook breaks, the turn ends once, nothing stays open, and what was done is stored in whole pairs.
#[test]
fn a_broken_hook_ends_the_turn_from_every_place() {
    let world = World::new(vec![
        reply().think("t").say("look").call(call("a", "list_dir", json!({"path": "a"}))).call(call(
            "b",
            "write_file",
            json!({"path": "b"}),
        )),
        reply().say("done"),
    ]);
    let effects = run(&world).trace;
    for (at, effect) in effects.iter().enumerate() {
        // Hooks run at what is observed, decided, built, finalized and shown.
        let hooked = match effect {
            Effect::Observe(_) | Effect::Decide { .. } | Effect::BuildRequest { .. } | Effect::Finalize { .. } => true,
            Effect::Emit(_) => true,
            Effect::AskModel
            | Effect::Wait { .. }
            | Effect::RunCalls(_)
            | Effect::DrainSteer
            | Effect::Persist(_)
            | Effect::Finish(_) => false,
        };
        if !hooked {
            continue;
        }
        let mut broken = world.clone();
        let seen = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        broken.fail_at = Arc::new(move |_| seen.fetch_add(1, std::sync::atomic::Ordering::Relaxed) == at);
        let driver = watched(&broken);
        let ended = reason(&driver);
        let observed: Vec<_> = driver.trace.iter().filter(|e| **e == Effect::Observe(Observation::OnFinally)).collect();
        assert_eq!(observed.len(), 1, "broken at {effect:?}");
        let late = matches!(effect, Effect::Observe(Observation::AfterRun | Observation::OnFinally))
            || effects[..at].iter().filter(|e| matches!(e, Effect::Finalize { .. })).count() > 0
                && !matches!(effect, Effect::Finalize { .. });
        if late {
            assert_eq!(ended, (StopReason::Completed, None), "broken at {effect:?}");
        } else {
            assert_eq!(ended, (StopReason::Error, Some("hook_failed")), "broken at {effect:?}");
        }
        let calls: usize = driver.store.rows.iter().map(|row| row.message.calls().count()).sum();
        let results = driver.store.rows.iter().filter(|row| row.message.role == nanobot_engine::message::Role::Tool);
        assert_eq!(results.count(), calls, "broken at {effect:?}: {:#?}", driver.store.rows);
    }
}

#[test]
fn governance_is_stored_before_it_is_shown_and_told_once() {
    let step = nanobot_engine::event::GovernStep {
        name: "snip".to_owned(),
        before_tokens: 9_000,
        after_tokens: 4_000,
        detail: "cut".to_owned(),
    };
    let cut = BlockCut { row: MessageId(uuid::Uuid::nil()), block: 0, cut: Cut::Omit };
    let decisions = Decisions { head: None, cuts: vec![cut] };
    let mut machine = TurnMachine::new(Default::default(), tools(), 81, TurnState::default());
    let mut out = Vec::new();
    machine.step(0, Input::Begin, &mut out);
    out.clear();
    machine.step(
        1,
        Input::RequestReady {
            steps: vec![step],
            budget_tokens: 5_000,
            decisions: Box::new(decisions.clone()),
            can_be_plainer: false,
        },
        &mut out,
    );
    let [Effect::Persist(stored), Effect::Emit(EventBody::IterationStarted { iteration: 0 }), Effect::AskModel] =
        &out[..]
    else {
        panic!("{out:?}");
    };
    let shown = &stored.events[..];
    assert!(matches!(shown, [EventBody::ContextGoverned { budget_tokens: 5_000, .. }]), "{shown:?}");
    assert_eq!(stored.checkpoint.decisions, decisions, "after a crash the same things stay shortened");
    assert_eq!(stored.checkpoint.phase, Phase::Building);
}
