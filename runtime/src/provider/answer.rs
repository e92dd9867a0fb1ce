//! Text and reasoning of an answer while it arrives.

use nanobot_engine::model::StreamItem;

use super::think::{Piece, ThinkScanner};

/// What arrived so far, with inline think tags turned into reasoning.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Reasoning in the open.
    pub(crate) reasoning: String,
    /// Visible text.
    pub(crate) text: String,
    think: ThinkScanner,
}

impl Answer {
    /// Content, which may begin with inline reasoning.
    pub(crate) fn content(&mut self, content: &str, items: &mut Vec<StreamItem>) {
        let (reasoning, text) = (&mut self.reasoning, &mut self.text);
        self.think.feed(content, |piece| take(reasoning, text, piece, items));
    }

    /// Text that is surely visible.
    pub(crate) fn text(&mut self, more: &str, items: &mut Vec<StreamItem>) {
        take(&mut self.reasoning, &mut self.text, Piece::Text(more), items);
    }

    /// Reasoning that came as such.
    pub(crate) fn reasoning(&mut self, more: &str, items: &mut Vec<StreamItem>) {
        take(&mut self.reasoning, &mut self.text, Piece::Reasoning(more), items);
    }

    /// The content is over: what may have become a tag is none.
    pub(crate) fn finish(&mut self, items: &mut Vec<StreamItem>) {
        let (reasoning, text) = (&mut self.reasoning, &mut self.text);
        self.think.finish(|piece| take(reasoning, text, piece, items));
    }

    /// Is there nothing to read?
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && self.reasoning.trim().is_empty()
    }
}

fn take(reasoning: &mut String, text: &mut String, piece: Piece<'_>, items: &mut Vec<StreamItem>) {
    match piece {
        Piece::Reasoning("") | Piece::Text("") => {}
        Piece::Reasoning(more) => {
            reasoning.push_str(more);
            match items.last_mut() {
                Some(StreamItem::Reasoning(last)) => last.push_str(more),
                _ => items.push(StreamItem::Reasoning(more.to_owned())),
            }
        }
        Piece::Text(more) => {
            text.push_str(more);
            match items.last_mut() {
                Some(StreamItem::Text(last)) => last.push_str(more),
                _ => items.push(StreamItem::Text(more.to_owned())),
            }
        }
    }
}
