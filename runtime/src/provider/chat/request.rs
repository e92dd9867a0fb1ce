//! The body of a Chat Completions request: a pure projection of what the machine asks.

use std::borrow::Cow;

use nanobot_engine::model::{ModelRequest, ToolChoice};
use serde::Serialize;
use serde_json::Value;

use super::dialect::{Dialect, ProviderDialect};
use super::messages::{Target, project};
use super::parts::WireMessage;
use super::terms::{Backfill, EffortField, Feature, OutputLimit, TemperatureField, Thinking, Toggle};
use crate::provider::schema::accepted;

/// A request body, borrowed from the request; serialise it to get the bytes.
#[derive(Debug, Serialize)]
pub struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_stream: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(flatten)]
    effort: EffortFields<'a>,
    stream: bool,
    stream_options: StreamOptions,
}

/// How hard to think, in the words of the server.
#[derive(Debug, Default, PartialEq, Serialize)]
struct EffortFields<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<ReasoningObject<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingObject>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enable_thinking: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_split: Option<bool>,
}

#[derive(Debug, PartialEq, Serialize)]
struct ReasoningObject<'a> {
    effort: &'a str,
}

#[derive(Debug, PartialEq, Serialize)]
struct ThinkingObject {
    #[serde(rename = "type")]
    kind: &'static str,
}

#[derive(Debug, Serialize)]
struct StreamOptions {
    include_usage: bool,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    function: WireToolFunction<'a>,
}

#[derive(Debug, Serialize)]
struct WireToolFunction<'a> {
    name: &'a str,
    description: &'a str,
    parameters: Cow<'a, Value>,
}

impl<'a> ChatBody<'a> {
    /// Projects `request` for a provider; the same request always gives the same bytes. `by` is who is asked, provider and model: only
    /// what carries the same name goes back sealed.
    #[must_use]
    pub fn new(request: &'a ModelRequest, provider: ProviderDialect, by: &'a str) -> Self {
        let dialect = provider.for_model(&request.model);
        let limit = Some(request.max_tokens.max(1));
        let (max_tokens, max_completion_tokens) = match dialect.output_limit {
            OutputLimit::MaxTokens => (limit, None),
            OutputLimit::MaxCompletionTokens => (None, limit),
        };
        let set = if request.plain { None } else { request.reasoning_effort.as_deref() };
        let effort = Effort::read(set);
        let tools = request.tools.iter().map(|tool| WireTool {
            kind: "function",
            function: WireToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters: accepted(&tool.parameters, dialect.schema),
            },
        });
        let tools: Vec<WireTool<'a>> = tools.collect();
        let target = Target { dialect, by, backfill: backfill(dialect, effort) };
        Self {
            model: dialect.model,
            messages: project(request, target),
            // Left out where it may call, since that is the default everywhere.
            tool_choice: match request.tool_choice {
                ToolChoice::None if !tools.is_empty() => Some("none"),
                ToolChoice::None | ToolChoice::Auto => None,
            },
            tool_stream: (dialect.tool_stream == Feature::On && !tools.is_empty()).then_some(true),
            tools,
            max_tokens,
            max_completion_tokens,
            temperature: match dialect.temperature {
                TemperatureField::Omit => None,
                TemperatureField::Send if request.plain || effort.is_on() => None,
                TemperatureField::Send => request.temperature.filter(|temperature| temperature.is_finite()),
            },
            effort: effort_fields(dialect, effort),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
        }
    }
}

/// The effort that a person set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort<'a> {
    /// Nothing: the server's own default holds.
    Unset,
    /// No thinking.
    None,
    /// Next to none.
    Minimal,
    Some(&'a str),
}

impl<'a> Effort<'a> {
    fn read(effort: Option<&'a str>) -> Self {
        let effort = effort.map(str::trim).unwrap_or_default();
        let is = |name: &str| effort.eq_ignore_ascii_case(name);
        match effort {
            "" => Self::Unset,
            _ if is("none") => Self::None,
            _ if is("minimal") || is("minimum") => Self::Minimal,
            effort => Self::Some(effort),
        }
    }

    /// Is thinking asked for at all?
    fn is_on(self) -> bool {
        matches!(self, Self::Minimal | Self::Some(_))
    }

    /// Is it worth switching thinking on?
    fn switches_on(self) -> bool {
        matches!(self, Self::Some(_))
    }
}

/// Is reasoning that is missing sent as ""? Only where the server asks for it, while the model thinks.
fn backfill(dialect: Dialect<'_>, effort: Effort<'_>) -> bool {
    let has_toggle = dialect.toggles.iter().any(Option::is_some);
    let told_to = effort.switches_on() && has_toggle;
    let by_itself = dialect.thinks_by_itself == Feature::On && matches!(effort, Effort::Unset | Effort::Some(_));
    dialect.backfill == Backfill::WhileThinking && (told_to || by_itself)
}

fn effort_fields<'a>(dialect: Dialect<'_>, effort: Effort<'a>) -> EffortFields<'a> {
    let mut fields = EffortFields::default();
    if effort == Effort::Unset {
        return fields;
    }
    let word = match effort {
        Effort::Unset | Effort::None => None,
        Effort::Minimal => Some("minimal"),
        Effort::Some(word) => Some(word),
    };
    fields.reasoning_effort = match dialect.effort {
        EffortField::AsSet => word,
        EffortField::Minimum if effort == Effort::Minimal => Some("minimum"),
        EffortField::Minimum => word,
        EffortField::HighOnly => word.filter(|word| !matches!(*word, "minimal" | "low")).map(|_| "high"),
        EffortField::MaxOnly => effort.switches_on().then_some("max"),
        EffortField::Never | EffortField::ReasoningObject => None,
    };
    if dialect.effort == EffortField::ReasoningObject {
        let effort = word.or((dialect.thinking == Thinking::Optional).then_some("none"));
        fields.reasoning = effort.map(|effort| ReasoningObject { effort });
    }
    let on = effort.switches_on();
    if on || dialect.thinking == Thinking::Optional {
        for toggle in dialect.toggles.into_iter().flatten() {
            match toggle {
                Toggle::ThinkingType => {
                    fields.thinking = Some(ThinkingObject { kind: if on { "enabled" } else { "disabled" } });
                }
                Toggle::EnableThinking => fields.enable_thinking = Some(on),
                Toggle::ReasoningSplit => fields.reasoning_split = Some(on),
            }
        }
    }
    fields
}
