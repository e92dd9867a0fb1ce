//! Questions to people, for surfaces: what waits, and how it is answered.

use nanobot_engine::approval::{Approval, ApprovalDecision, ApprovalKind};
use nanobot_engine::id::{ApprovalId, SessionId, TurnId};
use nanobot_store::{ApprovalRecord, ApprovalState, AuditEntry, AuditKind};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;

use crate::agent_loop::Command;
use crate::config::{ConfigError, SettingsPatch};
use crate::error::RuntimeError;
use crate::permissions::with_allowed;
use crate::runner::{Answering, closed};
use crate::runtime::Runtime;

/// Longest reason that a person may give, in Unicode scalars.
const MAX_REASON_CHARS: usize = 2_000;
/// Most that a budget can be raised by at once, in its unit.
const MOST: u64 = 1_000_000_000_000_000;

/// A question that waits, with where it belongs.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Waiting {
    /// The question.
    #[serde(flatten)]
    pub approval: Approval,
    /// The session whose turn waits.
    pub session_id: SessionId,
    /// Name of the session, else the first words of what was asked.
    pub session_title: String,
    /// The turn that waits.
    pub turn_id: TurnId,
}

/// A person's answer to a question.
#[derive(Clone, Debug)]
pub struct Decide {
    /// What was decided.
    pub decision: ApprovalDecision,
    /// Who decided: an actor of the audit log.
    pub by: String,
    /// What the person said to it.
    pub reason: Option<String>,
    /// Arguments to run with in place of those of the question; for a budget, `more` in its unit.
    pub arguments: Option<Map<String, Value>>,
}

