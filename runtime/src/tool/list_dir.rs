//! The tool `list_dir`: what is in a folder.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use cap_std::fs::Metadata;
use nanobot_engine::text;
use nanobot_engine::tool::{Concurrency, ToolOutcome, ToolSpec};
use serde_json::{Map, Value, json};

use crate::tool::blocking::{self, Stop};
use crate::tool::read_file::{MAX_RESULT_CHARS, size};
use crate::tool::resolve::{Place, PlaceKind};
use crate::tool::scope::display;
use crate::tool::walk::{Depth, walk};
use crate::tool::{Access, Tool, ToolContext, WorkspaceScope, arguments};

/// Entries shown when no number is asked for.
const DEFAULT_ENTRIES: usize = 200;

/// Most entries of one result.
const MAX_ENTRIES: usize = 5_000;

/// Room kept for the notes at the end.
const NOTES_CHARS: usize = 1_000;

/// Time for one listing.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Lists folders.
#[derive(Clone, Debug)]
pub struct ListDir {
    spec: ToolSpec,
}

impl Default for ListDir {
    fn default() -> Self {
        let description = "List a folder: `name/` for folders, `name  SIZE` for files, folders first. With recursive \
            everything below, as paths. Caches, dependencies and build results (.git, node_modules, dist, …) are \
            left out.";
        let parameters = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1, "description": "Folder to list; . is the workspace"},
                "recursive": {"type": ["boolean", "null"], "description": "List everything below (default false)"},
                "max_entries": {
                    "type": ["integer", "null"],
                    "minimum": 1,
                    "description": format!("Most entries to show (default {DEFAULT_ENTRIES})")
                }
            },
            "required": ["path"],
            "additionalProperties": false
        });
        Self {
            spec: ToolSpec {
                name: "list_dir".to_owned(),
                description: description.to_owned(),
                parameters,
                concurrency: Concurrency::Shared,
            },
        }
    }
}

#[async_trait]
impl Tool for ListDir {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        text::one_line(arguments::text(arguments, "path").unwrap_or("."), 200)
    }

    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        let path = arguments::text(&arguments, "path").unwrap_or(".").to_owned();
        let depth = if arguments::flag(&arguments, "recursive") { Depth::Recursive } else { Depth::Flat };
        let limit = arguments::number(&arguments, "max_entries", DEFAULT_ENTRIES).clamp(1, MAX_ENTRIES);
        let scope = Arc::clone(&context.scope);
        blocking::run(context, TIME_LIMIT, move |stop| list(&scope, &path, depth, limit, stop)).await
    }
}

fn list(scope: &WorkspaceScope, path: &str, depth: Depth, limit: usize, stop: &Stop) -> Result<String, String> {
    let place = folder(scope, path)?;
    let mut lines = Vec::new();
    let mut total = 0_usize;
    let report = walk(scope, &place, depth, stop, |found| {
        total += 1;
        // A flat listing is sorted anew, folders first, so all of it is needed.
        if depth == Depth::Flat || lines.len() < limit {
            lines.push((!found.metadata.is_dir(), line(&display(&found.relative), found.metadata)));
        }
        ControlFlow::Continue(())
    });
    let report = report.map_err(|error| format!("failed to list {}: {error}", place.shown))?;
    if total == 0 && report.cut.is_none() {
        let only = if report.ignored > 0 { " but for ignored entries such as .git" } else { "" };
        return Ok(format!("(Empty folder{only}: {})", place.shown));
    }
    if depth == Depth::Flat {
        lines.sort_by_key(|(is_file, _)| *is_file);
        lines.truncate(limit);
    }
    let mut out = Vec::new();
    let mut room = MAX_RESULT_CHARS - NOTES_CHARS;
    for (_, line) in lines {
        let Some(left) = room.checked_sub(line.chars().count() + 1) else { break };
        room = left;
        out.push(line);
    }
    let shown = out.len();
    let mut notes = report.notes();
    if shown < total {
        notes.insert(0, format!("({shown} of {total} entries shown; list a folder below, or raise max_entries)"));
    }
    if !notes.is_empty() {
        out.push(String::new());
        out.extend(notes);
    }
    Ok(out.join("\n"))
}

/// The folder at `path`, or a sentence that says what is there instead.
pub(crate) fn folder(scope: &WorkspaceScope, path: &str) -> Result<Place, String> {
    let place = scope.resolve(path, Access::Read).map_err(|error| error.to_string())?;
    match &place.kind {
        PlaceKind::Folder => Ok(place),
        PlaceKind::File(_) | PlaceKind::Special => Err(format!("{} is not a folder", place.shown)),
        PlaceKind::Missing { .. } => Err(format!("there is no folder {}", place.shown)),
    }
}

