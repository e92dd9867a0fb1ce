//! Chat Completions as a wire.

use nanobot_engine::model::ModelRequest;

use super::decode::ChatDecoder;
use super::request::{ChatBody, Quirks};
use crate::provider::wire::{Decoder, Wire};

/// Chat Completions.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatWire {
    /// Differences of this server; `None` goes by the model's name.
    pub quirks: Option<Quirks>,
}

impl Wire for ChatWire {
    fn path(&self) -> &'static str {
        "chat/completions"
    }

    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>> {
        let quirks = self.quirks.unwrap_or_else(|| Quirks::for_model(&request.model));
        serde_json::to_vec(&ChatBody::new(request, quirks, by))
    }

    fn decoder(&self, provider: &str, _by: &str) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new(provider))
    }
}
