//! From the name of a preset to everything that a provider needs to know.

use std::collections::BTreeMap;

use reqwest::Url;
use secrecy::SecretString;
use serde_json::{Map, Value};

use super::extras::{same_headers, same_secret};
use super::registry::{KeyHeader, known_provider};
use super::types::{Config, DEFAULT_CONTEXT_WINDOW_TOKENS, DEFAULT_MAX_TOKENS, Price, ProviderConfig, ProviderKind};

/// The name under which the built-in model is always available, configured or not.
pub(crate) const DEMO_PROVIDER: &str = "demo";

/// How the host names of Azure resources end.
const AZURE_HOSTS: &[&str] = &[".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"];

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
    /// Headers for every request, in place of those that the wire format sends by itself. All are legal.
    pub extra_headers: BTreeMap<String, SecretString>,
    /// Parameters behind the address of every request.
    pub extra_query: BTreeMap<String, String>,
    /// Fields for the body of every model request, put into it at every depth.
    pub extra_body: Map<String, Value>,
    /// The proxy, as configured; see [`ProviderConfig::proxy`].
    pub proxy: Option<SecretString>,
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

impl ResolvedPreset {
    /// Whether what was made for one also serves the other: everything that belongs to the provider is the same.
    #[must_use]
    pub fn same_provider(&self, other: &Self) -> bool {
        self.provider_name == other.provider_name
            && self.kind == other.kind
            && self.base_url == other.base_url
            && same_secret(self.api_key.as_ref(), other.api_key.as_ref())
            && same_headers(&self.extra_headers, &other.extra_headers)
            && self.extra_query == other.extra_query
            && self.extra_body == other.extra_body
            && same_secret(self.proxy.as_ref(), other.proxy.as_ref())
    }

    /// The header that carries the key: the one that is known for the provider or its address, else the usual one of its wire format.
    #[must_use]
    pub fn key_header(&self) -> KeyHeader {
        let known = known_provider(&self.provider_name).filter(|known| known.kind.is_like(self.kind));
        match (known, self.kind) {
            (Some(known), _) => known.auth,
            (None, ProviderKind::Anthropic) => KeyHeader::XApiKey,
            (None, _) if self.base_url.as_deref().is_some_and(is_azure) => KeyHeader::ApiKey,
            (None, ProviderKind::Openai | ProviderKind::OpenaiResponses | ProviderKind::Demo) => KeyHeader::Bearer,
        }
    }
}

/// Whether an address is one of Azure, whose customers each have their own.
fn is_azure(base_url: &str) -> bool {
    let url = Url::parse(base_url.trim()).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
    AZURE_HOSTS.iter().any(|suffix| host.ends_with(suffix))
}

