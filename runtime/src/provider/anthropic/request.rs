//! The body of a Messages request: a pure projection of what the machine asks.

use std::borrow::Cow;

use nanobot_engine::model::{ModelRequest, ToolChoice};
use serde::Serialize;
use serde_json::Value;

use super::blocks::{CacheControl, WireBlock, WireMessage, WireRole};
use super::messages::project;
use super::thinking::{Effort, Thinking, ThinkingField, open_round};
use crate::provider::clean::{clean, is_blank};
use crate::provider::schema::{SchemaRules, accepted};

/// Prefix by which gateways tell this provider's models.
const MODEL_PREFIX: &str = "anthropic/";
/// Turns of the user that end in a cache marker: the newest, and the one before it, which is where the cache of the last request ends.
const MARKED_TURNS: usize = 2;

/// A request body, borrowed from the request; serialise it to get the bytes.
#[derive(Debug, Serialize)]
pub(crate) struct MessagesBody<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<WireBlock<'a>>,
    messages: Vec<WireMessage<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<WireTool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_choice: Option<WireToolChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<ThinkingField>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    temperature: Option<f64>,
    stream: bool,
}

#[derive(Debug, Serialize)]
struct WireTool<'a> {
    name: &'a str,
    description: &'a str,
    input_schema: Cow<'a, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum WireToolChoice {
    Auto,
    None,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct OutputConfig {
    effort: Effort,
}

impl<'a> MessagesBody<'a> {
    /// Projects `request` for `by`; the same request always gives the same bytes.
    pub(crate) fn new(request: &'a ModelRequest, by: &str) -> Self {
        let mut messages = project(request, by);
        let thinking = Thinking::choose(request, &messages);
        if thinking.is_off(&request.model) {
            let start = open_round(&messages);
            for message in messages.iter_mut().skip(start) {
                message.content.retain(|block| !block.is_thinking());
            }
        }
        let mut system = Vec::new();
        if !is_blank(&request.system) {
            system.push(WireBlock::text(clean(&request.system)));
        }
        let mut tools: Vec<_> = request
            .tools
            .iter()
            .map(|tool| WireTool {
                name: &tool.name,
                description: &tool.description,
                input_schema: accepted(&tool.parameters, SchemaRules::Anthropic),
                cache_control: None,
            })
            .collect();
        if !request.plain {
            mark(&mut system, &mut tools, &mut messages);
        }
        Self {
            model: request.model.strip_prefix(MODEL_PREFIX).unwrap_or(&request.model),
            max_tokens: thinking.max_tokens(request),
            system,
            messages,
            // "Tool use": a choice needs tools to choose from.
            tool_choice: (!tools.is_empty()).then_some(match request.tool_choice {
                ToolChoice::Auto => WireToolChoice::Auto,
                ToolChoice::None => WireToolChoice::None,
            }),
            tools,
            thinking: thinking.field(),
            output_config: thinking.effort().map(|effort| OutputConfig { effort }),
            temperature: thinking.temperature(request),
            stream: true,
        }
    }
}

/// "Prompt caching": at most four markers. What is before a marker is looked up, so the two of the conversation move with it.
fn mark(system: &mut [WireBlock<'_>], tools: &mut [WireTool<'_>], messages: &mut [WireMessage<'_>]) {
    if let Some(last) = system.last_mut() {
        last.mark();
    }
    if let Some(last) = tools.last_mut() {
        last.cache_control = Some(CacheControl::Ephemeral);
    }
    let turns = messages.iter_mut().rev().filter(|message| message.role == WireRole::User);
    for last in turns.take(MARKED_TURNS).filter_map(|message| message.content.last_mut()) {
        last.mark();
    }
}
