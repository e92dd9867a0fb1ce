//! What extras may say, how variables come in, and what is never shown.

use std::path::Path;

use serde_json::json;

use super::*;
use crate::config::{ConfigError, ConfigLoad, Overrides, SettingsView};

fn load_with(text: &str, pairs: &[(&str, &str)]) -> Result<ConfigLoad, ConfigError> {
    let env = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    ConfigLoad::from_text(text, Path::new("config.toml"), &env, &Overrides::default())
}

fn provider(text: &str, pairs: &[(&str, &str)]) -> ProviderConfig {
    let load = load_with(text, pairs).unwrap();
    assert_eq!(load.warnings, []);
    load.config.providers.get("box").unwrap().clone()
}

fn view(load: &ConfigLoad) -> Value {
    let view = SettingsView::new(&load.config, Vec::new(), "1");
    serde_json::to_value(view).unwrap().pointer("/providers/box").unwrap().clone()
}

const FILE: &str = r#"
[providers.box]
base_url = "https://box.test/v1"
proxy = "http://me:${PROXY_PASSWORD}@proxy.test:3128"
extra_headers = { X-Team = "blue", Authorization = "Basic ${BASIC}" }
extra_query = { api-version = "2025", key = "${QUERY_KEY}" }

[providers.box.extra_body]
seed = 7
top_p = 0.5
stop = ["a", { deep = ["${STOP}"] }]
since = 2025-01-02

[providers.box.extra_body.thinking]
type = "enabled"
note = "$${literal}"
"#;

const SECRETS: &[(&str, &str)] = &[
    ("PROXY_PASSWORD", "secret-proxy"),
    ("BASIC", "secret-basic"),
    ("QUERY_KEY", "secret-query"),
    ("STOP", "secret-stop"),
];

#[test]
fn extras_are_read_with_their_variables() {
    let provider = provider(FILE, SECRETS);
    assert_eq!(provider.extra_headers.get("X-Team").unwrap().expose_secret(), "blue");
    assert_eq!(provider.extra_headers.get("Authorization").unwrap().expose_secret(), "Basic secret-basic");
    assert_eq!(provider.extra_query.get("key").unwrap(), "secret-query");
    assert_eq!(provider.proxy.unwrap().expose_secret(), "http://me:secret-proxy@proxy.test:3128");
    let expected = json!({
        "seed": 7, "top_p": 0.5, "stop": ["a", {"deep": ["secret-stop"]}], "since": "2025-01-02",
        "thinking": {"type": "enabled", "note": "${literal}"}
    });
    assert_eq!(Value::Object(provider.extra_body), expected);
}

#[test]
fn people_are_shown_names_of_variables_and_no_secret() {
    let load = load_with(FILE, SECRETS).unwrap();
    let shown = view(&load);
    let expected = json!({
        "kind": "openai", "base_url": "https://box.test/v1", "api_key_set": false,
        "extra_headers": {"Authorization": "set", "X-Team": "set"},
        "extra_query": {"api-version": "2025", "key": "${QUERY_KEY}"},
        "extra_body": {
            "seed": 7, "top_p": 0.5, "stop": ["a", {"deep": ["${STOP}"]}], "since": "2025-01-02",
            "thinking": {"type": "enabled", "note": "$${literal}"}
        },
        "proxy": "http://***@proxy.test:3128"
    });
    assert_eq!(shown, expected);
    // The query and the body may be shown; headers and the proxy may not.
    for secret in ["secret-proxy", "secret-basic"] {
        assert!(!format!("{load:?}").contains(secret), "{secret}");
    }
}

#[test]
fn variables_that_are_not_set_take_their_key_away() {
    let load = load_with(FILE, &[]).unwrap();
    let provider = load.config.providers.get("box").unwrap();
    assert!(!provider.extra_query.contains_key("key"));
    let paths: Vec<_> = load.warnings.iter().map(|warning| warning.path.as_str()).collect();
    assert!(paths.contains(&"providers.box.extra_query.key"), "{paths:?}");
    assert!(paths.contains(&"providers.box.extra_headers.Authorization"), "{paths:?}");
    assert!(paths.contains(&"providers.box.extra_body.stop.deep"), "{paths:?}");
}

#[test]
fn the_environment_can_set_extras() {
    let text = "[providers.box]\nbase_url = \"http://h.test\"\nextra_headers = { X_Old-Name = \"file\" }\n";
    let provider = provider(
        text,
        &[
            ("NANOBOT__PROVIDERS__BOX__EXTRA_HEADERS__X_OLD_NAME", "env"),
            ("NANOBOT__PROVIDERS__BOX__EXTRA_HEADERS__X_NEW_NAME", "1"),
            ("NANOBOT__PROVIDERS__BOX__EXTRA_QUERY", "{ api-version = '2025' }"),
            ("NANOBOT__PROVIDERS__BOX__EXTRA_BODY__REASONING__MAX_TOKENS", "2048"),
            ("NANOBOT__PROVIDERS__BOX__EXTRA_BODY__SERVICE_TIER", "flex"),
            ("NANOBOT__PROVIDERS__BOX__PROXY", "none"),
        ],
    );
    let headers: Vec<_> =
        provider.extra_headers.iter().map(|(name, value)| (name.as_str(), value.expose_secret())).collect();
    assert_eq!(headers, [("X_Old-Name", "env"), ("x-new-name", "1")]);
    assert_eq!(provider.extra_query.get("api-version").unwrap(), "2025");
    let body = json!({"reasoning": {"max_tokens": 2048}, "service_tier": "flex"});
    assert_eq!(Value::Object(provider.extra_body.clone()), body);
    assert_eq!(Value::Object(provider.written.body), body);
    assert_eq!(provider.proxy.unwrap().expose_secret(), "none");
}

