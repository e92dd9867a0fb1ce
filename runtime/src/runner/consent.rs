//! Waiting for people: questions with a time limit, answers that are committed before they are confirmed, and the permit that
//! others may use meanwhile.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use nanobot_engine::approval::{Answered, Approval, ApprovalDecision, ApprovalKind, ApprovalOutcome, Asking};
use nanobot_engine::event::SessionState;
use nanobot_engine::id::ApprovalId;
use nanobot_engine::machine::{Effect, Input, Phase, TurnState};
use nanobot_engine::message::ToolCall;
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{ApprovalAnswer, ApprovalRecord, ApprovalState, AuditEntry, AuditKind, Op};
use serde_json::{Map, Value, json};
use tokio::sync::oneshot;
use uuid::Uuid;

use super::{AgentRunner, Halt};
use crate::error::RuntimeError;
use crate::permissions::Judgement;

/// How often a turn that waits for more budget looks whether there is room again, such as on another day.
const LOOK_AGAIN: Duration = Duration::from_secs(60);

/// How long a tool may take to say what a call would change.
const PREVIEW_LIMIT: Duration = Duration::from_secs(2);

/// A person's answer on its way to the turn that waits for it.
#[derive(Debug)]
pub struct Answering {
    /// The question.
    pub approval: ApprovalRecord,
    /// What was decided.
    pub decision: ApprovalDecision,
    /// Who decided.
    pub by: String,
    /// What the person said to it.
    pub reason: Option<String>,
    /// Arguments in place of those of the question.
    pub arguments: Option<Map<String, Value>>,
    /// Answered once the step is committed.
    pub reply: oneshot::Sender<Result<(), RuntimeError>>,
}

impl AgentRunner {
    /// What a question would need.
    pub(super) fn asking(&self, diff: Option<String>) -> Asking {
        let seconds = self.ctx.config.current().agent.approvals_expire_s;
        let wait_ms = i64::try_from(seconds.saturating_mul(1_000)).unwrap_or(i64::MAX);
        let expires_at = self.now().saturating_add(wait_ms);
        Asking { approval_id: ApprovalId(Uuid::now_v7()), expires_at, diff }
    }

    /// What a call would change in files, for the person who is asked about it. A tool that cannot say it soon leaves it to the
    /// arguments.
    pub(super) async fn preview(
        &mut self,
        call: &ToolCall,
        replaced: Option<&Map<String, Value>>,
    ) -> Result<Option<String>, Halt> {
        let Some(tool) = self.ctx.tools.get(&call.name).cloned() else { return Ok(None) };
        let arguments = replaced.unwrap_or(&call.arguments).clone();
        let context = self.ctx.tool_context.clone();
        let preview = async move {
            let preview = AssertUnwindSafe(tool.preview(&context, &arguments)).catch_unwind();
            tokio::time::timeout(PREVIEW_LIMIT, preview).await.ok()?.ok()?
        };
        Ok(self.unless_stopped(preview).await?.flatten())
    }

    /// Pends until a question has waited too long; for ever when none waits.
    pub(super) fn expiry(&self) -> impl Future<Output = ApprovalId> + use<> {
        let next = self.machine.state().pending().min_by_key(|pending| pending.expires_at).cloned();
        let now = self.now();
        async move {
            let Some(pending) = next else { return std::future::pending().await };
            let left = u64::try_from(pending.expires_at.saturating_sub(now)).unwrap_or(0);
            tokio::time::sleep(Duration::from_millis(left)).await;
            pending.approval_id
        }
    }

    /// Pends until a turn that waits for more budget should look again: a request ended, more was allowed, the settings changed, or
    /// time went by.
    pub(super) fn budget_moves(&self) -> impl Future<Output = ()> + use<> {
        let waits = matches!(self.machine.state().phase, Phase::AwaitingBudget(_));
        let news = waits.then(|| self.budget_news());
        async move {
            match news {
                Some(news) => news.await,
                None => std::future::pending().await,
            }
        }
    }

    /// Ends when there may be more room in the budgets than there was when this was called.
    pub(super) fn budget_news(&self) -> impl Future<Output = ()> + use<> {
        let (mut moved, mut settings) = (self.ctx.budgets.moved(), self.ctx.config.subscribe());
        async move {
            tokio::select! {
                _ = moved.changed() => {}
                _ = settings.changed() => {}
                () = tokio::time::sleep(LOOK_AGAIN) => {}
            }
        }
    }

