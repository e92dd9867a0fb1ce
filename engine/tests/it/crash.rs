//! Crashes: a turn that is cut at any place goes on from its last durable step as if nothing had happened.

use std::collections::{HashMap, HashSet};

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::fold::{empty_turn, fold_into};
use nanobot_engine::id::{SessionId, StreamId, TurnId};
use nanobot_engine::machine::{Effect, Input, Phase, TurnState};
use nanobot_engine::message::{Block, Role};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::Part;
use proptest::prelude::*;
use serde_json::json;

use crate::support::build::{call, steer, tools, user, uuid};
use crate::support::checker::strict;
use crate::support::driver::{Driver, Store, StoredRow, World, reply, resume_input, run};
use crate::support::monitor::Monitor;
use crate::support::plan::plan;
use crate::support::{cases, long};

/// Six calls, two of them together, then a message that joins, then the answer.
fn world() -> World {
    let mut world = World::new(vec![
        reply()
            .think("first ")
            .think("thoughts")
            .say("let me ")
            .say("look")
            .call(call("c1", "write_file", json!({"path": "1"})))
            .call(call("c2", "list_dir", json!({"path": "2"})))
            .call(call("c3", "list_dir", json!({"path": "3"})))
            .call(call("c4", "write_file", json!({"path": "4"}))),
        reply().say("two more").call(call("c5", "snapshot", json!({"path": "5"}))).call(call(
            "c6",
            "write_file",
            json!({"path": "6"}),
        )),
        reply().think("so").say("here ").say("it ").say("is"),
        reply().say("and that ").say("too"),
    ]);
    world.steer = vec![(1, steer(1, "hurry")), (2, steer(2, "and that?"))];
    world
}

/// What the first life left behind.
struct Cut {
    store: Store,
    shown: Vec<EventBody>,
    ran: Vec<String>,
    /// Calls that were running; those that change something have an unknown outcome now.
    running: HashSet<String>,
    unknown: HashSet<String>,
    finished: HashSet<String>,
    /// Segments shown since the last durable step.
    unsettled: HashSet<StreamId>,
}

fn cut_at(world: &World, store: Store, first: Input, effects: usize, flushed: bool) -> Cut {
    let mut driver = Driver::new(world, store).die_after(effects);
    driver.run(first);
    if flushed {
        driver.flush();
    }
    let state: TurnState =
        driver.store.checkpoint.as_ref().map_or_else(TurnState::default, |text| serde_json::from_str(text).unwrap());
    let mut running = HashSet::new();
    let mut unknown = HashSet::new();
    let mut finished = HashSet::new();
    for call in driver.store.ledger.values() {
        if call.status == CallStatus::Running {
            running.insert(call.call.id.clone());
            if tools().get(&call.call.name).is_some_and(|spec| !spec.concurrency.is_read_only()) {
                unknown.insert(call.call.id.clone());
            }
        } else if call.status.is_final() {
            finished.insert(call.call.id.clone());
        }
    }
    let unsettled = driver
        .store
        .events
        .iter()
        .filter_map(|event| event.as_delta())
        .map(|(id, _)| id.clone())
        .filter(|id| id.index().unwrap() >= state.next_stream)
        .collect();
    Cut { store: driver.store, shown: driver.shown, ran: driver.ran, running, unknown, finished, unsettled }
}

fn discarded(events: &[EventBody]) -> HashSet<StreamId> {
    events
        .iter()
        .filter_map(|event| match event {
            EventBody::StreamDiscarded { stream_id, .. } => Some(stream_id.clone()),
            _ => None,
        })
        .collect()
}

/// Rows with the outcome of some calls struck out.
fn without_outcome(rows: &[StoredRow], unknown: &HashSet<String>) -> Vec<StoredRow> {
    let mut rows = rows.to_vec();
    for block in rows.iter_mut().flat_map(|row| &mut row.message.blocks) {
        if let Block::Result { call_id, status, text, .. } = block
            && unknown.contains(call_id)
        {
            *status = CallStatus::Unknown;
            text.clear();
        }
    }
    rows
}

