//! Responses as a wire.

use nanobot_engine::model::ModelRequest;

use super::decode::ResponsesDecoder;
use super::request::ResponsesBody;
use crate::provider::family::ModelFamily;
use crate::provider::wire::{Decoder, Wire};

/// Responses, without any state at the server: each request carries the whole conversation.
#[derive(Clone, Copy, Debug, Default)]
pub struct ResponsesWire {
    /// The family of the model; `None` goes by the model's name, which says nothing where deployments have names of their own.
    pub family: Option<ModelFamily>,
}

impl Wire for ResponsesWire {
    fn path(&self) -> &'static str {
        "responses"
    }

    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>> {
        let family = self.family.unwrap_or_else(|| ModelFamily::of(&request.model));
        serde_json::to_vec(&ResponsesBody::new(request, family, by))
    }

    fn decoder(&self, provider: &str, by: &str) -> Box<dyn Decoder> {
        Box::new(ResponsesDecoder::new(provider, by))
    }
}
