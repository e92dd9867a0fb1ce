//! A driver without I/O: executes effects in order, answers from a script, and keeps a store that a crash leaves as it is.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use nanobot_engine::approval::{Answered, Approval, ApprovalKind, ApprovalOutcome, Asking};
use nanobot_engine::event::EventBody;
use nanobot_engine::hook::Decision;
use nanobot_engine::id::{ApprovalId, StreamId};
use nanobot_engine::machine::{
    BatchCall, CallLedger, CutSegment, Effect, Ending, Input, Observation, OverBudget, Phase, Resume, SteerMessage,
    Step, TurnLimits, TurnMachine, TurnState, Write,
};
use nanobot_engine::message::{Block, Message, ToolCall};
use nanobot_engine::model::{Reply, StreamEnd};
use nanobot_engine::retry::{Candidate, RetryPolicy};
use nanobot_engine::tool::ToolOutcome;
use nanobot_engine::usage::Usage;

use serde_json::json;

use super::build::{text, thinking, tools, uuid};
use super::monitor::Monitor;

const TURN_SEQ: u64 = 81;

/// What one request is answered with.
#[derive(Clone, Debug)]
pub(crate) struct Scripted {
    /// `true` for reasoning.
    pub(crate) pieces: Vec<(bool, String)>,
    pub(crate) calls: Vec<ToolCall>,
    pub(crate) end: StreamEnd,
    pub(crate) usage: Usage,
    /// Attempts that come before it.
    pub(crate) failing: Vec<Scripted>,
}

pub(crate) fn reply() -> Scripted {
    let usage = Usage { input_tokens: 10, output_tokens: 5, ..Usage::default() };
    Scripted { pieces: Vec::new(), calls: Vec::new(), end: StreamEnd::Complete, usage, failing: Vec::new() }
}

impl Scripted {
    pub(crate) fn say(mut self, piece: &str) -> Self {
        self.pieces.push((false, piece.to_owned()));
        self
    }

    pub(crate) fn think(mut self, piece: &str) -> Self {
        self.pieces.push((true, piece.to_owned()));
        self
    }

    pub(crate) fn call(mut self, call: ToolCall) -> Self {
        self.calls.push(call);
        self
    }

    pub(crate) fn end(mut self, end: StreamEnd) -> Self {
        self.end = end;
        self
    }

    /// An attempt that fails before this reply comes.
    pub(crate) fn after(mut self, failing: Scripted) -> Self {
        self.failing.push(failing);
        self
    }

    fn blocks(&self) -> Vec<Block> {
        let join = |reasoning: bool| -> String {
            self.pieces.iter().filter(|(kind, _)| *kind == reasoning).map(|(_, piece)| piece.as_str()).collect()
        };
        let mut blocks = Vec::new();
        if !join(true).is_empty() {
            blocks.push(thinking(&join(true), None));
        }
        if !join(false).is_empty() {
            blocks.push(text(join(false)));
        }
        blocks.extend(self.calls.iter().cloned().map(Block::Call));
        blocks
    }
}

/// A row as the store has it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct StoredRow {
    pub(crate) message: Message,
    pub(crate) interrupted: bool,
    pub(crate) answer: bool,
}

/// What survives a crash.
#[derive(Clone, Debug, Default)]
pub(crate) struct Store {
    pub(crate) rows: Vec<StoredRow>,
    pub(crate) ledger: BTreeMap<(u32, usize), BatchCall>,
    pub(crate) events: Vec<EventBody>,
    /// The state as text, as it would lie in a database.
    pub(crate) checkpoint: Option<String>,
    pub(crate) finished: Option<Ending>,
    /// Questions, and their answers.
    pub(crate) questions: Vec<(Approval, Option<Answered>)>,
}

impl Store {
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.rows.iter().map(|row| row.message.clone()).collect()
    }
}

type Decide = Arc<dyn Fn(&ToolCall) -> Decision>;
type Answer = Arc<dyn Fn(&Approval) -> Answered>;
type RunTool = Arc<dyn Fn(&ToolCall) -> ToolOutcome>;
type FailAt = Arc<dyn Fn(&Effect) -> bool>;

