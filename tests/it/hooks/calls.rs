//! What hooks are told of calls that never ran, and what becomes of calls whose run a hook ends.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, CallContext, HookError, HookMethod, HookMethods, RunContext, RunEnd};
use nanobot_engine::tool::{Concurrency, ToolOutcome, ToolSpec};
use nanobot_runtime::tool::{Tool, ToolContext};
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::recorder::Recorder;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::Canned;
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

async fn lines_about_calls(replies: Vec<Reply>) -> Vec<String> {
    let recorder = Arc::new(Recorder::default());
    let options = Options { hooks: vec![Arc::clone(&recorder) as _], ..Options::default() };
    let app = TestApp::with(vec![Script { matches: String::new(), replies }], options).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    recorder.lines().into_iter().filter(|line| line.starts_with("H") && line.contains(" c")).collect()
}

/// Such a call has nothing to be decided; its failure is told like any other, and never as that of an earlier call.
#[tokio::test]
async fn a_call_that_could_not_begin_is_told_as_itself() {
    let lines = lines_about_calls(vec![
        Reply::calls(&[("c1", "list_dir", json!({"path": "."})), ("c2", "lst_dir", json!({}))]),
        Reply::calls(&[("c3", "read_file", json!({"offset": 1})), ("c4", "list_dir", json!({"path": "."}))]),
        Reply::text(&["done"]),
    ])
    .await;
    assert_eq!(
        lines,
        [
            "H before_execute_tool c1",
            "H on_execute_tool_error c2",
            "H after_execute_tool c1",
            "H before_execute_tool c4",
            "H on_execute_tool_error c3",
            "H after_execute_tool c4",
        ]
    );
}

/// Waits for ever beside other calls, and notes when it is dropped.
struct Waits(ToolSpec, Arc<Semaphore>);

struct NotesDrop(Arc<Semaphore>);

impl Drop for NotesDrop {
    fn drop(&mut self) {
        self.0.add_permits(1);
    }
}

#[async_trait]
impl Tool for Waits {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn hint(&self, _: &Map<String, Value>) -> String {
        String::new()
    }
    async fn run(&self, _: &ToolContext, _: Map<String, Value>) -> ToolOutcome {
        let _noted = NotesDrop(Arc::clone(&self.1));
        std::future::pending().await
    }
}

/// Fails at the first call that succeeds, and at the end of the run waits for the other one to be over.
struct FailsAtACall {
    other: Arc<Semaphore>,
    was_over: Arc<Semaphore>,
}

#[async_trait]
impl AgentHook for FailsAtACall {
    fn name(&self) -> &'static str {
        "fails"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::AfterExecuteTool, HookMethod::OnFinally])
    }
    fn reraise(&self) -> bool {
        true
    }
    async fn after_execute_tool(&self, _: &CallContext, _: &ToolOutcome) -> Result<(), HookError> {
        Err(HookError("enough".to_owned()))
    }
    async fn on_finally(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        if let Ok(permit) = tokio::time::timeout(Duration::from_secs(3), self.other.acquire()).await {
            permit.expect("an open semaphore").forget();
            self.was_over.add_permits(1);
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_hook_that_ends_the_run_ends_the_calls_beside_it_before_the_run_is_over() {
    let (other, was_over) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let spec = ToolSpec {
        name: "wait".to_owned(),
        description: "wait, for tests".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        concurrency: Concurrency::Shared,
    };
    let options = Options {
        tools: vec![Arc::new(Canned::new("look", &["seen"])), Arc::new(Waits(spec, Arc::clone(&other)))],
        hooks: vec![Arc::new(FailsAtACall { other, was_over: Arc::clone(&was_over) })],
        ..Options::default()
    };
    let calls = Reply::calls(&[("c1", "look", json!({})), ("c2", "wait", json!({}))]);
    let app = TestApp::with(vec![Script { matches: String::new(), replies: vec![calls] }], options).await;
    let session = app.session().await;
    let failed = app.ask(session, "go").await;
    assert_eq!(failed["error"]["code"], "hook_failed", "{failed}");
    assert_eq!(was_over.available_permits(), 1, "the other call was over when the run ended");
    let tools = super::parts(&app, &failed, "tool").await;
    let statuses: Vec<&Value> = tools.iter().map(|part| &part["status"]).collect();
    assert_eq!(statuses, ["ok", "cancelled"]);
}
