//! SNIP, and how rows become messages.

use nanobot_engine::event::GovernStep;
use nanobot_engine::govern::{
    ContextBudget, Decisions, Governed, Surroundings, estimate_message, estimate_text, snip_text,
};
use nanobot_engine::message::{Block, Message, Role, Row};
use proptest::prelude::*;
use serde_json::json;

use super::governed;
use crate::support::build::{assistant, call, result, row, text, user};
use crate::support::cases;
use crate::support::checker::strict;

fn govern(rows: &[Row], max_tool_result_chars: usize) -> Governed {
    with(rows, max_tool_result_chars, &Decisions::default(), &[])
}

fn with(rows: &[Row], max_tool_result_chars: usize, decisions: &Decisions, injected: &[Message]) -> Governed {
    let budget = ContextBudget::new(1_000_000, 8_192, max_tool_result_chars);
    governed(rows, budget, decisions, &Surroundings { injected, ..Surroundings::default() }).unwrap()
}

fn tokens(messages: &[Message]) -> u64 {
    messages.iter().map(estimate_message).sum()
}

/// A turn of one call with a result of so many characters.
fn turn(rows: &mut Vec<Row>, turn: u128, id: &str, chars: usize) {
    let next = rows.len() as u64 + 1;
    rows.push(row(next, turn, user("read it")));
    rows.push(row(next + 1, turn, assistant(vec![Block::Call(call(id, "read_file", json!({"path": "a"})))])));
    rows.push(row(next + 2, turn, result(id, "read_file", &"x".repeat(chars))));
}

fn snip_step(count: usize, limit: usize, before: u64, after: u64) -> GovernStep {
    let results = if count == 1 { "1 tool result".to_owned() } else { format!("{count} tool results") };
    GovernStep {
        name: "snip".to_owned(),
        before_tokens: before,
        after_tokens: after,
        detail: format!("{results} over {limit} characters cut to head and tail"),
    }
}

#[test]
fn snip_begins_one_past_the_limit() {
    for limit in [2_000, 16_000] {
        let mut rows = Vec::new();
        turn(&mut rows, 1, "call_7", limit);
        let at = govern(&rows, limit);
        assert_eq!(at.steps, []);
        assert_eq!(at.messages, rows.iter().map(|row| row.message.clone()).collect::<Vec<_>>());

        let mut rows = Vec::new();
        turn(&mut rows, 1, "call_7", limit + 1);
        let past = govern(&rows, limit);
        let short = past.messages[2].text();
        let before = past.tokens - estimate_text(&short) + estimate_text(&"x".repeat(limit + 1));
        assert_eq!(past.steps, [snip_step(1, limit, before, past.tokens)]);
        assert!(past.tokens < before, "a step has to gain something");
        assert!(short.chars().count() <= limit);
    }
}

#[test]
fn snip_keeps_head_and_tail_and_names_the_way_to_the_rest() {
    let long = format!("BEGIN{}END", "的".repeat(50_000));
    let short = snip_text(&long, "toolu_99", 4_000).unwrap();
    assert!(short.starts_with("BEGIN的") && short.ends_with("的END"));
    assert!(short.contains("path \"result:toolu_99\""));
    let left_out = 50_008 - short.chars().filter(|c| *c == '的').count() - 8;
    assert!(short.contains(&format!("[… {left_out} of 50008 characters left out.")), "{short:.400}");
}

#[test]
fn the_note_names_the_stored_id_even_when_repair_renames_the_call() {
    let mut rows = Vec::new();
    turn(&mut rows, 1, "call_0", 10);
    rows.push(row(4, 1, assistant(vec![text("done")])));
    turn(&mut rows, 2, "call_0", 5_000);
    let governed = govern(&rows, 2_000);
    assert_eq!(strict(&governed.messages), Ok(()));
    let Block::Result { call_id, text, .. } = &governed.messages[6].blocks[0] else { panic!("a result") };
    assert_eq!(call_id, "call_0_2");
    assert!(text.contains("\"result:call_0\""));
}

