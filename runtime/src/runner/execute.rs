//! One effect at a time: hooks, calls, events.

use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use nanobot_engine::event::EventBody;
use nanobot_engine::hook::{
    AgentHook, Ask, CallContext, Decision, HookError, HookFault, HookMethod, HookMethods, Isolation, IterationContext,
    ProviderToolEvent, RunEnd,
};
use nanobot_engine::machine::{Effect, Ending, Input, Observation, Phase, SteerMessage};
use nanobot_engine::message::ToolCall;
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use std::sync::Arc;

use super::{AgentRunner, Halt, TurnCtx, opens};
use crate::edits::EditWatch;

/// The methods that follow an event.
const FOLLOWING: HookMethods = HookMethods::of(&[
    HookMethod::OnStream,
    HookMethod::OnStreamEnd,
    HookMethod::EmitReasoning,
    HookMethod::EmitReasoningEnd,
    HookMethod::OnProviderToolEvent,
]);
/// How long hooks that learn of the end of a run may still take once the turn was stopped, all together.
const END_GRACE: Duration = Duration::from_millis(1_500);

impl AgentRunner {
    pub(super) async fn execute(&mut self, effect: Effect) -> Result<(), Halt> {
        match effect {
            Effect::Observe(observation) => self.observe(observation).await?,
            Effect::BuildRequest { closing } => self.build_request(closing).await?,
            Effect::AskModel => self.ask_model().await?,
            Effect::Wait { delay_ms } => self.wait_before_attempt(delay_ms).await?,
            Effect::Decide { position, call } => self.decide(position, call).await?,
            Effect::RunCalls(calls) => calls.into_iter().for_each(|(position, call)| self.spawn_call(position, call)),
            Effect::DrainSteer => self.drain_steer(),
            Effect::Finalize { text } => self.finalize(text).await?,
            Effect::Emit(body) => self.emit(body).await?,
            Effect::Persist(step) => self.persist(*step).await?,
            Effect::Finish(ending) => self.finish(ending).await?,
        }
        Ok(())
    }

    /// Waits for something that Stop may cut short; `None` when it did, and the machine knows it.
    pub(super) async fn unless_stopped<T>(&mut self, future: impl Future<Output = T>) -> Result<Option<T>, Halt> {
        let value = stoppable(&self.ctx, future).await?;
        if value.is_none() {
            self.stop_now();
        }
        Ok(value)
    }

    fn hook_failed(&mut self, error: HookError) {
        tracing::warn!(turn = %self.ctx.turn_id, %error, "a hook ended the run");
        // The machine settles them as stopped; they must not go on behind its back. A request on its way is paid for all the same.
        self.end_calls();
        let usage = self.attempt_stopped();
        self.step(Input::HookFailed { detail: error.0, usage });
    }

