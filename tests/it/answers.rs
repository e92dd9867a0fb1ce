//! What becomes of an answer: which ends run calls, refusals, cut and blank answers, and what the next request says of them.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, IterationContext};
use nanobot_engine::id::SessionId;
use nanobot_engine::message::Message;
use nanobot_runtime::provider::Limits;
use nanobot_runtime::tool::Tool;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::recorder::Recorder;
use nanobot_tests::scripted::{Chunk, Reply, Script};
use nanobot_tests::tools::{Canned, Gate};
use serde_json::{Value, json};

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

fn ending(reply: Reply, finish: &str) -> Reply {
    Reply { finish: finish.to_owned(), ..reply }
}

async fn app(scripts: Vec<Script>, tools: Vec<Arc<dyn Tool>>, config: &str) -> TestApp {
    TestApp::with(scripts, Options { tools, config: config.to_owned(), ..Options::default() }).await
}

async fn turn(app: &TestApp, ended: &Value) -> Value {
    app.get(&format!("/api/v1/turns/{}", ended["turn_id"].as_str().expect("an id"))).await
}

fn parts<'a>(turn: &'a Value, kind: &str) -> Vec<&'a Value> {
    turn["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == kind).collect()
}

async fn rows(app: &TestApp, session: SessionId) -> Vec<(String, String)> {
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows["items"].as_array().expect("rows").iter().map(|row| (text(&row["role"]), text(&row["content"]))).collect()
}

fn row(role: &str, content: &str) -> (String, String) {
    (role.to_owned(), content.to_owned())
}

fn results(request: &Value) -> Vec<String> {
    legal::said(request).into_iter().filter(|(role, _)| role == "tool").map(|(_, text)| text).collect()
}

#[tokio::test]
async fn calls_run_after_ends_that_mean_so_and_after_no_other() {
    for (finish, runs) in [
        ("stop", true),
        ("tool_calls", true),
        ("function_call", true),
        // A server's own word for an end that is one by the protocol, behind calls that are whole.
        ("a_word_of_its_own", true),
        ("length", false),
        ("content_filter", false),
        ("refusal", false),
        ("error", false),
    ] {
        let call = ending(Reply::calls(&[("c1", "look", json!({}))]), finish);
        // A cut call is asked for in smaller pieces, behind a message of its own.
        let scripts = vec![
            script("thrown away", vec![Reply::text(&["smaller"])]),
            script("", vec![call, Reply::text(&["done"])]),
        ];
        let app = app(scripts, vec![Arc::new(Canned::new("look", &["seen"]))], "").await;
        let session = app.session().await;
        let ended = app.ask(session, "go").await;
        let turn = turn(&app, &ended).await;
        assert_eq!(parts(&turn, "tool").len(), usize::from(runs), "{finish}: {turn}");
        let ran = rows(&app, session).await.contains(&row("tool", "seen"));
        assert_eq!(ran, runs, "{finish}: {turn}");
    }
}

#[tokio::test]
async fn a_refusal_is_named_at_once_and_not_asked_again() {
    for finish in ["content_filter", "refusal"] {
        let app = app(vec![script("", vec![ending(Reply::default(), finish)])], Vec::new(), "").await;
        let session = app.session().await;
        let ended = app.ask(session, "go").await;
        assert_eq!((&ended["stop_reason"], &ended["error"]["code"]), (&json!("error"), &json!("model_refused")));
        assert_eq!(app.model.requests().len(), 1, "{finish}");
        assert_eq!(rows(&app, session).await, [row("user", "go")]);
    }
}

#[tokio::test]
async fn a_cut_answer_is_continued_into_one_and_the_asking_is_never_stored() {
    let cut = |text: &str| ending(Reply::text(&[text]), "length");
    let scripts = vec![
        script("<said>one, </said>", vec![cut("two, ")]),
        script("<said>one, two, </said>", vec![Reply::text(&["three."])]),
        script("and?", vec![Reply::text(&["fine"])]),
        script("", vec![cut("one, ")]),
    ];
    let app = app(scripts, Vec::new(), "").await;
    let session = app.session().await;
    let done = app.ask(session, "count").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("one, two, three.")));
    assert_eq!(rows(&app, session).await, [row("user", "count"), row("assistant", "one, two, three.")]);
    let turn = turn(&app, &done).await;
    let shown: String = parts(&turn, "text").iter().filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(shown, "one, two, three.", "nothing is shown twice");
    app.ask(session, "and?").await;
    let requests = app.model.requests();
    assert_eq!(requests.len(), 4);
    for request in &requests {
        legal::check(request).expect("a legal request");
    }
    assert!(!requests[3].to_string().contains("Go on exactly"), "{}", requests[3]);
}

