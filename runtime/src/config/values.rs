//! What is wrong with a single value that somebody wants to set. A file may hold such values, and is then reported; a change of settings
//! with one is refused, so that the mistake is seen where it is made.

use reqwest::Url;
use serde_json::Value as Json;

/// Smallest window in which a system prompt, a question and an answer fit.
const MIN_WINDOW_TOKENS: f64 = 1_000.0;
/// No model has more.
const MOST_TOKENS: f64 = 1e9;
/// Dollars per million tokens; nothing costs more.
const MOST_DOLLARS: f64 = 1e6;

/// What is wrong with the value of the key of this name, if anything. `${VAR}` is not known yet and is taken as it is.
pub(super) fn problem(key: &str, value: &Json) -> Option<&'static str> {
    match value {
        Json::String(text) if !text.contains("${") => text_problem(key, text),
        Json::Number(number) => number_problem(key, number.as_f64()?),
        _ => None,
    }
}

fn text_problem(key: &str, text: &str) -> Option<&'static str> {
    match key {
        "api_key" => {
            let sendable = text.trim().bytes().all(|byte| byte.is_ascii_graphic());
            (!sendable)
                .then_some("has characters that no key has (spaces, line ends, letters with accents): copy it again")
        }
        "base_url" => {
            // Another scheme is refused with the whole configuration.
            let web = ["http:", "https:"].iter().any(|scheme| text.trim().starts_with(scheme));
            let good = Url::parse(text.trim()).is_ok_and(|url| url.host_str().is_some_and(|host| !host.is_empty()));
            (web && !good)
                .then_some("is no address: write it like https://api.example.com/v1 or http://127.0.0.1:11434/v1")
        }
        "timezone" => jiff::tz::TimeZone::get(text)
            .is_err()
            .then_some("is no time zone: use a name such as Europe/Berlin, America/New_York or UTC"),
        "reasoning_effort" | "model" => text
            .chars()
            .any(char::is_control)
            .then_some("has characters that cannot be seen, such as a line end: remove them"),
        _ => None,
    }
}

fn number_problem(key: &str, number: f64) -> Option<&'static str> {
    match key {
        "context_window_tokens" if number < MIN_WINDOW_TOKENS => {
            Some("must be at least 1000: no conversation fits into less")
        }
        "context_window_tokens" | "max_tokens" if number > MOST_TOKENS => Some("must be at most 1000000000"),
        "context_window_tokens" | "max_tokens" if number.fract() != 0.0 || number < 1.0 => {
            Some("must be a whole number, 1 or more")
        }
        "input" | "cached" | "output" if number > MOST_DOLLARS => {
            Some("must be at most 1000000 dollars per million tokens")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_cannot_work_is_named() {
        for (key, value) in [
            ("api_key", json!("abc\ndef")),
            ("api_key", json!("sk-☃")),
            ("api_key", json!("two words")),
            ("base_url", json!("http://")),
            ("base_url", json!("http://x:99999")),
            ("timezone", json!("Mars/X")),
            ("reasoning_effort", json!("high\n")),
            ("context_window_tokens", json!(1)),
            ("max_tokens", json!(1e15)),
            ("max_tokens", json!(1.5)),
            ("max_tokens", json!(-1)),
            ("output", json!(1e308)),
        ] {
            assert!(problem(key, &value).is_some(), "{key} {value}");
        }
        for (key, value) in [
            ("api_key", json!("sk-1234567890abcdef ")),
            ("api_key", json!("")),
            ("api_key", json!("${MY KEY}")),
            ("base_url", json!("http://[::1]:1/v1")),
            ("base_url", json!("${BASE}/v1")),
            ("timezone", json!("Europe/Berlin")),
            ("context_window_tokens", json!(8_192)),
            ("max_tokens", json!(1)),
            ("output", json!(75.0)),
            ("title", json!("anything\n")),
        ] {
            assert_eq!(problem(key, &value), None, "{key} {value}");
        }
    }
}
