//! Hooks of all kinds through the real server: what programs are told and may answer, and in which order hooks come.

mod calls;
mod contexts;
mod examples;
mod faults;
mod usage;

use std::path::Path;
use std::sync::{Arc, Mutex};

use nanobot_engine::hook::{
    AgentHook, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, RunContext,
};
use nanobot_runtime::hooks::TurnHookFactory;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::WriteFile;
use serde_json::{Value, json};

/// A `[[hooks]]` that runs a shell script; `more` are further keys.
pub(crate) fn shell(event: &str, script: &str, more: &str) -> String {
    format!(
        "\n[[hooks]]\nevent = \"{event}\"\ncommand = [\"sh\", \"-c\", '''{script}''']\nname = \"shell-{event}\"\n{more}\n"
    )
}

/// A server with these hooks whose model gives these replies.
pub(crate) async fn app(hooks: String, replies: Vec<Reply>) -> TestApp {
    let scripts = vec![Script { matches: String::new(), replies }];
    TestApp::with(scripts, Options { config: hooks, tools: vec![Arc::new(WriteFile::default())], ..Options::default() })
        .await
}

/// One call that writes `a.txt`, then `done`.
pub(crate) fn one_write() -> Vec<Reply> {
    let write = json!({"path": "a.txt", "content": "asked"});
    vec![Reply::calls(&[("c1", "write_file", write)]), Reply::text(&["done"])]
}

/// The parts of a turn of one kind.
pub(crate) async fn parts(app: &TestApp, turn: &Value, kind: &str) -> Vec<Value> {
    let turn = app.get(&format!("/api/v1/turns/{}", turn["turn_id"].as_str().expect("an id"))).await;
    turn["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == kind).cloned().collect()
}

/// The notices about hooks.
pub(crate) async fn notices(app: &TestApp, turn: &Value) -> Vec<String> {
    let parts = parts(app, turn, "notice").await;
    let about_hooks = parts.iter().filter(|part| part["code"] == "hook_failed");
    about_hooks.map(|part| part["text"].as_str().expect("a text").to_owned()).collect()
}

pub(crate) fn read(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

/// JSON lines of a file in the home.
fn lines(app: &TestApp, name: &str) -> Vec<Value> {
    let text = read(&app.home, name).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).expect("a JSON line")).collect()
}

#[tokio::test]
async fn a_program_is_told_what_happens_in_order() {
    const EVENTS: [&str; 11] = [
        "before_run",
        "before_iteration",
        "before_request",
        "before_execute_tools",
        "before_execute_tool",
        "after_execute_tool",
        "on_execute_tool_error",
        "after_iteration",
        "finalize_content",
        "after_run",
        "on_finally",
    ];
    let hooks: String = EVENTS.iter().map(|event| shell(event, "cat >> told.jsonl", "")).collect();
    let missing = Reply::calls(&[("c2", "read_file", json!({"path": "missing.txt"}))]);
    let mut replies = one_write();
    replies.insert(1, missing);
    let app = app(hooks, replies).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["stop_reason"], "completed", "{done}");
    assert_eq!(notices(&app, &done).await, [""; 0]);
    let told = lines(&app, "told.jsonl");
    let events: Vec<&str> = told.iter().filter_map(|line| line["event"].as_str()).collect();
    let iteration = |result: &'static str| {
        let calls = ["before_execute_tools", "before_execute_tool", result, "after_iteration"];
        ["before_iteration", "before_request"].into_iter().chain(calls)
    };
    let expected: Vec<&str> = std::iter::once("before_run")
        .chain(iteration("after_execute_tool"))
        .chain(iteration("on_execute_tool_error"))
        .chain(["before_iteration", "before_request", "finalize_content", "after_iteration", "after_run", "on_finally"])
        .collect();
    assert_eq!(events, expected);
    for line in &told {
        assert_eq!(line["session_id"], json!(session), "{line}");
        assert_eq!(line["turn_id"], done["turn_id"]);
        let run = [&line["origin"], &line["preset"], &line["model"]];
        assert_eq!(run, [&json!("user"), &json!("default"), &json!("mock")]);
    }
    let of = |event: &str| told.iter().find(|line| line["event"] == event).expect("the event");
    assert_eq!(
        of("before_execute_tool")["tool"],
        json!({"name": "write_file", "call_id": "c1", "arguments": {"path": "a.txt", "content": "asked"}})
    );
    let ended = &of("after_execute_tool")["tool"];
    assert_eq!((&ended["status"], &ended["result"]), (&json!("ok"), &json!("wrote 5 bytes")));
    assert_eq!(of("on_execute_tool_error")["tool"]["status"], "error");
    assert_eq!(of("on_execute_tool_error")["iteration"], 1);
    assert_eq!((&of("finalize_content")["content"], &of("finalize_content")["iteration"]), (&json!("done"), &json!(2)));
    let end = of("on_finally");
    assert_eq!(
        (&end["stop_reason"], &end["error"], &end["content"]),
        (&json!("completed"), &Value::Null, &json!("done"))
    );
    assert!(end["usage"]["output_tokens"].as_u64() > Some(0), "{end}");
    assert_eq!(end["tools_used"], json!(["write_file"]));
}

