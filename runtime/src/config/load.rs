//! Reads a configuration: the text of the file, what the environment and the command line put over it, and what looks wrong.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use serde::Deserialize;
use serde::de::IntoDeserializer;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::env::{self, Expanded};
use super::error::{ConfigError, ConfigWarning};
use super::extras;
use super::hooks;
use super::nearest::{nearest, unknown_key};
use super::resolve::DEMO_PROVIDER;
use super::schema::{ROOT, Shape, join};
use super::types::{Config, ProviderKind};
use crate::plain::plain;

/// What the command line says; it wins over everything else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--host`
    pub host: Option<String>,
    /// `--port`
    pub port: Option<u16>,
}

/// A configuration with what a person should look at.
#[derive(Clone, Debug, Default)]
pub struct ConfigLoad {
    /// The settings.
    pub config: Config,
    /// What looks wrong but does not stop anything.
    pub warnings: Vec<ConfigWarning>,
}

impl ConfigLoad {
    /// Reads the text of a file; `file` is its name for messages.
    ///
    /// # Errors
    /// When the text is no TOML, or a key has a value that it does not take, there or in the environment.
    pub fn from_text(
        text: &str,
        file: &Path,
        env: &BTreeMap<String, String>,
        overrides: &Overrides,
    ) -> Result<Self, ConfigError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let invalid = |error: &toml::de::Error, key: Option<String>| ConfigError::Invalid {
            file: file.to_owned(),
            line: line_of(text, error.span().unwrap_or_default().start),
            detail: detail_for(key.as_deref(), error.message()),
            key,
        };
        let mut warnings = Vec::new();
        let mut table = DeTable::parse(text).map_err(|error| invalid(&error, None))?;
        report_unknown(table.get_ref(), ROOT, "", &mut warnings);
        let mut written = table.clone();
        env::overlay(written.get_mut(), env, text.len(), &mut Vec::new())?;
        let expanded = env::expand(table.get_mut(), env, &mut warnings);
        let overlay = env::overlay(table.get_mut(), env, text.len(), &mut warnings)?;
        warnings.retain(|warning: &ConfigWarning| !overlay.variables_by_path.contains_key(&warning.path));
        let read = Config::deserialize(table.clone().into_deserializer());
        let mut config = read.map_err(|error| {
            let span = error.span().unwrap_or_default();
            let key = key_at(table.get_ref(), &span, "");
            match overlay.variable_at(span.start) {
                Some(variable) => ConfigError::Environment {
                    variable: variable.to_owned(),
                    detail: detail_for(key.as_deref(), error.message()),
                },
                None => invalid(&error, key),
            }
        })?;
        extras::remember_written(&mut config.providers, written.get_ref());
        name_key_variables(&mut config, &expanded, &overlay.variables_by_path);
        if let Some(host) = &overrides.host {
            config.server.host.clone_from(host);
        }
        if let Some(port) = overrides.port {
            config.server.port = port;
        }
        hooks::drop_unknown(&mut config.hooks, &mut warnings);
        warnings.extend(reference_problems(&config).into_iter().map(ReferenceProblem::into_warning));
        Ok(Self { config, warnings })
    }
}

/// A name that leads nowhere, or an address that cannot be used.
#[derive(Clone, Debug)]
pub(crate) struct ReferenceProblem {
    /// The key.
    path: String,
    /// What is wrong.
    problem: String,
    /// What to do or what is done instead; depends on the rest of the settings.
    advice: String,
}

impl ReferenceProblem {
    /// Whether both are about the same fault, whatever the advice.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.path == other.path && self.problem == other.problem
    }

    pub(crate) fn into_warning(self) -> ConfigWarning {
        ConfigWarning { path: self.path, detail: self.problem + &self.advice }
    }
}