    /// Goes on when the limit that a turn waits at has room again without this turn having been answered.
    pub(super) async fn look_at_budget(&mut self) -> Result<(), Halt> {
        let Phase::AwaitingBudget(pause) = &self.machine.state().phase else { return Ok(()) };
        let pause = pause.clone();
        let config = self.ctx.config.current();
        let time = (self.now(), config.agent.timezone.as_str());
        let ids = (self.ctx.session_id, self.ctx.turn_id);
        let room = self.ctx.budgets.has_room(&self.ctx.store, &config.budget, time, ids, &pause.arguments).await?;
        if room {
            // The limit is as it was; nothing was added to it here.
            let arguments = Some(Map::from_iter([("more".to_owned(), json!(0))]));
            let reason = Some("the limit has room again".to_owned());
            let answered = Answered::new(pause.pending.approval_id, ApprovalOutcome::AllowOnce, "system");
            self.step(Input::Answered(Box::new(Answered { reason, arguments, ..answered })));
        }
        Ok(())
    }

    pub(super) fn expired(&mut self, approval_id: ApprovalId) {
        let answered = Answered::new(approval_id, ApprovalOutcome::Expired, "system");
        self.step(Input::Answered(Box::new(answered)));
    }

    /// Takes an answer; it is confirmed when the step that it makes is stored.
    pub(super) async fn take_answer(&mut self, answering: Answering) -> Result<(), Halt> {
        let Answering { approval, decision, by, reason, arguments, reply } = answering;
        if let Err(error) = self.check_answer(&approval, decision != ApprovalDecision::Deny, arguments.as_ref()).await {
            let _ = reply.send(Err(error));
            return Ok(());
        }
        let answered = Answered { approval_id: approval.id, outcome: decision.into(), by, reason, arguments };
        self.step(Input::Answered(Box::new(answered.clone())));
        while let Some(effect) = self.effects.pop_front() {
            let stores = matches!(effect, Effect::Persist(_));
            self.execute(effect).await?;
            if stores {
                break;
            }
        }
        match (approval.kind, decision) {
            (ApprovalKind::Tool, ApprovalDecision::AllowSession) => {
                self.ctx.permissions.standing.allow(&approval.covers)
            }
            (ApprovalKind::Budget, decision) if decision != ApprovalDecision::Deny => {
                self.ctx.budgets.allow(&ApprovalRecord { decided_arguments: answered.arguments, ..approval });
            }
            (ApprovalKind::Tool | ApprovalKind::Budget | ApprovalKind::Input, _) => {}
        }
        let _ = reply.send(Ok(()));
        if matches!(decision, ApprovalDecision::AllowSession | ApprovalDecision::AllowAlways) {
            self.answer_covered(&answered.by).await;
        }
        Ok(())
    }

    /// Other questions of the turn that need no answer any more, because of what was allowed for longer than once.
    async fn answer_covered(&mut self, by: &str) {
        let permissions = std::sync::Arc::clone(&self.ctx.permissions);
        let waiting: Vec<_> = self.machine.state().waiting_calls().map(|(id, call)| (id, call.clone())).collect();
        for (approval_id, call) in waiting {
            if !self.asked_by_rules.contains(&approval_id) || permissions.judge(&call).await != Judgement::Allow {
                continue;
            }
            let reason = Some("allowed together with another call".to_owned());
            let answered = Answered::new(approval_id, ApprovalOutcome::AllowOnce, by);
            self.step(Input::Answered(Box::new(Answered { reason, ..answered })));
        }
    }

    /// Arguments that a person changed have to fit the tool, and no rule may deny what is allowed, also none that is newer than the
    /// question.
    async fn check_answer(
        &mut self,
        approval: &ApprovalRecord,
        allows: bool,
        arguments: Option<&Map<String, Value>>,
    ) -> Result<(), RuntimeError> {
        let waits = self.machine.state().pending().any(|pending| pending.approval_id == approval.id);
        if !waits || approval.expires_at <= self.now() {
            return Err(closed("the turn does not wait for it any more"));
        }
        if approval.kind != ApprovalKind::Tool || !allows {
            return Ok(());
        }
        let invalid = |detail: String| RuntimeError::Invalid { code: "bad_arguments", detail };
        let call = match arguments {
            Some(arguments) => Some(self.machine.check_arguments(approval.id, arguments).map_err(invalid)?),
            None => {
                self.machine.state().waiting_calls().find(|(id, _)| *id == approval.id).map(|(_, call)| call.clone())
            }
        };
        let Some(call) = call else { return Ok(()) };
        self.ctx.permissions.denial(&call).await.map_or(Ok(()), |reason| Err(invalid(reason)))
    }

