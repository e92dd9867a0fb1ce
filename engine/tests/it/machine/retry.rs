//! Failed requests: what is made again, who takes over, and what people see of it.

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::machine::{Effect, Input};
use nanobot_engine::message::{Block, Role};
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd};
use nanobot_engine::retry::{Candidate, Failed, RetryPolicy, RetryState, Verdict};
use proptest::prelude::*;
use serde_json::json;

use crate::support::build::{call, text};
use crate::support::driver::{Driver, Scripted, World, lines, reply, watched};

fn error(kind: ModelErrorKind) -> ModelError {
    ModelError::new(kind, "it said no")
}

fn failing(kind: ModelErrorKind) -> Scripted {
    Scripted { usage: nanobot_engine::usage::Usage::default(), ..reply() }.end(StreamEnd::Error(error(kind)))
}

fn candidates(windows: &[u64]) -> Vec<Candidate> {
    let candidate = |(number, window): (usize, &u64)| Candidate {
        preset: format!("p{number}"),
        model: format!("m{number}"),
        context_window_tokens: *window,
    };
    windows.iter().enumerate().map(candidate).collect()
}

fn world(script: Vec<Scripted>, windows: &[u64]) -> World {
    let mut world = World::new(script);
    world.limits.retry = RetryPolicy::default();
    world.candidates = candidates(windows);
    world
}

/// Only what concerns attempts.
fn story(driver: &Driver<'_>) -> Vec<String> {
    let told = |line: &String| {
        ["ask", "wait ", "E retry_wait", "E model_switched", "E stream_discarded", "E delta", "finish"]
            .iter()
            .any(|start| line.starts_with(start))
    };
    driver.trace.iter().flat_map(lines).filter(told).collect()
}

fn code(driver: &Driver<'_>) -> (StopReason, Option<String>) {
    let ending = driver.store.finished.clone().unwrap();
    (ending.stop_reason, ending.error.map(|error| error.code))
}

#[test]
fn a_failed_attempt_is_taken_back_before_the_next() {
    let world = world(
        vec![
            reply()
                .say("whole")
                .after(reply().say("ha").end(StreamEnd::Truncated))
                .after(failing(ModelErrorKind::Timeout)),
        ],
        &[100],
    );
    let driver = watched(&world);
    assert_eq!(
        story(&driver),
        [
            "ask",
            "E delta 29.0 \"ha\"",
            "E stream_discarded 29.0",
            "E retry_wait 29.1 2 500 stream_truncated",
            "wait 500",
            "ask",
            "E retry_wait 29.2 3 1000 provider_timeout",
            "wait 1000",
            "ask",
            "E delta 29.3 \"whole\"",
            "finish Completed",
        ]
    );
    let starts = driver.shown.iter().filter(|event| matches!(event, EventBody::IterationStarted { .. })).count();
    assert_eq!(starts, 1, "an attempt is no iteration");
    assert_eq!(driver.store.messages().last().map(|message| message.text()).as_deref(), Some("whole"));
}

#[test]
fn four_attempts_are_all_and_the_longest_text_is_kept() {
    let world = world(
        vec![failing(ModelErrorKind::Unavailable).after(reply().say("the longest").end(StreamEnd::Truncated))],
        &[100],
    );
    let driver = watched(&world);
    assert_eq!(driver.asked.len(), 4);
    assert_eq!(code(&driver), (StopReason::Error, Some("provider_unavailable".to_owned())));
    let last = driver.store.rows.last().expect("a row");
    assert_eq!((last.interrupted, last.message.blocks.clone()), (true, vec![text("the longest")]));
    let shown: Vec<String> = driver.trace.iter().flat_map(lines).filter(|line| line.starts_with("E delta")).collect();
    assert_eq!(shown, ["E delta 29.0 \"the longest\"", "E delta 29.4 \"the longest\""]);
}

#[test]
fn refused_requests_are_asked_once_more_in_a_plainer_form() {
    let refused = failing(ModelErrorKind::RefusedRequest);
    let mut world = world(vec![reply().say("ok").after(refused.clone())], &[100]);
    world.can_be_plainer = true;
    let driver = watched(&world);
    assert!(driver.machine.state().retry.plain);
    assert_eq!(story(&driver)[1..3], ["E retry_wait 29.0 2 0 provider_refused_request", "wait 0"]);

    let mut world = self::world(vec![refused.clone()], &[100, 100]);
    world.can_be_plainer = true;
    assert_eq!(watched(&world).asked, [0, 0], "one plainer form, no other model");
    let world = self::world(vec![refused], &[100, 100]);
    assert_eq!(watched(&world).asked, [0], "never the same request again");
}

