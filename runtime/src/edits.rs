//! File edits: the files that a call names are looked at before and after it, and what changed becomes its diff.

mod diff;

use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cap_std::fs::Metadata;
use sha2::{Digest, Sha256};

use self::diff::{Change, Content};
use crate::tool::{Access, Place, PlaceKind, ScopeError, ToolContext, WorkspaceScope, open_file};

/// Largest file that is compared.
const MAX_FILE_BYTES: u64 = 2 * 1024 * 1024;
/// Files of one call that are looked at.
const MAX_FILES: usize = 200;
/// Text of one call that is kept until it ends.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// How long the files may take to be read, together. Beyond that the call has no diff.
const READ_LIMIT: Duration = Duration::from_secs(5);

/// The files of one call as they were before it. Clones share them: a call that is stopped cannot say itself what it changed,
/// so whoever stopped it asks.
#[derive(Clone, Default)]
pub(crate) struct EditWatch(Arc<OnceLock<Snapshot>>);

struct Snapshot {
    scope: Arc<WorkspaceScope>,
    files: Vec<File>,
}

/// A file as it was.
struct File {
    /// The path as the model wrote it.
    asked: String,
    /// The path for people.
    shown: String,
    content: Content,
}

impl EditWatch {
    /// Looks at the files that the call names; does nothing when it names none.
    pub(crate) async fn before(&self, scope: &Arc<WorkspaceScope>, paths: Vec<String>) {
        if paths.is_empty() {
            return;
        }
        let reading = Arc::clone(scope);
        let files = on_a_thread(move || read_all(&reading, paths)).await.unwrap_or_default();
        // A call is watched once.
        let _ = self.0.set(Snapshot { scope: Arc::clone(scope), files });
    }

    /// Is there no file to compare?
    pub(crate) fn is_idle(&self) -> bool {
        self.0.get().is_none_or(|snapshot| snapshot.files.is_empty())
    }

    /// The unified diff of what has changed since; `None` when nothing has.
    pub(crate) async fn after(&self) -> Option<String> {
        if self.is_idle() {
            return None;
        }
        let watch = self.clone();
        on_a_thread(move || watch.0.get().and_then(Snapshot::diff)).await.flatten()
    }
}

impl Snapshot {
    fn diff(&self) -> Option<String> {
        let mut room = MAX_BYTES;
        let changed = self.files.iter().filter_map(|file| {
            let after = file.now(&self.scope);
            (after != file.content).then(|| (file, after.within(&mut room)))
        });
        unified(&changed.collect::<Vec<_>>())
    }
}

/// The unified diff of files and what they hold afterwards.
fn unified<F: Borrow<File>>(edits: &[(F, Content)]) -> Option<String> {
    let changes = edits.iter().map(|(file, after)| {
        let file = file.borrow();
        Change { path: &file.shown, before: &file.content, after }
    });
    diff::unified(&changes.collect::<Vec<_>>())
}

/// What a call would do to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProposedEdit {
    /// The path as the model wrote it.
    pub path: String,
    /// What the file would hold; `None` when it would be deleted.
    pub content: Option<String>,
}

/// The unified diff of edits that were not made, for [`Tool::preview`](crate::tool::Tool::preview). `None` when they would change
/// nothing; files that may not be changed are left out.
pub async fn preview(context: &ToolContext, edits: Vec<ProposedEdit>) -> Option<String> {
    let scope = Arc::clone(&context.scope);
    let change = move |edit: ProposedEdit| {
        let file = read(&scope, edit.path, MAX_FILE_BYTES)?;
        let after = edit.content.map_or(Content::Missing, |content| classified(content.into_bytes()));
        Some((file, after))
    };
    let work = move || unified(&edits.into_iter().filter_map(change).take(MAX_FILES).collect::<Vec<_>>());
    on_a_thread(work).await.flatten()
}

