//! Context governance: from stored rows to what a model is sent. Pure; stored rows are never edited.

mod estimate;
mod repair;
mod snip;

pub use estimate::{estimate_message, estimate_text};
pub use repair::repair;
pub use snip::{SNIP_MARGIN_CHARS, snip_text};

use crate::event::GovernStep;
use crate::message::{Block, Message, Role, Row};

/// Limits that a request has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextBudget {
    /// Tokens that may be sent: window less answer less a margin.
    pub input_tokens: u64,
    /// Longest single tool result, in Unicode scalars.
    pub max_tool_result_chars: usize,
}

/// A governed conversation and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Governed {
    /// What is sent.
    pub messages: Vec<Message>,
    /// The steps that changed something.
    pub steps: Vec<GovernStep>,
    /// Estimate of what is sent.
    pub tokens: u64,
}

/// The rules by which rows become a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextGovernance {
    /// Limits.
    pub budget: ContextBudget,
}

impl ContextGovernance {
    /// Governs a branch of rows, oldest first, with `injected` messages at its end.
    ///
    /// Steps tell only of the newest row's turn: what was cut in older turns was told of then.
    #[must_use]
    pub fn govern<'a>(&self, rows: impl IntoIterator<Item = &'a Row>, injected: &[Message]) -> Governed {
        let rows: Vec<&Row> = rows.into_iter().collect();
        let turn_id = rows.last().map(|row| row.turn_id);
        let mut messages = Vec::with_capacity(rows.len() + injected.len());
        let mut older = 0;
        for row in rows {
            messages.extend(project(row));
            if Some(row.turn_id) != turn_id {
                older = messages.len();
            }
        }
        messages.extend_from_slice(injected);
        self.govern_from(messages, older)
    }

    /// Governs messages; the same messages governed again stay as they are. Steps tell only of what stands behind the
    /// last user message.
    #[must_use]
    pub fn govern_messages(&self, messages: Vec<Message>) -> Governed {
        let older = messages.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
        self.govern_from(messages, older)
    }

    /// Results are cut before repair may rename a call: the way to the rest leads through the stored id.
    fn govern_from(&self, mut messages: Vec<Message>, older: usize) -> Governed {
        let steps = self.snip(&mut messages, older).into_iter().collect();
        let messages = repair(messages);
        let tokens = messages.iter().map(estimate_message).sum();
        Governed { messages, steps, tokens }
    }

    fn snip(&self, messages: &mut [Message], older: usize) -> Option<GovernStep> {
        let limit = self.budget.max_tool_result_chars;
        let (mut count, mut before, mut after) = (0_u32, 0, 0);
        for (position, message) in messages.iter_mut().enumerate() {
            for block in &mut message.blocks {
                let Block::Result { call_id, text, .. } = block else { continue };
                let Some(short) = snip_text(text, call_id, limit) else { continue };
                if position >= older {
                    count += 1;
                    before += estimate_text(text);
                    after += estimate_text(&short);
                }
                *text = short;
            }
        }
        let results = if count == 1 { "1 tool result".to_owned() } else { format!("{count} tool results") };
        (count > 0).then(|| GovernStep {
            name: "snip".to_owned(),
            before_tokens: before,
            after_tokens: after,
            detail: format!("{results} over {limit} characters cut to head and tail"),
        })
    }
}

/// The message of a row as the model sees it; `None` for rows that are only for people.
fn project(row: &Row) -> Option<Message> {
    if row.message.role == Role::Notice {
        return None;
    }
    let mut message = row.message.clone();
    if let Some(context) = &row.context {
        message.blocks.push(Block::Text { text: format!("\n\n{context}") });
    }
    Some(message)
}