#[test]
fn each_candidate_has_its_own_attempts_and_the_one_that_answers_keeps_the_turn() {
    let down = failing(ModelErrorKind::Unavailable);
    let script = vec![
        (0..8).fold(reply().call(call("a", "list_dir", json!({"path": "a"}))), |reply, _| reply.after(down.clone())),
        reply().say("done"),
    ];
    let world = world(script, &[100, 100, 100]);
    let driver = watched(&world);
    assert_eq!(driver.asked, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
    let switches: Vec<String> = story(&driver)
        .into_iter()
        .filter(|line| line.starts_with("E model_switched"))
        .map(|line| line.rsplit_once('.').unwrap().1.to_owned())
        .collect();
    assert_eq!(switches, ["3 p0 p1 provider_unavailable", "7 p1 p2 provider_unavailable"]);
    assert_eq!(code(&driver), (StopReason::Completed, None));
}

#[test]
fn a_used_up_account_is_not_asked_again_and_a_refusal_not_elsewhere() {
    for (kind, asked) in [
        (ModelErrorKind::Quota, vec![0, 1]),
        (ModelErrorKind::Auth, vec![0, 1]),
        (ModelErrorKind::BadResponse, vec![0, 1]),
        (ModelErrorKind::NotFound, vec![0, 1]),
        (ModelErrorKind::CircuitOpen, vec![0, 1]),
        (ModelErrorKind::Refusal, vec![0]),
        (ModelErrorKind::ContextLength, vec![0, 0]),
        (ModelErrorKind::RateLimit, vec![0, 0, 0, 0, 1, 1, 1, 1]),
    ] {
        let world = world(vec![failing(kind)], &[100, 100]);
        assert_eq!(watched(&world).asked, asked, "{kind:?}");
    }
}

#[test]
fn a_conversation_that_is_too_long_goes_to_a_larger_window() {
    let world = world(vec![reply().say("ok").after(failing(ModelErrorKind::ContextLength))], &[100, 50, 200]);
    assert_eq!(watched(&world).asked, [0, 2]);
}

#[test]
fn without_a_larger_window_the_context_is_made_smaller_once() {
    let too_long = failing(ModelErrorKind::ContextLength);
    let driver_world = world(vec![reply().say("ok").after(too_long.clone())], &[100, 50]);
    let driver = watched(&driver_world);
    assert_eq!((driver.asked.clone(), code(&driver).0), (vec![0, 0], StopReason::Completed));
    let hopeless = world(vec![too_long], &[100, 50]);
    let driver = watched(&hopeless);
    assert_eq!(
        (driver.asked.clone(), code(&driver)),
        (vec![0, 0], (StopReason::Error, Some("context_length".to_owned())))
    );
}

#[test]
fn two_empty_answers_move_on_to_another_model() {
    let blank = reply().end(StreamEnd::Empty);
    let world = world(vec![blank.clone(), reply().say("ok").after(blank)], &[100, 100]);
    let driver = watched(&world);
    assert_eq!(driver.asked, [0, 0, 1]);
    assert_eq!(code(&driver), (StopReason::Completed, None));
}

#[test]
fn persistent_means_until_stop_and_round_the_whole_chain() {
    let down = failing(ModelErrorKind::Unavailable);
    let mut one = world(vec![(0..30).fold(reply().say("ok"), |reply, _| reply.after(down.clone()))], &[100]);
    one.limits.retry.persistent = true;
    let driver = watched(&one);
    assert_eq!(driver.asked.len(), 31);
    assert_eq!(code(&driver), (StopReason::Completed, None));
    let mut two = world(vec![(0..9).fold(reply().say("ok"), |reply, _| reply.after(down.clone()))], &[100, 100]);
    two.limits.retry.persistent = true;
    assert_eq!(watched(&two).asked, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0]);
}

#[test]
fn stop_in_the_wait_keeps_what_was_said() {
    let said = reply().say("half an ans").end(StreamEnd::Truncated);
    let world = world(vec![reply().say("never").after(said)], &[100]);
    // Begin, request ready, text, end of the reply, then the wait.
    let mut driver = Driver::new(&world, Default::default()).stop_after_inputs(4);
    assert!(driver.run(Input::Begin));
    assert_eq!(code(&driver), (StopReason::Cancelled, None));
    let last = driver.store.rows.last().expect("a row");
    assert_eq!((last.message.text().as_str(), last.interrupted), ("half an ans", true));
}

#[test]
fn a_paused_answer_goes_back_as_it_is() {
    let mut paused = reply().say("searching").end(StreamEnd::Paused);
    paused.calls.clear();
    let world = world(vec![paused, reply().say("found")], &[100]);
    let driver = watched(&world);
    let roles: Vec<(Role, String)> =
        driver.store.messages().into_iter().map(|message| (message.role, message.text())).collect();
    assert_eq!(roles, [(Role::Assistant, "searching".to_owned()), (Role::Assistant, "found".to_owned())]);
}

