//! A turn's right to work, and how long it made use of it.

use tokio::sync::OwnedSemaphorePermit;

/// The permit of a turn, with the time for which it is held. A turn that waits for a person holds none, and its time stands still.
#[derive(Debug, Default)]
pub(super) struct Work {
    permit: Option<OwnedSemaphorePermit>,
    /// Up to when its time is counted, UTC milliseconds.
    counted_to: i64,
    /// Not charged to the budgets yet.
    uncharged_ms: u64,
    /// Not on record yet.
    unrecorded_ms: u64,
}

impl Work {
    pub(super) fn new(permit: Option<OwnedSemaphorePermit>, at: i64) -> Self {
        Self { permit, counted_to: at, ..Self::default() }
    }

    pub(super) fn goes_on(&self) -> bool {
        self.permit.is_some()
    }

    pub(super) fn start(&mut self, permit: Option<OwnedSemaphorePermit>, at: i64) {
        self.count(at);
        self.permit = permit;
    }

    pub(super) fn pause(&mut self, at: i64) {
        self.count(at);
        self.permit = None;
    }

    /// What the budgets have to be charged with.
    pub(super) fn charge(&mut self, at: i64) -> u64 {
        self.count(at);
        std::mem::take(&mut self.uncharged_ms)
    }

    /// What goes on record. It is not charged any more: a limit that is set from now on counts what is on record.
    pub(super) fn record(&mut self, at: i64) -> u64 {
        self.count(at);
        self.uncharged_ms = 0;
        std::mem::take(&mut self.unrecorded_ms)
    }

    /// A clock that was set back counts nothing.
    fn count(&mut self, at: i64) {
        if self.permit.is_some() {
            let more = u64::try_from(at.saturating_sub(self.counted_to)).unwrap_or(0);
            self.uncharged_ms = self.uncharged_ms.saturating_add(more);
            self.unrecorded_ms = self.unrecorded_ms.saturating_add(more);
        }
        self.counted_to = at;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tokio::sync::Semaphore;

    use super::*;

    #[test]
    fn only_time_with_a_permit_counts_and_none_counts_twice() {
        let permits = Arc::new(Semaphore::new(1));
        let permit = || Arc::clone(&permits).try_acquire_owned().ok();
        let mut work = Work::new(permit(), 1_000);
        assert_eq!((work.charge(1_400), work.charge(1_400), work.record(1_500)), (400, 0, 500));
        assert_eq!(work.charge(1_500), 0, "it is on record");
        work.pause(1_600);
        assert_eq!(permits.available_permits(), 1);
        work.start(permit(), 9_000);
        assert_eq!((work.charge(9_100), work.record(9_100)), (200, 200));
        assert_eq!((work.charge(8_000), work.record(8_000)), (0, 0), "the clock was set back");
        assert_eq!(work.charge(8_050), 50);
        let mut waits = Work::new(None, 0);
        assert_eq!((waits.goes_on(), waits.charge(5_000)), (false, 0));
    }
}
