//! Which provider a request is about: a configured one by name, or one that is not saved yet.

use nanobot_runtime::config::{Config, ProviderConfig, ProviderKind, ResolvedPreset};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::error::ApiError;

/// How errors call a provider that has no name yet.
const UNNAMED: &str = "this provider";

/// Which provider is meant.
pub(crate) enum ProviderChoice {
    /// A configured one, by name.
    Named(String),
    /// One that is not saved yet.
    Inline(InlineProvider),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct InlineProvider {
    /// Wire format.
    #[serde(default)]
    kind: Option<ProviderKind>,
    /// Address.
    #[serde(default)]
    base_url: Option<String>,
    /// Key.
    #[serde(default)]
    api_key: Option<SecretString>,
}

impl<'de> Deserialize<'de> for ProviderChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(name) => Ok(Self::Named(name)),
            other => serde_json::from_value(other).map(Self::Inline).map_err(serde::de::Error::custom),
        }
    }
}

impl ProviderChoice {
    /// All that is needed to ask a model of this provider. The preset has no name: providers are kept by theirs, and one that is only
    /// tried must not push out one that is in use.
    pub(crate) fn resolve(self, config: &Config, model: &str) -> Result<ResolvedPreset, ApiError> {
        match self {
            Self::Named(name) => match config.provider(&name) {
                Some(provider) => Ok(provider.with_model(&name, model)),
                None => Err(ApiError::invalid("provider", format!("there is no provider {name:?}"))),
            },
            Self::Inline(InlineProvider { kind, base_url, api_key }) => {
                let provider = ProviderConfig {
                    kind: Some(kind.unwrap_or(ProviderKind::Openai)),
                    api_key: api_key.map(from_environment),
                    ..ProviderConfig::default()
                };
                // The address is never guessed here: the key would go there.
                Ok(ResolvedPreset { base_url, ..provider.with_model(UNNAMED, model) })
            }
        }
    }
}

/// A key that is named as `${VAR}`, as in config.toml, is taken from the environment.
fn from_environment(key: SecretString) -> SecretString {
    let name = key.expose_secret().strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    match name.map(std::env::var) {
        Some(value) => value.unwrap_or_default().into(),
        None => key,
    }
}
