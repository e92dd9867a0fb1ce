//! Asks a server which models it has.

use nanobot_engine::model::ModelError;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::{Duration, timeout};

use crate::provider::client::{KeyHeader, accept, authorize, not_sent};
use crate::provider::endpoint::Endpoint;
use crate::provider::errors::{bad_response, strike_out};
use crate::provider::http::HttpClient;
use crate::provider::stream::timed_out;

/// Longest wait for the list.
const TIMEOUT: Duration = Duration::from_secs(2);
/// Largest list that is read.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Names of the models that the server at `base_url` offers, in its own order. Takes at most two seconds.
///
/// # Errors
/// When the server is not there, refuses the key, or is no model server.
pub async fn list_models(
    client: &HttpClient,
    base_url: &str,
    key: Option<&SecretString>,
) -> Result<Vec<String>, ModelError> {
    let endpoint = Endpoint::parse("the model server", base_url, "chat/completions")?;
    let provider = format!("the model server at {}", endpoint.address());
    let result = match timeout(TIMEOUT, fetch(client, &endpoint, &provider, key)).await {
        Ok(result) => result,
        Err(_) => Err(timed_out(&provider, "nothing", TIMEOUT)),
    };
    result.map_err(|mut error| {
        strike_out(&mut error, key.map(ExposeSecret::expose_secret));
        error
    })
}

async fn fetch(
    client: &HttpClient,
    endpoint: &Endpoint,
    provider: &str,
    key: Option<&SecretString>,
) -> Result<Vec<String>, ModelError> {
    let url = endpoint.models();
    let get = client.for_url(url, endpoint.is_loopback())?.get(url.clone());
    let sent = authorize(get, provider, key, KeyHeader::Bearer)?.send().await;
    let mut response = accept(provider, sent.map_err(|error| not_sent(provider, endpoint, error))?).await?;
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await.map_err(|error| not_sent(provider, endpoint, error))? {
        body.extend_from_slice(&bytes);
        if body.len() > MAX_BYTES {
            return Err(bad_response(provider, "the list of models is too large"));
        }
    }
    let list: Value = serde_json::from_slice(&body).map_err(|_| bad_response(provider, "the list is not JSON"))?;
    let models = list.get("data").or_else(|| list.get("models")).unwrap_or(&list);
    let Some(models) = models.as_array() else { return Err(bad_response(provider, "JSON without a list of models")) };
    let name = |model: &Value| {
        ["id", "name"]
            .iter()
            .find_map(|key| model.get(key)?.as_str().map(str::to_owned))
            .or(model.as_str().map(str::to_owned))
    };
    Ok(models.iter().filter_map(name).collect())
}
