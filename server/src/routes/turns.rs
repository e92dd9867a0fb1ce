//! Turns: send a message and wait, follow or go; read turns; ask again.

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use nanobot_engine::approval::{Approval, ApprovalKind};
use nanobot_engine::event::{EventBody, SessionState, StopReason, TurnError};
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, TurnId};
use nanobot_engine::message::{Origin, RowView};
use nanobot_engine::turn::{Turn, TurnStatus};
use nanobot_engine::usage::Usage;
use nanobot_runtime::turns::TurnPage;
use nanobot_runtime::{Accepted, FeedItem, Inbound};
use nanobot_store::WorkMode;
use serde::{Deserialize, Serialize};

use super::events::{Scope, stream};
use super::sessions::idempotency_key;
use crate::app::AppState;
use crate::auth::hash;
use crate::error::ApiError;
use crate::extract::{Id, Json, Params, present};

/// How a message joins a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Mode {
    /// Starts when idle, else queues.
    #[default]
    Auto,
    /// Into the running turn at its next safe point.
    Steer,
    /// Behind what waits.
    Queue,
}

impl From<Mode> for WorkMode {
    fn from(mode: Mode) -> Self {
        match mode {
            Mode::Auto => Self::Auto,
            Mode::Steer => Self::Steer,
            Mode::Queue => Self::Queue,
        }
    }
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendBody {
    /// The text.
    content: String,
    /// Ids of uploads.
    #[serde(default)]
    attachments: Vec<String>,
    /// How it joins.
    #[serde(default)]
    mode: Mode,
    /// Preset for this turn.
    preset: Option<String>,
    /// The row it follows; `null` makes a new beginning; absent follows the active branch.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<MessageId>)]
    parent_message_id: Option<Option<MessageId>>,
    /// The sender's own id: the same id again gives the same answer.
    client_message_id: Option<String>,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SendParams {
    /// Answer when the turn has ended.
    #[serde(default)]
    wait: bool,
}

/// The end of a turn that was waited for.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Waited {
    /// The turn.
    turn_id: TurnId,
    /// Why it ended.
    stop_reason: StopReason,
    /// The final answer.
    message: Option<RowView>,
    /// Tokens of the turn.
    usage: Usage,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<TurnError>,
}

/// A turn that was waited for and cannot go on without a person.
#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct Awaiting {
    /// The turn.
    turn_id: TurnId,
    /// `awaiting_approval`, or `queued` behind a turn that waits.
    state: TurnStatus,
    /// The question that has to be answered first: see `POST /approvals/{id}`.
    approval_id: ApprovalId,
    /// What it asks for.
    kind: ApprovalKind,
}

/// Sends a message. With `wait=true` the answer comes when the turn has ended, also when it failed, or when it waits for a person
/// (202 with the `approval_id`); with `Accept: text/event-stream` its events are streamed.
#[utoipa::path(post, path = "/sessions/{id}/turns", tag = "turns", params(("id" = String, Path), SendParams), request_body = SendBody,
    responses((status = 202, body = Accepted), (status = 202, description = "it waits for a person", body = Awaiting), (status = 200, body = Waited), (status = 404, body = ApiError), (status = 422, body = ApiError)))]
pub(crate) async fn send(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    Params(params): Params<SendParams>,
    headers: HeaderMap,
    Json(body): Json<SendBody>,
) -> Result<Response, ApiError> {
    if !body.attachments.is_empty() {
        return Err(ApiError::invalid("attachments", "uploads are not supported yet; put the file into the workspace"));
    }
    let inbound = Inbound {
        session_id: id,
        content: body.content,
        attachments: Vec::new(),
        mode: body.mode.into(),
        origin: Origin::User,
        preset: body.preset,
        parent_message_id: body.parent_message_id,
        client_message_id: body.client_message_id.or_else(|| key_as_client_id(&headers, "")),
    };
    let streams = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/event-stream"));
    if !params.wait && !streams {
        let accepted = app.runtime.submit(inbound).await?;
        return Ok((StatusCode::ACCEPTED, Json(accepted)).into_response());
    }
    let session = app.runtime.session(id).await?;
    let attached = app.runtime.attach(id, session.head_seq).await?;
    let accepted = app.runtime.submit(inbound).await?;
    if streams {
        // A turn that began before is followed from its beginning.
        let began = app.runtime.store().turn(accepted.turn_id).await?.map_or(u64::MAX, |turn| turn.seq);
        let feed = match began.checked_sub(1).filter(|before| *before < session.head_seq) {
            Some(before) => app.runtime.attach(id, before).await?.feed,
            None => attached.feed,
        };
        return Ok(stream(&app, feed, Scope::Turn(accepted.turn_id)));
    }
    wait(&app, attached.feed, accepted.turn_id).await
}

