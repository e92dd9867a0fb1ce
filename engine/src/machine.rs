//! The turn machine: a state, an input, and the effects that follow. No I/O, no clock, no threads.
//!
//! `Building → Requesting → ExecutingTools → Draining → Finalizing → Done`. The driver executes effects in order and
//! feeds each answer back as the next input. A machine made again from a stored [`TurnState`] goes on where it was.

mod batch;
mod calls;
mod consent;
mod finish;
mod length;
mod resume;
mod retry;
mod segments;
mod step;

pub use batch::{Batch, BatchCall};
pub use consent::{BudgetPause, OverBudget};
pub use length::CutAnswer;
pub use resume::{CallLedger, CutSegment, Resume};
pub use segments::Segments;

use consent::cancelled;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::approval::{Answered, Approval, Asking};
use crate::event::{EventBody, GovernStep, StopReason, TurnError};
use crate::govern::Decisions;
use crate::hook::{Decision, ProviderToolEvent};
use crate::id::{MessageId, StreamId};
use crate::loop_guard::LoopGuard;
use crate::message::{Message, Origin, ToolCall};
use crate::model::Reply;
use crate::retry::{Candidate, RetryPolicy, RetryState};
use crate::tool::{ToolOutcome, ToolTable};
use crate::usage::Usage;

/// Limits of one turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnLimits {
    /// Model requests with tools; after that the model closes with what it has. 1 to 100.
    pub max_iterations: u32,
    /// How often steer messages may prolong the turn.
    pub max_steer_cycles: u32,
    /// Blank answers that are asked again.
    pub max_blank_retries: u32,
    /// Calls that run side by side.
    pub max_parallel_calls: usize,
    /// How often and how long a request is tried.
    pub retry: RetryPolicy,
}

impl Default for TurnLimits {
    fn default() -> Self {
        Self {
            max_iterations: 100,
            max_steer_cycles: 5,
            max_blank_retries: 1,
            max_parallel_calls: 8,
            retry: RetryPolicy::default(),
        }
    }
}

/// Why a turn goes on after a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContinueReason {
    /// Tool results are there to be read.
    ToolResults,
    /// A person wrote into the running turn.
    Steer,
    /// An active goal is not reached.
    GoalContinue,
    /// The answer was cut at the output limit.
    LengthRecovery,
    /// The answer was blank.
    BlankRetry,
    /// The context was made smaller.
    ContextShrunk,
    /// The provider paused and goes on when its message is sent back.
    ProviderPause,
}

/// Where the turn stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The next request is being made up.
    Building,
    /// The model is answering.
    Requesting,
    /// The request failed and is made again after a while.
    Waiting,
    /// Calls run.
    ExecutingTools(Batch),
    /// Tool results are stored; steer messages are looked for.
    Draining,
    /// The final text is on its way through the hooks.
    Finalizing(Box<Answer>),
    /// A person is asked for more budget. Calls that need consent wait within their batch, where others may run meanwhile.
    AwaitingBudget(BudgetPause),
    /// Waiting without holding a permit.
    Parked,
    /// Everything is stored; only the end has to be said.
    Done(Ending),
}

impl Phase {
    /// The calls at work, when there are any.
    #[must_use]
    pub fn batch(&self) -> Option<&Batch> {
        match self {
            Self::ExecutingTools(batch) => Some(batch),
            Self::Building
            | Self::Requesting
            | Self::Waiting
            | Self::Draining
            | Self::Finalizing(_)
            | Self::AwaitingBudget(_)
            | Self::Parked
            | Self::Done(_) => None,
        }
    }
}

/// An answer that is about to become final.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The message to store.
    pub message: Message,
    /// Its visible text.
    pub text: String,
    /// Why the turn would end with it.
    pub stop_reason: StopReason,
    /// Was it cut at the model's output limit?
    #[serde(default)]
    pub cut: bool,
    /// Where what was said before a cut was shown.
    #[serde(default)]
    pub earlier: Vec<StreamId>,
    /// Has it passed the hooks?
    pub finalized: bool,
    /// Tokens of the request that gave it.
    pub usage: Usage,
}

/// How the turn ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ending {
    /// Why.
    pub stop_reason: StopReason,
    /// What went wrong.
    pub error: Option<TurnError>,
    /// The final text.
    pub content: Option<String>,
}

