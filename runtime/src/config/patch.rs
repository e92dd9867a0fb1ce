//! A change of settings as clients send it: a merge patch that is checked against the schema and applied without touching anything else.

mod list;

use std::fmt;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value as Json};
use toml_edit::{DocumentMut, InlineTable, Item, Table, TableLike, Value};
use utoipa::ToSchema;

use super::error::ConfigError;
use super::nearest::unknown_key;
use super::schema::{PATCHABLE, ROOT, Shape, join};
use super::values;

/// Longest name of a provider or preset, in characters.
const MAX_NAME_CHARS: usize = 64;

/// What to say about a `null` that is no removal.
const NO_NULL: &str = "must not be null: TOML has no null; leave the key out";

/// A merge patch (RFC 7396) of `{providers?, presets?, agent?, budget?, permissions?}`: `null` removes a key, a list is set as a
/// whole. Deserialising it refuses what the settings do not
/// have, with the path.
#[derive(Clone, PartialEq, Deserialize, ToSchema)]
#[serde(try_from = "Json")]
#[schema(value_type = Object)]
pub struct SettingsPatch(Map<String, Json>);

impl SettingsPatch {
    /// Checks a patch.
    ///
    /// # Errors
    /// [`ConfigError::Refused`] when it names keys that do not exist or cannot be changed, or has a wrong kind of value.
    pub fn new(patch: Json) -> Result<Self, ConfigError> {
        let Json::Object(sections) = patch else { return Err(refused("", "a patch must be an object")) };
        for (name, section) in &sections {
            let shape = ROOT.child(name).ok_or_else(|| refused(name, &unknown_key(ROOT, name)))?;
            if !PATCHABLE.contains(&name.as_str()) {
                return Err(refused(name, "cannot be changed here; edit config.toml"));
            }
            if section.is_null() {
                return Err(refused(name, "cannot be removed as a whole; name the keys to remove"));
            }
            check(section, shape, &join("", name))?;
        }
        Ok(Self(sections))
    }

    /// The text of the file with the patch applied; everything else stays byte for byte.
    pub(crate) fn apply(&self, before: &str, file: &Path) -> Result<String, ConfigError> {
        let (mark, text) = before.strip_prefix('\u{feff}').map_or(("", before), |text| ("\u{feff}", text));
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
            let start = error.span().unwrap_or_default().start;
            ConfigError::Invalid {
                file: file.to_owned(),
                line: text.bytes().take(start).filter(|byte| *byte == b'\n').count() + 1,
                key: None,
                detail: error.message().trim().replace('\n', ", "),
            }
        })?;
        merge(document.as_table_mut(), Style::Headed, &self.0, ROOT, "")?;
        let mut result = document.to_string();
        if text.contains("\r\n") && text.matches('\n').count() == text.matches("\r\n").count() {
            result = result.replace("\r\n", "\n").replace('\n', "\r\n");
        }
        Ok(format!("{mark}{result}"))
    }

    /// A result that lost half of its size without the patch having removed anything is somebody's mistake.
    pub(crate) fn check_size(&self, before: &str, after: &str) -> Result<(), ConfigError> {
        if after.len() < before.len() / 2 && !removes(&Json::Object(self.0.clone())) {
            return Err(refused("", "the result would be less than half of config.toml, so nothing was saved"));
        }
        Ok(())
    }

    /// The path of the first value in the patch.
    pub(crate) fn first_path(&self) -> String {
        let mut path = String::new();
        let mut next = self.0.iter().next();
        while let Some((key, value)) = next {
            path = join(&path, key);
            next = value.as_object().and_then(|inner| inner.iter().next());
        }
        path
    }
}

impl TryFrom<Json> for SettingsPatch {
    type Error = ConfigError;

    fn try_from(patch: Json) -> Result<Self, ConfigError> {
        Self::new(patch)
    }
}

/// Shows the keys and no value, since one may be a secret.
impl fmt::Debug for SettingsPatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut paths = Vec::new();
        list_paths(&self.0, "", &mut paths);
        formatter.debug_tuple("SettingsPatch").field(&paths).finish()
    }
}

