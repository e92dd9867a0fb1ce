//! What the server writes into the audit log, and who is written as the one who did it.
//!
//! A row that cannot be written (a full disk) is an error in the log and stops nobody: whoever has to sign in to make room must be able to.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use nanobot_runtime::config::SettingChange;
use nanobot_store::{AuditEntry, AuditKind, Store};
use serde_json::{Map, Value, json};

/// Failed sign-ins that are written one by one in a minute; the rest of that minute is one row.
const FAILURES_A_MINUTE: u32 = 20;
const MINUTE_MS: i64 = 60_000;
/// Addresses that are named in that row.
const MAX_ADDRESSES: usize = 8;
/// Most bytes of JSON for the values of changed settings.
const MAX_VALUES_BYTES: usize = 2_048;
/// Keys that are named of one change of settings.
const MAX_KEYS: usize = 64;
/// Longest subject, in characters.
const MAX_SUBJECT_CHARS: usize = 200;

/// Somebody on this machine who needed no credential.
const LOOPBACK: &str = "loopback";
/// Who works the command line.
pub(crate) const TERMINAL: &str = "terminal";
/// The credential of the configuration.
pub(crate) const CONFIG: &str = "config";
/// nanobot itself.
const SYSTEM: &str = "system";
/// Who did not come in.
const NOBODY: &str = "nobody";
/// Actors that are no tokens; no token may be called like one.
pub(crate) const RESERVED: [&str; 6] = [LOOPBACK, TERMINAL, CONFIG, SYSTEM, NOBODY, "model"];

/// Who makes a request: the name of the token that it came in with, `config`, or `loopback`.
#[derive(Clone, Debug)]
pub(crate) struct Actor(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Actor {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(parts.extensions.get::<Self>().cloned().unwrap_or_else(|| Self(LOOPBACK.to_owned())))
    }
}

/// Writes a row, or says in the log why not.
pub(crate) async fn write(store: &Store, entry: AuditEntry) {
    let kind = entry.kind;
    if let Err(error) = store.audit(entry).await {
        tracing::error!(%error, %kind, "a row of the audit log was not written");
    }
}

/// Somebody signed in with a browser.
pub(crate) fn login(token_name: &str, peer: IpAddr, now: i64) -> AuditEntry {
    AuditEntry::new(AuditKind::Login, token_name, peer.to_string(), now)
}

/// Settings that were changed; `None` when none was.
pub(crate) fn settings_changed(actor: Actor, changes: &[SettingChange], now: i64) -> Option<AuditEntry> {
    if changes.is_empty() {
        return None;
    }
    let keys: Vec<&str> = changes.iter().map(|change| change.key.as_str()).collect();
    let subject = nanobot_engine::text::one_line(&keys.join(", "), MAX_SUBJECT_CHARS);
    let mut entry = AuditEntry::new(AuditKind::SettingsChanged, actor.0, subject, now);
    let named: Vec<&str> = keys.iter().copied().take(MAX_KEYS).collect();
    if named.len() < keys.len() {
        entry.detail.insert("more_keys".to_owned(), json!(keys.len() - named.len()));
    }
    entry.detail.insert("keys".to_owned(), json!(named));
    let (values, left_out) = values(changes);
    entry.detail.insert("values".to_owned(), Value::Object(values));
    if left_out > 0 {
        entry.detail.insert("values_left_out".to_owned(), json!(left_out));
    }
    Some(entry)
}

/// What may be shown, up to the limit, and how many values did not fit.
fn values(changes: &[SettingChange]) -> (Map<String, Value>, usize) {
    let (mut shown, mut left_out, mut bytes) = (Map::new(), 0, "{}".len());
    for change in changes {
        let Some(values) = &change.values else { continue };
        let value = json!([values.from, values.to]);
        let key = Value::from(change.key.as_str());
        // Key, colon, value, comma.
        let more = key.to_string().len() + value.to_string().len() + 2;
        if bytes + more > MAX_VALUES_BYTES {
            left_out += 1;
            continue;
        }
        bytes += more;
        shown.insert(change.key.clone(), value);
    }
    (shown, left_out)
}

/// How a wrong credential was shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Way {
    /// On the login page.
    Form,
    /// As a bearer token.
    Bearer,
}

/// Failed sign-ins of this minute, so that a flood cannot fill the disk: some are written, the rest is counted.
#[derive(Debug, Default)]
pub(crate) struct FailedLogins(Mutex<Minute>);

#[derive(Debug, Default)]
struct Minute {
    /// UTC milliseconds.
    since: i64,
    written: u32,
    /// Those that were counted alone.
    more: u64,
    addresses: BTreeSet<IpAddr>,
}

impl FailedLogins {
    /// The rows to write for a wrong credential: what was counted in a minute that is over, and this one or none. What was
    /// tried is never kept: it may be the right token with a slip.
    pub(crate) fn wrong(&self, peer: IpAddr, way: Way, now: i64) -> Vec<AuditEntry> {
        let mut minute = self.minute();
        let mut rows = Vec::from_iter(minute.turn(now));
        if minute.written < FAILURES_A_MINUTE {
            minute.written += 1;
            let mut entry = AuditEntry::new(AuditKind::LoginFailed, NOBODY, peer.to_string(), now);
            let way = match way {
                Way::Form => "form",
                Way::Bearer => "bearer",
            };
            entry.detail.insert("way".to_owned(), way.into());
            rows.push(entry);
        } else {
            minute.count(peer);
        }
        rows
    }

