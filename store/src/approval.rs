//! Approvals: what a turn waits for until a person decides.

use nanobot_engine::id::{ApprovalId, SessionId, TurnId};
use serde_json::{Map, Value};
use sqlx::SqliteConnection;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, text};
use crate::error::{StoreError, conflict};
use crate::names::Named;
use crate::store::Store;

/// What a person is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalKind {
    /// To let a tool run.
    Tool,
    /// For more budget.
    Budget,
    /// For something that only the person knows.
    Input,
}

/// How far an approval is. Only a pending one changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ApprovalState {
    /// Nobody decided yet.
    Pending,
    /// A person allowed it.
    Allowed,
    /// A person denied it.
    Denied,
    /// Nobody decided in time.
    Expired,
    /// Its turn ended or went another way.
    Cancelled,
}

/// What a person decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

impl ApprovalDecision {
    /// What becomes of the approval.
    #[must_use]
    pub fn state(self) -> ApprovalState {
        match self {
            Self::AllowOnce | Self::AllowSession | Self::AllowAlways => ApprovalState::Allowed,
            Self::Deny => ApprovalState::Denied,
        }
    }
}

/// A question to a person, and the answer once there is one.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalRecord {
    /// Identity.
    pub id: ApprovalId,
    /// Its session. Ignored when it is written: it is the session of the step.
    pub session_id: SessionId,
    /// The turn that waits.
    pub turn_id: TurnId,
    /// The call that waits, when it is about one.
    pub call_id: Option<String>,
    /// What is asked for.
    pub kind: ApprovalKind,
    /// The tool; empty when it is about none.
    pub tool: String,
    /// The arguments, or what the question is about.
    pub arguments: Map<String, Value>,
    /// What would be done, in a line.
    pub hint: String,
    /// What would change in files.
    pub diff: Option<String>,
    /// Why it is asked: the rule or limit that says so.
    pub reason: Option<String>,
    /// UTC milliseconds.
    pub requested_at: i64,
    /// UTC milliseconds; from then on it cannot be answered.
    pub expires_at: i64,
    /// How far it is. Ignored, as all below, when it is asked: it is pending.
    pub state: ApprovalState,
    /// What was decided, when a person did.
    pub decision: Option<ApprovalDecision>,
    /// Who decided: an actor, as in [`AuditEntry`](crate::AuditEntry).
    pub decided_by: Option<String>,
    /// What the person said to it.
    pub decided_reason: Option<String>,
    /// The arguments to run with, when the person changed them.
    pub decided_arguments: Option<Map<String, Value>>,
    /// UTC milliseconds at which it stopped being pending, in whichever way.
    pub decided_at: Option<i64>,
}

/// A person's answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ApprovalAnswer {
    /// What was decided.
    pub decision: ApprovalDecision,
    /// Who decided: an actor, as in [`AuditEntry`](crate::AuditEntry).
    pub by: String,
    /// What the person said to it.
    pub reason: Option<String>,
    /// The arguments to run with, when the person changed them.
    pub arguments: Option<Map<String, Value>>,
    /// UTC milliseconds.
    pub at: i64,
}

fn read(columns: &mut Columns) -> Result<ApprovalRecord, Broken> {
    Ok(ApprovalRecord {
        id: columns.id()?,
        session_id: columns.id()?,
        turn_id: columns.id()?,
        call_id: columns.optional_text()?,
        kind: columns.named()?,
        tool: columns.text()?,
        arguments: columns.json()?,
        hint: columns.text()?,
        diff: columns.optional_text()?,
        reason: columns.optional_text()?,
        requested_at: columns.integer()?,
        expires_at: columns.integer()?,
        state: columns.named()?,
        decision: columns.optional_named()?,
        decided_by: columns.optional_text()?,
        decided_reason: columns.optional_text()?,
        decided_arguments: columns.optional_json()?,
        decided_at: columns.optional_integer()?,
    })
}

/// A `SELECT` of everything that [`read`] reads, with what follows it.
macro_rules! select_approval {
    ($rest:literal) => {
        concat!(
            "SELECT id, session_id, turn_id, call_id, kind, tool, arguments, hint, diff, reason, requested_at, \
             expires_at, state, decision, decided_by, decided_reason, decided_arguments, decided_at FROM approvals ",
            $rest
        )
    };
}