/// The visible text that a reader of all these events sees at the end.
fn visible(events: &[EventBody]) -> String {
    let mut turn = empty_turn(TurnId(uuid(1)));
    for (seq, body) in (1..).zip(events) {
        let body = body.clone();
        let chat_id = SessionId(uuid(2));
        fold_into(
            &mut turn,
            &nanobot_engine::event::Event { body, chat_id, seq, prev_seq: seq - 1, turn_id: None, at: 0 },
        );
    }
    turn.parts
        .iter()
        .filter_map(|part| match part {
            Part::Text(part) => Some(part.text.as_str()),
            _ => None,
        })
        .collect()
}

fn spoken(rows: &[StoredRow]) -> String {
    rows.iter().filter(|row| row.message.role == Role::Assistant).map(|row| row.message.text()).collect()
}

/// Checks a second life that goes on.
fn goes_on(world: &World, uncut: &Driver<'_>, cut: &Cut, attempt: u32, place: &str) {
    let done = cut
        .store
        .checkpoint
        .as_ref()
        .is_some_and(|text| matches!(serde_json::from_str::<TurnState>(text).unwrap().phase, Phase::Done(_)));
    let mut second = Driver::new(world, cut.store.clone());
    assert!(second.run(resume_input(&cut.store, attempt, true)));
    let (left, right) =
        (without_outcome(&second.store.rows, &cut.unknown), without_outcome(&uncut.store.rows, &cut.unknown));
    assert_eq!(left, right, "{place}");
    assert_eq!(second.store.finished, uncut.store.finished, "{place}");
    for row in &second.store.rows {
        if let [Block::Result { call_id, status, text, .. }] = &row.message.blocks[..]
            && cut.unknown.contains(call_id)
        {
            assert_eq!(*status, CallStatus::Unknown, "{place}");
            assert!(text.starts_with("Error: the server stopped while this ran"), "{place}: {text}");
        }
    }

    // No finished call runs twice, none that may have taken effect either, and all others run.
    let again: HashSet<&String> = second.ran.iter().filter(|id| cut.ran.contains(id)).collect();
    for id in again {
        assert!(cut.running.contains(id) && !cut.unknown.contains(id), "{id} ran twice, {place}");
    }
    assert!(second.ran.iter().all(|id| !cut.finished.contains(id)), "{place}");
    let mut all: Vec<&String> = cut.ran.iter().chain(&second.ran).chain(&cut.unknown).collect();
    all.sort();
    all.dedup();
    let mut expected: Vec<&String> = uncut.ran.iter().collect();
    expected.sort();
    assert_eq!(all, expected, "{place}");

    // Both lives together are one stream without a fault.
    let mut monitor = Monitor::default();
    cut.shown.iter().chain(&second.shown).for_each(|event| monitor.see(event));
    if done {
        assert_eq!(discarded(&second.shown), HashSet::new(), "{place}");
    } else {
        monitor.end();
        assert_eq!(discarded(&second.shown), cut.unsettled, "{place}");
    }
    assert_eq!(visible(&second.store.events), spoken(&second.store.rows), "{place}");
    let both: Vec<EventBody> = cut.shown.iter().chain(&second.shown).cloned().collect();
    assert_eq!(visible(&both), spoken(&second.store.rows), "{place}");
}

