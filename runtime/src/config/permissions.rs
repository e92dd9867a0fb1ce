//! `[[permissions]]`: rules on what tools may do, and the globs that rules are made of.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

/// One `[[permissions]]`. The first rule that matches decides; rules win over the access mode.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionRule {
    /// Names of tools, as a glob.
    #[serde(deserialize_with = "not_empty")]
    pub tool: String,
    /// What the call is about, as a glob: a command, a path, an address. Absent: anything.
    #[serde(rename = "match", default = "anything", deserialize_with = "not_empty")]
    pub pattern: String,
    /// What happens.
    pub decision: PermissionDecision,
}

/// What a rule says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    /// The call runs.
    Allow,
    /// A person is asked.
    Ask,
    /// The call does not run.
    Deny,
}

impl PermissionRule {
    /// Is the rule about this call?
    #[must_use]
    pub fn matches(&self, tool: &str, subject: &str) -> bool {
        glob_matches(&self.tool, tool) && glob_matches(&self.pattern, subject)
    }
}

/// The pattern that matches everything.
pub const ANYTHING: &str = "*";

fn anything() -> String {
    ANYTHING.to_owned()
}

/// A rule that fits nothing looks like one that holds.
fn not_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    let glob = String::deserialize(deserializer)?;
    if glob.trim().is_empty() {
        return Err(D::Error::custom("must not be empty; `*` stands for anything"));
    }
    Ok(glob)
}

/// Does a glob match the whole text? `*` stands for anything, also nothing and `/`; `\*` and `\\` for themselves; all else is
/// taken as it is, so that commands need no other escapes.
#[must_use]
pub fn glob_matches(pattern: &str, text: &str) -> bool {
    let pattern = pieces(pattern);
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut in_text) = (0, 0);
    // Where to go on after the last `*`, and how much of the text it has taken so far.
    let mut star: Option<(usize, usize)> = None;
    while let Some(c) = text.get(in_text) {
        match pattern.get(at) {
            Some(Piece::Any) => {
                star = Some((at + 1, in_text));
                at += 1;
            }
            Some(Piece::Is(wanted)) if wanted == c => {
                at += 1;
                in_text += 1;
            }
            Some(Piece::Is(_)) | None => {
                let Some((after, taken)) = star else { return false };
                star = Some((after, taken + 1));
                at = after;
                in_text = taken + 1;
            }
        }
    }
    pattern.get(at..).unwrap_or_default().iter().all(|piece| *piece == Piece::Any)
}

/// The glob that matches exactly this text.
#[must_use]
pub fn exactly(text: &str) -> String {
    text.replace('\\', "\\\\").replace('*', "\\*")
}

#[derive(Clone, Copy, PartialEq)]
enum Piece {
    Is(char),
    Any,
}

fn pieces(pattern: &str) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(pattern.len());
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        pieces.push(match c {
            '*' => Piece::Any,
            '\\' => Piece::Is(chars.next_if(|next| matches!(next, '*' | '\\')).unwrap_or('\\')),
            other => Piece::Is(other),
        });
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("git push*", "git push", true),
            ("git push*", "git push origin main", true),
            ("git push*", "git pull", false),
            ("*.env", "a/b/.env", true),
            ("*.env", ".env.example", false),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("rm \\*", "rm *", true),
            ("rm \\*", "rm x", false),
            ("a\\\\b", "a\\b", true),
            ("a\\b", "a\\b", true),
            ("[a]?{b}", "[a]?{b}", true),
            ("é*", "été", true),
        ] {
            assert_eq!(glob_matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    proptest! {
        #[test]
        fn an_exact_glob_matches_its_text_alone(text in "[a*\\\\ b]{0,12}", other in "[a*\\\\ b]{0,12}") {
            prop_assert!(glob_matches(&exactly(&text), &text));
            prop_assert_eq!(glob_matches(&exactly(&text), &other), text == other);
        }

        #[test]
        fn many_stars_take_no_long_time(text in "a{0,200}") {
            prop_assert!(!glob_matches("*a*a*a*a*a*a*a*a*a*a*a*b", &text));
        }
    }
}
