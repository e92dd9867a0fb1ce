//! Where errors become answers. [`ApiError`] is the only error type of routes: it maps each cause to a status, a stable
//! code and a sentence that is safe to show, and logs the source once.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nanobot_engine::model::{ModelError, ModelErrorKind};
use nanobot_runtime::RuntimeError;
use nanobot_store::StoreError;
use serde::Serialize;

/// An answer of kind `application/problem+json`.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ApiError {
    /// A URI that names the kind; `about:blank` here.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The status in words.
    pub title: &'static str,
    /// HTTP status.
    pub status: u16,
    /// Stable code.
    pub code: &'static str,
    /// What happened and what to do.
    pub detail: String,
    /// Where in the body, when a field is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

impl ApiError {
    /// An error with this status.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Error"),
            status: status.as_u16(),
            code,
            detail: detail.into(),
            path: None,
        }
    }

    /// 404.
    pub fn not_found(what: &str) -> Self {
        Self::new(StatusCode::NOT_FOUND, "not_found", format!("there is no such {what}"))
    }

    /// 422 with the place in the body.
    pub fn invalid(path: impl Into<String>, detail: impl Into<String>) -> Self {
        let mut error = Self::new(StatusCode::UNPROCESSABLE_ENTITY, "invalid_field", detail);
        error.path = Some(path.into());
        error
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (status, body).into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        response
    }
}

impl From<RuntimeError> for ApiError {
    fn from(error: RuntimeError) -> Self {
        let detail = error.to_string();
        match error {
            RuntimeError::NoSession(_) => Self::new(StatusCode::NOT_FOUND, "no_session", detail),
            RuntimeError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            RuntimeError::Invalid { code, .. } => Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail),
            RuntimeError::Conflict { code, .. } => Self::new(StatusCode::CONFLICT, code, detail),
            RuntimeError::Store(error) => error.into(),
            RuntimeError::ShuttingDown => Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", detail),
        }
    }
}

impl From<StoreError> for ApiError {
    fn from(error: StoreError) -> Self {
        let detail = error.to_string();
        match &error {
            StoreError::SessionGone(_) => Self::new(StatusCode::NOT_FOUND, "no_session", detail),
            StoreError::NotFound(_) => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            StoreError::Conflict(_) => Self::new(StatusCode::CONFLICT, "conflict", detail),
            StoreError::BadCursor => Self::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_cursor", detail),
            StoreError::Busy => Self::new(StatusCode::SERVICE_UNAVAILABLE, "database_busy", detail),
            StoreError::Full => Self::new(StatusCode::INSUFFICIENT_STORAGE, "disk_full", detail),
            StoreError::Corrupt(_) | StoreError::Newer { .. } | StoreError::Altered { .. } => {
                tracing::error!(%error, "the database cannot be used");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "database_damaged", detail)
            }
            StoreError::ReadOnly | StoreError::Older { .. } => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "database_read_only", detail)
            }
            StoreError::Other(_) => {
                tracing::error!(%error, "the database failed");
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "storage", "the database failed; see the log")
            }
        }
    }
}

impl From<ModelError> for ApiError {
    fn from(error: ModelError) -> Self {
        let status = match error.kind {
            // Nobody was asked: the settings are at fault.
            ModelErrorKind::NoModel => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::BAD_GATEWAY,
        };
        Self::new(status, error.kind.code(), error.detail)
    }
}