#[test]
fn tools_of_the_provider_are_shown_and_taken_back_with_their_attempt() {
    let world = world(vec![reply().say("ok")], &[100]);
    let mut driver = Driver::new(&world, Default::default());
    let mut out = Vec::new();
    let event = |phase: &str| {
        Input::ProviderTool(nanobot_engine::hook::ProviderToolEvent {
            phase: phase.to_owned(),
            call_id: "s".to_owned(),
            name: "web_search".to_owned(),
            arguments: None,
            text: None,
        })
    };
    driver.machine.step(1, Input::Begin, &mut out);
    driver.machine.step(
        1,
        Input::RequestReady { steps: vec![], budget_tokens: 1, decisions: Box::default(), can_be_plainer: false },
        &mut out,
    );
    out.clear();
    driver.machine.step(1, Input::Text("let me see".to_owned()), &mut out);
    driver.machine.step(2, event("started"), &mut out);
    driver.machine.step(2, event("done"), &mut out);
    driver.machine.step(2, Input::Text("more".to_owned()), &mut out);
    let reply = nanobot_engine::model::Reply { end: StreamEnd::Truncated, blocks: Vec::<Block>::new(), usage: None };
    let usage = nanobot_engine::usage::Usage::default();
    driver.machine.step(3, Input::ReplyEnded { reply: Box::new(reply), usage, dice: 0.0 }, &mut out);
    let told: Vec<String> = out.iter().flat_map(lines).filter(|line| line.starts_with("E ")).collect();
    assert_eq!(
        told,
        [
            "E delta 29.0 \"let me see\"",
            "E stream_end 29.0 10 resuming=true",
            "E provider_tool 29.1 web_search started",
            "E provider_tool 29.1 web_search done",
            "E delta 29.2 \"more\"",
            "E stream_discarded 29.0",
            "E stream_discarded 29.1",
            "E stream_discarded 29.2",
            "E retry_wait 29.3 2 0 stream_truncated",
        ]
    );
    assert!(matches!(out.last(), Some(Effect::Wait { delay_ms: 0 })));
}

fn kind() -> impl Strategy<Value = ModelErrorKind> {
    prop_oneof![
        Just(ModelErrorKind::RateLimit),
        Just(ModelErrorKind::Unavailable),
        Just(ModelErrorKind::Timeout),
        Just(ModelErrorKind::Truncated),
        Just(ModelErrorKind::Quota),
        Just(ModelErrorKind::RefusedRequest),
        Just(ModelErrorKind::ContextLength),
        Just(ModelErrorKind::CircuitOpen),
    ]
}

proptest! {
    /// Whatever fails and whatever is asked for: never more than four attempts at one model, never a wait over a minute, never more
    /// than two minutes of trying after the first failure, and an end.
    #[test]
    fn attempts_and_waits_are_bounded(
        failures in proptest::collection::vec((kind(), proptest::option::of(0_u64..10_000_000), 0.0..1.0_f64, 0_i64..90_000), 64),
        models in 1..4_usize,
    ) {
        let policy = RetryPolicy::default();
        let candidates = candidates(&vec![100; models]);
        let mut state = RetryState::default();
        let (mut at, mut attempts, mut ended) = (0_i64, vec![0_u32; models], false);
        for (kind, hint, dice, took) in failures {
            state.attempts += 1;
            attempts[state.candidate] += 1;
            at += took;
            let since = state.failed_at.unwrap_or(at);
            let error = error(kind).after(hint);
            match policy.decide(&state, &candidates, Failed { error: &error, at, dice, can_be_plainer: false, can_shrink: false }) {
                Verdict::Again { delay_ms } => {
                    state.failed_at.get_or_insert(at);
                    prop_assert!(delay_ms <= 60_000);
                    at += i64::try_from(delay_ms).unwrap();
                    prop_assert!(at - since <= 120_000 || took > 0);
                    if let Some(hint) = hint {
                        prop_assert!(delay_ms >= hint.min(60_000), "a server's wish is the least");
                    }
                }
                Verdict::Switch { candidate } => {
                    prop_assert_eq!(candidate, state.candidate + 1);
                    state.move_to(candidate);
                }
                Verdict::GiveUp => {
                    ended = true;
                    break;
                }
                other => prop_assert!(false, "{other:?}"),
            }
        }
        prop_assert!(ended);
        prop_assert!(attempts.iter().all(|made| *made <= 4));
    }
}
