//! Reads and replaces the file on disk: whole or not at all, with the mode it had, and a copy of the last one that was valid.

use std::fmt;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::error::ConfigError;

/// What the file held at some moment.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct FileState {
    /// `None` when there was no file.
    bytes: Option<Vec<u8>>,
}

/// The content may have secrets in it.
impl fmt::Debug for FileState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FileState").field("bytes", &self.bytes.as_ref().map(Vec::len)).finish()
    }
}

impl FileState {
    pub(crate) fn read(file: &Path) -> Result<Self, ConfigError> {
        match fs::read(file) {
            Ok(bytes) => Ok(Self { bytes: Some(bytes) }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self { bytes: None }),
            Err(source) => Err(ConfigError::Io { action: "read", file: file.to_owned(), source }),
        }
    }

    pub(crate) fn exists(&self) -> bool {
        self.bytes.is_some()
    }

    /// The text; empty when there was no file.
    pub(crate) fn text(&self, file: &Path) -> Result<&str, ConfigError> {
        let bytes = self.bytes.as_deref().unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|error| ConfigError::Invalid {
            file: file.to_owned(),
            line: bytes.iter().take(error.valid_up_to()).filter(|byte| **byte == b'\n').count() + 1,
            key: None,
            detail: "is not UTF-8 text".to_owned(),
        })
    }
}

/// Where the last valid copy of a file is.
pub(crate) fn last_good_path(file: &Path) -> PathBuf {
    beside(file, ".last-good")
}

/// Whether there is a last valid copy that says something.
pub(crate) fn has_last_good(file: &Path) -> bool {
    fs::read(last_good_path(file)).is_ok_and(|bytes| !bytes.trim_ascii().is_empty())
}

/// Makes the last valid copy, unless it is the same already.
pub(crate) fn keep_last_good(file: &Path, state: &FileState) -> Result<(), ConfigError> {
    let Some(bytes) = &state.bytes else { return Ok(()) };
    let copy = last_good_path(file);
    if fs::read(&copy).is_ok_and(|kept| kept == *bytes) {
        return Ok(());
    }
    write_atomically(&copy, bytes, None)
}

/// Replaces the file when it still holds what it held at `expected`; else `None`. The text before it is kept as `config.toml.bak`.
pub(crate) fn replace(file: &Path, expected: &FileState, text: &str) -> Result<Option<FileState>, ConfigError> {
    // A link to a file elsewhere stays a link.
    let target = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    if FileState::read(&target)? != *expected {
        return Ok(None);
    }
    if let Some(bytes) = &expected.bytes {
        write_atomically(&beside(file, ".bak"), bytes, None)?;
    }
    let like = fs::metadata(&target).ok();
    if like.as_ref().is_some_and(|like| like.permissions().readonly()) {
        let source = io::Error::new(io::ErrorKind::PermissionDenied, "it is write-protected");
        return Err(ConfigError::Io { action: "write", file: file.to_owned(), source });
    }
    write_atomically(&target, text.as_bytes(), like.as_ref())?;
    Ok(Some(FileState { bytes: Some(text.as_bytes().to_vec()) }))
}

fn beside(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(suffix);
    file.with_file_name(name)
}

/// Writes a new file next to the old one and puts it in its place, with the mode and owner of `like`, else for this user alone.
fn write_atomically(file: &Path, bytes: &[u8], like: Option<&Metadata>) -> Result<(), ConfigError> {
    // Two processes must not write into the same one.
    let temporary = beside(file, &format!(".new-{}", std::process::id()));
    let failed = |action| {
        let file = file.to_owned();
        move |source| ConfigError::Io { action, file, source }
    };
    let written = write_new(&temporary, bytes, like).and_then(|()| fs::rename(&temporary, file));
    if let Err(error) = written {
        let _ = fs::remove_file(&temporary);
        let action = match error.kind() {
            io::ErrorKind::ResourceBusy => "replace (mount its folder, not the file alone)",
            _ => "write",
        };
        return Err(failed(action)(error));
    }
    sync_folder(file).map_err(failed("flush the folder of"))
}

fn write_new(file: &Path, bytes: &[u8], like: Option<&Metadata>) -> io::Result<()> {
    // What a killed save left behind may have another mode.
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let mut open = OpenOptions::new();
    open.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut open, 0o600);
    let mut opened = open.open(file)?;
    if let Some(like) = like {
        keep_owner(&opened, like);
        opened.set_permissions(for_owner_alone(like))?;
    }
    opened.write_all(bytes)?;
    opened.sync_all()
}

/// The file's own mode, without what it gave to others: there may be keys in it.
#[cfg(unix)]
fn for_owner_alone(like: &Metadata) -> std::fs::Permissions {
    use std::os::unix::fs::PermissionsExt;
    std::fs::Permissions::from_mode(like.permissions().mode() & 0o700)
}

#[cfg(not(unix))]
fn for_owner_alone(like: &Metadata) -> std::fs::Permissions {
    like.permissions()
}

/// A save by root must not take the file away from the user whose server reads it. Others cannot give files away, and need not.
#[cfg(unix)]
fn keep_owner(opened: &File, like: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(opened, Some(like.uid()), Some(like.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

#[cfg(unix)]
fn sync_folder(file: &Path) -> io::Result<()> {
    match file.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