async fn wait(app: &AppState, mut feed: nanobot_runtime::Feed, turn_id: TurnId) -> Result<Response, ApiError> {
    // The message may be one that was sent before and has ended meanwhile.
    if let Some(done) = finished(app, turn_id).await? {
        return Ok(done);
    }
    loop {
        let item = tokio::select! {
            item = feed.next() => item?,
            () = app.shutdown.cancelled() => return Err(nanobot_runtime::RuntimeError::ShuttingDown.into()),
        };
        let ended = match item {
            FeedItem::Event(event) => match &event.body {
                EventBody::TurnFinished { .. } => event.turn_id == Some(turn_id),
                EventBody::SessionUpdated { state: Some(SessionState::AwaitingApproval), .. } => true,
                _ => false,
            },
            FeedItem::Reload => true,
            FeedItem::Closed => return Err(ApiError::not_found("session; it was deleted")),
        };
        if ended && let Some(done) = finished(app, turn_id).await? {
            return Ok(done);
        }
    }
}

async fn finished(app: &AppState, turn_id: TurnId) -> Result<Option<Response>, ApiError> {
    let (session_id, turn) = app.runtime.turn(turn_id).await?;
    let Some(stop_reason) = turn.stop_reason else { return awaiting(app, session_id, &turn).await };
    let message = match turn.answer_id {
        Some(id) => app.runtime.store().message(id).await?.map(|(_, row)| row.view(None)),
        None => None,
    };
    let waited = Waited { turn_id, stop_reason, message, usage: turn.usage.unwrap_or_default(), error: turn.error };
    Ok(Some(Json(waited).into_response()))
}

/// The question that keeps the turn, or the one that it is queued behind, from going on.
async fn awaiting(app: &AppState, session_id: SessionId, turn: &Turn) -> Result<Option<Response>, ApiError> {
    let blocked = match turn.state {
        TurnStatus::AwaitingApproval => true,
        TurnStatus::Queued => app.runtime.session(session_id).await?.state == SessionState::AwaitingApproval,
        _ => false,
    };
    if !blocked {
        return Ok(None);
    }
    let waiting = app.runtime.approvals().await?.into_iter().find(|waiting| waiting.session_id == session_id);
    let Some(waiting) = waiting else { return Ok(None) };
    let Approval { approval_id, kind, .. } = waiting.approval;
    let awaiting = Awaiting { turn_id: turn.id, state: turn.state, approval_id, kind };
    Ok(Some((StatusCode::ACCEPTED, Json(awaiting)).into_response()))
}

/// A key names one thing on each route; `route` is empty for sending.
fn key_as_client_id(headers: &HeaderMap, route: &str) -> Option<String> {
    idempotency_key(headers).map(|key| format!("idempotency-key:{route}{}", hash(key)))
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct TurnParams {
    /// Turns before this cursor.
    before: Option<u64>,
    /// Turns a page, 40 by default, at most 200.
    limit: Option<u32>,
}

/// Turns of the active branch with everything the thread shows, the newest page first.
#[utoipa::path(get, path = "/sessions/{id}/turns", tag = "turns", params(("id" = String, Path), TurnParams),
    responses((status = 200, body = TurnPage), (status = 404, body = ApiError)))]
pub(crate) async fn list(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    Params(params): Params<TurnParams>,
) -> Result<Json<TurnPage>, ApiError> {
    Ok(Json(app.runtime.turns(id, params.before, params.limit.unwrap_or(40).clamp(1, 200)).await?))
}

/// Asks the request of a turn again, as a sibling branch.
#[utoipa::path(post, path = "/turns/{id}/retry", tag = "turns", params(("id" = String, Path)),
    responses((status = 202, body = Accepted), (status = 404, body = ApiError)))]
pub(crate) async fn retry(
    State(app): State<AppState>,
    Id(id): Id<TurnId>,
    headers: HeaderMap,
) -> Result<(StatusCode, Json<Accepted>), ApiError> {
    let (_, accepted) = app.runtime.retry(id, key_as_client_id(&headers, &format!("retry {id} "))).await?;
    Ok((StatusCode::ACCEPTED, Json(accepted)))
}