/// Checks a second life that only closes the turn.
fn gives_up(world: &World, cut: &Cut, place: &str) {
    let done = cut
        .store
        .checkpoint
        .as_ref()
        .is_some_and(|text| matches!(serde_json::from_str::<TurnState>(text).unwrap().phase, Phase::Done(_)));
    let mut second = Driver::new(world, cut.store.clone());
    assert!(second.run(resume_input(&cut.store, 4, false)));
    assert_eq!(second.ran, [""; 0], "{place}");
    assert!(!second.shown.iter().any(|event| matches!(event, EventBody::TurnResumed { .. })), "{place}");
    let ending = second.store.finished.clone().unwrap();
    if done {
        assert_ne!(ending.stop_reason, StopReason::Interrupted, "it had ended before, {place}");
        return;
    }
    assert_eq!((ending.stop_reason, ending.content), (StopReason::Interrupted, None), "{place}");
    assert_eq!(discarded(&second.shown), cut.unsettled, "{place}");
    let mut monitor = Monitor::default();
    cut.shown.iter().chain(&second.shown).for_each(|event| monitor.see(event));
    monitor.end();

    // What readers see is what is stored: kept text follows as a new segment.
    assert_eq!(visible(&second.store.events), spoken(&second.store.rows), "{place}");
    let kept = &second.store.rows[cut.store.rows.len()..];
    for row in kept.iter().filter(|row| row.message.role == Role::Assistant) {
        assert!(row.interrupted && !row.answer, "{place}");
    }
    let statuses: HashMap<String, CallStatus> = second
        .store
        .rows
        .iter()
        .filter_map(|row| match &row.message.blocks[..] {
            [Block::Result { call_id, status, .. }] => Some((call_id.clone(), *status)),
            _ => None,
        })
        .collect();
    for row in &second.store.rows {
        for call in row.message.calls() {
            let status = statuses.get(&call.id).unwrap_or_else(|| panic!("{} has no result, {place}", call.id));
            if cut.running.contains(&call.id) {
                assert_eq!(*status, CallStatus::Unknown, "{place}");
            } else if !cut.finished.contains(&call.id) {
                assert_eq!(*status, CallStatus::Cancelled, "{place}");
            }
        }
    }
    let mut messages = vec![user("q")];
    messages.extend(second.store.messages());
    messages.push(user("q"));
    assert_eq!(strict(&nanobot_engine::govern::repair(messages)), Ok(()), "{place}");
}

#[test]
fn every_place_of_a_turn_survives_a_crash() {
    for last_first in [false, true] {
        let mut world = world();
        world.last_first = last_first;
        let uncut = run(&world);
        assert_eq!(uncut.ran.len(), 6);
        assert!(uncut.trace.iter().any(|effect| matches!(effect, Effect::RunCalls(calls) if calls.len() == 2)));
        let persists = uncut.trace.iter().filter(|effect| matches!(effect, Effect::Persist(_))).count();
        assert_eq!(persists, 16, "the turn has its durable steps");
        for effects in 0..uncut.trace.len() {
            for flushed in [false, true] {
                let place = format!("after {effects} effects, flushed {flushed}, reversed {last_first}");
                let cut = cut_at(&world, Store::default(), Input::Begin, effects, flushed);
                goes_on(&world, &uncut, &cut, 1, &place);
                gives_up(&world, &cut, &place);
            }
        }
    }
}

/// The second life is cut as well; the third ends the turn.
#[test]
fn two_crashes_are_no_worse_than_one() {
    let world = world();
    let uncut = run(&world);
    let step = if long() { 1 } else { 7 };
    for first in (0..uncut.trace.len()).step_by(step) {
        for second in 0..uncut.trace.len() + 4 {
            let one = cut_at(&world, Store::default(), Input::Begin, first, second % 2 == 0);
            let resume = resume_input(&one.store, 1, true);
            let mut two = cut_at(&world, one.store.clone(), resume, second, second % 3 == 0);
            if two.store.finished.is_some() {
                break;
            }
            two.shown.splice(0..0, one.shown.iter().cloned());
            two.ran.splice(0..0, one.ran.iter().cloned());
            // Calls that the second life settled as unknown, and calls that the first life cut and nobody took up yet.
            for call in two.store.ledger.values() {
                if call.status == CallStatus::Unknown {
                    two.finished.remove(&call.call.id);
                    two.unknown.insert(call.call.id.clone());
                }
                // A call that only reads waits again after it was cut.
                if call.status == CallStatus::Intended && one.running.contains(&call.call.id) {
                    two.running.insert(call.call.id.clone());
                }
            }
            two.running.extend(one.running.iter().filter(|id| !one.unknown.contains(*id)).cloned());
            let taken_back = discarded(&two.store.events);
            two.unsettled.retain(|id| !taken_back.contains(id));
            goes_on(&world, &uncut, &two, 2, &format!("after {first} and {second} effects"));
        }
    }
}

