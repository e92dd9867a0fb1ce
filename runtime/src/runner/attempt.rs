//! One attempt: a request over the wire, what came of it, and the wait before the next one. Which attempt follows is the machine's
//! decision; this is where the clock, the dice and the breakers are.

use std::time::Duration;

use nanobot_engine::machine::{Input, Phase};
use nanobot_engine::model::{ModelError, ModelErrorKind, Reply, StreamEnd};
use nanobot_engine::usage::Usage;

use super::{AgentRunner, Answerer, Halt};
use crate::clock::Clock;

/// Times of the present attempt, UTC milliseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Attempt {
    started_at: i64,
    first_output_at: Option<i64>,
}

impl Attempt {
    /// The first piece of an answer is here.
    pub(super) fn saw_output(&mut self, clock: &dyn Clock) {
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
        let (Some(answerer), Some(request)) = (self.answerer().cloned(), self.request.take()) else { return Ok(()) };
        if let Some(error) = self.left_alone(&answerer) {
            self.model_failed(error);
            return Ok(());
        }
        self.attempt = Attempt { started_at: self.now(), first_output_at: None };
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
        let candidate = self.machine.state().retry.candidate;
        self.step(Input::ReplyEnded { reply, usage, dice: fastrand::f64() });
        let Some(Answerer { model, .. }) = answerer else { return };
        let state = self.machine.state();
        let given_up = state.retry.candidate != candidate || matches!(state.phase, Phase::Done(_));
        match failed {
            None => self.ctx.breakers.succeeded(&model.key()),
            Some(kind) if given_up && is_the_providers(kind) => {
                self.ctx.breakers.failed(&model.key(), self.clock.as_ref());
            }
            Some(_) => {}
        }
    }

    /// Stop came while an answer was on its way.
    pub(super) fn attempt_stopped(&mut self) {}

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
