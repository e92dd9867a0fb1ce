//! The agent runtime: session actors, the driver of a turn, model providers, tools and configuration.
//!
//! Begin with [`Runtime`]: surfaces submit messages to it and subscribe to sessions. [`AgentLoop`](agent_loop) is the
//! actor of one session, [`AgentRunner`](runner) drives one turn, [`event_log`] is the one stream that everybody reads.

pub mod agent_loop;
pub mod approvals;
pub mod breaker;
pub mod budget;
pub mod calibrations;
pub mod clock;
pub mod config;
pub mod discovery;
pub mod edits;
pub mod error;
pub mod event_log;
pub mod hooks;
pub mod inspect;
pub mod mask;
pub mod models;
pub mod permissions;
pub mod plain;
pub mod provider;
pub mod recipe;
mod record;
pub mod replay;
pub mod runner;
mod runtime;
pub mod title;
pub mod tool;
pub mod turns;

pub use error::RuntimeError;
pub use runtime::{Accepted, Attached, Feed, FeedItem, Inbound, NewSession, Runtime, RuntimeOptions, SessionView};
