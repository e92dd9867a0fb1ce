//! From a path a model wrote to an open handle beneath a grant.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::fs::{Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt};

use crate::tool::scope::{Access, ScopeError, WorkspaceScope, display};

/// Links followed on one path before it counts as a loop.
const MAX_LINKS: usize = 40;

/// Open without waiting for the other end of a FIFO or for a device.
#[cfg(any(target_os = "linux", target_os = "android"))]
const O_NONBLOCK: i32 = 0o4000;
/// Open without waiting for the other end of a FIFO or for a device.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const O_NONBLOCK: i32 = 0x4;

/// Where a path led, with every link resolved.
#[derive(Debug)]
pub struct Place {
    /// The folder itself for [`PlaceKind::Folder`], otherwise the folder that holds (or would hold) `name`.
    pub directory: Dir,
    /// Last name of the path; empty for a folder.
    pub name: OsString,
    /// What is there.
    pub kind: PlaceKind,
    /// The path as the model should write it.
    pub shown: String,
    pub(crate) grant: usize,
    /// Names from the root of the grant to the place.
    pub(crate) names: Vec<OsString>,
}

/// What was found at the end of a path.
#[derive(Debug)]
pub enum PlaceKind {
    /// A folder, open.
    Folder,
    /// An ordinary file, not open yet.
    File(Metadata),
    /// A device, FIFO or socket.
    Special,
    /// Nothing. `rest` are the names that would follow `name`, when folders are missing too.
    Missing {
        /// Names below the first missing one.
        rest: Vec<OsString>,
    },
}

impl WorkspaceScope {
    /// Where a path leads at present, as rules see it; `None` when it leads nowhere that could be opened.
    pub(crate) fn resolved_subject(&self, asked: &str) -> Option<String> {
        let place = self.resolve(asked, Access::Read).ok()?;
        let mut names = place.names;
        if let PlaceKind::Missing { rest } = place.kind {
            names.extend(rest);
        }
        Some(self.shown(place.grant, &names))
    }

    /// Follows a path that a model wrote. Links are followed as long as they stay inside a grant.
    ///
    /// # Errors
    /// [`ScopeError::Outside`] for everything that leads out, whether it exists or not.
    pub fn resolve(&self, asked: &str, access: Access) -> Result<Place, ScopeError> {
        let (grant, names) = self.locate(asked, access)?;
        let outside = || self.outside(asked, access);
        let failed = |source| ScopeError::Io { path: display(Path::new(asked)), source };
        let mut walk = Descent::start(self, grant).map_err(failed)?.ok_or_else(outside)?;
        let mut pending = VecDeque::from(names);
        let mut links = 0;
        while let Some(name) = pending.pop_front() {
            if name == ".." {
                if walk.leave().is_none() {
                    // A link from one grant may still lead into another.
                    let beside = walk.above(self, &pending).ok_or_else(outside)?;
                    let (grant, names) = self.locate_absolute(&beside, access).ok_or_else(outside)?;
                    walk = Descent::start(self, grant).map_err(failed)?.ok_or_else(outside)?;
                    pending = names.into();
                }
                continue;
            }
            let metadata = match walk.folder().symlink_metadata(&name) {
                Ok(metadata) => Some(metadata),
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                Err(error) => return Err(failed(error)),
            };
            if walk.closes(self, &name, metadata.as_ref()) {
                return Err(outside());
            }
            let Some(metadata) = metadata else {
                if pending.iter().any(|name| name == "..") {
                    return Err(failed(io::Error::from(io::ErrorKind::NotFound)));
                }
                if walk.closes_below(self, &name, &pending) {
                    return Err(outside());
                }
                return Ok(walk.end(self, name, PlaceKind::Missing { rest: pending.into() }));
            };
            if metadata.is_symlink() {
                links += 1;
                if links > MAX_LINKS {
                    return Err(failed(io::Error::other("the links form a loop")));
                }
                let target = walk.folder().read_link_contents(&name).map_err(failed)?;
                if target.is_absolute() {
                    let (grant, names) = self.locate_absolute(&target, access).ok_or_else(outside)?;
                    walk = Descent::start(self, grant).map_err(failed)?.ok_or_else(outside)?;
                    prepend(&mut pending, names);
                } else {
                    prepend(&mut pending, steps(&target));
                }
            } else if metadata.is_dir() {
                let folder = open_folder(walk.folder(), &name, &metadata).map_err(failed)?;
                walk.enter(name, folder);
            } else if !pending.is_empty() {
                return Err(failed(io::Error::from(io::ErrorKind::NotADirectory)));
            } else if metadata.is_file() {
                return Ok(walk.end(self, name, PlaceKind::File(metadata)));
            } else {
                return Ok(walk.end(self, name, PlaceKind::Special));
            }
        }
        Ok(walk.end(self, OsString::new(), PlaceKind::Folder))
    }
}

