//! Attaching after any number, also one inside a stored segment, ends in the same view.

use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::fold::{Fold, Outcome};
use nanobot_engine::id::SessionId;
use nanobot_runtime::FeedItem;
use nanobot_tests::app::TestApp;
use nanobot_tests::reader::{Reader, exact};
use nanobot_tests::scripted::{Chunk, Reply, Script, ScriptedUsage};
use serde_json::json;

/// Reasoning, text with letters of one to four bytes, calls, and more of it.
fn script() -> Script {
    let reasoning = (0..30).map(|at| Chunk::reasoning(&format!("weigh {at}; ")));
    let text = (0..30).map(|at| Chunk::text(["ä", "€", "𝄞", "a "][at % 4]));
    let calls = [
        ("c1", "list_dir", json!({"path": "."})),
        ("c2", "list_dir", json!({"path": "."})),
        ("c3", "read_file", json!({"path": "missing.md"})),
    ];
    let usage = Some(ScriptedUsage { input: 10, output: 5, cached: 0 });
    let first = Reply { usage, ..Reply::calls(&calls).after(reasoning.chain(text).collect()) };
    let thinking = (0..20).map(|at| Chunk::text(&format!("{}step {at} ", if at == 0 { "<think>" } else { "" })));
    let answer = (0..40).map(|at| Chunk::text(&format!("{}word {at} ", if at == 0 { "</think>" } else { "" })));
    let second = Reply { usage, ..Reply::default() }.after(thinking.chain(answer).collect());
    Script { matches: String::new(), replies: vec![first.paced(2), second.paced(2)] }
}

/// Every piece as it was shown, from a reader that was there from the beginning.
async fn pieces(app: &TestApp, session: SessionId) -> Vec<Event> {
    let mut feed = app.runtime.attach(session, 0).await.unwrap().feed;
    let watching = tokio::spawn(async move {
        let mut events = Vec::new();
        loop {
            match feed.next().await.unwrap() {
                FeedItem::Event(event) => events.push(Event::clone(&event)),
                FeedItem::Reload | FeedItem::Closed => panic!("the feed ended"),
            }
            if matches!(events.last().map(|event| &event.body), Some(EventBody::SessionUpdated { title: Some(_), .. }))
            {
                return events;
            }
        }
    });
    app.ask(session, "think").await;
    watching.await.unwrap()
}

fn apply(fold: &mut Fold, event: &Event) {
    assert_eq!(fold.apply(event), Outcome::Applied, "{event:?} at {}", fold.seq);
}

#[tokio::test(flavor = "multi_thread")]
async fn attaching_after_any_number_ends_in_the_same_view() {
    let app = TestApp::start(vec![script()]).await;
    let session = app.session().await;
    let events = pieces(&app, session).await;
    let mut whole = Fold::default();
    events.iter().for_each(|event| apply(&mut whole, event));
    let head = whole.seq;
    let (turns, _) = nanobot_tests::home::turns(&nanobot_tests::app::http(), &app.url, session).await.unwrap();
    assert_eq!(exact(&whole.turns), exact(&turns), "live is as read");
    let deltas = events.iter().filter(|event| event.body.as_delta().is_some()).count();
    assert_eq!(deltas, 120, "every piece was shown alone");
    let stored = app.runtime.store().events_after(session, 0, None, 10_000).await.unwrap();
    assert!(stored.iter().any(|event| event.pieces.len() > 2), "pieces are stored together");

    let mut socket = app.socket().await;
    for after in 0..=head {
        // Where a reader stands that saw everything up to `after`; numbers of rows lie between those of events.
        let mut prefix = Fold::default();
        events.iter().take_while(|event| event.seq <= after).for_each(|event| apply(&mut prefix, event));
        prefix.seq = after;

        let mut fold = prefix.clone();
        let mut feed = app.runtime.attach(session, after).await.unwrap().feed;
        while fold.seq < head {
            match feed.next().await.unwrap() {
                FeedItem::Event(event) => apply(&mut fold, &event),
                FeedItem::Reload | FeedItem::Closed => panic!("the feed ended after {after}"),
            }
        }
        assert_eq!(fold.turns, whole.turns, "from {after}");

        // The same over a socket, where neighbours are joined.
        let mut reader = Reader::new(session);
        reader.view.fold = prefix;
        let attached = socket.attach(session, after).await.unwrap();
        assert_eq!((attached["mode"].as_str(), attached["head_seq"].as_u64()), (Some("replay"), Some(head)));
        reader.until_seq(&mut socket, head).await.unwrap();
        assert_eq!(reader.view.fold.turns, whole.turns, "from {after}, over a socket");
    }
    app.stop().await;
}

/// Readers that join while the turn runs see what one sees that was there from the beginning.
#[tokio::test(flavor = "multi_thread")]
async fn joining_a_running_turn_ends_in_the_same_view() {
    let app = TestApp::start(vec![script()]).await;
    let session = app.session().await;
    let mut first = Reader::new(session);
    let mut socket = first.attach(&app.url).await.unwrap();
    let turn_id = first.send(&mut socket, "think", "m", "auto").await.unwrap();
    let http = nanobot_tests::app::http();
    let mut joined = Vec::new();
    while first.turn(turn_id).is_none_or(|turn| turn.stop_reason.is_none()) {
        first.frames(&mut socket, 1).await.unwrap();
        if joined.len() < 40 {
            // One begins at the beginning, one at the turns as they are read, one where another stands.
            let (turns, head) = nanobot_tests::home::turns(&http, &app.url, session).await.unwrap();
            let mut views = [Reader::new(session), Reader::new(session), Reader::new(session)];
            views[1].view.fold = Fold::starting_at(head, turns);
            views[2].view.fold = first.view.fold.clone();
            for mut reader in views {
                let socket = reader.attach(&app.url).await.unwrap();
                assert_eq!(reader.reloads, 0);
                joined.push((reader, socket));
            }
        }
    }
    assert!(joined.len() >= 12, "{}", joined.len());
    for (index, (mut reader, mut socket)) in joined.into_iter().enumerate() {
        reader.until_end(&mut socket, turn_id).await.unwrap();
        assert_eq!(exact(&reader.view.fold.turns), exact(&first.view.fold.turns), "reader {index}");
    }
    app.stop().await;
}
