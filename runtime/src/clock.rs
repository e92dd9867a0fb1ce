//! Time, injected so that tests own it.

use std::time::{SystemTime, UNIX_EPOCH};

/// A source of wall-clock time.
pub trait Clock: Send + Sync {
    /// UTC milliseconds.
    fn now(&self) -> i64;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
    }
}

/// Date, time and zone for people and models: `2026-11-30 20:41 Mon, Europe/Berlin`. An unknown zone falls back to UTC.
#[must_use]
pub fn local_time(at: i64, zone: &str) -> String {
    let stamp = jiff::Timestamp::from_millisecond(at).unwrap_or_default();
    let (zone, name) = match jiff::tz::TimeZone::get(zone) {
        Ok(found) => (found, zone),
        Err(_) => (jiff::tz::TimeZone::UTC, "UTC"),
    };
    format!("{}, {name}", stamp.to_zoned(zone).strftime("%Y-%m-%d %H:%M %a"))
}

/// What a model is told of the moment at which a person wrote, behind what they wrote.
pub(crate) fn volatile_facts(at: i64, zone: &str) -> String {
    format!("[Context, not written by the person: {}]", local_time(at, zone))
}

/// When the day that `at` is in began, in a time zone, UTC milliseconds. An unknown zone falls back to UTC.
#[must_use]
pub fn day_start(at: i64, zone: &str) -> i64 {
    let zone = jiff::tz::TimeZone::get(zone).unwrap_or(jiff::tz::TimeZone::UTC);
    let now = jiff::Timestamp::from_millisecond(at).unwrap_or_default().to_zoned(zone);
    now.start_of_day().map_or(at, |start| start.timestamp().as_millisecond())
}
