//! Names of functions as all wires take them back.

use std::borrow::Cow;

/// The name of a call with legal characters only, at most so many; `nameless` for one that never came. A model may have made up any; one
/// illegal name would have every later request refused.
pub(crate) fn legal_name<'a>(name: &'a str, max_chars: usize, nameless: &'static str) -> Cow<'a, str> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Cow::Borrowed(nameless);
    }
    if name.len() <= max_chars && name.chars().all(is_legal) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.chars().map(|c| if is_legal(c) { c } else { '_' }).take(max_chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn legal_name(name: &str) -> Cow<'_, str> {
        super::legal_name(name, 128, "unnamed")
    }

    #[test]
    fn legal_names_stay_and_others_become_legal() {
        assert_eq!(legal_name("mcp_a-b_1"), "mcp_a-b_1");
        assert_eq!(legal_name(""), "unnamed");
        assert_eq!(legal_name("a tool\0ö"), "a_tool__");
        assert_eq!(legal_name(&"x".repeat(129)), "x".repeat(128));
    }
}
