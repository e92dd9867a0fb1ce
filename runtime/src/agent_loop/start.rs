//! Starting turns: the user row, the claim and the first events in one transaction, then the runner.

use std::sync::Arc;

use nanobot_engine::event::{EventBody, SessionState, StopReason};
use nanobot_engine::govern::{ContextBudget, ContextGovernance};
use nanobot_engine::hook::{AgentHook, RunContext};
use nanobot_engine::machine::{Input, TurnLimits, TurnMachine, TurnState};
use nanobot_engine::message::{Branch, Message, Row};
use nanobot_engine::model::ModelError;
use nanobot_engine::retry::{Candidate, RetryPolicy};
use nanobot_engine::turn::TurnStatus;
use nanobot_engine::usage::Usage;
use nanobot_store::{Op, StoreError, WorkItem, WorkState};

use tokio::sync::mpsc;

use super::accept::{accepted, first, user_message};
use super::{AgentLoop, Running, load_rows, queued_record};
use crate::config::{Config, RetryMode};
use crate::error::RuntimeError;
use crate::hooks::{self, ExternalHookFactory, TurnHookFactory};
use crate::models::ModelHandle;
use crate::permissions::PermissionHook;
use crate::runner::{AgentRunner, Answerer, SteerQueue, TurnCtx};
use crate::runtime::Accepted;
use crate::tool::ToolContext;

/// Answers that may be on their way to a turn.
const ANSWERS: usize = 16;

/// The user row of a turn that starts, with its place in the tree.
struct Place {
    row: Row,
    branch: Option<Branch>,
    rows: Vec<Arc<Row>>,
}

impl AgentLoop {
    /// Accept and claim in one transaction: the session is idle.
    pub(super) async fn start_now(&mut self, item: WorkItem) -> Result<Accepted, RuntimeError> {
        let item = WorkItem { state: WorkState::Claimed, ..item };
        let place = self.place(&item).await?;
        let bodies = vec![user_message(&item, place.row.parent_id, place.branch.clone())];
        let item = self.claim(item, place, bodies, true).await?;
        Ok(accepted(&item, 0))
    }

    /// Claims a message that waited. Its `user_message` was shown when it was accepted.
    pub(super) async fn start_queued(&mut self, item: WorkItem) -> Result<(), RuntimeError> {
        let place = self.place(&item).await?;
        // A branch can only be named now that the parent is known.
        let bodies = match &place.branch {
            Some(branch) => vec![user_message(&item, place.row.parent_id, Some(branch.clone()))],
            None => Vec::new(),
        };
        self.claim(item, place, bodies, false).await?;
        Ok(())
    }

    /// Row, claim and first events in one transaction; then the run. A new item takes the number of its `user_message`.
    async fn claim(
        &mut self,
        mut item: WorkItem,
        place: Place,
        mut bodies: Vec<EventBody>,
        new: bool,
    ) -> Result<WorkItem, StoreError> {
        let at = self.now();
        let config = self.shared.config.current();
        // A preset that was removed since it was chosen gives way to the default one.
        let chosen = [&item.preset, &self.session.preset].into_iter().flatten();
        let preset = chosen.filter_map(|preset| config.preset_name(preset)).next();
        let models = self.shared.models.chain(&config, preset);
        let (preset_name, model_name) = names(&models, preset);
        let state = TurnState { decisions: self.decisions.clone(), ..TurnState::default() };
        let checkpoint = serde_json::to_string(&state).map_err(|error| StoreError::Other(error.to_string()))?;
        let Place { mut row, mut rows, .. } = place;
        bodies.push(EventBody::TurnStarted {
            origin: item.origin,
            preset: preset_name.clone(),
            model: model_name.clone(),
        });
        let turn_id = item.turn_id;
        let bodies = bodies.into_iter().map(|body| (Some(turn_id), body)).collect();
        if !new {
            row.seq = self.log.next_seq();
        }
        let committed = {
            let (item, row) = (&mut item, &mut row);
            let (boot_id, preset, model) = (self.shared.boot_id, preset_name.clone(), model_name.clone());
            let ops = move |numbers: &[u64]| {
                let mut ops = Vec::with_capacity(8);
                if new {
                    (item.seq, row.seq) = (first(numbers), first(numbers));
                    ops.push(Op::InsertTurn(Box::new(queued_record(item, row.parent_id))));
                    ops.push(Op::InsertWork(Box::new(item.clone())));
                } else {
                    ops.push(Op::SetWorkState { id: item.id, state: WorkState::Claimed, turn_id });
                }
                ops.extend([
                    Op::InsertMessage(Box::new(row.clone())),
                    Op::SetActive { message_id: row.id },
                    Op::StartTurn {
                        turn_id,
                        started_seq: first(numbers),
                        at,
                        boot_id,
                        user_message_id: row.id,
                        preset,
                        model,
                    },
                    Op::Checkpoint { turn_id, checkpoint },
                    Op::TouchSession { at },
                ]);
                ops
            };
            self.log.commit_events(at, bodies, ops).await
        };
        if let Err(error) = committed {
            self.rows = None;
            return Err(error);
        }
        self.session.active_message_id = Some(row.id);
        self.session.last_message_at = Some(at);
        rows.push(Arc::new(row));
        let run = RunContext {
            session_id: self.session.id,
            turn_id,
            origin: item.origin,
            preset: preset_name,
            model: model_name,
        };
        let machine = self.machine(&config, item.seq, state);
        self.spawn_run(&config, run, models, machine, rows, item.created_at, Some(item.id), Input::Begin);
        Ok(item)
    }

