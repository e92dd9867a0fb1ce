//! `nanobot replay`: each kind of turn plays again as it was, and whatever is changed on record is named.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::hook::{
    AgentHook, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, RunContext, RunEnd,
};
use nanobot_engine::id::SessionId;
use nanobot_engine::tool::ToolOutcome;
use nanobot_runtime::replay::{ReplayError, Replayed, replay};
use nanobot_tests::app::{Options, TestApp, binary};
use nanobot_tests::faulty::{Fault, FaultyModel, Wire};
use nanobot_tests::home::Home;
use nanobot_tests::scripted::{Chunk, Reply, Script};
use nanobot_tests::tools::{Canned, Gate, WriteFile};
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use tokio::process::Command;

use crate::hooks::shell;

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

/// A whole turn with a failing call, two that run side by side, and reasoning.
fn usual() -> Vec<Reply> {
    vec![
        Reply::calls(&[("c1", "list_dir", json!({"path": "."})), ("c1", "read_file", json!({"path": "missing.txt"}))])
            .after(vec![Chunk::reasoning("let me "), Chunk::reasoning("look"), Chunk::text("Looking.")]),
        Reply::calls(&[("", "nope", json!({})), ("c3", "read_file", json!("no object"))]),
        Reply::text(&["all ", "done"]),
    ]
}

/// Ends the run at one of its methods.
struct Breaks(HookMethod);

impl Breaks {
    fn at(&self, method: HookMethod) -> Result<(), HookError> {
        if method == self.0 { Err(HookError("it broke".to_owned())) } else { Ok(()) }
    }
}

#[async_trait]
impl AgentHook for Breaks {
    fn name(&self) -> &str {
        "breaks"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::ALL
    }
    fn reraise(&self) -> bool {
        true
    }
    fn wants_streaming(&self) -> bool {
        true
    }
    async fn before_run(&self, _: &RunContext) -> Result<(), HookError> {
        self.at(HookMethod::BeforeRun)
    }
    async fn after_run(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.at(HookMethod::AfterRun)
    }
    async fn on_finally(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.at(HookMethod::OnFinally)
    }
    async fn before_iteration(&self, _: &IterationContext) -> Result<(), HookError> {
        self.at(HookMethod::BeforeIteration)
    }
    async fn after_iteration(&self, _: &IterationContext) -> Result<(), HookError> {
        self.at(HookMethod::AfterIteration)
    }
    async fn before_request(&self, _: &mut IterationContext) -> Result<(), HookError> {
        self.at(HookMethod::BeforeRequest)
    }
    async fn on_stream(&self, _: &IterationContext, _: &str) -> Result<(), HookError> {
        self.at(HookMethod::OnStream)
    }
    async fn on_stream_end(&self, _: &IterationContext, _: bool) -> Result<(), HookError> {
        self.at(HookMethod::OnStreamEnd)
    }
    async fn emit_reasoning(&self, _: &IterationContext, _: &str) -> Result<(), HookError> {
        self.at(HookMethod::EmitReasoning)
    }
    async fn emit_reasoning_end(&self, _: &IterationContext) -> Result<(), HookError> {
        self.at(HookMethod::EmitReasoningEnd)
    }
    async fn before_execute_tools(&self, _: &IterationContext) -> Result<(), HookError> {
        self.at(HookMethod::BeforeExecuteTools)
    }
    async fn before_execute_tool(&self, _: &CallContext) -> Result<Decision, HookError> {
        self.at(HookMethod::BeforeExecuteTool).map(|()| Decision::Proceed)
    }
    async fn after_execute_tool(&self, _: &CallContext, _: &ToolOutcome) -> Result<(), HookError> {
        self.at(HookMethod::AfterExecuteTool)
    }
    async fn on_execute_tool_error(&self, _: &CallContext, _: &ToolOutcome) -> Result<(), HookError> {
        self.at(HookMethod::OnExecuteToolError)
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        self.at(HookMethod::FinalizeContent).map(|()| content)
    }
}

async fn played(app: &TestApp, turn: &Value) -> Replayed {
    let id = turn["turn_id"].as_str().expect("an id").parse().expect("an id");
    replay(app.runtime.store(), id).await.expect("it can be played")
}

