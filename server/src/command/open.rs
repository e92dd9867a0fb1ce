//! Opening a home: folder, settings, database, runtime.

use std::path::PathBuf;
use std::sync::Arc;

use nanobot_runtime::clock::SystemClock;
use nanobot_runtime::config::{ConfigStore, Home, Overrides, home_dir, process_env};
use nanobot_runtime::provider::Limits;
use nanobot_runtime::tool::ToolRegistry;
use nanobot_runtime::{Runtime, RuntimeOptions};
use nanobot_store::Store;

use super::Failure;
use crate::app::MAX_MESSAGE_CHARS;

/// A home that this process alone serves.
pub(super) struct Opened {
    pub(super) home: Home,
    pub(super) config: ConfigStore,
    pub(super) runtime: Runtime,
}

/// Where the home is.
pub(super) fn locate(flag: Option<PathBuf>) -> PathBuf {
    home_dir(flag, |name| std::env::var(name).ok())
}

/// Opens everything.
pub(super) async fn open(path: &std::path::Path, overrides: Overrides) -> Result<Opened, Failure> {
    let home = Home::prepare(path).map_err(|error| Failure::configuration(error.to_string()))?;
    let config = ConfigStore::open(home.path(), overrides, process_env())
        .map_err(|error| Failure::configuration(error.to_string()))?;
    for warning in config.warnings() {
        tracing::warn!(path = %warning.path, "{}", warning.detail);
    }
    let store = Store::open(&home.database()).await.map_err(|error| Failure::configuration(error.to_string()))?;
    let runtime = Runtime::new(RuntimeOptions {
        home: home.path().to_owned(),
        store,
        config: config.clone(),
        clock: Arc::new(SystemClock),
        tools: ToolRegistry::read_only(),
        hooks: Vec::new(),
        turn_hooks: Vec::new(),
        max_message_chars: MAX_MESSAGE_CHARS,
        model_limits: Limits::default(),
        dice: fastrand::f64,
    });
    Ok(Opened { home, config, runtime })
}
