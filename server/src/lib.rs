//! The server of nanobot: REST, WebSocket, pages, and the command line.
//!
//! [`app::App`] holds everything; [`router::router`] reads as a table of routes; [`serve::run`] takes listener and
//! shutdown from its caller, so that tests own both.

pub mod app;
mod audit;
pub mod auth;
pub mod command;
pub mod error;
pub mod extract;
pub mod router;
mod routes;
pub mod serve;
mod ws;
