//! A machine that is given recorded inputs, and the check of all that it does.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::fold::{empty_turn, fold_into};
use nanobot_engine::govern::Decisions;
use nanobot_engine::machine::{BatchCall, Effect, Ending, Input, Phase, Step, TurnMachine, TurnState, Write};
use nanobot_engine::message::{Message, Origin, Role, Row};
use nanobot_engine::model::Reply;
use nanobot_engine::tool::ToolOutcome;
use nanobot_engine::turn::Turn;
use serde_json::{Value, json};

use super::compare::{self, first_difference};
use super::{Recorded, ReplayError, Replayed, Stretch, not_on_record, prologue};
use crate::recipe::{Ingredients, Recipe, behind_the_rows};
use crate::record::{Entry, Run, blocks_of};

/// Why it ends before the end.
enum Halt {
    Differs(String),
    Failed(ReplayError),
}

impl From<ReplayError> for Halt {
    fn from(error: ReplayError) -> Self {
        Self::Failed(error)
    }
}

/// A turn that is played.
pub(super) struct Play {
    recorded: Recorded,
    machine: TurnMachine,
    outcomes: HashMap<(u32, usize), ToolOutcome>,
    /// The branch as it grows; rows of the turn come with their stored ids.
    rows: Vec<Row>,
    written: usize,
    calls: BTreeMap<(u32, usize), BatchCall>,
    events: Vec<EventBody>,
    /// What the model has shown since the last answer.
    runs: Vec<Run>,
    requests: usize,
    ending: Option<Ending>,
    at: i64,
}

impl Play {
    pub(super) fn new(mut recorded: Recorded) -> Self {
        let decisions = recorded.stretches.iter().find_map(|stretch| stretch.request.as_ref());
        let decisions = decisions.map(|(_, ingredients)| Decisions::clone(&ingredients.decisions)).unwrap_or_default();
        let state = TurnState { decisions, ..TurnState::default() };
        let tools = Arc::new(std::mem::take(&mut recorded.tools));
        let machine = TurnMachine::new(recorded.limits, tools, recorded.turn.seq, state)
            .with_candidates(Arc::from(recorded.candidates.as_slice()));
        Self {
            machine,
            outcomes: recorded.outcomes(),
            rows: std::mem::take(&mut recorded.before),
            recorded,
            written: 0,
            calls: BTreeMap::new(),
            events: Vec::new(),
            runs: Vec::new(),
            requests: 0,
            ending: None,
            at: 0,
        }
    }

    pub(super) fn run(mut self) -> Result<Replayed, ReplayError> {
        match self.play() {
            Ok(()) => Ok(Replayed::Same { requests: self.requests, calls: self.recorded.calls.len() }),
            Err(Halt::Differs(words)) => Ok(Replayed::Differs(words)),
            Err(Halt::Failed(error)) => Err(error),
        }
    }

    fn play(&mut self) -> Result<(), Halt> {
        for Stretch { request, entries } in std::mem::take(&mut self.recorded.stretches) {
            let mut request = request;
            for entry in entries {
                self.give(entry, &mut request)?;
            }
        }
        let Some(ending) = self.ending.clone() else {
            return Err(Halt::Failed(ReplayError::NotOnRecord(
                "its end is not on record; something outside of the turn ended it, such as a full disk".to_owned(),
            )));
        };
        self.same_rows_are_left()?;
        self.same_calls()?;
        self.same_end(&ending)?;
        self.same_fold(&ending)
    }

