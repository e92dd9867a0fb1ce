//! One attempt: a request over the wire, what came of it, and the wait before the next one. Which attempt follows is the machine's
//! decision; this is where the clock, the dice and the breakers are.

use std::time::Duration;

use nanobot_engine::machine::{Input, Phase};
use nanobot_engine::model::{ModelError, ModelErrorKind, Reply, StreamEnd, StreamItem};
use nanobot_engine::usage::Usage;
use nanobot_store::{ModelRequestRecord, Op};
use uuid::Uuid;

use super::{AgentRunner, Answerer, Halt};
use crate::clock::Clock;

/// Bytes of text that are about one token.
const BYTES_PER_TOKEN: usize = 4;

/// The present attempt. Times are UTC milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempt {
    iteration: u32,
    /// Place within the iteration, from 1.
    number: u32,
    started_at: i64,
    first_output_at: Option<i64>,
    output_bytes: usize,
    /// It was sent, and nothing is on record yet.
    open: bool,
}

impl Attempt {
    fn next(self, iteration: u32, at: i64) -> Self {
        let number = if self.iteration == iteration { self.number + 1 } else { 1 };
        Self { iteration, number, started_at: at, first_output_at: None, output_bytes: 0, open: true }
    }

    /// A piece of the answer is here.
    pub(super) fn saw(&mut self, item: &StreamItem, clock: &dyn Clock) {
        match item {
            StreamItem::Reasoning(text) | StreamItem::Text(text) => self.output_bytes += text.len(),
            StreamItem::ProviderTool(_) => {}
            StreamItem::End(_) => return,
        }
        if self.first_output_at.is_none() {
            self.first_output_at = Some(clock.now());
        }
    }
}

impl AgentRunner {
    pub(super) async fn ask_model(&mut self) -> Result<(), Halt> {
        if let Err(error) = &self.ctx.models {
            let error = error.clone();
            self.model_failed(error);
            return Ok(());
        }
        if let Some(error) = self.refused.take() {
            self.model_failed(error);
            return Ok(());
        }
        let (Some(answerer), Some(request)) = (self.answerer().cloned(), self.request.take()) else { return Ok(()) };
        if let Some(error) = self.left_alone(&answerer) {
            self.model_failed(error);
            return Ok(());
        }
        self.attempt = self.attempt.next(self.machine.state().iteration, self.now());
        self.journal.sent();
        let provider = answerer.model.provider;
        if let Some(stream) = self.unless_stopped(async move { provider.start(request).await }).await? {
            self.stream = Some(stream);
        }
        Ok(())
    }

    /// Why this model is not asked now: it failed again and again, and there is another one. Asked only before a first attempt.
    fn left_alone(&self, answerer: &Answerer) -> Option<ModelError> {
        let alternatives = self.ctx.models.as_ref().is_ok_and(|models| models.len() > 1);
        if !alternatives || self.machine.state().retry.attempts > 1 {
            return None;
        }
        let wait_ms = self.ctx.breakers.wait_ms(&answerer.model.key(), self.clock.as_ref())?;
        let detail = format!(
            "{} failed again and again and is left alone for another {} s",
            answerer.model.preset.name,
            wait_ms.div_ceil(1_000)
        );
        Some(ModelError::new(ModelErrorKind::CircuitOpen, detail).after(Some(wait_ms)))
    }

    pub(super) fn model_failed(&mut self, error: ModelError) {
        let reply = Reply { end: StreamEnd::Error(error), blocks: Vec::new(), usage: None };
        self.reply_ended(Box::new(reply), Usage::default());
    }

