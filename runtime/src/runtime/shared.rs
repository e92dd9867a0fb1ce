//! What all session actors share.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use nanobot_engine::id::SessionId;
use nanobot_engine::prompt::{PromptParts, system_prompt};
use nanobot_engine::tool::{ToolSpec, ToolTable};
use nanobot_store::{SessionRecord, Store, TitleSource};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use uuid::Uuid;

use super::{NewSession, RuntimeOptions, SessionView};
use crate::agent_loop::{AgentLoop, SessionHandle, state_of};
use crate::budget::Budgets;
use crate::clock::Clock;
use crate::config::ConfigStore;
use crate::error::RuntimeError;
use crate::models::Models;
use crate::recipe::Body;
use crate::tool::{Access, Grant, StoredResults, WorkspaceScope};

/// How long a look at a workspace is good for.
const SURROUNDINGS_LAST: Duration = Duration::from_secs(1);
/// Largest `AGENTS.md` that is read, in bytes.
const MAX_INSTRUCTIONS_BYTES: u64 = 256 * 1024;

pub(crate) struct Shared {
    pub(crate) options: RuntimeOptions,
    pub(crate) store: Store,
    pub(crate) config: ConfigStore,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) models: Models,
    pub(crate) budgets: Arc<Budgets>,
    /// The tools on offer, as the machine and as requests want them.
    pub(crate) table: Arc<ToolTable>,
    pub(crate) specs: Arc<[ToolSpec]>,
    tools_body: OnceLock<Arc<Body>>,
    pub(crate) results: Arc<dyn StoredResults>,
    pub(crate) boot_id: Uuid,
    pub(crate) permits: Arc<Semaphore>,
    pub(crate) actors: TaskTracker,
    /// Each looks after one process of a hook.
    pub(crate) hook_tasks: TaskTracker,
    pub(crate) shutdown: CancellationToken,
    pub(crate) changes: watch::Sender<u64>,
    /// Rules are read and written as a whole.
    pub(super) rules_change: tokio::sync::Mutex<()>,
    sessions: Mutex<HashMap<SessionId, Arc<SessionHandle>>>,
    known_surroundings: Mutex<HashMap<PathBuf, (Instant, Surroundings)>>,
}

/// System prompt and file scope of a workspace.
pub(crate) type Surroundings = (Arc<str>, Arc<WorkspaceScope>);

impl Shared {
    pub(super) fn new(options: RuntimeOptions) -> Self {
        let store = options.store.clone();
        let table = Arc::new(options.tools.table());
        Self {
            config: options.config.clone(),
            clock: Arc::clone(&options.clock),
            models: Models::new(options.model_limits),
            budgets: Arc::default(),
            specs: table.iter().cloned().collect(),
            tools_body: OnceLock::new(),
            table,
            known_surroundings: Mutex::default(),
            results: Arc::new(Results(store.clone())),
            boot_id: Uuid::now_v7(),
            permits: Arc::new(Semaphore::new(options.config.current().agent.concurrent_turns.max(1))),
            actors: TaskTracker::new(),
            hook_tasks: TaskTracker::new(),
            shutdown: CancellationToken::new(),
            changes: watch::Sender::new(0),
            rules_change: tokio::sync::Mutex::default(),
            sessions: Mutex::default(),
            store,
            options,
        }
    }

    /// The tools on offer, as they are kept beside requests.
    pub(crate) fn tools_body(&self) -> Arc<Body> {
        Arc::clone(self.tools_body.get_or_init(|| Arc::new(Body::of_tools(&self.specs))))
    }

    pub(crate) fn note_change(&self) {
        self.changes.send_modify(|count| *count += 1);
    }

