//! `[[hooks]]`: outside programs that take part in turns.

use std::fmt;

use globset::{Glob, GlobMatcher};
use nanobot_engine::hook::HookMethod;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::error::ConfigWarning;
use super::nearest::nearest;

/// How long a program may take that does not say it, in milliseconds.
const DEFAULT_TIMEOUT_MS: u64 = 5_000;
/// The longest that a program may ask for, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 60_000;

/// The methods that a program can be run for.
const EVENTS: [HookMethod; 13] = [
    HookMethod::BeforeRun,
    HookMethod::AfterRun,
    HookMethod::OnError,
    HookMethod::OnFinally,
    HookMethod::BeforeIteration,
    HookMethod::AfterIteration,
    HookMethod::BeforeRequest,
    HookMethod::BeforeExecuteTools,
    HookMethod::BeforeExecuteTool,
    HookMethod::AfterExecuteTool,
    HookMethod::OnExecuteToolError,
    HookMethod::FinalizeContent,
    HookMethod::OnProviderToolEvent,
];

/// One `[[hooks]]`.
#[derive(Clone, Debug, Deserialize)]
pub struct HookConfig {
    /// When it runs.
    pub event: HookEvent,
    /// The tools it runs for, by a glob on their names; absent: all.
    #[serde(rename = "match", default)]
    pub tools: Option<ToolGlob>,
    /// Program and arguments.
    #[serde(deserialize_with = "command")]
    pub command: Vec<String>,
    /// The longest that it may take, in milliseconds.
    #[serde(default = "default_timeout_ms", deserialize_with = "timeout_ms")]
    pub timeout_ms: u64,
    /// Its name in logs and messages; the program's file name when absent.
    #[serde(default)]
    pub name: Option<String>,
    /// Whether its failure ends the turn.
    #[serde(default)]
    pub reraise: bool,
}

impl HookConfig {
    /// The given name, else the file name of the program. Arguments may hold secrets and are never part of it.
    #[must_use]
    pub fn shown_name(&self) -> &str {
        let program = || self.command.first().map(|program| program.rsplit('/').next().unwrap_or(program));
        self.name.as_deref().filter(|name| !name.trim().is_empty()).or_else(program).unwrap_or_default()
    }
}

/// The event of a hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// A method of the life of a run.
    Method(HookMethod),
    /// No event that exists. Such a hook is reported and left out.
    Unknown(String),
}

impl<'de> Deserialize<'de> for HookEvent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match HookMethod::ALL.into_iter().find(|method| method.name() == name) {
            Some(method) if EVENTS.contains(&method) => Ok(Self::Method(method)),
            Some(_) => Err(D::Error::custom(format!(
                "a program cannot be run for `{name}`, which comes with every piece of text; use one of {}",
                EVENTS.map(HookMethod::name).join(", ")
            ))),
            None => Ok(Self::Unknown(name)),
        }
    }
}

/// A pattern of tool names, such as `exec` or `mcp_*`.
#[derive(Clone)]
pub struct ToolGlob(GlobMatcher);

impl ToolGlob {
    /// Does the name fit?
    #[must_use]
    pub fn matches(&self, tool: &str) -> bool {
        self.0.is_match(tool)
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.glob().glob()
    }
}

impl fmt::Debug for ToolGlob {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("ToolGlob").field(&self.0.glob().glob()).finish()
    }
}

impl<'de> Deserialize<'de> for ToolGlob {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pattern = String::deserialize(deserializer)?;
        Glob::new(&pattern).map(|glob| Self(glob.compile_matcher())).map_err(D::Error::custom)
    }
}

/// Leaves out hooks whose event does not exist, and says so.
pub(crate) fn drop_unknown(hooks: &mut Vec<HookConfig>, warnings: &mut Vec<ConfigWarning>) {
    let mut index = 0;
    hooks.retain(|hook| {
        let path = format!("hooks[{index}]");
        index += 1;
        let mut warn = |key: &str, detail: String| {
            warnings.push(ConfigWarning { path: format!("{path}.{key}"), detail });
        };
        match &hook.event {
            HookEvent::Unknown(name) => {
                let advice = nearest(EVENTS.into_iter().map(HookMethod::name), name)
                    .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                warn("event", format!("there is no event `{name}`, so this hook never runs{advice}"));
                false
            }
            HookEvent::Method(method) => {
                if hook.tools.is_some() && !has_tool(*method) {
                    warn("match", format!("has no effect: `{}` is not about one tool", method.name()));
                }
                true
            }
        }
    });
}

/// Is the event about one tool, so that `match` can choose?
fn has_tool(method: HookMethod) -> bool {
    matches!(
        method,
        HookMethod::BeforeExecuteTool
            | HookMethod::AfterExecuteTool
            | HookMethod::OnExecuteToolError
            | HookMethod::OnProviderToolEvent
    )
}

fn default_timeout_ms() -> u64 {
    DEFAULT_TIMEOUT_MS
}

fn timeout_ms<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    let value = u64::deserialize(deserializer)?;
    if (1..=MAX_TIMEOUT_MS).contains(&value) {
        Ok(value)
    } else {
        Err(D::Error::custom(format!("must be from 1 to {MAX_TIMEOUT_MS}")))
    }
}

fn command<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<String>, D::Error> {
    let command = Vec::<String>::deserialize(deserializer)?;
    if command.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(D::Error::custom("must name a program, as in [\"./hooks/audit.sh\"]"));
    }
    Ok(command)
}

#[cfg(test)]
mod tests;