    /// Hands an answer or a failure to the machine and tells the breaker how it went.
    pub(super) fn reply_ended(&mut self, reply: Box<Reply>, usage: Usage) {
        let answerer = self.answerer().cloned();
        let failed = match &reply.end {
            StreamEnd::Error(error) => Some(error.kind),
            StreamEnd::Truncated => Some(ModelErrorKind::Truncated),
            StreamEnd::Complete | StreamEnd::Length | StreamEnd::Empty | StreamEnd::Paused => None,
        };
        let outcome = match &reply.end {
            StreamEnd::Complete => "complete",
            StreamEnd::Length => "length",
            StreamEnd::Truncated => "truncated",
            StreamEnd::Empty => "empty",
            StreamEnd::Paused => "paused",
            StreamEnd::Error(error) => error.kind.code(),
        };
        if failed == Some(ModelErrorKind::ContextLength)
            && self.attempt.open
            && let Some(Answerer { model, governance }) = &answerer
        {
            let window_tokens = governance.budget.window_tokens;
            self.ctx.calibrations.exceeded(&model.key(), self.raw_tokens, window_tokens);
        }
        self.iteration.outcome = Some(outcome);
        self.iteration.usage = (usage != Usage::default()).then_some(usage);
        self.record_attempt(outcome, failed.is_none(), usage);
        let candidate = self.machine.state().retry.candidate;
        self.step(Input::ReplyEnded { reply, usage, dice: (self.ctx.dice)() });
        let Some(Answerer { model, .. }) = answerer else { return };
        let state = self.machine.state();
        let given_up = state.retry.candidate != candidate
            || state.retry.next_candidate.is_some()
            || matches!(state.phase, Phase::Done(_));
        match failed {
            None => self.ctx.breakers.succeeded(&model.key()),
            Some(kind) if given_up && is_the_providers(kind) => {
                self.ctx.breakers.failed(&model.key(), self.clock.as_ref());
            }
            Some(_) => {}
        }
    }

    /// The turn ends while an answer is on its way: the provider bills what it has done, so our estimate of it is put on record.
    pub(super) fn attempt_stopped(&mut self) -> Option<Usage> {
        if !self.attempt.open {
            return None;
        }
        let output_tokens = u64::try_from(self.attempt.output_bytes.div_ceil(BYTES_PER_TOKEN)).unwrap_or(0);
        let mut usage = Usage { input_tokens: self.request_tokens, output_tokens, estimated: true, ..Usage::default() };
        if let Some(Answerer { model, .. }) = self.answerer() {
            model.complete(&mut usage);
        }
        self.record_attempt("cancelled", true, usage);
        Some(usage)
    }

    /// Puts the present attempt on record, with the next durable step.
    fn record_attempt(&mut self, outcome: &str, ok: bool, usage: Usage) {
        if let Some(reservation) = self.reservation.take() {
            reservation.settle(&usage, self.work.charge(self.clock.now()));
        }
        if !std::mem::take(&mut self.attempt.open) {
            return;
        }
        let Some(Answerer { model, .. }) = self.answerer() else { return };
        let attempt = self.attempt;
        let since = |at: i64| u64::try_from(at.saturating_sub(attempt.started_at)).unwrap_or(0);
        let record = ModelRequestRecord {
            id: Uuid::now_v7(),
            session_id: self.ctx.session_id,
            turn_id: self.ctx.turn_id,
            preset: model.preset.name.clone(),
            provider: model.preset.provider_name.clone(),
            model: model.preset.model.clone(),
            iteration: attempt.iteration,
            attempt: attempt.number,
            started_at: attempt.started_at,
            duration_ms: since(self.now()),
            first_output_ms: attempt.first_output_at.map(since),
            input_tokens: usage.input_tokens,
            cached_tokens: usage.cached_tokens,
            output_tokens: usage.output_tokens,
            cost_usd: usage.cost_usd,
            estimated: usage.estimated,
            outcome: outcome.to_owned(),
            ok,
            worked_ms: self.work.record(self.clock.now()),
        };
        self.journal.recorded(record.id);
        self.deferred.push(Op::ModelRequest(Box::new(record)));
    }

    pub(super) async fn wait_before_attempt(&mut self, delay_ms: u64) -> Result<(), Halt> {
        let wait = tokio::time::sleep(Duration::from_millis(delay_ms));
        if self.unless_stopped(wait).await?.is_some() {
            self.step(Input::Waited);
        }
        Ok(())
    }
}

/// Does the failure say something of the provider, and not of the conversation or of a model that was not even asked?
fn is_the_providers(kind: ModelErrorKind) -> bool {
    match kind {
        ModelErrorKind::Auth
        | ModelErrorKind::RateLimit
        | ModelErrorKind::Quota
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Timeout
        | ModelErrorKind::BadResponse
        | ModelErrorKind::NotFound
        | ModelErrorKind::Truncated => true,
        ModelErrorKind::NoModel
        | ModelErrorKind::RefusedRequest
        | ModelErrorKind::Refusal
        | ModelErrorKind::ContextLength
        | ModelErrorKind::CircuitOpen => false,
    }
}
