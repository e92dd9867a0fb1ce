//! What can be wrong with the configuration: warnings that it works in spite of, and errors that stop it.

use std::io;
use std::path::PathBuf;

use serde::Serialize;
use utoipa::ToSchema;

/// Something in the configuration that a person should look at; everything else works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ConfigWarning {
    /// The key it is about, as in `presets.default.model`; empty for the whole file.
    pub path: String,
    /// What is wrong and what to do, without any secret.
    pub detail: String,
}

/// Why the configuration could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file is no valid configuration.
    #[error("{}, line {line}: {}{detail}", .file.display(), key_prefix(.key))]
    Invalid {
        /// The file.
        file: PathBuf,
        /// Line, from 1.
        line: usize,
        /// The key that has a wrong value, when it is known.
        key: Option<String>,
        /// What is wrong.
        detail: String,
    },
    /// An environment variable has a value that its key does not take.
    #[error("environment variable {variable}: {detail}")]
    Environment {
        /// Name of the variable.
        variable: String,
        /// What is wrong.
        detail: String,
    },
    /// A patch was refused; nothing was changed.
    #[error("{}{detail}", place(.path))]
    Refused {
        /// The key that is the reason, as in `presets.default.model`.
        path: String,
        /// What is wrong.
        detail: String,
    },
    /// Somebody else keeps changing the file; nothing was changed.
    #[error("{} was changed by another program while it was being saved; try again", .file.display())]
    Conflict {
        /// The file.
        file: PathBuf,
    },
    /// The file system said no.
    #[error("cannot {action} {}: {source}", .file.display())]
    Io {
        /// What was tried, as in `read`.
        action: &'static str,
        /// The file.
        file: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl ConfigError {
    /// The key that the error is about, when it is about one.
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        match self {
            Self::Invalid { key, .. } => key.as_deref(),
            Self::Refused { path, .. } => Some(path),
            Self::Environment { .. } | Self::Conflict { .. } | Self::Io { .. } => None,
        }
    }
}

fn place(path: &str) -> String {
    if path.is_empty() { String::new() } else { format!("{path}: ") }
}

fn key_prefix(key: &Option<String>) -> String {
    key.as_ref().map(|key| format!("`{key}` ")).unwrap_or_default()
}
