//! How a request differs from the one before it.

use nanobot_engine::message::Message;
use serde::Serialize;
use uuid::Uuid;

use super::rebuild::Rebuilt;

/// How a request differs from the one before it: in the same turn, else the last one of the turn before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Difference {
    /// The request before it; absent for the first of a session, and where the one before cannot be shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub previous_id: Option<Uuid>,
    /// Is the system prompt another one?
    pub system_changed: bool,
    /// Are the tools others?
    pub tools_changed: bool,
    /// How many messages at the beginning are the same.
    pub unchanged_messages: usize,
    /// Messages of the one before, behind those.
    #[schema(value_type = Vec<Object>)]
    pub removed: Vec<Message>,
    /// Messages of this one, behind those.
    #[schema(value_type = Vec<Object>)]
    pub added: Vec<Message>,
}

/// Compares a request with the one before it.
pub(super) fn between(previous: Option<&Rebuilt>, request: &Rebuilt) -> Difference {
    if request.is_unknown() {
        return Difference::default();
    }
    let messages = &request.request.messages;
    let Some(previous) = previous.filter(|previous| !previous.is_unknown()) else {
        return Difference { added: messages.clone(), ..Difference::default() };
    };
    let before = &previous.request.messages;
    let same = before.iter().zip(messages).take_while(|(before, now)| before == now).count();
    let changed = |part: fn(&(String, String)) -> &String| {
        previous.shared.as_ref().map(part) != request.shared.as_ref().map(part)
    };
    Difference {
        previous_id: Some(previous.id),
        system_changed: changed(|shared| &shared.0),
        tools_changed: changed(|shared| &shared.1),
        unchanged_messages: same,
        removed: before.get(same..).unwrap_or_default().to_vec(),
        added: messages.get(same..).unwrap_or_default().to_vec(),
    }
}