/// The outside of a turn.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) turn_seq: u64,
    pub(crate) limits: TurnLimits,
    /// Reply to the request of each iteration.
    pub(crate) script: Vec<Scripted>,
    /// Messages that may join from this iteration on.
    pub(crate) steer: Vec<(u32, SteerMessage)>,
    pub(crate) decide: Decide,
    /// What a person says to a question.
    pub(crate) answer: Answer,
    /// Iterations whose request passes a budget until a person allows more.
    pub(crate) over_budget: Vec<u32>,
    pub(crate) run_tool: RunTool,
    /// True: a hook fails when this effect is executed.
    pub(crate) fail_at: FailAt,
    /// What `finalize_content` makes of the text.
    pub(crate) finalize: fn(String) -> String,
    /// Calls of a group end in reverse order.
    pub(crate) last_first: bool,
    /// Who may answer.
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) can_be_plainer: bool,
    pub(crate) dice: f64,
}

impl World {
    pub(crate) fn new(script: Vec<Scripted>) -> Self {
        Self {
            turn_seq: TURN_SEQ,
            // One attempt each, so that a script says all there is; tests of retries allow more.
            limits: TurnLimits {
                retry: RetryPolicy { attempts: 1, ..RetryPolicy::default() },
                ..TurnLimits::default()
            },
            script,
            steer: Vec::new(),
            decide: Arc::new(|_| Decision::Proceed),
            answer: Arc::new(|approval| answered(approval, ApprovalOutcome::AllowOnce)),
            over_budget: Vec::new(),
            run_tool: Arc::new(|call| ToolOutcome::ok(format!("did {}", call.id))),
            fail_at: Arc::new(|_| false),
            finalize: |text| text,
            last_first: false,
            candidates: Vec::new(),
            can_be_plainer: false,
            dice: 0.5,
        }
    }
}

/// One life of a turn's driver.
pub(crate) struct Driver<'a> {
    world: &'a World,
    pub(crate) machine: TurnMachine,
    pub(crate) store: Store,
    waiting: VecDeque<Effect>,
    /// Inputs from outside that wait until no effect is left.
    outside: VecDeque<Input>,
    /// Effects executed, in order.
    pub(crate) trace: Vec<Effect>,
    /// Events shown, in order, whether stored or not.
    pub(crate) shown: Vec<EventBody>,
    /// Ids of calls handed to tools, in order.
    pub(crate) ran: Vec<String>,
    /// Who was asked, in order.
    pub(crate) asked: Vec<usize>,
    attempts: BTreeMap<u32, usize>,
    asks: u128,
    allowed_more: Vec<u32>,
    /// Inputs given so far.
    pub(crate) inputs: usize,
    volatile: Vec<EventBody>,
    opened: HashSet<StreamId>,
    stop_after_inputs: Option<usize>,
    die_after: Option<usize>,
    at: i64,
}

impl<'a> Driver<'a> {
    pub(crate) fn new(world: &'a World, store: Store) -> Self {
        let state = match &store.checkpoint {
            Some(text) => serde_json::from_str(text).unwrap(),
            None => TurnState::default(),
        };
        let machine = TurnMachine::new(world.limits, tools(), world.turn_seq, state)
            .with_candidates(world.candidates.clone().into());
        Self {
            world,
            machine,
            store,
            waiting: VecDeque::new(),
            outside: VecDeque::new(),
            trace: Vec::new(),
            shown: Vec::new(),
            ran: Vec::new(),
            asked: Vec::new(),
            attempts: BTreeMap::new(),
            asks: 0,
            allowed_more: Vec::new(),
            inputs: 0,
            volatile: Vec::new(),
            opened: HashSet::new(),
            stop_after_inputs: None,
            die_after: None,
            at: 1_000,
        }
    }

    /// Presses Stop before the input of this number.
    pub(crate) fn stop_after_inputs(mut self, inputs: usize) -> Self {
        self.stop_after_inputs = Some(inputs);
        self
    }

    /// Dies after so many effects.
    pub(crate) fn die_after(mut self, effects: usize) -> Self {
        self.die_after = Some(effects);
        self
    }

    fn step(&mut self, input: Input) {
        let input = if self.stop_after_inputs == Some(self.inputs) {
            self.machine.cut_short(&mut self.waiting);
            self.outside.clear();
            self.stop_after_inputs = None;
            Input::Stop { usage: None }
        } else {
            input
        };
        self.inputs += 1;
        self.at += 7;
        let mut out = Vec::new();
        self.machine.step(self.at, input, &mut out);
        self.waiting.extend(out);
    }

