//! The keys that `config.toml` may have, as data: for reports of unknown keys, for environment variables and for patches.

/// What stands at a place of the configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A string; an environment variable is taken as it is.
    Text,
    /// Any other single value, or a list.
    Value,
    /// A section with these keys.
    Section(&'static [(&'static str, Shape)]),
    /// A section whose keys are names, all of the same shape.
    Named(&'static Shape),
    /// A list of sections with these keys.
    List(&'static [(&'static str, Shape)]),
    /// A section of any keys with any values.
    Free,
    /// Anything inside of a [`Shape::Free`] section.
    Any,
    /// A section that is known but read elsewhere or not yet: kept as it is.
    Opaque,
}

/// The whole file.
pub(crate) const ROOT: Shape = Shape::Section(&[
    ("server", Shape::Section(SERVER)),
    ("providers", Shape::Named(&Shape::Section(PROVIDER))),
    ("presets", Shape::Named(&Shape::Section(PRESET))),
    ("agent", Shape::Section(AGENT)),
    ("hooks", Shape::List(HOOK)),
    ("budget", Shape::Section(BUDGET)),
    ("permissions", Shape::List(PERMISSION)),
    ("tools", Shape::Opaque),
    ("mcp", Shape::Opaque),
    ("memory", Shape::Opaque),
    ("heartbeat", Shape::Opaque),
    ("channels", Shape::Opaque),
]);

/// The sections that a patch may change.
pub(crate) const PATCHABLE: &[&str] = &["providers", "presets", "agent", "budget", "permissions"];

const SERVER: &[(&str, Shape)] = &[
    ("host", Shape::Text),
    ("port", Shape::Value),
    ("allowed_hosts", Shape::Value),
    ("max_body_bytes", Shape::Value),
    ("token", Shape::Text),
];

const PROVIDER: &[(&str, Shape)] = &[
    ("kind", Shape::Text),
    ("base_url", Shape::Text),
    ("api_key", Shape::Text),
    (EXTRA_HEADERS, Shape::Named(&Shape::Text)),
    ("extra_query", Shape::Named(&Shape::Text)),
    ("extra_body", Shape::Free),
    ("proxy", Shape::Text),
];

/// The section of a provider whose keys are header names.
pub(crate) const EXTRA_HEADERS: &str = "extra_headers";

const PRESET: &[(&str, Shape)] = &[
    ("provider", Shape::Text),
    ("model", Shape::Text),
    ("context_window_tokens", Shape::Value),
    ("max_tokens", Shape::Value),
    ("temperature", Shape::Value),
    ("reasoning_effort", Shape::Text),
    ("price", Shape::Section(PRICE)),
    ("fallbacks", Shape::Value),
];

const PRICE: &[(&str, Shape)] = &[("input", Shape::Value), ("cached", Shape::Value), ("output", Shape::Value)];

const BUDGET: &[(&str, Shape)] = &[
    ("turn_usd", Shape::Value),
    ("session_usd", Shape::Value),
    ("day_usd", Shape::Value),
    ("turn_tokens", Shape::Value),
    ("session_tokens", Shape::Value),
    ("day_tokens", Shape::Value),
    ("turn_seconds", Shape::Value),
    ("session_seconds", Shape::Value),
    ("day_seconds", Shape::Value),
];

const AGENT: &[(&str, Shape)] = &[
    ("preset", Shape::Text),
    ("max_iterations", Shape::Value),
    ("max_tool_result_chars", Shape::Value),
    ("subagents", Shape::Section(SUBAGENTS)),
    ("concurrent_turns", Shape::Value),
    ("timezone", Shape::Text),
    ("resume_interrupted", Shape::Value),
    ("titles", Shape::Text),
    ("access", Shape::Text),
    ("approvals_expire_s", Shape::Value),
    ("retry_mode", Shape::Text),
];

const SUBAGENTS: &[(&str, Shape)] = &[("per_session", Shape::Value), ("total", Shape::Value)];

