//! `kill -9` at any moment: the same turn goes on after the restart, nothing is lost, nothing happens twice.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::{Block, Role, Row};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::{Part, Turn, TurnStatus};
use nanobot_store::{Op, Store, WorkItem, WorkMode, WorkState};
use nanobot_tests::app::{Options, ServerProcess, TestApp};
use nanobot_tests::client::Client;
use nanobot_tests::home::Home;
use nanobot_tests::reader::{Reader, essence, exact};
use nanobot_tests::scripted::{Chunk, Reply, Script, ScriptedUsage};
use nanobot_tests::tools::Gate;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};

const REQUESTS: usize = 6;
const RESUMES: u32 = 3;

fn points(few: usize) -> usize {
    if std::env::var_os("NANOBOT_LONG_TESTS").is_some() { 50 } else { few }
}

fn words(topic: &str, count: usize, piece: fn(&str) -> Chunk) -> Vec<Chunk> {
    (0..count).map(|at| piece(&format!("{topic} {at}, "))).collect()
}

/// Six calls, two of them together, with reasoning and text before them, and an answer.
fn script() -> Script {
    let call = |id, name, arguments: Value| (id, name, arguments);
    let usage = |input, output| Some(ScriptedUsage { input, output, cached: 0 });
    let step = |before: Vec<Chunk>, calls: &[(&str, &str, Value)], tokens| Reply {
        usage: usage(tokens, 10),
        ..Reply::calls(calls).after(before).paced(3)
    };
    let both = |topic, count| [words(topic, count, Chunk::reasoning), words(topic, count, Chunk::text)].concat();
    let replies = vec![
        step(both("first", 12), &[call("c1", "list_dir", json!({"path": "."}))], 100),
        step(
            words("both", 12, Chunk::text),
            &[call("c2", "list_dir", json!({"path": "."})), call("c3", "list_dir", json!({"path": "sub"}))],
            110,
        ),
        step(words("file", 12, Chunk::reasoning), &[call("c4", "read_file", json!({"path": "notes.md"}))], 120),
        step(both("search", 8), &[call("c5", "grep", json!({"pattern": "two"}))], 130),
        // Providers use ids again.
        step(Vec::new(), &[call("c1", "find_files", json!({"glob": "*.md"}))], 140),
        Reply { usage: usage(150, 40), ..Reply::default() }.after(both("answer", 25)).paced(3),
    ];
    Script { matches: "look".to_owned(), replies }
}

fn slow_text() -> Script {
    let pieces = words("piece", 400, Chunk::text);
    Script { matches: "slow".to_owned(), replies: vec![Reply::default().after(pieces).paced(10)] }
}

/// A row as all runs of one script have to agree on it.
fn row(row: &Row) -> Value {
    let blocks: Vec<Value> = row.message.blocks.iter().map(|block| serde_json::to_value(block).unwrap()).collect();
    json!([row.message.role, blocks, row.interrupted, row.origin])
}

async fn rows(store: &Store, session: SessionId) -> Vec<Row> {
    let leaf = store.session(session).await.unwrap().unwrap().active_message_id.unwrap();
    store.branch_rows(session, leaf).await.unwrap()
}

/// What the log and the ledger have to say of a completed turn, however often it was cut.
async fn check_books(store: &Store, session: SessionId, turn_id: TurnId) {
    let calls = store.calls(turn_id).await.unwrap();
    assert_eq!(calls.len(), 6);
    assert!(calls.iter().all(|call| call.status == CallStatus::Ok), "{calls:?}");
    let events = store.events_after(session, 0, None, 100_000).await.unwrap();
    let (mut started, mut finished) = (HashMap::new(), HashMap::new());
    let (mut begun, mut messages, mut ended) = (0, 0, 0);
    let mut last = 0;
    for event in &events {
        assert!(event.first_seq > last && event.seq >= event.first_seq, "numbers only grow: {event:?} after {last}");
        last = event.seq;
        match &event.body {
            EventBody::ToolStarted { call_id, .. } => *started.entry(call_id.clone()).or_insert(0) += 1,
            EventBody::ToolFinished { call_id, .. } => *finished.entry(call_id.clone()).or_insert(0) += 1,
            EventBody::TurnStarted { .. } => begun += 1,
            EventBody::Message { .. } => messages += 1,
            EventBody::TurnFinished { .. } => ended += 1,
            _ => {}
        }
    }
    assert_eq!((begun, messages, ended), (1, 1, 1));
    for call in &calls {
        assert_eq!((started.get(&call.call_id), finished.get(&call.call_id)), (Some(&1), Some(&1)), "{}", call.call_id);
    }
    assert_eq!((started.len(), finished.len()), (6, 6));
    assert_eq!(store.integrity_check().await.unwrap(), [""; 0]);
}

