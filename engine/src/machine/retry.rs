//! A failed request: made again, handed to another model, or the end of the turn.

use super::{Effect, Phase, TurnMachine};
use crate::event::{EventBody, TurnError};
use crate::govern::Step;
use crate::model::{ModelError, ModelErrorKind};
use crate::retry::{Failed, Verdict};
use crate::usage::Usage;

impl TurnMachine {
    /// An attempt failed: what it showed is taken back before the next one, so that two answers are never glued together.
    pub(super) fn attempt_failed(
        &mut self,
        at: i64,
        error: &ModelError,
        usage: Usage,
        dice: f64,
        out: &mut Vec<Effect>,
    ) {
        let can_shrink = error.should_retry != Some(false);
        let failed = Failed { error, at, dice, can_be_plainer: self.can_be_plainer, can_shrink };
        let verdict = self.limits.retry.decide(&self.state.retry, &self.candidates, failed);
        if verdict == Verdict::GiveUp {
            let detail = match error.kind {
                ModelErrorKind::Truncated => format!("{} What arrived is kept; use Retry to ask again.", error.detail),
                _ => error.detail.clone(),
            };
            let error = TurnError { code: error.kind.code().to_owned(), detail };
            return self.fail(at, error, Some(usage), out);
        }
        if usage.input_tokens + usage.output_tokens > 0 {
            self.count(usage, out);
        }
        self.state.retry.failed_at.get_or_insert(at);
        let (code, reason) = (error.kind.code(), error.detail.as_str());
        match verdict {
            Verdict::Again { delay_ms } => self.wait(delay_ms, code, reason, out),
            Verdict::FromTheTop { delay_ms } => {
                self.state.retry.next_candidate = Some(0);
                self.wait(delay_ms, code, reason, out);
            }
            Verdict::Plainer => {
                self.state.retry.plain = true;
                self.wait(0, code, reason, out);
            }
            Verdict::Shrink => {
                self.state.retry.shrunk = true;
                self.state.retry.force = Some(Step::Microcompact);
                self.wait(0, code, reason, out);
            }
            Verdict::Switch { candidate } => self.switch(candidate, code, reason, out),
            Verdict::GiveUp => {}
        }
    }

    /// The candidate after the present one.
    pub(super) fn next_candidate(&self) -> Option<usize> {
        let next = self.state.retry.candidate + 1;
        (next < self.candidates.len()).then_some(next)
    }

    fn wait(&mut self, delay_ms: u64, code: &str, reason: &str, out: &mut Vec<Effect>) {
        let mut events = self.take_back();
        let attempt = match self.state.retry.next_candidate {
            Some(_) => 1,
            None => self.state.retry.attempts + 1,
        };
        events.push(EventBody::RetryWait {
            stream_id: self.mint_stream(),
            attempt,
            max_attempts: self.limits.retry.max_attempts(self.candidates.len()),
            delay_ms,
            code: code.to_owned(),
            reason: reason.to_owned(),
        });
        self.state.phase = Phase::Waiting;
        // Stored before it is shown, so that after a crash no other stretch of output gets its number.
        out.push(self.persist(Vec::new(), events));
        out.push(Effect::Wait { delay_ms });
    }

    /// The wait is over: the request is built anew, since hooks may change it and the next model may have another window.
    pub(super) fn waited(&mut self, out: &mut Vec<Effect>) {
        if !matches!(self.state.phase, Phase::Waiting) {
            return;
        }
        if let Some(candidate) = self.state.retry.next_candidate.take() {
            self.state.retry.move_to(candidate);
        }
        self.state.phase = Phase::Building;
        out.push(Effect::BuildRequest { closing: self.state.closing });
    }

    /// Hands the request to another candidate, which keeps the turn.
    pub(super) fn switch(&mut self, candidate: usize, code: &str, reason: &str, out: &mut Vec<Effect>) {
        let name = |at: usize| self.candidates.get(at).cloned();
        let (Some(from), Some(to)) = (name(self.state.retry.candidate), name(candidate)) else { return };
        let mut events = self.take_back();
        events.push(EventBody::ModelSwitched {
            stream_id: self.mint_stream(),
            from: from.preset,
            to: to.preset,
            model: to.model,
            code: code.to_owned(),
            reason: reason.to_owned(),
        });
        self.state.retry.move_to(candidate);
        self.state.blank_retries = 0;
        self.state.phase = Phase::Building;
        out.push(self.persist(Vec::new(), events));
        out.push(Effect::BuildRequest { closing: self.state.closing });
    }

    /// Takes back what the failed attempt showed; its longest text is kept for the case that nothing better comes.
    fn take_back(&mut self) -> Vec<EventBody> {
        let segments = std::mem::take(&mut self.state.segments);
        if segments.text.trim().len() > self.state.retry.kept.trim().len() {
            self.state.retry.kept = segments.text;
        }
        let reason = "the request is made again";
        let discard = |stream_id| EventBody::StreamDiscarded { stream_id, reason: reason.to_owned() };
        segments.shown.into_iter().map(discard).collect()
    }

    /// The turn ends without an answer: the longest text that was taken back is shown again, if the last attempt gave none.
    pub(super) fn show_kept(&mut self, at: i64, out: &mut Vec<Effect>) {
        let kept = std::mem::take(&mut self.state.retry.kept);
        let during_request = matches!(self.state.phase, Phase::Building | Phase::Requesting | Phase::Waiting);
        if during_request && !kept.trim().is_empty() && self.state.segments.text.trim().is_empty() {
            let events = self.text(at, kept);
            out.extend(events.into_iter().flatten().map(Effect::Emit));
        }
    }
}
