//! The WebSocket as docs/PROTOCOL.md describes it: every command and its answer, order, cursors, and what is refused.

use nanobot_engine::event::EventBody;
use nanobot_engine::fold::{Fold, Outcome};
use nanobot_engine::id::SessionId;
use nanobot_runtime::FeedItem;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::client::{Client, View};
use nanobot_tests::scripted::{Chunk, Reply, Script};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

const NOBODY: &str = "018f0000-0000-7000-8000-000000000000";

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

async fn app(replies: Vec<Reply>) -> TestApp {
    TestApp::start(vec![script("", replies)]).await
}

/// Commands that fail give an error frame; the socket goes on.
async fn refused(socket: &mut Client, frame: Value) -> Value {
    socket.send(frame).await.expect("sent");
    socket.wait_for("error").await.expect("an error frame")
}

fn kinds(frames: &[Value]) -> Vec<&str> {
    frames.iter().filter_map(|frame| frame["event"].as_str()).filter(|event| *event != "sessions_changed").collect()
}

#[tokio::test]
async fn every_command_has_the_documented_answer() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let ready = socket.ready.clone();
    assert_eq!(ready["protocol"], 1);
    assert_eq!(ready["limits"], json!({"max_frame_bytes": 4_194_304, "max_message_chars": 1_000_000}));
    assert_eq!(ready["boot_id"], app.runtime.boot_id().to_string());
    assert!(ready["client_id"].is_string() && ready["chat_id"].is_string() && ready["server_version"].is_string());

    socket.send(json!({"type": "ping"})).await.expect("sent");
    assert_eq!(socket.frame().await.expect("pong"), json!({"event": "pong"}));

    socket.send(json!({"type": "new_chat", "title": "Plans"})).await.expect("sent");
    let attached = socket.wait_for("attached").await.expect("attached");
    let chat_id = attached["chat_id"].clone();
    let expected = json!({
        "event": "attached", "chat_id": chat_id, "head_seq": 0, "boot_id": ready["boot_id"], "mode": "replay",
        "state": "idle"
    });
    assert_eq!(attached, expected);
    let session = app.get(&format!("/api/v1/sessions/{}", chat_id.as_str().expect("an id"))).await;
    assert_eq!((&session["title"], &session["title_source"]), (&json!("Plans"), &json!("user")));

    socket
        .send(json!({"type": "message", "chat_id": chat_id, "content": "hello", "client_message_id": "m1"}))
        .await
        .expect("sent");
    let accepted = socket.wait_for("accepted").await.expect("accepted");
    assert_eq!(accepted["client_message_id"], "m1");
    assert_eq!(accepted["position"], 0);
    let turn_id = accepted["turn_id"].clone();
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!((&finished["turn_id"], &finished["stop_reason"]), (&turn_id, &json!("completed")));

    socket.send(json!({"type": "retry", "chat_id": chat_id, "turn_id": turn_id})).await.expect("sent");
    let again = socket.wait_for("accepted").await.expect("accepted");
    assert_ne!(again["turn_id"], turn_id);
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!(finished["turn_id"], again["turn_id"]);
    socket.wait_for("session_updated").await.expect("idle");

    let head = app.get(&format!("/api/v1/sessions/{}", chat_id.as_str().expect("an id"))).await["head_seq"].clone();
    socket.send(json!({"type": "attach", "chat_id": chat_id, "after_seq": head})).await.expect("sent");
    let attached = socket.wait_for("attached").await.expect("attached");
    assert_eq!(
        (&attached["head_seq"], &attached["mode"], &attached["state"]),
        (&head, &json!("replay"), &json!("idle"))
    );

    let error = refused(&mut socket, json!({"type": "stop", "chat_id": chat_id})).await;
    assert_eq!((&error["code"], &error["chat_id"]), (&json!("not_running"), &chat_id));
    socket.send(json!({"type": "detach", "chat_id": chat_id})).await.expect("sent");
    assert_eq!(kinds(&socket.until_pong().await.expect("pong")), Vec::<&str>::new());
}

