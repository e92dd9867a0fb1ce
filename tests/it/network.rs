//! Lost networks and slow readers: whoever comes back ends with the view of one that never left.

use std::time::{Duration, Instant};

use nanobot_engine::event::StopReason;
use nanobot_engine::id::SessionId;
use nanobot_tests::app::{ServerProcess, TestApp, http};
use nanobot_tests::client::Client;
use nanobot_tests::home::{Home, turns};
use nanobot_tests::proxy::Proxy;
use nanobot_tests::reader::{Reader, exact};
use nanobot_tests::scripted::{Chunk, Reply, Script};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

fn points(few: usize) -> usize {
    if std::env::var_os("NANOBOT_LONG_TESTS").is_some() { 50 } else { few }
}

fn script() -> Script {
    let reasoning = (0..60).map(|at| Chunk::reasoning(&format!("weigh {at}; ")));
    let text = |topic: &'static str, count| (0..count).map(move |at| Chunk::text(&format!("{topic} {at}, ")));
    let calls = [("c1", "list_dir", json!({"path": "."})), ("c2", "list_dir", json!({"path": "."}))];
    let first = Reply::calls(&calls).after(reasoning.chain(text("look", 60)).collect());
    let second = Reply::default().after(text("answer", 120).collect());
    Script { matches: "go".to_owned(), replies: vec![first.paced(3), second.paced(3)] }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_cut_anywhere_ends_as_one_that_never_left() {
    let app = TestApp::start(vec![script()]).await;
    let proxy = Proxy::start(&app.url).await;
    let mut rng = StdRng::seed_from_u64(7);
    let (mut cuts, mut inside) = (0, 0);
    while cuts < points(10) {
        let session = app.session().await;
        let mut uncut = Reader::new(session);
        let mut steady = uncut.attach(&app.url).await.unwrap();
        let turn_id = uncut.send(&mut steady, "go", "m", "auto").await.unwrap();
        let watching = tokio::spawn(async move {
            uncut.until_end(&mut steady, turn_id).await.unwrap();
            uncut
        });
        // Two tabs; each loses its connection on its own or together with the other.
        let mut tabs = [Reader::new(session), Reader::new(session)];
        while tabs.iter().any(|tab| tab.turn(turn_id).is_none_or(|turn| turn.stop_reason.is_none())) {
            let by_bytes = rng.random_bool(0.5);
            if by_bytes {
                // Within a frame, within the handshake, anywhere.
                proxy.cut_next_after(rng.random_range(1..12_000));
            }
            let moment = Duration::from_millis(rng.random_range(0..250));
            let [first, second] = &mut tabs;
            let read = async |reader: &mut Reader| {
                let mut client = reader.attach(&proxy.url()).await?;
                reader.until_end(&mut client, turn_id).await
            };
            let both = async { tokio::join!(read(first), read(second)) };
            match tokio::time::timeout(moment, both).await {
                Ok((Ok(()), Ok(()))) => break,
                Ok((one, other)) => {
                    for error in [one, other].into_iter().filter_map(Result::err) {
                        assert!(!format!("{error:#}").contains("a gap"), "{error:#}");
                    }
                }
                Err(_) => proxy.cut(),
            }
            cuts += 1;
            inside += usize::from(tabs.iter().any(|tab| {
                let open = |part: &nanobot_engine::turn::Part| match part {
                    nanobot_engine::turn::Part::Text(part) | nanobot_engine::turn::Part::Reasoning(part) => part.open,
                    _ => false,
                };
                tab.turn(turn_id).is_some_and(|turn| turn.parts.iter().any(open))
            }));
        }
        let uncut = watching.await.unwrap();
        let wanted = exact(&uncut.view.fold.turns);
        for tab in &mut tabs {
            let mut client = tab.attach(&app.url).await.unwrap();
            tab.until_end(&mut client, turn_id).await.unwrap();
            assert_eq!(exact(&tab.view.fold.turns), wanted);
            assert_eq!(tab.reloads, 0);
            let numbers: Vec<u64> = tab.view.events.iter().map(|event| event.seq).collect();
            assert!(numbers.is_sorted_by(|a, b| a < b), "nothing twice");
        }
        let (read, _) = turns(&http(), &app.url, session).await.unwrap();
        assert_eq!(exact(&read), wanted);
        assert_eq!(read[0].stop_reason, Some(StopReason::Completed));
    }
    println!("{cuts} cuts, {inside} of them inside a segment");
    assert!(inside > 0);
    app.stop().await;
}

/// WS-09.
#[tokio::test]
async fn closing_every_socket_does_not_end_the_turn() {
    let app = TestApp::start(vec![script()]).await;
    let session = app.session().await;
    let mut reader = Reader::new(session);
    let mut client = reader.attach(&app.url).await.unwrap();
    let turn_id = reader.send(&mut client, "go", "m", "auto").await.unwrap();
    reader.frames(&mut client, 10).await.unwrap();
    drop(client);
    // Nobody watches until the model was asked for the second time.
    app.model.received(2).await;
    let mut client = reader.attach(&app.url).await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    let (read, _) = turns(&http(), &app.url, session).await.unwrap();
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    assert_eq!(read[0].stop_reason, Some(StopReason::Completed));
    assert_eq!(app.model.requests().len(), 2);
    app.stop().await;
}

/// WS-03: the answer to a message is lost, and it is sent again with each new connection.
#[tokio::test]
async fn a_message_sent_again_and_again_gives_one_turn() {
    let app = TestApp::start(vec![script()]).await;
    let proxy = Proxy::start(&app.url).await;
    let session = app.session().await;
    let mut reader = Reader::new(session);
    for _ in 0..5 {
        let mut client = reader.attach(&proxy.url()).await.unwrap();
        client
            .send(json!({"type": "message", "chat_id": session, "content": "go", "client_message_id": "mine"}))
            .await
            .unwrap();
        // The connection breaks before anything is read.
        proxy.cut();
        while client.frame().await.is_ok() {}
    }
    let mut client = reader.attach(&app.url).await.unwrap();
    let turn_id = reader.send(&mut client, "go", "mine", "auto").await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    assert_eq!(reader.send(&mut client, "go", "mine", "auto").await.unwrap(), turn_id, "also after the end");
    let (read, _) = turns(&http(), &app.url, session).await.unwrap();
    assert_eq!(read.iter().map(|turn| turn.id).collect::<Vec<_>>(), [turn_id]);
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    assert_eq!(app.model.requests().len(), 2);
    app.stop().await;
}

/// Most memory a process ever used, in MiB, where the system tells.
fn peak_memory(server: &ServerProcess) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.pid()?)).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

