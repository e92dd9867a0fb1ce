//! Puts the content blocks of an answer together from the events in which they arrive.

use nanobot_engine::message::{Block, Signature, ToolCall};
use nanobot_engine::model::StreamItem;
use serde_json::{Map, Value};

use super::blocks::item_type;
use super::sealed::ServerItem;
use super::server_tools::{ended, running, started};
use crate::provider::answer::Answer;
use crate::provider::chat::read_arguments;

/// The blocks of one answer, as far as they have arrived, in the order of the stream.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    parts: Vec<Part>,
}

#[derive(Debug)]
struct Part {
    index: u64,
    /// The provider said that it is whole.
    is_closed: bool,
    body: Body,
}

#[derive(Debug)]
enum Body {
    /// Text; servers that know no thinking blocks may put tagged reasoning before it.
    Text {
        reasoning: String,
        text: String,
    },
    Thinking {
        text: String,
        signature: String,
    },
    Call {
        id: String,
        name: String,
        input: Value,
        json: String,
    },
    /// In the provider's own form.
    Item {
        item: Value,
        json: String,
    },
}

impl Parts {
    /// A block begins; it may bring all that it holds.
    pub(crate) fn start(&mut self, index: u64, block: &Value, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        let text = |key: &str| block.get(key).and_then(Value::as_str).unwrap_or_default();
        let body = match item_type(block) {
            "" => return,
            "text" => Body::Text { reasoning: String::new(), text: String::new() },
            "thinking" => Body::Thinking { text: String::new(), signature: text("signature").to_owned() },
            "tool_use" => Body::Call {
                id: text("id").to_owned(),
                name: text("name").trim().to_owned(),
                input: block.get("input").cloned().unwrap_or(Value::Null),
                json: String::new(),
            },
            _ => Body::Item { item: block.clone(), json: String::new() },
        };
        // What was held back for a tag cannot become one in another block.
        self.finish(answer, items);
        self.parts.push(Part { index, is_closed: false, body });
        match item_type(block) {
            "text" => self.text(index, text("text"), answer, items),
            "thinking" => self.thinking(index, text("thinking"), answer, items),
            _ => {
                if let ServerItem::Use(id) = ServerItem::of(block) {
                    items.push(StreamItem::ProviderTool(started(id, text("name"))));
                }
            }
        }
    }

    /// More of the block that began last with this index.
    pub(crate) fn delta(&mut self, index: u64, delta: &Value, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        let text = |key: &str| delta.get(key).and_then(Value::as_str).unwrap_or_default();
        match item_type(delta) {
            "text_delta" => self.text(index, text("text"), answer, items),
            "thinking_delta" => self.thinking(index, text("thinking"), answer, items),
            "signature_delta" => {
                if let Some(Body::Thinking { signature, .. }) = self.body(index) {
                    text("signature").clone_into(signature);
                }
            }
            "input_json_delta" => {
                if let Some(Body::Call { json, .. } | Body::Item { json, .. }) = self.body(index) {
                    json.push_str(text("partial_json"));
                }
            }
            // What a text refers to is beside the text, and not asked for when the text goes back.
            "citations_delta" => {}
            _ => {
                if let Some(Body::Item { item: Value::Object(item), .. }) = self.body(index) {
                    merge(item, delta);
                }
            }
        }
    }

    /// The block is whole.
    pub(crate) fn stop(&mut self, index: u64, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        let Some(at) = self.parts.iter().rposition(|part| part.index == index) else { return };
        self.flush(at, answer, items);
        let Some(part) = self.parts.get_mut(at) else { return };
        if std::mem::replace(&mut part.is_closed, true) {
            return;
        }
        let Body::Item { item, json } = &mut part.body else { return };
        if !json.trim().is_empty() {
            match serde_json::from_str::<Value>(json) {
                Ok(input) => set(item, "input", input),
                // An item that is not what the provider meant cannot go back.
                Err(_) => {
                    self.parts.remove(at);
                    return;
                }
            }
        }
        self.tell(at, items);
    }

    /// No more text comes for now: what was held back is text.
    pub(crate) fn finish(&mut self, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        if let Some(at) = self.parts.iter().rposition(|part| matches!(part.body, Body::Text { .. })) {
            self.flush(at, answer, items);
        }
    }

