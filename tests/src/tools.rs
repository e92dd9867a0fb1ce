//! Tools that only tests have: one that writes, one that waits, one that says what it was told to say.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nanobot_engine::tool::{CallStatus, Concurrency, ToolOutcome, ToolSpec};
use nanobot_runtime::edits::{self, ProposedEdit};
use nanobot_runtime::permissions::{About, Permission, Reach, segments};
use nanobot_runtime::tool::{Access, PlaceKind, Tool, ToolContext, WorkspaceScope};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

fn spec(name: &str, parameters: Value, concurrency: Concurrency) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: format!("{name}, for tests"), parameters, concurrency }
}

fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> &'a str {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn by_path(context: &ToolContext, path: &str) -> Permission {
    Permission { reach: Reach::Reads, subjects: vec![context.scope.subject(path)], about: About::Paths }
}

/// Writes a file into the workspace.
pub struct WriteFile(ToolSpec);

impl Default for WriteFile {
    fn default() -> Self {
        let string = json!({"type": "string"});
        let parameters = json!({
            "type": "object",
            "properties": {"path": string, "content": string},
            "required": ["path", "content"]
        });
        Self(spec("write_file", parameters, Concurrency::Exclusive))
    }
}

#[async_trait]
impl Tool for WriteFile {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        text(arguments, "path").to_owned()
    }

    fn permission(&self, context: &ToolContext, arguments: &Map<String, Value>) -> Permission {
        Permission { reach: Reach::Writes, ..by_path(context, text(arguments, "path")) }
    }

    fn edits(&self, _: &ToolContext, arguments: &Map<String, Value>) -> Vec<String> {
        vec![text(arguments, "path").to_owned()]
    }

    async fn preview(&self, context: &ToolContext, arguments: &Map<String, Value>) -> Option<String> {
        let content = Some(text(arguments, "content").to_owned());
        let edit = ProposedEdit { path: text(arguments, "path").to_owned(), content };
        edits::preview(context, vec![edit]).await
    }

    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        let scope = Arc::clone(&context.scope);
        let (path, content) = (text(&arguments, "path").to_owned(), text(&arguments, "content").to_owned());
        let bytes = content.len();
        let written =
            tokio::task::spawn_blocking(move || write_beneath(&scope, &path, &content)).await.expect("no panic");
        match written {
            Ok(()) => ToolOutcome::ok(format!("wrote {bytes} bytes")),
            Err(problem) => ToolOutcome::failed(CallStatus::Error, problem),
        }
    }
}

/// Writes a file of the workspace, and the folders above it.
///
/// # Errors
/// What a model would read.
pub fn write_beneath(scope: &WorkspaceScope, path: &str, content: &str) -> Result<(), String> {
    let place = scope.resolve(path, Access::Write).map_err(|error| error.to_string())?;
    let below = match &place.kind {
        PlaceKind::File(_) => PathBuf::from(&place.name),
        PlaceKind::Missing { rest } => std::iter::once(&place.name).chain(rest).collect(),
        PlaceKind::Folder | PlaceKind::Special => return Err(format!("{} is no file", place.shown)),
    };
    let folders = below.parent().unwrap_or(Path::new(""));
    let made = if folders.as_os_str().is_empty() { Ok(()) } else { place.directory.create_dir_all(folders) };
    made.and_then(|()| place.directory.write(&below, content))
        .map_err(|error| format!("failed to write {path}: {error}"))
}

/// Waits until the test lets it go. Cloning gives another handle of the same tool.
#[derive(Clone)]
pub struct Gate {
    spec: Arc<ToolSpec>,
    began: Arc<Semaphore>,
    open: Arc<Semaphore>,
}

impl Default for Gate {
    fn default() -> Self {
        let parameters = json!({"type": "object", "properties": {}});
        Self {
            spec: Arc::new(spec("gate", parameters, Concurrency::Exclusive)),
            began: Arc::new(Semaphore::new(0)),
            open: Arc::new(Semaphore::new(0)),
        }
    }
}

impl Gate {
    /// Waits until a call stands before the gate.
    ///
    /// # Panics
    /// When none comes.
    pub async fn reached(&self) {
        let waiting = tokio::time::timeout(std::time::Duration::from_secs(20), self.began.acquire());
        waiting.await.expect("a call of gate").expect("an open semaphore").forget();
    }

    /// Does a call stand before the gate?
    #[must_use]
    pub fn was_reached(&self) -> bool {
        self.began.available_permits() > 0
    }

    /// Lets one call through.
    pub fn open(&self) {
        self.open.add_permits(1);
    }
}

#[async_trait]
impl Tool for Gate {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, _: &Map<String, Value>) -> String {
        String::new()
    }

    fn permission(&self, _: &ToolContext, _: &Map<String, Value>) -> Permission {
        Permission { reach: Reach::Reads, subjects: vec![String::new()], about: About::Other }
    }

    async fn run(&self, _: &ToolContext, _: Map<String, Value>) -> ToolOutcome {
        self.began.add_permits(1);
        if let Ok(permit) = self.open.acquire().await {
            permit.forget();
        }
        ToolOutcome::ok("the gate is open")
    }
}

/// Gives prepared results, one a call; the last one stays.
pub struct Canned {
    spec: ToolSpec,
    results: Mutex<VecDeque<String>>,
}

impl Canned {
    /// A read-only tool of this name.
    #[must_use]
    pub fn new(name: &str, results: &[&str]) -> Self {
        let parameters = json!({"type": "object", "properties": {}, "additionalProperties": true});
        Self {
            spec: spec(name, parameters, Concurrency::Shared),
            results: Mutex::new(results.iter().map(|result| (*result).to_owned()).collect()),
        }
    }
}

#[async_trait]
impl Tool for Canned {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, _: &Map<String, Value>) -> String {
        String::new()
    }

    async fn run(&self, _: &ToolContext, _: Map<String, Value>) -> ToolOutcome {
        let mut results = self.results.lock().expect("lock");
        let result = if results.len() > 1 { results.pop_front() } else { results.front().cloned() };
        ToolOutcome::ok(result.unwrap_or_default())
    }
}

/// Stands in for a shell: what a command does is that it is written down.
#[derive(Clone)]
pub struct Exec {
    spec: Arc<ToolSpec>,
    reach: Reach,
    ran: Arc<Mutex<Vec<String>>>,
}

impl Exec {
    /// A tool named `exec` whose calls reach this far.
    #[must_use]
    pub fn new(reach: Reach) -> Self {
        let parameters = json!({
            "type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]
        });
        Self { spec: Arc::new(spec("exec", parameters, Concurrency::Exclusive)), reach, ran: Arc::default() }
    }

    /// The commands that ran.
    ///
    /// # Panics
    /// When a call panicked.
    #[must_use]
    pub fn ran(&self) -> Vec<String> {
        self.ran.lock().expect("lock").clone()
    }
}

#[async_trait]
impl Tool for Exec {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn hint(&self, arguments: &Map<String, Value>) -> String {
        text(arguments, "command").to_owned()
    }

    fn permission(&self, _: &ToolContext, arguments: &Map<String, Value>) -> Permission {
        let subjects = segments(text(arguments, "command"));
        Permission { reach: self.reach, subjects, about: About::Commands }
    }

    async fn run(&self, _: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome {
        self.ran.lock().expect("lock").push(text(&arguments, "command").to_owned());
        ToolOutcome::ok("done")
    }
}
