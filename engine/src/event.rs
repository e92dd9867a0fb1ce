//! Events: everything that a person or a program can see of a session, in one numbered stream.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::{Answered, Approval, ApprovalKind};
use crate::id::{MessageId, SessionId, StreamId, TurnId};
use crate::message::{Branch, Origin};
use crate::tool::CallStatus;
use crate::usage::Usage;

/// Why a turn ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model gave its answer.
    Completed,
    /// The iteration limit was reached; the model closed with what it had.
    MaxIterations,
    /// A budget was used up.
    Budget,
    /// The same call gave the same result too often.
    Loop,
    /// The model could not be asked, or its answer was broken.
    Error,
    /// A tool failed where that ends the run.
    ToolError,
    /// The model said nothing, twice.
    EmptyFinalResponse,
    /// Somebody pressed Stop.
    Cancelled,
    /// The server went away and the turn was not taken up again.
    Interrupted,
}

/// What went wrong with a turn: a stable code and words for a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TurnError {
    /// Stable code, such as `no_model` or `provider_auth`.
    pub code: String,
    /// What happened and what to do.
    pub detail: String,
}

/// State of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Nothing runs.
    #[default]
    Idle,
    /// A turn runs.
    Running,
    /// A turn waits for a person.
    AwaitingApproval,
    /// A turn waits without holding a permit.
    Parked,
}

/// One governance step with its effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct GovernStep {
    /// `repair`, `snip`, …
    pub name: String,
    /// Estimate before the step.
    pub before_tokens: u64,
    /// Estimate after the step.
    pub after_tokens: u64,
    /// What was done, in words.
    pub detail: String,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum EventBody {
    /// A message was accepted.
    UserMessage {
        /// The row it is, or will be once its turn starts.
        message_id: MessageId,
        /// Its text.
        text: String,
        /// Attached media.
        attachments: Vec<String>,
        /// The row it follows, when known.
        parent_id: Option<MessageId>,
        /// Present when it has siblings: the active branch changed.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        branch: Option<Branch>,
        /// The sender's own id.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        client_message_id: Option<String>,
        /// Set when it joined a running turn; then it has its place among the parts.
        #[serde(skip_serializing_if = "std::ops::Not::not", default)]
        steer: bool,
        /// Place among the parts, for a steer message.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        stream_id: Option<StreamId>,
    },
    /// A turn began.
    TurnStarted {
        /// What started it.
        origin: Origin,
        /// Preset in use.
        preset: String,
        /// Model in use.
        model: String,
    },
    /// A turn goes on after a restart.
    TurnResumed {
        /// Which resumption this is, from 1.
        attempt: u32,
    },
    /// A model request with its tools begins.
    IterationStarted {
        /// Number, from 0.
        iteration: u32,
    },
    /// More reasoning.
    ReasoningDelta {
        /// Segment.
        stream_id: StreamId,
        /// Text to append.
        text: String,
    },
    /// A reasoning segment is closed for good.
    ReasoningEnd {
        /// Segment.
        stream_id: StreamId,
        /// Unicode scalars in the segment.
        chars: u64,
        /// How long it was open.
        duration_ms: u64,
    },
    /// More answer text.
    Delta {
        /// Segment.
        stream_id: StreamId,
        /// Text to append.
        text: String,
    },
    /// A text segment is closed for good.
    StreamEnd {
        /// Segment.
        stream_id: StreamId,
        /// Unicode scalars in the segment.
        chars: u64,
        /// True when the turn goes on after it.
        resuming: bool,
    },
    /// Drop what was shown of this segment.
    StreamDiscarded {
        /// Segment.
        stream_id: StreamId,
        /// Why.
        reason: String,
    },
    /// A tool call began.
    ToolStarted {
        /// Place among the parts.
        stream_id: StreamId,
        /// Call.
        call_id: String,
        /// Tool.
        name: String,
        /// Arguments.
        #[schema(value_type = Object)]
        arguments: Map<String, Value>,
        /// One line about what it does.
        hint: String,
    },
    /// A person is asked. The turn, or one call of it, waits.
    ApprovalRequested {
        /// Place among the parts: that of the call, or one of its own.
        stream_id: StreamId,
        /// The question.
        #[serde(flatten)]
        approval: Box<Approval>,
    },
    /// A question was answered, or nobody has to answer it any more.
    ApprovalResolved {
        /// Place among the parts.
        stream_id: StreamId,
        /// What was asked for.
        kind: ApprovalKind,
        /// The call that waited.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        call_id: Option<String>,
        /// The answer.
        #[serde(flatten)]
        answered: Answered,
    },
    /// Live output of a tool.
    ToolOutput {
        /// Place among the parts.
        stream_id: StreamId,
        /// Call.
        call_id: String,
        /// Text to append.
        text: String,
        /// `stdout` or `stderr`.
        stream: String,
    },
    /// A tool call ended.
    ToolFinished {
        /// Place among the parts.
        stream_id: StreamId,
        /// Call.
        call_id: String,
        /// Tool.
        name: String,
        /// How it ended.
        status: CallStatus,
        /// The start of its result.
        preview: String,
        /// How long it ran.
        duration_ms: u64,
        /// Change made to a file, as a unified diff.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        diff: Option<String>,
        /// Exit code of a command.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        exit_code: Option<i32>,
    },
    /// Something the person should know that is no answer.
    Notice {
        /// Place among the parts.
        stream_id: StreamId,
        /// Stable code.
        code: String,
        /// Words.
        text: String,
        /// Details.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Object>)]
        data: Option<Value>,
    },
    /// The request was cut to fit.
    ContextGoverned {
        /// Place among the parts.
        stream_id: StreamId,
        /// What was done.
        steps: Vec<GovernStep>,
        /// The input budget it had to fit.
        budget_tokens: u64,
    },
    /// A tool that the provider runs itself began, moved on or ended.
    ProviderTool {
        /// Place among the parts; the same for the whole life of the tool.
        stream_id: StreamId,
        /// The provider's id of the call.
        call_id: String,
        /// The provider's name of the tool.
        name: String,
        /// `started`, `running`, `done` or `error`.
        phase: String,
        /// What it was asked, once that is known.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Object>)]
        arguments: Option<Map<String, Value>>,
        /// What came of it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        text: Option<String>,
    },
    /// The model is asked again after a while.
    RetryWait {
        /// Place among the parts.
        stream_id: StreamId,
        /// Number of the attempt that comes next.
        attempt: u32,
        /// Most attempts; absent when it goes on until somebody presses Stop.
        max_attempts: Option<u32>,
        /// How long it waits before.
        delay_ms: u64,
        /// Code of the failure.
        code: String,
        /// The failure in words.
        reason: String,
    },
    /// Another model goes on with the turn.
    ModelSwitched {
        /// Place among the parts.
        stream_id: StreamId,
        /// Preset that failed.
        from: String,
        /// Preset that goes on.
        to: String,
        /// Model of that preset.
        model: String,
        /// Code of the failure.
        code: String,
        /// The failure in words.
        reason: String,
    },
    /// Tokens of one request.
    Usage(Usage),
    /// The final answer, once.
    Message {
        /// Its row.
        message_id: MessageId,
        /// The whole text.
        text: String,
    },
    /// The turn ended.
    TurnFinished {
        /// Why.
        stop_reason: StopReason,
        /// From acceptance to end.
        latency_ms: u64,
        /// Tokens of the whole turn.
        usage: Usage,
        /// What went wrong, if anything.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        error: Option<TurnError>,
    },
    /// Something about the session changed.
    SessionUpdated {
        /// New title.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        title: Option<String>,
        /// New preset.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        preset: Option<String>,
        /// New state.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        state: Option<SessionState>,
        /// New access mode; empty for the configured one.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        access: Option<String>,
        /// New end of the active branch.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        active_message_id: Option<MessageId>,
        /// Pinned or not.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        pinned: Option<bool>,
    },
}

