//! The last resort: whatever there is, the request fits tokens and bytes, or it is said that it cannot.

use std::collections::BTreeMap;

use nanobot_engine::govern::{ContextBudget, ContextGovernance, Decisions, GovernError, Surroundings, fixed_cost};
use nanobot_engine::message::{Block, Message, Role};
use nanobot_engine::tool::{Concurrency, ToolSpec};
use serde_json::json;

use super::{Talk, budget, governed, plain, results, step_names};
use crate::support::build::{assistant, call, result, row, text, thinking, user};

#[test]
fn one_giant_user_message_is_cut_and_the_rest_stays() {
    for words in ["word ".repeat(200_000), "字".repeat(300_000)] {
        let mut talk = Talk::default();
        talk.ask("hello");
        talk.answer("Hello. What is it?");
        talk.ask(&format!("BEGIN {words} END"));
        let cut = plain(&talk.rows, 16_000, &Decisions::default());
        assert_eq!(step_names(&cut), ["last_resort"]);
        assert!(cut.tokens > 5_000, "{}: as much stays as fits", cut.tokens);
        assert_eq!(cut.messages[..2], [user("hello"), assistant(vec![text("Hello. What is it?")])]);
        let said = cut.messages[2].text();
        assert!(said.starts_with("BEGIN ") && said.ends_with(" END") && said.contains("characters left out"));
    }
}

#[test]
fn a_result_of_a_megabyte_fits_without_the_limit_of_results() {
    let mut talk = Talk::default();
    talk.ask("read");
    talk.call("big", "write_file", &"m".repeat(1_000_000));
    let loose = ContextBudget { max_tool_result_chars: usize::MAX, ..budget(16_000) };
    let cut = governed(&talk.rows, loose, &Decisions::default(), &Surroundings::default()).unwrap();
    assert_eq!(step_names(&cut), ["last_resort"]);
    let sent = results(&cut.messages);
    assert!(sent[0].1.contains("path \"result:big\""), "the way to the rest is named");
    assert_eq!(cut.messages[0], user("read"));
}

#[test]
fn giant_arguments_are_cut_and_the_pair_stays() {
    let mut talk = Talk::default();
    talk.ask("write it");
    talk.push(assistant(vec![Block::Call(call(
        "w",
        "write_file",
        json!({"path": "a.txt", "content": "c".repeat(900_000)}),
    ))]));
    talk.push(result("w", "write_file", "written"));
    let cut = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(step_names(&cut), ["last_resort"]);
    let call = cut.messages[1].calls().next().unwrap();
    assert_eq!((call.id.as_str(), &call.arguments["path"]), ("w", &json!("a.txt")));
    assert_eq!(results(&cut.messages), [("w".to_owned(), "written".to_owned())]);
}

#[test]
fn many_small_arguments_cannot_hide() {
    let mut talk = Talk::default();
    talk.ask("write it");
    let many: Vec<u32> = (0..200_000).collect();
    talk.push(assistant(vec![Block::Call(call("w", "write_file", json!({"rows": many})))]));
    talk.push(result("w", "write_file", "written"));
    let cut = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(results(&cut.messages), [("w".to_owned(), "written".to_owned())]);
}

#[test]
fn signed_reasoning_goes_whole_or_not_at_all() {
    let mut talk = Talk::default();
    talk.ask("think");
    let sealed =
        |size: usize| Block::ProviderItem { by: "stub/model".to_owned(), item: json!({"data": "E".repeat(size)}) };
    talk.push(assistant(vec![
        thinking("small", Some("SIG")),
        sealed(600_000),
        text("hm"),
        Block::Call(call("a", "write_file", json!({}))),
    ]));
    talk.push(result("a", "write_file", "ok"));
    talk.push(assistant(vec![
        thinking("kept", Some("SIG")),
        sealed(400),
        Block::Call(call("b", "write_file", json!({}))),
    ]));
    talk.push(result("b", "write_file", "ok"));
    let cut = plain(&talk.rows, 8_000, &Decisions::default());
    assert_eq!(step_names(&cut), ["last_resort"]);
    assert_eq!(cut.messages[1].blocks.len(), 2, "all of it goes: {:?}", cut.messages[1]);
    assert_eq!(cut.messages[3], talk.rows[3].message, "all of it stays");
}

#[test]
fn cg_07_an_image_that_is_too_large_for_the_provider_does_not_brick_the_session() {
    let mut talk = Talk::default();
    let image = |id: &str| Block::Image { mime: "image/png".to_owned(), media_id: id.to_owned() };
    talk.push(Message { role: Role::User, blocks: vec![image("big"), text("what is it?")] });
    talk.answer("I cannot see it.");
    talk.push(Message { role: Role::User, blocks: vec![image("small"), text("and this?")] });
    talk.answer("A cat.");
    talk.ask("thanks");
    let media = BTreeMap::from([("big".to_owned(), 30_000_000), ("small".to_owned(), 200_000)]);
    let around = Surroundings { media_bytes: Some(&media), ..Surroundings::default() };
    let cut = governed(&talk.rows, budget(100_000), &Decisions::default(), &around).unwrap();
    assert_eq!(step_names(&cut), ["last_resort"]);
    assert!(cut.messages[0].text().contains("[An image was left out to save room.]"));
    assert!(cut.messages[0].text().contains("what is it?"));
    assert_eq!(cut.messages[2], talk.rows[2].message, "an image that fits stays");
    assert!(cut.bytes < 300_000);
    talk.answer("You are welcome.");
    talk.ask("bye");
    let next = governed(&talk.rows, budget(100_000), &cut.decisions, &around).unwrap();
    assert_eq!((next.steps.len(), &next.messages[..5]), (0, &cut.messages[..5]));
}