#[test]
fn what_cannot_be_sent_is_refused_without_repeating_it() {
    for (line, expected) in [
        ("extra_headers = \"secret\"", "must be a section of strings"),
        ("extra_headers = { X-A = 5 }", "\"X-A\" must be a string"),
        ("extra_headers = { X-A = [\"secret\"] }", "\"X-A\" must be a string"),
        (
            "extra_headers = { \"X A\" = \"secret\" }",
            "\"X A\" is no header name: it has letters, digits and dashes, and no spaces",
        ),
        (
            "extra_headers = { \"\" = \"secret\" }",
            "\"\" is no header name: it has letters, digits and dashes, and no spaces",
        ),
        (
            "extra_headers = { X-A = \"secret\\nX-B: c\" }",
            "the value of \"X-A\" has characters that a header cannot have, as line breaks",
        ),
        (
            "extra_headers = { X-A = \"secret\\u007f\" }",
            "the value of \"X-A\" has characters that a header cannot have, as line breaks",
        ),
        ("extra_headers = { Content-Length = \"5\" }", "\"Content-Length\" cannot be set: it follows from the request"),
        ("extra_query = [\"secret\"]", "must be a section of strings"),
        ("extra_query = { a = 1 }", "\"a\" must be a string"),
        ("extra_body = \"secret\"", "must be a section"),
        ("extra_body = { a = { b = inf } }", "\"a\" \"b\" must be a finite number: JSON has no other"),
        ("proxy = 8080", "must be a string"),
        ("proxy = true", "must be a string"),
    ] {
        let error = load_with(&format!("[providers.box]\nbase_url = \"http://h.test\"\n{line}\n"), &[]).unwrap_err();
        let ConfigError::Invalid { line: 3, key: Some(key), detail, .. } = error else { panic!("{line}: {error}") };
        assert!(line.starts_with(key.strip_prefix("providers.box.").unwrap()), "{key}");
        assert_eq!(detail, expected, "{line}");
    }
    let env = [("NANOBOT__PROVIDERS__BOX__EXTRA_HEADERS__X_A", "secret\nline")];
    let error = load_with("[providers.box]\nbase_url = \"http://h.test\"\n", &env).unwrap_err().to_string();
    assert!(error.contains("line breaks") && !error.contains("secret"), "{error}");
}

#[test]
fn headed_sections_are_named_when_they_are_wrong() {
    let text =
        "[providers.box]\nbase_url = \"http://h.test\"\n\n[providers.box.extra_headers]\nX-Good = \"a\"\nX-Bad = 5\n";
    let error = load_with(text, &[]).unwrap_err();
    assert!(matches!(&error, ConfigError::Invalid { line: 4.., .. }), "{error}");
    assert!(error.to_string().contains("\"X-Bad\" must be a string"), "{error}");
}

#[test]
fn proxies_are_addresses_of_a_known_kind() {
    for (text, shown) in [
        ("http://127.0.0.1:3128", "http://127.0.0.1:3128"),
        ("https://me:p%40ss@proxy.test", "https://***@proxy.test"),
        ("http:me:pass@proxy.test", "http://***@proxy.test"),
        ("http://:pass@proxy.test/", "http://***@proxy.test"),
        ("socks5://me@proxy.test:1080", "socks5://***@proxy.test:1080"),
        ("socks5h://proxy.test:1080", "socks5h://proxy.test:1080"),
        ("", "none"),
        (" None ", "none"),
    ] {
        assert!(ProxyChoice::parse(text).is_ok(), "{text}");
        assert_eq!(ProxyChoice::shown(text), shown, "{text}");
    }
    for text in [
        "proxy.test:3128",
        "127.0.0.1:3128",
        "ftp://proxy.test",
        "http://",
        "me:secret@proxy.test",
        "http://***@proxy.test",
    ] {
        let error = ProxyChoice::parse(text).unwrap_err();
        assert!(!error.contains("secret"), "{error}");
        let file = format!("[providers.box]\nbase_url = \"http://h.test\"\nproxy = \"{text}\"\n");
        let error = load_with(&file, &[]).unwrap_err().to_string();
        assert!(
            error.starts_with("config.toml, line 3: `providers.box.proxy` ") && !error.contains("secret"),
            "{error}"
        );
    }
}

#[test]
fn a_file_cut_anywhere_shows_no_secret() {
    let text = FILE.replace("${PROXY_PASSWORD}", "secret-proxy").replace("${BASIC}", "secret-basic");
    for end in 0..=text.len() {
        let Some(part) = text.get(..end) else { continue };
        if let Err(error) = load_with(part, SECRETS) {
            assert!(matches!(error, ConfigError::Invalid { .. }), "{error}");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
