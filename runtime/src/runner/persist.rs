//! Durable steps: what the machine wants written becomes one transaction of the store.

use std::sync::Arc;
use std::time::Duration;

use nanobot_engine::event::{Event, EventBody, SessionState};
use nanobot_engine::hook::{AgentHook, CallContext};
use nanobot_engine::id::MessageId;
use nanobot_engine::machine::{BatchCall, Effect, Ending, Phase, Step, Write};
use nanobot_engine::message::{Message, Origin, Role, Row};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{CallRecord, Op, StoreError, WorkState};
use tokio::time::timeout;
use uuid::Uuid;

use super::execute::method_of;
use super::{AgentRunner, Halt};
use crate::clock::volatile_facts;
use crate::event_log::Status;

/// How long Stop waits for calls to let go of files, and for what they changed, each.
const STOPPED_CALLS: Duration = Duration::from_millis(500);

impl AgentRunner {
    pub(super) async fn persist(&mut self, mut step: Step) -> Result<(), Halt> {
        self.show_edits(&mut step).await;
        let at = self.now();
        let mut ops = std::mem::take(&mut self.deferred);
        ops.extend(self.ctx.permissions.standing.take_audit().into_iter().map(|entry| Op::Audit(Box::new(entry))));
        // A turn that waits may do so over a restart.
        let ends = matches!(step.checkpoint.phase, Phase::Done(_)) || step.checkpoint.awaits_person();
        ops.extend(self.journal.take(self.ctx.turn_id, ends));
        let mut rows: Vec<Arc<Row>> = Vec::new();
        let mut ended: Vec<(CallContext, ToolOutcome)> = Vec::new();
        let mut bodies = step.events;
        for write in step.writes {
            match write {
                Write::Row { message, interrupted, answer } => {
                    let origin = if message.role == Role::Tool { Origin::Tool } else { Origin::Model };
                    let row = self.row(at, &rows, MessageId(Uuid::now_v7()), message, interrupted, origin, None);
                    if answer {
                        bodies.push(EventBody::Message { message_id: row.id, text: row.message.text() });
                    }
                    ops.push(Op::InsertMessage(Box::new(row.clone())));
                    rows.push(Arc::new(row));
                }
                Write::Steer(steer) => {
                    let message = Message::user(steer.text);
                    let mut row =
                        self.row(at, &rows, steer.message_id, message, false, steer.origin, steer.client_message_id);
                    let item = self.steering.iter().position(|item| item.message_id == steer.message_id);
                    let item = item.map(|position| self.steering.remove(position));
                    let zone = &self.ctx.config.current().agent.timezone;
                    row.context = Some(volatile_facts(item.as_ref().map_or(at, |item| item.created_at), zone));
                    ops.push(Op::InsertMessage(Box::new(row.clone())));
                    rows.push(Arc::new(row));
                    if let Some(item) = item {
                        let turn_id = self.ctx.turn_id;
                        ops.push(Op::SetWorkState { id: item.id, state: WorkState::Injected, turn_id });
                    }
                }
                Write::Ask(approval) => ops.extend(self.ask_ops(*approval)),
                Write::Answer(answered) => ops.extend(self.answer_ops(at, answered)),
                Write::Call { iteration, position, call } => {
                    if let Some(outcome) = call.outcome.clone() {
                        let run = Arc::clone(&self.ctx.run);
                        ended.push((CallContext { run, iteration, call: call.call.clone() }, outcome));
                    }
                    ops.push(Op::UpsertCall(Box::new(self.call_record(iteration, position, *call))));
                }
            }
        }
        if let Some(last) = rows.last() {
            ops.push(Op::SetActive { message_id: last.id });
            ops.push(Op::TouchSession { at });
        }
        if bodies.is_empty() && self.next_step_follows_at_once() {
            self.rows.extend(rows);
            self.deferred = ops;
            return Ok(());
        }
        let checkpoint =
            serde_json::to_string(&step.checkpoint).map_err(|error| StoreError::Other(error.to_string()))?;
        ops.push(Op::Checkpoint { turn_id: self.ctx.turn_id, checkpoint });
        // When no hook stands between the last row and the end of the turn, both are one step.
        let ending = self.ends_at_once();
        let status = self.new_status(&step.checkpoint);
        let shown = match (&ending, status) {
            (None, None) => self.log.commit(ops, Some(self.ctx.turn_id), at, bodies).await?,
            (None, Some((turn, session))) => {
                ops.push(Op::SetTurnState { turn_id: self.ctx.turn_id, state: turn });
                let mut bodies: Vec<_> = bodies.into_iter().map(|body| (Some(self.ctx.turn_id), body)).collect();
                bodies.push((None, EventBody::session_state(session)));
                let shown = self.log.commit_events(at, bodies, |_| ops).await?;
                self.log.set_status(Status { state: session, turn_id: Some(self.ctx.turn_id) });
                self.ctx.changes.send_modify(|count| *count += 1);
                shown
            }
            (Some(ending), _) => self.commit_end(at, ops, bodies, ending).await?,
        };
        self.rows.extend(rows);
        if ending.is_some() {
            self.effects.clear();
            self.finished = ending;
        }
        let mut ended = ended.into_iter();
        for event in shown {
            if let EventBody::ToolFinished { .. } = event.body {
                if let Some((context, outcome)) = ended.next() {
                    self.after_call(&context, &outcome).await;
                }
            } else {
                self.after_shown(&event.body).await;
            }
        }
        Ok(())
    }

