//! The process group of a program: what it started ends with it.

use tokio::process::Child;

/// A group of processes. Dropping it kills what is left, also when the runtime goes away in the middle.
///
/// The number of a group is not given to another one as long as the group has a member. Between the look at it and the
/// signal its last member could end and the number be given anew; the kernel hands numbers out in turn, so that takes
/// thousands of new processes in a few microseconds.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    id: Option<rustix::process::Pid>,
}

#[cfg(unix)]
impl Group {
    /// The group that a child leads which was started into one of its own.
    pub(super) fn of(child: &Child) -> Self {
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        Self { id: id.and_then(rustix::process::Pid::from_raw) }
    }

    /// Is nobody left?
    pub(super) fn is_empty(&self) -> bool {
        self.id.is_none_or(|id| rustix::process::test_kill_process_group(id) == Err(rustix::io::Errno::SRCH))
    }

    /// Asks all to end.
    pub(super) fn terminate(&self) {
        self.signal(rustix::process::Signal::TERM);
    }

    /// Ends all.
    pub(super) fn kill(&self) {
        self.signal(rustix::process::Signal::KILL);
    }

    fn signal(&self, signal: rustix::process::Signal) {
        if let Some(id) = self.id
            && !self.is_empty()
        {
            // The last one may have ended since.
            let _ = rustix::process::kill_process_group(id, signal);
        }
    }
}

/// Without groups only the process itself is ended, by its handle.
#[cfg(not(unix))]
impl Group {
    pub(super) fn of(_: &Child) -> Self {
        Self {}
    }

    pub(super) fn is_empty(&self) -> bool {
        true
    }

    pub(super) fn terminate(&self) {}

    pub(super) fn kill(&self) {}
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