/// Everything that reached the socket before the process died.
async fn drain(reader: &mut Reader, client: &mut Client) {
    while let Ok(frame) = client.frame().await {
        reader.view.take(&frame).unwrap();
    }
}

async fn begin(server: &ServerProcess) -> (Reader, Client) {
    let mut client = Client::connect(&server.url).await.unwrap();
    let chat_id = client.new_chat().await.unwrap();
    (Reader::new(chat_id), client)
}

fn only(turns: &[Turn]) -> &Turn {
    assert_eq!(turns.len(), 1, "{turns:#?}");
    &turns[0]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_killed_anywhere_ends_as_if_it_had_not_been() {
    let home = Home::new(vec![script()], "").await;
    let mut server = home.start().await;
    let store = home.store().await;
    let (mut uncut, mut client) = begin(&server).await;
    let since = Instant::now();
    let turn_id = uncut.send(&mut client, "look around", "m", "auto").await.unwrap();
    uncut.until_end(&mut client, turn_id).await.unwrap();
    let whole = since.elapsed();
    let wanted = essence(&uncut.view.fold.turns);
    let wanted_rows: Vec<Value> = rows(&store, uncut.chat_id).await.iter().map(row).collect();
    check_books(&store, uncut.chat_id, turn_id).await;
    assert_eq!(home.model.requests().len(), REQUESTS);

    let mut rng = StdRng::seed_from_u64(11);
    let (mut landed, mut twice) = (0, 0);
    for point in 0..points(8) {
        let before = home.model.requests().len();
        let (mut reader, mut client) = begin(&server).await;
        let turn_id = reader.send(&mut client, "look around", "m", "auto").await.unwrap();
        // Also during the resumed runs.
        let kills = if rng.random_bool(0.35) { rng.random_range(2..=RESUMES) } else { 1 };
        for _ in 0..kills {
            let moment = rng.random_range(Duration::ZERO..whole);
            let ended = tokio::time::timeout(moment, reader.until_end(&mut client, turn_id)).await;
            if let Ok(ended) = ended {
                ended.unwrap();
            }
            server.kill().await.unwrap();
            if rng.random_bool(0.7) {
                drain(&mut reader, &mut client).await;
            }
            assert_eq!(store.integrity_check().await.unwrap(), [""; 0]);
            assert!(
                store
                    .message(store.turn(turn_id).await.unwrap().unwrap().user_message_id.unwrap())
                    .await
                    .unwrap()
                    .is_some(),
                "an acknowledged message is there"
            );
            server = home.start().await;
            client = reader.attach(&server.url).await.unwrap();
        }
        reader.until_end(&mut client, turn_id).await.unwrap_or_else(|error| panic!("point {point}: {error:#}"));
        let turn = only(&reader.view.fold.turns);
        assert_eq!((turn.id, turn.state, turn.stop_reason), (turn_id, TurnStatus::Done, Some(StopReason::Completed)));
        let resumed = turn.resumed.unwrap_or_default();
        assert!(resumed <= kills);
        landed += usize::from(resumed > 0);
        twice += usize::from(resumed > 1);
        let requests = home.model.requests().len() - before;
        assert!(
            (REQUESTS..=REQUESTS + resumed as usize).contains(&requests),
            "point {point}: only the cut request is made again: {requests} after {resumed} resumes"
        );
        assert_eq!(essence(&reader.view.fold.turns), wanted, "point {point}");
        let turns = home.turns(&server, reader.chat_id).await;
        assert_eq!(exact(&reader.view.fold.turns), exact(&turns), "point {point}: live is as read");
        let mut fresh = Reader::new(reader.chat_id);
        let mut other = fresh.attach(&server.url).await.unwrap();
        fresh.until_end(&mut other, turn_id).await.unwrap();
        assert_eq!(exact(&fresh.view.fold.turns), exact(&turns), "point {point}: replayed is as read");
        let found: Vec<Value> = rows(&store, reader.chat_id).await.iter().map(row).collect();
        assert_eq!(found, wanted_rows, "point {point}");
        check_books(&store, reader.chat_id, turn_id).await;
    }
    println!("{landed} turns were cut, {twice} of them more than once; uncut {whole:?}");
    assert!(landed > 0, "no kill landed within a turn");
}

#[tokio::test]
async fn a_turn_killed_before_its_first_word_asks_again() {
    let mut late = Reply::text(&["There ", "you are."]);
    late.chunks[0].delay_ms = 1_500;
    let home = Home::new(vec![Script { matches: String::new(), replies: vec![late] }], "").await;
    let server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let turn_id = reader.send(&mut client, "hello", "m", "auto").await.unwrap();
    home.model.received(1).await;
    server.kill().await.unwrap();
    drain(&mut reader, &mut client).await;
    let server = home.start().await;
    let mut client = reader.attach(&server.url).await.unwrap();
    // The answer to the first try was lost; the same id gives the same turn.
    assert_eq!(reader.send(&mut client, "hello", "m", "auto").await.unwrap(), turn_id);
    reader.until_end(&mut client, turn_id).await.unwrap();
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
    let turn = only(&turns);
    assert_eq!((turn.stop_reason, turn.resumed), (Some(StopReason::Completed), Some(1)));
    assert!(matches!(&turn.parts[..], [Part::Text(part)] if part.text == "There you are."), "{:?}", turn.parts);
    assert_eq!(home.model.requests().len(), 2);
}

#[tokio::test]
async fn a_queued_message_is_worked_once_after_a_kill() {
    let quick = Script { matches: "second".to_owned(), replies: vec![Reply::text(&["Two."])] };
    let slow = Reply::default().after(words("one", 40, Chunk::text)).paced(10);
    let home = Home::new(vec![quick, Script { matches: "first".to_owned(), replies: vec![slow] }], "").await;
    let server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let first = reader.send(&mut client, "first", "m1", "auto").await.unwrap();
    let second = reader.send(&mut client, "second", "m2", "queue").await.unwrap();
    let third = reader.send(&mut client, "second, again", "m3", "auto").await.unwrap();
    server.kill().await.unwrap();
    drain(&mut reader, &mut client).await;
    let server = home.start().await;
    let mut client = reader.attach(&server.url).await.unwrap();
    for turn_id in [first, second, third] {
        reader.until_end(&mut client, turn_id).await.unwrap();
    }
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
    assert_eq!(turns.iter().map(|turn| turn.id).collect::<Vec<_>>(), [first, second, third]);
    assert!(turns.iter().all(|turn| turn.stop_reason == Some(StopReason::Completed)));
    let said: Vec<(Role, String)> = rows(&home.store().await, reader.chat_id)
        .await
        .iter()
        .map(|row| (row.message.role, row.message.text()))
        .collect();
    let roles: Vec<Role> = said.iter().map(|(role, _)| *role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant, Role::User, Role::Assistant]);
    assert_eq!((said[2].1.as_str(), said[4].1.as_str()), ("second", "second, again"));
}

