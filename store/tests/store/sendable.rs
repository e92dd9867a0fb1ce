//! Every call may be made from a spawned task.

use std::path::Path;

use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::Role;
use nanobot_store::{IdempotencyRecord, ListSessions, LoginRecord, SessionPatch, Store, UsageBy};
use uuid::Uuid;

use crate::kit::{Kit, row, session_record, turn};

fn sendable<T: Send>(future: T) {
    drop(future);
}

#[tokio::test]
async fn every_future_is_send() {
    let kit = Kit::new().await;
    let store = &kit.store;
    let (session, message, turn_id) = (SessionId(Uuid::nil()), MessageId(Uuid::nil()), TurnId(Uuid::nil()));
    let record = session_record("", 1);
    sendable(Store::open(Path::new("x")));
    sendable(store.close());
    sendable(store.ping());
    sendable(store.integrity_check());
    sendable(store.backup(Path::new("x")));
    sendable(store.commit(session, Vec::new()));
    sendable(store.create_session(&record));
    sendable(store.session(session));
    sendable(store.list_sessions(ListSessions::default()));
    sendable(store.patch_session(session, SessionPatch::default()));
    sendable(store.delete_session(session, 1));
    sendable(store.restore_session(session));
    sendable(store.purge_deleted(1));
    sendable(store.branch_rows(session, message));
    sendable(store.messages_page(session, None, None, None, 1));
    sendable(store.message(message));
    sendable(store.siblings(session, None));
    sendable(store.newest_leaf_below(session, message));
    sendable(store.branch_of(&row(1, None, Role::User, "")));
    sendable(store.turn(turn_id));
    sendable(store.unfinished_turns());
    sendable(store.branch_turns(session, message, None, 1));
    sendable(store.queued_turns(session));
    sendable(store.calls(turn_id));
    sendable(store.call_output(session, "x"));
    sendable(store.model_requests_of_turn(turn_id));
    sendable(store.usage(UsageBy::Day, &[1, 2], 1));
    sendable(store.events_after(session, 1, None, 1));
    sendable(store.turn_events(session, &turn(session, 1)));
    sendable(store.last_event_seq(session));
    sendable(store.count_events_after(session, 1));
    sendable(store.queued_work(session));
    sendable(store.work_by_client_id(session, "x"));
    sendable(store.work_of_turn(turn_id));
    sendable(store.index_pending(1));
    sendable(store.search_messages("x", 1));
    sendable(store.search_sessions("x", 1));
    sendable(store.fork_session(session, 1, &record));
    sendable(store.create_token("x", "x", &[], "x", 1));
    sendable(store.tokens());
    sendable(store.audit(nanobot_store::AuditEntry::new(nanobot_store::AuditKind::Login, "x", "x", 1)));
    sendable(store.verify_audit());
    sendable(store.pending_approvals());
    sendable(store.revoke_token("x", "x", 1));
    sendable(store.token_by_hash("x"));
    sendable(store.touch_token("x", 1));
    let login = LoginRecord { hash: String::new(), token_name: String::new(), created_at: 1, expires_at: 1 };
    sendable(store.create_login(&login));
    sendable(store.login_by_hash("x"));
    sendable(store.delete_login("x"));
    sendable(store.idempotent("x", "x"));
    let answer = IdempotencyRecord {
        key: String::new(),
        route: String::new(),
        request_sha256: String::new(),
        status: 200,
        body: String::new(),
        created_at: 1,
    };
    sendable(store.save_idempotent(&answer));
}
