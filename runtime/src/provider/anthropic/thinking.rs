//! How much a model is to think, in the form that its family takes.

use nanobot_engine::model::{ModelRequest, ToolChoice};
use serde::Serialize;

use super::blocks::{WireBlock, WireMessage, WireRole, item_type};

/// "Extended thinking": the smallest budget that the API takes.
const LOW_BUDGET: u64 = 1_024;
const MEDIUM_BUDGET: u64 = 4_096;
const HIGH_BUDGET: u64 = 8_192;
const VERY_HIGH_BUDGET: u64 = 16_384;
/// What is left for the answer beside the budget, which counts as output.
const ANSWER_TOKENS: u64 = 4_096;
/// "Models": every model that thinks by a budget can write as much, and no budget makes us ask for more.
const OUTPUT_TOKENS: u64 = 32_000;

/// What a request says of thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// Nothing: the model does what it does by default.
    Unset,
    /// It is not to think, though it would.
    Disabled,
    /// It may think up to this many tokens.
    Budget(u64),
    /// It decides itself.
    Adaptive(Option<Effort>),
}

/// "Effort": how much an adaptive model is to spend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Effort {
    Low,
    Medium,
    High,
    #[serde(rename = "xhigh")]
    VeryHigh,
    Max,
}

/// The `thinking` field.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ThinkingField {
    Enabled { budget_tokens: u64 },
    Disabled,
    Adaptive,
}

