//! The result of `grep` that shows lines: blocks of `path:line` and the lines below it.

use std::ops::ControlFlow;

use super::lines::{Around, FileLines, Line, Wanted};
use crate::tool::find_files::Page;
use crate::tool::read_file::MAX_RESULT_CHARS;

/// Room kept for the notes at the end.
const NOTES_CHARS: usize = 2_000;

/// Blocks collected so far. One match is one result of the page.
pub(super) struct Content {
    page: Page,
    /// Matches passed over before the page.
    skipped: usize,
    /// Matches shown.
    shown: usize,
    out: String,
    room: usize,
    /// More matches exist than are shown.
    more: bool,
}

impl Content {
    pub(super) fn new(page: Page) -> Self {
        Self { page, skipped: 0, shown: 0, out: String::new(), room: MAX_RESULT_CHARS - NOTES_CHARS, more: false }
    }

    /// What the next file may still add.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            skip: self.page.offset.saturating_sub(self.skipped),
            take: self.page.limit.saturating_sub(self.shown),
            chars: self.room,
        }
    }

    /// Adds the lines of one file; breaks when the page is full.
    pub(super) fn add(&mut self, shown_path: &str, around: Around, found: FileLines) -> ControlFlow<()> {
        self.skipped += found.skipped;
        self.more = found.more;
        for block in blocks(&found.lines, around) {
            if !self.add_block(shown_path, block) {
                self.more = true;
                break;
            }
        }
        if self.more { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// False when not all of the block fits.
    fn add_block(&mut self, shown_path: &str, block: &[Line]) -> bool {
        let first = block.iter().find(|line| line.kept).map_or(0, |line| line.number);
        let gap = if self.out.is_empty() { "" } else { "\n" };
        let mut header = format!("{gap}{shown_path}:{first}\n");
        for line in block {
            let mark = if line.matched { '>' } else { ' ' };
            let text = format!("{header}{mark} {}| {}\n", line.number, line.text);
            let Some(room) = self.room.checked_sub(text.chars().count()) else { return false };
            self.room = room;
            self.shown += usize::from(line.kept);
            self.out.push_str(&text);
            header.clear();
        }
        true
    }

    pub(super) fn render(self, empty: &str, mut notes: Vec<String>) -> String {
        let mut out = self.out;
        out.truncate(out.trim_end_matches('\n').len());
        if self.shown == 0 && self.skipped > 0 {
            out = format!("No matches at offset {}; there are {}", self.page.offset, self.skipped);
        } else if self.shown == 0 {
            empty.clone_into(&mut out);
        } else if self.more {
            let first = self.page.offset + 1;
            let last = self.page.offset + self.shown;
            notes.insert(0, format!("(matches {first}-{last}; there are more, continue with offset={last})"));
        }
        if !notes.is_empty() {
            out.push_str("\n\n");
            out.push_str(&notes.join("\n"));
        }
        out
    }
}

/// Runs of neighbouring lines that hold a kept match or lie near one.
fn blocks(lines: &[Line], around: Around) -> Vec<&[Line]> {
    let mut near = vec![false; lines.len()];
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| line.kept) {
        let window = index.saturating_sub(around.before)..index.saturating_add(around.after + 1).min(lines.len());
        for neighbour in window {
            let number = lines.get(neighbour).map_or(0, |neighbour| neighbour.number);
            let close = number + around.before as u64 >= line.number && number <= line.number + around.after as u64;
            if let Some(slot) = near.get_mut(neighbour) {
                *slot |= close;
            }
        }
    }
    let mut blocks = Vec::new();
    let mut rest = lines;
    let mut near = near.as_slice();
    while !rest.is_empty() {
        let run = rest
            .iter()
            .zip(rest.iter().skip(1))
            .zip(near.iter().zip(near.iter().skip(1)))
            .take_while(|((left, right), (left_near, right_near))| {
                left.number + 1 == right.number && left_near == right_near
            })
            .count()
            + 1;
        let (block, after) = rest.split_at(run);
        let (block_near, near_after) = near.split_at(run);
        if block_near.first() == Some(&true) {
            blocks.push(block);
        }
        rest = after;
        near = near_after;
    }
    blocks
}
