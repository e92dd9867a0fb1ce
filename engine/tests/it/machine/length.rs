//! Answers that are cut at the model's output limit.

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::machine::{CutAnswer, Input};
use nanobot_engine::message::{Block, Role};
use nanobot_engine::model::StreamEnd;
use serde_json::json;

use crate::support::build::{assistant, call, text};
use crate::support::driver::{Driver, Scripted, StoredRow, World, reply, watched};

fn cut(piece: &str) -> Scripted {
    reply().say(piece).end(StreamEnd::Length)
}

fn ending(driver: &Driver<'_>) -> (StopReason, Option<String>) {
    let ending = driver.store.finished.clone().unwrap();
    (ending.stop_reason, ending.error.map(|error| error.code))
}

fn says_so(driver: &Driver<'_>) -> bool {
    driver.shown.iter().any(|event| matches!(event, EventBody::Notice { code, .. } if code == "output_limit"))
}

#[test]
fn a_cut_answer_is_continued_and_stored_as_one() {
    let world = World::new(vec![cut("one "), cut("two "), cut("three "), reply().say("four.")]);
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    let row = StoredRow { message: assistant(vec![text("one two three four.")]), interrupted: false, answer: true };
    assert_eq!(driver.store.rows, [row]);
    assert_eq!(driver.store.finished.as_ref().unwrap().content.as_deref(), Some("one two three four."));
    assert!(!says_so(&driver));
    assert_eq!(driver.machine.state().cut, CutAnswer::default(), "a later answer has its own tries");
}

#[test]
fn the_fourth_cut_is_the_end_and_says_so() {
    let world = World::new(vec![cut("1 "), cut("2 "), cut("3 "), cut("4"), reply().say("never")]);
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    let row = StoredRow { message: assistant(vec![text("1 2 3 4")]), interrupted: true, answer: true };
    assert_eq!(driver.store.rows, [row]);
    assert!(says_so(&driver));
}

/// PS-16: half a call never runs; smaller pieces are asked for twice.
#[test]
fn a_cut_of_which_nothing_can_be_kept_is_asked_for_in_smaller_pieces() {
    let half =
        || reply().think("long thoughts").call(call("c", "write_file", json!({"path": "a"}))).end(StreamEnd::Length);
    let driver_world = World::new(vec![half(), half(), reply().say("small")]);
    let driver = watched(&driver_world);
    assert_eq!(ending(&driver), (StopReason::Completed, None));
    assert_eq!(driver.ran, [""; 0]);
    let hopeless = World::new(vec![half(), half(), half(), reply().say("never")]);
    let driver = watched(&hopeless);
    assert_eq!(ending(&driver), (StopReason::Error, Some("output_limit".to_owned())));
    assert_eq!(driver.store.rows, []);
    assert_eq!(driver.asked.len(), 3);
}

#[test]
fn calls_after_a_cut_stand_in_one_message_with_what_was_said() {
    let calls = reply().say("look").call(call("a", "list_dir", json!({"path": "a"})));
    let world = World::new(vec![cut("Let me "), calls, reply().say("done")]);
    let driver = watched(&world);
    let first = driver.store.rows[0].message.clone();
    assert_eq!((first.role, first.text().as_str(), first.calls().count()), (Role::Assistant, "Let me look", 1));
    assert!(matches!(first.blocks.last(), Some(Block::Call(_))));
    assert_eq!(ending(&driver), (StopReason::Completed, None));
}

#[test]
fn stop_and_failure_keep_all_that_was_said() {
    let world = World::new(vec![cut("one "), reply().say("two").end(StreamEnd::Truncated)]);
    let driver = watched(&world);
    assert_eq!(ending(&driver), (StopReason::Error, Some("stream_truncated".to_owned())));
    assert_eq!(driver.store.rows.last().map(|row| row.message.text()).as_deref(), Some("one two"));

    let world = World::new(vec![cut("one "), reply().say("two")]);
    // Begin, ready, text, end, ready: then Stop comes in place of the second answer's text.
    let mut driver = Driver::new(&world, Default::default()).stop_after_inputs(5);
    assert!(driver.run(Input::Begin));
    assert_eq!(ending(&driver), (StopReason::Cancelled, None));
    let last = driver.store.rows.last().unwrap();
    assert_eq!((last.message.text().as_str(), last.interrupted), ("one ", true));
}

#[test]
fn the_model_is_shown_what_it_said_and_where_it_stopped() {
    let said =
        CutAnswer { text: format!("{}the end", "x".repeat(100)), shown: Vec::new(), continuations: 1, smaller: 0 };
    let sent = said.request();
    assert_eq!((sent[0].role, sent[0].text().as_str()), (Role::Assistant, said.text.as_str()));
    let tail: String = said.text.chars().skip(said.text.chars().count() - 64).collect();
    assert!(sent[1].role == Role::User && sent[1].text().contains(&format!("<said>{tail}</said>")));
    let nothing = CutAnswer { smaller: 1, ..CutAnswer::default() }.request();
    assert!(matches!(&nothing[..], [only] if only.text().contains("smaller pieces")));
}
