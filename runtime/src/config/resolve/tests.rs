//! From names to providers: spelling, fallbacks, and what makes a provider another one.

use std::path::Path;

use super::*;
use crate::config::{ConfigLoad, Overrides};

fn load(text: &str) -> ConfigLoad {
    ConfigLoad::from_text(text, Path::new("config.toml"), &BTreeMap::new(), &Overrides::default()).unwrap()
}

fn presets(entries: &[(&str, &str)]) -> String {
    let preset =
        |(name, more): &(&str, &str)| format!("[presets.\"{name}\"]\nprovider = \"demo\"\nmodel = \"m\"\n{more}\n");
    entries.iter().map(preset).collect()
}

fn names(config: &Config, preset: Option<&str>) -> Result<Vec<String>, PresetError> {
    config.candidates(preset).map(|found| found.into_iter().map(|preset| preset.name).collect())
}

#[test]
fn names_are_exact_or_differ_in_case_alone() {
    let config = load(&presets(&[("Fast", ""), ("slow", ""), ("SLOW", ""), ("größe", "")])).config;
    for (asked, found) in [
        ("Fast", Some("Fast")),
        ("fast", Some("Fast")),
        (" FAST ", Some("Fast")),
        ("slow", Some("slow")),
        ("SLOW", Some("SLOW")),
        ("Slow", None),
        ("GRÖßE", Some("größe")),
        ("fas", None),
        ("", None),
    ] {
        assert_eq!(config.preset_name(asked), found, "{asked:?}");
        assert_eq!(config.resolve_preset(Some(asked)).ok().map(|preset| preset.name).as_deref(), found, "{asked:?}");
    }
}

#[test]
fn candidates_are_the_preset_and_its_own_fallbacks() {
    let text = presets(&[
        ("main", "fallbacks = [\"Second\", \"gone\", \"main\", \"second\", \"third\", \"broken\", \"MAIN\"]"),
        ("second", "fallbacks = [\"fourth\"]"),
        ("third", "fallbacks = [\"main\"]"),
        ("fourth", ""),
    ]) + "[presets.broken]\nprovider = \"nobody\"\nmodel = \"m\"\n[agent]\npreset = \"main\"\n";
    let load = load(&text);
    assert_eq!(names(&load.config, None), Ok(["main", "second", "third"].map(str::to_owned).to_vec()));
    assert_eq!(names(&load.config, Some("THIRD")), Ok(["third", "main"].map(str::to_owned).to_vec()));
    assert_eq!(names(&load.config, Some("fourth")), Ok(vec!["fourth".to_owned()]));
    assert_eq!(names(&load.config, Some("gone")), Err(PresetError::UnknownPreset("gone".to_owned())));
    let warnings: Vec<_> = load.warnings.iter().map(|w| (w.path.as_str(), w.detail.as_str())).collect();
    assert_eq!(
        warnings,
        [
            ("presets.broken.provider", "there is no provider `nobody`; add it under `providers`"),
            ("presets.main.fallbacks", "there is no preset `gone`"),
        ]
    );
}

#[test]
fn a_misspelt_fallback_is_reported_with_the_nearest_name() {
    let load = load(&presets(&[("main", "fallbacks = [\"lcoal-Qwen\"]"), ("local-qwen", "")]));
    let warnings: Vec<_> = load.warnings.iter().map(|w| (w.path.as_str(), w.detail.as_str())).collect();
    assert_eq!(warnings, [("presets.main.fallbacks", "there is no preset `lcoal-Qwen`; did you mean `local-qwen`?")]);
}

#[test]
fn a_removed_default_preset_is_replaced_and_reported() {
    for (entries, used) in [
        (&[("default", ""), ("b", "")][..], Some("default")),
        (&[("only", "")][..], Some("only")),
        (&[("a", ""), ("b", "")][..], None),
        (&[][..], None),
    ] {
        let load = load(&(presets(entries) + "[agent]\npreset = \"gone\"\n"));
        assert_eq!(load.config.default_preset(), used);
        assert_eq!(load.config.resolve_preset(None).ok().map(|preset| preset.name).as_deref(), used);
        let detail = used.map(|used| format!("; `{used}` is used instead")).unwrap_or_default();
        let warning = load.warnings.first().unwrap();
        assert_eq!(
            (warning.path.as_str(), warning.detail.clone()),
            ("agent.preset", format!("there is no preset `gone`{detail}"))
        );
    }
    let load = load(&(presets(&[("Main", ""), ("default", "")]) + "[agent]\npreset = \"main\"\n"));
    assert_eq!((load.config.default_preset(), load.warnings.len()), (Some("Main"), 0));
}

