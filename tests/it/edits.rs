//! The diff of a call that changes files: in the event, after a reload, and when the call fails, is stopped or refused.

use std::sync::Arc;

use async_trait::async_trait;
use nanobot_engine::event::EventBody;
use nanobot_engine::hook::{AgentHook, CallContext, Decision, HookError, HookMethod, HookMethods};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolOutcome, ToolSpec};
use nanobot_runtime::FeedItem;
use nanobot_runtime::permissions::{About, Permission, Reach};
use nanobot_runtime::tool::{Access, Grant, StoredResults, Tool, ToolContext, WorkspaceScope};
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::{Canned, WriteFile, write_beneath};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

/// Writes half of what it should into `half.txt`, and then breaks or hangs.
struct HalfWriter {
    spec: ToolSpec,
    hangs: bool,
    written: Arc<tokio::sync::Semaphore>,
}

impl HalfWriter {
    fn new(hangs: bool) -> Self {
        let spec = ToolSpec {
            name: "half_writer".to_owned(),
            description: "half_writer, for tests".to_owned(),
            parameters: json!({"type": "object", "properties": {}}),
            concurrency: Concurrency::Exclusive,
        };
        Self { spec, hangs, written: Arc::new(tokio::sync::Semaphore::new(0)) }
    }
}

#[async_trait]
impl Tool for HalfWriter {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }
    fn hint(&self, _: &Map<String, Value>) -> String {
        "half.txt".to_owned()
    }
    fn permission(&self, _: &ToolContext, _: &Map<String, Value>) -> Permission {
        Permission { reach: Reach::Writes, subjects: vec!["half.txt".to_owned()], about: About::Paths }
    }
    fn edits(&self, _: &ToolContext, _: &Map<String, Value>) -> Vec<String> {
        vec!["half.txt".to_owned(), "untouched.txt".to_owned()]
    }
    async fn run(&self, context: &ToolContext, _: Map<String, Value>) -> ToolOutcome {
        write_beneath(&context.scope, "half.txt", "first half\n").expect("written");
        self.written.add_permits(1);
        if self.hangs {
            std::future::pending::<()>().await;
        }
        panic!("the second half is lost");
    }
}

const HALF: &str = "--- a/half.txt\n+++ b/half.txt\n@@ -1 +1 @@\n-before\n+first half\n";

async fn app(tools: Vec<Arc<dyn Tool>>, replies: Vec<Reply>) -> TestApp {
    let app =
        TestApp::with(vec![Script { matches: String::new(), replies }], Options { tools, ..Options::default() }).await;
    app.file("half.txt", "before\n");
    app.file("untouched.txt", "as ever\n");
    app
}

fn one_call(tool: &str, arguments: Value) -> Vec<Reply> {
    vec![Reply::calls(&[("c1", tool, arguments)]), Reply::text(&["done"])]
}

async fn tool_parts(app: &TestApp, session: SessionId) -> Vec<Value> {
    let turns = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    let parts = turns["items"][0]["parts"].as_array().expect("parts");
    parts.iter().filter(|part| part["kind"] == "tool").cloned().collect()
}

/// The diffs of all `tool_finished` so far.
async fn shown_diffs(app: &TestApp, session: SessionId) -> Vec<Option<String>> {
    let mut feed = app.runtime.attach(session, 0).await.expect("a session").feed;
    let mut diffs = Vec::new();
    loop {
        let next = tokio::time::timeout(std::time::Duration::from_secs(20), feed.next()).await.expect("the end");
        let FeedItem::Event(event) = next.expect("an event") else { panic!("the feed ended") };
        match &event.body {
            EventBody::ToolFinished { diff, .. } => diffs.push(diff.clone()),
            EventBody::TurnFinished { .. } => return diffs,
            _ => {}
        }
    }
}

#[tokio::test]
async fn a_written_file_has_its_diff_in_the_event_in_the_turn_and_after_a_restart() {
    let home = tempfile::tempdir().expect("a folder");
    let write = |path: &str, content: &str| json!({"path": path, "content": content});
    let calls = Reply::calls(&[
        ("c1", "write_file", write("deep/new.txt", "one\ntwo\n")),
        ("c2", "write_file", write("deep/new.txt", "one\n2\n")),
        ("c3", "write_file", write("deep/new.txt", "one\n2\n")),
    ]);
    let options = || Options {
        tools: vec![Arc::new(WriteFile::default())],
        home: Some(home.path().to_owned()),
        ..Options::default()
    };
    let scripts = vec![Script { matches: String::new(), replies: vec![calls, Reply::text(&["done"])] }];
    let app = TestApp::with(scripts, options()).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let created = "--- /dev/null\n+++ b/deep/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    let changed = "--- a/deep/new.txt\n+++ b/deep/new.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    let expected = [Some(created.to_owned()), Some(changed.to_owned()), None];
    assert_eq!(shown_diffs(&app, session).await, expected);
    let parts = tool_parts(&app, session).await;
    let in_turn: Vec<Option<String>> = parts.iter().map(|part| part["diff"].as_str().map(str::to_owned)).collect();
    assert_eq!(in_turn, expected, "the file was the same before the third");
    app.stop().await;
    let app = TestApp::with(Vec::new(), options()).await;
    assert_eq!(tool_parts(&app, session).await, parts);
}

#[tokio::test]
async fn the_model_never_reads_a_diff() {
    let app =
        app(vec![Arc::new(WriteFile::default())], one_call("write_file", json!({"path": "a.txt", "content": "a\n"})))
            .await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let requests = app.model.requests();
    legal::check(&requests[1]).expect("a legal request");
    assert!(!requests[1].to_string().contains("+++"), "{}", requests[1]);
}

