//! Sends requests in any wire format and turns what goes wrong on the way into errors that say what to do.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::SystemTime;

use async_trait::async_trait;
use nanobot_engine::model::{ModelError, ModelErrorKind, ModelRequest};
use nanobot_engine::text;
use reqwest::header::{HeaderValue, LOCATION};
use reqwest::{RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Map, Value};
use tokio::time::{Duration, timeout};

use super::endpoint::Endpoint;
use super::errors::{Failure, bad_response, describe_page, strike_out};
use super::http::HttpClient;
use super::merge::merge_body;
use super::provider::{FailedStream, ModelStream, Provider};
use super::retry_after::{retry_after_ms, should_retry};
use super::stream::{WireStream, timed_out};
use super::wire::Wire;
use crate::config::{KeyHeader, ResolvedPreset};

/// How much of an error body is read.
const ERROR_BYTES: usize = 64 * 1024;
/// Longest wait for an error body.
const ERROR_TIMEOUT: Duration = Duration::from_secs(10);

/// Headers of every request.
const EVERY_WIRE: &[(&str, &str)] = &[("content-type", "application/json"), ("accept", "text/event-stream")];
/// Shortest header value that is taken for a secret.
const MIN_SECRET_BYTES: usize = 8;

/// One server that answers model requests.
#[derive(Clone, Debug, Default)]
pub struct Server {
    /// Name of the provider in the configuration; errors use it.
    pub name: String,
    /// Address; see [`Endpoint::parse`].
    pub base_url: String,
    /// Key, where one is needed.
    pub api_key: Option<SecretString>,
    /// Where the key goes.
    pub key_header: KeyHeader,
    /// Further headers; one that is set here is not set by us.
    pub extra_headers: BTreeMap<String, SecretString>,
    /// Further fields of the address.
    pub extra_query: BTreeMap<String, String>,
    /// Further fields of the body: objects are merged, `tools` and `include` added to, all else is replaced.
    pub extra_body: Map<String, Value>,
    /// A proxy to go through, `none` for no proxy at all; absent: the environment's, but none for servers nearby.
    pub proxy: Option<SecretString>,
    /// Time limits.
    pub limits: Limits,
}

/// Time limits of one answer.
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
    /// For the whole answer; long, since a slow answer is a healthy one.
    pub total: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            first_byte: Duration::from_secs(120),
            idle: Duration::from_secs(90),
            without_data: Duration::from_secs(300),
            after_finish: Duration::from_secs(5),
            total: Duration::from_secs(30 * 60),
        }
    }
}

/// Asks one server in one wire format.
pub struct WireProvider {
    server: Server,
    wire: Box<dyn Wire>,
    endpoint: Endpoint,
    url: Url,
    client: HttpClient,
    /// The last request was answered, so that its connection may have been kept.
    answered: AtomicBool,
}

impl WireProvider {
    /// A provider; nothing is sent and no client built before the first request.
    ///
    /// # Errors
    /// When `base_url` is no address.
    pub fn new(server: Server, wire: Box<dyn Wire>, client: HttpClient) -> Result<Self, ModelError> {
        let endpoint = Endpoint::parse(&server.name, &server.base_url, wire.path())?;
        let mut url = endpoint.requests().clone();
        if !server.extra_query.is_empty() {
            url.query_pairs_mut().extend_pairs(&server.extra_query);
        }
        Ok(Self { server, wire, endpoint, url, client, answered: AtomicBool::new(false) })
    }

    async fn send(&self, request: ModelRequest) -> Result<WireStream, ModelError> {
        let name = &self.server.name;
        let by = format!("{name}/{}", request.model);
        let body = self.body(&request, &by).map_err(|error| {
            ModelError::new(
                ModelErrorKind::RefusedRequest,
                format!("the request to {name} could not be written: {error}"),
            )
        })?;
        drop(request);
        let client = self.client.for_url(&self.url, self.endpoint.is_loopback(), self.server.proxy.as_ref())?;
        let body = bytes::Bytes::from(body);
        let limit = self.server.limits.first_byte;
        let mut kept_connection_may_be_stale = self.answered.swap(false, Ordering::Relaxed);
        let response = loop {
            let post = client.post(self.url.clone()).body(body.clone());
            let post = self.server.dress(post, &[EVERY_WIRE, self.wire.headers()].concat())?;
            match timeout(limit, post.send()).await {
                Ok(Ok(response)) => break response,
                // Some servers close a connection that they said to keep. Nothing of an answer has come, so the request
                // is made once more on a new one.
                Ok(Err(error)) if kept_connection_may_be_stale && closed_before_answer(&error) => {
                    tracing::debug!(provider = name, "a kept connection was closed by the server; a new one is made");
                    kept_connection_may_be_stale = false;
                }
                Ok(Err(error)) if error.is_connect() && self.server.has_proxy() => {
                    let error = error.without_url();
                    let cause = text::one_line(&root_cause(&error).to_string(), 200);
                    let detail = format!(
                        "{name} could not be reached through its proxy ({cause}): check `proxy` in its settings"
                    );
                    return Err(ModelError::new(ModelErrorKind::Unavailable, detail));
                }
                Ok(Err(error)) => return Err(not_sent(name, &self.endpoint, error)),
                Err(_) => return Err(timed_out(name, "nothing", limit)),
            }
        };
        self.answered.store(true, Ordering::Relaxed);
        let response = accept(name, response).await?;
        let decoder = self.wire.decoder(name, &by);
        Ok(WireStream::new(name.clone(), self.server.secrets(), self.server.limits, decoder, response))
    }

