//! Answers that are cut at the model's output limit: the model is asked to go on, and the pieces become one answer.

use serde::{Deserialize, Serialize};

use super::{ContinueReason, Effect, Segments, TurnMachine};
use crate::id::StreamId;
use crate::message::{Block, Message, Role};
use crate::usage::Usage;

/// How often a cut answer is continued.
const MAX_CONTINUATIONS: u32 = 3;
/// How often an answer of which nothing can be kept is asked for in smaller pieces.
const MAX_SMALLER: u32 = 2;
/// How much of what was said is quoted, in characters.
const QUOTE_CHARS: usize = 64;

/// The cut answer so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CutAnswer {
    /// What was said.
    pub text: String,
    /// Where it was shown.
    #[serde(default)]
    pub shown: Vec<StreamId>,
    /// How often it was continued.
    pub continuations: u32,
    /// How often it was asked for in smaller pieces.
    pub smaller: u32,
}

impl CutAnswer {
    /// What is sent behind the conversation so that the model goes on; nothing is stored of it.
    #[must_use]
    pub fn request(&self) -> Vec<Message> {
        if self.text.is_empty() {
            return vec![Message::user(
                "Your last answer reached the output limit before anything of it could be used, and was thrown away. Give a \
                 shorter one: do the work in smaller pieces, one tool call with little text at a time.",
            )];
        }
        let said = Message { role: Role::Assistant, blocks: vec![Block::Text { text: self.text.clone() }] };
        let skip = self.text.chars().count().saturating_sub(QUOTE_CHARS);
        let tail: String = self.text.chars().skip(skip).collect();
        let go_on = format!(
            "Your answer was cut at the output limit. Go on exactly where it stopped: no repetition, no summary, no apology, the \
             same language. It ended with: <said>{tail}</said>"
        );
        vec![said, Message::user(go_on)]
    }

    /// Puts what was said before in front of the text of `blocks`. Signed reasoning belongs to a whole answer and is left out of a
    /// joined one.
    pub(super) fn join(&mut self, blocks: Vec<Block>) -> Vec<Block> {
        let mut text = std::mem::take(self).text;
        if text.is_empty() {
            return blocks;
        }
        let mut rest = Vec::new();
        for block in blocks {
            match block {
                Block::Text { text: more } => text.push_str(&more),
                Block::Thinking { .. } | Block::ProviderItem { .. } => {}
                other => rest.push(other),
            }
        }
        let mut joined = vec![Block::Text { text }];
        joined.append(&mut rest);
        joined
    }
}

impl TurnMachine {
    /// The answer was cut. False when it is not asked to go on: then what there is has to do.
    pub(super) fn goes_on(&mut self, at: i64, blocks: &[Block], usage: Usage, out: &mut Vec<Effect>) -> bool {
        let text: String = blocks
            .iter()
            .filter_map(|block| if let Block::Text { text } = block { Some(text.as_str()) } else { None })
            .collect();
        let cut = &mut self.state.cut;
        if text.trim().is_empty() && cut.text.is_empty() {
            if cut.smaller >= MAX_SMALLER {
                return false;
            }
            cut.smaller += 1;
        } else {
            if cut.continuations >= MAX_CONTINUATIONS {
                return false;
            }
            cut.continuations += 1;
            cut.text.push_str(&text);
            cut.shown.extend(self.state.segments.texts.iter().cloned());
        }
        out.extend(self.close_segment(at, true).map(Effect::Emit));
        self.count(usage, out);
        self.state.phase = super::Phase::Building;
        self.state.segments = Segments::default();
        self.state.iteration += 1;
        self.state.continued = Some(ContinueReason::LengthRecovery);
        // Stored with the state: after a crash the answer goes on from here.
        out.push(self.persist(Vec::new(), Vec::new()));
        self.state.iteration -= 1;
        self.go_on(ContinueReason::LengthRecovery, out);
        true
    }
}
