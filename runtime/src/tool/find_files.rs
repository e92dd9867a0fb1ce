//! The tool `find_files`: files by name.

use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use cap_std::fs::Metadata;
use nanobot_engine::text;
use nanobot_engine::tool::{CallStatus, Concurrency, ToolOutcome, ToolSpec};
use serde_json::{Map, Value, json};

use crate::tool::blocking::{self, Stop};
use crate::tool::list_dir::folder;
use crate::tool::name_filter::NameFilter;
use crate::tool::read_file::MAX_RESULT_CHARS;
use crate::tool::walk::{Depth, walk};
use crate::tool::{Tool, ToolContext, WorkspaceScope, arguments};

/// Results shown when no number is asked for.
const DEFAULT_RESULTS: usize = 200;

/// Time for one walk.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Finds files by name.
#[derive(Clone, Debug)]
pub struct FindFiles {
    spec: ToolSpec,
}

impl Default for FindFiles {
    fn default() -> Self {
        let description = "Find files by name below a folder. query: words that must all occur in the path, in any \
            case. glob: with a slash it is held against the path, otherwise against the name. type: py, js, ts, rs, \
            md, … or any extension. Returns paths relative to the workspace.";
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "path": {"type": ["string", "null"], "description": "Folder to search (default .)"},
                "query": {"type": ["string", "null"], "description": "Words of the path"},
                "glob": {"type": ["string", "null"], "description": "For example *.md or src/**/*.rs"},
                "type": {"type": ["string", "null"], "description": "Kind of file"},
                "include_dirs": {"type": ["boolean", "null"], "description": "Find folders too (default false)"},
                "sort": {
                    "type": ["string", "null"],
                    "enum": ["path", "modified", null],
                    "description": "By path (default), or the last changed first"
                },
                "head_limit": {
                    "type": ["integer", "null"], "minimum": 0, "maximum": 1000,
                    "description": format!("Most results; 0 for all (default {DEFAULT_RESULTS})")
                },
                "offset": {
                    "type": ["integer", "null"], "minimum": 0, "maximum": 100_000,
                    "description": "Results to skip"
                }
            }
        });
        Self {
            spec: ToolSpec {
                name: "find_files".to_owned(),
                description: description.to_owned(),
                parameters,
                concurrency: Concurrency::Shared,
            },
        }
    }
}

#[async_trait]
impl Tool for FindFiles {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        let wanted = ["query", "glob", "type", "path"].iter().find_map(|name| arguments::text(arguments, name));
        text::one_line(wanted.unwrap_or("."), 200)
    }

    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        let filter = NameFilter::new(arguments::text(&arguments, "glob"), arguments::text(&arguments, "type"));
        let filter = match filter {
            Ok(filter) => filter,
            Err(problem) => return ToolOutcome::failed(CallStatus::Error, problem),
        };
        let query = arguments::text(&arguments, "query").unwrap_or_default().to_lowercase();
        let search = Search {
            path: arguments::text(&arguments, "path").filter(|path| !path.is_empty()).unwrap_or(".").to_owned(),
            words: query.split_whitespace().map(str::to_owned).collect(),
            filter,
            folders: arguments::flag(&arguments, "include_dirs"),
            newest_first: arguments::text(&arguments, "sort") == Some("modified"),
            page: Page::of(&arguments, DEFAULT_RESULTS),
        };
        let scope = Arc::clone(&context.scope);
        blocking::run(context, TIME_LIMIT, move |stop| search.run(&scope, stop)).await
    }
}

struct Search {
    path: String,
    words: Vec<String>,
    filter: NameFilter,
    folders: bool,
    newest_first: bool,
    page: Page,
}

impl Search {
    fn run(self, scope: &WorkspaceScope, stop: &Stop) -> Result<String, String> {
        let place = folder(scope, &self.path)?;
        let mut found_paths = Vec::new();
        let report = walk(scope, &place, Depth::Recursive, stop, |found| {
            let wanted =
                (self.folders || !found.metadata.is_dir()) && self.filter.accepts(&found.relative, &found.shown);
            let folded = found.shown.to_lowercase();
            if wanted && self.words.iter().all(|word| folded.contains(word)) {
                let slash = if found.metadata.is_dir() { "/" } else { "" };
                found_paths.push((modified(found.metadata), format!("{}{slash}", found.shown)));
            }
            ControlFlow::Continue(())
        });
        let report = report.map_err(|error| format!("failed to search {}: {error}", place.shown))?;
        if self.newest_first {
            found_paths.sort_by(|left, right| (Reverse(left.0), &left.1).cmp(&(Reverse(right.0), &right.1)));
        } else {
            found_paths.sort_by(|left, right| left.1.cmp(&right.1));
        }
        let lines = found_paths.into_iter().map(|(_, path)| path).collect::<Vec<_>>();
        let empty = "No files found";
        Ok(self.page.render(lines, empty, "results", report.notes()))
    }
}

/// When a file was last changed; files that do not say count as oldest.
pub(crate) fn modified(metadata: &Metadata) -> SystemTime {
    metadata.modified().map_or(SystemTime::UNIX_EPOCH, |time| time.into_std())
}

