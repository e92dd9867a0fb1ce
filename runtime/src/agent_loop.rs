//! `AgentLoop`: the actor of one session. It accepts messages, claims work, runs one turn at a time, and takes up what
//! a crash left behind. Everything that changes the session goes through its mailbox, so decisions need no lock.

mod accept;
mod closing;
mod recover;
mod start;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use nanobot_engine::event::{EventBody, SessionState, StopReason};
use nanobot_engine::govern::Decisions;
use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::Row;
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{Op, SessionPatch, SessionRecord, Store, StoreError, TitleSource, TurnRecord, WorkItem};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::error::RuntimeError;
use crate::event_log::{EventLog, Status};
use crate::permissions::{Standing, access_of};
use crate::runner::{Answering, Kept, RunEnded, RunReport, SteerQueue, closed};
use crate::runtime::{Accepted, Inbound, Shared};

/// Commands that may wait in a session's mailbox; senders wait when it is full.
const MAILBOX: usize = 64;
/// An idle session forgets its rows after this time.
const FORGET_AFTER: Duration = Duration::from_secs(60);
/// How long after a failure of the store the session tries to go on.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Messages that may wait in a session.
const MAX_QUEUED: usize = 100;

/// What can be asked of a session.
pub(crate) enum Command {
    /// Accept a message.
    Submit(Box<Inbound>, oneshot::Sender<Result<Accepted, RuntimeError>>),
    /// Stop the running turn; answers whether there was one.
    Stop(oneshot::Sender<bool>),
    /// Answer a question of the running turn.
    Answer(Box<Answering>),
    /// Change title, preset, active branch, …
    Patch(SessionPatch, oneshot::Sender<Result<SessionRecord, RuntimeError>>),
    /// Stop everything and delete the session.
    Delete(oneshot::Sender<Result<(), RuntimeError>>),
}

/// The way to a session: its log, which also knows what it is doing, and its mailbox.
pub(crate) struct SessionHandle {
    pub(crate) log: Arc<EventLog>,
    pub(crate) mailbox: mpsc::Sender<Command>,
}

/// The turn at work.
struct Running {
    turn_id: TurnId,
    accepted_at: i64,
    work_id: Option<uuid::Uuid>,
    stop: CancellationToken,
    steer: Arc<SteerQueue>,
    answers: mpsc::Sender<Answering>,
}

/// The actor of one session.
pub(crate) struct AgentLoop {
    shared: Arc<Shared>,
    session: SessionRecord,
    log: Arc<EventLog>,
    mailbox: mpsc::Receiver<Command>,
    /// Rows of the active branch, when they are loaded and no turn has them.
    rows: Option<Vec<Arc<Row>>>,
    /// What governance decided about them; rows of other branches are not touched by it.
    decisions: Decisions,
    /// What may be done without asking.
    standing: Arc<Standing>,
    /// Texts of requests that the session has kept.
    kept: Arc<Kept>,
    queue: VecDeque<WorkItem>,
    running: Option<Running>,
    turns: JoinSet<RunReport>,
    /// Queued messages that Stop took back; they end with the running turn.
    taken_back: Vec<WorkItem>,
    /// Steer messages that missed their turn and still need one of their own.
    late: VecDeque<WorkItem>,
    /// A turn that could not be closed because the store failed.
    unclosed: Option<(TurnId, Option<uuid::Uuid>)>,
    /// False until the work of a former process was taken up.
    recovered: bool,
    parked: bool,
}

impl AgentLoop {
    /// Starts the actor of a session.
    pub(crate) fn spawn(shared: Arc<Shared>, session: SessionRecord, fresh: bool) -> SessionHandle {
        let (sender, mailbox) = mpsc::channel(MAILBOX);
        let log = Arc::new(EventLog::new(
            session.id,
            shared.store.clone(),
            session.reserved_seq,
            session.last_event_seq,
            fresh,
        ));
        log.set_status(Status { state: state_of(&session), turn_id: session.running_turn_id });
        let standing = Arc::new(Standing::default());
        standing.set_access(access_of(session.access.as_deref()));
        let actor = Self {
            shared: Arc::clone(&shared),
            session,
            log: Arc::clone(&log),
            mailbox,
            rows: fresh.then(Vec::new),
            decisions: Decisions::default(),
            standing,
            kept: Arc::default(),
            queue: VecDeque::new(),
            running: None,
            turns: JoinSet::new(),
            taken_back: Vec::new(),
            late: VecDeque::new(),
            unclosed: None,
            recovered: fresh,
            parked: false,
        };
        shared.actors.spawn(actor.run());
        SessionHandle { log, mailbox: sender }
    }

