//! MICROCOMPACT: older results of tools that can be asked again become a line each. The calls and their results stay pairs.

use super::decisions::Cut;
use super::render::{cut_block, place};
use super::work::{Group, Work};
use super::{Ladder, Limits, Step, counted};
use crate::message::{Block, ToolCall};
use crate::text::{ellipsis, one_line};
use crate::tool::CallStatus;

/// The request has to take more than this share of the budget.
const TRIGGER_PERCENT: u64 = 60;
/// So many results are worth a break in the provider's cache.
const MIN_RESULTS: usize = 3;
/// A shorter result stays.
const MIN_CHARS: usize = 500;
/// Arguments in a line.
const ARGUMENT_CHARS: usize = 160;

/// May results of this tool be replaced by a line? They can be had again, or are of the moment.
#[must_use]
pub fn is_compactable(tool: &str) -> bool {
    const TOOLS: [&str; 8] =
        ["read_file", "exec", "grep", "find_files", "web_search", "web_fetch", "list_dir", "list_exec_sessions"];
    TOOLS.contains(&tool) || tool.starts_with("mcp_")
}

/// Replaces results, when that is due and worth it. Says whether it did.
pub(super) fn microcompact(work: &mut Work<'_>, ladder: &mut Ladder, limits: Limits) -> bool {
    let forced = ladder.forces(Step::Microcompact);
    let before = work.total();
    if !forced && !limits.passed(before.tokens, TRIGGER_PERCENT) {
        return false;
    }
    let candidates = candidates(work);
    if candidates.is_empty() || (candidates.len() < MIN_RESULTS && !forced) {
        return false;
    }
    ladder.take(work, Step::Microcompact, before, |work| {
        let count = candidates.len();
        for (at, block, text) in candidates {
            work.cut(at, block, Cut::Digest { text });
        }
        format!("{} replaced by a line each", counted(count, "older tool result"))
    })
}

/// Results with their lines: behind the head, not of the last tool round, not pinned.
fn candidates(work: &Work<'_>) -> Vec<(usize, u32, String)> {
    let newest = work.last_tool_round().map_or(0, |group| group.start);
    let older = work.tail_groups().take_while(|group| group.start < newest).filter(|group| group.has_calls);
    older.flat_map(|group| of_group(work, *group)).collect()
}

fn of_group(work: &Work<'_>, group: Group) -> Vec<(usize, u32, String)> {
    let rows = || (group.start..group.end).filter_map(|at| Some((at, *work.rows.get(at)?)));
    let mut calls: Vec<&ToolCall> = rows().flat_map(|(_, row)| row.message.calls()).collect();
    let mut found = Vec::new();
    for (at, row) in rows() {
        for (position, block) in row.message.blocks.iter().enumerate() {
            let Block::Result { call_id, .. } = block else { continue };
            let Some(nth) = calls.iter().position(|call| call.id == *call_id) else { continue };
            let call = calls.remove(nth);
            let cut = work.shape.plan.cut(row.id, place(position));
            if matches!(cut, Some(Cut::Digest { .. })) || work.pinned.contains(&at) || !is_compactable(&call.name) {
                continue;
            }
            let Some(Block::Result { text: sent, status, .. }) = cut_block(row.message.role, block, cut) else {
                continue;
            };
            if sent.chars().nth(MIN_CHARS - 1).is_some() {
                let Block::Result { text: stored, .. } = block else { continue };
                found.push((at, place(position), digest(call, status, stored)));
            }
        }
    }
    found
}

/// The line that stands for a result.
fn digest(call: &ToolCall, status: CallStatus, text: &str) -> String {
    let arguments = one_line(&serde_json::to_string(&call.arguments).unwrap_or_default(), ARGUMENT_CHARS);
    let name = ellipsis(&call.name, 64);
    let id = ellipsis(&call.id, 80);
    let ended = match status {
        CallStatus::Ok => "gave",
        CallStatus::Error => "failed with",
        CallStatus::Denied => "was denied with",
        CallStatus::Cancelled => "was cancelled after",
        CallStatus::Unknown | CallStatus::Intended | CallStatus::Running | CallStatus::Waiting => {
            "ended in an unknown way with"
        }
    };
    format!(
        "[{name} {arguments} {ended} {} characters, left out to save room. Read them again with read_file, path \"result:{id}\".]",
        text.chars().count()
    )
}
