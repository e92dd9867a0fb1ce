//! The golden trace: events and hook calls of one turn with tools, in the one order that everything relies on.

use std::sync::Arc;

use nanobot_engine::hook::{AgentHook, CallContext, Decision, HookError, HookMethods, IterationContext, RunContext};
use nanobot_engine::message::Message;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::recorder::Recorder;
use nanobot_tests::scripted::{Chunk, Reply, Script, ScriptedUsage};
use nanobot_tests::tools::WriteFile;
use serde_json::{Value, json};

fn script() -> Script {
    let usage = |input, output| Some(ScriptedUsage { input, output, cached: 0 });
    let calls = Reply::calls(&[
        ("c1", "write_file", json!({"path": "made.txt", "content": "hello"})),
        ("c2", "list_dir", json!({"path": "."})),
        ("c3", "list_dir", json!({"path": "sub"})),
    ]);
    let first = Reply {
        usage: usage(100, 20),
        ..calls.after(vec![
            Chunk::reasoning("Let me "),
            Chunk::reasoning("look."),
            Chunk::text("I write "),
            Chunk::text("and look."),
        ])
    };
    let second = Reply { usage: usage(200, 30), ..Reply::text(&["<think>It is ", "there.</think>", "All ", "done."]) };
    Script { matches: "go".to_owned(), replies: vec![first, second] }
}

const TRACE: &[&str] = &[
    "E user_message \"go\"",
    "E turn_started default mock",
    "H before_run",
    "H before_iteration 0",
    "H wants_streaming",
    "H before_request",
    "E iteration_started 0",
    "E reasoning_delta \"Let me \"",
    "H emit_reasoning \"Let me \"",
    "E reasoning_delta \"look.\"",
    "H emit_reasoning \"look.\"",
    "E reasoning_end 12",
    "H emit_reasoning_end",
    "E delta \"I write \"",
    "H on_stream \"I write \"",
    "E delta \"and look.\"",
    "H on_stream \"and look.\"",
    "E stream_end 17 resuming=true",
    "H on_stream_end resuming=true",
    "E usage 100/20",
    "H before_execute_tools",
    "H before_execute_tool c1",
    "E tool_started c1 write_file",
    "E tool_finished c1 write_file Ok with a diff",
    "H after_execute_tool c1",
    "H before_execute_tool c2",
    "H before_execute_tool c3",
    "E tool_started c2 list_dir",
    "E tool_started c3 list_dir",
    "E tool_finished cX list_dir Ok",
    "H after_execute_tool cX",
    "E tool_finished cY list_dir Ok",
    "H after_execute_tool cY",
    "H after_iteration 0",
    "H before_iteration 1",
    "H wants_streaming",
    "H before_request",
    "E iteration_started 1",
    "E reasoning_delta \"It is \"",
    "H emit_reasoning \"It is \"",
    "E reasoning_delta \"there.\"",
    "H emit_reasoning \"there.\"",
    "E reasoning_end 12",
    "H emit_reasoning_end",
    "E delta \"All \"",
    "H on_stream \"All \"",
    "E delta \"done.\"",
    "H on_stream \"done.\"",
    "H finalize_content",
    "E stream_end 9 resuming=false",
    "H on_stream_end resuming=false",
    "E usage 200/30",
    "E message \"All done.\"",
    "H after_iteration 1",
    "H after_run Completed [\"write_file\", \"list_dir\", \"list_dir\"]",
    "H on_finally Completed",
    "E turn_finished Completed",
    "E session_updated Idle",
    "E session_updated title=\"go\"",
];

async fn app(scripts: Vec<Script>) -> (TestApp, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    let options = Options {
        hooks: vec![Arc::clone(&recorder) as _],
        tools: vec![Arc::new(WriteFile::default())],
        ..Options::default()
    };
    (TestApp::with(scripts, options).await, recorder)
}

/// The two lookups run together, so either may end first: whichever does is called X.
fn with_lookups_in_order_of_their_end(lines: Vec<String>) -> Vec<String> {
    let first =
        lines.iter().find_map(|line| line.strip_prefix("E tool_finished c").filter(|rest| !rest.starts_with('1')));
    let (x, y) = if first.is_some_and(|rest| rest.starts_with('3')) { ("c3", "c2") } else { ("c2", "c3") };
    let mut ended = false;
    lines
        .into_iter()
        .map(|line| {
            ended |= line.starts_with(&format!("E tool_finished {x}"));
            if ended { line.replace(x, "cX").replace(y, "cY") } else { line }
        })
        .collect()
}

