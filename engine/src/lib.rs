//! The pure core: what a turn is and how it moves, without I/O, clocks or threads.
//!
//! Read [`machine`] for the turn, [`hook`] for the seam that everything else grows on, [`govern`] for what a model is sent,
//! [`event`] for what a person or program sees, and [`message`] for what is stored.

pub mod approval;
pub mod event;
pub mod fold;
pub mod govern;
pub mod hook;
pub mod id;
pub mod loop_guard;
pub mod machine;
pub mod message;
pub mod model;
pub mod prompt;
pub mod retry;
pub mod text;
pub mod tool;
pub mod turn;
pub mod usage;