/// The turn is the same with this many requests and calls.
#[track_caller]
fn same(replayed: Replayed, requests: usize, calls: usize) {
    assert_eq!(replayed, Replayed::Same { requests, calls });
}

async fn raw(home: &Path) -> sqlx::SqliteConnection {
    SqliteConnectOptions::new().filename(home.join("nanobot.db")).connect().await.expect("the database")
}

/// Sends a message over a socket and presses Stop once this event has come.
async fn stopped_at(app: &TestApp, session: SessionId, content: &str, event: &str) -> Value {
    let mut socket = app.socket().await;
    socket.send(json!({"type": "message", "chat_id": session, "content": content})).await.expect("sent");
    socket.wait_for(event).await.expect("the event");
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!(finished["stop_reason"], "cancelled");
    finished
}

#[tokio::test]
async fn turns_that_go_well_and_those_behind_them_are_the_same() {
    let app = TestApp::start(vec![script("hello", vec![Reply::text(&["hi"])]), script("", usual())]).await;
    let session = app.session().await;
    let first = app.ask(session, "go").await;
    assert_eq!(first["stop_reason"], "completed", "{first}");
    same(played(&app, &first).await, 3, 4);
    for _ in 0..3 {
        let turn = app.ask(session, "hello").await;
        same(played(&app, &turn).await, 1, 0);
    }
    let again = app.ask(session, "go").await;
    same(played(&app, &again).await, 3, 4);
    // Asked again, as a sibling.
    let path = format!("/api/v1/turns/{}/retry", first["turn_id"].as_str().expect("an id"));
    let (status, accepted) = app.request("POST", &path, Some(json!({}))).await;
    assert_eq!(status, 202, "{accepted}");
    app.model.received(12).await;
    app.ended(&accepted["turn_id"]).await;
    same(played(&app, &accepted).await, 3, 4);
}

#[tokio::test]
async fn turns_that_were_stopped_are_the_same() {
    let gate = Gate::default();
    let hanging = Reply { hang: true, ..Reply::text(&["half an ans"]) };
    let scripts = vec![
        script(
            "wait",
            vec![Reply::calls(&[("c1", "list_dir", json!({})), ("c2", "gate", json!({})), ("c3", "gate", json!({}))])],
        ),
        script("hang", vec![hanging]),
        script("mute", vec![Reply { hang: true, ..Reply::default() }]),
        script("after", vec![Reply::text(&["fine"])]),
    ];
    let options = Options { tools: vec![Arc::new(gate.clone())], ..Options::default() };
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    let turn = stopped_at(&app, session, "hang", "delta").await;
    same(played(&app, &turn).await, 1, 0);
    let turn = stopped_at(&app, session, "mute", "iteration_started").await;
    let Replayed::Same { requests, .. } = played(&app, &turn).await else { panic!("it is the same") };
    assert!(requests <= 1);
    let mut socket = app.socket().await;
    socket.send(json!({"type": "message", "chat_id": session, "content": "wait"})).await.expect("sent");
    gate.reached().await;
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    let turn = socket.wait_for("turn_finished").await.expect("the end");
    same(played(&app, &turn).await, 1, 3);
    let turn = app.ask(session, "after").await;
    same(played(&app, &turn).await, 1, 0);
}

#[tokio::test]
async fn a_message_that_joined_is_played_where_it_joined() {
    let gate = Gate::default();
    let scripts = vec![
        script("also", vec![Reply::text(&["both"])]),
        script("wait", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["one"])]),
    ];
    let app = TestApp::with(scripts, Options { tools: vec![Arc::new(gate.clone())], ..Options::default() }).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.send(json!({"type": "message", "chat_id": session, "content": "wait"})).await.expect("sent");
    gate.reached().await;
    socket.wait_for("accepted").await.expect("accepted");
    let steer = json!({"type": "message", "chat_id": session, "content": "also this", "mode": "steer"});
    socket.send(steer).await.expect("sent");
    socket.wait_for("accepted").await.expect("accepted");
    gate.open();
    let turn = socket.wait_for("turn_finished").await.expect("the end");
    same(played(&app, &turn).await, 2, 1);
}

