//! Repair: whatever is stored, what a model is sent is legal.

use std::collections::HashSet;

use nanobot_engine::govern::repair;
use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::tool::CallStatus;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::build::{assistant, call, result, text, thinking, user};
use crate::support::checker::strict;
use crate::support::{cases, fixture};

fn id() -> impl Strategy<Value = String> {
    prop_oneof![
        2 => Just(String::new()),
        1 => Just("  ".to_owned()),
        8 => prop_oneof![Just("a"), Just("b"), Just("c"), Just("a_2"), Just("call"), Just("call_2")].prop_map(str::to_owned),
        1 => Just("x".repeat(80)),
        1 => Just("调用|1".to_owned()),
    ]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => Just(String::new()),
        8 => Just(" \n\t".to_owned()),
        24 => "[a-z]{1,8}",
        8 => "[的文字你好👩‍👧é]{1,6}",
        1 => Just("long ".repeat(4_000)),
        4 => Just("\u{0}".to_owned()),
    ]
}

/// Reasoning that only its provider can read.
fn sealed(data: &str) -> Block {
    let item = json!({"type": "redacted_thinking", "data": data});
    Block::ProviderItem { by: "stub/model".to_owned(), item }
}

fn tool_call() -> impl Strategy<Value = ToolCall> {
    let name = prop_oneof![1 => Just(""), 1 => Just(" "), 6 => Just("ls"), 3 => Just("write")];
    (id(), name, 0..3_u8).prop_map(|(id, name, n)| call(&id, name, json!({"n": n})))
}

fn block() -> impl Strategy<Value = Block> {
    let status = prop_oneof![Just(CallStatus::Ok), Just(CallStatus::Error), Just(CallStatus::Unknown)];
    prop_oneof![
        4 => words().prop_map(text),
        4 => tool_call().prop_map(Block::Call),
        4 => (id(), words(), status).prop_map(|(call_id, text, status)| Block::Result {
            call_id, name: "ls".to_owned(), status, text,
        }),
        1 => (words(), proptest::option::of(Just("SIG"))).prop_map(|(text, signature)| thinking(&text, signature)),
        1 => Just(sealed("ENC")),
        1 => Just(Block::Pause),
        1 => Just(Block::Image { mime: "image/png".to_owned(), media_id: "m1".to_owned() }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let any_role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::Notice)];
    prop_oneof![
        3 => words().prop_map(|words| user(&words)),
        3 => proptest::collection::vec(tool_call().prop_map(Block::Call), 1..4).prop_map(assistant),
        2 => words().prop_map(|words| assistant(vec![text(words)])),
        4 => (id(), words()).prop_map(|(id, words)| result(&id, "ls", &words)),
        1 => words().prop_map(|words| assistant(vec![thinking(&words, None)])),
        2 => (any_role, proptest::collection::vec(block(), 0..4)).prop_map(|(role, blocks)| Message { role, blocks }),
    ]
}

/// Every text is told apart by the place it stands at.
fn history() -> impl Strategy<Value = Vec<Message>> {
    proptest::collection::vec(message(), 0..24).prop_map(|mut messages| {
        for (at, block) in messages.iter_mut().flat_map(|message| &mut message.blocks).enumerate() {
            if let Block::Text { text } | Block::Result { text, .. } = block
                && !text.trim().is_empty()
            {
                *text = format!("{text} <{at}>");
            }
        }
        messages
    })
}

