//! Configuration: what `config.toml` means, how it is read, changed and kept, and the home folder that it lives in.
//!
//! [`ConfigStore`] is where the rest of the product gets its settings from; [`Config`] is one consistent reading of them.

mod changes;
mod env;
mod error;
mod extras;
mod home;
mod hooks;
mod load;
mod nearest;
mod patch;
mod permissions;
mod registry;
mod resolve;
mod schema;
mod settings;
mod store;
mod types;
mod values;
mod write;

pub use changes::{ChangedValues, SettingChange};
pub use env::process_env;
pub use error::{ConfigError, ConfigWarning};
pub(crate) use extras::ProxyChoice;
pub use extras::WrittenExtras;
pub use home::{Home, HomeError, home_dir};
pub use hooks::{HookConfig, HookEvent, ToolGlob};
pub use load::{ConfigLoad, Overrides};
pub(crate) use nearest::nearest;
pub use patch::SettingsPatch;
pub use permissions::{ANYTHING, PermissionDecision, PermissionRule, exactly, glob_matches};
pub use registry::{KNOWN_PROVIDERS, KeyHeader, KnownProvider, known_provider};
pub use resolve::{PresetError, ResolvedPreset};
pub use settings::{HeaderState, HookView, PresetView, ProviderView, SettingsView};
pub use store::{ConfigStore, Patched};
pub use types::{
    Access, AgentConfig, BudgetConfig, Config, DEFAULT_CONTEXT_WINDOW_TOKENS, PresetConfig, Price, ProviderConfig,
    ProviderKind, RetryMode, ServerConfig, SubagentLimits, Titles,
};
