//! Unified diffs for people: several files in one text, bounded in lines, in the length of a line and in time.

use std::ops::Range;
use std::time::{Duration, Instant, SystemTime};

use nanobot_engine::text;
use similar::{Algorithm, DiffOp, capture_diff_slices_deadline, group_diff_ops};

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;
/// Lines of all hunks together.
const MAX_LINES: usize = 500;
/// Longest line, in characters.
const MAX_LINE_CHARS: usize = 1_200;
/// No further line is added beyond this.
const MAX_BYTES: usize = 256 * 1024;
/// Files that are named.
const MAX_FILES: usize = 50;
/// How long the shortest diff of a file is searched for; after that a longer one will do.
const SEARCH_LIMIT: Duration = Duration::from_millis(250);

/// What a file holds, as far as it can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// There is no file.
    Missing,
    /// UTF-8 without NUL.
    Text(String),
    /// Anything else.
    Binary {
        /// Its size.
        bytes: u64,
        /// SHA-256, so that a change is noticed.
        digest: [u8; 32],
    },
    /// More than is read.
    TooLarge {
        /// Its size.
        bytes: u64,
        /// When it was written last.
        modified: Option<SystemTime>,
    },
    /// It cannot be read.
    Unreadable,
}

/// One file before and after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<'a> {
    /// The path for people.
    pub(super) path: &'a str,
    pub(super) before: &'a Content,
    pub(super) after: &'a Content,
}

/// All changes as one unified diff; `None` when nothing changed.
///
/// Lines that begin with a backslash are notes: what is not text, what was left out, and how lines end.
pub(super) fn unified(changes: &[Change<'_>]) -> Option<String> {
    let mut diff = Diff { text: String::new(), lines_left: MAX_LINES };
    let mut changed = changes.iter().filter(|change| change.before != change.after);
    for change in changed.by_ref().take(MAX_FILES) {
        diff.file(change);
    }
    let more = changed.count();
    if more > 0 {
        diff.note(&format!("{more} more files changed"));
    }
    (!diff.text.is_empty()).then_some(diff.text)
}

struct Diff {
    text: String,
    lines_left: usize,
}

/// A line without what ends it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Line<'a> {
    text: &'a str,
    /// False for a last line without a line break.
    ended: bool,
}

impl Diff {
    fn file(&mut self, change: &Change<'_>) {
        let name = |side: &str, content: &Content| match content {
            Content::Missing => "/dev/null".to_owned(),
            _ if change.path.starts_with('/') => change.path.to_owned(),
            _ => format!("{side}/{}", change.path),
        };
        let (old, new) = (name("a", change.before), name("b", change.after));
        self.text.push_str(&format!("--- {old}\n+++ {new}\n"));
        match (change.before, change.after) {
            (Content::Missing | Content::Text(_), Content::Missing | Content::Text(_)) => self.lines(change),
            (before, after) => self.note(&format!("not shown: {} → {}", in_words(before), in_words(after))),
        }
    }

    fn lines(&mut self, change: &Change<'_>) {
        let (before, after) = (text_of(change.before), text_of(change.after));
        if before.is_empty() && after.is_empty() {
            self.note("an empty file");
            return;
        }
        let ends = (line_ends(before), line_ends(after));
        if let (Some(before), Some(after)) = ends
            && before != after
        {
            self.note(&format!("line ends changed from {before} to {after}"));
        }
        let (old, new) = (split(before), split(after));
        let deadline = Instant::now().checked_add(SEARCH_LIMIT);
        let ops = capture_diff_slices_deadline(Algorithm::Myers, &old, &new, deadline);
        let (mut removed, mut added) = (0, 0);
        for op in ops.iter().filter(|op| !matches!(op, DiffOp::Equal { .. })) {
            removed += op.old_range().len();
            added += op.new_range().len();
        }
        if removed + added == 0 {
            if ends.0 == ends.1 {
                self.note("line ends changed within a mix of LF and CRLF");
            }
            return;
        }
        let hunks = group_diff_ops(ops, CONTEXT_LINES);
        let wanted: usize = hunks.iter().flatten().map(size).sum();
        let room = self.lines_left;
        for hunk in &hunks {
            if !self.hunk(hunk, &old, &new) {
                break;
            }
        }
        let hidden = wanted - (room - self.lines_left);
        if hidden > 0 {
            self.note(&format!("{hidden} more lines are not shown; in all +{added} −{removed}"));
        }
    }