#[tokio::test]
async fn retries_and_other_models_are_played_with_their_failures() {
    for (fault, times, requests) in [
        (Fault::Status(503, &[], String::new()), 2, 3),
        (Fault::HalfText, 1, 2),
        (Fault::HalfCall, 1, 2),
        (Fault::HalfText, usize::MAX, 5),
        (Fault::Status(401, &[], String::new()), usize::MAX, 2),
    ] {
        let name = format!("{fault:?}, {times}");
        let server = FaultyModel::start(Wire::Chat, fault, times).await;
        let config = format!(
            "\n[providers.faulty]\nkind = \"openai\"\nbase_url = \"{}\"\n\n\
             [presets.faulty]\nprovider = \"faulty\"\nmodel = \"m\"\nfallbacks = [\"default\"]\n",
            server.url
        );
        let scripts = vec![script("", vec![Reply::text(&["other"])])];
        let app = TestApp::with(scripts, Options { config, ..Options::default() }).await;
        let session = app.session().await;
        let path = format!("/api/v1/sessions/{session}/turns?wait=true");
        // The breaker opens after some turns that were given up; then the first model is not even asked.
        for round in 0..5 {
            let body = Some(json!({"content": "hello", "preset": "faulty"}));
            let (_, turn) = app.request("POST", &path, body).await;
            assert_eq!(turn["stop_reason"], "completed", "{name}: {turn}");
            let replayed = played(&app, &turn).await;
            let Replayed::Same { requests: made, calls: 0 } = replayed else { panic!("{name}: {replayed:?}") };
            if round == 0 {
                assert_eq!(made, requests, "{name}");
            }
        }
    }
    // Without another model it ends there.
    let server = FaultyModel::start(Wire::Anthropic, Fault::HalfText, usize::MAX).await;
    let config = format!(
        "\n[providers.faulty]\nkind = \"anthropic\"\nbase_url = \"{}\"\n\n[presets.faulty]\nprovider = \"faulty\"\nmodel = \"m\"\n",
        server.url
    );
    let app = TestApp::with(Vec::new(), Options { config, ..Options::default() }).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, turn) = app.request("POST", &path, Some(json!({"content": "hello", "preset": "faulty"}))).await;
    assert_eq!(turn["stop_reason"], "error", "{turn}");
    same(played(&app, &turn).await, 4, 0);
}

#[tokio::test]
async fn turns_without_any_request_are_the_same() {
    let config = "\n[presets.other]\nprovider = \"nowhere\"\nmodel = \"m\"\n";
    let app = TestApp::with(Vec::new(), Options { config: config.to_owned(), ..Options::default() }).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, turn) = app.request("POST", &path, Some(json!({"content": "hello", "preset": "other"}))).await;
    assert_eq!(turn["error"]["code"], "no_model", "{turn}");
    same(played(&app, &turn).await, 0, 0);
    // A request that can never fit.
    let small = Some(json!({"presets": {"default": {"context_window_tokens": 1000}}}));
    let (status, answer) = app.request("PATCH", "/api/v1/settings", small).await;
    assert_eq!(status, 200, "{answer}");
    let turn = app.ask(session, "hello").await;
    assert_eq!(turn["error"]["code"], "context_length", "{turn}");
    same(played(&app, &turn).await, 0, 0);
}

#[tokio::test]
async fn cut_answers_and_limits_are_the_same() {
    let cut = |text: &str| Reply { finish: "length".to_owned(), ..Reply::text(&[text]) };
    let blank = || Reply::text(&[" "]);
    let again = || Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]);
    let scripts = vec![
        script("Go on exactly", vec![Reply::text(&["the rest"])]),
        script("reached the output limit before", vec![Reply::text(&["short"])]),
        script("The limit of steps", vec![Reply::text(&["as far as I got"])]),
        script("long", vec![cut("the beginning, ")]),
        script("huge", vec![cut("")]),
        script("blank", vec![blank()]),
        script("loop", vec![again()]),
        script(
            "steps",
            (0..6).map(|n| Reply::calls(&[("c", "find_files", json!({"pattern": format!("{n}*")}))])).collect(),
        ),
    ];
    let app = TestApp::with(scripts, Options { config: "max_iterations = 4\n".to_owned(), ..Options::default() }).await;
    for (content, stop_reason, requests, calls) in [
        ("long", "completed", 2, 0),
        ("huge", "completed", 2, 0),
        ("blank", "empty_final_response", 2, 0),
        ("loop", "max_iterations", 5, 4),
        ("steps", "max_iterations", 5, 4),
    ] {
        let turn = app.ask(app.session().await, content).await;
        assert_eq!(turn["stop_reason"], stop_reason, "{content}: {turn}");
        same(played(&app, &turn).await, requests, calls);
    }
}

