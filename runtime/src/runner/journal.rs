//! The journal of a turn in the making: every input of the machine, in order, and the recipe of each request that was sent. It is
//! written with the durable steps, one entry a request. See [`crate::record`] for its form.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use nanobot_engine::event::GovernStep;
use nanobot_engine::govern::Decisions;
use nanobot_engine::id::TurnId;
use nanobot_engine::machine::{Input, Phase, TurnMachine};
use nanobot_engine::message::Block;
use nanobot_store::{JournalEntry, Op};
use uuid::Uuid;

use crate::recipe::{Body, Recipe};
use crate::record::{Entry, Run, blocks_of};

/// Shared texts that the session is known to have, so that they are not written again.
#[derive(Debug, Default)]
pub(crate) struct Kept(Mutex<HashSet<String>>);

impl Kept {
    /// True when it was not known; it is now.
    fn is_new(&self, hash: &str) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !known.contains(hash) && known.insert(hash.to_owned())
    }

    /// A step was not written, so nothing is known any more.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// What was noted and is not written yet.
pub(super) struct Journal {
    kept: Arc<Kept>,
    system: Body,
    tools: Arc<Body>,
    /// The last decisions that were hashed; most requests have the same again.
    decisions: (Decisions, Option<String>),
    bodies: Vec<Op>,
    /// Stretches that are over.
    over: Vec<Stretch>,
    stretch: Stretch,
    /// What the model shows at present.
    runs: Vec<Run>,
    /// A request was made up, and it is not known yet whether it will be sent.
    made: Option<MadeUp>,
    recipe: Option<Recipe>,
}

#[derive(Default)]
struct Stretch {
    request_id: Option<Uuid>,
    recipe: Option<String>,
    /// The entries as JSON, with commas between them.
    entries: String,
    answered: bool,
}

struct MadeUp {
    steps: Vec<GovernStep>,
    budget_tokens: u64,
    can_be_plainer: bool,
    decided: bool,
}

impl Journal {
    pub(super) fn new(kept: Arc<Kept>, system: &Arc<str>, tools: Arc<Body>) -> Self {
        Self {
            kept,
            system: Body::new(Arc::clone(system)),
            tools,
            decisions: (Decisions::default(), None),
            bodies: Vec::new(),
            over: Vec::new(),
            stretch: Stretch::default(),
            runs: Vec::new(),
            made: None,
            recipe: None,
        }
    }

    /// Hashes of system prompt and tools.
    pub(super) fn hashes(&self) -> (&str, &str) {
        (&self.system.hash, &self.tools.hash)
    }

    /// The hash of decisions, which are kept; `None` when there are none.
    pub(super) fn decisions(&mut self, decisions: &Decisions) -> Option<String> {
        if self.decisions.0 != *decisions {
            let Body { hash, text } = Body::of_decisions(decisions);
            let nothing = *decisions == Decisions::default();
            self.decisions = (decisions.clone(), (!nothing).then(|| hash.clone()));
            if !nothing {
                self.bodies.push(Op::KeepBody { hash, body: text });
            }
        }
        self.decisions.1.clone()
    }

    /// The request that comes next was made by this recipe.
    pub(super) fn made_by(&mut self, recipe: Recipe) {
        self.recipe = Some(recipe);
    }

    /// The request that was made up goes out.
    pub(super) fn sent(&mut self) {
        let Some(recipe) = self.recipe.take() else { return };
        self.made = None;
        if self.stretch.recipe.is_some() {
            self.over.push(std::mem::take(&mut self.stretch));
        }
        keep(&self.kept, &self.system, &mut self.bodies);
        match serde_json::to_string(&recipe) {
            Ok(json) => self.stretch.recipe = Some(json),
            Err(error) => tracing::warn!(%error, "what a request was made from cannot be stored"),
        }
        self.push(&Entry::Asked);
    }

    /// The request that was sent is on record.
    pub(super) fn recorded(&mut self, request_id: Uuid) {
        self.stretch.request_id = Some(request_id);
    }