/// Names that lead nowhere and addresses that cannot be used.
pub(crate) fn reference_problems(config: &Config) -> Vec<ReferenceProblem> {
    let mut problems = Vec::new();
    let mut add = |path: String, problem: &str, advice: String| {
        problems.push(ReferenceProblem { path, problem: problem.to_owned(), advice });
    };
    for (name, provider) in &config.providers {
        let path = join("providers", name);
        match provider.base_url_for(name) {
            Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => {
                add(join(&path, "base_url"), "must start with http:// or https://", String::new());
            }
            None if name != DEMO_PROVIDER && provider.kind != Some(ProviderKind::Demo) => {
                add(join(&path, "base_url"), "is missing, and no address is known for this name", String::new());
            }
            Some(_) | None => {}
        }
    }
    let no_preset = |name: &str| format!("there is no preset `{name}`");
    for (name, preset) in &config.presets {
        let path = join("presets", name);
        if preset.provider.is_empty() {
            add(join(&path, "provider"), "is missing", String::new());
        } else if config.provider(&preset.provider).is_none() {
            let problem = format!("there is no provider `{}`; add it under `providers`", preset.provider);
            add(join(&path, "provider"), &problem, String::new());
        }
        if preset.model.is_empty() {
            add(join(&path, "model"), "is missing", String::new());
        }
        for fallback in preset.fallbacks.iter().filter(|fallback| config.preset_name(fallback).is_none()) {
            let others = config.presets.keys().filter(|other| *other != name).map(String::as_str);
            let advice = nearest(others, fallback).map(|near| format!("; did you mean `{near}`?"));
            add(join(&path, "fallbacks"), &no_preset(fallback), advice.unwrap_or_default());
        }
    }
    if let Some(name) = config.agent.preset.as_ref().filter(|name| config.preset_name(name).is_none()) {
        let advice = config.default_preset().map(|used| format!("; `{used}` is used instead"));
        add("agent.preset".to_owned(), &no_preset(name), advice.unwrap_or_default());
    }
    problems
}

/// Reports every key that is in no section, with its path.
fn report_unknown(table: &DeTable<'_>, shape: Shape, path: &str, warnings: &mut Vec<ConfigWarning>) {
    for (key, value) in table {
        let key: &str = key.get_ref();
        let here = join(path, key);
        match (shape.child(key), value.get_ref()) {
            (None, _) => warnings.push(ConfigWarning { path: here, detail: unknown_key(shape, key) }),
            (Some(child @ (Shape::Section(_) | Shape::Named(_))), DeValue::Table(table)) => {
                report_unknown(table, child, &here, warnings);
            }
            (Some(Shape::List(keys)), DeValue::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    if let DeValue::Table(table) = item.get_ref() {
                        report_unknown(table, Shape::Section(keys), &format!("{here}[{index}]"), warnings);
                    }
                }
            }
            (Some(_), _) => {}
        }
    }
}

/// Remembers for each provider which variable its key came from.
fn name_key_variables(config: &mut Config, expanded: &Expanded, overlaid: &BTreeMap<String, String>) {
    for (name, provider) in &mut config.providers {
        let path = join(&join("providers", name), "api_key");
        provider.api_key_env = overlaid.get(&path).or_else(|| expanded.variables.get(&path)).cloned();
        let is_empty = |key: &secrecy::SecretString| secrecy::ExposeSecret::expose_secret(key).trim().is_empty();
        provider.api_key = provider.api_key.take().filter(|key| !is_empty(key));
    }
}

/// The path of the innermost key whose value covers the start of the span.
fn key_at(table: &DeTable<'_>, span: &Range<usize>, path: &str) -> Option<String> {
    for (key, value) in table {
        let here = join(path, key.get_ref());
        if let Some(found) = place_in(value, span, here) {
            return Some(found);
        }
    }
    None
}

fn place_in(value: &SpannedValue<'_>, span: &Range<usize>, here: String) -> Option<String> {
    let inner = match value.get_ref() {
        DeValue::Table(table) => key_at(table, span, &here),
        DeValue::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| place_in(item, span, format!("{here}[{index}]")))
        }
        _ => None,
    };
    let covers = value.span().contains(&span.start) || value.span() == *span;
    inner.or_else(|| covers.then_some(here))
}

/// The message of the parser in plain words; for a secret one that cannot repeat it.
fn detail_for(key: Option<&str>, message: &str) -> String {
    let secret =
        key.is_some_and(|key| key == "server.token" || (key.starts_with("providers.") && key.ends_with(".api_key")));
    if secret {
        return "must be a string".to_owned();
    }
    plain(message)
}

/// Line, from 1, of a byte position.
fn line_of(text: &str, position: usize) -> usize {
    text.bytes().take(position).filter(|byte| *byte == b'\n').count() + 1
}

/// One value of the file or the environment.
pub(crate) type SpannedValue<'i> = Spanned<DeValue<'i>>;

#[cfg(test)]
mod tests;
