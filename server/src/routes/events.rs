//! A session's events over SSE: stored ones after a number, then live ones.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use futures_util::stream;
use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_runtime::{Feed, FeedItem};
use serde::Deserialize;

use crate::app::AppState;
use crate::error::ApiError;
use crate::extract::{Id, Params};

/// A comment is sent after this time of silence, so that proxies keep the connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Events that go out in one piece.
const BATCH: usize = 256;

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct EventParams {
    /// Events behind this number; `Last-Event-ID` wins. Also taken as `after_seq`, as other cursors are called.
    #[serde(alias = "after_seq")]
    after: Option<u64>,
}

/// Follows a session's events.
#[utoipa::path(get, path = "/sessions/{id}/events", tag = "sessions", params(("id" = String, Path), EventParams),
    responses((status = 200, content_type = "text/event-stream", body = Event), (status = 404, body = ApiError),
        (status = 409, body = ApiError)))]
pub(crate) async fn events(
    State(app): State<AppState>,
    Id(id): Id<SessionId>,
    Params(params): Params<EventParams>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).and_then(|id| id.parse().ok());
    let attached = app.runtime.attach(id, last.or(params.after).unwrap_or(0)).await?;
    if attached.reload {
        return Err(ApiError::new(
            axum::http::StatusCode::CONFLICT,
            "too_far_behind",
            format!("read GET /api/v1/sessions/{id}/turns, then follow after its head_seq"),
        ));
    }
    Ok(stream(&app, attached.feed, Scope::Session))
}

/// Which events are sent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scope {
    /// All of the session.
    Session,
    /// Those of one turn, up to its end.
    Turn(TurnId),
}

/// An SSE answer from a feed. A reader that is too slow gets its connection closed and resumes by `Last-Event-ID`.
pub(crate) fn stream(app: &AppState, feed: Feed, scope: Scope) -> Response {
    let state = Some((app.clone(), feed, VecDeque::<Arc<Event>>::new()));
    let body = stream::unfold(state, move |state| async move {
        let (app, mut feed, mut more) = state?;
        let mut out = String::new();
        let mut ended = false;
        let item = tokio::select! {
            item = feed.next() => item,
            () = app.shutdown.cancelled() => return None,
            () = tokio::time::sleep(KEEP_ALIVE) => {
                return Some((Ok::<_, std::convert::Infallible>(Bytes::from_static(b": keep-alive\n\n")), Some((app, feed, more))));
            }
        };
        match item {
            Ok(FeedItem::Event(event)) => more.push_back(event),
            Ok(FeedItem::Reload | FeedItem::Closed) | Err(_) => return None,
        }
        while let Some(event) = more.pop_front() {
            ended |= write(&event, scope, &mut out);
            if ended || out.len() > 64 * BATCH {
                break;
            }
            more.extend(feed.try_next());
        }
        let next = (!ended).then_some((app, feed, more));
        Some((Ok(Bytes::from(out)), next))
    });
    let mut response = Response::new(axum::body::Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

/// Writes an event that belongs to the scope; true when the scope ends with it.
fn write(event: &Event, scope: Scope, out: &mut String) -> bool {
    let turn = match scope {
        Scope::Session => None,
        Scope::Turn(turn) => Some(turn),
    };
    if turn.is_some() && event.turn_id != turn {
        return false;
    }
    if let Ok(json) = serde_json::to_string(event) {
        out.push_str(&format!("id: {}\ndata: {json}\n\n", event.seq));
    }
    turn.is_some() && matches!(event.body, EventBody::TurnFinished { .. })
}
