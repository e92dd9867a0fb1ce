//! Names of functions as the Responses API takes them back.

use std::borrow::Cow;

/// Longest name that is taken.
const MAX_NAME_CHARS: usize = 128;
/// Stands for a name that never came.
const NAMELESS: &str = "unnamed";

/// The name of a call with legal characters only. A model may have made up any; one illegal name would have every later request refused.
pub(crate) fn legal_name(name: &str) -> Cow<'_, str> {
    let is_legal = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() {
        return Cow::Borrowed(NAMELESS);
    }
    if name.len() <= MAX_NAME_CHARS && name.chars().all(is_legal) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.chars().map(|c| if is_legal(c) { c } else { '_' }).take(MAX_NAME_CHARS).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn legal_names_stay_and_others_become_legal() {
        assert_eq!(legal_name("mcp_a-b_1"), "mcp_a-b_1");
        assert_eq!(legal_name(""), "unnamed");
        assert_eq!(legal_name("a tool\0ö"), "a_tool__");
        assert_eq!(legal_name(&"x".repeat(129)), "x".repeat(128));
    }
}
