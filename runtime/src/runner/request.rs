//! From rows to a request, and from a reply to its tokens.

use nanobot_engine::govern::{
    ContextGovernance, GovernError, Governed, Surroundings, answer_limit, estimate_message, estimate_text,
};
use nanobot_engine::hook::{AgentHook, Asked, HookMethod};
use nanobot_engine::machine::{Input, OverBudget};
use nanobot_engine::message::{Block, Message, Role};
use nanobot_engine::model::{Media, ModelError, ModelErrorKind, ModelRequest, Reply, StreamEnd, ToolChoice};
use nanobot_engine::usage::Usage;

use super::execute::stoppable;
use super::{AgentRunner, Answerer, Halt};
use crate::budget::Wanted;
use crate::config::BudgetConfig;
use crate::models::ModelHandle;
use crate::recipe::{self, Recipe, behind_the_rows, hash_of};

impl AgentRunner {
    pub(super) async fn build_request(&mut self, closing: bool) -> Result<(), Halt> {
        self.streaming_hooks = self.ctx.hooks.wants_streaming();
        self.answer_over = false;
        let Some(Answerer { model, governance }) = self.answerer().cloned() else {
            self.no_request();
            return Ok(());
        };
        self.iteration.injected.clear();
        let (provider, name) = (model.preset.provider_name.clone(), model.preset.model.clone());
        self.iteration.asked = Some(Asked { provider, model: name });
        let mut extra = behind_the_rows(self.machine.state());
        let key = model.key();
        let retry = &self.machine.state().retry;
        let (force, plain) = (retry.force, retry.plain);
        let base = Surroundings {
            fixed: self.fixed,
            calibration: self.ctx.calibrations.of(&key),
            force,
            ..Surroundings::default()
        };
        let mut governed = self.govern(&governance, &base, &extra);
        let mut from_hooks = 0;
        if self.ctx.hooks.implements(HookMethod::BeforeRequest) {
            match stoppable(&self.ctx, self.ctx.hooks.before_request(&mut self.iteration)).await? {
                None => {
                    self.stop_now();
                    return Ok(());
                }
                Some(Err(error)) => {
                    self.step(Input::HookFailed { detail: error.0, usage: None });
                    return Ok(());
                }
                Some(Ok(())) => {}
            }
            if !self.iteration.injected.is_empty() {
                from_hooks = self.iteration.injected.len();
                extra.extend(self.iteration.injected.iter().cloned());
                governed = self.govern(&governance, &base, &extra);
            }
        }
        let budget_tokens = governance.budget.input_tokens();
        let governed = match governed {
            Ok(governed) if force.is_none() || !governed.steps.is_empty() => governed,
            Ok(_) => return self.cannot_ask("nothing of the conversation can be shortened any more"),
            Err(error) => return self.cannot_ask(&error.to_string()),
        };
        (self.request_tokens, self.raw_tokens) = (governed.tokens, governed.raw_tokens);
        let window_tokens = governance.budget.window_tokens;
        let max_tokens = answer_limit(window_tokens, governed.tokens, model.preset.max_tokens);
        let Some(max_tokens) = self.reserve(&model, governed.tokens, max_tokens).await? else { return Ok(()) };
        let request = ModelRequest {
            model: model.preset.model.clone(),
            system: self.ctx.system.clone(),
            messages: governed.messages,
            tools: std::sync::Arc::clone(&self.ctx.specs),
            tool_choice: if closing { ToolChoice::None } else { ToolChoice::Auto },
            max_tokens,
            temperature: model.preset.temperature,
            reasoning_effort: model.preset.reasoning_effort.clone(),
            media: Media::default(),
            plain,
        };
        let can_be_plainer = request.can_be_plainer();
        let decisions = self.journal.decisions(&self.machine.state().decisions);
        let (system, tools) = self.journal.hashes();
        self.journal.made_by(Recipe {
            hash: hash_of(&request, system, tools),
            system: system.to_owned(),
            tools: tools.to_owned(),
            decisions,
            leaf: self.last_row(),
            candidate: self.machine.state().retry.candidate,
            model: request.model.clone(),
            budget: governance.budget,
            calibration: base.calibration,
            force,
            extra,
            from_hooks,
            tool_choice: request.tool_choice,
            max_tokens,
            temperature: request.temperature,
            reasoning_effort: request.reasoning_effort.clone(),
            plain,
            steps: governed.steps.clone(),
            estimated_tokens: governed.tokens,
            messages: request.messages.len(),
        });
        self.request = Some(request);
        let decisions = Box::new(governed.decisions);
        self.step(Input::RequestReady { steps: governed.steps, budget_tokens, decisions, can_be_plainer });
        Ok(())
    }