    async fn observe(&mut self, observation: Observation) -> Result<(), Halt> {
        let iteration = self.machine.state().iteration;
        if observation == Observation::BeforeIteration {
            self.iteration = IterationContext::new(Arc::clone(&self.ctx.run), iteration);
        }
        let hooks = &self.ctx.hooks;
        let method = method_of(observation);
        if !hooks.implements(method) {
            return Ok(());
        }
        let end = match observation {
            Observation::OnError | Observation::AfterRun | Observation::OnFinally => Some(self.run_end()),
            Observation::BeforeRun
            | Observation::BeforeIteration
            | Observation::BeforeExecuteTools
            | Observation::AfterIteration => None,
        };
        let run = &self.ctx.run;
        let call = async {
            match (observation, &end) {
                (Observation::BeforeRun, _) => hooks.before_run(run).await,
                (Observation::BeforeIteration, _) => hooks.before_iteration(&self.iteration).await,
                (Observation::BeforeExecuteTools, _) => hooks.before_execute_tools(&self.iteration).await,
                (Observation::AfterIteration, _) => hooks.after_iteration(&self.iteration).await,
                (Observation::OnError, Some(end)) => hooks.on_error(run, end).await,
                (Observation::AfterRun, Some(end)) => hooks.after_run(run, end).await,
                (Observation::OnFinally, Some(end)) => hooks.on_finally(run, end).await,
                (Observation::OnError | Observation::AfterRun | Observation::OnFinally, None) => Ok(()),
            }
        };
        // Stop and shutdown do not wait for a hook that hangs; what the machine wants done afterwards still happens. Hooks
        // that learn of the end of a run get a moment for it.
        let over = matches!(self.machine.state().phase, Phase::Done(_));
        let (stop, park) = (self.ctx.stop.clone(), self.ctx.park.clone());
        let mut grace_ends = self.grace_ends;
        let cut = async {
            tokio::select! {
                () = park.cancelled() => {}
                () = stop.cancelled() => {}
            }
            if over {
                let ends = *grace_ends.get_or_insert_with(|| tokio::time::Instant::now() + END_GRACE);
                tokio::time::sleep_until(ends).await;
            }
        };
        let outcome = tokio::select! {
            biased;
            outcome = call => Some(outcome),
            () = cut => None,
        };
        self.grace_ends = grace_ends;
        match outcome {
            Some(Ok(())) => {}
            Some(Err(error)) if over => {
                // It cannot end what is over; people are told all the same.
                let (hook, words) = error.0.split_once(": ").unwrap_or(("a hook", &error.0));
                let fault = HookFault { hook: hook.to_owned(), method, error: HookError(words.to_owned()) };
                self.ctx.hooks.isolation().report(&fault);
            }
            Some(Err(error)) => {
                // The machine ends the run; what it had planned before is void.
                self.machine.cut_short(&mut self.effects);
                self.hook_failed(error);
            }
            None if over => tracing::warn!(method = method.name(), "hooks were cut short: the turn was stopped"),
            None if park.is_cancelled() => return Err(Halt::Park),
            None => {}
        }
        Ok(())
    }

    fn run_end(&self) -> RunEnd {
        let state = self.machine.state();
        let ending = match &state.phase {
            Phase::Done(ending) => ending.clone(),
            Phase::Building
            | Phase::Requesting
            | Phase::Waiting
            | Phase::ExecutingTools(_)
            | Phase::Draining
            | Phase::Finalizing(_)
            | Phase::AwaitingBudget(_)
            | Phase::Parked => {
                Ending { stop_reason: nanobot_engine::event::StopReason::Interrupted, error: None, content: None }
            }
        };
        RunEnd {
            stop_reason: ending.stop_reason,
            error: ending.error,
            content: ending.content,
            usage: state.usage,
            tools_used: state.tools_used.clone(),
        }
    }

    async fn decide(&mut self, position: usize, call: ToolCall) -> Result<(), Halt> {
        let context = CallContext { run: Arc::clone(&self.ctx.run), iteration: self.machine.state().iteration, call };
        let decision = if self.ctx.hooks.implements(HookMethod::BeforeExecuteTool) {
            match stoppable(&self.ctx, self.ctx.hooks.before_execute_tool(&context)).await? {
                None => {
                    self.stop_now();
                    return Ok(());
                }
                Some(Ok(decision)) => decision,
                Some(Err(error)) => {
                    self.machine.cut_short(&mut self.effects);
                    self.hook_failed(error);
                    return Ok(());
                }
            }
        } else {
            Decision::Proceed
        };
        let arguments = match &decision {
            Decision::Replace { arguments } | Decision::Ask(Ask { arguments: Some(arguments), .. }) => arguments,
            Decision::Proceed | Decision::Deny { .. } | Decision::Ask(_) => &context.call.arguments,
        };
        // Only words for people: a tool that breaks over them may still run.
        let hint = AssertUnwindSafe(|| self.ctx.tools.get(&context.call.name).map(|tool| tool.hint(arguments)));
        let hint = std::panic::catch_unwind(hint).ok().flatten().unwrap_or_default();
        let diff = match &decision {
            Decision::Ask(ask) => self.preview(&context.call, ask.arguments.as_ref()).await?,
            Decision::Proceed | Decision::Deny { .. } | Decision::Replace { .. } => None,
        };
        let asking = self.asking(diff);
        if matches!(&decision, Decision::Ask(ask) if !ask.covers.is_empty()) {
            self.asked_by_rules.insert(asking.approval_id);
        }
        self.step(Input::Decided { position, decision, hint, asking });
        Ok(())
    }