impl Thinking {
    pub(crate) fn choose(request: &ModelRequest, messages: &[WireMessage<'_>]) -> Self {
        let model = Model::named(&request.model);
        let effort = request.reasoning_effort.as_deref().map(str::trim).unwrap_or_default().to_ascii_lowercase();
        if request.plain || effort.is_empty() {
            return Self::Unset;
        }
        let off = if model.thinks_unless_told() { Self::Disabled } else { Self::Unset };
        // An answer that closes a turn is not to call tools, and is worth no thinking.
        if effort == "none" || request.tool_choice == ToolChoice::None || model.never_thinks() {
            return off;
        }
        if effort == "adaptive" {
            return Self::Adaptive(None);
        }
        // "Adaptive thinking": these models refuse a budget, and do not ask earlier answers to begin with thinking.
        if model.is_adaptive_only() {
            return Self::Adaptive(Some(match effort.as_str() {
                "minimal" | "low" => Effort::Low,
                "high" => Effort::High,
                "xhigh" => Effort::VeryHigh,
                "max" => Effort::Max,
                _ => Effort::Medium,
            }));
        }
        if !open_round_begins_with_thinking(messages) {
            return off;
        }
        let up_to = |least: u64| least.max(request.max_tokens).min(OUTPUT_TOKENS - ANSWER_TOKENS);
        Self::Budget(match effort.as_str() {
            "minimal" | "low" => LOW_BUDGET,
            "high" => up_to(HIGH_BUDGET),
            "xhigh" | "max" => up_to(VERY_HIGH_BUDGET),
            _ => MEDIUM_BUDGET,
        })
    }

    pub(crate) fn field(self) -> Option<ThinkingField> {
        match self {
            Self::Unset => None,
            Self::Disabled => Some(ThinkingField::Disabled),
            Self::Budget(budget_tokens) => Some(ThinkingField::Enabled { budget_tokens }),
            Self::Adaptive(_) => Some(ThinkingField::Adaptive),
        }
    }

    pub(crate) fn effort(self) -> Option<Effort> {
        match self {
            Self::Adaptive(effort) => effort,
            Self::Unset | Self::Disabled | Self::Budget(_) => None,
        }
    }

    /// "Extended thinking": `max_tokens` counts the budget too and has to be larger.
    pub(crate) fn max_tokens(self, request: &ModelRequest) -> u64 {
        match self {
            Self::Budget(budget) => request.max_tokens.max(budget.saturating_add(ANSWER_TOKENS)),
            Self::Unset | Self::Disabled | Self::Adaptive(_) => request.max_tokens.max(1),
        }
    }

    /// "Extended thinking": no temperature but 1 goes with it. "Adaptive thinking": adaptive models refuse any.
    pub(crate) fn temperature(self, request: &ModelRequest) -> Option<f64> {
        let wanted = request.temperature.filter(|temperature| temperature.is_finite())?;
        match self {
            _ if request.plain || Model::named(&request.model).is_adaptive_only() => None,
            Self::Adaptive(_) => None,
            Self::Budget(_) => Some(1.0),
            Self::Unset | Self::Disabled => Some(wanted.clamp(0.0, 1.0)),
        }
    }

    /// Is the model sure not to think? Then thinking cannot stand in an open round ("Extended thinking").
    pub(crate) fn is_off(self, model: &str) -> bool {
        match self {
            Self::Disabled => true,
            Self::Unset => !Model::named(model).may_think_unasked(),
            Self::Budget(_) | Self::Adaptive(_) => false,
        }
    }
}

/// Where the round of calls begins that is not over yet: its first answer, when results are being sent, or the answer that is gone on
/// with. The number of messages when there is none.
pub(crate) fn open_round(messages: &[WireMessage<'_>]) -> usize {
    let is_result = |block: &WireBlock<'_>| matches!(block, WireBlock::ToolResult { .. });
    let mut start = messages.len();
    for (position, message) in messages.iter().enumerate().rev() {
        let goes_on = match message.role {
            WireRole::Assistant => {
                start = position;
                true
            }
            WireRole::User if start == messages.len() => message.content.iter().any(is_result),
            WireRole::User => message.content.iter().all(is_result),
        };
        if !goes_on {
            break;
        }
    }
    start
}

/// "Extended thinking": with a budget, an open round has to begin with thinking; the API refuses the request otherwise.
fn open_round_begins_with_thinking(messages: &[WireMessage<'_>]) -> bool {
    let is_summary =
        |block: &&WireBlock<'_>| matches!(block, WireBlock::Sealed(item) if item_type(item) == "compaction");
    messages.get(open_round(messages)).is_none_or(|message| {
        message.content.iter().find(|block| !is_summary(block)).is_some_and(WireBlock::is_thinking)
    })
}

/// What is known of a model by its name; nothing of those that are no Claude.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Model {
    family: Family,
    version: (u32, u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Opus,
    Sonnet,
    Haiku,
    Fable,
    Mythos,
    Other,
}

impl Model {
    /// Reads `claude-opus-4-7`, `claude-3-7-sonnet-20250219`, `anthropic.claude-opus-4-6-v1` and the like.
    fn named(name: &str) -> Self {
        let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
        let mut family = Family::Other;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        let mut is_claude = false;
        for part in name.split(['-', '.', '@', ':']) {
            let numbers = if family == Family::Other { &mut before } else { &mut after };
            match part {
                "claude" => is_claude = true,
                "opus" => family = Family::Opus,
                "sonnet" => family = Family::Sonnet,
                "haiku" => family = Family::Haiku,
                "fable" => family = Family::Fable,
                "mythos" => family = Family::Mythos,
                // Longer numbers are dates.
                part if part.len() <= 2 => numbers.extend(part.parse::<u32>()),
                _ => {}
            }
        }
        if !is_claude || family == Family::Other {
            return Self { family: Family::Other, version: (0, 0) };
        }
        let mut numbers = if after.is_empty() { before } else { after }.into_iter();
        Self { family, version: (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) }
    }

    /// "Extended thinking": which models take no budget.
    fn is_adaptive_only(self) -> bool {
        match self.family {
            Family::Opus => self.version >= (4, 7),
            Family::Sonnet | Family::Haiku => self.version >= (5, 0),
            Family::Fable | Family::Mythos => true,
            Family::Other => false,
        }
    }

    /// May think when nothing is said of it. Nobody knows of those that are no Claude, and some ask to have their thinking back.
    fn may_think_unasked(self) -> bool {
        match self.family {
            Family::Opus | Family::Sonnet | Family::Haiku => self.version >= (5, 0),
            Family::Fable | Family::Mythos | Family::Other => true,
        }
    }

    /// Thinks by default and can be told not to; the families after these refuse to be told.
    fn thinks_unless_told(self) -> bool {
        match self.family {
            Family::Opus | Family::Sonnet => self.version >= (5, 0) && self.version < (5, 5),
            Family::Haiku | Family::Fable | Family::Mythos | Family::Other => false,
        }
    }

    /// "Extended thinking" began with Claude 3.7, and with 4.5 in the smallest family.
    fn never_thinks(self) -> bool {
        match self.family {
            Family::Opus | Family::Sonnet => self.version > (0, 0) && self.version < (3, 7),
            Family::Haiku => self.version > (0, 0) && self.version < (4, 5),
            Family::Fable | Family::Mythos | Family::Other => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_family_and_version() {
        for (name, family, version) in [
            ("claude-opus-4-7", Family::Opus, (4, 7)),
            ("anthropic/claude-opus-4.6", Family::Opus, (4, 6)),
            ("claude-sonnet-4-20250514", Family::Sonnet, (4, 0)),
            ("claude-3-7-sonnet-20250219", Family::Sonnet, (3, 7)),
            ("claude-haiku-4-5@20251001", Family::Haiku, (4, 5)),
            ("us.anthropic.claude-opus-4-6-v1:0", Family::Opus, (4, 6)),
            ("claude-sonnet-5", Family::Sonnet, (5, 0)),
            ("claude-mythos-preview", Family::Mythos, (0, 0)),
            ("claude-fable-5.1", Family::Fable, (5, 1)),
            ("kimi-k2-opus", Family::Other, (0, 0)),
            ("qwen15", Family::Other, (0, 0)),
        ] {
            assert_eq!(Model::named(name), Model { family, version }, "{name}");
        }
    }
}
