//! Going away on SIGTERM: quickly, with a word to every socket, and without losing the turn.

use std::time::{Duration, Instant};

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::Part;
use nanobot_tests::app::{Options, TestApp, binary, http};
use nanobot_tests::client::Client;
use nanobot_tests::home::{Home, turns};
use nanobot_tests::reader::{Reader, exact};
use nanobot_tests::scripted::{Chunk, Reply, Script};
use nanobot_tests::tools::Gate;
use serde_json::json;

/// The longest a server may take to go away.
const LIMIT: Duration = Duration::from_secs(5);

fn script() -> Script {
    let pieces = (0..120).map(|at| Chunk::text(&format!("piece {at}, "))).collect();
    Script { matches: String::new(), replies: vec![Reply::default().after(pieces).paced(10)] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_streaming_turn_is_parked_and_goes_on_after_the_next_start() {
    let home = Home::new(vec![script()], "").await;
    let server = home.start().await;
    let mut client = Client::connect(&server.url).await.unwrap();
    let mut reader = Reader::new(client.new_chat().await.unwrap());
    let turn_id = reader.send(&mut client, "go", "m", "auto").await.unwrap();
    // Somebody else waits for the whole turn by HTTP.
    let path = format!("/api/v1/sessions/{}/turns?wait=true", reader.chat_id);
    let (waiter, url) = (http(), server.url.clone());
    let waiting = tokio::spawn(async move {
        let body = json!({"content": "and then?", "client_message_id": "w"});
        nanobot_tests::app::request(&waiter, &url, "POST", &path, Some(body)).await
    });
    while !reader.view.events.iter().any(|event| matches!(event.body, EventBody::Delta { .. })) {
        reader.frames(&mut client, 1).await.unwrap();
    }
    let mut queued = 0;
    while queued == 0 {
        queued = home.store().await.queued_work(reader.chat_id).await.unwrap().len();
    }

    let since = Instant::now();
    let ending = tokio::spawn(server.terminate());
    let goodbye = loop {
        match client.frame().await {
            Ok(frame) => {
                reader.view.take(&frame).unwrap();
            }
            Err(error) => break error.to_string(),
        }
    };
    assert!(goodbye.contains("closed") && goodbye.contains("1001") || goodbye.contains("Away"), "{goodbye}");
    let status = ending.await.unwrap().unwrap();
    assert!(status.success(), "{status}");
    assert!(since.elapsed() < LIMIT, "{:?}", since.elapsed());
    let (code, problem) = waiting.await.unwrap().unwrap();
    assert_eq!((code, problem["code"].as_str()), (503, Some("shutting_down")), "{problem}");
    assert!(!home.database().with_extension("db-wal").exists(), "the database was closed");

    let server = home.start().await;
    let mut client = reader.attach(&server.url).await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    let second = reader.send(&mut client, "and then?", "w", "auto").await.unwrap();
    reader.until_end(&mut client, second).await.unwrap();
    let read = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    assert_eq!(read.iter().map(|turn| turn.stop_reason).collect::<Vec<_>>(), [Some(StopReason::Completed); 2]);
    assert_eq!((read[0].id, read[0].resumed), (turn_id, Some(1)));
    assert!(
        matches!(&read[0].parts[..], [Part::Text(part)] if part.text.ends_with("piece 119, ")),
        "{:?}",
        read[0].parts
    );
    server.terminate().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_at_work_does_not_hold_up_the_end() {
    let folder = tempfile::TempDir::new().unwrap();
    let calls = Reply::calls(&[("c1", "gate", json!({}))]);
    let script = Script { matches: String::new(), replies: vec![calls, Reply::text(&["Seen."])] };
    let options = |gate: &Gate| Options {
        tools: vec![std::sync::Arc::new(gate.clone())],
        home: Some(folder.path().to_owned()),
        ..Options::default()
    };
    let gate = Gate::default();
    let app = TestApp::with(vec![script.clone()], options(&gate)).await;
    let mut client = app.socket().await;
    let mut reader = Reader::new(client.new_chat().await.unwrap());
    let turn_id = reader.send(&mut client, "go", "m", "auto").await.unwrap();
    gate.reached().await;
    let since = Instant::now();
    app.stop().await;
    assert!(since.elapsed() < LIMIT, "{:?}", since.elapsed());

    let app = TestApp::with(vec![script], options(&gate)).await;
    let mut client = reader.attach(&app.url).await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    let (read, _) = turns(&http(), &app.url, reader.chat_id).await.unwrap();
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    let status = read[0].parts.iter().find_map(|part| match part {
        Part::Tool(tool) => Some(tool.status),
        _ => None,
    });
    assert_eq!((read[0].stop_reason, status), (Some(StopReason::Completed), Some(CallStatus::Unknown)));
    assert!(!gate.was_reached(), "the gate was called again");
    app.stop().await;
}

#[tokio::test]
async fn a_home_has_one_server() {
    let home = Home::new(vec![script()], "").await;
    let server = home.start().await;
    let mut command = tokio::process::Command::new(binary().unwrap());
    command.args(["serve", "--port", "0", "--home"]).arg(home.path()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(10), command.output()).await.expect("it refuses").unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.starts_with("nanobot: ") && said.contains("another nanobot server uses"), "{said}");
    // The first one is not disturbed, and its home is free once it is gone.
    let (status, _) = home.request(&server, "GET", "/healthz", None).await;
    assert_eq!(status, 200);
    server.kill().await.unwrap();
    home.start().await.terminate().await.unwrap();
}

/// Whoever started the server and read its errors may be gone; it works on and goes away when told to.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_errors_nobody_reads_works_and_ends() {
    let home = Home::new(vec![script()], "unknown_key = 1\n").await;
    let mut command = tokio::process::Command::new("bash");
    let serve = "exec \"$0\" serve --port 0 --home \"$1\" 2> >(exit 0)";
    command.args(["-c", serve]).arg(binary().unwrap()).arg(home.path());
    let server = nanobot_tests::app::ServerProcess::spawn(command).await.unwrap();
    let mut client = Client::connect(&server.url).await.unwrap();
    let mut reader = Reader::new(client.new_chat().await.unwrap());
    reader.send(&mut client, "go", "m", "auto").await.unwrap();
    while !reader.view.events.iter().any(|event| matches!(event.body, EventBody::Delta { .. })) {
        reader.frames(&mut client, 1).await.unwrap();
    }
    // The settings are read again and found at fault again, with nobody to tell.
    let patch = json!({"agent": {"max_iterations": 7}});
    nanobot_tests::app::request(&http(), &server.url, "PATCH", "/api/v1/settings", Some(patch)).await.unwrap();
    let since = Instant::now();
    assert!(server.terminate().await.unwrap().success());
    assert!(since.elapsed() < LIMIT, "{:?}", since.elapsed());
}
