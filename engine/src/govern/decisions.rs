//! What was decided about a run's rows, so that its later requests repeat it byte for byte.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::id::MessageId;
use crate::message::Row;

/// Everything decided so far. Kept with the run, and handed to each of its requests; may be handed on to the next turn of the same
/// branch. What it says about rows that are not there has no effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decisions {
    /// The part of the history that became a summary.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub head: Option<Head>,
    /// Blocks that are sent in another form than the stored one, in the order of rows.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub cuts: Vec<BlockCut>,
}

/// History that is sent as a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The last row that the summary stands for.
    pub until: MessageId,
    /// What is sent in place of the rows up to there.
    pub text: String,
    /// Rows up to there that are sent all the same, behind the summary.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub kept: Vec<MessageId>,
}

/// The form in which one block of a row is sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockCut {
    /// The row.
    pub row: MessageId,
    /// Place of the block in its message; one past the last is the row's model-only suffix.
    pub block: u32,
    /// Its form.
    pub cut: Cut,
}

/// A form that is smaller than the stored one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "form", rename_all = "snake_case")]
pub enum Cut {
    /// Head and tail of the text, or shorter arguments of a call.
    Shorten {
        /// Unicode scalars that stay at most.
        max_chars: usize,
    },
    /// One line in place of a tool result.
    Digest {
        /// The line.
        text: String,
    },
    /// Left out: a medium leaves a note, reasoning leaves nothing.
    Omit,
}

/// Cuts of one row by the place of the block.
pub(super) type RowCuts = BTreeMap<u32, Cut>;

/// Decisions in the form in which they are looked up.
#[derive(Clone, Default)]
pub(super) struct Plan {
    pub(super) head: Option<Head>,
    cuts: HashMap<MessageId, RowCuts>,
}

impl Plan {
    pub(super) fn of(decisions: &Decisions) -> Self {
        let mut plan = Self { head: decisions.head.clone(), cuts: HashMap::new() };
        for BlockCut { row, block, cut } in &decisions.cuts {
            plan.set(*row, *block, cut.clone());
        }
        plan
    }

    pub(super) fn cuts(&self, row: MessageId) -> Option<&RowCuts> {
        if self.cuts.is_empty() { None } else { self.cuts.get(&row) }
    }

    pub(super) fn cut(&self, row: MessageId, block: u32) -> Option<&Cut> {
        self.cuts(row)?.get(&block)
    }

    pub(super) fn set(&mut self, row: MessageId, block: u32, cut: Cut) {
        self.cuts.entry(row).or_default().insert(block, cut);
    }

    /// The decisions about the rows that are sent.
    pub(super) fn decisions<'a>(&self, sent: impl Iterator<Item = &'a Row>) -> Decisions {
        let mut cuts = Vec::new();
        for row in sent {
            let of_row = self.cuts(row.id).into_iter().flatten();
            cuts.extend(of_row.map(|(block, cut)| BlockCut { row: row.id, block: *block, cut: cut.clone() }));
        }
        Decisions { head: self.head.clone(), cuts }
    }
}
