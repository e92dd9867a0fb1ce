//! Asks a server which models it has, whatever wire format it speaks: both families list them alike.

use nanobot_engine::model::ModelError;
use reqwest::RequestBuilder;
use serde::Serialize;
use serde_json::Value;
use tokio::time::{Duration, timeout};
use utoipa::ToSchema;

use super::client::{Limits, Server, accept, not_sent};
use super::endpoint::Endpoint;
use super::errors::{bad_response, strike_out};
use super::http::HttpClient;
use super::stream::timed_out;
use crate::config::{ProviderKind, ResolvedPreset};

/// Longest wait for the list.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Largest list that is read.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// Most models that are listed of one provider.
const MAX_MODELS: usize = 1000;
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

/// The models of a configured provider, sorted by id, at most 1000; the preset's own model does not matter. Takes at most 20 seconds.
///
/// # Errors
/// When the address or the proxy is none, or the provider is not there, refuses the key, or is no model server.
pub async fn provider_models(client: &HttpClient, preset: &ResolvedPreset) -> Result<Vec<ListedModel>, ModelError> {
    if preset.kind == ProviderKind::Demo {
        return Ok(vec![ListedModel { id: "demo".to_owned(), context_window_tokens: None }]);
    }
    let server = Server::of(preset, Limits::default());
    let endpoint = Endpoint::parse(&server.name, &server.base_url, "models")?;
    let mut url = endpoint.models().clone();
    let mut headers: &[(&str, &str)] = &[];
    if preset.kind == ProviderKind::Anthropic {
        url.query_pairs_mut().append_pair("limit", "1000");
        headers = &[("anthropic-version", ANTHROPIC_VERSION)];
    }
    for (name, value) in &server.extra_query {
        url.query_pairs_mut().append_pair(name, value);
    }
    let get = client.for_url(&url, endpoint.is_loopback(), server.proxy.as_ref())?.get(url);
    let list = fetch_all(server.dress(get, headers)?, &endpoint, &server.name);
    let list = match timeout(TIMEOUT, list).await {
        Ok(list) => list,
        Err(_) => Err(timed_out(&server.name, "nothing", TIMEOUT)),
    };
    let mut models = list.map_err(|mut error| {
        strike_out(&mut error, &server.secrets());
        error
    })?;
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    models.truncate(MAX_MODELS);
    Ok(models)
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
}