    /// Where the user row goes: behind the active branch, or where the sender said.
    async fn place(&mut self, item: &WorkItem) -> Result<Place, StoreError> {
        let follows_active = item.parent_message_id.is_none();
        let parent = item.parent_message_id.unwrap_or_else(|| self.leaf());
        let rows = match self.rows.take() {
            Some(rows) if follows_active || rows.last().map(|row| row.id) == parent => rows,
            _ => load_rows(&self.shared.store, self.session.id, parent).await?,
        };
        let branch = if follows_active {
            None
        } else {
            let mut siblings = self.shared.store.siblings(self.session.id, parent).await?;
            siblings.push(item.message_id);
            let count = u32::try_from(siblings.len()).unwrap_or(u32::MAX);
            (count > 1).then(|| Branch { index: count - 1, count, siblings })
        };
        let row = Row {
            id: item.message_id,
            seq: item.seq,
            turn_id: item.turn_id,
            parent_id: parent,
            message: Message::user(item.content.clone()),
            context: Some(self.shared.volatile_facts(item.created_at)),
            interrupted: false,
            origin: item.origin,
            client_message_id: item.client_message_id.clone(),
            created_at: item.created_at,
        };
        Ok(Place { row, branch, rows })
    }

    pub(super) fn machine(&self, config: &Config, turn_seq: u64, state: TurnState) -> TurnMachine {
        let persistent = config.agent.retry_mode == RetryMode::Persistent;
        let limits = TurnLimits {
            max_iterations: config.agent.max_iterations,
            retry: RetryPolicy { persistent, ..RetryPolicy::default() },
            ..TurnLimits::default()
        };
        TurnMachine::new(limits, Arc::clone(&self.shared.table), turn_seq, state)
    }

    #[expect(clippy::too_many_arguments, reason = "the one place where everything a turn needs comes together")]
    pub(super) fn spawn_run(
        &mut self,
        config: &Config,
        run: RunContext,
        models: Result<Vec<ModelHandle>, ModelError>,
        machine: TurnMachine,
        rows: Vec<Arc<Row>>,
        accepted_at: i64,
        work_id: Option<uuid::Uuid>,
        first: Input,
    ) {
        let stop = tokio_util::sync::CancellationToken::new();
        let steer = Arc::new(SteerQueue::default());
        let (answers, asked) = mpsc::channel(ANSWERS);
        let waits = machine.state().awaits_person();
        let (turn_id, session_id) = (run.turn_id, run.session_id);
        let running = Running { turn_id, accepted_at, work_id, stop: stop.clone(), steer: Arc::clone(&steer), answers };
        self.running = Some(running);
        let state = if waits { SessionState::AwaitingApproval } else { SessionState::Running };
        self.set_status(state, Some(turn_id));
        let standing = Arc::clone(&self.standing);
        let workspace = self.shared.workspace_of(&self.session);
        let models = models.map(|models| {
            let answerer = |model: ModelHandle| {
                let governance = ContextGovernance { budget: budget_of(&model, config) };
                Answerer { model, governance }
            };
            models.into_iter().map(answerer).collect::<Vec<_>>()
        });
        let candidates = models.iter().flatten().map(|answerer| candidate(&answerer.model)).collect();
        let machine = machine.with_candidates(candidates);
        let shared = Arc::clone(&self.shared);
        let kept = Arc::clone(&self.kept);
        let log = Arc::clone(&self.log);
        let programs: Vec<_> =
            ExternalHookFactory::all(&config.hooks, &shared.options.home, &shared.hook_tasks).collect();
        let programs = programs.iter().map(|program| program as &dyn TurnHookFactory);
        let factories = shared.options.turn_hooks.iter().map(AsRef::as_ref).chain(programs);
        let mut hooks = hooks::of_turn(&shared.options.hooks, factories, &run);
        self.turns.spawn(async move {
            let permit = tokio::select! {
                permit = Arc::clone(&shared.permits).acquire_owned(), if !waits => permit.ok(),
                () = stop.cancelled() => None,
                () = shared.shutdown.cancelled() => None,
                () = std::future::ready(()), if waits => None,
            };
            let (system, scope) = shared.surroundings(&workspace).await;
            let tool_context = ToolContext {
                session_id,
                turn_id,
                scope,
                cancel: tokio_util::sync::CancellationToken::new(),
                results: Arc::clone(&shared.results),
            };
            let permissions = Arc::new(PermissionHook {
                tools: shared.options.tools.clone(),
                context: tool_context.clone(),
                config: shared.config.clone(),
                standing,
                clock: Arc::clone(&shared.clock),
            });
            hooks.push(Arc::clone(&permissions) as Arc<dyn AgentHook>);
            let ctx = TurnCtx {
                run: Arc::new(run),
                session_id,
                turn_id,
                accepted_at,
                models,
                breakers: Arc::clone(shared.models.breakers()),
                calibrations: Arc::clone(shared.models.calibrations()),
                budgets: Arc::clone(&shared.budgets),
                config: shared.config.clone(),
                store: shared.store.clone(),
                dice: shared.options.dice,
                system,
                tools: shared.options.tools.clone(),
                specs: Arc::clone(&shared.specs),
                tools_body: shared.tools_body(),
                kept,
                tool_context,
                hooks: hooks::guarded(hooks),
                permissions,
                permits: Arc::clone(&shared.permits),
                changes: shared.changes.clone(),
                work_id,
                stop,
                park: shared.shutdown.clone(),
            };
            let inbox = (steer, asked);
            AgentRunner::new(ctx, machine, log, Arc::clone(&shared.clock), inbox, permit, rows).run(first).await
        });
    }