#[tokio::test]
async fn a_steer_message_joins_once_after_a_kill() {
    let slow = Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]).after(words("one", 40, Chunk::text)).paced(10);
    let answer = Reply::text(&["As you wish."]);
    let home = Home::new(
        vec![
            Script { matches: "left".to_owned(), replies: vec![answer] },
            Script { matches: "go".to_owned(), replies: vec![slow] },
        ],
        "",
    )
    .await;
    let server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let turn_id = reader.send(&mut client, "go", "m1", "auto").await.unwrap();
    assert_eq!(reader.send(&mut client, "left, please", "m2", "steer").await.unwrap(), turn_id);
    server.kill().await.unwrap();
    drain(&mut reader, &mut client).await;
    let server = home.start().await;
    let mut client = reader.attach(&server.url).await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    // Sent again, since the sender never saw what became of it.
    assert_eq!(reader.send(&mut client, "left, please", "m2", "steer").await.unwrap(), turn_id);
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
    let steered = |part: &Part| matches!(part, Part::Steer { text, .. } if text == "left, please");
    assert_eq!(only(&turns).parts.iter().filter(|part| steered(part)).count(), 1);
    assert_eq!(only(&turns).stop_reason, Some(StopReason::Completed));
    let said = rows(&home.store().await, reader.chat_id).await;
    assert_eq!(said.iter().filter(|row| row.message.text() == "left, please").count(), 1);
    server.terminate().await.unwrap();
    // Both messages are worked for good: a further start finds nothing to do.
    let server = home.start().await;
    assert_eq!(exact(&home.turns(&server, reader.chat_id).await), exact(&turns));
    let store = home.store().await;
    assert_eq!(store.queued_work(reader.chat_id).await.unwrap(), []);
    let state = async |id| store.work_by_client_id(reader.chat_id, id).await.unwrap().unwrap().state;
    assert_eq!((state("m1").await, state("m2").await), (WorkState::Done, WorkState::Injected));
}