#[tokio::test]
async fn events_and_hooks_of_a_turn_with_tools_come_in_the_golden_order() {
    let (app, recorder) = app(vec![script()]).await;
    std::fs::create_dir(app.home.join("workspace/sub")).expect("a folder");
    let session = app.session().await;
    recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
    let mut socket = app.socket().await;
    socket.attach(session, 0).await.expect("attached");

    let answer = app.ask(session, "go").await;
    assert_eq!(answer["stop_reason"], "completed");
    assert_eq!(answer["message"]["content"], "All done.");
    // The title is no part of the turn; it is the last thing to come.
    loop {
        let updated = socket.wait_for("session_updated").await.expect("a title");
        if updated.get("title").is_some() {
            break;
        }
    }
    let lines = with_lookups_in_order_of_their_end(recorder.lines());
    assert_eq!(lines, TRACE, "\n{}", lines.join("\n"));

    let written = std::fs::read_to_string(app.home.join("workspace/made.txt")).expect("the file");
    assert_eq!(written, "hello");
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    let seen: Vec<(&str, &str, Value)> = rows["items"]
        .as_array()
        .expect("rows")
        .iter()
        .map(|row| {
            let calls = row["tool_calls"].as_array().into_iter().flatten().map(|call| call["id"].clone());
            let extra = match row["role"].as_str() {
                Some("tool") => json!([row["tool_call_id"], row["tool_name"], row["status"]]),
                Some("assistant") => json!({"reasoning": row["reasoning"], "calls": calls.collect::<Vec<_>>()}),
                _ => Value::Null,
            };
            (row["role"].as_str().unwrap_or_default(), row["content"].as_str().unwrap_or_default(), extra)
        })
        .collect();
    let listed = seen[3].1;
    assert!(listed.contains("made.txt") && listed.contains("sub"), "{listed}");
    assert_eq!(
        seen,
        [
            ("user", "go", Value::Null),
            ("assistant", "I write and look.", json!({"reasoning": "Let me look.", "calls": ["c1", "c2", "c3"]})),
            ("tool", "wrote 5 bytes", json!(["c1", "write_file", "ok"])),
            ("tool", listed, json!(["c2", "list_dir", "ok"])),
            ("tool", seen[4].1, json!(["c3", "list_dir", "ok"])),
            ("assistant", "All done.", json!({"reasoning": "It is there.", "calls": []})),
        ]
    );

    // The model saw its calls, and each result with its own call.
    let requests = app.model.requests();
    assert_eq!(requests.len(), 2);
    let roles: Vec<_> =
        requests[1]["messages"].as_array().expect("messages").iter().map(|m| m["role"].clone()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "tool", "tool"]);
    let ids: Vec<_> =
        requests[1]["messages"].as_array().expect("messages")[3..].iter().map(|m| m["tool_call_id"].clone()).collect();
    assert_eq!(ids, ["c1", "c2", "c3"]);
}

#[tokio::test]
async fn a_failed_request_calls_on_error_then_after_run_then_on_finally() {
    let script = Script { matches: String::new(), replies: vec![Reply::status(401, "{}")] };
    let (app, recorder) = app(vec![script]).await;
    let session = app.session().await;
    recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
    let answer = app.ask(session, "go").await;
    assert_eq!(answer["error"]["code"], "provider_auth");
    let lines = recorder.lines();
    let turn: Vec<&str> =
        lines.iter().map(String::as_str).take_while(|line| !line.contains("session_updated")).collect();
    assert_eq!(
        turn,
        [
            "E user_message \"go\"",
            "E turn_started default mock",
            "H before_run",
            "H before_iteration 0",
            "H wants_streaming",
            "H before_request",
            "E iteration_started 0",
            "H after_iteration 0",
            "H on_error provider_auth",
            "H after_run Error []",
            "H on_finally Error",
            "E turn_finished Error",
        ]
    );
}

