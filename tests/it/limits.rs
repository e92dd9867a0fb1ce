//! Limits of a turn: loops, iterations, long results, and calls that cannot be run.

use std::sync::Arc;

use nanobot_runtime::tool::Tool;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::Canned;
use serde_json::{Value, json};

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

async fn app(scripts: Vec<Script>, tools: Vec<Arc<dyn Tool>>, config: &str) -> TestApp {
    TestApp::with(scripts, Options { tools, config: config.to_owned(), ..Options::default() }).await
}

fn results(request: &Value) -> Vec<String> {
    legal::said(request).into_iter().filter(|(role, _)| role == "tool").map(|(_, text)| text).collect()
}

/// One sequence of AL-01: its tools with their results, and the replies that call them.
fn sequence(name: &str) -> (Vec<Arc<dyn Tool>>, Vec<Reply>) {
    let data: Value = serde_json::from_str(include_str!("../fixtures/cases/al-loop-vs-poll.json")).expect("JSON");
    let steps = data[name].as_array().expect("steps").clone();
    let mut names: Vec<&str> = steps.iter().filter_map(|step| step["tool"].as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let tools = names.iter().map(|name| {
        let results: Vec<&str> =
            steps.iter().filter(|step| step["tool"] == *name).filter_map(|step| step["result"].as_str()).collect();
        Arc::new(Canned::new(name, &results)) as Arc<dyn Tool>
    });
    let replies = steps
        .iter()
        .map(|step| Reply::calls(&[("c1", step["tool"].as_str().expect("a name"), step["args"].clone())]))
        .collect();
    (tools.collect(), replies)
}

#[tokio::test]
async fn the_same_call_with_the_same_result_is_hinted_at_and_then_ends_the_turn() {
    let (tools, replies) = sequence("loop");
    let app = app(vec![script("and?", vec![Reply::text(&["stopped"])]), script("", replies)], tools, "").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], done.get("error")), (&json!("loop"), None));
    let requests = app.model.requests();
    assert_eq!(requests.len(), 6, "the sixth repeat is the last");
    assert_eq!(results(&requests[2]), ["clean", "clean"]);
    let third = results(&requests[3]);
    assert!(third[2].starts_with("clean\n\n[Notice: the same call has now come 3 times"), "{third:?}");
    let ids: Vec<String> = requests[5]["messages"]
        .as_array()
        .expect("messages")
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(ids.len(), 5);
    assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
    let turn = app.get(&format!("/api/v1/turns/{}", done["turn_id"].as_str().expect("id"))).await;
    let parts = turn["parts"].as_array().expect("parts");
    assert_eq!(parts.iter().filter(|part| part["kind"] == "tool").count(), 6);
    assert_eq!(parts.last().expect("a part")["code"], "loop");
    assert_eq!(app.ask(session, "and?").await["stop_reason"], "completed");
    legal::check(app.model.requests().last().expect("a request")).expect("a legal request");
}

#[tokio::test]
async fn a_poll_whose_result_changes_is_never_stopped() {
    let (tools, mut replies) = sequence("poll");
    replies.push(Reply::text(&["it ended with 0"]));
    let app = app(vec![script("", replies)], tools, "").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("it ended with 0")));
    assert!(!app.model.requests().last().expect("a request").to_string().contains("[Notice:"));
}

#[tokio::test]
async fn a_cycle_of_three_calls_is_found_within_four_rounds() {
    let (tools, mut replies) = sequence("period3");
    replies.truncate(12);
    replies.push(Reply::text(&["I give up"]));
    let app = app(vec![script("", replies)], tools, "").await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let last = results(app.model.requests().last().expect("a request"));
    let first = last.iter().position(|text| text.contains("[Notice: a cycle of 3 calls")).expect("a hint");
    assert!(first < 12, "{first}");
}

