//! A reader that comes back: over any number of sockets and servers it goes on after the last number it has seen.

use anyhow::{Context, Result};
use nanobot_engine::fold::Fold;
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::turn::{Part, Turn};
use serde_json::{Value, json};

use crate::app::http;
use crate::client::{Client, View};

/// One reader of one session.
pub struct Reader {
    /// The session.
    pub chat_id: SessionId,
    /// What it knows.
    pub view: View,
    /// How often it was told to read the turns again.
    pub reloads: u32,
}

impl Reader {
    /// A reader that has seen nothing yet.
    #[must_use]
    pub fn new(chat_id: SessionId) -> Self {
        Self { chat_id, view: View::default(), reloads: 0 }
    }

    /// Opens a socket and goes on after the last number.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn attach(&mut self, url: &str) -> Result<Client> {
        let mut client = Client::connect(url).await?;
        let attached = client.attach(self.chat_id, self.view.fold.seq).await?;
        if attached["mode"] == "reload" {
            self.reload(url, &mut client).await?;
        }
        Ok(client)
    }

    /// Reads the turns and attaches with their head, as `reload` asks for.
    ///
    /// # Errors
    /// When the server refuses.
    pub async fn reload(&mut self, url: &str, client: &mut Client) -> Result<()> {
        self.reloads += 1;
        let (turns, head) = crate::home::turns(&http(), url, self.chat_id).await?;
        self.view.fold = Fold::starting_at(head, turns);
        client.attach(self.chat_id, head).await?;
        Ok(())
    }

    /// Reads until this turn has ended.
    ///
    /// # Errors
    /// When the socket closes first, or an event is missing.
    pub async fn until_end(&mut self, client: &mut Client, turn_id: TurnId) -> Result<()> {
        while self.turn(turn_id).is_none_or(|turn| turn.stop_reason.is_none()) {
            self.view.take(&client.frame().await?)?;
        }
        Ok(())
    }

    /// Reads until everything up to `seq` was seen.
    ///
    /// # Errors
    /// When the socket closes first, or an event is missing.
    pub async fn until_seq(&mut self, client: &mut Client, seq: u64) -> Result<()> {
        while self.view.fold.seq < seq {
            self.view.take(&client.frame().await?)?;
        }
        Ok(())
    }

    /// Reads this many frames.
    ///
    /// # Errors
    /// When the socket closes first, or an event is missing.
    pub async fn frames(&mut self, client: &mut Client, count: usize) -> Result<()> {
        for _ in 0..count {
            self.view.take(&client.frame().await?)?;
        }
        Ok(())
    }

    /// A turn as far as it is known.
    #[must_use]
    pub fn turn(&self, turn_id: TurnId) -> Option<&Turn> {
        self.view.fold.turns.iter().find(|turn| turn.id == turn_id)
    }

    /// Sends a message with an id of its own until it is accepted; gives its turn.
    ///
    /// # Errors
    /// When the socket closes first.
    pub async fn send(&mut self, client: &mut Client, content: &str, id: &str, mode: &str) -> Result<TurnId> {
        let chat_id = self.chat_id;
        client
            .send(json!({
                "type": "message", "chat_id": chat_id, "content": content, "client_message_id": id, "mode": mode
            }))
            .await?;
        loop {
            let frame = client.frame().await?;
            self.view.take(&frame)?;
            if frame["event"] == "accepted" && frame["client_message_id"] == id {
                return Ok(frame["turn_id"].as_str().context("turn_id")?.parse()?);
            }
            anyhow::ensure!(frame["event"] != "error", "refused: {frame}");
        }
    }
}

/// Turns as all readers of one session have to agree on them.
///
/// # Panics
/// Never: turns are JSON.
#[must_use]
pub fn exact(turns: &[Turn]) -> Value {
    let turns = turns.iter().map(|turn| {
        let mut value = serde_json::to_value(turn).expect("a turn is JSON");
        // A row's own number and time differ from those of the event that announced it.
        value["user"] =
            turn.user.as_ref().map_or(Value::Null, |row| json!([row.id, row.content, row.client_message_id]));
        value
    });
    Value::Array(turns.collect())
}

/// Turns as all runs of one script have to agree on them: without ids, numbers and times.
#[must_use]
pub fn essence(turns: &[Turn]) -> Value {
    let turns = turns.iter().map(|turn| {
        let parts: Vec<Value> = turn.parts.iter().map(part).collect();
        let request = turn.user.as_ref().map(|row| row.content.as_str());
        json!({
            "request": request, "origin": turn.origin, "state": turn.state, "stop_reason": turn.stop_reason,
            "error": turn.error, "preset": turn.preset, "model": turn.model, "usage": turn.usage, "parts": parts,
            "answered": turn.answer_id.is_some()
        })
    });
    Value::Array(turns.collect())
}

fn part(part: &Part) -> Value {
    match part {
        Part::Reasoning(part) => json!(["reasoning", part.text, part.open]),
        Part::Text(part) => json!(["text", part.text, part.open]),
        Part::Tool(tool) => {
            let decision = tool.approval.as_ref().map(|approval| approval.decision);
            let (status, hint) = (tool.status, &tool.hint);
            json!(["tool", tool.call_id, tool.name, tool.arguments, hint, status, tool.output, tool.preview, decision])
        }
        Part::Steer { text, client_message_id, .. } => json!(["steer", text, client_message_id]),
        Part::ProviderTool { name, phase, arguments, text, .. } => {
            json!(["provider_tool", name, phase, arguments, text])
        }
        Part::Approval { approval, .. } => json!(["approval", approval.kind, approval.reason, approval.decision]),
        Part::Notice { code, text, data, .. } => json!(["notice", code, text, data]),
    }
}
