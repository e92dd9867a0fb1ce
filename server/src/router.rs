//! The table of routes, and what stands in front of them.

use axum::http::StatusCode;
use axum::middleware;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use tower_http::catch_panic::CatchPanicLayer;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::AppState;
use crate::auth;
use crate::error::ApiError;
use crate::routes::{events, health, pages, search, sessions, settings, setup, turns};
use crate::ws;

#[derive(OpenApi)]
#[openapi(info(title = "nanobot", description = "A self-hosted personal AI agent. See docs/PROTOCOL.md for order and durability."))]
struct Api;

/// The REST interface under `/api/v1`.
fn api() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(setup::setup))
        .routes(routes!(setup::test_provider))
        .routes(routes!(sessions::list, sessions::create))
        .routes(routes!(sessions::read, sessions::patch, sessions::delete))
        .routes(routes!(sessions::restore))
        .routes(routes!(sessions::messages))
        .routes(routes!(sessions::fork))
        .routes(routes!(sessions::stop))
        .routes(routes!(events::events))
        .routes(routes!(turns::list, turns::send))
        .routes(routes!(turns::read))
        .routes(routes!(turns::retry))
        .routes(routes!(search::search))
        .routes(routes!(settings::presets))
        .routes(routes!(settings::read, settings::patch))
}

/// All routes with their guards.
pub fn router(app: AppState) -> Router {
    let (routes, openapi) = OpenApiRouter::with_openapi(Api::openapi())
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .nest("/api/v1", api())
        .split_for_parts();
    routes
        .route("/api/v1/openapi.json", get(move || std::future::ready(Json(openapi.clone()))))
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

#[expect(clippy::needless_pass_by_value, reason = "the shape that the layer asks for")]
fn panicked(_: Box<dyn std::any::Any + Send + 'static>) -> Response {
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "something broke inside; see the log").into_response()
}
