//! The last resort: the longest pieces are cut until the request fits, measured and not guessed.

use super::decisions::Cut;
use super::estimate::{DOCUMENT_TOKENS, IMAGE_TOKENS, json_bytes};
use super::render::{is_reasoning, place};
use super::work::{Group, Work};
use super::{Ladder, Limits, Step, Totals, gains, summary};
use crate::message::Block;

/// Share of the budget that is aimed at, so that the next request has room.
const TARGET_PERCENT: u64 = 80;
/// Share of the present size that is aimed at when the step is forced.
const FORCED_PERCENT: u64 = 60;
/// What was asked, what is pinned and the last round may be so many times longer than the rest.
const WEIGHT: usize = 4;

/// Which rows are left.
#[derive(Clone, Copy)]
enum Scope {
    /// All behind the head.
    Tail,
    /// The last round, what was asked and what is pinned.
    LastRound,
    /// What was asked and what is pinned.
    Asked,
}

/// What came of it.
pub(super) enum Outcome {
    /// The request is smaller and fits.
    Smaller,
    /// Forced, and nothing can be made smaller; it fits as it is.
    AsItWas,
    /// It never fits; this is the smallest size.
    NeverFits(Totals),
}

/// Cuts until everything fits.
pub(super) fn last_resort(work: &mut Work<'_>, ladder: &mut Ladder, limits: Limits, before: Totals) -> Outcome {
    let fits = limits.hold(before);
    let whole = work.shape.clone();
    let by_bytes = before.bytes > limits.bytes;
    let share = |of: u64| of.saturating_mul(TARGET_PERCENT) / 100;
    let mut target =
        Limits { tokens: share(limits.tokens), bytes: if by_bytes { share(limits.bytes) } else { limits.bytes } };
    if fits {
        target.tokens = target.tokens.min(before.tokens * FORCED_PERCENT / 100);
    }
    let mut least = before;
    for (scope, floor) in [(Scope::Tail, 800), (Scope::LastRound, 400), (Scope::Asked, 40)] {
        work.shape = whole.clone();
        narrow(work, scope, limits.tokens);
        let mut found = None;
        let mut level = longest(work, by_bytes);
        loop {
            let totals = work.measure(&work.messages());
            least.tokens = least.tokens.min(totals.tokens);
            least.bytes = least.bytes.min(totals.bytes);
            let reached = target.hold(totals);
            if reached || (limits.hold(totals) && level <= floor) {
                found = Some(totals);
            }
            if found.is_some() || level <= floor {
                break;
            }
            level = (level / 2).max(floor);
            cut_to(work, level, by_bytes);
        }
        let Some(totals) = found else { continue };
        if fits && !gains(work, before, totals) {
            continue;
        }
        let detail = match scope {
            Scope::Tail => format!("pieces over {level} characters cut"),
            Scope::LastRound => format!("all but the last round summed up, pieces over {level} characters cut"),
            Scope::Asked => format!("all but the newest message summed up, pieces over {level} characters cut"),
        };
        ladder.tell(Step::LastResort, before, totals, detail);
        return Outcome::Smaller;
    }
    work.shape = whole;
    if fits { Outcome::AsItWas } else { Outcome::NeverFits(least) }
}

fn narrow(work: &mut Work<'_>, scope: Scope, budget_tokens: u64) {
    let start = match scope {
        Scope::Tail => return,
        Scope::LastRound => last_round(work).map(|group| group.start),
        Scope::Asked => Some(work.rows.len()),
    };
    if let Some(start) = start.filter(|start| *start > work.shape.start) {
        let text = summary::extended(work, start, budget_tokens);
        work.begin_at(start, text);
    }
}

/// A piece that can be cut.
struct Piece {
    at: usize,
    block: u32,
    /// Characters, or what it weighs as such.
    size: usize,
    cut: PieceCut,
}

enum PieceCut {
    Shorten,
    Omit,
}

