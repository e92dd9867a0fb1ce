//! `Runtime`: what surfaces talk to. Messages go in through [`Runtime::submit`], everything comes out of a session's log.

mod feed;
mod shared;

pub(crate) use feed::split;
pub use feed::{Attached, Feed, FeedItem};
pub(crate) use shared::Shared;

use std::path::PathBuf;
use std::sync::Arc;

use nanobot_engine::event::SessionState;
use nanobot_engine::hook::AgentHook;
use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::Origin;
use nanobot_store::{SessionPatch, SessionRecord, Store, TitleSource, WorkMode};
use serde::Serialize;
use tokio::sync::{oneshot, watch};
use uuid::Uuid;

use crate::agent_loop::{Command, SessionHandle};
use crate::clock::Clock;
use crate::config::{ConfigStore, ConfigWarning};
use crate::error::RuntimeError;
use crate::event_log::SEQ_BLOCK;
use crate::hooks::TurnHookFactory;
use crate::models::Models;
use crate::permissions::unknown_tools;
use crate::provider::Limits;
use crate::tool::ToolRegistry;

/// What a runtime is made of.
pub struct RuntimeOptions {
    /// Folder of the installation; file tools never read it outside the workspace.
    pub home: PathBuf,
    /// Database.
    pub store: Store,
    /// Settings.
    pub config: ConfigStore,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Tools on offer.
    pub tools: ToolRegistry,
    /// Hooks, in order, built-in ones first.
    pub hooks: Vec<Arc<dyn AgentHook>>,
    /// Hooks that are made for each turn, behind `hooks` and before the programs of the settings.
    pub turn_hooks: Vec<Arc<dyn TurnHookFactory>>,
    /// Longest message, in Unicode scalars.
    pub max_message_chars: usize,
    /// Time limits of a model's answer.
    pub model_limits: Limits,
    /// Numbers from 0 to 1 at random, for the waits between attempts; [`fastrand::f64`].
    pub dice: fn() -> f64,
}

/// A message from a surface.
#[derive(Clone, Debug)]
pub struct Inbound {
    /// Session.
    pub session_id: SessionId,
    /// Text.
    pub content: String,
    /// Uploaded media.
    pub attachments: Vec<String>,
    /// Start, steer or queue.
    pub mode: WorkMode,
    /// What sent it.
    pub origin: Origin,
    /// Preset for this turn only.
    pub preset: Option<String>,
    /// `None`: follow the active branch. `Some(None)`: a new beginning. `Some(Some(id))`: a child of that row.
    pub parent_message_id: Option<Option<MessageId>>,
    /// The sender's own id; the same id again gives the same answer.
    pub client_message_id: Option<String>,
}

/// The answer to a message, given after it was committed.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Accepted {
    /// The sender's own id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_message_id: Option<String>,
    /// The row it is, or will be.
    pub message_id: MessageId,
    /// The turn that works on it.
    pub turn_id: TurnId,
    /// 0 when it starts at once, else its place in the queue.
    pub position: u32,
    /// Number of its `user_message`.
    pub seq: u64,
}

/// Wishes for a new session.
#[derive(Clone, Debug, Default)]
pub struct NewSession {
    /// Wanted id, for surfaces that name their session before it exists.
    pub id: Option<SessionId>,
    /// Title.
    pub title: Option<String>,
    /// Preset.
    pub preset: Option<String>,
    /// Workspace folder.
    pub workspace: Option<String>,
}

/// A session as the protocol shows it.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct SessionView {
    /// Identity; the protocol's `chat_id`.
    pub id: SessionId,
    /// Name; empty until the first turn ended.
    pub title: String,
    /// Who named it: `none`, `first_words`, `model` or `user`.
    pub title_source: String,
    /// Preset; `null` means the default one.
    pub preset: Option<String>,
    /// Workspace folder.
    pub workspace: String,
    /// Pinned to the top.
    pub pinned: bool,
    /// Access mode; `null` means the configured one.
    pub access: Option<String>,
    /// What it is doing.
    pub state: SessionState,
    /// End of the active branch.
    pub active_message_id: Option<MessageId>,
    /// The session it was forked from.
    pub forked_from: Option<SessionId>,
    /// Number of the last event.
    pub head_seq: u64,
    /// The turn at work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub running_turn_id: Option<TurnId>,
    /// UTC milliseconds.
    pub created_at: i64,
    /// UTC milliseconds.
    pub updated_at: i64,
    /// UTC milliseconds.
    pub last_message_at: Option<i64>,
}

/// The running system. Cheap to clone.
#[derive(Clone)]
pub struct Runtime {
    shared: Arc<Shared>,
}

impl Runtime {
    /// Makes a runtime. Call [`Runtime::recover`] once surfaces are bound.
    #[must_use]
    pub fn new(options: RuntimeOptions) -> Self {
        Self { shared: Arc::new(Shared::new(options)) }
    }

