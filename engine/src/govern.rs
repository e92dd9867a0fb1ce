//! Context governance: from stored rows to what a model is sent. Pure; stored rows are never edited.
//!
//! Order: *repair* (whatever is sent is legal), SNIP, MICROCOMPACT, INFLIGHT, and as a last resort hard cuts by measured size. A step
//! counts only when it makes the request smaller; what it decided is repeated byte for byte in later requests of the run.

mod budget;
mod calibration;
mod decisions;
mod estimate;
mod inflight;
mod last_resort;
mod microcompact;
mod render;
mod repair;
mod snip;
mod summary;
mod work;

pub use budget::{ContextBudget, DEFAULT_MAX_REQUEST_BYTES, answer_limit};
pub use calibration::Calibration;
pub use decisions::{BlockCut, Cut, Decisions, Head};
pub use estimate::{Cost, estimate_message, estimate_text, fixed_cost, message_cost, row_cost};
pub use microcompact::is_compactable;
pub use repair::repair;
pub use snip::{SNIP_MARGIN_CHARS, snip_text};

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use crate::event::GovernStep;
use crate::id::MessageId;
use crate::message::{Message, Row};
use last_resort::Outcome;
use work::Work;

/// A step makes a request smaller by at least this share, or it is not taken and the next one runs.
const MIN_GAIN_PERCENT: u64 = 5;

/// The rules by which rows become a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextGovernance {
    /// Limits.
    pub budget: ContextBudget,
}

/// What there is beside the rows, and how the request is to be made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Messages of this request alone, at its end.
    pub injected: &'a [Message],
    /// Rows that are never summed up, such as the active goal and plan.
    pub pinned: &'a [MessageId],
    /// The last consolidation of the session, for the summary.
    pub consolidation: Option<&'a str>,
    /// System prompt and tools, from [`fixed_cost`].
    pub fixed: Cost,
    /// Correction of this model's estimates.
    pub calibration: Calibration,
    /// Bytes of media in base64, by media id. What is not here is not sent and has none.
    pub media_bytes: Option<&'a BTreeMap<String, u64>>,
    /// Costs of rows from [`row_cost`], where the caller keeps them. Rows that are not here are looked at.
    pub costs: Option<&'a HashMap<MessageId, Cost>>,
    /// The provider said that the request was too long: this step is taken although the estimate says that it fits, or the first
    /// one after it that makes the request smaller.
    pub force: Option<Step>,
}

/// A step that makes a request smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// One result over the limit is cut to head and tail.
    Snip,
    /// Older results of tools that can be asked again become a line each.
    Microcompact,
    /// History becomes a summary and a sliding tail.
    Inflight,
    /// The longest pieces are cut until everything fits.
    LastResort,
}

impl Step {
    /// Its name in events.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Snip => "snip",
            Self::Microcompact => "microcompact",
            Self::Inflight => "inflight",
            Self::LastResort => "last_resort",
        }
    }

    /// The step to force when this one was not enough; the last one can be repeated.
    #[must_use]
    pub fn next(self) -> Self {
        match self {
            Self::Snip => Self::Microcompact,
            Self::Microcompact => Self::Inflight,
            Self::Inflight | Self::LastResort => Self::LastResort,
        }
    }
}

/// A governed conversation and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Governed {
    /// What is sent.
    pub messages: Vec<Message>,
    /// The steps that were taken now; what was decided earlier was told of then.
    pub steps: Vec<GovernStep>,
    /// Tokens of the request with its fixed parts, calibrated.
    pub tokens: u64,
    /// The same before calibration, for [`Calibration::observe`].
    pub raw_tokens: u64,
    /// Bytes of the request with its fixed parts and media.
    pub bytes: u64,
    /// The decisions to hand to the next request of the run.
    pub decisions: Decisions,
}

/// Why there is no request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GovernError {
    /// Not even the newest message fits beside the system prompt and the tools.
    #[error(
        "even the shortest request takes {tokens} tokens and {bytes} bytes, and the model takes {budget_tokens} and {max_bytes}; \
         choose a model with a larger window, set context_window_tokens of the preset right, or use fewer tools"
    )]
    TooSmall {
        /// Tokens of the shortest request, calibrated.
        tokens: u64,
        /// The input budget.
        budget_tokens: u64,
        /// Bytes of the shortest request.
        bytes: u64,
        /// Bytes that the provider takes.
        max_bytes: u64,
    },
}