#[test]
fn images_and_documents_are_counted() {
    let mut talk = Talk::default();
    talk.push(Message {
        role: Role::User,
        blocks: vec![
            Block::Image { mime: "image/png".to_owned(), media_id: "i".to_owned() },
            Block::Document { mime: "application/pdf".to_owned(), name: "a.pdf".to_owned(), media_id: "d".to_owned() },
        ],
    });
    let media = BTreeMap::from([("i".to_owned(), 1_000_000), ("d".to_owned(), 2_000_000)]);
    let around = Surroundings { media_bytes: Some(&media), ..Surroundings::default() };
    let sent = governed(&talk.rows, budget(100_000), &Decisions::default(), &around).unwrap();
    assert!(sent.tokens >= 9_600 && sent.bytes >= 3_000_000, "{} tokens, {} bytes", sent.tokens, sent.bytes);
    let bare = governed(&talk.rows, budget(100_000), &Decisions::default(), &Surroundings::default()).unwrap();
    assert!(bare.bytes < 1_000, "what is not there is not sent");
}

#[test]
fn g3_tools_and_system_prompt_are_reserved() {
    let tool = ToolSpec {
        name: "read_file".to_owned(),
        description: "d".repeat(4_000),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string", "description": "p".repeat(4_000)}}}),
        concurrency: Concurrency::Shared,
    };
    let fixed = fixed_cost(&"s".repeat(4_000), &[tool.clone(), tool]);
    assert!(fixed.tokens >= 5_000 && fixed.bytes >= 20_000, "{fixed:?}");
    let mut talk = Talk::default();
    for n in 0..30 {
        talk.ask(&format!("question {n} {}", "q".repeat(400)));
        talk.answer(&"a".repeat(400));
    }
    talk.ask("now?");
    let whole = plain(&talk.rows, 9_000, &Decisions::default());
    assert_eq!(whole.steps, []);
    let around = Surroundings { fixed, ..Surroundings::default() };
    let tight = governed(&talk.rows, budget(9_000), &Decisions::default(), &around).unwrap();
    assert_eq!(step_names(&tight), ["inflight"]);
    assert_eq!(tight.steps[0].before_tokens, whole.tokens + fixed.tokens);
    assert!(tight.tokens >= fixed.tokens);
}

#[test]
fn g3_a_history_without_a_user_message_survives() {
    let mut talk = Talk::default();
    for n in 0..40 {
        talk.call(&format!("c{n}"), "write_file", &"w".repeat(4_000));
    }
    let cut = plain(&talk.rows, 8_000, &Decisions::default());
    assert!(cut.messages.first().is_none_or(|message| message.role == Role::User));
    assert_eq!(plain(&[], 8_000, &Decisions::default()).messages, []);
}

#[test]
fn a_flood_of_messages_without_answers_becomes_a_summary() {
    let mut talk = Talk::default();
    for n in 0..3_000 {
        talk.push(user(&format!("line {n} of what I had to say")));
    }
    let cut = plain(&talk.rows, 4_000, &Decisions::default());
    assert_eq!(step_names(&cut), ["inflight"]);
    assert!(cut.messages[0].text().ends_with("line 2999 of what I had to say"));
}

#[test]
fn a_broad_last_round_falls_before_the_request_does() {
    let mut talk = Talk::default();
    talk.ask("look everywhere");
    let calls = (0..400).map(|n| Block::Call(call(&format!("c{n}"), "grep", json!({"pattern": format!("p{n}")}))));
    talk.push(assistant(calls.collect()));
    for n in 0..400 {
        talk.push(result(&format!("c{n}"), "grep", "nothing was found"));
    }
    let cut = plain(&talk.rows, 3_000, &Decisions::default());
    assert_eq!(step_names(&cut), ["last_resort"]);
    assert!(cut.messages[0].text().ends_with("look everywhere"));
    assert!(cut.messages[0].text().contains("- You called grep"));
}

#[test]
fn a_long_injected_message_is_cut_too() {
    let mut talk = Talk::default();
    talk.ask("go");
    let injected = [user(&"i".repeat(400_000))];
    let around = Surroundings { injected: &injected, ..Surroundings::default() };
    let cut = governed(&talk.rows, budget(8_000), &Decisions::default(), &around).unwrap();
    assert!(cut.messages[0].text().starts_with("go\n\ni"));
}

#[test]
fn the_models_own_facts_of_a_row_are_cut_too() {
    let mut row = row(1, 1, user("what time is it?"));
    row.context = Some(format!("[Now: {}]", "M".repeat(400_000)));
    let cut = plain(&[row], 8_000, &Decisions::default());
    assert!(cut.messages[0].text().starts_with("what time is it?\n\n[Now: MM"));
}

#[test]
fn a_window_that_is_too_small_for_anything_is_an_error() {
    let mut talk = Talk::default();
    talk.ask("hello, are you there? Please tell me what you can do for me.");
    let around = Surroundings { fixed: fixed_cost(&"s".repeat(40_000), &[]), ..Surroundings::default() };
    let error =
        ContextGovernance { budget: budget(4_000) }.govern(&talk.rows, &Decisions::default(), &around).unwrap_err();
    let GovernError::TooSmall { tokens, budget_tokens, .. } = error.clone();
    assert!(tokens > 10_000 && budget_tokens == 4_000, "{error}");
    assert!(error.to_string().contains("choose a model with a larger window"), "{error}");
    let none = ContextBudget { window_tokens: 0, max_bytes: 0, ..budget(4_000) };
    assert!(
        ContextGovernance { budget: none }.govern(&talk.rows, &Decisions::default(), &Surroundings::default()).is_err()
    );
}