#[tokio::test]
async fn an_answer_cut_at_the_limit_of_iterations_is_gone_on_with_and_not_summed_up() {
    let scripts = vec![
        script("<said>one, </said>", vec![Reply::text(&["two."])]),
        script("", vec![ending(Reply::text(&["one, "]), "length")]),
    ];
    let app = app(scripts, Vec::new(), "max_iterations = 1\n").await;
    let session = app.session().await;
    let done = app.ask(session, "count").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("max_iterations"), &json!("one, two.")));
    let last = app.model.requests()[1].clone();
    assert!(!last.to_string().contains("The limit of steps"), "one thing is asked for: {last}");
    assert_eq!(last["tool_choice"], "none");
}

/// Numbers the requests of a turn for the script, which has no memory.
struct Numbers;

#[async_trait]
impl AgentHook for Numbers {
    fn name(&self) -> &'static str {
        "numbers"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeRequest])
    }
    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        iteration.inject(Message::user(format!("request {}", iteration.iteration)));
        Ok(())
    }
}

#[tokio::test]
async fn blank_answers_with_work_between_them_do_not_end_the_turn() {
    let call = |id: &str| Reply::calls(&[(id, "look", json!({}))]);
    let replies =
        [Reply::default(), call("c1"), Reply::default(), call("c2"), Reply::default(), Reply::text(&["done"])];
    let scripts =
        replies.into_iter().enumerate().map(|(n, reply)| script(&format!("request {n}"), vec![reply])).collect();
    let options = Options {
        tools: vec![Arc::new(Canned::new("look", &["1", "2"]))],
        hooks: vec![Arc::new(Numbers)],
        ..Options::default()
    };
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("done")), "{done}");
    assert_eq!(app.model.requests().len(), 6);
}

#[tokio::test]
async fn a_success_that_begins_with_error_is_a_success() {
    let recorder = Arc::new(Recorder::default());
    let options = Options {
        tools: vec![Arc::new(Canned::new("look", &["Error: that is what the log says"]))],
        hooks: vec![Arc::clone(&recorder) as _],
        ..Options::default()
    };
    let replies = vec![Reply::calls(&[("c1", "look", json!({}))]), Reply::text(&["done"])];
    let app = TestApp::with(vec![script("", replies)], options).await;
    let session = app.session().await;
    let ended = app.ask(session, "go").await;
    let turn = turn(&app, &ended).await;
    assert_eq!(parts(&turn, "tool")[0]["status"], "ok");
    assert!(recorder.lines().contains(&"H after_execute_tool c1".to_owned()), "{:?}", recorder.lines());
    assert_eq!(results(&app.model.requests()[1]), ["Error: that is what the log says"]);
}

#[tokio::test]
async fn calls_without_a_name_do_not_keep_the_others_from_running() {
    let calls = Reply::calls(&[("c1", "", json!({})), ("c2", "look", json!({})), ("c3", "  ", json!({}))]);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Canned::new("look", &["seen"]))];
    let app = app(vec![script("", vec![calls, Reply::text(&["done"])])], tools, "").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["message"]["content"], "done", "{done}");
    let request = app.model.requests()[1].clone();
    legal::check(&request).expect("a legal request");
    assert!(results(&request).contains(&"seen".to_owned()), "{request}");
    let names: Vec<&str> = request["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .flat_map(|message| message["tool_calls"].as_array().into_iter().flatten())
        .filter_map(|call| call["function"]["name"].as_str())
        .collect();
    assert!(names.iter().all(|name| !name.trim().is_empty()), "{names:?}");
}

#[tokio::test]
async fn calls_that_all_have_no_name_are_answered_and_the_turn_goes_on() {
    let calls = Reply::calls(&[("c1", "", json!({})), ("c2", "", json!({"a": 1}))]);
    let app = app(vec![script("", vec![calls, Reply::text(&["done"])])], Vec::new(), "").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("done")), "{done}");
    let requests = app.model.requests();
    assert_eq!(requests.len(), 2);
    legal::check(&requests[1]).expect("a legal request");
    assert!(results(&requests[1]).iter().all(|text| text.contains("did not name a tool")), "{}", requests[1]);
}

#[tokio::test]
async fn reasoning_that_is_open_when_time_runs_out_is_closed() {
    let hang = Reply { hang: true, ..Reply::default() }.after(vec![Chunk::reasoning("hm")]);
    let short = Duration::from_millis(200);
    let options = Options { model_limits: Some(Limits { idle: short, ..Limits::default() }), ..Options::default() };
    let app = TestApp::with(vec![script("", vec![hang])], options).await;
    let session = app.session().await;
    let failed = app.ask(session, "go").await;
    assert_eq!(failed["error"]["code"], "provider_timeout", "{failed}");
    assert!(failed["error"]["detail"].as_str().is_some_and(|detail| detail.contains("sent nothing more")), "{failed}");
    let turn = turn(&app, &failed).await;
    let reasoning = parts(&turn, "reasoning");
    assert_eq!(reasoning.len(), 1, "that of the last attempt alone: {turn}");
    assert_eq!((&reasoning[0]["text"], &reasoning[0]["open"]), (&json!("hm"), &json!(false)));
    assert!(reasoning[0]["duration_ms"].is_number(), "it was closed by an event: {turn}");
}

