//! What a tool is to the runtime, and the set of tools a turn may use.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::tool::{ToolOutcome, ToolSpec, ToolTable};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::permissions::{About, Permission, Reach};
use crate::tool::{FindFiles, Grep, ListDir, ReadFile, WorkspaceScope};

/// Something a model can call.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The contract the model and the machine are told.
    fn spec(&self) -> &ToolSpec;

    /// The object of a call for people, such as `notes.md:1-40`: one line, without a verb.
    fn hint(&self, arguments: &Map<String, Value>) -> String;

    /// What a call asks leave for. By default a tool that only reads is allowed to, any other may do anything, and what a call is
    /// about is its `path`, else all its arguments as JSON.
    fn permission(&self, context: &ToolContext, arguments: &Map<String, Value>) -> Permission {
        let spec = self.spec();
        let reach = if spec.concurrency.is_read_only() { Reach::Reads } else { Reach::Beyond };
        let has_path = spec.parameters.pointer("/properties/path").is_some();
        let (subject, about) = if has_path {
            let path = arguments.get("path").and_then(Value::as_str).filter(|path| !path.is_empty());
            (context.scope.subject(path.unwrap_or(".")), About::Paths)
        } else {
            (Value::Object(arguments.clone()).to_string(), About::Other)
        };
        Permission { reach, subjects: vec![subject], about }
    }

    /// The paths of files that the call may change, as the model wrote them. They are looked at before and after the call, and what
    /// changed becomes the diff of its outcome, also when it fails or is stopped. None: no file is looked at.
    fn edits(&self, _context: &ToolContext, _arguments: &Map<String, Value>) -> Vec<String> {
        Vec::new()
    }

    /// The unified diff of what the call would do, for the person who is asked about it; [`edits::preview`](crate::edits::preview) makes
    /// one. `None`: the arguments have to speak for themselves. Nothing may be changed here.
    async fn preview(&self, _context: &ToolContext, _arguments: &Map<String, Value>) -> Option<String> {
        None
    }

    /// Does the work. `arguments` were cast and checked against the schema of [`Tool::spec`] before.
    ///
    /// Dropping the future, or cancelling `context.cancel`, makes the work stop soon.
    async fn run(&self, context: &ToolContext, arguments: Map<String, Value>) -> ToolOutcome;
}

/// The full texts of earlier tool results, which the model sees shortened.
#[async_trait]
pub trait StoredResults: Send + Sync {
    /// The full text of an earlier tool result of this session.
    async fn read(&self, session_id: SessionId, call_id: &str) -> Option<String>;
}

/// What a call may see and use.
#[derive(Clone)]
pub struct ToolContext {
    /// The conversation the call belongs to.
    pub session_id: SessionId,
    /// The turn the call belongs to.
    pub turn_id: TurnId,
    /// The folders file tools may touch.
    pub scope: Arc<WorkspaceScope>,
    /// Cancelled when the turn is stopped.
    pub cancel: CancellationToken,
    /// Earlier results of this session.
    pub results: Arc<dyn StoredResults>,
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext")
            .field("session_id", &self.session_id)
            .field("turn_id", &self.turn_id)
            .field("scope", &self.scope)
            .finish_non_exhaustive()
    }
}

/// A tool of this name is registered already; the first one stays.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a tool named {0:?} is registered already")]
pub struct DuplicateTool(pub String);

/// Tools by name. Cloning is cheap: the tools are shared.
#[derive(Clone, Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Arc<dyn Tool>>,
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

impl ToolRegistry {
    /// The tools that only read the workspace.
    #[must_use]
    pub fn read_only() -> Self {
        let tools: [Arc<dyn Tool>; 4] = [
            Arc::new(FindFiles::default()),
            Arc::new(Grep::default()),
            Arc::new(ListDir::default()),
            Arc::new(ReadFile::default()),
        ];
        Self { tools: tools.into_iter().map(|tool| (tool.spec().name.clone(), tool)).collect() }
    }

