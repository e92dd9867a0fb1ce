//! Diffs of texts, of what is no text, and of more than anybody wants to read.

use super::*;

fn text(text: &str) -> Content {
    Content::Text(text.to_owned())
}

fn of(before: Content, after: Content) -> String {
    unified(&[Change { path: "notes.md", before: &before, after: &after }]).unwrap_or_default()
}

fn numbered(lines: Range<usize>, word: &str) -> String {
    lines.map(|number| format!("{word} {number}\n")).collect()
}

/// Do the headers say how many lines of each side follow, and does each hunk begin behind the one before?
fn check_headers(diff: &str) {
    let mut lines = diff.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(header) = line.strip_prefix("@@ -") else { continue };
        let (old, new) = header.strip_suffix(" @@").and_then(|h| h.split_once(" +")).expect("two sides");
        let count = |side: &str| side.split_once(',').map_or(1, |(_, count)| count.parse::<usize>().expect("a count"));
        let (mut seen_old, mut seen_new) = (0, 0);
        while let Some(line) = lines.next_if(|line| !line.starts_with("@@") && !line.starts_with("--- ")) {
            seen_old += usize::from(line.starts_with([' ', '-']));
            seen_new += usize::from(line.starts_with([' ', '+']));
        }
        assert_eq!((seen_old, seen_new), (count(old), count(new)), "{line}");
    }
}