    pub(super) fn known(&self, id: SessionId) -> Option<Arc<SessionHandle>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).get(&id).cloned()
    }

    /// The handle of a session that was read from the store; the first caller starts its actor.
    pub(super) fn insert_known(&self, shared: &Arc<Self>, record: SessionRecord) -> Arc<SessionHandle> {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let id = record.id;
        Arc::clone(sessions.entry(id).or_insert_with(|| Arc::new(AgentLoop::spawn(Arc::clone(shared), record, false))))
    }

    /// The handle of a session that this process has just made.
    pub(super) fn insert_fresh(&self, shared: &Arc<Self>, record: SessionRecord) {
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        let id = record.id;
        sessions.insert(id, Arc::new(AgentLoop::spawn(Arc::clone(shared), record, true)));
    }

    pub(crate) fn forget(&self, id: SessionId) {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner).remove(&id);
    }

    /// The name of a preset as the settings write it; people may write it in other case.
    pub(crate) fn preset_name(&self, preset: &str) -> Result<String, RuntimeError> {
        let config = self.config.current();
        config.preset_name(preset).map(str::to_owned).ok_or_else(|| {
            let known: Vec<&str> = config.presets.keys().map(String::as_str).collect();
            let detail = format!("there is no preset {preset:?}; there are: {}", known.join(", "));
            RuntimeError::Invalid { code: "unknown_preset", detail }
        })
    }

    pub(super) fn check_new(&self, new: &mut NewSession) -> Result<(), RuntimeError> {
        if let Some(preset) = &mut new.preset {
            *preset = self.preset_name(preset)?;
        }
        if let Some(workspace) = &new.workspace
            && (!Path::new(workspace).is_absolute() || !Path::new(workspace).is_dir())
        {
            let detail = format!("the workspace {workspace:?} is not an existing folder with an absolute path");
            return Err(RuntimeError::Invalid { code: "bad_workspace", detail });
        }
        Ok(())
    }

    pub(super) fn view(&self, record: SessionRecord) -> SessionView {
        let known = self.known(record.id);
        // Read before the state: who follows the log from here on is told when that changes.
        let head_seq = known.as_ref().map_or(record.last_event_seq, |handle| handle.log.head());
        let (state, running_turn_id) = match &known {
            Some(handle) => {
                let status = handle.log.status();
                (status.state, status.turn_id)
            }
            None => (state_of(&record), record.running_turn_id),
        };
        SessionView {
            id: record.id,
            title_source: title_source(record.title_source).to_owned(),
            workspace: self.workspace_of(&record).display().to_string(),
            head_seq,
            title: record.title,
            preset: record.preset,
            pinned: record.pinned,
            access: record.access,
            state,
            active_message_id: record.active_message_id,
            forked_from: record.forked_from,
            running_turn_id,
            created_at: record.created_at,
            updated_at: record.updated_at,
            last_message_at: record.last_message_at,
        }
    }

    pub(crate) fn workspace_of(&self, session: &SessionRecord) -> PathBuf {
        session.workspace.as_ref().map_or_else(|| self.options.home.join("workspace"), PathBuf::from)
    }

    /// What changes between turns and belongs to the tail of a request, never to the system prompt.
    pub(crate) fn volatile_facts(&self, at: i64) -> String {
        crate::clock::volatile_facts(at, &self.config.current().agent.timezone)
    }

    /// System prompt and file scope of a workspace, looked at anew after a moment.
    pub(crate) async fn surroundings(&self, workspace: &Path) -> Surroundings {
        {
            let known = self.known_surroundings.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((at, found)) = known.get(workspace)
                && at.elapsed() < SURROUNDINGS_LAST
            {
                return found.clone();
            }
        }
        let found = self.look_around(workspace).await;
        let mut known = self.known_surroundings.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|_, (at, _)| at.elapsed() < SURROUNDINGS_LAST);
        known.insert(workspace.to_owned(), (Instant::now(), found.clone()));
        found
    }

    async fn look_around(&self, workspace: &Path) -> Surroundings {
        let root = workspace.to_owned();
        let denied = vec![self.options.home.clone()];
        let opened = tokio::task::spawn_blocking(move || {
            let instructions = read_instructions(&root.join("AGENTS.md"));
            // The default workspace is made again when somebody removed it.
            if root.starts_with(denied.first().unwrap_or(&root)) {
                let _ = std::fs::create_dir_all(&root);
            }
            let grant = Grant { root: root.clone(), access: Access::Write };
            let scope = WorkspaceScope::open(vec![grant], denied).unwrap_or_else(|error| {
                tracing::warn!(workspace = %root.display(), %error, "the workspace cannot be opened; file tools will say so");
                WorkspaceScope::closed()
            });
            (instructions, scope)
        });
        let (instructions, scope) = opened.await.unwrap_or_else(|_| (None, WorkspaceScope::closed()));
        let names: Vec<&str> = self.table.iter().map(|tool| tool.name.as_str()).collect();
        let prompt = system_prompt(&PromptParts {
            platform: &format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            workspace: &workspace.display().to_string(),
            tools: &names,
            instructions: instructions.as_deref(),
        });
        (prompt.into(), Arc::new(scope))
    }
}

fn read_instructions(path: &Path) -> Option<String> {
    let meta = std::fs::metadata(path).ok()?;
    if !meta.is_file() || meta.len() > MAX_INSTRUCTIONS_BYTES {
        return None;
    }
    std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

fn title_source(source: TitleSource) -> &'static str {
    match source {
        TitleSource::None => "none",
        TitleSource::FirstWords => "first_words",
        TitleSource::Model => "model",
        TitleSource::User => "user",
    }
}

/// Earlier tool results, from the ledger.
struct Results(Store);

#[async_trait]
impl StoredResults for Results {
    async fn read(&self, session_id: SessionId, call_id: &str) -> Option<String> {
        self.0.call_output(session_id, call_id).await.unwrap_or_else(|error| {
            tracing::warn!(%error, "a stored result could not be read");
            None
        })
    }
}