#[tokio::test]
async fn settings_that_change_during_a_turn_hold_from_the_next_one() {
    let gate = Gate::default();
    let more = "\n[presets.other]\nprovider = \"mock\"\nmodel = \"other\"\ncontext_window_tokens = 100000\ntemperature = 0.9\n";
    let scripts = vec![script("", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["done"])])];
    let app = app(scripts, vec![Arc::new(gate.clone())], more).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    gate.reached().await;
    let changed = json!({"presets": {"default": {"temperature": 0.1, "max_tokens": 123, "reasoning_effort": "high"}}});
    let (status, body) = app.request("PATCH", "/api/v1/settings", Some(changed)).await;
    assert_eq!(status, 200, "{body}");
    let (status, body) =
        app.request("PATCH", &format!("/api/v1/sessions/{session}"), Some(json!({"preset": "other"}))).await;
    assert_eq!(status, 200, "{body}");
    gate.open();
    socket.wait_for("turn_finished").await.expect("the end");
    gate.open();
    app.ask(session, "next").await;
    let said = |request: &Value| {
        ["model", "temperature", "max_tokens", "reasoning_effort"].map(|key| request.get(key).cloned())
    };
    let requests = app.model.requests();
    assert_eq!(said(&requests[0]), said(&requests[1]), "one turn, one set of settings");
    assert_eq!((&requests[1]["model"], requests[1].get("temperature")), (&json!("mock"), None));
    assert_eq!((&requests[2]["model"], &requests[2]["temperature"]), (&json!("other"), &json!(0.9)));
}

#[tokio::test]
async fn a_conversation_that_cannot_fit_is_never_sent() {
    let config = "\n[presets.tiny]\nprovider = \"mock\"\nmodel = \"tiny\"\ncontext_window_tokens = 600\n";
    let app = app(vec![script("", vec![Reply::text(&["never"])])], Vec::new(), config).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let body = json!({"content": "go", "preset": "tiny"});
    let (status, failed) = app.request("POST", &path, Some(body)).await;
    assert_eq!((status, &failed["error"]["code"]), (200, &json!("context_length")), "{failed}");
    assert_eq!(app.model.requests().len(), 0);
}

#[tokio::test]
async fn the_closing_request_is_governed_like_any_other() {
    let long = "word ".repeat(20_000);
    let refs = [long.as_str()];
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Canned::new("dump", &refs))];
    let scripts = vec![
        script("The limit of steps", vec![Reply::text(&["closed"])]),
        script("", vec![Reply::calls(&[("c1", "dump", json!({}))])]),
    ];
    let config =
        "max_iterations = 1\n\n[presets.small]\nprovider = \"mock\"\nmodel = \"small\"\ncontext_window_tokens = 8000\n";
    let app = app(scripts, tools, config).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, done) = app.request("POST", &path, Some(json!({"content": "go", "preset": "small"}))).await;
    assert_eq!(
        (&done["stop_reason"], &done["message"]["content"]),
        (&json!("max_iterations"), &json!("closed")),
        "{done}"
    );
    let closing = app.model.requests()[1].clone();
    legal::check(&closing).expect("a legal request");
    assert!(closing.to_string().len() < 8_000 * 4, "{} bytes", closing.to_string().len());
}

/// CG-05: words about an overflow are words, whoever says them.
#[tokio::test]
async fn a_message_that_quotes_an_overflow_is_answered() {
    let data: Value =
        serde_json::from_str(include_str!("../fixtures/cases/cg-overflow-words-in-user-text.json")).expect("JSON");
    let mut words = Vec::new();
    collect(&data, &mut words);
    let app =
        app(vec![script("", vec![Reply::text(&["an answer about context_length_exceeded"])])], Vec::new(), "").await;
    let session = app.session().await;
    for text in words {
        let done = app.ask(session, &text).await;
        assert_eq!(done["stop_reason"], "completed", "{text}: {done}");
        assert!(turn(&app, &done).await["parts"].as_array().expect("parts").iter().all(|part| part["kind"] == "text"));
    }
}

fn collect(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) if text.split_whitespace().count() > 3 => out.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        Value::Object(fields) => fields.values().for_each(|item| collect(item, out)),
        _ => {}
    }
}
