//! Reads what the file tools gave back, for the demo model's answer.

/// A folder's content as the listing tool printed it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listing {
    pub(super) folders: Vec<String>,
    pub(super) files: Vec<String>,
}

impl Listing {
    /// Reads one entry per line; folders have a slash at the end or a folder sign before the name. Notes in brackets are no entries.
    pub(super) fn read(text: &str) -> Self {
        let mut listing = Self::default();
        for line in text.lines() {
            let line = line.trim();
            let marked = line.strip_prefix('📁');
            let rest = marked.or_else(|| line.strip_prefix('📄')).unwrap_or(line).trim();
            // Sizes and dates stand behind the name, apart by more than one space or in brackets.
            let name = ["\t", "  ", " ("].iter().fold(rest, |name, end| name.split(end).next().unwrap_or(name)).trim();
            let is_note = name.starts_with(['(', '[', '…', '<']) || name.ends_with(':') || name.ends_with(" is empty");
            if name.is_empty() || is_note || name.chars().all(|c| c == '.') {
                continue;
            }
            match (name.strip_suffix('/'), marked) {
                (Some(folder), _) => listing.folders.push(folder.to_owned()),
                (None, Some(_)) => listing.folders.push(name.to_owned()),
                (None, None) => listing.files.push(name.to_owned()),
            }
        }
        listing
    }

    /// The file that tells most of a workspace: a README, else Markdown, else text, else the first.
    pub(super) fn best_file(&self) -> Option<&str> {
        let find = |wanted: fn(&str) -> bool| self.files.iter().find(|name| wanted(&name.to_ascii_lowercase()));
        find(|name| name.starts_with("readme"))
            .or_else(|| find(|name| name.ends_with(".md")))
            .or_else(|| find(|name| name.ends_with(".txt")))
            .or(self.files.first())
            .map(String::as_str)
    }
}

/// The first lines of a file that say something, without the numbers that a reading tool may put before them.
pub(super) fn first_lines(text: &str, count: usize) -> Vec<String> {
    text.lines()
        .map(|line| nanobot_engine::text::ellipsis(without_number(line).trim_end(), 100).replace("~~~", "~ ~ ~"))
        .filter(|line| !line.trim().is_empty())
        .take(count)
        .collect()
}

/// `12| text` and `12: text`, as tools print lines, without the number.
fn without_number(line: &str) -> &str {
    let rest = line.trim_start().trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.len() == line.trim_start().len() {
        return line;
    }
    match rest.trim_start().strip_prefix(['|', '\t', ':', '→', '│']) {
        Some(text) => text.strip_prefix(' ').unwrap_or(text),
        None => line,
    }
}
