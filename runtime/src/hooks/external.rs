//! `[[hooks]]` of the settings: a hook whose work is done by an outside program.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::hook::{
    AgentHook, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, ProviderToolEvent,
    RunContext, RunEnd,
};
use nanobot_engine::message::Message;
use nanobot_engine::text;
use nanobot_engine::tool::ToolOutcome;
use tokio_util::task::TaskTracker;

use super::payload::Payload;
use super::process::{self, Ended, KEEP_BYTES, Program};
use super::{TurnHookFactory, answer};
use crate::config::{HookConfig, HookEvent, ToolGlob};

/// Exit code that refuses a call.
const REFUSED: i32 = 2;
/// What ending a program may take beyond its own limit.
const END_GRACE: Duration = Duration::from_millis(500);
/// How many bytes a byte of text can become in JSON.
const JSON_GROWTH: usize = 6;
/// Where programs are looked for that are no paths.
const PATH: &str = if cfg!(target_os = "macos") {
    "/opt/homebrew/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
} else {
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
};

/// Makes the hook of one `[[hooks]]` for a turn.
pub struct ExternalHookFactory {
    hook: Arc<ExternalHook>,
}

impl ExternalHookFactory {
    /// One factory for each hook of the settings, in their order. The tracker owns the tasks that look after processes.
    pub fn all<'a>(
        hooks: &'a [HookConfig],
        home: &'a Path,
        tasks: &'a TaskTracker,
    ) -> impl Iterator<Item = ExternalHookFactory> + 'a {
        hooks.iter().filter_map(|hook| {
            let HookEvent::Method(method) = hook.event else { return None };
            let hook = ExternalHook {
                name: hook.shown_name().to_owned(),
                method,
                tools: hook.tools.clone(),
                command: hook.command.clone(),
                limit: Duration::from_millis(hook.timeout_ms),
                reraise: hook.reraise,
                home: home.to_owned(),
                tasks: tasks.clone(),
            };
            Some(ExternalHookFactory { hook: Arc::new(hook) })
        })
    }
}

impl TurnHookFactory for ExternalHookFactory {
    fn make(&self, _: &RunContext) -> Option<Arc<dyn AgentHook>> {
        Some(Arc::clone(&self.hook) as Arc<dyn AgentHook>)
    }
}

/// Runs a program for one method. See docs/HOOKS.md for what it is told and may answer.
pub struct ExternalHook {
    name: String,
    method: HookMethod,
    tools: Option<ToolGlob>,
    command: Vec<String>,
    limit: Duration,
    reraise: bool,
    home: PathBuf,
    tasks: TaskTracker,
}

impl ExternalHook {
    async fn run(&self, run: &RunContext, payload: Payload, keep_bytes: usize) -> Result<Ended, HookError> {
        let program = Program {
            command: self.command.clone(),
            folder: self.home.clone(),
            environment: vec![
                ("PATH", PATH.to_owned()),
                ("HOME", self.home.display().to_string()),
                ("LANG", "C.UTF-8".to_owned()),
                ("NANOBOT_EVENT", self.method.name().to_owned()),
                ("NANOBOT_SESSION_ID", run.session_id.to_string()),
                ("NANOBOT_TURN_ID", run.turn_id.to_string()),
            ],
            limit: self.limit,
            keep_bytes,
        };
        let ended = process::run(&self.tasks, program, payload.into_bytes()).await;
        ended.map_err(|error| HookError(error.to_string()))
    }

    /// Tells the program; only whether it failed counts.
    async fn tell(&self, run: &RunContext, payload: Payload) -> Result<(), HookError> {
        succeeded(&self.run(run, payload, KEEP_BYTES).await?)
    }

    fn wants(&self, tool: &str) -> bool {
        self.tools.as_ref().is_none_or(|tools| tools.matches(tool))
    }
}

#[async_trait]
impl AgentHook for ExternalHook {
    fn name(&self) -> &str {
        &self.name
    }