impl Runtime {
    /// The questions that wait, the oldest first.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn approvals(&self) -> Result<Vec<Waiting>, RuntimeError> {
        let now = self.now();
        let mut waiting = Vec::new();
        for record in self.store().pending_approvals().await? {
            if record.expires_at <= now {
                continue;
            }
            let Some(session) = self.store().session(record.session_id).await? else { continue };
            let session_title =
                if session.title.is_empty() { self.asked(record.turn_id).await? } else { session.title };
            waiting.push(Waiting {
                approval: record.view(),
                session_id: record.session_id,
                session_title,
                turn_id: record.turn_id,
            });
        }
        Ok(waiting)
    }

    /// The first words of what a turn was asked.
    async fn asked(&self, turn_id: TurnId) -> Result<String, RuntimeError> {
        let turn = self.store().turn(turn_id).await?;
        let Some(id) = turn.and_then(|turn| turn.user_message_id) else { return Ok(String::new()) };
        let row = self.store().message(id).await?;
        Ok(row.map(|(_, row)| crate::title::first_words(&row.message.text())).unwrap_or_default())
    }

    /// A question in whichever state, and its session.
    ///
    /// # Errors
    /// `NotFound` when there is none of this id.
    pub async fn approval(&self, id: ApprovalId) -> Result<(SessionId, Approval), RuntimeError> {
        let record = self.store().approval(id).await?.ok_or(RuntimeError::NotFound("approval"))?;
        Ok((record.session_id, record.view()))
    }

    /// Answers a question. When this answers, the answer is stored.
    ///
    /// # Errors
    /// When the question does not exist, does not wait any more, or the answer does not fit it.
    pub async fn decide(&self, id: ApprovalId, decide: Decide) -> Result<(SessionId, Approval), RuntimeError> {
        let approval = self.store().approval(id).await?.ok_or(RuntimeError::NotFound("approval"))?;
        self.check(&approval, &decide)?;
        if decide.decision == ApprovalDecision::AllowAlways {
            self.allow_always(&approval, &decide.by).await?;
        }
        let (reply, answer) = oneshot::channel();
        let answering = Answering {
            decision: decide.decision,
            by: decide.by,
            reason: decide.reason.filter(|reason| !reason.trim().is_empty()),
            arguments: decide.arguments,
            reply,
            approval: approval.clone(),
        };
        let unsure = || RuntimeError::Conflict {
            code: "not_answered",
            detail: "the answer could not be stored; see whether the question still waits and answer it again"
                .to_owned(),
        };
        self.tell(approval.session_id, Command::Answer(Box::new(answering))).await?;
        answer.await.map_err(|_| unsure())??;
        self.approval(id).await
    }

    fn check(&self, approval: &ApprovalRecord, decide: &Decide) -> Result<(), RuntimeError> {
        match approval.state {
            ApprovalState::Pending if approval.expires_at > self.now() => {}
            ApprovalState::Pending | ApprovalState::Expired => return Err(closed("nobody answered in time")),
            ApprovalState::Allowed => return Err(closed(&format!("{} allowed it", by(approval)))),
            ApprovalState::Denied => return Err(closed(&format!("{} denied it", by(approval)))),
            ApprovalState::Cancelled => return Err(closed("its turn ended or went another way")),
        }
        if decide.reason.as_ref().is_some_and(|reason| reason.chars().count() > MAX_REASON_CHARS) {
            return Err(invalid(format!("the reason has more than {MAX_REASON_CHARS} characters; shorten it")));
        }
        let longer = matches!(decide.decision, ApprovalDecision::AllowSession | ApprovalDecision::AllowAlways);
        if longer && approval.covers.is_empty() {
            return Err(invalid("this can only be allowed once or denied".to_owned()));
        }
        let Some(arguments) = &decide.arguments else { return Ok(()) };
        match approval.kind {
            ApprovalKind::Budget => check_more(approval, arguments),
            ApprovalKind::Tool if longer => {
                let detail =
                    "changed arguments can only be allowed once: what would be allowed for longer is about others";
                Err(invalid(detail.to_owned()))
            }
            // The turn knows the tool and holds them against it.
            ApprovalKind::Tool | ApprovalKind::Input => Ok(()),
        }
    }

    /// Adds the rules to the settings, before the answer: a rule that cannot be written leaves the question open.
    async fn allow_always(&self, approval: &ApprovalRecord, by: &str) -> Result<(), RuntimeError> {
        let _one_at_a_time = self.rules_change().await;
        let config = self.config().current();
        let rules = with_allowed(&config.permissions, &approval.tool, &approval.covers);
        let refused = |error: ConfigError| RuntimeError::Conflict {
            code: "rule_not_saved",
            detail: format!("the rule could not be added to the settings ({error}); allow it once, or for the session"),
        };
        let patch = SettingsPatch::new(json!({ "permissions": rules })).map_err(refused)?;
        let store = self.config().clone();
        let patched = tokio::task::spawn_blocking(move || store.patch(&patch)).await;
        let internal = || RuntimeError::Conflict {
            code: "rule_not_saved",
            detail: "the rule could not be added to the settings; allow it once, or for the session".to_owned(),
        };
        patched.map_err(|_| internal())?.map_err(refused)?;
        let mut entry = AuditEntry::new(AuditKind::SettingsChanged, by, "permissions", self.now());
        entry.session_id = Some(approval.session_id);
        entry.turn_id = Some(approval.turn_id);
        entry.detail.insert("approval_id".to_owned(), json!(approval.id));
        entry.detail.insert("allowed".to_owned(), json!(approval.covers));
        if let Err(error) = self.store().audit(entry).await {
            tracing::error!(%error, "a rule that was added is not in the audit log");
        }
        Ok(())
    }
}

fn check_more(approval: &ApprovalRecord, arguments: &Map<String, Value>) -> Result<(), RuntimeError> {
    let unit = approval.arguments.get("unit").and_then(Value::as_str).unwrap_or_default();
    let wrong = |detail: &str| Err(invalid(detail.to_owned()));
    if let Some(other) = arguments.keys().find(|key| *key != "more") {
        return wrong(&format!("a budget knows no {other}, only more"));
    }
    match arguments.get("more") {
        None => Ok(()),
        Some(Value::Number(more)) if unit != "usd" && !more.as_u64().is_some_and(|more| (1..=MOST).contains(&more)) => {
            wrong(&format!("more has to be a whole number of {unit} from 1 to {MOST}"))
        }
        Some(Value::Number(more)) => match more.as_f64() {
            Some(more) if more > 0.0 && more <= 1e15 => Ok(()),
            _ => wrong(&format!("more has to be a number over 0, up to {MOST}")),
        },
        Some(_) => wrong("more has to be a number"),
    }
}

fn by(approval: &ApprovalRecord) -> &str {
    approval.decided_by.as_deref().unwrap_or("somebody")
}

fn invalid(detail: String) -> RuntimeError {
    RuntimeError::Invalid { code: "bad_answer", detail }
}
