//! The turn machine, driven from a script.

mod calls;
mod ends;
mod golden;
mod retry;
mod steer;
mod stop;
