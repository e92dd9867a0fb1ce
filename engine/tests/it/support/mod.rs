//! What the tests share: settings, fixtures, a legality checker and a driver without I/O.

pub(crate) mod build;
pub(crate) mod checker;
pub(crate) mod driver;
pub(crate) mod monitor;
pub(crate) mod plan;

use proptest::test_runner::{Config, RngSeed};
use serde_json::Value;

/// Is the long form of the loops wanted?
pub(crate) fn long() -> bool {
    std::env::var("NANOBOT_LONG_TESTS").is_ok_and(|value| value == "1")
}

/// `short` seeded cases, or `whole` random ones when the long form is wanted.
pub(crate) fn cases(short: u32, whole: u32) -> Config {
    let (cases, rng_seed) = if long() { (whole, RngSeed::Random) } else { (short, RngSeed::Fixed(20_251_130)) };
    Config { cases, rng_seed, failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() }
}

/// A file of recorded cases.
pub(crate) fn fixture(name: &str) -> Value {
    let path = format!("{}/../tests/fixtures/cases/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).unwrap()
}

/// Drives a future that never waits for anything outside.
pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    for _ in 0..1_000 {
        if let std::task::Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
    panic!("the future waits for something outside");
}
