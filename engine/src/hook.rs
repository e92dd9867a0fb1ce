//! Hooks: the seam that everything grows on. Eighteen methods around the life of a run.

mod composite;
mod context;

pub use composite::{CompositeHook, HookFault, Isolation, Plain};
pub use context::{
    Ask, Asked, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, ProviderToolEvent,
    RunContext, RunEnd,
};

use std::time::Duration;

use async_trait::async_trait;

use crate::tool::ToolOutcome;

/// A component that takes part in runs.
///
/// All methods do nothing unless overridden; [`AgentHook::methods`] names the ones that are, so that the rest cost nothing.
/// Text is normalised before hooks see it: inline think tags arrive as reasoning, never in `on_stream`.
#[async_trait]
pub trait AgentHook: Send + Sync {
    /// Name in logs and messages.
    fn name(&self) -> &str;

    /// The methods this hook implements. Others are never called.
    fn methods(&self) -> HookMethods;

    /// True: an error of this hook ends the run. False: it is logged with the hook's name and the run goes on.
    fn reraise(&self) -> bool {
        false
    }

    /// The longest that one call of `method` may take, when the hook has a limit of its own; `None` leaves it to its caller.
    fn limit(&self, _method: HookMethod) -> Option<Duration> {
        None
    }

    /// True: an error of [`AgentHook::finalize`] is handled like that of any other method, and the text stays as it was.
    /// False: it ends the run.
    fn isolates_content(&self) -> bool {
        false
    }

    /// True: [`AgentHook::before_execute_tool`] neither waits nor touches anything outside, so that the step before it need not be
    /// stored first.
    fn decides_at_once(&self) -> bool {
        false
    }

    /// Asked before each request: does anyone read the stream as it comes?
    fn wants_streaming(&self) -> bool {
        false
    }

    /// Once, before the first iteration.
    async fn before_run(&self, _run: &RunContext) -> Result<(), HookError> {
        Ok(())
    }

    /// Once, when the run has a result, also one that carries an error. Not on cancellation.
    async fn after_run(&self, _run: &RunContext, _end: &RunEnd) -> Result<(), HookError> {
        Ok(())
    }

    /// When the result carries an error, or the run failed. Not on cancellation.
    async fn on_error(&self, _run: &RunContext, _end: &RunEnd) -> Result<(), HookError> {
        Ok(())
    }

    /// Always, last, on every outcome.
    async fn on_finally(&self, _run: &RunContext, _end: &RunEnd) -> Result<(), HookError> {
        Ok(())
    }

    /// Before the request of an iteration is built.
    async fn before_iteration(&self, _iteration: &IterationContext) -> Result<(), HookError> {
        Ok(())
    }

    /// Once an iteration, on every exit path.
    async fn after_iteration(&self, _iteration: &IterationContext) -> Result<(), HookError> {
        Ok(())
    }

    /// The governed request is ready. What is injected through the context is governed again.
    async fn before_request(&self, _iteration: &mut IterationContext) -> Result<(), HookError> {
        Ok(())
    }

    /// A piece of visible text.
    async fn on_stream(&self, _iteration: &IterationContext, _delta: &str) -> Result<(), HookError> {
        Ok(())
    }

    /// A text segment ended; `resuming` when the turn goes on after it.
    async fn on_stream_end(&self, _iteration: &IterationContext, _resuming: bool) -> Result<(), HookError> {
        Ok(())
    }

    /// A piece of reasoning, native or from inline tags.
    async fn emit_reasoning(&self, _iteration: &IterationContext, _delta: &str) -> Result<(), HookError> {
        Ok(())
    }

    /// A reasoning segment ended.
    async fn emit_reasoning_end(&self, _iteration: &IterationContext) -> Result<(), HookError> {
        Ok(())
    }

    /// Life of a tool that the provider runs itself.
    async fn on_provider_tool_event(
        &self,
        _iteration: &IterationContext,
        _event: &ProviderToolEvent,
    ) -> Result<(), HookError> {
        Ok(())
    }

    /// Once, before the calls of an iteration.
    async fn before_execute_tools(&self, _iteration: &IterationContext) -> Result<(), HookError> {
        Ok(())
    }

    /// Each call, after its arguments were checked. Decides what happens to it.
    async fn before_execute_tool(&self, _call: &CallContext) -> Result<Decision, HookError> {
        Ok(Decision::Proceed)
    }

    /// A call succeeded; at once, not when the batch ends.
    async fn after_execute_tool(&self, _call: &CallContext, _outcome: &ToolOutcome) -> Result<(), HookError> {
        Ok(())
    }

    /// A call failed.
    async fn on_execute_tool_error(&self, _call: &CallContext, _outcome: &ToolOutcome) -> Result<(), HookError> {
        Ok(())
    }

    /// Changes the final text. A pipeline: each hook gets what the one before it gave, and an error ends the run.
    fn finalize_content(&self, _iteration: &IterationContext, content: String) -> Result<String, HookError> {
        Ok(content)
    }

    /// As [`AgentHook::finalize_content`], for hooks that have to wait for something; a run calls this one.
    async fn finalize(&self, iteration: &IterationContext, content: String) -> Result<String, HookError> {
        self.finalize_content(iteration, content)
    }
}