/// Size of a whole request: tokens before calibration, and bytes with media.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Totals {
    tokens: u64,
    bytes: u64,
}

/// Limits in the units of [`Totals`].
#[derive(Clone, Copy, Debug)]
struct Limits {
    tokens: u64,
    bytes: u64,
}

impl Limits {
    fn hold(self, totals: Totals) -> bool {
        totals.tokens <= self.tokens && totals.bytes <= self.bytes
    }

    /// Are so many tokens more than this share of the budget?
    fn passed(self, tokens: u64, percent: u64) -> bool {
        u128::from(tokens) * 100 > u128::from(self.tokens) * u128::from(percent)
    }

    /// Are so many tokens at least this share of the budget?
    fn reached(self, tokens: u64, percent: u64) -> bool {
        u128::from(tokens) * 100 >= u128::from(self.tokens) * u128::from(percent)
    }
}

impl ContextGovernance {
    /// Governs a branch of rows, oldest first, by what was decided for earlier requests of the run.
    ///
    /// Forced and still without a step: nothing can be made smaller.
    ///
    /// # Errors
    /// When even the shortest request does not fit.
    pub fn govern<'a>(
        &self,
        rows: impl IntoIterator<Item = &'a Row>,
        decisions: &Decisions,
        around: &'a Surroundings<'a>,
    ) -> Result<Governed, GovernError> {
        let calibration = around.calibration;
        let limits = Limits { tokens: calibration.estimate(self.budget.input_tokens()), bytes: self.budget.max_bytes };
        let mut work = Work::new(rows, decisions, around);
        let mut ladder = Ladder { steps: Vec::new(), force: around.force, calibration };
        snip::snip(&mut work, &mut ladder, self.budget.max_tool_result_chars);
        let (messages, totals) = loop {
            // What gained too little beside something huge may be worth it once that is gone.
            if microcompact::microcompact(&mut work, &mut ladder, limits)
                || inflight::inflight(&mut work, &mut ladder, limits)
            {
                continue;
            }
            let messages = work.messages();
            let totals = work.measure(&messages);
            if limits.hold(totals) && ladder.force.is_none() {
                break (messages, totals);
            }
            match last_resort::last_resort(&mut work, &mut ladder, limits, totals) {
                Outcome::Smaller => {}
                Outcome::AsItWas => break (messages, totals),
                Outcome::NeverFits(least) => {
                    return Err(GovernError::TooSmall {
                        tokens: calibration.real(least.tokens),
                        budget_tokens: self.budget.input_tokens(),
                        bytes: least.bytes,
                        max_bytes: limits.bytes,
                    });
                }
            }
        };
        Ok(Governed {
            messages,
            steps: ladder.steps,
            tokens: calibration.real(totals.tokens),
            raw_tokens: totals.tokens,
            bytes: totals.bytes,
            decisions: work.decisions(),
        })
    }
}

/// The steps taken so far.
struct Ladder {
    steps: Vec<GovernStep>,
    force: Option<Step>,
    calibration: Calibration,
}

impl Ladder {
    /// Is this step to be taken whatever the estimate says?
    fn forces(&self, step: Step) -> bool {
        self.force.is_some_and(|force| force <= step)
    }

    /// Takes a step: `change` is undone unless it makes the request smaller by the least share. Says whether it was taken.
    fn take(
        &mut self,
        work: &mut Work<'_>,
        step: Step,
        before: Totals,
        change: impl FnOnce(&mut Work<'_>) -> String,
    ) -> bool {
        let shape = work.shape.clone();
        let detail = change(work);
        let after = work.total();
        if !gains(work, before, after) {
            work.shape = shape;
            return false;
        }
        self.tell(step, before, after, detail);
        true
    }

    fn tell(&mut self, step: Step, before: Totals, after: Totals, detail: String) {
        if self.forces(step) {
            self.force = None;
        }
        self.steps.push(GovernStep {
            name: step.name().to_owned(),
            before_tokens: self.calibration.real(before.tokens),
            after_tokens: self.calibration.real(after.tokens),
            detail,
        });
    }
}

/// Is it smaller by the least share of what can get smaller?
fn gains(work: &Work<'_>, before: Totals, after: Totals) -> bool {
    let looked_at = before.tokens.saturating_sub(work.around.fixed.tokens);
    let gain = before.tokens.saturating_sub(after.tokens);
    gain > 0 && gain * 100 >= looked_at * MIN_GAIN_PERCENT
}

/// `1 result`, `2 results`.
fn counted(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
