//! The settings as clients see them: everything but the secrets.

use std::collections::BTreeMap;

use secrecy::ExposeSecret;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::error::ConfigWarning;
use super::extras::{HIDDEN_CREDENTIALS, ProxyChoice};
use super::hooks::{HookConfig, HookEvent};
use super::permissions::PermissionRule;
use super::types::{AgentConfig, BudgetConfig, Config, DEFAULT_CONTEXT_WINDOW_TOKENS, PresetConfig, ProviderKind};

/// Answer of `GET /settings`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SettingsView {
    /// Providers by name.
    pub providers: BTreeMap<String, ProviderView>,
    /// Presets by name.
    pub presets: BTreeMap<String, PresetConfig>,
    /// How the agent works.
    pub agent: AgentConfig,
    /// What may be spent on models.
    pub budget: BudgetConfig,
    /// What tools may do, in order: the first rule that matches decides.
    pub permissions: Vec<PermissionRule>,
    /// Outside programs that take part in turns; to change them, edit `config.toml`.
    pub hooks: Vec<HookView>,
    /// What a person should look at.
    pub warnings: Vec<ConfigWarning>,
    /// Version of the product.
    pub version: String,
}

/// An outside program that takes part in turns. Its arguments may hold secrets and are not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct HookView {
    /// Its name in logs and messages.
    pub name: String,
    /// When it runs.
    pub event: String,
    /// The tools it runs for, as a glob; absent: all.
    #[serde(rename = "match", skip_serializing_if = "Option::is_none")]
    pub tools: Option<String>,
    /// The longest that it may take, in milliseconds.
    pub timeout_ms: u64,
    /// Whether its failure ends the turn.
    pub reraise: bool,
}

impl HookView {
    fn new(hook: &HookConfig) -> Self {
        Self {
            name: hook.shown_name().to_owned(),
            event: match &hook.event {
                HookEvent::Method(method) => method.name().to_owned(),
                HookEvent::Unknown(name) => name.clone(),
            },
            tools: hook.tools.as_ref().map(|glob| glob.as_str().to_owned()),
            timeout_ms: hook.timeout_ms,
            reraise: hook.reraise,
        }
    }
}

/// A provider without its key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProviderView {
    /// The wire format, configured or inferred.
    pub kind: ProviderKind,
    /// The address, configured or known for the name.
    pub base_url: Option<String>,
    /// There is a key.
    pub api_key_set: bool,
    /// The environment variable that the key comes from, also when that variable is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_key_env: Option<String>,
    /// Names of the headers that every request gets; what they say is never shown.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_headers: BTreeMap<String, HeaderState>,
    /// Parameters behind the address of every request, with the names of variables.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub extra_query: BTreeMap<String, String>,
    /// Fields for the body of every model request, with the names of variables.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[schema(value_type = Object)]
    pub extra_body: Map<String, Value>,
    /// The proxy, without its user and password.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
}

/// What is shown of a header that every request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum HeaderState {
    /// It has a value.
    Set,
}

/// One item of `GET /presets`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct PresetView {
    /// Name of the preset.
    pub name: String,
    /// Name of its provider.
    pub provider: String,
    /// The model's id at the provider.
    pub model: String,
    /// Context window in tokens.
    pub context_window_tokens: u64,
    /// The window is the default, not a configured one.
    pub context_window_assumed: bool,
    /// Longest answer in tokens.
    pub max_tokens: u64,
    /// New sessions use this preset.
    pub is_default: bool,
    /// It is the built-in model.
    pub is_demo: bool,
}

impl SettingsView {
    /// The view of a configuration; `version` is that of the product.
    #[must_use]
    pub fn new(config: &Config, warnings: Vec<ConfigWarning>, version: &str) -> Self {
        let providers = config.providers.iter().map(|(name, provider)| {
            let view = ProviderView {
                kind: provider.kind_for(name),
                base_url: provider.base_url_for(name).map(without_credentials),
                api_key_set: provider.api_key.is_some(),
                api_key_env: provider.api_key_env.clone(),
                extra_headers: provider.extra_headers.keys().map(|name| (name.clone(), HeaderState::Set)).collect(),
                extra_query: provider.written.query.clone(),
                extra_body: provider.written.body.clone(),
                proxy: provider.proxy.as_ref().map(|proxy| ProxyChoice::shown(proxy.expose_secret())),
            };
            (name.clone(), view)
        });
        Self {
            providers: providers.collect(),
            presets: config.presets.clone(),
            agent: config.agent.clone(),
            budget: config.budget,
            permissions: config.permissions.clone(),
            hooks: config.hooks.iter().map(HookView::new).collect(),
            warnings,
            version: version.to_owned(),
        }
    }
}

impl PresetView {
    /// All presets of a configuration, by name.
    #[must_use]
    pub fn list(config: &Config) -> Vec<Self> {
        let default = config.default_preset();
        let view = |(name, preset): (&String, &PresetConfig)| Self {
            name: name.clone(),
            provider: preset.provider.clone(),
            model: preset.model.clone(),
            context_window_tokens: preset.context_window_tokens.unwrap_or(DEFAULT_CONTEXT_WINDOW_TOKENS),
            context_window_assumed: preset.context_window_tokens.is_none(),
            max_tokens: preset.max_tokens,
            is_default: default == Some(name),
            is_demo: config
                .provider(&preset.provider)
                .is_some_and(|provider| provider.kind_for(&preset.provider) == ProviderKind::Demo),
        };
        config.presets.iter().map(view).collect()
    }
}

/// Hides `user:password@` of an address.
pub(super) fn without_credentials(url: String) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url };
    let (authority, path) = rest.split_once('/').map_or((rest, None), |(authority, path)| (authority, Some(path)));
    let Some((_, host)) = authority.rsplit_once('@') else { return url };
    match path {
        Some(path) => format!("{scheme}://{HIDDEN_CREDENTIALS}@{host}/{path}"),
        None => format!("{scheme}://{HIDDEN_CREDENTIALS}@{host}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_credentials() {
        for (given, shown) in [
            ("https://a.example/v1", "https://a.example/v1"),
            ("https://me:secret@a.example/v1", "https://***@a.example/v1"),
            ("http://me:s@cret@a.example", "http://***@a.example"),
            ("a@b", "a@b"),
            ("https://a.example/@x", "https://a.example/@x"),
        ] {
            assert_eq!(without_credentials(given.to_owned()), shown);
        }
    }
}