    /// The row to write when one is refused unseen, because its address failed too often.
    pub(crate) fn refused(&self, peer: IpAddr, now: i64) -> Option<AuditEntry> {
        let mut minute = self.minute();
        let row = minute.turn(now);
        minute.count(peer);
        row
    }

    /// The row for a minute that is over, when something was counted in it.
    pub(crate) fn over(&self, now: i64) -> Option<AuditEntry> {
        self.minute().turn(now)
    }

    /// The row for what was counted so far.
    pub(crate) fn rest(&self, now: i64) -> Option<AuditEntry> {
        self.minute().end(now)
    }

    fn minute(&self) -> MutexGuard<'_, Minute> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Minute {
    fn count(&mut self, peer: IpAddr) {
        self.more = self.more.saturating_add(1);
        if self.addresses.len() < MAX_ADDRESSES {
            self.addresses.insert(peer);
        }
    }

    fn turn(&mut self, now: i64) -> Option<AuditEntry> {
        // A clock that was set back begins a new minute, too.
        if (self.since..self.since.saturating_add(MINUTE_MS)).contains(&now) { None } else { self.end(now) }
    }

    fn end(&mut self, now: i64) -> Option<AuditEntry> {
        let Self { since, more, addresses, .. } = std::mem::replace(self, Self { since: now, ..Self::default() });
        if more == 0 {
            return None;
        }
        let subject = format!("{more} more failed sign-ins");
        let mut entry = AuditEntry::new(AuditKind::LoginsFailed, SYSTEM, subject, now);
        entry.detail.insert("count".to_owned(), json!(more));
        entry.detail.insert("since".to_owned(), json!(since));
        let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
        entry.detail.insert("addresses".to_owned(), json!(addresses));
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use nanobot_runtime::config::ChangedValues;

    use super::*;

    const NOW: i64 = 1_700_000_000_000;

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    fn kinds(rows: &[AuditEntry]) -> Vec<AuditKind> {
        rows.iter().map(|row| row.kind).collect()
    }

    #[test]
    fn a_flood_of_failures_is_twenty_rows_and_one_a_minute() {
        let failures = FailedLogins::default();
        let mut rows = Vec::new();
        for at in 0..1_000 {
            rows.extend(failures.wrong(peer((at % 20) as u8), Way::Form, NOW + at));
        }
        assert_eq!(kinds(&rows), [AuditKind::LoginFailed; 20]);
        assert_eq!(failures.over(NOW + MINUTE_MS - 1), None);
        let counted = failures.over(NOW + MINUTE_MS).expect("a row");
        assert_eq!((counted.kind, counted.detail["count"].clone()), (AuditKind::LoginsFailed, json!(980)));
        assert_eq!(counted.detail["addresses"].as_array().map(Vec::len), Some(MAX_ADDRESSES));
        assert_eq!(counted.subject, "980 more failed sign-ins");
        assert_eq!(failures.over(NOW + 2 * MINUTE_MS), None, "told once");

        // The next failure after a quiet time tells what was counted before it.
        assert_eq!(failures.refused(peer(1), NOW + 3 * MINUTE_MS), None);
        let rows = failures.wrong(peer(1), Way::Bearer, NOW + 5 * MINUTE_MS);
        assert_eq!(kinds(&rows), [AuditKind::LoginsFailed, AuditKind::LoginFailed]);
        assert_eq!(rows[0].detail["count"], json!(1));
        assert_eq!((rows[1].actor.as_str(), rows[1].subject.as_str()), ("nobody", "192.0.2.1"));
    }

    #[test]
    fn what_was_counted_is_told_at_the_end_and_when_the_clock_is_set_back() {
        let failures = FailedLogins::default();
        assert_eq!(failures.rest(NOW), None);
        failures.refused(peer(1), NOW);
        assert!(failures.rest(NOW + 1).is_some());
        failures.refused(peer(1), NOW + 2);
        assert!(failures.refused(peer(1), NOW - MINUTE_MS).is_some());
    }

    fn change(key: &str, bytes: usize) -> SettingChange {
        let values = ChangedValues { from: None, to: Some("x".repeat(bytes).into()) };
        SettingChange { key: key.to_owned(), values: Some(values) }
    }

    #[test]
    fn values_of_settings_are_bounded_and_all_keys_named() {
        let actor = || Actor("laptop".to_owned());
        assert_eq!(settings_changed(actor(), &[], NOW), None);
        // `{}`, the key with quotes, `[null,"…"]`, colon and comma.
        let fits = MAX_VALUES_BYTES - 2 - 3 - 9 - 2;
        for (bytes, left_out) in [(fits, None), (fits + 1, Some(json!(1)))] {
            let hidden = SettingChange { key: "s".to_owned(), values: None };
            let entry = settings_changed(actor(), &[change("k", bytes), hidden], NOW).expect("a row");
            assert_eq!(entry.detail.get("values_left_out").cloned(), left_out);
            assert_eq!(entry.detail["keys"], json!(["k", "s"]));
            assert!(entry.detail["values"].to_string().len() <= MAX_VALUES_BYTES);
            assert_eq!(entry.subject, "k, s");
        }
        let many: Vec<_> = (0..100).map(|at| change(&format!("presets.{at}.model"), 10)).collect();
        let entry = settings_changed(actor(), &many, NOW).expect("a row");
        assert_eq!((entry.detail["keys"].as_array().map(Vec::len), &entry.detail["more_keys"]), (Some(64), &json!(36)));
        assert!(entry.subject.chars().count() <= MAX_SUBJECT_CHARS);
    }
}
