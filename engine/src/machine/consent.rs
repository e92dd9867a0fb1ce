//! What a turn waits for until a person decides: calls that need consent, and more budget.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::batch::{Batch, BatchCall, check};
use super::{Effect, Ending, Observation, Phase, TurnMachine, TurnState, Write};
use crate::approval::{Answered, Approval, ApprovalKind, ApprovalOutcome, Asking, Pending};
use crate::event::{EventBody, StopReason};
use crate::id::{ApprovalId, StreamId};
use crate::message::ToolCall;
use crate::tool::{CallStatus, ToolOutcome};

/// A limit that is in the way of the next request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverBudget {
    /// The limit in words.
    pub reason: String,
    /// The same for programs: key, unit, limit, what is used, and how much more is offered.
    pub arguments: Map<String, Value>,
    /// What the question needs.
    pub asking: Asking,
}

/// A turn that waits for more budget.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BudgetPause {
    /// The question.
    pub pending: Pending,
    /// Its place among the parts.
    pub stream_id: StreamId,
    /// The limit in words.
    pub reason: String,
    /// The same for programs.
    pub arguments: Map<String, Value>,
}

impl TurnState {
    /// Is a person's answer all that can move the turn on?
    #[must_use]
    pub fn awaits_person(&self) -> bool {
        matches!(self.phase, Phase::AwaitingBudget(_)) || self.phase.batch().is_some_and(Batch::awaits_person)
    }

    /// The calls that wait for an answer, with their questions.
    pub fn waiting_calls(&self) -> impl Iterator<Item = (ApprovalId, &ToolCall)> {
        let calls = self.phase.batch().into_iter().flat_map(|batch| &batch.calls);
        calls.filter_map(|call| Some((call.pending.as_ref()?.approval_id, &call.call)))
    }

    /// The questions that wait for an answer.
    pub fn pending(&self) -> impl Iterator<Item = &Pending> {
        let pause = if let Phase::AwaitingBudget(pause) = &self.phase { Some(&pause.pending) } else { None };
        let calls = self.phase.batch().into_iter().flat_map(|batch| &batch.calls);
        calls.filter_map(|call| call.pending.as_ref()).chain(pause)
    }
}

impl TurnMachine {
    /// A person answered, or nobody did in time.
    pub(super) fn answered(&mut self, at: i64, answered: Answered, out: &mut Vec<Effect>) {
        match &self.state.phase {
            Phase::ExecutingTools(_) => self.call_answered(at, answered, out),
            Phase::AwaitingBudget(pause) if pause.pending.approval_id == answered.approval_id => {
                let pause = pause.clone();
                self.budget_answered(at, pause, answered, out);
            }
            Phase::AwaitingBudget(_)
            | Phase::Building
            | Phase::Requesting
            | Phase::Waiting
            | Phase::Draining
            | Phase::Finalizing(_)
            | Phase::Parked
            | Phase::Done(_) => {}
        }
    }

    fn call_answered(&mut self, at: i64, answered: Answered, out: &mut Vec<Effect>) {
        let iteration = self.state.iteration;
        let tools = Arc::clone(&self.tools);
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let asked = |call: &BatchCall| call.pending.as_ref().is_some_and(|it| it.approval_id == answered.approval_id);
        let Some(position) = batch.calls.iter().position(asked) else { return };
        let Some(call) = batch.calls.get_mut(position) else { return };
        call.pending = None;
        let mut run = Vec::new();
        let mut events = vec![EventBody::ApprovalResolved {
            stream_id: call.stream_id.clone(),
            kind: ApprovalKind::Tool,
            call_id: Some(call.call.id.clone()),
            answered: answered.clone(),
        }];
        if answered.outcome.allows() {
            let before = call.call.arguments.clone();
            match call.replace(&tools, answered.arguments.clone()) {
                Ok(()) => {
                    // Else the model would take the result for that of its own arguments.
                    call.changed = call.call.arguments != before;
                    // What it did not do while it waited is not how long it ran.
                    call.started_at = Some(at);
                    events.extend(call.run(position, String::new(), &mut run));
                }
                Err(refused) => events.push(call.finish(at, refused)),
            }
        } else {
            events.push(call.finish(at, ToolOutcome::failed(CallStatus::Denied, refusal(&answered))));
        }
        let mut writes = vec![Write::Answer(answered)];
        writes.extend(batch.entry(iteration, position));
        self.batch_moves(at, writes, events, run, out);
    }

