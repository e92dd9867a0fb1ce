//! One connection: reads commands, answers them, and writes events as they come.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::extract::{Extension, State};
use axum::response::Response;
use futures_util::stream::{BoxStream, SelectAll};
use futures_util::{SinkExt, StreamExt, stream};
use nanobot_engine::event::Event;
use nanobot_engine::id::{ApprovalId, SessionId};
use nanobot_runtime::{Feed, FeedItem, RuntimeError};
use tokio::sync::watch;
use tokio::time::Instant;
use uuid::Uuid;

use super::frame::{Coalescer, Frame, FrameLimits};
use crate::app::{AppState, MAX_FRAME_BYTES, MAX_MESSAGE_CHARS};
use crate::audit::Actor;
use crate::auth::Credential;
use crate::error::ApiError;
use crate::routes::settings::VERSION;

/// A client that takes nothing for this long is gone.
const WRITE_LIMIT: Duration = Duration::from_secs(30);
/// A client that says nothing for this long, not even ping, is gone.
const SILENCE_LIMIT: Duration = Duration::from_secs(120);
/// `sessions_changed` is sent at most this often.
const CHANGES_GAP: Duration = Duration::from_secs(1);
/// Bytes gathered before a read or write of the socket; each connection holds them.
const BUFFER_BYTES: usize = 8 * 1024;
/// Sessions one connection may attach.
const MAX_ATTACHED: usize = 256;
/// Events taken from a feed at a time.
const BATCH: usize = 512;

/// How often the credential of an open connection is looked at again.
const RECHECK: Duration = Duration::from_secs(5);
/// Frames that a client may send in a window of time.
const MAX_FRAMES: u32 = 1_000;
const FRAME_WINDOW: Duration = Duration::from_secs(10);

const CLOSE_SIGN_IN: u16 = 4401;
const CLOSE_SLOW_DOWN: u16 = 4429;
const CLOSE_BAD_TEXT: u16 = 1007;
const CLOSE_TOO_BIG: u16 = 1009;
const CLOSE_GOING_AWAY: u16 = 1001;

/// Answers the upgrade. Host, Origin and credential were checked by the guard.
pub(crate) async fn upgrade(
    State(app): State<AppState>,
    credential: Option<Extension<Credential>>,
    actor: Actor,
    upgrade: WebSocketUpgrade,
) -> Response {
    let tracker = app.sockets.clone();
    let credential = credential.map(|Extension(credential)| credential);
    upgrade
        .max_message_size(MAX_FRAME_BYTES)
        .max_frame_size(MAX_FRAME_BYTES)
        .read_buffer_size(BUFFER_BYTES)
        .write_buffer_size(BUFFER_BYTES)
        .on_upgrade(move |socket| tracker.track_future(Connection::new(app, (credential, actor), socket).run()))
}

/// Events of one session that arrived together.
struct Batch {
    session_id: SessionId,
    attachment: u64,
    events: Vec<Arc<Event>>,
    end: Option<End>,
}

enum End {
    Reload,
    Closed,
}

pub(super) struct Attachment {
    number: u64,
    coalescer: Coalescer,
}

pub(super) struct Connection {
    pub(super) app: AppState,
    /// What the connection came in with, where that was needed.
    credential: Option<Credential>,
    /// Who that is, for the audit log.
    pub(super) actor: Actor,
    /// Frames of the present window, and when it began.
    window: (Instant, u32),
    socket: WebSocket,
    client_id: String,
    pub(super) own_chat: SessionId,
    pub(super) own_chat_made: bool,
    pub(super) attached: HashMap<SessionId, Attachment>,
    feeds: SelectAll<BoxStream<'static, Batch>>,
    next_attachment: u64,
    changes: watch::Receiver<u64>,
    changes_due: Option<Instant>,
    last_changes: Option<Instant>,
    /// When the earliest held delta has to go out.
    release_at: Option<Instant>,
    /// The connection cannot be written any more.
    broken: bool,
}

impl Connection {
    fn new(app: AppState, (credential, actor): (Option<Credential>, Actor), socket: WebSocket) -> Self {
        let changes = app.runtime.changes();
        Self {
            app,
            credential,
            actor,
            window: (Instant::now(), 0),
            socket,
            client_id: Uuid::now_v7().to_string(),
            own_chat: SessionId(Uuid::now_v7()),
            own_chat_made: false,
            attached: HashMap::new(),
            feeds: SelectAll::new(),
            next_attachment: 0,
            changes,
            changes_due: None,
            last_changes: None,
            release_at: None,
            broken: false,
        }
    }