    pub(crate) fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| matches!(part.body, Body::Call { .. }))
    }

    /// True when every call has a name and arguments that can be read.
    pub(crate) fn calls_are_whole(&self) -> bool {
        self.parts.iter().all(|part| match &part.body {
            Body::Call { name, input, json, .. } => !name.is_empty() && arguments(input, json).1.is_none(),
            Body::Text { .. } | Body::Thinking { .. } | Body::Item { .. } => true,
        })
    }

    /// The blocks that can be kept; calls only when they may be run.
    pub(crate) fn into_blocks(self, by: &str, calls: Calls) -> Vec<Block> {
        let mut blocks = Vec::new();
        for Part { is_closed, body, .. } in self.parts {
            match body {
                Body::Text { reasoning, text } => {
                    if !reasoning.is_empty() {
                        blocks.push(Block::Thinking { text: reasoning, signature: None });
                    }
                    if !text.is_empty() {
                        blocks.push(Block::Text { text });
                    }
                }
                Body::Thinking { text, signature } => {
                    let signature =
                        (is_closed && !signature.is_empty()).then(|| Signature { by: by.to_owned(), value: signature });
                    if !text.is_empty() || signature.is_some() {
                        blocks.push(Block::Thinking { text, signature });
                    }
                }
                Body::Call { id, name, input, json } => {
                    if calls == Calls::HandedOut {
                        let (arguments, malformed) = arguments(&input, &json);
                        blocks.push(Block::Call(ToolCall { id, name, arguments, malformed, signature: None }));
                    }
                }
                Body::Item { item, .. } => {
                    if is_closed {
                        blocks.push(Block::ProviderItem { by: by.to_owned(), item });
                    }
                }
            }
        }
        blocks
    }

    fn body(&mut self, index: u64) -> Option<&mut Body> {
        self.parts.iter_mut().rev().find(|part| part.index == index).map(|part| &mut part.body)
    }

    /// The text block of this index, which a server may have left to be understood.
    fn text(&mut self, index: u64, more: &str, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        if more.is_empty() {
            return;
        }
        if !matches!(self.body(index), Some(Body::Text { .. })) {
            let body = Body::Text { reasoning: String::new(), text: String::new() };
            self.parts.push(Part { index, is_closed: false, body });
        }
        // Only a server without blocks for what is no text has reason to write tags.
        let may_be_tagged = self.parts.iter().all(|part| matches!(part.body, Body::Text { .. }));
        let at = self.parts.iter().rposition(|part| part.index == index).unwrap_or_default();
        self.absorb(at, answer, |answer| match may_be_tagged {
            true => answer.content(more, items),
            false => answer.text(more, items),
        });
    }

    fn thinking(&mut self, index: u64, more: &str, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        if more.is_empty() {
            return;
        }
        if !matches!(self.body(index), Some(Body::Thinking { .. })) {
            self.finish(answer, items);
            let body = Body::Thinking { text: String::new(), signature: String::new() };
            self.parts.push(Part { index, is_closed: false, body });
        }
        if let Some(Body::Thinking { text, .. }) = self.body(index) {
            text.push_str(more);
            answer.reasoning(more, items);
        }
    }

    fn flush(&mut self, at: usize, answer: &mut Answer, items: &mut Vec<StreamItem>) {
        self.absorb(at, answer, |answer| answer.finish(items));
    }

    /// Adds to a text block what `feed` adds to the answer.
    fn absorb(&mut self, at: usize, answer: &mut Answer, feed: impl FnOnce(&mut Answer)) {
        let Some(Body::Text { reasoning, text }) = self.parts.get_mut(at).map(|part| &mut part.body) else { return };
        let before = (answer.reasoning.len(), answer.text.len());
        feed(answer);
        reasoning.push_str(answer.reasoning.get(before.0..).unwrap_or_default());
        text.push_str(answer.text.get(before.1..).unwrap_or_default());
    }

    /// Tells of the provider's own tool that this item is about.
    fn tell(&self, at: usize, items: &mut Vec<StreamItem>) {
        let Some(Body::Item { item, .. }) = self.parts.get(at).map(|part| &part.body) else { return };
        let name = |item: &Value| item.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let event = match ServerItem::of(item) {
            ServerItem::Use(id) => running(id, &name(item), item.get("input").and_then(Value::as_object)),
            ServerItem::Result(id) => {
                let call = self.parts.iter().find_map(|part| match &part.body {
                    Body::Item { item, .. } if ServerItem::of(item) == ServerItem::Use(id) => Some(name(item)),
                    _ => None,
                });
                // The call may be in the message before, which was paused.
                let named = || item_type(item).trim_end_matches("_tool_result").to_owned();
                ended(id, &call.unwrap_or_else(named), item)
            }
            ServerItem::Other => return,
        };
        items.push(StreamItem::ProviderTool(event));
    }
}

/// May the calls of an answer be run?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calls {
    HandedOut,
    LeftOut,
}

/// Input comes in pieces of JSON text, or whole with the start of its block, or not at all where there is none.
fn arguments(input: &Value, json: &str) -> (Map<String, Value>, Option<String>) {
    if !json.trim().is_empty() {
        return read_arguments(json.to_owned());
    }
    match input {
        Value::Object(arguments) => (arguments.clone(), None),
        Value::Null => (Map::new(), None),
        Value::String(text) => read_arguments(text.clone()),
        other => (Map::new(), Some(other.to_string())),
    }
}

/// Adds a delta of a kind that is not known here: text goes on where there is some, anything else is put in place.
fn merge(item: &mut Map<String, Value>, delta: &Value) {
    for (key, more) in delta.as_object().into_iter().flatten().filter(|(key, _)| *key != "type") {
        match (item.get_mut(key), more) {
            (Some(Value::String(text)), Value::String(more)) => text.push_str(more),
            (Some(_), Value::Null) => {}
            _ => {
                item.insert(key.clone(), more.clone());
            }
        }
    }
}

fn set(item: &mut Value, key: &str, value: Value) {
    if let Some(item) = item.as_object_mut() {
        item.insert(key.to_owned(), value);
    }
}
