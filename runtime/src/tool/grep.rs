//! The tool `grep`: lines of files by regular expression, in linear time.

mod content;
mod lines;

use std::cmp::Reverse;
use std::ffi::OsString;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use cap_std::fs::{Dir, Metadata};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use nanobot_engine::text;
use nanobot_engine::tool::{CallStatus, Concurrency, ToolOutcome, ToolSpec};
use serde_json::{Map, Value, json};

use crate::tool::blocking::{self, Stop, StopReason};
use crate::tool::decode::decode;
use crate::tool::find_files::{Page, modified};
use crate::tool::name_filter::NameFilter;
use crate::tool::read_file::{MAX_FILE_BYTES, read_all, size};
use crate::tool::resolve::{Place, PlaceKind, open_file};
use crate::tool::walk::{Cut, Depth, WalkReport, walk};
use crate::tool::{Access, Tool, ToolContext, WorkspaceScope, arguments};
use content::Content;
use lines::{Around, count_matches, matching_lines};

/// Results shown when no number is asked for.
const DEFAULT_RESULTS: usize = 250;

/// Largest file that a search of a folder looks into.
const MAX_WALKED_BYTES: u64 = 2_000_000;

/// Largest compiled pattern.
const MAX_PATTERN_BYTES: usize = 8 * 1024 * 1024;

/// Time for one search; what was found until then is shown.
const TIME_LIMIT: Duration = Duration::from_secs(20);

/// Searches files.
#[derive(Clone, Debug)]
pub struct Grep {
    spec: ToolSpec,
}

impl Default for Grep {
    fn default() -> Self {
        let description = "Search files line by line with a regular expression (Rust syntax: no look-around, no \
            back-references). output_mode: files_with_matches (default) lists files, the last changed first; content \
            shows the lines as `> N| text`; count shows matching lines per file. Limit the files with path, glob or \
            type. Binary files, and files above 2 MB unless named by path, are skipped.";
        let count = |default: usize, most: usize, description: &str| {
            json!({
                "type": ["integer", "null"], "minimum": 0, "maximum": most,
                "description": format!("{description} (default {default})")
            })
        };
        let parameters = json!({
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "pattern": {"type": "string", "minLength": 1, "description": "Regular expression"},
                "path": {"type": ["string", "null"], "description": "Folder or file to search (default .)"},
                "glob": {"type": ["string", "null"], "description": "For example *.md or src/**/*.rs"},
                "type": {"type": ["string", "null"], "description": "py, js, ts, rs, md, … or any extension"},
                "case_insensitive": {"type": ["boolean", "null"], "description": "Ignore case (default false)"},
                "fixed_strings": {"type": ["boolean", "null"], "description": "Take the pattern literally"},
                "output_mode": {
                    "type": ["string", "null"],
                    "enum": ["files_with_matches", "content", "count", null]
                },
                "context_before": count(0, 20, "content: lines shown before a match"),
                "context_after": count(0, 20, "content: lines shown after a match"),
                "head_limit": count(DEFAULT_RESULTS, 1_000, "Most results; 0 for all"),
                "offset": count(0, 100_000, "Results to skip")
            },
            "required": ["pattern"]
        });
        Self {
            spec: ToolSpec {
                name: "grep".to_owned(),
                description: description.to_owned(),
                parameters,
                concurrency: Concurrency::Shared,
            },
        }
    }
}

#[async_trait]
impl Tool for Grep {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        let pattern = text::one_line(arguments::text(arguments, "pattern").unwrap_or_default(), 100);
        match arguments::text(arguments, "path").filter(|path| !path.is_empty() && *path != ".") {
            Some(path) => format!("{pattern:?} in {}", text::one_line(path, 100)),
            None => format!("{pattern:?}"),
        }
    }

    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        let search = match Search::of(&arguments) {
            Ok(search) => search,
            Err(problem) => return ToolOutcome::failed(CallStatus::Error, problem),
        };
        let scope = Arc::clone(&context.scope);
        blocking::run(context, TIME_LIMIT, move |stop| search.run(&scope, stop)).await
    }
}

/// What is made of the matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OutputMode {
    Files,
    Content,
    Count,
}

struct Search {
    pattern: String,
    matcher: RegexMatcher,
    path: String,
    filter: NameFilter,
    mode: OutputMode,
    around: Around,
    page: Page,
}

/// What a search did not look into.
#[derive(Default)]
struct Skipped {
    binary: usize,
    large: usize,
    unreadable: usize,
}

/// A file with matches.
struct Hit {
    modified: SystemTime,
    shown: String,
    matches: u64,
}

/// Everything found so far.
struct Findings {
    hits: Vec<Hit>,
    content: Content,
    skipped: Skipped,
}

impl Search {
    fn of(arguments: &Map<String, Value>) -> Result<Self, String> {
        let pattern = arguments::text(arguments, "pattern").unwrap_or_default().to_owned();
        let matcher = RegexMatcherBuilder::new()
            .case_insensitive(arguments::flag(arguments, "case_insensitive"))
            .fixed_strings(arguments::flag(arguments, "fixed_strings"))
            .multi_line(true)
            .crlf(true)
            .size_limit(MAX_PATTERN_BYTES)
            .build(&pattern)
            .map_err(|problem| format!("the pattern is not a valid regular expression: {problem}"))?;
        let most = |name| arguments::number(arguments, name, 0).min(20);
        Ok(Self {
            pattern,
            matcher,
            path: arguments::text(arguments, "path").filter(|path| !path.is_empty()).unwrap_or(".").to_owned(),
            filter: NameFilter::new(arguments::text(arguments, "glob"), arguments::text(arguments, "type"))?,
            mode: match arguments::text(arguments, "output_mode") {
                Some("content") => OutputMode::Content,
                Some("count") => OutputMode::Count,
                _ => OutputMode::Files,
            },
            around: Around { before: most("context_before"), after: most("context_after") },
            page: Page::of(arguments, DEFAULT_RESULTS),
        })
    }