    /// Notes what `machine` is about to be given.
    pub(super) fn note(&mut self, at: i64, input: &Input, machine: &TurnMachine) {
        match input {
            // The hot path: pieces of a text become one.
            Input::Text(text) => return Run::add_text(&mut self.runs, text),
            Input::Reasoning(text) => return Run::add_reasoning(&mut self.runs, text),
            Input::ProviderTool(event) => return self.runs.push(Run::ProviderTool(event.clone())),
            _ => {}
        }
        if matches!(machine.state().phase, Phase::Done(_)) && !matches!(input, Input::Resume(_)) {
            return;
        }
        let runs = std::mem::take(&mut self.runs);
        if let Input::RequestReady { steps, budget_tokens, decisions, can_be_plainer } = input {
            self.made = Some(MadeUp {
                steps: steps.clone(),
                budget_tokens: *budget_tokens,
                can_be_plainer: *can_be_plainer,
                decided: machine.state().decisions != **decisions,
            });
            return;
        }
        self.settle(machine);
        if !runs.is_empty() {
            self.push(&Entry::Shown { runs: Cow::Borrowed(&runs) });
        }
        match input {
            Input::Begin => {
                keep(&self.kept, &self.tools, &mut self.bodies);
                let tools = Arc::clone(&self.tools);
                self.push(&Entry::Begin {
                    at,
                    limits: machine.limits(),
                    candidates: Cow::Borrowed(machine.candidates()),
                    tools: Cow::Borrowed(&tools.hash),
                });
            }
            Input::Resume(resume) => {
                keep(&self.kept, &self.tools, &mut self.bodies);
                self.push(&Entry::Resumed { attempt: resume.attempt });
            }
            Input::ReplyEnded { reply, usage, dice } => {
                let told = blocks_of(&runs) == reply.blocks;
                let blocks: Option<Cow<'_, [Block]>> = (!told).then(|| Cow::Borrowed(reply.blocks.as_slice()));
                self.push(&Entry::Ended { at, end: Cow::Borrowed(&reply.end), blocks, usage: *usage, dice: *dice });
                self.stretch.answered = true;
            }
            Input::CallFinished { position, .. } => self.push(&Entry::CallEnded { at, position: *position }),
            Input::Finalized(text) => {
                let same = matches!(&machine.state().phase, Phase::Finalizing(answer) if answer.text == *text);
                self.push(&Entry::Finalized { text: (!same).then_some(Cow::Borrowed(text.as_str())) });
            }
            other => self.push(&Entry::Other { at, input: Cow::Borrowed(other) }),
        }
    }

    /// A request that was made up and is not sent after all: what the machine was told of it.
    fn settle(&mut self, machine: &TurnMachine) {
        let Some(MadeUp { steps, budget_tokens, can_be_plainer, decided }) = self.made.take() else { return };
        self.recipe = None;
        let decisions = decided.then(|| Cow::Borrowed(&machine.state().decisions));
        self.push(&Entry::Ready { steps, budget_tokens, can_be_plainer, decisions });
    }

    fn push(&mut self, entry: &Entry<'_>) {
        match serde_json::to_string(entry) {
            Ok(json) => {
                if !self.stretch.entries.is_empty() {
                    self.stretch.entries.push(',');
                }
                self.stretch.entries.push_str(&json);
            }
            Err(error) => tracing::warn!(%error, "an input of a turn cannot be stored; it cannot be played again"),
        }
    }

    /// What has to be written with the present step: requests that were answered, and at the turn's end everything.
    pub(super) fn take(&mut self, turn_id: TurnId, ends: bool) -> Vec<Op> {
        if !ends && !self.stretch.answered {
            return Vec::new();
        }
        let mut ops = std::mem::take(&mut self.bodies);
        for stretch in std::mem::take(&mut self.over).into_iter().chain([std::mem::take(&mut self.stretch)]) {
            let Stretch { request_id, recipe, entries, answered: _ } = stretch;
            if recipe.is_none() && entries.is_empty() {
                continue;
            }
            let inputs = format!("[{entries}]");
            ops.push(Op::Journal(Box::new(JournalEntry { turn_id, request_id, recipe, inputs })));
        }
        ops
    }
}

/// Writes a shared text with the next step, unless the session has it.
fn keep(kept: &Kept, body: &Body, ops: &mut Vec<Op>) {
    if kept.is_new(&body.hash) {
        ops.push(Op::KeepBody { hash: body.hash.clone(), body: Arc::clone(&body.text) });
    }
}
