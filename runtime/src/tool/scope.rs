//! The folders a turn may touch, each held open so that a path is judged and used through the same handle.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, MetadataExt};

/// What may be done beneath a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// Files may be read.
    Read,
    /// Files may be read and changed.
    Write,
}

/// One folder a turn may touch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// Absolute path of an existing folder.
    pub root: PathBuf,
    /// What may be done beneath it.
    pub access: Access,
}

/// Why a path could not be used.
#[derive(Debug, thiserror::Error)]
pub enum ScopeError {
    /// The path, or a link on the way, leads out of every grant, or to a place nobody may read.
    #[error("{path} is outside the workspace; only paths beneath {allowed} can be {verb}")]
    Outside {
        /// The path as it was asked for.
        path: String,
        /// The roots that would have been fine.
        allowed: String,
        /// `read` or `changed`.
        verb: &'static str,
    },
    /// A path that no file system accepts.
    #[error("{path} is not a usable path: {problem}")]
    Invalid {
        /// The path as it was asked for.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The file system refused.
    #[error("failed to open {path}: {source}")]
    Io {
        /// The path as it was asked for.
        path: String,
        /// What the file system said.
        source: io::Error,
    },
}

/// The grants of a turn. The first is the base of relative paths.
///
/// Invariant: nothing is ever opened by an absolute path after construction. Every step of a path is opened
/// beneath a handle of its parent, without following links, so no rename can move a checked path outside.
#[derive(Debug)]
pub struct WorkspaceScope {
    grants: Vec<OpenGrant>,
    denied: Vec<Denied>,
    home: Option<PathBuf>,
}

#[derive(Debug)]
pub(crate) struct OpenGrant {
    pub(crate) given: PathBuf,
    pub(crate) canonical: PathBuf,
    pub(crate) access: Access,
    pub(crate) handle: Dir,
}

#[derive(Debug)]
struct Denied {
    given: PathBuf,
    canonical: Option<PathBuf>,
    identity: Option<(u64, u64)>,
}

/// Folders of the kernel: their files block, never end, or show the memory of processes.
const KERNEL_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

impl WorkspaceScope {
    /// Opens every root. `denied` are places that stay closed even when they lie inside a grant; a grant that lies
    /// inside a denied place stays open.
    ///
    /// # Errors
    /// When there is no grant, or a root is relative, missing or not a folder.
    pub fn open(grants: Vec<Grant>, denied: Vec<PathBuf>) -> Result<Self, ScopeError> {
        if grants.is_empty() {
            return Err(ScopeError::Invalid { path: "the workspace".to_owned(), problem: "no folder is granted" });
        }
        let grants = grants.into_iter().map(open_grant).collect::<Result<Vec<_>, _>>()?;
        let denied = denied.into_iter().map(Denied::new).collect();
        Ok(Self { grants, denied, home: std::env::home_dir() })
    }

    /// A scope in which nothing can be opened.
    #[must_use]
    pub fn closed() -> Self {
        Self { grants: Vec::new(), denied: Vec::new(), home: None }
    }

    /// The root that relative paths begin at, as it was given.
    #[must_use]
    pub fn base(&self) -> &Path {
        self.grants.first().map_or(Path::new("/"), |grant| &grant.given)
    }

    pub(crate) fn grant(&self, index: usize) -> Option<&OpenGrant> {
        self.grants.get(index)
    }

    /// The grant an asked path lies in, and the names that lead from its root to the path.
    pub(crate) fn locate(&self, asked: &str, access: Access) -> Result<(usize, Vec<OsString>), ScopeError> {
        if asked.contains('\0') {
            return Err(ScopeError::Invalid { path: display(Path::new(asked)), problem: "it contains a NUL" });
        }
        let path = match (asked.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => self.base().join(asked),
        };
        self.locate_absolute(&path, access).ok_or_else(|| self.outside(asked, access))
    }

