//! The turn machine, driven from a script.

mod calls;
mod chains;
mod consent;
mod ends;
mod golden;
mod length;
mod retry;
mod steer;
mod stop;
