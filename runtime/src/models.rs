//! From a preset's name to a provider that answers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use nanobot_engine::model::{ModelError, ModelErrorKind};
use nanobot_engine::usage::Usage;

use crate::breaker::Breakers;
use crate::calibrations::Calibrations;
use crate::config::{Config, PresetError, ProviderKind, ResolvedPreset};
use crate::provider::{
    AnthropicWire, ChatWire, DemoProvider, HttpClient, Limits, Provider, ResponsesWire, Server, Wire, WireProvider,
};

/// A model ready to be asked.
#[derive(Clone)]
pub struct ModelHandle {
    /// The settings it was made from.
    pub preset: ResolvedPreset,
    /// Who answers.
    pub provider: Arc<dyn Provider>,
}

impl ModelHandle {
    /// Provider and model, by which failures are counted.
    #[must_use]
    pub fn key(&self) -> String {
        format!("{}/{}", self.preset.provider_name, self.preset.model)
    }

    /// Adds what only the preset knows: window and price.
    pub fn complete(&self, usage: &mut Usage) {
        usage.context_window_tokens = self.preset.context_window_tokens;
        usage.context_tokens = usage.input_tokens + usage.output_tokens;
        // What the provider itself says it cost is truer than a price list.
        if usage.cost_usd.is_none()
            && let Some(price) = &self.preset.price
        {
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
    breakers: Arc<Breakers>,
    calibrations: Arc<Calibrations>,
    limits: Limits,
    made: Mutex<HashMap<String, Made>>,
}

impl Models {
    /// Nothing made yet; `limits` hold for each answer.
    #[must_use]
    pub fn new(limits: Limits) -> Self {
        Self {
            clients: HttpClient::default(),
            breakers: Arc::default(),
            calibrations: Arc::default(),
            limits,
            made: Mutex::default(),
        }
    }

    /// The HTTP client that providers share.
    #[must_use]
    pub fn clients(&self) -> &HttpClient {
        &self.clients
    }

    /// What is known of models that failed.
    #[must_use]
    pub fn breakers(&self) -> &Arc<Breakers> {
        &self.breakers
    }

    /// How far estimates of tokens are off.
    #[must_use]
    pub fn calibrations(&self) -> &Arc<Calibrations> {
        &self.calibrations
    }

    /// The models that may answer: that of a preset (or of the default one), then its fallbacks.
    ///
    /// # Errors
    /// `NoModel` when nothing is set up or what is named does not exist.
    pub fn chain(&self, config: &Config, preset: Option<&str>) -> Result<Vec<ModelHandle>, ModelError> {
        let candidates = config.candidates(preset).map_err(|error| no_model(&error))?;
        let mut models = Vec::with_capacity(candidates.len());
        for preset in candidates {
            match self.provider(&preset) {
                Ok(provider) => models.push(ModelHandle { preset, provider }),
                Err(error) if models.is_empty() => return Err(error),
                // A fallback that cannot be set up is none; the settings tell of it.
                Err(error) => tracing::warn!(preset = preset.name, %error, "a fallback is left out"),
            }
        }
        Ok(models)
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
        let wire: Box<dyn Wire> = match preset.kind {
            ProviderKind::Demo => return Ok(Arc::new(DemoProvider::default())),
            ProviderKind::Openai => {
                Box::new(ChatWire::for_provider(&preset.provider_name, preset.base_url.as_deref().unwrap_or_default()))
            }
            ProviderKind::OpenaiResponses => Box::new(ResponsesWire::default()),
            ProviderKind::Anthropic => Box::new(AnthropicWire),
        };
        let server = Server::of(preset, self.limits);
        Ok(Arc::new(WireProvider::new(server, wire, self.clients.clone())?))
    }
}

fn no_model(error: &PresetError) -> ModelError {
    ModelError::new(ModelErrorKind::NoModel, error.to_string())
}
