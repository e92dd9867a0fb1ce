//! The matching lines of one text, with the lines around them.

use std::io::{self, Read};

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};
use nanobot_engine::text;

use crate::tool::blocking::Stop;

/// Longest line that is shown in full, in Unicode scalars.
const MAX_LINE_CHARS: usize = 500;

/// What stays before the match when a long line is cut.
const CHARS_BEFORE_MATCH: usize = 100;

/// Lines shown around a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Around {
    /// Lines before.
    pub(super) before: usize,
    /// Lines after.
    pub(super) after: usize,
}

/// Which matches of a text are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Matches to pass over first.
    pub(super) skip: usize,
    /// Matches to keep after that.
    pub(super) take: usize,
    /// Unicode scalars after which no more lines are collected.
    pub(super) chars: usize,
}

/// A line of a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// From 1.
    pub(super) number: u64,
    /// Does it match, or is it only near one that does?
    pub(super) matched: bool,
    /// Is it one of the wanted matches?
    pub(super) kept: bool,
    /// Shortened text without a line end.
    pub(super) text: String,
}

/// The wanted lines of one text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FileLines {
    /// The wanted matches and lines around matches, in order.
    pub(super) lines: Vec<Line>,
    /// Matches passed over.
    pub(super) skipped: usize,
    /// There are more matches than were wanted.
    pub(super) more: bool,
}

/// The wanted matching lines and those around them.
pub(super) fn matching_lines(
    matcher: &RegexMatcher,
    text: &str,
    around: Around,
    wanted: Wanted,
    stop: &Stop,
) -> FileLines {
    let mut sink = Collect { matcher, around, wanted, found: FileLines::default() };
    let searcher = builder(None).before_context(around.before).after_context(around.after).build();
    search(searcher, matcher, text, stop, &mut sink);
    sink.found
}

/// The number of matching lines, not counted beyond `most`.
pub(super) fn count_matches(matcher: &RegexMatcher, text: &str, most: Option<u64>, stop: &Stop) -> u64 {
    let mut count = 0;
    search(builder(most).build(), matcher, text, stop, &mut Count(&mut count));
    count
}

fn builder(most_matches: Option<u64>) -> SearcherBuilder {
    let mut builder = SearcherBuilder::new();
    builder
        .line_terminator(grep_matcher::LineTerminator::crlf())
        .binary_detection(BinaryDetection::none())
        .bom_sniffing(false)
        .max_matches(most_matches);
    builder
}

fn search(mut searcher: Searcher, matcher: &RegexMatcher, text: &str, stop: &Stop, sink: impl Sink<Error = io::Error>) {
    let reader = Stoppable { bytes: text.as_bytes(), stop };
    // The only error is the stop, which the caller asks for itself; what was found until then stays.
    if let Err(error) = searcher.search_reader(matcher, reader, sink) {
        tracing::debug!(error = %error, "a search of a file ended early");
    }
}

/// Hands out text in pieces, so that a search of a large file notices a stop.
struct Stoppable<'a> {
    bytes: &'a [u8],
    stop: &'a Stop,
}

impl Read for Stoppable<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.stop.reason() {
            Some(_) => Err(io::Error::other("stopped")),
            None => self.bytes.read(buffer),
        }
    }
}

struct Count<'a>(&'a mut u64);

impl Sink for Count<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        *self.0 += 1;
        Ok(true)
    }
}

struct Collect<'a> {
    matcher: &'a RegexMatcher,
    around: Around,
    /// What is still wanted.
    wanted: Wanted,
    found: FileLines,
}

impl Collect<'_> {
    fn push(&mut self, line: Line) {
        let lines = &mut self.found.lines;
        if self.wanted.skip == 0 {
            self.wanted.chars = self.wanted.chars.saturating_sub(line.text.chars().count());
        } else if lines.len() > self.around.before {
            // Nothing of this is shown but what may lie before the first kept match.
            lines.remove(0);
        }
        lines.push(line);
    }
}

impl Sink for Collect<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        let kept = self.wanted.skip == 0;
        if kept && (self.wanted.take == 0 || self.wanted.chars == 0) {
            self.found.more = true;
            return Ok(false);
        }
        let start = self.matcher.find(found.bytes()).ok().flatten().map_or(0, |at| at.start());
        let number = found.line_number().unwrap_or(0);
        self.push(Line { number, matched: true, kept, text: shortened(found.bytes(), start) });
        if kept {
            self.wanted.take -= 1;
        } else {
            self.wanted.skip -= 1;
            self.found.skipped += 1;
        }
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, near: &SinkContext<'_>) -> io::Result<bool> {
        let number = near.line_number().unwrap_or(0);
        self.push(Line { number, matched: false, kept: false, text: shortened(near.bytes(), 0) });
        Ok(true)
    }
}

/// The part of a line around byte `start`, without the line end.
fn shortened(bytes: &[u8], start: usize) -> String {
    let line = String::from_utf8_lossy(bytes);
    let line = line.trim_end_matches(['\n', '\r']).replace('\0', "\u{fffd}");
    if line.chars().nth(MAX_LINE_CHARS).is_none() {
        return line;
    }
    let before = line.get(..start).map_or(0, |before| before.chars().count());
    let skip = if before < MAX_LINE_CHARS { 0 } else { before - CHARS_BEFORE_MATCH };
    let part = line.char_indices().nth(skip).and_then(|(at, _)| line.get(at..)).unwrap_or_default();
    let mark = if skip > 0 { "…" } else { "" };
    format!("{mark}{}", text::ellipsis(part, MAX_LINE_CHARS))
}
