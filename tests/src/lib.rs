//! The test kit: the real server in a process or in this one, a scripted model that records what it was sent, a proxy
//! that breaks connections, and a socket client that folds events as the page does.

pub mod app;
pub mod client;
pub mod clock;
pub mod faulty;
pub mod home;
pub mod legal;
pub mod proxy;
pub mod reader;
pub mod recorder;
pub mod scripted;
pub mod tools;