#[tokio::test]
async fn stop_is_answered_by_the_end_of_the_turn() {
    let app = app(vec![Reply { hang: true, ..Reply::text(&["half"]) }]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    let turn = socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    let attached = socket.attach(session, 0).await.expect("attached");
    assert_eq!((&attached["state"], &attached["turn_id"]), (&json!("running"), &json!(turn)));
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!((&finished["turn_id"], &finished["stop_reason"]), (&json!(turn), &json!("cancelled")));
}

#[tokio::test]
async fn plain_text_and_frames_without_type_go_to_the_connections_own_chat() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let own = socket.ready["chat_id"].clone();
    let texts = [
        ("one", "one"),
        (r#""two""#, "two"),
        (r#"{"content": "three"}"#, "three"),
        (r#"{"text": "four"}"#, "four"),
        (r#"{"message": "five"}"#, "five"),
        ("the answer is {42}", "the answer is {42}"),
    ];
    for (frame, said) in texts {
        socket.text(frame).await.expect("sent");
        let message = socket.wait_for("user_message").await.expect("a message");
        assert_eq!((&message["chat_id"], &message["text"]), (&own, &json!(said)), "{frame}");
        let finished = socket.wait_for("turn_finished").await.expect("the end");
        assert_eq!(finished["stop_reason"], "completed");
        socket.wait_for("session_updated").await.expect("idle");
    }
    // What begins like an object and is no JSON is a frame that was cut, not something to say.
    for cut in [r#"{"content": "#, r#"{"type":"mess"#, "{"] {
        socket.text(cut).await.expect("sent");
        assert_eq!(socket.wait_for("error").await.expect("an error")["code"], "bad_frame", "{cut}");
    }
    let sessions = app.get("/api/v1/sessions").await;
    assert_eq!(sessions["items"].as_array().expect("items").len(), 1);
}

#[tokio::test]
async fn empty_plain_text_makes_no_session() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    for frame in ["", "  \n ", r#"{"content": ""}"#, r#""""#] {
        socket.text(frame).await.expect("sent");
        assert_eq!(socket.wait_for("error").await.expect("an error")["code"], "empty_message", "{frame:?}");
    }
    assert_eq!(app.get("/api/v1/sessions").await["items"], json!([]));
}

#[tokio::test]
async fn a_malformed_frame_gets_an_error_and_the_socket_stays_open() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let chat = socket.new_chat().await.expect("a chat");
    let cases = [
        (json!([1, 2]), "bad_frame"),
        (json!(42), "bad_frame"),
        (json!(null), "bad_frame"),
        (json!(true), "bad_frame"),
        (json!({}), "bad_frame"),
        (json!({"content": 5}), "bad_frame"),
        (json!({"type": 7}), "bad_frame"),
        (json!({"type": null}), "bad_frame"),
        (json!({"type": "nope"}), "unknown_type"),
        (json!({"type": "PING"}), "unknown_type"),
        (json!({"type": "x".repeat(10_000)}), "unknown_type"),
        (json!({"type": "attach"}), "bad_field"),
        (json!({"type": "attach", "chat_id": "x"}), "bad_field"),
        (json!({"type": "attach", "chat_id": chat, "after_seq": -1}), "bad_field"),
        (json!({"type": "attach", "chat_id": chat, "after_seq": "1"}), "bad_field"),
        (json!({"type": "attach", "chat_id": chat, "after_seq": 1.5}), "bad_field"),
        (json!({"type": "detach"}), "bad_field"),
        (json!({"type": "stop", "chat_id": 1}), "bad_field"),
        (json!({"type": "retry", "chat_id": chat}), "bad_field"),
        (json!({"type": "retry", "chat_id": chat, "turn_id": "x"}), "bad_field"),
        (json!({"type": "new_chat", "title": 5}), "bad_field"),
        (json!({"type": "new_chat", "preset": "nope"}), "unknown_preset"),
        (json!({"type": "new_chat", "workspace": "relative"}), "bad_workspace"),
        (json!({"type": "message", "chat_id": chat}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": 5}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": "x", "mode": "shout"}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": "x", "parent_message_id": "x"}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": "x", "attachments": "a"}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": "x", "attachments": ["a"]}), "bad_field"),
        (json!({"type": "message", "chat_id": chat, "content": " \n"}), "empty_message"),
        (json!({"type": "message", "chat_id": chat, "content": "x", "preset": "nope"}), "unknown_preset"),
        (json!({"type": "message", "chat_id": chat, "content": "x".repeat(1_000_001)}), "message_too_long"),
        (json!({"type": "approve", "approval_id": "x", "decision": "deny"}), "bad_field"),
        (json!({"type": "approve", "approval_id": chat, "decision": "maybe"}), "bad_field"),
        (json!({"type": "approve", "approval_id": chat, "decision": "deny"}), "not_found"),
        (json!({"type": "cancel_subagent", "task_id": "x"}), "not_found"),
    ];
    for (frame, code) in cases {
        let error = refused(&mut socket, frame.clone()).await;
        assert_eq!(error["code"], code, "{} {error}", nanobot_engine::text::head(&frame.to_string(), 200));
        assert!(error["detail"].as_str().is_some_and(|detail| !detail.is_empty() && detail.len() < 500), "{error}");
    }
    socket.raw(Message::binary(vec![0, 159, 146, 150])).await.expect("sent");
    assert_eq!(socket.wait_for("error").await.expect("an error")["code"], "bad_frame");

    let frame = json!({"type": "message", "chat_id": chat, "content": "", "client_message_id": "m7"});
    let error = refused(&mut socket, frame).await;
    assert_eq!((&error["client_message_id"], &error["chat_id"]), (&json!("m7"), &json!(chat)));
    assert_eq!(kinds(&socket.until_pong().await.expect("pong")), Vec::<&str>::new());
    assert_eq!(app.get(&format!("/api/v1/sessions/{chat}/turns")).await["items"], json!([]));
}

#[tokio::test]
async fn a_frame_at_the_limit_is_read_and_one_over_it_closes_with_1009() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let limit = 4 * 1024 * 1024;
    let wrap = |length: usize| {
        let start = r#"{"type":"ping","pad":""#;
        format!("{start}{}\"}}", "x".repeat(length - start.len() - 2))
    };
    socket.text(&wrap(limit)).await.expect("sent");
    assert_eq!(socket.frame().await.expect("pong")["event"], "pong");
    // The server may close before it has taken everything.
    let _ = socket.text(&wrap(limit + 1)).await;
    assert_eq!(socket.closed().await.expect("a close frame"), 1009);
}

#[tokio::test]
async fn text_that_is_no_utf8_closes_with_1007() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let frame = Frame::message(vec![b'a', 0xff, 0xfe], OpCode::Data(Data::Text), true);
    socket.raw(Message::Frame(frame)).await.expect("sent");
    assert_eq!(socket.closed().await.expect("a close frame"), 1007);
    app.socket().await.until_pong().await.expect("the server goes on");
}

