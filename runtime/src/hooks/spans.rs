//! Spans of a run for whoever collects traces: `invoke_agent`, and within it `chat` and `execute_tool`.
//!
//! Names and attributes are those of OpenTelemetry's semantic conventions for generative AI; the name for a person is `otel.name`.
//! What is said stays out of them: no message, argument, result or text of an error, only codes, counts and ids.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use nanobot_engine::event::StopReason;
use nanobot_engine::hook::{
    AgentHook, Asked, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, RunContext, RunEnd,
};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::usage::Usage;
use serde_json::Value;
use tracing::field::{Empty, debug};
use tracing::{Level, Span};

/// The target to ask for, at debug level.
pub const SPAN_TARGET: &str = "nanobot::spans";

/// The spans of one run. Those that are open end with it at the latest.
pub(super) struct SpanHook(Mutex<Open>);

#[derive(Default)]
struct Open {
    run: Option<Span>,
    chat: Option<Chat>,
    calls: HashMap<String, Span>,
}

/// A request to a model, with the attempts that were made again to the same one.
struct Chat {
    span: Span,
    asked: Option<Asked>,
    attempts: u64,
}

impl SpanHook {
    /// A hook for the next run; `None` when nobody collects its spans.
    pub(super) fn if_wanted() -> Option<Self> {
        tracing::span_enabled!(target: SPAN_TARGET, Level::DEBUG).then(|| Self(Mutex::default()))
    }

    fn with(&self, change: impl FnOnce(&mut Open)) {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Open {
    fn begin_chat(&mut self, iteration: &IterationContext) {
        let asked = iteration.asked.clone();
        if let Some(chat) = self.chat.as_mut().filter(|chat| chat.asked == asked) {
            chat.attempts += 1;
            chat.span.record("nanobot.attempts", chat.attempts);
            let code = iteration.outcome.unwrap_or(OTHER);
            tracing::debug!(target: SPAN_TARGET, parent: &chat.span, { error.type = code }, "the request is made again");
            return;
        }
        self.end_chat(iteration.outcome, iteration.usage, "stop");
        let Asked { provider, model } = asked.clone().unwrap_or_default();
        let span = tracing::debug_span!(
            target: SPAN_TARGET,
            parent: self.run.as_ref().and_then(Span::id),
            "chat",
            otel.name = format!("chat {model}"),
            otel.kind = "client",
            otel.status_code = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = provider_name(&provider),
            gen_ai.request.model = model,
            gen_ai.conversation.id = %iteration.run.session_id,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            error.type = Empty,
            nanobot.turn.id = %iteration.run.turn_id,
            nanobot.iteration = iteration.iteration,
            nanobot.attempts = Empty,
        );
        self.chat = Some(Chat { span, asked, attempts: 1 });
    }

    /// Ends the request that is open. `whole` is the finish reason of a whole answer.
    fn end_chat(&mut self, outcome: Option<&str>, usage: Option<Usage>, whole: &str) {
        let Some(Chat { span, .. }) = self.chat.take() else { return };
        record_usage(&span, usage.unwrap_or_default());
        let reason = match outcome {
            Some("complete" | "empty") => whole,
            Some(reason @ ("length" | "paused")) => reason,
            Some(_) | None => {
                fail(&span, outcome.unwrap_or(OTHER));
                return;
            }
        };
        span.record("gen_ai.response.finish_reasons", debug([reason]));
    }

    fn end_call(&mut self, call: &CallContext, outcome: &ToolOutcome) {
        let Some(span) = self.calls.remove(&call.call.id) else { return };
        span.record("nanobot.tool.duration_ms", outcome.duration_ms);
        match outcome.status {
            CallStatus::Ok => {}
            CallStatus::Denied => fail(&span, "denied"),
            CallStatus::Cancelled => fail(&span, CANCELLED),
            CallStatus::Unknown => fail(&span, "unknown"),
            CallStatus::Error | CallStatus::Intended | CallStatus::Running | CallStatus::Waiting => {
                fail(&span, "error")
            }
        }
    }

    fn end(&mut self, end: &RunEnd) {
        let stopped = end.stop_reason == StopReason::Cancelled;
        let code = end.error.as_ref().map(|error| error.code.as_str()).or(stopped.then_some(CANCELLED));
        self.end_chat(code, None, "stop");
        for (_, span) in self.calls.drain() {
            fail(&span, code.unwrap_or(OTHER));
        }
        let Some(span) = self.run.take() else { return };
        record_usage(&span, end.usage);
        if let Ok(Value::String(reason)) = serde_json::to_value(end.stop_reason) {
            span.record("nanobot.stop_reason", reason);
        }
        if let Some(code) = code {
            fail(&span, code);
        }
    }
}

/// What the conventions say for an error without a name.
const OTHER: &str = "_OTHER";
/// Somebody pressed Stop; the only end without success that is no error.
const CANCELLED: &str = "cancelled";

fn fail(span: &Span, code: &str) {
    span.record("error.type", code);
    if code != CANCELLED {
        span.record("otel.status_code", "ERROR");
    }
}

fn record_usage(span: &Span, usage: Usage) {
    if usage.input_tokens > 0 || usage.output_tokens > 0 {
        span.record("gen_ai.usage.input_tokens", usage.input_tokens);
        span.record("gen_ai.usage.output_tokens", usage.output_tokens);
    }
    if usage.cached_tokens > 0 {
        span.record("gen_ai.usage.cache_read.input_tokens", usage.cached_tokens);
    }
}

/// The name that the conventions have for a provider; its configured name when they have none.
fn provider_name(configured: &str) -> &str {
    match configured {
        "azure" | "azure_openai" => "azure.ai.openai",
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "moonshot" => "moonshot_ai",
        "xai" => "x_ai",
        other => other,
    }
}

#[async_trait]
impl AgentHook for SpanHook {
    fn name(&self) -> &'static str {
        "spans"
    }

    fn methods(&self) -> HookMethods {
        HookMethods::of(&[
            HookMethod::BeforeRun,
            HookMethod::BeforeRequest,
            HookMethod::BeforeExecuteTools,
            HookMethod::BeforeExecuteTool,
            HookMethod::AfterExecuteTool,
            HookMethod::OnExecuteToolError,
            HookMethod::FinalizeContent,
            HookMethod::AfterIteration,
            HookMethod::OnFinally,
        ])
    }

    async fn before_run(&self, run: &RunContext) -> Result<(), HookError> {
        let span = tracing::debug_span!(
            target: SPAN_TARGET,
            parent: None,
            "invoke_agent",
            otel.name = "invoke_agent nanobot",
            otel.kind = "internal",
            otel.status_code = Empty,
            gen_ai.operation.name = "invoke_agent",
            gen_ai.agent.name = "nanobot",
            gen_ai.conversation.id = %run.session_id,
            gen_ai.request.model = run.model,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            error.type = Empty,
            nanobot.turn.id = %run.turn_id,
            nanobot.stop_reason = Empty,
        );
        self.with(|open| open.run = Some(span));
        Ok(())
    }

    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        self.with(|open| open.begin_chat(iteration));
        Ok(())
    }

