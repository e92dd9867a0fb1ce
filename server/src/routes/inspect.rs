//! The inspector: a turn with what it was made of, its requests as the model got them, and all of it as a file. Secrets are masked.

use axum::extract::{Path, State};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};
use nanobot_engine::id::TurnId;
use nanobot_runtime::RuntimeError;
use nanobot_runtime::inspect::{InspectedTurn, RequestDetail, TurnExport};
use serde_json::Value;
use uuid::Uuid;

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Id, Json};

/// One turn with its requests, calls, hook faults, times and cost.
#[utoipa::path(get, path = "/turns/{id}", tag = "turns", params(("id" = String, Path)),
    responses((status = 200, body = InspectedTurn), (status = 404, body = ApiError)))]
pub(crate) async fn turn(State(app): State<AppState>, Id(id): Id<TurnId>) -> Result<Json<InspectedTurn>, ApiError> {
    Ok(Json(app.runtime.inspect_turn(id).await?))
}

/// One request as the model got it, and how it differs from the one before. Secrets are masked.
#[utoipa::path(get, path = "/turns/{id}/requests/{request_id}", tag = "turns",
    params(("id" = String, Path), ("request_id" = String, Path)),
    responses((status = 200, body = RequestDetail), (status = 404, body = ApiError)))]
pub(crate) async fn request(
    State(app): State<AppState>,
    Path((id, request_id)): Path<(String, String)>,
) -> Result<Json<Value>, ApiError> {
    let not_found = |_| ApiError::not_found("thing: this is not an id");
    let id: TurnId = id.parse().map_err(not_found)?;
    let request_id = Uuid::parse_str(&request_id).map_err(not_found)?;
    let detail = app.runtime.inspect_request(id, request_id).await?;
    Ok(Json(app.runtime.masked(&detail)?))
}

/// Everything about a turn as one JSON file. Secrets are masked.
#[utoipa::path(get, path = "/turns/{id}/export", tag = "turns", params(("id" = String, Path)),
    responses((status = 200, body = TurnExport), (status = 404, body = ApiError)))]
pub(crate) async fn export(State(app): State<AppState>, Id(id): Id<TurnId>) -> Result<Response, ApiError> {
    let export = app.runtime.export_turn(id).await?;
    let body = serde_json::to_vec_pretty(&app.runtime.masked(&export)?);
    let body = body.map_err(|error| RuntimeError::Store(nanobot_store::StoreError::Other(error.to_string())))?;
    let name = HeaderValue::from_str(&format!("attachment; filename=\"nanobot-turn-{id}.json\""));
    let name = name.unwrap_or(HeaderValue::from_static("attachment"));
    let kind = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, kind), (header::CONTENT_DISPOSITION, name)], body).into_response())
}
