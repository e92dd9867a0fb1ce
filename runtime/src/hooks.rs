//! How hooks are run: bounded in time, panics caught, culprits named.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt;
use nanobot_engine::hook::{HookError, HookFault, Isolation};

/// Longest time that one call of one in-process hook may take.
pub const HOOK_LIMIT: Duration = Duration::from_secs(5);

/// Isolation by tokio's timer and unwinding.
#[derive(Clone, Copy, Debug, Default)]
pub struct Guarded;

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
                Err(_) => Err(HookError(format!("took longer than {} s", limit.as_secs()))),
            },
        }
    }

    fn report(&self, fault: &HookFault) {
        tracing::warn!(hook = %fault.hook, method = ?fault.method, error = %fault.error, "a hook failed");
    }
}

fn unpanic<T>(result: std::thread::Result<Result<T, HookError>>) -> Result<T, HookError> {
    result.unwrap_or_else(|panic| {
        let what = panic
            .downcast_ref::<&str>()
            .map(|text| (*text).to_owned())
            .or_else(|| panic.downcast_ref::<String>().cloned())
            .unwrap_or_default();
        Err(HookError(format!("panicked: {what}")))
    })
}