    /// Would a call that waits take these arguments?
    ///
    /// # Errors
    /// What is wrong with them, in words.
    pub fn check_arguments(&self, approval_id: ApprovalId, arguments: &Map<String, Value>) -> Result<ToolCall, String> {
        let Phase::ExecutingTools(batch) = &self.state.phase else { return Err("no call waits".to_owned()) };
        let asked = |call: &&BatchCall| call.pending.as_ref().is_some_and(|it| it.approval_id == approval_id);
        let call = batch.calls.iter().find(asked).ok_or("no call waits for this")?;
        let call = ToolCall { arguments: arguments.clone(), malformed: None, ..call.call.clone() };
        let arguments = check(&self.tools, &call)?;
        Ok(ToolCall { arguments, ..call })
    }

    /// A limit of what models may cost is reached: a person is asked for more.
    pub(super) fn over_budget(&mut self, at: i64, over: OverBudget, out: &mut Vec<Effect>) {
        if !matches!(self.state.phase, Phase::Building) {
            return;
        }
        let OverBudget { reason, arguments, asking } = over;
        let stream_id = self.mint_stream();
        let question = Approval::asked(ApprovalKind::Budget, asking, at, reason.clone());
        let approval = Approval { arguments: arguments.clone(), ..question };
        let pending = approval.pending();
        self.state.phase =
            Phase::AwaitingBudget(BudgetPause { pending, stream_id: stream_id.clone(), reason, arguments });
        let asked = EventBody::ApprovalRequested { stream_id, approval: Box::new(approval.clone()) };
        out.push(self.persist(vec![Write::Ask(Box::new(approval))], vec![asked]));
    }

    fn budget_answered(&mut self, at: i64, pause: BudgetPause, answered: Answered, out: &mut Vec<Effect>) {
        let allowed = answered.outcome.allows();
        let resolved = EventBody::ApprovalResolved {
            stream_id: pause.stream_id.clone(),
            kind: ApprovalKind::Budget,
            call_id: None,
            answered: answered.clone(),
        };
        self.state.phase = Phase::Building;
        if allowed {
            out.push(self.persist(vec![Write::Answer(answered)], vec![resolved]));
            out.push(Effect::BuildRequest { closing: self.state.closing });
            return;
        }
        let ending = Ending { stop_reason: StopReason::Budget, error: None, content: None };
        self.show_kept(at, out);
        out.extend(self.close_segment(at, false).map(Effect::Emit));
        let mut writes = vec![Write::Answer(answered)];
        writes.extend(self.kept_text());
        let events = vec![resolved, self.notice("budget", &stopped_at(&pause))];
        self.state.segments = super::Segments::default();
        self.state.phase = Phase::Done(ending.clone());
        out.push(self.persist(writes, events));
        out.push(Effect::Observe(Observation::AfterIteration));
        out.push(Effect::Observe(Observation::AfterRun));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }
}

/// A question that nobody has to answer any more.
pub(super) fn cancelled(pending: &Pending) -> Answered {
    Answered::new(pending.approval_id, ApprovalOutcome::Cancelled, "system")
}

/// What people read of a turn that got no more.
fn stopped_at(pause: &BudgetPause) -> String {
    match pause.arguments.get("key").and_then(Value::as_str) {
        Some(key) => format!("Stopped: {}. Raise {key} in the settings, or go on later.", pause.reason),
        None => format!("Stopped: {}.", pause.reason),
    }
}

/// What the model reads of a refusal.
fn refusal(answered: &Answered) -> String {
    match (answered.outcome, answered.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty())) {
        (ApprovalOutcome::Expired, _) => {
            "nobody answered the question about this call in time, so it did not run. Do not \
             repeat it; go on without it, or say what you would need."
                .to_owned()
        }
        (_, Some(reason)) => format!("this call was not allowed: {reason}"),
        (_, None) => "a person denied this call. Do not repeat it; find another way, or ask what they want.".to_owned(),
    }
}