const HOOK: &[(&str, Shape)] = &[
    ("event", Shape::Text),
    ("match", Shape::Text),
    ("command", Shape::Value),
    ("timeout_ms", Shape::Value),
    ("name", Shape::Text),
    ("reraise", Shape::Value),
];

const PERMISSION: &[(&str, Shape)] = &[("tool", Shape::Text), ("match", Shape::Text), ("decision", Shape::Text)];

impl Shape {
    /// The shape of one section of a list; anything else is its own.
    pub(crate) fn item(self) -> Shape {
        match self {
            Self::List(keys) => Self::Section(keys),
            other => other,
        }
    }

    /// The shape of a key of this section; `None` when there is no such key.
    pub(crate) fn child(self, key: &str) -> Option<Shape> {
        match self {
            Self::Section(keys) => keys.iter().find(|(name, _)| *name == key).map(|(_, shape)| *shape),
            Self::Named(shape) => Some(*shape),
            Self::Free | Self::Any => Some(Self::Any),
            Self::Opaque => Some(Self::Opaque),
            Self::Text | Self::Value | Self::List(_) => None,
        }
    }

    /// The keys that are known here; none where keys are names.
    pub(crate) fn keys(self) -> impl Iterator<Item = &'static str> {
        let keys: &[(&str, Shape)] = match self {
            Self::Section(keys) => keys,
            Self::List(_) | Self::Named(_) | Self::Free | Self::Any | Self::Opaque | Self::Text | Self::Value => &[],
        };
        keys.iter().map(|(name, _)| *name)
    }
}

/// Puts a key behind a path, as in `presets.default`; a key that is not bare is quoted.
pub(crate) fn join(path: &str, key: &str) -> String {
    let bare = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let key = if bare { key.to_owned() } else { format!("{key:?}") };
    if path.is_empty() { key } else { format!("{path}.{key}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::types::{
        AgentConfig, BudgetConfig, Config, PresetConfig, Price, ProviderConfig, ServerConfig, SubagentLimits,
    };
    use crate::config::{HookConfig, PermissionRule};
    use serde::de::{DeserializeOwned, Visitor, value::Error};
    use serde::{Deserializer, forward_to_deserialize_any};

    /// Learns the fields that a derived `Deserialize` asks for.
    struct Probe<'a>(&'a mut Vec<&'static str>);

    impl<'de> Deserializer<'de> for Probe<'_> {
        type Error = Error;

        fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
            Err(serde::de::Error::custom("probe"))
        }

        fn deserialize_struct<V: Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Error> {
            self.0.extend(fields);
            Err(serde::de::Error::custom("probe"))
        }

        forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit
            unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
        }
    }

    fn fields<T: DeserializeOwned>() -> Vec<&'static str> {
        let mut fields = Vec::new();
        let _ = T::deserialize(Probe(&mut fields)).is_ok();
        fields
    }

    fn names(keys: &[(&'static str, Shape)]) -> Vec<&'static str> {
        keys.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn the_schema_has_the_fields_of_the_types() {
        assert_eq!(names(SERVER), fields::<ServerConfig>());
        assert_eq!(names(PROVIDER), fields::<ProviderConfig>());
        assert_eq!(names(PRESET), fields::<PresetConfig>());
        assert_eq!(names(PRICE), fields::<Price>());
        assert_eq!(names(AGENT), fields::<AgentConfig>());
        assert_eq!(names(SUBAGENTS), fields::<SubagentLimits>());
        assert_eq!(names(BUDGET), fields::<BudgetConfig>());
        assert_eq!(names(HOOK), fields::<HookConfig>());
        let known: Vec<_> = ROOT.keys().collect();
        assert_eq!(names(PERMISSION), fields::<PermissionRule>());
        assert_eq!(known.iter().take(7).copied().collect::<Vec<_>>(), fields::<Config>());
    }

    #[test]
    fn paths_quote_what_is_not_bare() {
        assert_eq!(join("", "agent"), "agent");
        assert_eq!(join("providers", "my-box"), "providers.my-box");
        assert_eq!(join("providers", "a.b"), "providers.\"a.b\"");
    }
}
