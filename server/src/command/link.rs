//! How the terminal reaches the agent: a running server of the same home, or a runtime in this process.

use std::path::Path;

use futures_util::{SinkExt, StreamExt};
use nanobot_engine::approval::ApprovalDecision;
use nanobot_engine::event::Event;
use nanobot_engine::id::{ApprovalId, SessionId, TurnId};
use nanobot_engine::message::Origin;
use nanobot_runtime::approvals::Decide;
use nanobot_runtime::config::{Home, Overrides};
use nanobot_runtime::{Feed, FeedItem, Inbound, NewSession, RuntimeError};
use nanobot_store::WorkMode;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::Failure;
use super::open::{Opened, open};
use crate::audit::TERMINAL;
use crate::routes::sessions::id_from_key;

/// Either way to the agent.
pub(super) enum Link {
    /// Over the socket of a running server.
    Remote(Box<WebSocketStream<MaybeTlsStream<TcpStream>>>),
    /// In this process.
    Local(Box<Local>),
}

pub(super) struct Local {
    opened: Opened,
    feed: Option<(SessionId, Feed)>,
}

impl Link {
    /// Finds a running server, else opens the home.
    pub(super) async fn connect(home: &Path) -> Result<Self, Failure> {
        if let Some(address) = Home::read_address(home) {
            match remote(&address).await {
                Ok(socket) => return Ok(Self::Remote(Box::new(socket))),
                Err(error) => tracing::debug!(%error, "no server answers; running in this process"),
            }
        }
        let opened = open(home, Overrides::default()).await?;
        Ok(Self::Local(Box::new(Local { opened, feed: None })))
    }

    /// The session of this id; else the one of this name, made at first use; else a new one.
    pub(super) async fn session(&mut self, wanted: Option<&str>) -> Result<SessionId, Failure> {
        let id = wanted.and_then(|wanted| wanted.parse::<SessionId>().ok());
        match self {
            Self::Local(local) => {
                let runtime = &local.opened.runtime;
                if let Some(id) = id {
                    return runtime.session(id).await.map(|session| session.id).map_err(failed);
                }
                let named = wanted.map(|name| SessionId(id_from_key("sessions", &key(name))));
                if let Some(named) = named
                    && runtime.session(named).await.is_ok()
                {
                    return Ok(named);
                }
                let new = NewSession { id: named, ..NewSession::default() };
                runtime.create_session(new).await.map(|session| session.id).map_err(failed)
            }
            Self::Remote(socket) => {
                let frame = match (id, wanted) {
                    // Events of before are of no interest here; what is sent attaches at the head.
                    (Some(id), _) => return Ok(id),
                    (None, Some(name)) => json!({"type": "new_chat", "idempotency_key": key(name)}),
                    (None, None) => json!({"type": "new_chat"}),
                };
                send(socket, frame).await?;
                id_of(&answer(socket, "attached").await?)
            }
        }
    }

    /// Sends a message; gives its turn.
    pub(super) async fn submit(
        &mut self,
        session_id: SessionId,
        content: &str,
        preset: Option<&str>,
    ) -> Result<TurnId, Failure> {
        match self {
            Self::Local(local) => {
                let runtime = &local.opened.runtime;
                let session = runtime.session(session_id).await.map_err(failed)?;
                let attached = runtime.attach(session_id, session.head_seq).await.map_err(failed)?;
                let inbound = Inbound {
                    session_id,
                    content: content.to_owned(),
                    attachments: Vec::new(),
                    mode: WorkMode::Auto,
                    origin: Origin::User,
                    preset: preset.map(str::to_owned),
                    parent_message_id: None,
                    client_message_id: None,
                };
                let accepted = runtime.submit(inbound).await.map_err(failed)?;
                local.feed = Some((session_id, attached.feed));
                Ok(accepted.turn_id)
            }
            Self::Remote(socket) => {
                let id = uuid::Uuid::now_v7().to_string();
                let frame = json!({
                    "type": "message", "chat_id": session_id, "content": content, "client_message_id": id, "preset": preset,
                });
                send(socket, frame).await?;
                let accepted = answer(socket, "accepted").await?;
                accepted
                    .get("turn_id")
                    .and_then(Value::as_str)
                    .and_then(|id| id.parse().ok())
                    .ok_or_else(|| Failure::failed("the server's answer has no turn_id"))
            }
        }
    }

