//! Search over sessions and messages.

use axum::extract::State;
use nanobot_engine::id::{MessageId, SessionId};
use nanobot_engine::message::Role;
use nanobot_store::{MessageHit, SessionHit};
use serde::{Deserialize, Serialize};

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Json, Params};

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SearchParams {
    /// What to look for: plain text.
    q: String,
    /// `sessions`, `messages`, or both when absent.
    scope: Option<String>,
    /// Hits a group, 20 by default, at most 100.
    limit: Option<u32>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SearchAnswer {
    /// Sessions by title.
    sessions: Vec<SessionFound>,
    /// Messages by text, newest first.
    messages: Vec<MessageFound>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct SessionFound {
    session_id: SessionId,
    title: String,
    /// Start and length of each match, in Unicode scalars of the title.
    marks: Vec<(u32, u32)>,
}

#[derive(Serialize, utoipa::ToSchema)]
pub(crate) struct MessageFound {
    session_id: SessionId,
    title: String,
    message_id: MessageId,
    seq: u64,
    role: Role,
    snippet: String,
    /// Start and length of each match, in Unicode scalars of the snippet.
    marks: Vec<(u32, u32)>,
    created_at: i64,
}

/// Searches sessions and messages.
#[utoipa::path(get, path = "/search", tag = "search", params(SearchParams),
    responses((status = 200, body = SearchAnswer), (status = 422, body = ApiError)))]
pub(crate) async fn search(
    State(app): State<AppState>,
    Params(params): Params<SearchParams>,
) -> Result<Json<SearchAnswer>, ApiError> {
    let query = params.q.trim();
    let limit = params.limit.unwrap_or(20).clamp(1, 100);
    let (sessions, messages) = match params.scope.as_deref() {
        None => (true, true),
        Some("sessions") => (true, false),
        Some("messages") => (false, true),
        Some(other) => {
            let detail = format!("there is no scope {other:?}; use sessions or messages");
            return Err(ApiError::invalid("scope", detail));
        }
    };
    let store = app.runtime.store();
    let mut answer = SearchAnswer { sessions: Vec::new(), messages: Vec::new() };
    if query.is_empty() {
        return Ok(Json(answer));
    }
    if sessions {
        let hits = store.search_sessions(query, limit).await?;
        answer.sessions = hits
            .into_iter()
            .map(|SessionHit { session_id, title, marks }| SessionFound { session_id, title, marks })
            .collect();
    }
    if messages {
        let hits = store.search_messages(query, limit).await?;
        answer.messages =
            hits.into_iter()
                .map(|MessageHit { session_id, title, message_id, seq, role, snippet, marks, created_at }| {
                    MessageFound { session_id, title, message_id, seq, role, snippet, marks, created_at }
                })
                .collect();
    }
    Ok(Json(answer))
}
