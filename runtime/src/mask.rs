//! Secrets taken out of what is shown or handed on: those of the settings wherever they occur, and whatever has the shape of a key.

mod shapes;

use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::Value;

use crate::config::Config;
use crate::error::RuntimeError;
use crate::runtime::Runtime;

/// Stands for what was taken out.
pub(crate) const MASK: &str = "***";
/// Shortest text that is taken for a secret: a shorter one would take words out of what is shown.
const MIN_SECRET_BYTES: usize = 8;
/// A secret whose end alone is looked for as well is at least this long.
const LONG_SECRET_BYTES: usize = 16;
/// Words in front of a secret in the value of a header.
const SCHEMES: [&str; 4] = ["Bearer ", "bearer ", "Basic ", "Token "];
/// Parameters of an address whose value is a secret.
const SECRET_PARAMETERS: [&str; 5] = ["key", "token", "secret", "sig", "password"];

/// Takes secrets out.
pub struct Masker {
    /// The longest first, so that one which is a part of another does not leave the rest of it.
    secrets: Vec<String>,
}

impl Masker {
    /// Knows these secrets, besides everything that looks like one. Short ones are left out.
    #[must_use]
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut known: Vec<String> = Vec::new();
        for secret in secrets {
            let secret = secret.trim();
            let bare = SCHEMES.iter().find_map(|scheme| secret.strip_prefix(scheme)).unwrap_or(secret).trim();
            // In JSON that stands in a text, some characters are written otherwise.
            let escaped = serde_json::to_string(bare).unwrap_or_default();
            let escaped =
                escaped.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default().to_owned();
            for form in [bare.to_owned(), escaped] {
                if form.len() >= MIN_SECRET_BYTES && !known.contains(&form) {
                    known.push(form);
                }
            }
        }
        known.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        Self { secrets: known }
    }

    /// Knows the secrets of the settings.
    #[must_use]
    pub fn of(config: &Config) -> Self {
        let mut secrets: Vec<SecretString> = config.server.token.iter().cloned().collect();
        for provider in config.providers.values() {
            secrets.extend(provider.api_key.iter().chain(provider.extra_headers.values()).cloned());
            let is_secret = |name: &str| SECRET_PARAMETERS.iter().any(|part| name.to_ascii_lowercase().contains(part));
            let parameters = provider.extra_query.iter().filter(|(name, _)| is_secret(name));
            secrets.extend(parameters.map(|(_, value)| SecretString::from(value.as_str())));
            let proxy = provider.proxy.iter().filter_map(|proxy| password(proxy.expose_secret()));
            secrets.extend(proxy.map(SecretString::from));
        }
        Self::new(secrets.iter().map(|secret| secret.expose_secret()))
    }

    /// The text without secrets.
    #[must_use]
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        // Whole ones first: one may begin as another does.
        for secret in &self.secrets {
            out = out.replace(secret, MASK);
        }
        for secret in &self.secrets {
            out = without_end(&without(&out, secret), secret);
        }
        shapes::mask(&out)
    }

    /// The value with every text in it, and every name, without secrets.
    #[must_use]
    pub fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(&text)),
            Value::Array(items) => Value::Array(items.into_iter().map(|item| self.value(item)).collect()),
            Value::Object(fields) => {
                Value::Object(fields.into_iter().map(|(name, value)| (self.text(&name), self.value(value))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

impl Runtime {
    /// What is to be shown, as JSON without secrets.
    ///
    /// # Errors
    /// When it cannot be written as JSON.
    pub fn masked<T: Serialize>(&self, shown: &T) -> Result<Value, RuntimeError> {
        let value = serde_json::to_value(shown)
            .map_err(|error| RuntimeError::Store(nanobot_store::StoreError::Other(error.to_string())))?;
        Ok(Masker::of(&self.config().current()).value(value))
    }
}

/// The password in the address of a proxy.
fn password(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let (credentials, _) = rest.rsplit_once('@')?;
    let (_, password) = credentials.split_once(':')?;
    Some(password.to_owned())
}

/// The text with each run of characters replaced that begins as the secret does: what is quoted may have been cut inside it.
pub(crate) fn without(text: &str, secret: &str) -> String {
    let Some((beginning, _)) = secret.split_at_checked(MIN_SECRET_BYTES) else { return text.to_owned() };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, _)) = rest.split_once(beginning) {
        out.push_str(before);
        out.push_str(MASK);
        let found = rest.get(before.len()..).unwrap_or_default();
        let same = found.chars().zip(secret.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        rest = found.get(same..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// The same for runs that end as the secret does.
fn without_end(text: &str, secret: &str) -> String {
    let place = secret.len().saturating_sub(MIN_SECRET_BYTES);
    let Some((_, end)) = secret.split_at_checked(place).filter(|_| secret.len() >= LONG_SECRET_BYTES) else {
        return text.to_owned();
    };
    let mut parts: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.rsplit_once(end) {
        parts.push(after);
        let found = rest.get(..rest.len() - after.len()).unwrap_or_default();
        let same: usize =
            found.chars().rev().zip(secret.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        rest = found.get(..found.len() - same).unwrap_or_default();
    }
    parts.push(rest);
    parts.reverse();
    parts.join(MASK)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn secrets_of_the_settings_go_wherever_they_are() {
        let masker = Masker::new(["Bearer abcdefgh12345678", "hunter2!\"quoted\"", "short", "  padded-secret  "]);
        for (text, want) in [
            ("the key is abcdefgh12345678.", "the key is ***."),
            ("cut: abcdefgh123… and …h12345678", "cut: ***… and …***"),
            ("abcdefgh12345678abcdefgh12345678", "******"),
            ("hunter2!\"quoted\" and {\"p\":\"hunter2!\\\"quoted\\\"\"}", "*** and {\"p\":\"***\"}"),
            ("a short word stays", "a short word stays"),
            ("padded-secret", "***"),
        ] {
            assert_eq!(masker.text(text), want, "{text}");
        }
        let value = json!({"a": ["abcdefgh12345678", 1, null], "abcdefgh12345678": {"deep": "xabcdefgh12345678x"}});
        assert_eq!(masker.value(value), json!({"a": ["***", 1, null], "***": {"deep": "x***x"}}));
    }

    #[test]
    fn settings_give_their_secrets() {
        let mut config = Config::default();
        config.server.token = Some("server-token-1".into());
        let mut provider =
            crate::config::ProviderConfig { api_key: Some("provider-key-1".into()), ..Default::default() };
        provider.extra_headers.insert("x-other".to_owned(), "Bearer header-value-1".into());
        provider.extra_query.insert("api_key".to_owned(), "query-value-1".to_owned());
        provider.extra_query.insert("api-version".to_owned(), "2024-10-21-preview".to_owned());
        provider.proxy = Some("http://user:proxy-password-1@proxy.example:3128".into());
        config.providers.insert("p".to_owned(), provider);
        let masker = Masker::of(&config);
        let text = "server-token-1 provider-key-1 header-value-1 query-value-1 proxy-password-1 2024-10-21-preview";
        assert_eq!(masker.text(text), "*** *** *** *** *** 2024-10-21-preview");
    }

    proptest! {
        #[test]
        fn no_secret_is_left_and_masking_twice_changes_nothing(
            secret in "[A-Za-z0-9+/_-]{8,40}",
            pieces in proptest::collection::vec("[a-z \n\"é]{0,20}", 1..6),
        ) {
            let text = pieces.join(&secret);
            let masker = Masker::new([secret.as_str()]);
            let masked = masker.text(&text);
            prop_assert!(!masked.contains(&secret), "{masked}");
            prop_assert_eq!(masker.text(&masked), masked);
        }

        #[test]
        fn any_text_is_met_and_ordinary_words_stay(text in any::<String>(), words in "[a-z ,.]{0,80}") {
            let masker = Masker::new(["0123456789abcdef"]);
            let masked = masker.text(&text);
            prop_assert_eq!(masker.text(&masked), masked);
            prop_assert_eq!(masker.text(&words), words);
        }
    }
}