#[tokio::test]
async fn what_hooks_did_is_played_without_them() {
    let deny = shell(
        "before_execute_tool",
        r#"if grep -q refused; then echo 'not this one' >&2; exit 2; else exit 1; fi"#,
        "match = \"list_dir\"\n",
    );
    let replace = shell(
        "before_execute_tool",
        r#"cat > /dev/null; echo '{"arguments": {"path": "b.txt", "content": "replaced"}}'"#,
        "match = \"write_file\"\n",
    );
    let finish = shell("finalize_content", r#"cat > /dev/null; echo '{"content": "signed, the hook"}'"#, "");
    let replies = vec![
        Reply::calls(&[
            ("c1", "list_dir", json!({"path": "refused"})),
            ("c2", "list_dir", json!({"path": "."})),
            ("c3", "write_file", json!({"path": "a.txt", "content": "asked"})),
        ]),
        Reply::text(&["done"]),
    ];
    let tools: Vec<Arc<dyn nanobot_runtime::tool::Tool>> = vec![Arc::new(WriteFile::default())];
    let config = [deny, replace, finish].concat();
    let options = Options { config, tools, ..Options::default() };
    let app = TestApp::with(vec![script("", replies)], options).await;
    let session = app.session().await;
    for _ in 0..2 {
        let turn = app.ask(session, "go").await;
        assert_eq!(turn["message"]["content"], "signed, the hook", "{turn}");
        same(played(&app, &turn).await, 2, 3);
    }

    let inject = shell("before_request", r#"cat > /dev/null; echo '{"inject": "Remember the milk."}'"#, "");
    let scripts = vec![script("milk", vec![Reply::text(&["I will"])])];
    let app = TestApp::with(scripts, Options { config: inject, ..Options::default() }).await;
    let turn = app.ask(app.session().await, "go").await;
    assert_eq!(turn["message"]["content"], "I will", "{turn}");
    same(played(&app, &turn).await, 1, 0);

    // A hook that ends the run, at each of its methods.
    for method in HookMethod::ALL {
        let hook = Arc::new(Breaks(method));
        let tools: Vec<Arc<dyn nanobot_runtime::tool::Tool>> = vec![Arc::new(WriteFile::default())];
        let options = Options { hooks: vec![hook], tools, ..Options::default() };
        let app = TestApp::with(vec![script("", usual())], options).await;
        let session = app.session().await;
        let turn = app.ask(session, "go").await;
        let replayed = played(&app, &turn).await;
        assert!(matches!(replayed, Replayed::Same { .. }), "{method:?}: {replayed:?}");
    }
}

#[tokio::test]
async fn governance_is_played_step_by_step() {
    let long: Vec<String> = (0..13).map(|n| format!("line of a long file {n}\n").repeat(700)).collect();
    let long: Vec<&str> = long.iter().map(String::as_str).collect();
    let files = Canned::new("mcp_files", &long);
    // Its results cannot be had again, so they stay until the head becomes a summary.
    let short: Vec<String> = long.iter().map(|text| text.chars().take(4_000).collect()).collect();
    let notes = Canned::new("notes", &short.iter().map(String::as_str).collect::<Vec<_>>());
    let scripts = vec![
        script("more", vec![Reply::text(&["more"])]),
        script("The limit of steps", vec![Reply::text(&["done"])]),
        script("", vec![Reply::calls(&[("c", "mcp_files", json!({})), ("d", "notes", json!({}))])]),
    ];
    let options = Options {
        tools: vec![Arc::new(files), Arc::new(notes)],
        config: "max_iterations = 12\n".to_owned(),
        ..Options::default()
    };
    let app = TestApp::with(scripts, options).await;
    let small = json!({"presets": {"default": {"context_window_tokens": 16_000, "max_tokens": 2_000}}});
    let (status, answer) = app.request("PATCH", "/api/v1/settings", Some(small)).await;
    assert_eq!(status, 200, "{answer}");
    let session = app.session().await;
    let turn = app.ask(session, "go").await;
    assert_eq!(turn["stop_reason"], "max_iterations", "{turn}");
    same(played(&app, &turn).await, 13, 24);
    let shown = app.get(&format!("/api/v1/turns/{}", turn["turn_id"].as_str().expect("an id"))).await;
    // What was decided goes on into the next turns.
    for _ in 0..2 {
        let turn = app.ask(session, "more").await;
        same(played(&app, &turn).await, 1, 0);
    }
    let shown = shown.to_string();
    for step in ["microcompact", "inflight"] {
        assert!(shown.contains(step), "{step}");
    }
}

#[tokio::test]
async fn what_was_changed_on_record_is_named() {
    let cases = [
        (
            "UPDATE messages SET text = 'all gone' WHERE text = 'all done'",
            "row 7, blocks, 1, text: stored is \"all gone\", and now \"all done\"",
        ),
        ("DELETE FROM messages WHERE text = 'all done'", "row 7: none is stored, and now there is"),
        ("UPDATE messages SET text = 'went' WHERE text = 'go'", "request 1, "),
        (
            "UPDATE calls SET outcome = replace(outcome, 'missing', 'present') WHERE name = 'read_file' AND iteration = 0",
            "row 3, blocks, 1, text: stored is",
        ),
        (
            "UPDATE calls SET arguments = '{\"path\":\"other\"}' WHERE name = 'list_dir'",
            "ledger of calls, 1, arguments, path: stored is \"other\", and now \".\"",
        ),
        (
            "UPDATE journal SET inputs = replace(inputs, 'all done', 'all well')",
            "row 7, blocks, 1, text: stored is \"all done\", and now \"all well\"",
        ),
        (
            "UPDATE journal SET recipe = replace(recipe, '\"max_tokens\":8192', '\"max_tokens\":8191')",
            "request 1, hash: stored is",
        ),
        (
            "UPDATE turns SET stop_reason = 'loop'",
            "end of the turn, stop_reason: stored is \"loop\", and now \"completed\"",
        ),
        (
            "UPDATE events SET body = replace(body, 'Looking.', 'Sleeping.')",
            "what is shown, parts, 2, text: stored is \"Sleeping.\", and now \"Looking.\"",
        ),
    ];
    for (sql, want) in cases {
        let app = TestApp::start(vec![script("", usual())]).await;
        let session = app.session().await;
        let turn = app.ask(session, "go").await;
        same(played(&app, &turn).await, 3, 4);
        let mut raw = raw(&app.home).await;
        let done = sqlx::query(sql).execute(&mut raw).await.unwrap_or_else(|error| panic!("{sql}: {error}"));
        assert!(done.rows_affected() > 0, "{sql}");
        match played(&app, &turn).await {
            Replayed::Differs(words) => assert!(words.starts_with(want), "{sql}: {words}"),
            Replayed::Same { .. } => panic!("{sql}: nobody noticed"),
        }
    }
}

#[tokio::test]
async fn a_turn_that_is_not_on_record_says_why() {
    let gate = Gate::default();
    let scripts = vec![script("", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["done"])])];
    let app = TestApp::with(scripts, Options { tools: vec![Arc::new(gate.clone())], ..Options::default() }).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let (_, running) = app.request("POST", &path, Some(json!({"content": "go"}))).await;
    let (_, queued) = app.request("POST", &path, Some(json!({"content": "go"}))).await;
    gate.reached().await;
    let store = app.runtime.store();
    let refused = async |turn: &Value| {
        let id = turn["turn_id"].as_str().expect("an id").parse().expect("an id");
        match replay(store, id).await {
            Err(ReplayError::NotOnRecord(why)) => why,
            other => panic!("{other:?}"),
        }
    };
    assert!(refused(&running).await.contains("still at work"));
    assert!(refused(&queued).await.contains("has not begun"));
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    app.ended(&running["turn_id"]).await;
    same(played(&app, &running).await, 1, 1);
    // What Stop took back ends behind the turn that was stopped.
    app.ended(&queued["turn_id"]).await;
    assert!(refused(&queued).await.contains("stopped before it began"));
    sqlx::query("DELETE FROM journal").execute(&mut raw(&app.home).await).await.expect("gone");
    assert!(refused(&running).await.contains("made before journals were kept"));
    let unknown = replay(store, "01990000-0000-7000-8000-000000000001".parse().expect("an id")).await;
    assert!(matches!(unknown, Err(ReplayError::NotFound)));
}

