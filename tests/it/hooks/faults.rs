//! Hooks that fail, hang, flood or cling to life: each is named once, and no turn waits longer than the hook may take.

use std::sync::Arc;
use std::time::{Duration, Instant};

use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, IterationContext, RunContext};
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::recorder::Recorder;
use nanobot_tests::scripted::{Reply, Script};
use serde_json::{Value, json};

use super::{app, notices, one_write, parts, read, shell};

/// Processes of the group that a script wrote to `group`, apart from what has ended already; waits for a moment for their end.
async fn left(app: &TestApp) -> Vec<String> {
    let group = read(&app.home, "group").expect("the hook ran");
    let began = Instant::now();
    loop {
        let listed = tokio::process::Command::new("ps").args(["-A", "-o", "pgid=,stat=,args="]).output().await;
        let listed = String::from_utf8(listed.expect("ps").stdout).expect("text");
        let of_group = |line: &&str| {
            let mut words = line.split_whitespace();
            words.next() == Some(group.trim()) && words.next().is_some_and(|state| !state.starts_with('Z'))
        };
        let left: Vec<String> = listed.lines().filter(of_group).map(str::to_owned).collect();
        if left.is_empty() || began.elapsed() > Duration::from_secs(2) {
            return left;
        }
        tokio::task::yield_now().await;
    }
}

/// A turn with this hook before its call; gives the turn, the notices and how long it took.
async fn turn_with(script: &str, more: &str) -> (TestApp, Value, Vec<String>, Duration) {
    let app = app(shell("before_execute_tool", &format!("echo $$ > group; {script}"), more), one_write()).await;
    let session = app.session().await;
    let began = Instant::now();
    let done = app.ask(session, "go").await;
    let took = began.elapsed();
    let notices = notices(&app, &done).await;
    (app, done, notices, took)
}