#[test]
fn each_kind_of_change_has_its_form() {
    let ten = numbered(1..11, "line");
    let changed = ten.replace("line 5\n", "LINE 5\n");
    for (case, before, after, expected) in [
        (
            "a replaced line with three lines around it",
            text(&ten),
            text(&changed),
            "--- a/notes.md\n+++ b/notes.md\n@@ -2,7 +2,7 @@\n line 2\n line 3\n line 4\n-line 5\n+LINE 5\n line 6\n line 7\n line 8\n",
        ),
        (
            "an inserted line",
            text("a\nb\n"),
            text("a\nx\nb\n"),
            "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,3 @@\n a\n+x\n b\n",
        ),
        ("a deleted line", text("a\nb\n"), text("a\n"), "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1 @@\n a\n-b\n"),
        ("a new file", Content::Missing, text("a\nb\n"), "--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
        ("a deleted file", text("a\n"), Content::Missing, "--- a/notes.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
        ("a new empty file", Content::Missing, text(""), "--- /dev/null\n+++ b/notes.md\n\\ an empty file\n"),
        ("an emptied file", text("a\n"), text(""), "--- a/notes.md\n+++ b/notes.md\n@@ -1 +0,0 @@\n-a\n"),
        (
            "no newline at the end, on one side",
            text("a\nb"),
            text("a\nb\n"),
            "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n",
        ),
        (
            "no newline at the end, on both",
            text("a\nb"),
            text("x\nb"),
            "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n-a\n+x\n b\n\\ No newline at end of file\n",
        ),
        (
            "CRLF on both sides",
            text("a\r\nb\r\n"),
            text("a\r\nc\r\n"),
            "--- a/notes.md\n+++ b/notes.md\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        ),
        (
            "a change and other line ends",
            text("a\r\nb\r\n"),
            text("a\nc\n"),
            "--- a/notes.md\n+++ b/notes.md\n\\ line ends changed from CRLF to LF\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n",
        ),
        (
            "other line ends alone",
            text("a\nb\n"),
            text("a\r\nb\r\n"),
            "--- a/notes.md\n+++ b/notes.md\n\\ line ends changed from LF to CRLF\n",
        ),
        (
            "line ends that are mixed, and then mixed otherwise",
            text("a\nb\r\n"),
            text("a\r\nb\n"),
            "--- a/notes.md\n+++ b/notes.md\n\\ line ends changed within a mix of LF and CRLF\n",
        ),
        (
            "a carriage return within a line",
            text("50 %\rdone\n"),
            text("100 %\rdone\n"),
            "--- a/notes.md\n+++ b/notes.md\n@@ -1 +1 @@\n-50 %␍done\n+100 %␍done\n",
        ),
        (
            "a text that becomes binary",
            text("a\n"),
            Content::Binary { bytes: 3, digest: [1; 32] },
            "--- a/notes.md\n+++ b/notes.md\n\\ not shown: text of 2 bytes → a binary file of 3 bytes\n",
        ),
        (
            "a binary file that changed, of the same size",
            Content::Binary { bytes: 3, digest: [1; 32] },
            Content::Binary { bytes: 3, digest: [2; 32] },
            "--- a/notes.md\n+++ b/notes.md\n\\ not shown: a binary file of 3 bytes → a binary file of 3 bytes\n",
        ),
        (
            "a file that is too large now",
            text("a\n"),
            Content::TooLarge { bytes: 3_000_000, modified: None },
            "--- a/notes.md\n+++ b/notes.md\n\\ not shown: text of 2 bytes → a file of 3000000 bytes, which is too large to compare\n",
        ),
        ("nothing", text("a\r\n"), text("a\r\n"), ""),
        ("nothing, twice missing", Content::Missing, Content::Missing, ""),
        ("a file that cannot be read, then as now", Content::Unreadable, Content::Unreadable, ""),
    ] {
        let diff = of(before, after);
        assert_eq!(diff, expected, "{case}");
        check_headers(&diff);
    }
}

#[test]
fn several_files_are_one_diff_and_those_that_stayed_are_left_out() {
    let (one, two, x) = (text("1\n"), text("2\n"), text("x\n"));
    let diff = unified(&[
        Change { path: "a.txt", before: &one, after: &two },
        Change { path: "same.txt", before: &one, after: &one },
        Change { path: "/other/b.txt", before: &x, after: &Content::Missing },
    ]);
    let expected =
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n--- /other/b.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    assert_eq!(diff.as_deref(), Some(expected));
    let many = [Change { path: "new.txt", before: &Content::Missing, after: &x }; 60];
    let diff = unified(&many).unwrap();
    assert_eq!(diff.matches("+++ b/").count(), MAX_FILES);
    assert!(diff.ends_with("\\ 10 more files changed\n"), "{diff}");
}

#[test]
fn a_long_line_is_cut_between_characters() {
    let diff = of(text("a\n"), text(&format!("{}\n", "é".repeat(MAX_LINE_CHARS))));
    assert!(diff.contains(&format!("+{}\n", "é".repeat(MAX_LINE_CHARS))), "at the limit it is whole");
    let diff = of(text("a\n"), text(&format!("{}\n", "é".repeat(MAX_LINE_CHARS + 1))));
    let line = diff.lines().find(|line| line.starts_with("+é")).unwrap();
    assert_eq!(line.chars().count(), 1 + MAX_LINE_CHARS);
    assert!(line.ends_with("é…"));
}

#[test]
fn what_is_too_long_is_cut_with_right_headers_and_says_how_much_there_is() {
    // 500 lines are shown whole.
    let diff = of(Content::Missing, text(&numbered(0..MAX_LINES, "n")));
    assert_eq!(diff.lines().count(), 3 + MAX_LINES);
    assert!(!diff.contains("not shown"));
    // One more is not.
    let diff = of(Content::Missing, text(&numbered(0..MAX_LINES + 1, "n")));
    check_headers(&diff);
    assert!(
        diff.contains("@@ -0,0 +1,500 @@") && diff.ends_with("+n 499\n\\ 1 more lines are not shown; in all +501 −0\n")
    );
    // Many small hunks: the last that fits is cut, those behind are left out.
    let before = numbered(0..2_000, "line");
    let after: String = before
        .lines()
        .enumerate()
        .map(|(n, line)| if n % 10 == 5 { format!("{line}!\n") } else { format!("{line}\n") })
        .collect();
    let diff = of(text(&before), text(&after));
    check_headers(&diff);
    let body =
        diff.lines().filter(|line| line.starts_with([' ', '+']) || (line.starts_with('-') && !line.starts_with("---")));
    assert_eq!(body.filter(|line| !line.starts_with("+++")).count(), MAX_LINES);
    assert!(diff.ends_with("\\ 1100 more lines are not shown; in all +200 −200\n"));
    // A file behind one that took all the room is named.
    let (long, before, after) = (text(&numbered(0..600, "n")), text("a\n"), text("b\n"));
    let long = Change { path: "long", before: &Content::Missing, after: &long };
    let short = Change { path: "short", before: &before, after: &after };
    let diff = unified(&[long, short]).unwrap();
    assert!(diff.ends_with("--- a/short\n+++ b/short\n\\ 2 more lines are not shown; in all +1 −1\n"), "{diff}");
}

#[test]
fn a_rewrite_of_ten_thousand_lines_is_small_and_shows_both_sides() {
    let diff = of(text(&numbered(0..10_000, "old")), text(&numbered(0..10_000, "new")));
    check_headers(&diff);
    assert!(diff.contains("@@ -1,250 +1,250 @@\n-old 0\n") && diff.contains("+new 249\n"));
    assert!(diff.ends_with("\\ 19500 more lines are not shown; in all +10000 −10000\n"));
    // Lines that come again in another order make the search long; the limit ends it.
    let shuffled: String = (0..10_000_u64).map(|n| format!("{}\n", n * 7_919 % 97)).collect();
    let other: String = (0..10_000_u64).map(|n| format!("{}\n", n * 104_729 % 89)).collect();
    check_headers(&of(text(&shuffled), text(&other)));
}

#[test]
fn a_diff_of_long_lines_stays_small() {
    let lines = |word: &str| (0..400).map(|n| format!("{word}{n}{}\n", "🦀".repeat(2_000))).collect::<String>();
    let diff = of(text(&lines("a")), text(&lines("b")));
    assert!(diff.len() < MAX_BYTES + 2 * 4 * MAX_LINE_CHARS, "{} bytes", diff.len());
    check_headers(&diff);
    assert!(diff.contains("lines are not shown"));
}
