//! Taking up a turn that a crash or a shutdown cut, from its last durable step.

use serde::{Deserialize, Serialize};

use super::{Effect, Ending, Observation, Phase, TurnMachine};
use crate::event::{EventBody, StopReason};
use crate::id::StreamId;
use crate::tool::{CallStatus, ToolOutcome};

/// What the log and the ledger know of a cut turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Resume {
    /// Which resumption this is, from 1.
    pub attempt: u32,
    /// False: the turn is closed as interrupted instead of going on.
    pub go_on: bool,
    /// Segments of the cut request that readers may have seen.
    pub cut: Vec<CutSegment>,
    /// A stream number that was never used.
    pub next_stream: u32,
    /// The ledger of the present batch, by position.
    pub calls: Vec<CallLedger>,
}

/// A segment that was shown and then cut.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutSegment {
    /// Segment.
    pub stream_id: StreamId,
    /// Its visible text as far as it was stored; `None` for reasoning and other parts.
    pub text: Option<String>,
}

/// What the ledger says of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallLedger {
    /// How far it was.
    pub status: CallStatus,
    /// What came of it.
    pub outcome: Option<ToolOutcome>,
}

impl TurnMachine {
    pub(super) fn resume(&mut self, at: i64, resume: Resume, out: &mut Vec<Effect>) {
        if let Phase::Done(ending) = &self.state.phase {
            let ending = ending.clone();
            out.push(Effect::Observe(Observation::OnFinally));
            out.push(Effect::Finish(ending));
            return;
        }
        self.state.next_stream = self.state.next_stream.max(resume.next_stream);
        // The time that the server was away is not the provider's.
        self.state.retry.failed_at = None;
        self.reconcile(&resume.calls);
        if !resume.go_on {
            self.close_interrupted(at, resume.cut, out);
            return;
        }
        if !self.state.awaits_person() {
            // One that waits was not cut; nothing of it has to be made good.
            out.push(Effect::Emit(EventBody::TurnResumed { attempt: resume.attempt }));
        }
        discard(&resume.cut, out);
        out.push(Effect::Observe(Observation::BeforeRun));
        match &self.state.phase {
            Phase::ExecutingTools(_) => {
                self.settle_unrepeatable(at, out);
                self.next_group(at, out);
            }
            Phase::AwaitingBudget(_) => out.push(Effect::Observe(Observation::BeforeIteration)),
            Phase::Draining => self.look_for_steer(out),
            Phase::Building
            | Phase::Requesting
            | Phase::Waiting
            | Phase::Finalizing(_)
            | Phase::Parked
            | Phase::Done(_) => self.begin_iteration(out),
        }
    }

    /// The ledger is the truth about calls; the checkpoint may be a step behind.
    fn reconcile(&mut self, ledger: &[CallLedger]) {
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        batch.group.clear();
        for (call, entry) in batch.calls.iter_mut().zip(ledger) {
            call.status = entry.status;
            call.outcome.clone_from(&entry.outcome);
            call.started |= entry.status != CallStatus::Intended;
        }
    }

    /// Calls that were running: those that only read run again, of the others nobody knows whether they took effect.
    fn settle_unrepeatable(&mut self, at: i64, out: &mut Vec<Effect>) {
        let iteration = self.state.iteration;
        let tools = std::sync::Arc::clone(&self.tools);
        let Phase::ExecutingTools(batch) = &mut self.state.phase else { return };
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        for (position, call) in batch.calls.iter_mut().enumerate() {
            if call.status != CallStatus::Running {
                continue;
            }
            if tools.get(&call.call.name).is_some_and(|spec| spec.concurrency.is_read_only()) {
                call.status = CallStatus::Intended;
                continue;
            }
            events.push(call.finish(at, ToolOutcome::failed(CallStatus::Unknown, UNKNOWN_OUTCOME)));
            writes.push(super::Write::Call { iteration, position, call: Box::new(call.clone()) });
        }
        if !writes.is_empty() {
            out.push(self.persist(writes, events));
        }
    }

    fn close_interrupted(&mut self, at: i64, cut: Vec<CutSegment>, out: &mut Vec<Effect>) {
        discard(&cut, out);
        let ending = Ending { stop_reason: StopReason::Interrupted, error: None, content: None };
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        if matches!(self.state.phase, Phase::ExecutingTools(_)) {
            (writes, events) = self.abandon_batch(
                at,
                (CallStatus::Unknown, UNKNOWN_OUTCOME),
                (CallStatus::Cancelled, "the server stopped before this began"),
            );
        } else {
            let kept: String = cut.into_iter().filter_map(|segment| segment.text).collect();
            self.state.segments = super::Segments::default();
            if !kept.trim().is_empty() {
                let shown = self.text(at, kept);
                events.extend(shown.into_iter().flatten());
                events.extend(self.close_segment(at, false));
            }
            writes.extend(self.kept_text());
        }
        self.state.segments = super::Segments::default();
        self.state.phase = Phase::Done(ending.clone());
        out.push(self.persist(writes, events));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }
}

const UNKNOWN_OUTCOME: &str =
    "the server stopped while this ran; whether it took effect is unknown. Check before you repeat it.";

fn discard(cut: &[CutSegment], out: &mut Vec<Effect>) {
    out.extend(cut.iter().map(|segment| {
        Effect::Emit(EventBody::StreamDiscarded {
            stream_id: segment.stream_id.clone(),
            reason: "the server was restarted".to_owned(),
        })
    }));
}
