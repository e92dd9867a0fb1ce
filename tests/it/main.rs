//! The integration tests.

mod agent_cli;
mod audit;
mod disk;
mod doctor;
mod faults;
mod fold_live;
mod golden;
mod guard;
mod hooks;
mod house;
mod inspect;
mod kill;
mod limits;
mod local_model;
mod models;
mod network;
mod provider_models;
mod replay;
mod search;
mod settings;
mod shutdown;
mod socket;
mod turns;
mod usage;
