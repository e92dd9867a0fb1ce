//! `AgentRunner`: drives one turn. It executes the machine's effects in order, calls the hooks at their boundaries,
//! commits each step, and feeds results back. All decisions are the machine's.

mod attempt;
mod consent;
mod execute;
mod journal;
mod persist;
mod request;
mod work;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nanobot_engine::event::EventBody;
use nanobot_engine::govern::{ContextGovernance, Cost, Decisions, fixed_cost};
use nanobot_engine::hook::{CompositeHook, IterationContext, RunContext};
use nanobot_engine::id::{ApprovalId, MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::machine::{Effect, Ending, Input, TurnMachine};
use nanobot_engine::message::Row;
use nanobot_engine::model::{ModelError, ModelRequest, StreamItem};
use nanobot_engine::tool::{ToolOutcome, ToolSpec};
use nanobot_store::{Op, Store, StoreError, WorkItem};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use self::attempt::Attempt;
pub use self::consent::Answering;
pub(crate) use self::consent::closed;
use self::journal::Journal;
pub(crate) use self::journal::Kept;
use self::work::Work;
use crate::breaker::Breakers;
use crate::budget::{Budgets, Reservation};
use crate::calibrations::Calibrations;
use crate::clock::Clock;
use crate::config::ConfigStore;
use crate::edits::EditWatch;
use crate::event_log::EventLog;
use crate::hooks::Guarded;
use crate::models::ModelHandle;
use crate::permissions::PermissionHook;
use crate::provider::ModelStream;
use crate::recipe::Body;
use crate::tool::{ToolContext, ToolRegistry};

/// How often text in open segments is stored.
const FLUSH_EVERY: Duration = Duration::from_millis(100);

/// What a turn runs with; fixed for its whole life.
pub struct TurnCtx {
    /// The run, as hooks see it.
    pub run: Arc<RunContext>,
    /// Session.
    pub session_id: SessionId,
    /// Turn.
    pub turn_id: TurnId,
    /// When it was accepted, UTC milliseconds.
    pub accepted_at: i64,
    /// The models that may answer, the preferred one first and never none; or why there is none.
    pub models: Result<Vec<Answerer>, ModelError>,
    /// What is known of models that failed.
    pub breakers: Arc<Breakers>,
    /// How far estimates of tokens are off.
    pub calibrations: Arc<Calibrations>,
    /// What may be spent, and what is.
    pub budgets: Arc<Budgets>,
    /// Settings; limits of spending hold as they are at the moment.
    pub config: ConfigStore,
    /// Database.
    pub store: Store,
    /// Numbers from 0 to 1 at random.
    pub dice: fn() -> f64,
    /// System prompt.
    pub system: Arc<str>,
    /// Tools on offer.
    pub tools: ToolRegistry,
    /// The same, as requests want them.
    pub specs: Arc<[ToolSpec]>,
    /// The same, as they are kept for whoever looks at a request later.
    pub tools_body: Arc<Body>,
    /// Texts that the session has kept.
    pub(crate) kept: Arc<Kept>,
    /// What calls may see.
    pub tool_context: ToolContext,
    /// Hooks, built-in ones first.
    pub hooks: CompositeHook<Guarded>,
    /// The last of them: what calls may do without asking.
    pub(crate) permissions: Arc<PermissionHook>,
    /// Turns that work hold one of these; turns that wait for a person hold none.
    pub permits: Arc<Semaphore>,
    /// Told when the list of sessions changed.
    pub changes: watch::Sender<u64>,
    /// Work item of the turn, closed with it.
    pub work_id: Option<uuid::Uuid>,
    /// Pressed by Stop.
    pub stop: CancellationToken,
    /// Pressed by shutdown: the turn is left as it is and goes on after the restart.
    pub park: CancellationToken,
}

/// A model that may answer, with the rules by which its requests are made up.
#[derive(Clone)]
pub struct Answerer {
    /// The model.
    pub model: ModelHandle,
    /// What fits into its window.
    pub governance: ContextGovernance,
}

/// Messages waiting to join the running turn. The session's actor pushes, the runner takes.
#[derive(Debug, Default)]
pub struct SteerQueue {
    waiting: Mutex<VecDeque<WorkItem>>,
}

impl SteerQueue {
    /// Adds a message.
    pub fn push(&self, item: WorkItem) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push_back(item);
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Does none wait?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes everything that waits.
    pub fn take(&self) -> VecDeque<WorkItem> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// How a run came to its end.
#[derive(Debug)]
pub enum RunEnded {
    /// The turn is closed in the store.
    Finished(Ending),
    /// The turn is left open for the next process.
    Parked,
    /// The store refused a step; the turn could not be closed.
    StoreFailed(StoreError),
}

/// What the actor gets back.
#[derive(Debug)]
pub struct RunReport {
    /// How it ended.
    pub ended: RunEnded,
    /// The branch with the rows of this turn.
    pub rows: Vec<Arc<Row>>,
    /// Steer messages that were taken and did not become rows.
    pub steering: Vec<WorkItem>,
    /// What governance decided, for the turns that follow on this branch.
    pub decisions: Decisions,
}

/// Drives one turn.
pub struct AgentRunner {
    ctx: TurnCtx,
    machine: TurnMachine,
    log: Arc<EventLog>,
    clock: Arc<dyn Clock>,
    steer: Arc<SteerQueue>,
    answers: mpsc::Receiver<Answering>,
    work: Work,
    rows: Vec<Arc<Row>>,
    effects: VecDeque<Effect>,
    out: Vec<Effect>,
    iteration: IterationContext,
    request: Option<ModelRequest>,
    journal: Journal,
    /// System prompt and tools, which are the same in every request.
    fixed: Cost,
    request_tokens: u64,
    /// The same before calibration.
    raw_tokens: u64,
    /// Why no request could be made up.
    refused: Option<ModelError>,
    stream: Option<Box<dyn ModelStream>>,
    attempt: Attempt,
    /// Room in the budgets for the present request.
    reservation: Option<Reservation>,
    items: Vec<StreamItem>,
    opened: HashSet<StreamId>,
    calls: JoinSet<(usize, ToolOutcome)>,
    /// Calls that were told to end and may not have ended yet.
    ending_calls: JoinSet<(usize, ToolOutcome)>,
    /// Files of the calls that run, by id of the call.
    watches: HashMap<String, EditWatch>,
    /// Writes that are committed together with the next step.
    deferred: Vec<Op>,
    /// Ids of steer messages that the machine is about to store, with their work items.
    steering: Vec<WorkItem>,
    /// Questions that only the rules and the access mode asked.
    asked_by_rules: HashSet<ApprovalId>,
    streaming_hooks: bool,
    /// The model has said its answer; what comes now is what hooks made of it.
    answer_over: bool,
    finished: Option<Ending>,
    /// When hooks of the end of the run are cut short; set once Stop was pressed.
    grace_ends: Option<tokio::time::Instant>,
}

/// Why the driver stops before the machine is done.
pub(crate) enum Halt {
    Park,
    Store(StoreError),
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl AgentRunner {
    /// A runner for a claimed turn whose branch is `rows`. It takes steer messages and answers from `inbox`, and has a `permit`
    /// unless the turn waits for a person.
    #[must_use]
    pub fn new(
        ctx: TurnCtx,
        machine: TurnMachine,
        log: Arc<EventLog>,
        clock: Arc<dyn Clock>,
        inbox: (Arc<SteerQueue>, mpsc::Receiver<Answering>),
        permit: Option<OwnedSemaphorePermit>,
        rows: Vec<Arc<Row>>,
    ) -> Self {
        let (steer, answers) = inbox;
        let number = machine.state().iteration;
        let fixed = fixed_cost(&ctx.system, &ctx.specs);
        let journal = Journal::new(Arc::clone(&ctx.kept), &ctx.system, Arc::clone(&ctx.tools_body));
        let iteration = IterationContext::new(Arc::clone(&ctx.run), number);
        let work = Work::new(permit, clock.now());
        Self {
            ctx,
            machine,
            log,
            clock,
            steer,
            answers,
            work,
            rows,
            effects: VecDeque::new(),
            out: Vec::new(),
            iteration,
            request: None,
            journal,
            fixed,
            request_tokens: 0,
            raw_tokens: 0,
            refused: None,
            stream: None,
            attempt: Attempt::default(),
            reservation: None,
            items: Vec::new(),
            opened: HashSet::new(),
            calls: JoinSet::new(),
            ending_calls: JoinSet::new(),
            watches: HashMap::new(),
            deferred: Vec::new(),
            steering: Vec::new(),
            asked_by_rules: HashSet::new(),
            streaming_hooks: false,
            answer_over: false,
            finished: None,
            grace_ends: None,
        }
    }

    /// Runs the turn from `first` (begin or resume) to its end.
    pub async fn run(mut self, first: Input) -> RunReport {
        let ended = match self.drive(first).await {
            Ok(ending) => RunEnded::Finished(ending),
            Err(Halt::Park) => {
                if let Err(error) = self.log.flush().await {
                    tracing::warn!(%error, "the last text of a parked turn was not stored");
                }
                RunEnded::Parked
            }
            Err(Halt::Store(error)) => {
                self.ctx.kept.forget();
                RunEnded::StoreFailed(error)
            }
        };
        self.ctx.budgets.forget_turn(self.ctx.turn_id);
        let decisions = self.machine.state().decisions.clone();
        RunReport { ended, rows: self.rows, steering: self.steering, decisions }
    }

    async fn drive(&mut self, first: Input) -> Result<Ending, Halt> {
        self.step(first);
        // The limit may have been raised, or the day gone by, while nobody looked.
        self.look_at_budget().await?;
        loop {
            loop {
                if self.finished.is_none() {
                    self.show_faults().await?;
                }
                let Some(effect) = self.effects.pop_front() else { break };
                if self.hold_permit(&effect).await? {
                    self.execute(effect).await?;
                }
            }
            if let Some(ending) = self.finished.take() {
                return Ok(ending);
            }
            self.wait().await?;
        }
    }

    fn now(&self) -> i64 {
        self.clock.now()
    }

    /// Feeds the machine; its effects go behind what is still to be done.
    fn step(&mut self, input: Input) {
        let at = self.now();
        self.journal.note(at, &input, &self.machine);
        self.machine.step(at, input, &mut self.out);
        self.effects.extend(self.out.drain(..));
    }

    /// Nothing is left to do: waits for the model, a tool, Stop or shutdown.
    async fn wait(&mut self) -> Result<(), Halt> {
        let stop = self.ctx.stop.clone();
        let park = self.ctx.park.clone();
        let flush = tokio::time::sleep(FLUSH_EVERY);
        let expiry = self.expiry();
        let budget = self.budget_moves();
        tokio::pin!(flush, expiry, budget);
        let waits = self.machine.state().awaits_person();
        if waits {
            self.work.pause(self.clock.now());
            self.log.flush().await?;
        }
        loop {
            tokio::select! {
                biased;
                () = park.cancelled() => return Err(Halt::Park),
                () = stop.cancelled() => {
                    self.stop_now();
                    return Ok(());
                }
                () = next_items(&mut self.stream, &mut self.items), if self.stream.is_some() => {
                    return self.take_items(&mut flush).await;
                }
                Some(joined) = self.calls.join_next(), if !self.calls.is_empty() => {
                    self.call_ended(joined);
                    return Ok(());
                }
                Some(answering) = self.answers.recv() => return self.take_answer(answering).await,
                approval_id = &mut expiry => {
                    self.expired(approval_id);
                    return Ok(());
                }
                () = &mut budget => return self.look_at_budget().await,
                () = &mut flush, if !waits => {
                    self.log.flush().await?;
                    flush.as_mut().reset(tokio::time::Instant::now() + FLUSH_EVERY);
                }
            }
        }
    }

    /// Takes what the model sent until it ends; this is the hot path of streaming.
    async fn take_items(&mut self, flush: &mut std::pin::Pin<&mut tokio::time::Sleep>) -> Result<(), Halt> {
        let stop = self.ctx.stop.clone();
        let park = self.ctx.park.clone();
        loop {
            let mut items = std::mem::take(&mut self.items);
            for item in items.drain(..) {
                self.attempt.saw(&item, self.clock.as_ref());
                match item {
                    StreamItem::Reasoning(text) => self.step(Input::Reasoning(text)),
                    StreamItem::Text(text) => self.step(Input::Text(text)),
                    StreamItem::ProviderTool(event) => self.step(Input::ProviderTool(event)),
                    StreamItem::End(reply) => {
                        self.stream = None;
                        let usage = self.usage_of(&reply);
                        self.reply_ended(reply, usage);
                        return Ok(());
                    }
                }
                while let Some(effect) = self.effects.pop_front() {
                    match effect {
                        Effect::Emit(body) => self.emit(body).await?,
                        other => self.execute(other).await?,
                    }
                }
                if self.finished.is_none() {
                    self.show_faults().await?;
                }
                if self.stream.is_none() {
                    // A hook ended the run; nothing more will come.
                    return Ok(());
                }
            }
            self.items = items;
            tokio::select! {
                biased;
                () = park.cancelled() => return Err(Halt::Park),
                () = stop.cancelled() => {
                    self.stop_now();
                    return Ok(());
                }
                () = flush.as_mut() => {
                    self.log.flush().await?;
                    flush.as_mut().reset(tokio::time::Instant::now() + FLUSH_EVERY);
                }
                () = next_items(&mut self.stream, &mut self.items) => {}
            }
        }
    }

    fn stop_now(&mut self) {
        self.stream = None;
        let usage = self.attempt_stopped();
        self.end_calls();
        self.machine.cut_short(&mut self.effects);
        self.step(Input::Stop { usage });
    }

    /// Nobody waits for the calls that run any more.
    fn end_calls(&mut self) {
        self.ctx.tool_context.cancel.cancel();
        self.calls.abort_all();
        self.ending_calls = std::mem::take(&mut self.calls);
    }

    fn call_ended(&mut self, joined: Result<(usize, ToolOutcome), tokio::task::JoinError>) {
        match joined {
            Ok((position, outcome)) => self.step(Input::CallFinished { position, outcome }),
            // Panics are caught inside the task; what comes here was aborted.
            Err(error) => tracing::warn!(%error, "a tool task was lost"),
        }
    }

    fn last_row(&self) -> Option<MessageId> {
        self.rows.last().map(|row| row.id)
    }
}

/// Waits for the next items of a stream; pends for ever without one.
async fn next_items(stream: &mut Option<Box<dyn ModelStream>>, items: &mut Vec<StreamItem>) {
    match stream {
        Some(stream) => stream.next(items).await,
        None => std::future::pending().await,
    }
}

/// Is this the kind of event whose stretch begins with its first piece?
fn opens(body: &EventBody, opened: &mut HashSet<StreamId>) -> bool {
    body.stretch().is_some_and(|stream_id| !opened.contains(stream_id) && opened.insert(stream_id.clone()))
}
