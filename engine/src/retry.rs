//! When a failed request is made again, when another model takes over, and when it is over. Pure: the clock and the dice come from outside.

use serde::{Deserialize, Serialize};

use crate::govern::Step;
use crate::model::{ModelError, ModelErrorKind};

/// Longest wait before another attempt, also when the provider asks for more.
const MAX_DELAY_MS: u64 = 60_000;
/// The first wait is drawn from 0 to this; each further one from twice as much.
const BASE_DELAY_MS: u64 = 1_000;

/// How often and how long one request is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RetryPolicy {
    /// Attempts at one model, the first one included.
    pub attempts: u32,
    /// No attempt at one model begins later than this after its first failure.
    pub total_ms: u64,
    /// Go on until it works or somebody presses Stop.
    pub persistent: bool,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 4, total_ms: 120_000, persistent: false }
    }
}

/// A model that may answer: the preset of the turn, then its fallbacks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// Name of the preset.
    pub preset: String,
    /// The model's id at its provider.
    pub model: String,
    /// Its window in tokens.
    pub context_window_tokens: u64,
}

/// What was tried for the present request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RetryState {
    /// Who is asked; stays for the rest of the turn once it moved on.
    pub candidate: usize,
    /// Who is asked after the wait, when that is another one.
    pub next_candidate: Option<usize>,
    /// Attempts made at this candidate for the present request.
    pub attempts: u32,
    /// When the first of them failed, UTC milliseconds.
    pub failed_at: Option<i64>,
    /// Ask in the plainest form.
    pub plain: bool,
    /// The step that governance has to take although the request seems to fit.
    pub force: Option<Step>,
    /// A step was forced for the present request.
    pub shrunk: bool,
    /// Was `iteration_started` shown?
    pub announced: bool,
    /// The longest text of an attempt that was given up.
    pub kept: String,
}

impl RetryState {
    /// The next request starts afresh with the model that works.
    pub fn settle(&mut self) {
        *self = Self { candidate: self.candidate, plain: self.plain, ..Self::default() };
    }

    /// Another candidate has a budget of its own.
    pub fn move_to(&mut self, candidate: usize) {
        *self = Self { candidate, announced: self.announced, kept: std::mem::take(&mut self.kept), ..Self::default() };
    }
}

/// What is done about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same model is asked again after a wait.
    Again {
        /// How long to wait.
        delay_ms: u64,
    },
    /// The same model is asked at once in a plainer form.
    Plainer,
    /// The same model is asked at once with a smaller context.
    Shrink,
    /// Another model is asked at once.
    Switch {
        /// Its place among the candidates.
        candidate: usize,
    },
    /// The first candidate is asked again after a wait.
    FromTheTop {
        /// How long to wait.
        delay_ms: u64,
    },
    /// It is over.
    GiveUp,
}

/// A failed attempt and what surrounds it.
#[derive(Clone, Copy, Debug)]
pub struct Failed<'a> {
    /// What went wrong.
    pub error: &'a ModelError,
    /// UTC milliseconds.
    pub at: i64,
    /// A number from 0 to 1, drawn at random.
    pub dice: f64,
    /// Would the plain form leave anything out?
    pub can_be_plainer: bool,
    /// Was the request sent, so that a smaller one may fit? One that governance could not make fit is as small as it gets.
    pub can_shrink: bool,
}