fn list_paths(object: &Map<String, Json>, path: &str, paths: &mut Vec<String>) {
    for (key, value) in object {
        let here = join(path, key);
        match value {
            Json::Object(inner) => list_paths(inner, &here, paths),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => paths.push(here),
        }
    }
}

fn refused(path: &str, detail: &str) -> ConfigError {
    ConfigError::Refused { path: path.to_owned(), detail: detail.to_owned() }
}

fn removes(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::Object(inner) => inner.values().any(removes),
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => false,
    }
}

fn check(value: &Json, shape: Shape, path: &str) -> Result<(), ConfigError> {
    match (shape, value) {
        (_, Json::Null) => Ok(()),
        (Shape::Section(_) | Shape::Named(_), Json::Object(keys)) => keys.iter().try_for_each(|(key, value)| {
            let here = join(path, key);
            if matches!(shape, Shape::Named(_)) {
                check_name(key, &here)?;
            }
            let child = shape.child(key).ok_or_else(|| refused(&here, &unknown_key(shape, key)))?;
            check(value, child, &here)
        }),
        (Shape::Free, Json::Object(_)) => Ok(()),
        (Shape::Section(_) | Shape::Named(_) | Shape::Free, _) => Err(refused(path, "must be an object")),
        (Shape::Text, Json::String(_)) | (Shape::Value, Json::Number(_)) => {
            let key = path.rsplit('.').next().unwrap_or(path);
            values::problem(key, value).map_or(Ok(()), |problem| Err(refused(path, problem)))
        }
        (Shape::Text, _) => Err(refused(path, "must be a string")),
        (Shape::Value, Json::Object(_)) => Err(refused(path, "must not be an object")),
        (Shape::List(_), Json::Array(items)) => {
            items.iter().enumerate().try_for_each(|(index, item)| check_item(item, shape, &format!("{path}[{index}]")))
        }
        (Shape::List(_), _) => Err(refused(path, "must be a list")),
        (Shape::Value | Shape::Any | Shape::Opaque, _) => Ok(()),
    }
}

/// One section of a list. A list is set as a whole, so a section names all that it has.
fn check_item(item: &Json, list: Shape, path: &str) -> Result<(), ConfigError> {
    let Json::Object(keys) = item else { return Err(refused(path, "must be an object")) };
    keys.iter().try_for_each(|(key, value)| {
        let here = join(path, key);
        let shape = list.item().child(key).ok_or_else(|| refused(&here, &unknown_key(list.item(), key)))?;
        if value.is_null() { Err(refused(&here, NO_NULL)) } else { check(value, shape, &here) }
    })
}

fn check_name(name: &str, path: &str) -> Result<(), ConfigError> {
    let fits = !name.trim().is_empty() && name.trim() == name && name.chars().count() <= MAX_NAME_CHARS;
    if fits && !name.chars().any(char::is_control) {
        return Ok(());
    }
    Err(refused(
        path,
        &format!("a name has 1 to {MAX_NAME_CHARS} characters, none of them control characters or outer spaces"),
    ))
}

/// How sections that are not there yet are written inside of a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// With a header of their own.
    Headed,
    /// On one line.
    Inline,
}