    fn methods(&self) -> HookMethods {
        HookMethods::of(&[self.method])
    }

    fn reraise(&self) -> bool {
        self.reraise
    }

    /// The program's own limit ends it; this one is for the case that it cannot be ended.
    fn limit(&self, _: HookMethod) -> Option<Duration> {
        Some(self.limit + END_GRACE)
    }

    fn isolates_content(&self) -> bool {
        true
    }

    async fn before_run(&self, run: &RunContext) -> Result<(), HookError> {
        self.tell(run, Payload::new(self.method, run)).await
    }

    async fn after_run(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.tell(run, Payload::of_end(self.method, run, end)).await
    }

    async fn on_error(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.tell(run, Payload::of_end(self.method, run, end)).await
    }

    async fn on_finally(&self, run: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        self.tell(run, Payload::of_end(self.method, run, end)).await
    }

    async fn before_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.tell(&iteration.run, Payload::of_iteration(self.method, iteration)).await
    }

    async fn after_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        let payload = Payload::of_iteration(self.method, iteration);
        let payload = payload.with("outcome", iteration.outcome).with("usage", iteration.usage);
        self.tell(&iteration.run, payload).await
    }

    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        let run = Arc::clone(&iteration.run);
        let ended = self.run(&run, Payload::of_iteration(self.method, iteration), KEEP_BYTES).await?;
        succeeded(&ended)?;
        let injected = answer::text(answer::object(&ended.stdout)?, "inject")?;
        if let Some(injected) = injected.filter(|injected| !injected.trim().is_empty()) {
            iteration.inject(Message::user(injected));
        }
        Ok(())
    }

    async fn on_provider_tool_event(
        &self,
        iteration: &IterationContext,
        event: &ProviderToolEvent,
    ) -> Result<(), HookError> {
        if !self.wants(&event.name) {
            return Ok(());
        }
        self.tell(&iteration.run, Payload::of_provider_tool(iteration, event)).await
    }

    async fn before_execute_tools(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.tell(&iteration.run, Payload::of_iteration(self.method, iteration)).await
    }

    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        if !self.wants(&call.call.name) {
            return Ok(Decision::Proceed);
        }
        let ended = self.run(&call.run, Payload::of_call(self.method, call, None), KEEP_BYTES).await?;
        if ended.status.code() == Some(REFUSED) {
            return Ok(answer::refusal(&ended.stderr, &self.name));
        }
        succeeded(&ended)?;
        answer::decision(answer::object(&ended.stdout)?, &self.name)
    }

    async fn after_execute_tool(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        if !self.wants(&call.call.name) {
            return Ok(());
        }
        self.tell(&call.run, Payload::of_call(self.method, call, Some(outcome))).await
    }

    async fn on_execute_tool_error(&self, call: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        if !self.wants(&call.call.name) {
            return Ok(());
        }
        self.tell(&call.run, Payload::of_call(self.method, call, Some(outcome))).await
    }

    async fn finalize(&self, iteration: &IterationContext, content: String) -> Result<String, HookError> {
        let payload = Payload::of_iteration(self.method, iteration).with("content", &content);
        // As long as the text itself may come back, however it is escaped.
        let keep_bytes = KEEP_BYTES + content.len().saturating_mul(JSON_GROWTH);
        let ended = self.run(&iteration.run, payload, keep_bytes).await?;
        succeeded(&ended)?;
        Ok(answer::text(answer::object(&ended.stdout)?, "content")?.unwrap_or(content))
    }
}

/// Exit code 0, or an error with the code and the beginning of stderr.
fn succeeded(ended: &Ended) -> Result<(), HookError> {
    if ended.status.success() {
        return Ok(());
    }
    let how = match ended.status.code() {
        Some(code) => format!("ended with exit code {code}"),
        None => format!("did not end by itself ({})", ended.status),
    };
    let said = text::one_line(&String::from_utf8_lossy(&ended.stderr.bytes), 200);
    Err(HookError(if said.is_empty() { how } else { format!("{how}: {said}") }))
}
