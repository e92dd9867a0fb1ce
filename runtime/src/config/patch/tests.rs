//! What a patch may say.

use super::*;
use serde_json::json;

#[test]
fn what_settings_do_not_have_is_refused_with_its_path() {
    for (given, expected) in [
        (json!([]), "a patch must be an object"),
        (json!({"agnet": {}}), "agnet: unknown key; did you mean `agent`?"),
        (json!({"server": {"port": 1}}), "server: cannot be changed here; edit config.toml"),
        (json!({"memory": {}}), "memory: cannot be changed here; edit config.toml"),
        (json!({"budget": {"day": 1}}), "budget.day: unknown key; did you mean `day_usd`?"),
        (json!({"providers": null}), "providers: cannot be removed as a whole; name the keys to remove"),
        (json!({"providers": []}), "providers: must be an object"),
        (json!({"providers": {"a": "x"}}), "providers.a: must be an object"),
        (
            json!({"providers": {"a": {"api_key_set": true}}}),
            "providers.a.api_key_set: unknown key; did you mean `api_key`?",
        ),
        (json!({"providers": {"a": {"api_key": 5}}}), "providers.a.api_key: must be a string"),
        (json!({"presets": {"p": {"price": 5}}}), "presets.p.price: must be an object"),
        (json!({"presets": {"p": {"price": {"out": 5}}}}), "presets.p.price.out: unknown key; did you mean `output`?"),
        (json!({"agent": {"max_iterations": {}}}), "agent.max_iterations: must not be an object"),
    ] {
        assert_eq!(SettingsPatch::new(given.clone()).unwrap_err().to_string(), expected);
        let error = serde_json::from_value::<SettingsPatch>(given).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    for name in ["", " a", "a\n", &"x".repeat(65)] {
        assert!(SettingsPatch::new(json!({"presets": {name: {}}})).is_err(), "{name:?}");
    }
    assert!(SettingsPatch::new(json!({"presets": {"x".repeat(64): {}, "模型 1": {}}})).is_ok());
}

#[test]
fn numbers_and_lists_that_toml_has_not_are_refused() {
    for given in [json!({"agent": {"max_iterations": u64::MAX}}), json!({"presets": {"p": {"fallbacks": [null]}}})] {
        let patch = SettingsPatch::new(given).unwrap();
        assert!(matches!(patch.apply("", Path::new("c")), Err(ConfigError::Refused { .. })));
    }
}

#[test]
fn debug_shows_keys_only() {
    let patch = SettingsPatch::new(json!({"providers": {"a": {"api_key": "sk-secret"}}})).unwrap();
    assert_eq!(format!("{patch:?}"), "SettingsPatch([\"providers.a.api_key\"])");
    assert_eq!(patch.first_path(), "providers.a.api_key");
}

#[test]
fn hostile_texts_are_quoted() {
    let text = "a\"b\\c\n'''\u{7f}";
    let patch = SettingsPatch::new(json!({"providers": {"x.y": {"base_url": text}}})).unwrap();
    let result = patch.apply("", Path::new("c")).unwrap();
    let table: toml::Table = result.parse().unwrap();
    assert_eq!(table.get("providers").and_then(|all| all.get("x.y")?.get("base_url")?.as_str()), Some(text));
}
