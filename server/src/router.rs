//! The table of routes, and what stands in front of them.

use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;

use crate::app::AppState;
use crate::auth;
use crate::error::ApiError;
use crate::routes::{
    approvals, audit, events, health, inspect, pages, providers, search, sessions, settings, setup, turns, usage,
};
use crate::ws;

/// The description of the REST interface, made when somebody asks for it.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "nanobot",
        description = "A self-hosted personal AI agent. See docs/PROTOCOL.md for order and durability."
    ),
    paths(health::healthz, health::readyz),
    nest((path = "/api/v1", api = Api))
)]
struct Described;

#[derive(OpenApi)]
#[openapi(paths(
    setup::setup,
    providers::test_provider,
    providers::models,
    sessions::list,
    sessions::create,
    sessions::read,
    sessions::patch,
    sessions::delete,
    sessions::restore,
    sessions::messages,
    sessions::fork,
    sessions::stop,
    events::events,
    turns::list,
    turns::send,
    inspect::turn,
    inspect::request,
    inspect::export,
    turns::retry,
    approvals::list,
    approvals::decide,
    search::search,
    usage::usage,
    audit::list,
    settings::presets,
    settings::read,
    settings::patch,
))]
struct Api;

/// The REST interface under `/api/v1`.
fn api() -> Router<AppState> {
    Router::new()
        .route("/openapi.json", get(|| async { Json(Described::openapi()) }))
        .route("/setup", get(setup::setup))
        .route("/providers/test", post(providers::test_provider))
        .route("/providers/models", post(providers::models))
        .route("/sessions", get(sessions::list).post(sessions::create))
        .route("/sessions/{id}", get(sessions::read).patch(sessions::patch).delete(sessions::delete))
        .route("/sessions/{id}/restore", post(sessions::restore))
        .route("/sessions/{id}/messages", get(sessions::messages))
        .route("/sessions/{id}/fork", post(sessions::fork))
        .route("/sessions/{id}/stop", post(sessions::stop))
        .route("/sessions/{id}/events", get(events::events))
        .route("/sessions/{id}/turns", get(turns::list).post(turns::send))
        .route("/turns/{id}", get(inspect::turn))
        .route("/turns/{id}/requests/{request_id}", get(inspect::request))
        .route("/turns/{id}/export", get(inspect::export))
        .route("/turns/{id}/retry", post(turns::retry))
        .route("/approvals", get(approvals::list))
        .route("/approvals/{id}", post(approvals::decide))
        .route("/search", get(search::search))
        .route("/usage", get(usage::usage))
        .route("/audit", get(audit::list))
        .route("/presets", get(settings::presets))
        .route("/settings", get(settings::read).patch(settings::patch))
}

/// All routes with their guards.
pub fn router(app: AppState) -> Router {
    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .nest("/api/v1", api())
        .route("/ws", get(ws::upgrade))
        .route("/", get(pages::shell))
        .route("/s/{id}", get(pages::shell))
        .route("/settings", get(pages::shell))
        .route("/settings/{section}", get(pages::shell))
        .route("/login", get(pages::login).post(pages::sign_in))
        .route("/static/{*path}", get(pages::asset))
        .fallback(pages::not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(axum::extract::DefaultBodyLimit::max(app.max_body_bytes))
        .layer(middleware::from_fn_with_state(app.clone(), auth::guard))
        .layer(CatchPanicLayer::custom(panicked))
        .layer(middleware::map_response(pages::add_headers))
        .with_state(app)
}

async fn method_not_allowed() -> ApiError {
    ApiError::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "method_not_allowed",
        "this path knows other methods; see /api/v1/openapi.json",
    )
}

fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "something broke inside; see the log").into_response()
}
