//! Keeps what only the provider understands legal: its own tools with their results, and thinking never at the end of a message.

use std::collections::HashSet;

use serde_json::Value;

use super::blocks::{WireBlock, WireMessage, WireRole, item_type};

/// What an item is to the provider's own tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ServerItem<'a> {
    /// The provider calls a tool of its own.
    Use(&'a str),
    /// What came of it.
    Result(&'a str),
    /// Anything else.
    Other,
}

impl<'a> ServerItem<'a> {
    pub(crate) fn of(item: &'a Value) -> Self {
        let text = |key: &str| item.get(key).and_then(Value::as_str).unwrap_or_default();
        match item_type(item) {
            "server_tool_use" | "mcp_tool_use" => Self::Use(text("id")),
            kind if kind.ends_with("_tool_result") => Self::Result(text("tool_use_id")),
            _ => Self::Other,
        }
    }

    fn in_block(block: &WireBlock<'a>) -> Self {
        match block {
            WireBlock::Sealed(item) => Self::of(item),
            _ => Self::Other,
        }
    }
}

/// Is the last message sent to be gone on with?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resumed {
    Yes,
    No,
}

/// Removes what the API refuses: a use without its result in the same message or a result without its use ("Server tools"), uses at the
/// end of a message that is gone on with excepted; and thinking at the end of a message ("Extended thinking"). Messages of which nothing
/// but thinking is left go too, and their neighbours become one.
pub(crate) fn make_legal<'a>(messages: &mut Vec<WireMessage<'a>>, resumed: Resumed) {
    let last = messages.len().saturating_sub(1);
    let mut used_ids: HashSet<&'a str> = HashSet::new();
    for (position, message) in messages.iter_mut().enumerate() {
        if message.role == WireRole::Assistant {
            pair(&mut message.content, &mut used_ids, resumed == Resumed::Yes && position == last);
            while message.content.pop_if(|block| block.is_thinking()).is_some() {}
        }
    }
    let mut joined: Vec<WireMessage<'a>> = Vec::with_capacity(messages.len());
    for message in messages.drain(..).filter(|message| !message.content.is_empty()) {
        match joined.last_mut() {
            Some(before) if before.role == message.role => before.content.extend(message.content),
            _ => joined.push(message),
        }
    }
    *messages = joined;
}

fn pair<'a>(content: &mut Vec<WireBlock<'a>>, used_ids: &mut HashSet<&'a str>, may_be_open: bool) {
    let (mut seen, mut answered) = (HashSet::new(), HashSet::new());
    for block in content.iter() {
        match ServerItem::in_block(block) {
            ServerItem::Use(id) => {
                seen.insert(id);
            }
            ServerItem::Result(id) if seen.contains(id) => {
                answered.insert(id);
            }
            ServerItem::Result(_) | ServerItem::Other => {}
        }
    }
    let open_from = match content.iter().rposition(|block| !matches!(ServerItem::in_block(block), ServerItem::Use(_))) {
        _ if !may_be_open => content.len(),
        Some(position) => position + 1,
        None => 0,
    };
    let (mut kept, mut given) = (HashSet::new(), HashSet::new());
    let mut position = 0;
    content.retain(|block| {
        let is_open = position >= open_from;
        position += 1;
        match ServerItem::in_block(block) {
            ServerItem::Use(id) => (answered.contains(id) || is_open) && used_ids.insert(id) && kept.insert(id),
            ServerItem::Result(id) => kept.contains(id) && given.insert(id),
            ServerItem::Other => true,
        }
    });
}
