//! The limits that there are: each counts one thing over one span.

use nanobot_store::Spend;
use serde_json::{Value, json};

use crate::config::BudgetConfig;

/// What a limit holds for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Span {
    Turn,
    Session,
    Day,
}

/// What a limit counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    /// US dollars.
    Usd,
    /// Tokens sent and produced.
    Tokens,
    /// Seconds of work.
    Seconds,
}

impl Unit {
    /// Its name in questions.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Usd => "usd",
            Self::Tokens => "tokens",
            Self::Seconds => "seconds",
        }
    }

    /// How much of it that is.
    pub(super) fn of(self, spend: Spend) -> f64 {
        match self {
            Self::Usd => spend.usd,
            Self::Tokens => as_number(spend.tokens),
            Self::Seconds => as_number(spend.worked_ms) / 1_000.0,
        }
    }

    /// How far a limit is used, for people.
    pub(super) fn words(self, used: f64, allowed: f64, needed: f64) -> String {
        match self {
            Self::Usd => format!("${used:.4} of ${allowed} used; the next request needs at least ${needed:.4}"),
            Self::Tokens => format!("{used} of {allowed} tokens used; the next request needs at least {needed}"),
            Self::Seconds => format!("{} of {allowed} s used", tenths(used)),
        }
    }

    /// An amount for programs.
    pub(super) fn number(self, amount: f64) -> Value {
        match self {
            Self::Usd => json!(amount),
            Self::Seconds if tenths(amount).fract() != 0.0 => json!(tenths(amount)),
            // A float to integer cast saturates.
            Self::Tokens | Self::Seconds => json!(amount.max(0.0).round() as u64),
        }
    }
}

/// One limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Limit {
    pub(super) span: Span,
    /// What it counts.
    pub unit: Unit,
}

impl Limit {
    /// All of them, in the order in which they are looked at.
    pub(super) fn all() -> impl Iterator<Item = Self> {
        [Unit::Tokens, Unit::Seconds, Unit::Usd]
            .into_iter()
            .flat_map(|unit| [Span::Turn, Span::Session, Span::Day].map(|span| Self { span, unit }))
    }

    /// By its key in the configuration.
    pub(super) fn from_key(key: &str) -> Option<Self> {
        Self::all().find(|limit| limit.key() == key)
    }

    /// Its key in the configuration.
    #[must_use]
    pub fn key(self) -> &'static str {
        match (self.span, self.unit) {
            (Span::Turn, Unit::Usd) => "turn_usd",
            (Span::Turn, Unit::Tokens) => "turn_tokens",
            (Span::Turn, Unit::Seconds) => "turn_seconds",
            (Span::Session, Unit::Usd) => "session_usd",
            (Span::Session, Unit::Tokens) => "session_tokens",
            (Span::Session, Unit::Seconds) => "session_seconds",
            (Span::Day, Unit::Usd) => "day_usd",
            (Span::Day, Unit::Tokens) => "day_tokens",
            (Span::Day, Unit::Seconds) => "day_seconds",
        }
    }

    /// What it is set to.
    pub(super) fn configured(self, budget: &BudgetConfig) -> Option<f64> {
        match (self.span, self.unit) {
            (Span::Turn, Unit::Usd) => budget.turn_usd,
            (Span::Session, Unit::Usd) => budget.session_usd,
            (Span::Day, Unit::Usd) => budget.day_usd,
            (Span::Turn, Unit::Tokens) => budget.turn_tokens.map(as_number),
            (Span::Session, Unit::Tokens) => budget.session_tokens.map(as_number),
            (Span::Day, Unit::Tokens) => budget.day_tokens.map(as_number),
            (Span::Turn, Unit::Seconds) => budget.turn_seconds.map(as_number),
            (Span::Session, Unit::Seconds) => budget.session_seconds.map(as_number),
            (Span::Day, Unit::Seconds) => budget.day_seconds.map(as_number),
        }
    }

    /// Whose limit, in words.
    pub(super) fn words(self) -> String {
        let what = match self.unit {
            Unit::Usd => "money",
            Unit::Tokens => "token",
            Unit::Seconds => "time",
        };
        let whose = match self.span {
            Span::Turn => "this turn",
            Span::Session => "this session",
            Span::Day => "the day",
        };
        format!("the {what} budget of {whose}")
    }
}

fn tenths(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
pub(super) fn as_number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_found_by_its_key_and_reads_its_own_setting() {
        for limit in Limit::all() {
            assert_eq!(Limit::from_key(limit.key()), Some(limit));
            let budget: BudgetConfig = toml::from_str(&format!("{} = 7", limit.key())).unwrap();
            let set: Vec<_> = Limit::all().filter(|other| other.configured(&budget).is_some()).collect();
            assert_eq!(set, [limit]);
        }
        assert_eq!(Limit::all().count(), 9);
        assert_eq!(Limit::from_key("turn_yen"), None);
    }
}
