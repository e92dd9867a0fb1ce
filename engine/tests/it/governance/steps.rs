//! MICROCOMPACT and INFLIGHT: when they are due, what they do, and that they do it once.

use nanobot_engine::govern::{Cut, Decisions, Step, Surroundings, is_compactable};
use nanobot_engine::id::MessageId;
use nanobot_engine::message::{Block, Message, Role};
use serde_json::json;

use super::{Talk, budget, governed, plain, results, step_names};
use crate::support::build::{assistant, call, result, text, thinking};

/// A turn of so many rounds, each with a result of so many characters.
fn rounds(count: usize, tool: &str, chars: usize) -> Talk {
    let mut talk = Talk::default();
    talk.ask("look through all of them");
    for n in 0..count {
        talk.call(&format!("c{n}"), tool, &format!("{n}{}", "x".repeat(chars - 1)));
    }
    talk
}

fn is_line(text: &str) -> bool {
    text.contains("left out to save room") && !text.contains('\n')
}

#[test]
fn g4_below_sixty_percent_nothing_is_touched_and_above_it_older_results_become_lines() {
    // 5 results of 4,000 characters: about 5,000 tokens and overhead.
    let talk = rounds(5, "read_file", 4_000);
    let whole = plain(&talk.rows, 100_000, &Decisions::default());
    assert_eq!(whole.steps, []);
    assert_eq!(whole.messages, talk.rows.iter().map(|row| row.message.clone()).collect::<Vec<_>>());
    let roomy = (whole.tokens * 100).div_ceil(60);
    assert_eq!(plain(&talk.rows, roomy, &Decisions::default()).messages, whole.messages, "at 60 % nothing happens");

    let tight = plain(&talk.rows, roomy - 2, &Decisions::default());
    assert_eq!(step_names(&tight), ["microcompact"]);
    assert_eq!(tight.steps[0].before_tokens, whole.tokens);
    assert_eq!(tight.steps[0].after_tokens, tight.tokens);
    assert_eq!(tight.steps[0].detail, "4 older tool results replaced by a line each");
    let sent = results(&tight.messages);
    for (id, text) in &sent[..4] {
        assert!(is_line(text), "{text}");
        assert!(text.chars().count() < 500);
        for part in ["read_file", &format!("src/{id}.rs"), "4000 characters", &format!("path \"result:{id}\"")] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert_eq!(sent[4].1.len(), 4_000, "the newest result is untouched");
    let calls = |messages: &[Message]| messages.iter().flat_map(Message::calls).cloned().collect::<Vec<_>>();
    assert_eq!(calls(&tight.messages), calls(&whole.messages), "calls stay as they are");
}

#[test]
fn g4_short_results_other_tools_and_the_last_round_are_kept() {
    let mut talk = Talk::default();
    talk.ask("go");
    talk.call("short", "read_file", &"s".repeat(499));
    talk.call("at", "read_file", &"a".repeat(500));
    talk.call("write", "write_file", &"w".repeat(6_000));
    talk.call("mcp", "mcp_files_get", &"m".repeat(6_000));
    talk.call("mine", "mcpish", &"n".repeat(6_000));
    talk.call("exec", "exec", &"e".repeat(6_000));
    let two = vec![Block::Call(call("l1", "grep", json!({}))), Block::Call(call("l2", "grep", json!({})))];
    talk.push(assistant(two));
    talk.push(result("l1", "grep", &"1".repeat(6_000)));
    talk.push(result("l2", "grep", &"2".repeat(6_000)));
    let tight = plain(&talk.rows, 12_500, &Decisions::default());
    assert_eq!(step_names(&tight), ["microcompact"]);
    let lines: Vec<String> =
        results(&tight.messages).into_iter().filter(|(_, text)| is_line(text)).map(|(id, _)| id).collect();
    assert_eq!(lines, ["at", "mcp", "exec"]);
}

#[test]
fn two_older_results_are_not_worth_a_break() {
    let talk = rounds(3, "read_file", 4_000);
    assert_eq!(plain(&talk.rows, 4_500, &Decisions::default()).steps, []);
    let forced = Surroundings { force: Some(Step::Microcompact), ..Surroundings::default() };
    let shrunk = governed(&talk.rows, budget(100_000), &Decisions::default(), &forced).unwrap();
    assert_eq!(step_names(&shrunk), ["microcompact"], "unless the provider refused the request");
}

#[test]
fn the_tools_whose_results_can_be_had_again() {
    for tool in ["read_file", "exec", "grep", "find_files", "web_search", "web_fetch", "list_dir", "list_exec_sessions"]
    {
        assert!(is_compactable(tool), "{tool}");
    }
    assert!(is_compactable("mcp_github_get_issue"));
    for tool in ["write_file", "mcp", "mcpx", "Read_file", ""] {
        assert!(!is_compactable(tool), "{tool}");
    }
}

#[test]
fn g4_what_was_decided_is_repeated_and_only_added_to() {
    let mut talk = rounds(5, "read_file", 4_000);
    let first = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(step_names(&first), ["microcompact"]);
    talk.call("d0", "read_file", &"d".repeat(4_000));
    let second = plain(&talk.rows, 8_000, &first.decisions);
    assert_eq!(second.steps, [], "one new result is not worth a break, and what was told is not told again");
    assert_eq!(second.messages[..first.messages.len()], first.messages, "the prefix stays byte for byte");
    for n in 1..4 {
        talk.call(&format!("d{n}"), "read_file", &"d".repeat(4_000));
    }
    let third = plain(&talk.rows, 8_000, &second.decisions);
    assert_eq!(step_names(&third), ["microcompact"]);
    assert_eq!(third.steps[0].detail, "4 older tool results replaced by a line each", "no result a second time");
    assert_eq!(third.messages[..9], first.messages[..9]);
    assert!(third.decisions.cuts.starts_with(&second.decisions.cuts));
}

#[test]
fn a_failed_call_and_long_arguments_are_told_in_their_line() {
    let mut talk = Talk::default();
    talk.ask("go");
    for n in 0..3 {
        let id = format!("c{n}");
        talk.push(assistant(vec![Block::Call(call(&id, "exec", json!({"command": "c".repeat(9_000)})))]));
        let mut failed = result(&id, "exec", &"e".repeat(9_000));
        let Block::Result { status, .. } = &mut failed.blocks[0] else { unreachable!() };
        *status = nanobot_engine::tool::CallStatus::Error;
        talk.push(failed);
    }
    talk.call("last", "exec", "ok");
    let tight = plain(&talk.rows, 18_000, &Decisions::default());
    assert_eq!(step_names(&tight), ["microcompact"]);
    for (id, text) in &results(&tight.messages)[..3] {
        assert!(text.contains("failed with 9000 characters") && text.contains(id), "{text}");
        assert!(text.chars().count() < 500);
    }
}

/// A chat of plain answers, each of about 200 tokens.
fn chat(turns: usize) -> Talk {
    let mut talk = Talk::default();
    for n in 0..turns {
        talk.ask(&format!("question {n} {}", "q".repeat(380)));
        talk.answer(&format!("answer {n} {}", "a".repeat(380)));
    }
    talk.ask("and now?");
    talk
}

#[test]
fn inflight_begins_at_eighty_five_percent_and_leaves_a_summary_and_a_tail() {
    let talk = chat(40);
    let whole = plain(&talk.rows, 100_000, &Decisions::default());
    assert_eq!(whole.steps, []);
    let below = whole.tokens * 100 / 85 + 2;
    assert_eq!(plain(&talk.rows, below, &Decisions::default()).steps, []);
    let at = whole.tokens * 100 / 85 - 1;
    let tight = plain(&talk.rows, at, &Decisions::default());
    assert_eq!(step_names(&tight), ["inflight"]);
    assert_eq!((tight.steps[0].before_tokens, tight.steps[0].after_tokens), (whole.tokens, tight.tokens));
    assert!(tight.tokens <= at / 2 + at / 16, "{} of {at}: the next cut is far away", tight.tokens);
    assert!(tight.tokens > at / 4, "{} of {at}: no more goes than has to", tight.tokens);
    let head = tight.messages[0].clone();
    assert_eq!(head.role, Role::User);
    for part in [
        "[Record of the earlier part",
        "- The user: question 0",
        "- You said: answer 20",
        "not listed",
        "[End of the record",
    ] {
        assert!(head.text().contains(part), "{part} in {}", head.text());
    }
    let last = tight.messages.last().unwrap();
    assert_eq!(last.text(), "and now?");
    let tail = tight.messages.len() - 1;
    let stored: Vec<Message> = talk.rows.iter().map(|row| row.message.clone()).collect();
    assert_eq!(tight.messages[1..], stored[stored.len() - tail..], "the tail is sent as it is stored");
    let decided = tight.decisions.head.as_ref().unwrap();
    assert_eq!(decided.until, talk.rows[stored.len() - tail - 1].id);
}

#[test]
fn a_head_stays_and_grows_at_its_end() {
    let mut talk = chat(40);
    let first = plain(&talk.rows, 9_000, &Decisions::default());
    assert_eq!(step_names(&first), ["inflight"]);
    talk.answer("as I said");
    talk.ask("thanks");
    let second = plain(&talk.rows, 9_000, &first.decisions);
    assert_eq!(second.steps, []);
    assert_eq!(second.messages[..first.messages.len()], first.messages);
    for n in 0..25 {
        talk.answer(&format!("more {n} {}", "a".repeat(380)));
        talk.ask(&format!("more? {n} {}", "q".repeat(380)));
    }
    let third = plain(&talk.rows, 9_000, &second.decisions);
    assert_eq!(step_names(&third), ["inflight"]);
    let text = |decisions: &Decisions| decisions.head.as_ref().unwrap().text.clone();
    assert!(text(&third.decisions).starts_with(&text(&first.decisions)), "what the summary said stays in front");
    assert!(text(&third.decisions).contains("- You said: more "));
}

#[test]
fn inflight_keeps_pinned_rows_the_request_of_the_turn_and_three_rounds() {
    let mut talk = chat(10);
    talk.push(assistant(vec![
        thinking("", Some("SIG")),
        Block::Call(call("plan", "set_plan", json!({"steps": ["a", "b"]}))),
    ]));
    talk.push(result("plan", "set_plan", "The plan: a, then b."));
    let plan = talk.rows.last().unwrap().id;
    talk.answer("planned");
    talk.ask("the real task: count the files");
    for n in 0..12 {
        talk.call(&format!("w{n}"), "write_file", &"w".repeat(4_000));
    }
    let pinned = [plan];
    let around = Surroundings { pinned: &pinned, ..Surroundings::default() };
    let tight = governed(&talk.rows, budget(10_000), &Decisions::default(), &around).unwrap();
    assert_eq!(step_names(&tight), ["inflight"]);
    let sent = results(&tight.messages);
    assert_eq!(sent[0], ("plan".to_owned(), "The plan: a, then b.".to_owned()));
    let signed = tight.messages.iter().find(|message| message.calls().any(|call| call.id == "plan")).unwrap();
    assert!(matches!(signed.blocks[0], Block::Thinking { signature: Some(_), .. }), "signed reasoning stays whole");
    assert!(tight.messages.iter().any(|m| m.role == Role::User && m.text().contains("the real task: count the files")));
    assert!(sent.len() >= 4, "at least the last three rounds");
    assert_eq!(sent.last().unwrap().0, "w11");
    assert!(sent[1..].iter().all(|(_, text)| text.len() == 4_000));
    // What was done in the head is told, so that it is not done again.
    let head = tight.decisions.head.as_ref().unwrap();
    assert!(
        head.text.contains("- You called write_file {\"path\":\"src/w0.rs\"}: done, 4000 characters"),
        "{}",
        head.text
    );
    assert_eq!(head.kept.len(), 3, "the plan's round and the request");
    let again = governed(&talk.rows, budget(10_000), &tight.decisions, &around).unwrap();
    assert_eq!(again.messages, tight.messages);
}

#[test]
fn words_are_kept_with_the_image_that_was_sent_behind_them() {
    let mut talk = chat(20);
    talk.ask("what is in this picture?");
    talk.push(Message {
        role: Role::User,
        blocks: vec![Block::Image { mime: "image/png".to_owned(), media_id: "m".to_owned() }],
    });
    for n in 0..8 {
        talk.turn += 1;
        talk.call(&format!("w{n}"), "write_file", &"w".repeat(4_000));
    }
    let tight = plain(&talk.rows, 9_000, &Decisions::default());
    assert_eq!(step_names(&tight), ["inflight"]);
    let asked = &tight.messages[0];
    assert!(asked.text().ends_with("what is in this picture?"), "{asked:?}");
    assert!(matches!(asked.blocks.last(), Some(Block::Image { .. })));
}

#[test]
fn a_row_pinned_after_its_head_was_cut_comes_back() {
    let talk = chat(40);
    let cut = plain(&talk.rows, 9_000, &Decisions::default());
    assert!(
        !cut.messages
            .iter()
            .any(|message| message.text().contains(&"q".repeat(380)) && message.text().contains("question 3 "))
    );
    let pinned = [talk.rows[6].id];
    let around = Surroundings { pinned: &pinned, ..Surroundings::default() };
    let with = governed(&talk.rows, budget(9_000), &cut.decisions, &around).unwrap();
    assert!(with.messages.iter().any(|message| message.text().contains(&format!("question 3 {}", "q".repeat(380)))));
}

#[test]
fn a_consolidation_leads_the_summary_and_is_capped() {
    let talk = chat(40);
    let around = Surroundings { consolidation: Some("The user likes tea."), ..Surroundings::default() };
    let tight = governed(&talk.rows, budget(9_000), &Decisions::default(), &around).unwrap();
    let head = &tight.decisions.head.as_ref().unwrap().text;
    let (noted, happened) = (head.find("The user likes tea.").unwrap(), head.find("- The user: question 0").unwrap());
    assert!(noted < happened);
    let long = "note ".repeat(20_000);
    let around = Surroundings { consolidation: Some(&long), ..Surroundings::default() };
    let tight = governed(&talk.rows, budget(9_000), &Decisions::default(), &around).unwrap();
    assert!(tight.tokens < 6_000, "{}", tight.tokens);
    assert!(tight.decisions.head.as_ref().unwrap().text.contains("- The user: question 0"));
}

#[test]
fn decisions_of_another_branch_have_no_effect() {
    let talk = chat(40);
    let cut = plain(&talk.rows, 9_000, &Decisions::default());
    let mut other = Talk::default();
    other.ask("hello");
    let mut decisions = cut.decisions;
    decisions.head.as_mut().unwrap().until = MessageId(uuid::Uuid::from_u128(7));
    let fresh = plain(&other.rows, 9_000, &decisions);
    assert_eq!(fresh.messages, [Message::user("hello")]);
    assert_eq!(fresh.decisions, Decisions::default());
}

#[test]
fn a_provider_that_paused_goes_on_with_all_it_gave() {
    let mut talk = chat(20);
    talk.ask("search for it");
    let item = |n: usize| Block::ProviderItem {
        by: "stub/model".to_owned(),
        item: json!({"n": n, "data": "E".repeat(2_000)}),
    };
    talk.push(assistant(vec![item(0), Block::Pause]));
    talk.push(assistant(vec![item(1), text("found"), Block::Call(call("w", "write_file", json!({})))]));
    talk.push(result("w", "write_file", "ok"));
    talk.call("x", "write_file", &"x".repeat(3_000));
    talk.call("y", "write_file", &"y".repeat(3_000));
    for tokens in [1_500, 2_500, 4_000, 6_000, 9_000] {
        let tight = plain(&talk.rows, tokens, &Decisions::default());
        let items = tight.messages.iter().flat_map(|message| &message.blocks);
        let items = items.filter(|block| matches!(block, Block::ProviderItem { .. })).count();
        assert!(items == 0 || items == 2, "{items} of 2 at {tokens}");
    }
}

#[test]
fn forced_steps_go_on_to_the_next_until_one_gains() {
    let talk = chat(40);
    let force = |step, decisions: &Decisions| {
        let around = Surroundings { force: Some(step), ..Surroundings::default() };
        governed(&talk.rows, budget(100_000), decisions, &around).unwrap()
    };
    let first = force(Step::Microcompact, &Decisions::default());
    assert_eq!(step_names(&first), ["inflight"], "there are no results to make lines of");
    assert!(first.tokens * 10 < first.steps[0].before_tokens * 7);
    let second = force(Step::Inflight.next(), &first.decisions);
    assert_eq!(step_names(&second), ["last_resort"]);
    assert!(second.tokens < first.tokens);
    let later = plain(&talk.rows, 100_000, &second.decisions);
    assert_eq!((&later.messages, later.steps.len()), (&second.messages, 0), "the next request stays as small");

    let mut least = Talk::default();
    least.ask("hi");
    let around = Surroundings { force: Some(Step::Microcompact), ..Surroundings::default() };
    let nothing = governed(&least.rows, budget(100_000), &Decisions::default(), &around).unwrap();
    assert_eq!(nothing.steps, [], "no step tells that nothing can be made smaller");
    assert_eq!(nothing.decisions, Decisions::default());
}

#[test]
fn decisions_are_small_and_readable() {
    let talk = rounds(5, "read_file", 20_000);
    let tight = plain(&talk.rows, 20_000, &Decisions::default());
    assert_eq!(step_names(&tight), ["snip", "microcompact"]);
    let json = serde_json::to_string(&tight.decisions).unwrap();
    assert!(json.len() < 2_000, "{json}");
    assert_eq!(serde_json::from_str::<Decisions>(&json).unwrap(), tight.decisions);
    assert_eq!(serde_json::from_str::<Decisions>("{}").unwrap(), Decisions::default());
    assert_eq!(tight.decisions.cuts[4].cut, Cut::Shorten { max_chars: 16_000 });
    assert!(json.contains(r#""cut":{"form":"shorten","max_chars":16000}"#), "{json}");
}
