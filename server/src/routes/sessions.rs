//! Sessions: list, create, change, delete with a way back, fork, stop, rows.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::RowView;
use nanobot_runtime::{NewSession, RuntimeError, SessionView};
use nanobot_store::{ListSessions, SessionPatch, StoreError, conflict};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Id, Json, Params, present};

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct ListParams {
    /// Part of a title.
    q: Option<String>,
    /// Where the page begins.
    cursor: Option<String>,
    /// Sessions a page, 50 by default, at most 200.
    limit: Option<u32>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionList {
    /// Sessions, the one with the newest message first.
    items: Vec<SessionView>,
    /// Goes into `cursor` for the next page.
    next_cursor: Option<String>,
}

/// Lists sessions.
#[utoipa::path(get, path = "/sessions", tag = "sessions", params(ListParams),
    responses((status = 200, body = SessionList), (status = 422, body = ApiError)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    Params(params): Params<ListParams>,
) -> Result<Json<SessionList>, ApiError> {
    let page = app
        .runtime
        .store()
        .list_sessions(ListSessions {
            query: params.q.filter(|query| !query.is_empty()),
            cursor: params.cursor,
            limit: params.limit.unwrap_or(50).clamp(1, 200),
        })
        .await?;
    let items = page.items.into_iter().map(|record| app.runtime.view(record)).collect();
    Ok(Json(SessionList { items, next_cursor: page.next_cursor }))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateBody {
    /// Name.
    title: Option<String>,
    /// Preset.
    preset: Option<String>,
    /// Workspace: an existing folder with an absolute path.
    workspace: Option<String>,
}

/// Makes a session.
#[utoipa::path(post, path = "/sessions", tag = "sessions", request_body = CreateBody,
    responses((status = 201, body = SessionView), (status = 422, body = ApiError)))]
pub(crate) async fn create(
    State(app): State<AppState>,
    headers: HeaderMap,
    Json(body): Json<CreateBody>,
) -> Result<(StatusCode, Json<SessionView>), ApiError> {
    let id = idempotency_key(&headers).map(|key| SessionId(id_from_key("sessions", key)));
    let new = NewSession { id, title: body.title, preset: body.preset, workspace: body.workspace };
    created(&app, app.runtime.create_session(new).await, id).await
}

/// A session that was made, now or by the same key before.
async fn created(
    app: &AppState,
    outcome: Result<SessionView, RuntimeError>,
    id: Option<SessionId>,
) -> Result<(StatusCode, Json<SessionView>), ApiError> {
    match (outcome, id) {
        (Ok(session), _) => Ok((StatusCode::CREATED, Json(session))),
        (Err(RuntimeError::Store(StoreError::Conflict(conflict::ID))), Some(id)) => {
            Ok((StatusCode::CREATED, Json(app.runtime.session(id).await?)))
        }
        (Err(error), _) => Err(error.into()),
    }
}

/// Reads a session.
#[utoipa::path(get, path = "/sessions/{id}", tag = "sessions", params(("id" = String, Path)),
    responses((status = 200, body = SessionView), (status = 404, body = ApiError)))]
pub(crate) async fn read(State(app): State<AppState>, Id(id): Id<SessionId>) -> Result<Json<SessionView>, ApiError> {
    Ok(Json(app.runtime.session(id).await?))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PatchBody {
    /// New name.
    title: Option<String>,
    /// Pin to the top.
    pinned: Option<bool>,
    /// New preset; `null` for the default one.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    preset: Option<Option<String>>,
    /// Access mode: `ask`, `workspace` or `full`; `null` for the configured one.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<String>)]
    access: Option<Option<String>>,
    /// A message of the branch to show; its newest descendant becomes the end of the active branch.
    active_message_id: Option<MessageId>,
}

/// Changes a session.
#[utoipa::path(patch, path = "/sessions/{id}", tag = "sessions", params(("id" = String, Path)), request_body = PatchBody,
    responses((status = 200, body = SessionView), (status = 404, body = ApiError), (status = 409, body = ApiError)))]
pub(crate) async fn patch(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    Json(body): Json<PatchBody>,
) -> Result<Json<SessionView>, ApiError> {
    if let Some(Some(access)) = &body.access
        && !matches!(access.as_str(), "ask" | "workspace" | "full")
    {
        return Err(ApiError::invalid("access", "access must be ask, workspace or full"));
    }
    let title = body.title.map(|title| nanobot_engine::text::one_line(&title, 200));
    if title.as_deref() == Some("") {
        return Err(ApiError::invalid("title", "a title needs at least one character"));
    }
    let patch = SessionPatch {
        title,
        pinned: body.pinned,
        preset: body.preset,
        access: body.access,
        workspace: None,
        active_message_id: body.active_message_id,
    };
    Ok(Json(app.runtime.patch_session(id, patch).await?))
}