/// A conversation as nanobot itself would store it.
fn legal() -> impl Strategy<Value = Vec<Message>> {
    let round = (1..4_usize, any::<bool>(), any::<bool>());
    let turn = (proptest::collection::vec(round, 0..3), any::<bool>());
    proptest::collection::vec(turn, 1..4).prop_map(|turns| {
        let (mut messages, mut number) = (Vec::new(), 0);
        let last = turns.len() - 1;
        for (at, (rounds, answered)) in turns.into_iter().enumerate() {
            messages.push(user(&format!("question {at}")));
            let mut said = false;
            for (calls, speaks, thinks) in rounds {
                let mut blocks = Vec::new();
                if thinks {
                    blocks.push(thinking("", Some("SIG")));
                }
                if speaks {
                    blocks.push(text("let me look"));
                }
                let ids: Vec<String> = (0..calls).map(|call| format!("c{}", number + call)).collect();
                number += calls;
                blocks.extend(ids.iter().map(|id| Block::Call(call(id, "ls", json!({"n": 1})))));
                messages.push(assistant(blocks));
                messages.extend(ids.iter().map(|id| result(id, "ls", "files")));
                said = true;
            }
            if at < last && (answered || !said) {
                messages.push(assistant(vec![text("answer")]));
            }
        }
        messages
    })
}

fn results(messages: &[Message]) -> Vec<String> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    blocks
        .filter_map(|block| match block {
            Block::Result { text, .. } => Some(text.clone()),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(cases(500, 10_000))]

    #[test]
    fn any_history_becomes_legal(history in history()) {
        let repaired = repair(history.clone());
        if let Err(problem) = strict(&repaired) {
            return Err(TestCaseError::fail(problem));
        }
        prop_assert_eq!(&repair(repaired.clone()), &repaired);

        let newest = history.iter().rev().filter(|message| message.role == Role::User).find_map(|message| {
            let said: Vec<&str> = message.blocks.iter().filter_map(|block| match block {
                Block::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
                _ => None,
            }).collect();
            (!said.is_empty()).then(|| said.into_iter().map(str::to_owned).collect::<Vec<_>>())
        });
        if let Some(newest) = newest {
            let kept = repaired.iter().rev().filter(|message| message.role == Role::User);
            let kept = kept.map(Message::text).find(|kept| newest.iter().all(|said| kept.contains(said.as_str())));
            prop_assert!(kept.is_some(), "the newest user message is gone");
        }

        // No result is made up or handed out twice.
        let known: HashSet<String> = results(&history).into_iter().collect();
        let mut given = HashSet::new();
        for text in results(&repaired) {
            if known.contains(&text) {
                prop_assert!(given.insert(text.clone()), "{} was handed out twice", text);
            } else {
                prop_assert!(text.starts_with("Error: the result of this call was lost") || text.ends_with("gave no output)"));
            }
        }
    }

    #[test]
    fn a_legal_history_stays_as_it_is(history in legal()) {
        prop_assert_eq!(strict(&history), Ok(()));
        prop_assert_eq!(repair(history.clone()), history);
    }

    #[test]
    fn one_mishap_costs_no_more_than_itself(history in legal(), at in any::<prop::sample::Index>(), kind in 0..3_u8) {
        let mut broken = history.clone();
        let at = at.index(broken.len());
        let hit = broken[at].clone();
        match kind {
            0 => { broken.remove(at); }
            1 => { broken.insert(at, hit.clone()); }
            _ => broken.push(hit.clone()),
        }
        let repaired = repair(broken);
        prop_assert_eq!(strict(&repaired), Ok(()));
        let users = |messages: &[Message]| messages.iter().filter(|m| m.role == Role::User).map(Message::text).collect::<Vec<_>>().join("|");
        if kind != 0 && hit.role == Role::Tool {
            prop_assert_eq!(repaired, history);
        } else if hit.role != Role::User {
            let said = users(&repaired);
            for question in history.iter().filter(|m| m.role == Role::User) {
                prop_assert!(said.contains(&question.text()));
            }
        }
    }
}

#[test]
fn a_result_never_goes_to_an_older_call_of_the_same_id() {
    let ask = |n: u8| assistant(vec![Block::Call(call("x", "ls", json!({"n": n})))]);
    let repaired = repair(vec![user("one"), ask(1), user("two"), ask(2), result("x", "ls", "of two"), user("three")]);
    assert_eq!(strict(&repaired), Ok(()));
    assert_eq!(
        results(&repaired),
        ["Error: the result of this call was lost; nothing is known about its effect.", "of two"]
    );
    let ids: Vec<String> = repaired.iter().flat_map(Message::calls).map(|call| call.id.clone()).collect();
    assert_eq!(ids, ["x", "x_2"]);
}

