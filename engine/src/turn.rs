//! A turn as people see it: the shape that the fold makes of events and that the protocol serves.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::approval::Approval;
use crate::event::{GovernStep, StopReason, TurnError};
use crate::id::{MessageId, StreamId, TurnId};
use crate::message::{Origin, RowView};
use crate::tool::CallStatus;
use crate::usage::Usage;

/// State of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnStatus {
    /// Accepted, not started.
    Queued,
    /// At work.
    Running,
    /// Waits for a person.
    AwaitingApproval,
    /// Waits without holding a permit.
    Parked,
    /// Ended with an answer, or with a reason that is no failure.
    Done,
    /// Ended with an error.
    Failed,
    /// Stopped.
    Cancelled,
    /// Cut by a restart and not taken up again.
    Interrupted,
}

impl From<StopReason> for TurnStatus {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Completed | StopReason::MaxIterations | StopReason::Budget | StopReason::Loop => Self::Done,
            StopReason::Error | StopReason::ToolError | StopReason::EmptyFinalResponse => Self::Failed,
            StopReason::Cancelled => Self::Cancelled,
            StopReason::Interrupted => Self::Interrupted,
        }
    }
}

/// One step of a turn, in the order it was shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Part {
    /// Reasoning.
    Reasoning(TextPart),
    /// Answer text.
    Text(TextPart),
    /// A tool call.
    Tool(ToolPart),
    /// A message that joined the running turn.
    Steer {
        /// Place among the parts.
        stream_id: StreamId,
        /// Its row.
        message_id: MessageId,
        /// Its text.
        text: String,
        /// The sender's own id.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        client_message_id: Option<String>,
    },
    /// A tool that the provider runs itself.
    ProviderTool {
        /// Place among the parts.
        stream_id: StreamId,
        /// The provider's id of the call.
        call_id: String,
        /// The provider's name of the tool.
        name: String,
        /// `started`, `running`, `done` or `error`.
        phase: String,
        /// What it was asked.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        #[schema(value_type = Option<Object>)]
        arguments: Option<Map<String, Value>>,
        /// What came of it.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        text: Option<String>,
    },
    /// A question to a person that is about no call, such as one for more budget.
    Approval {
        /// Place among the parts.
        stream_id: StreamId,
        /// The question, and its answer once there is one.
        approval: Box<Approval>,
    },
    /// Something the person should know.
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
}

/// A segment of text or reasoning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct TextPart {
    /// Segment.
    pub stream_id: StreamId,
    /// Its text so far.
    pub text: String,
    /// False once it is closed for good.
    pub open: bool,
    /// How long it was open (reasoning).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
}

/// A tool call and what is known of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolPart {
    /// Place among the parts.
    pub stream_id: StreamId,
    /// Call.
    pub call_id: String,
    /// Tool.
    pub name: String,
    /// Arguments.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// One line about what it does.
    #[serde(default)]
    pub hint: String,
    /// How far it is.
    pub status: CallStatus,
    /// Live output so far.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub output: Option<String>,
    /// The start of its result.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub preview: Option<String>,
    /// Change made to a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
    /// Exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i32>,
    /// How long it ran.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// What a person was asked about it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub approval: Option<Box<Approval>>,
}

impl Part {
    /// Its place among the parts.
    #[must_use]
    pub fn stream_id(&self) -> &StreamId {
        match self {
            Self::Reasoning(part) | Self::Text(part) => &part.stream_id,
            Self::Tool(part) => &part.stream_id,
            Self::Steer { stream_id, .. }
            | Self::ProviderTool { stream_id, .. }
            | Self::Approval { stream_id, .. }
            | Self::Notice { stream_id, .. } => stream_id,
        }
    }
}

/// A turn with everything the thread shows of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Turn {
    /// Identity.
    pub id: TurnId,
    /// What started it.
    pub origin: Origin,
    /// How far it is.
    pub state: TurnStatus,
    /// Why it ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub stop_reason: Option<StopReason>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<TurnError>,
    /// Preset in use.
    pub preset: String,
    /// Model in use.
    pub model: String,
    /// The request.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub user: Option<RowView>,
    /// Row of the final answer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub answer_id: Option<MessageId>,
    /// The steps.
    pub parts: Vec<Part>,
    /// Tokens of the whole turn.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usage: Option<Usage>,
    /// UTC milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub started_at: Option<i64>,
    /// UTC milliseconds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub ended_at: Option<i64>,
    /// How often it was taken up again after a restart.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub resumed: Option<u32>,
    /// Place in the queue, from 1, while queued.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub queue_position: Option<u32>,
}

/// What `context_governed` says in a notice part.
#[must_use]
pub fn governed_text(steps: &[GovernStep]) -> String {
    let before = steps.first().map_or(0, |step| step.before_tokens);
    let after = steps.last().map_or(0, |step| step.after_tokens);
    let names = steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>().join(", ");
    format!("The request was shortened ({names}): {before} → {after} tokens.")
}
