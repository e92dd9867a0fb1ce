//! Calls that wait for a person: asked, answered by any client, expired, taken back, and kept over restarts.

mod answers;
mod budget;
mod rules;
mod waiting;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use nanobot_engine::id::SessionId;
use nanobot_runtime::permissions::Reach;
use nanobot_runtime::replay::{Replayed, replay};
use nanobot_runtime::tool::Tool;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::{Exec, WriteFile};
use serde_json::{Value, json};

/// Every message writes `a.txt` once and is answered after it.
fn writes() -> Vec<Script> {
    let write = Reply::calls(&[("c1", "write_file", json!({"path": "a.txt", "content": "new"}))]);
    vec![Script { matches: String::new(), replies: vec![write, Reply::text(&["done"])] }]
}

/// Every message runs this command once and is answered after it.
fn runs(command: &str) -> Vec<Script> {
    let run = Reply::calls(&[("c1", "exec", json!({ "command": command }))]);
    vec![Script { matches: String::new(), replies: vec![run, Reply::text(&["done"])] }]
}

const ASK: &str = "access = \"ask\"\n";

/// A server with a writing tool that asks before it writes.
async fn asking(config: &str) -> TestApp {
    start(writes(), None, config).await.0
}

async fn start(scripts: Vec<Script>, home: Option<&Path>, config: &str) -> (TestApp, Exec) {
    let exec = Exec::new(Reach::Runs);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(WriteFile::default()), Arc::new(exec.clone())];
    let options = Options { tools, config: config.to_owned(), home: home.map(Path::to_owned), ..Options::default() };
    (TestApp::with(scripts, options).await, exec)
}

/// Sends a message; gives the id of the question that it comes to.
async fn ask(app: &TestApp, session: SessionId, content: &str) -> (String, String) {
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, body) = app.request("POST", &path, Some(json!({ "content": content }))).await;
    assert_eq!((status, &body["state"]), (202, &json!("awaiting_approval")), "{body}");
    let text = |name: &str| body[name].as_str().expect("an id").to_owned();
    (text("turn_id"), text("approval_id"))
}

async fn answer(app: &TestApp, approval: &str, body: Value) -> (u16, Value) {
    app.request("POST", &format!("/api/v1/approvals/{approval}"), Some(body)).await
}

/// Answers a question; it has to be taken.
async fn decide(app: &TestApp, approval: &str, decision: &str) -> Value {
    let (status, body) = answer(app, approval, json!({ "decision": decision })).await;
    assert_eq!((status, &body["decision"]), (200, &json!(decision)), "{body}");
    body
}

/// The turn once it has ended; played again, it is the same.
async fn ended(app: &TestApp, turn: &str) -> Value {
    let read = app.ended(&json!(turn)).await;
    let again = replay(app.runtime.store(), turn.parse().expect("a turn id")).await;
    assert!(matches!(again, Ok(Replayed::Same { .. })), "{again:?}: {read}");
    read
}

/// The tool part of a turn.
fn part(turn: &Value) -> &Value {
    turn["parts"].as_array().and_then(|parts| parts.iter().find(|part| part["kind"] == "tool")).expect("a call")
}

async fn pending(app: &TestApp) -> Vec<Value> {
    app.get("/api/v1/approvals").await["items"].as_array().expect("a list").clone()
}

fn written(app: &TestApp) -> bool {
    app.home.join("workspace/a.txt").exists()
}

async fn audited(app: &TestApp, kind: &str) -> Vec<Value> {
    app.get(&format!("/api/v1/audit?kind={kind}")).await["items"].as_array().expect("rows").clone()
}