/// Everything a turn needs to go on, apart from the stored rows.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnState {
    /// Where it stands.
    pub phase: Phase,
    /// Model requests made so far, the present one not counted.
    pub iteration: u32,
    /// Set when the present request is the closing one, without tools.
    pub closing: bool,
    /// Why the present iteration exists; `None` for the first.
    pub continued: Option<ContinueReason>,
    /// Number of the next stretch of output.
    pub next_stream: u32,
    /// What is being streamed.
    pub segments: Segments,
    /// Repeated calls.
    pub guard: LoopGuard,
    /// Tokens so far.
    pub usage: Usage,
    /// Steer messages taken so far, in cycles.
    pub steer_cycles: u32,
    /// Blank answers in a row.
    pub blank_retries: u32,
    /// Tools that succeeded.
    pub tools_used: Vec<String>,
    /// What governance decided so far: applied again in every request, so that nothing is shortened twice.
    #[serde(default)]
    pub decisions: Decisions,
    /// The answer so far, when it was cut at the output limit.
    #[serde(default)]
    pub cut: CutAnswer,
    /// What was tried for the present request.
    #[serde(default)]
    pub retry: RetryState,
    /// Ids of the calls so far, so that none is given twice.
    #[serde(default)]
    pub call_ids: BTreeSet<String>,
}

impl Default for TurnState {
    fn default() -> Self {
        Self {
            phase: Phase::Building,
            iteration: 0,
            closing: false,
            continued: None,
            next_stream: 0,
            segments: Segments::default(),
            guard: LoopGuard::default(),
            usage: Usage::default(),
            steer_cycles: 0,
            blank_retries: 0,
            tools_used: Vec::new(),
            decisions: Decisions::default(),
            cut: CutAnswer::default(),
            retry: RetryState::default(),
            call_ids: BTreeSet::new(),
        }
    }
}

/// What happened outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "input", content = "with", rename_all = "snake_case")]
pub enum Input {
    /// The turn was claimed.
    Begin,
    /// A stored turn is taken up again.
    Resume(Resume),
    /// The request is governed and has passed the hooks.
    RequestReady {
        /// Governance steps that changed something.
        steps: Vec<GovernStep>,
        /// The input budget.
        budget_tokens: u64,
        /// All decisions, those of earlier requests included.
        decisions: Box<Decisions>,
        /// Is there a plainer form of the request?
        can_be_plainer: bool,
    },
    /// The request would pass a budget and was not made.
    OverBudget(Box<OverBudget>),
    /// More reasoning.
    Reasoning(String),
    /// More visible text.
    Text(String),
    /// News of a tool that the provider runs itself.
    ProviderTool(ProviderToolEvent),
    /// The stream ended.
    ReplyEnded {
        /// What was assembled.
        reply: Box<Reply>,
        /// Tokens of the request, as reported or estimated.
        usage: Usage,
        /// A number from 0 to 1, drawn at random, for the wait before another attempt.
        dice: f64,
    },
    /// The wait before another attempt is over.
    Waited,
    /// The hooks decided about a call.
    Decided {
        /// The call's place in the batch.
        position: usize,
        /// What is to happen.
        decision: Decision,
        /// One line for people about what the call does.
        hint: String,
        /// What a question needs, should the decision be to ask.
        asking: Asking,
    },
    /// A person answered a question, or nobody did in time.
    Answered(Box<Answered>),
    /// A call ended.
    CallFinished {
        /// The call's place in the batch.
        position: usize,
        /// How.
        outcome: ToolOutcome,
    },
    /// Steer messages that were waiting, possibly none.
    Steered(Vec<SteerMessage>),
    /// The hooks gave the final text.
    Finalized(String),
    /// A hook with `reraise` failed.
    HookFailed {
        /// How.
        detail: String,
        /// What the request that was cut by it is thought to have cost.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        usage: Option<Usage>,
    },
    /// Somebody pressed Stop.
    Stop {
        /// What the request that was cut by it is thought to have cost.
        #[serde(skip_serializing_if = "Option::is_none", default)]
        usage: Option<Usage>,
    },
}

/// A message that joins the running turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SteerMessage {
    /// Its row.
    pub message_id: MessageId,
    /// Its text.
    pub text: String,
    /// The sender's own id.
    pub client_message_id: Option<String>,
    /// Who sent it.
    pub origin: Origin,
}

/// Something hooks are told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// The run begins.
    BeforeRun,
    /// An iteration begins.
    BeforeIteration,
    /// Calls are about to run.
    BeforeExecuteTools,
    /// An iteration ended.
    AfterIteration,
    /// The run has an error.
    OnError,
    /// The run has a result.
    AfterRun,
    /// The run is over.
    OnFinally,
}

