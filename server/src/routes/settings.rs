//! Settings: providers, presets and how the agent works. Secrets go in and never come out.

use axum::extract::State;
use axum::http::StatusCode;
use nanobot_runtime::config::{Config, ConfigError, PresetView, SettingChange, SettingsPatch, SettingsView};
use serde::Serialize;
use serde_json::{Value, json};

use crate::app::AppState;
use crate::audit::{self, Actor};
use crate::error::ApiError;
use crate::extract::Json;

/// Version of the product.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct PresetList {
    /// Presets by name.
    items: Vec<PresetView>,
}

/// Lists presets.
#[utoipa::path(get, path = "/presets", tag = "settings", responses((status = 200, body = PresetList)))]
pub(crate) async fn presets(State(app): State<AppState>) -> Json<PresetList> {
    Json(PresetList { items: PresetView::list(&app.runtime.config().current()) })
}

/// Reads the settings.
#[utoipa::path(get, path = "/settings", tag = "settings", responses((status = 200, body = SettingsView)))]
pub(crate) async fn read(State(app): State<AppState>) -> Json<SettingsView> {
    Json(view(&app))
}

/// Changes settings: a merge patch of `{providers?, presets?, agent?}`; `null` removes a key.
#[utoipa::path(patch, path = "/settings", tag = "settings", request_body = SettingsPatch,
    responses((status = 200, body = SettingsView), (status = 409, body = ApiError), (status = 422, body = ApiError)))]
pub(crate) async fn patch(
    State(app): State<AppState>,
    actor: Actor,
    Json(mut body): Json<Value>,
) -> Result<Json<SettingsView>, ApiError> {
    drop_secrets_of_moved_providers(&app.runtime.config().current(), &mut body);
    let patch = SettingsPatch::new(body).map_err(refused)?;
    let config = app.runtime.config().clone();
    let saved = tokio::task::spawn_blocking(move || config.patch(&patch)).await;
    let patched = saved
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "saving broke; see the log"))?
        .map_err(refused)?;
    let changes = SettingChange::between(&patched.before, &patched.after);
    if let Some(entry) = audit::settings_changed(actor, &changes, app.runtime.now()) {
        audit::write(app.runtime.store(), entry).await;
    }
    Ok(Json(view(&app)))
}

/// Keys and headers belong to the address that they were given for: a provider that moves without new ones loses the old ones.
fn drop_secrets_of_moved_providers(config: &Config, body: &mut Value) {
    let Some(providers) = body.get_mut("providers").and_then(Value::as_object_mut) else { return };
    for (name, change) in providers {
        let (Some(known), Some(change)) = (config.provider(name), change.as_object_mut()) else { continue };
        if change.get("base_url").is_none_or(|url| url.as_str() == known.base_url_for(name).as_deref()) {
            continue;
        }
        if known.api_key.is_some() {
            change.entry("api_key").or_insert(Value::Null);
        }
        if known.extra_headers.is_empty() {
            continue;
        }
        if let Some(headers) = change.entry("extra_headers").or_insert_with(|| json!({})).as_object_mut() {
            for header in known.extra_headers.keys() {
                headers.entry(header.clone()).or_insert(Value::Null);
            }
        }
    }
}

fn view(app: &AppState) -> SettingsView {
    let config = app.runtime.config();
    SettingsView::new(&config.current(), app.runtime.config_warnings(), VERSION)
}

fn refused(error: ConfigError) -> ApiError {
    let detail = error.to_string();
    match &error {
        ConfigError::Refused { path, .. } => ApiError::invalid(path.clone(), detail),
        ConfigError::Invalid { .. } | ConfigError::Environment { .. } => {
            ApiError::invalid(error.path().unwrap_or_default(), detail)
        }
        ConfigError::Conflict { .. } => ApiError::new(StatusCode::CONFLICT, "config_changed", detail),
        ConfigError::Io { .. } => {
            tracing::error!(%error, "the configuration could not be saved");
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "config_not_saved", detail)
        }
    }
}
