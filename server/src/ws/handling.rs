//! What a connection does with each command.

use nanobot_engine::id::SessionId;
use nanobot_engine::message::Origin;
use nanobot_runtime::approvals::Decide;
use nanobot_runtime::{Inbound, NewSession, RuntimeError};
use nanobot_store::{StoreError, WorkMode, conflict};

use super::command::{self, BadField, Command, Parsed};
use super::connection::Connection;
use super::frame::Frame;
use crate::routes::sessions::id_from_key;

impl Connection {
    pub(super) async fn handle(&mut self, text: &str) {
        let command = match command::parse(text) {
            Parsed::Command(command) => command,
            Parsed::Legacy(content) => return self.legacy(content).await,
            Parsed::Bad { code, detail } => return self.error(code, &detail, None, None).await,
            Parsed::BadField(bad) => {
                let BadField { detail, chat_id, client_message_id, approval_id } = &*bad;
                let (chat_id, approval_id) = (*chat_id, *approval_id);
                let client_message_id = client_message_id.as_deref();
                let frame = Frame::Error { code: "bad_field", detail, chat_id, client_message_id, approval_id };
                return self.send(&frame).await;
            }
        };
        match command {
            Command::Ping(_) => self.send(&Frame::Pong {}).await,
            Command::NewChat(new) => {
                let id = new.idempotency_key.as_deref().map(|key| SessionId(id_from_key("sessions", key)));
                let new = NewSession { id, title: new.title, preset: new.preset, workspace: new.workspace };
                match (self.app.runtime.create_session(new).await, id) {
                    (Ok(session), _) => self.attach(session.id, 0).await,
                    (Err(RuntimeError::Store(StoreError::Conflict(conflict::ID))), Some(id)) => {
                        self.attach(id, 0).await;
                    }
                    (Err(error), _) => self.refuse(error, None, None).await,
                }
            }
            Command::Attach(attach) => self.attach(attach.chat_id, attach.after_seq).await,
            Command::Detach(chat) => {
                self.attached.remove(&chat.chat_id);
            }
            Command::Message(message) => {
                let message = *message;
                if !message.attachments.is_empty() {
                    let detail = "uploads are not supported yet; put the file into the workspace";
                    let id = message.client_message_id.as_deref();
                    return self.error("bad_field", detail, Some(message.chat_id), id).await;
                }
                self.submit(Inbound {
                    session_id: message.chat_id,
                    content: message.content,
                    attachments: Vec::new(),
                    mode: message.mode.into(),
                    origin: Origin::User,
                    preset: message.preset,
                    parent_message_id: message.parent_message_id,
                    client_message_id: message.client_message_id,
                })
                .await;
            }
            Command::Stop(chat) => match self.app.runtime.stop(chat.chat_id).await {
                Ok(true) => {}
                Ok(false) => self.error("not_running", "no turn is running", Some(chat.chat_id), None).await,
                Err(error) => self.refuse(error, Some(chat.chat_id), None).await,
            },
            Command::Approve(approve) => {
                let approve = *approve;
                let decide = Decide {
                    decision: approve.decision,
                    by: self.actor.0.clone(),
                    reason: approve.reason,
                    arguments: approve.arguments,
                };
                if let Ok((chat_id, _)) = self.app.runtime.approval(approve.approval_id).await {
                    self.attach_before_sending(chat_id).await;
                }
                // Everybody who follows the session is told by its event.
                if let Err(error) = self.app.runtime.decide(approve.approval_id, decide).await {
                    self.refuse_approval(error, approve.approval_id).await;
                }
            }
            Command::Retry(retry) => {
                self.attach_before_sending(retry.chat_id).await;
                match self.app.runtime.retry(retry.turn_id, retry.client_message_id.clone()).await {
                    Ok((chat_id, accepted)) => self.send(&Frame::accepted(chat_id, &accepted)).await,
                    Err(error) => self.refuse(error, Some(retry.chat_id), retry.client_message_id.as_deref()).await,
                }
            }
        }
    }

    /// Plain text goes to the connection's own chat, which is made at first use.
    async fn legacy(&mut self, content: String) {
        if content.trim().is_empty() {
            return self.error("empty_message", "the message is empty; write something", None, None).await;
        }
        if !self.own_chat_made {
            let new = NewSession { id: Some(self.own_chat), ..NewSession::default() };
            if let Err(error) = self.app.runtime.create_session(new).await {
                return self.refuse(error, None, None).await;
            }
            self.own_chat_made = true;
        }
        self.submit(Inbound {
            session_id: self.own_chat,
            content,
            attachments: Vec::new(),
            mode: WorkMode::Auto,
            origin: Origin::User,
            preset: None,
            parent_message_id: None,
            client_message_id: None,
        })
        .await;
    }

    async fn submit(&mut self, inbound: Inbound) {
        let chat_id = inbound.session_id;
        let client_id = inbound.client_message_id.clone();
        self.attach_before_sending(chat_id).await;
        match self.app.runtime.submit(inbound).await {
            Ok(accepted) => self.send(&Frame::accepted(chat_id, &accepted)).await,
            Err(error) => self.refuse(error, Some(chat_id), client_id.as_deref()).await,
        }
    }

    /// Who sends into a session wants to see what comes of it.
    async fn attach_before_sending(&mut self, chat_id: SessionId) {
        if self.attached.contains_key(&chat_id) {
            return;
        }
        if let Ok(session) = self.app.runtime.session(chat_id).await {
            self.attach(chat_id, session.head_seq).await;
        }
    }
}
