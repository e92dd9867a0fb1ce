//! Recorded troubles of systems like this one.

use nanobot_engine::govern::{Decisions, Step, Surroundings};
use nanobot_engine::message::{Block, Message, Role};
use serde_json::json;

use super::{Talk, budget, governed, plain, results, step_names};
use crate::support::build::{assistant, call, result, text, user};
use crate::support::fixture;

#[test]
fn cg_01_one_message_larger_than_the_window_ends_under_the_limit_at_once() {
    let case = fixture("cg-compactor-overflow.json");
    let limit = case["context_limit"].as_u64().unwrap();
    let mut talk = Talk::default();
    for (at, tokens) in case["messages_tokens"].as_array().unwrap().iter().enumerate() {
        let words = format!("{at}: {}", "word".repeat(usize::try_from(tokens.as_u64().unwrap()).unwrap()));
        if at % 2 == 0 { talk.ask(&words) } else { talk.answer(&words) }
    }
    let first = plain(&talk.rows, limit, &Decisions::default());
    assert_eq!(step_names(&first), ["inflight"]);
    assert!(first.messages.last().unwrap().text().starts_with("20: word"), "the newest message is answered");
    assert_eq!(plain(&talk.rows, limit, &first.decisions).steps, [], "once is enough");
}

#[test]
fn cg_02_a_step_that_gains_too_little_is_not_taken_and_the_next_one_runs() {
    // Lines in place of these results would gain less than 5 % beside the request, and a summary of two short messages nothing.
    let mut talk = Talk::default();
    talk.ask("old");
    talk.answer("fine");
    talk.ask(&"word ".repeat(20_000));
    for n in 0..4 {
        talk.call(&format!("c{n}"), "read_file", &"r".repeat(600));
    }
    let first = plain(&talk.rows, 20_000, &Decisions::default());
    let names = step_names(&first);
    assert_eq!(names, ["last_resort"], "{:?}", first.steps);
    let mut decisions = first.decisions.clone();
    for _ in 0..20 {
        let again = plain(&talk.rows, 20_000, &decisions);
        assert_eq!(
            (again.steps.len(), &again.messages),
            (0, &first.messages),
            "no compaction without need, again and again"
        );
        decisions = again.decisions;
    }
    for step in &first.steps {
        assert!((step.before_tokens - step.after_tokens) * 20 >= step.before_tokens, "{step:?}");
    }
}

#[test]
fn cg_03_a_call_that_ran_reaches_the_next_request_with_its_result() {
    for force in [None, Some(Step::Microcompact), Some(Step::Inflight), Some(Step::LastResort)] {
        let mut talk = Talk::default();
        for n in 0..30 {
            talk.ask(&format!("question {n}"));
            talk.answer(&"answer ".repeat(60));
        }
        talk.ask("take one snapshot");
        talk.push(assistant(vec![Block::Call(call("s", "take_snapshot", json!({"name": "one"})))]));
        talk.push(result("s", "take_snapshot", "snapshot 1 taken"));
        let around = Surroundings { force, ..Surroundings::default() };
        for tokens in [1_000, 4_000, 100_000] {
            let sent = governed(&talk.rows, budget(tokens), &Decisions::default(), &around).unwrap();
            let [.., call, answer] = sent.messages.as_slice() else { panic!("a pair") };
            assert_eq!(call.calls().next().unwrap().name, "take_snapshot", "{force:?} at {tokens}");
            assert!(answer.text().starts_with("snapshot 1 taken"), "{force:?} at {tokens}");
        }
    }
}

#[test]
fn cg_05_words_about_an_overflow_are_words() {
    let case = fixture("cg-overflow-words-in-user-text.json");
    let words = case["messages"][0]["content"].as_str().unwrap();
    let mut talk = Talk::default();
    talk.ask(words);
    let sent = plain(&talk.rows, 8_192, &Decisions::default());
    assert_eq!((sent.messages, sent.steps), (vec![user(words)], Vec::new()));
}

