//! Walking a folder beneath its open handle: sorted, bounded, and without following links.

use std::ffi::OsString;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use cap_std::fs::{Dir, Metadata};

use crate::tool::blocking::{Stop, StopReason};
use crate::tool::resolve::{Place, open_folder};
use crate::tool::scope::WorkspaceScope;

/// Entries looked at in one walk.
pub(crate) const MAX_VISITED: usize = 200_000;

/// Folders below each other that are entered; each holds one open handle.
const MAX_DEPTH: usize = 100;

/// Caches, dependencies and build results, which are rarely meant and always large.
const IGNORED: [&str; 13] = [
    ".git",
    "node_modules",
    "__pycache__",
    ".venv",
    "venv",
    "dist",
    "build",
    ".tox",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
    ".coverage",
    "htmlcov",
];

/// One thing that was found.
pub(crate) struct Found<'a> {
    /// The folder it lies in, open.
    pub(crate) parent: &'a Dir,
    /// Its name there.
    pub(crate) name: &'a OsString,
    /// Its own metadata, not those of a link's target.
    pub(crate) metadata: &'a Metadata,
    /// Path from the folder where the walk began.
    pub(crate) relative: PathBuf,
    /// The path as the model should write it.
    pub(crate) shown: String,
}

/// What a walk left out.
#[derive(Debug, Default)]
pub(crate) struct WalkReport {
    /// Entries looked at.
    pub(crate) visited: usize,
    /// Set when the walk did not see everything.
    pub(crate) cut: Option<Cut>,
    /// Entries left out for their name.
    pub(crate) ignored: usize,
    /// Folders that could not be read.
    pub(crate) unreadable: usize,
}

/// Why a walk did not see everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    /// [`MAX_VISITED`].
    TooMany,
    /// [`MAX_DEPTH`].
    TooDeep,
    /// The deadline passed or the call was cancelled.
    Stopped(StopReason),
}

impl WalkReport {
    /// Sentences for the end of a result, each on its own line; empty when everything was seen.
    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        match self.cut {
            Some(Cut::TooMany) => notes.push(format!("(only the first {MAX_VISITED} entries were looked at)")),
            Some(Cut::TooDeep) => notes.push(format!("(folders more than {MAX_DEPTH} levels down were left out)")),
            Some(Cut::Stopped(_)) => notes.push("(stopped at the time limit; the result is incomplete)".to_owned()),
            None => {}
        }
        if self.unreadable > 0 {
            notes.push(format!("({} folders could not be read)", self.unreadable));
        }
        notes
    }
}

/// A folder that is being walked.
struct Level {
    folder: Dir,
    entries: std::vec::IntoIter<(OsString, Metadata)>,
}

/// Visits everything below `place` in order of path until `visit` breaks. With `Depth::Flat` nothing is entered.
pub(crate) fn walk(
    scope: &WorkspaceScope,
    place: &Place,
    depth: Depth,
    stop: &Stop,
    mut visit: impl FnMut(Found<'_>) -> ControlFlow<()>,
) -> io::Result<WalkReport> {
    let mut report = WalkReport::default();
    let mut names: Vec<OsString> = place.names.clone();
    let top = place.directory.try_clone()?;
    let entries = list(scope, place.grant, &names, &top, stop, &mut report)?;
    let mut levels = vec![Level { folder: top, entries }];
    while let Some(level) = levels.last_mut() {
        let Some((name, metadata)) = level.entries.next() else {
            levels.pop();
            names.pop();
            continue;
        };
        if let Some(reason) = stop.reason() {
            report.cut = Some(Cut::Stopped(reason));
            break;
        }
        names.push(name.clone());
        let relative = names.iter().skip(place.names.len()).collect();
        let shown = scope.shown(place.grant, &names);
        let found = Found { parent: &level.folder, name: &name, metadata: &metadata, relative, shown };
        if visit(found).is_break() {
            break;
        }
        if depth == Depth::Flat || !metadata.is_dir() {
            names.pop();
            continue;
        }
        if levels.len() >= MAX_DEPTH {
            report.cut.get_or_insert(Cut::TooDeep);
            names.pop();
            continue;
        }
        let opened = levels.last().map(|level| open_folder(&level.folder, &name, &metadata));
        match opened.and_then(|opened| {
            let folder = opened.ok()?;
            let entries = list(scope, place.grant, &names, &folder, stop, &mut report).ok()?;
            Some(Level { folder, entries })
        }) {
            Some(level) => levels.push(level),
            None => {
                report.unreadable += 1;
                names.pop();
            }
        }
    }
    Ok(report)
}

/// Does a walk enter folders?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The entries of one folder.
    Flat,
    /// Everything below.
    Recursive,
}

/// The visible entries of a folder, sorted by name.
fn list(
    scope: &WorkspaceScope,
    grant_index: usize,
    folder_names: &[OsString],
    folder: &Dir,
    stop: &Stop,
    report: &mut WalkReport,
) -> io::Result<std::vec::IntoIter<(OsString, Metadata)>> {
    let mut entries = Vec::new();
    let mut names = folder_names.to_vec();
    for entry in folder.entries()? {
        if report.visited >= MAX_VISITED {
            report.cut.get_or_insert(Cut::TooMany);
            break;
        }
        if let Some(reason) = stop.reason() {
            report.cut = Some(Cut::Stopped(reason));
            break;
        }
        report.visited += 1;
        let Ok(entry) = entry else { continue };
        let name = entry.file_name();
        let Ok(metadata) = entry.metadata() else { continue };
        if IGNORED.iter().any(|ignored| name == *ignored) && (metadata.is_dir() || name == ".coverage") {
            report.ignored += 1;
            continue;
        }
        names.push(name.clone());
        let closed = scope.grant(grant_index).is_none_or(|grant| scope.is_closed(grant, &names, Some(&metadata)));
        names.pop();
        if !closed {
            entries.push((name, metadata));
        }
    }
    entries.sort_by(|(left, _), (right, _)| left.cmp(right));
    Ok(entries.into_iter())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::Access;
    use crate::tool::registry::testing::Fixture;

    fn stop() -> Stop {
        Stop::never()
    }

    #[test]
    fn a_walk_is_sorted_and_ends_at_its_depth() {
        let fixture = Fixture::new();
        let deep = "d/".repeat(MAX_DEPTH + 5);
        fixture.write(&format!("ws/{deep}f"), "").write("ws/a", "").link("ws/b", ".").link("ws/c", "/");
        let place = fixture.context.scope.resolve(".", Access::Read).unwrap();
        let mut seen = Vec::new();
        let report = walk(&fixture.context.scope, &place, Depth::Recursive, &stop(), |found| {
            seen.push(found.shown);
            ControlFlow::Continue(())
        });
        let report = report.unwrap();
        assert_eq!(seen.get(..5).unwrap(), ["a", "b", "c", "d", "d/d"]);
        assert_eq!(seen.len(), 3 + MAX_DEPTH);
        assert_eq!(report.cut, Some(Cut::TooDeep));
        assert_eq!(report.notes(), ["(folders more than 100 levels down were left out)"]);
    }

    #[test]
    fn a_cancelled_walk_ends() {
        let fixture = Fixture::new();
        fixture.write("ws/a", "");
        let place = fixture.context.scope.resolve(".", Access::Read).unwrap();
        let stop = stop();
        stop.cancel();
        let report = walk(&fixture.context.scope, &place, Depth::Recursive, &stop, |_| panic!("nothing is visited"));
        assert_eq!(report.unwrap().cut, Some(Cut::Stopped(StopReason::Cancelled)));
    }
}