/// A steer message was accepted, its turn ended without it, and then the process died.
#[tokio::test]
async fn a_steer_message_that_missed_its_turn_gets_one_after_a_kill() {
    let home = Home::new(vec![Script { matches: String::new(), replies: vec![Reply::text(&["Fine."])] }], "").await;
    let server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let turn_id = reader.send(&mut client, "go", "m1", "auto").await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    server.kill().await.unwrap();
    let store = home.store().await;
    let first = store.work_by_client_id(reader.chat_id, "m1").await.unwrap().unwrap();
    let late = WorkItem {
        id: uuid::Uuid::now_v7(),
        message_id: MessageId(uuid::Uuid::now_v7()),
        client_message_id: Some("m2".to_owned()),
        mode: WorkMode::Steer,
        content: "left, please".to_owned(),
        state: WorkState::Queued,
        seq: 0,
        ..first
    };
    store.commit(reader.chat_id, vec![Op::InsertWork(Box::new(late))]).await.unwrap();
    // Nobody has to open the session for it.
    let server = home.start().await;
    home.model.received(2).await;
    let mut client = reader.attach(&server.url).await.unwrap();
    let missed = reader.send(&mut client, "left, please", "m2", "steer").await.unwrap();
    assert_ne!(missed, turn_id);
    reader.until_end(&mut client, missed).await.unwrap();
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
    assert_eq!(turns.iter().map(|turn| turn.id).collect::<Vec<_>>(), [turn_id, missed]);
    assert_eq!(turns[1].stop_reason, Some(StopReason::Completed));
    assert_eq!(home.model.requests().len(), 2);
}

/// Kills the server after some text of the turn has come, and starts it again.
async fn cut(home: &Home, server: ServerProcess, reader: &mut Reader, client: &mut Client) -> ServerProcess {
    let from = reader.view.events.len();
    let text = |reader: &Reader| {
        let new = reader.view.events[from..].iter();
        new.filter(|event| matches!(event.body, EventBody::Delta { .. })).count() >= 20
    };
    while !text(reader) {
        reader.frames(client, 1).await.unwrap();
    }
    server.kill().await.unwrap();
    drain(reader, client).await;
    home.start().await
}

/// Some of the text that came is kept, as a part and as a row, and Retry asks again.
async fn check_interrupted(
    home: &Home,
    server: ServerProcess,
    mut reader: Reader,
    turn_id: TurnId,
    resumed: Option<u32>,
) {
    let mut client = reader.attach(&server.url).await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
    let turn = only(&turns);
    assert_eq!((turn.state, turn.stop_reason), (TurnStatus::Interrupted, Some(StopReason::Interrupted)));
    assert_eq!(turn.resumed, resumed);
    let [Part::Text(kept)] = &turn.parts[..] else { panic!("one part of text is kept: {:?}", turn.parts) };
    assert!(!kept.open && kept.text.starts_with("piece 0, piece 1, "), "{kept:?}");
    let said = rows(&home.store().await, reader.chat_id).await;
    let last = said.last().unwrap();
    assert_eq!((last.message.role, last.message.text(), last.interrupted), (Role::Assistant, kept.text.clone(), true));

    home.model.set(vec![Script { matches: "slow".to_owned(), replies: vec![Reply::text(&["Done."])] }]);
    client.send(json!({"type": "retry", "chat_id": reader.chat_id, "turn_id": turn_id})).await.unwrap();
    let retried = loop {
        let frame = client.frame().await.unwrap();
        reader.view.take(&frame).unwrap();
        if frame["event"] == "accepted" {
            break frame["turn_id"].as_str().unwrap().parse().unwrap();
        }
    };
    reader.until_end(&mut client, retried).await.unwrap();
    let turns = home.turns(&server, reader.chat_id).await;
    assert_eq!((only(&turns).id, only(&turns).stop_reason), (retried, Some(StopReason::Completed)));
}