    async fn run(mut self) {
        self.changes.mark_unchanged();
        let client_id = self.client_id.clone();
        self.send(&Frame::Ready {
            client_id: &client_id,
            chat_id: self.own_chat,
            protocol: 1,
            boot_id: self.app.runtime.boot_id().to_string(),
            server_version: VERSION,
            limits: FrameLimits { max_frame_bytes: MAX_FRAME_BYTES, max_message_chars: MAX_MESSAGE_CHARS },
        })
        .await;
        let shutdown = self.app.shutdown.clone();
        let mut heard = Instant::now();
        let mut recheck = tokio::time::interval(RECHECK);
        while !self.broken {
            let wake = [self.release_at, self.changes_due].into_iter().flatten().min();
            tokio::select! {
                message = self.socket.recv() => {
                    heard = Instant::now();
                    match message {
                        Some(Ok(Message::Text(text))) => {
                            if self.too_fast() {
                                let reason = format!("more than {MAX_FRAMES} frames within {} s", FRAME_WINDOW.as_secs());
                                self.close(CLOSE_SLOW_DOWN, &reason).await;
                                return;
                            }
                            self.handle(text.as_str()).await;
                        }
                        Some(Ok(Message::Binary(_))) => {
                            self.error("bad_frame", "frames are JSON text, not binary", None, None).await;
                        }
                        Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                        Some(Ok(Message::Close(_))) | None => return,
                        Some(Err(error)) => {
                            self.close_for(&error).await;
                            return;
                        }
                    }
                }
                Some(batch) = self.feeds.next(), if !self.feeds.is_empty() => self.deliver(batch).await,
                changed = self.changes.changed() => {
                    if changed.is_err() {
                        return;
                    }
                    let now = Instant::now();
                    let due = self.last_changes.map_or(now, |last| (last + CHANGES_GAP).max(now));
                    self.changes_due.get_or_insert(due);
                }
                () = sleep_until(wake), if wake.is_some() => self.wake().await,
                () = tokio::time::sleep_until(heard + SILENCE_LIMIT) => return,
                _ = recheck.tick(), if self.credential.is_some() => {
                    if let Some(credential) = &self.credential && !credential.holds(&self.app).await {
                        self.close(CLOSE_SIGN_IN, "sign in again").await;
                        return;
                    }
                }
                () = shutdown.cancelled() => {
                    self.close(CLOSE_GOING_AWAY, "the server is going away").await;
                    return;
                }
            }
        }
    }

    fn too_fast(&mut self) -> bool {
        let (since, count) = &mut self.window;
        if since.elapsed() > FRAME_WINDOW {
            (*since, *count) = (Instant::now(), 0);
        }
        *count += 1;
        *count > MAX_FRAMES
    }

    async fn wake(&mut self) {
        let now = Instant::now();
        if self.changes_due.is_some_and(|due| due <= now) {
            self.changes_due = None;
            self.last_changes = Some(now);
            self.send(&Frame::SessionsChanged {}).await;
        }
        self.release(now).await;
    }

    /// Sends held deltas whose time has come.
    async fn release(&mut self, now: Instant) {
        let mut texts = Vec::new();
        let mut earliest: Option<Instant> = None;
        for attachment in self.attached.values_mut() {
            if let Some(due) = attachment.coalescer.release(now, |event| texts.extend(encode(event))) {
                earliest = Some(earliest.map_or(due, |other| other.min(due)));
            }
        }
        self.release_at = earliest;
        self.write(texts).await;
    }

    async fn deliver(&mut self, batch: Batch) {
        let Some(attachment) =
            self.attached.get_mut(&batch.session_id).filter(|known| known.number == batch.attachment)
        else {
            return;
        };
        let mut texts = Vec::new();
        for event in batch.events {
            attachment.coalescer.push(event, |event| texts.extend(encode(event)));
        }
        let due = attachment.coalescer.release(Instant::now(), |event| texts.extend(encode(event)));
        if let Some(due) = due {
            self.release_at = Some(self.release_at.map_or(due, |other| other.min(due)));
        }
        self.write(texts).await;
        match batch.end {
            None => {}
            Some(End::Closed) => {
                self.attached.remove(&batch.session_id);
                self.error("no_session", "the session was deleted", Some(batch.session_id), None).await;
            }
            Some(End::Reload) => {
                self.attached.remove(&batch.session_id);
                if let Ok(session) = self.app.runtime.session(batch.session_id).await {
                    let boot_id = self.app.runtime.boot_id().to_string();
                    self.send(&Frame::Attached {
                        chat_id: batch.session_id,
                        head_seq: session.head_seq,
                        boot_id,
                        mode: "reload",
                        state: session.state,
                        turn_id: session.running_turn_id,
                    })
                    .await;
                }
            }
        }
    }

