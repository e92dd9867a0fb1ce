//! Properties of the engine that hold across its modules.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod crash;
mod fold;
mod governance;
mod hooks;
mod machine;
mod repair;
mod support;
mod text;
mod walk;
