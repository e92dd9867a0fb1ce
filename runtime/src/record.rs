//! The form of a turn's journal: the inputs of its machine, in order. What is on record elsewhere is not repeated: the outcomes of calls
//! are in the ledger, a governed request follows from its recipe.

use std::borrow::Cow;

use nanobot_engine::event::GovernStep;
use nanobot_engine::govern::Decisions;
use nanobot_engine::hook::ProviderToolEvent;
use nanobot_engine::machine::{Input, TurnLimits};
use nanobot_engine::message::Block;
use nanobot_engine::model::StreamEnd;
use nanobot_engine::retry::Candidate;
use nanobot_engine::usage::Usage;
use serde::{Deserialize, Serialize};

/// One input. Times are UTC milliseconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub(crate) enum Entry<'a> {
    /// The turn began, under these rules.
    Begin {
        at: i64,
        limits: TurnLimits,
        candidates: Cow<'a, [Candidate]>,
        /// Hash of the list of tools.
        tools: Cow<'a, str>,
    },
    /// The turn was taken up again after a restart.
    Resumed { attempt: u32 },
    /// A request was governed and sent: the one of the recipe beside this entry.
    Asked,
    /// A request was governed, or could not be, and was not sent.
    Ready {
        steps: Vec<GovernStep>,
        budget_tokens: u64,
        can_be_plainer: bool,
        /// Absent when nothing new was decided.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        decisions: Option<Cow<'a, Decisions>>,
    },
    /// What the model showed, pieces joined.
    Shown { runs: Cow<'a, [Run]> },
    /// The answer ended, or the request failed.
    Ended {
        at: i64,
        end: Cow<'a, StreamEnd>,
        /// Absent when they are what was shown.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        blocks: Option<Cow<'a, [Block]>>,
        usage: Usage,
        dice: f64,
    },
    /// A call ended as the ledger says.
    CallEnded { at: i64, position: usize },
    /// The hooks gave the final text.
    Finalized {
        /// Absent when they left it as it was.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        text: Option<Cow<'a, str>>,
    },
    /// Anything else.
    Other { at: i64, input: Cow<'a, Input> },
}

/// A run of one kind of output.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Run {
    /// Reasoning.
    Reasoning(String),
    /// Visible text.
    Text(String),
    /// News of a tool that the provider runs.
    ProviderTool(ProviderToolEvent),
}

impl Run {
    pub(crate) fn add_text(runs: &mut Vec<Self>, text: &str) {
        match runs.last_mut() {
            Some(Self::Text(run)) => run.push_str(text),
            _ => runs.push(Self::Text(text.to_owned())),
        }
    }

    pub(crate) fn add_reasoning(runs: &mut Vec<Self>, text: &str) {
        match runs.last_mut() {
            Some(Self::Reasoning(run)) => run.push_str(text),
            _ => runs.push(Self::Reasoning(text.to_owned())),
        }
    }
}

impl From<&Run> for Input {
    fn from(run: &Run) -> Self {
        match run {
            Run::Reasoning(text) => Self::Reasoning(text.clone()),
            Run::Text(text) => Self::Text(text.clone()),
            Run::ProviderTool(event) => Self::ProviderTool(event.clone()),
        }
    }
}

/// The blocks of an answer that was nothing but what was shown.
pub(crate) fn blocks_of(runs: &[Run]) -> Vec<Block> {
    let (mut reasoning, mut text) = (String::new(), String::new());
    for run in runs {
        match run {
            Run::Reasoning(run) => reasoning.push_str(run),
            Run::Text(run) => text.push_str(run),
            Run::ProviderTool(_) => {}
        }
    }
    let mut blocks = Vec::new();
    if !reasoning.is_empty() {
        blocks.push(Block::Thinking { text: reasoning, signature: None });
    }
    if !text.is_empty() {
        blocks.push(Block::Text { text });
    }
    blocks
}

#[cfg(test)]
mod tests {
    use nanobot_engine::model::{ModelError, ModelErrorKind};

    use super::*;

    #[test]
    fn what_is_written_is_what_is_read() {
        let event = ProviderToolEvent {
            phase: "done".to_owned(),
            call_id: "s1".to_owned(),
            name: "web_search".to_owned(),
            arguments: None,
            text: Some("3 pages".to_owned()),
        };
        let mut runs = Vec::new();
        Run::add_reasoning(&mut runs, "let ");
        Run::add_reasoning(&mut runs, "me");
        Run::add_text(&mut runs, "a");
        runs.push(Run::ProviderTool(event));
        Run::add_text(&mut runs, "b\n\u{1}\"é");
        assert_eq!(runs.len(), 4);
        let blocks = blocks_of(&runs);
        assert_eq!(
            blocks,
            [
                Block::Thinking { text: "let me".to_owned(), signature: None },
                Block::Text { text: "ab\n\u{1}\"é".to_owned() }
            ]
        );
        let error = ModelError { kind: ModelErrorKind::RateLimit, ..ModelError::new(ModelErrorKind::Timeout, "slow") };
        let usage = Usage { cost_usd: Some(0.1 + 0.2), ..Usage::default() };
        let ended = |end, blocks: Option<&[Block]>| Entry::Ended {
            at: -1,
            end: Cow::Owned(end),
            blocks: blocks.map(|blocks| Cow::Owned(blocks.to_vec())),
            usage,
            dice: 0.123_456_789_012_345_67,
        };
        let candidates =
            vec![Candidate { preset: "p".to_owned(), model: "m".to_owned(), context_window_tokens: u64::MAX }];
        let entries = vec![
            Entry::Begin {
                at: 1,
                limits: TurnLimits::default(),
                candidates: Cow::Owned(candidates),
                tools: Cow::Owned("aa".to_owned()),
            },
            Entry::Resumed { attempt: 2 },
            Entry::Asked,
            Entry::Ready { steps: Vec::new(), budget_tokens: 9, can_be_plainer: true, decisions: None },
            Entry::Ready {
                steps: Vec::new(),
                budget_tokens: 9,
                can_be_plainer: true,
                decisions: Some(Cow::Owned(Decisions::default())),
            },
            Entry::Shown { runs: Cow::Owned(runs) },
            ended(StreamEnd::Complete, None),
            ended(StreamEnd::Error(error), Some(&[])),
            ended(StreamEnd::Length, Some(&blocks)),
            Entry::CallEnded { at: 5, position: 3 },
            Entry::Finalized { text: None },
            Entry::Finalized { text: Some(Cow::Owned(String::new())) },
            Entry::Other {
                at: 7,
                input: Cow::Owned(Input::Stop {
                    usage: Some(Usage { output_tokens: 3, estimated: true, ..Usage::default() }),
                }),
            },
        ];
        let json = serde_json::to_string(&entries).unwrap();
        assert_eq!(serde_json::from_str::<Vec<Entry<'_>>>(&json).unwrap(), entries);
    }
}