/// A write of a durable step.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A row at the end of the branch.
    Row {
        /// The message.
        message: Message,
        /// True when its text was cut.
        interrupted: bool,
        /// True for the final answer: the driver adds the `message` event.
        answer: bool,
    },
    /// A steer message becomes a row.
    Steer(SteerMessage),
    /// A question to a person.
    Ask(Box<Approval>),
    /// What became of a question.
    Answer(Answered),
    /// A call's entry in the ledger.
    Call {
        /// Iteration.
        iteration: u32,
        /// Place in the batch.
        position: usize,
        /// Its state.
        call: Box<BatchCall>,
    },
}

/// One transaction: rows, ledger and events together, and the state to go on from.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Rows and ledger entries.
    pub writes: Vec<Write>,
    /// Events that are stored with them and shown after the commit.
    pub events: Vec<EventBody>,
    /// Where the turn goes on if the process dies now.
    pub checkpoint: TurnState,
}

/// What the driver has to do, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Tell the hooks.
    Observe(Observation),
    /// Govern the rows for the present candidate and pass them through `before_request`; answer with
    /// [`Input::RequestReady`].
    BuildRequest {
        /// True for a closing answer without tools.
        closing: bool,
    },
    /// Send the request and feed the stream back.
    AskModel,
    /// Wait, then answer with [`Input::Waited`].
    Wait {
        /// How long.
        delay_ms: u64,
    },
    /// Ask the hooks about a call; answer with [`Input::Decided`].
    Decide {
        /// The call's place in the batch.
        position: usize,
        /// The call, with checked arguments.
        call: ToolCall,
    },
    /// Run these calls side by side; answer with [`Input::CallFinished`] for each as it ends.
    RunCalls(Vec<(usize, ToolCall)>),
    /// Look for steer messages; answer with [`Input::Steered`].
    DrainSteer,
    /// Pass the text through `finalize_content`; answer with [`Input::Finalized`].
    Finalize {
        /// The text.
        text: String,
    },
    /// Show an event.
    Emit(EventBody),
    /// Commit a step.
    Persist(Box<Step>),
    /// The turn is over.
    Finish(Ending),
}

/// A clock may be set back; then nothing elapsed.
fn elapsed_ms(since: i64, at: i64) -> u64 {
    u64::try_from(at.saturating_sub(since)).unwrap_or(0)
}

/// One turn.
#[derive(Clone, Debug)]
pub struct TurnMachine {
    limits: TurnLimits,
    tools: Arc<ToolTable>,
    candidates: Arc<[Candidate]>,
    turn_seq: u64,
    state: TurnState,
    can_be_plainer: bool,
}

impl TurnMachine {
    /// A machine for the turn that began at `turn_seq`, fresh or from a checkpoint.
    #[must_use]
    pub fn new(limits: TurnLimits, tools: Arc<ToolTable>, turn_seq: u64, state: TurnState) -> Self {
        Self { limits, tools, candidates: Arc::from([]), turn_seq, state, can_be_plainer: false }
    }

    /// Names the models that may answer: that of the turn's preset, then its fallbacks.
    #[must_use]
    pub fn with_candidates(mut self, candidates: Arc<[Candidate]>) -> Self {
        // A fallback that was removed while the turn was away cannot go on with it.
        if self.state.retry.candidate >= candidates.len() {
            self.state.retry.move_to(0);
        }
        self.candidates = candidates;
        self
    }

    /// The limits of the turn.
    #[must_use]
    pub fn limits(&self) -> TurnLimits {
        self.limits
    }

    /// The models that may answer.
    #[must_use]
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Where the turn stands.
    #[must_use]
    pub fn state(&self) -> &TurnState {
        &self.state
    }

    /// Takes out of the driver's queue what need not be done any more when Stop or a failed hook cuts in; to be called
    /// before [`Input::Stop`] and [`Input::HookFailed`]. What is to be stored or shown stays, since the state counts on
    /// it already, and so does everything once the turn is over.
    pub fn cut_short(&self, waiting: &mut VecDeque<Effect>) {
        if matches!(self.state.phase, Phase::Done(_)) {
            return;
        }
        waiting.retain(|effect| matches!(effect, Effect::Emit(_) | Effect::Persist(_)));
    }

    fn mint_stream(&mut self) -> StreamId {
        let id = StreamId::new(self.turn_seq, self.state.next_stream);
        self.state.next_stream += 1;
        id
    }

    fn persist(&self, writes: Vec<Write>, events: Vec<EventBody>) -> Effect {
        Effect::Persist(Box::new(Step { writes, events, checkpoint: self.state.clone() }))
    }
}
