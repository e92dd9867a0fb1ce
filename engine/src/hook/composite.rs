//! Several hooks as one, in registration order.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::AgentHook;
use super::context::{
    Ask, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, ProviderToolEvent, RunContext,
    RunEnd,
};
use crate::tool::ToolOutcome;

/// A swallowed failure: who failed, where, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookFault {
    /// Name of the hook.
    pub hook: String,
    /// The method that failed.
    pub method: HookMethod,
    /// What it said.
    pub error: HookError,
}

/// Runs one hook call safely: catches panics and limits time. The engine has no clock, so the runtime brings this.
#[async_trait]
pub trait Isolation: Send + Sync {
    /// Awaits the call; a panic or an exceeded limit becomes an error that says so.
    async fn guard<'a, T: Send + 'a>(
        &self,
        limit: Option<Duration>,
        call: std::pin::Pin<Box<dyn Future<Output = Result<T, HookError>> + Send + 'a>>,
    ) -> Result<T, HookError>
    where
        Self: Sized;

    /// Asks what is answered at once; a panic becomes an error that says so.
    fn ask(&self, question: &dyn Fn() -> bool) -> Result<bool, HookError> {
        Ok(question())
    }

    /// Told of each swallowed failure.
    fn report(&self, fault: &HookFault);
}

/// No isolation: for tests and for hooks that are trusted.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

#[async_trait]
impl Isolation for Plain {
    async fn guard<'a, T: Send + 'a>(
        &self,
        _limit: Option<Duration>,
        call: std::pin::Pin<Box<dyn Future<Output = Result<T, HookError>> + Send + 'a>>,
    ) -> Result<T, HookError> {
        call.await
    }

    fn report(&self, _fault: &HookFault) {}
}

/// What a composite may take beyond the sum of its hooks' limits, so that the hook that is late is the one that is named.
const SLACK: Duration = Duration::from_millis(100);

/// Fans out to its hooks in registration order.
///
/// A hook with `reraise` ends the call with its error and later hooks are skipped; the error of any other hook is
/// reported and swallowed. `finalize_content` is a pipeline without isolation, apart from hooks that ask for it.
///
/// A composite may hold composites. One that is held counts as one hook, whose limit is the sum of the limits of its own.
/// Give it a name: then failures inside are reported as `outer/inner`.
pub struct CompositeHook<I: Isolation = Plain> {
    hooks: Vec<Arc<dyn AgentHook>>,
    methods: HookMethods,
    name: Option<String>,
    isolation: I,
    limit: Option<Duration>,
}

impl<I: Isolation> CompositeHook<I> {
    /// Joins the hooks; `limit` bounds each call of each hook that has no limit of its own.
    pub fn new(hooks: Vec<Arc<dyn AgentHook>>, isolation: I, limit: Option<Duration>) -> Self {
        let methods = hooks.iter().fold(HookMethods::default(), |all, hook| all.union(hook.methods()));
        Self { hooks, methods, name: None, isolation, limit }
    }

    /// Names it, for reports of failures inside.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Its isolation.
    pub fn isolation(&self) -> &I {
        &self.isolation
    }

    /// Does any hook implement the method?
    #[must_use]
    pub fn implements(&self, method: HookMethod) -> bool {
        self.methods.contains(method)
    }

    fn having(&self, method: HookMethod) -> impl Iterator<Item = &Arc<dyn AgentHook>> {
        let none = !self.methods.contains(method);
        self.hooks.iter().filter(move |hook| !none && hook.methods().contains(method))
    }

    fn bound(&self, hook: &dyn AgentHook, method: HookMethod) -> Option<Duration> {
        hook.limit(method).or(self.limit)
    }

    /// `Ok` when the failure was swallowed; else the error with the hook's name before it.
    fn swallow(&self, hook: &dyn AgentHook, method: HookMethod, error: HookError) -> Result<(), HookError> {
        if hook.reraise() {
            return Err(named(hook, error));
        }
        self.isolation.report(&self.fault(hook, method, error));
        Ok(())
    }

    fn fault(&self, hook: &dyn AgentHook, method: HookMethod, error: HookError) -> HookFault {
        let hook = match &self.name {
            Some(name) => format!("{name}/{}", hook.name()),
            None => hook.name().to_owned(),
        };
        HookFault { hook, method, error }
    }
}

/// Two questions about one call are one; what only one of them knows how to allow for longer cannot be allowed for longer.
fn both(first: Ask, second: Ask) -> Ask {
    let question = if first.question == second.question {
        first.question
    } else {
        format!("{}; {}", first.question, second.question)
    };
    Ask { question, arguments: second.arguments, covers: Vec::new() }
}

fn named(hook: &dyn AgentHook, HookError(error): HookError) -> HookError {
    HookError(format!("{}: {error}", hook.name()))
}

macro_rules! fan_out {
    ($self:ident, $method:ident, |$hook:ident| $call:expr) => {{
        for $hook in $self.having(HookMethod::$method) {
            let limit = $self.bound($hook.as_ref(), HookMethod::$method);
            if let Err(error) = $self.isolation.guard(limit, $call).await {
                $self.swallow($hook.as_ref(), HookMethod::$method, error)?;
            }
        }
        Ok(())
    }};
}

#[async_trait]
impl<I: Isolation> AgentHook for CompositeHook<I> {
    fn name(&self) -> &str {
        self.name.as_deref().unwrap_or("composite")
    }

    fn methods(&self) -> HookMethods {
        self.methods
    }

    /// A nested composite has already swallowed what may be swallowed.
    fn reraise(&self) -> bool {
        true
    }

    /// `None` when one of its hooks has no limit.
    fn limit(&self, method: HookMethod) -> Option<Duration> {
        self.having(method).try_fold(SLACK, |sum, hook| Some(sum.saturating_add(self.bound(hook.as_ref(), method)?)))
    }

