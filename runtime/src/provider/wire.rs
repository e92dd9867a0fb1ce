//! The seam between the one HTTP client and the wire formats.

use nanobot_engine::model::{ModelError, ModelRequest, StreamItem};

use super::sse::SseEvent;

/// A wire format: how a request is written and how an answer is read.
pub trait Wire: Send + Sync {
    /// The end of the address that requests go to, such as `chat/completions`.
    fn path(&self) -> &'static str;

    /// Headers that belong to the format.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The body of a request: a pure projection, legal whatever the history holds, and the same bytes for the same request. `by` is
    /// who is asked (provider and model); only what carries the same name may go back sealed.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>>;

    /// Reads one answer. `provider` is named in errors, `by` marks what only this model understands.
    fn decoder(&self, provider: &str, by: &str) -> Box<dyn Decoder>;
}

/// The state of one answer.
///
/// An answer is complete only when the server said so, in the way of its protocol. The end of the bytes alone is a cut, whatever came
/// before it, and a cut answer never brings calls.
pub trait Decoder: Send {
    /// Takes one event of a stream. Text of neighbouring events is joined in `items`.
    fn event(&mut self, event: SseEvent<'_>, items: &mut Vec<StreamItem>);

    /// Takes a whole answer that was not streamed, and ends.
    fn body(&mut self, body: &[u8], items: &mut Vec<StreamItem>);

    /// The bytes are over.
    fn end(&mut self, items: &mut Vec<StreamItem>);

    /// Ends with an error; what arrived before it stays in the reply.
    fn fail(&mut self, error: ModelError, items: &mut Vec<StreamItem>);

    /// True when nothing can change the answer any more, though the end was not handed out yet.
    fn is_finished(&self) -> bool;

    /// True when the end has been handed out.
    fn is_over(&self) -> bool;
}
