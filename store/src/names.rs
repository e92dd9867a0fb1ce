//! How enums are named in columns: fixed words, so that renaming a variant never changes a stored file.

use nanobot_engine::approval::{ApprovalDecision, ApprovalKind};
use nanobot_engine::event::StopReason;
use nanobot_engine::message::{Origin, Role};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::TurnStatus;

use crate::approval::ApprovalState;
use crate::audit::AuditKind;
use crate::session::TitleSource;
use crate::work::{Follows, WorkMode, WorkState};

/// An enum that is stored as a word.
pub(crate) trait Named: Sized {
    /// The stored word.
    fn word(&self) -> &'static str;
    /// The variant of a stored word.
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! named {
    ($type:ident { $($variant:ident => $word:literal),+ $(,)? }) => {
        impl Named for $type {
            fn word(&self) -> &'static str {
                match self {
                    $(Self::$variant => $word),+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some(Self::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

named!(Role { User => "user", Assistant => "assistant", Tool => "tool", Notice => "notice" });
named!(Origin {
    User => "user",
    Model => "model",
    Tool => "tool",
    Cron => "cron",
    Trigger => "trigger",
    Subagent => "subagent",
    Heartbeat => "heartbeat",
    Goal => "goal",
    Recovery => "recovery",
});
named!(TurnStatus {
    Queued => "queued",
    Running => "running",
    AwaitingApproval => "awaiting_approval",
    Parked => "parked",
    Done => "done",
    Failed => "failed",
    Cancelled => "cancelled",
    Interrupted => "interrupted",
});
named!(StopReason {
    Completed => "completed",
    MaxIterations => "max_iterations",
    Budget => "budget",
    Loop => "loop",
    Error => "error",
    ToolError => "tool_error",
    EmptyFinalResponse => "empty_final_response",
    Cancelled => "cancelled",
    Interrupted => "interrupted",
});
named!(CallStatus {
    Intended => "intended",
    Running => "running",
    Waiting => "waiting",
    Ok => "ok",
    Error => "error",
    Denied => "denied",
    Cancelled => "cancelled",
    Unknown => "unknown",
});
named!(TitleSource { None => "none", FirstWords => "first_words", Model => "model", User => "user" });
named!(Follows { Active => "active", Root => "root", Message => "message" });
named!(WorkMode { Auto => "auto", Steer => "steer", Queue => "queue" });
named!(WorkState {
    Queued => "queued",
    Claimed => "claimed",
    Injected => "injected",
    Done => "done",
    Cancelled => "cancelled",
});
named!(ApprovalKind { Tool => "tool", Budget => "budget", Input => "input" });
named!(ApprovalState {
    Pending => "pending",
    Allowed => "allowed",
    Denied => "denied",
    Expired => "expired",
    Cancelled => "cancelled",
});
named!(ApprovalDecision {
    AllowOnce => "allow_once",
    AllowSession => "allow_session",
    AllowAlways => "allow_always",
    Deny => "deny",
});
named!(AuditKind {
    Login => "login",
    LoginFailed => "login_failed",
    LoginsFailed => "logins_failed",
    TokenCreated => "token_created",
    TokenRevoked => "token_revoked",
    SettingsChanged => "settings_changed",
    ApprovalRequested => "approval_requested",
    ApprovalResolved => "approval_resolved",
    PermissionDecided => "permission_decided",
});
