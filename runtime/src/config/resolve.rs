//! From the name of a preset to everything that a provider needs to know.

use secrecy::SecretString;

use super::registry::known_provider;
use super::types::{Config, DEFAULT_CONTEXT_WINDOW_TOKENS, Price, ProviderConfig, ProviderKind};

/// The name under which the built-in model is always available, configured or not.
pub(crate) const DEMO_PROVIDER: &str = "demo";

/// A preset with its provider, ready to be used.
#[derive(Clone, Debug)]
pub struct ResolvedPreset {
    /// Name of the preset.
    pub name: String,
    /// Configured name of the provider.
    pub provider_name: String,
    /// The provider's wire format.
    pub kind: ProviderKind,
    /// Address of the API, with or without `/v1`: the configured one, else the one that is known for the provider.
    /// `None` for the demo model, and for a provider of an unknown name that gives neither `base_url` nor `kind`.
    pub base_url: Option<String>,
    /// The key; local servers have none.
    pub api_key: Option<SecretString>,
    /// The model's id at the provider.
    pub model: String,
    /// Context window in tokens.
    pub context_window_tokens: u64,
    /// The window is the default, not a configured one.
    pub context_window_assumed: bool,
    /// Longest answer in tokens.
    pub max_tokens: u64,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// How much the model shall reason, in the provider's words.
    pub reasoning_effort: Option<String>,
    /// Prices per million tokens, when known.
    pub price: Option<Price>,
}

/// Why there is no preset to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PresetError {
    /// No preset was named and there is no default one, or the preset has no model.
    #[error(
        "no model is configured yet; choose one in the settings or add a `[presets.default]` section to config.toml"
    )]
    NoModel,
    /// There is no preset of this name.
    #[error("there is no preset `{0}`; choose another or add a `[presets.{0}]` section to config.toml")]
    UnknownPreset(String),
    /// The preset names a provider that is not configured.
    #[error(
        "preset `{preset}` uses the provider `{provider}`, which is not configured; add a `[providers.{provider}]` section to config.toml"
    )]
    UnknownProvider {
        /// Name of the preset.
        preset: String,
        /// The provider that it names.
        provider: String,
    },
}

impl Config {
    /// Finds a preset by name, or the default one, and puts it together with its provider.
    ///
    /// # Errors
    /// When there is no such preset, no default, or the provider is not configured.
    pub fn resolve_preset(&self, name: Option<&str>) -> Result<ResolvedPreset, PresetError> {
        let name = name.or_else(|| self.default_preset()).ok_or(PresetError::NoModel)?;
        let preset = self.presets.get(name).ok_or_else(|| PresetError::UnknownPreset(name.to_owned()))?;
        if preset.model.is_empty() {
            return Err(PresetError::NoModel);
        }
        let provider = self.provider(&preset.provider).ok_or_else(|| PresetError::UnknownProvider {
            preset: name.to_owned(),
            provider: preset.provider.clone(),
        })?;
        Ok(ResolvedPreset {
            name: name.to_owned(),
            provider_name: preset.provider.clone(),
            kind: provider.kind_for(&preset.provider),
            base_url: provider.base_url_for(&preset.provider),
            api_key: provider.api_key,
            model: preset.model.clone(),
            context_window_tokens: preset.context_window_tokens.unwrap_or(DEFAULT_CONTEXT_WINDOW_TOKENS),
            context_window_assumed: preset.context_window_tokens.is_none(),
            max_tokens: preset.max_tokens,
            temperature: preset.temperature,
            reasoning_effort: preset.reasoning_effort.clone(),
            price: preset.price,
        })
    }

    /// Name of the preset that is used when none is asked for: `agent.preset`, else `default`, else the only one.
    #[must_use]
    pub fn default_preset(&self) -> Option<&str> {
        if let Some(name) = &self.agent.preset {
            return Some(name);
        }
        if let Some((name, _)) = self.presets.get_key_value("default") {
            return Some(name);
        }
        match self.presets.len() {
            1 => self.presets.keys().next().map(String::as_str),
            _ => None,
        }
    }

    /// The provider of this name; the demo model needs no section.
    #[must_use]
    pub fn provider(&self, name: &str) -> Option<ProviderConfig> {
        let configured = self.providers.get(name).cloned();
        configured.or_else(|| (name == DEMO_PROVIDER).then(ProviderConfig::default))
    }
}

impl ProviderConfig {
    /// The wire format: as configured, else the one that is known for the name, else OpenAI's.
    #[must_use]
    pub fn kind_for(&self, name: &str) -> ProviderKind {
        self.kind.or_else(|| known_provider(name).map(|known| known.kind)).unwrap_or(ProviderKind::Openai)
    }

    /// The address: as configured, else the one that is known for the name, else that of the configured kind.
    #[must_use]
    pub fn base_url_for(&self, name: &str) -> Option<String> {
        if self.kind_for(name) == ProviderKind::Demo {
            return None;
        }
        if let Some(base_url) = &self.base_url {
            return Some(base_url.clone());
        }
        if let Some(known) = known_provider(name).filter(|known| self.kind.is_none_or(|kind| kind == known.kind)) {
            return Some(known.base_url.to_owned());
        }
        // An unknown name without a kind gets no address: guessing one would send its key to a stranger.
        match self.kind? {
            ProviderKind::Openai | ProviderKind::OpenaiResponses => Some("https://api.openai.com/v1".to_owned()),
            ProviderKind::Anthropic => Some("https://api.anthropic.com".to_owned()),
            ProviderKind::Demo => None,
        }
    }
}
