//! Circuit breakers: a model that fails again and again is left alone for a while, when another one can answer instead.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use crate::clock::Clock;

/// Requests given up in a row after which a model is left alone.
const FAILURES: u32 = 3;
/// For how long.
const COOL_DOWN_MS: i64 = 60_000;

/// The breakers of all models, by provider and model.
#[derive(Debug, Default)]
pub struct Breakers(Mutex<HashMap<String, Breaker>>);

#[derive(Clone, Copy, Debug, Default)]
struct Breaker {
    failures: u32,
    /// UTC milliseconds; set while it is open.
    open_until: Option<i64>,
}

impl Breakers {
    /// How long this model is still left alone; `None` when it may be asked. After the cool-down one request is let through as a
    /// probe; others wait for what comes of it.
    pub fn wait_ms(&self, model: &str, clock: &dyn Clock) -> Option<u64> {
        let now = clock.now();
        let mut breakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.get_mut(model)?;
        let until = breaker.open_until?;
        // A clock that was set back must not keep it open for longer than the cool-down.
        if until > now && until - now <= COOL_DOWN_MS {
            return u64::try_from(until - now).ok();
        }
        breaker.open_until = Some(now + COOL_DOWN_MS);
        None
    }

    /// The model answered.
    pub fn succeeded(&self, model: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(model);
    }

    /// A request to the model was given up.
    pub fn failed(&self, model: &str, clock: &dyn Clock) {
        let mut breakers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let breaker = breakers.entry(model.to_owned()).or_default();
        breaker.failures = breaker.failures.saturating_add(1);
        if breaker.failures >= FAILURES {
            breaker.open_until = Some(clock.now() + COOL_DOWN_MS);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[derive(Debug, Default)]
    struct At(AtomicI64);

    impl Clock for At {
        fn now(&self) -> i64 {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn opens_after_three_failures_and_lets_one_probe_through() {
        let (breakers, clock) = (Breakers::default(), At::default());
        for _ in 0..2 {
            breakers.failed("m", &clock);
        }
        breakers.succeeded("m");
        for _ in 0..2 {
            breakers.failed("m", &clock);
        }
        assert_eq!(breakers.wait_ms("m", &clock), None);
        breakers.failed("m", &clock);
        assert_eq!(breakers.wait_ms("m", &clock), Some(60_000));
        assert_eq!(breakers.wait_ms("other", &clock), None);
        clock.0.store(60_000, Ordering::Relaxed);
        assert_eq!(breakers.wait_ms("m", &clock), None, "the probe");
        assert_eq!(breakers.wait_ms("m", &clock), Some(60_000), "everybody else");
        breakers.failed("m", &clock);
        assert_eq!(breakers.wait_ms("m", &clock), Some(60_000));
        clock.0.store(120_000, Ordering::Relaxed);
        assert_eq!(breakers.wait_ms("m", &clock), None);
        breakers.succeeded("m");
        assert_eq!(breakers.wait_ms("m", &clock), None);
        assert_eq!(breakers.wait_ms("m", &clock), None);
    }
}
