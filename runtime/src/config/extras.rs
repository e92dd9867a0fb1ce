//! What a provider gets on top of the usual: headers, query parameters, body fields and a proxy, checked without ever repeating a value.

use std::collections::BTreeMap;

use reqwest::Url;
use reqwest::header::{HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};
use toml::Spanned;
use toml::de::{DeTable, ValueDeserializer};

use super::types::ProviderConfig;

/// Headers that belong to the connection and its body, and not to a provider.
const OWN_HEADERS: &[&str] = &["connection", "content-length", "host", "transfer-encoding"];

/// How a proxy is written that shall never be one.
const NO_PROXY: &str = "none";

/// What stands for user and password of an address that people are shown.
pub(crate) const HIDDEN_CREDENTIALS: &str = "***";

/// The extras as the file has them, with the names of variables in place of their values: what people are shown, and may send back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WrittenExtras {
    /// Parameters behind the address.
    pub query: BTreeMap<String, String>,
    /// Fields for the body.
    pub body: Map<String, Value>,
}

/// What `proxy` of a provider means.
#[derive(Clone, Debug)]
pub(crate) enum ProxyChoice {
    /// Never one.
    Never,
    /// This one.
    Through(Url),
}

impl ProxyChoice {
    /// Reads a `proxy` setting. The error says what is wrong, without the setting.
    pub(crate) fn parse(text: &str) -> Result<Self, &'static str> {
        let text = text.trim();
        if text.is_empty() || text.eq_ignore_ascii_case(NO_PROXY) {
            return Ok(Self::Never);
        }
        let wrong = "is no proxy: write it like http://127.0.0.1:3128 or socks5://127.0.0.1:1080, or \"none\"";
        let url = Url::parse(text).map_err(|_| wrong)?;
        if !matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h") || url.host_str().is_none_or(str::is_empty)
        {
            return Err(wrong);
        }
        // What people are shown must not become the password when it comes back.
        if url.username() == HIDDEN_CREDENTIALS {
            return Err("has *** where user and password belong: give them again");
        }
        Ok(Self::Through(url))
    }

    /// What people see of a `proxy` setting.
    pub(crate) fn shown(text: &str) -> String {
        let Ok(Self::Through(mut url)) = Self::parse(text) else { return NO_PROXY.to_owned() };
        let has_credentials = !url.username().is_empty() || url.password().is_some();
        // Both succeed for an address with a host.
        if has_credentials && (url.set_username(HIDDEN_CREDENTIALS).is_err() || url.set_password(None).is_err()) {
            return HIDDEN_CREDENTIALS.to_owned();
        }
        let text = url.as_str();
        text.strip_suffix('/').unwrap_or(text).to_owned()
    }
}

pub(crate) fn headers<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, SecretString>, D::Error> {
    let headers = texts(deserializer)?;
    for (name, value) in &headers {
        let known = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            D::Error::custom(format!("{name:?} is no header name: it has letters, digits and dashes, and no spaces"))
        })?;
        if OWN_HEADERS.contains(&known.as_str()) {
            return Err(D::Error::custom(format!("{name:?} cannot be set: it follows from the request")));
        }
        if HeaderValue::from_str(value).is_err() {
            let detail = format!("the value of {name:?} has characters that a header cannot have, as line breaks");
            return Err(D::Error::custom(detail));
        }
    }
    Ok(headers.into_iter().map(|(name, value)| (name, value.into())).collect())
}

pub(crate) fn query<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    texts(deserializer)
}

pub(crate) fn body<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Map<String, Value>, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        toml::Value::Table(table) => to_json_object(table).map_err(D::Error::custom),
        _ => Err(D::Error::custom("must be a section")),
    }
}

pub(crate) fn proxy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<SecretString>, D::Error> {
    match toml::Value::deserialize(deserializer)? {
        toml::Value::String(text) => {
            ProxyChoice::parse(&text).map_err(D::Error::custom)?;
            Ok(Some(text.into()))
        }
        _ => Err(D::Error::custom("must be a string")),
    }
}

/// A table of strings. The parser's own messages would repeat a value of a wrong kind.
fn texts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let toml::Value::Table(table) = toml::Value::deserialize(deserializer)? else {
        return Err(D::Error::custom("must be a section of strings"));
    };
    let text = |(name, value)| match value {
        toml::Value::String(text) => Ok((name, text)),
        _ => Err(D::Error::custom(format!("{name:?} must be a string"))),
    };
    table.into_iter().map(text).collect()
}

fn to_json_object(table: toml::Table) -> Result<Map<String, Value>, String> {
    table
        .into_iter()
        .map(|(key, value)| match to_json(value) {
            Ok(value) => Ok((key, value)),
            Err(why) => Err(format!("{key:?} {why}")),
        })
        .collect()
}

fn to_json(value: toml::Value) -> Result<Value, String> {
    Ok(match value {
        toml::Value::String(text) => Value::String(text),
        toml::Value::Integer(number) => Value::from(number),
        toml::Value::Float(number) => Value::Number(
            Number::from_f64(number).ok_or_else(|| "must be a finite number: JSON has no other".to_owned())?,
        ),
        toml::Value::Boolean(value) => Value::Bool(value),
        toml::Value::Datetime(time) => Value::String(time.to_string()),
        toml::Value::Array(items) => Value::Array(items.into_iter().map(to_json).collect::<Result<_, _>>()?),
        toml::Value::Table(table) => Value::Object(to_json_object(table)?),
    })
}

/// Remembers what the extras say in a table whose variables are not replaced yet.
pub(crate) fn remember_written(providers: &mut BTreeMap<String, ProviderConfig>, table: &DeTable<'_>) {
    let Some(sections) = table.get("providers").and_then(|value| value.get_ref().as_table()) else { return };
    for (name, provider) in providers {
        let section = sections.get(name.as_str()).and_then(|value| value.get_ref().as_table());
        let Some(section) = section else { continue };
        provider.written = WrittenExtras {
            query: read(section, "extra_query").unwrap_or_default(),
            body: read::<toml::Table>(section, "extra_body")
                .and_then(|table| to_json_object(table).ok())
                .unwrap_or_default(),
        };
    }
}

fn read<T: DeserializeOwned>(section: &DeTable<'_>, key: &str) -> Option<T> {
    let value = Spanned::new(0..0, section.get(key)?.get_ref().clone());
    T::deserialize(ValueDeserializer::from(value)).ok()
}

/// Whether two tables of headers say the same.
pub(crate) fn same_headers(left: &BTreeMap<String, SecretString>, right: &BTreeMap<String, SecretString>) -> bool {
    left.len() == right.len()
        && left.iter().all(|(name, value)| right.get(name).is_some_and(|other| same_secret(Some(value), Some(other))))
}

pub(crate) fn same_secret(left: Option<&SecretString>, right: Option<&SecretString>) -> bool {
    left.map(ExposeSecret::expose_secret) == right.map(ExposeSecret::expose_secret)
}

#[cfg(test)]
mod tests;
