//! Providers, saved or not: one real request to a model, and the list of their models.

mod choice;

use std::time::{Duration, Instant};

use axum::extract::State;
use nanobot_engine::message::{Message, Role};
use nanobot_engine::model::{ModelError, ModelErrorKind, ModelRequest, StreamEnd, StreamItem};
use nanobot_runtime::config::ResolvedPreset;
use nanobot_runtime::provider::{ListedModel, provider_models};
use serde::{Deserialize, Serialize};

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::Json;
use choice::ProviderChoice;

/// Longest test of a provider.
const TEST_LIMIT: Duration = Duration::from_secs(60);

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelsBody {
    /// Name of a configured provider, or `{kind, base_url, api_key?}` of one that is not saved yet.
    #[schema(value_type = Object)]
    provider: ProviderChoice,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ModelList {
    /// Models by id, at most 1000.
    items: Vec<ListedModel>,
    /// Always null: the list is whole.
    next_cursor: Option<String>,
}

/// Asks a provider which models it has.
#[utoipa::path(post, path = "/providers/models", tag = "setup", request_body = ModelsBody,
    responses((status = 200, body = ModelList), (status = 422, body = ApiError), (status = 502, body = ApiError)))]
pub(crate) async fn models(
    State(app): State<AppState>,
    Json(body): Json<ModelsBody>,
) -> Result<Json<ModelList>, ApiError> {
    let preset = body.provider.resolve(&app.runtime.config().current(), "")?;
    let items = provider_models(app.runtime.models().clients(), &preset).await?;
    Ok(Json(ModelList { items, next_cursor: None }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestBody {
    /// Name of a configured provider, or `{kind, base_url, api_key?}` of one that is not saved yet.
    #[schema(value_type = Object)]
    provider: ProviderChoice,
    /// Model to ask.
    model: String,
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
    let chosen = body.provider.resolve(&app.runtime.config().current(), &body.model)?;
    let preset = ResolvedPreset { context_window_tokens: 8_192, max_tokens: 256, ..chosen };
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
            let text = Message { role: Role::Assistant, blocks: reply.blocks }.text();
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