#[tokio::test]
async fn unknown_chats_are_named_as_such() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    for frame in [
        json!({"type": "attach", "chat_id": NOBODY}),
        json!({"type": "message", "chat_id": NOBODY, "content": "x"}),
        json!({"type": "stop", "chat_id": NOBODY}),
    ] {
        let error = refused(&mut socket, frame.clone()).await;
        assert_eq!((&error["code"], &error["chat_id"]), (&json!("no_session"), &json!(NOBODY)), "{frame}");
    }
    let chat = socket.new_chat().await.expect("a chat");
    let error = refused(&mut socket, json!({"type": "retry", "chat_id": chat, "turn_id": NOBODY})).await;
    assert_eq!(error["code"], "not_found");
    socket.send(json!({"type": "detach", "chat_id": NOBODY})).await.expect("sent");
    assert_eq!(kinds(&socket.until_pong().await.expect("pong")), Vec::<&str>::new());
}

/// WS-03: a client that does not know whether its message arrived sends it again.
#[tokio::test]
async fn a_hundred_messages_sent_twice_make_a_hundred_turns() {
    let app = app(vec![Reply::text(&["ok"])]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    for number in 0..100 {
        let id = format!("m{number}");
        let frame = json!({
            "type": "message", "chat_id": session, "content": format!("message {number}"), "client_message_id": id
        });
        socket.send(frame.clone()).await.expect("sent");
        socket.send(frame).await.expect("sent");
    }
    let mut answers: Vec<Vec<Value>> = vec![Vec::new(); 100];
    let mut ended = Vec::new();
    while ended.len() < 100 || answers.iter().any(|answers| answers.len() < 2) {
        let frame = socket.frame().await.expect("a frame");
        if frame["event"] == "accepted" {
            let number: usize = frame["client_message_id"].as_str().expect("id")[1..].parse().expect("a number");
            answers[number].push(json!([frame["message_id"], frame["turn_id"]]));
        } else if frame["event"] == "turn_finished" {
            ended.push(frame["turn_id"].clone());
        } else {
            assert_ne!(frame["event"], "error", "{frame}");
        }
    }
    for answers in &answers {
        assert_eq!(answers[0], answers[1]);
    }
    let in_order: Vec<Value> = answers.iter().map(|answers| answers[0][1].clone()).collect();
    assert_eq!(ended, in_order, "turns ran in the order of their messages");
    assert_eq!(app.model.requests().len(), 100);
    let turns = app.get(&format!("/api/v1/sessions/{session}/turns?limit=200")).await;
    let ids: Vec<Value> = turns["items"].as_array().expect("turns").iter().map(|turn| turn["id"].clone()).collect();
    assert_eq!(ids, in_order);
}

#[tokio::test]
async fn a_message_sent_again_gets_its_answer_also_when_the_queue_is_full() {
    let app = app(vec![Reply { hang: true, ..Reply::text(&["never"]) }]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    let message = |number: u32| {
        json!({
            "type": "message", "chat_id": session, "content": "x", "client_message_id": format!("m{number}")
        })
    };
    let mut first = Vec::new();
    for number in 0..=100 {
        socket.send(message(number)).await.expect("sent");
        let accepted = socket.wait_for("accepted").await.expect("accepted");
        assert_eq!(accepted["position"], number);
        first.push(accepted);
    }
    let error = refused(&mut socket, message(101)).await;
    assert_eq!((&error["code"], &error["client_message_id"]), (&json!("queue_full"), &json!("m101")));
    for number in [0, 1, 50, 100] {
        socket.send(message(number)).await.expect("sent");
        let again = loop {
            let frame = socket.frame().await.expect("an answer");
            if frame["event"] == "accepted" || frame["event"] == "error" {
                break frame;
            }
        };
        assert_eq!(again, first[number as usize]);
    }
}

#[tokio::test]
async fn events_of_a_turn_come_in_order_and_each_names_the_one_before() {
    let calls =
        Reply::calls(&[("c1", "list_dir", json!({}))]).after(vec![Chunk::reasoning("Hm."), Chunk::text("Look.")]);
    let app = app(vec![calls, Reply::text(&["All ", "done."])]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    socket.message(session, "go").await.expect("accepted");
    let mut frames = vec![];
    while frames.last().is_none_or(|frame: &Value| frame.get("title").is_none()) {
        let frame = socket.frame().await.expect("a frame");
        if frame.get("seq").is_some() {
            frames.push(frame);
        }
    }
    // Frames may have come before `accepted`; read them all again from the start.
    socket.attach(session, 0).await.expect("attached");
    let mut replayed: Vec<Value> = Vec::new();
    while replayed.last().is_none_or(|frame| frame.get("title").is_none()) {
        replayed.push(socket.frame().await.expect("a frame"));
    }
    let mut last = 0;
    for frame in &replayed {
        assert_eq!(frame["prev_seq"], last, "{frame}");
        assert!(frame["seq"].as_u64() > Some(last) && frame["at"].is_i64() && frame["chat_id"] == json!(session));
        last = frame["seq"].as_u64().expect("a number");
    }
    let names = kinds(&replayed);
    assert_eq!(
        names,
        [
            "user_message",
            "turn_started",
            "iteration_started",
            "reasoning_delta",
            "reasoning_end",
            "delta",
            "stream_end",
            "usage",
            "tool_started",
            "tool_finished",
            "iteration_started",
            "delta",
            "stream_end",
            "usage",
            "message",
            "turn_finished",
            "session_updated",
            "session_updated",
        ]
    );
    assert_eq!(replayed[16]["state"], "idle");
    assert!(frames.iter().all(|frame| frame["seq"].as_u64() <= Some(last)));
}

#[tokio::test]
async fn coalescing_loses_no_character() {
    let pieces: Vec<String> = (0..600).map(|n| format!("{}的é👩‍👩‍👧 ", n % 10)).collect();
    let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let thoughts = pieces.iter().map(|piece| Chunk::reasoning(piece)).collect();
    let app = app(vec![Reply::text(&refs).after(thoughts)]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    socket.send(json!({"type": "message", "chat_id": session, "content": "go"})).await.expect("sent");
    let (mut said, mut thought, mut frames, mut view) = (String::new(), String::new(), 0, View::default());
    loop {
        let frame = socket.frame().await.expect("a frame");
        view.take(&frame).expect("no gap");
        match frame["event"].as_str() {
            Some("delta") => {
                frames += 1;
                said += frame["text"].as_str().expect("text");
            }
            Some("reasoning_delta") => thought += frame["text"].as_str().expect("text"),
            Some("reasoning_end") => assert_eq!(frame["chars"], thought.chars().count()),
            Some("stream_end") => assert_eq!(frame["chars"], said.chars().count()),
            Some("message") => assert_eq!(frame["text"], said),
            Some("turn_finished") => break,
            _ => {}
        }
    }
    let whole = pieces.concat();
    assert_eq!((said.as_str(), thought.as_str()), (whole.as_str(), whole.as_str()));
    assert!(frames < 600, "{frames} frames for 600 pieces");
}

/// A reader may have stopped anywhere, also inside a frame that was joined from several pieces.
#[tokio::test]
async fn a_replay_from_every_number_of_a_turn_gives_the_same_view() {
    let pieces: Vec<String> = (0..40).map(|n| format!("piece {n} 的 ")).collect();
    let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let calls = Reply::calls(&[("c1", "list_dir", json!({})), ("c2", "nope", json!({}))])
        .after(pieces.iter().map(|piece| Chunk::reasoning(piece)).collect());
    let app = app(vec![calls, Reply::text(&refs)]).await;
    let session = app.session().await;
    let mut feed = app.runtime.attach(session, 0).await.expect("a session").feed;
    app.ask(session, "go").await;
    let mut live = Vec::new();
    loop {
        let FeedItem::Event(event) = feed.next().await.expect("an event") else { panic!("the feed ended") };
        let titled = matches!(event.body, EventBody::SessionUpdated { title: Some(_), .. });
        live.push(event);
        if titled {
            break;
        }
    }
    let deltas = live.iter().filter(|event| event.body.as_delta().is_some()).count();
    assert_eq!(deltas, 80, "the feed shows every piece");
    let mut whole = Fold::default();
    for event in &live {
        assert_eq!(whole.apply(event), Outcome::Applied);
    }
    let mut socket = app.socket().await;
    for stop in 0..=live.len() {
        let mut view = View::default();
        for event in &live[..stop] {
            view.fold.apply(event);
        }
        let attached = socket.attach(session, view.fold.seq).await.expect("attached");
        assert_eq!(attached["mode"], "replay");
        while view.fold.seq < whole.seq {
            view.take(&socket.frame().await.expect("a frame")).expect("no gap");
        }
        assert_eq!(view.fold.turns, whole.turns, "after {stop} events");
    }
    // What REST serves is the same fold.
    let page = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    let mut shown = serde_json::to_value(&whole.turns).expect("turns");
    shown[0]["user"] = page["items"][0]["user"].clone();
    assert_eq!(page["items"], shown);
    assert_eq!(page["head_seq"], whole.seq);
}

#[tokio::test]
async fn a_number_that_was_never_given_out_gets_reload_and_no_events() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let mut socket = app.socket().await;
    for after_seq in [500, 1_000_000, u64::MAX >> 1] {
        let attached = socket.attach(session, after_seq).await.expect("attached");
        assert_eq!(attached["mode"], "reload", "{after_seq}");
    }
    app.ask(session, "again").await;
    assert_eq!(kinds(&socket.until_pong().await.expect("pong")), Vec::<&str>::new());
    let head = app.get(&format!("/api/v1/sessions/{session}/turns")).await["head_seq"].as_u64().expect("a number");
    assert_eq!(socket.attach(session, head).await.expect("attached")["mode"], "replay");
    app.ask(session, "once more").await;
    assert_eq!(socket.wait_for("user_message").await.expect("a message")["prev_seq"], head);
}

#[tokio::test]
async fn every_connection_is_told_when_the_list_of_sessions_changed() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let session = app.session().await;
    assert_eq!(socket.wait_for("sessions_changed").await.expect("told"), json!({"event": "sessions_changed"}));
    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(app.request("PATCH", &path, Some(json!({"title": "Named"}))).await.0, 200);
    socket.wait_for("sessions_changed").await.expect("told of the name");
    app.ask(session, "go").await;
    socket.wait_for("sessions_changed").await.expect("told of the turn");
    assert_eq!(app.request("DELETE", &path, None).await.0, 204);
    socket.wait_for("sessions_changed").await.expect("told of the deletion");
    assert_eq!(app.request("POST", &format!("{path}/restore"), None).await.0, 200);
    socket.wait_for("sessions_changed").await.expect("told of the restoration");
}

#[tokio::test]
async fn after_detach_nothing_more_comes() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let (mut socket, session) = (app.socket().await, app.session().await);
    socket.attach(session, 0).await.expect("attached");
    app.ask(session, "one").await;
    socket.wait_for("turn_finished").await.expect("events");
    socket.send(json!({"type": "detach", "chat_id": session})).await.expect("sent");
    socket.until_pong().await.expect("pong");
    app.ask(session, "two").await;
    assert_eq!(kinds(&socket.until_pong().await.expect("pong")), Vec::<&str>::new());
}

#[tokio::test]
async fn two_sockets_on_one_session_see_the_same() {
    let pieces: Vec<String> = (0..200).map(|n| format!("{n} ")).collect();
    let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let app = app(vec![Reply::text(&refs).paced(1)]).await;
    let (mut one, mut two) = (app.socket().await, app.socket().await);
    let session = one.new_chat().await.expect("a chat");
    two.attach(session, 0).await.expect("attached");
    one.send(json!({"type": "message", "chat_id": session, "content": "from one"})).await.expect("sent");
    let (mut first, mut second) = (View::default(), View::default());
    first.until_idle(&mut one).await.expect("the end");
    // The other one reads late, and then sends.
    second.until_idle(&mut two).await.expect("the end");
    assert_eq!(first.fold.turns, second.fold.turns);
    two.send(json!({"type": "message", "chat_id": session, "content": "from two"})).await.expect("sent");
    first.until_idle(&mut one).await.expect("the end");
    second.until_idle(&mut two).await.expect("the end");
    assert_eq!(first.fold.turns, second.fold.turns);
    assert_eq!(first.fold.turns.len(), 2);
}

/// WS-09: the turn does not depend on who looks at it.
#[tokio::test]
async fn closing_the_socket_does_not_end_the_turn() {
    let app = app(vec![Reply::text(&["a ", "b ", "c ", "d "]).paced(30)]).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    socket.send(json!({"type": "message", "chat_id": session, "content": "go"})).await.expect("sent");
    let mut view = View::default();
    loop {
        let frame = socket.frame().await.expect("a frame");
        view.take(&frame).expect("no gap");
        if frame["event"] == "delta" {
            break;
        }
    }
    drop(socket);
    let mut socket = app.socket().await;
    socket.attach(session, view.fold.seq).await.expect("attached");
    view.until_idle(&mut socket).await.expect("the end");
    let page = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    assert_eq!(page["items"][0]["state"], "done");
    assert_eq!(page["items"][0]["parts"], serde_json::to_value(&view.fold.turns[0].parts).expect("parts"));
}

/// WS-07: what is stored is what was streamed.
#[tokio::test]
async fn the_answer_after_several_rounds_of_tools_is_stored_as_it_was_streamed() {
    let steps: Vec<Value> = include_str!("../fixtures/cases/ws-final-after-tools.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a step"))
        .collect();
    let answer = "All is well. ".repeat(60)[..779].to_owned();
    let mut replies = Vec::new();
    for step in &steps {
        if let Some(calls) = step["calls"].as_array() {
            let id = format!("c{}", step["model"]);
            let calls: Vec<_> =
                calls.iter().map(|call| (id.as_str(), call.as_str().expect("a name"), json!({}))).collect();
            replies.push(Reply::calls(&calls));
        } else if step.get("text").is_some() {
            replies.push(Reply::text(&[&answer[..1], &answer[1..400], &answer[400..]]));
        }
    }
    let options = Options {
        tools: vec![
            std::sync::Arc::new(nanobot_tests::tools::Canned::new("lookup", &["found"])),
            std::sync::Arc::new(nanobot_tests::tools::Canned::new("lookup2", &["found"])),
        ],
        ..Options::default()
    };
    let app = TestApp::with(vec![script("", replies)], options).await;
    let mut socket = app.socket().await;
    let session = socket.new_chat().await.expect("a chat");
    socket.send(json!({"type": "message", "chat_id": session, "content": "go"})).await.expect("sent");
    let mut streamed = String::new();
    let message = loop {
        let frame = socket.frame().await.expect("a frame");
        match frame["event"].as_str() {
            Some("delta") => streamed += frame["text"].as_str().expect("text"),
            Some("message") => break frame,
            _ => {}
        }
    };
    assert_eq!(streamed, answer);
    assert_eq!(message["text"], answer);
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    let last = rows["items"].as_array().expect("rows").last().expect("a row").clone();
    assert_eq!((&last["id"], &last["content"]), (&message["message_id"], &json!(answer)));
}

