//! Looks for what this machine offers: model servers on their usual loopback ports, and keys in the environment.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;
use utoipa::ToSchema;

use crate::config::{Config, KNOWN_PROVIDERS, ProviderKind, known_provider};

/// How long a server may take to accept a connection. On this machine it is a matter of microseconds.
const CONNECT_TIMEOUT: Duration = Duration::from_millis(300);
/// How long it may take to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// Largest answer that is read, in bytes.
const MAX_ANSWER_BYTES: usize = 1024 * 1024;
/// Most models that are listed of one server.
const MAX_MODELS: usize = 200;

/// A place to look for a model server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeTarget {
    /// Name of the known provider that usually is there.
    pub provider: &'static str,
    /// Where.
    pub address: SocketAddr,
}

/// Something that this machine offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Found {
    /// How it was found.
    pub source: FoundSource,
    /// Name of the known provider.
    pub provider: String,
    /// Its name for people.
    pub label: String,
    /// The wire format.
    pub kind: ProviderKind,
    /// Address of the API.
    pub base_url: String,
    /// The environment variable that holds its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Models of a server, as it names them; empty for a key.
    pub models: Vec<String>,
}

/// How something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FoundSource {
    /// A model server answers.
    Server,
    /// An environment variable has a key.
    Key,
}

/// Answer of `GET /setup`.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SetupView {
    /// No model can be used yet.
    pub needs_setup: bool,
    /// The preset of new sessions.
    pub default_preset: Option<String>,
    /// What this machine offers.
    pub found: Vec<Found>,
    /// What fills the form.
    pub providers: Vec<SetupProvider>,
    /// The built-in model.
    pub demo: SetupDemo,
}

/// A provider that the form offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SetupProvider {
    /// Its name in the settings.
    pub name: String,
    /// Its name for people.
    pub label: String,
    /// The wire format.
    pub kind: ProviderKind,
    /// Address of the API.
    pub base_url: String,
    /// The environment variable that usually holds its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// Whether this version can talk to it; true for all.
    pub available: bool,
}

/// What to configure for the built-in model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct SetupDemo {
    /// The provider's name.
    pub provider: String,
    /// The model's id.
    pub model: String,
}

impl SetupView {
    /// Puts together what was found and what is configured.
    #[must_use]
    pub fn new(config: &Config, found: Vec<Found>) -> Self {
        let form = KNOWN_PROVIDERS.iter().filter(|known| known.kind != ProviderKind::Demo);
        let providers = form.map(|known| SetupProvider {
            name: known.name.to_owned(),
            label: known.label.to_owned(),
            kind: known.kind,
            base_url: known.base_url.to_owned(),
            env: known.env.map(str::to_owned),
            available: true,
        });
        Self {
            needs_setup: config.resolve_preset(None).is_err(),
            default_preset: config.default_preset().map(str::to_owned),
            found,
            providers: providers.collect(),
            demo: SetupDemo { provider: "demo".to_owned(), model: "demo".to_owned() },
        }
    }
}

/// The usual places of model servers on this machine. Leave out the address that this server listens on itself.
#[must_use]
pub fn usual_targets() -> Vec<ProbeTarget> {
    [("ollama", 11434), ("lmstudio", 1234), ("llamacpp", 8080), ("vllm", 8000)]
        .map(|(provider, port)| ProbeTarget { provider, address: SocketAddr::from(([127, 0, 0, 1], port)) })
        .to_vec()
}

/// Looks at all targets at once and at the environment.
///
/// What does not answer like a model server is left out; servers come first,
/// in the order of the targets. Takes a little over two seconds at most. The client should follow no redirects and use no proxy.
pub async fn discover(client: &reqwest::Client, targets: &[ProbeTarget], env: &BTreeMap<String, String>) -> Vec<Found> {
    let mut probes = JoinSet::new();
    for (index, target) in targets.iter().cloned().enumerate() {
        let client = client.clone();
        probes.spawn(async move { (index, probe(&client, &target).await) });
    }
    let mut servers = BTreeMap::new();
    while let Some(ended) = probes.join_next().await {
        if let Ok((index, Some(found))) = ended {
            servers.insert(index, found);
        }
    }
    servers.into_values().chain(keys(env)).collect()
}

/// The keys in the environment of providers that can be used.
fn keys(env: &BTreeMap<String, String>) -> Vec<Found> {
    let has_key = |name: &str| env.get(name).is_some_and(|key| !key.trim().is_empty());
    let mut seen = BTreeSet::new();
    // A key without an address is of no use. Of the variants of one account, the first is what its key alone means.
    let with_address = KNOWN_PROVIDERS.iter().filter(|known| !known.base_url.is_empty());
    with_address
        .filter(|known| known.env.is_some_and(|env| has_key(env) && seen.insert(env)))
        .map(|known| Found {
            source: FoundSource::Key,
            provider: known.name.to_owned(),
            label: known.label.to_owned(),
            kind: known.kind,
            base_url: known.base_url.to_owned(),
            env: known.env.map(str::to_owned),
            models: Vec::new(),
        })
        .collect()
}

async fn probe(client: &reqwest::Client, target: &ProbeTarget) -> Option<Found> {
    let known = known_provider(target.provider)?;
    // Most ports are closed: that is found out without the client, which may have a longer patience.
    timeout(CONNECT_TIMEOUT, TcpStream::connect(target.address)).await.ok()?.ok()?;
    let base_url = format!("http://{}/v1", target.address);
    let models = timeout(ANSWER_TIMEOUT, list_models(client, &base_url)).await.ok()??;
    Some(Found {
        source: FoundSource::Server,
        provider: known.name.to_owned(),
        label: known.label.to_owned(),
        kind: known.kind,
        base_url,
        env: None,
        models,
    })
}

/// `GET /v1/models` as OpenAI defined it. Ollama without models answers `"data": null`.
#[derive(Deserialize)]
struct ModelList {
    object: Option<String>,
    data: Option<Vec<Model>>,
}

#[derive(Deserialize)]
struct Model {
    id: String,
}

async fn list_models(client: &reqwest::Client, base_url: &str) -> Option<Vec<String>> {
    let mut response = client.get(format!("{base_url}/models")).send().await.ok()?.error_for_status().ok()?;
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_ANSWER_BYTES {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    let list: ModelList = serde_json::from_slice(&body).ok()?;
    if list.data.is_none() && list.object.as_deref() != Some("list") {
        return None;
    }
    Some(list.data.unwrap_or_default().into_iter().take(MAX_MODELS).map(|model| model.id).collect())
}

#[cfg(test)]
mod tests;