    /// A queued message that Stop took back: its row is kept, its turn is cancelled.
    pub(super) async fn cancel_queued(&mut self, item: WorkItem) -> Result<(), RuntimeError> {
        let steered =
            item.seq == 0 || self.shared.store.turn(item.turn_id).await?.is_none_or(|t| t.started_seq.is_some());
        let item = if steered { self.store_queued(item).await? } else { item };
        let Place { mut row, mut rows, .. } = self.place(&item).await?;
        row.seq = self.log.next_seq();
        let at = self.now();
        let turn_id = item.turn_id;
        let finished = EventBody::TurnFinished {
            stop_reason: StopReason::Cancelled,
            latency_ms: u64::try_from(at - item.created_at).unwrap_or(0),
            usage: Usage::default(),
            error: None,
        };
        let ops = |numbers: &[u64]| {
            vec![
                Op::InsertMessage(Box::new(row.clone())),
                Op::SetActive { message_id: row.id },
                Op::StartTurn {
                    turn_id,
                    started_seq: row.seq,
                    at,
                    boot_id: self.shared.boot_id,
                    user_message_id: row.id,
                    preset: item.preset.clone().unwrap_or_default(),
                    model: String::new(),
                },
                Op::FinishTurn {
                    turn_id,
                    state: TurnStatus::Cancelled,
                    stop_reason: StopReason::Cancelled,
                    error: None,
                    usage: Usage::default(),
                    ended_seq: first(numbers),
                    at,
                },
                Op::SetWorkState { id: item.id, state: WorkState::Cancelled, turn_id },
            ]
        };
        self.log.commit_events(at, vec![(Some(turn_id), finished)], ops).await?;
        self.session.active_message_id = Some(row.id);
        rows.push(Arc::new(row));
        self.rows = Some(rows);
        Ok(())
    }
}

/// Preset and model as events name them; what was asked for when there is no model.
fn names(models: &Result<Vec<ModelHandle>, ModelError>, asked: Option<&str>) -> (String, String) {
    match models.as_deref() {
        Ok([model, ..]) => (model.preset.name.clone(), model.preset.model.clone()),
        Ok([]) | Err(_) => (asked.unwrap_or_default().to_owned(), String::new()),
    }
}

/// What the machine knows of a model.
fn candidate(model: &ModelHandle) -> Candidate {
    Candidate {
        preset: model.preset.name.clone(),
        model: model.preset.model.clone(),
        context_window_tokens: model.preset.context_window_tokens,
    }
}

fn budget_of(model: &ModelHandle, config: &Config) -> ContextBudget {
    ContextBudget::new(model.preset.context_window_tokens, model.preset.max_tokens, config.agent.max_tool_result_chars)
}