fn line(name: &str, metadata: &Metadata) -> String {
    if metadata.is_dir() {
        format!("{name}/")
    } else if metadata.is_file() {
        format!("{name}  {}", size(metadata.len()))
    } else if metadata.is_symlink() {
        format!("{name}  (link)")
    } else {
        format!("{name}  (device, pipe or socket)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::registry::testing::Fixture;

    async fn list(fixture: &Fixture, arguments: Value) -> String {
        fixture.ok(&ListDir::default(), arguments).await
    }

    #[tokio::test]
    async fn folders_come_first_and_noise_is_left_out() {
        let fixture = Fixture::new();
        fixture
            .write("ws/b.txt", "12345")
            .write("ws/a.bin", vec![0; 2_048])
            .write("ws/z/deep/x", "")
            .write("ws/node_modules/m", "")
            .write("ws/.git/HEAD", "")
            .write("ws/build", "a file, not a folder")
            .link("ws/out", "/etc");
        assert_eq!(
            list(&fixture, json!({"path": "."})).await,
            "z/\na.bin  2.0 KB\nb.txt  5 B\nbuild  20 B\nout  (link)"
        );
        assert_eq!(
            list(&fixture, json!({"path": ".", "recursive": true})).await,
            "a.bin  2.0 KB\nb.txt  5 B\nbuild  20 B\nout  (link)\nz/\nz/deep/\nz/deep/x  0 B"
        );
        assert_eq!(list(&fixture, json!({"path": "node_modules"})).await, "m  0 B");
        assert_eq!(list(&fixture, json!({"path": "z/deep/", "recursive": null})).await, "x  0 B");
    }

    #[tokio::test]
    async fn limits_say_what_is_missing() {
        let fixture = Fixture::new();
        for index in 0..5 {
            fixture.write(&format!("ws/f{index}"), "");
        }
        fixture.write("ws/g/h", "");
        let note = "\n\n(2 of 6 entries shown; list a folder below, or raise max_entries)";
        assert_eq!(list(&fixture, json!({"path": ".", "max_entries": 2})).await, format!("g/\nf0  0 B{note}"));
        std::fs::create_dir(fixture.path("ws/none")).unwrap();
        assert_eq!(list(&fixture, json!({"path": "none"})).await, "(Empty folder: none)");
        fixture.write("ws/none/.git/HEAD", "");
        let only = "(Empty folder but for ignored entries such as .git: none)";
        assert_eq!(list(&fixture, json!({"path": "none"})).await, only);
    }

    #[tokio::test]
    async fn only_folders_of_the_workspace_are_listed() {
        let fixture = Fixture::with_denied(&["ws/private"]);
        fixture
            .write("ws/f", "")
            .write("ws/private/key", "")
            .write("other/x", "")
            .link("ws/out", fixture.path("other"));
        assert_eq!(list(&fixture, json!({"path": ".", "recursive": true})).await, "f  0 B\nout  (link)");
        for path in ["..", "/", "out", "../other", "private", "private/key", "~"] {
            let problem = fixture.error(&ListDir::default(), json!({"path": path})).await;
            assert!(problem.contains("outside the workspace"), "{path}: {problem}");
        }
        assert_eq!(fixture.error(&ListDir::default(), json!({"path": "f"})).await, "Error: f is not a folder");
        assert_eq!(fixture.error(&ListDir::default(), json!({"path": "g"})).await, "Error: there is no folder g");
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn names_that_are_not_unicode_are_shown_lossily() {
        use std::os::unix::ffi::OsStrExt;
        let fixture = Fixture::new();
        let name = std::ffi::OsStr::from_bytes(b"a\xff\nb");
        std::fs::write(fixture.path("ws").join(name), "x").unwrap();
        assert_eq!(list(&fixture, json!({"path": "."})).await, "a\u{fffd}\u{fffd}b  1 B");
    }

    #[test]
    fn hints_name_the_object() {
        let hint = |arguments: serde_json::Value| ListDir::default().hint(arguments.as_object().unwrap());
        assert_eq!(hint(json!({})), ".");
        assert_eq!(hint(json!({"path": "notes"})), "notes");
        assert_eq!(hint(json!({"path": "a\nb  c"})), "a b c");
        assert_eq!(hint(json!({"path": null})), ".");
        assert_eq!(hint(json!({"path": ["x"]})), ".");
    }
}
