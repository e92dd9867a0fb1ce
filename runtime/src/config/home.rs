//! The home folder: where it is, whether it can be used, and that only one server uses it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Folders that every home has.
const FOLDERS: [&str; 5] = ["workspace", "skills", "media", "logs", "backups"];

/// Name of the file that a running server holds the lock of.
const LOCK_NAME: &str = "nanobot.lock";

/// A client that looks for a server holds the lock for a moment, so a server tries more than once.
const LOCK_ATTEMPTS: u32 = 5;
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Most bytes of a lock file that are read.
const MAX_LOCK_BYTES: u64 = 4096;

/// The home folder that is meant: the flag, else `NANOBOT_HOME`, else the platform's data folder for nanobot.
#[must_use]
pub fn home_dir(flag: Option<PathBuf>, env: impl Fn(&str) -> Option<String>) -> PathBuf {
    let set = |name: &str| env(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    flag.or_else(|| set("NANOBOT_HOME")).unwrap_or_else(|| platform_data_dir(&set).join("nanobot"))
}

#[cfg(target_os = "macos")]
fn platform_data_dir(set: &impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    user_dir(set).join("Library/Application Support")
}

#[cfg(windows)]
fn platform_data_dir(set: &impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    set("LOCALAPPDATA").or_else(|| set("APPDATA")).unwrap_or_default()
}

#[cfg(not(any(target_os = "macos", windows)))]
fn platform_data_dir(set: &impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    // The XDG specification tells to ignore a relative path.
    let xdg = set("XDG_DATA_HOME").filter(|path| path.is_absolute());
    xdg.unwrap_or_else(|| user_dir(set).join(".local/share"))
}

#[cfg(not(windows))]
fn user_dir(set: &impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    set("HOME").or_else(std::env::home_dir).unwrap_or_default()
}

/// A home folder that can be written and that this process alone serves. Dropping it lets another server in.
#[derive(Debug)]
pub struct Home {
    path: PathBuf,
    lock: File,
}

/// What stands in the lock file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct LockNote {
    pid: u32,
    address: Option<String>,
}

/// Why a home folder cannot be used. Every message is one line and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum HomeError {
    /// Something that is no folder is in the way.
    #[error("{} is not a folder; move it away or choose another home with --home DIR", .path.display())]
    NotADirectory {
        /// What is in the way.
        path: PathBuf,
    },
    /// The folder, or the one it would be made in, belongs to somebody else or its mode forbids writing.
    #[error("{} cannot be {problem}; run: {fix}", .path.display())]
    NotWritable {
        /// The folder.
        path: PathBuf,
        /// `written by this user` or the like.
        problem: String,
        /// The command that a person can run.
        fix: String,
    },
    /// The file system is mounted read-only.
    #[error("{} is on a read-only file system; mount it writable (for Docker: without `:ro`) or choose another home with --home DIR", .path.display())]
    ReadOnly {
        /// The folder.
        path: PathBuf,
    },
    /// Another server runs on this home.
    #[error("another nanobot server uses {}{}; stop it or choose another home with --home DIR", .path.display(), running(.pid, .address))]
    InUse {
        /// The folder.
        path: PathBuf,
        /// Its process id, when it wrote one.
        pid: Option<u32>,
        /// The address that it answers on, when it wrote one.
        address: Option<String>,
    },
    /// Anything else that the file system said.
    #[error("cannot use {}: {source}; correct it or choose another home with --home DIR", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
}

impl Home {
    /// Creates the folder and those in it (mode 0700) when they are missing, checks that it can be written, and takes its lock.
    ///
    /// # Errors
    /// When it cannot be used, or another server uses it.
    pub fn prepare(path: &Path) -> Result<Self, HomeError> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        create_folder(&path).map_err(|error| home_error(&path, error))?;
        check_writable(&path).map_err(|error| home_error(&path, error))?;
        for folder in FOLDERS {
            let folder = path.join(folder);
            create_folder(&folder).map_err(|error| home_error(&folder, error))?;
        }
        let lock = take_lock(&path)?;
        let home = Self { path, lock };
        home.write_note(None)?;
        Ok(home)
    }

    /// Writes the address that this server answers on into the lock file, for [`Home::read_address`].
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn note_address(&self, address: &str) -> Result<(), HomeError> {
        self.write_note(Some(address.to_owned()))
    }

    /// The address of the server that runs on this home; `None` when none does or it does not listen yet.
    #[must_use]
    pub fn read_address(path: &Path) -> Option<String> {
        let file = File::open(path.join(LOCK_NAME)).ok()?;
        match file.try_lock_shared() {
            // Nobody holds it: what stands there is from a server that is gone.
            Ok(()) => None,
            Err(TryLockError::WouldBlock) => read_note(&file).address,
            Err(TryLockError::Error(_)) => None,
        }
    }

    /// The folder itself, absolute.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The database.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path.join("nanobot.db")
    }

    /// The default workspace of sessions.
    #[must_use]
    pub fn workspace(&self) -> PathBuf {
        self.path.join("workspace")
    }

    /// Skills that the person added.
    #[must_use]
    pub fn skills(&self) -> PathBuf {
        self.path.join("skills")
    }

    /// Attachments.
    #[must_use]
    pub fn media(&self) -> PathBuf {
        self.path.join("media")
    }

    /// Log files.
    #[must_use]
    pub fn logs(&self) -> PathBuf {
        self.path.join("logs")
    }

    /// Copies of the database from before migrations.
    #[must_use]
    pub fn backups(&self) -> PathBuf {
        self.path.join("backups")
    }

    fn write_note(&self, address: Option<String>) -> Result<(), HomeError> {
        let note = LockNote { pid: std::process::id(), address };
        let write = || {
            let text = serde_json::to_vec(&note)?;
            let mut file = &self.lock;
            file.set_len(0)?;
            file.rewind()?;
            file.write_all(&text)?;
            file.flush()
        };
        write().map_err(|error| home_error(&self.path.join(LOCK_NAME), error))
    }
}

