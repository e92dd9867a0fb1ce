//! The calls of one iteration: checked, decided, run in groups, and stored in call order.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::{ContinueReason, Effect, Ending, Observation, Phase, TurnMachine, Write};
use crate::event::{EventBody, StopReason};
use crate::hook::Decision;
use crate::id::StreamId;
use crate::loop_guard::Verdict;
use crate::message::{Block, Message, Role, ToolCall};
use crate::tool::{self, CallStatus, Concurrency, ToolOutcome};

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
    decision: Decision,
    hint: String,
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

    fn entry(&self, iteration: u32, position: usize) -> Option<Write> {
        let call = self.calls.get(position)?;
        Some(Write::Call { iteration, position, call: Box::new(call.clone()) })
    }

    fn group_is_over(&self) -> bool {
        self.group.iter().filter_map(|at| self.calls.get(*at)).all(|call| call.status.is_final())
    }
}

impl BatchCall {
    pub(super) fn finish(&mut self, at: i64, mut outcome: ToolOutcome) -> EventBody {
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

    fn run(&mut self, position: usize, hint: String, run: &mut Vec<(usize, ToolCall)>) -> Option<EventBody> {
        self.status = CallStatus::Running;
        run.push((position, self.call.clone()));
        self.start(hint)
    }

    fn result_row(&self, hint: Option<String>) -> Write {
        let (status, mut text) = match &self.outcome {
            Some(outcome) if outcome.text.trim().is_empty() => {
                (outcome.status, format!("({} completed with no output)", self.call.name))
            }
            Some(outcome) => (outcome.status, outcome.text.clone()),
            None => (CallStatus::Unknown, "Error: the outcome of this call is unknown.".to_owned()),
        };
        if let Some(hint) = hint {
            text.push_str("\n\n");
            text.push_str(&hint);
        }
        let block = Block::Result { call_id: self.call.id.clone(), name: self.call.name.clone(), status, text };
        Write::Row { message: Message { role: Role::Tool, blocks: vec![block] }, interrupted: false, answer: false }
    }
}

impl TurnMachine {
    /// Starts the next group: neighbouring calls that may run side by side, or one call alone.
    pub(super) fn next_group(&mut self, at: i64, out: &mut Vec<Effect>) {
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let mut group = Vec::new();
        let mut ask = Vec::new();
        for (position, call) in batch.calls.iter_mut().enumerate().skip_while(|(_, call)| call.status.is_final()) {
            if call.status.is_final() {
                continue;
            }
            let spec = self.tools.get(&call.call.name);
            let shared = spec.is_none_or(|spec| spec.concurrency == Concurrency::Shared);
            if !group.is_empty() && (!shared || group.len() >= self.limits.max_parallel_calls) {
                break;
            }
            group.push(position);
            match check(&self.tools, &call.call) {
                Ok(arguments) => {
                    call.call.arguments = arguments;
                    ask.push((position, call.call.clone()));
                }
                Err(problem) => {
                    let decision = Decision::Deny { reason: problem };
                    call.decided = Some(Decided { decision, hint: String::new() });
                    call.outcome = Some(ToolOutcome::failed(CallStatus::Error, ""));
                }
            }
            if !shared {
                break;
            }
        }
        batch.group = group;
        if batch.group.is_empty() {
            self.batch_over(Vec::new(), Vec::new(), out);
        } else if ask.is_empty() {
            self.start_group(at, out);
        } else {
            out.extend(ask.into_iter().map(|(position, call)| Effect::Decide { position, call }));
        }
    }

    pub(super) fn decided(
        &mut self,
        at: i64,
        position: usize,
        decision: Decision,
        hint: String,
        out: &mut Vec<Effect>,
    ) {
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let asked = |call: &&mut BatchCall| call.status == CallStatus::Intended && call.decided.is_none();
        if !batch.group.contains(&position) {
            return;
        }
        let Some(call) = batch.calls.get_mut(position).filter(asked) else { return };
        call.decided = Some(Decided { decision, hint });
        let all = batch.group.iter().filter_map(|at| batch.calls.get(*at)).all(|call| call.decided.is_some());
        if all {
            self.start_group(at, out);
        }
    }

    fn start_group(&mut self, at: i64, out: &mut Vec<Effect>) {
        let iteration = self.state.iteration;
        let tools = Arc::clone(&self.tools);
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let (mut events, mut run) = (Vec::new(), Vec::new());
        for position in batch.group.clone() {
            let Some(call) = batch.calls.get_mut(position) else { continue };
            let Some(Decided { decision, hint }) = call.decided.take() else { continue };
            let invalid = call.outcome.take().is_some();
            call.started_at = Some(at);
            match decision {
                Decision::Deny { reason } => {
                    events.extend(call.start(hint));
                    let status = if invalid { CallStatus::Error } else { CallStatus::Denied };
                    events.push(call.finish(at, ToolOutcome::failed(status, reason)));
                }
                Decision::Ask { question } => {
                    events.extend(call.start(hint));
                    let reason = format!("this call needs a person's consent, which cannot be asked here: {question}");
                    events.push(call.finish(at, ToolOutcome::failed(CallStatus::Denied, reason)));
                }
                Decision::Replace { arguments } => {
                    call.call.arguments = arguments;
                    match check(&tools, &call.call) {
                        Ok(arguments) => {
                            call.call.arguments = arguments;
                            events.extend(call.run(position, hint, &mut run));
                        }
                        Err(problem) => {
                            events.extend(call.start(hint));
                            let reason = format!("a hook replaced the arguments by some that do not fit: {problem}");
                            events.push(call.finish(at, ToolOutcome::failed(CallStatus::Error, reason)));
                        }
                    }
                }
                Decision::Proceed => events.extend(call.run(position, hint, &mut run)),
            }
        }
        let writes: Vec<Write> = batch.group.iter().filter_map(|at| batch.entry(iteration, *at)).collect();
        if run.is_empty() && batch.calls.iter().all(|call| call.status.is_final()) {
            self.batch_over(writes, events, out);
            return;
        }
        let idle = run.is_empty();
        out.push(self.persist(writes, events));
        if idle {
            self.next_group(at, out);
        } else {
            out.push(Effect::RunCalls(run));
        }
    }