    /// Takes up what another process left unfinished.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn recover(&self) -> Result<(), RuntimeError> {
        let mut last = None;
        for turn in self.shared.store.unfinished_turns().await? {
            if last.replace(turn.session_id) != Some(turn.session_id) {
                // Making the handle starts the session's actor, which takes up its own work.
                self.handle(turn.session_id).await?;
            }
        }
        // Steer messages whose turn ended before they joined it.
        for session_id in self.shared.store.sessions_with_queued_work().await? {
            self.handle(session_id).await?;
        }
        Ok(())
    }

    /// Identity of this process, so that clients notice a restart.
    #[must_use]
    pub fn boot_id(&self) -> Uuid {
        self.shared.boot_id
    }

    /// The database, for reads.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.shared.store
    }

    /// The settings.
    #[must_use]
    pub fn config(&self) -> &ConfigStore {
        &self.shared.config
    }

    /// What a person should look at in the settings.
    #[must_use]
    pub fn config_warnings(&self) -> Vec<ConfigWarning> {
        let tools: Vec<&str> = self.shared.table.iter().map(|tool| tool.name.as_str()).collect();
        let mut warnings = self.shared.config.warnings();
        warnings.extend(unknown_tools(&self.shared.config.current().permissions, &tools));
        warnings
    }

    /// Model providers.
    #[must_use]
    pub fn models(&self) -> &Models {
        &self.shared.models
    }

    /// Time.
    #[must_use]
    pub fn now(&self) -> i64 {
        self.shared.clock.now()
    }

    /// Counts up whenever the list of sessions changed.
    #[must_use]
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.shared.changes.subscribe()
    }

    /// Makes a session.
    ///
    /// # Errors
    /// When a named preset or workspace does not exist, or the database refuses.
    pub async fn create_session(&self, mut new: NewSession) -> Result<SessionView, RuntimeError> {
        self.shared.check_new(&mut new)?;
        let at = self.now();
        let title = new.title.map(|title| nanobot_engine::text::one_line(&title, 200)).unwrap_or_default();
        let record = SessionRecord {
            id: new.id.unwrap_or_else(|| SessionId(Uuid::now_v7())),
            title_source: if title.is_empty() { TitleSource::None } else { TitleSource::User },
            title,
            preset: new.preset,
            workspace: new.workspace,
            access: None,
            pinned: false,
            active_message_id: None,
            forked_from: None,
            forked_at_seq: None,
            reserved_seq: SEQ_BLOCK,
            last_event_seq: 0,
            running_turn_id: None,
            running_state: None,
            created_at: at,
            updated_at: at,
            last_message_at: None,
            deleted_at: None,
        };
        self.shared.store.create_session(&record).await?;
        self.shared.insert_fresh(&self.shared, record.clone());
        self.shared.note_change();
        Ok(self.shared.view(record))
    }

    /// A session.
    ///
    /// # Errors
    /// `NoSession` when it does not exist.
    pub async fn session(&self, id: SessionId) -> Result<SessionView, RuntimeError> {
        let record = self.shared.store.session(id).await?.ok_or(RuntimeError::NoSession(id))?;
        Ok(self.shared.view(record))
    }

    /// A session's record as the protocol shows it.
    #[must_use]
    pub fn view(&self, record: SessionRecord) -> SessionView {
        self.shared.view(record)
    }

    /// Accepts a message. When this answers, the message is stored.
    ///
    /// # Errors
    /// When the message is refused; then nothing of it is stored.
    pub async fn submit(&self, inbound: Inbound) -> Result<Accepted, RuntimeError> {
        let (reply, answer) = oneshot::channel();
        self.ask(inbound.session_id, Command::Submit(Box::new(inbound), reply), answer).await?
    }

    /// Stops the running turn. Answers whether there was one.
    ///
    /// # Errors
    /// `NoSession` when the session does not exist.
    pub async fn stop(&self, session_id: SessionId) -> Result<bool, RuntimeError> {
        let (reply, answer) = oneshot::channel();
        self.ask(session_id, Command::Stop(reply), answer).await
    }

    /// Asks the request of a turn again, as a sibling of it.
    ///
    /// # Errors
    /// When the turn does not exist or had no request.
    pub async fn retry(
        &self,
        turn_id: TurnId,
        client_message_id: Option<String>,
    ) -> Result<(SessionId, Accepted), RuntimeError> {
        let turn = self.shared.store.turn(turn_id).await?.ok_or(RuntimeError::NotFound("turn"))?;
        let row = match turn.user_message_id {
            Some(id) => self.shared.store.message(id).await?.map(|(_, row)| row),
            None => None,
        };
        let row = row.ok_or(RuntimeError::NotFound("request of this turn; it has not started yet"))?;
        let accepted = self
            .submit(Inbound {
                session_id: turn.session_id,
                content: row.message.text(),
                attachments: Vec::new(),
                mode: WorkMode::Auto,
                origin: turn.origin,
                // The session's present one: people choose another model and try again.
                preset: None,
                parent_message_id: Some(row.parent_id),
                client_message_id,
            })
            .await?;
        Ok((turn.session_id, accepted))
    }

    /// Copies a branch up to `at_seq` into a new session, which gets the wanted id if there is one.
    ///
    /// # Errors
    /// When the session does not exist, or another one has the wanted id.
    pub async fn fork(
        &self,
        session_id: SessionId,
        at_seq: u64,
        id: Option<SessionId>,
    ) -> Result<SessionView, RuntimeError> {
        let from = self.shared.store.session(session_id).await?.ok_or(RuntimeError::NoSession(session_id))?;
        let at = self.now();
        let record = SessionRecord {
            id: id.unwrap_or_else(|| SessionId(Uuid::now_v7())),
            title: if from.title.is_empty() { String::new() } else { format!("{} (fork)", from.title) },
            forked_from: Some(session_id),
            forked_at_seq: Some(at_seq),
            reserved_seq: 0,
            last_event_seq: 0,
            active_message_id: None,
            running_turn_id: None,
            running_state: None,
            pinned: false,
            created_at: at,
            updated_at: at,
            last_message_at: None,
            ..from
        };
        self.shared.store.fork_session(session_id, at_seq, &record).await?;
        self.shared.note_change();
        self.session(record.id).await
    }

    /// Changes title, preset, active branch, …
    ///
    /// # Errors
    /// When a value is refused.
    pub async fn patch_session(&self, id: SessionId, patch: SessionPatch) -> Result<SessionView, RuntimeError> {
        let (reply, answer) = oneshot::channel();
        let record = self.ask(id, Command::Patch(patch, reply), answer).await??;
        Ok(self.shared.view(record))
    }

    /// Stops a session's work and deletes it; [`Runtime::restore_session`] undoes that for a while.
    ///
    /// # Errors
    /// `NoSession` when it does not exist.
    pub async fn delete_session(&self, id: SessionId) -> Result<(), RuntimeError> {
        let (reply, answer) = oneshot::channel();
        self.ask(id, Command::Delete(reply), answer).await?
    }

    /// Undoes a deletion.
    ///
    /// # Errors
    /// When there is nothing to restore.
    pub async fn restore_session(&self, id: SessionId) -> Result<SessionView, RuntimeError> {
        self.shared.store.restore_session(id).await?;
        self.shared.note_change();
        self.session(id).await
    }

    /// Begins to read a session's events after `after_seq`.
    ///
    /// # Errors
    /// `NoSession` when it does not exist.
    pub async fn attach(&self, id: SessionId, after_seq: u64) -> Result<Attached, RuntimeError> {
        let handle = self.handle(id).await?;
        feed::attach(&self.shared.store, id, &handle, after_seq).await
    }

    /// Head of the log and the events shown but not stored yet, for reads that have to agree with the live view.
    pub(crate) async fn snapshot(
        &self,
        id: SessionId,
    ) -> Result<(u64, Vec<Arc<nanobot_engine::event::Event>>), RuntimeError> {
        Ok(self.handle(id).await?.log.snapshot())
    }

    /// Parks running turns, stores what is in memory and closes the database.
    pub async fn shutdown(&self) {
        self.shared.shutdown.cancel();
        self.shared.actors.close();
        self.shared.actors.wait().await;
        self.shared.hook_tasks.close();
        self.shared.hook_tasks.wait().await;
        self.shared.store.close().await;
    }

    /// Sends a command that answers by another way.
    pub(crate) async fn tell(&self, session_id: SessionId, command: Command) -> Result<(), RuntimeError> {
        let handle = self.handle(session_id).await?;
        handle.mailbox.send(command).await.map_err(|_| self.gone(session_id))
    }

    /// Held while rules are read and written.
    pub(crate) async fn rules_change(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.shared.rules_change.lock().await
    }

    async fn ask<T>(
        &self,
        session_id: SessionId,
        command: Command,
        answer: oneshot::Receiver<T>,
    ) -> Result<T, RuntimeError> {
        let handle = self.handle(session_id).await?;
        handle.mailbox.send(command).await.map_err(|_| self.gone(session_id))?;
        answer.await.map_err(|_| self.gone(session_id))
    }

    fn gone(&self, session_id: SessionId) -> RuntimeError {
        if self.shared.shutdown.is_cancelled() {
            RuntimeError::ShuttingDown
        } else {
            RuntimeError::NoSession(session_id)
        }
    }

    async fn handle(&self, id: SessionId) -> Result<Arc<SessionHandle>, RuntimeError> {
        if let Some(handle) = self.shared.known(id) {
            return Ok(handle);
        }
        if self.shared.shutdown.is_cancelled() {
            return Err(RuntimeError::ShuttingDown);
        }
        let record = self.shared.store.session(id).await?.ok_or(RuntimeError::NoSession(id))?;
        Ok(self.shared.insert_known(&self.shared, record))
    }
}
