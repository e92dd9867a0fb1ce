//! Repair: any history becomes one that a strict provider accepts.
//!
//! After it: the first message is the user's and the last one is not the model's, but for one that the provider paused; every call has exactly one result,
//! right behind it; no result stands alone; ids are unique; no block is blank; the newest user message is still there.

use std::collections::{HashMap, HashSet};

use crate::message::{Block, Message, Role, ToolCall};
use crate::tool::CallStatus;

/// What the model reads where a result was lost.
const LOST_RESULT: &str = "Error: the result of this call was lost; nothing is known about its effect.";

/// No summary stands before the messages.
const NOTHING_BEFORE: bool = false;

/// Repairs messages. Repaired messages stay as they are.
#[must_use]
pub fn repair(messages: Vec<Message>) -> Vec<Message> {
    if is_legal(&messages, NOTHING_BEFORE) {
        return messages;
    }
    let mut results = ResultPool::new(&messages);
    let mut used_ids = HashSet::new();
    let mut out: Vec<Message> = Vec::with_capacity(messages.len());
    for (position, message) in messages.into_iter().enumerate() {
        match message.role {
            Role::Notice | Role::Tool => {}
            Role::User => push_user(&mut out, message),
            Role::Assistant => push_assistant(&mut out, message, position, &mut results, &mut used_ids),
        }
    }
    let start = out.iter().position(|message| message.role == Role::User).unwrap_or(out.len());
    out.drain(..start);
    // Two messages of the model were joined above, so at most one stands here; its calls would have results behind it.
    out.pop_if(|last| last.role == Role::Assistant && !is_paused(last));
    out
}

/// Results by call id and place, each handed out once.
struct ResultPool {
    by_id: HashMap<String, Vec<(usize, Block)>>,
    /// Messages that call with this id, newest first.
    callers: HashMap<String, Vec<usize>>,
}

impl ResultPool {
    fn new(messages: &[Message]) -> Self {
        let mut by_id: HashMap<String, Vec<(usize, Block)>> = HashMap::new();
        let mut callers: HashMap<String, Vec<usize>> = HashMap::new();
        for (position, message) in messages.iter().enumerate() {
            for block in &message.blocks {
                if let Block::Result { call_id, .. } = block {
                    by_id.entry(call_id.clone()).or_default().push((position, block.clone()));
                }
            }
        }
        let assistants = messages.iter().enumerate().rev().filter(|(_, message)| message.role == Role::Assistant);
        for (position, call) in assistants.flat_map(|(at, message)| message.calls().map(move |call| (at, call))) {
            callers.entry(call.id.clone()).or_default().push(position);
        }
        Self { by_id, callers }
    }

    /// The first result with this id that stands after `position` and before a later message calls with the same id.
    fn take(&mut self, call_id: &str, position: usize) -> Option<Block> {
        let callers = self.callers.get_mut(call_id)?;
        while callers.last().is_some_and(|caller| *caller <= position) {
            callers.pop();
        }
        let until = callers.last().copied().unwrap_or(usize::MAX);
        let candidates = self.by_id.get_mut(call_id)?;
        let found = candidates.iter().position(|(at, _)| *at > position && *at < until)?;
        Some(candidates.remove(found).1)
    }
}

/// Text without a character to see. Signed reasoning is never blank: it goes back as it came, or not at all.
fn is_blank(block: &Block) -> bool {
    match block {
        Block::Text { text } | Block::Thinking { text, signature: None } => text.trim().is_empty(),
        Block::Thinking { .. }
        | Block::ProviderItem { .. }
        | Block::Pause
        | Block::Image { .. }
        | Block::Document { .. }
        | Block::Call(_)
        | Block::Result { .. } => false,
    }
}

/// Does the provider go on with this message when it is the last one?
fn is_paused(message: &Message) -> bool {
    message.blocks.last() == Some(&Block::Pause)
}

/// May this stand in a message of the user?
fn is_users(block: &Block) -> bool {
    matches!(block, Block::Text { .. } | Block::Image { .. } | Block::Document { .. })
}

fn push_user(out: &mut Vec<Message>, message: Message) {
    let blocks: Vec<Block> = message.blocks.into_iter().filter(|block| is_users(block) && !is_blank(block)).collect();
    if blocks.is_empty() {
        return;
    }
    if let Some(last) = out.last_mut()
        && last.blocks.pop_if(|block| *block == Block::Pause).is_some()
        && !says_something(last)
    {
        out.pop();
    }
    match out.last_mut() {
        Some(last) if last.role == Role::User => append(last, blocks),
        _ => {
            let mut message = Message { role: Role::User, blocks };
            merge_text(&mut message);
            out.push(message);
        }
    }
}

/// Is there more than reasoning in a message of the model?
fn says_something(message: &Message) -> bool {
    message.blocks.iter().any(|block| matches!(block, Block::Text { .. } | Block::Call(_)))
}

/// Adds what another message of the same role said, as a paragraph of its own.
fn append(last: &mut Message, blocks: Vec<Block>) {
    last.blocks.pop_if(|block| *block == Block::Pause);
    if matches!((last.blocks.last(), blocks.first()), (Some(Block::Text { .. }), Some(Block::Text { .. }))) {
        last.blocks.push(Block::Text { text: "\n\n".to_owned() });
    }
    last.blocks.extend(blocks);
    merge_text(last);
}

