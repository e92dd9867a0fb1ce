//! Text and reasoning of an answer while it arrives.

use nanobot_engine::model::StreamItem;

use super::markup::{MarkedCalls, MarkupScanner};
use super::think::{Piece, ThinkScanner};

/// What arrived so far, with inline think tags turned into reasoning.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    /// Reasoning in the open.
    pub(crate) reasoning: String,
    /// Visible text.
    pub(crate) text: String,
    think: ThinkScanner,
    /// Takes the same tags off reasoning that came as such.
    wrapper: ThinkScanner,
    /// Looks for calls in the text, where models write them there.
    markup: Option<MarkupScanner>,
}

impl Answer {
    /// An answer in which calls may be written as text.
    pub(crate) fn with_markup() -> Self {
        Self { markup: Some(MarkupScanner::default()), ..Self::default() }
    }

    /// Content, which may begin with inline reasoning.
    pub(crate) fn content(&mut self, content: &str, items: &mut Vec<StreamItem>) {
        if content.is_empty() {
            return;
        }
        self.end_wrapper(items);
        let mut think = std::mem::take(&mut self.think);
        think.feed(content, |piece| self.take(piece, items));
        self.think = think;
    }

    /// Text that is surely visible.
    pub(crate) fn text(&mut self, more: &str, items: &mut Vec<StreamItem>) {
        if more.is_empty() {
            return;
        }
        self.end_wrapper(items);
        push(&mut self.reasoning, &mut self.text, Piece::Text(more), items);
    }

    /// Reasoning that came as such; tags around it are taken off.
    pub(crate) fn reasoning(&mut self, more: &str, items: &mut Vec<StreamItem>) {
        let (reasoning, text) = (&mut self.reasoning, &mut self.text);
        self.wrapper.feed(more, |piece| push(reasoning, text, as_reasoning(piece), items));
    }

    /// The content is over: what may have become a tag or a call is none.
    pub(crate) fn finish(&mut self, items: &mut Vec<StreamItem>) {
        self.end_wrapper(items);
        let mut think = std::mem::take(&mut self.think);
        think.finish(|piece| self.take(piece, items));
        if let Some(markup) = &mut self.markup {
            let (reasoning, text) = (&mut self.reasoning, &mut self.text);
            markup.finish(|more| push(reasoning, text, Piece::Text(more), items));
        }
    }

    /// Calls that were written as text, after [`Self::finish`].
    pub(crate) fn take_marked_calls(&mut self) -> Vec<MarkedCalls> {
        self.markup.as_mut().map(MarkupScanner::take_found).unwrap_or_default()
    }

    /// Is there nothing to read?
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty() && self.reasoning.trim().is_empty()
    }

    fn take(&mut self, piece: Piece<'_>, items: &mut Vec<StreamItem>) {
        let (reasoning, text) = (&mut self.reasoning, &mut self.text);
        match (piece, &mut self.markup) {
            (Piece::Text(more), Some(markup)) => {
                markup.feed(more, |more| push(reasoning, text, Piece::Text(more), items));
            }
            (piece, _) => push(reasoning, text, piece, items),
        }
    }

    fn end_wrapper(&mut self, items: &mut Vec<StreamItem>) {
        let (reasoning, text) = (&mut self.reasoning, &mut self.text);
        self.wrapper.finish(|piece| push(reasoning, text, as_reasoning(piece), items));
    }
}

fn as_reasoning(piece: Piece<'_>) -> Piece<'_> {
    match piece {
        Piece::Reasoning(more) | Piece::Text(more) => Piece::Reasoning(more),
    }
}

fn push(reasoning: &mut String, text: &mut String, piece: Piece<'_>, items: &mut Vec<StreamItem>) {
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
