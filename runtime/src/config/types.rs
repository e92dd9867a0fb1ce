//! The sections of `config.toml` as types, with their defaults and the limits of single values.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::extras::{self, WrittenExtras};
use super::hooks::HookConfig;
use super::permissions::PermissionRule;

/// The context window that is assumed for a model whose preset does not say it, in tokens.
pub const DEFAULT_CONTEXT_WINDOW_TOKENS: u64 = 128_000;

/// The longest answer of a preset that does not say it, in tokens.
pub(crate) const DEFAULT_MAX_TOKENS: u64 = 8192;

/// All settings, after defaults, file, environment and flags.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Config {
    /// Where the server listens and whom it answers.
    pub server: ServerConfig,
    /// Model providers by their configured name.
    pub providers: BTreeMap<String, ProviderConfig>,
    /// Models with their settings, by name.
    pub presets: BTreeMap<String, PresetConfig>,
    /// How the agent works.
    pub agent: AgentConfig,
    /// Outside programs that take part in turns, in order.
    pub hooks: Vec<HookConfig>,
    /// What may be spent on models.
    pub budget: BudgetConfig,
    /// What tools may do, in order: the first rule that matches decides.
    pub permissions: Vec<PermissionRule>,
}

/// `[server]`
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub struct ServerConfig {
    /// Address to listen on.
    pub host: String,
    /// Port to listen on; 0 takes any free one.
    pub port: u16,
    /// Further `Host` names that are answered, for a reverse proxy.
    pub allowed_hosts: Vec<String>,
    /// Largest request body in bytes.
    #[serde(deserialize_with = "at_least_one")]
    pub max_body_bytes: u64,
    /// A static credential.
    pub token: Option<SecretString>,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            host: "127.0.0.1".to_owned(),
            port: 8765,
            allowed_hosts: Vec::new(),
            max_body_bytes: 26_214_400,
            token: None,
        }
    }
}

/// `[providers.NAME]`
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct ProviderConfig {
    /// The wire format. Inferred from the name when absent, see [`ProviderConfig::kind_for`].
    pub kind: Option<ProviderKind>,
    /// Address of the API, with or without `/v1`. Known names have one of their own.
    pub base_url: Option<String>,
    /// The key, with `${VAR}` already replaced.
    pub api_key: Option<SecretString>,
    /// Headers for every request, in place of those that this server sends by itself. A value may be a secret.
    #[serde(deserialize_with = "extras::headers")]
    pub extra_headers: BTreeMap<String, SecretString>,
    /// Parameters behind the address of every request.
    #[serde(deserialize_with = "extras::query")]
    pub extra_query: BTreeMap<String, String>,
    /// Fields for the body of every model request, put into it at every depth.
    #[serde(deserialize_with = "extras::body")]
    pub extra_body: Map<String, Value>,
    /// The proxy to the provider: an `http`, `https`, `socks5` or `socks5h` URL, with user and password if it wants them. Empty or
    /// `none`: never one. Absent: that of the environment, and none for addresses of this machine and of private networks.
    #[serde(deserialize_with = "extras::proxy")]
    pub proxy: Option<SecretString>,
    /// The environment variable that the key came from; set while loading, no key of the file.
    #[serde(skip)]
    pub api_key_env: Option<String>,
    /// What people are shown of the extras; set while loading, no key of the file.
    #[serde(skip)]
    pub written: WrittenExtras,
}

/// How to talk to a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ProviderKind {
    /// Chat completions as OpenAI defined them, and every compatible server.
    Openai,
    /// The OpenAI Responses API.
    OpenaiResponses,
    /// The Anthropic Messages API.
    Anthropic,
    /// The built-in offline model.
    Demo,
}

/// `[presets.NAME]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PresetConfig {
    /// Name of the provider. A preset without one is reported and cannot be used, but makes no file invalid.
    #[serde(default)]
    pub provider: String,
    /// The model's id at the provider; as with the provider.
    #[serde(default)]
    pub model: String,
    /// Context window in tokens; absent when unknown, then [`DEFAULT_CONTEXT_WINDOW_TOKENS`] is assumed.
    #[serde(default, deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub context_window_tokens: Option<u64>,
    /// Longest answer in tokens.
    #[serde(default = "default_max_tokens", deserialize_with = "at_least_one")]
    pub max_tokens: u64,
    /// Sampling temperature, 0 to 2; absent leaves it to the provider.
    #[serde(default, deserialize_with = "temperature", skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How much the model shall reason, in the provider's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// What the model costs; absent when unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// Names of other presets to try when this one fails, in order.
    #[serde(default)]
    pub fallbacks: Vec<String>,
}

/// Prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Price {
    /// For tokens of the request.
    #[serde(deserialize_with = "price")]
    pub input: f64,
    /// For tokens of the request that the provider had cached; as `input` when absent.
    #[serde(default, deserialize_with = "price_if_given", skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// For tokens of the answer.
    #[serde(deserialize_with = "price")]
    pub output: f64,
}