/// Neighbouring text blocks become one, so that merging twice changes nothing.
fn merge_text(message: &mut Message) {
    let mut merged: Vec<Block> = Vec::with_capacity(message.blocks.len());
    for block in message.blocks.drain(..) {
        match (merged.last_mut(), block) {
            (Some(Block::Text { text }), Block::Text { text: more }) => text.push_str(&more),
            (_, block) => merged.push(block),
        }
    }
    message.blocks = merged;
}

fn push_assistant(
    out: &mut Vec<Message>,
    message: Message,
    position: usize,
    results: &mut ResultPool,
    used_ids: &mut HashSet<String>,
) {
    let paused = is_paused(&message);
    let mut answers = Vec::new();
    let mut blocks = Vec::with_capacity(message.blocks.len());
    let mut seen: Vec<ToolCall> = Vec::new();
    for block in message.blocks {
        match block {
            Block::Call(call) if call.name.trim().is_empty() => {}
            Block::Call(call) => {
                // The same call delivered twice is one call; other calls that share an id stay and get ids of their own.
                if !call.id.trim().is_empty() && seen.contains(&call) {
                    continue;
                }
                seen.push(call.clone());
                let result = results.take(&call.id, position);
                let id = unique_id(&call.id, used_ids);
                answers.push(answer(&call, &id, result));
                blocks.push(Block::Call(ToolCall { id, ..call }));
            }
            Block::Result { .. } | Block::Image { .. } | Block::Document { .. } | Block::Pause => {}
            block if is_blank(&block) => {}
            block => blocks.push(block),
        }
    }
    if paused && seen.is_empty() {
        blocks.push(Block::Pause);
    }
    // Reasoning alone is no message that a provider takes back.
    if !blocks.iter().any(|block| matches!(block, Block::Text { .. } | Block::Call(_) | Block::Pause)) {
        return;
    }
    let follows_assistant = out.last().is_some_and(|last| last.role == Role::Assistant);
    match out.last_mut() {
        Some(last) if follows_assistant => append(last, blocks),
        _ => out.push(Message { role: Role::Assistant, blocks }),
    }
    out.extend(answers.into_iter().map(|result| Message { role: Role::Tool, blocks: vec![result] }));
}

fn answer(call: &ToolCall, id: &str, found: Option<Block>) -> Block {
    let (status, text) = match found {
        Some(Block::Result { status, text, .. }) if !text.trim().is_empty() => (status, text),
        Some(Block::Result { status, .. }) => (status, format!("({} gave no output)", call.name)),
        _ => (CallStatus::Unknown, LOST_RESULT.to_owned()),
    };
    Block::Result { call_id: id.to_owned(), name: call.name.clone(), status, text }
}

fn unique_id(wanted: &str, used: &mut HashSet<String>) -> String {
    let base = if wanted.trim().is_empty() { "call" } else { wanted };
    let mut id = base.to_owned();
    let mut number = 2_u32;
    while !used.insert(id.clone()) {
        id = format!("{base}_{number}");
        number += 1;
    }
    id
}

/// The common case, found without copying anything. Behind a summary the model may speak first, and so may the user.
pub(super) fn is_legal<'a>(
    messages: impl IntoIterator<Item = &'a Message, IntoIter: ExactSizeIterator>,
    behind_summary: bool,
) -> bool {
    let messages = messages.into_iter();
    let length = messages.len();
    let mut last_is_paused = false;
    let mut ids = HashSet::new();
    let mut open: std::collections::VecDeque<&str> = std::collections::VecDeque::new();
    let mut previous = None;
    for (position, message) in messages.enumerate() {
        let legal = match message.role {
            Role::Notice => false,
            Role::User => {
                open.is_empty()
                    && previous != Some(Role::User)
                    && !message.blocks.is_empty()
                    && message.blocks.iter().all(|b| is_users(b) && !is_blank(b))
                    && !message.blocks.windows(2).any(|pair| matches!(pair, [Block::Text { .. }, Block::Text { .. }]))
            }
            Role::Assistant => {
                open.extend(message.calls().map(|call| call.id.as_str()));
                (matches!(previous, Some(Role::User | Role::Tool)) || (behind_summary && previous.is_none()))
                    && message.calls().all(|call| {
                        !call.name.trim().is_empty() && !call.id.trim().is_empty() && ids.insert(call.id.as_str())
                    })
                    && message.blocks.iter().any(|b| matches!(b, Block::Text { .. } | Block::Call(_) | Block::Pause))
                    && !message
                        .blocks
                        .iter()
                        .any(|b| is_blank(b) || matches!(b, Block::Result { .. } | Block::Image { .. } | Block::Document { .. }))
                    // A pause stands only at the very end, behind a message without calls.
                    && message.blocks.iter().position(|b| *b == Block::Pause).is_none_or(|at| {
                        at + 1 == message.blocks.len()
                            && position + 1 == length
                            && message.calls().next().is_none()
                    })
            }
            Role::Tool => match message.blocks.as_slice() {
                [Block::Result { call_id, text, .. }] => {
                    !text.trim().is_empty() && open.pop_front() == Some(call_id.as_str())
                }
                _ => false,
            },
        };
        // Calls have to be answered before anything else is said.
        if !legal || (message.role == Role::Assistant && previous == Some(Role::Assistant)) {
            return false;
        }
        if message.role == Role::Assistant && open.len() != message.calls().count() {
            return false;
        }
        previous = Some(message.role);
        last_is_paused = is_paused(message);
    }
    open.is_empty() && (previous != Some(Role::Assistant) || last_is_paused)
}