    fn spawn_call(&mut self, position: usize, call: ToolCall) {
        let Some(tool) = self.ctx.tools.get(&call.name).cloned() else {
            let outcome = ToolOutcome::failed(CallStatus::Error, format!("the tool {} is gone", call.name));
            self.step(Input::CallFinished { position, outcome });
            return;
        };
        let mut context = self.ctx.tool_context.clone();
        context.cancel = self.ctx.tool_context.cancel.child_token();
        let clock = Arc::clone(&self.clock);
        let watch = EditWatch::default();
        self.watches.insert(call.id.clone(), watch.clone());
        self.calls.spawn(async move {
            let edits = AssertUnwindSafe(|| tool.edits(&context, &call.arguments));
            watch.before(&context.scope, std::panic::catch_unwind(edits).unwrap_or_default()).await;
            let since = clock.now();
            let run = AssertUnwindSafe(tool.run(&context, call.arguments)).catch_unwind();
            let mut outcome = run.await.unwrap_or_else(|_| {
                ToolOutcome::failed(CallStatus::Error, format!("the tool {} failed inside; this is a bug", call.name))
            });
            outcome.duration_ms = u64::try_from(clock.now() - since).unwrap_or(0);
            if outcome.diff.is_none() {
                outcome.diff = watch.after().await;
            }
            (position, outcome)
        });
    }

    fn drain_steer(&mut self) {
        let items = self.steer.take();
        let messages = items
            .iter()
            .map(|item| SteerMessage {
                message_id: item.message_id,
                text: item.content.clone(),
                client_message_id: item.client_message_id.clone(),
                origin: item.origin,
            })
            .collect();
        self.steering.extend(items);
        self.step(Input::Steered(messages));
    }

    async fn finalize(&mut self, text: String) -> Result<(), Halt> {
        self.answer_over = true;
        if !self.ctx.hooks.implements(HookMethod::FinalizeContent) {
            self.step(Input::Finalized(text));
            return Ok(());
        }
        match stoppable(&self.ctx, self.ctx.hooks.finalize(&self.iteration, text)).await? {
            None => self.stop_now(),
            Some(Ok(text)) => self.step(Input::Finalized(text)),
            Some(Err(error)) => self.hook_failed(error),
        }
        Ok(())
    }

    /// Shows people which hooks failed without ending the run, once a turn each.
    pub(super) async fn show_faults(&mut self) -> Result<(), Halt> {
        for fault in self.ctx.hooks.isolation().take_faults() {
            let notice = self.machine.hook_notice(&fault);
            let at = self.now();
            // Stored before it is shown, as it has a number of the turn's output; a resumed turn takes it back.
            self.log.commit(Vec::new(), Some(self.ctx.turn_id), at, vec![notice]).await?;
        }
        Ok(())
    }

    /// Shows an event and tells the hooks of it.
    pub(super) async fn emit(&mut self, body: EventBody) -> Result<(), Halt> {
        let at = self.now();
        // The first piece of a segment is stored before it is shown, so that a resumed turn knows what to take back.
        let durable = opens(&body, &mut self.opened);
        let event = if durable {
            let shown = self.log.commit(Vec::new(), Some(self.ctx.turn_id), at, vec![body]).await?;
            shown.into_iter().next()
        } else {
            Some(self.log.show(self.ctx.turn_id, at, body).await?)
        };
        if let Some(event) = event {
            self.after_shown(&event.body).await;
        }
        Ok(())
    }

