//! Token estimates without a tokenizer: cheap, and rather too high than too low.

use crate::message::{Block, Message};

/// Tokens that a message costs beside its text.
const MESSAGE_OVERHEAD: u64 = 4;
/// What one image is taken to cost.
const IMAGE_TOKENS: u64 = 1_600;
/// What a document is taken to cost, when nothing is known of its pages.
const DOCUMENT_TOKENS: u64 = 8_000;

/// About four bytes of ASCII or one other character are a token.
#[must_use]
pub fn estimate_text(text: &str) -> u64 {
    let ascii = text.bytes().filter(u8::is_ascii).count() as u64;
    let other = text.chars().count() as u64 - ascii;
    ascii.div_ceil(4) + other
}

/// Estimate of one message with its blocks.
#[must_use]
pub fn estimate_message(message: &Message) -> u64 {
    MESSAGE_OVERHEAD + message.blocks.iter().map(estimate_block).sum::<u64>()
}

fn estimate_block(block: &Block) -> u64 {
    match block {
        Block::Text { text } | Block::Result { text, .. } => estimate_text(text),
        Block::Thinking { text, signature } => {
            estimate_text(text) + signature.as_ref().map_or(0, |signature| estimate_text(&signature.value))
        }
        Block::ProviderItem { item, .. } => estimate_text(&item.to_string()),
        Block::Pause => 0,
        Block::Image { .. } => IMAGE_TOKENS,
        Block::Document { .. } => DOCUMENT_TOKENS,
        Block::Call(call) => {
            let arguments = serde_json::to_string(&call.arguments).unwrap_or_default();
            estimate_text(&call.name) + estimate_text(&arguments) + MESSAGE_OVERHEAD
        }
    }
}
