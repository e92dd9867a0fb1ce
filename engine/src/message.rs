//! Messages: typed blocks, and the rows that store them.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::id::{MessageId, TurnId};
use crate::tool::CallStatus;

/// Who a message comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// A person, or an automation in a person's place.
    User,
    /// The model.
    Assistant,
    /// The result of one tool call.
    Tool,
    /// Shown to people, never sent to a model.
    Notice,
}

/// What started a turn or wrote a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// A person.
    User,
    /// The model's own output.
    Model,
    /// A tool's result.
    Tool,
    /// A cron job.
    Cron,
    /// A trigger.
    Trigger,
    /// A subagent's report.
    Subagent,
    /// The heartbeat.
    Heartbeat,
    /// A goal that goes on.
    Goal,
    /// Written while a cut turn was taken up again.
    Recovery,
}

/// A tool call as the model asked for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ToolCall {
    /// The provider's id, made legal and unique within the turn.
    pub id: String,
    /// Tool name.
    pub name: String,
    /// Arguments; always an object.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// The argument text when it was not a JSON object; kept so that the error can quote it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub malformed: Option<String>,
    /// The provider's proof for this call, where it gives one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub signature: Option<Signature>,
}

/// Opaque proof that goes back, unchanged, to the model that gave it and to no other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Signature {
    /// Who gave it: provider and model, as in `anthropic/claude-sonnet-4-5`.
    pub by: String,
    /// The proof.
    pub value: String,
}

/// One piece of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Block {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// An image, by reference to stored media.
    Image {
        /// Media type, such as `image/png`.
        mime: String,
        /// Id of the stored bytes.
        media_id: String,
    },
    /// A document, by reference to stored media.
    Document {
        /// Media type, such as `application/pdf`.
        mime: String,
        /// Name of the file.
        name: String,
        /// Id of the stored bytes.
        media_id: String,
    },
    /// A tool call.
    Call(ToolCall),
    /// A tool's result.
    Result {
        /// The call it answers.
        call_id: String,
        /// Tool name.
        name: String,
        /// How the call ended.
        status: CallStatus,
        /// What the model reads.
        text: String,
    },
    /// Reasoning in the open, with the provider's signature where there is one.
    Thinking {
        /// The reasoning.
        text: String,
        /// With it the reasoning is sent back unchanged or not at all.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        signature: Option<Signature>,
    },
    /// An item that only its provider understands (encrypted reasoning, its own tools and their results): sent back, unchanged,
    /// to the model that gave it and to no other.
    ProviderItem {
        /// Who gave it, as in [`Signature::by`].
        by: String,
        /// The item in the provider's own form.
        #[schema(value_type = Object)]
        item: Value,
    },
    /// The provider stopped here and goes on when the message is sent back to it. The last block, if any.
    Pause,
}

impl Block {
    /// Is this something that people or another model could read or act on?
    #[must_use]
    pub fn is_content(&self) -> bool {
        match self {
            Self::Text { .. } | Self::Image { .. } | Self::Document { .. } | Self::Call(_) | Self::Result { .. } => {
                true
            }
            Self::Thinking { .. } | Self::ProviderItem { .. } | Self::Pause => false,
        }
    }
}

/// A message as the model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who it is from.
    pub role: Role,
    /// Its content, in order.
    pub blocks: Vec<Block>,
}

impl Message {
    /// A user message of one text block.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, blocks: vec![Block::Text { text: text.into() }] }
    }

    /// The text blocks joined.
    #[must_use]
    pub fn text(&self) -> String {
        join(self.blocks.iter().filter_map(|block| match block {
            Block::Text { text } | Block::Result { text, .. } => Some(text.as_str()),
            _ => None,
        }))
    }

    /// The reasoning in the open, joined; `None` when there is none.
    #[must_use]
    pub fn reasoning(&self) -> Option<String> {
        let text = join(self.blocks.iter().filter_map(|block| match block {
            Block::Thinking { text, .. } => Some(text.as_str()),
            _ => None,
        }));
        (!text.is_empty()).then_some(text)
    }

    /// The calls, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.blocks.iter().filter_map(|block| match block {
            Block::Call(call) => Some(call),
            _ => None,
        })
    }
}

fn join<'a>(parts: impl Iterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for part in parts {
        out.push_str(part);
    }
    out
}

/// A stored row: a message with its place in the session's tree. Never edited once written.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Identity.
    pub id: MessageId,
    /// Place in the session's counter.
    pub seq: u64,
    /// The turn that wrote it.
    pub turn_id: TurnId,
    /// The row before it on its branch; rows with the same parent are siblings.
    pub parent_id: Option<MessageId>,
    /// The message.
    pub message: Message,
    /// Model-only suffix of a user row: volatile facts such as the time.
    pub context: Option<String>,
    /// True when the text was cut by Stop, an error or a restart.
    pub interrupted: bool,
    /// What wrote it.
    pub origin: Origin,
    /// The sender's own id, by which a repeated message is recognised.
    pub client_message_id: Option<String>,
    /// UTC milliseconds.
    pub created_at: i64,
}

/// Place of a row among its siblings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Branch {
    /// Position of this row, from 0.
    pub index: u32,
    /// Number of siblings, this one included.
    pub count: u32,
    /// All siblings in order of creation.
    pub siblings: Vec<MessageId>,
}

/// A row in the shape of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct RowView {
    /// Identity.
    pub id: MessageId,
    /// Place in the session's counter.
    pub seq: u64,
    /// The turn that wrote it.
    pub turn_id: TurnId,
    /// The row before it on its branch.
    pub parent_id: Option<MessageId>,
    /// Who it is from.
    pub role: Role,
    /// The text; empty when there is none.
    pub content: String,
    /// Typed blocks, when the text alone does not tell everything.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub blocks: Vec<Block>,
    /// Reasoning in the open.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning: Option<String>,
    /// Calls of an assistant row.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub tool_calls: Vec<ToolCall>,
    /// The call that a tool row answers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_call_id: Option<String>,
    /// Tool of a tool row.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub tool_name: Option<String>,
    /// How the call of a tool row ended.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub status: Option<CallStatus>,
    /// True when the text was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub interrupted: bool,
    /// What wrote it.
    pub origin: Origin,
    /// Place among its siblings, when it has any.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub branch: Option<Branch>,
    /// The sender's own id.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub client_message_id: Option<String>,
    /// UTC milliseconds.
    pub created_at: i64,
}

impl Row {
    /// The protocol's shape of this row.
    #[must_use]
    pub fn view(&self, branch: Option<Branch>) -> RowView {
        let (tool_call_id, tool_name, status) = match self.message.blocks.first() {
            Some(Block::Result { call_id, name, status, .. }) => {
                (Some(call_id.clone()), Some(name.clone()), Some(*status))
            }
            _ => (None, None, None),
        };
        let plain = match self.message.blocks.as_slice() {
            [] | [Block::Text { .. } | Block::Result { .. }] => true,
            blocks => blocks.iter().all(|b| matches!(b, Block::Text { .. } | Block::Call(_))),
        };
        RowView {
            id: self.id,
            seq: self.seq,
            turn_id: self.turn_id,
            parent_id: self.parent_id,
            role: self.message.role,
            content: self.message.text(),
            blocks: if plain { Vec::new() } else { self.message.blocks.clone() },
            reasoning: self.message.reasoning(),
            tool_calls: self.message.calls().cloned().collect(),
            tool_call_id,
            tool_name,
            status,
            interrupted: self.interrupted,
            origin: self.origin,
            branch,
            client_message_id: self.client_message_id.clone(),
            created_at: self.created_at,
        }
    }
}