#[test]
fn steps_tell_of_the_current_turn_alone() {
    let mut rows = Vec::new();
    turn(&mut rows, 1, "a", 5_000);
    let first = govern(&rows, 2_000);
    assert_eq!(first.steps.len(), 1);

    rows.push(row(4, 1, assistant(vec![text("done")])));
    rows.push(row(5, 2, user("thanks")));
    let second = govern(&rows, 2_000);
    assert_eq!(second.steps, [], "what was cut in an older turn was told of then");
    assert_eq!(second.messages[2], first.messages[2], "and is cut all the same, to the same bytes");

    turn(&mut rows, 3, "b", 5_000);
    turn(&mut rows, 3, "c", 10);
    let third = govern(&rows, 2_000);
    let cut = estimate_text(&first.messages[2].text());
    let before = third.tokens - cut + estimate_text(&"x".repeat(5_000));
    let expected = [snip_step(1, 2_000, before, third.tokens)];
    assert_eq!(third.steps, expected, "a message that joined the turn begins no new one");
    let closing = [user("close now")];
    assert_eq!(with(&rows, 2_000, &Decisions::default(), &closing).steps.len(), 1, "nor does an injected one");
    assert_eq!(with(&rows, 2_000, &third.decisions, &[]).steps, [], "and it is told once");
}

#[test]
fn a_cut_stays_as_it_was_when_the_limit_changes() {
    let mut rows = Vec::new();
    turn(&mut rows, 1, "a", 5_000);
    let first = govern(&rows, 2_000);
    turn(&mut rows, 1, "b", 4_000);
    let second = with(&rows, 1_500, &first.decisions, &[]);
    assert_eq!(second.messages[..3], first.messages[..3]);
    assert!(second.messages[5].text().chars().count() <= 1_500);
}

#[test]
fn rows_become_messages_with_context_and_without_notices() {
    let mut first = row(1, 1, user("what time is it?"));
    first.context = Some("[Now: Monday]".to_owned());
    let notice = row(2, 1, Message { role: Role::Notice, blocks: vec![text("Stopped.")] });
    let rows = [first, notice, row(3, 1, assistant(vec![text("Noon.")])), row(4, 2, user("thanks"))];
    let before = rows.clone();
    let governed = with(&rows, 16_000, &Decisions::default(), &[user("injected")]);
    assert_eq!(
        governed.messages,
        [user("what time is it?\n\n[Now: Monday]"), assistant(vec![text("Noon.")]), user("thanks\n\ninjected")]
    );
    assert_eq!((governed.tokens, governed.raw_tokens), (tokens(&governed.messages), tokens(&governed.messages)));
    assert_eq!(rows, before);
}

#[test]
fn cg_03_the_running_chain_reaches_the_next_request_whole() {
    let mut rows = Vec::new();
    for turn_number in 0..20 {
        turn(&mut rows, turn_number, &format!("c{turn_number}"), 30_000);
    }
    let governed = govern(&rows, 2_000);
    assert_eq!(strict(&governed.messages), Ok(()));
    let calls = governed.messages.iter().flat_map(Message::calls).count();
    assert_eq!(calls, 20, "no call is lost, so nothing has to be done twice");
}

proptest! {
    #![proptest_config(cases(60, 2_000))]

    #[test]
    fn governing_twice_changes_nothing(sizes in proptest::collection::vec(0..40_000_usize, 1..6), limit in 1_000..20_000_usize, wide in any::<bool>()) {
        let mut rows = Vec::new();
        for (number, size) in (0_u128..).zip(sizes) {
            turn(&mut rows, number, &format!("c{number}"), 1);
            let filler = if wide { "宽" } else { "x" };
            rows.last_mut().unwrap().message = result(&format!("c{number}"), "read_file", &filler.repeat(size));
        }
        let before = rows.clone();
        let once = govern(&rows, limit);
        prop_assert_eq!(&rows, &before);
        prop_assert_eq!(strict(&once.messages), Ok(()));
        let again = with(&rows, limit, &once.decisions, &[]);
        prop_assert_eq!(&again.steps, &[]);
        prop_assert_eq!(&Governed { steps: once.steps.clone(), ..again }, &once);
        let sent: Vec<Row> = once.messages.iter().cloned().zip(1..).map(|(message, n)| row(n, 1, message)).collect();
        prop_assert_eq!(&govern(&sent, limit).messages, &once.messages);
        for message in &once.messages {
            prop_assert!(message.text().chars().count() <= limit);
        }
    }

    #[test]
    fn the_estimate_grows_with_what_is_sent(a in ".{0,200}", b in ".{0,200}") {
        let (of_a, of_b, of_both) = (estimate_text(&a), estimate_text(&b), estimate_text(&format!("{a}{b}")));
        prop_assert!(of_both >= of_a.max(of_b), "{of_both} for {of_a} and {of_b}");
        prop_assert!(of_both <= of_a + of_b);
        let one = user(&a);
        let mut two = one.clone();
        two.blocks.push(text(b));
        prop_assert!(estimate_message(&two) >= estimate_message(&one));
        prop_assert!(estimate_message(&one) > of_a);
    }
}