    /// The next event.
    pub(super) async fn next(&mut self) -> Result<Event, Failure> {
        match self {
            Self::Local(local) => {
                let Some((_, feed)) = &mut local.feed else { return Err(Failure::failed("nothing was sent yet")) };
                match feed.next().await.map_err(failed)? {
                    FeedItem::Event(event) => Ok(Event::clone(&event)),
                    FeedItem::Reload | FeedItem::Closed => Err(Failure::failed("the session is gone")),
                }
            }
            Self::Remote(socket) => loop {
                let frame = receive(socket).await?;
                if frame.get("seq").is_some()
                    && let Ok(event) = serde_json::from_value(frame)
                {
                    return Ok(event);
                }
            },
        }
    }

    /// Stops the running turn.
    pub(super) async fn stop(&mut self, session_id: SessionId) -> Result<(), Failure> {
        match self {
            Self::Local(local) => local.opened.runtime.stop(session_id).await.map(|_| ()).map_err(failed),
            Self::Remote(socket) => send(socket, json!({"type": "stop", "chat_id": session_id})).await,
        }
    }

    /// Answers a question. Somebody else may have been faster; then nothing happens.
    pub(super) async fn decide(
        &mut self,
        approval_id: ApprovalId,
        decision: ApprovalDecision,
        reason: Option<String>,
    ) -> Result<(), Failure> {
        match self {
            Self::Local(local) => {
                let by = TERMINAL.to_owned();
                let decide = Decide { decision, by, reason, arguments: None };
                match local.opened.runtime.decide(approval_id, decide).await {
                    Ok(_) | Err(RuntimeError::Conflict { code: "approval_closed", .. }) => Ok(()),
                    Err(error) => Err(failed(error)),
                }
            }
            Self::Remote(socket) => {
                let frame = json!({
                    "type": "approve", "approval_id": approval_id, "decision": decision, "reason": reason,
                });
                send(socket, frame).await
            }
        }
    }

    pub(super) async fn close(self) {
        match self {
            Self::Local(local) => local.opened.runtime.shutdown().await,
            Self::Remote(mut socket) => {
                let _ = SinkExt::close(&mut socket).await;
            }
        }
    }
}

/// What names a session of the terminal, here and beside a server.
fn key(name: &str) -> String {
    format!("terminal:{name}")
}

#[expect(clippy::needless_pass_by_value, reason = "used as a function in map_err")]
fn failed(error: RuntimeError) -> Failure {
    Failure::failed(error.to_string())
}

async fn remote(address: &str) -> Result<WebSocketStream<MaybeTlsStream<TcpStream>>, String> {
    let url = format!("{}/ws", address.replacen("http", "ws", 1));
    let mut request = url.into_client_request().map_err(|error| error.to_string())?;
    if let Ok(token) = std::env::var("NANOBOT_TOKEN")
        && let Ok(value) = format!("Bearer {token}").parse()
    {
        request.headers_mut().insert("authorization", value);
    }
    let (socket, _) = tokio_tungstenite::connect_async(request).await.map_err(|error| error.to_string())?;
    Ok(socket)
}

type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

async fn send(socket: &mut Socket, frame: Value) -> Result<(), Failure> {
    socket.send(Message::text(frame.to_string())).await.map_err(|error| Failure::failed(lost(&error)))
}

async fn receive(socket: &mut Socket) -> Result<Value, Failure> {
    loop {
        match socket.next().await {
            Some(Ok(Message::Text(text))) => {
                if let Ok(frame) = serde_json::from_str(text.as_str()) {
                    return Ok(frame);
                }
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(Failure::failed(lost(&error))),
            None => return Err(Failure::failed("the server went away; the turn goes on there once it is back")),
        }
    }
}

fn lost(error: &tokio_tungstenite::tungstenite::Error) -> String {
    format!("the connection to the server broke: {error}")
}

/// Waits for an answer of this kind; an error frame is a failure.
async fn answer(socket: &mut Socket, kind: &str) -> Result<Value, Failure> {
    loop {
        let frame = receive(socket).await?;
        match frame.get("event").and_then(Value::as_str) {
            Some(event) if event == kind => return Ok(frame),
            Some("error") => {
                let detail = frame.get("detail").and_then(Value::as_str).unwrap_or("the server refused");
                return Err(Failure::failed(detail));
            }
            _ => {}
        }
    }
}

fn id_of(frame: &Value) -> Result<SessionId, Failure> {
    frame
        .get("chat_id")
        .and_then(Value::as_str)
        .and_then(|id| id.parse().ok())
        .ok_or_else(|| Failure::failed("the server's answer has no chat_id"))
}
