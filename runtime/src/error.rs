//! What can go wrong between a surface and a session. One variant per distinct recovery.

use nanobot_engine::id::SessionId;
use nanobot_store::StoreError;

/// Why the runtime did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum RuntimeError {
    /// No such session, or it was deleted.
    #[error("there is no session {0}; it may have been deleted")]
    NoSession(SessionId),
    /// Something else that was named does not exist.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The request itself is wrong.
    #[error("{detail}")]
    Invalid {
        /// Stable code.
        code: &'static str,
        /// What is wrong and what to do.
        detail: String,
    },
    /// It cannot be done now.
    #[error("{detail}")]
    Conflict {
        /// Stable code.
        code: &'static str,
        /// Why, and what to do.
        detail: String,
    },
    /// The database refused.
    #[error(transparent)]
    Store(StoreError),
    /// The server is going away.
    #[error("the server is shutting down; send it again after the restart")]
    ShuttingDown,
}

impl From<StoreError> for RuntimeError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::SessionGone(id) => Self::NoSession(id),
            other => Self::Store(other),
        }
    }
}