#[tokio::test]
async fn a_stopped_turn_calls_on_finally_alone() {
    let hang = Reply { hang: true, ..Reply::text(&["half "]) };
    let (app, recorder) = app(vec![Script { matches: String::new(), replies: vec![hang] }]).await;
    let session = app.session().await;
    recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    socket.wait_for("turn_finished").await.expect("the end");
    let lines = recorder.lines();
    let from = lines.iter().position(|line| line.starts_with("E stream_end")).expect("the segment's end");
    let tail: Vec<&str> = lines[from..]
        .iter()
        // What the request is thought to have cost is not the matter here.
        .map(|line| if line.starts_with("E usage") { "E usage" } else { line.as_str() })
        .take_while(|line| !line.contains("session_updated"))
        .collect();
    assert_eq!(
        tail,
        [
            "E stream_end 5 resuming=false",
            "H on_stream_end resuming=false",
            "E usage",
            "H on_finally Cancelled",
            "E turn_finished Cancelled",
        ]
    );
}

#[tokio::test]
async fn a_failed_call_calls_on_execute_tool_error() {
    let calls = Reply::calls(&[("c1", "read_file", json!({"path": "missing.txt"}))]);
    let script = Script { matches: String::new(), replies: vec![calls, Reply::text(&["no such file"])] };
    let (app, recorder) = app(vec![script]).await;
    let session = app.session().await;
    recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
    app.ask(session, "go").await;
    let lines = recorder.lines();
    let calls: Vec<&str> = lines.iter().map(String::as_str).filter(|line| line.contains(" c1")).collect();
    assert_eq!(
        calls,
        [
            "H before_execute_tool c1",
            "E tool_started c1 read_file",
            "E tool_finished c1 read_file Error",
            "H on_execute_tool_error c1",
        ]
    );
}

/// A hook that decides about calls, adds to requests, and fails where it is told to.
#[derive(Default)]
struct Meddler {
    reraise: bool,
    fails_before_run: bool,
    panics_in_stream: bool,
}

#[async_trait::async_trait]
impl AgentHook for Meddler {
    fn name(&self) -> &'static str {
        "meddler"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::ALL
    }
    fn reraise(&self) -> bool {
        self.reraise
    }
    fn wants_streaming(&self) -> bool {
        true
    }
    async fn before_run(&self, _: &RunContext) -> Result<(), HookError> {
        if self.fails_before_run { Err(HookError("not today".to_owned())) } else { Ok(()) }
    }
    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        iteration.inject(Message::user(format!("injected {}", iteration.iteration)));
        Ok(())
    }
    async fn on_stream(&self, _: &IterationContext, _: &str) -> Result<(), HookError> {
        assert!(!self.panics_in_stream, "a panic of the hook");
        Ok(())
    }
    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        Ok(match call.call.id.as_str() {
            "deny" => Decision::Deny { reason: "not allowed here".to_owned() },
            "replace" => Decision::Replace {
                arguments: json!({"path": "other.txt", "content": "replaced"}).as_object().expect("an object").clone(),
            },
            _ => Decision::Proceed,
        })
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        Ok(content + "!")
    }
}

async fn with_meddler(meddler: Meddler, replies: Vec<Reply>) -> (TestApp, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    let options = Options {
        hooks: vec![Arc::new(meddler), Arc::clone(&recorder) as _],
        tools: vec![Arc::new(WriteFile::default())],
        ..Options::default()
    };
    (TestApp::with(vec![Script { matches: String::new(), replies }], options).await, recorder)
}

