//! The request in the making: which rows are sent in which form, and what that costs.

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::{Cut, Decisions, Head, Plan};
use super::estimate::{Cost, message_cost, row_cost};
use super::render::{place, render_head, render_row, shorten};
use super::repair::{is_legal, repair};
use super::{Surroundings, Totals};
use crate::id::MessageId;
use crate::message::{Block, Message, Role, Row};

/// Rows that only go together: one message of the user, or one answer of the model with its results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    /// First row.
    pub(super) start: usize,
    /// One past the last row.
    pub(super) end: usize,
    /// Is it an answer of the model?
    pub(super) is_round: bool,
    /// Are there calls in it?
    pub(super) has_calls: bool,
}

/// What may change while the request is made: the decisions and what follows from them.
#[derive(Clone)]
pub(super) struct Shape {
    pub(super) plan: Plan,
    /// The first row behind the head.
    pub(super) start: usize,
    /// Rows of the head that are sent all the same.
    pub(super) kept: BTreeSet<usize>,
    /// Cost of each row in its decided form; of rows that are sent, at least.
    costs: Vec<Cost>,
    /// Longest text of an injected message. They have no row, so nothing is decided about them.
    pub(super) injected_chars: usize,
}

/// Rows, surroundings and the present shape.
pub(super) struct Work<'a> {
    pub(super) rows: Vec<&'a Row>,
    pub(super) groups: Vec<Group>,
    pub(super) around: &'a Surroundings<'a>,
    pub(super) shape: Shape,
    /// Rows that the caller pinned.
    pub(super) pinned: BTreeSet<usize>,
    /// The newest user message, and the one that began the turn.
    pub(super) asked: BTreeSet<usize>,
    /// Are the rows legal as they are? Then costs add up, and nothing has to be rendered to be measured.
    legal: bool,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        rows: impl IntoIterator<Item = &'a Row>,
        decisions: &Decisions,
        around: &'a Surroundings<'a>,
    ) -> Self {
        let rows: Vec<&Row> = rows.into_iter().filter(|row| row.message.role != Role::Notice).collect();
        let groups = groups(&rows);
        let mut plan = Plan::of(decisions);
        let until = plan.head.as_ref().map(|head| head.until);
        let start = until.and_then(|until| rows.iter().rposition(|row| row.id == until)).map_or(0, |at| at + 1);
        if start == 0 {
            plan.head = None;
        }
        let pinned = positions(&rows, around.pinned);
        let asked = asked(&rows);
        let shape = Shape {
            plan,
            start,
            kept: BTreeSet::new(),
            costs: vec![Cost::default(); rows.len()],
            injected_chars: usize::MAX,
        };
        let legal = is_legal(rows.iter().skip(start).map(|row| &row.message), start > 0);
        let mut work = Self { rows, groups, around, shape, pinned, asked, legal };
        let kept = work.shape.plan.head.as_ref().map(|head| positions(&work.rows, &head.kept)).unwrap_or_default();
        work.shape.kept = work.kept_before(start);
        work.shape.kept.extend(kept.into_iter().filter(|at| *at < start));
        for at in work.sent().collect::<Vec<_>>() {
            work.price(at);
        }
        work
    }

    /// Positions of the rows that are sent, in order.
    pub(super) fn sent(&self) -> impl Iterator<Item = usize> + use<'_, 'a> {
        self.shape.kept.iter().copied().chain(self.shape.start..self.rows.len())
    }

    /// Rows with their positions, of those that are sent.
    pub(super) fn sent_rows(&self) -> impl Iterator<Item = (usize, &'a Row)> + use<'_, 'a> {
        self.sent().filter_map(|at| Some((at, *self.rows.get(at)?)))
    }

    /// Groups behind the head.
    pub(super) fn tail_groups(&self) -> impl DoubleEndedIterator<Item = &Group> {
        self.groups.iter().filter(|group| group.start >= self.shape.start)
    }

    /// Rows before `start` that have to be sent: what was asked, and pinned rows with the group they belong to.
    pub(super) fn kept_before(&self, start: usize) -> BTreeSet<usize> {
        let mut kept: BTreeSet<usize> = self.asked.iter().copied().filter(|at| *at < start).collect();
        for at in self.pinned.iter().copied().filter(|at| *at < start) {
            match self.groups.iter().find(|group| group.start <= at && at < group.end) {
                Some(group) => kept.extend(group.start..group.end),
                None => _ = kept.insert(at),
            }
        }
        kept
    }

    /// Decides about one block.
    pub(super) fn cut(&mut self, at: usize, block: u32, cut: Cut) {
        if let Some(row) = self.rows.get(at) {
            self.shape.plan.set(row.id, block, cut);
            self.price(at);
        }
    }

    /// Puts everything before `start` behind a summary.
    pub(super) fn begin_at(&mut self, start: usize, text: String) {
        let Some(last) = start.checked_sub(1).and_then(|at| self.rows.get(at)) else { return };
        let kept = self.kept_before(start);
        let ids = kept.iter().filter_map(|at| Some(self.rows.get(*at)?.id)).collect();
        self.shape.plan.head = Some(Head { until: last.id, text, kept: ids });
        self.shape.start = start;
        self.shape.kept = kept;
    }

    /// Cost of a row in its decided form.
    pub(super) fn cost(&self, at: usize) -> Cost {
        self.shape.costs.get(at).copied().unwrap_or_default()
    }

    fn price(&mut self, at: usize) {
        let Some(row) = self.rows.get(at) else { return };
        let cost = match self.shape.plan.cuts(row.id) {
            Some(cuts) => message_cost(&render_row(row, Some(cuts))),
            None => self.around.costs.and_then(|costs| costs.get(&row.id).copied()).unwrap_or_else(|| row_cost(row)),
        };
        if let Some(slot) = self.shape.costs.get_mut(at) {
            *slot = cost;
        }
    }

    /// What the request costs in its present shape, fixed parts included.
    pub(super) fn total(&self) -> Totals {
        if !self.legal {
            return self.measure(&self.messages());
        }
        let head = self.shape.plan.head.as_ref().map(|head| message_cost(&render_head(&head.text)));
        let injected: Cost = self.injected().iter().map(message_cost).sum();
        let rows: Cost = self.sent().map(|at| self.cost(at)).sum();
        let cost = self.around.fixed + head.unwrap_or_default() + injected + rows;
        let media = self.sent_rows().map(|(_, row)| self.row_media_bytes(row)).sum::<u64>();
        Totals { tokens: cost.tokens, bytes: cost.bytes + media }
    }

    /// What these messages cost, fixed parts included.
    pub(super) fn measure(&self, messages: &[Message]) -> Totals {
        let cost = self.around.fixed + messages.iter().map(message_cost).sum();
        let media =
            messages.iter().flat_map(|message| &message.blocks).map(|block| self.medium_bytes(block)).sum::<u64>();
        Totals { tokens: cost.tokens, bytes: cost.bytes + media }
    }

    /// The request in its present shape, repaired.
    pub(super) fn messages(&self) -> Vec<Message> {
        let head = self.shape.plan.head.as_ref().map(|head| render_head(&head.text));
        let rows = self.sent_rows().map(|(_, row)| render_row(row, self.shape.plan.cuts(row.id)));
        repair(head.into_iter().chain(rows).chain(self.injected()).collect())
    }

    fn injected(&self) -> Vec<Message> {
        let mut injected = self.around.injected.to_vec();
        for block in injected.iter_mut().flat_map(|message| &mut message.blocks) {
            if let Block::Text { text } = block
                && text.len() > self.shape.injected_chars
            {
                *text = shorten(text, self.shape.injected_chars);
            }
        }
        injected
    }

    /// Bytes of the media of a row that are sent.
    fn row_media_bytes(&self, row: &Row) -> u64 {
        if self.around.media_bytes.is_none() {
            return 0;
        }
        let bytes = |(at, block)| match self.shape.plan.cut(row.id, place(at)) {
            Some(Cut::Omit) => 0,
            _ => self.medium_bytes(block),
        };
        row.message.blocks.iter().enumerate().map(bytes).sum()
    }

    /// Bytes of a medium in the request body.
    pub(super) fn medium_bytes(&self, block: &Block) -> u64 {
        match (block, self.around.media_bytes) {
            (Block::Image { media_id, .. } | Block::Document { media_id, .. }, Some(sizes)) => {
                sizes.get(media_id).copied().unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// The last group with calls.
    pub(super) fn last_tool_round(&self) -> Option<Group> {
        self.groups.iter().rev().find(|group| group.has_calls).copied()
    }

    /// The decisions that the present shape stands for.
    pub(super) fn decisions(&self) -> Decisions {
        self.shape.plan.decisions(self.sent_rows().map(|(_, row)| row))
    }
}

fn groups(rows: &[&Row]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut previous = None;
    for (at, row) in rows.iter().enumerate() {
        let role = row.message.role;
        let has_calls = role == Role::Assistant && row.message.calls().next().is_some();
        let goes_on = match role {
            Role::User | Role::Notice => false,
            // A provider that paused goes on in a message of its own.
            Role::Assistant => previous == Some(Role::Assistant),
            Role::Tool => previous.is_some(),
        };
        match groups.last_mut() {
            Some(group) if goes_on => {
                group.end = at + 1;
                group.has_calls |= has_calls;
            }
            _ => groups.push(Group { start: at, end: at + 1, is_round: role == Role::Assistant, has_calls }),
        }
        previous = Some(role);
    }
    groups
}

fn positions(rows: &[&Row], ids: &[MessageId]) -> BTreeSet<usize> {
    if ids.is_empty() {
        return BTreeSet::new();
    }
    let places: BTreeMap<MessageId, usize> = ids.iter().map(|id| (*id, 0)).collect();
    rows.iter().enumerate().filter(|(_, row)| places.contains_key(&row.id)).map(|(at, _)| at).collect()
}

/// The newest user message, with the newest that has words where that one has none, and the first one of the newest turn.
fn asked(rows: &[&Row]) -> BTreeSet<usize> {
    let has =
        |row: &Row, wanted: fn(&Block) -> bool| row.message.role == Role::User && row.message.blocks.iter().any(wanted);
    let newest = rows.iter().rposition(|row| has(row, says));
    let newest_words = rows.iter().rposition(|row| has(row, has_words));
    let turn = rows.last().map(|row| row.turn_id);
    let of_turn = rows.iter().enumerate().rev().take_while(|(_, row)| Some(row.turn_id) == turn);
    let first = of_turn.filter(|(_, row)| has(row, says)).last().map(|(at, _)| at);
    newest.into_iter().chain(newest_words).chain(first).collect()
}

fn says(block: &Block) -> bool {
    has_words(block) || matches!(block, Block::Image { .. } | Block::Document { .. })
}

fn has_words(block: &Block) -> bool {
    matches!(block, Block::Text { text } if !text.trim().is_empty())
}