impl Config {
    /// Finds a preset by name, or the default one, and puts it together with its provider.
    ///
    /// # Errors
    /// When there is no such preset, no default, or the provider is not configured.
    pub fn resolve_preset(&self, name: Option<&str>) -> Result<ResolvedPreset, PresetError> {
        let name = match name {
            Some(asked) => self.preset_name(asked).ok_or_else(|| PresetError::UnknownPreset(asked.to_owned()))?,
            None => self.default_preset().ok_or(PresetError::NoModel)?,
        };
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
            context_window_tokens: preset.context_window_tokens.unwrap_or(DEFAULT_CONTEXT_WINDOW_TOKENS),
            context_window_assumed: preset.context_window_tokens.is_none(),
            max_tokens: preset.max_tokens,
            temperature: preset.temperature,
            reasoning_effort: preset.reasoning_effort.clone(),
            price: preset.price,
            ..provider.with_model(&preset.provider, &preset.model)
        })
    }

    /// A preset, as [`Config::resolve_preset`] finds it, and behind it its own `fallbacks` in order. The preset itself, repetitions and
    /// fallbacks that cannot be used are left out; those of the fallbacks do not count.
    ///
    /// # Errors
    /// When the preset itself cannot be used.
    pub fn candidates(&self, preset: Option<&str>) -> Result<Vec<ResolvedPreset>, PresetError> {
        let first = self.resolve_preset(preset)?;
        let names = self.presets.get(&first.name).map(|preset| preset.fallbacks.as_slice()).unwrap_or_default();
        let mut candidates = vec![first];
        for fallback in names.iter().filter_map(|name| self.resolve_preset(Some(name)).ok()) {
            if candidates.iter().all(|candidate| candidate.name != fallback.name) {
                candidates.push(fallback);
            }
        }
        Ok(candidates)
    }

    /// The configured spelling of a preset's name: the very same, else the only one that differs in upper and lower case alone.
    #[must_use]
    pub fn preset_name(&self, name: &str) -> Option<&str> {
        let name = name.trim();
        if let Some((exact, _)) = self.presets.get_key_value(name) {
            return Some(exact);
        }
        let folded = name.to_lowercase();
        let mut alike = self.presets.keys().filter(|known| known.to_lowercase() == folded);
        match (alike.next(), alike.next()) {
            (Some(only), None) => Some(only),
            (_, _) => None,
        }
    }

    /// Name of the preset that is used when none is asked for: `agent.preset` while it exists, else `default`, else the only one.
    #[must_use]
    pub fn default_preset(&self) -> Option<&str> {
        if let Some(name) = self.agent.preset.as_ref().and_then(|name| self.preset_name(name)) {
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
    /// What a preset without a name and settings of its own would be for a model of this provider, which is configured under `name`.
    #[must_use]
    pub fn with_model(&self, name: &str, model: &str) -> ResolvedPreset {
        ResolvedPreset {
            name: String::new(),
            provider_name: name.to_owned(),
            kind: self.kind_for(name),
            base_url: self.base_url_for(name),
            api_key: self.api_key.clone(),
            extra_headers: self.extra_headers.clone(),
            extra_query: self.extra_query.clone(),
            extra_body: self.extra_body.clone(),
            proxy: self.proxy.clone(),
            model: model.to_owned(),
            context_window_tokens: DEFAULT_CONTEXT_WINDOW_TOKENS,
            context_window_assumed: true,
            max_tokens: DEFAULT_MAX_TOKENS,
            temperature: None,
            reasoning_effort: None,
            price: None,
        }
    }

    /// The wire format: as configured, else the one that is known for the name, else OpenAI's.
    #[must_use]
    pub fn kind_for(&self, name: &str) -> ProviderKind {
        self.kind.or_else(|| known_provider(name).map(|known| known.kind)).unwrap_or(ProviderKind::Openai)
    }

    /// The address: as configured, else the one that is known for the name, else that of the configured kind.
    #[must_use]
    pub fn base_url_for(&self, name: &str) -> Option<String> {
        let kind = self.kind_for(name);
        if kind == ProviderKind::Demo {
            return None;
        }
        if let Some(base_url) = &self.base_url {
            return Some(base_url.clone());
        }
        // A known name never gets the address of another company: its key would go there.
        if let Some(known) = known_provider(name) {
            let address = (known.kind.is_like(kind) && !known.base_url.is_empty()).then_some(known.base_url);
            return address.map(str::to_owned);
        }
        // An unknown name without a kind gets no address: guessing one would send its key to a stranger.
        match self.kind? {
            ProviderKind::Openai | ProviderKind::OpenaiResponses => Some("https://api.openai.com/v1".to_owned()),
            ProviderKind::Anthropic => Some("https://api.anthropic.com".to_owned()),
            ProviderKind::Demo => None,
        }
    }
}

impl ProviderKind {
    /// Whether servers of both kinds have the same addresses and keys.
    fn is_like(self, other: Self) -> bool {
        let family = |kind| match kind {
            Self::Openai | Self::OpenaiResponses => Self::Openai,
            Self::Anthropic | Self::Demo => kind,
        };
        family(self) == family(other)
    }
}

#[cfg(test)]
mod tests;
