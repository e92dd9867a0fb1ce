//! The summary of a head: a digest made from the rows, without a model.

use super::estimate::{estimate_text, json_bytes};
use super::work::{Group, Work};
use crate::message::{Block, Role, Row, ToolCall};
use crate::text::{ellipsis, head, one_line};
use crate::tool::CallStatus;

const TITLE: &str = "[Record of the earlier part of this conversation, shortened to save room. It tells what happened and asks for nothing.]";
/// Characters of a user message, an answer, the arguments of a call and an error in a line.
const USER_CHARS: usize = 400;
const ANSWER_CHARS: usize = 200;
const ARGUMENT_CHARS: usize = 160;
const ERROR_CHARS: usize = 120;
/// Longer arguments are not written out to be shortened.
const MAX_ARGUMENT_BYTES: usize = 4_096;

/// Tokens that a summary may take, of a budget of so many.
pub(super) fn cap_tokens(budget_tokens: u64) -> u64 {
    (budget_tokens / 8).clamp(100, 6_000)
}

/// The summary of everything before `start`: the present one with more lines, as long as it does not grow too long; else a new one.
pub(super) fn extended(work: &Work<'_>, start: usize, budget_tokens: u64) -> String {
    let cap = cap_tokens(budget_tokens);
    // A new summary leaves room for what comes.
    let part = cap / 2;
    if let Some(present) = &work.shape.plan.head {
        let more = lines(work, work.shape.start, start, part);
        let text = format!("{}\n{more}", present.text);
        if estimate_text(&text) <= cap {
            return text;
        }
    }
    let mut text = TITLE.to_owned();
    let mut left = part;
    if let Some(consolidation) = work.around.consolidation.map(str::trim).filter(|text| !text.is_empty()) {
        let kept = within(consolidation, part / 2);
        left -= estimate_text(kept);
        text.push_str("\nWhat was noted of it:\n");
        text.push_str(kept);
        if kept.len() < consolidation.len() {
            text.push('…');
        }
        text.push_str("\nWhat happened:");
    }
    format!("{text}\n{}", lines(work, 0, start, left))
}

/// The start of a text that costs at most so many tokens.
fn within(text: &str, max_tokens: u64) -> &str {
    let mut chars = usize::try_from(max_tokens.saturating_mul(4)).unwrap_or(usize::MAX);
    let mut part = head(text, chars);
    while estimate_text(part) > max_tokens && chars > 0 {
        chars /= 2;
        part = head(text, chars);
    }
    part
}

/// Lines about the rows from `from` to `until`, the newest as far as they fit, and the first thing the user said.
fn lines(work: &Work<'_>, from: usize, until: usize, max_tokens: u64) -> String {
    let kept = work.kept_before(until);
    let groups: Vec<&Group> = work.groups.iter().filter(|group| from <= group.start && group.start < until).collect();
    let first = groups.iter().position(|group| !group.is_round);
    let mut first_lines =
        first.and_then(|at| groups.get(at)).map(|group| of_group(work, group, &kept)).unwrap_or_default();
    let mut left = max_tokens.saturating_sub(first_lines.iter().map(|line| cost(line)).sum());
    let mut out: Vec<String> = Vec::new();
    let mut listed = groups.len();
    for (at, group) in groups.iter().enumerate().rev() {
        let is_first = first == Some(at);
        let lines = if is_first { std::mem::take(&mut first_lines) } else { of_group(work, group, &kept) };
        let tokens = if is_first { 0 } else { lines.iter().map(|line| cost(line)).sum::<u64>() };
        if tokens > left {
            // Of a broad round the last calls.
            out.extend(lines.into_iter().rev().take_while(|line| {
                let fits = cost(line) <= left;
                left = left.saturating_sub(cost(line));
                fits
            }));
            break;
        }
        left -= tokens;
        listed = at;
        out.extend(lines.into_iter().rev());
    }
    let unlisted = groups.iter().take(listed).map(|group| group.end - group.start).sum::<usize>();
    if unlisted > 0 {
        out.push(format!("- ({} not listed.)", super::counted(unlisted, "earlier message")));
    }
    out.extend(first_lines.into_iter().rev());
    out.reverse();
    out.join("\n")
}

fn cost(line: &str) -> u64 {
    estimate_text(line) + 1
}

fn of_group(work: &Work<'_>, group: &Group, kept: &std::collections::BTreeSet<usize>) -> Vec<String> {
    let rows: Vec<&Row> =
        (group.start..group.end).filter(|at| !kept.contains(at)).filter_map(|at| work.rows.get(at).copied()).collect();
    let mut lines = Vec::new();
    for row in &rows {
        let said = row.message.blocks.iter().filter_map(|block| match block {
            Block::Text { text } if !text.trim().is_empty() => Some(text.as_str()),
            _ => None,
        });
        match row.message.role {
            Role::User => {
                let said: Vec<String> = said.map(|text| one_line(text, USER_CHARS)).collect();
                let media = row
                    .message
                    .blocks
                    .iter()
                    .filter(|block| matches!(block, Block::Image { .. } | Block::Document { .. }));
                let note = match media.count() {
                    0 => String::new(),
                    count => format!(" (with {})", super::counted(count, "attachment")),
                };
                if !said.is_empty() || !note.is_empty() {
                    lines.push(format!("- The user: {}{note}", said.join(" ")));
                }
            }
            Role::Assistant => {
                lines.extend(said.map(|text| format!("- You said: {}", one_line(text, ANSWER_CHARS))));
                lines.extend(row.message.calls().map(|call| call_line(call, &rows)));
            }
            Role::Tool | Role::Notice => {}
        }
    }
    lines
}

fn call_line(call: &ToolCall, rows: &[&Row]) -> String {
    let name = ellipsis(&call.name, 64);
    let arguments = if json_bytes(&call.arguments) > MAX_ARGUMENT_BYTES {
        "(long arguments)".to_owned()
    } else {
        one_line(&serde_json::to_string(&call.arguments).unwrap_or_default(), ARGUMENT_CHARS)
    };
    let result = rows.iter().flat_map(|row| &row.message.blocks).find_map(|block| match block {
        Block::Result { call_id, status, text, .. } if *call_id == call.id => Some((*status, text.as_str())),
        _ => None,
    });
    let ended = match result {
        Some((CallStatus::Ok, text)) => format!("done, {} characters", text.chars().count()),
        Some((CallStatus::Error, text)) => format!("failed: {}", one_line(text, ERROR_CHARS)),
        Some((CallStatus::Denied, _)) => "denied".to_owned(),
        Some((CallStatus::Cancelled, _)) => "cancelled".to_owned(),
        Some((CallStatus::Unknown | CallStatus::Intended | CallStatus::Running | CallStatus::Waiting, _)) | None => {
            "outcome unknown".to_owned()
        }
    };
    format!("- You called {name} {arguments}: {ended}")
}
