//! Settings: providers, presets and how the agent works. Secrets go in and never come out.

use axum::extract::State;
use axum::http::StatusCode;
use nanobot_runtime::config::{ConfigError, PresetView, SettingsPatch, SettingsView};
use serde::Serialize;

use crate::app::AppState;
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
    Json(body): Json<serde_json::Value>,
) -> Result<Json<SettingsView>, ApiError> {
    let patch = SettingsPatch::new(body).map_err(refused)?;
    let config = app.runtime.config().clone();
    let saved = tokio::task::spawn_blocking(move || config.patch(&patch)).await;
    saved
        .map_err(|_| ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "saving broke; see the log"))?
        .map_err(refused)?;
    Ok(Json(view(&app)))
}

fn view(app: &AppState) -> SettingsView {
    let config = app.runtime.config();
    SettingsView::new(&config.current(), config.warnings(), VERSION)
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
