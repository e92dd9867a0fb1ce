//! The body of a Responses request: a pure projection of what the machine asks.

use std::borrow::Cow;

use nanobot_engine::model::{ModelRequest, ToolChoice};
use serde::Serialize;
use serde_json::Value;

use super::items::{InputItem, project};
use crate::provider::clean::{clean, is_blank};
use crate::provider::family::ModelFamily;
use crate::provider::schema::{SchemaRules, accepted};

/// The least output limit that OpenAI takes.
const MIN_OUTPUT_TOKENS: u64 = 16;

/// A request body, borrowed from the request; serialise it to get the bytes.
#[derive(Debug, Serialize)]
pub struct ResponsesBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<Cow<'a, str>>,
    input: Vec<InputItem<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<&'static str>,
    max_output_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning: Option<Reasoning<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    include: Option<[&'static str; 1]>,
    store: bool,
    stream: bool,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    name: &'a str,
    description: &'a str,
    parameters: Cow<'a, Value>,
    /// Said, since the server's own default is true, which most schemas do not fit.
    strict: bool,
}

#[derive(Debug, Serialize)]
struct Reasoning<'a> {
    effort: &'a str,
    summary: &'static str,
}

impl<'a> ResponsesBody<'a> {
    /// Projects `request`; the same request always gives the same bytes. `by` is who is asked.
    #[must_use]
    pub fn new(request: &'a ModelRequest, family: ModelFamily, by: &str) -> Self {
        let tools: Vec<WireTool<'a>> = request
            .tools
            .iter()
            .map(|tool| WireTool {
                kind: "function",
                name: &tool.name,
                description: &tool.description,
                parameters: accepted(&tool.parameters, SchemaRules::Openai),
                strict: false,
            })
            .collect();
        // Servers refuse a choice where there is nothing to choose from.
        let tool_choice = (!tools.is_empty()).then_some(match request.tool_choice {
            ToolChoice::Auto => "auto",
            ToolChoice::None => "none",
        });
        let effort = request.reasoning_effort.as_deref().filter(|effort| !effort.is_empty() && *effort != "none");
        let effort = effort.filter(|_| !request.plain);
        let is_sealed = !request.plain && (effort.is_some() || family == ModelFamily::OpenaiReasoning);
        let temperature = match family {
            ModelFamily::OpenaiReasoning => None,
            ModelFamily::Other => request.temperature.filter(|degree| degree.is_finite() && !request.plain),
        };
        Self {
            model: &request.model,
            instructions: (!is_blank(&request.system)).then(|| clean(&request.system)),
            input: project(request, by),
            tools,
            tool_choice,
            max_output_tokens: request.max_tokens.max(MIN_OUTPUT_TOKENS),
            temperature,
            reasoning: effort.map(|effort| Reasoning { effort, summary: "auto" }),
            include: is_sealed.then_some(["reasoning.encrypted_content"]),
            store: false,
            stream: true,
        }
    }
}
