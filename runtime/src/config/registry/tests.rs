//! What must hold for every entry, and that the page of the manual lists them.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::Url;

use super::*;

#[test]
fn names_and_aliases_are_unique() {
    let mut names = BTreeSet::new();
    for known in KNOWN_PROVIDERS {
        for name in std::iter::once(&known.name).chain(known.aliases) {
            assert!(names.insert(*name), "{name}");
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'), "{name}");
            assert_eq!(known_provider(name), Some(known), "{name}");
        }
    }
    assert_eq!(known_provider("lm_studio").map(|known| known.name), Some("lmstudio"));
    assert_eq!(known_provider("nobody"), None);
}

#[test]
fn a_key_is_shared_by_variants_of_one_account_alone() {
    let mut by_key: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for known in KNOWN_PROVIDERS {
        by_key.entry(known.env.unwrap_or_default()).or_default().push(known.name);
    }
    by_key.remove("");
    by_key.retain(|_, names| names.len() > 1);
    let expected = BTreeMap::from([
        ("ARK_API_KEY", vec!["volcengine", "volcengine_coding_plan"]),
        ("BYTEPLUS_API_KEY", vec!["byteplus", "byteplus_coding_plan"]),
        ("MINIMAX_API_KEY", vec!["minimax", "minimax_anthropic"]),
        ("OPENCODE_API_KEY", vec!["opencode", "opencode_go"]),
    ]);
    assert_eq!(by_key, expected);
}

#[test]
fn addresses_are_hosted_over_https_or_on_this_machine() {
    for known in KNOWN_PROVIDERS {
        if known.base_url.is_empty() {
            assert!(matches!(known.name, "azure_openai" | "demo"), "{}", known.name);
            continue;
        }
        let url = Url::parse(known.base_url).unwrap();
        let expected = if known.env.is_some() { "https" } else { "http" };
        assert_eq!(url.scheme(), expected, "{}", known.name);
        assert_eq!(url.host_str() == Some("127.0.0.1"), known.env.is_none(), "{}", known.name);
        assert!(!known.base_url.ends_with('/') && url.query().is_none(), "{}", known.name);
    }
}

#[test]
fn keys_go_in_the_header_of_their_format() {
    for known in KNOWN_PROVIDERS {
        let expected = match (known.name, known.kind) {
            ("azure_openai", _) => KeyHeader::ApiKey,
            (_, ProviderKind::Anthropic) => KeyHeader::XApiKey,
            (_, ProviderKind::Openai | ProviderKind::OpenaiResponses | ProviderKind::Demo) => KeyHeader::Bearer,
        };
        assert_eq!(known.auth, expected, "{}", known.name);
    }
    let anthropic = KNOWN_PROVIDERS.iter().filter(|known| known.kind == ProviderKind::Anthropic);
    let names: Vec<_> = anthropic.map(|known| known.name).collect();
    assert_eq!(names, ["anthropic", "kimi_coding", "minimax_anthropic"]);
}

#[test]
fn the_manual_lists_every_provider() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/CONFIGURATION.md")).unwrap();
    for known in KNOWN_PROVIDERS.iter().filter(|known| known.kind != ProviderKind::Demo) {
        let names: Vec<_> = std::iter::once(&known.name).chain(known.aliases).map(|name| format!("`{name}`")).collect();
        let kind = serde_json::to_value(known.kind).unwrap();
        let env = known.env.map(|env| format!("`{env}`")).unwrap_or_default();
        let address = if known.base_url.is_empty() { "yours".to_owned() } else { format!("`{}`", known.base_url) };
        let row =
            format!("| {} | {} | {} | {env} | {address} |", names.join(", "), known.label, kind.as_str().unwrap());
        assert!(page.contains(&row.replace("|  |", "| |")), "missing in docs/CONFIGURATION.md:\n{row}");
    }
}