    fn body(&self, request: &ModelRequest, by: &str) -> serde_json::Result<Vec<u8>> {
        let body = self.wire.body(request, by)?;
        if self.server.extra_body.is_empty() {
            return Ok(body);
        }
        let mut fields: Map<String, Value> = serde_json::from_slice(&body)?;
        merge_body(&mut fields, &self.server.extra_body);
        serde_json::to_vec(&fields)
    }
}

impl Server {
    /// The server of a preset's provider.
    pub(crate) fn of(preset: &ResolvedPreset, limits: Limits) -> Self {
        Self {
            name: preset.provider_name.clone(),
            base_url: preset.base_url.clone().unwrap_or_default(),
            api_key: preset.api_key.clone(),
            key_header: preset.key_header(),
            extra_headers: preset.extra_headers.clone(),
            extra_query: preset.extra_query.clone(),
            extra_body: preset.extra_body.clone(),
            proxy: preset.proxy.clone(),
            limits,
        }
    }

    /// Is a proxy of its own configured?
    fn has_proxy(&self) -> bool {
        self.proxy.as_ref().is_some_and(|proxy| !matches!(proxy.expose_secret().trim(), "" | "none"))
    }

    /// What must not be shown, though servers repeat it in their errors. A short header value is no secret.
    pub(crate) fn secrets(&self) -> Vec<SecretString> {
        let is_long = |value: &&SecretString| value.expose_secret().len() >= MIN_SECRET_BYTES;
        self.api_key.iter().chain(self.extra_headers.values().filter(is_long)).cloned().collect()
    }

    /// Adds the key, the configured headers, and of the others those that are not configured.
    pub(crate) fn dress(
        &self,
        mut request: RequestBuilder,
        headers: &[(&str, &str)],
    ) -> Result<RequestBuilder, ModelError> {
        let given = |name: &str| self.extra_headers.keys().any(|extra| extra.eq_ignore_ascii_case(name));
        for (name, value) in headers.iter().filter(|(name, _)| !given(name)) {
            request = request.header(*name, *value);
        }
        if !given(header_name(self.key_header)) {
            request = authorize(request, &self.name, self.api_key.as_ref(), self.key_header)?;
        }
        for (name, value) in &self.extra_headers {
            let mut value = HeaderValue::from_str(value.expose_secret()).map_err(|_| {
                let detail = format!("the header {name} of {} has characters that cannot be sent", self.name);
                ModelError::new(ModelErrorKind::NoModel, detail)
            })?;
            value.set_sensitive(true);
            request = request.header(name, value);
        }
        Ok(request)
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
impl Provider for WireProvider {
    async fn start(&self, request: ModelRequest) -> Box<dyn ModelStream> {
        match self.send(request).await {
            Ok(stream) => Box::new(stream),
            Err(mut error) => {
                strike_out(&mut error, &self.server.secrets());
                FailedStream::boxed(error)
            }
        }
    }
}

fn header_name(header: KeyHeader) -> &'static str {
    match header {
        KeyHeader::Bearer => "authorization",
        KeyHeader::XApiKey => "x-api-key",
        KeyHeader::ApiKey => "api-key",
    }
}

/// Adds the key, if there is one.
fn authorize(
    request: RequestBuilder,
    provider: &str,
    key: Option<&SecretString>,
    header: KeyHeader,
) -> Result<RequestBuilder, ModelError> {
    let Some(key) = key.map(|key| key.expose_secret().trim()).filter(|key| !key.is_empty()) else {
        return Ok(request);
    };
    let value = match header {
        KeyHeader::Bearer => HeaderValue::from_str(&format!("Bearer {key}")),
        KeyHeader::XApiKey | KeyHeader::ApiKey => HeaderValue::from_str(key),
    };
    let mut value = value.map_err(|_| {
        let detail = format!("the API key of {provider} has characters that cannot be sent: copy it again");
        ModelError::new(ModelErrorKind::Auth, detail)
    })?;
    value.set_sensitive(true);
    Ok(request.header(header_name(header), value))
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
    let again = should_retry(response.headers());
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
    let error = Failure::read(&json, Some(status.as_u16())).into_error(provider, wait);
    Err(ModelError { should_retry: again, ..error })
}

/// No answer came at all.
pub(crate) fn not_sent(provider: &str, endpoint: &Endpoint, error: reqwest::Error) -> ModelError {
    let error = error.without_url();
    let mut cause: &(dyn Error + 'static) = &error;
    let (mut refused, mut untrusted) = (false, false);
    while let Some(source) = cause.source() {
        cause = source;
        refused |= source.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::ConnectionRefused);
        untrusted |= is_untrusted(source);
    }
    let address = endpoint.address();
    if untrusted {
        let cause = text::one_line(&cause.to_string(), 200);
        let detail = format!(
            "the certificate of {provider} at {address} is not trusted ({cause}): check base_url and the clock"
        );
        // The next attempt would meet the same certificate.
        return ModelError { should_retry: Some(false), ..ModelError::new(ModelErrorKind::Unavailable, detail) };
    }
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
    ModelError::new(kind, detail)
}

fn root_cause<'a>(error: &'a (dyn Error + 'static)) -> &'a (dyn Error + 'static) {
    let mut cause = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause
}

/// Is this what TLS says of a certificate that it does not accept?
fn is_untrusted(error: &(dyn Error + 'static)) -> bool {
    if let Some(rustls::Error::InvalidCertificate(_)) = error.downcast_ref::<rustls::Error>() {
        return true;
    }
    // `io::Error` hides what it wraps from `source`.
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    inner.is_some_and(|inner| is_untrusted(inner))
}

#[cfg(test)]
mod tests;