    fn give(&mut self, entry: Entry<'_>, request: &mut Option<(Recipe, Ingredients)>) -> Result<(), Halt> {
        match entry {
            Entry::Begin { at, .. } => {
                self.at = at;
                self.step(Input::Begin)
            }
            // What waited for a person over a restart lost nothing.
            Entry::Resumed { .. } if self.machine.state().awaits_person() => Ok(()),
            Entry::Resumed { .. } => Ok(not_on_record("it was taken up again after a restart")?),
            Entry::Asked => match request.take() {
                Some((recipe, ingredients)) => self.ask(&recipe, &ingredients),
                None => Ok(not_on_record("what one of its requests was made from is gone")?),
            },
            Entry::Ready { steps, budget_tokens, can_be_plainer, decisions } => {
                let decisions = decisions.map_or_else(|| self.machine.state().decisions.clone(), |d| d.into_owned());
                self.step(Input::RequestReady { steps, budget_tokens, decisions: Box::new(decisions), can_be_plainer })
            }
            Entry::Shown { runs } => {
                self.runs = runs.into_owned();
                for input in self.runs.iter().map(Input::from).collect::<Vec<_>>() {
                    self.step(input)?;
                }
                Ok(())
            }
            Entry::Ended { at, end, blocks, usage, dice } => {
                self.at = at;
                let runs = std::mem::take(&mut self.runs);
                let blocks = blocks.map_or_else(|| blocks_of(&runs), |blocks| blocks.into_owned());
                let reply = Box::new(Reply { end: end.into_owned(), blocks, usage: None });
                self.step(Input::ReplyEnded { reply, usage, dice })
            }
            Entry::CallEnded { at, position } => {
                self.at = at;
                let iteration = self.machine.state().iteration;
                match self.outcomes.get(&(iteration, position)).cloned() {
                    Some(outcome) => self.step(Input::CallFinished { position, outcome }),
                    None => Ok(not_on_record(format!(
                        "the ledger has no outcome of call {} of iteration {iteration}",
                        position + 1
                    ))?),
                }
            }
            Entry::Finalized { text } => {
                let unchanged = || match &self.machine.state().phase {
                    Phase::Finalizing(answer) => answer.text.clone(),
                    _ => String::new(),
                };
                let text = text.map_or_else(unchanged, |text| text.into_owned());
                self.step(Input::Finalized(text))
            }
            Entry::Other { at, input } => {
                self.at = at;
                self.step(input.into_owned())
            }
        }
    }

    /// Governs the request of this place anew; it has to be the one that was sent.
    fn ask(&mut self, recipe: &Recipe, ingredients: &Ingredients) -> Result<(), Halt> {
        self.requests += 1;
        let number = self.requests;
        let state = self.machine.state();
        let of_hooks = recipe.extra.len().saturating_sub(recipe.from_hooks);
        let mut extra = behind_the_rows(state);
        extra.extend(recipe.extra.iter().skip(of_hooks).cloned());
        let now = json!({
            "iteration is being made up": matches!(state.phase, Phase::Building),
            "model": state.retry.candidate,
            "plain": state.retry.plain,
            "forced step": state.retry.force,
            "decisions": state.decisions,
            "messages behind the conversation": extra,
        });
        let then = json!({
            "iteration is being made up": true,
            "model": recipe.candidate,
            "plain": recipe.plain,
            "forced step": recipe.force,
            "decisions": *ingredients.decisions,
            "messages behind the conversation": recipe.extra,
        });
        differ(&format!("request {number}"), &then, &now)?;
        let made = match recipe.make(&self.rows, ingredients) {
            Ok(made) => made,
            Err(error) => return Err(Halt::Differs(format!("request {number}: it was sent, and now {error}"))),
        };
        let then = json!({
            "messages": recipe.messages,
            "estimated tokens": recipe.estimated_tokens,
            "governance": recipe.steps,
            "hash": recipe.hash,
        });
        let now = json!({
            "messages": made.request.messages.len(),
            "estimated tokens": made.governed.tokens,
            "governance": made.governed.steps,
            "hash": made.hash,
        });
        differ(&format!("request {number}"), &then, &now)?;
        self.step(Input::RequestReady {
            steps: made.governed.steps,
            budget_tokens: recipe.budget.input_tokens(),
            decisions: Box::new(made.governed.decisions),
            can_be_plainer: made.request.can_be_plainer(),
        })
    }

    fn step(&mut self, input: Input) -> Result<(), Halt> {
        let mut effects = Vec::new();
        self.machine.step(self.at, input, &mut effects);
        for effect in effects {
            match effect {
                Effect::Emit(body) => self.events.push(body),
                Effect::Persist(step) => self.persist(*step)?,
                Effect::Finish(ending) => self.ending = Some(ending),
                // Their answers are on record, where there were any.
                Effect::Observe(_)
                | Effect::BuildRequest { .. }
                | Effect::AskModel
                | Effect::Wait { .. }
                | Effect::Decide { .. }
                | Effect::RunCalls(_)
                | Effect::DrainSteer
                | Effect::Finalize { .. } => {}
            }
        }
        Ok(())
    }