#[test]
fn every_setting_of_a_provider_makes_it_another_one() {
    let of = |more: &str| {
        let text = format!("[providers.box]\nbase_url = \"http://a.test\"\napi_key = \"k\"\n{more}\n");
        load(&text).config.providers.get("box").unwrap().with_model("box", "m")
    };
    let plain = of("");
    assert!(plain.same_provider(&of("")));
    let full = "kind = \"openai\"\nextra_headers = { A = \"1\" }\nextra_query = { a = \"1\" }\nextra_body = { a = 1 }\nproxy = \"none\"";
    assert!(of(full).same_provider(&of(full)));
    for more in [
        "kind = \"anthropic\"",
        "extra_headers = { A = \"1\" }",
        "extra_query = { a = \"1\" }",
        "extra_body = { a = 1 }",
        "proxy = \"none\"",
    ] {
        assert!(!plain.same_provider(&of(more)) && !of(more).same_provider(&plain), "{more}");
    }
    for (one, other) in [
        ("extra_headers = { A = \"1\" }", "extra_headers = { A = \"2\" }"),
        ("extra_headers = { A = \"1\" }", "extra_headers = { B = \"1\" }"),
        ("extra_query = { a = \"1\" }", "extra_query = { a = \"2\" }"),
        ("extra_body = { a = { b = 1 } }", "extra_body = { a = { b = 2 } }"),
        ("proxy = \"http://a:b@p.test\"", "proxy = \"http://a:c@p.test\""),
    ] {
        assert!(!of(one).same_provider(&of(other)), "{one}");
    }
    let other_key = ResolvedPreset { api_key: Some("other".into()), ..plain.clone() };
    let moved = ResolvedPreset { base_url: Some("http://b.test".to_owned()), ..plain.clone() };
    let renamed = ResolvedPreset { provider_name: "other".to_owned(), ..plain.clone() };
    let other_model = ResolvedPreset { model: "n".to_owned(), temperature: Some(1.0), ..plain.clone() };
    assert!(!plain.same_provider(&other_key) && !plain.same_provider(&moved) && !plain.same_provider(&renamed));
    assert!(plain.same_provider(&other_model), "a model's settings do not belong to the provider");
}

#[test]
fn the_kind_is_the_given_one_then_that_of_the_name_then_openai() {
    use ProviderKind::{Anthropic, Openai, OpenaiResponses};
    for (name, kind, expected, address) in [
        ("groq", None, Openai, Some("https://api.groq.com/openai/v1")),
        ("anthropic", None, Anthropic, Some("https://api.anthropic.com")),
        ("kimi_coding", None, Anthropic, Some("https://api.kimi.com/coding/v1")),
        ("lm_studio", None, Openai, Some("http://127.0.0.1:1234/v1")),
        ("mine", None, Openai, None),
        ("mine", Some(Anthropic), Anthropic, Some("https://api.anthropic.com")),
        ("openai", Some(OpenaiResponses), OpenaiResponses, Some("https://api.openai.com/v1")),
        ("xai", Some(OpenaiResponses), OpenaiResponses, Some("https://api.x.ai/v1")),
        // No key of one company goes to another, whatever kind is given.
        ("groq", Some(Anthropic), Anthropic, None),
        ("anthropic", Some(Openai), Openai, None),
        ("azure_openai", None, Openai, None),
        ("azure_openai", Some(Openai), Openai, None),
    ] {
        let provider = ProviderConfig { kind, ..ProviderConfig::default() };
        assert_eq!(
            (provider.kind_for(name), provider.base_url_for(name).as_deref()),
            (expected, address),
            "{name} {kind:?}"
        );
    }
}

#[test]
fn the_key_goes_in_the_header_of_the_provider_or_of_its_kind() {
    use ProviderKind::{Anthropic, Openai, OpenaiResponses};
    for (name, kind, expected) in [
        ("openai", None, KeyHeader::Bearer),
        ("anthropic", None, KeyHeader::XApiKey),
        ("azure", None, KeyHeader::ApiKey),
        ("azure_openai", Some(OpenaiResponses), KeyHeader::ApiKey),
        ("azure_openai", Some(Anthropic), KeyHeader::XApiKey),
        ("anthropic", Some(Openai), KeyHeader::Bearer),
        ("mine", Some(Anthropic), KeyHeader::XApiKey),
        ("mine", None, KeyHeader::Bearer),
    ] {
        let provider = ProviderConfig { kind, ..ProviderConfig::default() };
        assert_eq!(provider.with_model(name, "m").key_header(), expected, "{name} {kind:?}");
    }
    for (base_url, expected) in [
        ("https://res.openai.azure.com/openai/v1", KeyHeader::ApiKey),
        ("https://res.services.ai.azure.com/openai/v1", KeyHeader::ApiKey),
        ("https://openai.azure.com.evil.test/v1", KeyHeader::Bearer),
        ("https://h.test/res.openai.azure.com", KeyHeader::Bearer),
        ("not an address", KeyHeader::Bearer),
    ] {
        let provider = ProviderConfig { base_url: Some(base_url.to_owned()), ..ProviderConfig::default() };
        assert_eq!(provider.with_model("mine", "m").key_header(), expected, "{base_url}");
    }
}
