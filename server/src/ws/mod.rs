//! The WebSocket: one task a connection, which reads commands and writes the events of the sessions it attached.

mod command;
mod connection;
mod frame;
mod handling;

pub(crate) use connection::upgrade;
