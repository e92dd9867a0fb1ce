//! Reads how long a server asks to wait.

use std::time::SystemTime;

use reqwest::header::HeaderMap;

/// The wait in milliseconds, from `retry-after-ms` or from `Retry-After` as seconds or as an HTTP date (RFC 9110 §10.2.3).
pub(crate) fn retry_after_ms(headers: &HeaderMap, now: SystemTime) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(ms) = text("retry-after-ms").and_then(|value| milliseconds(value, 1.0)) {
        return Some(ms);
    }
    let value = text("retry-after")?;
    milliseconds(value, 1_000.0).or_else(|| {
        let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_millis();
        let then = u128::from(http_date_seconds(value)?) * 1_000;
        u64::try_from(then.saturating_sub(now)).ok()
    })
}

fn milliseconds(value: &str, factor: f64) -> Option<u64> {
    let number: f64 = value.parse().ok()?;
    // A float to integer cast saturates, so that a silly number is a very long wait.
    (number.is_finite() && number >= 0.0).then(|| (number * factor).ceil() as u64)
}

/// The wait that a message names, as in "Please try again in 7.66s" or "retry after 20 seconds".
pub(crate) fn wait_in_words(message: &str) -> Option<u64> {
    let lower = message.to_ascii_lowercase();
    let (_, rest) = ["try again in ", "retry after ", "retry-after: ", "retry in "]
        .iter()
        .find_map(|opening| lower.split_once(opening))?;
    let rest = rest.trim_start();
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    let (number, unit) = rest.split_at_checked(end)?;
    let unit = unit.trim_start();
    let factor = match unit {
        _ if unit.starts_with("ms") || unit.starts_with("millisecond") => 1.0,
        _ if unit.starts_with("hour") => 3_600_000.0,
        _ if unit.starts_with('m') => 60_000.0,
        _ => 1_000.0,
    };
    milliseconds(number.trim_end_matches('.'), factor)
}

/// What `x-should-retry` says, where a server sends it.
pub(crate) fn should_retry(headers: &HeaderMap) -> Option<bool> {
    match headers.get("x-should-retry")?.to_str().ok()?.trim() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// Seconds since 1970 of `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that servers may send today.
fn http_date_seconds(value: &str) -> Option<u64> {
    let (_, date) = value.split_once(", ")?;
    let mut words = date.split_ascii_whitespace();
    let day: u64 = words.next()?.parse().ok()?;
    let month = words.next()?;
    let year: u64 = words.next()?.parse().ok()?;
    let mut time = words.next()?.splitn(3, ':').map(|part| part.parse::<u64>().ok());
    let (hour, minute, second) = (time.next()??, time.next()??, time.next()??);
    if words.next()? != "GMT" || !(1970..10_000).contains(&year) || !(1..=31).contains(&day) || hour > 23 {
        return None;
    }
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let month = (1_u64..).zip(MONTHS).find_map(|(number, name)| (name == month).then_some(number))?;
    // Days from civil, with the year beginning in March (Howard Hinnant, "chrono-compatible low-level date algorithms").
    let (year, month) = if month <= 2 { (year - 1, month + 9) } else { (year, month - 3) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1;
    let days = days.checked_sub(719_468)?;
    Some(days * 86_400 + hour * 3_600 + minute * 60 + second)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn reads_waits_in_words() {
        for (message, want) in [
            ("Rate limit reached. Please try again in 7.66s. Visit…", Some(7_660)),
            ("Please try again in 20ms.", Some(20)),
            ("try again in 6m0s", Some(360_000)),
            ("Retry after 3 seconds", Some(3_000)),
            ("retry after 2 hours", Some(7_200_000)),
            ("try again in a moment", None),
            ("try again later", None),
        ] {
            assert_eq!(wait_in_words(message), want, "{message}");
        }
    }

    #[test]
    fn reads_every_form() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_770);
        for (name, value, want) in [
            ("retry-after", "3", Some(3_000)),
            ("retry-after", "0.25", Some(250)),
            ("retry-after", "86400", Some(86_400_000)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT", Some(7_000)),
            ("retry-after", "Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("retry-after", "soon", None),
            ("retry-after", "-1", None),
            ("retry-after-ms", "40", Some(40)),
        ] {
            let headers = HeaderMap::from_iter([(name.parse().expect("a name"), value.parse().expect("a value"))]);
            assert_eq!(retry_after_ms(&headers, now), want, "{name}: {value}");
        }
        assert_eq!(http_date_seconds("Tue, 29 Feb 2028 00:00:00 GMT"), Some(1_835_395_200));
        assert_eq!(http_date_seconds("Thu, 01 Jan 1970 00:00:01 GMT"), Some(1));
    }
}
