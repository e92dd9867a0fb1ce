//! The built-in demo model: a script that runs in this process, so that a newcomer sees reasoning, tools and streaming before having a
//! key. It says what it is, needs no network, and gives the same answer to the same conversation.

mod listing;
mod script;

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::message::{Block, Message};
use nanobot_engine::model::{ModelRequest, Reply, StreamItem};
use nanobot_engine::usage::Usage;

use self::script::{Script, script};
use crate::provider::provider::{ModelStream, Provider};

/// Pace that looks like a model writing.
const PIECE_DELAY: Duration = Duration::from_millis(15);
/// Characters of one token, by the usual rule of thumb.
const CHARS_PER_TOKEN: usize = 4;

/// Answers by script.
#[derive(Clone, Copy, Debug)]
pub struct DemoProvider {
    piece_delay: Duration,
}

impl Default for DemoProvider {
    fn default() -> Self {
        Self::new(PIECE_DELAY)
    }
}

impl DemoProvider {
    /// Name of its one model.
    pub const MODEL: &'static str = "demo";

    /// A demo model that waits `piece_delay` before each piece of an answer.
    #[must_use]
    pub fn new(piece_delay: Duration) -> Self {
        Self { piece_delay }
    }
}

#[async_trait]
impl Provider for DemoProvider {
    async fn start(&self, request: ModelRequest) -> Box<dyn ModelStream> {
        let items = perform(script(&request), input_chars(&request));
        Box::new(DemoStream { items, piece_delay: self.piece_delay })
    }
}

struct DemoStream {
    items: VecDeque<StreamItem>,
    piece_delay: Duration,
}

#[async_trait]
impl ModelStream for DemoStream {
    async fn next(&mut self, items: &mut Vec<StreamItem>) {
        if !self.piece_delay.is_zero() && !self.items.is_empty() {
            tokio::time::sleep(self.piece_delay).await;
        }
        items.extend(self.items.pop_front());
    }
}

/// The script as the pieces of a stream.
fn perform(script: Script, input_chars: usize) -> VecDeque<StreamItem> {
    let mut items = VecDeque::new();
    items.extend(script.reasoning.split_inclusive(' ').map(|piece| StreamItem::Reasoning(piece.to_owned())));
    items.extend(script.text.split_inclusive([' ', '\n']).map(|piece| StreamItem::Text(piece.to_owned())));
    let mut blocks = Vec::new();
    if !script.reasoning.is_empty() {
        blocks.push(Block::Thinking { text: script.reasoning, signature: None });
    }
    if !script.text.is_empty() {
        blocks.push(Block::Text { text: script.text });
    }
    blocks.extend(script.call.map(Block::Call));
    let input_tokens = tokens(input_chars);
    let output_tokens = tokens(blocks.iter().map(block_chars).sum());
    let usage = Usage {
        input_tokens,
        output_tokens,
        context_tokens: input_tokens + output_tokens,
        estimated: true,
        ..Usage::default()
    };
    items.push_back(StreamItem::End(Box::new(Reply { end: script.end, blocks, usage: Some(usage) })));
    items
}

fn tokens(chars: usize) -> u64 {
    u64::try_from(chars.div_ceil(CHARS_PER_TOKEN)).unwrap_or(u64::MAX)
}

fn input_chars(request: &ModelRequest) -> usize {
    let message = |message: &Message| message.blocks.iter().map(block_chars).sum::<usize>();
    let tools = request.tools.iter().map(|tool| {
        tool.name.chars().count() + tool.description.chars().count() + tool.parameters.to_string().chars().count()
    });
    request.system.chars().count() + request.messages.iter().map(message).sum::<usize>() + tools.sum::<usize>()
}

fn block_chars(block: &Block) -> usize {
    match block {
        Block::Text { text } | Block::Result { text, .. } | Block::Thinking { text, .. } => text.chars().count(),
        Block::Call(call) => {
            call.name.chars().count() + serde_json::to_string(&call.arguments).map_or(0, |text| text.chars().count())
        }
        Block::Image { .. } | Block::Document { .. } | Block::ProviderItem { .. } | Block::Pause => 0,
    }
}

#[cfg(test)]
mod tests;