    /// Adds a tool.
    ///
    /// # Errors
    /// When the name is taken; the registry stays as it was.
    pub fn register(&mut self, tool: Arc<dyn Tool>) -> Result<(), DuplicateTool> {
        match self.tools.entry(tool.spec().name.clone()) {
            Entry::Vacant(slot) => {
                slot.insert(tool);
                Ok(())
            }
            Entry::Occupied(taken) => Err(DuplicateTool(taken.key().clone())),
        }
    }

    /// The tool of exactly this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Arc<dyn Tool>> {
        self.tools.get(name)
    }

    /// The contracts of all tools, in order of name.
    #[must_use]
    pub fn table(&self) -> ToolTable {
        self.tools.values().map(|tool| tool.spec().clone()).collect()
    }
}

#[cfg(test)]
pub(crate) mod testing {
    //! A workspace on disk and one call against it.

    use super::*;
    use crate::tool::{Access, Grant};
    use nanobot_engine::tool::CallStatus;
    use std::path::PathBuf;
    use tempfile::TempDir;

    pub(crate) struct NoResults;

    #[async_trait]
    impl StoredResults for NoResults {
        async fn read(&self, _session_id: SessionId, call_id: &str) -> Option<String> {
            (call_id == "call_1").then(|| "first\r\nsecond\nthird\n".to_owned())
        }
    }

    /// `root/ws` is the workspace, everything else beneath `root` is outside.
    pub(crate) struct Fixture {
        pub(crate) root: TempDir,
        pub(crate) context: ToolContext,
    }

    impl Fixture {
        pub(crate) fn new() -> Self {
            Self::with_denied(&[])
        }

        pub(crate) fn with_denied(denied: &[&str]) -> Self {
            let root = tempfile::tempdir().unwrap();
            let workspace = root.path().join("ws");
            std::fs::create_dir(&workspace).unwrap();
            for name in denied {
                std::fs::create_dir_all(root.path().join(name)).unwrap();
            }
            let denied = denied.iter().map(|name| root.path().join(name)).collect();
            let grant = Grant { root: workspace, access: Access::Write };
            let context = ToolContext {
                session_id: SessionId(uuid::Uuid::from_u128(1)),
                turn_id: TurnId(uuid::Uuid::from_u128(2)),
                scope: Arc::new(WorkspaceScope::open(vec![grant], denied).unwrap()),
                cancel: CancellationToken::new(),
                results: Arc::new(NoResults),
            };
            Self { root, context }
        }

        pub(crate) fn path(&self, name: &str) -> PathBuf {
            self.root.path().join(name)
        }

        /// Writes a file at `name` below the root, with its folders.
        pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
            let path = self.path(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, bytes).unwrap();
            self
        }

        pub(crate) fn link(&self, name: &str, target: impl AsRef<std::path::Path>) -> &Self {
            std::os::unix::fs::symlink(target, self.path(name)).unwrap();
            self
        }

        pub(crate) async fn run(&self, tool: &dyn Tool, arguments: Value) -> ToolOutcome {
            let Value::Object(raw) = arguments else { panic!("object expected") };
            let arguments = nanobot_engine::tool::prepare(&tool.spec().parameters, &raw).unwrap();
            tool.run(&self.context, arguments).await
        }

        pub(crate) async fn ok(&self, tool: &dyn Tool, arguments: Value) -> String {
            let outcome = self.run(tool, arguments).await;
            assert_eq!(outcome.status, CallStatus::Ok, "{}", outcome.text);
            outcome.text
        }

        pub(crate) async fn error(&self, tool: &dyn Tool, arguments: Value) -> String {
            let outcome = self.run(tool, arguments).await;
            assert_eq!(outcome.status, CallStatus::Error, "{}", outcome.text);
            outcome.text
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_sorted_and_names_are_unique() {
        let mut registry = ToolRegistry::read_only();
        let names = registry.table().iter().map(|spec| spec.name.clone()).collect::<Vec<_>>();
        assert_eq!(names, ["find_files", "grep", "list_dir", "read_file"]);
        let again = registry.register(Arc::new(ReadFile::default())).unwrap_err();
        assert_eq!(again, DuplicateTool("read_file".to_owned()));
        assert!(registry.get("Read_File").is_none());
        assert!(registry.table().iter().all(|spec| spec.concurrency.is_read_only()));
    }
}