    /// Runs to the end of the turn, or to the crash. True when the turn ended.
    pub(crate) fn run(&mut self, first: Input) -> bool {
        self.step(first);
        for _ in 0..100_000 {
            if self.die_after == Some(self.trace.len()) {
                return false;
            }
            if let Some(effect) = self.waiting.pop_front() {
                self.trace.push(effect.clone());
                self.execute(effect);
            } else if self.store.finished.is_some() {
                return true;
            } else if let Some(input) = self.outside.pop_front() {
                self.step(input);
            } else if let Some((question, None)) =
                self.store.questions.iter().find(|(question, answer)| answer.is_none() && self.is_pending(question))
            {
                let answer = (self.world.answer)(question);
                self.step(Input::Answered(Box::new(answer)));
            } else {
                panic!("the turn waits for nothing: {:?}", self.machine.state().phase);
            }
        }
        panic!("the turn has no end");
    }

    fn is_pending(&self, question: &Approval) -> bool {
        self.machine.state().pending().any(|pending| pending.approval_id == question.approval_id)
    }

    fn asking(&mut self) -> Asking {
        self.asks += 1;
        let id = 10_000 + 100 * self.store.questions.len() as u128 + self.asks;
        Asking { approval_id: ApprovalId(uuid(id)), expires_at: 1_000_000, diff: None }
    }

    /// Stores every piece that was shown.
    pub(crate) fn flush(&mut self) {
        self.store.events.append(&mut self.volatile);
    }

    fn execute(&mut self, effect: Effect) {
        if (self.world.fail_at)(&effect) {
            // The event is shown before its hook is called; the rest of the effect does not happen.
            if let Effect::Emit(body) = effect {
                self.show(body);
            }
            self.machine.cut_short(&mut self.waiting);
            self.outside.clear();
            self.step(Input::HookFailed { detail: "hook broke".to_owned(), usage: None });
            return;
        }
        let iteration = self.machine.state().iteration;
        match effect {
            Effect::Observe(_) => {}
            Effect::BuildRequest { .. }
                if self.world.over_budget.contains(&iteration) && !self.allowed_more.contains(&iteration) =>
            {
                let asking = self.asking();
                let arguments = json!({"key": "turn_usd"}).as_object().unwrap().clone();
                let reason = "the budget is used up".to_owned();
                self.step(Input::OverBudget(Box::new(OverBudget { reason, arguments, asking })));
            }
            Effect::BuildRequest { .. } => {
                let can_be_plainer = self.world.can_be_plainer;
                self.step(Input::RequestReady {
                    steps: Vec::new(),
                    budget_tokens: 1_000,
                    decisions: Box::default(),
                    can_be_plainer,
                });
            }
            Effect::Wait { delay_ms } => {
                self.at += i64::try_from(delay_ms).unwrap();
                self.outside.push_back(Input::Waited);
            }
            Effect::AskModel => {
                let scripted = self.world.script.get(iteration as usize);
                let scripted = scripted.unwrap_or_else(|| panic!("nothing is scripted for iteration {iteration}"));
                self.asked.push(self.machine.state().retry.candidate);
                let made = *self.attempts.entry(iteration).and_modify(|made| *made += 1).or_default();
                let scripted = scripted.failing.get(made).unwrap_or(scripted);
                for (reasoning, piece) in scripted.pieces.clone() {
                    self.outside.push_back(if reasoning { Input::Reasoning(piece) } else { Input::Text(piece) });
                }
                let blocks = scripted.blocks();
                let reply = Box::new(Reply { end: scripted.end.clone(), blocks, usage: None });
                self.outside.push_back(Input::ReplyEnded { reply, usage: scripted.usage, dice: self.world.dice });
            }
            Effect::Decide { position, call } => {
                let hint = format!("hint {}", call.id);
                let decision = (self.world.decide)(&call);
                let asking = self.asking();
                self.step(Input::Decided { position, decision, hint, asking });
            }
            Effect::RunCalls(calls) => {
                for (position, call) in calls {
                    let outcome = (self.world.run_tool)(&call);
                    self.ran.push(call.id);
                    let ended = Input::CallFinished { position, outcome };
                    if self.world.last_first {
                        self.outside.push_front(ended);
                    } else {
                        self.outside.push_back(ended);
                    }
                }
            }
            Effect::DrainSteer => {
                let waiting = self.world.steer.iter().filter(|(from, message)| {
                    *from <= iteration && !self.store.rows.iter().any(|row| row.message.text() == message.text)
                });
                self.step(Input::Steered(waiting.map(|(_, message)| message.clone()).collect()));
            }
            Effect::Finalize { text } => self.step(Input::Finalized((self.world.finalize)(text))),
            Effect::Emit(body) => self.show(body),
            Effect::Persist(step) => self.persist(*step),
            Effect::Finish(ending) => {
                assert_eq!(self.store.finished, None, "a turn ends once");
                self.store.finished = Some(ending);
            }
        }
    }