impl Store {
    /// The approvals that wait for a decision, the oldest first. Some may have passed their `expires_at`.
    pub async fn pending_approvals(&self) -> Result<Vec<ApprovalRecord>, StoreError> {
        let rows = sqlx::query(select_approval!("WHERE state = 'pending' ORDER BY requested_at, id"))
            .fetch_all(self.readers())
            .await?;
        Ok(all(&rows, "approval", read))
    }

    /// An approval in whichever state.
    pub async fn approval(&self, id: ApprovalId) -> Result<Option<ApprovalRecord>, StoreError> {
        let row =
            sqlx::query(select_approval!("WHERE id = ?")).bind(encode::id(id.0)).fetch_optional(self.readers()).await?;
        Ok(row.and_then(|row| one(&row, "approval", read)))
    }

    /// The approvals of a turn, the oldest first.
    pub async fn approvals_of_turn(&self, turn_id: TurnId) -> Result<Vec<ApprovalRecord>, StoreError> {
        let rows = sqlx::query(select_approval!("WHERE turn_id = ? ORDER BY requested_at, id"))
            .bind(encode::id(turn_id.0))
            .fetch_all(self.readers())
            .await?;
        Ok(all(&rows, "approval", read))
    }
}

/// Adds a pending approval to a turn of the session.
pub(crate) fn insert(batch: &mut Batch, session: &str, approval: ApprovalRecord) -> Result<(), StoreError> {
    batch
        .statement(
            "INSERT INTO approvals(id, session_id, turn_id, call_id, kind, tool, hint, state, requested_at, expires_at, \
             reason, arguments, diff) SELECT ?, session_id, id, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ? FROM turns \
             WHERE id = ? AND session_id = ?",
            Expect::Change("turn"),
        )
        .bind(encode::id(approval.id.0))
        .bind(approval.call_id.map(text))
        .bind(approval.kind.word())
        .bind(text(approval.tool))
        .bind(text(approval.hint))
        .bind(approval.requested_at)
        .bind(approval.expires_at)
        .bind(approval.reason.map(text))
        .bind(json(&approval.arguments)?)
        .bind(approval.diff.map(text))
        .bind(encode::id(approval.turn_id.0))
        .bind(session);
    Ok(())
}

/// Answers a pending approval of the session.
pub(crate) fn resolve(
    batch: &mut Batch,
    session: &str,
    id: ApprovalId,
    answer: ApprovalAnswer,
) -> Result<(), StoreError> {
    // Changes nothing, and tells one that is not there from one that was answered.
    batch
        .statement("UPDATE approvals SET state = state WHERE id = ? AND session_id = ?", Expect::Change("approval"))
        .bind(encode::id(id.0))
        .bind(session);
    batch
        .statement(
            "UPDATE approvals SET state = ?, decision = ?, decided_by = ?, decided_reason = ?, decided_arguments = ?, \
             decided_at = ? WHERE id = ? AND session_id = ? AND state = 'pending' AND expires_at > ?",
            Expect::Free(conflict::APPROVAL),
        )
        .bind(answer.decision.state().word())
        .bind(answer.decision.word())
        .bind(text(answer.by))
        .bind(answer.reason.map(text))
        .bind(answer.arguments.map(|arguments| json(&arguments)).transpose()?)
        .bind(answer.at)
        .bind(encode::id(id.0))
        .bind(session)
        .bind(answer.at);
    Ok(())
}

/// Ends what nobody answered in time.
pub(crate) fn expire(batch: &mut Batch, session: &str, now: i64) {
    batch
        .statement(
            "UPDATE approvals SET state = 'expired', decided_at = ? \
             WHERE session_id = ? AND state = 'pending' AND expires_at <= ?",
            Expect::Anything,
        )
        .bind(now)
        .bind(session)
        .bind(now);
}

/// Takes back what a turn waits for.
pub(crate) fn cancel(batch: &mut Batch, session: &str, turn_id: TurnId, at: i64) {
    batch
        .statement(
            "UPDATE approvals SET state = 'cancelled', decided_at = ? \
             WHERE turn_id = ? AND session_id = ? AND state = 'pending'",
            Expect::Anything,
        )
        .bind(at)
        .bind(encode::id(turn_id.0))
        .bind(session);
}

/// Takes back everything that a session waits for, within a transaction.
pub(crate) async fn cancel_all(connection: &mut SqliteConnection, session: &str, at: i64) -> Result<(), StoreError> {
    sqlx::query("UPDATE approvals SET state = 'cancelled', decided_at = ? WHERE session_id = ? AND state = 'pending'")
        .bind(at)
        .bind(session)
        .execute(connection)
        .await?;
    Ok(())
}
