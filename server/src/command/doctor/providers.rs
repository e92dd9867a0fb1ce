//! Presets and the providers behind them: do the names lead somewhere, and does each provider answer.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use nanobot_engine::model::{ModelError, ModelErrorKind};
use nanobot_runtime::config::Config;
use nanobot_runtime::provider::{HttpClient, http_client, provider_models};

use super::report::{Check, Status};

/// How long one provider may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Who is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Each provider, once.
    Everybody,
    /// Nobody: `--offline`.
    Nobody,
}

/// Looks whether each preset can be used.
pub(super) fn presets(config: &Config) -> Vec<Check> {
    if config.presets.is_empty() {
        let detail =
            "no model is set up; open the page of the server, or add a [presets.default] section to config.toml";
        return vec![Check::warn("presets", detail)];
    }
    let mut checks = Vec::new();
    for name in config.presets.keys() {
        if let Err(error) = config.resolve_preset(Some(name)) {
            checks.push(Check::fail("presets", format!("{name}: {error}"), "correct it in the settings"));
        }
    }
    match config.default_preset() {
        None => checks.push(Check::warn("presets", "none is the default; name one in agent.preset")),
        Some(name) if checks.is_empty() => {
            let count = config.presets.len();
            checks.push(Check::ok("presets", format!("{count} can be used; new sessions use {name}")));
        }
        Some(_) => {}
    }
    checks
}

/// Asks each provider for its models.
pub(super) async fn check(config: &Config, reach: Reach) -> Vec<Check> {
    let used = config.presets.values().map(|preset| &preset.provider);
    let names: BTreeSet<&String> = config.providers.keys().chain(used).filter(|name| !name.is_empty()).collect();
    if names.is_empty() {
        return Vec::new();
    }
    if reach == Reach::Nobody {
        return vec![Check::ok("provider", format!("{} not asked, as --offline says", names.len()))];
    }
    // Without these no new session gets an answer; the others are somebody's choice.
    let needed: BTreeSet<String> =
        config.candidates(None).into_iter().flatten().map(|preset| preset.provider_name).collect();
    let client = http_client();
    let asked = names.into_iter().map(|name| {
        let status = if needed.contains(name) { Status::Fail } else { Status::Warn };
        ask(&client, config, name, status)
    });
    join_all(asked).await.into_iter().flatten().collect()
}

/// `None` for a provider that is not configured: its preset says so.
async fn ask(client: &HttpClient, config: &Config, name: &str, when_lost: Status) -> Option<Check> {
    let preset = config.provider(name)?.with_model(name, "");
    let since = Instant::now();
    let answer = match tokio::time::timeout(PATIENCE, provider_models(client, &preset)).await {
        Ok(answer) => answer,
        Err(_) => {
            let detail = format!("there was no answer within {} s", PATIENCE.as_secs());
            Err(ModelError::new(ModelErrorKind::Timeout, detail))
        }
    };
    Some(match answer {
        Ok(models) => {
            let detail = format!("{name} answers: {} models, {} ms", models.len(), since.elapsed().as_millis());
            Check::ok("provider", detail)
        }
        Err(error) => lost(name, &error, when_lost),
    })
}

fn lost(name: &str, error: &ModelError, when_lost: Status) -> Check {
    let detail = format!("{name}: {}", error.detail);
    match error.kind {
        ModelErrorKind::Auth => Check::fail("provider", detail, "give it another key").with_status(when_lost),
        // Some that answer well do not list their models.
        ModelErrorKind::NotFound | ModelErrorKind::BadResponse | ModelErrorKind::RefusedRequest => {
            Check::warn("provider", format!("{detail}; it may work all the same, so test it in the settings"))
        }
        ModelErrorKind::NoModel
        | ModelErrorKind::RateLimit
        | ModelErrorKind::Quota
        | ModelErrorKind::Unavailable
        | ModelErrorKind::Timeout
        | ModelErrorKind::Refusal
        | ModelErrorKind::ContextLength
        | ModelErrorKind::Truncated
        | ModelErrorKind::CircuitOpen => {
            Check::fail("provider", detail, "see that it runs and that its base_url is right").with_status(when_lost)
        }
    }
}