    /// A waiting turn holds no permit; one that goes on gets one first, unless it is stopped meanwhile.
    pub(super) async fn hold_permit(&mut self, effect: &Effect) -> Result<bool, Halt> {
        let works = matches!(effect, Effect::RunCalls(_) | Effect::BuildRequest { .. } | Effect::AskModel);
        if self.work.goes_on() || !works {
            return Ok(true);
        }
        let permits = std::sync::Arc::clone(&self.ctx.permits);
        let Some(permit) = self.unless_stopped(async move { permits.acquire_owned().await.ok() }).await? else {
            return Ok(false);
        };
        self.work.start(permit, self.clock.now());
        Ok(true)
    }

    /// The status that a step leads to, when it is another than before.
    pub(super) fn new_status(&self, checkpoint: &TurnState) -> Option<(TurnStatus, SessionState)> {
        if matches!(checkpoint.phase, Phase::Done(_)) {
            return None;
        }
        let (turn, session) = if checkpoint.awaits_person() {
            (TurnStatus::AwaitingApproval, SessionState::AwaitingApproval)
        } else {
            (TurnStatus::Running, SessionState::Running)
        };
        (self.log.status().state != session).then_some((turn, session))
    }

    /// The question as a row, and its line in the audit log.
    pub(super) fn ask_ops(&self, approval: Approval) -> [Op; 2] {
        let mut entry = self.audit_entry(AuditKind::ApprovalRequested, "system", &approval.tool, approval.requested_at);
        entry.detail.insert("approval_id".to_owned(), json!(approval.approval_id));
        entry.detail.insert("kind".to_owned(), json!(approval.kind));
        entry.detail.insert("call_id".to_owned(), json!(approval.call_id));
        entry.detail.insert("reason".to_owned(), json!(approval.reason));
        let record = ApprovalRecord {
            id: approval.approval_id,
            session_id: self.ctx.session_id,
            turn_id: self.ctx.turn_id,
            call_id: approval.call_id,
            kind: approval.kind,
            tool: approval.tool,
            arguments: approval.arguments,
            hint: approval.hint,
            diff: approval.diff,
            reason: Some(approval.reason),
            requested_at: approval.requested_at,
            expires_at: approval.expires_at,
            covers: approval.covers,
            state: ApprovalState::Pending,
            decision: None,
            decided_by: None,
            decided_reason: None,
            decided_arguments: None,
            decided_at: None,
        };
        [Op::RequestApproval(Box::new(record)), Op::Audit(Box::new(entry))]
    }

    /// The answer in the question's row, and its line in the audit log.
    pub(super) fn answer_ops(&self, at: i64, answered: Answered) -> [Op; 2] {
        let decision = match answered.outcome {
            ApprovalOutcome::AllowOnce => Some(ApprovalDecision::AllowOnce),
            ApprovalOutcome::AllowSession => Some(ApprovalDecision::AllowSession),
            ApprovalOutcome::AllowAlways => Some(ApprovalDecision::AllowAlways),
            ApprovalOutcome::Deny => Some(ApprovalDecision::Deny),
            ApprovalOutcome::Expired | ApprovalOutcome::Cancelled => None,
        };
        let mut entry = self.audit_entry(AuditKind::ApprovalResolved, &answered.by, "", at);
        entry.subject = serde_json::to_value(answered.outcome)
            .ok()
            .and_then(|word| word.as_str().map(str::to_owned))
            .unwrap_or_default();
        entry.detail.insert("approval_id".to_owned(), json!(answered.approval_id));
        entry.detail.insert("reason".to_owned(), json!(answered.reason));
        entry.detail.insert("arguments_changed".to_owned(), json!(answered.arguments.is_some()));
        let op = match decision {
            Some(decision) => Op::ResolveApproval {
                id: answered.approval_id,
                answer: Box::new(ApprovalAnswer {
                    decision,
                    by: answered.by,
                    reason: answered.reason,
                    arguments: answered.arguments,
                    at,
                }),
            },
            // By the clock of the question: this may be a moment early.
            None => Op::ExpireApproval { id: answered.approval_id, at },
        };
        [op, Op::Audit(Box::new(entry))]
    }

    fn audit_entry(&self, kind: AuditKind, actor: &str, subject: &str, at: i64) -> AuditEntry {
        let mut entry = AuditEntry::new(kind, actor, subject, at);
        entry.session_id = Some(self.ctx.session_id);
        entry.turn_id = Some(self.ctx.turn_id);
        entry
    }
}

/// An answer that comes too late.
pub(crate) fn closed(why: &str) -> RuntimeError {
    RuntimeError::Conflict { code: "approval_closed", detail: format!("this cannot be answered any more: {why}") }
}