    pub(super) async fn attach(&mut self, chat_id: SessionId, after_seq: u64) {
        if self.attached.len() >= MAX_ATTACHED && !self.attached.contains_key(&chat_id) {
            let detail = format!("a connection may attach {MAX_ATTACHED} sessions; detach one first");
            return self.error("too_many_attached", &detail, Some(chat_id), None).await;
        }
        let attached = match self.app.runtime.attach(chat_id, after_seq).await {
            Ok(attached) => attached,
            Err(error) => return self.refuse(error, Some(chat_id), None).await,
        };
        self.attached.remove(&chat_id);
        self.send(&Frame::Attached {
            chat_id,
            head_seq: attached.head_seq,
            boot_id: self.app.runtime.boot_id().to_string(),
            mode: if attached.reload { "reload" } else { "replay" },
            state: attached.state,
            turn_id: attached.turn_id,
        })
        .await;
        if attached.reload {
            return;
        }
        self.next_attachment += 1;
        let number = self.next_attachment;
        self.attached.insert(chat_id, Attachment { number, coalescer: Coalescer::default() });
        self.feeds.push(batches(chat_id, number, attached.feed));
    }

    pub(super) async fn refuse(
        &mut self,
        error: RuntimeError,
        chat_id: Option<SessionId>,
        client_message_id: Option<&str>,
    ) {
        let error = ApiError::from(error);
        self.error(error.code, &error.detail, chat_id, client_message_id).await;
    }

    pub(super) async fn error(
        &mut self,
        code: &str,
        detail: &str,
        chat_id: Option<SessionId>,
        client_message_id: Option<&str>,
    ) {
        self.send(&Frame::Error { code, detail, chat_id, client_message_id, approval_id: None }).await;
    }

    pub(super) async fn refuse_approval(&mut self, error: RuntimeError, approval_id: ApprovalId) {
        let ApiError { code, detail, .. } = &ApiError::from(error);
        let approval_id = Some(approval_id);
        self.send(&Frame::Error { code, detail, chat_id: None, client_message_id: None, approval_id }).await;
    }

    pub(super) async fn send(&mut self, frame: &Frame<'_>) {
        match serde_json::to_string(frame) {
            Ok(text) => self.write(vec![text]).await,
            Err(error) => tracing::error!(%error, "a frame could not be written as JSON"),
        }
    }

    /// Feeds all frames and flushes once.
    async fn write(&mut self, texts: Vec<String>) {
        if texts.is_empty() || self.broken {
            return;
        }
        let socket = &mut self.socket;
        let writing = async {
            for text in texts {
                socket.feed(Message::Text(Utf8Bytes::from(text))).await?;
            }
            socket.flush().await
        };
        match tokio::time::timeout(WRITE_LIMIT, writing).await {
            Ok(Ok(())) => {}
            Ok(Err(_)) | Err(_) => self.broken = true,
        }
    }

    async fn close_for(&mut self, error: &axum::Error) {
        let error = error.to_string().to_ascii_lowercase();
        if error.contains("too long") {
            let reason = format!("a frame may have {MAX_FRAME_BYTES} bytes");
            self.close(CLOSE_TOO_BIG, &reason).await;
        } else if error.contains("utf-8") {
            self.close(CLOSE_BAD_TEXT, "a text frame has to be UTF-8").await;
        }
    }

    async fn close(&mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code, reason: Utf8Bytes::from(reason.to_owned()) };
        let closing = async {
            self.socket.send(Message::Close(Some(frame))).await?;
            // What is still on its way is read: a socket that ends with unread data takes the close frame back.
            while let Some(Ok(_)) = self.socket.recv().await {}
            Ok::<_, axum::Error>(())
        };
        let _ = tokio::time::timeout(Duration::from_secs(1), closing).await;
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn encode(event: &Event) -> Option<String> {
    serde_json::to_string(event)
        .inspect_err(|error| tracing::error!(%error, "an event could not be written as JSON"))
        .ok()
}

/// A feed as a stream of what arrives together.
fn batches(session_id: SessionId, attachment: u64, feed: Feed) -> BoxStream<'static, Batch> {
    stream::unfold(Some(feed), move |feed| async move {
        let mut feed = feed?;
        let mut events = Vec::new();
        let end = match feed.next().await {
            Ok(FeedItem::Event(event)) => {
                events.push(event);
                while let Some(event) = feed.try_next() {
                    events.push(event);
                    if events.len() >= BATCH {
                        break;
                    }
                }
                None
            }
            Ok(FeedItem::Reload) => Some(End::Reload),
            Ok(FeedItem::Closed) => Some(End::Closed),
            Err(error) => {
                tracing::warn!(session = %session_id, %error, "a session's events could not be read");
                Some(End::Reload)
            }
        };
        let next = end.is_none().then_some(feed);
        Some((Batch { session_id, attachment, events, end }, next))
    })
    .boxed()
}