    /// The same for an absolute path. The innermost grant with enough access wins.
    pub(crate) fn locate_absolute(&self, path: &Path, access: Access) -> Option<(usize, Vec<OsString>)> {
        let path = normalised(path)?;
        let mut best: Option<(usize, usize, Vec<OsString>)> = None;
        for (index, grant) in self.grants.iter().enumerate().filter(|(_, grant)| grant.access >= access) {
            for root in [&grant.given, &grant.canonical] {
                let Ok(rest) = path.strip_prefix(root) else { continue };
                let depth = root.components().count();
                if best.as_ref().is_none_or(|(_, best_depth, _)| depth > *best_depth) {
                    best = Some((index, depth, rest.iter().map(OsString::from).collect()));
                }
            }
        }
        best.map(|(index, _, names)| (index, names))
    }

    /// True for a place that stays closed. `metadata` are those of the place itself, not of a link's target.
    pub(crate) fn is_closed(&self, grant: &OpenGrant, names: &[OsString], metadata: Option<&Metadata>) -> bool {
        let tail = names.iter().collect::<PathBuf>();
        let path = grant.canonical.join(&tail);
        let given = grant.given.join(&tail);
        let identity = metadata.map(|metadata| (metadata.dev(), metadata.ino()));
        self.denied.iter().any(|denied| {
            denied.given == path
                || denied.given == given
                || denied.canonical.as_ref() == Some(&path)
                || (identity.is_some() && denied.identity == identity)
        }) || KERNEL_FOLDERS.iter().any(|folder| path.starts_with(folder) && !grant.canonical.starts_with(folder))
    }

    /// A path as the model should write it: relative to the base, or absolute in other grants.
    pub(crate) fn shown(&self, grant_index: usize, names: &[OsString]) -> String {
        let relative = names.iter().collect::<PathBuf>();
        match self.grants.get(grant_index) {
            Some(grant) if grant_index > 0 => display(&grant.given.join(relative)),
            _ if names.is_empty() => ".".to_owned(),
            _ => display(&relative),
        }
    }

    /// A path as rules see it, whether or not it exists or is granted: without `.` and `..`, relative where it lies in the first
    /// grant. Links are not followed.
    #[must_use]
    pub fn subject(&self, asked: &str) -> String {
        if let Ok((grant, names)) = self.locate(asked, Access::Read) {
            return self.shown(grant, &names);
        }
        let path = self.base().join(asked);
        display(&normalised(&path).unwrap_or(path))
    }

    pub(crate) fn outside(&self, asked: &str, access: Access) -> ScopeError {
        let roots = self.grants.iter().filter(|grant| grant.access >= access).map(|grant| display(&grant.given));
        let allowed = roots.collect::<Vec<_>>().join(", ");
        let (allowed, verb) = match access {
            Access::Read => (allowed, "read"),
            Access::Write if allowed.is_empty() => ("no folder".to_owned(), "changed"),
            Access::Write => (allowed, "changed"),
        };
        ScopeError::Outside { path: display(Path::new(asked)), allowed, verb }
    }

    #[cfg(test)]
    pub(crate) fn set_home(&mut self, home: PathBuf) {
        self.home = Some(home);
    }
}

impl Denied {
    fn new(given: PathBuf) -> Self {
        let canonical = given.canonicalize().ok();
        let identity = std::fs::metadata(&given).ok().map(|metadata| {
            use std::os::unix::fs::MetadataExt;
            (metadata.dev(), metadata.ino())
        });
        Self { given: normalised(&given).unwrap_or(given), canonical, identity }
    }
}

fn open_grant(grant: Grant) -> Result<OpenGrant, ScopeError> {
    let failed = |source| ScopeError::Io { path: display(&grant.root), source };
    let Some(given) = normalised(&grant.root) else {
        return Err(ScopeError::Invalid { path: display(&grant.root), problem: "it must be absolute" });
    };
    let canonical = grant.root.canonicalize().map_err(failed)?;
    let handle = Dir::open_ambient_dir(&canonical, ambient_authority()).map_err(failed)?;
    Ok(OpenGrant { given, canonical, access: grant.access, handle })
}

/// The path without `.` and `..`, by its text alone; `None` for a relative path.
fn normalised(path: &Path) -> Option<PathBuf> {
    if !path.is_absolute() {
        return None;
    }
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => out.push(component),
        }
    }
    Some(out)
}

/// A path for people and models: lossy, and on one line whatever the name contains.
pub(crate) fn display(path: &Path) -> String {
    path.to_string_lossy().chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}