/// SS-05: a deleted session does not come back, and who looks at it is told.
#[tokio::test]
async fn a_session_deleted_while_it_runs_ends_for_its_readers_and_stays_gone() {
    let home = tempfile::tempdir().expect("a folder");
    let options = || Options { home: Some(home.path().to_owned()), ..Options::default() };
    let scripts = || vec![script("", vec![Reply { hang: true, ..Reply::text(&["half"]) }])];
    let app = TestApp::with(scripts(), options()).await;
    let mut socket = app.socket().await;
    let session: SessionId = socket.new_chat().await.expect("a chat");
    socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    let path = format!("/api/v1/sessions/{session}");
    assert_eq!(app.request("DELETE", &path, None).await.0, 204);
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert_eq!(finished["stop_reason"], "cancelled");
    let error = socket.wait_for("error").await.expect("told");
    assert_eq!((&error["code"], &error["chat_id"]), (&json!("no_session"), &json!(session)));
    for frame in [
        json!({"type": "attach", "chat_id": session}),
        json!({"type": "message", "chat_id": session, "content": "still there?"}),
    ] {
        assert_eq!(refused(&mut socket, frame).await["code"], "no_session");
    }
    for (method, path) in [
        ("GET", path.clone()),
        ("GET", format!("{path}/turns")),
        ("GET", format!("{path}/messages")),
        ("GET", format!("{path}/events")),
        ("DELETE", path.clone()),
        ("PATCH", path.clone()),
        ("POST", format!("{path}/stop")),
    ] {
        assert_eq!(app.request(method, &path, None).await.0, 404, "{method} {path}");
    }
    app.stop().await;

    let app = TestApp::with(scripts(), options()).await;
    assert_eq!(app.get("/api/v1/sessions").await["items"], json!([]));
    assert_eq!(app.request("POST", &format!("{path}/restore"), None).await.0, 200);
    let turns = app.get(&format!("{path}/turns")).await;
    assert_eq!(
        (&turns["items"][0]["state"], turns["items"][0]["parts"][0]["text"].as_str()),
        (&json!("cancelled"), Some("half"))
    );
}

