//! The body of a Chat Completions request: a pure projection of what the machine asks.

use nanobot_engine::model::ModelRequest;
use serde::Serialize;
use serde_json::Value;

pub use super::messages::ReasoningReplay;
use super::messages::{WireMessage, project};
use crate::provider::family::ModelFamily;

/// Name of the field that limits the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OutputLimitField {
    /// `max_tokens`, which nearly all servers take.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

/// Where servers and models differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quirks {
    /// Field for the output limit.
    pub output_limit: OutputLimitField,
    /// Earlier reasoning.
    pub reasoning_replay: ReasoningReplay,
    /// Temperature.
    pub temperature: TemperatureField,
}

/// Is a temperature sent when one is set?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TemperatureField {
    /// Yes.
    #[default]
    Send,
    /// No: the model refuses any but its own.
    Omit,
}

impl Quirks {
    /// What is known of a model by its name.
    #[must_use]
    pub fn for_model(model: &str) -> Self {
        if ModelFamily::of(model) == ModelFamily::OpenaiReasoning {
            return Self {
                output_limit: OutputLimitField::MaxCompletionTokens,
                temperature: TemperatureField::Omit,
                ..Self::default()
            };
        }
        Self::default()
    }
}

/// A request body, borrowed from the request; serialise it to get the bytes.
#[derive(Debug, Serialize)]
pub struct ChatBody<'a> {
    model: &'a str,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_effort: Option<&'a str>,
    stream: bool,
    stream_options: StreamOptions,
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
    parameters: &'a Value,
}

impl<'a> ChatBody<'a> {
    /// Projects `request`; the same request always gives the same bytes.
    #[must_use]
    pub fn new(request: &'a ModelRequest, quirks: Quirks, _by: &str) -> Self {
        let limit = Some(request.max_tokens.max(1));
        let (max_tokens, max_completion_tokens) = match quirks.output_limit {
            OutputLimitField::MaxTokens => (limit, None),
            OutputLimitField::MaxCompletionTokens => (None, limit),
        };
        let tools = request.tools.iter().map(|tool| WireTool {
            kind: "function",
            function: WireToolFunction {
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
            },
        });
        Self {
            model: &request.model,
            messages: project(&request.system, &request.messages, quirks.reasoning_replay, &request.media),
            tools: tools.collect(),
            max_tokens,
            max_completion_tokens,
            temperature: match quirks.temperature {
                TemperatureField::Send => request.temperature.filter(|temperature| temperature.is_finite()),
                TemperatureField::Omit => None,
            },
            reasoning_effort: request
                .reasoning_effort
                .as_deref()
                .filter(|effort| !effort.is_empty() && *effort != "none"),
            stream: true,
            stream_options: StreamOptions { include_usage: true },
        }
    }
}