#[tokio::test]
async fn a_turn_killed_four_times_is_interrupted_and_can_be_retried() {
    let home = Home::new(vec![slow_text()], "").await;
    let mut server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let turn_id = reader.send(&mut client, "slow", "m", "auto").await.unwrap();
    for _ in 0..RESUMES {
        server = cut(&home, server, &mut reader, &mut client).await;
        client = reader.attach(&server.url).await.unwrap();
    }
    server = cut(&home, server, &mut reader, &mut client).await;
    check_interrupted(&home, server, reader, turn_id, Some(RESUMES)).await;
}

#[tokio::test]
async fn without_resuming_a_killed_turn_is_interrupted_at_once() {
    let home = Home::new(vec![slow_text()], "resume_interrupted = false\n").await;
    let server = home.start().await;
    let (mut reader, mut client) = begin(&server).await;
    let turn_id = reader.send(&mut client, "slow", "m", "auto").await.unwrap();
    let server = cut(&home, server, &mut reader, &mut client).await;
    check_interrupted(&home, server, reader, turn_id, None).await;
}

/// TH-02: of three calls one is done, one was running, one had not begun.
#[test]
fn a_call_that_may_have_taken_effect_is_unknown_and_never_repeated() {
    let calls = Reply::calls(&[
        ("c1", "list_dir", json!({"path": "."})),
        ("c2", "gate", json!({})),
        ("c3", "list_dir", json!({"path": "."})),
    ]);
    let script = Script { matches: String::new(), replies: vec![calls, Reply::text(&["Unclear."])] };
    let folder = tempfile::TempDir::new().unwrap();
    let options = |gate: &Gate| Options {
        tools: vec![std::sync::Arc::new(gate.clone())],
        home: Some(folder.path().to_owned()),
        ..Options::default()
    };
    let process = || tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();

    let (gate, first) = (Gate::default(), process());
    let (session, turn_id) = first.block_on(async {
        let app = TestApp::with(vec![script.clone()], options(&gate)).await;
        let mut client = app.socket().await;
        let session = client.new_chat().await.unwrap();
        let turn_id = client.message(session, "open it").await.unwrap();
        gate.reached().await;
        // Nothing may be put in order, as in a kill.
        std::mem::forget(app);
        (session, turn_id)
    });
    first.shutdown_timeout(Duration::from_millis(200));

    let (gate, second) = (Gate::default(), process());
    second.block_on(async {
        let app = TestApp::with(vec![script], options(&gate)).await;
        let mut reader = Reader::new(session);
        let mut client = reader.attach(&app.url).await.unwrap();
        reader.until_end(&mut client, turn_id).await.unwrap();
        let store = app.runtime.store();
        let calls = store.calls(turn_id).await.unwrap();
        let statuses: Vec<CallStatus> = calls.iter().map(|call| call.status).collect();
        assert_eq!(statuses, [CallStatus::Ok, CallStatus::Unknown, CallStatus::Ok]);
        assert!(!gate.was_reached(), "the gate was called again");
        let rows = rows(store, session).await;
        let roles: Vec<Role> = rows.iter().map(|row| row.message.role).collect();
        assert_eq!(roles, [Role::User, Role::Assistant, Role::Tool, Role::Tool, Role::Tool, Role::Assistant]);
        let Block::Result { call_id, status, text, .. } = &rows[3].message.blocks[0] else { panic!("{:?}", rows[3]) };
        assert_eq!((call_id.as_str(), *status), ("c2", CallStatus::Unknown));
        assert!(text.starts_with("Error: ") && text.contains("unknown"), "{text}");
        // The next request is legal: every call has its result.
        let request = app.model.requests().pop().unwrap();
        let messages = request["messages"].as_array().unwrap();
        let results: Vec<&str> = messages.iter().filter_map(|message| message["tool_call_id"].as_str()).collect();
        assert_eq!(results, ["c1", "c2", "c3"]);
        let turns = nanobot_tests::home::turns(&nanobot_tests::app::http(), &app.url, session).await.unwrap().0;
        assert_eq!(exact(&reader.view.fold.turns), exact(&turns));
        assert_eq!(only(&turns).resumed, Some(1));
        app.stop().await;
    });
}
