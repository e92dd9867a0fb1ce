//! Questions to people: what waits, and the answer from whoever is there.

use axum::extract::State;
use nanobot_engine::approval::{Approval, ApprovalDecision};
use nanobot_engine::id::ApprovalId;
use nanobot_runtime::approvals::{Decide, Waiting};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::app::AppState;
use crate::audit::Actor;
use crate::error::ApiError;
use crate::extract::{Id, Json};

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct ApprovalList {
    /// Questions that wait, the oldest first.
    items: Vec<Waiting>,
    /// Always null: all of them are in one page.
    next_cursor: Option<String>,
}

/// The questions that wait for a person, of all sessions.
#[utoipa::path(get, path = "/approvals", tag = "approvals", responses((status = 200, body = ApprovalList)))]
pub(crate) async fn list(State(app): State<AppState>) -> Result<Json<ApprovalList>, ApiError> {
    Ok(Json(ApprovalList { items: app.runtime.approvals().await?, next_cursor: None }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideBody {
    /// What was decided. Longer than once only what the question's `covers` names.
    decision: ApprovalDecision,
    /// Arguments to run with in place of those of the question; for a budget `{"more": number}` in its unit.
    #[schema(value_type = Option<Object>)]
    arguments: Option<Map<String, Value>>,
    /// Why. The model is told when it is denied; at most 2,000 characters.
    reason: Option<String>,
}

/// Answers a question. 409 when it does not wait any more.
#[utoipa::path(post, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path)), request_body = DecideBody,
    responses((status = 200, body = Approval), (status = 404, body = ApiError), (status = 409, body = ApiError), (status = 422, body = ApiError)))]
pub(crate) async fn decide(
    State(app): State<AppState>,
    Id(id): Id<ApprovalId>,
    Actor(by): Actor,
    Json(body): Json<DecideBody>,
) -> Result<Json<Approval>, ApiError> {
    let DecideBody { decision, arguments, reason } = body;
    let (_, approval) = app.runtime.decide(id, Decide { decision, by, reason, arguments }).await?;
    Ok(Json(approval))
}
