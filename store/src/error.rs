//! What can go wrong in the store: one variant for each thing a caller can do about it.

use nanobot_engine::id::SessionId;
use thiserror::Error;

/// Why the store refused or failed. The sentences are fit for people and say what to do.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// The session was deleted or never existed; nothing of it may be written.
    #[error("the session {0} was deleted; restore it or open another one")]
    SessionGone(SessionId),
    /// There is no such thing.
    #[error("there is no such {0}; it may have been deleted, so read the list again")]
    NotFound(&'static str),
    /// A rule of uniqueness refused the write; names which, one of the constants of [`conflict`](crate::conflict).
    #[error("the {0} is taken already; read the current state and try again")]
    Conflict(&'static str),
    /// A cursor that this store did not make.
    #[error("the cursor is not valid; start again at the first page without one")]
    BadCursor,
    /// Another process holds the database, or all connections are at work.
    #[error("the database is busy; end the other program that uses it or try again in a moment")]
    Busy,
    /// No room for the write. Reading goes on; writing works again once there is room.
    #[error("the disk is full; free some space, then try again")]
    Full,
    /// The file is damaged or is no database.
    #[error(
        "the database file is damaged ({0}); stop nanobot, keep a copy of the file, and put the newest backup from the folder \"backups\" in its place"
    )]
    Corrupt(String),
    /// The file was written by a newer program.
    #[error(
        "the database has version {found}, this program knows versions up to {known}; install the newer nanobot again or put back the backup made before its upgrade"
    )]
    Newer {
        /// Version of the file.
        found: i64,
        /// Newest version that this program knows.
        known: i64,
    },
    /// The file was written by an older program, and is only looked at.
    #[error(
        "the database has version {found}, this program reads version {known}; the next start of the server brings it up to date"
    )]
    Older {
        /// Version of the file.
        found: i64,
        /// The version that this program reads.
        known: i64,
    },
    /// A migration that the file has is not the one that this program has.
    #[error(
        "migration {version} of the database differs from the one in this program; use the release that wrote the file or put back a backup"
    )]
    Altered {
        /// The migration.
        version: i64,
    },
    /// The file or its folder may not be written.
    #[error("the database cannot be written; give this user write access to the file and its folder")]
    ReadOnly,
    /// Anything else.
    #[error("the database failed: {0}")]
    Other(String),
}

/// The names that [`StoreError::Conflict`] carries.
pub mod conflict {
    /// Another turn of the session runs.
    pub const RUNNING_TURN: &str = "running turn of the session";
    /// A message with this id of its sender was accepted before.
    pub const CLIENT_MESSAGE_ID: &str = "client_message_id";
    /// A row with this number exists.
    pub const MESSAGE_SEQ: &str = "sequence number of the message";
    /// An event with this number exists.
    pub const EVENT_SEQ: &str = "sequence number of the event";
    /// An id exists.
    pub const ID: &str = "id";
    /// Another result for the same call.
    pub const CALL: &str = "call id of the iteration";
    /// A token of this name exists.
    pub const TOKEN_NAME: &str = "token name";
    /// The approval was answered before, or nobody answered in time, or its turn ended.
    pub const APPROVAL: &str = "decision about this approval";
    /// This key was used on this route.
    pub const IDEMPOTENCY_KEY: &str = "idempotency key";
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::Database(database) => {
                let code = database.code().and_then(|code| code.parse::<i32>().ok()).unwrap_or_default();
                from_sqlite(code, database.message())
            }
            _ => Self::Other(error.to_string()),
        }
    }
}

/// Primary result codes: <https://www.sqlite.org/rescode.html>; the low byte of an extended one.
fn from_sqlite(code: i32, message: &str) -> StoreError {
    const IOERR_WRITE: i32 = 10 | (3 << 8);
    match code & 0xff {
        5 | 6 => StoreError::Busy,
        8 => StoreError::ReadOnly,
        11 | 26 => StoreError::Corrupt(message.to_owned()),
        13 => StoreError::Full,
        14 => StoreError::Other(format!("{message}; check that the folder exists and that this user may use it")),
        19 => from_constraint(code, message),
        _ if code == IOERR_WRITE => StoreError::Full,
        _ => StoreError::Other(message.to_owned()),
    }
}

/// Columns that a message of SQLite names, and the conflict that they mean.
const UNIQUE: [(&str, &str); 8] = [
    ("work_items.session_id, work_items.client_message_id", conflict::CLIENT_MESSAGE_ID),
    ("messages.session_id, messages.seq", conflict::MESSAGE_SEQ),
    ("events.session_id, events.seq", conflict::EVENT_SEQ),
    ("turns.session_id", conflict::RUNNING_TURN),
    ("calls.", conflict::CALL),
    ("tokens.", conflict::TOKEN_NAME),
    ("idempotency.", conflict::IDEMPOTENCY_KEY),
    (".id", conflict::ID),
];

fn from_constraint(code: i32, message: &str) -> StoreError {
    const FOREIGN_KEY: i32 = 19 | (3 << 8);
    if code == FOREIGN_KEY {
        return StoreError::NotFound("session or turn");
    }
    if message.ends_with("parent_known") {
        return StoreError::NotFound("parent message");
    }
    match UNIQUE.iter().find(|(columns, _)| message.contains(columns)) {
        Some((_, name)) => StoreError::Conflict(name),
        None => StoreError::Other(message.to_owned()),
    }
}