async fn begin(server: &ServerProcess) -> (Client, SessionId) {
    let mut client = Client::connect(&server.url).await.unwrap();
    let session = client.new_chat().await.unwrap();
    (client, session)
}

/// 5,000 deltas of 2 KiB: more than the buffers of a connection hold.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_never_reads_costs_nothing_and_catches_up() {
    const READERS: usize = 24;
    let piece = |at: usize| Chunk::text(&format!("{at:4} {}", "x".repeat(2_043)));
    let flood = Reply::default().after((0..5_000).map(piece).collect());
    let home = Home::new(vec![Script { matches: String::new(), replies: vec![flood] }], "").await;
    let server = home.start().await;

    let (mut client, session) = begin(&server).await;
    let mut reader = Reader::new(session);
    let mut sleepers = Vec::new();
    for _ in 0..READERS {
        let mut sleeper = Reader::new(session);
        let socket = sleeper.attach(&server.url).await.unwrap();
        sleepers.push((sleeper, socket));
    }
    let since = Instant::now();
    let turn_id = reader.send(&mut client, "flood", "m", "auto").await.unwrap();
    reader.until_end(&mut client, turn_id).await.unwrap();
    let took = since.elapsed();
    let peak = peak_memory(&server);
    println!("{took:?}; peak {peak:?} MiB with {READERS} readers that do not read");
    // The turn itself needs some 230 MiB in an unoptimised build; 24 queues without a bound would hold 240 MiB more.
    assert!(peak.is_none_or(|peak| peak < 360), "{peak:?} MiB");

    let wanted = exact(&reader.view.fold.turns);
    for (mut sleeper, mut socket) in sleepers.into_iter().take(3) {
        // Whatever was on its way, then either everything that follows, or the word to read the turns again.
        while sleeper.turn(turn_id).is_none_or(|turn| turn.stop_reason.is_none()) {
            let frame = socket.frame().await.unwrap();
            if frame["event"] == "attached" {
                assert_eq!(frame["mode"], "reload");
                sleeper.reload(&server.url, &mut socket).await.unwrap();
            } else {
                sleeper.view.take(&frame).unwrap();
            }
        }
        assert_eq!(exact(&sleeper.view.fold.turns), wanted);
    }
}

/// What a feed asks of the database ends also when its reader's socket takes nothing meanwhile: it keeps no connection from others.
#[tokio::test]
async fn readers_that_stop_in_the_middle_of_a_read_keep_nobody_waiting() {
    let app = TestApp::start(vec![Script { matches: String::new(), replies: vec![Reply::text(&["done"])] }]).await;
    let session = app.session().await;
    for _ in 0..80 {
        app.ask(session, "go").await;
    }
    for polls in 1..=8 {
        let mut left = Vec::new();
        for _ in 0..8 {
            let mut feed = app.runtime.attach(session, 0).await.unwrap().feed;
            let mut next = Box::pin(async move { feed.next().await.map(|_| feed) });
            for _ in 0..polls {
                if futures_util::poll!(&mut next).is_ready() {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            left.push(next);
        }
        let read = tokio::time::timeout(Duration::from_secs(5), app.runtime.store().ping()).await;
        read.unwrap_or_else(|_| panic!("nobody can read any more after {polls} polls")).unwrap();
    }
}
