//! Running the calls of an iteration: checked, decided, run in groups, and stored in call order.

use std::sync::Arc;

use super::batch::{BatchCall, Decided, check};
use super::{ContinueReason, Effect, Ending, Observation, Phase, TurnMachine, Write, cancelled};
use crate::approval::{ApprovalKind, Asking};
use crate::event::{EventBody, StopReason};
use crate::hook::{Ask, Decision};
use crate::loop_guard::Verdict;
use crate::message::ToolCall;
use crate::tool::{CallStatus, Concurrency, ToolOutcome};

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
            if call.status == CallStatus::Waiting {
                // It was asked before a restart and still waits.
                continue;
            }
            match check(&self.tools, &call.call) {
                Ok(arguments) => {
                    call.call.arguments = arguments;
                    ask.push((position, call.call.clone()));
                }
                Err(problem) => {
                    let decision = Decision::Deny { reason: problem };
                    call.decided = Some(Decided { decision, hint: String::new(), asking: None });
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
            let decided = |at: &usize| batch.calls.get(*at).is_some_and(|call| call.decided.is_some());
            if batch.group.iter().any(decided) {
                self.start_group(at, out);
            }
        } else {
            out.extend(ask.into_iter().map(|(position, call)| Effect::Decide { position, call }));
        }
    }

    pub(super) fn decided(
        &mut self,
        at: i64,
        position: usize,
        decided: (Decision, String, Asking),
        out: &mut Vec<Effect>,
    ) {
        let (decision, hint, asking) = decided;
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let asked = |call: &&mut BatchCall| call.status == CallStatus::Intended && call.decided.is_none();
        if !batch.group.contains(&position) {
            return;
        }
        let Some(call) = batch.calls.get_mut(position).filter(asked) else { return };
        call.decided = Some(Decided { decision, hint, asking: Some(asking) });
        let undecided = |call: &BatchCall| call.status == CallStatus::Intended && call.decided.is_none();
        let all = !batch.group.iter().filter_map(|at| batch.calls.get(*at)).any(undecided);
        if all {
            self.start_group(at, out);
        }
    }

    fn start_group(&mut self, at: i64, out: &mut Vec<Effect>) {
        let iteration = self.state.iteration;
        let tools = Arc::clone(&self.tools);
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let (mut events, mut run, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for position in batch.group.clone() {
            let Some(call) = batch.calls.get_mut(position) else { continue };
            let Some(Decided { decision, hint, asking }) = call.decided.take() else { continue };
            let invalid = call.outcome.take().is_some();
            call.started_at = Some(at);
            match decision {
                Decision::Deny { reason } => {
                    events.extend(call.start(hint));
                    let status = if invalid { CallStatus::Error } else { CallStatus::Denied };
                    events.push(call.finish(at, ToolOutcome::failed(status, reason)));
                }
                Decision::Ask(Ask { question, arguments, covers }) => {
                    if let Err(refused) = call.replace(&tools, arguments) {
                        events.extend(call.start(hint));
                        events.push(call.finish(at, refused));
                    } else if let Some(asking) = asking {
                        events.extend(call.start(hint.clone()));
                        let approval = call.ask(at, asking, (question, hint), covers);
                        writes.push(Write::Ask(Box::new(approval.clone())));
                        let stream_id = call.stream_id.clone();
                        events.push(EventBody::ApprovalRequested { stream_id, approval: Box::new(approval) });
                    }
                }
                Decision::Replace { arguments } => match call.replace(&tools, Some(arguments)) {
                    Ok(()) => events.extend(call.run(position, hint, &mut run)),
                    Err(refused) => {
                        events.extend(call.start(hint));
                        events.push(call.finish(at, refused));
                    }
                },
                Decision::Proceed => events.extend(call.run(position, hint, &mut run)),
            }
        }
        writes.extend(batch.group.iter().filter_map(|at| batch.entry(iteration, *at)));
        self.batch_moves(at, writes, events, run, out);
    }

    /// Stores what changed in the batch and runs what may run; a group that is over gives way to the next one.
    pub(super) fn batch_moves(
        &mut self,
        at: i64,
        writes: Vec<Write>,
        events: Vec<EventBody>,
        run: Vec<(usize, ToolCall)>,
        out: &mut Vec<Effect>,
    ) {
        let Some(batch) = self.state.phase.batch() else { return };
        if batch.calls.iter().all(|call| call.status.is_final()) {
            return self.batch_over(writes, events, out);
        }
        let group_over = batch.group_is_over();
        out.push(self.persist(writes, events));
        if !run.is_empty() {
            out.push(Effect::RunCalls(run));
        } else if group_over {
            self.next_group(at, out);
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
        self.batch_moves(at, writes, vec![event], Vec::new(), out);
    }

    /// All calls ended: their rows go down in call order, together with what is still to be written.
    pub(super) fn batch_over(&mut self, mut writes: Vec<Write>, mut events: Vec<EventBody>, out: &mut Vec<Effect>) {
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
            if let Some(pending) = call.pending.take() {
                events.push(EventBody::ApprovalResolved {
                    stream_id: call.stream_id.clone(),
                    kind: ApprovalKind::Tool,
                    call_id: Some(call.call.id.clone()),
                    answered: cancelled(&pending),
                });
            }
            events.push(call.finish(at, ToolOutcome::failed(status, text)));
            writes.extend(batch.entry(iteration, position));
        }
        writes.extend(batch.calls.iter().map(|call| call.result_row(None)));
        (writes, events)
    }
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
