//! Ways a turn ends without an answer: errors, failing hooks, Stop.

use super::{Effect, Ending, Observation, Phase, Segments, TurnMachine, Write, cancelled};
use crate::approval::ApprovalKind;
use crate::event::{EventBody, StopReason, TurnError};
use crate::hook::HookFault;
use crate::message::{Block, Message, Role};
use crate::text;
use crate::tool::CallStatus;
use crate::usage::Usage;

/// Longest notice about a hook, in characters.
const MAX_NOTICE_CHARS: usize = 500;

impl TurnMachine {
    /// The model could not be asked, or its answer was broken.
    pub(super) fn fail(&mut self, at: i64, error: TurnError, usage: Option<Usage>, out: &mut Vec<Effect>) {
        self.fail_with(at, StopReason::Error, error, usage, out);
    }

    pub(super) fn fail_with(
        &mut self,
        at: i64,
        stop_reason: StopReason,
        error: TurnError,
        usage: Option<Usage>,
        out: &mut Vec<Effect>,
    ) {
        let ending = Ending { stop_reason, error: Some(error), content: None };
        self.end_cut(at, ending.clone(), usage, out);
        out.push(Effect::Observe(Observation::AfterIteration));
        out.push(Effect::Observe(Observation::OnError));
        out.push(Effect::Observe(Observation::AfterRun));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }

    /// A hook whose errors end the run failed.
    pub(super) fn hook_failed(&mut self, at: i64, detail: String, usage: Option<Usage>, out: &mut Vec<Effect>) {
        let error = TurnError { code: "hook_failed".to_owned(), detail };
        let ending = Ending { stop_reason: StopReason::Error, error: Some(error), content: None };
        self.end_cut(at, ending.clone(), usage, out);
        out.push(Effect::Observe(Observation::OnError));
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }

    /// What people are told of a hook that failed without ending the run. The driver stores it at once: it uses a number of
    /// the turn's output, and stands in no step.
    pub fn hook_notice(&mut self, fault: &HookFault) -> EventBody {
        let stream_id = self.mint_stream();
        let (hook, method) = (&fault.hook, fault.method.name());
        let text = format!("The hook {hook} failed at {method}: {}.", fault.error.0.trim_end_matches('.'));
        let data = Some(serde_json::json!({ "hook": hook, "method": method }));
        EventBody::Notice {
            stream_id,
            code: "hook_failed".to_owned(),
            text: text::ellipsis(&text, MAX_NOTICE_CHARS),
            data,
        }
    }

    /// Somebody pressed Stop: what was done is kept.
    pub(super) fn stop(&mut self, at: i64, usage: Option<Usage>, out: &mut Vec<Effect>) {
        let ending = Ending { stop_reason: StopReason::Cancelled, error: None, content: None };
        self.end_cut(at, ending.clone(), usage, out);
        out.push(Effect::Observe(Observation::OnFinally));
        out.push(Effect::Finish(ending));
    }

    /// Closes segments, keeps the text of a cut request and settles calls; one durable step.
    pub(super) fn end_cut(&mut self, at: i64, ending: Ending, usage: Option<Usage>, out: &mut Vec<Effect>) {
        self.show_kept(at, out);
        out.extend(self.close_segment(at, false).map(Effect::Emit));
        let usage = match &self.state.phase {
            // The request was whole, only its answer did not become final.
            Phase::Finalizing(answer) => Some(answer.usage),
            Phase::Building
            | Phase::Requesting
            | Phase::Waiting
            | Phase::ExecutingTools(_)
            | Phase::Draining
            | Phase::AwaitingBudget(_)
            | Phase::Parked
            | Phase::Done(_) => usage,
        };
        if let Some(usage) = usage.filter(|usage| usage.input_tokens + usage.output_tokens > 0) {
            self.count(usage, out);
        }
        let (mut writes, mut events) = (Vec::new(), Vec::new());
        match &self.state.phase {
            Phase::ExecutingTools(_) => {
                (writes, events) = self.abandon_batch(
                    at,
                    (CallStatus::Cancelled, "the turn was stopped while this ran"),
                    (CallStatus::Cancelled, "the turn was stopped before this began"),
                );
            }
            Phase::Building
            | Phase::Requesting
            | Phase::Waiting
            | Phase::Draining
            | Phase::Finalizing(_)
            | Phase::Parked
            | Phase::Done(_) => writes.extend(self.kept_text()),
            Phase::AwaitingBudget(pause) => {
                events.push(EventBody::ApprovalResolved {
                    stream_id: pause.stream_id.clone(),
                    kind: ApprovalKind::Budget,
                    call_id: None,
                    answered: cancelled(&pause.pending),
                });
                writes.extend(self.kept_text());
            }
        }
        if ending.stop_reason == StopReason::Cancelled && writes.is_empty() {
            // Nothing else tells the model later that this request was not answered.
            events.push(self.notice("stopped", "Stopped before there was an answer."));
        }
        self.state.segments = Segments::default();
        self.state.phase = Phase::Done(ending);
        out.push(self.persist(writes, events));
    }

    /// The visible text of a request that was cut, as a row.
    pub(super) fn kept_text(&self) -> Option<Write> {
        let text = format!("{}{}", self.state.cut.text, self.state.segments.text);
        if text.trim().is_empty() {
            return None;
        }
        let message = Message { role: Role::Assistant, blocks: vec![Block::Text { text }] };
        Some(Write::Row { message, interrupted: true, answer: false })
    }

    pub(super) fn notice(&mut self, code: &str, text: &str) -> EventBody {
        let stream_id = self.mint_stream();
        EventBody::Notice { stream_id, code: code.to_owned(), text: text.to_owned(), data: None }
    }
}
