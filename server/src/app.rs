//! `App`: everything that routes share.

use std::ops::Deref;
use std::sync::Arc;

use nanobot_runtime::Runtime;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::Auth;

/// Largest WebSocket message in bytes.
pub const MAX_FRAME_BYTES: usize = 4 * 1024 * 1024;
/// Longest message of a person, in Unicode scalars.
pub const MAX_MESSAGE_CHARS: usize = 1_000_000;

/// Everything that routes share.
pub struct App {
    /// Sessions, turns, settings.
    pub runtime: Runtime,
    /// Who may come in.
    pub auth: Auth,
    /// Largest request body in bytes.
    pub max_body_bytes: usize,
    /// Pressed when the server goes away; sockets and streams close on it.
    pub shutdown: CancellationToken,
    /// Open sockets, so that shutdown can wait for them.
    pub sockets: TaskTracker,
}

/// The shared [`App`], as axum's state.
#[derive(Clone)]
pub struct AppState(pub Arc<App>);

impl Deref for AppState {
    type Target = App;
    fn deref(&self) -> &App {
        &self.0
    }
}
