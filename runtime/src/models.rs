//! From a preset's name to a provider that answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nanobot_engine::model::{ModelError, ModelErrorKind};
use nanobot_engine::usage::Usage;

use crate::config::{Config, PresetError, ProviderKind, ResolvedPreset};
use crate::provider::{ChatConfig, ChatProvider, DemoProvider, HttpClient, Limits, Provider};

/// A model ready to be asked.
#[derive(Clone)]
pub struct ModelHandle {
    /// The settings it was made from.
    pub preset: ResolvedPreset,
    /// Who answers.
    pub provider: Arc<dyn Provider>,
}

impl ModelHandle {
    /// Adds what only the preset knows: window and price.
    pub fn complete(&self, usage: &mut Usage) {
        usage.context_window_tokens = self.preset.context_window_tokens;
        usage.context_tokens = usage.input_tokens + usage.output_tokens;
        if let Some(price) = &self.preset.price {
            let fresh = usage.input_tokens.saturating_sub(usage.cached_tokens);
            let millionths = to_f64(fresh) * price.input
                + to_f64(usage.cached_tokens) * price.cached.unwrap_or(price.input)
                + to_f64(usage.output_tokens) * price.output;
            usage.cost_usd = Some(millionths / 1e6);
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "token counts are far below 2^52")]
fn to_f64(tokens: u64) -> f64 {
    tokens as f64
}

/// A preset and what was made of it.
type Made = (ResolvedPreset, Arc<dyn Provider>);

/// Makes providers and keeps them, so that connections are reused.
pub struct Models {
    clients: HttpClient,
    made: Mutex<HashMap<String, Made>>,
}

impl Default for Models {
    fn default() -> Self {
        Self::new()
    }
}

impl Models {
    /// Nothing made yet.
    #[must_use]
    pub fn new() -> Self {
        Self { clients: HttpClient::default(), made: Mutex::default() }
    }

    /// The HTTP client that providers share.
    #[must_use]
    pub fn clients(&self) -> &HttpClient {
        &self.clients
    }

    /// The model of a preset, or of the default one.
    ///
    /// # Errors
    /// `NoModel` when nothing is set up or what is named does not exist.
    pub fn resolve(&self, config: &Config, preset: Option<&str>) -> Result<ModelHandle, ModelError> {
        let preset = config.resolve_preset(preset).map_err(|error| no_model(&error))?;
        let provider = self.provider(&preset)?;
        Ok(ModelHandle { preset, provider })
    }

    /// A provider for these settings; one that was made before from the same settings is used again.
    ///
    /// # Errors
    /// When this kind of provider is not supported.
    pub fn provider(&self, preset: &ResolvedPreset) -> Result<Arc<dyn Provider>, ModelError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((from, provider)) = made.get(&preset.provider_name)
            && from.same_provider(preset)
        {
            return Ok(Arc::clone(provider));
        }
        let provider = self.make(preset)?;
        made.insert(preset.provider_name.clone(), (preset.clone(), Arc::clone(&provider)));
        Ok(provider)
    }

    /// A provider that is not kept: for tests of settings that are not saved.
    ///
    /// # Errors
    /// When this kind of provider is not supported, or its address is none.
    pub fn make(&self, preset: &ResolvedPreset) -> Result<Arc<dyn Provider>, ModelError> {
        let provider: Arc<dyn Provider> = match preset.kind {
            ProviderKind::Demo => Arc::new(DemoProvider::default()),
            ProviderKind::Openai => {
                let config = ChatConfig {
                    name: preset.provider_name.clone(),
                    base_url: preset.base_url.clone().unwrap_or_default(),
                    api_key: preset.api_key.clone(),
                    limits: Limits::default(),
                    quirks: None,
                };
                Arc::new(ChatProvider::new(config, self.clients.clone())?)
            }
            ProviderKind::OpenaiResponses | ProviderKind::Anthropic => {
                let detail = format!(
                    "provider {:?} speaks a protocol that this version does not support yet; use its OpenAI-compatible address with kind = \"openai\"",
                    preset.provider_name
                );
                return Err(ModelError { kind: ModelErrorKind::NoModel, detail, retry_after_ms: None });
            }
        };
        Ok(provider)
    }
}

fn no_model(error: &PresetError) -> ModelError {
    ModelError { kind: ModelErrorKind::NoModel, detail: error.to_string(), retry_after_ms: None }
}
