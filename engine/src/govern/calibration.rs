//! How far the estimate of a model's tokens is off, learned from what its provider reports.

use serde::{Deserialize, Serialize};

/// Smallest and largest correction.
const MIN_FACTOR: f64 = 0.5;
const MAX_FACTOR: f64 = 2.0;
/// Weight of a new observation in the moving average.
const WEIGHT: f64 = 0.3;
/// A smaller request is mostly overhead and says nothing about text.
const MIN_ESTIMATE_TOKENS: u64 = 200;

/// The correction of one model's estimates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    factor: f64,
}

impl Default for Calibration {
    fn default() -> Self {
        Self { factor: 1.0 }
    }
}

impl Calibration {
    /// Real tokens for one estimated token, from 0.5 to 2.
    #[must_use]
    pub fn factor(&self) -> f64 {
        // A stored value may come from anywhere.
        if self.factor.is_finite() { self.factor.clamp(MIN_FACTOR, MAX_FACTOR) } else { 1.0 }
    }

    /// Learns from one request: its estimate before calibration ([`super::Governed::raw_tokens`]) and the input tokens that the
    /// provider reported for it, cached ones included. Nothing reported teaches nothing.
    pub fn observe(&mut self, estimated: u64, reported: u64) {
        if reported == 0 || estimated < MIN_ESTIMATE_TOKENS {
            return;
        }
        let seen = ratio(reported, estimated);
        let factor = self.factor();
        self.factor = (factor + WEIGHT * (seen - factor)).clamp(MIN_FACTOR, MAX_FACTOR);
    }

    /// Learns from a refusal: a request of so many estimated tokens did not fit into the window.
    pub fn exceeded(&mut self, estimated: u64, window_tokens: u64) {
        if estimated >= MIN_ESTIMATE_TOKENS {
            self.factor = self.factor().max(ratio(window_tokens, estimated));
        }
    }

    /// Real tokens that an estimate stands for.
    #[must_use]
    pub fn real(&self, estimated: u64) -> u64 {
        (estimated as f64 * self.factor()).ceil() as u64
    }

    /// The largest estimate that stands for at most so many real tokens.
    pub(super) fn estimate(&self, real: u64) -> u64 {
        let mut estimated = (real as f64 / self.factor()).floor() as u64;
        while estimated > 0 && self.real(estimated) > real {
            estimated -= 1;
        }
        estimated
    }
}

fn ratio(real: u64, estimated: u64) -> f64 {
    (real as f64 / estimated as f64).clamp(MIN_FACTOR, MAX_FACTOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_factor_goes_to_what_is_reported_and_no_further() {
        let mut calibration = Calibration::default();
        for _ in 0..40 {
            calibration.observe(10_000, 13_000);
        }
        assert!((calibration.factor() - 1.3).abs() < 0.001, "{calibration:?}");
        calibration.observe(10_000, 9_000_000);
        assert!(calibration.factor() <= 1.3 + 0.3 * 0.7 + 0.001, "one wild report moves it by its weight at most");
        for _ in 0..40 {
            calibration.observe(10_000, 1);
        }
        assert!((calibration.factor() - 0.5).abs() < 0.001);
    }

    #[test]
    fn nothing_is_learned_from_nothing() {
        let mut calibration = Calibration::default();
        calibration.observe(10_000, 0);
        calibration.observe(100, 200);
        calibration.exceeded(10, 10_000);
        assert_eq!(calibration, Calibration::default());
    }

    #[test]
    fn a_refusal_raises_the_factor_at_once() {
        let mut calibration = Calibration::default();
        calibration.exceeded(8_000, 12_000);
        assert!((calibration.factor() - 1.5).abs() < 0.001);
        calibration.exceeded(20_000, 12_000);
        assert!((calibration.factor() - 1.5).abs() < 0.001, "and never lowers it");
    }

    #[test]
    fn a_budget_in_estimates_stays_below_the_budget() {
        let mut calibration = Calibration::default();
        for reported in [7_000, 11_000, 13_333, 19_999] {
            calibration.observe(10_000, reported);
            for budget in [0, 1, 2, 3, 1_000, 126_976] {
                assert!(calibration.real(calibration.estimate(budget)) <= budget);
            }
        }
    }
}
