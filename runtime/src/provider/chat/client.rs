//! Sends Chat Completions requests and turns what goes wrong on the way into errors that say what to do.

use std::error::Error;
use std::io;
use std::time::SystemTime;

use async_trait::async_trait;
use nanobot_engine::model::{ModelError, ModelErrorKind, ModelRequest};
use nanobot_engine::text;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION};
use reqwest::{RequestBuilder, Response};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use tokio::time::{Duration, timeout};

use super::endpoint::Endpoint;
use super::errors::{Failure, bad_response, describe_page, strike_out};
use super::messages::Images;
use super::request::{ChatBody, Quirks};
use super::retry_after::retry_after_ms;
use super::stream::{ChatStream, timed_out};
use crate::provider::http::HttpClient;
use crate::provider::provider::{FailedStream, ModelStream, Provider};

/// How much of an error body is read.
const ERROR_BYTES: usize = 64 * 1024;
/// Longest wait for an error body.
const ERROR_TIMEOUT: Duration = Duration::from_secs(10);

/// One server that speaks Chat Completions.
#[derive(Clone, Debug)]
pub struct ChatConfig {
    /// Name of the provider in the configuration; errors use it.
    pub name: String,
    /// Address; see [`Endpoint::parse`].
    pub base_url: String,
    /// Key, where one is needed.
    pub api_key: Option<SecretString>,
    /// Time limits.
    pub limits: Limits,
    /// Differences of this server; `None` goes by the model's name.
    pub quirks: Option<Quirks>,
}

/// Time limits of one answer. There is none for the whole of it: a slow answer is a healthy one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the request to the head of the answer, and from there to the first data.
    pub first_byte: Duration,
    /// Between two pieces of data; comments prolong it.
    pub idle: Duration,
    /// Between two pieces of data when only comments come.
    pub without_data: Duration,
    /// After the finish reason, when only usage and `[DONE]` are still to come; passing it is no failure.
    pub after_finish: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(90),
            without_data: Duration::from_secs(300),
            after_finish: Duration::from_secs(5),
        }
    }
}

/// Asks one Chat Completions server.
#[derive(Debug)]
pub struct ChatProvider {
    config: ChatConfig,
    endpoint: Endpoint,
    client: HttpClient,
}

impl ChatProvider {
    /// A provider; nothing is sent and no client built before the first request.
    ///
    /// # Errors
    /// When `base_url` is no address.
    pub fn new(config: ChatConfig, client: HttpClient) -> Result<Self, ModelError> {
        let endpoint = Endpoint::parse(&config.name, &config.base_url)?;
        Ok(Self { config, endpoint, client })
    }

    async fn send(&self, request: ModelRequest) -> Result<ChatStream, ModelError> {
        let name = &self.config.name;
        let body = {
            let quirks = self.config.quirks.unwrap_or_else(|| Quirks::for_model(&request.model));
            serde_json::to_vec(&ChatBody::new(&request, quirks, &Images::default()))
        };
        let body = body.map_err(|error| ModelError {
            kind: ModelErrorKind::RefusedRequest,
            detail: format!("the request to {name} could not be written: {error}"),
            retry_after_ms: None,
        })?;
        drop(request);
        let url = self.endpoint.chat();
        let client = self.client.for_url(url, self.endpoint.is_loopback(), None)?;
        let body = bytes::Bytes::from(body);
        let limit = self.config.limits.first_byte;
        let mut kept_connection_may_be_stale = true;
        let response = loop {
            let post = client.post(url.clone()).header(CONTENT_TYPE, "application/json");
            let post = post.header(ACCEPT, "text/event-stream").body(body.clone());
            let post = authorize(post, name, self.config.api_key.as_ref())?;
            match timeout(limit, post.send()).await {
                Ok(Ok(response)) => break response,
                // Some servers close a connection that they said to keep. Nothing of an answer has come, so the request
                // is made once more on a new one.
                Ok(Err(error)) if kept_connection_may_be_stale && closed_before_answer(&error) => {
                    tracing::debug!(provider = name, "a kept connection was closed by the server; a new one is made");
                    kept_connection_may_be_stale = false;
                }
                Ok(Err(error)) => return Err(not_sent(name, &self.endpoint, error)),
                Err(_) => return Err(timed_out(name, "nothing", limit)),
            }
        };
        let response = accept(name, response).await?;
        Ok(ChatStream::new(&self.config, response))
    }
}