#[tokio::test]
async fn a_program_that_fails_is_named_and_the_turn_goes_on() {
    for (script, failed) in [
        ("exit 1", "ended with exit code 1"),
        ("echo 'no  disk' >&2; echo second >&2; exit 3", "ended with exit code 3: no disk second"),
        ("kill -9 $$", "did not end by itself (signal: 9 (SIGKILL))"),
        (r#"echo '{"decision": "nope"}'"#, "answered the decision \"nope\"; there are allow, deny and ask"),
        (r#"echo '{"arguments": 1}'"#, "answered `arguments` that are no object"),
        (r#"printf '{"x": "'; head -c 70000 /dev/zero | tr '\0' x; echo '"}'"#, "answered more than 65536 bytes"),
    ] {
        let (app, done, notices, _) = turn_with(script, "").await;
        assert_eq!(done["message"]["content"], "done", "{script}");
        assert_eq!(
            notices,
            [format!("The hook shell-before_execute_tool failed at before_execute_tool: {failed}.")],
            "{script}"
        );
        assert_eq!(read(&app.home, "workspace/a.txt").as_deref(), Some("asked"), "{script}");
        let part = &parts(&app, &done, "notice").await[0];
        assert_eq!(part["data"], json!({"hook": "shell-before_execute_tool", "method": "before_execute_tool"}));
    }
}

#[tokio::test]
async fn a_program_that_is_missing_or_no_program_is_named() {
    let hook = |command: &str| format!("\n[[hooks]]\nevent = \"before_execute_tool\"\ncommand = [\"{command}\"]\n");
    for (command, name, error) in [
        ("./hooks/missing.sh", "missing.sh", "No such file or directory"),
        ("no-such-program-anywhere", "no-such-program-anywhere", "No such file or directory"),
        ("./config.toml", "config.toml", "Permission denied"),
    ] {
        let app = app(hook(command), one_write()).await;
        let session = app.session().await;
        let done = app.ask(session, "go").await;
        assert_eq!(done["message"]["content"], "done");
        let said = notices(&app, &done).await;
        let expected = format!("The hook {name} failed at before_execute_tool: cannot be started: {error}");
        assert!(said.len() == 1 && said[0].starts_with(&expected), "{said:?}");
    }
}

#[tokio::test]
async fn a_failure_is_shown_once_a_turn_and_again_in_the_next() {
    let calls = Reply::calls(&[
        ("c1", "list_dir", json!({"path": "."})),
        ("c2", "list_dir", json!({"path": ".."})),
        ("c3", "list_dir", json!({})),
    ]);
    let hooks = shell("before_execute_tool", "exit 1", "") + &shell("on_finally", "exit 7", "");
    let app = app(hooks, vec![calls, Reply::text(&["done"])]).await;
    let session = app.session().await;
    for _ in 0..2 {
        let done = app.ask(session, "go").await;
        let said = notices(&app, &done).await;
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(said[0].contains("shell-before_execute_tool") && said[1].contains("exit code 7"), "{said:?}");
    }
}

#[tokio::test]
async fn a_program_that_reraises_ends_the_turn_and_is_named_in_the_error() {
    for (event, script) in [
        ("before_run", "exit 1"),
        ("before_request", "exit 1"),
        ("before_execute_tool", "exit 1"),
        ("after_execute_tool", "exit 2"),
        ("finalize_content", "exit 2"),
        ("after_iteration", "exit 1"),
    ] {
        let app = app(shell(event, script, "reraise = true"), one_write()).await;
        let session = app.session().await;
        let failed = app.ask(session, "go").await;
        assert_eq!(failed["error"]["code"], "hook_failed", "{event}: {failed}");
        let detail = failed["error"]["detail"].as_str().expect("a detail");
        assert!(detail.starts_with(&format!("shell-{event}: ended with exit code")), "{event}: {detail}");
        assert_eq!(app.get(&format!("/api/v1/sessions/{session}")).await["state"], "idle");
    }
}

#[tokio::test]
async fn exit_code_2_refuses_calls_and_nothing_else() {
    let hooks = shell("finalize_content", "exit 2", "") + &shell("before_request", "exit 2", "");
    let app = app(hooks, vec![Reply::text(&["as it was"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "as it was");
    let said = notices(&app, &done).await;
    assert!(said.len() == 2 && said.iter().all(|said| said.contains("exit code 2")), "{said:?}");
}

#[tokio::test]
async fn no_turn_waits_longer_than_its_hook_may_take() {
    const LATE: &str = "took longer than 400 ms";
    for (script, failed) in [
        ("sleep 60", Some(LATE)),
        ("trap '' TERM; sleep 60 & sleep 60; sleep 60", Some(LATE)),
        ("yes", Some(LATE)),
        // The end of the program counts, not that of the pipe that its child holds.
        ("sleep 60 & exit 0", None),
        ("trap '' TERM; sleep 60 & exit 0", None),
    ] {
        let (app, done, notices, took) = turn_with(script, "timeout_ms = 400").await;
        assert_eq!(done["message"]["content"], "done", "{script}");
        match failed {
            Some(failed) => assert!(notices.len() == 1 && notices[0].contains(failed), "{script}: {notices:?}"),
            None => assert_eq!(notices, [""; 0], "{script}"),
        }
        // 0.9 s of the hook and what a turn takes on a busy machine.
        assert!(took < Duration::from_secs(3), "{script}: {took:?}");
        assert_eq!(left(&app).await, [""; 0], "{script}");
    }
}

#[tokio::test]
async fn a_flood_of_output_is_no_failure() {
    let flood = "head -c 100000000 /dev/zero | tr '\\0' x; head -c 1000000 /dev/zero >&2";
    let (app, done, notices, _) = turn_with(flood, "timeout_ms = 60000").await;
    assert_eq!((&done["message"]["content"], &notices[..]), (&json!("done"), &[][..]));
    assert_eq!(read(&app.home, "workspace/a.txt").as_deref(), Some("asked"), "and no answer");
}

#[tokio::test]
async fn stop_during_a_hook_ends_the_turn_at_once_and_the_program_with_it() {
    for event in [
        "before_run",
        "before_iteration",
        "before_request",
        "before_execute_tools",
        "before_execute_tool",
        "after_execute_tool",
        "after_iteration",
        "finalize_content",
        "after_run",
        "on_finally",
    ] {
        let script = "trap '' TERM; sleep 60 & echo $$ > new; mv new group; sleep 60; sleep 60";
        let app = app(shell(event, script, "timeout_ms = 60000"), one_write()).await;
        let session = app.session().await;
        let mut socket = app.socket().await;
        socket.message(session, "go").await.expect("accepted");
        while !app.home.join("group").exists() {
            tokio::task::yield_now().await;
        }
        let pressed = Instant::now();
        socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
        let ended = socket.wait_for("turn_finished").await.expect("the end");
        assert!(pressed.elapsed() < Duration::from_secs(2), "{event}: {:?}", pressed.elapsed());
        let reason = if matches!(event, "after_run" | "on_finally") { "completed" } else { "cancelled" };
        assert_eq!(ended["stop_reason"], reason, "{event}");
        assert_eq!(left(&app).await, [""; 0], "{event}");
        app.stop().await;
    }
}

#[tokio::test]
async fn shutdown_during_a_hook_does_not_wait_for_it_and_leaves_nothing() {
    for event in ["before_run", "before_execute_tool", "after_execute_tool", "on_finally"] {
        let script = "trap '' TERM; echo $$ > new; mv new group; sleep 60; sleep 60";
        let app = app(shell(event, script, "timeout_ms = 60000"), one_write()).await;
        let session = app.session().await;
        app.socket().await.message(session, "go").await.expect("accepted");
        while !app.home.join("group").exists() {
            tokio::task::yield_now().await;
        }
        let (runtime, began) = (app.runtime.clone(), Instant::now());
        runtime.shutdown().await;
        assert!(began.elapsed() < Duration::from_secs(4), "{event}: {:?}", began.elapsed());
        assert_eq!(left(&app).await, [""; 0], "{event}");
    }
}

/// Outcome, and which end events come after it.
#[tokio::test]
async fn the_end_of_a_run_calls_what_the_table_says() {
    let ends = ["on_error", "after_run", "on_finally"];
    let tell = |event: &&str| {
        shell(
            event,
            r#"sed 's/.*"event":"\([a-z_]*\)".*"stop_reason":"\([a-z_]*\)","error":\([^,}]*\).*/\1 \2 \3/' >> ends.txt"#,
            "",
        )
    };
    let hooks: String = ends.iter().map(tell).collect();
    let hang = Reply { hang: true, ..Reply::text(&["half "]) };
    let broken = shell("before_execute_tool", "exit 1", "reraise = true");
    for (outcome, more, replies, expected) in [
        ("completed", "", one_write(), "after_run completed null\non_finally completed null\n"),
        (
            "error",
            "",
            vec![Reply::status(401, "{}")],
            "on_error error {\"code\":\"provider_auth\"\nafter_run error {\"code\":\"provider_auth\"\n\
             on_finally error {\"code\":\"provider_auth\"\n",
        ),
        ("cancelled", "", vec![hang], "on_finally cancelled null\n"),
        (
            "hook failure",
            broken.as_str(),
            one_write(),
            "on_error error {\"code\":\"hook_failed\"\non_finally error {\"code\":\"hook_failed\"\n",
        ),
    ] {
        let app = app(hooks.clone() + more, replies).await;
        let session = app.session().await;
        if outcome == "cancelled" {
            let mut socket = app.socket().await;
            socket.message(session, "go").await.expect("accepted");
            socket.wait_for("delta").await.expect("text");
            socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
            socket.wait_for("turn_finished").await.expect("the end");
        } else {
            app.ask(session, "go").await;
        }
        assert_eq!(read(&app.home, "ends.txt").as_deref(), Some(expected), "{outcome}");
    }
}

/// A hook in this process that does not do its work.
struct Bad {
    name: &'static str,
    method: HookMethod,
    reraise: bool,
}

impl Bad {
    async fn fail(&self, method: HookMethod) -> Result<(), HookError> {
        match self.name {
            _ if method != self.method => Ok(()),
            "hanging" => std::future::pending().await,
            _ => panic!("at the disco"),
        }
    }
}

#[async_trait::async_trait]
impl AgentHook for Bad {
    fn name(&self) -> &str {
        self.name
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
        self.fail(HookMethod::BeforeRun).await
    }
    async fn on_stream(&self, _: &IterationContext, _: &str) -> Result<(), HookError> {
        self.fail(HookMethod::OnStream).await
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        assert!(self.method != HookMethod::FinalizeContent, "at the disco");
        Ok(content)
    }
}

async fn with_bad(hooks: Vec<Bad>, reply: Reply) -> (TestApp, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    let mut all: Vec<Arc<dyn AgentHook>> = hooks.into_iter().map(|hook| Arc::new(hook) as _).collect();
    all.push(Arc::clone(&recorder) as _);
    let script = Script { matches: String::new(), replies: vec![reply] };
    (TestApp::with(vec![script], Options { hooks: all, ..Options::default() }).await, recorder)
}

#[tokio::test]
async fn hooks_in_this_process_that_panic_or_hang_are_named_and_the_others_run() {
    let hooks = vec![
        Bad { name: "hanging", method: HookMethod::BeforeRun, reraise: false },
        Bad { name: "panicking", method: HookMethod::OnStream, reraise: false },
    ];
    let (app, recorder) = with_bad(hooks, Reply::text(&["a ", "b ", "c"]).paced(20)).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "a b c");
    assert_eq!(
        notices(&app, &done).await,
        [
            "The hook hanging failed at before_run: took longer than 5 s.",
            "The hook panicking failed at on_stream: panicked: at the disco."
        ]
    );
    let lines = recorder.lines();
    for line in ["H before_run", "H on_stream \"a \"", "H on_finally Completed"] {
        assert!(lines.iter().any(|seen| seen == line), "{line} in {lines:?}");
    }
}

/// The stream goes on at the provider; the turn has to end all the same.
#[tokio::test]
async fn a_hook_that_ends_the_run_in_the_middle_of_a_stream_is_named_and_nothing_hangs() {
    let hooks = vec![Bad { name: "panicking", method: HookMethod::OnStream, reraise: true }];
    let (app, _) = with_bad(hooks, Reply { hang: true, ..Reply::text(&["a "]) }).await;
    let session = app.session().await;
    let failed = app.ask(session, "go").await;
    assert_eq!(failed["error"], json!({"code": "hook_failed", "detail": "panicking: panicked: at the disco"}));
    let ended = tokio::time::timeout(Duration::from_secs(5), async {
        while app.get(&format!("/api/v1/sessions/{session}")).await["running_turn_id"] != Value::Null {
            tokio::task::yield_now().await;
        }
    });
    ended.await.expect("the session is free again");
    // And answers the next message.
    assert_eq!(app.ask(session, "go").await["error"]["code"], "hook_failed");
}

#[tokio::test]
async fn a_hook_that_panics_over_the_final_text_is_named() {
    let hooks = vec![Bad { name: "panicking", method: HookMethod::FinalizeContent, reraise: false }];
    let (app, _) = with_bad(hooks, Reply::text(&["text"])).await;
    let session = app.session().await;
    let failed = app.ask(session, "go").await;
    assert_eq!(failed["error"], json!({"code": "hook_failed", "detail": "panicking: panicked: at the disco"}));
}

/// A failure that comes when the run is over ends nothing; people are told all the same.
#[tokio::test]
async fn hooks_that_fail_at_the_end_are_named_whatever_their_reraise_is() {
    for event in ["after_run", "on_finally"] {
        for reraise in ["true", "false"] {
            let app = app(shell(event, "exit 3", &format!("reraise = {reraise}")), vec![Reply::text(&["fine"])]).await;
            let session = app.session().await;
            let done = app.ask(session, "go").await;
            assert_eq!(done["stop_reason"], "completed", "{event} {reraise}");
            let named = format!("The hook shell-{event} failed at {event}: ended with exit code 3.");
            assert_eq!(notices(&app, &done).await, [named], "{event} {reraise}");
        }
    }
}

/// What a hook makes of the answer is what people see, live and after a reload.
#[tokio::test]
async fn a_changed_answer_takes_the_place_of_what_was_streamed() {
    let script = r#"echo '{"content": "Mail [mail] please"}'"#;
    let app = app(shell("finalize_content", script, ""), vec![Reply::text(&["Mail joe@", "example.com please"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "Mail [mail] please");
    assert_eq!(
        parts(&app, &done, "text").await.iter().map(|part| &part["text"]).collect::<Vec<_>>(),
        ["Mail [mail] please"]
    );
    let turns = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    assert!(!turns.to_string().contains("joe@"), "{turns}");
    let mut socket = app.socket().await;
    let mut view = nanobot_tests::client::View::default();
    socket.attach(session, 0).await.expect("attached");
    view.until_turn_end(&mut socket).await.expect("the turn");
    assert!(!format!("{:?}", view.fold.turns).contains("joe@"));
}
