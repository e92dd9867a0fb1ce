//! What tools may do without asking: rules, what a person allowed for the session, and the access mode, in this order.

mod command;
mod hook;
mod judge;

pub use command::segments;
pub(crate) use hook::PermissionHook;
pub(crate) use judge::with_allowed;
pub use judge::{Judgement, judge};

use std::sync::{Mutex, MutexGuard, PoisonError};

use nanobot_engine::approval::Allowance;
use nanobot_store::AuditEntry;

use crate::config::{Access, ConfigWarning, PermissionRule, glob_matches, nearest};

/// How far a call reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reach {
    /// It only reads what it was granted.
    Reads,
    /// It changes files inside the grants.
    Writes,
    /// It runs a command in the sandbox, without network.
    Runs,
    /// It reads from the web, guarded.
    Fetches,
    /// It may do more than that, or nobody knows what it does.
    Beyond,
}

/// What a call asks leave for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permission {
    /// How far it reaches.
    pub reach: Reach,
    /// What it is about, for the globs of rules. All of them have to be allowed; never empty.
    pub subjects: Vec<String>,
    /// What they are.
    pub about: About,
}

/// What the subjects of a call are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Paths, as [`WorkspaceScope::subject`](crate::tool::WorkspaceScope::subject) gives them. Where a link leads is a subject too.
    Paths,
    /// The commands of a command line. They alone are allowed exactly as they are, for longer than once.
    Commands,
    /// Anything else, such as an address, or the arguments as JSON.
    Other,
}

/// What stands in a session at present. Shared by its actor, which changes it, and its turn, which goes by it.
#[derive(Debug, Default)]
pub(crate) struct Standing(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    /// The session's access mode; `None`: the configured one.
    access: Option<Access>,
    /// What a person allowed for the rest of the session.
    allowed: Vec<Allowance>,
    /// Refusals by rule that are not written yet.
    to_audit: Vec<AuditEntry>,
}

impl Standing {
    /// Chooses an access mode; what was allowed for the session is forgotten.
    pub(crate) fn set_access(&self, access: Option<Access>) {
        let mut kept = self.kept();
        kept.access = access;
        kept.allowed.clear();
    }

    /// Sets what a session that was read from the store has.
    pub(crate) fn set(&self, access: Option<Access>, allowed: Vec<Allowance>) {
        let mut kept = self.kept();
        kept.access = access;
        kept.allowed = allowed;
    }

    /// Allows more for the rest of the session.
    pub(crate) fn allow(&self, more: &[Allowance]) {
        self.kept().allowed.extend_from_slice(more);
    }

    /// What has to be written into the audit log with the next step.
    pub(crate) fn take_audit(&self) -> Vec<AuditEntry> {
        std::mem::take(&mut self.kept().to_audit)
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Rules whose `tool` fits none of the tools that there are, which is mostly a slip.
pub fn unknown_tools(rules: &[PermissionRule], tools: &[&str]) -> Vec<ConfigWarning> {
    let fits = |rule: &PermissionRule| tools.iter().any(|tool| glob_matches(&rule.tool, tool));
    let warn = |(index, rule): (usize, &PermissionRule)| {
        let advice = nearest(tools.iter().copied(), &rule.tool)
            .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
        let detail = format!("there is no tool `{}`, so this rule does nothing{advice}", rule.tool);
        ConfigWarning { path: format!("permissions[{index}].tool"), detail }
    };
    rules.iter().enumerate().filter(|(_, rule)| !fits(rule)).map(warn).collect()
}

/// The access mode of a stored word; a word that is none counts as the most careful one.
pub(crate) fn access_of(word: Option<&str>) -> Option<Access> {
    Some(match word? {
        "workspace" => Access::Workspace,
        "full" => Access::Full,
        _ => Access::Ask,
    })
}
