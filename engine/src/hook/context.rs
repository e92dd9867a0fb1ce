//! What hooks are told and what they may answer.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::Allowance;
use crate::event::{StopReason, TurnError};
use crate::id::{SessionId, TurnId};
use crate::message::{Message, Origin, ToolCall};
use crate::usage::Usage;

/// The eighteen methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "each variant is documented at the method of the same name in AgentHook")]
pub enum HookMethod {
    WantsStreaming,
    BeforeRun,
    AfterRun,
    OnError,
    OnFinally,
    BeforeIteration,
    AfterIteration,
    BeforeRequest,
    OnStream,
    OnStreamEnd,
    EmitReasoning,
    EmitReasoningEnd,
    OnProviderToolEvent,
    BeforeExecuteTools,
    BeforeExecuteTool,
    AfterExecuteTool,
    OnExecuteToolError,
    FinalizeContent,
}

impl HookMethod {
    /// All methods, in the order of the table in docs/ARCHITECTURE.md.
    pub const ALL: [Self; 18] = [
        Self::WantsStreaming,
        Self::BeforeRun,
        Self::AfterRun,
        Self::OnError,
        Self::OnFinally,
        Self::BeforeIteration,
        Self::AfterIteration,
        Self::BeforeRequest,
        Self::OnStream,
        Self::OnStreamEnd,
        Self::EmitReasoning,
        Self::EmitReasoningEnd,
        Self::OnProviderToolEvent,
        Self::BeforeExecuteTools,
        Self::BeforeExecuteTool,
        Self::AfterExecuteTool,
        Self::OnExecuteToolError,
        Self::FinalizeContent,
    ];

    /// The method's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::WantsStreaming => "wants_streaming",
            Self::BeforeRun => "before_run",
            Self::AfterRun => "after_run",
            Self::OnError => "on_error",
            Self::OnFinally => "on_finally",
            Self::BeforeIteration => "before_iteration",
            Self::AfterIteration => "after_iteration",
            Self::BeforeRequest => "before_request",
            Self::OnStream => "on_stream",
            Self::OnStreamEnd => "on_stream_end",
            Self::EmitReasoning => "emit_reasoning",
            Self::EmitReasoningEnd => "emit_reasoning_end",
            Self::OnProviderToolEvent => "on_provider_tool_event",
            Self::BeforeExecuteTools => "before_execute_tools",
            Self::BeforeExecuteTool => "before_execute_tool",
            Self::AfterExecuteTool => "after_execute_tool",
            Self::OnExecuteToolError => "on_execute_tool_error",
            Self::FinalizeContent => "finalize_content",
        }
    }
}

/// A set of methods.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HookMethods(u32);

impl HookMethods {
    /// Every method.
    pub const ALL: Self = Self((1 << 18) - 1);

    /// The set of the given methods.
    #[must_use]
    pub const fn of(methods: &[HookMethod]) -> Self {
        let mut bits = 0;
        let mut rest = methods;
        while let [first, tail @ ..] = rest {
            bits |= 1 << (*first as u32);
            rest = tail;
        }
        Self(bits)
    }

    /// Is the method in the set?
    #[must_use]
    pub const fn contains(self, method: HookMethod) -> bool {
        self.0 & (1 << (method as u32)) != 0
    }

    /// Have the sets a method in common?
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Both sets together.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A hook's failure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct HookError(pub String);

/// The run a hook is called in.
#[derive(Clone, Debug, PartialEq)]
pub struct RunContext {
    /// Session.
    pub session_id: SessionId,
    /// Turn.
    pub turn_id: TurnId,
    /// What started the turn.
    pub origin: Origin,
    /// Preset in use.
    pub preset: String,
    /// Model in use.
    pub model: String,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct RunEnd {
    /// Why.
    pub stop_reason: StopReason,
    /// What went wrong.
    pub error: Option<TurnError>,
    /// The final text, when there is one.
    pub content: Option<String>,
    /// Tokens of the run.
    pub usage: Usage,
    /// Names of the tools that succeeded, in order.
    pub tools_used: Vec<String>,
}

/// The iteration a hook is called in.
#[derive(Clone, Debug, PartialEq)]
pub struct IterationContext {
    /// The run.
    pub run: std::sync::Arc<RunContext>,
    /// Number, from 0.
    pub iteration: u32,
    /// Messages to add to this request only; see [`IterationContext::inject`].
    pub injected: Vec<Message>,
    /// Who is asked, from `before_request` on. A fallback is not the model of the run.
    pub asked: Option<Asked>,
    /// How the last request of this iteration ended: `complete`, `length`, `empty`, `paused`, `truncated`, `cancelled`, or the code of
    /// the failure. `None` as long as none has.
    pub outcome: Option<&'static str>,
    /// Tokens of that request; an estimate, and marked as such, when the provider reported none.
    pub usage: Option<Usage>,
}

/// A model as it is configured.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Name of the provider.
    pub provider: String,
    /// The model's name there.
    pub model: String,
}

impl IterationContext {
    /// The beginning of an iteration.
    #[must_use]
    pub fn new(run: std::sync::Arc<RunContext>, iteration: u32) -> Self {
        Self { run, iteration, injected: Vec::new(), asked: None, outcome: None, usage: None }
    }

    /// Adds a message to the end of the request that is about to be sent. It is not stored.
    pub fn inject(&mut self, message: Message) {
        self.injected.push(message);
    }
}

/// The call a hook is asked about.
#[derive(Clone, Debug, PartialEq)]
pub struct CallContext {
    /// The run.
    pub run: std::sync::Arc<RunContext>,
    /// Iteration number.
    pub iteration: u32,
    /// The call, with checked arguments.
    pub call: ToolCall,
}

/// What is to happen to a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "decision", rename_all = "snake_case")]
pub enum Decision {
    /// Run it.
    Proceed,
    /// Do not run it; the model is told why.
    Deny {
        /// Why.
        reason: String,
    },
    /// Run it with other arguments.
    Replace {
        /// The new arguments.
        arguments: Map<String, Value>,
    },
    /// Ask a person first.
    Ask(Ask),
}

/// A question to a person about a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ask {
    /// Why it is asked.
    pub question: String,
    /// Arguments to run with if it is allowed, in place of those of the call.
    #[serde(default)]
    pub arguments: Option<Map<String, Value>>,
    /// What the person may allow for longer than once.
    #[serde(default)]
    pub covers: Vec<Allowance>,
}

impl Ask {
    /// A question that can be allowed once or denied.
    #[must_use]
    pub fn once(question: impl Into<String>) -> Self {
        Self { question: question.into(), arguments: None, covers: Vec::new() }
    }
}

/// Life of a tool that the provider runs itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProviderToolEvent {
    /// `started`, `running`, `done` or `error`.
    pub phase: String,
    /// The provider's id of the call.
    pub call_id: String,
    /// The provider's name of the tool.
    pub name: String,
    /// What it was asked, once that is known.
    pub arguments: Option<Map<String, Value>>,
    /// What came of it, in words and cut to a readable length.
    pub text: Option<String>,
}
