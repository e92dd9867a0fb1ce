//! Anthropic Messages as a wire.

use nanobot_engine::model::ModelRequest;

use super::decode::MessagesDecoder;
use super::request::MessagesBody;
use crate::provider::wire::{Decoder, Wire};

/// Anthropic Messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct AnthropicWire;

impl Wire for AnthropicWire {
    fn path(&self) -> &'static str {
        "messages"
    }

    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        // "API versioning": the header is required, and this is its newest value.
        &[("anthropic-version", "2023-06-01")]
    }

    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&MessagesBody::new(request, by))
    }

    fn decoder(&self, provider: &str, by: &str) -> Box<dyn Decoder> {
        Box::new(MessagesDecoder::new(provider, by))
    }
}
