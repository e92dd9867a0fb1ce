//! INFLIGHT: history becomes a summary and a sliding tail.

use super::render::render_head;
use super::work::Work;
use super::{Ladder, Limits, Step, counted, summary};
use crate::govern::estimate::{Cost, message_cost};

/// The request has to take at least this share of the budget.
const TRIGGER_PERCENT: u64 = 85;
/// Rounds that stay, whatever they cost.
const MIN_ROUNDS: usize = 3;

/// Cuts the head off, when that is due and worth it. Says whether it did.
pub(super) fn inflight(work: &mut Work<'_>, ladder: &mut Ladder, limits: Limits) -> bool {
    let forced = ladder.forces(Step::Inflight);
    let before = work.total();
    if !forced && !limits.reached(before.tokens, TRIGGER_PERCENT) {
        return false;
    }
    let Some(latest) = latest_start(work) else { return false };
    // Half of what messages may take, so that many requests go by before the next cut; forced, half of what they take now.
    let fixed = work.around.fixed.tokens;
    let room = if forced { limits.tokens.min(before.tokens) } else { limits.tokens };
    let target = fixed + room.saturating_sub(fixed) / 2;
    let start = start_within(work, latest, target, limits);
    if start <= work.shape.start {
        return false;
    }
    ladder.take(work, Step::Inflight, before, |work| {
        let text = summary::extended(work, start, limits.tokens);
        let sent = work.sent().count();
        work.begin_at(start, text);
        let stay = work.sent().count();
        format!("{} replaced by a summary, {stay} kept", counted(sent - stay, "older message"))
    })
}

/// Where the shortest tail begins: at the third-last round, or at what the user said right before it; without rounds, at the last
/// message. `None` when nothing can go.
fn latest_start(work: &Work<'_>) -> Option<usize> {
    let groups: Vec<_> = work.tail_groups().collect();
    let rounds = groups.iter().enumerate().rev().filter(|(_, group)| group.is_round);
    let is_users = |at: usize| groups.get(at).is_some_and(|group| !group.is_round);
    let at = match rounds.take(MIN_ROUNDS).last() {
        Some((mut at, _)) => {
            while at.checked_sub(1).is_some_and(is_users) {
                at -= 1;
            }
            at
        }
        None => groups.len().checked_sub(1)?,
    };
    let start = groups.get(at)?.start;
    (start > work.shape.start).then_some(start)
}

/// Where the longest tail begins that fits the target; `latest` when none does.
fn start_within(work: &Work<'_>, latest: usize, target: u64, limits: Limits) -> usize {
    let injected: Cost = work.around.injected.iter().map(message_cost).sum();
    // What stays even when it stands before the tail is counted once, wherever the tail begins.
    let whole = work.kept_before(work.rows.len());
    let always = whole.iter().map(|at| work.cost(*at)).sum::<Cost>();
    let head = message_cost(&render_head("")).tokens + summary::cap_tokens(limits.tokens);
    let tail = (latest..work.rows.len()).filter(|at| !whole.contains(at)).map(|at| work.cost(at)).sum::<Cost>();
    let mut total = work.around.fixed.tokens + injected.tokens + always.tokens + head + tail.tokens;
    let mut start = latest;
    for group in work.tail_groups().rev().filter(|group| group.start < latest) {
        let rows = (group.start..group.end).filter(|at| !whole.contains(at));
        total += rows.map(|at| work.cost(at).tokens).sum::<u64>();
        if total > target {
            break;
        }
        start = group.start;
    }
    start
}
