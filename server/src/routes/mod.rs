//! Routes, one file per subject.

pub(crate) mod approvals;
pub(crate) mod audit;
pub(crate) mod events;
pub(crate) mod health;
pub(crate) mod inspect;
pub(crate) mod pages;
pub(crate) mod providers;
pub(crate) mod search;
pub(crate) mod sessions;
pub(crate) mod settings;
pub(crate) mod setup;
pub(crate) mod turns;
pub(crate) mod usage;
