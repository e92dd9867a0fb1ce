//! The integration tests.

mod disk;
mod fold_live;
mod golden;
mod house;
mod kill;
mod network;
mod shutdown;
mod socket;
mod turns;
mod models;
mod limits;
mod agent_cli;
mod guard;
mod search;
mod settings;
