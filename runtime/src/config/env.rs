//! What the environment adds to the file: `${VAR}` in its strings, and `NANOBOT__SECTION__KEY` variables over its keys.

use std::borrow::Cow;
use std::collections::BTreeMap;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ConfigError, ConfigWarning};
use super::load::SpannedValue;
use super::nearest::unknown_key;
use super::schema::{EXTRA_HEADERS, ROOT, Shape, join};

const PREFIX: &str = "NANOBOT__";

/// The environment of this process, without variables that are no Unicode.
#[must_use]
pub fn process_env() -> BTreeMap<String, String> {
    let unicode = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(unicode).collect()
}

/// What `${VAR}` was found to stand for.
#[derive(Debug, Default)]
pub(crate) struct Expanded {
    /// The variable of each string that is nothing but a variable, by path.
    pub(crate) variables: BTreeMap<String, String>,
}

/// Which variables were put over the file.
#[derive(Debug, Default)]
pub(crate) struct Overlay<'e> {
    /// Position behind the end of the text from which on a position names a variable.
    base: usize,
    variables: Vec<&'e str>,
    /// The variable of each key that comes from one, by path.
    pub(crate) variables_by_path: BTreeMap<String, String>,
}

impl<'e> Overlay<'e> {
    /// The variable whose value was given this position.
    pub(crate) fn variable_at(&self, position: usize) -> Option<&'e str> {
        self.variables.get(position.checked_sub(self.base)?).copied()
    }
}

/// Replaces `${VAR}` in the strings of all sections that are read. `$${` stands for `${` itself.
///
/// A key whose string is nothing but a variable that is not set counts as not given.
pub(crate) fn expand(
    table: &mut DeTable<'_>,
    env: &BTreeMap<String, String>,
    warnings: &mut Vec<ConfigWarning>,
) -> Expanded {
    let mut expanded = Expanded::default();
    expand_table(table, ROOT, "", env, warnings, &mut expanded);
    expanded
}

fn expand_table(
    table: &mut DeTable<'_>,
    shape: Shape,
    path: &str,
    env: &BTreeMap<String, String>,
    warnings: &mut Vec<ConfigWarning>,
    expanded: &mut Expanded,
) {
    let mut unset = Vec::new();
    for (key, value) in table.iter_mut() {
        let here = join(path, key.get_ref());
        let Some(shape) = shape.child(key.get_ref()) else { continue };
        match (shape, value.get_mut()) {
            (Shape::Section(_) | Shape::Named(_) | Shape::Free | Shape::Any, DeValue::Table(table)) => {
                expand_table(table, shape, &here, env, warnings, expanded);
            }
            (Shape::List(keys), DeValue::Array(items)) => {
                for (index, item) in items.iter_mut().enumerate() {
                    if let DeValue::Table(table) = item.get_mut() {
                        expand_table(table, Shape::Section(keys), &format!("{here}[{index}]"), env, warnings, expanded);
                    }
                }
            }
            (Shape::Text | Shape::Value | Shape::Any, value) => {
                if expand_value(value, &here, env, warnings, expanded) == Found::NothingButUnset {
                    unset.push(key.get_ref().to_string());
                }
            }
            (Shape::Section(_) | Shape::Named(_) | Shape::List(_) | Shape::Free | Shape::Opaque, _) => {}
        }
    }
    for key in unset {
        table.remove(key.as_str());
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// There is a value.
    Value,
    /// The string was one variable, and that one is not set.
    NothingButUnset,
}

fn expand_value(
    value: &mut DeValue<'_>,
    path: &str,
    env: &BTreeMap<String, String>,
    warnings: &mut Vec<ConfigWarning>,
    expanded: &mut Expanded,
) -> Found {
    match value {
        DeValue::String(text) => {
            if let Some(name) = sole_variable(text) {
                expanded.variables.insert(path.to_owned(), name.to_owned());
            }
            let (result, missing) = expand_text(text, env);
            for name in &missing {
                let detail = format!("environment variable {name} is not set; set it or write the value here");
                warnings.push(ConfigWarning { path: path.to_owned(), detail });
            }
            let found = if result.is_empty() && !missing.is_empty() { Found::NothingButUnset } else { Found::Value };
            if let Cow::Owned(result) = result {
                *text = Cow::Owned(result);
            }
            found
        }
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                expand_value(item.get_mut(), path, env, warnings, expanded);
            }
            Found::Value
        }
        DeValue::Table(table) => {
            expand_table(table, Shape::Any, path, env, warnings, expanded);
            Found::Value
        }
        DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => Found::Value,
    }
}

/// The text with its variables replaced, and the names of those that are not set.
fn expand_text<'t>(text: &'t str, env: &BTreeMap<String, String>) -> (Cow<'t, str>, Vec<String>) {
    let mut missing = Vec::new();
    let mut result = String::new();
    let mut rest = text;
    let mut changed = false;
    while let Some((before, after)) = rest.split_once("${") {
        if let Some(before) = before.strip_suffix('$') {
            result.push_str(before);
            result.push_str("${");
            rest = after;
            changed = true;
            continue;
        }
        result.push_str(before);
        match after.split_once('}').filter(|(name, _)| is_variable(name)) {
            Some((name, after)) => {
                match env.get(name) {
                    Some(value) => result.push_str(value),
                    None => missing.push(name.to_owned()),
                }
                rest = after;
                changed = true;
            }
            None => {
                result.push_str("${");
                rest = after;
            }
        }
    }
    if !changed {
        return (Cow::Borrowed(text), missing);
    }
    result.push_str(rest);
    (Cow::Owned(result), missing)
}

