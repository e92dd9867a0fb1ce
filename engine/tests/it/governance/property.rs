//! Whatever is stored: what is sent is legal, fits, stays as it is, and lacks nothing that was pinned or asked.

use std::collections::BTreeMap;

use nanobot_engine::govern::{ContextBudget, ContextGovernance, Cut, Decisions, Governed, Step, Surroundings, repair};
use nanobot_engine::id::MessageId;
use nanobot_engine::message::{Block, Message, Role, Row};
use proptest::prelude::*;
use serde_json::json;

use super::history::{history, marks, sent};
use crate::support::build::{assistant, call, result, row, user};
use crate::support::cases;
use crate::support::checker::strict;

/// Marks that reach the model when nothing is governed.
fn ungoverned(rows: &[Row]) -> String {
    let messages = rows.iter().filter(|row| row.message.role != Role::Notice).map(|row| row.message.clone());
    sent(&repair(messages.collect()))
}

/// The newest row of the user that says something.
fn newest(rows: &[Row]) -> Option<&Row> {
    rows.iter().rev().find(|row| {
        row.message.role == Role::User
            && row.message.blocks.iter().any(|block| matches!(block, Block::Text { text } if !text.trim().is_empty()))
    })
}

/// Is every earlier decision about rows that are still sent kept, or followed by a harsher one?
fn only_adds(before: &Decisions, after: &Decisions, rows: &[Row]) -> Result<(), String> {
    let place = |id: MessageId| rows.iter().position(|row| row.id == id);
    let end = |decisions: &Decisions| decisions.head.as_ref().and_then(|head| place(head.until));
    if end(after) < end(before) {
        return Err("the head shrank".to_owned());
    }
    if end(after) == end(before) && before.head.is_some() && before.head != after.head {
        let texts = (before.head.as_ref().map(|h| h.text.len()), after.head.as_ref().map(|h| h.text.len()));
        if texts.0 <= texts.1 {
            return Err("the same head with another summary".to_owned());
        }
    }
    for cut in &before.cuts {
        let kept = after.head.iter().flat_map(|head| &head.kept).any(|id| *id == cut.row);
        if place(cut.row) <= end(after) && end(after).is_some() && !kept {
            continue;
        }
        let now = after.cuts.iter().find(|now| now.row == cut.row && now.block == cut.block);
        let harsher = match (&cut.cut, now.map(|now| &now.cut)) {
            (was, Some(now)) if was == now => true,
            (Cut::Shorten { max_chars: was }, Some(Cut::Shorten { max_chars: now })) => now < was,
            (Cut::Shorten { .. }, Some(Cut::Digest { .. })) | (Cut::Digest { .. }, Some(Cut::Shorten { .. })) => true,
            _ => false,
        };
        if !harsher {
            return Err(format!("{cut:?} became {now:?}"));
        }
    }
    Ok(())
}

/// Does `longer` begin with `shorter`, but for its last message, which may go on?
fn begins_with(longer: &[Message], shorter: &[Message]) -> Result<(), String> {
    // What the provider paused goes on in the next message of the model, or is taken as its last word.
    let mut shorter = shorter.to_vec();
    if let Some(last) = shorter.last_mut()
        && last.blocks.pop_if(|block| *block == Block::Pause).is_some()
        && !last.blocks.iter().any(|block| matches!(block, Block::Text { .. } | Block::Call(_)))
    {
        shorter.pop();
    }
    let Some((last, prefix)) = shorter.split_last() else { return Ok(()) };
    for (at, message) in prefix.iter().enumerate() {
        if longer.get(at) != Some(message) {
            return Err(format!("message {at} changed: {message:.300?} became {:.300?}", longer.get(at)));
        }
    }
    let Some(now) = longer.get(prefix.len()) else { return Err("the last message is gone".to_owned()) };
    if last.role != now.role || !now.text().starts_with(&last.text()) {
        return Err(format!("the last message changed: {last:.300?} became {now:.300?}"));
    }
    Ok(())
}

