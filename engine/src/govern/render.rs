//! Rows in the form in which they are sent: whole, or as it was decided.

use serde_json::{Map, Value};

use super::decisions::{Cut, RowCuts};
use super::snip::snip_text;
use crate::message::{Block, Message, Role, Row, ToolCall};
use crate::text::{ellipsis, head, tail};

/// Stands behind the summary, so that nobody takes what follows for a part of it.
const HEAD_END: &str = "\n[End of the record. The conversation goes on here.]";
/// Room for the note in a shortened text.
const NOTE_CHARS: usize = 80;

/// The message that stands for the head of the history.
pub(super) fn render_head(text: &str) -> Message {
    Message::user(format!("{text}{HEAD_END}"))
}

/// The message of a row with its model-only suffix.
pub(super) fn render_row(row: &Row, cuts: Option<&RowCuts>) -> Message {
    let role = row.message.role;
    let mut blocks = Vec::with_capacity(row.message.blocks.len());
    match cuts {
        None => blocks.extend(row.message.blocks.iter().cloned()),
        Some(cuts) => {
            let cut = |(position, block)| cut_block(role, block, cuts.get(&place(position)));
            blocks.extend(row.message.blocks.iter().enumerate().filter_map(cut));
            let sealed = row.message.blocks.iter().enumerate().filter(|(_, block)| is_reasoning(block));
            if sealed.map(|(position, _)| place(position)).any(|block| cuts.get(&block) == Some(&Cut::Omit)) {
                // What the provider would go on with is gone.
                blocks.retain(|block| *block != Block::Pause);
            }
        }
    }
    if let Some(context) = &row.context {
        let context = match cuts.and_then(|cuts| cuts.get(&place(row.message.blocks.len()))) {
            Some(Cut::Shorten { max_chars }) => &shorten(context, *max_chars),
            Some(Cut::Digest { .. } | Cut::Omit) | None => context,
        };
        // One text with what stands before it, as repair would make it.
        match blocks.last_mut() {
            Some(Block::Text { text }) => {
                text.push_str("\n\n");
                text.push_str(context);
            }
            _ => blocks.push(Block::Text { text: format!("\n\n{context}") }),
        }
    }
    Message { role, blocks }
}

/// A place in a message as decisions name it.
pub(super) fn place(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Reasoning and what belongs to it: whole or absent.
pub(super) fn is_reasoning(block: &Block) -> bool {
    matches!(block, Block::Thinking { .. } | Block::ProviderItem { .. })
}

/// A block in its decided form; `None` when it is left out.
pub(super) fn cut_block(role: Role, block: &Block, cut: Option<&Cut>) -> Option<Block> {
    let Some(cut) = cut else { return Some(block.clone()) };
    Some(match (block, cut) {
        (Block::Result { call_id, name, status, text }, Cut::Shorten { max_chars }) => Block::Result {
            call_id: call_id.clone(),
            name: name.clone(),
            status: *status,
            text: snip_text(text, call_id, *max_chars).unwrap_or_else(|| text.clone()),
        },
        (Block::Result { call_id, name, status, .. }, Cut::Digest { text }) => {
            Block::Result { call_id: call_id.clone(), name: name.clone(), status: *status, text: text.clone() }
        }
        (Block::Text { text }, Cut::Shorten { max_chars }) => Block::Text {
            text: match role {
                // The model would imitate a note in its own words.
                Role::Assistant => ellipsis(text, *max_chars),
                Role::User | Role::Tool | Role::Notice => shorten(text, *max_chars),
            },
        },
        (Block::Call(call), Cut::Shorten { max_chars }) => Block::Call(shorten_call(call, *max_chars)),
        // A line of its own, since texts side by side become one.
        (Block::Image { .. }, Cut::Omit) => {
            Block::Text { text: "\n[An image was left out to save room.]\n".to_owned() }
        }
        (Block::Document { name, .. }, Cut::Omit) => {
            Block::Text { text: format!("\n[The document {:?} was left out to save room.]\n", ellipsis(name, 80)) }
        }
        (Block::Thinking { .. } | Block::ProviderItem { .. }, Cut::Omit) => return None,
        (block, Cut::Shorten { .. } | Cut::Digest { .. } | Cut::Omit) => block.clone(),
    })
}

/// Head and tail of a text with a note between them.
pub(super) fn shorten(text: &str, max_chars: usize) -> String {
    let total = text.chars().count();
    if total <= max_chars {
        return text.to_owned();
    }
    let room = max_chars.saturating_sub(NOTE_CHARS);
    if room < NOTE_CHARS {
        return ellipsis(text, max_chars);
    }
    let (first, last) = (room * 2 / 3, room - room * 2 / 3);
    let left_out = total - first - last;
    format!("{}\n[… {left_out} of {total} characters left out.]\n{}", head(text, first), tail(text, last))
}

/// A call whose long arguments are cut. It stays a call of the same tool with the same id.
fn shorten_call(call: &ToolCall, max_chars: usize) -> ToolCall {
    let each = (max_chars / 4).max(20);
    let mut arguments = call.arguments.clone();
    arguments.values_mut().for_each(|value| shorten_strings(value, each));
    if super::estimate::json_bytes(&arguments) > max_chars.saturating_mul(4) {
        arguments = Map::new();
        arguments
            .insert("left_out".to_owned(), Value::String("the arguments were too long to be sent again".to_owned()));
    }
    ToolCall { id: call.id.clone(), name: call.name.clone(), arguments, malformed: None, signature: None }
}

fn shorten_strings(value: &mut Value, max_chars: usize) {
    match value {
        Value::String(text) => *text = ellipsis(text, max_chars),
        Value::Array(items) => items.iter_mut().for_each(|item| shorten_strings(item, max_chars)),
        Value::Object(fields) => fields.values_mut().for_each(|field| shorten_strings(field, max_chars)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_text_is_never_longer_than_asked() {
        for text in ["x".repeat(5_000), "的".repeat(5_000), "👩‍👩‍👧‍👦é".repeat(900)] {
            for limit in [0, 1, 5, 80, 159, 160, 161, 400, 4_999] {
                assert!(shorten(&text, limit).chars().count() <= limit, "limit {limit}");
            }
            assert_eq!(shorten(&text, text.chars().count()), text);
        }
    }
}