    pub(super) fn call_finished(&mut self, at: i64, position: usize, outcome: ToolOutcome, out: &mut Vec<Effect>) {
        let iteration = self.state.iteration;
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let Some(call) = batch.calls.get_mut(position).filter(|call| call.status == CallStatus::Running) else {
            return;
        };
        let event = call.finish(at, outcome);
        if call.status == CallStatus::Ok {
            self.state.tools_used.push(call.call.name.clone());
        }
        let writes: Vec<Write> = batch.entry(iteration, position).into_iter().collect();
        let over = batch.calls.iter().all(|call| call.status.is_final());
        let group_over = batch.group_is_over();
        if over {
            self.batch_over(writes, vec![event], out);
        } else {
            out.push(self.persist(writes, vec![event]));
            if group_over {
                self.next_group(at, out);
            }
        }
    }

    /// All calls ended: their rows go down in call order, together with what is still to be written.
    fn batch_over(&mut self, mut writes: Vec<Write>, mut events: Vec<EventBody>, out: &mut Vec<Effect>) {
        let Phase::ExecutingTools(batch) = std::mem::replace(&mut self.state.phase, Phase::Draining) else { return };
        let (mut stop, mut hinted) = (None, false);
        for call in &batch.calls {
            let result = call.outcome.as_ref().map_or("", |outcome| outcome.text.as_str());
            let hint = match self.state.guard.observe(&call.call.name, &call.call.arguments, result) {
                Verdict::Fine => None,
                Verdict::Hint { period, times } => Some(hint_text(period, times)),
                Verdict::Stop { period, times } => {
                    stop = Some((period, times));
                    Some(hint_text(period, times))
                }
            };
            hinted |= hint.is_some();
            writes.push(call.result_row(hint));
        }
        let warned = self.state.guard.answered(hinted);
        let Some((period, times)) = stop.filter(|_| warned) else {
            out.push(self.persist(writes, events));
            self.look_for_steer(out);
            return;
        };
        let stream_id = self.mint_stream();
        let text = format!("Stopped: {} came {times} times with the same result.", calls_in_words(period));
        events.push(EventBody::Notice { stream_id, code: "loop".to_owned(), text, data: None });
        let ending = Ending { stop_reason: StopReason::Loop, error: None, content: None };
        self.state.phase = Phase::Done(ending.clone());
        out.push(self.persist(writes, events));
        out.push(Effect::Observe(Observation::AfterIteration));
        out.push(Effect::Observe(Observation::AfterRun));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }

    /// Between tool results and the next request.
    pub(super) fn look_for_steer(&mut self, out: &mut Vec<Effect>) {
        if self.state.steer_cycles < self.limits.max_steer_cycles {
            out.push(Effect::DrainSteer);
        } else {
            self.go_on(ContinueReason::ToolResults, out);
        }
    }

    /// Ends the batch at once: what ran gets `running`, what had not begun gets `intended`, and rows are written.
    pub(super) fn abandon_batch(
        &mut self,
        at: i64,
        running: (CallStatus, &str),
        intended: (CallStatus, &str),
    ) -> (Vec<Write>, Vec<EventBody>) {
        let iteration = self.state.iteration;
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return (Vec::new(), Vec::new()) };
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        for position in 0..batch.calls.len() {
            let Some(call) = batch.calls.get_mut(position).filter(|call| !call.status.is_final()) else { continue };
            let (status, text) = if call.status == CallStatus::Running { running } else { intended };
            call.started_at.get_or_insert(at);
            events.extend(call.start(String::new()));
            events.push(call.finish(at, ToolOutcome::failed(status, text)));
            writes.extend(batch.entry(iteration, position));
        }
        writes.extend(batch.calls.iter().map(|call| call.result_row(None)));
        (writes, events)
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
fn check(tools: &tool::ToolTable, call: &ToolCall) -> Result<Map<String, serde_json::Value>, String> {
    let spec = tools.get(&call.name).ok_or_else(|| tools.unknown(&call.name))?;
    if let Some(text) = &call.malformed {
        let start = crate::text::ellipsis(text, 200);
        return Err(format!("the arguments are not a JSON object: {start:?}. Use named parameters."));
    }
    tool::prepare(&spec.parameters, &call.arguments)
}

fn calls_in_words(period: usize) -> String {
    if period == 1 { "the same call".to_owned() } else { format!("a cycle of {period} calls") }
}

fn hint_text(period: usize, times: usize) -> String {
    format!(
        "[Notice: {} has now come {times} times with the same result. Repeating it will not change anything: \
         try something else, or answer with what you have.]",
        calls_in_words(period)
    )
}