impl RetryPolicy {
    /// Decides about a failed attempt, which `state` has counted already.
    #[must_use]
    pub fn decide(&self, state: &RetryState, candidates: &[Candidate], failed: Failed<'_>) -> Verdict {
        let kind = failed.error.kind;
        if kind == ModelErrorKind::RefusedRequest && failed.can_be_plainer && !state.plain {
            return Verdict::Plainer;
        }
        if kind == ModelErrorKind::ContextLength {
            return match larger(state, candidates) {
                Some(candidate) => Verdict::Switch { candidate },
                None if failed.can_shrink && !state.shrunk => Verdict::Shrink,
                None => Verdict::GiveUp,
            };
        }
        let next = (state.candidate + 1 < candidates.len()).then_some(state.candidate + 1);
        let chain = candidates.len() > 1;
        let hint_ms = failed.error.retry_after_ms;
        // Another model answers sooner than one that asks for more than the longest wait.
        let too_long = hint_ms.is_some_and(|hint_ms| hint_ms > MAX_DELAY_MS) && next.is_some();
        if may_be_repeated(failed.error) && !too_long && kind != ModelErrorKind::CircuitOpen {
            let delay_ms = delay_ms(state.attempts, hint_ms, failed.dice);
            let since = state.failed_at.unwrap_or(failed.at);
            let waited_ms = u64::try_from(failed.at.saturating_sub(since)).unwrap_or(0);
            let in_time = waited_ms.saturating_add(delay_ms) <= self.total_ms;
            if (self.persistent && !chain) || (state.attempts < self.attempts && in_time) {
                return Verdict::Again { delay_ms };
            }
        }
        if !may_be_replaced(kind) {
            return Verdict::GiveUp;
        }
        match next {
            Some(candidate) => Verdict::Switch { candidate },
            None if self.persistent && chain && may_be_repeated(failed.error) => {
                Verdict::FromTheTop { delay_ms: delay_ms(self.attempts, hint_ms, failed.dice) }
            }
            None => Verdict::GiveUp,
        }
    }

    /// Most attempts at one candidate; `None` when there is no limit.
    #[must_use]
    pub fn max_attempts(&self, candidates: usize) -> Option<u32> {
        (!self.persistent || candidates > 1).then_some(self.attempts)
    }
}

/// The first later candidate with a larger window than the present one.
fn larger(state: &RetryState, candidates: &[Candidate]) -> Option<usize> {
    let window = candidates.get(state.candidate)?.context_window_tokens;
    let later = candidates.iter().enumerate().skip(state.candidate + 1);
    later.into_iter().find(|(_, other)| other.context_window_tokens > window).map(|(position, _)| position)
}

/// Full jitter under a doubling ceiling; what the provider asks for is the least.
fn delay_ms(attempts: u32, hint_ms: Option<u64>, dice: f64) -> u64 {
    let ceiling = BASE_DELAY_MS.saturating_mul(1 << attempts.saturating_sub(1).min(10)).min(MAX_DELAY_MS);
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "at most a minute"
    )]
    let drawn = (ceiling as f64 * dice.clamp(0.0, 1.0)) as u64;
    hint_ms.map_or(drawn, |hint_ms| hint_ms.saturating_add(drawn)).min(MAX_DELAY_MS)
}

/// May the same request work a little later?
fn may_be_repeated(error: &ModelError) -> bool {
    match error.kind {
        ModelErrorKind::RateLimit
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Timeout
        | ModelErrorKind::Truncated
        | ModelErrorKind::CircuitOpen => error.should_retry != Some(false),
        ModelErrorKind::NoModel
        | ModelErrorKind::Auth
        | ModelErrorKind::Quota
        | ModelErrorKind::BadResponse
        | ModelErrorKind::RefusedRequest
        | ModelErrorKind::NotFound
        | ModelErrorKind::Refusal
        | ModelErrorKind::ContextLength => false,
    }
}

/// May another model answer instead? Not where the fault is in the conversation itself.
fn may_be_replaced(kind: ModelErrorKind) -> bool {
    match kind {
        ModelErrorKind::NoModel
        | ModelErrorKind::Auth
        | ModelErrorKind::RateLimit
        | ModelErrorKind::Quota
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Timeout
        | ModelErrorKind::BadResponse
        | ModelErrorKind::NotFound
        | ModelErrorKind::Truncated
        | ModelErrorKind::CircuitOpen => true,
        ModelErrorKind::RefusedRequest | ModelErrorKind::Refusal | ModelErrorKind::ContextLength => false,
    }
}