async fn command(home: &Path, turn: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(binary().expect("the binary"));
    command.args(["replay", turn, "--home"]).arg(home).kill_on_drop(true);
    let output =
        tokio::time::timeout(Duration::from_secs(30), command.output()).await.expect("an end").expect("a start");
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), words(&output.stdout), words(&output.stderr))
}

#[tokio::test]
async fn a_turn_that_was_taken_up_again_shows_its_requests_and_is_not_played() {
    let slow = Reply::text(&["a ", "slow ", "answer"]).paced(300);
    let home =
        Home::new(vec![script("", vec![Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]), slow])], "").await;
    let server = home.start().await;
    let (_, session) = home.request(&server, "POST", "/api/v1/sessions", Some(json!({}))).await;
    let path = format!("/api/v1/sessions/{}/turns", session["id"].as_str().expect("an id"));
    let (_, turn) = home.request(&server, "POST", &path, Some(json!({"content": "go"}))).await;
    home.model.received(2).await;
    server.kill().await.expect("killed");
    let server = home.start().await;
    let id = turn["turn_id"].as_str().expect("an id");
    let path = format!("/api/v1/turns/{id}");
    let shown = loop {
        let (_, shown) = home.request(&server, "GET", &path, None).await;
        if shown["state"] == "done" {
            break shown;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    };
    let requests = shown["inspection"]["requests"].as_array().expect("requests");
    assert_eq!(requests.len(), 2, "the one that was cut is not on record: {shown}");
    for request in requests {
        let path = format!("{path}/requests/{}", request["id"].as_str().expect("an id"));
        let (_, detail) = home.request(&server, "GET", &path, None).await;
        assert_eq!(detail["exact"], true, "{detail}");
    }
    let (code, out, err) = command(home.path(), id).await;
    assert_eq!((code, out.as_str()), (Some(1), ""));
    assert!(err.contains("taken up again after a restart"), "{err}");
}