/// Deletes a session. It can be restored for a while.
#[utoipa::path(delete, path = "/sessions/{id}", tag = "sessions", params(("id" = String, Path)),
    responses((status = 204), (status = 404, body = ApiError)))]
pub(crate) async fn delete(State(app): State<AppState>, Id(id): Id<SessionId>) -> Result<StatusCode, ApiError> {
    app.runtime.delete_session(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Takes a deletion back.
#[utoipa::path(post, path = "/sessions/{id}/restore", tag = "sessions", params(("id" = String, Path)),
    responses((status = 200, body = SessionView), (status = 404, body = ApiError)))]
pub(crate) async fn restore(State(app): State<AppState>, Id(id): Id<SessionId>) -> Result<Json<SessionView>, ApiError> {
    Ok(Json(app.runtime.restore_session(id).await?))
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ForkBody {
    /// The last row of the copy is the last one with at most this number.
    at_seq: Option<u64>,
    /// Or: it is this row.
    at_message_id: Option<MessageId>,
}

/// Copies the active branch up to a row into a new session.
#[utoipa::path(post, path = "/sessions/{id}/fork", tag = "sessions", params(("id" = String, Path)), request_body = ForkBody,
    responses((status = 201, body = SessionView), (status = 404, body = ApiError)))]
pub(crate) async fn fork(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    headers: HeaderMap,
    Json(body): Json<ForkBody>,
) -> Result<(StatusCode, Json<SessionView>), ApiError> {
    let copy = idempotency_key(&headers).map(|key| SessionId(id_from_key(&format!("fork {id}"), key)));
    let at_seq = match (body.at_seq, body.at_message_id) {
        (Some(at_seq), None) => at_seq,
        (None, Some(message_id)) => {
            let known = app.runtime.store().message(message_id).await?;
            let row = known.filter(|(session_id, _)| *session_id == id);
            row.map(|(_, row)| row.seq).ok_or_else(|| ApiError::not_found("message in this session"))?
        }
        (None, None) | (Some(_), Some(_)) => {
            return Err(ApiError::invalid("at_seq", "give either at_seq or at_message_id"));
        }
    };
    created(&app, app.runtime.fork(id, at_seq, copy).await, copy).await
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Stopped {
    /// False when nothing was running.
    stopped: bool,
}

/// Stops the running turn.
#[utoipa::path(post, path = "/sessions/{id}/stop", tag = "turns", params(("id" = String, Path)),
    responses((status = 200, body = Stopped), (status = 404, body = ApiError)))]
pub(crate) async fn stop(State(app): State<AppState>, Id(id): Id<SessionId>) -> Result<Json<Stopped>, ApiError> {
    Ok(Json(Stopped { stopped: app.runtime.stop(id).await? }))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowParams {
    /// Rows behind this number.
    after_seq: Option<u64>,
    /// Rows before this number.
    before_seq: Option<u64>,
    /// Rows a page, 50 by default, at most 200.
    limit: Option<u32>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct RowList {
    /// Rows of the active branch, ascending.
    items: Vec<RowView>,
    /// Goes into `before_seq` (or `after_seq` when that was given) for the next page.
    next_cursor: Option<String>,
}

/// Reads rows of the active branch, the newest page by default.
#[utoipa::path(get, path = "/sessions/{id}/messages", tag = "sessions", params(("id" = String, Path), RowParams),
    responses((status = 200, body = RowList), (status = 404, body = ApiError)))]
pub(crate) async fn messages(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    Params(params): Params<RowParams>,
) -> Result<Json<RowList>, ApiError> {
    let session = app.runtime.session(id).await?;
    let limit = params.limit.unwrap_or(50).clamp(1, 200);
    let page = app
        .runtime
        .store()
        .messages_page(id, session.active_message_id, params.after_seq, params.before_seq, limit)
        .await?;
    let items = page.items.into_iter().map(|(row, branch)| row.view(branch)).collect();
    Ok(Json(RowList { items, next_cursor: page.next_cursor }))
}

/// The client's key for a request that creates, if it sent a usable one.
pub(crate) fn idempotency_key(headers: &HeaderMap) -> Option<&str> {
    headers.get("idempotency-key")?.to_str().ok().filter(|key| !key.is_empty() && key.len() <= 255)
}

/// An id that follows from a key, so that the same key names the same thing.
pub(crate) fn id_from_key(route: &str, key: &str) -> Uuid {
    let digest = Sha256::digest(format!("{route}\0{key}"));
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(digest.iter()).for_each(|(to, from)| *to = *from);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}
