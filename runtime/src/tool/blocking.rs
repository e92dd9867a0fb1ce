//! Running file work on a blocking thread that ends soon after nobody waits for it any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use nanobot_engine::tool::{CallStatus, ToolOutcome};
use tokio_util::sync::CancellationToken;

use crate::tool::ToolContext;

/// Why work should end early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopReason {
    /// Nobody wants the result.
    Cancelled,
    /// The time limit passed; what was found so far is still wanted.
    Deadline,
}

/// The flag that loops on a blocking thread look at.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    token: CancellationToken,
    expired: Arc<AtomicBool>,
}

impl Stop {
    /// Some when the work should end now.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        if self.token.is_cancelled() {
            Some(StopReason::Cancelled)
        } else if self.expired.load(Ordering::Relaxed) {
            Some(StopReason::Deadline)
        } else {
            None
        }
    }

    #[cfg(test)]
    pub(crate) fn never() -> Self {
        Self { token: CancellationToken::new(), expired: Arc::default() }
    }

    #[cfg(test)]
    pub(crate) fn expire(&self) {
        self.expired.store(true, Ordering::Relaxed);
    }

    #[cfg(test)]
    pub(crate) fn cancel(&self) {
        self.token.cancel();
    }
}

/// Runs `work` on a blocking thread. `Ok` is a success, `Err` a sentence for the model.
///
/// The thread is told to stop when this future is dropped, when the context is cancelled, and after `limit`.
pub(crate) async fn run(
    context: &ToolContext,
    limit: Duration,
    work: impl FnOnce(&Stop) -> Result<String, String> + Send + 'static,
) -> ToolOutcome {
    let stop = Stop { token: context.cancel.child_token(), expired: Arc::default() };
    let _stops_the_thread_on_drop = stop.token.clone().drop_guard();
    let thread_stop = stop.clone();
    let mut thread = tokio::task::spawn_blocking(move || work(&thread_stop));
    let finished = tokio::select! {
        biased;
        () = stop.token.cancelled() => None,
        finished = &mut thread => Some(finished),
        () = tokio::time::sleep(limit) => {
            stop.expired.store(true, Ordering::Relaxed);
            tokio::select! {
                () = stop.token.cancelled() => None,
                finished = &mut thread => Some(finished),
                // A thread that does not look up hangs in the file system; it is left behind.
                () = tokio::time::sleep(GRACE) => return ToolOutcome::failed(
                    CallStatus::Error,
                    format!("the file system did not answer within {} s", (limit + GRACE).as_secs()),
                ),
            }
        }
    };
    match finished {
        None => ToolOutcome::failed(CallStatus::Cancelled, "stopped before it was done"),
        Some(Ok(Ok(text))) => ToolOutcome::ok(text),
        Some(Ok(Err(problem))) => ToolOutcome::failed(CallStatus::Error, problem),
        Some(Err(failure)) => {
            tracing::error!(error = %failure, "a file tool broke");
            ToolOutcome::failed(CallStatus::Error, "the tool broke; the log says why")
        }
    }
}

/// How long a thread may take to notice its deadline.
const GRACE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::registry::testing::Fixture;
    use std::sync::mpsc;

    fn until_stopped(stop: &Stop) -> StopReason {
        loop {
            if let Some(reason) = stop.reason() {
                return reason;
            }
            std::thread::yield_now();
        }
    }

    #[tokio::test]
    async fn dropping_the_future_stops_the_thread() {
        let fixture = Fixture::new();
        let (sender, receiver) = mpsc::channel();
        let (started, mut has_started) = tokio::sync::mpsc::channel(1);
        let work = run(&fixture.context, Duration::from_secs(60), move |stop| {
            started.blocking_send(()).unwrap();
            sender.send(until_stopped(stop)).unwrap();
            Ok(String::new())
        });
        tokio::select! {
            _ = work => panic!("it cannot end by itself"),
            _ = has_started.recv() => {}
        }
        assert_eq!(receiver.recv().unwrap(), StopReason::Cancelled);
    }

    #[tokio::test]
    async fn the_deadline_keeps_what_was_found() {
        let fixture = Fixture::new();
        let outcome = run(&fixture.context, Duration::from_millis(1), |stop| Ok(format!("{:?}", until_stopped(stop))));
        assert_eq!(outcome.await.text, "Deadline");
    }

    #[tokio::test]
    async fn cancelling_the_turn_ends_the_call() {
        let fixture = Fixture::new();
        fixture.context.cancel.cancel();
        let outcome = run(&fixture.context, Duration::from_secs(60), |stop| Ok(format!("{:?}", until_stopped(stop))));
        assert_eq!(outcome.await.status, CallStatus::Cancelled);
    }
}
