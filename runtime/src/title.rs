//! Session titles made from the first request.

use nanobot_engine::text::one_line;

/// Length of a title in Unicode scalars.
pub const TITLE_CHARS: usize = 60;

/// The first words of a request as a title.
#[must_use]
pub fn first_words(request: &str) -> String {
    let line = request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    one_line(line.trim_start_matches(['#', '>', '-', '*', ' ']), TITLE_CHARS)
}
