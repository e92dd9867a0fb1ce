//! Governance: what a model is sent follows from the rows, and the rows stay as they are.

mod calibrated;
mod cases;
mod history;
mod last_resort;
mod long_turn;
mod property;
mod snip;
mod steps;

use nanobot_engine::govern::{ContextBudget, ContextGovernance, Decisions, GovernError, Governed, Surroundings};
use nanobot_engine::message::{Block, Message, Row};
use serde_json::json;

use crate::support::build::{assistant, call, result, row, text, user};
use crate::support::checker::strict;

/// A budget of so many input tokens.
fn budget(input_tokens: u64) -> ContextBudget {
    let budget = ContextBudget::new(input_tokens * 2, input_tokens, 16_000);
    assert_eq!(budget.input_tokens(), input_tokens);
    budget
}

fn governed(
    rows: &[Row],
    budget: ContextBudget,
    decisions: &Decisions,
    around: &Surroundings<'_>,
) -> Result<Governed, GovernError> {
    let before = rows.to_vec();
    let governed = ContextGovernance { budget }.govern(rows, decisions, around);
    assert_eq!(rows, before, "stored rows are never edited");
    let governed = governed?;
    assert_eq!(strict(&governed.messages), Ok(()));
    assert!(governed.tokens <= budget.input_tokens(), "{} of {} tokens", governed.tokens, budget.input_tokens());
    assert!(governed.bytes <= budget.max_bytes, "{} of {} bytes", governed.bytes, budget.max_bytes);
    Ok(governed)
}

/// Governs without anything beside the rows.
fn plain(rows: &[Row], input_tokens: u64, decisions: &Decisions) -> Governed {
    governed(rows, budget(input_tokens), decisions, &Surroundings::default()).unwrap()
}

fn step_names(governed: &Governed) -> Vec<&str> {
    governed.steps.iter().map(|step| step.name.as_str()).collect()
}

/// Rows of a conversation in the making.
#[derive(Default)]
struct Talk {
    rows: Vec<Row>,
    turn: u128,
}

impl Talk {
    fn push(&mut self, message: Message) {
        let number = self.rows.len() as u64 + 1;
        self.rows.push(row(number, self.turn, message));
    }

    /// A turn begins.
    fn ask(&mut self, words: &str) {
        self.turn += 1;
        self.push(user(words));
    }

    /// An answer without calls.
    fn answer(&mut self, words: &str) {
        self.push(assistant(vec![text(words)]));
    }

    /// One round with a call and its result.
    fn call(&mut self, id: &str, tool: &str, output: &str) {
        self.push(assistant(vec![Block::Call(call(id, tool, json!({"path": format!("src/{id}.rs")})))]));
        self.push(result(id, tool, output));
    }
}

/// Texts of the results that are sent, by call id.
fn results(messages: &[Message]) -> Vec<(String, String)> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    blocks
        .filter_map(|block| match block {
            Block::Result { call_id, text, .. } => Some((call_id.clone(), text.clone())),
            _ => None,
        })
        .collect()
}