/// Did the server close the connection before a single byte of an answer?
fn closed_before_answer(error: &reqwest::Error) -> bool {
    if error.is_connect() || error.is_timeout() {
        return false;
    }
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if let Some(io) = error.downcast_ref::<std::io::Error>() {
            return matches!(
                io.kind(),
                std::io::ErrorKind::ConnectionReset
                    | std::io::ErrorKind::BrokenPipe
                    | std::io::ErrorKind::ConnectionAborted
                    | std::io::ErrorKind::UnexpectedEof
            );
        }
        // The HTTP library has no public type for it.
        if error.to_string().starts_with("connection closed before message completed") {
            return true;
        }
        cause = error.source();
    }
    false
}

#[async_trait]
impl Provider for ChatProvider {
    async fn start(&self, request: ModelRequest) -> Box<dyn ModelStream> {
        match self.send(request).await {
            Ok(stream) => Box::new(stream),
            Err(mut error) => {
                strike_out(&mut error, self.config.api_key.as_ref().map(ExposeSecret::expose_secret));
                FailedStream::boxed(error)
            }
        }
    }
}

/// Adds the key, if there is one.
pub(crate) fn authorize(
    request: RequestBuilder,
    provider: &str,
    key: Option<&SecretString>,
) -> Result<RequestBuilder, ModelError> {
    let Some(key) = key.map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty()) else {
        return Ok(request);
    };
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).map_err(|_| ModelError {
        kind: ModelErrorKind::Auth,
        detail: format!("the API key of {provider} has characters that cannot be sent: copy it again"),
        retry_after_ms: None,
    })?;
    value.set_sensitive(true);
    Ok(request.header(AUTHORIZATION, value))
}

/// Passes a good answer on; reads the cause of another.
pub(crate) async fn accept(provider: &str, mut response: Response) -> Result<Response, ModelError> {
    let status = response.status();
    if status.is_success() {
        return Ok(response);
    }
    if status.is_redirection() {
        let target = response.headers().get(LOCATION).and_then(|value| value.to_str().ok()).unwrap_or("elsewhere");
        return Err(bad_response(provider, &format!("it redirects to {}", text::one_line(target, 200))));
    }
    let wait = retry_after_ms(response.headers(), SystemTime::now());
    let mut body = Vec::new();
    // A body that fails half-way still tells more than none.
    let _ = timeout(ERROR_TIMEOUT, async {
        while let Ok(Some(bytes)) = response.chunk().await {
            let room = ERROR_BYTES.saturating_sub(body.len());
            body.extend(bytes.iter().take(room));
            if room <= bytes.len() {
                break;
            }
        }
    })
    .await;
    let words = String::from_utf8_lossy(&body);
    let json = match serde_json::from_str::<Value>(&words) {
        Ok(json) => json,
        Err(_) if words.trim_start().starts_with('<') => Value::String(describe_page(&words)),
        Err(_) => Value::String(words.into_owned()),
    };
    Err(Failure::read(&json, Some(status.as_u16())).into_error(provider, wait))
}

/// No answer came at all.
pub(crate) fn not_sent(provider: &str, endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let error = error.without_url();
    let mut cause: &(dyn Error + 'static) = &error;
    let mut refused = false;
    while let Some(source) = cause.source() {
        cause = source;
        refused |= source.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::ConnectionRefused);
    }
    let address = endpoint.address();
    let (kind, detail) = if refused && endpoint.is_loopback() {
        (ModelErrorKind::Unavailable, format!("{provider} does not listen at {address}: is it running?"))
    } else if refused {
        (ModelErrorKind::Unavailable, format!("{provider} refused the connection at {address}: check base_url"))
    } else if error.is_timeout() {
        (ModelErrorKind::Timeout, format!("{provider} could not be reached at {address} in time: check the network"))
    } else {
        let cause = text::one_line(&cause.to_string(), 200);
        (
            ModelErrorKind::Unavailable,
            format!("{provider} could not be reached at {address} ({cause}): check base_url and the network"),
        )
    };
    ModelError { kind, detail, retry_after_ms: None }
}

#[cfg(test)]
mod tests;