/// `[budget]`: hard limits of what turns may cost; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct BudgetConfig {
    /// US dollars for one turn.
    #[serde(deserialize_with = "amount_if_given", skip_serializing_if = "Option::is_none")]
    pub turn_usd: Option<f64>,
    /// US dollars for one session, from its beginning.
    #[serde(deserialize_with = "amount_if_given", skip_serializing_if = "Option::is_none")]
    pub session_usd: Option<f64>,
    /// US dollars for one day in the agent's time zone, over all sessions.
    #[serde(deserialize_with = "amount_if_given", skip_serializing_if = "Option::is_none")]
    pub day_usd: Option<f64>,
    /// Tokens for one turn, sent and produced.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub turn_tokens: Option<u64>,
    /// Tokens for one session, from its beginning.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub session_tokens: Option<u64>,
    /// Tokens for one day, over all sessions.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub day_tokens: Option<u64>,
    /// Seconds of work for one turn: models and tools, without waits for people.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub turn_seconds: Option<u64>,
    /// Seconds of work for all turns of one session.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub session_seconds: Option<u64>,
    /// Seconds of work for all turns of one day, over all sessions.
    #[serde(deserialize_with = "at_least_one_if_given", skip_serializing_if = "Option::is_none")]
    pub day_seconds: Option<u64>,
}

/// `[agent]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AgentConfig {
    /// The preset of a new session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<String>,
    /// Most model requests in one turn, 1 to 100.
    #[serde(deserialize_with = "max_iterations")]
    pub max_iterations: u32,
    /// Longest tool result that a model is sent, in characters.
    #[serde(deserialize_with = "at_least_one_usize")]
    pub max_tool_result_chars: usize,
    /// How many subagents may work.
    pub subagents: SubagentLimits,
    /// Most turns that run at once over all sessions; further ones wait.
    #[serde(deserialize_with = "at_least_one_usize")]
    pub concurrent_turns: usize,
    /// IANA name of the time zone that the agent is told the time in.
    pub timezone: String,
    /// Whether turns that a restart interrupted go on.
    pub resume_interrupted: bool,
    /// Where a session's title comes from.
    pub titles: Titles,
    /// What the agent may do without asking, where no rule matches.
    pub access: Access,
    /// How long a question to a person waits for an answer, in seconds; then it counts as refused.
    #[serde(deserialize_with = "at_least_one")]
    pub approvals_expire_s: u64,
    /// How long failed model requests are tried again.
    pub retry_mode: RetryMode,
}

impl Default for AgentConfig {
    fn default() -> Self {
        Self {
            preset: None,
            max_iterations: 100,
            max_tool_result_chars: 16_000,
            subagents: SubagentLimits::default(),
            concurrent_turns: 256,
            timezone: "UTC".to_owned(),
            resume_interrupted: true,
            titles: Titles::Model,
            access: Access::Workspace,
            approvals_expire_s: 86_400,
            retry_mode: RetryMode::Standard,
        }
    }
}

/// Most subagents that work at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct SubagentLimits {
    /// In one session.
    pub per_session: u32,
    /// Over all sessions.
    pub total: u32,
}

impl Default for SubagentLimits {
    fn default() -> Self {
        Self { per_session: 4, total: 64 }
    }
}

/// Where a session's title comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Titles {
    /// The model writes it after the first answer.
    Model,
    /// The first words of the first message.
    FirstWords,
}

/// What the agent may do without asking, where no rule matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Everything that writes, runs or leaves the machine asks.
    Ask,
    /// Files inside the grants, sandboxed commands without network, and guarded web reading are allowed.
    Workspace,
    /// Everything that no rule denies is allowed.
    Full,
}

/// How long failed model requests are tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RetryMode {
    /// A few attempts.
    Standard,
    /// Until it works or the turn is stopped.
    Persistent,
}

fn default_max_tokens() -> u64 {
    DEFAULT_MAX_TOKENS
}

fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(deserializer)?;
    if value == 0 { Err(D::Error::custom("must be at least 1")) } else { Ok(value) }
}

fn at_least_one_if_given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    at_least_one(deserializer).map(Some)
}

fn at_least_one_usize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<usize, D::Error> {
    let value = usize::deserialize(deserializer)?;
    if value == 0 { Err(D::Error::custom("must be at least 1")) } else { Ok(value) }
}

fn max_iterations<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let value = u32::deserialize(deserializer)?;
    if (1..=100).contains(&value) { Ok(value) } else { Err(D::Error::custom("must be from 1 to 100")) }
}

fn temperature<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if (0.0..=2.0).contains(&value) { Ok(Some(value)) } else { Err(D::Error::custom("must be from 0 to 2")) }
}

fn price<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    let value = f64::deserialize(deserializer)?;
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(D::Error::custom("must be 0 or more")) }
}

fn amount_if_given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let value = price(deserializer)?;
    if value > 0.0 { Ok(Some(value)) } else { Err(D::Error::custom("must be over 0; leave it out for no limit")) }
}

fn price_if_given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    price(deserializer).map(Some)
}
