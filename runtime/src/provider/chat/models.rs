//! Asks a server which models it has, whatever wire format it speaks: both families list them alike.

use std::collections::BTreeMap;

use nanobot_engine::model::{ModelError, ModelErrorKind};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{RequestBuilder, Url};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Duration, timeout};
use utoipa::ToSchema;

use super::client::{accept, authorize, not_sent};
use super::endpoint::Endpoint;
use super::errors::{bad_response, strike_out};
use super::stream::timed_out;
use crate::config::{KeyHeader, ProviderKind, ResolvedPreset};
use crate::provider::http::HttpClient;

/// Longest wait for the list of a server that is only looked for.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Longest wait for the list of a provider that somebody chose.
const PROVIDER_TIMEOUT: Duration = Duration::from_secs(20);
/// Largest list that is read.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most models that are listed of one provider.
const MAX_MODELS: usize = 1000;
/// Shortest header value that is taken for a secret.
const MIN_SECRET_BYTES: usize = 8;
/// The version of the Anthropic API that this server speaks.
const ANTHROPIC_VERSION: &str = "2023-06-01";
/// Where servers say how much a model takes: OpenRouter and others, vLLM, Groq, Mistral, llama.cpp.
const WINDOWS: &[&str] =
    &["/context_length", "/max_model_len", "/context_window", "/max_context_length", "/meta/n_ctx_train"];

/// A model that a provider offers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ListedModel {
    /// Its id at the provider.
    pub id: String,
    /// Its context window in tokens, when the provider says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window_tokens: Option<u64>,
}

/// Names of the models that the server at `base_url` offers, in its own order. Takes at most two seconds.
///
/// # Errors
/// When the server is not there, refuses the key, or is no model server.
pub async fn list_models(
    client: &HttpClient,
    base_url: &str,
    key: Option<&SecretString>,
) -> Result<Vec<String>, ModelError> {
    let endpoint = Endpoint::parse("the model server", base_url)?;
    let provider = format!("the model server at {}", endpoint.address());
    let url = endpoint.models().clone();
    let get = client.for_url(&url, endpoint.is_loopback(), None)?.get(url);
    let list = fetch(authorize(get, &provider, key)?, &endpoint, &provider, TIMEOUT);
    let models = list.await.map_err(|error| without(error, key))?;
    Ok(models.into_iter().map(|model| model.id).collect())
}

/// The models of a configured provider, sorted by id, at most 1000; the preset's own model does not matter. Takes at most 20 seconds.
///
/// # Errors
/// When the address or the proxy is none, or the provider is not there, refuses the key, or is no model server.
pub async fn provider_models(client: &HttpClient, preset: &ResolvedPreset) -> Result<Vec<ListedModel>, ModelError> {
    if preset.kind == ProviderKind::Demo {
        return Ok(vec![ListedModel { id: "demo".to_owned(), context_window_tokens: None }]);
    }
    let provider = &preset.provider_name;
    let endpoint = Endpoint::parse(provider, &base_url(preset))?;
    let mut url = endpoint.models().clone();
    if preset.kind == ProviderKind::Anthropic {
        url.query_pairs_mut().append_pair("limit", "1000");
    }
    for (name, value) in &preset.extra_query {
        url.query_pairs_mut().append_pair(name, value);
    }
    let get = client.for_url(&url, endpoint.is_loopback(), preset.proxy.as_ref())?.get(url);
    let get = match preset.kind {
        ProviderKind::Anthropic => get.header("anthropic-version", ANTHROPIC_VERSION),
        ProviderKind::Openai | ProviderKind::OpenaiResponses | ProviderKind::Demo => get,
    };
    let get = with_key(get, preset)?.headers(extra_headers(&preset.extra_headers));
    let list = fetch(get, &endpoint, provider, PROVIDER_TIMEOUT).await;
    let mut models = list.map_err(|error| {
        // A short header value is no secret, and would take words out of the message.
        let is_long = |value: &&SecretString| value.expose_secret().len() >= MIN_SECRET_BYTES;
        let secrets = preset.api_key.iter().chain(preset.extra_headers.values().filter(is_long));
        secrets.fold(error, |error, secret| without(error, Some(secret)))
    })?;
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    models.truncate(MAX_MODELS);
    Ok(models)
}

/// The base address; people also give the full one of the place where answers are asked for.
fn base_url(preset: &ResolvedPreset) -> String {
    let given = preset.base_url.as_deref().unwrap_or_default();
    let tail = match preset.kind {
        ProviderKind::Anthropic => "/messages",
        ProviderKind::OpenaiResponses => "/responses",
        ProviderKind::Openai | ProviderKind::Demo => return given.to_owned(),
    };
    let Ok(mut url) = Url::parse(given.trim()) else { return given.to_owned() };
    if let Some(root) = url.path().trim_end_matches('/').strip_suffix(tail).map(str::to_owned) {
        url.set_path(&root);
    }
    url.into()
}

/// Adds the key, if there is one, in the header that the provider reads.
fn with_key(request: RequestBuilder, preset: &ResolvedPreset) -> Result<RequestBuilder, ModelError> {
    let (provider, key) = (&preset.provider_name, preset.api_key.as_ref());
    let name = match preset.key_header() {
        KeyHeader::Bearer => return authorize(request, provider, key),
        KeyHeader::XApiKey => "x-api-key",
        KeyHeader::ApiKey => "api-key",
    };
    let Some(key) = key.map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty()) else {
        return Ok(request);
    };
    let mut value = HeaderValue::from_str(key).map_err(|_| ModelError {
        kind: ModelErrorKind::Auth,
        detail: format!("the API key of {provider} has characters that cannot be sent: copy it again"),
        retry_after_ms: None,
    })?;
    value.set_sensitive(true);
    Ok(request.header(name, value))
}

