//! The inspector: a turn's requests as the model got them, what differs from one to the next, times, hook faults, and masked secrets.

use std::sync::Arc;

use nanobot_engine::id::SessionId;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::faulty::{Fault, FaultyModel, Wire};
use nanobot_tests::scripted::{Reply, Script, ScriptedUsage};
use nanobot_tests::tools::Canned;
use serde_json::{Value, json};
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;

use crate::hooks::shell;

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

fn id(turn: &Value) -> &str {
    turn["turn_id"].as_str().expect("an id")
}

async fn inspected(app: &TestApp, turn: &Value) -> Value {
    app.get(&format!("/api/v1/turns/{}", id(turn))).await
}

/// All requests of a turn in full.
async fn details(app: &TestApp, turn: &Value) -> Vec<Value> {
    let inspected = inspected(app, turn).await;
    let mut details = Vec::new();
    for request in inspected["inspection"]["requests"].as_array().expect("requests") {
        let request = request["id"].as_str().expect("an id");
        details.push(app.get(&format!("/api/v1/turns/{}/requests/{request}", id(turn))).await);
    }
    details
}

/// Everything that a request says, in the order of the wire: texts of messages, arguments, results.
fn words(messages: &Value) -> String {
    fn gather(value: &Value, out: &mut Vec<String>) {
        match value {
            Value::String(text) => out.push(text.clone()),
            Value::Array(items) => items.iter().for_each(|item| gather(item, out)),
            Value::Object(fields) => {
                for name in ["content", "text", "reasoning_content"] {
                    if let Some(value) = fields.get(name) {
                        gather(value, out);
                    }
                }
                if let Some(blocks) = fields.get("blocks") {
                    gather(blocks, out);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut out = Vec::new();
    gather(messages, &mut out);
    out.retain(|text| !text.is_empty());
    out.join("\n")
}

/// The request is what the model got, message by message.
#[track_caller]
fn is_what_was_sent(detail: &Value, sent: &Value) {
    assert_eq!(detail["exact"], true, "{detail}");
    let messages = sent["messages"].as_array().expect("messages");
    let (system, rest) = messages.split_first().expect("a system prompt");
    assert_eq!(system["content"], detail["system"]);
    assert_eq!(words(&json!(rest)), words(&detail["messages"]));
    let names = |tools: &Value, path: &str| -> Vec<Value> {
        tools.as_array().into_iter().flatten().map(|tool| tool.pointer(path).cloned().unwrap_or_default()).collect()
    };
    assert_eq!(names(&sent["tools"], "/function/name"), names(&detail["tools"], "/name"));
    assert_eq!(sent["max_tokens"], detail["max_tokens"], "{sent}");
}

async fn small_window(app: &TestApp, window: u64, answer: u64) {
    let small = json!({"presets": {"default": {"context_window_tokens": window, "max_tokens": answer}}});
    let (status, answer) = app.request("PATCH", "/api/v1/settings", Some(small)).await;
    assert_eq!(status, 200, "{answer}");
}

/// A model that calls a tool until the limit of steps; the tool's results are long, and each is another one.
async fn long_turns(iterations: u32, chars: usize) -> TestApp {
    let results: Vec<String> = (0..iterations)
        .map(|n| {
            let line = format!("line of result {n}, and some more words to fill it\n");
            line.repeat(chars.div_ceil(line.len()))
        })
        .collect();
    let files = Canned::new("mcp_files", &results.iter().map(String::as_str).collect::<Vec<_>>());
    let scripts = vec![
        script("question", vec![Reply::text(&["an answer"])]),
        script("The limit of steps", vec![Reply::text(&["as far as I got"])]),
        script("", vec![Reply::calls(&[("c", "mcp_files", json!({}))])]),
    ];
    let config = format!("max_iterations = {iterations}\n");
    TestApp::with(scripts, Options { tools: vec![Arc::new(files)], config, ..Options::default() }).await
}

#[tokio::test]
async fn a_turn_shows_its_requests_calls_and_times() {
    let usage = Some(ScriptedUsage { input: 900, output: 10, cached: 100 });
    let calls = Reply { usage, ..Reply::calls(&[("c1", "list_dir", json!({"path": "."})), ("c2", "nope", json!({}))]) };
    let app = TestApp::start(vec![script("", vec![calls, Reply { usage, ..Reply::text(&["done"]) }])]).await;
    app.file("notes.md", "one\n");
    let session = app.session().await;
    let turn = app.ask(session, "go").await;
    let shown = inspected(&app, &turn).await;
    assert_eq!((&shown["id"], &shown["state"]), (&turn["turn_id"], &json!("done")), "the turn is still there: {shown}");
    let inspection = &shown["inspection"];
    assert_eq!(inspection["usage"], shown["usage"]);
    assert_eq!((&inspection["hook_faults"], inspection.get("note")), (&json!([]), None));
    let requests = inspection["requests"].as_array().expect("requests");
    assert_eq!(requests.len(), 2);
    for (iteration, request) in requests.iter().enumerate() {
        assert_eq!(
            (&request["iteration"], &request["attempt"], &request["provider"], &request["model"], &request["preset"]),
            (&json!(iteration), &json!(1), &json!("mock"), &json!("mock"), &json!("default"))
        );
        assert_eq!(
            (&request["outcome"], &request["ok"], &request["estimated"]),
            (&json!("complete"), &json!(true), &json!(false))
        );
        assert_eq!(
            (&request["input_tokens"], &request["cached_tokens"], &request["output_tokens"]),
            (&json!(900), &json!(100), &json!(10))
        );
        let governed = &request["governed"];
        assert_eq!((&governed["steps"], &governed["window_tokens"]), (&json!([]), &json!(100_000)));
        assert_eq!(governed["budget_tokens"], json!(100_000 - 8_192 - 1_024));
        assert_eq!(governed["messages"], [json!(1), json!(4)][iteration]);
        assert!(governed["estimated_tokens"].as_u64().is_some_and(|tokens| tokens > 100), "{governed}");
        assert_eq!(governed["hash"].as_str().map(str::len), Some(32));
    }
    let sum: u64 = requests.iter().filter_map(|request| request["duration_ms"].as_u64()).sum();
    assert_eq!(inspection["model_ms"], sum);
    let calls = inspection["calls"].as_array().expect("calls");
    let told: Vec<_> =
        calls.iter().map(|call| (&call["call_id"], &call["name"], &call["status"], &call["position"])).collect();
    assert_eq!(
        told,
        [
            (&json!("c1"), &json!("list_dir"), &json!("ok"), &json!(0)),
            (&json!("c2"), &json!("nope"), &json!("error"), &json!(1))
        ]
    );
    assert!(calls[0]["output_chars"].as_u64().is_some_and(|chars| chars > 0));
    assert!(calls[0]["ended_at"].as_i64() >= calls[0]["started_at"].as_i64());
    assert!(inspection["duration_ms"].as_u64().is_some());

    let details = details(&app, &turn).await;
    let sent = app.model.requests();
    for (detail, sent) in details.iter().zip(&sent) {
        is_what_was_sent(detail, sent);
    }
    let difference = &details[0]["difference"];
    assert_eq!((difference.get("previous_id"), &difference["unchanged_messages"]), (None, &json!(0)));
    assert_eq!(difference["added"].as_array().map(Vec::len), Some(1));
    let difference = &details[1]["difference"];
    assert_eq!(
        (&difference["previous_id"], &difference["unchanged_messages"], &difference["removed"]),
        (&details[0]["id"], &json!(1), &json!([]))
    );
    assert_eq!((&difference["system_changed"], &difference["tools_changed"]), (&json!(false), &json!(false)));
    assert_eq!(difference["added"], json!(details[1]["messages"].as_array().expect("messages")[1..]));

    // The first request of the next turn is compared with the last of this one.
    let mut last = details[1].clone();
    app.file("AGENTS.md", "Be brief.");
    loop {
        let next = app.ask(session, "go").await;
        let details = self::details(&app, &next).await;
        let difference = &details[0]["difference"];
        let before = last["messages"].as_array().expect("messages").len();
        assert_eq!((&difference["previous_id"], &difference["unchanged_messages"]), (&last["id"], &json!(before)));
        assert_eq!(difference["added"].as_array().map(Vec::len), Some(2), "the answer and the next question");
        assert_eq!(difference["tools_changed"], false);
        // A workspace is looked at again after a moment.
        if difference["system_changed"] == true {
            break;
        }
        last = details[1].clone();
    }
}

#[tokio::test]
async fn governed_requests_are_shown_as_they_were_sent() {
    let app = long_turns(12, 9_000).await;
    small_window(&app, 16_000, 2_000).await;
    let session = app.session().await;
    for content in ["go", "question one", "question two"] {
        let before = app.model.requests().len();
        let turn = app.ask(session, content).await;
        let (details, sent) = (details(&app, &turn).await, app.model.requests());
        assert_eq!(details.len(), sent.len() - before);
        for (detail, sent) in details.iter().zip(&sent[before..]) {
            is_what_was_sent(detail, sent);
            let (difference, messages) = (&detail["difference"], detail["messages"].as_array().expect("messages"));
            let same = difference["unchanged_messages"].as_u64().expect("a count") as usize;
            assert_eq!(difference["added"], json!(messages[same..]));
        }
        let inspection = &inspected(&app, &turn).await["inspection"];
        let steps: Vec<&str> = inspection["requests"]
            .as_array()
            .expect("requests")
            .iter()
            .flat_map(|request| request["governed"]["steps"].as_array().expect("steps"))
            .filter_map(|step| step["name"].as_str())
            .collect();
        assert_eq!(content == "go", steps.contains(&"microcompact"), "{steps:?}");
    }
}

#[tokio::test]
async fn attempts_and_other_models_have_requests_of_their_own() {
    let server = FaultyModel::start(Wire::Chat, Fault::Status(503, &[], String::new()), usize::MAX).await;
    let config = format!(
        "\n[providers.faulty]\nkind = \"openai\"\nbase_url = \"{}\"\n\n\
         [presets.faulty]\nprovider = \"faulty\"\nmodel = \"m\"\ntemperature = 0.5\nfallbacks = [\"default\"]\n",
        server.url
    );
    let scripts = vec![script("", vec![Reply::text(&["other"])])];
    let app = TestApp::with(scripts, Options { config, ..Options::default() }).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, turn) = app.request("POST", &path, Some(json!({"content": "hello", "preset": "faulty"}))).await;
    let inspection = &inspected(&app, &turn).await["inspection"];
    let requests: Vec<_> = inspection["requests"]
        .as_array()
        .expect("requests")
        .iter()
        .map(|request| (request["attempt"].as_u64(), request["preset"].as_str(), request["outcome"].as_str()))
        .collect();
    let failed = |attempt| (Some(attempt), Some("faulty"), Some("provider_unavailable"));
    assert_eq!(requests, [failed(1), failed(2), failed(3), failed(4), (Some(5), Some("default"), Some("complete"))]);
    let details = details(&app, &turn).await;
    assert!(details.iter().all(|detail| detail["exact"] == true));
    assert_eq!((&details[0]["temperature"], &details[0]["model"]), (&json!(0.5), &json!("m")));
    assert_eq!((details[4].get("temperature"), &details[4]["model"]), (None, &json!("mock")));
    assert!(details[1..].iter().all(|detail| detail["difference"]["added"] == json!([])), "the same conversation");
}

#[tokio::test]
async fn hooks_that_failed_are_named() {
    let broken = shell("before_execute_tool", "echo 'no disk' >&2; exit 3", "");
    let app = crate::hooks::app(broken, crate::hooks::one_write()).await;
    let turn = app.ask(app.session().await, "go").await;
    let faults = &inspected(&app, &turn).await["inspection"]["hook_faults"];
    assert_eq!(faults.as_array().map(Vec::len), Some(1), "{faults}");
    assert_eq!(
        (&faults[0]["hook"], &faults[0]["method"]),
        (&json!("shell-before_execute_tool"), &json!("before_execute_tool"))
    );
    assert!(faults[0]["text"].as_str().is_some_and(|text| text.contains("no disk")), "{faults}");
}

#[tokio::test]
async fn secrets_are_masked_and_an_export_has_everything() {
    let secret = "test-key";
    let leaked = format!(
        "the key of this server is {secret}; also ghp_abcdefghijklmnopqrstuvwxyz0123456789, and \
                          {{\"token\":\"Bearer abcdef0123456789abcdef\"}}"
    );
    let tool = Canned::new("leak", &[&leaked]);
    let replies = vec![Reply::calls(&[("c1", "leak", json!({"key": secret}))]), Reply::text(&["I will not repeat it"])];
    let app =
        TestApp::with(vec![script("", replies)], Options { tools: vec![Arc::new(tool)], ..Options::default() }).await;
    let turn = app.ask(app.session().await, "go").await;
    let shown = inspected(&app, &turn).await;
    let details = details(&app, &turn).await;
    assert!(
        words(&details[1]["messages"]).contains("the key of this server is ***; also ghp_***, and"),
        "{}",
        details[1]
    );
    assert_eq!(details[1]["exact"], true);
    let answer = app.send("GET", &format!("/api/v1/turns/{}/export", id(&turn)), &[], "").await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "application/json"));
    assert_eq!(
        answer.header("content-disposition"),
        format!("attachment; filename=\"nanobot-turn-{}.json\"", id(&turn))
    );
    let export = answer.json();
    assert_eq!((&export["version"], &export["turn"]["id"]), (&json!(1), &turn["turn_id"]));
    assert_eq!(export["requests"], json!(details));
    assert_eq!(export["turn"]["inspection"]["requests"], shown["inspection"]["requests"]);
    for text in [answer.text(), json!(details).to_string()] {
        for gone in [secret, "ghp_abc", "abcdef0123456789"] {
            assert!(!text.contains(gone), "{gone} is in {text}");
        }
    }
}

async fn forget(app: &TestApp, sql: &str) {
    let options = SqliteConnectOptions::new().filename(app.home.join("nanobot.db"));
    let mut raw = options.connect().await.expect("the database");
    let done = sqlx::query(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut raw).await.expect("a change");
    assert!(done.rows_affected() > 0, "{sql}");
}

#[tokio::test]
async fn what_is_not_on_record_is_said() {
    let app = TestApp::start(vec![script("", vec![Reply::text(&["hi"])])]).await;
    let session = app.session().await;
    let turn = app.ask(session, "hello").await;
    let request = details(&app, &turn).await[0]["id"].as_str().expect("an id").to_owned();
    for path in [
        format!("/api/v1/turns/{}/requests/01990000-0000-7000-8000-000000000001", id(&turn)),
        format!("/api/v1/turns/{}/requests/nonsense", id(&turn)),
        format!("/api/v1/turns/01990000-0000-7000-8000-000000000001/requests/{request}"),
        "/api/v1/turns/01990000-0000-7000-8000-000000000001".to_owned(),
        "/api/v1/turns/01990000-0000-7000-8000-000000000001/export".to_owned(),
        "/api/v1/turns/nonsense/export".to_owned(),
    ] {
        let (status, problem) = app.request("GET", &path, None).await;
        assert_eq!((status, &problem["code"]), (404, &json!("not_found")), "{path}: {problem}");
    }
    // A copy of the turn in another session has no requests of its own.
    let fork = json!({"at_message_id": turn["message"]["id"]});
    let (status, copy) = app.request("POST", &format!("/api/v1/sessions/{session}/fork"), Some(fork)).await;
    assert_eq!(status, 201, "{copy}");
    let copies = app.get(&format!("/api/v1/sessions/{}/turns", copy["id"].as_str().expect("an id"))).await;
    let shown = app.get(&format!("/api/v1/turns/{}", copies["items"][0]["id"].as_str().expect("an id"))).await;
    assert_eq!(shown["inspection"]["requests"], json!([]));
    assert!(shown["inspection"]["note"].as_str().is_some_and(|note| note.contains("a copy of another")), "{shown}");

    let path = format!("/api/v1/turns/{}/requests/{request}", id(&turn));
    forget(&app, "UPDATE messages SET text = 'hullo' WHERE text = 'hello'").await;
    let detail = app.get(&path).await;
    assert_eq!(detail["exact"], false);
    assert!(detail["note"].as_str().is_some_and(|note| note.contains("something stored was changed")), "{detail}");
    assert!(words(&detail["messages"]).starts_with("hullo"), "{detail}");
    forget(&app, "DELETE FROM journal_bodies").await;
    let detail = app.get(&path).await;
    assert_eq!((&detail["exact"], &detail["messages"]), (&json!(false), &json!([])));
    assert!(detail["note"].as_str().is_some_and(|note| note.contains("not in the database any more")), "{detail}");
    // As turns are that were made before journals were kept.
    forget(&app, "DELETE FROM journal").await;
    let shown = inspected(&app, &turn).await;
    let requests = &shown["inspection"]["requests"];
    assert_eq!((requests[0]["id"].as_str(), requests[0].get("governed")), (Some(request.as_str()), None));
    assert!(shown["inspection"]["note"].as_str().is_some_and(|note| note.contains("not on record")), "{shown}");
    let detail = app.get(&path).await;
    assert_eq!((&detail["exact"], &detail["difference"]["unchanged_messages"]), (&json!(false), &json!(0)));
    assert!(detail["note"].as_str().is_some_and(|note| note.contains("not on record")), "{detail}");

    app.request("DELETE", &format!("/api/v1/sessions/{session}"), None).await;
    for path in [format!("/api/v1/turns/{}", id(&turn)), path, format!("/api/v1/turns/{}/export", id(&turn))] {
        let (status, problem) = app.request("GET", &path, None).await;
        assert_eq!(status, 404, "{path}: {problem}");
    }
}

/// Hashes of system prompt and tools, and whether the estimates of all requests fit.
async fn shared(app: &TestApp, turn: &Value, found: &mut Vec<(String, String)>) {
    let inspection = &inspected(app, turn).await["inspection"];
    for request in inspection["requests"].as_array().expect("requests") {
        let governed = &request["governed"];
        assert!(governed["estimated_tokens"].as_u64() <= governed["budget_tokens"].as_u64(), "{governed}");
        let hash = |name: &str| governed[name].as_str().expect("a hash").to_owned();
        let pair = (hash("system_hash"), hash("tools_hash"));
        if !found.contains(&pair) {
            found.push(pair);
        }
    }
}

/// What a model got fits its window, with four bytes a token.
fn fit(sent: &[Value], window: usize) {
    for request in sent {
        let bytes = request.to_string().len();
        assert!(bytes <= window * 4, "{bytes} bytes in a window of {window} tokens");
    }
}

#[tokio::test]
async fn system_prompt_and_tools_stay_the_same_over_a_long_turn_and_a_long_session() {
    let app = long_turns(100, 20_000).await;
    small_window(&app, 32_000, 4_000).await;
    let session: SessionId = app.session().await;
    let mut found = Vec::new();
    let turn = app.ask(session, "go").await;
    assert_eq!(turn["stop_reason"], "max_iterations", "{turn}");
    shared(&app, &turn, &mut found).await;
    let sent = app.model.requests();
    assert_eq!(sent.len(), 101);
    fit(&sent, 32_000);
    assert_eq!(found.len(), 1, "{found:?}");
    let systems = sent.iter().map(|request| request["messages"][0].clone()).collect::<Vec<_>>();
    assert!(systems.windows(2).all(|pair| pair[0] == pair[1]));
    for n in 0..50 {
        let turn = app.ask(session, &format!("question {n}")).await;
        shared(&app, &turn, &mut found).await;
    }
    assert_eq!(found.len(), 1, "{found:?}");
    fit(&app.model.requests(), 32_000);
}