    async fn before_execute_tools(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.with(|open| open.end_chat(iteration.outcome, iteration.usage, "tool_call"));
        Ok(())
    }

    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        self.with(|open| {
            let span = tracing::debug_span!(
                target: SPAN_TARGET,
                parent: open.run.as_ref().and_then(Span::id),
                "execute_tool",
                otel.name = format!("execute_tool {}", call.call.name),
                otel.kind = "internal",
                otel.status_code = Empty,
                gen_ai.operation.name = "execute_tool",
                gen_ai.conversation.id = %call.run.session_id,
                gen_ai.tool.name = call.call.name,
                gen_ai.tool.call.id = call.call.id,
                gen_ai.tool.type = "function",
                error.type = Empty,
                nanobot.turn.id = %call.run.turn_id,
                nanobot.iteration = call.iteration,
                nanobot.tool.duration_ms = Empty,
            );
            open.calls.insert(call.call.id.clone(), span);
        });
        Ok(Decision::Proceed)
    }

    async fn after_execute_tool(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        self.with(|open| open.end_call(call, outcome));
        Ok(())
    }

    async fn on_execute_tool_error(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        self.with(|open| open.end_call(call, outcome));
        Ok(())
    }

    fn finalize_content(&self, iteration: &IterationContext, content: String) -> Result<String, HookError> {
        self.with(|open| open.end_chat(iteration.outcome, iteration.usage, "stop"));
        Ok(content)
    }

    async fn after_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.with(|open| open.end_chat(iteration.outcome, iteration.usage, "stop"));
        Ok(())
    }

    async fn on_finally(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.with(|open| open.end(end));
        Ok(())
    }
}
