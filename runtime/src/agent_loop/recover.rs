//! Recovery: what another process left unfinished is taken up from its last durable step.

use std::collections::BTreeMap;

use nanobot_engine::event::EventBody;
use nanobot_engine::hook::RunContext;
use nanobot_engine::id::StreamId;
use nanobot_engine::machine::{CallLedger, CutSegment, Input, Resume, TurnState};
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{Op, TurnRecord, WorkItem, WorkMode};

use super::{AgentLoop, load_rows};
use crate::error::RuntimeError;

/// How often one turn is taken up again before it is closed as interrupted.
const MAX_RESUMES: u32 = 3;

impl AgentLoop {
    pub(super) async fn recover(&mut self) -> Result<(), RuntimeError> {
        let store = self.shared.store.clone();
        let waiting = store.queued_work(self.session.id).await?;
        let mut steer = Vec::new();
        // This may be the second try.
        self.queue.clear();
        self.late.clear();
        for item in waiting {
            if item.mode != WorkMode::Steer {
                self.queue.push_back(item);
                continue;
            }
            if Some(item.turn_id) == self.session.running_turn_id {
                steer.push(item);
                continue;
            }
            match store.turn(item.turn_id).await? {
                // It has a turn of its own already, which gave it a number.
                Some(turn) if turn.state == TurnStatus::Queued => {
                    self.queue.push_back(WorkItem { seq: turn.seq, mode: WorkMode::Queue, ..item });
                }
                _ => self.late.push_back(item),
            }
        }
        let running = match self.session.running_turn_id {
            Some(turn_id) => store.turn(turn_id).await?,
            None => None,
        };
        if let Some(turn) = running {
            self.resume_turn(turn).await?;
            if let Some(running) = &self.running {
                steer.into_iter().for_each(|item| running.steer.push(item));
            }
        }
        Ok(())
    }

    async fn resume_turn(&mut self, turn: TurnRecord) -> Result<(), RuntimeError> {
        let store = self.shared.store.clone();
        let config = self.shared.config.current();
        let state: TurnState = match turn.checkpoint.as_deref().map(serde_json::from_str) {
            Some(Ok(state)) => state,
            Some(Err(error)) => {
                tracing::error!(turn = %turn.id, %error, "the state of an unfinished turn cannot be read; its request is made again");
                TurnState::default()
            }
            None => TurnState::default(),
        };
        // One that waits for a person was not cut, however often the server is restarted meanwhile.
        let waits = state.awaits_person();
        let attempt = if waits { turn.resume_attempts } else { turn.resume_attempts + 1 };
        let go_on = waits || (config.agent.resume_interrupted && attempt <= MAX_RESUMES);
        let mut calls = Vec::new();
        if state.phase.batch().is_some() {
            let mut ledger = store.calls(turn.id).await?;
            ledger.retain(|call| call.iteration == state.iteration);
            ledger.sort_by_key(|call| call.position);
            calls.extend(ledger.into_iter().map(|call| CallLedger { status: call.status, outcome: call.outcome }));
        }
        let (cut, next_stream) = self.cut_segments(&turn, state.next_stream).await?;
        let rows = load_rows(&store, self.session.id, self.leaf()).await?;
        let work_id = store.work_of_turn(turn.id).await?.map(|item| item.id);
        let status = if waits { TurnStatus::AwaitingApproval } else { TurnStatus::Running };
        let boot_id = self.shared.boot_id;
        let op = Op::ResumeTurn { turn_id: turn.id, state: status, boot_id, attempts: attempt };
        self.log.commit(vec![op], None, self.now(), Vec::new()).await?;
        let preset = (!turn.preset.is_empty()).then_some(turn.preset.as_str());
        let models = self.shared.models.chain(&config, preset).or_else(|_| self.shared.models.chain(&config, None));
        let run = RunContext {
            session_id: self.session.id,
            turn_id: turn.id,
            origin: turn.origin,
            preset: turn.preset.clone(),
            model: turn.model.clone(),
        };
        let machine = self.machine(&config, turn.seq, state);
        let first = Input::Resume(Resume { attempt, go_on, cut, next_stream, calls });
        self.spawn_run(&config, run, models, machine, rows, turn.created_at, work_id, first);
        Ok(())
    }

    /// What readers may have seen of the request that was cut: everything with a stream number from `first` on; and the
    /// next number that was never used.
    async fn cut_segments(&self, turn: &TurnRecord, first: u32) -> Result<(Vec<CutSegment>, u32), RuntimeError> {
        let mut cut: BTreeMap<u32, CutSegment> = BTreeMap::new();
        let mut next_stream = first;
        for event in self.shared.store.turn_events(self.session.id, turn).await? {
            let (stream_id, text) = match &event.body {
                EventBody::Delta { stream_id, text } => (stream_id, Some(text.as_str())),
                EventBody::StreamDiscarded { stream_id, .. } => {
                    if let Some(index) = stream_id.index() {
                        cut.remove(&index);
                        next_stream = next_stream.max(index + 1);
                    }
                    continue;
                }
                EventBody::ReasoningDelta { stream_id, .. }
                | EventBody::ProviderTool { stream_id, .. }
                | EventBody::RetryWait { stream_id, .. }
                | EventBody::ModelSwitched { stream_id, .. }
                | EventBody::Notice { stream_id, .. }
                | EventBody::ApprovalRequested { stream_id, .. }
                | EventBody::ContextGoverned { stream_id, .. } => (stream_id, None),
                _ => continue,
            };
            let Some(index) = stream_id.index().filter(|index| *index >= first) else { continue };
            next_stream = next_stream.max(index + 1);
            let segment = cut.entry(index).or_insert_with(|| new_segment(stream_id));
            if let Some(text) = text {
                segment.text.get_or_insert_default().push_str(text);
            }
        }
        Ok((cut.into_values().collect(), next_stream))
    }
}

fn new_segment(stream_id: &StreamId) -> CutSegment {
    CutSegment { stream_id: stream_id.clone(), text: None }
}