#[tokio::test]
async fn at_the_limit_of_iterations_the_model_closes_without_tools() {
    let lines: Vec<String> = (0..20).map(|n| format!("line {n}")).collect();
    let refs: Vec<&str> = lines.iter().map(String::as_str).collect();
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Canned::new("next_line", &refs))];
    let scripts = vec![
        script("The limit of steps", vec![Reply::text(&["so far: three lines"])]),
        script("", vec![Reply::calls(&[("c1", "next_line", json!({}))])]),
    ];
    let app = app(scripts, tools, "max_iterations = 3\n").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["stop_reason"], "max_iterations");
    assert_eq!(done["message"]["content"], "so far: three lines");
    let requests = app.model.requests();
    assert_eq!(requests.len(), 4);
    assert!(requests[2]["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
    assert_eq!(requests[3]["tools"], requests[2]["tools"], "the same tools, so that the cache holds");
    assert_eq!(requests[3]["tool_choice"], "none");
    assert_eq!(results(&requests[3]), ["line 0", "line 1", "line 2"]);
    for request in &requests {
        legal::check(request).expect("a legal request");
    }
    // The note belongs to that request alone.
    app.ask(session, "and?").await;
    let next = app.model.requests()[4].clone();
    assert!(!next.to_string().contains("The limit of steps"));
    legal::check(&next).expect("a legal request");
}

#[tokio::test]
async fn a_result_over_the_limit_is_cut_and_its_rest_can_be_read() {
    let numbered: String = (1..=2_500).map(|n| format!("line number {n:05} 的\n")).collect();
    let exact = "x".repeat(16_000);
    let tools: Vec<Arc<dyn Tool>> =
        vec![Arc::new(Canned::new("dump", &[&numbered])), Arc::new(Canned::new("exact", &[&exact]))];
    let calls = Reply::calls(&[("c1", "dump", json!({})), ("c2", "exact", json!({}))]);
    let read = Reply::calls(&[("c3", "read_file", json!({"path": "result:c1", "offset": 1250, "limit": 3}))]);
    let app = app(vec![script("", vec![calls, read, Reply::text(&["read"])])], tools, "").await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(done["stop_reason"], "completed", "{done}");
    let requests = app.model.requests();
    let seen = results(&requests[1]);
    assert!(seen[0].chars().count() <= 16_000, "{}", seen[0].chars().count());
    assert!(seen[0].starts_with("line number 00001") && seen[0].trim_end().ends_with("line number 02500 的"));
    assert!(seen[0].contains("result:c1") && !seen[0].contains("number 01250"));
    assert_eq!(seen[1], exact, "at the limit nothing is cut");
    let rest = &results(&requests[2])[2];
    for line in ["line number 01250 的", "line number 01251 的", "line number 01252 的"] {
        assert!(rest.contains(line), "{rest}");
    }
    assert!(!rest.contains("01249") && !rest.contains("01253"), "{rest}");
    // What is stored is whole, and people are told.
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    assert_eq!(rows["items"][2]["content"], numbered);
    let turn = app.get(&format!("/api/v1/turns/{}", done["turn_id"].as_str().expect("id"))).await;
    let notices: Vec<&Value> =
        turn["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == "notice").collect();
    assert_eq!((notices.len(), &notices[0]["code"]), (1, &json!("context_governed")));
    assert_eq!(notices[0]["data"]["steps"][0]["name"], "snip");
}

#[tokio::test]
async fn calls_that_cannot_be_run_are_answered_with_what_is_wrong() {
    let calls = Reply::calls(&[
        ("c1", "no_such_tool", json!({"a": 1})),
        ("c2", "ReadFile", json!({"path": "x"})),
        ("c3", "list_dir", json!("{\"path\": ")),
        ("c4", "read_file", json!({})),
        ("c5", "read_file", json!({"path": 5, "offset": "many"})),
        ("c6", "list_dir", json!("[1, 2]")),
        ("c7", "list_dir", json!({"path": "."})),
    ]);
    let app = app(vec![script("", vec![calls, Reply::text(&["understood"])])], Vec::new(), "").await;
    app.file("seen.txt", "x");
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.attach(session, 0).await.expect("attached");
    let done = app.ask(session, "go").await;
    assert_eq!(done["stop_reason"], "completed", "{done}");
    let request = app.model.requests()[1].clone();
    legal::check(&request).expect("a legal request");
    let seen = results(&request);
    assert!(seen[..6].iter().all(|text| text.starts_with("Error: ")), "{seen:?}");
    assert!(seen[0].contains("no_such_tool") && seen[0].contains("read_file"), "{}", seen[0]);
    assert!(seen[1].contains("Did you mean read_file?"), "{}", seen[1]);
    assert!(seen[2].contains("not a JSON object") && seen[5].contains("not a JSON object"), "{seen:?}");
    assert!(seen[3].contains("path"), "{}", seen[3]);
    assert!(seen[6].contains("seen.txt"), "{}", seen[6]);
    // Each call has exactly one start and one end.
    let (mut started, mut finished) = (Vec::new(), Vec::new());
    loop {
        let frame = socket.frame().await.expect("a frame");
        match frame["event"].as_str() {
            Some("tool_started") => started.push(frame["call_id"].as_str().expect("id").to_owned()),
            Some("tool_finished") => {
                finished.push((frame["call_id"].as_str().expect("id").to_owned(), frame["status"].clone()));
            }
            Some("turn_finished") => break,
            _ => {}
        }
    }
    started.sort();
    finished.sort_by(|a, b| a.0.cmp(&b.0));
    let ids = ["c1", "c2", "c3", "c4", "c5", "c6", "c7"];
    assert_eq!(started, ids);
    let expected: Vec<(String, Value)> =
        ids.iter().map(|id| ((*id).to_owned(), json!(if *id == "c7" { "ok" } else { "error" }))).collect();
    assert_eq!(finished, expected);
}

/// SE-06: settings, transcripts and keys lie outside of what file tools may see.
#[tokio::test]
async fn file_tools_see_neither_settings_nor_database_nor_environment() {
    let home = tempfile::tempdir().expect("a folder");
    let root = home.path().display().to_string();
    let targets = [
        format!("{root}/config.toml"),
        "../config.toml".to_owned(),
        "./../config.toml".to_owned(),
        "sub/../../config.toml".to_owned(),
        format!("{root}/workspace/../nanobot.db"),
        "/proc/self/environ".to_owned(),
        "/proc/self/cwd/config.toml".to_owned(),
        "link.toml".to_owned(),
    ];
    let ids: Vec<String> = (0..targets.len()).map(|n| format!("c{n}")).collect();
    let mut calls: Vec<(&str, &str, Value)> =
        ids.iter().zip(&targets).map(|(id, path)| (id.as_str(), "read_file", json!({"path": path}))).collect();
    calls.push(("g1", "grep", json!({"pattern": "api_key", "path": root})));
    calls.push(("g2", "grep", json!({"pattern": "api_key", "path": ".."})));
    calls.push(("g3", "list_dir", json!({"path": root})));
    calls.push(("g4", "find_files", json!({"glob": "**/config.toml", "path": ".."})));
    let scripts = vec![script("", vec![Reply::calls(&calls), Reply::text(&["refused"])])];
    let options = Options { home: Some(home.path().to_owned()), ..Options::default() };
    let app = TestApp::with(scripts, options).await;
    std::os::unix::fs::symlink(home.path().join("config.toml"), home.path().join("workspace/link.toml"))
        .expect("a link");
    let session = app.session().await;
    app.ask(session, "go").await;
    let seen = results(&app.model.requests()[1]);
    assert_eq!(seen.len(), calls.len());
    for (text, (_, tool, arguments)) in seen.iter().zip(&calls) {
        assert!(text.starts_with("Error: "), "{tool} {arguments}: {text}");
        assert!(!text.contains("test-key") && !text.contains("base_url"), "{tool} {arguments}: {text}");
    }
}

/// The answer's limit shrinks to what the budget leaves.
#[tokio::test]
async fn a_request_asks_for_no_more_than_the_budget_leaves() {
    let scripts = vec![script("", vec![Reply::text(&["short"])])];
    let app = app(scripts, Vec::new(), "\n[budget]\nday_tokens = 6000\n").await;
    let session = app.session().await;
    assert_eq!(app.ask(session, "hello").await["stop_reason"], "completed");
    let max_tokens = app.model.requests()[0]["max_tokens"].as_u64().expect("a limit");
    assert!((256..6_000).contains(&max_tokens), "{max_tokens}");
}
