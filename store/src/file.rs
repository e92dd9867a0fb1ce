//! The database's files and folders, for their owner alone.

use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
use std::path::Path;

use crate::error::StoreError;

/// Creates an empty file; fails when there is one.
pub(crate) fn create_private(path: &Path) -> Result<(), StoreError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop).map_err(|error| failed(path, &error))
}

/// Creates a folder and those above it.
pub(crate) fn create_folder(path: &Path) -> Result<(), StoreError> {
    if path.as_os_str().is_empty() {
        return Ok(());
    }
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(|error| failed(path, &error))
}

fn failed(path: &Path, error: &std::io::Error) -> StoreError {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => StoreError::Full,
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => StoreError::ReadOnly,
        ErrorKind::AlreadyExists => {
            StoreError::Other(format!("{} exists already; choose another name", path.display()))
        }
        _ => StoreError::Other(format!("{}: {error}", path.display())),
    }
}
