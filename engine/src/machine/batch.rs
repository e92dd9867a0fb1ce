//! The calls of one iteration and how far each is.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::Write;
use crate::approval::{Allowance, Approval, ApprovalKind, Asking, Pending};
use crate::event::EventBody;
use crate::hook::Decision;
use crate::id::StreamId;
use crate::message::{Block, Message, Role, ToolCall};
use crate::tool::{self, CallStatus, ToolOutcome};

/// Longest arguments of a person that the model is told, in characters.
const MAX_TOLD_CHARS: usize = 1_000;

/// A call and how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BatchCall {
    /// The call, with an id that is legal and unique within the batch.
    pub call: ToolCall,
    /// Its place among the parts.
    pub stream_id: StreamId,
    /// How far it is.
    pub status: CallStatus,
    /// Was `tool_started` shown?
    pub started: bool,
    /// What came of it. Kept in the ledger, not in the checkpoint.
    #[serde(skip)]
    pub outcome: Option<ToolOutcome>,
    /// The question that it waits for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pending: Option<Pending>,
    /// Did a person give it other arguments than the model?
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) changed: bool,
    /// Checked and possibly replaced arguments, once decided.
    #[serde(skip)]
    pub(super) decided: Option<Decided>,
    /// UTC milliseconds.
    pub started_at: Option<i64>,
    /// UTC milliseconds.
    pub ended_at: Option<i64>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Decided {
    pub(super) decision: Decision,
    pub(super) hint: String,
    /// What a question needs, should it come to one.
    pub(super) asking: Option<Asking>,
}

/// All calls of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// In the order the model asked.
    pub calls: Vec<BatchCall>,
    /// Positions of the group at work.
    pub group: Vec<usize>,
}

impl Batch {
    /// Adds a call; gives it back as it is stored.
    pub(super) fn add(&mut self, call: ToolCall, stream_id: StreamId, used: &mut BTreeSet<String>) -> ToolCall {
        // Without a name no provider takes the call back, and the model would never learn what was wrong with it.
        let name = if call.name.trim().is_empty() { tool::UNNAMED.to_owned() } else { call.name };
        let call = ToolCall { id: free_id(&call.id, &stream_id, used), name, ..call };
        self.calls.push(BatchCall {
            call: call.clone(),
            stream_id,
            status: CallStatus::Intended,
            started: false,
            outcome: None,
            pending: None,
            changed: false,
            decided: None,
            started_at: None,
            ended_at: None,
        });
        call
    }

    /// Ledger entries of every call.
    pub(super) fn all(&self, iteration: u32) -> Vec<Write> {
        (0..self.calls.len()).filter_map(|position| self.entry(iteration, position)).collect()
    }

    pub(super) fn entry(&self, iteration: u32, position: usize) -> Option<Write> {
        let call = self.calls.get(position)?;
        Some(Write::Call { iteration, position, call: Box::new(call.clone()) })
    }

    /// Is a person's answer all that can move it on?
    pub(super) fn awaits_person(&self) -> bool {
        let has = |status| self.calls.iter().any(|call| call.status == status);
        has(CallStatus::Waiting) && !has(CallStatus::Running)
    }

    pub(super) fn group_is_over(&self) -> bool {
        self.group.iter().filter_map(|at| self.calls.get(*at)).all(|call| call.status.is_final())
    }
}

impl BatchCall {
    pub(super) fn finish(&mut self, at: i64, mut outcome: ToolOutcome) -> EventBody {
        self.pending = None;
        if outcome.duration_ms == 0 {
            outcome.duration_ms = self.started_at.map_or(0, |since| super::elapsed_ms(since, at));
        }
        if !outcome.status.is_final() {
            outcome.status = CallStatus::Error;
        }
        self.status = outcome.status;
        self.ended_at = Some(at);
        let event = EventBody::ToolFinished {
            stream_id: self.stream_id.clone(),
            call_id: self.call.id.clone(),
            name: self.call.name.clone(),
            status: outcome.status,
            preview: outcome.preview(),
            duration_ms: outcome.duration_ms,
            diff: outcome.diff.clone(),
            exit_code: outcome.exit_code,
        };
        self.outcome = Some(outcome);
        event
    }

