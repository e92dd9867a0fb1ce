//! A hook that implements all eighteen methods and writes down, in one sequence, what it was told and which events
//! were shown before that.

use std::sync::Mutex;

use async_trait::async_trait;
use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::hook::{
    AgentHook, CallContext, Decision, HookError, HookMethods, IterationContext, ProviderToolEvent, RunContext, RunEnd,
};
use nanobot_engine::tool::ToolOutcome;
use nanobot_runtime::Feed;

/// Writes down hook calls (`H …`) and events (`E …`).
///
/// An event is shown before the hooks that follow it are called, so taking what the feed has at each call gives the
/// true order.
#[derive(Default)]
pub struct Recorder {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    feed: Option<Feed>,
    lines: Vec<String>,
}

impl Inner {
    fn take_events(&mut self) {
        while let Some(event) = self.feed.as_mut().and_then(Feed::try_next) {
            self.lines.push(format!("E {}", describe(&event)));
        }
    }
}

impl Recorder {
    /// Follows this feed, which has to begin at the head of its session.
    ///
    /// # Panics
    /// When another thread panicked while it recorded.
    pub fn follow(&self, feed: Feed) {
        self.inner.lock().expect("lock").feed = Some(feed);
    }

    /// Everything so far.
    ///
    /// # Panics
    /// When another thread panicked while it recorded.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut inner = self.inner.lock().expect("lock");
        inner.take_events();
        inner.lines.clone()
    }

    fn note(&self, line: String) {
        let mut inner = self.inner.lock().expect("lock");
        inner.take_events();
        inner.lines.push(format!("H {line}"));
    }
}

/// An event in a few words, without ids and times.
fn describe(event: &Event) -> String {
    match &event.body {
        EventBody::UserMessage { text, .. } => format!("user_message {text:?}"),
        EventBody::TurnStarted { preset, model, .. } => format!("turn_started {preset} {model}"),
        EventBody::TurnResumed { attempt } => format!("turn_resumed {attempt}"),
        EventBody::IterationStarted { iteration } => format!("iteration_started {iteration}"),
        EventBody::ReasoningDelta { text, .. } => format!("reasoning_delta {text:?}"),
        EventBody::ReasoningEnd { chars, .. } => format!("reasoning_end {chars}"),
        EventBody::Delta { text, .. } => format!("delta {text:?}"),
        EventBody::StreamEnd { chars, resuming, .. } => format!("stream_end {chars} resuming={resuming}"),
        EventBody::StreamDiscarded { reason, .. } => format!("stream_discarded {reason}"),
        EventBody::ToolStarted { call_id, name, .. } => format!("tool_started {call_id} {name}"),
        EventBody::ToolOutput { call_id, text, .. } => format!("tool_output {call_id} {text:?}"),
        EventBody::ApprovalRequested { approval, .. } => format!("approval_requested {}", approval.tool),
        EventBody::ApprovalResolved { answered, .. } => format!("approval_resolved {:?}", answered.outcome),
        EventBody::ToolFinished { call_id, name, status, diff, .. } => {
            format!("tool_finished {call_id} {name} {status:?}{}", if diff.is_some() { " with a diff" } else { "" })
        }
        EventBody::Notice { code, .. } => format!("notice {code}"),
        EventBody::ProviderTool { name, phase, .. } => format!("provider_tool {name} {phase}"),
        EventBody::RetryWait { attempt, code, .. } => format!("retry_wait {attempt} {code}"),
        EventBody::ModelSwitched { from, to, code, .. } => format!("model_switched {from} {to} {code}"),
        EventBody::ContextGoverned { steps, .. } => format!("context_governed {}", steps.len()),
        EventBody::Usage(usage) => format!("usage {}/{}", usage.input_tokens, usage.output_tokens),
        EventBody::Message { text, .. } => format!("message {text:?}"),
        EventBody::TurnFinished { stop_reason, .. } => format!("turn_finished {stop_reason:?}"),
        EventBody::SessionUpdated { title, state, .. } => match (title, state) {
            (Some(title), _) => format!("session_updated title={title:?}"),
            (None, Some(state)) => format!("session_updated {state:?}"),
            (None, None) => "session_updated".to_owned(),
        },
    }
}

#[async_trait]
impl AgentHook for Recorder {
    fn name(&self) -> &'static str {
        "recorder"
    }

    fn methods(&self) -> HookMethods {
        HookMethods::ALL
    }

    fn wants_streaming(&self) -> bool {
        self.note("wants_streaming".to_owned());
        true
    }

    async fn before_run(&self, _: &RunContext) -> Result<(), HookError> {
        self.note("before_run".to_owned());
        Ok(())
    }

    async fn after_run(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.note(format!("after_run {:?} {:?}", end.stop_reason, end.tools_used));
        Ok(())
    }

    async fn on_error(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.note(format!("on_error {}", end.error.as_ref().map_or("", |error| error.code.as_str())));
        Ok(())
    }

    async fn on_finally(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.note(format!("on_finally {:?}", end.stop_reason));
        Ok(())
    }

    async fn before_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.note(format!("before_iteration {}", iteration.iteration));
        Ok(())
    }

    async fn after_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.note(format!("after_iteration {}", iteration.iteration));
        Ok(())
    }

    async fn before_request(&self, _: &mut IterationContext) -> Result<(), HookError> {
        self.note("before_request".to_owned());
        Ok(())
    }

    async fn on_stream(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.note(format!("on_stream {delta:?}"));
        Ok(())
    }

    async fn on_stream_end(&self, _: &IterationContext, resuming: bool) -> Result<(), HookError> {
        self.note(format!("on_stream_end resuming={resuming}"));
        Ok(())
    }

    async fn emit_reasoning(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.note(format!("emit_reasoning {delta:?}"));
        Ok(())
    }

    async fn emit_reasoning_end(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note("emit_reasoning_end".to_owned());
        Ok(())
    }

    async fn on_provider_tool_event(&self, _: &IterationContext, event: &ProviderToolEvent) -> Result<(), HookError> {
        self.note(format!("on_provider_tool_event {}", event.phase));
        Ok(())
    }

    async fn before_execute_tools(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note("before_execute_tools".to_owned());
        Ok(())
    }

    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        self.note(format!("before_execute_tool {}", call.call.id));
        Ok(Decision::Proceed)
    }

    async fn after_execute_tool(&self, call: &CallContext, _: &ToolOutcome) -> Result<(), HookError> {
        self.note(format!("after_execute_tool {}", call.call.id));
        Ok(())
    }

    async fn on_execute_tool_error(&self, call: &CallContext, _: &ToolOutcome) -> Result<(), HookError> {
        self.note(format!("on_execute_tool_error {}", call.call.id));
        Ok(())
    }

    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        self.note("finalize_content".to_owned());
        Ok(content)
    }
}
