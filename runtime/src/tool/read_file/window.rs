//! The lines of a text that fit one result, numbered, with a footer that says how to go on.

use nanobot_engine::text;
use serde_json::{Map, Value};

use crate::tool::arguments;

/// Lines of one read when none are asked for.
pub(crate) const DEFAULT_LINES: usize = 2_000;

/// Longest result in Unicode scalars.
pub(crate) const MAX_RESULT_CHARS: usize = 128_000;

/// Room kept for the footer, and for a note about the encoding of the file.
const FOOTER_CHARS: usize = 1_000;

/// Which lines are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// First line, from 1.
    pub(crate) offset: usize,
    /// Number of lines.
    pub(crate) limit: usize,
}

impl Window {
    /// The window that a call asks for.
    pub(crate) fn of(arguments: &Map<String, Value>) -> Self {
        Self {
            offset: arguments::number(arguments, "offset", 1).max(1),
            limit: arguments::number(arguments, "limit", DEFAULT_LINES).max(1),
        }
    }

    /// The last line of the window, whether it exists or not.
    pub(crate) fn last(self) -> usize {
        self.offset.saturating_add(self.limit - 1)
    }

    /// The numbered lines of `text`; `shown` names it in messages.
    ///
    /// # Errors
    /// When the window begins behind the last line.
    pub(crate) fn render(self, text: &str, shown: &str) -> Result<String, String> {
        if text.is_empty() {
            return Ok(format!("(Empty: {shown})"));
        }
        let mut out = String::new();
        let mut room = MAX_RESULT_CHARS - FOOTER_CHARS;
        let mut total = 0;
        let mut last = None;
        let mut full = false;
        let mut cut = None;
        for line in text.lines() {
            total += 1;
            if full || total < self.offset || total > self.last() {
                continue;
            }
            let number = format!("{total}| ");
            let chars = number.len() + line.chars().count() + 1;
            if chars > room && last.is_some() {
                full = true;
                continue;
            }
            out.push_str(&number);
            if chars > room {
                // A single line that does not fit is cut: there would be no way to read on otherwise.
                out.extend(printable(text::head(line, room.saturating_sub(number.len() + 1))));
                cut = Some((total, line.chars().count()));
                full = true;
            } else {
                out.extend(printable(line));
                room -= chars;
            }
            out.push('\n');
            last = Some(total);
        }
        let Some(last) = last else {
            return Err(format!("offset {} is past the end of {shown}, which has {}", self.offset, lines(total)));
        };
        if let Some((line, chars)) = cut {
            out.push_str(&format!("\n(line {line} has {chars} characters; only its beginning is shown)"));
        }
        if last < total {
            let first = self.offset;
            out.push_str(&format!("\n(lines {first}-{last} of {total}; continue with offset={})", last + 1));
        } else if self.offset > 1 {
            out.push_str(&format!("\n(lines {}-{last} of {total}; end of file)", self.offset));
        } else {
            out.push_str(&format!("\n(end of file, {})", lines(total)));
        }
        Ok(out)
    }
}

/// NUL cannot be carried by what stores and shows results.
fn printable(line: &str) -> impl Iterator<Item = char> {
    line.chars().map(|c| if c == '\0' { char::REPLACEMENT_CHARACTER } else { c })
}

fn lines(count: usize) -> String {
    if count == 1 { "1 line".to_owned() } else { format!("{count} lines") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tool::decode::decode;
    use std::path::Path;

    fn render(text: &str, offset: usize, limit: usize) -> Result<String, String> {
        Window { offset, limit }.render(text, "a.txt")
    }

    #[test]
    fn a_window_says_where_it_is() {
        let text = "one\r\ntwo\n\nfour\n";
        assert_eq!(render(text, 1, 9).unwrap(), "1| one\n2| two\n3| \n4| four\n\n(end of file, 4 lines)");
        assert_eq!(render(text, 2, 2).unwrap(), "2| two\n3| \n\n(lines 2-3 of 4; continue with offset=4)");
        assert_eq!(render(text, 4, 1).unwrap(), "4| four\n\n(lines 4-4 of 4; end of file)");
        assert_eq!(render(text, 5, 1).unwrap_err(), "offset 5 is past the end of a.txt, which has 4 lines");
        assert_eq!(render(text, usize::MAX, usize::MAX).unwrap_err().split(' ').next(), Some("offset"));
        assert_eq!(render("one", 1, 1).unwrap(), "1| one\n\n(end of file, 1 line)");
    }

    #[test]
    fn the_limit_holds_on_a_line_boundary() {
        let line = format!("{}\n", "漢".repeat(99));
        let text = line.repeat(2_000);
        let first = render(&text, 1, 2_000).unwrap();
        assert!(first.chars().count() <= MAX_RESULT_CHARS);
        let next = first.rsplit_once("offset=").unwrap().1.trim_end_matches(')').parse::<usize>().unwrap();
        assert!(first.contains(&format!("\n{}| {}\n", next - 1, "漢".repeat(99))));
        assert!(render(&text, next, 2_000).unwrap().ends_with("end of file)"));
    }

    #[test]
    fn a_line_longer_than_the_limit_is_cut_between_characters() {
        let text = format!("{}\nnext\n", "😀".repeat(200_000));
        let shown = render(&text, 1, 10).unwrap();
        assert!(shown.chars().count() <= MAX_RESULT_CHARS);
        assert!(shown.contains("(line 1 has 200000 characters; only its beginning is shown)"));
        assert!(shown.ends_with("(lines 1-1 of 2; continue with offset=2)"));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_shown_or_refused(bytes: Vec<u8>, text in "\\PC{0,40}(\r?\n\\PC{0,9}){0,9}", offset in 1_usize..9) {
            for bytes in [bytes.as_slice(), text.as_bytes()] {
                if let Ok(decoded) = decode(bytes, Path::new("a.txt")) {
                    let _ = render(&decoded.text, offset, 3);
                }
            }
            // Reading line by line gives the lines of the text.
            let count = text.lines().count();
            for (index, line) in text.lines().enumerate() {
                let shown = render(&text, index + 1, 1).unwrap();
                let begin = format!("{}| {line}\n", index + 1);
                proptest::prop_assert!(shown.starts_with(&begin), "{shown:?} {begin:?} of {count}");
            }
        }
    }
}