    /// The event that shows the call, unless it was shown before a restart.
    pub(super) fn start(&mut self, hint: String) -> Option<EventBody> {
        if std::mem::replace(&mut self.started, true) {
            return None;
        }
        Some(EventBody::ToolStarted {
            stream_id: self.stream_id.clone(),
            call_id: self.call.id.clone(),
            name: self.call.name.clone(),
            arguments: self.call.arguments.clone(),
            hint,
        })
    }

    /// Takes other arguments, when there are some and they fit.
    pub(super) fn replace(
        &mut self,
        tools: &tool::ToolTable,
        arguments: Option<Map<String, serde_json::Value>>,
    ) -> Result<(), ToolOutcome> {
        let Some(arguments) = arguments else { return Ok(()) };
        self.call.arguments = arguments;
        self.call.malformed = None;
        self.call.arguments = check(tools, &self.call).map_err(|problem| {
            let reason = format!("the arguments were replaced by some that do not fit: {problem}");
            ToolOutcome::failed(CallStatus::Error, reason)
        })?;
        Ok(())
    }

    /// The question about it, for which it waits from now on.
    pub(super) fn ask(
        &mut self,
        at: i64,
        asking: Asking,
        (reason, hint): (String, String),
        covers: Vec<Allowance>,
    ) -> Approval {
        let approval = Approval {
            tool: self.call.name.clone(),
            call_id: Some(self.call.id.clone()),
            arguments: self.call.arguments.clone(),
            hint,
            covers,
            ..Approval::asked(ApprovalKind::Tool, asking, at, reason)
        };
        self.status = CallStatus::Waiting;
        self.pending = Some(approval.pending());
        approval
    }

    pub(super) fn run(&mut self, position: usize, hint: String, run: &mut Vec<(usize, ToolCall)>) -> Option<EventBody> {
        self.status = CallStatus::Running;
        run.push((position, self.call.clone()));
        self.start(hint)
    }

    pub(super) fn result_row(&self, hint: Option<String>) -> Write {
        let (status, mut text) = match &self.outcome {
            Some(outcome) if outcome.text.trim().is_empty() => {
                (outcome.status, format!("({} completed with no output)", self.call.name))
            }
            Some(outcome) => (outcome.status, outcome.text.clone()),
            None => (CallStatus::Unknown, "Error: the outcome of this call is unknown.".to_owned()),
        };
        if self.changed {
            let arguments = serde_json::Value::Object(self.call.arguments.clone()).to_string();
            let arguments = crate::text::one_line(&arguments, MAX_TOLD_CHARS);
            text.insert_str(0, &format!("[A person changed the arguments of this call to {arguments}]\n\n"));
        }
        if let Some(hint) = hint {
            text.push_str("\n\n");
            text.push_str(&hint);
        }
        let block = Block::Result { call_id: self.call.id.clone(), name: self.call.name.clone(), status, text };
        Write::Row { message: Message { role: Role::Tool, blocks: vec![block] }, interrupted: false, answer: false }
    }
}

/// The provider's id, unless the turn has used it already; a call without one is named after the turn and its number.
fn free_id(wanted: &str, stream_id: &StreamId, used: &mut BTreeSet<String>) -> String {
    let base = if wanted.trim().is_empty() {
        let turn = stream_id.0.split('.').next().unwrap_or_default();
        format!("call_{turn}_{}", used.len())
    } else {
        wanted.to_owned()
    };
    let mut id = base.clone();
    let mut number = 2_u32;
    while !used.insert(id.clone()) {
        id = format!("{base}_{number}");
        number += 1;
    }
    id
}

/// Unknown names and arguments that do not fit never reach a tool.
pub(super) fn check(tools: &tool::ToolTable, call: &ToolCall) -> Result<Map<String, serde_json::Value>, String> {
    let spec = tools.get(&call.name).ok_or_else(|| tools.unknown(&call.name))?;
    if let Some(text) = &call.malformed {
        let start = crate::text::ellipsis(text, 200);
        return Err(format!("the arguments are not a JSON object: {start:?}. Use named parameters."));
    }
    tool::prepare(&spec.parameters, &call.arguments)
}