    async fn run(mut self) {
        if !self.recovered {
            match self.shared.store.session_allowances(self.session.id).await {
                Ok(allowed) => self.standing.set(access_of(self.session.access.as_deref()), allowed),
                Err(error) => {
                    tracing::warn!(session = %self.session.id, %error, "what was allowed for the session is not known; it is asked again");
                }
            }
        }
        self.catch_up_later().await;
        let shutdown = self.shared.shutdown.clone();
        loop {
            let idle = self.running.is_none();
            if shutdown.is_cancelled() && idle {
                break;
            }
            tokio::select! {
                Some(joined) = self.turns.join_next(), if !self.turns.is_empty() => self.turn_ended(joined).await,
                command = self.mailbox.recv() => match command {
                    Some(command) => {
                        if self.handle(command).await {
                            break;
                        }
                    }
                    None => break,
                },
                () = shutdown.cancelled(), if idle => {}
                () = tokio::time::sleep(RETRY_AFTER), if self.is_behind() => self.catch_up_later().await,
                () = tokio::time::sleep(FORGET_AFTER), if idle && self.rows.is_some() => self.rows = None,
            }
        }
    }

    /// Returns true when the session is gone.
    async fn handle(&mut self, command: Command) -> bool {
        match command {
            Command::Submit(inbound, reply) => {
                let accepted = self.submit(*inbound).await;
                // A caller that went away still has its message stored.
                let _ = reply.send(accepted);
            }
            Command::Stop(reply) => {
                let _ = reply.send(self.stop());
            }
            Command::Answer(answering) => self.answer(*answering).await,
            Command::Patch(patch, reply) => {
                let patched = self.patch(patch).await;
                let _ = reply.send(patched);
            }
            Command::Delete(reply) => {
                let deleted = self.delete().await;
                let gone = deleted.is_ok();
                let _ = reply.send(deleted);
                return gone;
            }
        }
        false
    }

    fn now(&self) -> i64 {
        self.shared.clock.now()
    }

    fn set_status(&self, state: SessionState, turn_id: Option<TurnId>) {
        self.log.set_status(Status { state, turn_id });
        self.shared.note_change();
    }

    /// Hands an answer to the turn that waits for it.
    async fn answer(&mut self, answering: Answering) {
        let turn_id = answering.approval.turn_id;
        let refused = match self.running.as_ref().filter(|running| running.turn_id == turn_id) {
            Some(running) => running.answers.try_send(answering).map_err(TrySendError::into_inner).err(),
            None => Some(answering),
        };
        if let Some(answering) = refused {
            let _ = answering.reply.send(Err(closed("its turn does not wait for it")));
        }
    }

    /// Stops the running turn. Messages that wait are taken back: they stay in the session, unanswered, and can be retried.
    fn stop(&mut self) -> bool {
        let Some(running) = &self.running else { return false };
        running.stop.cancel();
        self.taken_back.extend(self.queue.drain(..));
        true
    }