/// Files must not be read where they hold up everything else, and a file system that hangs must not hold up the turn.
async fn on_a_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
    match tokio::time::timeout(READ_LIMIT, tokio::task::spawn_blocking(work)).await {
        Ok(Ok(done)) => Some(done),
        Ok(Err(error)) => {
            tracing::error!(%error, "files could not be compared");
            None
        }
        Err(_) => {
            tracing::warn!("files could not be compared in time");
            None
        }
    }
}

/// Each file once, however it was written.
fn read_all(scope: &WorkspaceScope, paths: Vec<String>) -> Vec<File> {
    let mut seen = BTreeSet::new();
    let mut room = MAX_BYTES;
    let files = paths.into_iter().filter_map(|asked| {
        let file = read(scope, asked, MAX_FILE_BYTES.min(room))?;
        if let Content::Text(text) = &file.content {
            room = room.saturating_sub(u64::try_from(text.len()).unwrap_or(u64::MAX));
        }
        Some(file)
    });
    files.filter(|file| seen.insert(file.shown.clone())).take(MAX_FILES).collect()
}

/// `None` for what is no file that the turn may change.
fn read(scope: &WorkspaceScope, asked: String, most: u64) -> Option<File> {
    let place = scope.resolve(&asked, Access::Write).ok()?;
    let content = match &place.kind {
        PlaceKind::Folder | PlaceKind::Special => return None,
        PlaceKind::Missing { .. } => Content::Missing,
        PlaceKind::File(_) => content_of(&place, most),
    };
    Some(File { asked, shown: place.shown, content })
}

impl File {
    /// What it holds now.
    fn now(&self, scope: &WorkspaceScope) -> Content {
        let place = match scope.resolve(&self.asked, Access::Write) {
            Ok(place) => place,
            Err(ScopeError::Io { source, .. })
                if matches!(source.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
            {
                return Content::Missing;
            }
            Err(_) => return Content::Unreadable,
        };
        // What was not read before is looked into only when it is another file by its size and time.
        if let (Content::TooLarge { .. }, PlaceKind::File(metadata)) = (&self.content, &place.kind)
            && self.content == too_large(metadata)
        {
            return self.content.clone();
        }
        content_of(&place, MAX_FILE_BYTES)
    }
}

impl Content {
    /// Itself, while there is room for its text.
    fn within(self, room: &mut u64) -> Self {
        let Self::Text(text) = &self else { return self };
        let bytes = u64::try_from(text.len()).unwrap_or(u64::MAX);
        match room.checked_sub(bytes) {
            Some(left) => {
                *room = left;
                self
            }
            None => Self::TooLarge { bytes, modified: None },
        }
    }
}

fn too_large(metadata: &Metadata) -> Content {
    let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
    Content::TooLarge { bytes: metadata.len(), modified }
}

fn content_of(place: &Place, most: u64) -> Content {
    let PlaceKind::File(metadata) = &place.kind else { return Content::Missing };
    if metadata.len() > most {
        return too_large(metadata);
    }
    let mut read = Vec::new();
    let file = open_file(&place.directory, &place.name, metadata);
    // It may grow while it is read.
    match file.and_then(|file| file.take(MAX_FILE_BYTES + 1).read_to_end(&mut read)) {
        Ok(_) => classified(read),
        Err(_) => Content::Unreadable,
    }
}

fn classified(read: Vec<u8>) -> Content {
    let bytes = u64::try_from(read.len()).unwrap_or(u64::MAX);
    if bytes > MAX_FILE_BYTES {
        return Content::TooLarge { bytes, modified: None };
    }
    match String::from_utf8(read) {
        Ok(text) if !text.contains('\0') => Content::Text(text),
        Ok(text) => Content::Binary { bytes, digest: Sha256::digest(text).into() },
        Err(error) => Content::Binary { bytes, digest: Sha256::digest(error.as_bytes()).into() },
    }
}

#[cfg(test)]
mod tests;