/// Which part of a list of results is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Results skipped.
    pub(crate) offset: usize,
    /// Most results shown.
    pub(crate) limit: usize,
}

impl Page {
    /// The page a call asks for with `head_limit` and `offset`.
    pub(crate) fn of(arguments: &Map<String, Value>, default: usize) -> Self {
        let limit = match arguments::number(arguments, "head_limit", default) {
            0 => usize::MAX,
            limit => limit,
        };
        Self { offset: arguments::number(arguments, "offset", 0), limit }
    }

    /// The lines of this page and notes about the rest. `things` names the lines.
    pub(crate) fn render(self, lines: Vec<String>, empty: &str, things: &str, mut notes: Vec<String>) -> String {
        let total = lines.len();
        let mut out = Vec::new();
        let mut room = MAX_RESULT_CHARS - 2_000;
        for line in lines.into_iter().skip(self.offset).take(self.limit) {
            let Some(left) = room.checked_sub(line.chars().count() + 1) else { break };
            room = left;
            out.push(line);
        }
        let end = self.offset.saturating_add(out.len());
        if total == 0 {
            out.push(empty.to_owned());
        } else if out.is_empty() {
            out.push(format!("No {things} at offset {}; there are {total}", self.offset));
        } else if end < total {
            let first = self.offset + 1;
            notes.insert(0, format!("({things} {first}-{end} of {total}; continue with offset={end})"));
        }
        if !notes.is_empty() {
            out.push(String::new());
            out.extend(notes);
        }
        out.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::registry::testing::Fixture;

    async fn find(fixture: &Fixture, arguments: Value) -> String {
        fixture.ok(&FindFiles::default(), arguments).await
    }

    fn project() -> Fixture {
        let fixture = Fixture::new();
        for (age, name) in
            ["README.md", "src/main.rs", "src/deep/lib.rs", "tests/main.py", ".git/x.rs"].iter().enumerate()
        {
            fixture.write(&format!("ws/{name}"), "");
            let file = std::fs::File::options().write(true).open(fixture.path(&format!("ws/{name}"))).unwrap();
            file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000 - age as u64)).unwrap();
        }
        fixture
    }

    #[tokio::test]
    async fn finds_by_words_glob_and_type() {
        let fixture = project();
        assert_eq!(find(&fixture, json!({})).await, "README.md\nsrc/deep/lib.rs\nsrc/main.rs\ntests/main.py");
        assert_eq!(find(&fixture, json!({"query": "MAIN src"})).await, "src/main.rs");
        assert_eq!(find(&fixture, json!({"glob": "*.rs"})).await, "src/deep/lib.rs\nsrc/main.rs");
        assert_eq!(find(&fixture, json!({"glob": "src/*.rs"})).await, "src/main.rs");
        assert_eq!(find(&fixture, json!({"glob": "src/*.rs", "path": "src"})).await, "src/main.rs");
        assert_eq!(find(&fixture, json!({"type": "py"})).await, "tests/main.py");
        assert_eq!(find(&fixture, json!({"query": "src", "include_dirs": true, "glob": "s*"})).await, "src/");
        assert_eq!(find(&fixture, json!({"query": "nothing"})).await, "No files found");
        assert!(fixture.error(&FindFiles::default(), json!({"glob": "[a"})).await.contains("not valid"));
    }

    #[tokio::test]
    async fn sorts_and_pages() {
        let fixture = project();
        let newest = json!({"sort": "modified", "head_limit": 2});
        assert_eq!(
            find(&fixture, newest).await,
            "README.md\nsrc/main.rs\n\n(results 1-2 of 4; continue with offset=2)"
        );
        assert_eq!(find(&fixture, json!({"head_limit": 0, "offset": 3})).await, "tests/main.py");
        assert_eq!(find(&fixture, json!({"offset": 9})).await, "No results at offset 9; there are 4");
    }

    #[tokio::test]
    async fn stays_inside_the_workspace() {
        let fixture = project();
        fixture.write("outside/secret.rs", "").link("ws/out", fixture.path("outside")).link("ws/src/loop", "..");
        assert_eq!(find(&fixture, json!({"query": "secret"})).await, "No files found");
        assert_eq!(find(&fixture, json!({"query": "main", "path": "src/loop"})).await, "src/main.rs\ntests/main.py");
        for path in ["..", "out", "/", "../outside"] {
            let problem = fixture.error(&FindFiles::default(), json!({"path": path})).await;
            assert!(problem.contains("outside the workspace"), "{path}: {problem}");
        }
    }

    #[test]
    fn hints_name_the_object() {
        let hint = |arguments: serde_json::Value| FindFiles::default().hint(arguments.as_object().unwrap());
        assert_eq!(hint(json!({})), ".");
        assert_eq!(hint(json!({"query": "tax 2026", "path": "docs"})), "tax 2026");
        assert_eq!(hint(json!({"glob": "*.md"})), "*.md");
        assert_eq!(hint(json!({"query": null, "type": "rust"})), "rust");
    }
}