    fn run(self, scope: &WorkspaceScope, stop: &Stop) -> Result<String, String> {
        let place = scope.resolve(&self.path, Access::Read).map_err(|error| error.to_string())?;
        let mut findings = Findings { hits: Vec::new(), content: Content::new(self.page), skipped: Skipped::default() };
        let mut report = WalkReport::default();
        match &place.kind {
            PlaceKind::File(metadata) => {
                if metadata.len() > MAX_FILE_BYTES {
                    let limit = size(MAX_FILE_BYTES);
                    return Err(format!("{} is too large to search; the limit is {limit}", place.shown));
                }
                let file = Candidate { parent: &place.directory, name: &place.name, metadata, shown: &place.shown };
                let _ = self.search_file(&file, MAX_FILE_BYTES, stop, &mut findings);
                report.cut = stop.reason().map(Cut::Stopped);
            }
            PlaceKind::Folder => report = self.search_folder(scope, &place, stop, &mut findings)?,
            PlaceKind::Special => {
                return Err(format!("{} is a device, pipe or socket, which cannot be searched", place.shown));
            }
            PlaceKind::Missing { .. } => return Err(format!("there is no file or folder {}", place.shown)),
        }
        let mut notes = report.notes();
        notes.extend(findings.skipped.note());
        let empty = format!("No matches for {:?}", text::ellipsis(&self.pattern, 200));
        Ok(match self.mode {
            OutputMode::Content => findings.content.render(&empty, notes),
            OutputMode::Files | OutputMode::Count => self.render_hits(findings.hits, &empty, notes),
        })
    }

    fn search_folder(
        &self,
        scope: &WorkspaceScope,
        place: &Place,
        stop: &Stop,
        findings: &mut Findings,
    ) -> Result<WalkReport, String> {
        let mut stopped = None;
        let report = walk(scope, place, Depth::Recursive, stop, |found| {
            if !found.metadata.is_file() || !self.filter.accepts(&found.relative, &found.shown) {
                return ControlFlow::Continue(());
            }
            if found.metadata.len() > MAX_WALKED_BYTES {
                findings.skipped.large += 1;
                return ControlFlow::Continue(());
            }
            let file =
                Candidate { parent: found.parent, name: found.name, metadata: found.metadata, shown: &found.shown };
            let next = self.search_file(&file, MAX_WALKED_BYTES, stop, findings);
            stopped = stop.reason();
            if stopped.is_some() { ControlFlow::Break(()) } else { next }
        });
        let mut report = report.map_err(|error| format!("failed to search {}: {error}", place.shown))?;
        report.cut = report.cut.or(stopped.map(|reason: StopReason| Cut::Stopped(reason)));
        Ok(report)
    }

    /// Breaks when the page is full.
    fn search_file(&self, file: &Candidate<'_>, most: u64, stop: &Stop, findings: &mut Findings) -> ControlFlow<()> {
        let opened = open_file(file.parent, file.name, file.metadata);
        let Ok(bytes) = opened.and_then(|opened| read_all(opened, most, stop)) else {
            findings.skipped.unreadable += usize::from(stop.reason().is_none());
            return ControlFlow::Continue(());
        };
        let Ok(decoded) = decode(&bytes, Path::new(file.name)) else {
            findings.skipped.binary += 1;
            return ControlFlow::Continue(());
        };
        if self.mode == OutputMode::Content {
            let wanted = findings.content.wanted();
            let lines = matching_lines(&self.matcher, &decoded.text, self.around, wanted, stop);
            return findings.content.add(file.shown, self.around, lines);
        }
        let most = if self.mode == OutputMode::Files { Some(1) } else { None };
        let matches = count_matches(&self.matcher, &decoded.text, most, stop);
        if matches > 0 {
            let modified = modified(file.metadata);
            findings.hits.push(Hit { modified, shown: file.shown.to_owned(), matches });
        }
        ControlFlow::Continue(())
    }

    fn render_hits(&self, mut hits: Vec<Hit>, empty: &str, mut notes: Vec<String>) -> String {
        hits.sort_by(|left, right| (Reverse(left.modified), &left.shown).cmp(&(Reverse(right.modified), &right.shown)));
        if self.mode == OutputMode::Count && !hits.is_empty() {
            let total = hits.iter().map(|hit| hit.matches).sum::<u64>();
            notes.insert(0, format!("(total: {total} matching lines in {} files)", hits.len()));
        }
        let lines = hits.into_iter().map(|hit| match self.mode {
            OutputMode::Count => format!("{}: {}", hit.shown, hit.matches),
            OutputMode::Files | OutputMode::Content => hit.shown,
        });
        self.page.render(lines.collect(), empty, "files", notes)
    }
}

/// A file that may be searched.
struct Candidate<'a> {
    parent: &'a Dir,
    name: &'a OsString,
    metadata: &'a Metadata,
    shown: &'a str,
}

impl Skipped {
    fn note(&self) -> Option<String> {
        let parts = [(self.binary, "binary"), (self.large, "larger than 2 MB"), (self.unreadable, "unreadable")]
            .iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect::<Vec<_>>();
        (!parts.is_empty()).then(|| format!("(files skipped: {})", parts.join(", ")))
    }
}

#[cfg(test)]
mod tests;