fn merge(
    table: &mut dyn TableLike,
    style: Style,
    patch: &Map<String, Json>,
    shape: Shape,
    path: &str,
) -> Result<(), ConfigError> {
    for (key, value) in patch {
        let here = join(path, key);
        let child = shape.child(key).unwrap_or(Shape::Opaque);
        match (value, table.get_mut(key)) {
            (Json::Null, _) => {
                table.remove(key);
            }
            (Json::Object(inner), Some(item)) if item.is_table_like() => {
                let style = inner_style(item, child, style);
                let Some(existing) = item.as_table_like_mut() else { continue };
                merge(existing, style, inner, child, &here)?;
            }
            (Json::Object(inner), _) => {
                if matches!(child, Shape::Free | Shape::Any) {
                    refuse_null(inner, &here)?;
                }
                let mut created = new_section(style, child);
                let style = inner_style(&created, child, style);
                if let Some(created) = created.as_table_like_mut() {
                    merge(created, style, inner, child, &here)?;
                }
                table.insert(key, created);
            }
            (Json::Array(items), existing) if matches!(child, Shape::List(_)) => {
                let sections = list::sections(existing.as_deref(), items, child, &here)?;
                // Where a list on one line stood there would be two of the name.
                table.remove(key);
                table.insert(key, sections);
            }
            (_, Some(Item::Value(existing))) => {
                let mut changed = to_toml(value, child, &here)?;
                if !same(existing, &changed) {
                    *changed.decor_mut() = existing.decor().clone();
                    *existing = changed;
                }
            }
            (_, Some(_) | None) => {
                let created = to_toml(value, child, &here)?;
                table.insert(key, Item::Value(created));
            }
        }
    }
    Ok(())
}

/// Where there is nothing yet, a `null` removes nothing: it is meant to be sent, and the file cannot hold it.
fn refuse_null(object: &Map<String, Json>, path: &str) -> Result<(), ConfigError> {
    object.iter().try_for_each(|(key, value)| match value {
        Json::Null => Err(refused(&join(path, key), NO_NULL)),
        Json::Object(inner) => refuse_null(inner, &join(path, key)),
        Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => Ok(()),
    })
}

fn new_section(style: Style, shape: Shape) -> Item {
    match style {
        Style::Inline => Item::Value(Value::InlineTable(InlineTable::new())),
        Style::Headed => {
            let mut table = Table::new();
            table.set_implicit(matches!(shape, Shape::Named(_)));
            Item::Table(table)
        }
    }
}

/// Headers reach down to a single provider or preset; below that, and in what is on one line already, sections stay on one line.
fn inner_style(section: &Item, shape: Shape, outer: Style) -> Style {
    let headed = section.as_table().is_some_and(|table| !table.is_dotted());
    if headed && outer == Style::Headed && matches!(shape, Shape::Named(_)) { Style::Headed } else { Style::Inline }
}

fn to_toml(value: &Json, shape: Shape, path: &str) -> Result<Value, ConfigError> {
    match value {
        Json::String(text) => Ok(Value::from(text.as_str())),
        Json::Bool(value) => Ok(Value::from(*value)),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => Ok(Value::from(integer)),
            (None, Some(float)) if number.is_f64() => Ok(Value::from(float)),
            (None, _) => Err(refused(path, "the number is too large")),
        },
        Json::Array(items) => {
            let items: Result<Vec<Value>, ConfigError> = items.iter().map(|item| to_toml(item, shape, path)).collect();
            Ok(Value::Array(items?.into_iter().collect()))
        }
        Json::Object(inner) if matches!(shape, Shape::Any) => {
            let mut table = InlineTable::new();
            for (key, value) in inner {
                table.insert(key, to_toml(value, shape, &join(path, key))?);
            }
            Ok(Value::InlineTable(table))
        }
        Json::Null if matches!(shape, Shape::Any) => Err(refused(path, NO_NULL)),
        Json::Null | Json::Object(_) => Err(refused(path, "must be a list of single values")),
    }
}

/// Whether two single values mean the same; then the way it is written stays.
fn same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::String(left), Value::String(right)) => left.value() == right.value(),
        (Value::Integer(left), Value::Integer(right)) => left.value() == right.value(),
        (Value::Float(left), Value::Float(right)) => left.value() == right.value(),
        (Value::Boolean(left), Value::Boolean(right)) => left.value() == right.value(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right.iter()).all(|(left, right)| same(left, right))
        }
        (Value::InlineTable(left), Value::InlineTable(right)) => {
            left.len() == right.len()
                && left.iter().all(|(key, left)| right.get(key).is_some_and(|right| same(left, right)))
        }
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests;
