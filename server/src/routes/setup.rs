//! First run: what this machine offers, and a real test of a provider.

use std::time::{Duration, Instant};

use axum::extract::State;
use nanobot_engine::message::Message;
use nanobot_engine::model::{ModelError, ModelErrorKind, ModelRequest, StreamEnd, StreamItem};
use nanobot_runtime::config::{ProviderKind, ResolvedPreset, process_env};
use nanobot_runtime::discovery::{SetupView, discover, usual_targets};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::Json;

/// Longest test of a provider.
const TEST_LIMIT: Duration = Duration::from_secs(60);

/// What was found on this machine.
#[utoipa::path(get, path = "/setup", tag = "setup", responses((status = 200, body = SetupView)))]
pub(crate) async fn setup(State(app): State<AppState>) -> Result<Json<SetupView>, ApiError> {
    let own = app.auth.port();
    let targets: Vec<_> = usual_targets().into_iter().filter(|target| target.address.port() != own).collect();
    let found = match app.runtime.models().clients().local() {
        Ok(client) => discover(client, &targets, &process_env()).await,
        Err(error) => {
            tracing::warn!(%error, "this machine cannot be searched for model servers");
            Vec::new()
        }
    };
    Ok(Json(SetupView::new(&app.runtime.config().current(), found)))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestBody {
    /// Name of a configured provider, or `{kind, base_url, api_key?}` of one that is not saved yet.
    #[schema(value_type = Object)]
    provider: TestProvider,
    /// Model to ask.
    model: String,
}

/// Which provider to test.
pub(crate) enum TestProvider {
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

impl<'de> Deserialize<'de> for TestProvider {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(deserializer)? {
            serde_json::Value::String(name) => Ok(Self::Named(name)),
            other => serde_json::from_value(other).map(Self::Inline).map_err(serde::de::Error::custom),
        }
    }
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TestAnswer {
    /// Did the model answer?
    ok: bool,
    /// How long it took.
    latency_ms: u64,
    /// What it said.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TestError>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct TestError {
    /// Stable code.
    code: &'static str,
    /// What happened and what to do.
    detail: String,
}

/// Makes one real, small request.
#[utoipa::path(post, path = "/providers/test", tag = "setup", request_body = TestBody,
    responses((status = 200, body = TestAnswer), (status = 422, body = ApiError)))]
pub(crate) async fn test_provider(
    State(app): State<AppState>,
    Json(body): Json<TestBody>,
) -> Result<Json<TestAnswer>, ApiError> {
    if body.model.trim().is_empty() {
        return Err(ApiError::invalid("model", "name the model to test"));
    }
    let preset = preset(&app, body)?;
    let since = Instant::now();
    let outcome = match tokio::time::timeout(TEST_LIMIT, ask(&app, &preset)).await {
        Ok(outcome) => outcome,
        Err(_) => {
            let detail = format!("there was no answer within {} s", TEST_LIMIT.as_secs());
            Err(ModelError::new(ModelErrorKind::Timeout, detail))
        }
    };
    let latency_ms = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(match outcome {
        Ok(text) => TestAnswer { ok: true, latency_ms, text: Some(text), error: None },
        Err(error) => {
            let error = TestError { code: error.kind.code(), detail: error.detail };
            TestAnswer { ok: false, latency_ms, text: None, error: Some(error) }
        }
    }))
}

fn preset(app: &AppState, body: TestBody) -> Result<ResolvedPreset, ApiError> {
    let config = app.runtime.config().current();
    let (name, kind, base_url, api_key) = match body.provider {
        TestProvider::Named(name) => {
            let Some(provider) = config.provider(&name) else {
                return Err(ApiError::invalid("provider", format!("there is no provider {name:?}")));
            };
            (name.clone(), provider.kind_for(&name), provider.base_url_for(&name), provider.api_key.clone())
        }
        TestProvider::Inline(inline) => {
            let api_key = inline.api_key.map(from_environment);
            ("this provider".to_owned(), inline.kind.unwrap_or(ProviderKind::Openai), inline.base_url, api_key)
        }
    };
    Ok(ResolvedPreset {
        // Providers are kept by name; a test must not push out one that is in use.
        name: String::new(),
        provider_name: name,
        kind,
        base_url,
        api_key,
        model: body.model,
        context_window_tokens: 8_192,
        context_window_assumed: true,
        max_tokens: 256,
        temperature: None,
        reasoning_effort: None,
        price: None,
    })
}

/// A key that is named as `${VAR}`, as in config.toml, is taken from the environment.
fn from_environment(key: SecretString) -> SecretString {
    let name = key.expose_secret().strip_prefix("${").and_then(|rest| rest.strip_suffix('}'));
    match name.map(std::env::var) {
        Some(value) => value.unwrap_or_default().into(),
        None => key,
    }
}

async fn ask(app: &AppState, preset: &ResolvedPreset) -> Result<String, ModelError> {
    let provider = app.runtime.models().make(preset)?;
    let request = ModelRequest {
        model: preset.model.clone(),
        system: "Answer with one short sentence.".into(),
        messages: vec![Message::user("Say hello.")],
        max_tokens: preset.max_tokens,
        ..ModelRequest::default()
    };
    let mut stream = provider.start(request).await;
    let mut items = Vec::new();
    loop {
        stream.next(&mut items).await;
        for item in items.drain(..) {
            let StreamItem::End(reply) = item else { continue };
            let text = Message { role: nanobot_engine::message::Role::Assistant, blocks: reply.blocks }.text();
            let text = nanobot_engine::text::one_line(&text, 200);
            return match reply.end {
                StreamEnd::Error(error) => Err(error),
                StreamEnd::Truncated => {
                    Err(ModelError::new(ModelErrorKind::Truncated, "the answer broke off before its end"))
                }
                StreamEnd::Complete | StreamEnd::Length | StreamEnd::Empty | StreamEnd::Paused => Ok(text),
            };
        }
    }
}
