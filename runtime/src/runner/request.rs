//! From rows to a request, and from a reply to its tokens.

use nanobot_engine::govern::{estimate_message, estimate_text};
use nanobot_engine::hook::{AgentHook, HookMethod};
use nanobot_engine::machine::Input;
use nanobot_engine::message::{Block, Message, Role};
use nanobot_engine::model::{ModelError, ModelRequest, Reply, StreamEnd};
use nanobot_engine::usage::Usage;

use super::{AgentRunner, Halt};

/// What the model reads when it has to close without tools.
const CLOSING: &str = "The limit of steps for this request is reached. Do not call tools. Say what was done, what was \
                       found, and what remains, without claiming that it is finished if it is not.";

impl AgentRunner {
    pub(super) async fn build_request(&mut self, closing: bool) -> Result<(), Halt> {
        let budget_tokens = self.ctx.governance.budget.input_tokens;
        self.streaming_hooks = self.ctx.hooks.wants_streaming();
        let Ok(model) = self.ctx.model.clone() else {
            self.step(Input::RequestReady { steps: Vec::new(), budget_tokens });
            return Ok(());
        };
        self.iteration.injected.clear();
        let closing_note = closing.then(|| Message::user(CLOSING));
        let mut extra: Vec<Message> = closing_note.iter().cloned().collect();
        let mut governed = self.ctx.governance.govern(self.rows.iter().map(AsRef::as_ref), &extra);
        if self.ctx.hooks.implements(HookMethod::BeforeRequest) {
            let stop = self.ctx.stop.clone();
            let park = self.ctx.park.clone();
            let outcome = tokio::select! {
                biased;
                () = park.cancelled() => return Err(Halt::Park),
                () = stop.cancelled() => None,
                outcome = self.ctx.hooks.before_request(&mut self.iteration) => Some(outcome),
            };
            match outcome {
                None => {
                    self.stop_now();
                    return Ok(());
                }
                Some(Err(error)) => {
                    self.step(Input::HookFailed(error.0));
                    return Ok(());
                }
                Some(Ok(())) => {}
            }
            if !self.iteration.injected.is_empty() {
                extra.extend(self.iteration.injected.iter().cloned());
                governed = self.ctx.governance.govern(self.rows.iter().map(AsRef::as_ref), &extra);
            }
        }
        let tools = if closing { Vec::new().into() } else { std::sync::Arc::clone(&self.ctx.specs) };
        self.request_tokens = governed.tokens + estimate_text(&self.ctx.system);
        self.request = Some(ModelRequest {
            model: model.preset.model.clone(),
            system: self.ctx.system.clone(),
            messages: governed.messages,
            tools,
            max_tokens: model.preset.max_tokens,
            temperature: model.preset.temperature,
            reasoning_effort: model.preset.reasoning_effort.clone(),
        });
        self.step(Input::RequestReady { steps: governed.steps, budget_tokens });
        Ok(())
    }

    pub(super) async fn ask_model(&mut self) -> Result<(), Halt> {
        let (model, request) = match (self.ctx.model.clone(), self.request.take()) {
            (Ok(model), Some(request)) => (model, request),
            (Err(error), _) => {
                self.model_failed(error);
                return Ok(());
            }
            (Ok(_), None) => return Ok(()),
        };
        let provider = model.provider;
        if let Some(stream) = self.unless_stopped(async move { provider.start(request).await }).await? {
            self.stream = Some(stream);
        }
        Ok(())
    }

    fn model_failed(&mut self, error: ModelError) {
        let reply = Reply { end: StreamEnd::Error(error), blocks: Vec::new(), usage: None };
        self.step(Input::ReplyEnded { reply: Box::new(reply), usage: Usage::default() });
    }

    /// Tokens of a request: what the provider reported, else our estimate, marked as such.
    pub(super) fn usage_of(&self, reply: &Reply) -> Usage {
        let failed = matches!(reply.end, StreamEnd::Error(_));
        let mut usage = match (reply.usage, failed) {
            (Some(usage), _) => usage,
            (None, true) => return Usage::default(),
            (None, false) => {
                let answer = Message { role: Role::Assistant, blocks: reply.blocks.clone() };
                let calls = answer.blocks.iter().any(|block| matches!(block, Block::Call(_)));
                let output_tokens = if calls { estimate_message(&answer) } else { estimate_text(&answer.text()) };
                Usage { input_tokens: self.request_tokens, output_tokens, estimated: true, ..Usage::default() }
            }
        };
        if let Ok(model) = &self.ctx.model {
            model.complete(&mut usage);
        }
        usage
    }
}