#[tokio::test]
async fn hooks_decide_about_calls_add_to_requests_and_change_the_answer() {
    let write = json!({"path": "a.txt", "content": "asked"});
    let calls = Reply::calls(&[
        ("deny", "write_file", write.clone()),
        ("replace", "write_file", write),
        ("go on", "write_file", json!({"path": "third.txt", "content": "x"})),
    ]);
    // The injected message is the last one of the user, so each request asks for the first reply of a script.
    let scripts = vec![
        Script { matches: "injected 0".to_owned(), replies: vec![calls] },
        Script { matches: "injected 1".to_owned(), replies: vec![Reply::text(&["done"])] },
    ];
    let options = Options {
        hooks: vec![Arc::new(Meddler::default())],
        tools: vec![Arc::new(WriteFile::default())],
        ..Options::default()
    };
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("done!")));
    let turn = app.get(&format!("/api/v1/turns/{}", done["turn_id"].as_str().expect("an id"))).await;
    let statuses: Vec<&Value> = turn["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .filter(|part| part["kind"] == "tool")
        .map(|p| &p["status"])
        .collect();
    assert_eq!(statuses, ["denied", "ok", "ok"]);
    assert!(!app.home.join("workspace/a.txt").exists());
    assert_eq!(std::fs::read_to_string(app.home.join("workspace/other.txt")).expect("the file"), "replaced");
    let requests = app.model.requests();
    for request in &requests {
        legal::check(request).expect("a legal request");
    }
    let said = legal::said(&requests[1]);
    assert!(said.iter().any(|(role, text)| role == "tool" && text == "Error: not allowed here"), "{said:?}");
    assert_eq!(said.iter().filter(|(_, text)| text.contains("injected")).count(), 1, "only in its own request");
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    assert!(!rows.to_string().contains("injected"), "and never stored");
}

#[tokio::test]
async fn a_hook_that_fails_or_panics_is_passed_over_and_the_others_go_on() {
    let meddler = Meddler { fails_before_run: true, panics_in_stream: true, ..Meddler::default() };
    let (app, recorder) = with_meddler(meddler, vec![Reply::text(&["fine"])]).await;
    let session = app.session().await;
    recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("fine!")));
    let lines = recorder.lines();
    for line in ["H before_run", "H on_stream \"fine\"", "H on_finally Completed"] {
        assert!(lines.iter().any(|seen| seen == line), "{line} in {lines:?}");
    }
}

#[tokio::test]
async fn a_hook_that_reraises_ends_the_run() {
    for meddler in [
        Meddler { reraise: true, fails_before_run: true, ..Meddler::default() },
        Meddler { reraise: true, panics_in_stream: true, ..Meddler::default() },
    ] {
        let (app, recorder) = with_meddler(meddler, vec![Reply::text(&["fine"])]).await;
        let session = app.session().await;
        recorder.follow(app.runtime.attach(session, 0).await.expect("a session").feed);
        let failed = app.ask(session, "go").await;
        assert_eq!(
            (&failed["stop_reason"], &failed["error"]["code"]),
            (&json!("error"), &json!("hook_failed")),
            "{failed}"
        );
        let detail = failed["error"]["detail"].as_str().expect("detail");
        assert!(detail.contains("not today") || detail.contains("a panic of the hook"), "{failed}");
        let lines = recorder.lines();
        let hooks: Vec<&str> = lines
            .iter()
            .map(String::as_str)
            .filter(|line| line.starts_with("H on_") || line.starts_with("H after_run"))
            .collect();
        assert_eq!(hooks.last(), Some(&"H on_finally Error"), "{lines:?}");
        assert!(
            hooks.contains(&"H on_error hook_failed") && !hooks.iter().any(|line| line.contains("after_run")),
            "{lines:?}"
        );
        assert_eq!(app.get(&format!("/api/v1/sessions/{session}")).await["state"], "idle");
    }
}

/// AL-07: providers cache the beginning of a request, so it must not change.
#[tokio::test]
async fn the_beginning_of_each_request_stays_byte_for_byte() {
    let calls = Reply::calls(&[("c1", "list_dir", json!({}))]);
    let app = TestApp::start(vec![Script { matches: String::new(), replies: vec![calls, Reply::text(&["ok"])] }]).await;
    app.file("AGENTS.md", "Be brief.");
    let session = app.session().await;
    for _ in 0..3 {
        app.ask(session, "go").await;
    }
    let requests = app.model.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        assert_eq!(before["tools"].to_string(), after["tools"].to_string());
        let before = before["messages"].as_array().expect("messages");
        let after = &after["messages"].as_array().expect("messages")[..before.len()];
        assert_eq!(json!(before).to_string(), json!(after).to_string());
    }
    let system = legal::said(&requests[0])[0].1.clone();
    assert!(system.contains("Be brief."), "{system}");
    let names: Vec<&str> =
        requests[0]["tools"].as_array().expect("tools").iter().filter_map(|t| t["function"]["name"].as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
}
