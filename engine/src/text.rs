//! Shortening text without ever cutting a character.

/// The first `max_chars` Unicode scalar values of `text`.
#[must_use]
pub fn head(text: &str, max_chars: usize) -> &str {
    match text.char_indices().nth(max_chars) {
        Some((end, _)) => text.get(..end).unwrap_or(text),
        None => text,
    }
}

/// The last `max_chars` Unicode scalar values of `text`.
#[must_use]
pub fn tail(text: &str, max_chars: usize) -> &str {
    if max_chars == 0 {
        return "";
    }
    match text.char_indices().rev().nth(max_chars - 1) {
        Some((start, _)) => text.get(start..).unwrap_or(text),
        None => text,
    }
}

/// At most `max_chars` scalar values, the last of them an ellipsis when something was left out.
#[must_use]
pub fn ellipsis(text: &str, max_chars: usize) -> String {
    if text.chars().nth(max_chars).is_none() {
        return text.to_owned();
    }
    let mut out = head(text, max_chars.saturating_sub(1)).to_owned();
    if max_chars > 0 {
        out.push('…');
    }
    out
}

/// One line for a list: white space folded, at most `max_chars` scalar values.
#[must_use]
pub fn one_line(text: &str, max_chars: usize) -> String {
    let mut folded = String::new();
    for word in text.split_whitespace() {
        if !folded.is_empty() {
            folded.push(' ');
        }
        folded.push_str(word);
        if folded.len() > max_chars.saturating_mul(4) {
            break;
        }
    }
    ellipsis(&folded, max_chars)
}

/// Removes NUL characters, which SQLite text functions and C interfaces cannot carry.
#[must_use]
pub fn without_nul(text: &str) -> String {
    text.chars().filter(|c| *c != '\0').collect()
}
