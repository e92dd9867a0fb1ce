//! Liveness and readiness. No credential, no details.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::app::AppState;

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Health {
    /// `ok`, or `unavailable` for readiness.
    status: &'static str,
    /// `ok` or `error`: can the database be read?
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<&'static str>,
    /// `ok` or `none`: is a model set up?
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<&'static str>,
    /// Level of the sandbox for commands; `none` while no tool runs commands.
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<&'static str>,
}

/// The process answers.
#[utoipa::path(get, path = "/healthz", tag = "health", responses((status = 200, body = Health)))]
pub(crate) async fn healthz() -> axum::Json<Health> {
    axum::Json(Health { status: "ok", database: None, model: None, sandbox: None })
}

/// The server can do its work: the database answers.
#[utoipa::path(get, path = "/readyz", tag = "health",
    responses((status = 200, body = Health), (status = 503, body = Health)))]
pub(crate) async fn readyz(State(app): State<AppState>) -> Response {
    let database = match app.runtime.store().ping().await {
        Ok(()) => "ok",
        Err(error) => {
            tracing::warn!(%error, "not ready");
            "error"
        }
    };
    let model = if app.runtime.config().current().default_preset().is_some() { "ok" } else { "none" };
    let ready = database == "ok";
    let health = Health {
        status: if ready { "ok" } else { "unavailable" },
        database: Some(database),
        model: Some(model),
        sandbox: Some("none"),
    };
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, axum::Json(health)).into_response()
}