/// Budgets from cramped to roomy.
fn budget() -> impl Strategy<Value = ContextBudget> {
    let tokens = prop_oneof![6 => 3_000..12_000_u64, 2 => 12_000..60_000_u64, 1 => Just(200_000_u64)];
    let bytes = prop_oneof![1 => 80_000..400_000_u64, 2 => Just(20_000_000_u64)];
    let chars = prop_oneof![2 => Just(16_000_usize), 1 => 300..5_000_usize];
    (tokens, bytes, chars).prop_map(|(tokens, max_bytes, max_tool_result_chars)| ContextBudget {
        window_tokens: tokens * 2,
        max_answer_tokens: tokens,
        max_bytes,
        max_tool_result_chars,
    })
}

fn force() -> impl Strategy<Value = Option<Step>> {
    prop_oneof![
        6 => Just(None),
        1 => Just(Some(Step::Microcompact)),
        1 => Just(Some(Step::Inflight)),
        1 => Just(Some(Step::LastResort)),
    ]
}

proptest! {
    #![proptest_config(cases(500, 10_000))]

    #[test]
    fn any_history_is_governed((rows, pinned) in history(), budget in budget(), force in force(), asks in any::<bool>()) {
        let pinned: Vec<MessageId> = pinned.into_iter().map(|at| rows[at].id).collect();
        let media = BTreeMap::from([("m1".to_owned(), 300_000), ("m2".to_owned(), 2_000)]);
        let injected = [user("[a hook] note")];
        let around = Surroundings { pinned: &pinned, media_bytes: Some(&media), injected: &injected, ..Surroundings::default() };
        let governance = ContextGovernance { budget };
        let before = rows.clone();
        let check = |rows: &[Row], governed: &Governed| -> Result<(), TestCaseError> {
            strict(&governed.messages).map_err(TestCaseError::fail)?;
            prop_assert!(governed.tokens <= budget.input_tokens(), "{} tokens of {}", governed.tokens, budget.input_tokens());
            prop_assert!(governed.bytes <= budget.max_bytes, "{} bytes of {}", governed.bytes, budget.max_bytes);
            let sent = sent(&governed.messages);
            let needed = rows.iter().filter(|row| pinned.contains(&row.id)).chain(newest(rows));
            let whole = ungoverned(rows);
            for (row, mark) in needed.flat_map(|row| marks(row).into_iter().map(move |mark| (row, mark))) {
                // A result whose call stands elsewhere is no row of its own.
                let stands = row.message.role != Role::Tool && row.message.role != Role::Notice;
                prop_assert!(!stands || !whole.contains(&mark) || sent.contains(&mark), "{} is gone", mark);
            }
            for step in &governed.steps {
                prop_assert!(step.after_tokens < step.before_tokens || step.name == "last_resort" || step.name == "snip", "{:?}", step);
            }
            Ok(())
        };

        let forced = governance.govern(&rows, &Decisions::default(), &Surroundings { force, ..around });
        let first = match forced {
            Ok(governed) => governed,
            Err(error) => return Err(TestCaseError::fail(format!("{error}"))),
        };
        prop_assert_eq!(&rows, &before, "rows are never edited");
        check(&rows, &first)?;
        let stored: Decisions = serde_json::from_str(&serde_json::to_string(&first.decisions).unwrap()).unwrap();
        prop_assert_eq!(&stored, &first.decisions);

        // Governed again by what was decided, nothing changes.
        let again = governance.govern(&rows, &stored, &around).unwrap();
        prop_assert_eq!(&again.steps, &[]);
        prop_assert_eq!(&again.messages, &first.messages);
        prop_assert_eq!(&again.decisions, &first.decisions);

        // One message or round more.
        let mut longer = rows.clone();
        let (number, turn) = (rows.len() as u64 + 1, rows.last().map_or(1, |row| row.turn_id.0.as_u128()));
        if asks {
            longer.push(row(number, turn + 1, user("what next?")));
        } else {
            longer.push(row(number, turn, assistant(vec![Block::Call(call("fresh", "grep", json!({"q": "x"})))])));
            longer.push(row(number + 1, turn, result("fresh", "grep", &"found\n".repeat(200))));
        }
        let bare = Surroundings { injected: &[], ..around };
        let shorter = governance.govern(&rows, &stored, &bare).unwrap();
        let next = governance.govern(&longer, &shorter.decisions, &bare).unwrap();
        check(&longer, &next)?;
        only_adds(&shorter.decisions, &next.decisions, &longer).map_err(TestCaseError::fail)?;
        if next.steps.is_empty() {
            begins_with(&next.messages, &shorter.messages).map_err(TestCaseError::fail)?;
        }
    }
}
