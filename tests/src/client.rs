//! A socket client that applies events by the rule of `prev_seq` and folds them, as the page does.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use futures_util::{SinkExt, StreamExt};
use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::fold::{Fold, Outcome};
use nanobot_engine::id::{SessionId, TurnId};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

/// Longest wait for a frame.
const PATIENCE: Duration = Duration::from_secs(20);

/// One socket.
pub struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    /// The `ready` frame.
    pub ready: Value,
}

impl Client {
    /// Opens a socket and waits for `ready`.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn connect(url: &str) -> Result<Self> {
        Self::connect_with(url, &[]).await
    }

    /// As [`Client::connect`], with these headers.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn connect_with(url: &str, headers: &[(&'static str, String)]) -> Result<Self> {
        let mut request = format!("{}/ws", url.replacen("http", "ws", 1)).into_client_request()?;
        for (name, value) in headers {
            request.headers_mut().insert(*name, value.parse()?);
        }
        let (socket, _) = tokio_tungstenite::connect_async(request).await?;
        let mut client = Self { socket, ready: Value::Null };
        client.ready = client.frame().await?;
        if client.ready["event"] != "ready" {
            bail!("expected ready, got {}", client.ready);
        }
        Ok(client)
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn send(&mut self, frame: Value) -> Result<()> {
        self.text(&frame.to_string()).await
    }

    /// Sends text as it is.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn text(&mut self, text: &str) -> Result<()> {
        Ok(self.socket.send(Message::text(text)).await?)
    }

    /// Sends any message.
    ///
    /// # Errors
    /// When the socket is closed.
    pub async fn raw(&mut self, message: Message) -> Result<()> {
        Ok(self.socket.send(message).await?)
    }

    /// The next frame.
    ///
    /// # Errors
    /// When the socket closes or nothing comes.
    pub async fn frame(&mut self) -> Result<Value> {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.context("no frame came")?;
            match message.context("the socket was closed")?? {
                Message::Text(text) => return Ok(serde_json::from_str(text.as_str())?),
                Message::Close(frame) => bail!("closed: {frame:?}"),
                _ => {}
            }
        }
    }

    /// Reads until the server closes; gives the code it closed with.
    ///
    /// # Errors
    /// When the socket breaks or stays open.
    pub async fn closed(&mut self) -> Result<u16> {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await.context("the socket stays open")?;
            if let Message::Close(frame) = message.context("the socket ended without a close frame")?? {
                return Ok(frame.context("a close frame without a code")?.code.into());
            }
        }
    }

    /// Frames up to the answer to a ping: everything that the server had to say so far.
    ///
    /// # Errors
    /// When the socket closes.
    pub async fn until_pong(&mut self) -> Result<Vec<Value>> {
        self.send(json!({"type": "ping"})).await?;
        let mut frames = Vec::new();
        loop {
            let frame = self.frame().await?;
            if frame["event"] == "pong" {
                return Ok(frames);
            }
            frames.push(frame);
        }
    }

    /// The next frame of this kind; others are skipped.
    ///
    /// # Errors
    /// When the socket closes or none comes.
    pub async fn wait_for(&mut self, event: &str) -> Result<Value> {
        loop {
            let frame = self.frame().await?;
            if frame["event"] == event {
                return Ok(frame);
            }
        }
    }

    /// A new session, attached.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn new_chat(&mut self) -> Result<SessionId> {
        self.send(json!({"type": "new_chat"})).await?;
        let attached = self.wait_for("attached").await?;
        Ok(attached["chat_id"].as_str().context("chat_id")?.parse()?)
    }

    /// Attaches after a number; gives the answer.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn attach(&mut self, chat_id: SessionId, after_seq: u64) -> Result<Value> {
        self.send(json!({"type": "attach", "chat_id": chat_id, "after_seq": after_seq})).await?;
        self.wait_for("attached").await
    }

    /// Sends a message; gives its turn.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn message(&mut self, chat_id: SessionId, content: &str) -> Result<TurnId> {
        self.send(json!({"type": "message", "chat_id": chat_id, "content": content})).await?;
        let accepted = self.wait_for("accepted").await?;
        Ok(accepted["turn_id"].as_str().context("turn_id")?.parse()?)
    }
}

/// What one reader knows of one session, over any number of sockets.
#[derive(Debug, Default)]
pub struct View {
    /// The turns so far.
    pub fold: Fold,
    /// Every event applied, in order.
    pub events: Vec<Event>,
}

impl View {
    /// Takes a frame if it is an event of the session. True when it was the end of a turn.
    ///
    /// # Errors
    /// When events are missing before it: the server broke its promise.
    pub fn take(&mut self, frame: &Value) -> Result<bool> {
        if frame.get("prev_seq").is_none() {
            return Ok(false);
        }
        let event: Event = serde_json::from_value(frame.clone())?;
        match self.fold.apply(&event) {
            Outcome::Applied => {
                let ended = matches!(event.body, EventBody::TurnFinished { .. });
                self.events.push(event);
                Ok(ended)
            }
            Outcome::Stale => Ok(false),
            Outcome::Gap => bail!("a gap before {frame} at {}", self.fold.seq),
        }
    }

    /// Reads until a turn of the session ends.
    ///
    /// # Errors
    /// When the socket closes first.
    pub async fn until_turn_end(&mut self, client: &mut Client) -> Result<()> {
        while !self.take(&client.frame().await?)? {}
        Ok(())
    }

    /// Reads until the session says that it is idle.
    ///
    /// # Errors
    /// When the socket closes first.
    pub async fn until_idle(&mut self, client: &mut Client) -> Result<()> {
        loop {
            let frame = client.frame().await?;
            self.take(&frame)?;
            if frame["event"] == "session_updated" && frame["state"] == "idle" {
                return Ok(());
            }
        }
    }
}