/// Opens a folder that was seen as `seen` a moment ago, and refuses when something else is there now.
pub(crate) fn open_folder(parent: &Dir, name: &OsStr, seen: &Metadata) -> io::Result<Dir> {
    let folder = parent.open_dir(name)?;
    same(seen, &folder.dir_metadata()?)?;
    Ok(folder)
}

/// Opens an ordinary file that was seen as `seen` a moment ago. Never blocks on a FIFO or a device.
pub(crate) fn open_file(parent: &Dir, name: &OsStr, seen: &Metadata) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(O_NONBLOCK);
    let file = parent.open_with(name, &options)?;
    same(seen, &file.metadata()?)?;
    Ok(file)
}

fn same(seen: &Metadata, now: &Metadata) -> io::Result<()> {
    if (seen.dev(), seen.ino(), seen.file_type()) == (now.dev(), now.ino(), now.file_type()) {
        Ok(())
    } else {
        Err(io::Error::other("it was replaced while it was being opened"))
    }
}

/// The names of a relative link target, `..` included.
fn steps(target: &Path) -> Vec<OsString> {
    target
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some(OsString::from("..")),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => None,
        })
        .collect()
}

fn prepend(pending: &mut VecDeque<OsString>, names: Vec<OsString>) {
    for name in names.into_iter().rev() {
        pending.push_front(name);
    }
}

/// The open folders from the root of a grant down to the current one.
struct Descent {
    grant: usize,
    root: Dir,
    entered: Vec<(OsString, Dir)>,
}

impl Descent {
    /// `None` when the root itself is closed.
    fn start(scope: &WorkspaceScope, grant: usize) -> io::Result<Option<Self>> {
        let Some(open) = scope.grant(grant) else { return Ok(None) };
        let root = open.handle.try_clone()?;
        let closed = scope.is_closed(open, &[], Some(&root.dir_metadata()?));
        Ok((!closed).then_some(Self { grant, root, entered: Vec::new() }))
    }

    fn folder(&self) -> &Dir {
        self.entered.last().map_or(&self.root, |(_, folder)| folder)
    }

    fn enter(&mut self, name: OsString, folder: Dir) {
        self.entered.push((name, folder));
    }

    /// One folder up; `None` above the root.
    fn leave(&mut self) -> Option<()> {
        self.entered.pop().map(|_| ())
    }

    /// The absolute path of `pending` beside the root.
    fn above(&self, scope: &WorkspaceScope, pending: &VecDeque<OsString>) -> Option<PathBuf> {
        let parent = scope.grant(self.grant)?.canonical.parent()?;
        Some(parent.join(pending.iter().collect::<PathBuf>()))
    }

    fn names(&self) -> Vec<OsString> {
        self.entered.iter().map(|(name, _)| name.clone()).collect()
    }

    fn closes(&self, scope: &WorkspaceScope, name: &OsStr, metadata: Option<&Metadata>) -> bool {
        let mut names = self.names();
        names.push(name.to_owned());
        scope.grant(self.grant).is_none_or(|grant| scope.is_closed(grant, &names, metadata))
    }

    /// Is one of the missing folders a closed place that is yet to be made?
    fn closes_below(&self, scope: &WorkspaceScope, name: &OsStr, rest: &VecDeque<OsString>) -> bool {
        let mut names = self.names();
        names.push(name.to_owned());
        rest.iter().any(|below| {
            names.push(below.clone());
            scope.grant(self.grant).is_none_or(|grant| scope.is_closed(grant, &names, None))
        })
    }

    fn end(mut self, scope: &WorkspaceScope, name: OsString, kind: PlaceKind) -> Place {
        let mut names = self.names();
        let below = match &kind {
            PlaceKind::Missing { rest } => rest.clone(),
            PlaceKind::Folder | PlaceKind::File(_) | PlaceKind::Special => Vec::new(),
        };
        names.extend(std::iter::once(name.clone()).filter(|name| !name.is_empty()).chain(below));
        let directory = self.entered.pop().map_or(self.root, |(_, folder)| folder);
        let shown = scope.shown(self.grant, &names);
        Place { directory, name, kind, shown, grant: self.grant, names }
    }
}

impl Place {
    /// Path from the root of its grant.
    #[must_use]
    pub fn relative(&self) -> PathBuf {
        self.names.iter().collect()
    }
}

#[cfg(test)]
mod tests;
