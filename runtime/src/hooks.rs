//! How hooks are run: which ones a turn has and in which order, bounded in time, panics caught, culprits named.

mod answer;
mod external;
mod group;
mod payload;
mod process;
mod spans;

pub use external::{ExternalHook, ExternalHookFactory};
pub use spans::SPAN_TARGET;

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use nanobot_engine::hook::{AgentHook, CompositeHook, HookError, HookFault, Isolation, RunContext};

/// Longest time that one call of one in-process hook may take.
pub const HOOK_LIMIT: Duration = Duration::from_secs(5);

/// Makes a hook for each turn.
pub trait TurnHookFactory: Send + Sync {
    /// The hook for this turn, or none. Called when the turn starts; it must not block.
    fn make(&self, run: &RunContext) -> Option<Arc<dyn AgentHook>>;
}

/// The hooks of a turn in their order: spans, when somebody collects them; those of the whole runtime; then what the factories
/// make. A factory that panics is logged and passed over.
pub fn of_turn<'a>(
    hooks: &[Arc<dyn AgentHook>],
    factories: impl Iterator<Item = &'a dyn TurnHookFactory>,
    run: &RunContext,
) -> Vec<Arc<dyn AgentHook>> {
    let made = factories.filter_map(|factory| {
        std::panic::catch_unwind(AssertUnwindSafe(|| factory.make(run))).unwrap_or_else(|panic| {
            tracing::warn!(turn = %run.turn_id, error = panic_text(panic.as_ref()), "a hook could not be made for a turn");
            None
        })
    });
    let spans = spans::SpanHook::if_wanted().map(|hook| Arc::new(hook) as Arc<dyn AgentHook>);
    spans.into_iter().chain(hooks.iter().cloned()).chain(made).collect()
}

/// Hooks as one, with time limits, and panics caught.
#[must_use]
pub fn guarded(hooks: Vec<Arc<dyn AgentHook>>) -> CompositeHook<Guarded> {
    CompositeHook::new(hooks, Guarded::default(), Some(HOOK_LIMIT))
}

/// Isolation by tokio's timer and unwinding. It keeps the first failure of each hook, for people. Clones share what is kept.
#[derive(Clone, Debug, Default)]
pub struct Guarded(Arc<Faults>);

#[derive(Debug, Default)]
struct Faults {
    any: AtomicBool,
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    seen: BTreeSet<String>,
    waiting: Vec<HookFault>,
}

impl Guarded {
    /// Takes the failures that nobody was told of yet: of each hook the first one.
    #[must_use]
    pub fn take_faults(&self) -> Vec<HookFault> {
        // This is asked for every piece of text; a lock is only taken when there is something.
        if !self.0.any.load(Ordering::Acquire) {
            return Vec::new();
        }
        self.0.any.store(false, Ordering::Release);
        std::mem::take(&mut self.0.kept.lock().unwrap_or_else(PoisonError::into_inner).waiting)
    }
}

#[async_trait]
impl Isolation for Guarded {
    async fn guard<'a, T: Send + 'a>(
        &self,
        limit: Option<Duration>,
        call: Pin<Box<dyn Future<Output = Result<T, HookError>> + Send + 'a>>,
    ) -> Result<T, HookError> {
        let mut call = AssertUnwindSafe(call).catch_unwind();
        // Most calls are ready at once; the timer is only made for those that are not.
        if let Some(ready) = (&mut call).now_or_never() {
            return unpanic(ready);
        }
        match limit {
            None => unpanic(call.await),
            Some(limit) => match tokio::time::timeout(limit, call).await {
                Ok(result) => unpanic(result),
                Err(_) => Err(HookError(format!("took longer than {}", in_words(limit)))),
            },
        }
    }

    fn ask(&self, question: &dyn Fn() -> bool) -> Result<bool, HookError> {
        unpanic(std::panic::catch_unwind(AssertUnwindSafe(|| Ok(question()))))
    }

    fn report(&self, fault: &HookFault) {
        tracing::warn!(hook = %fault.hook, method = fault.method.name(), error = %fault.error, "a hook failed");
        let mut kept = self.0.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.seen.insert(fault.hook.clone()) {
            kept.waiting.push(fault.clone());
            self.0.any.store(true, Ordering::Release);
        }
    }
}

fn in_words(time: Duration) -> String {
    if time.subsec_millis() == 0 { format!("{} s", time.as_secs()) } else { format!("{} ms", time.as_millis()) }
}

fn unpanic<T>(result: std::thread::Result<Result<T, HookError>>) -> Result<T, HookError> {
    result.unwrap_or_else(|panic| Err(HookError(format!("panicked: {}", panic_text(panic.as_ref())))))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message")
}

#[cfg(test)]
mod tests;