    /// A hook that fails here, even one with `reraise`, wants nothing and is reported.
    fn wants_streaming(&self) -> bool {
        self.having(HookMethod::WantsStreaming).any(|hook| {
            self.isolation.ask(&|| hook.wants_streaming()).unwrap_or_else(|error| {
                self.isolation.report(&self.fault(hook.as_ref(), HookMethod::WantsStreaming, error));
                false
            })
        })
    }

    async fn before_run(&self, run: &RunContext) -> Result<(), HookError> {
        fan_out!(self, BeforeRun, |hook| hook.before_run(run))
    }

    async fn after_run(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        fan_out!(self, AfterRun, |hook| hook.after_run(run, end))
    }

    async fn on_error(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        fan_out!(self, OnError, |hook| hook.on_error(run, end))
    }

    async fn on_finally(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        fan_out!(self, OnFinally, |hook| hook.on_finally(run, end))
    }

    async fn before_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        fan_out!(self, BeforeIteration, |hook| hook.before_iteration(iteration))
    }

    async fn after_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        fan_out!(self, AfterIteration, |hook| hook.after_iteration(iteration))
    }

    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        for hook in self.having(HookMethod::BeforeRequest) {
            let limit = self.bound(hook.as_ref(), HookMethod::BeforeRequest);
            let called = self.isolation.guard(limit, hook.before_request(iteration)).await;
            if let Err(error) = called {
                self.swallow(hook.as_ref(), HookMethod::BeforeRequest, error)?;
            }
        }
        Ok(())
    }

    async fn on_stream(&self, iteration: &IterationContext, delta: &str) -> Result<(), HookError> {
        fan_out!(self, OnStream, |hook| hook.on_stream(iteration, delta))
    }

    async fn on_stream_end(&self, iteration: &IterationContext, resuming: bool) -> Result<(), HookError> {
        fan_out!(self, OnStreamEnd, |hook| hook.on_stream_end(iteration, resuming))
    }

    async fn emit_reasoning(&self, iteration: &IterationContext, delta: &str) -> Result<(), HookError> {
        fan_out!(self, EmitReasoning, |hook| hook.emit_reasoning(iteration, delta))
    }

    async fn emit_reasoning_end(&self, iteration: &IterationContext) -> Result<(), HookError> {
        fan_out!(self, EmitReasoningEnd, |hook| hook.emit_reasoning_end(iteration))
    }

    async fn on_provider_tool_event(
        &self,
        iteration: &IterationContext,
        event: &ProviderToolEvent,
    ) -> Result<(), HookError> {
        fan_out!(self, OnProviderToolEvent, |hook| hook.on_provider_tool_event(iteration, event))
    }

    async fn before_execute_tools(&self, iteration: &IterationContext) -> Result<(), HookError> {
        fan_out!(self, BeforeExecuteTools, |hook| hook.before_execute_tools(iteration))
    }

    /// Do all that decide do so at once?
    fn decides_at_once(&self) -> bool {
        self.having(HookMethod::BeforeExecuteTool).all(|hook| hook.decides_at_once())
    }

    /// The first refusal decides, then the first question; later hooks see arguments that earlier ones replaced.
    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        let mut call = call.clone();
        let mut replaced = None;
        let mut asked: Option<Ask> = None;
        for hook in self.having(HookMethod::BeforeExecuteTool) {
            let limit = self.bound(hook.as_ref(), HookMethod::BeforeExecuteTool);
            match self.isolation.guard(limit, hook.before_execute_tool(&call)).await {
                Ok(Decision::Proceed) => {}
                Ok(Decision::Replace { arguments }) => {
                    call.call.arguments.clone_from(&arguments);
                    replaced = Some(arguments);
                }
                Ok(Decision::Ask(ask)) => {
                    if let Some(arguments) = &ask.arguments {
                        call.call.arguments.clone_from(arguments);
                        replaced = Some(arguments.clone());
                    }
                    asked = Some(asked.map_or_else(|| ask.clone(), |first| both(first, ask.clone())));
                }
                Ok(refusal @ Decision::Deny { .. }) => return Ok(refusal),
                Err(error) => self.swallow(hook.as_ref(), HookMethod::BeforeExecuteTool, error)?,
            }
        }
        Ok(match (asked, replaced) {
            (Some(ask), arguments) => Decision::Ask(Ask { arguments, ..ask }),
            (None, Some(arguments)) => Decision::Replace { arguments },
            (None, None) => Decision::Proceed,
        })
    }

    async fn after_execute_tool(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        fan_out!(self, AfterExecuteTool, |hook| hook.after_execute_tool(call, outcome))
    }

    async fn on_execute_tool_error(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        fan_out!(self, OnExecuteToolError, |hook| hook.on_execute_tool_error(call, outcome))
    }

    fn finalize_content(&self, iteration: &IterationContext, content: String) -> Result<String, HookError> {
        self.having(HookMethod::FinalizeContent).try_fold(content, |content, hook| {
            hook.finalize_content(iteration, content).map_err(|error| named(hook.as_ref(), error))
        })
    }

    async fn finalize(&self, iteration: &IterationContext, mut content: String) -> Result<String, HookError> {
        for hook in self.having(HookMethod::FinalizeContent) {
            let limit = self.bound(hook.as_ref(), HookMethod::FinalizeContent);
            match self.isolation.guard(limit, hook.finalize(iteration, content.clone())).await {
                Ok(changed) => content = changed,
                Err(error) if hook.isolates_content() => {
                    self.swallow(hook.as_ref(), HookMethod::FinalizeContent, error)?;
                }
                Err(error) => return Err(named(hook.as_ref(), error)),
            }
        }
        Ok(content)
    }
}