#[test]
fn calls_that_share_an_id_keep_their_own_results_in_order() {
    for id in ["", "same"] {
        let calls = vec![Block::Call(call(id, "ls", json!({"n": 1}))), Block::Call(call(id, "ls", json!({"n": 2})))];
        let repaired = repair(vec![user("go"), assistant(calls), result(id, "ls", "one"), result(id, "ls", "two")]);
        assert_eq!(strict(&repaired), Ok(()));
        assert_eq!(results(&repaired), ["one", "two"], "id {id:?}");
    }
    let twice = vec![Block::Call(call("same", "ls", json!({"n": 1}))); 2];
    let repaired = repair(vec![user("go"), assistant(twice), result("same", "ls", "one")]);
    assert_eq!(results(&repaired), ["one"], "one call that was delivered twice is one call");
}

#[test]
fn results_out_of_order_are_put_in_order_of_the_calls() {
    let calls = vec![Block::Call(call("a", "ls", json!({}))), Block::Call(call("b", "ls", json!({})))];
    let expected =
        vec![user("go"), assistant(calls.clone()), result("a", "ls", "A"), result("b", "ls", "B"), user("on")];
    let stored = vec![user("go"), assistant(calls), user("on"), result("b", "ls", "B"), result("a", "ls", "A")];
    assert_eq!(repair(stored), expected);
}

#[test]
fn signed_reasoning_goes_back_whole_even_when_its_text_is_empty() {
    let signed = vec![thinking("", Some("SIG-BBB")), sealed("ENC"), text("full")];
    let history = vec![user("disk?"), assistant(signed), user(""), user("and now?")];
    let mut expected = history.clone();
    expected.remove(2);
    assert_eq!(repair(history), expected);
}

#[test]
fn a_pause_that_nobody_goes_on_with_leaves_no_empty_message() {
    for blocks in [vec![Block::Pause], vec![sealed("ENC"), Block::Pause]] {
        let repaired = repair(vec![user("search"), assistant(blocks), user("never mind")]);
        assert_eq!(repaired, [user("search\n\nnever mind")]);
    }
    let said = vec![text("let me see"), Block::Pause];
    let repaired = repair(vec![user("search"), assistant(said), user("never mind")]);
    assert_eq!(repaired, [user("search"), assistant(vec![text("let me see")]), user("never mind")]);
}

#[test]
fn two_images_in_a_row_do_not_make_a_blank_block() {
    let image = || Message {
        role: Role::User,
        blocks: vec![Block::Image { mime: "image/png".to_owned(), media_id: "m".to_owned() }],
    };
    let repaired = repair(vec![image(), image(), user("what is it?")]);
    assert_eq!(strict(&repaired), Ok(()));
    assert_eq!(repaired[0].blocks.len(), 3);
}

/// The neutral shape of recorded histories.
fn recorded(case: &Value) -> Vec<Message> {
    case["messages"].as_array().unwrap().iter().map(recorded_message).collect()
}

fn recorded_message(m: &Value) -> Message {
    let content = match &m["content"] {
        Value::Array(parts) => parts.iter().map(|part| text(part["text"].as_str().unwrap())).collect(),
        Value::String(content) => vec![text(content)],
        _ => Vec::new(),
    };
    match m["role"].as_str().unwrap() {
        "user" => Message { role: Role::User, blocks: content },
        "tool" => result(m["tool_call_id"].as_str().unwrap_or_default(), "shell", m["content"].as_str().unwrap()),
        "assistant" => {
            let mut blocks = content;
            for call_of in m["tool_calls"].as_array().into_iter().flatten() {
                let arguments = serde_json::from_str(call_of["arguments"].as_str().unwrap()).unwrap();
                blocks.push(Block::Call(call(
                    call_of["id"].as_str().unwrap(),
                    call_of["name"].as_str().unwrap(),
                    arguments,
                )));
            }
            for part in m["blocks"].as_array().into_iter().flatten() {
                blocks.push(match part["type"].as_str().unwrap() {
                    "thinking" => thinking(part["text"].as_str().unwrap(), part["signature"].as_str()),
                    "redacted_thinking" => sealed(part["data"].as_str().unwrap()),
                    "tool_use" => Block::Call(call(part["id"].as_str().unwrap(), "shell", part["input"].clone())),
                    "text" => text(part["text"].as_str().unwrap()),
                    other => panic!("unknown block {other}"),
                });
            }
            assistant(blocks)
        }
        other => panic!("unknown role {other}"),
    }
}