    /// The hooks that follow an event, right behind it.
    pub(super) async fn after_shown(&mut self, body: &EventBody) {
        let hooks = &self.ctx.hooks;
        if !hooks.methods().overlaps(FOLLOWING) {
            return;
        }
        let call = async {
            match body {
                // Text that a hook changed was told when the model said it.
                EventBody::Delta { text, .. }
                    if self.streaming_hooks && !self.answer_over && hooks.implements(HookMethod::OnStream) =>
                {
                    hooks.on_stream(&self.iteration, text).await
                }
                EventBody::StreamEnd { resuming, .. }
                    if self.streaming_hooks && hooks.implements(HookMethod::OnStreamEnd) =>
                {
                    hooks.on_stream_end(&self.iteration, *resuming).await
                }
                EventBody::ReasoningDelta { text, .. } if hooks.implements(HookMethod::EmitReasoning) => {
                    hooks.emit_reasoning(&self.iteration, text).await
                }
                EventBody::ProviderTool { call_id, name, phase, arguments, text, .. }
                    if hooks.implements(HookMethod::OnProviderToolEvent) =>
                {
                    let event = ProviderToolEvent {
                        phase: phase.clone(),
                        call_id: call_id.clone(),
                        name: name.clone(),
                        arguments: arguments.clone(),
                        text: text.clone(),
                    };
                    hooks.on_provider_tool_event(&self.iteration, &event).await
                }
                EventBody::ReasoningEnd { .. } if hooks.implements(HookMethod::EmitReasoningEnd) => {
                    hooks.emit_reasoning_end(&self.iteration).await
                }
                _ => Ok(()),
            }
        };
        let outcome = unless_cut(&self.ctx, call).await;
        if let Err(error) = outcome {
            self.machine.cut_short(&mut self.effects);
            self.stream = None;
            self.hook_failed(error);
        }
    }

    /// The hook that follows a call's end.
    pub(super) async fn after_call(&mut self, context: &CallContext, outcome: &ToolOutcome) {
        let hooks = &self.ctx.hooks;
        let call = async {
            match outcome.status {
                CallStatus::Ok if hooks.implements(HookMethod::AfterExecuteTool) => {
                    hooks.after_execute_tool(context, outcome).await
                }
                CallStatus::Ok => Ok(()),
                _ if hooks.implements(HookMethod::OnExecuteToolError) => {
                    hooks.on_execute_tool_error(context, outcome).await
                }
                _ => Ok(()),
            }
        };
        let told = unless_cut(&self.ctx, call).await;
        if let Err(error) = told {
            self.machine.cut_short(&mut self.effects);
            self.hook_failed(error);
        }
    }
}

/// Waits for something that Stop or shutdown may cut short; `None` when Stop did.
pub(super) async fn stoppable<T>(ctx: &TurnCtx, future: impl Future<Output = T>) -> Result<Option<T>, Halt> {
    tokio::select! {
        biased;
        () = ctx.park.cancelled() => Err(Halt::Park),
        () = ctx.stop.cancelled() => Ok(None),
        value = future => Ok(Some(value)),
    }
}

/// A hook that only looks on, unless Stop or shutdown cut it short: neither waits for one that hangs.
async fn unless_cut(ctx: &TurnCtx, call: impl Future<Output = Result<(), HookError>>) -> Result<(), HookError> {
    tokio::select! {
        biased;
        outcome = call => outcome,
        () = ctx.stop.cancelled() => Ok(()),
        () = ctx.park.cancelled() => Ok(()),
    }
}

/// The hook method that an observation calls.
pub(super) fn method_of(observation: Observation) -> HookMethod {
    match observation {
        Observation::BeforeRun => HookMethod::BeforeRun,
        Observation::BeforeIteration => HookMethod::BeforeIteration,
        Observation::BeforeExecuteTools => HookMethod::BeforeExecuteTools,
        Observation::AfterIteration => HookMethod::AfterIteration,
        Observation::OnError => HookMethod::OnError,
        Observation::AfterRun => HookMethod::AfterRun,
        Observation::OnFinally => HookMethod::OnFinally,
    }
}
