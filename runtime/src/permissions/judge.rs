//! The judgement on a call.

use nanobot_engine::approval::Allowance;

use super::{About, Permission, Reach};
use crate::config::{ANYTHING, Access, PermissionDecision, PermissionRule, exactly, glob_matches};

/// Longest subject in a reason, in characters.
const MAX_SUBJECT_CHARS: usize = 120;

/// What becomes of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// It runs.
    Allow,
    /// A person is asked.
    Ask {
        /// Why.
        reason: String,
        /// What the person can allow for longer than once.
        covers: Vec<Allowance>,
    },
    /// It does not run.
    Deny {
        /// Why.
        reason: String,
        /// The rule that says so.
        rule: PermissionRule,
    },
}

/// Judges a call: for each of its subjects the first rule that matches decides, else the access mode; one denial denies the call, and
/// one question asks. What was allowed for the session answers questions, but lifts no denial.
#[must_use]
pub fn judge(
    tool: &str,
    permission: &Permission,
    rules: &[PermissionRule],
    session: &[Allowance],
    access: Access,
) -> Judgement {
    let mut reasons: Vec<String> = Vec::new();
    let mut covers: Vec<Allowance> = Vec::new();
    for subject in &permission.subjects {
        let rule = rules.iter().find(|rule| rule.matches(tool, subject));
        let reason = match rule.map(|rule| rule.decision) {
            Some(PermissionDecision::Deny) => {
                let Some(rule) = rule.cloned() else { continue };
                let reason = format!("a rule denies {}: {}", in_words(&rule), shortened(subject));
                return Judgement::Deny { reason, rule };
            }
            Some(PermissionDecision::Allow) => continue,
            Some(PermissionDecision::Ask) => rule.map(|rule| format!("a rule asks about {}", in_words(rule))),
            None => by_mode(permission.reach, access).map(str::to_owned),
        };
        let Some(reason) = reason else { continue };
        if session.iter().any(|allowance| answers(allowance, tool, subject, rule)) {
            continue;
        }
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
        let cover = cover(tool, subject, rule, permission.about);
        if !covers.contains(&cover) {
            covers.push(cover);
        }
    }
    if covers.is_empty() { Judgement::Allow } else { Judgement::Ask { reason: reasons.join("; "), covers } }
}

/// Why the mode asks; `None` when it does not.
fn by_mode(reach: Reach, access: Access) -> Option<&'static str> {
    match (access, reach) {
        (_, Reach::Reads) | (Access::Full, _) | (Access::Workspace, Reach::Writes | Reach::Runs | Reach::Fetches) => {
            None
        }
        (Access::Ask, Reach::Writes) => Some("it changes files"),
        (Access::Ask, Reach::Runs) => Some("it runs a command"),
        (Access::Ask, Reach::Fetches) => Some("it leaves this machine"),
        (Access::Ask | Access::Workspace, Reach::Beyond) => Some("it may do more than work inside the workspace"),
    }
}

/// Does something that was allowed for the session answer the question? What the mode made somebody allow for a whole tool does
/// not answer a rule that asks about some of its calls.
fn answers(allowance: &Allowance, tool: &str, subject: &str, rule: Option<&PermissionRule>) -> bool {
    let about_this = glob_matches(&allowance.tool, tool) && glob_matches(&allowance.pattern, subject);
    about_this && (allowance.pattern != ANYTHING || rule.is_none_or(|rule| rule.pattern == ANYTHING))
}

fn cover(tool: &str, subject: &str, rule: Option<&PermissionRule>, about: About) -> Allowance {
    let pattern = match (about, rule) {
        (About::Commands, _) => exactly(subject),
        (About::Paths | About::Other, Some(rule)) => rule.pattern.clone(),
        (About::Paths | About::Other, None) => ANYTHING.to_owned(),
    };
    Allowance { tool: exactly(tool), pattern }
}

/// The rules with what a person allowed from now on: each stands right before the rule that asked, so that everything that was
/// denied before stays denied, and at the end when the mode asked.
pub(crate) fn with_allowed(rules: &[PermissionRule], tool: &str, covers: &[Allowance]) -> Vec<PermissionRule> {
    let mut rules = rules.to_vec();
    for cover in covers {
        let new = PermissionRule {
            tool: cover.tool.clone(),
            pattern: cover.pattern.clone(),
            decision: PermissionDecision::Allow,
        };
        if rules.contains(&new) {
            continue;
        }
        let asked = rules.iter().position(|rule| {
            rule.decision == PermissionDecision::Ask
                && glob_matches(&rule.tool, tool)
                && (rule.pattern == cover.pattern || glob_matches(&rule.pattern, &plain(&cover.pattern)))
        });
        rules.insert(asked.unwrap_or(rules.len()), new);
    }
    rules
}

/// The text of an exact glob.
fn plain(pattern: &str) -> String {
    pattern.replace("\\*", "*").replace("\\\\", "\\")
}

fn in_words(rule: &PermissionRule) -> String {
    if rule.pattern == ANYTHING { format!("calls of {}", rule.tool) } else { format!("{} {}", rule.tool, rule.pattern) }
}

fn shortened(subject: &str) -> String {
    nanobot_engine::text::one_line(subject, MAX_SUBJECT_CHARS)
}

#[cfg(test)]
mod tests;
