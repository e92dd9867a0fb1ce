//! A database in a folder of its own, and short ways to make what goes into it.

use std::path::PathBuf;

use nanobot_engine::approval::ApprovalKind;
use nanobot_engine::event::EventBody;
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::message::{Message, Origin, Role, Row};
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{
    ApprovalRecord, ApprovalState, JournalEntry, ModelRequestRecord, Op, SessionRecord, Store, StoredEvent,
    TitleSource, TurnRecord, WorkItem, WorkMode, WorkState,
};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) struct Kit {
    pub(crate) store: Store,
    pub(crate) folder: TempDir,
}

impl Kit {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("nanobot.db")).await.unwrap();
        Self { store, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("nanobot.db")
    }

    /// A connection that goes past the store.
    pub(crate) async fn raw(&self) -> sqlx::SqliteConnection {
        use sqlx::ConnectOptions as _;
        sqlx::sqlite::SqliteConnectOptions::new().filename(self.path()).connect().await.unwrap()
    }

    pub(crate) async fn session(&self) -> SessionId {
        self.titled("", 1_000).await
    }

    pub(crate) async fn titled(&self, title: &str, at: i64) -> SessionId {
        let record = session_record(title, at);
        self.store.create_session(&record).await.unwrap();
        record.id
    }

    pub(crate) async fn commit(&self, session: SessionId, ops: Vec<Op>) {
        self.store.commit(session, ops).await.unwrap();
    }

    /// Adds a row and gives its id.
    pub(crate) async fn row(
        &self,
        session: SessionId,
        seq: u64,
        parent: Option<MessageId>,
        role: Role,
        text: &str,
    ) -> MessageId {
        let row = row(seq, parent, role, text);
        let id = row.id;
        self.commit(session, vec![Op::InsertMessage(Box::new(row))]).await;
        id
    }
}

pub(crate) fn session_record(title: &str, at: i64) -> SessionRecord {
    SessionRecord {
        id: SessionId(Uuid::now_v7()),
        title: title.to_owned(),
        title_source: if title.is_empty() { TitleSource::None } else { TitleSource::FirstWords },
        preset: None,
        workspace: None,
        access: None,
        pinned: false,
        active_message_id: None,
        forked_from: None,
        forked_at_seq: None,
        reserved_seq: 0,
        last_event_seq: 0,
        running_turn_id: None,
        running_state: None,
        created_at: at,
        updated_at: at,
        last_message_at: None,
        deleted_at: None,
    }
}

pub(crate) fn row(seq: u64, parent_id: Option<MessageId>, role: Role, text: &str) -> Row {
    Row {
        id: MessageId(Uuid::now_v7()),
        seq,
        turn_id: TurnId(Uuid::now_v7()),
        parent_id,
        message: Message { role, ..Message::user(text) },
        context: None,
        interrupted: false,
        origin: Origin::User,
        client_message_id: None,
        created_at: 5_000,
    }
}

pub(crate) fn turn(session_id: SessionId, seq: u64) -> TurnRecord {
    TurnRecord {
        id: TurnId(Uuid::now_v7()),
        session_id,
        seq,
        state: TurnStatus::Queued,
        origin: Origin::User,
        preset: "default".to_owned(),
        model: "model".to_owned(),
        user_message_id: None,
        parent_message_id: None,
        stop_reason: None,
        error: None,
        usage: None,
        checkpoint: None,
        resume_attempts: 0,
        boot_id: None,
        started_seq: None,
        ended_seq: None,
        created_at: 5_000,
        started_at: None,
        ended_at: None,
    }
}

pub(crate) fn start(turn: &TurnRecord, started_seq: u64) -> Op {
    Op::StartTurn {
        turn_id: turn.id,
        started_seq,
        at: 6_000,
        boot_id: Uuid::nil(),
        user_message_id: MessageId(Uuid::now_v7()),
        preset: "fast".to_owned(),
        model: "small".to_owned(),
    }
}

pub(crate) fn work(session_id: SessionId, turn: &TurnRecord, client_message_id: Option<&str>) -> WorkItem {
    WorkItem {
        id: Uuid::now_v7(),
        session_id,
        message_id: MessageId(Uuid::now_v7()),
        turn_id: turn.id,
        client_message_id: client_message_id.map(str::to_owned),
        mode: WorkMode::Auto,
        origin: Origin::User,
        content: "do it".to_owned(),
        attachments: vec!["media".to_owned()],
        parent_message_id: None,
        preset: None,
        state: WorkState::Queued,
        seq: turn.seq,
        created_at: 5_000,
    }
}

/// A request that began at `at`, went well, and has a price.
pub(crate) fn model_request(session_id: SessionId, turn_id: TurnId, at: i64) -> ModelRequestRecord {
    ModelRequestRecord {
        id: Uuid::now_v7(),
        session_id,
        turn_id,
        preset: "default".to_owned(),
        provider: "mock".to_owned(),
        model: "small".to_owned(),
        iteration: 0,
        attempt: 1,
        started_at: at,
        duration_ms: 900,
        first_output_ms: Some(200),
        input_tokens: 100,
        cached_tokens: 40,
        output_tokens: 10,
        cost_usd: Some(0.25),
        estimated: false,
        outcome: "complete".to_owned(),
        ok: true,
        worked_ms: 1_500,
    }
}

/// A stretch of a turn with one request.
pub(crate) fn journal_entry(turn_id: TurnId) -> JournalEntry {
    JournalEntry {
        turn_id,
        request_id: Some(Uuid::now_v7()),
        recipe: Some("{\"messages\":3}".to_owned()),
        inputs: "[{\"entry\":\"asked\"}]".to_owned(),
    }
}

/// A pending question about a call, asked at `at`, for a minute.
pub(crate) fn approval(turn_id: TurnId, at: i64) -> ApprovalRecord {
    ApprovalRecord {
        id: ApprovalId(Uuid::now_v7()),
        session_id: SessionId(Uuid::nil()),
        turn_id,
        call_id: Some("call_1".to_owned()),
        kind: ApprovalKind::Tool,
        tool: "exec".to_owned(),
        arguments: serde_json::Map::from_iter([("command".to_owned(), "git push".into())]),
        hint: "git push".to_owned(),
        diff: None,
        reason: Some("git push* asks".to_owned()),
        requested_at: at,
        expires_at: at + 60_000,
        covers: Vec::new(),
        state: ApprovalState::Pending,
        decision: None,
        decided_by: None,
        decided_reason: None,
        decided_arguments: None,
        decided_at: None,
    }
}

pub(crate) fn event(seq: u64, turn_id: Option<TurnId>, body: EventBody) -> StoredEvent {
    StoredEvent { first_seq: seq, seq, turn_id, at: 7_000, body, pieces: Vec::new() }
}

pub(crate) fn delta(text: &str) -> EventBody {
    EventBody::Delta { stream_id: StreamId::new(1, 0), text: text.to_owned() }
}