    async fn patch(&mut self, mut patch: SessionPatch) -> Result<SessionRecord, RuntimeError> {
        if let Some(message_id) = patch.active_message_id {
            if self.running.is_some() {
                return Err(RuntimeError::Conflict {
                    code: "turn_running",
                    detail: "a turn is running; stop it or wait before you switch to another branch".to_owned(),
                });
            }
            let known = self.shared.store.message(message_id).await?;
            if known.is_none_or(|(session_id, _)| session_id != self.session.id) {
                return Err(RuntimeError::NotFound("message in this session"));
            }
            let leaf = self.shared.store.newest_leaf_below(self.session.id, message_id).await?;
            patch.active_message_id = Some(leaf);
        }
        if let Some(Some(preset)) = &mut patch.preset {
            *preset = self.shared.preset_name(preset)?;
        }
        let body = EventBody::SessionUpdated {
            title: patch.title.clone(),
            preset: patch.preset.clone().map(Option::unwrap_or_default),
            state: None,
            access: patch.access.clone().map(Option::unwrap_or_default),
            active_message_id: patch.active_message_id,
            pinned: patch.pinned,
        };
        let access = patch.access.clone();
        let record = self.shared.store.patch_session(self.session.id, patch).await?;
        if record.active_message_id != self.session.active_message_id && self.running.is_none() {
            self.rows = None;
        }
        if let Some(access) = access {
            self.standing.set_access(access_of(access.as_deref()));
        }
        self.session = record.clone();
        let at = self.now();
        self.log.commit(Vec::new(), None, at, vec![body]).await?;
        self.shared.note_change();
        Ok(record)
    }

    async fn delete(&mut self) -> Result<(), RuntimeError> {
        // A turn that ends by itself at this moment may start the next one.
        while let Some(running) = &self.running {
            running.stop.cancel();
            // Restored, the session shows what waited, but runs none of it.
            self.taken_back.extend(self.queue.drain(..));
            let Some(joined) = self.turns.join_next().await else { break };
            self.turn_ended(joined).await;
        }
        self.shared.store.delete_session(self.session.id, self.now()).await?;
        self.shared.forget(self.session.id);
        self.log.close();
        self.shared.note_change();
        Ok(())
    }

    async fn turn_ended(&mut self, mut joined: Result<RunReport, tokio::task::JoinError>) {
        let Some(running) = self.running.take() else { return };
        let mut leftover = running.steer.take();
        if let Ok(report) = &mut joined {
            leftover.extend(report.steering.drain(..));
            self.decisions = std::mem::take(&mut report.decisions);
        }
        match joined {
            Ok(RunReport { ended: RunEnded::Finished(ending), rows, .. }) => {
                self.session.active_message_id = rows.last().map(|row| row.id);
                self.rows = Some(rows);
                self.set_status(SessionState::Idle, None);
                self.name_session().await;
                if ending.stop_reason == StopReason::Cancelled {
                    self.taken_back.extend(leftover);
                } else {
                    self.late.extend(leftover);
                }
            }
            Ok(RunReport { ended: RunEnded::Parked, .. }) => {
                self.parked = true;
                return;
            }
            Ok(RunReport { ended: RunEnded::StoreFailed(error), .. }) => {
                tracing::error!(session = %self.session.id, turn = %running.turn_id, %error, "a turn could not be stored");
                self.keep(&running, leftover);
                self.give_up(&running, "storage", &error.to_string()).await;
            }
            Err(error) => {
                tracing::error!(session = %self.session.id, turn = %running.turn_id, %error, "a turn broke");
                self.keep(&running, leftover);
                self.give_up(&running, "internal", "the turn failed inside; this is a bug. Use Retry.").await;
            }
        }
        if self.unclosed.is_none() {
            self.end_taken_back().await;
            self.requeue().await;
            self.start_next().await;
        }
    }

    /// Messages that wanted to join a turn which broke: taken back when Stop was pressed, else they get a turn.
    fn keep(&mut self, running: &Running, leftover: VecDeque<WorkItem>) {
        if running.stop.is_cancelled() {
            self.taken_back.extend(leftover);
        } else {
            self.late.extend(leftover);
        }
    }

    /// Is there work that only a failure of the store keeps waiting?
    fn is_behind(&self) -> bool {
        let settled = self.recovered
            && self.unclosed.is_none()
            && self.taken_back.is_empty()
            && self.late.is_empty()
            && self.queue.is_empty();
        self.running.is_none() && !self.parked && !settled
    }

    /// Goes on with what a failure of the store, or the end of a former process, left behind.
    async fn catch_up(&mut self) -> Result<(), RuntimeError> {
        if !self.is_behind() {
            return Ok(());
        }
        if !self.recovered {
            self.recover().await?;
            self.recovered = true;
        }
        self.close_unclosed().await?;
        self.end_taken_back().await;
        self.requeue().await;
        self.start_next().await;
        Ok(())
    }

