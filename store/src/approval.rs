//! Approvals: what a turn waits for until a person decides.

use nanobot_engine::approval::{Allowance, Approval, ApprovalDecision, ApprovalKind, ApprovalOutcome};
use nanobot_engine::id::{ApprovalId, SessionId, TurnId};
use serde_json::{Map, Value};
use sqlx::SqliteConnection;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all, one};
use crate::encode::{self, json, text};
use crate::error::{StoreError, conflict};
use crate::names::Named;
use crate::spend::SpendOf;
use crate::store::Store;

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

/// What becomes of an approval by a person's decision.
fn state_after(decision: ApprovalDecision) -> ApprovalState {
    match decision {
        ApprovalDecision::AllowOnce | ApprovalDecision::AllowSession | ApprovalDecision::AllowAlways => {
            ApprovalState::Allowed
        }
        ApprovalDecision::Deny => ApprovalState::Denied,
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
    /// The rules that are added when it is allowed for longer than once.
    pub covers: Vec<Allowance>,
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

impl ApprovalRecord {
    /// As people are shown it.
    #[must_use]
    pub fn view(&self) -> Approval {
        let decision = match (self.state, self.decision) {
            (ApprovalState::Pending, _) => None,
            (ApprovalState::Expired, _) => Some(ApprovalOutcome::Expired),
            (ApprovalState::Cancelled, _) => Some(ApprovalOutcome::Cancelled),
            (ApprovalState::Allowed, decision) => Some(decision.map_or(ApprovalOutcome::AllowOnce, Into::into)),
            (ApprovalState::Denied, _) => Some(ApprovalOutcome::Deny),
        };
        let mut approval = Approval {
            approval_id: self.id,
            kind: self.kind,
            tool: self.tool.clone(),
            call_id: self.call_id.clone(),
            arguments: self.arguments.clone(),
            hint: self.hint.clone(),
            reason: self.reason.clone().unwrap_or_default(),
            diff: self.diff.clone(),
            requested_at: self.requested_at,
            expires_at: self.expires_at,
            covers: self.covers.clone(),
            decision,
            by: self.decided_by.clone(),
            decided_reason: self.decided_reason.clone(),
            decided_at: self.decided_at,
        };
        approval.settle(self.decided_arguments.as_ref());
        approval
    }

    /// How much more budget was allowed, in the unit of the limit: what the person said, else what was offered.
    #[must_use]
    pub fn more(&self) -> f64 {
        let of = |arguments: &Map<String, Value>| arguments.get("more").and_then(Value::as_f64);
        self.decided_arguments.as_ref().and_then(of).or_else(|| of(&self.arguments)).unwrap_or(0.0)
    }
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
        covers: columns.json()?,
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
             expires_at, covers, state, decision, decided_by, decided_reason, decided_arguments, decided_at FROM approvals ",
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

    /// What was allowed for the rest of a session.
    pub async fn session_allowances(&self, session: SessionId) -> Result<Vec<Allowance>, StoreError> {
        let rows = sqlx::query(select_approval!(
            "WHERE session_id = ? AND state = 'allowed' AND decision = 'allow_session' ORDER BY decided_at, id"
        ))
        .bind(encode::id(session.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "approval", read).into_iter().flat_map(|approval| approval.covers).collect())
    }

    /// The approvals that gave more budget to a turn, a session or a day.
    pub async fn budget_approvals(&self, of: SpendOf) -> Result<Vec<ApprovalRecord>, StoreError> {
        let query = match of {
            SpendOf::Turn(id) => {
                sqlx::query(select_approval!("WHERE kind = 'budget' AND state = 'allowed' AND turn_id = ?"))
                    .bind(encode::id(id.0))
            }
            SpendOf::Session(id) => {
                sqlx::query(select_approval!("WHERE kind = 'budget' AND state = 'allowed' AND session_id = ?"))
                    .bind(encode::id(id.0))
            }
            SpendOf::Since(at) => {
                sqlx::query(select_approval!("WHERE kind = 'budget' AND state = 'allowed' AND decided_at >= ?"))
                    .bind(at)
            }
        };
        let rows = query.fetch_all(self.readers()).await?;
        Ok(all(&rows, "approval", read))
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
             reason, arguments, diff, covers) SELECT ?, session_id, id, ?, ?, ?, ?, 'pending', ?, ?, ?, ?, ?, ? FROM turns \
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
        .bind(json(&approval.covers)?)
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
        .bind(state_after(answer.decision).word())
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

/// Ends an approval that nobody answered in time.
pub(crate) fn expire(batch: &mut Batch, session: &str, id: ApprovalId, at: i64) {
    batch
        .statement(
            "UPDATE approvals SET state = 'expired', decided_at = ? \
             WHERE id = ? AND session_id = ? AND state = 'pending'",
            Expect::Anything,
        )
        .bind(at)
        .bind(encode::id(id.0))
        .bind(session);
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

/// Takes back what was allowed for the rest of a session, within a transaction.
pub(crate) async fn forget_allowances(connection: &mut SqliteConnection, session: &str) -> Result<(), StoreError> {
    sqlx::query("UPDATE approvals SET covers = '[]' WHERE session_id = ? AND decision = 'allow_session'")
        .bind(session)
        .execute(connection)
        .await?;
    Ok(())
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