#[tokio::test]
async fn the_command_works_beside_a_server_and_without_one() {
    let home = Home::new(vec![script("", usual())], "").await;
    let server = home.start().await;
    let (_, session) = home.request(&server, "POST", "/api/v1/sessions", Some(json!({}))).await;
    let (_, turn) = home.ask(&server, session["id"].as_str().expect("an id"), "go").await;
    let id = turn["turn_id"].as_str().expect("an id");
    assert_eq!(command(home.path(), id).await, (Some(0), "3 requests, 4 calls: the same\n".to_owned(), String::new()));
    server.terminate().await.expect("an end");
    assert_eq!(command(home.path(), id).await, (Some(0), "3 requests, 4 calls: the same\n".to_owned(), String::new()));

    sqlx::query("UPDATE messages SET text = 'all gone' WHERE text = 'all done'")
        .execute(&mut raw(home.path()).await)
        .await
        .expect("changed");
    let (code, out, err) = command(home.path(), id).await;
    assert_eq!(code, Some(1), "{err}");
    assert_eq!(out, "row 7, blocks, 1, text: stored is \"all gone\", and now \"all done\"\n");
    assert!(err.contains("is not what it was"), "{err}");
    for (turn, want) in
        [("nonsense", "is not the id of a turn"), ("01990000-0000-7000-8000-000000000001", "there is no turn")]
    {
        let (code, _, err) = command(home.path(), turn).await;
        assert_eq!(code, Some(2), "{err}");
        assert!(err.contains(want), "{err}");
    }
    let empty = tempfile::tempdir().expect("a folder");
    let (code, _, err) = command(empty.path(), id).await;
    assert_eq!(code, Some(2), "{err}");
    assert!(std::fs::read_dir(empty.path()).expect("a folder").next().is_none(), "nothing was made");
}
