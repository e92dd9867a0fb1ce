//! Questions to a person: what a turn waits for, and what was answered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::ApprovalId;

/// What a person is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalKind {
    /// To let a tool run.
    Tool,
    /// For more budget.
    Budget,
    /// For something that only the person knows.
    Input,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalDecision {
    /// Allowed this time.
    AllowOnce,
    /// Allowed for the rest of the session.
    AllowSession,
    /// Allowed from now on.
    AllowAlways,
    /// Denied.
    Deny,
}

/// What became of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalOutcome {
    /// Allowed this time.
    AllowOnce,
    /// Allowed for the rest of the session.
    AllowSession,
    /// Allowed from now on.
    AllowAlways,
    /// Denied.
    Deny,
    /// Nobody answered in time, which counts as a refusal.
    Expired,
    /// Its turn ended or went another way.
    Cancelled,
}

impl ApprovalOutcome {
    /// Does what was asked for happen?
    #[must_use]
    pub fn allows(self) -> bool {
        match self {
            Self::AllowOnce | Self::AllowSession | Self::AllowAlways => true,
            Self::Deny | Self::Expired | Self::Cancelled => false,
        }
    }
}

impl From<ApprovalDecision> for ApprovalOutcome {
    fn from(decision: ApprovalDecision) -> Self {
        match decision {
            ApprovalDecision::AllowOnce => Self::AllowOnce,
            ApprovalDecision::AllowSession => Self::AllowSession,
            ApprovalDecision::AllowAlways => Self::AllowAlways,
            ApprovalDecision::Deny => Self::Deny,
        }
    }
}

/// A rule that would be added if a person allowed for longer than once. Both are globs in which `*` stands for anything.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Allowance {
    /// Names of tools.
    pub tool: String,
    /// What their calls are about, such as a path or a command.
    #[serde(rename = "match")]
    pub pattern: String,
}

/// A question, and its answer once there is one. It waits while `decision` is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Approval {
    /// Identity.
    pub approval_id: ApprovalId,
    /// What is asked for.
    pub kind: ApprovalKind,
    /// The tool; empty when it is about none.
    pub tool: String,
    /// The call that waits, when it is about one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub call_id: Option<String>,
    /// Arguments of the call, or what the question is about.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// What would be done, in a line.
    pub hint: String,
    /// Why it is asked.
    pub reason: String,
    /// What would change in files, as a unified diff.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
    /// UTC milliseconds.
    pub requested_at: i64,
    /// UTC milliseconds; from then on it counts as refused.
    pub expires_at: i64,
    /// What could be allowed for longer than once; empty when nothing could.
    #[serde(default)]
    pub covers: Vec<Allowance>,
    /// What became of it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decision: Option<ApprovalOutcome>,
    /// Who answered: the name of a token, or `loopback`, `terminal`, `system`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub by: Option<String>,
    /// What the person said to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_reason: Option<String>,
    /// UTC milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decided_at: Option<i64>,
}

impl Approval {
    /// A question that waits, about nothing in particular yet.
    #[must_use]
    pub fn asked(kind: ApprovalKind, asking: Asking, at: i64, reason: String) -> Self {
        Self {
            approval_id: asking.approval_id,
            kind,
            tool: String::new(),
            call_id: None,
            arguments: Map::new(),
            hint: String::new(),
            reason,
            diff: asking.diff,
            requested_at: at,
            expires_at: asking.expires_at,
            covers: Vec::new(),
            decision: None,
            by: None,
            decided_reason: None,
            decided_at: None,
        }
    }

    /// What the state keeps of it.
    #[must_use]
    pub fn pending(&self) -> Pending {
        Pending { approval_id: self.approval_id, expires_at: self.expires_at }
    }

    /// What a person said of a budget takes the place of what was offered. Of a call the question stays as it was: what ran instead
    /// is with the call.
    pub fn settle(&mut self, decided: Option<&Map<String, Value>>) {
        if let (ApprovalKind::Budget, Some(decided)) = (self.kind, decided) {
            self.arguments.extend(decided.clone());
        }
    }

    /// Takes the answer.
    pub fn resolve(&mut self, at: i64, answered: &Answered) {
        self.decision = Some(answered.outcome);
        self.by = Some(answered.by.clone());
        self.decided_reason.clone_from(&answered.reason);
        self.decided_at = Some(at);
        self.settle(answered.arguments.as_ref());
    }
}

/// What a question needs that the machine cannot know.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asking {
    /// Identity of the question, should there be one.
    pub approval_id: ApprovalId,
    /// UTC milliseconds.
    pub expires_at: i64,
    /// What the call would change in files, as a unified diff.
    pub diff: Option<String>,
}

/// A question that waits, as the state keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Identity.
    pub approval_id: ApprovalId,
    /// UTC milliseconds.
    pub expires_at: i64,
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Answered {
    /// The question.
    pub approval_id: ApprovalId,
    /// What became of it.
    #[serde(rename = "decision")]
    pub outcome: ApprovalOutcome,
    /// Who answered: the name of a token, or `loopback`, `terminal`, `system`.
    pub by: String,
    /// What the person said to it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Arguments to run with in place of those of the question.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Object>)]
    pub arguments: Option<Map<String, Value>>,
}

impl Answered {
    /// An answer without words or other arguments.
    #[must_use]
    pub fn new(approval_id: ApprovalId, outcome: ApprovalOutcome, by: impl Into<String>) -> Self {
        Self { approval_id, outcome, by: by.into(), reason: None, arguments: None }
    }
}