    /// Calls that were stopped did not say what they had changed until then; people must see it.
    async fn show_edits(&mut self, step: &mut Step) {
        for write in &mut step.writes {
            let Write::Call { call, .. } = write else { continue };
            let Some(outcome) = &mut call.outcome else { continue };
            let Some(watch) = self.watches.remove(&call.call.id) else { continue };
            if outcome.status != CallStatus::Cancelled || watch.is_idle() {
                continue;
            }
            // A call that changes files runs alone, so this happens once. Work on a thread of its own looks up soon.
            let _ = timeout(STOPPED_CALLS, self.ending_calls.shutdown()).await;
            outcome.diff = timeout(STOPPED_CALLS, watch.after()).await.ok().flatten();
            for event in &mut step.events {
                if let EventBody::ToolFinished { stream_id, diff, .. } = event
                    && *stream_id == call.stream_id
                {
                    diff.clone_from(&outcome.diff);
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a row has this many parts, and this is the one place that makes it")]
    fn row(
        &self,
        at: i64,
        new: &[Arc<Row>],
        id: MessageId,
        message: Message,
        interrupted: bool,
        origin: Origin,
        client_message_id: Option<String>,
    ) -> Row {
        Row {
            id,
            seq: self.log.next_seq(),
            turn_id: self.ctx.turn_id,
            parent_id: new.last().map(|row| row.id).or_else(|| self.last_row()),
            message,
            context: None,
            interrupted,
            origin,
            client_message_id,
            created_at: at,
        }
    }

    fn call_record(&self, iteration: u32, position: usize, call: BatchCall) -> CallRecord {
        CallRecord {
            turn_id: self.ctx.turn_id,
            iteration,
            position: u32::try_from(position).unwrap_or(u32::MAX),
            call_id: call.call.id,
            stream_id: call.stream_id,
            name: call.call.name,
            arguments: call.call.arguments,
            status: call.status,
            outcome: call.outcome,
            started_at: call.started_at,
            ended_at: call.ended_at,
        }
    }

    /// Closes the turn in the store and says so.
    pub(super) async fn finish(&mut self, ending: Ending) -> Result<(), Halt> {
        let at = self.now();
        self.commit_end(at, Vec::new(), Vec::new(), &ending).await?;
        self.finished = Some(ending);
        Ok(())
    }

    /// Is all that is left to do to decide about calls, with no hook to ask? Then the step that starts the calls comes
    /// next, without anything in between that could be seen or could fail, and both are committed as one.
    fn next_step_follows_at_once(&self) -> bool {
        let hooks = &self.ctx.hooks;
        let mut decides = false;
        for effect in &self.effects {
            match effect {
                Effect::Observe(observation) if !hooks.implements(method_of(*observation)) => {}
                Effect::Decide { .. } if hooks.decides_at_once() => decides = true,
                _ => return false,
            }
        }
        decides
    }

    /// The ending, when only observations that no hook implements stand before it.
    fn ends_at_once(&self) -> Option<Ending> {
        for effect in &self.effects {
            match effect {
                Effect::Observe(observation) if !self.ctx.hooks.implements(method_of(*observation)) => {}
                Effect::Finish(ending) => return Some(ending.clone()),
                _ => return None,
            }
        }
        None
    }

    async fn commit_end(
        &mut self,
        at: i64,
        mut ops: Vec<Op>,
        bodies: Vec<EventBody>,
        ending: &Ending,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let usage = self.machine.state().usage;
        let turn_id = self.ctx.turn_id;
        let finished = EventBody::TurnFinished {
            stop_reason: ending.stop_reason,
            latency_ms: u64::try_from(at - self.ctx.accepted_at).unwrap_or(0),
            usage,
            error: ending.error.clone(),
        };
        let place = bodies.len();
        let mut bodies: Vec<_> = bodies.into_iter().map(|body| (Some(turn_id), body)).collect();
        bodies.push((Some(turn_id), finished));
        bodies.push((None, EventBody::session_state(SessionState::Idle)));
        let (stop_reason, error, work_id) = (ending.stop_reason, ending.error.clone(), self.ctx.work_id);
        let with_end = |numbers: &[u64]| {
            ops.push(Op::FinishTurn {
                turn_id,
                state: TurnStatus::from(stop_reason),
                stop_reason,
                error,
                usage,
                ended_seq: numbers.get(place).copied().unwrap_or_default(),
                at,
            });
            ops.extend(work_id.map(|id| Op::SetWorkState { id, state: WorkState::Done, turn_id }));
            ops
        };
        self.log.commit_events(at, bodies, with_end).await
    }
}
