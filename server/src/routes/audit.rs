//! The audit log, for people to read.

use axum::extract::State;
use nanobot_store::{AuditKind, AuditRow, StoreError};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Json, Params};

/// Rows in a page when nobody says how many.
const USUAL_LIMIT: u32 = 50;
const MAX_LIMIT: u32 = 200;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct AuditParams {
    /// `next_cursor` of the page before.
    cursor: Option<String>,
    /// Rows in a page, at most 200; 50 when absent.
    limit: Option<u32>,
    /// Only rows of this kind.
    kind: Option<String>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditList {
    /// Rows, newest first.
    items: Vec<AuditItem>,
    /// Where the next page begins; null on the last one.
    next_cursor: Option<String>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct AuditItem {
    /// Number of the row, from 1 without gaps.
    n: u64,
    /// UTC milliseconds.
    at: i64,
    /// Name of a token, or `config`, `loopback`, `terminal`, `system`, `model`, `nobody`.
    actor: String,
    /// What was done.
    kind: String,
    /// The session it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<String>,
    /// The turn it was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    turn_id: Option<String>,
    /// What it was done to.
    subject: String,
    /// More of it, without secrets.
    #[schema(value_type = Object)]
    detail: Value,
    /// SHA-256 over this row and the hash of the row before it.
    hash: String,
}

impl From<AuditRow> for AuditItem {
    fn from(row: AuditRow) -> Self {
        Self {
            n: row.n,
            at: row.at,
            actor: row.actor,
            kind: row.kind,
            session_id: row.session_id,
            turn_id: row.turn_id,
            subject: row.subject,
            // A detail that somebody broke is shown as the text that it is.
            detail: serde_json::from_str(&row.detail).unwrap_or(Value::String(row.detail)),
            hash: row.hash,
        }
    }
}

/// Reads the audit log.
#[utoipa::path(get, path = "/audit", tag = "audit", params(AuditParams),
    responses((status = 200, body = AuditList), (status = 422, body = ApiError)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    Params(params): Params<AuditParams>,
) -> Result<Json<AuditList>, ApiError> {
    let kind = params.kind.as_deref().map(kind).transpose()?;
    let before = params.cursor.map(|cursor| cursor.parse().map_err(|_| StoreError::BadCursor)).transpose()?;
    let limit = params.limit.unwrap_or(USUAL_LIMIT).clamp(1, MAX_LIMIT);
    let page = app.runtime.store().audit_page(before, limit, kind).await?;
    Ok(Json(AuditList { items: page.items.into_iter().map(AuditItem::from).collect(), next_cursor: page.next_cursor }))
}

fn kind(word: &str) -> Result<AuditKind, ApiError> {
    word.parse().map_err(|_| {
        let known = AuditKind::ALL.map(|kind| kind.to_string()).join(", ");
        ApiError::invalid("kind", format!("there is no kind {word:?}; use one of {known}"))
    })
}