#[tokio::test]
async fn one_connection_attaches_256_sessions_and_no_more() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let mut socket = app.socket().await;
    let mut chats = Vec::new();
    for _ in 0..256 {
        chats.push(socket.new_chat().await.expect("a chat"));
    }
    let one_more = app.session().await;
    let error = refused(&mut socket, json!({"type": "attach", "chat_id": one_more})).await;
    assert_eq!((&error["code"], &error["chat_id"]), (&json!("too_many_attached"), &json!(one_more)));
    socket.attach(chats[0], 0).await.expect("one that is attached already");
    socket.send(json!({"type": "detach", "chat_id": chats[0]})).await.expect("sent");
    socket.attach(one_more, 0).await.expect("there is room again");
    app.ask(chats[255], "go").await;
    assert_eq!(socket.wait_for("user_message").await.expect("events")["chat_id"], json!(chats[255]));
}

#[tokio::test]
async fn an_edit_over_the_socket_names_its_siblings_to_everybody() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let (mut socket, mut other) = (app.socket().await, app.socket().await);
    let session = socket.new_chat().await.expect("a chat");
    other.attach(session, 0).await.expect("attached");
    socket.message(session, "one").await.expect("accepted");
    let first = other.wait_for("user_message").await.expect("a message");
    assert_eq!((&first["parent_id"], first.get("branch")), (&Value::Null, None));
    other.wait_for("turn_finished").await.expect("the end");
    socket.wait_for("session_updated").await.expect("idle");
    let edit = json!({"type": "message", "chat_id": session, "content": "one, edited", "parent_message_id": null, "preset": "default"});
    socket.send(edit).await.expect("sent");
    let accepted = socket.wait_for("accepted").await.expect("accepted");
    let second = other.wait_for("user_message").await.expect("a message");
    assert_eq!((&second["message_id"], &second["text"]), (&accepted["message_id"], &json!("one, edited")));
    let siblings = json!([first["message_id"], accepted["message_id"]]);
    assert_eq!(second["branch"], json!({"index": 1, "count": 2, "siblings": siblings}));
    let finished = other.wait_for("turn_finished").await.expect("the end");
    assert_eq!(finished["turn_id"], accepted["turn_id"]);
    // Without the field the message follows the branch; then nothing is said of siblings.
    other.wait_for("session_updated").await.expect("idle");
    socket.send(json!({"type": "message", "chat_id": session, "content": "two"})).await.expect("sent");
    let third = other.wait_for("user_message").await.expect("a message");
    assert_eq!(third.get("branch"), None);
    assert!(third["parent_id"].is_string());
}