/// Cuts every piece that is longer than `level`, each to that.
fn cut_to(work: &mut Work<'_>, level: usize, by_bytes: bool) {
    let round = last_round(work);
    // By groups, since the reasoning of a group goes together.
    let weighs_more = |at: usize| {
        work.asked.contains(&at)
            || round.is_some_and(|round| round.start <= at && at < round.end)
            || group_of(work, at).is_some_and(|group| work.pinned.range(group.start..group.end).next().is_some())
    };
    let mut cuts = Vec::new();
    for piece in pieces(work, by_bytes) {
        let max_chars = if weighs_more(piece.at) { level.saturating_mul(WEIGHT) } else { level };
        if piece.size > max_chars {
            let cut = match piece.cut {
                PieceCut::Shorten => Cut::Shorten { max_chars },
                PieceCut::Omit => Cut::Omit,
            };
            cuts.push((piece.at, piece.block, cut));
        }
    }
    for (at, block, cut) in cuts {
        work.cut(at, block, cut);
    }
    if let Some(head) = &mut work.shape.plan.head
        && head.text.chars().count() > level.saturating_mul(WEIGHT)
    {
        head.text = super::render::shorten(&head.text, level.saturating_mul(WEIGHT));
    }
    work.shape.injected_chars = level.saturating_mul(WEIGHT);
}

/// The longest piece, in characters.
fn longest(work: &Work<'_>, by_bytes: bool) -> usize {
    let pieces = pieces(work, by_bytes).into_iter().map(|piece| piece.size);
    let head = work.shape.plan.head.as_ref().map_or(0, |head| head.text.chars().count());
    let injected = work.around.injected.iter().map(|message| message.text().chars().count());
    pieces.chain(injected).max().unwrap_or(0).max(head)
}

/// All pieces of what is sent, in their present form.
fn pieces(work: &Work<'_>, by_bytes: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    for (at, row) in work.sent_rows() {
        let sealed = reasoning_of_round(work, at);
        for (position, block) in row.message.blocks.iter().enumerate() {
            let cut = work.shape.plan.cut(row.id, place(position));
            let of_medium = |tokens: u64| {
                let bytes = if by_bytes { work.medium_bytes(block) } else { 0 };
                usize::try_from((tokens * 4).max(bytes)).unwrap_or(usize::MAX)
            };
            let (size, kind) = match (block, cut) {
                (_, Some(Cut::Omit)) | (Block::Pause, _) => continue,
                (_, Some(Cut::Digest { text })) => (text.chars().count(), PieceCut::Shorten),
                (_, Some(Cut::Shorten { max_chars })) => (*max_chars, PieceCut::Shorten),
                (Block::Text { text } | Block::Result { text, .. }, None) => (text.chars().count(), PieceCut::Shorten),
                (Block::Call(call), None) => (json_bytes(&call.arguments), PieceCut::Shorten),
                (Block::Thinking { .. } | Block::ProviderItem { .. }, None) => (sealed, PieceCut::Omit),
                (Block::Image { .. }, None) => (of_medium(IMAGE_TOKENS), PieceCut::Omit),
                (Block::Document { .. }, None) => (of_medium(DOCUMENT_TOKENS), PieceCut::Omit),
            };
            pieces.push(Piece { at, block: place(position), size, cut: kind });
        }
        if let Some(context) = &row.context {
            let block = place(row.message.blocks.len());
            let size = match work.shape.plan.cut(row.id, block) {
                Some(Cut::Shorten { max_chars }) => *max_chars,
                Some(Cut::Digest { .. } | Cut::Omit) | None => context.chars().count(),
            };
            pieces.push(Piece { at, block, size, cut: PieceCut::Shorten });
        }
    }
    pieces
}

/// Size of all reasoning in the round of a row: it goes as a whole or stays as a whole.
fn reasoning_of_round(work: &Work<'_>, at: usize) -> usize {
    let Some(group) = group_of(work, at) else { return 0 };
    let rows = (group.start..group.end).filter_map(|at| work.rows.get(at));
    let sealed = rows.flat_map(|row| &row.message.blocks).filter(|block| is_reasoning(block));
    sealed.map(|block| super::estimate::block_cost(block).bytes).sum::<u64>().try_into().unwrap_or(usize::MAX)
}

fn last_round(work: &Work<'_>) -> Option<Group> {
    work.tail_groups().rfind(|group| group.is_round).copied()
}

fn group_of(work: &Work<'_>, at: usize) -> Option<Group> {
    let after = work.groups.partition_point(|group| group.start <= at);
    work.groups.get(after.checked_sub(1)?).copied()
}