#[tokio::test]
async fn a_call_that_breaks_after_it_wrote_shows_what_it_wrote() {
    let app = app(vec![Arc::new(HalfWriter::new(false))], one_call("half_writer", json!({}))).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let parts = tool_parts(&app, session).await;
    assert_eq!((&parts[0]["status"], &parts[0]["diff"]), (&json!("error"), &json!(HALF)));
}

#[tokio::test]
async fn a_call_that_fails_and_changes_nothing_has_no_diff() {
    let outside = json!({"path": "../outside.txt", "content": "x"});
    let app = app(vec![Arc::new(WriteFile::default())], one_call("write_file", outside)).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let parts = tool_parts(&app, session).await;
    assert_eq!((&parts[0]["status"], &parts[0]["diff"]), (&json!("error"), &Value::Null));
    assert!(!app.home.join("outside.txt").exists());
}

#[tokio::test]
async fn a_stopped_call_shows_what_it_had_written() {
    let tool = HalfWriter::new(true);
    let written = Arc::clone(&tool.written);
    let app = app(vec![Arc::new(tool)], one_call("half_writer", json!({}))).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    written.acquire().await.expect("an open semaphore").forget();
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    let finished = socket.wait_for("tool_finished").await.expect("the call's end");
    assert_eq!((&finished["status"], &finished["diff"]), (&json!("cancelled"), &json!(HALF)));
    let ended = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!(ended["stop_reason"], "cancelled");
    let parts = tool_parts(&app, session).await;
    assert_eq!((&parts[0]["status"], &parts[0]["diff"]), (&json!("cancelled"), &json!(HALF)));
}

#[tokio::test]
async fn a_call_stopped_before_it_began_and_a_tool_that_names_no_file_have_no_diff() {
    let tool = HalfWriter::new(true);
    let written = Arc::clone(&tool.written);
    let calls = Reply::calls(&[
        ("c1", "look", json!({})),
        ("c2", "half_writer", json!({})),
        ("c3", "write_file", json!({"path": "half.txt", "content": "x"})),
    ]);
    let tools: Vec<Arc<dyn Tool>> =
        vec![Arc::new(tool), Arc::new(WriteFile::default()), Arc::new(Canned::new("look", &["nothing"]))];
    let app = app(tools, vec![calls]).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    written.acquire().await.expect("an open semaphore").forget();
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    socket.wait_for("turn_finished").await.expect("the end");
    let parts = tool_parts(&app, session).await;
    let seen: Vec<_> = parts.iter().map(|part| (&part["status"], part.get("diff"))).collect();
    let (ok, cancelled) = (json!("ok"), json!("cancelled"));
    assert_eq!(seen, [(&ok, None), (&cancelled, Some(&json!(HALF))), (&cancelled, None)]);
}

/// Says what it is told to about each call.
struct Decides(Decision);

#[async_trait]
impl AgentHook for Decides {
    fn name(&self) -> &'static str {
        "decides"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeExecuteTool])
    }
    async fn before_execute_tool(&self, _: &CallContext) -> Result<Decision, HookError> {
        Ok(self.0.clone())
    }
}

#[tokio::test]
async fn the_diff_is_that_of_what_ran_and_a_refused_call_has_none() {
    let replaced = json!({"path": "other.txt", "content": "replaced\n"}).as_object().expect("an object").clone();
    let other = "--- /dev/null\n+++ b/other.txt\n@@ -0,0 +1 @@\n+replaced\n";
    for (decision, status, hint, diff) in [
        (Decision::Replace { arguments: replaced }, "ok", "other.txt", json!(other)),
        (Decision::Deny { reason: "no".to_owned() }, "denied", "half.txt", Value::Null),
    ] {
        let options = Options {
            tools: vec![Arc::new(WriteFile::default())],
            hooks: vec![Arc::new(Decides(decision))],
            ..Options::default()
        };
        let replies = one_call("write_file", json!({"path": "half.txt", "content": "asked\n"}));
        let app = TestApp::with(vec![Script { matches: String::new(), replies }], options).await;
        let session = app.session().await;
        app.ask(session, "go").await;
        let parts = tool_parts(&app, session).await;
        assert_eq!((&parts[0]["status"], &parts[0]["diff"]), (&json!(status), &diff));
        assert_eq!(parts[0]["hint"], hint, "the words are about what ran");
    }
}

struct NoResults;

#[async_trait]
impl StoredResults for NoResults {
    async fn read(&self, _: SessionId, _: &str) -> Option<String> {
        None
    }
}

#[tokio::test]
async fn a_preview_is_the_diff_that_the_call_then_makes() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("a.txt"), "one\ntwo\n").expect("written");
    let grant = Grant { root: folder.path().to_owned(), access: Access::Write };
    let context = ToolContext {
        session_id: SessionId(uuid::Uuid::now_v7()),
        turn_id: TurnId(uuid::Uuid::now_v7()),
        scope: Arc::new(WorkspaceScope::open(vec![grant], Vec::new()).expect("a scope")),
        cancel: CancellationToken::new(),
        results: Arc::new(NoResults),
    };
    let tool = WriteFile::default();
    let arguments = json!({"path": "a.txt", "content": "one\n2\n"}).as_object().expect("an object").clone();
    let shown = tool.preview(&context, &arguments).await;
    let expected = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n";
    assert_eq!(shown.as_deref(), Some(expected));
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("the file"), "one\ntwo\n");
    assert_eq!(tool.run(&context, arguments).await.status, CallStatus::Ok);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.txt")).expect("the file"), "one\n2\n");
}