    fn persist(&mut self, step: Step) -> Result<(), Halt> {
        let mut events = step.events;
        for write in step.writes {
            match write {
                Write::Row { message, interrupted, answer } => {
                    let origin = if message.role == Role::Tool { Origin::Tool } else { Origin::Model };
                    let text = message.text();
                    let row = self.row(&message, interrupted, origin)?;
                    if answer {
                        events.push(EventBody::Message { message_id: row.id, text });
                    }
                    self.rows.push(row);
                }
                Write::Steer(steer) => {
                    let row = self.row(&Message::user(steer.text), false, steer.origin)?;
                    self.rows.push(row);
                }
                // What was asked and answered stands in the events.
                Write::Ask(_) | Write::Answer(_) => {}
                Write::Call { iteration, position, call } => {
                    self.calls.insert((iteration, position), *call);
                }
            }
        }
        self.events.append(&mut events);
        Ok(())
    }

    /// The stored row in this place; it has to be the one that is written now.
    fn row(&mut self, message: &Message, interrupted: bool, origin: Origin) -> Result<Row, Halt> {
        self.written += 1;
        let place = format!("row {}", self.written);
        let now = json!({"role": message.role, "blocks": message.blocks, "interrupted": interrupted, "origin": origin});
        let Some(row) = self.recorded.rows.get(self.written - 1) else {
            return Err(Halt::Differs(format!("{place}: none is stored, and now there is {}", compare::words(&now))));
        };
        let then = json!({
            "role": row.message.role,
            "blocks": row.message.blocks,
            "interrupted": row.interrupted,
            "origin": row.origin,
        });
        differ(&place, &then, &now)?;
        Ok(row.clone())
    }

    fn same_rows_are_left(&self) -> Result<(), Halt> {
        match self.recorded.rows.get(self.written) {
            None => Ok(()),
            Some(row) => Err(Halt::Differs(format!(
                "row {}: stored is {}, and now there is none",
                self.written + 1,
                compare::words(&json!({"role": row.message.role, "blocks": row.message.blocks}))
            ))),
        }
    }

    fn same_calls(&self) -> Result<(), Halt> {
        let then: Vec<Value> = self.recorded.calls.iter().map(|call| {
            json!({"iteration": call.iteration, "position": call.position, "call_id": call.call_id, "name": call.name,
                   "arguments": call.arguments, "status": call.status})
        }).collect();
        let now: Vec<Value> = self
            .calls
            .iter()
            .map(|((iteration, position), call)| {
                json!({"iteration": iteration, "position": position, "call_id": call.call.id, "name": call.call.name,
                   "arguments": call.call.arguments, "status": call.status})
            })
            .collect();
        differ("ledger of calls", &Value::Array(then), &Value::Array(now))
    }

    fn same_end(&self, ending: &Ending) -> Result<(), Halt> {
        let turn = &self.recorded.turn;
        let then = json!({"stop_reason": turn.stop_reason, "error": turn.error, "usage": turn.usage});
        let now = json!({
            "stop_reason": ending.stop_reason, "error": ending.error, "usage": self.machine.state().usage,
        });
        differ("end of the turn", &then, &now)
    }

    fn same_fold(&self, ending: &Ending) -> Result<(), Halt> {
        let then = self.fold(self.recorded.events.iter().map(|event| event.body.clone()));
        let finished = EventBody::TurnFinished {
            stop_reason: ending.stop_reason,
            latency_ms: 0,
            usage: self.machine.state().usage,
            error: ending.error.clone(),
        };
        let prologue = prologue(&self.recorded.events).iter().map(|event| event.body.clone());
        let now = self.fold(prologue.chain(self.events.iter().cloned()).chain([finished]));
        differ("what is shown", &compare::comparable(then), &compare::comparable(now))
    }

    fn fold(&self, bodies: impl Iterator<Item = EventBody>) -> Turn {
        let record = &self.recorded.turn;
        let mut turn = empty_turn(record.id);
        for body in bodies {
            let event =
                Event { body, chat_id: record.session_id, seq: 0, prev_seq: 0, turn_id: Some(record.id), at: 0 };
            fold_into(&mut turn, &event);
        }
        turn
    }
}

fn differ(place: &str, then: &Value, now: &Value) -> Result<(), Halt> {
    match first_difference(then, now) {
        None => Ok(()),
        Some(difference) => Err(Halt::Differs(format!("{place}, {difference}"))),
    }
}
