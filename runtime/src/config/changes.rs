//! What is different between two configurations, for people to read later: the keys, and values only where they are no secret.

use std::collections::BTreeMap;

use secrecy::ExposeSecret;
use serde_json::{Value, json};

use super::schema::join;
use super::settings::without_credentials;
use super::types::{Config, ProviderConfig};

/// A setting that has another value.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingChange {
    /// Its key, as in `presets.default.model`.
    pub key: String,
    /// The values; `None` when one of them may be a secret.
    pub values: Option<ChangedValues>,
}

/// What a setting was and is.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangedValues {
    /// `None` when it was not set.
    pub from: Option<Value>,
    /// `None` when it is not set any more.
    pub to: Option<Value>,
}

impl SettingChange {
    /// The settings that are different, by key. The list of rules is one setting.
    ///
    /// Keys, headers, query parameters, body fields, proxies, and what an address has beyond host and path count as secrets.
    #[must_use]
    pub fn between(before: &Config, after: &Config) -> Vec<Self> {
        let (old, new) = (Leaves::of(before), Leaves::of(after));
        let mut changes: BTreeMap<&str, Option<ChangedValues>> = BTreeMap::new();
        for key in old.hidden.keys().chain(new.hidden.keys()) {
            if old.hidden.get(key) != new.hidden.get(key) {
                changes.insert(key, None);
            }
        }
        for key in old.shown.keys().chain(new.shown.keys()) {
            let (from, to) = (old.shown.get(key), new.shown.get(key));
            if from != to {
                changes.insert(key, Some(ChangedValues { from: from.cloned(), to: to.cloned() }));
            }
        }
        changes.into_iter().map(|(key, values)| Self { key: key.to_owned(), values }).collect()
    }
}

/// Single settings by key.
#[derive(Default)]
struct Leaves {
    /// May be shown.
    shown: BTreeMap<String, Value>,
    /// May be compared, and nothing else.
    hidden: BTreeMap<String, String>,
}

impl Leaves {
    fn of(config: &Config) -> Self {
        let mut leaves = Self::default();
        for (name, provider) in &config.providers {
            leaves.add_provider(&join("providers", name), name, provider);
        }
        for (name, preset) in &config.presets {
            leaves.add_shown(&join("presets", name), serde_json::to_value(preset).unwrap_or_default());
        }
        leaves.add_shown("agent", serde_json::to_value(&config.agent).unwrap_or_default());
        leaves.add_shown("budget", serde_json::to_value(config.budget).unwrap_or_default());
        if !config.permissions.is_empty() {
            leaves.add_shown("permissions", serde_json::to_value(&config.permissions).unwrap_or_default());
        }
        leaves
    }

    fn add_provider(&mut self, path: &str, name: &str, provider: &ProviderConfig) {
        self.add_shown(&join(path, "kind"), json!(provider.kind_for(name)));
        if let Some(url) = provider.base_url_for(name) {
            let shown = without_credentials(url.clone());
            let shown = shown.split(['?', '#']).next().unwrap_or_default();
            self.add_shown(&join(path, "base_url"), Value::from(shown));
            self.hidden.insert(join(path, "base_url"), url);
        }
        let secrets = [("api_key", &provider.api_key), ("proxy", &provider.proxy)];
        for (key, secret) in secrets.into_iter().filter_map(|(key, secret)| Some((key, secret.as_ref()?))) {
            self.hidden.insert(join(path, key), secret.expose_secret().to_owned());
        }
        let headers = join(path, "extra_headers");
        for (header, value) in &provider.extra_headers {
            self.hidden.insert(join(&headers, header), value.expose_secret().to_owned());
        }
        let query = join(path, "extra_query");
        for (parameter, value) in &provider.extra_query {
            self.hidden.insert(join(&query, parameter), value.clone());
        }
        let body = join(path, "extra_body");
        for (field, value) in &provider.extra_body {
            self.hidden.insert(join(&body, field), value.to_string());
        }
    }

    fn add_shown(&mut self, path: &str, value: Value) {
        match value {
            Value::Object(inner) => {
                for (key, value) in inner {
                    self.add_shown(&join(path, &key), value);
                }
            }
            Value::Null => {}
            other => {
                self.shown.insert(path.to_owned(), other);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::config::{ConfigLoad, Overrides};

    fn config(text: &str) -> Config {
        let load = ConfigLoad::from_text(text, Path::new("config.toml"), &BTreeMap::new(), &Overrides::default());
        load.unwrap().config
    }

    fn between(before: &str, after: &str) -> Vec<(String, Option<(Value, Value)>)> {
        let changes = SettingChange::between(&config(before), &config(after));
        let values = |values: ChangedValues| (values.from.unwrap_or_default(), values.to.unwrap_or_default());
        changes.into_iter().map(|change| (change.key, change.values.map(values))).collect()
    }

    const PROVIDER: &str = "[providers.a]\nkind = \"openai\"\nbase_url = \"https://me:pw1@a.example/v1?key=q1\"\n\
        api_key = \"k1\"\nproxy = \"http://u:p1@127.0.0.1:1\"\n\
        extra_headers = { X-Team = \"h1\" }\nextra_query = { q = \"v1\" }\nextra_body = { b = \"f1\" }\n";

    #[test]
    fn secrets_are_named_and_never_shown() {
        let changed = PROVIDER
            .replace("pw1", "pw2")
            .replace("q1", "q2")
            .replace("k1", "k2")
            .replace("p1", "p2")
            .replace("h1", "h2")
            .replace("v1", "v2")
            .replace("f1", "f2");
        // The path of the address is no secret; put it back.
        let changed = changed.replace("/v2?", "/v1?");
        let keys = ["api_key", "base_url", "extra_body.b", "extra_headers.x-team", "extra_query.q", "proxy"];
        let found = between(PROVIDER, &changed);
        assert!(found.iter().all(|(_, values)| values.is_none()), "{found:?}");
        let found: Vec<String> = found.into_iter().map(|(key, _)| key.to_lowercase()).collect();
        assert_eq!(found, keys.map(|key| format!("providers.a.{key}")));

        let all = format!("{:?}", [between("", PROVIDER), between(PROVIDER, "")]);
        for secret in ["pw1", "q1", "k1", "p1", "h1", "f1"] {
            assert!(!all.contains(secret), "{secret}: {all}");
        }
        assert!(all.contains("https://***@a.example/v1"), "{all}");
    }

    #[test]
    fn other_values_are_shown_as_they_were_and_are() {
        let preset = "[presets.p]\nprovider = \"a\"\nmodel = \"one\"\nfallbacks = [\"x\"]\n";
        assert_eq!(between(preset, preset), []);
        let changed = preset.replace("one", "two") + "temperature = 0.5\n[agent]\nsubagents = { total = 3 }\n";
        let expected = [
            ("agent.subagents.total".to_owned(), Some((json!(64), json!(3)))),
            ("presets.p.model".to_owned(), Some((json!("one"), json!("two")))),
            ("presets.p.temperature".to_owned(), Some((Value::Null, json!(0.5)))),
        ];
        assert_eq!(between(preset, &changed), expected);
        let gone: Vec<String> = between(preset, "").into_iter().map(|(key, _)| key).collect();
        let keys = ["fallbacks", "max_tokens", "model", "provider"].map(|key| format!("presets.p.{key}"));
        assert_eq!(gone, keys);
    }
}