    /// Adds as much of a hunk as there is room for, under a header that is right for it. False when there was not enough.
    fn hunk(&mut self, ops: &[DiffOp], old: &[Line<'_>], new: &[Line<'_>]) -> bool {
        let mut body = String::new();
        let most = MAX_BYTES.saturating_sub(self.text.len());
        let (mut old_count, mut new_count) = (0, 0);
        let mut whole = true;
        for op in ops {
            let (old_range, new_range) = room_for(op, self.lines_left);
            let written = if let DiffOp::Equal { .. } = op {
                let kept = write_lines(&mut body, ' ', old.get(old_range), most);
                old_count += kept;
                new_count += kept;
                kept
            } else {
                let removed = write_lines(&mut body, '-', old.get(old_range), most);
                let added = write_lines(&mut body, '+', new.get(new_range), most);
                old_count += removed;
                new_count += added;
                removed + added
            };
            self.lines_left -= written;
            if written < size(op) {
                whole = false;
                break;
            }
        }
        if let Some(first) = ops.first().filter(|_| !body.is_empty()) {
            let old_place = place(first.old_range().start, old_count);
            let new_place = place(first.new_range().start, new_count);
            self.text.push_str(&format!("@@ -{old_place} +{new_place} @@\n{body}"));
        }
        whole
    }

    fn note(&mut self, words: &str) {
        self.text.push_str(&format!("\\ {words}\n"));
    }
}

/// Lines that an operation takes in a hunk.
fn size(op: &DiffOp) -> usize {
    match op {
        DiffOp::Equal { len, .. } => *len,
        _ => op.old_range().len() + op.new_range().len(),
    }
}

/// The lines of an operation for which there is room. Where lines are replaced, both sides get a share.
fn room_for(op: &DiffOp, room: usize) -> (Range<usize>, Range<usize>) {
    let (old, new) = (op.old_range(), op.new_range());
    let first = |range: &Range<usize>, count: usize| range.start..range.start + count.min(range.len());
    if let DiffOp::Equal { .. } = op {
        return (first(&old, room), first(&new, room));
    }
    let removed = old.len().min(room.saturating_sub(new.len().min(room / 2)));
    (first(&old, removed), first(&new, room - removed))
}

/// Writes lines until there are `most` bytes; gives the number of lines.
fn write_lines(body: &mut String, mark: char, lines: Option<&[Line<'_>]>, most: usize) -> usize {
    let mut count = 0;
    for line in lines.unwrap_or_default() {
        if body.len() >= most {
            break;
        }
        let shown = text::ellipsis(line.text, MAX_LINE_CHARS);
        body.push(mark);
        // A carriage return in the middle of a line would make two lines of it for some readers.
        body.push_str(&shown.replace('\r', "␍"));
        body.push('\n');
        if !line.ended {
            body.push_str("\\ No newline at end of file\n");
        }
        count += 1;
    }
    count
}

/// A side of a hunk's header, from the number of lines before it.
fn place(start: usize, count: usize) -> String {
    match count {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        _ => format!("{},{count}", start + 1),
    }
}

fn split(text: &str) -> Vec<Line<'_>> {
    text.split_inclusive('\n')
        .map(|line| match line.strip_suffix('\n') {
            Some(line) => Line { text: line.strip_suffix('\r').unwrap_or(line), ended: true },
            None => Line { text: line, ended: false },
        })
        .collect()
}

/// How the lines of a text end, when there are line ends.
fn line_ends(text: &str) -> Option<&'static str> {
    let all = text.matches('\n').count();
    let windows = text.matches("\r\n").count();
    match (all, windows) {
        (0, _) => None,
        (_, 0) => Some("LF"),
        _ if all == windows => Some("CRLF"),
        _ => Some("a mix of LF and CRLF"),
    }
}

fn text_of(content: &Content) -> &str {
    match content {
        Content::Text(text) => text,
        Content::Missing | Content::Binary { .. } | Content::TooLarge { .. } | Content::Unreadable => "",
    }
}

fn in_words(content: &Content) -> String {
    match content {
        Content::Missing => "no file".to_owned(),
        Content::Text(text) => format!("text of {} bytes", text.len()),
        Content::Binary { bytes, .. } => format!("a binary file of {bytes} bytes"),
        Content::TooLarge { bytes, .. } => format!("a file of {bytes} bytes, which is too large to compare"),
        Content::Unreadable => "a file that cannot be read".to_owned(),
    }
}

#[cfg(test)]
mod tests;
