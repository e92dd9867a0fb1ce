//! What a program is told: one JSON object on its stdin.

use nanobot_engine::hook::{CallContext, HookMethod, IterationContext, ProviderToolEvent, RunContext, RunEnd};
use nanobot_engine::tool::ToolOutcome;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// Longest result of a call that a program is told, in bytes.
const MAX_RESULT_BYTES: usize = 64 * 1024;

/// The object, built up by what the event is about.
pub(super) struct Payload(Map<String, Value>);

impl Payload {
    /// Event and run.
    pub(super) fn new(event: HookMethod, run: &RunContext) -> Self {
        Self(Map::new())
            .with("event", event.name())
            .with("session_id", run.session_id)
            .with("turn_id", run.turn_id)
            .with("origin", run.origin)
            .with("preset", &run.preset)
            .with("model", &run.model)
    }

    /// Event and iteration.
    pub(super) fn of_iteration(event: HookMethod, iteration: &IterationContext) -> Self {
        Self::new(event, &iteration.run).with("iteration", iteration.iteration)
    }

    /// Event and call, with its outcome when it has one.
    pub(super) fn of_call(event: HookMethod, call: &CallContext, outcome: Option<&ToolOutcome>) -> Self {
        let mut tool = Self(Map::new())
            .with("name", &call.call.name)
            .with("call_id", &call.call.id)
            .with("arguments", &call.call.arguments);
        if let Some(outcome) = outcome {
            tool = tool.with("status", outcome.status).with("result", cut(&outcome.text));
        }
        Self::new(event, &call.run).with("iteration", call.iteration).with("tool", tool.0)
    }

    /// A tool that the provider runs itself.
    pub(super) fn of_provider_tool(iteration: &IterationContext, event: &ProviderToolEvent) -> Self {
        let tool = json!({
            "name": event.name,
            "call_id": event.call_id,
            "arguments": event.arguments,
            "status": event.phase,
            "result": event.text.as_deref().map(cut),
        });
        Self::of_iteration(HookMethod::OnProviderToolEvent, iteration).with("tool", tool)
    }

    /// Event and end of the run.
    pub(super) fn of_end(event: HookMethod, run: &RunContext, end: &RunEnd) -> Self {
        Self::new(event, run)
            .with("stop_reason", end.stop_reason)
            .with("error", &end.error)
            .with("content", &end.content)
            .with("usage", end.usage)
            .with("tools_used", &end.tools_used)
    }

    /// Adds a part. What cannot be written as JSON becomes `null`; none of our types is of that kind.
    pub(super) fn with(mut self, name: &str, value: impl Serialize) -> Self {
        self.0.insert(name.to_owned(), serde_json::to_value(value).unwrap_or_default());
        self
    }

    /// The bytes for stdin, with a line end for programs that read lines.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        let mut bytes = Value::Object(self.0).to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

fn cut(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_RESULT_BYTES)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_results_are_cut_between_characters() {
        let text = "é".repeat(MAX_RESULT_BYTES);
        assert_eq!(cut(&text).len(), MAX_RESULT_BYTES);
        let odd = format!("a{text}");
        assert_eq!(cut(&odd).len(), MAX_RESULT_BYTES - 1);
        assert_eq!(cut("short"), "short");
    }
}