    async fn catch_up_later(&mut self) {
        if let Err(error) = self.catch_up().await {
            tracing::error!(session = %self.session.id, %error, "unfinished work of a session has to wait");
        }
    }

    /// After the first turn the session gets a name, unless a person gave one.
    async fn name_session(&mut self) {
        if !self.session.title.is_empty() {
            return;
        }
        let first = self.rows.as_ref().and_then(|rows| rows.first());
        let title = first.map(|row| crate::title::first_words(&row.message.text())).unwrap_or_default();
        if title.is_empty() {
            return;
        }
        let op = Op::SetTitle { title: title.clone(), source: TitleSource::FirstWords, only_if_not_user: true };
        let body = EventBody::SessionUpdated {
            title: Some(title.clone()),
            preset: None,
            state: None,
            access: None,
            active_message_id: None,
            pinned: None,
        };
        match self.log.commit(vec![op], None, self.now(), vec![body]).await {
            Ok(_) => {
                self.session.title = title;
                self.session.title_source = TitleSource::FirstWords;
                self.shared.note_change();
            }
            Err(error) => tracing::warn!(session = %self.session.id, %error, "a session could not be named"),
        }
    }

    /// Steer messages that came too late for the turn get a turn of their own.
    async fn requeue(&mut self) {
        while let Some(item) = self.late.pop_back() {
            match self.store_queued(item.clone()).await {
                Ok(item) => self.queue.push_front(item),
                Err(error) => {
                    tracing::error!(session = %self.session.id, %error, "a message that waits could not be queued");
                    self.late.push_back(item);
                    return;
                }
            }
        }
    }

    /// Messages that Stop took back become turns that were cancelled: kept, seen by the model later, and retryable.
    async fn end_taken_back(&mut self) {
        for item in std::mem::take(&mut self.taken_back) {
            if let Err(error) = self.cancel_queued(item.clone()).await {
                tracing::error!(session = %self.session.id, %error, "a message that Stop took back could not be stored");
                self.taken_back.push(item);
            }
        }
    }

    async fn start_next(&mut self) {
        while self.running.is_none() && !self.shared.shutdown.is_cancelled() {
            let Some(item) = self.queue.pop_front() else { return };
            if let Err(error) = self.start_queued(item.clone()).await {
                tracing::error!(session = %self.session.id, %error, "a queued message could not be started");
                self.queue.push_front(item);
                return;
            }
        }
    }

    fn leaf(&self) -> Option<MessageId> {
        self.session.active_message_id
    }
}

/// What a session is doing, as far as the store knows.
pub(crate) fn state_of(session: &SessionRecord) -> SessionState {
    match (session.running_turn_id, session.running_state) {
        (None, _) => SessionState::Idle,
        (Some(_), Some(TurnStatus::AwaitingApproval)) => SessionState::AwaitingApproval,
        (Some(_), Some(TurnStatus::Parked)) => SessionState::Parked,
        (Some(_), _) => SessionState::Running,
    }
}

/// A turn that was accepted and not started.
fn queued_record(item: &WorkItem, parent: Option<MessageId>) -> TurnRecord {
    TurnRecord {
        id: item.turn_id,
        session_id: item.session_id,
        seq: item.seq,
        state: TurnStatus::Queued,
        origin: item.origin,
        preset: item.preset.clone().unwrap_or_default(),
        model: String::new(),
        user_message_id: None,
        parent_message_id: parent,
        stop_reason: None,
        error: None,
        usage: None,
        checkpoint: None,
        resume_attempts: 0,
        boot_id: None,
        started_seq: None,
        ended_seq: None,
        created_at: item.created_at,
        started_at: None,
        ended_at: None,
    }
}

/// The rows up to `leaf`, shared.
async fn load_rows(store: &Store, session_id: SessionId, leaf: Option<MessageId>) -> Result<Vec<Arc<Row>>, StoreError> {
    match leaf {
        None => Ok(Vec::new()),
        Some(leaf) => Ok(store.branch_rows(session_id, leaf).await?.into_iter().map(Arc::new).collect()),
    }
}
