//! What a strict provider accepts, written without a look at how repair works.

use std::collections::HashSet;

use nanobot_engine::message::{Block, Message, Role};

/// Says what is wrong with a conversation, if anything.
pub(crate) fn strict(messages: &[Message]) -> Result<(), String> {
    let mut at = 0;
    let mut ids = HashSet::new();
    let mut previous: Option<Role> = None;
    while let Some(message) = messages.get(at) {
        let place = at;
        let wrong = |what: &str| Err(format!("message {place}: {what}: {message:?}"));
        if message.blocks.is_empty() {
            return wrong("no block");
        }
        if message.blocks.iter().any(blank) {
            return wrong("blank block");
        }
        at += 1;
        match message.role {
            Role::Notice => return wrong("notices are not for models"),
            Role::Tool => return wrong("a result without a call before it"),
            Role::User => {
                if previous == Some(Role::User) {
                    return wrong("two user messages in a row");
                }
                if !message
                    .blocks
                    .iter()
                    .all(|block| matches!(block, Block::Text { .. } | Block::Image { .. } | Block::Document { .. }))
                {
                    return wrong("a user message holds text and images alone");
                }
                previous = Some(Role::User);
            }
            Role::Assistant => {
                if previous.is_none() {
                    return wrong("the user speaks first");
                }
                if previous == Some(Role::Assistant) {
                    return wrong("two assistant messages in a row");
                }
                if message.blocks.iter().any(|block| matches!(block, Block::Result { .. } | Block::Image { .. })) {
                    return wrong("an assistant message holds no results or images");
                }
                let pauses = message.blocks.iter().filter(|block| **block == Block::Pause).count();
                if pauses > 0 && (pauses > 1 || !paused(message) || place + 1 != messages.len()) {
                    return wrong("a pause stands at the very end");
                }
                if !message.blocks.iter().any(|block| block.is_content() || *block == Block::Pause) {
                    return wrong("reasoning alone");
                }
                previous = Some(Role::Assistant);
                for call in message.calls() {
                    if call.id.trim().is_empty() || call.name.trim().is_empty() {
                        return wrong("a call without id or name");
                    }
                    if !ids.insert(call.id.clone()) {
                        return wrong("an id is used twice");
                    }
                    let answer = messages.get(at).map(|next| (next.role, next.blocks.as_slice()));
                    let Some((Role::Tool, [Block::Result { call_id, text, .. }])) = answer else {
                        return wrong("a call without its result right behind");
                    };
                    if *call_id != call.id {
                        return wrong("results are not in the order of the calls");
                    }
                    if text.trim().is_empty() {
                        return wrong("a blank result");
                    }
                    at += 1;
                    previous = Some(Role::Tool);
                }
            }
        }
    }
    match previous {
        None | Some(Role::User | Role::Tool) => Ok(()),
        Some(Role::Assistant) if messages.last().is_some_and(paused) => Ok(()),
        Some(last) => Err(format!("nothing to answer: the last message is of {last:?}")),
    }
}

fn paused(message: &Message) -> bool {
    message.blocks.last() == Some(&Block::Pause) && message.calls().next().is_none()
}

fn blank(block: &Block) -> bool {
    match block {
        Block::Text { text } | Block::Thinking { text, signature: None } => text.trim().is_empty(),
        _ => false,
    }
}