impl EventBody {
    /// A change of state alone.
    #[must_use]
    pub fn session_state(state: SessionState) -> Self {
        Self::SessionUpdated {
            title: None,
            preset: None,
            state: Some(state),
            access: None,
            active_message_id: None,
            pinned: None,
        }
    }

    /// The stretch of output that this event may be the first of.
    #[must_use]
    pub fn stretch(&self) -> Option<&StreamId> {
        match self {
            Self::Delta { stream_id, .. }
            | Self::ReasoningDelta { stream_id, .. }
            | Self::ProviderTool { stream_id, .. } => Some(stream_id),
            _ => None,
        }
    }

    /// The segment and text of a delta, which may be joined with its neighbours.
    #[must_use]
    pub fn as_delta(&self) -> Option<(&StreamId, &str)> {
        match self {
            Self::Delta { stream_id, text } | Self::ReasoningDelta { stream_id, text } => Some((stream_id, text)),
            _ => None,
        }
    }
}

/// An event with its place in the session's stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Event {
    /// What happened.
    #[serde(flatten)]
    pub body: EventBody,
    /// The session.
    pub chat_id: SessionId,
    /// Number of this event; only grows within the session.
    pub seq: u64,
    /// Number of the event before it, 0 for the first.
    pub prev_seq: u64,
    /// The turn it belongs to.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub turn_id: Option<TurnId>,
    /// UTC milliseconds.
    pub at: i64,
}
