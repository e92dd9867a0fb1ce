//! All SQL of nanobot: sessions, messages, turns, the tool ledger, approvals, requests to models, events, work items,
//! the audit log and search.
//!
//! Begin with [`Store`]: [`Store::commit`] writes one step of a session in one transaction; everything else reads, or
//! changes one thing.

mod approval;
mod audit;
mod audit_chain;
mod batch;
mod call;
mod commit;
mod decode;
mod encode;
mod error;
mod event;
mod file;
mod fork;
mod idempotency;
mod inspect;
mod journal;
mod matching;
mod message;
mod migrate;
mod model_request;
mod names;
mod op;
mod page;
mod search;
mod session;
mod spend;
mod store;
mod token;
mod turn;
mod usage;
mod work;
mod writer;

pub use approval::{ApprovalAnswer, ApprovalRecord, ApprovalState};
pub use audit::{AuditEntry, AuditKind, AuditRow};
pub use audit_chain::{AuditFault, AuditReport};
pub use call::CallRecord;
pub use error::{StoreError, conflict};
pub use event::{Piece, StoredEvent};
pub use idempotency::IdempotencyRecord;
pub use inspect::Inspection;
pub use journal::JournalEntry;
pub use model_request::ModelRequestRecord;
pub use op::Op;
pub use page::Page;
pub use search::{MessageHit, SessionHit};
pub use session::{ListSessions, SessionPatch, SessionRecord, TitleSource};
pub use spend::{Spend, SpendOf};
pub use store::Store;
pub use token::{LoginRecord, TokenRecord};
pub use turn::TurnRecord;
pub use usage::{UsageBy, UsageGroup, UsageKey, UsageReport, UsageSums};
pub use work::{WorkItem, WorkMode, WorkState};
