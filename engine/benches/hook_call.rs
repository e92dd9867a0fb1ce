//! What one hook call costs that does nothing, and what a method costs that nobody implements. Prints nanoseconds.

use std::hint::black_box;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, CompositeHook, HookMethod, HookMethods, IterationContext, Plain, RunContext};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::message::Origin;

struct Idle;

#[async_trait]
impl AgentHook for Idle {
    fn name(&self) -> &str {
        "idle"
    }

    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::OnStream])
    }
}

const CALLS: u32 = 1_000_000;

fn measure(mut call: impl FnMut()) -> f64 {
    let mut best = f64::MAX;
    for _ in 0..5 {
        let since = Instant::now();
        for _ in 0..CALLS {
            call();
        }
        best = best.min(since.elapsed().as_secs_f64() * 1e9 / f64::from(CALLS));
    }
    best
}

fn main() {
    let run = RunContext {
        session_id: SessionId(uuid::Uuid::nil()),
        turn_id: TurnId(uuid::Uuid::nil()),
        origin: Origin::User,
        preset: String::new(),
        model: String::new(),
    };
    let iteration = IterationContext::new(Arc::new(run), 0);
    let hooks = CompositeHook::new(vec![Arc::new(Idle)], Plain, None);
    let mut context = Context::from_waker(Waker::noop());
    let called = measure(|| {
        let mut future = hooks.on_stream(black_box(&iteration), black_box("x"));
        assert!(matches!(future.as_mut().poll(&mut context), Poll::Ready(Ok(()))));
    });
    let not_implemented = measure(|| {
        black_box(hooks.implements(black_box(HookMethod::AfterExecuteTool)));
    });
    println!("a method nobody implements: {not_implemented:.1} ns");
    println!("{called:.1}");
}