/// The configured headers. Settings with others were refused.
fn extra_headers(headers: &BTreeMap<String, SecretString>) -> HeaderMap {
    let header = |(name, value): (&String, &SecretString)| {
        let mut value = HeaderValue::from_str(value.expose_secret()).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
    };
    headers.iter().filter_map(header).collect()
}

fn without(mut error: ModelError, secret: Option<&SecretString>) -> ModelError {
    strike_out(&mut error, secret.map(ExposeSecret::expose_secret));
    error
}

async fn fetch(
    get: RequestBuilder,
    endpoint: &Endpoint,
    provider: &str,
    limit: Duration,
) -> Result<Vec<ListedModel>, ModelError> {
    match timeout(limit, fetch_all(get, endpoint, provider)).await {
        Ok(result) => result,
        Err(_) => Err(timed_out(provider, "nothing", limit)),
    }
}

async fn fetch_all(get: RequestBuilder, endpoint: &Endpoint, provider: &str) -> Result<Vec<ListedModel>, ModelError> {
    let sent = get.send().await;
    let mut response = accept(provider, sent.map_err(|error| not_sent(provider, endpoint, error))?).await?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| not_sent(provider, endpoint, error))? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_BYTES {
            return Err(bad_response(provider, "the list of models is too large"));
        }
    }
    let list: Value = serde_json::from_slice(&body).map_err(|_| bad_response(provider, "the list is not JSON"))?;
    read(&list).ok_or_else(|| bad_response(provider, "JSON without a list of models"))
}

/// Reads `{"data": […]}`, `{"models": […]}` or a bare list; Ollama without models answers `"data": null`.
fn read(list: &Value) -> Option<Vec<ListedModel>> {
    let models = match list.get("data").or_else(|| list.get("models")).unwrap_or(list) {
        Value::Null if list.get("object").is_some_and(|object| object == "list") => return Some(Vec::new()),
        models => models.as_array()?,
    };
    let id = |model: &Value| {
        let named = ["id", "name"].iter().find_map(|key| model.get(key)?.as_str());
        named.or(model.as_str()).map(str::to_owned)
    };
    let window = |model: &Value| WINDOWS.iter().find_map(|place| model.pointer(place)?.as_u64()).filter(|n| *n > 0);
    let listed = |model: &Value| Some(ListedModel { id: id(model)?, context_window_tokens: window(model) });
    Some(models.iter().filter_map(listed).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::ProviderConfig;

    fn model(id: &str, context_window_tokens: Option<u64>) -> ListedModel {
        ListedModel { id: id.to_owned(), context_window_tokens }
    }

    #[test]
    fn windows_are_read_where_servers_say_them() {
        let list = json!({"object": "list", "data": [
            {"id": "openrouter", "context_length": 200_000},
            {"id": "vllm", "max_model_len": 32_768},
            {"id": "groq", "context_window": 131_072},
            {"id": "mistral", "max_context_length": 40_000},
            {"id": "llamacpp", "meta": {"n_ctx_train": 8_192}},
            {"id": "openai", "object": "model"},
            {"id": "odd", "context_length": "many"},
            {"id": "zero", "context_length": 0},
            {"object": "no model"}
        ]});
        let expected = [
            model("openrouter", Some(200_000)),
            model("vllm", Some(32_768)),
            model("groq", Some(131_072)),
            model("mistral", Some(40_000)),
            model("llamacpp", Some(8_192)),
            model("openai", None),
            model("odd", None),
            model("zero", None),
        ];
        assert_eq!(read(&list).as_deref(), Some(&expected[..]));
    }

    #[test]
    fn lists_come_in_several_shapes() {
        for (list, expected) in [
            (json!({"data": [{"id": "a"}]}), Some(vec![model("a", None)])),
            (json!({"models": [{"name": "b"}]}), Some(vec![model("b", None)])),
            (json!(["c"]), Some(vec![model("c", None)])),
            (json!({"object": "list", "data": null}), Some(vec![])),
            (json!({"data": null}), None),
            (json!({"data": {}}), None),
            (json!({}), None),
            (json!("x"), None),
        ] {
            assert_eq!(read(&list), expected, "{list}");
        }
    }

    #[test]
    fn full_addresses_lead_to_the_list_too() {
        use ProviderKind::{Anthropic, Openai, OpenaiResponses};
        for (kind, base, models) in [
            (Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/models"),
            (Anthropic, "https://api.anthropic.com/v1/messages/", "https://api.anthropic.com/v1/models"),
            (Anthropic, "https://h.test/anthropic", "https://h.test/anthropic/v1/models"),
            (OpenaiResponses, "https://h.test/v1/responses", "https://h.test/v1/models"),
            (Openai, "https://h.test/v1/chat/completions", "https://h.test/v1/models"),
        ] {
            let provider =
                ProviderConfig { kind: Some(kind), base_url: Some(base.to_owned()), ..ProviderConfig::default() };
            let endpoint = Endpoint::parse("p", &base_url(&provider.with_model("p", ""))).expect(base);
            assert_eq!(endpoint.models().as_str(), models, "{base}");
        }
    }
}