#[test]
fn cg_09_nothing_is_marked_in_the_models_own_words() {
    let mut talk = Talk::default();
    talk.ask("go");
    for n in 0..40 {
        talk.push(assistant(vec![
            text(format!("step {n} {}", "s".repeat(1_500))),
            Block::Call(call(&format!("c{n}"), "exec", json!({}))),
        ]));
        talk.push(result(&format!("c{n}"), "exec", &"e".repeat(2_000)));
    }
    talk.answer(&"l".repeat(90_000));
    talk.ask("and?");
    for tokens in [3_000, 6_000, 12_000, 24_000, 60_000] {
        let sent = plain(&talk.rows, tokens, &Decisions::default());
        let stored: Vec<String> = talk.rows.iter().map(|row| row.message.text()).collect();
        for message in sent.messages.iter().filter(|message| message.role == Role::Assistant) {
            let said = message.text();
            let cut = said.strip_suffix('…').unwrap_or(&said);
            assert!(stored.iter().any(|stored| stored.starts_with(cut)), "{said:.200}");
            assert!(!said.contains('['), "{said:.200}");
        }
    }
}

#[test]
fn g1_orphans_and_duplicates_go_and_whole_pairs_stay() {
    let mut talk = Talk::default();
    talk.push(result("lost", "grep", "orphan"));
    talk.ask("go");
    talk.call("a", "grep", "found");
    talk.push(result("a", "grep", "again"));
    talk.push(result("", "grep", "nobody asked"));
    let sent = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(sent.messages, [1, 2, 3].map(|at: usize| talk.rows[at].message.clone()));
    assert_eq!(sent.steps, []);
}

#[test]
fn g2_a_lost_result_is_filled_in_for_the_model_alone() {
    let mut talk = Talk::default();
    talk.ask("go");
    talk.push(assistant(vec![Block::Call(call("a", "grep", json!({})))]));
    talk.ask("well?");
    let sent = plain(&talk.rows, 8_000, &Decisions::default());
    assert!(results(&sent.messages)[0].1.starts_with("Error: the result of this call was lost"));
    assert_eq!(talk.rows.len(), 3);
}

#[test]
fn g5_nameless_calls_go_with_the_message_that_holds_nothing_else() {
    let mut talk = Talk::default();
    talk.ask("go");
    talk.push(assistant(vec![Block::Call(call("a", " ", json!({})))]));
    talk.push(result("a", "", "Error: no such tool"));
    talk.push(assistant(vec![text("hm"), Block::Call(call("b", "", json!({})))]));
    talk.ask("well?");
    let sent = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(sent.messages, [user("go"), assistant(vec![text("hm")]), user("well?")]);
}

#[test]
fn g6_the_governed_result_is_what_is_sent() {
    let mut talk = Talk::default();
    talk.ask("go");
    talk.call("a", "exec", &"e".repeat(50_000));
    let sent = plain(&talk.rows, 100_000, &Decisions::default());
    assert_eq!(step_names(&sent), ["snip"]);
    let all: usize = sent.messages.iter().map(|message: &Message| message.text().chars().count()).sum();
    assert!(all <= 16_000 + 10, "{all}");
}

#[test]
fn the_oldest_of_eighteen_results_go_and_the_boundary_stays() {
    // Where others stop at 85 %, all but the last round go at once, so that the prefix breaks once and not at every request.
    let mut talk = Talk::default();
    talk.ask("go");
    for n in 0..18 {
        talk.call(&format!("c{n}"), "read_file", &"r".repeat(4_000));
    }
    let first = plain(&talk.rows, 20_000, &Decisions::default());
    assert_eq!(step_names(&first), ["microcompact"]);
    let whole = results(&first.messages).into_iter().filter(|(_, text)| text.len() == 4_000).count();
    assert_eq!(whole, 1);
    assert_eq!(plain(&talk.rows, 20_000, &first.decisions).messages, first.messages);
}