#[tokio::test]
async fn a_program_has_an_environment_of_its_own() {
    let app = app(shell("before_run", "env > env.txt; pwd >> env.txt", ""), vec![Reply::text(&["ok"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    let text = read(&app.home, "env.txt").expect("the environment");
    let home = app.home.display().to_string();
    let turn = done["turn_id"].as_str().expect("an id");
    for line in [
        format!("HOME={home}"),
        "LANG=C.UTF-8".to_owned(),
        "NANOBOT_EVENT=before_run".to_owned(),
        format!("NANOBOT_SESSION_ID={session}"),
        format!("NANOBOT_TURN_ID={turn}"),
        home,
    ] {
        assert!(text.lines().any(|seen| seen == line), "{line} in {text}");
    }
    // What the shell sets by itself.
    let own = ["PWD", "OLDPWD", "SHLVL", "_", "PATH", "HOME", "LANG"];
    let foreign: Vec<&str> = text
        .lines()
        .filter_map(|line| line.split_once('='))
        .map(|(name, _)| name)
        .filter(|name| !own.contains(name) && !name.starts_with("NANOBOT_"))
        .collect();
    assert_eq!(foreign, [""; 0], "nothing is inherited");
}

#[tokio::test]
async fn a_program_decides_about_calls() {
    let deny = "echo '  not on a Friday ' >&2; exit 2";
    let told = "Error: not on a Friday";
    for (script, status, model_reads, written) in [
        ("exit 0", "ok", "wrote 5 bytes", Some("asked")),
        ("echo fine", "ok", "wrote 5 bytes", Some("asked")),
        (r#"echo '{"decision": "allow"}'"#, "ok", "wrote 5 bytes", Some("asked")),
        (deny, "denied", told, None),
        ("exit 2", "denied", "Error: the hook shell-before_execute_tool did not allow this", None),
        (r#"echo '{"decision": "deny", "reason": "not on a Friday"}'"#, "denied", told, None),
        (r#"echo '{"arguments": {"path": "a.txt", "content": "replaced"}}'"#, "ok", "wrote 8 bytes", Some("replaced")),
        // Replaced arguments are checked as those of the model are.
        (r#"echo '{"arguments": {"path": "a.txt"}}'"#, "error", "content", None),
    ] {
        let app = app(shell("before_execute_tool", script, ""), one_write()).await;
        let session = app.session().await;
        let done = app.ask(session, "go").await;
        assert_eq!(done["message"]["content"], "done", "{script}: {done}");
        let tools = parts(&app, &done, "tool").await;
        assert_eq!(tools[0]["status"], status, "{script}");
        let requests = app.model.requests();
        let said = legal::said(&requests[1]);
        let result = &said.iter().find(|(role, _)| role == "tool").expect("a result").1;
        assert!(result.contains(model_reads), "{script}: {result}");
        assert_eq!(read(&app.home, "workspace/a.txt").as_deref(), written, "{script}");
        assert_eq!(notices(&app, &done).await, [""; 0], "{script}");
    }
}

#[tokio::test]
async fn a_program_asks_a_person() {
    let ask = r#"echo '{"decision": "ask", "reason": "really?", "arguments": {"path": "a.txt", "content": "x"}}'"#;
    let app = app(shell("before_execute_tool", ask, ""), one_write()).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, waiting) = app.request("POST", &path, Some(json!({"content": "go"}))).await;
    assert_eq!((status, &waiting["state"]), (202, &json!("awaiting_approval")));
    let question = app.get("/api/v1/approvals").await["items"][0].clone();
    assert_eq!((&question["reason"], &question["covers"]), (&json!("really?"), &json!([])));
    let path = format!("/api/v1/approvals/{}", waiting["approval_id"].as_str().expect("an id"));
    let (status, _) = app.request("POST", &path, Some(json!({"decision": "allow_once"}))).await;
    assert_eq!(status, 200);
    for _ in 0..1_000 {
        if read(&app.home, "workspace/a.txt").is_some() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("what was allowed did not run");
}

#[tokio::test]
async fn a_program_runs_for_the_tools_that_match() {
    let hooks = shell("before_execute_tool", "exit 2", "match = \"write_*\"")
        + &shell("after_execute_tool", "cat >> after.jsonl", "match = \"{list_dir,find}\"");
    let calls = Reply::calls(&[
        ("c1", "write_file", json!({"path": "a.txt", "content": "x"})),
        ("c2", "list_dir", json!({"path": "."})),
    ]);
    let app = app(hooks, vec![calls, Reply::text(&["done"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    let statuses: Vec<Value> = parts(&app, &done, "tool").await.iter().map(|part| part["status"].clone()).collect();
    assert_eq!(statuses, ["denied", "ok"]);
    let told = lines(&app, "after.jsonl");
    assert_eq!(told.iter().map(|line| &line["tool"]["name"]).collect::<Vec<_>>(), ["list_dir"]);
}

#[tokio::test]
async fn a_program_adds_to_a_request_and_changes_the_answer() {
    let hooks = shell("before_request", r#"echo '{"inject": "It rains."}'"#, "")
        + &shell("finalize_content", r#"sed 's/.*"content":"\([^"]*\)".*/{"content":"\1, dear"}/'"#, "")
        + &shell("finalize_content", r#"sed 's/.*"content":"\([^"]*\)".*/{"content":"\1 friend"}/'"#, "");
    let app = app(hooks, vec![Reply::text(&["Hello"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "Hello, dear friend", "each gets what the one before it gave");
    let requests = app.model.requests();
    legal::check(&requests[0]).expect("a legal request");
    assert!(legal::said(&requests[0]).iter().any(|(role, text)| role == "user" && text.contains("It rains.")));
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    assert!(!rows.to_string().contains("It rains."), "never stored");
}

#[tokio::test]
async fn an_answer_longer_than_the_usual_bound_passes_a_program() {
    let long = "é\n".repeat(50_000);
    let script =
        "python3 -c 'import json,sys; print(json.dumps({\"content\": json.load(sys.stdin)[\"content\"] + \"!\"}))'";
    let app = app(shell("finalize_content", script, ""), vec![Reply::text(&[&long])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(notices(&app, &done).await, [""; 0]);
    let content = done["message"]["content"].as_str().expect("text");
    assert!(content.ends_with("\n!") && content.len() > 150_000, "{} bytes", content.len());
}

#[tokio::test]
async fn a_changed_config_holds_from_the_next_turn_on() {
    let app = app(shell("finalize_content", r#"echo '{"content": "one"}'"#, ""), vec![Reply::text(&["x"])]).await;
    let session = app.session().await;
    assert_eq!(app.ask(session, "go").await["message"]["content"], "one");
    let file = app.home.join("config.toml");
    let text = std::fs::read_to_string(&file).expect("the file");
    std::fs::write(&file, text.replace("\"one\"", "\"two\"")).expect("written");
    app.runtime.config().reload().expect("valid");
    assert_eq!(app.ask(session, "go").await["message"]["content"], "two");
    std::fs::write(&file, text.split("\n[[hooks]]").next().expect("a part")).expect("written");
    app.runtime.config().reload().expect("valid");
    assert_eq!(app.ask(session, "go").await["message"]["content"], "x");
}

/// No client may name programs: that would let a web page run anything.
#[tokio::test]
async fn hooks_cannot_be_changed_over_the_network() {
    let app = app(String::new(), vec![]).await;
    let patch = json!({"hooks": [{"event": "before_run", "command": ["touch", "owned"]}]});
    let (status, body) = app.request("PATCH", "/api/v1/settings", Some(patch)).await;
    assert!((400..500).contains(&status), "{status} {body}");
    assert!(body["detail"].as_str().is_some_and(|detail| detail.contains("edit config.toml")), "{body}");
    assert!(!read(&app.home, "config.toml").expect("the file").contains("owned"));
}

#[tokio::test]
async fn an_event_that_does_not_exist_is_reported_and_the_rest_works() {
    let hooks = shell("before_exec_tool", "exit 2", "") + &shell("finalize_content", r#"echo '{"content": "y"}'"#, "");
    let app = app(hooks, vec![Reply::text(&["x"])]).await;
    let settings = app.get("/api/v1/settings").await;
    let warnings = settings["warnings"].to_string();
    assert!(warnings.contains("hooks[0].event") && warnings.contains("`before_execute_tool`"), "{warnings}");
    let session = app.session().await;
    assert_eq!(app.ask(session, "go").await["message"]["content"], "y");
}

/// Notes its name where it is called.
struct Marker(&'static str, Arc<Mutex<Vec<String>>>);

#[async_trait::async_trait]
impl AgentHook for Marker {
    fn name(&self) -> &str {
        self.0
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeExecuteTool, HookMethod::FinalizeContent])
    }
    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        let mut arguments = call.call.arguments.clone();
        let text = format!("{} {}", arguments["content"].as_str().unwrap_or_default(), self.0);
        arguments.insert("content".to_owned(), json!(text));
        Ok(Decision::Replace { arguments })
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        self.1.lock().expect("lock").push(self.0.to_owned());
        Ok(format!("{content} {}", self.0))
    }
}

struct MarkerFactory(&'static str, Arc<Mutex<Vec<String>>>);

impl TurnHookFactory for MarkerFactory {
    fn make(&self, run: &RunContext) -> Option<Arc<dyn AgentHook>> {
        self.1.lock().expect("lock").push(format!("made {} for {}", self.0, run.model));
        Some(Arc::new(Marker(self.0, Arc::clone(&self.1))))
    }
}

#[tokio::test]
async fn fixed_hooks_come_first_then_made_ones_then_programs() {
    let log = Arc::new(Mutex::new(Vec::new()));
    let sees = r#"sed -n 's/.*"content":"\([^"]*\)".*/\1/p' >> seen.txt"#;
    let options = Options {
        hooks: vec![Arc::new(Marker("one", Arc::clone(&log))), Arc::new(Marker("two", Arc::clone(&log)))],
        turn_hooks: vec![Arc::new(MarkerFactory("three", Arc::clone(&log)))],
        tools: vec![Arc::new(WriteFile::default())],
        config: shell("before_execute_tool", sees, "") + &shell("finalize_content", sees, ""),
        ..Options::default()
    };
    let app = TestApp::with(vec![Script { matches: String::new(), replies: one_write() }], options).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "done one two three");
    assert_eq!(read(&app.home, "seen.txt").as_deref(), Some("asked one two three\ndone one two three\n"));
    assert_eq!(log.lock().expect("lock")[..], ["made three for mock", "one", "two", "three"]);
    app.ask(session, "go").await;
    assert_eq!(log.lock().expect("lock").iter().filter(|line| line.starts_with("made")).count(), 2, "once a turn");
}
