//! Tools as the engine knows them: a contract, a call's life, and a result.

mod arguments;

pub use arguments::prepare;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call's life: `intended → running →` one of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    /// The model asked for it.
    Intended,
    /// It was handed to the tool.
    Running,
    /// It waits for a person.
    Waiting,
    /// It did what it was asked.
    Ok,
    /// It failed, was unknown, or had bad arguments.
    Error,
    /// A hook or a person refused it.
    Denied,
    /// Stop ended it.
    Cancelled,
    /// The server died while it ran; nobody knows whether it took effect.
    Unknown,
}

impl CallStatus {
    /// True when nothing more will happen to the call.
    #[must_use]
    pub fn is_final(self) -> bool {
        match self {
            Self::Intended | Self::Running | Self::Waiting => false,
            Self::Ok | Self::Error | Self::Denied | Self::Cancelled | Self::Unknown => true,
        }
    }
}

/// May a call run beside others of the same batch?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Concurrency {
    /// Reads only, safe beside others; may be repeated after a crash.
    Shared,
    /// Reads only, but alone; may be repeated after a crash.
    Alone,
    /// Changes something; alone, and never repeated silently.
    Exclusive,
}

impl Concurrency {
    /// True when repeating the call changes nothing.
    #[must_use]
    pub fn is_read_only(self) -> bool {
        match self {
            Self::Shared | Self::Alone => true,
            Self::Exclusive => false,
        }
    }
}

/// What a model and the machine are told of a tool.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    /// Unique name.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of its arguments; always an object schema.
    pub parameters: Value,
    /// May it run beside others?
    pub concurrency: Concurrency,
}

/// Name of a call that came without one; no tool has it.
pub(crate) const UNNAMED: &str = "unnamed_tool";

/// The tools of one turn, sorted by name so that requests are byte-stable.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolTable {
    tools: BTreeMap<String, ToolSpec>,
}

impl ToolTable {
    /// The tool of exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.tools.get(name)
    }

    /// All tools in order of name.
    pub fn iter(&self) -> impl Iterator<Item = &ToolSpec> {
        self.tools.values()
    }

    /// True when there is no tool.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// What the model is told about a name that does not exist. A near miss is named but never run.
    #[must_use]
    pub fn unknown(&self, name: &str) -> String {
        let fold = |s: &str| s.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
        let wanted = fold(name);
        let mut near = self.tools.keys().filter(|candidate| fold(candidate) == wanted);
        let hint = match (near.next(), near.next()) {
            (Some(only), None) => format!(" Did you mean {only}?"),
            _ => String::new(),
        };
        let names = self.tools.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
        if name == UNNAMED {
            return format!("Error: the call did not name a tool. Available tools: {names}.");
        }
        let name = crate::text::ellipsis(name, 80);
        format!("Error: there is no tool named {name:?}.{hint} Available tools: {names}.")
    }
}

impl FromIterator<ToolSpec> for ToolTable {
    fn from_iter<T: IntoIterator<Item = ToolSpec>>(specs: T) -> Self {
        Self { tools: specs.into_iter().map(|spec| (spec.name.clone(), spec)).collect() }
    }
}

/// What a tool gave back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolOutcome {
    /// How it ended.
    pub status: CallStatus,
    /// What the model reads; an error begins with `Error: `.
    pub text: String,
    /// How long it ran.
    pub duration_ms: u64,
    /// Change made to a file.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub diff: Option<String>,
    /// Exit code of a command.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub exit_code: Option<i32>,
}

impl ToolOutcome {
    /// A success.
    #[must_use]
    pub fn ok(text: impl Into<String>) -> Self {
        Self { status: CallStatus::Ok, text: text.into(), duration_ms: 0, diff: None, exit_code: None }
    }

    /// A failure of any kind; the prefix is added when it is missing.
    #[must_use]
    pub fn failed(status: CallStatus, text: impl Into<String>) -> Self {
        let text = text.into();
        let text = if text.starts_with("Error: ") { text } else { format!("Error: {text}") };
        Self { status, text, duration_ms: 0, diff: None, exit_code: None }
    }

    /// The start of the result, for people.
    #[must_use]
    pub fn preview(&self) -> String {
        crate::text::ellipsis(&self.text, PREVIEW_CHARS)
    }
}

/// Length of a preview in Unicode scalars.
pub const PREVIEW_CHARS: usize = 2_000;