    fn show(&mut self, body: EventBody) {
        self.shown.push(body.clone());
        let opens = body.as_delta().is_some_and(|(id, _)| self.opened.insert(id.clone()));
        self.volatile.push(body);
        if opens {
            self.flush();
        }
    }

    fn persist(&mut self, step: Step) {
        self.flush();
        for write in step.writes {
            match write {
                Write::Row { message, interrupted, answer } => {
                    self.store.rows.push(StoredRow { message, interrupted, answer });
                }
                Write::Steer(steer) => {
                    let message = Message::user(steer.text);
                    self.store.rows.push(StoredRow { message, interrupted: false, answer: false });
                }
                Write::Ask(question) => self.store.questions.push((*question, None)),
                Write::Answer(answer) => {
                    let asked = |(question, _): &&mut (Approval, _)| question.approval_id == answer.approval_id;
                    let question = self.store.questions.iter_mut().find(asked).unwrap();
                    assert_eq!(question.1, None, "a question is answered once");
                    if question.0.kind == ApprovalKind::Budget && answer.outcome.allows() {
                        self.allowed_more.push(step.checkpoint.iteration);
                    }
                    question.1 = Some(answer);
                }
                Write::Call { iteration, position, call } => {
                    self.store.ledger.insert((iteration, position), *call);
                }
            }
        }
        self.shown.extend(step.events.iter().cloned());
        self.store.events.extend(step.events);
        self.store.checkpoint = Some(serde_json::to_string(&step.checkpoint).unwrap());
    }
}

/// What a store tells a machine that takes up a cut turn.
pub(crate) fn resume_input(store: &Store, attempt: u32, go_on: bool) -> Input {
    let state: TurnState = match &store.checkpoint {
        Some(text) => serde_json::from_str(text).unwrap(),
        None => TurnState::default(),
    };
    let calls = match &state.phase {
        Phase::ExecutingTools(_) => store
            .ledger
            .iter()
            .filter(|((iteration, _), _)| *iteration == state.iteration)
            .map(|(_, call)| CallLedger { status: call.status, outcome: call.outcome.clone() })
            .collect(),
        _ => Vec::new(),
    };
    let (mut cut, mut next_stream): (BTreeMap<u32, CutSegment>, u32) = (BTreeMap::new(), state.next_stream);
    for event in &store.events {
        match event {
            EventBody::StreamDiscarded { stream_id, .. } => {
                let index = stream_id.index().unwrap();
                cut.remove(&index);
                next_stream = next_stream.max(index + 1);
            }
            EventBody::Delta { stream_id, .. }
            | EventBody::ReasoningDelta { stream_id, .. }
            | EventBody::ProviderTool { stream_id, .. }
            | EventBody::RetryWait { stream_id, .. }
            | EventBody::ModelSwitched { stream_id, .. }
            | EventBody::Notice { stream_id, .. }
            | EventBody::ApprovalRequested { stream_id, .. }
            | EventBody::ContextGoverned { stream_id, .. }
                if stream_id.index().unwrap() >= state.next_stream =>
            {
                let index = stream_id.index().unwrap();
                next_stream = next_stream.max(index + 1);
                let segment = CutSegment { stream_id: stream_id.clone(), text: None };
                let segment = cut.entry(index).or_insert(segment);
                if let EventBody::Delta { text, .. } = event {
                    segment.text.get_or_insert_default().push_str(text);
                }
            }
            _ => {}
        }
    }
    Input::Resume(Resume { attempt, go_on, cut: cut.into_values().collect(), next_stream, calls })
}

/// An answer to a question.
pub(crate) fn answered(question: &Approval, outcome: ApprovalOutcome) -> Answered {
    let by = "somebody".to_owned();
    Answered { approval_id: question.approval_id, outcome, by, reason: None, arguments: None }
}

/// Runs a turn without cuts.
pub(crate) fn run(world: &World) -> Driver<'_> {
    let mut driver = Driver::new(world, Store::default());
    assert!(driver.run(Input::Begin));
    driver
}

/// Runs a turn without cuts; what it shows has to be what a reader may see.
pub(crate) fn watched(world: &World) -> Driver<'_> {
    let driver = run(world);
    let mut monitor = Monitor::default();
    driver.shown.iter().for_each(|event| monitor.see(event));
    monitor.end();
    driver
}

