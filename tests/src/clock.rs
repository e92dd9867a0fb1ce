//! A clock that tests set forward.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use nanobot_runtime::clock::{Clock, SystemClock};

/// The machine's clock, ahead by as much as a test says. Clones go together.
#[derive(Clone, Debug, Default)]
pub struct Ahead(Arc<AtomicI64>);

impl Ahead {
    /// Sets it forward once more.
    pub fn by(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000, Ordering::SeqCst);
    }
}

impl Clock for Ahead {
    fn now(&self) -> i64 {
        SystemClock.now() + self.0.load(Ordering::SeqCst)
    }
}
