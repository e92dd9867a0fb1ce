//! The writes that a step is made of. A step is committed whole or not at all.

use std::sync::Arc;

use nanobot_engine::event::{StopReason, TurnError};
use nanobot_engine::id::{ApprovalId, MessageId, TurnId};
use nanobot_engine::message::Row;
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use uuid::Uuid;

use crate::approval::{ApprovalAnswer, ApprovalRecord};
use crate::audit::AuditEntry;
use crate::call::CallRecord;
use crate::event::StoredEvent;
use crate::journal::JournalEntry;
use crate::model_request::ModelRequestRecord;
use crate::session::TitleSource;
use crate::turn::TurnRecord;
use crate::work::{WorkItem, WorkState};

/// One write of a step; see [`Store::commit`](crate::Store::commit).
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Makes sure that no number up to `upto` is given out again after a restart.
    ReserveSeq {
        /// The highest number of the reserved block.
        upto: u64,
    },
    /// Adds a row to the session's tree.
    InsertMessage(Box<Row>),
    /// Moves the end of the active branch.
    SetActive {
        /// Its last row.
        message_id: MessageId,
    },
    /// Moves the session to the top of the list.
    TouchSession {
        /// UTC milliseconds.
        at: i64,
    },
    /// Names the session.
    SetTitle {
        /// The name.
        title: String,
        /// Who made it.
        source: TitleSource,
        /// Leaves a name alone that a person gave.
        only_if_not_user: bool,
    },
    /// Accepts a turn.
    InsertTurn(Box<TurnRecord>),
    /// Queued → running. A conflict when another turn of the session runs; not found when it is not queued.
    StartTurn {
        /// The turn.
        turn_id: TurnId,
        /// Number of its `turn_started` event.
        started_seq: u64,
        /// UTC milliseconds.
        at: i64,
        /// The process that runs it.
        boot_id: Uuid,
        /// Row of its request.
        user_message_id: MessageId,
        /// Preset in use.
        preset: String,
        /// Model in use.
        model: String,
    },
    /// Stores the state of a running turn.
    Checkpoint {
        /// The turn.
        turn_id: TurnId,
        /// The machine, serialised.
        checkpoint: String,
    },
    /// Moves an unfinished turn between running, awaiting an approval and parked. Not found when it is none of them.
    SetTurnState {
        /// The turn.
        turn_id: TurnId,
        /// What it does from now on.
        state: TurnStatus,
    },
    /// Takes an unfinished turn up again.
    ResumeTurn {
        /// The turn.
        turn_id: TurnId,
        /// What it does from now on: running, or still waiting.
        state: TurnStatus,
        /// The process that runs it now.
        boot_id: Uuid,
        /// Resumptions so far, this one included.
        attempts: u32,
    },
    /// Ends a turn and drops its checkpoint; its approvals that still wait are cancelled.
    FinishTurn {
        /// The turn.
        turn_id: TurnId,
        /// Its last state.
        state: TurnStatus,
        /// Why it ended.
        stop_reason: StopReason,
        /// What went wrong.
        error: Option<TurnError>,
        /// Tokens of the whole turn.
        usage: Usage,
        /// Number of its last event.
        ended_seq: u64,
        /// UTC milliseconds.
        at: i64,
    },
    /// Adds a call to the ledger or replaces what is known of it.
    UpsertCall(Box<CallRecord>),
    /// Adds a request to a model. A conflict when it was added before.
    ModelRequest(Box<ModelRequestRecord>),
    /// Adds to the journal of a turn.
    Journal(Box<JournalEntry>),
    /// Keeps a text that requests of the session share, once each.
    KeepBody {
        /// SHA-256 of the text, in hex.
        hash: String,
        /// The text.
        body: Arc<str>,
    },
    /// Adds events.
    AppendEvents(Vec<StoredEvent>),
    /// Asks a person. It is pending, whatever the record says of a decision. Not found when the turn is not the session's.
    RequestApproval(Box<ApprovalRecord>),
    /// Answers a pending approval. A conflict, and nothing is changed, when it is not pending any more or `answer.at` is not
    /// before its `expires_at`; not found when the session has none of this id.
    ResolveApproval {
        /// The approval.
        id: ApprovalId,
        /// What the person decided.
        answer: Box<ApprovalAnswer>,
    },
    /// Ends an approval that nobody answered in time; nothing happens when it is not pending.
    ExpireApproval {
        /// The approval.
        id: ApprovalId,
        /// UTC milliseconds.
        at: i64,
    },
    /// Takes back the pending approvals of a turn, because it goes another way.
    CancelApprovals {
        /// The turn.
        turn_id: TurnId,
        /// UTC milliseconds.
        at: i64,
    },
    /// Adds a row to the audit log; see [`AuditEntry`].
    Audit(Box<AuditEntry>),
    /// Accepts a message.
    InsertWork(Box<WorkItem>),
    /// Moves an accepted message on.
    SetWorkState {
        /// The item.
        id: Uuid,
        /// Its new state.
        state: WorkState,
        /// The turn that works it.
        turn_id: TurnId,
    },
}