proptest! {
    #![proptest_config(cases(60, 3_000))]

    #[test]
    fn random_turns_survive_a_crash(plan in plan(), at in any::<prop::sample::Index>(), flushed in any::<bool>()) {
        let mut plan = plan;
        plan.stop_after_inputs = None;
        let world = plan.world();
        let uncut = plan.run(&world);
        let effects = at.index(uncut.trace.len());
        let cut = cut_at(&world, Store::default(), Input::Begin, effects, flushed);
        let place = format!("after {effects} effects");
        // Blank pieces may be all that was said; then nothing is kept of them, and readers see white space alone.
        let whole = |driver: &Driver<'_>| visible(&driver.store.events).trim() == spoken(&driver.store.rows).trim();
        if whole(&uncut) {
            gives_up_legally(&world, &cut, &place);
            goes_on_to_the_same_rows(&world, &uncut, &cut, &place);
        }
    }
}

fn goes_on_to_the_same_rows(world: &World, uncut: &Driver<'_>, cut: &Cut, place: &str) {
    let mut second = Driver::new(world, cut.store.clone());
    assert!(second.run(resume_input(&cut.store, 1, true)));
    let mut monitor = Monitor::default();
    cut.shown.iter().chain(&second.shown).for_each(|event| monitor.see(event));
    assert_eq!(
        without_outcome(&second.store.rows, &cut.unknown),
        without_outcome(&uncut.store.rows, &cut.unknown),
        "{place}"
    );
    assert_eq!(second.store.finished, uncut.store.finished, "{place}");
    assert!(second.ran.iter().all(|id| !cut.finished.contains(id) && !cut.unknown.contains(id)), "{place}");
}

fn gives_up_legally(world: &World, cut: &Cut, place: &str) {
    let mut second = Driver::new(world, cut.store.clone());
    assert!(second.run(resume_input(&cut.store, 4, false)));
    let mut monitor = Monitor::default();
    cut.shown.iter().chain(&second.shown).for_each(|event| monitor.see(event));
    let calls: usize = second.store.rows.iter().map(|row| row.message.calls().count()).sum();
    let results = second.store.rows.iter().filter(|row| row.message.role == Role::Tool).count();
    assert_eq!(calls, results, "{place}");
}

/// The ledger is the truth: what it says was shown and handed out is not shown or handed out again.
#[test]
fn the_ledger_wins_over_a_state_that_is_a_step_behind() {
    let world = world();
    let uncut = run(&world);
    let persists = |number: usize| {
        let places = (0..uncut.trace.len()).filter(|at| matches!(uncut.trace[*at], Effect::Persist(_)));
        places.map(|at| at + 1).nth(number).unwrap()
    };
    for (step, running) in [(1, "c1"), (3, "c2"), (4, "c3"), (6, "c4")] {
        let before = cut_at(&world, Store::default(), Input::Begin, persists(step - 1), true);
        let mut after = cut_at(&world, Store::default(), Input::Begin, persists(step), true);
        assert!(after.running.contains(running));
        after.store.checkpoint.clone_from(&before.store.checkpoint);
        goes_on(&world, &uncut, &after, 1, &format!("one step behind at {running}"));
    }
}

/// A stored state of an older version, without the fields that came later, can still be read.
#[test]
fn a_state_of_an_older_version_is_read() {
    let world = world();
    let uncut = run(&world);
    for effect in &uncut.trace {
        let Effect::Persist(step) = effect else { continue };
        let mut stored = serde_json::to_value(&step.checkpoint).unwrap();
        assert_eq!(
            serde_json::from_value::<TurnState>(stored.clone()).unwrap().next_stream,
            step.checkpoint.next_stream
        );
        stored.as_object_mut().unwrap().remove("call_ids");
        assert!(serde_json::from_value::<TurnState>(stored).is_ok());
    }
}