    /// Makes room in the budgets; `None` when there is none and a person is asked.
    async fn reserve(&mut self, model: &ModelHandle, input_tokens: u64, max_tokens: u64) -> Result<Option<u64>, Halt> {
        self.reservation = None;
        if self.ctx.config.current().budget == BudgetConfig::default() {
            return Ok(Some(max_tokens));
        }
        loop {
            let wanted = Wanted {
                session_id: self.ctx.session_id,
                turn_id: self.ctx.turn_id,
                input_tokens,
                max_tokens,
                price: model.preset.price,
                worked_ms: self.work.charge(self.clock.now()),
            };
            let config = self.ctx.config.current();
            let news = self.budget_news();
            let zone = &config.agent.timezone;
            let outcome = self.ctx.budgets.reserve(&self.ctx.store, &config.budget, self.now(), zone, wanted).await?;
            match outcome {
                Ok(reservation) => {
                    let max_tokens = reservation.max_tokens;
                    self.reservation = Some(reservation);
                    return Ok(Some(max_tokens));
                }
                // Others hold what is left, and will hardly use all of it: nobody has to be asked yet.
                Err(exceeded) if exceeded.waits_for_others() => {
                    if self.unless_stopped(news).await?.is_none() {
                        return Ok(None);
                    }
                }
                Err(exceeded) => {
                    let (reason, arguments) = (exceeded.to_string(), exceeded.arguments());
                    let over = OverBudget { reason, arguments, asking: self.asking(None) };
                    self.step(Input::OverBudget(Box::new(over)));
                    return Ok(None);
                }
            }
        }
    }

    fn govern(
        &self,
        governance: &ContextGovernance,
        base: &Surroundings<'_>,
        injected: &[Message],
    ) -> Result<Governed, GovernError> {
        let decisions = &self.machine.state().decisions;
        recipe::govern(governance, &self.rows, decisions, base, injected)
    }

    /// The conversation cannot be made to fit; the machine may know a model with a larger window.
    fn cannot_ask(&mut self, why: &str) -> Result<(), Halt> {
        let error = ModelError::new(ModelErrorKind::ContextLength, why);
        self.refused = Some(ModelError { should_retry: Some(false), ..error });
        self.no_request();
        Ok(())
    }

    fn no_request(&mut self) {
        let decisions = Box::new(self.machine.state().decisions.clone());
        self.step(Input::RequestReady { steps: Vec::new(), budget_tokens: 0, decisions, can_be_plainer: false });
    }

    /// Who is asked at present; `None` when there is no model at all.
    pub(super) fn answerer(&self) -> Option<&Answerer> {
        self.ctx.models.as_ref().ok()?.get(self.machine.state().retry.candidate)
    }

    /// Tokens of a request: what the provider reported, else our estimate, marked as such.
    pub(super) fn usage_of(&self, reply: &Reply) -> Usage {
        let failed = matches!(reply.end, StreamEnd::Error(_));
        let mut usage = match (reply.usage, failed) {
            (Some(usage), _) => {
                if let Some(Answerer { model, .. }) = self.answerer() {
                    self.ctx.calibrations.observe(&model.key(), self.raw_tokens, usage.input_tokens);
                }
                usage
            }
            (None, true) => return Usage::default(),
            (None, false) => {
                let answer = Message { role: Role::Assistant, blocks: reply.blocks.clone() };
                let calls = answer.blocks.iter().any(|block| matches!(block, Block::Call(_)));
                let output_tokens = if calls { estimate_message(&answer) } else { estimate_text(&answer.text()) };
                Usage { input_tokens: self.request_tokens, output_tokens, estimated: true, ..Usage::default() }
            }
        };
        if let Some(Answerer { model, .. }) = self.answerer() {
            model.complete(&mut usage);
        }
        usage
    }
}
