//! `nanobot agent`: alone in its process, and beside a running server of the same home.

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

use nanobot_engine::event::{Event, EventBody, StopReason};
use nanobot_tests::app::{ServerProcess, binary, http, request};
use serde_json::Value;
use tempfile::TempDir;
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

/// A home whose model is the built-in one.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    let config = "[presets.demo]\nprovider = \"demo\"\nmodel = \"demo\"\n\n[agent]\npreset = \"demo\"\n";
    std::fs::write(home.path().join("config.toml"), config).expect("the settings");
    home
}

async fn agent(home: &Path, arguments: &[&str], stdin: &str) -> Output {
    let mut child = Command::new(binary().expect("the binary"))
        .arg("agent")
        .args(arguments)
        .arg("--home")
        .arg(home)
        .env("NANOBOT_LOG", "warn")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the command starts");
    let mut pipe = child.stdin.take().expect("stdin");
    pipe.write_all(stdin.as_bytes()).await.expect("written");
    drop(pipe);
    let ended = tokio::time::timeout(Duration::from_secs(30), child.wait_with_output()).await;
    ended.expect("the command ends").expect("output")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn events(output: &Output) -> Vec<Event> {
    words(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("an event")).collect()
}

#[tokio::test]
async fn one_message_is_answered_on_stdout_and_progress_goes_to_stderr() {
    let home = home();
    let said = agent(home.path(), &["-m", "hello"], "").await;
    assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    let text = words(&said.stdout);
    assert!(text.starts_with("Hello!") && text.ends_with('\n') && text.contains("demo model"), "{text}");
    assert!(!text.contains("thought for"));
    assert!(words(&said.stderr).contains("thought for"));

    std::fs::write(home.path().join("workspace/notes.md"), "buy milk\n").expect("a file");
    let said = agent(home.path(), &["-m", "look at my workspace"], "").await;
    assert_eq!(said.status.code(), Some(0));
    assert!(words(&said.stdout).contains("notes.md"), "{}", words(&said.stdout));
    assert!(words(&said.stderr).contains("list_dir"), "{}", words(&said.stderr));
}

#[tokio::test]
async fn json_prints_the_events_of_the_turn_one_a_line() {
    let home = home();
    let said = agent(home.path(), &["--json", "-m", "hello"], "").await;
    assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    let events = events(&said);
    assert!(matches!(events[0].body, EventBody::UserMessage { .. }));
    let last = &events.last().expect("events").body;
    assert!(matches!(last, EventBody::TurnFinished { stop_reason: StopReason::Completed, .. }));
    for pair in events.windows(2) {
        assert!(pair[1].prev_seq == pair[0].seq && pair[1].turn_id == pair[0].turn_id);
    }
    let deltas: String = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::Delta { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(deltas.starts_with("Hello!"));
}

#[tokio::test]
async fn a_failed_turn_exits_with_1_and_says_why() {
    let home = home();
    let failed = agent(home.path(), &["-m", "error please"], "").await;
    assert_eq!(failed.status.code(), Some(1));
    assert!(words(&failed.stderr).contains("nanobot: the demo model failed because"), "{}", words(&failed.stderr));
    let failed = agent(home.path(), &["--json", "-m", "error please"], "").await;
    assert_eq!(failed.status.code(), Some(1));
    let last = events(&failed).pop().expect("events");
    assert!(matches!(last.body, EventBody::TurnFinished { stop_reason: StopReason::Error, .. }));

    let bare = tempfile::tempdir().expect("a folder");
    let failed = agent(bare.path(), &["-m", "hello"], "").await;
    assert_eq!(failed.status.code(), Some(1));
    assert!(words(&failed.stderr).contains("model"), "{}", words(&failed.stderr));
    assert_eq!(agent(bare.path(), &["--nope"], "").await.status.code(), Some(2));
}

#[tokio::test]
async fn a_named_session_goes_on_and_lines_of_stdin_are_messages() {
    let home = home();
    for message in ["hello", "think"] {
        let said = agent(home.path(), &["--session", "my notes", "-m", message], "").await;
        assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    }
    let said = agent(home.path(), &["--session", "my notes"], "hello\n\nmarkdown\n").await;
    assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    assert!(words(&said.stdout).starts_with("Hello!") && words(&said.stdout).len() > 500);
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let get = async |path: String| request(&http(), &server.url, "GET", &path, None).await.expect("an answer").1;
    let sessions = get("/api/v1/sessions".to_owned()).await;
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(1), "{sessions}");
    let id = sessions["items"][0]["id"].as_str().expect("an id").to_owned();
    let turns = get(format!("/api/v1/sessions/{id}/turns")).await;
    let said: Vec<&str> =
        turns["items"].as_array().expect("turns").iter().filter_map(|turn| turn["user"]["content"].as_str()).collect();
    assert_eq!(said, ["hello", "think", "hello", "markdown"]);
    // The name means the same session beside a running server.
    let beside = agent(home.path(), &["--session", "my notes", "-m", "think"], "").await;
    assert_eq!(beside.status.code(), Some(0), "{}", words(&beside.stderr));
    let turns = get(format!("/api/v1/sessions/{id}/turns")).await;
    assert_eq!(turns["items"].as_array().map(Vec::len), Some(5));
    server.terminate().await.expect("an end");
}

#[tokio::test]
async fn slash_model_lists_and_takes_presets() {
    let home = home();
    let settings = home.path().join("config.toml");
    let before = std::fs::read_to_string(&settings).expect("settings");
    std::fs::write(&settings, before + "\n[presets.Second]\nprovider = \"demo\"\nmodel = \"demo\"\n")
        .expect("settings");
    let said = agent(home.path(), &["--session", "s"], "/model\nhello\n/model second\nhello\n/modelling\n").await;
    assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    let told = words(&said.stderr);
    assert!(told.contains("presets: Second, demo; in use: demo") && told.contains("Second answers"), "{told}");
    let unknown = agent(home.path(), &["--session", "s"], "/model third\n").await;
    assert_eq!(unknown.status.code(), Some(1));
    assert!(words(&unknown.stderr).contains("there are: Second, demo"), "{}", words(&unknown.stderr));
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let get = async |path: String| request(&http(), &server.url, "GET", &path, None).await.expect("an answer").1;
    let sessions = get("/api/v1/sessions".to_owned()).await;
    let turns = get(format!("/api/v1/sessions/{}/turns", sessions["items"][0]["id"].as_str().expect("an id"))).await;
    let presets: Vec<&Value> = turns["items"].as_array().expect("turns").iter().map(|turn| &turn["preset"]).collect();
    assert_eq!(presets, ["demo", "Second", "Second"], "a command is no message: {turns}");
    server.terminate().await.expect("an end");
}

#[tokio::test]
async fn beside_a_running_server_its_agent_is_used() {
    let home = home();
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let said = agent(home.path(), &["--json", "-m", "hello"], "").await;
    assert_eq!(said.status.code(), Some(0), "{}", words(&said.stderr));
    let events = events(&said);
    assert!(matches!(events[0].body, EventBody::UserMessage { .. }), "{:?}", events[0]);
    let last = events.last().expect("events");
    assert!(matches!(last.body, EventBody::TurnFinished { stop_reason: StopReason::Completed, .. }));
    let session = last.chat_id.to_string();
    let get = async |path: String| request(&http(), &server.url, "GET", &path, None).await.expect("an answer");
    let (status, turns) = get(format!("/api/v1/sessions/{session}/turns")).await;
    assert_eq!((status, &turns["items"][0]["user"]["content"]), (200, &Value::from("hello")));

    let more = agent(home.path(), &["--session", &session, "-m", "think"], "").await;
    assert_eq!(more.status.code(), Some(0), "{}", words(&more.stderr));
    assert!(words(&more.stdout).contains("demo model"));
    let (_, turns) = get(format!("/api/v1/sessions/{session}/turns")).await;
    assert_eq!(turns["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(agent(home.path(), &["-m", "error"], "").await.status.code(), Some(1));
    server.terminate().await.expect("an end");
    // Without it the same session goes on in this process.
    let alone = agent(home.path(), &["--session", &session, "-m", "hello"], "").await;
    assert_eq!(alone.status.code(), Some(0), "{}", words(&alone.stderr));
}