/// One line for each thing that an effect makes happen.
pub(crate) fn lines(effect: &Effect) -> Vec<String> {
    match effect {
        Effect::Observe(observation) => vec![format!("H {observation:?}")],
        Effect::BuildRequest { closing } => vec![format!("build closing={closing}")],
        Effect::AskModel => vec!["ask".to_owned()],
        Effect::Decide { call, .. } => vec![format!("H before_execute_tool {}", call.id)],
        Effect::RunCalls(calls) => {
            vec![format!("run {}", calls.iter().map(|(_, call)| call.id.as_str()).collect::<Vec<_>>().join(" "))]
        }
        Effect::Wait { delay_ms } => vec![format!("wait {delay_ms}")],
        Effect::DrainSteer => vec!["drain".to_owned()],
        Effect::Finalize { text } => vec![format!("H finalize_content {text:?}")],
        Effect::Emit(body) => vec![format!("E {}", event_line(body))],
        Effect::Persist(step) => {
            let writes: Vec<String> = step
                .writes
                .iter()
                .map(|write| match write {
                    Write::Row { message, interrupted, answer } => {
                        let kind = match (answer, interrupted) {
                            (true, true) => " (answer, cut)",
                            (true, false) => " (answer)",
                            (false, true) => " (cut)",
                            (false, false) => "",
                        };
                        format!("{:?}{kind} {:?}", message.role, message.text())
                    }
                    Write::Steer(steer) => format!("steer {:?}", steer.text),
                    Write::Ask(question) => format!("ask {:?}", question.reason),
                    Write::Answer(answer) => format!("answer {:?}", answer.outcome),
                    Write::Call { call, .. } => format!("{} {:?}", call.call.id, call.status),
                })
                .collect();
            let mut lines = vec![format!("D {}", writes.join(", "))];
            lines.extend(step.events.iter().map(|body| format!("E {}", event_line(body))));
            lines
        }
        Effect::Finish(ending) => vec![format!("finish {:?}", ending.stop_reason)],
    }
}

fn event_line(body: &EventBody) -> String {
    match body {
        EventBody::TurnResumed { attempt } => format!("turn_resumed {attempt}"),
        EventBody::IterationStarted { iteration } => format!("iteration_started {iteration}"),
        EventBody::ReasoningDelta { stream_id, text } => format!("reasoning_delta {} {text:?}", stream_id.0),
        EventBody::ReasoningEnd { stream_id, chars, .. } => format!("reasoning_end {} {chars}", stream_id.0),
        EventBody::Delta { stream_id, text } => format!("delta {} {text:?}", stream_id.0),
        EventBody::StreamEnd { stream_id, chars, resuming } => {
            format!("stream_end {} {chars} resuming={resuming}", stream_id.0)
        }
        EventBody::StreamDiscarded { stream_id, .. } => format!("stream_discarded {}", stream_id.0),
        EventBody::ToolStarted { stream_id, call_id, name, .. } => {
            format!("tool_started {} {call_id} {name}", stream_id.0)
        }
        EventBody::ToolFinished { stream_id, call_id, status, .. } => {
            format!("tool_finished {} {call_id} {status:?}", stream_id.0)
        }
        EventBody::Notice { stream_id, code, .. } => format!("notice {} {code}", stream_id.0),
        EventBody::ContextGoverned { stream_id, .. } => format!("context_governed {}", stream_id.0),
        EventBody::ProviderTool { stream_id, phase, name, .. } => {
            format!("provider_tool {} {name} {phase}", stream_id.0)
        }
        EventBody::RetryWait { stream_id, attempt, delay_ms, code, .. } => {
            format!("retry_wait {} {attempt} {delay_ms} {code}", stream_id.0)
        }
        EventBody::ModelSwitched { stream_id, from, to, code, .. } => {
            format!("model_switched {} {from} {to} {code}", stream_id.0)
        }
        EventBody::ApprovalRequested { stream_id, approval } => {
            format!("approval_requested {} {:?}", stream_id.0, approval.reason)
        }
        EventBody::ApprovalResolved { stream_id, answered, .. } => {
            format!("approval_resolved {} {:?}", stream_id.0, answered.outcome)
        }
        EventBody::Usage(_) => "usage".to_owned(),
        EventBody::UserMessage { text, steer, .. } => format!("user_message {text:?} steer={steer}"),
        other => format!("{other:?}"),
    }
}

/// The hooks that were told something, in order.
pub(crate) fn observed(trace: &[Effect]) -> Vec<Observation> {
    trace
        .iter()
        .filter_map(|effect| match effect {
            Effect::Observe(observation) => Some(*observation),
            _ => None,
        })
        .collect()
}
