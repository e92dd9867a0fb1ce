//! The WebSocket: one task a connection, which reads commands and writes the events of the sessions it attached.

mod command;
mod connection;
mod frame;

pub(crate) use connection::upgrade;
