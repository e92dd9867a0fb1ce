//! Text and reasoning of one output item, which come in pieces, as a whole, or both.

use nanobot_engine::message::Block;
use nanobot_engine::model::StreamItem;
use serde_json::Value;

use crate::provider::answer::Answer;

/// What is put between texts that no white space divides.
const DIVIDER: &str = "\n\n";

/// What a part of an item holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PartKind {
    Text,
    Refusal,
    /// A summary of reasoning that is not shown.
    Summary,
    /// The reasoning itself.
    Reasoning,
}

impl PartKind {
    /// The kind that events of this name bring.
    pub(crate) fn of_event(name: &str) -> Option<Self> {
        match name {
            "output_text" => Some(Self::Text),
            "refusal" => Some(Self::Refusal),
            "reasoning_summary_text" | "reasoning_summary" => Some(Self::Summary),
            "reasoning_text" | "reasoning" => Some(Self::Reasoning),
            _ => None,
        }
    }

    fn of_part(name: &str) -> Option<Self> {
        match name {
            "output_text" | "text" => Some(Self::Text),
            "refusal" => Some(Self::Refusal),
            "summary_text" => Some(Self::Summary),
            "reasoning_text" => Some(Self::Reasoning),
            _ => None,
        }
    }

    /// The type of the items that have such parts.
    pub(crate) fn item_type(self) -> &'static str {
        match self {
            Self::Text | Self::Refusal => "message",
            Self::Summary | Self::Reasoning => "reasoning",
        }
    }
}

/// A part of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PartKey {
    pub(crate) kind: PartKind,
    pub(crate) index: u64,
}

/// Reads a part with its text.
pub(crate) fn read_part(part: &Value) -> Option<(PartKind, &str)> {
    let kind = PartKind::of_part(part.get("type").and_then(Value::as_str)?)?;
    let text = part.get("text").or_else(|| part.get("refusal")).and_then(Value::as_str)?;
    Some((kind, text))
}

/// The texts of a whole item.
pub(crate) fn texts_of(item: &Value) -> Vec<(PartKey, &str)> {
    let list = |key: &str| item.get(key).and_then(Value::as_array).into_iter().flatten();
    let parts = |key: &'static str| {
        (0_u64..)
            .zip(list(key))
            .filter_map(|(index, part)| read_part(part).map(|(kind, text)| (PartKey { kind, index }, text)))
    };
    let mut texts: Vec<(PartKey, &str)> = parts("summary").chain(parts("content")).collect();
    if let Some(text) = item.get("content").and_then(Value::as_str) {
        texts.push((PartKey { kind: PartKind::Text, index: 0 }, text));
    }
    texts
}

/// How the visible text and the reasoning of the whole answer end so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tails {
    text: Option<char>,
    reasoning: Option<char>,
}

/// What an item says.
#[derive(Debug, Default)]
pub(crate) struct Spoken {
    pub(crate) answer: Answer,
    /// What came of each part, in the server's own words.
    parts: Vec<(PartKey, String)>,
}

impl Spoken {
    /// More of a part.
    pub(crate) fn more(&mut self, key: PartKey, text: &str, tails: &mut Tails, items: &mut Vec<StreamItem>) {
        // A server that gives the reasoning and a summary of it says the same thing twice.
        let is_other_reasoning = match key.kind {
            PartKind::Text | PartKind::Refusal => false,
            PartKind::Summary | PartKind::Reasoning => {
                self.parts.first().is_some_and(|(first, _)| first.kind != key.kind)
            }
        };
        let Some(begins_with) = text.chars().next().filter(|_| !is_other_reasoning) else { return };
        let is_first = self.parts.is_empty();
        let is_new = match self.parts.iter_mut().find(|(other, _)| *other == key) {
            Some((_, came)) => {
                came.push_str(text);
                false
            }
            None => {
                self.parts.push((key, text.to_owned()));
                true
            }
        };
        let is_glued = |tail: Option<char>| tail.is_some_and(|c| !c.is_whitespace()) && !begins_with.is_whitespace();
        match key.kind {
            PartKind::Text | PartKind::Refusal => {
                if is_first && is_glued(tails.text) {
                    self.answer.text(DIVIDER, items);
                }
                self.answer.content(text, items);
            }
            PartKind::Summary | PartKind::Reasoning => {
                if is_new && is_glued(tails.reasoning) {
                    self.answer.reasoning(DIVIDER, items);
                }
                self.answer.reasoning(text, items);
            }
        }
        tails.text = self.answer.text.chars().next_back().or(tails.text);
        tails.reasoning = self.answer.reasoning.chars().next_back().or(tails.reasoning);
    }

    /// A part as a whole: what did not come yet.
    pub(crate) fn whole(&mut self, key: PartKey, text: &str, tails: &mut Tails, items: &mut Vec<StreamItem>) {
        let came = self.parts.iter().find(|(other, _)| *other == key).map_or("", |(_, came)| came.as_str());
        if let Some(rest) = text.strip_prefix(came) {
            self.more(key, rest, tails, items);
        }
    }

    /// All parts as a whole: what did not come yet. Compared as one text, since some servers do not number parts.
    pub(crate) fn settle(&mut self, texts: &[(PartKey, &str)], tails: &mut Tails, items: &mut Vec<StreamItem>) {
        let first_kind = self
            .parts
            .first()
            .map(|(key, _)| key.kind)
            .or(texts.iter().find(|(_, text)| !text.is_empty()).map(|(key, _)| key.kind));
        let is_same = |key: &PartKey| match (key.kind, first_kind) {
            (PartKind::Text | PartKind::Refusal, _) | (_, None) => true,
            (kind, Some(first)) => kind == first,
        };
        let texts: Vec<(PartKey, &str)> = texts.iter().filter(|(key, _)| is_same(key)).copied().collect();
        let came: String = self.parts.iter().map(|(_, came)| came.as_str()).collect();
        let all: String = texts.iter().map(|(_, text)| *text).collect();
        if !all.starts_with(&came) {
            return;
        }
        let mut known = came.len();
        for (key, text) in texts {
            match text.get(known..) {
                Some(rest) => {
                    known = 0;
                    self.more(key, rest, tails, items);
                }
                None => known = known.saturating_sub(text.len()),
            }
        }
    }

    /// Nothing more comes.
    pub(crate) fn finish(&mut self, items: &mut Vec<StreamItem>) {
        self.answer.finish(items);
    }

    /// What it came to.
    pub(crate) fn into_blocks(self) -> impl Iterator<Item = Block> {
        let Answer { reasoning, text, .. } = self.answer;
        let thinking = (!reasoning.is_empty()).then_some(Block::Thinking { text: reasoning, signature: None });
        let text = (!text.is_empty()).then_some(Block::Text { text });
        thinking.into_iter().chain(text)
    }
}
