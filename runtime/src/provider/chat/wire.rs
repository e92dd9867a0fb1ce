//! Chat Completions as a wire.

use nanobot_engine::model::ModelRequest;

use super::decode::ChatDecoder;
use super::dialect::ProviderDialect;
use super::request::ChatBody;
use crate::provider::wire::{Decoder, Wire};

/// Chat Completions, as one provider has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChatWire {
    dialect: ProviderDialect,
}

impl ChatWire {
    /// The wire of a provider of the registry, by its name there, or by its address when the name is a person's own. What is not known
    /// gets the plainest form.
    #[must_use]
    pub fn for_provider(name: &str, base_url: &str) -> Self {
        Self { dialect: ProviderDialect::of(name, base_url) }
    }
}

impl Wire for ChatWire {
    fn path(&self) -> &'static str {
        "chat/completions"
    }

    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&ChatBody::new(request, self.dialect, by))
    }

    fn decoder(&self, provider: &str, by: &str) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new(provider, by, self.dialect))
    }
}