/// The name in a string that is nothing but `${NAME}`.
fn sole_variable(text: &str) -> Option<&str> {
    text.strip_prefix("${")?.strip_suffix('}').filter(|name| is_variable(name))
}

fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Puts the `NANOBOT__SECTION__KEY` variables over the table. Their values get positions from `text_len` on, one for each variable.
///
/// # Errors
/// When a variable goes into something that is no section.
pub(crate) fn overlay<'e>(
    table: &mut DeTable<'e>,
    env: &'e BTreeMap<String, String>,
    text_len: usize,
    warnings: &mut Vec<ConfigWarning>,
) -> Result<Overlay<'e>, ConfigError> {
    // One position stays free, for errors at the end of the text.
    let mut overlay = Overlay { base: text_len + 1, ..Overlay::default() };
    for (variable, raw) in env {
        let Some(names) = variable.strip_prefix(PREFIX) else { continue };
        let position = overlay.base + overlay.variables.len();
        let names: Vec<String> = names.split("__").map(str::to_lowercase).collect();
        let (path, shape) = match place(table, &names) {
            Ok(found) => found,
            Err(unknown) => {
                let detail = format!("{} (environment variable {variable})", unknown.detail);
                warnings.push(ConfigWarning { path: unknown.path, detail });
                continue;
            }
        };
        let value = at_position(parse_value(raw, shape), position);
        let joined = path.iter().fold(String::new(), |joined, name| join(&joined, name));
        put(table, &path, value, position).map_err(|()| ConfigError::Environment {
            variable: variable.clone(),
            detail: format!("`{joined}` is inside of something that is no section"),
        })?;
        overlay.variables_by_path.insert(joined, variable.clone());
        overlay.variables.push(variable);
    }
    Ok(overlay)
}

/// The keys that a variable's name means: those of the schema, and under names those of the file, which may have dashes and capitals.
fn place(table: &DeTable<'_>, names: &[String]) -> Result<(Vec<String>, Shape), ConfigWarning> {
    let mut shape = ROOT;
    let mut at = Some(table);
    let mut path = Vec::new();
    let mut joined = String::new();
    for name in names {
        let key = match shape {
            Shape::Named(_) | Shape::Free | Shape::Any | Shape::Opaque => {
                let same = |key: &str| key.to_lowercase().replace('-', "_") == name.replace('-', "_");
                let existing = at.and_then(|at| at.keys().find(|key| same(key.get_ref())));
                existing.map_or_else(|| new_name(&path, name), |key| key.get_ref().to_string())
            }
            Shape::Section(_) | Shape::List(_) | Shape::Text | Shape::Value => name.clone(),
        };
        let child = if key.is_empty() { None } else { shape.child(&key) };
        let here = join(&joined, &key);
        let Some(child) = child else { return Err(ConfigWarning { path: here, detail: unknown_key(shape, &key) }) };
        at = at.and_then(|at| at.get(key.as_str())).and_then(|value| value.get_ref().as_table());
        shape = child;
        joined = here;
        path.push(key);
    }
    Ok((path, shape))
}

/// A name that the file does not have. Variables cannot have dashes, and headers hardly ever have underscores.
fn new_name(path: &[String], name: &str) -> String {
    if path.last().is_some_and(|section| section == EXTRA_HEADERS) { name.replace('_', "-") } else { name.to_owned() }
}

/// A variable's value: a string where the schema wants one, else TOML, else a string.
fn parse_value(raw: &str, shape: Shape) -> DeValue<'_> {
    let text = || DeValue::String(Cow::Borrowed(raw));
    let Ok(parsed) = DeValue::parse(raw.trim()) else { return text() };
    let value = parsed.into_inner();
    match shape {
        Shape::Text if !value.is_str() => text(),
        Shape::Text
        | Shape::Value
        | Shape::Section(_)
        | Shape::Named(_)
        | Shape::List(_)
        | Shape::Free
        | Shape::Any
        | Shape::Opaque => value,
    }
}

/// The value with every position in it replaced.
fn at_position(mut value: DeValue<'_>, position: usize) -> SpannedValue<'_> {
    match &mut value {
        DeValue::Array(items) => {
            for item in items.iter_mut() {
                let inner = std::mem::replace(item.get_mut(), DeValue::Boolean(false));
                *item = at_position(inner, position);
            }
        }
        DeValue::Table(table) => {
            for (_, item) in table.iter_mut() {
                let inner = std::mem::replace(item.get_mut(), DeValue::Boolean(false));
                *item = at_position(inner, position);
            }
        }
        DeValue::String(_) | DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {}
    }
    Spanned::new(position..position + 1, value)
}

/// Sets a value, with the sections on the way to it.
fn put<'i>(table: &mut DeTable<'i>, path: &[String], value: SpannedValue<'i>, position: usize) -> Result<(), ()> {
    let Some((last, sections)) = path.split_last() else { return Err(()) };
    let span = || position..position + 1;
    let mut table = table;
    for name in sections {
        let key = Spanned::new(span(), Cow::Owned(name.clone()));
        let entry = table.entry(key).or_insert_with(|| Spanned::new(span(), DeValue::Table(DeTable::new())));
        match entry.get_mut() {
            DeValue::Table(inner) => table = inner,
            DeValue::String(_)
            | DeValue::Integer(_)
            | DeValue::Float(_)
            | DeValue::Boolean(_)
            | DeValue::Datetime(_)
            | DeValue::Array(_) => return Err(()),
        }
    }
    table.insert(Spanned::new(span(), Cow::Owned(last.clone())), value);
    Ok(())
}

#[cfg(test)]
mod tests;