fn take_lock(home: &Path) -> Result<File, HomeError> {
    let file = home.join(LOCK_NAME);
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let lock = options.open(&file).map_err(|error| home_error(&file, error))?;
    for attempt in 1..=LOCK_ATTEMPTS {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::WouldBlock) if attempt < LOCK_ATTEMPTS => thread::sleep(LOCK_PAUSE),
            Err(TryLockError::WouldBlock) => break,
            Err(TryLockError::Error(error)) => return Err(home_error(&file, error)),
        }
    }
    let note = read_note(&lock);
    Err(HomeError::InUse { path: home.to_owned(), pid: Some(note.pid).filter(|pid| *pid != 0), address: note.address })
}

fn read_note(file: &File) -> LockNote {
    let mut text = Vec::new();
    match file.take(MAX_LOCK_BYTES).read_to_end(&mut text) {
        Ok(_) => serde_json::from_slice(&text).unwrap_or_default(),
        Err(_) => LockNote::default(),
    }
}

fn create_folder(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn check_writable(path: &Path) -> io::Result<()> {
    let probe = path.join(format!(".write-test-{}", std::process::id()));
    File::create(&probe)?;
    fs::remove_file(&probe)
}

/// Says what an error of the file system means for a person.
fn home_error(path: &Path, error: io::Error) -> HomeError {
    let path = path.to_owned();
    match error.kind() {
        io::ErrorKind::NotADirectory | io::ErrorKind::AlreadyExists => {
            HomeError::NotADirectory { path: in_the_way(path) }
        }
        io::ErrorKind::ReadOnlyFilesystem => HomeError::ReadOnly { path: existing(path) },
        io::ErrorKind::PermissionDenied => not_writable(path, uid_of(Path::new("/proc/self"))),
        _ => HomeError::Io { path, source: error },
    }
}

/// The part of a path that exists.
fn existing(path: PathBuf) -> PathBuf {
    path.ancestors().find(|ancestor| ancestor.exists()).map_or_else(|| path.clone(), Path::to_owned)
}

/// The part of a path that exists and is no folder.
fn in_the_way(path: PathBuf) -> PathBuf {
    let found = path.ancestors().find(|part| part.symlink_metadata().is_ok() && !part.is_dir()).map(Path::to_owned);
    found.unwrap_or(path)
}

#[cfg(unix)]
fn uid_of(path: &Path) -> Option<u32> {
    fs::metadata(path).ok().map(|found| std::os::unix::fs::MetadataExt::uid(&found))
}

#[cfg(not(unix))]
fn uid_of(_: &Path) -> Option<u32> {
    None
}

/// Never a command that changes more than the home: what exists and is no home of ours is not changed recursively.
fn not_writable(path: PathBuf, own_uid: Option<u32>) -> HomeError {
    let quoted = format!("'{}'", path.display().to_string().replace('\'', r"'\''"));
    let user = own_uid.map_or_else(|| "\"$(id -u)\"".to_owned(), |uid| uid.to_string());
    if !path.exists() {
        let fix = format!("sudo mkdir -p {quoted} && sudo chown {user} {quoted}");
        return HomeError::NotWritable { path, problem: "created by this user".to_owned(), fix };
    }
    let owner_uid = uid_of(&path);
    let owner = owner_uid.map(|uid| format!(" (it belongs to user {uid})")).unwrap_or_default();
    let is_home = ["config.toml", "nanobot.db", LOCK_NAME].iter().any(|name| path.join(name).exists());
    let fix = match (owner_uid.is_some() && owner_uid == own_uid, is_home) {
        (true, _) => format!("chmod u+rwx {quoted}"),
        (false, true) => format!("sudo chown -R {user} {quoted}"),
        (false, false) => format!("sudo chown {user} {quoted}"),
    };
    HomeError::NotWritable { path, problem: format!("written by this user{owner}"), fix }
}

fn running(pid: &Option<u32>, address: &Option<String>) -> String {
    match (pid, address) {
        (Some(pid), Some(address)) => format!(" (process {pid}, at {address})"),
        (Some(pid), None) => format!(" (process {pid})"),
        (None, Some(address)) => format!(" (at {address})"),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests;