/// WS-02: whoever has seen the end of a turn never finds the session still at work.
#[tokio::test]
async fn once_the_end_of_a_turn_was_seen_the_session_is_idle() {
    let app = app(vec![Reply::text(&["hi"])]).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.attach(session, 0).await.expect("attached");
    for round in 0..30 {
        socket.send(json!({"type": "message", "chat_id": session, "content": "go"})).await.expect("sent");
        let finished = socket.wait_for("turn_finished").await.expect("the end");
        let seq = finished["seq"].as_u64().expect("a number");
        let attached = socket.attach(session, seq).await.expect("attached");
        assert_eq!((&attached["state"], attached.get("turn_id")), (&json!("idle"), None), "round {round}");
        let view = app.get(&format!("/api/v1/sessions/{session}")).await;
        assert_eq!((&view["state"], view.get("running_turn_id")), (&json!("idle"), None), "round {round}");
        let updated = socket.wait_for("session_updated").await.expect("idle");
        assert_eq!(updated["prev_seq"], seq);
    }
}

/// Whoever sent something that does not fit is told which of their commands it was.
#[tokio::test]
async fn an_error_about_a_field_names_the_command_it_is_about() {
    let app = TestApp::start(Vec::new()).await;
    let session = app.session().await;
    let mut client = app.socket().await;
    let id = "01990000-0000-7000-8000-000000000001";
    client.send(json!({"type": "approve", "approval_id": id, "decision": "yes"})).await.expect("sent");
    let error = client.wait_for("error").await.expect("an error");
    assert_eq!((&error["code"], &error["approval_id"]), (&json!("bad_field"), &json!(id)));
    let words = error["detail"].as_str().expect("words");
    assert!(words.starts_with("approve: must be one of `allow_once`") && words.ends_with("not `yes`"), "{words}");
    let message = json!({"type": "message", "chat_id": session, "content": 5, "client_message_id": "m"});
    client.send(message).await.expect("sent");
    let error = client.wait_for("error").await.expect("an error");
    assert_eq!((&error["chat_id"], &error["client_message_id"]), (&json!(session), &json!("m")));
    assert_eq!(error["detail"], "message: must be text, not 5");
}

/// A client that floods is told to slow down; the server goes on.
#[tokio::test]
async fn a_flood_of_frames_ends_the_socket_with_4429() {
    let app = TestApp::start(Vec::new()).await;
    let mut client = app.socket().await;
    for _ in 0..1_100 {
        if client.send(serde_json::json!({"type": "ping"})).await.is_err() {
            break;
        }
    }
    assert_eq!(client.closed().await.expect("a close"), 4429);
    app.socket().await.until_pong().await.expect("another socket works");
}

/// The same key names the same session.
#[tokio::test]
async fn new_chat_with_a_key_makes_one_session() {
    let app = TestApp::start(Vec::new()).await;
    let mut client = app.socket().await;
    let mut made = Vec::new();
    for _ in 0..2 {
        client.send(serde_json::json!({"type": "new_chat", "idempotency_key": "k"})).await.expect("sent");
        made.push(client.wait_for("attached").await.expect("attached")["chat_id"].clone());
    }
    assert_eq!(made[0], made[1]);
    assert_eq!(app.get("/api/v1/sessions").await["items"].as_array().map(Vec::len), Some(1));
}