fn shell(id: &str) -> Block {
    Block::Call(call(id, "shell", json!({"cmd": "ls"})))
}

#[test]
fn th_01_a_window_never_begins_between_a_call_and_its_results() {
    let messages = recorded(&fixture("th-trimmed-call.json"));
    for keep in 1..=messages.len() {
        let repaired = repair(messages[messages.len() - keep..].to_vec());
        assert_eq!(strict(&repaired), Ok(()), "window of {keep}");
        let expected = if keep == messages.len() { messages.clone() } else { vec![user("now?")] };
        assert_eq!(repaired, expected, "window of {keep}");
    }
}

#[test]
fn th_02_results_that_a_kill_took_are_said_to_be_unknown() {
    let case = fixture("th-crash-mid-tool.json");
    let mut messages = recorded(&case);
    messages.push(user(case["next_user"].as_str().unwrap()));
    let repaired = repair(messages);
    assert_eq!(strict(&repaired), Ok(()));
    let statuses: Vec<_> = repaired
        .iter()
        .filter_map(|message| match message.blocks.as_slice() {
            [Block::Result { call_id, status, .. }] => Some((call_id.as_str(), *status)),
            _ => None,
        })
        .collect();
    assert_eq!(statuses, [("a", CallStatus::Ok), ("b", CallStatus::Unknown), ("c", CallStatus::Unknown)]);
    assert_eq!(repaired.last(), Some(&user("status?")));
}

#[test]
fn th_03_a_stray_result_at_the_tail_costs_nothing_else() {
    let case = fixture("th-tail-orphan.json");
    let messages = recorded(&case);
    let keep = usize::try_from(case["keep_last"].as_u64().unwrap()).unwrap();
    let whole = repair(messages.clone());
    assert_eq!(whole, messages[..messages.len() - 1]);
    assert_eq!(repair(messages[messages.len() - keep..].to_vec()), [user("q2")]);
}

#[test]
fn th_05_one_result_a_call_and_reused_ids_renamed_with_their_results() {
    let repaired = repair(recorded(&fixture("th-dup-and-missing-ids.json")));
    let expected = [
        user("go"),
        assistant(vec![shell("x")]),
        result("x", "shell", "first"),
        assistant(vec![text("ok"), shell("x_2")]),
        result("x_2", "shell", "third"),
        user("next"),
    ];
    assert_eq!(repaired, expected);
}

#[test]
fn th_07_ids_that_look_alike_stay_apart_with_their_results() {
    let messages = recorded(&fixture("th-id-sanitising.json"));
    let repaired = repair(messages.clone());
    assert_eq!(repaired, messages, "ids are made legal for the wire, in the provider's own way");
    assert_eq!(results(&repaired), ["A", "B", "C", "D"]);
}

#[test]
fn pr_04_signed_blocks_of_an_open_tool_turn_stay_byte_for_byte() {
    let mut messages = recorded(&fixture("pr-thinking-signature-history.json"));
    messages.push(user("thanks"));
    assert_eq!(repair(messages.clone()), messages);
}

#[test]
fn pr_06_blank_and_misplaced_messages_are_left_out() {
    let stored = recorded(&fixture("pr-bad-shapes-history.json"));
    assert_eq!(repair(stored.clone()), [user("real question")]);
    let mut on = stored;
    on.push(user("go on"));
    assert_eq!(
        repair(on),
        [user("real question"), assistant(vec![text("partial reply   \n")]), user("go on")],
        "what was said before an answer is kept once there is something to answer"
    );
}
