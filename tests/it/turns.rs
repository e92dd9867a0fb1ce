//! Turns over REST: waiting, streaming, paging, queueing, steering, stopping, branching, and what is refused.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;
use futures_util::StreamExt;
use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, RunContext, RunEnd};
use nanobot_engine::id::SessionId;
use nanobot_runtime::FeedItem;
use nanobot_tests::app::{Options, TestApp, http};
use nanobot_tests::legal;
use nanobot_tests::scripted::{Chunk, Reply, Script};
use nanobot_tests::tools::Gate;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

const NOBODY: &str = "018f0000-0000-7000-8000-000000000000";
const JSON: (&str, &str) = ("content-type", "application/json");

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

fn hang(text: &str) -> Reply {
    Reply { hang: true, ..Reply::text(&[text]) }
}

/// Answers "answer to …" to a few known messages, and "ok" to all others.
fn echo() -> Vec<Script> {
    let mut scripts: Vec<Script> = ["one", "two", "three", "four"]
        .iter()
        .map(|word| script(word, vec![Reply::text(&["answer to ", word])]))
        .collect();
    scripts.push(script("", vec![Reply::text(&["ok"])]));
    scripts
}

/// A model that calls `gate` at "go" and then says "through".
async fn gated(mut more: Vec<Script>) -> (TestApp, Gate) {
    let gate = Gate::default();
    more.push(script("go", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["through"])]));
    more.push(script("", vec![Reply::text(&["ok"])]));
    let options = Options { tools: vec![Arc::new(gate.clone())], ..Options::default() };
    (TestApp::with(more, options).await, gate)
}

async fn send(app: &TestApp, session: SessionId, body: Value) -> Value {
    let (status, body) = app.request("POST", &format!("/api/v1/sessions/{session}/turns"), Some(body)).await;
    assert_eq!(status, 202, "{body}");
    body
}

async fn turns(app: &TestApp, session: SessionId) -> Vec<Value> {
    app.get(&format!("/api/v1/sessions/{session}/turns")).await["items"].as_array().expect("turns").clone()
}

async fn rows(app: &TestApp, session: SessionId) -> Vec<Value> {
    app.get(&format!("/api/v1/sessions/{session}/messages?limit=200")).await["items"].as_array().expect("rows").clone()
}

/// What the thread shows: who said what, and how each turn ended.
fn shown(turns: &[Value]) -> Vec<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    turns
        .iter()
        .map(|turn| {
            let parts = turn["parts"].as_array().into_iter().flatten();
            let said: String = parts.filter(|part| part["kind"] == "text").map(|part| text(&part["text"])).collect();
            (text(&turn["user"]["content"]), said, text(&turn["state"]))
        })
        .collect()
}

fn thread(expected: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    expected.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
}

#[tokio::test]
async fn wait_answers_with_the_end_of_the_turn_and_without_it_at_once() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let waited = app.ask(session, "one").await;
    assert_eq!((&waited["stop_reason"], &waited["message"]["content"]), (&json!("completed"), &json!("answer to one")));
    assert!(waited["usage"]["output_tokens"].as_u64() > Some(0) && waited.get("error").is_none(), "{waited}");
    let mut turn = app.get(&format!("/api/v1/turns/{}", waited["turn_id"].as_str().expect("an id"))).await;
    let inspection = turn.as_object_mut().and_then(|turn| turn.remove("inspection"));
    assert!(inspection.is_some(), "{turn}");
    assert_eq!(turn, turns(&app, session).await[0]);
    assert_eq!(turn["answer_id"], waited["message"]["id"]);

    let accepted = send(&app, session, json!({"content": "two", "client_message_id": "m2"})).await;
    assert_eq!((&accepted["client_message_id"], &accepted["position"]), (&json!("m2"), &json!(0)));
    let turn = app.ended(&accepted["turn_id"]).await;
    assert_eq!((&turn["user"]["id"], &turn["user"]["seq"]), (&accepted["message_id"], &accepted["seq"]));
    // The same message again, waiting this time: the same turn, which has ended.
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let body = json!({"content": "two", "client_message_id": "m2"});
    let (status, again) = app.request("POST", &path, Some(body)).await;
    assert_eq!((status, &again["turn_id"]), (200, &accepted["turn_id"]));
    assert_eq!(app.model.requests().len(), 2);
}

#[tokio::test]
async fn a_turn_can_be_followed_as_server_sent_events() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    app.ask(session, "two").await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let headers = [JSON, ("accept", "text/event-stream")];
    let answer = app.send("POST", &path, &headers, json!({"content": "one"}).to_string()).await;
    assert_eq!((answer.status, answer.header("content-type")), (200, "text/event-stream"));
    let events = parse_sse(&answer.text());
    let names: Vec<&str> = events.iter().map(|(_, event)| event["event"].as_str().unwrap_or_default()).collect();
    let joined = names.join(" ").replace("delta delta", "delta");
    assert_eq!(joined, "user_message turn_started iteration_started delta stream_end usage message turn_finished");
    let turn = &events[0].1["turn_id"];
    assert!(events.iter().all(|(id, event)| event["seq"] == *id && event["turn_id"] == *turn));
}

fn parse_sse(body: &str) -> Vec<(u64, Value)> {
    let blocks = body.split("\n\n").filter(|block| !block.is_empty() && !block.starts_with(':'));
    blocks
        .map(|block| {
            let (id, data) = block.split_once('\n').expect("id and data");
            let data = serde_json::from_str(data.strip_prefix("data: ").expect("data")).expect("JSON");
            (id.strip_prefix("id: ").expect("id").parse().expect("a number"), data)
        })
        .collect()
}

#[tokio::test]
async fn last_event_id_goes_on_behind_each_piece() {
    let pieces: Vec<String> = (0..25).map(|n| format!("piece {n} ")).collect();
    let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let app = TestApp::start(vec![script("", vec![Reply::text(&refs)])]).await;
    let session = app.session().await;
    let mut feed = app.runtime.attach(session, 0).await.expect("a session").feed;
    app.ask(session, "go").await;
    let mut numbers = vec![0];
    let mut texts = vec![String::new()];
    while texts.last().is_none_or(|text| text != "titled") {
        let FeedItem::Event(event) = feed.next().await.expect("an event") else { panic!("the feed ended") };
        let event_json = serde_json::to_value(&*event).expect("JSON");
        numbers.push(event.seq);
        let titled = event_json.get("title").is_some();
        texts.push(if titled { "titled".to_owned() } else { event.body.as_delta().map_or("", |d| d.1).to_owned() });
    }
    let head = *numbers.last().expect("numbers");
    assert_eq!(texts.iter().filter(|text| text.starts_with("piece")).count(), 25);
    for (place, after) in numbers.iter().enumerate().take(numbers.len() - 1) {
        let request = http().get(format!("{}/api/v1/sessions/{session}/events?after=0", app.url));
        let response = request.header("last-event-id", after.to_string()).send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        let mut body = response.bytes_stream();
        let mut seen = String::new();
        let events = loop {
            let bytes = tokio::time::timeout(Duration::from_secs(10), body.next()).await.expect("in time");
            seen += std::str::from_utf8(&bytes.expect("more").expect("bytes")).expect("UTF-8");
            if seen.ends_with("\n\n") && parse_sse(&seen).last().is_some_and(|(id, _)| *id == head) {
                break parse_sse(&seen);
            }
        };
        let mut last = *after;
        let mut text = String::new();
        for (id, event) in &events {
            assert_eq!(event["prev_seq"], last);
            last = *id;
            if event["event"] == "delta" {
                text += event["text"].as_str().expect("text");
            }
        }
        let rest: String = texts[place + 1..].iter().filter(|text| *text != "titled").map(String::as_str).collect();
        assert_eq!(text, rest, "after {after}");
    }
    let ahead = app.send("GET", &format!("/api/v1/sessions/{session}/events?after=999999999"), &[], "").await;
    assert_eq!((ahead.status, &ahead.json()["code"]), (409, &json!("too_far_behind")));
}

/// SS-06: pages lose and repeat nothing, and a cursor out of range is no error.
#[tokio::test]
async fn pages_hold_every_row_once_in_both_directions() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    for number in 0..12 {
        app.ask(session, &format!("message {number}")).await;
    }
    let all: Vec<Value> = rows(&app, session).await;
    assert_eq!(all.len(), 24);
    let path = format!("/api/v1/sessions/{session}/messages");
    for limit in [1, 5, 7, 24, 25] {
        let (mut back, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = app.get(&format!("{path}?limit={limit}{cursor}")).await;
            let items = page["items"].as_array().expect("items").clone();
            back.splice(0..0, items);
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&before_seq={next}"),
                None => break,
            }
        }
        assert_eq!(back, all, "backwards by {limit}");
        let (mut forth, mut cursor) = (Vec::new(), "0".to_owned());
        loop {
            let page = app.get(&format!("{path}?limit={limit}&after_seq={cursor}")).await;
            forth.extend(page["items"].as_array().expect("items").clone());
            match page["next_cursor"].as_str() {
                Some(next) => next.clone_into(&mut cursor),
                None => break,
            }
        }
        assert_eq!(forth, all, "forwards by {limit}");
    }
    assert_eq!(app.get(&format!("{path}?before_seq=999999999")).await["items"], json!(all));
    assert_eq!(app.get(&format!("{path}?after_seq=999999999")).await, json!({"items": [], "next_cursor": null}));
    assert_eq!(app.get(&format!("{path}?before_seq=0")).await, json!({"items": [], "next_cursor": null}));
    assert_eq!(app.get(&format!("{path}?limit=0")).await["items"], json!([all[23]]));
    assert_eq!(app.get(&format!("{path}?limit=100000")).await["items"], json!(all));

    let path = format!("/api/v1/sessions/{session}/turns");
    let whole = app.get(&path).await;
    assert_eq!((whole["items"].as_array().map(Vec::len), &whole["next_cursor"]), (Some(12), &Value::Null));
    let (mut back, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = app.get(&format!("{path}?limit=5{cursor}")).await;
        back.splice(0..0, page["items"].as_array().expect("items").clone());
        assert_eq!(page["head_seq"], whole["head_seq"]);
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&before={next}"),
            None => break,
        }
    }
    assert_eq!(json!(back), whole["items"]);
}

#[tokio::test]
async fn messages_wait_in_order_and_say_their_place() {
    let (app, gate) = gated(Vec::new()).await;
    let session = app.session().await;
    let first = send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    let mut waiting = Vec::new();
    for (place, (word, mode)) in [("alpha", "auto"), ("beta", "queue"), ("gamma", "auto")].iter().enumerate() {
        let accepted = send(&app, session, json!({"content": word, "mode": mode})).await;
        assert_eq!(accepted["position"], place + 1);
        waiting.push(accepted);
    }
    let listed = turns(&app, session).await;
    let expected = [("go", "", "running"), ("alpha", "", "queued"), ("beta", "", "queued"), ("gamma", "", "queued")];
    assert_eq!(shown(&listed), thread(&expected));
    let places: Vec<&Value> = listed.iter().map(|turn| &turn["queue_position"]).collect();
    assert_eq!(places, [&Value::Null, &json!(1), &json!(2), &json!(3)]);
    let session_view = app.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!((&session_view["state"], &session_view["running_turn_id"]), (&json!("running"), &first["turn_id"]));
    gate.open();
    app.ended(&waiting[2]["turn_id"]).await;
    let expected =
        [("go", "through", "done"), ("alpha", "ok", "done"), ("beta", "ok", "done"), ("gamma", "ok", "done")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    let last = app.model.requests().pop().expect("a request");
    legal::check(&last).expect("a legal request");
    let users: Vec<String> = legal::said(&last).into_iter().filter(|m| m.0 == "user").map(|m| m.1).collect();
    for (said, word) in users.iter().zip(["go", "alpha", "beta", "gamma"]) {
        assert!(said.starts_with(word), "{said}");
    }
}

#[tokio::test]
async fn a_steered_message_joins_the_running_turn_at_its_next_safe_point_exactly_once() {
    let (app, gate) = gated(vec![script("also check B", vec![Reply::text(&["A and B are checked"])])]).await;
    let session = app.session().await;
    let first = send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    let steer = json!({"content": "also check B", "mode": "steer", "client_message_id": "s1"});
    let accepted = send(&app, session, steer.clone()).await;
    assert_eq!((&accepted["turn_id"], &accepted["position"]), (&first["turn_id"], &json!(0)));
    let again = send(&app, session, steer).await;
    // WS-01: a page that is read now shows the message that waits.
    let waiting = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    let parts = waiting["items"][0]["parts"].as_array().expect("parts").clone();
    let steers: Vec<_> = parts.iter().filter(|part| part["kind"] == "steer").collect();
    assert_eq!((steers.len(), &steers[0]["text"]), (1, &json!("also check B")));
    assert_eq!(again["message_id"], accepted["message_id"]);
    assert_eq!(app.model.requests().len(), 1, "nothing is asked before the safe point");
    gate.open();
    let turn = app.ended(&first["turn_id"]).await;
    let kinds: Vec<&str> = turn["parts"].as_array().expect("parts").iter().filter_map(|p| p["kind"].as_str()).collect();
    assert_eq!(kinds, ["tool", "steer", "text"]);
    assert_eq!(turn["parts"][1]["message_id"], accepted["message_id"]);
    assert_eq!(turns(&app, session).await.len(), 1);

    let requests = app.model.requests();
    assert_eq!(requests.len(), 2);
    legal::check(&requests[1]).expect("a legal request");
    let said = legal::said(&requests[1]);
    assert_eq!(said.iter().filter(|(_, text)| text.contains("also check B")).count(), 1, "{said:?}");
    let roles: Vec<&str> = said.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "user"]);
    let roles: Vec<Value> = rows(&app, session).await.iter().map(|row| row["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "user", "assistant"]);
}

/// Holds a run after its answer was stored.
struct HoldAtEnd {
    reached: Semaphore,
    open: Semaphore,
}

#[async_trait]
impl AgentHook for HoldAtEnd {
    fn name(&self) -> &'static str {
        "hold"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::AfterRun])
    }
    async fn after_run(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.reached.add_permits(1);
        let _ = self.open.acquire().await;
        Ok(())
    }
}

#[tokio::test]
async fn a_steered_message_that_comes_too_late_gets_a_turn_of_its_own() {
    let hold = Arc::new(HoldAtEnd { reached: Semaphore::new(0), open: Semaphore::new(0) });
    let options = Options { hooks: vec![Arc::clone(&hold) as _], ..Options::default() };
    let app = TestApp::with(echo(), options).await;
    let session = app.session().await;
    let first = send(&app, session, json!({"content": "one"})).await;
    hold.reached.acquire().await.expect("a run that ends").forget();
    let late = json!({"content": "two", "mode": "steer", "client_message_id": "s1"});
    let accepted = send(&app, session, late.clone()).await;
    assert_eq!(accepted["turn_id"], first["turn_id"], "the turn was still running");
    hold.open.add_permits(10);
    app.ended(&first["turn_id"]).await;
    let again = send(&app, session, late).await;
    assert_eq!(again["message_id"], accepted["message_id"]);
    assert_ne!(again["turn_id"], first["turn_id"]);
    app.ended(&again["turn_id"]).await;
    let expected = [("one", "answer to one", "done"), ("two", "answer to two", "done")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    assert_eq!(app.model.requests().len(), 2);
}

#[tokio::test]
async fn steer_into_an_idle_session_starts_a_turn() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let accepted = send(&app, session, json!({"content": "one", "mode": "steer"})).await;
    app.ended(&accepted["turn_id"]).await;
    assert_eq!(shown(&turns(&app, session).await), thread(&[("one", "answer to one", "done")]));
}

#[tokio::test]
async fn stop_ends_a_hung_request_and_keeps_its_text() {
    let app = TestApp::start(vec![script("go", vec![hang("half an ")]), script("", vec![Reply::text(&["ok"])])]).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    let turn = socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    let since = Instant::now();
    let (status, body) = app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    assert_eq!((status, body), (200, json!({"stopped": true})));
    let stopped = app.ended(&json!(turn)).await;
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!((&stopped["state"], &stopped["stop_reason"]), (&json!("cancelled"), &json!("cancelled")));
    let kept = rows(&app, session).await;
    assert_eq!(kept.len(), 2);
    assert_eq!((&kept[1]["content"], &kept[1]["interrupted"]), (&json!("half an "), &json!(true)));
    app.ask(session, "and now?").await;
    let last = app.model.requests().pop().expect("a request");
    legal::check(&last).expect("a legal request");
    assert!(legal::said(&last)[2].1.contains("half an"), "{:?}", legal::said(&last));
}

#[tokio::test]
async fn stop_before_the_first_text_leaves_a_session_that_goes_on() {
    let silent = Reply { hang: true, ..Reply::default() };
    let app = TestApp::start(vec![script("and now?", vec![Reply::text(&["ok"])]), script("go", vec![silent])]).await;
    let session = app.session().await;
    let accepted = send(&app, session, json!({"content": "go"})).await;
    app.model.received(1).await;
    let (_, body) = app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    assert_eq!(body, json!({"stopped": true}));
    let turn = app.ended(&accepted["turn_id"]).await;
    assert_eq!(turn["parts"][0]["code"], "stopped");
    assert_eq!(app.ask(session, "and now?").await["stop_reason"], "completed");
    legal::check(&app.model.requests()[1]).expect("a legal request");
}

#[tokio::test]
async fn stop_ends_a_running_tool() {
    let (app, gate) = gated(Vec::new()).await;
    let session = app.session().await;
    let accepted = send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    let since = Instant::now();
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    let turn = app.ended(&accepted["turn_id"]).await;
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!((&turn["parts"][0]["status"], &turn["stop_reason"]), (&json!("cancelled"), &json!("cancelled")));
    let kept = rows(&app, session).await;
    assert_eq!((&kept[2]["role"], &kept[2]["status"]), (&json!("tool"), &json!("cancelled")));
    app.ask(session, "and now?").await;
    let last = app.model.requests().pop().expect("a request");
    legal::check(&last).expect("a legal request");
    assert!(legal::said(&last)[3].1.starts_with("Error: "), "{:?}", legal::said(&last));
}

#[tokio::test]
async fn stop_in_an_idle_session_says_that_nothing_ran() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    for _ in 0..2 {
        let (status, body) = app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
        assert_eq!((status, body), (200, json!({"stopped": false})));
        app.ask(session, "one").await;
    }
}

/// AL-04: what a person says while a turn runs is neither lost nor answered twice, and Stop takes the queue back visibly.
#[tokio::test]
async fn what_arrives_during_a_turn_is_kept_through_stop_and_seen_by_the_next_turn() {
    let timeline: Value =
        serde_json::from_str(include_str!("../fixtures/cases/al-queue-order.json")).expect("a timeline");
    let (app, gate) = gated(Vec::new()).await;
    let session = app.session().await;
    let first = send(&app, session, json!({"content": "go", "client_message_id": "m1"})).await;
    gate.reached().await;
    let mut last = Value::Null;
    for arrival in timeline["arrivals"].as_array().expect("arrivals") {
        if arrival["text"] == "/stop" {
            let (_, body) = app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
            assert_eq!(body, json!({"stopped": true}));
        } else {
            last = send(&app, session, json!({"content": arrival["text"], "client_message_id": arrival["id"]})).await;
        }
    }
    app.ended(&last["turn_id"]).await;
    assert_eq!(
        app.get(&format!("/api/v1/turns/{}", first["turn_id"].as_str().expect("id"))).await["state"],
        "cancelled"
    );
    let expected = [("go", "", "cancelled"), ("also check B", "", "cancelled"), ("start over with C", "ok", "done")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    let requests = app.model.requests();
    assert_eq!(requests.len(), 2, "the message that was taken back was not answered");
    legal::check(&requests[1]).expect("a legal request");
    let all: String = legal::said(&requests[1]).into_iter().map(|(_, text)| text + "\n").collect();
    for text in ["go", "the turn was stopped while this ran", "also check B", "start over with C"] {
        assert_eq!(all.matches(text).count(), 1, "{text:?} in {all}");
    }
    // It can still be asked again.
    let second = turns(&app, session).await[1]["id"].as_str().expect("an id").to_owned();
    let (status, retried) = app.request("POST", &format!("/api/v1/turns/{second}/retry"), None).await;
    assert_eq!(status, 202, "{retried}");
    assert_eq!(app.ended(&retried["turn_id"]).await["state"], "done");
}

#[tokio::test]
async fn messages_that_stop_took_back_are_stored_once_also_when_they_were_to_steer() {
    let (app, gate) = gated(Vec::new()).await;
    let session = app.session().await;
    send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    send(&app, session, json!({"content": "steered", "mode": "steer"})).await;
    send(&app, session, json!({"content": "queued"})).await;
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    app.ask(session, "and now?").await;
    let listed = shown(&turns(&app, session).await);
    assert_eq!(listed.len(), 4, "{listed:?}");
    let all: String = legal::said(&app.model.requests()[1]).into_iter().map(|(_, text)| text + "\n").collect();
    for text in ["steered", "queued", "and now?"] {
        assert_eq!(all.matches(text).count(), 1, "{text:?} in {all}");
    }
    legal::check(&app.model.requests()[1]).expect("a legal request");
}

#[tokio::test]
async fn retry_makes_a_sibling_and_the_branch_can_be_switched_back() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let first = app.ask(session, "one").await;
    app.ask(session, "two").await;
    let before = turns(&app, session).await;
    let path = format!("/api/v1/turns/{}/retry", first["turn_id"].as_str().expect("an id"));
    let (status, accepted) = app.request("POST", &path, None).await;
    assert_eq!(status, 202);
    let retried = app.ended(&accepted["turn_id"]).await;
    let siblings = json!([before[0]["user"]["id"], retried["user"]["id"]]);
    assert_eq!(retried["user"]["branch"], json!({"index": 1, "count": 2, "siblings": siblings}));
    assert_eq!(shown(&turns(&app, session).await), thread(&[("one", "answer to one", "done")]));
    assert_eq!(legal::said(&app.model.requests()[2]).len(), 2, "the other branch is not sent");

    let path = format!("/api/v1/sessions/{session}");
    let (status, patched) =
        app.request("PATCH", &path, Some(json!({"active_message_id": before[0]["user"]["id"]}))).await;
    assert_eq!((status, &patched["active_message_id"]), (200, &before[1]["answer_id"]));
    let expected = [("one", "answer to one", "done"), ("two", "answer to two", "done")];
    let back = turns(&app, session).await;
    assert_eq!(shown(&back), thread(&expected));
    assert_eq!(back[0]["user"]["branch"], json!({"index": 0, "count": 2, "siblings": siblings}));
    app.ask(session, "three").await;
    assert_eq!(legal::said(&app.model.requests()[3]).len(), 6);

    // A branch cannot be switched under a running turn.
    app.model.set(vec![script("", vec![hang("wait")])]);
    send(&app, session, json!({"content": "go"})).await;
    app.model.received(5).await;
    let (status, refused) =
        app.request("PATCH", &path, Some(json!({"active_message_id": before[0]["user"]["id"]}))).await;
    assert_eq!((status, &refused["code"]), (409, &json!("turn_running")));
}

#[tokio::test]
async fn an_edit_is_a_sibling_of_what_it_replaces() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    app.ask(session, "one").await;
    app.ask(session, "two").await;
    let before = turns(&app, session).await;
    // Instead of "two": behind the first answer.
    let edit = json!({"content": "three", "parent_message_id": before[0]["answer_id"]});
    let accepted = send(&app, session, edit).await;
    let edited = app.ended(&accepted["turn_id"]).await;
    assert_eq!(edited["user"]["parent_id"], before[0]["answer_id"]);
    let siblings = json!([before[1]["user"]["id"], edited["user"]["id"]]);
    assert_eq!(edited["user"]["branch"], json!({"index": 1, "count": 2, "siblings": siblings}));
    let expected = [("one", "answer to one", "done"), ("three", "answer to three", "done")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    // Instead of "one": a new beginning.
    let accepted = send(&app, session, json!({"content": "four", "parent_message_id": null})).await;
    let edited = app.ended(&accepted["turn_id"]).await;
    assert_eq!((&edited["user"]["parent_id"], &edited["user"]["branch"]["count"]), (&Value::Null, &json!(2)));
    assert_eq!(shown(&turns(&app, session).await), thread(&[("four", "answer to four", "done")]));
    assert_eq!(legal::said(&app.model.requests()[3]).len(), 2);
    // Nothing was overwritten.
    let path = format!("/api/v1/sessions/{session}");
    app.request("PATCH", &path, Some(json!({"active_message_id": before[1]["user"]["id"]}))).await;
    let expected = [("one", "answer to one", "done"), ("two", "answer to two", "done")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    let body = json!({"content": "x", "parent_message_id": NOBODY});
    let (status, refused) = app.request("POST", &format!("{path}/turns"), Some(body)).await;
    assert_eq!((status, &refused["code"]), (404, &json!("not_found")));
}

#[tokio::test]
async fn a_fork_shows_the_same_turns_and_goes_its_own_way() {
    let calls =
        Reply::calls(&[("c1", "list_dir", json!({}))]).after(vec![Chunk::reasoning("Hm."), Chunk::text("Look.")]);
    let mut scripts = vec![script("zero", vec![calls, Reply::text(&["seen"])])];
    scripts.extend(echo());
    let app = TestApp::start(scripts).await;
    let session = app.session().await;
    app.ask(session, "zero").await;
    let second = app.ask(session, "one").await;
    app.ask(session, "two").await;
    let original = turns(&app, session).await;
    let at = json!({"at_seq": second["message"]["seq"]});
    let (status, fork) = app.request("POST", &format!("/api/v1/sessions/{session}/fork"), Some(at)).await;
    assert_eq!((status, &fork["forked_from"]), (201, &json!(session)), "{fork}");
    let fork: SessionId = fork["id"].as_str().expect("an id").parse().expect("an id");
    let copied = turns(&app, fork).await;
    assert_eq!(shown(&copied), shown(&original[..2]));
    let parts = |turns: &[Value]| -> Vec<Value> {
        let parts = turns.iter().flat_map(|turn| turn["parts"].as_array().cloned().unwrap_or_default());
        parts.map(|part| json!([part["kind"], part["text"], part["name"], part["status"], part["preview"]])).collect()
    };
    assert_eq!(parts(&copied), parts(&original[..2]));
    app.ask(fork, "three").await;
    assert_eq!(turns(&app, fork).await.len(), 3);
    let last = app.model.requests().pop().expect("a request");
    legal::check(&last).expect("a legal request");
    assert_eq!(legal::said(&last).len(), 8);
    assert_eq!(turns(&app, session).await, original, "the original is as it was");
    // Retry works in the copy as well.
    let first = turns(&app, fork).await[0]["id"].as_str().expect("an id").to_owned();
    let (status, accepted) = app.request("POST", &format!("/api/v1/turns/{first}/retry"), None).await;
    assert_eq!(status, 202, "{accepted}");
    app.ended(&accepted["turn_id"]).await;
}

#[tokio::test]
async fn what_does_not_exist_is_404_and_says_so() {
    let app = TestApp::start(echo()).await;
    for (method, path) in [
        ("GET", "/api/v1/sessions/X"),
        ("PATCH", "/api/v1/sessions/X"),
        ("DELETE", "/api/v1/sessions/X"),
        ("POST", "/api/v1/sessions/X/restore"),
        ("GET", "/api/v1/sessions/X/messages"),
        ("GET", "/api/v1/sessions/X/turns"),
        ("POST", "/api/v1/sessions/X/turns"),
        ("POST", "/api/v1/sessions/X/turns?wait=true"),
        ("POST", "/api/v1/sessions/X/fork"),
        ("POST", "/api/v1/sessions/X/stop"),
        ("GET", "/api/v1/sessions/X/events"),
        ("GET", "/api/v1/turns/X"),
        ("POST", "/api/v1/turns/X/retry"),
        ("GET", "/api/v1/nothing"),
        ("POST", "/api/v1/sessions/X/nothing"),
    ] {
        for id in [NOBODY, "not-an-id", "%00", "..%2f"] {
            let path = path.replace('X', id);
            let body = match method {
                "PATCH" => json!({"title": "x"}),
                "POST" if path.ends_with("fork") => json!({"at_seq": 1}),
                "POST" if path.contains("/turns") && !path.ends_with("retry") => json!({"content": "x"}),
                _ => json!({}),
            };
            let answer = app.send(method, &path, &[JSON], body.to_string()).await;
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text());
            assert_eq!(answer.header("content-type"), "application/problem+json", "{method} {path}");
            let problem = answer.json();
            assert_eq!((&problem["type"], &problem["status"]), (&json!("about:blank"), &json!(404)));
            assert!(matches!(problem["code"].as_str(), Some("not_found" | "no_session")), "{problem}");
        }
    }
    let wrong = app.send("PUT", "/api/v1/sessions", &[JSON], "{}").await;
    assert_eq!((wrong.status, &wrong.json()["code"]), (405, &json!("method_not_allowed")));
}

/// Method, path, body; status, code and place of the refusal.
type Refusal<'a> = (&'a str, &'a str, Vec<u8>, u16, &'a str, Option<&'a str>);

#[tokio::test]
async fn a_wrong_body_is_refused_with_its_place() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let turns_path = format!("/api/v1/sessions/{session}/turns");
    let one = format!("/api/v1/sessions/{session}");
    let fork = format!("{one}/fork");
    let cases: Vec<Refusal> = vec![
        ("POST", &turns_path, br#"{"content": 5}"#.to_vec(), 422, "invalid_field", Some("content")),
        ("POST", &turns_path, br#"{"content": null}"#.to_vec(), 422, "invalid_field", Some("content")),
        ("POST", &turns_path, br#"{"content": "x", "mode": "shout"}"#.to_vec(), 422, "invalid_field", Some("mode")),
        (
            "POST",
            &turns_path,
            br#"{"content": "x", "attachments": [1]}"#.to_vec(),
            422,
            "invalid_field",
            Some("attachments[0]"),
        ),
        (
            "POST",
            &turns_path,
            br#"{"content": "x", "attachments": ["a"]}"#.to_vec(),
            422,
            "invalid_field",
            Some("attachments"),
        ),
        (
            "POST",
            &turns_path,
            br#"{"content": "x", "parent_message_id": 1}"#.to_vec(),
            422,
            "invalid_field",
            Some("parent_message_id"),
        ),
        ("POST", &turns_path, br#"{"content": "x", "contents": "y"}"#.to_vec(), 422, "invalid_field", Some("contents")),
        ("POST", &turns_path, br#"{"content": ""}"#.to_vec(), 422, "empty_message", None),
        ("POST", &turns_path, br#"{"content": "x", "preset": "nope"}"#.to_vec(), 422, "unknown_preset", None),
        ("POST", &turns_path, b"".to_vec(), 422, "invalid_field", None),
        ("POST", &turns_path, b"[]".to_vec(), 422, "invalid_field", None),
        ("POST", &turns_path, b"{\"content\": \"x\"".to_vec(), 400, "bad_json", None),
        ("POST", &turns_path, b"{\"content\": \"x\"} more".to_vec(), 400, "bad_json", None),
        ("POST", &turns_path, b"not json".to_vec(), 400, "bad_json", None),
        ("POST", &turns_path, b"{\"content\": \"\xff\xfe\"}".to_vec(), 400, "bad_json", None),
        ("POST", &turns_path, br#"{"content": "\ud83d"}"#.to_vec(), 400, "bad_json", None),
        ("PATCH", &one, br#"{"title": ""}"#.to_vec(), 422, "invalid_field", Some("title")),
        ("PATCH", &one, br#"{"pinned": "yes"}"#.to_vec(), 422, "invalid_field", Some("pinned")),
        ("PATCH", &one, br#"{"access": "root"}"#.to_vec(), 422, "invalid_field", Some("access")),
        ("PATCH", &one, br#"{"preset": "nope"}"#.to_vec(), 422, "unknown_preset", None),
        ("PATCH", &one, br#"{"titel": "x"}"#.to_vec(), 422, "invalid_field", Some("titel")),
        ("POST", &fork, br#"{"at_seq": -1}"#.to_vec(), 422, "invalid_field", Some("at_seq")),
        ("POST", "/api/v1/sessions", br#"{"name": "x"}"#.to_vec(), 422, "invalid_field", Some("name")),
        ("POST", "/api/v1/sessions", br#"{"preset": "nope"}"#.to_vec(), 422, "unknown_preset", None),
        ("POST", "/api/v1/sessions", br#"{"workspace": "/nowhere/at/all"}"#.to_vec(), 422, "bad_workspace", None),
        ("GET", "/api/v1/sessions?limit=x", Vec::new(), 422, "bad_query", None),
        ("GET", "/api/v1/sessions?nope=1", Vec::new(), 422, "bad_query", None),
        ("GET", "/api/v1/sessions?cursor=nonsense", Vec::new(), 422, "bad_cursor", None),
        ("GET", "/api/v1/search", Vec::new(), 422, "bad_query", None),
    ];
    for (method, path, body, status, code, place) in cases {
        let sent = String::from_utf8_lossy(&body).into_owned();
        let answer = app.send(method, path, &[JSON], body).await;
        let problem = answer.json();
        assert_eq!(
            (answer.status, problem["code"].as_str()),
            (status, Some(code)),
            "{method} {path} {sent}: {problem}"
        );
        assert_eq!(answer.header("content-type"), "application/problem+json");
        if place.is_some() {
            assert_eq!(problem["path"].as_str(), place, "{sent}: {problem}");
        }
    }
    assert_eq!(turns(&app, session).await, Vec::<Value>::new(), "nothing of it was stored");
}

#[tokio::test]
async fn sizes_are_limited_at_the_limit() {
    let options = Options { max_body_bytes: Some(4 * 1024 * 1024), ..Options::default() };
    let app = TestApp::with(echo(), options).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let body = |chars: usize| json!({"content": "的".repeat(chars)}).to_string();
    let (whole, over) = (app.send("POST", &path, &[JSON], body(1_000_000)).await, body(1_000_001));
    assert_eq!(whole.status, 202);
    app.ended(&whole.json()["turn_id"]).await;
    let refused = app.send("POST", &path, &[JSON], over).await;
    assert_eq!((refused.status, &refused.json()["code"]), (422, &json!("message_too_long")));

    let pad = |bytes: usize| format!("{{\"title\": \"x\"{}}}", " ".repeat(bytes - 14));
    let limit = 4 * 1024 * 1024;
    assert_eq!(app.send("POST", "/api/v1/sessions", &[JSON], pad(limit)).await.status, 201);
    let refused = app.send("POST", "/api/v1/sessions", &[JSON], pad(limit + 1)).await;
    assert_eq!((refused.status, &refused.json()["code"]), (413, &json!("body_too_large")));
}

#[tokio::test]
async fn the_same_idempotency_key_makes_one_thing() {
    let app = TestApp::start(echo()).await;
    let post = async |path: &str, key: &str, body: Value| {
        let answer = app.send("POST", path, &[JSON, ("idempotency-key", key)], body.to_string()).await;
        (answer.status, answer.json())
    };
    let first = post("/api/v1/sessions", "k1", json!({"title": "a"})).await;
    assert_eq!(first.0, 201);
    assert_eq!(post("/api/v1/sessions", "k1", json!({"title": "a"})).await, first);
    assert_ne!(post("/api/v1/sessions", "k2", json!({"title": "a"})).await.1["id"], first.1["id"]);

    let session: SessionId = first.1["id"].as_str().expect("an id").parse().expect("an id");
    let path = format!("/api/v1/sessions/{session}/turns");
    let sent = post(&path, "k1", json!({"content": "one"})).await;
    assert_eq!(sent.0, 202);
    assert_eq!(post(&path, "k1", json!({"content": "one"})).await.1, sent.1);
    app.ended(&sent.1["turn_id"]).await;
    assert_eq!(post(&path, "k1", json!({"content": "one"})).await.1["turn_id"], sent.1["turn_id"]);

    let retry = format!("/api/v1/turns/{}/retry", sent.1["turn_id"].as_str().expect("an id"));
    let retried = post(&retry, "r1", json!({})).await;
    assert_eq!(retried.0, 202);
    assert_ne!(retried.1["turn_id"], sent.1["turn_id"]);
    let turn = app.ended(&retried.1["turn_id"]).await;
    assert_eq!(post(&retry, "r1", json!({})).await.1["turn_id"], retried.1["turn_id"]);
    assert_eq!(app.model.requests().len(), 2);

    let fork = format!("/api/v1/sessions/{session}/fork");
    let at = json!({"at_seq": turn["user"]["seq"].as_u64().expect("a number") + 1});
    let forked = post(&fork, "f1", at.clone()).await;
    assert_eq!(forked.0, 201);
    assert_eq!(post(&fork, "f1", at.clone()).await.1["id"], forked.1["id"]);
    assert_ne!(post(&fork, "f2", at).await.1["id"], forked.1["id"]);
}

#[tokio::test]
async fn without_a_model_the_message_is_kept_and_retry_works_once_there_is_one() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let (status, _) = app
        .request("PATCH", "/api/v1/settings", Some(json!({"presets": {"default": null}, "agent": {"preset": null}})))
        .await;
    assert_eq!(status, 200);
    assert_eq!(app.get("/api/v1/setup").await["needs_setup"], true);
    let failed = app.ask(session, "one").await;
    assert_eq!((&failed["stop_reason"], &failed["error"]["code"]), (&json!("error"), &json!("no_model")));
    assert_eq!((failed["message"].is_null(), app.model.requests().len()), (true, 0));
    assert_eq!(shown(&turns(&app, session).await), thread(&[("one", "", "failed")]));

    let preset = json!({"presets": {"default": {"provider": "mock", "model": "mock"}}, "agent": {"preset": "default"}});
    assert_eq!(app.request("PATCH", "/api/v1/settings", Some(preset)).await.0, 200);
    let path = format!("/api/v1/turns/{}/retry", failed["turn_id"].as_str().expect("an id"));
    let (status, accepted) = app.request("POST", &path, None).await;
    assert_eq!(status, 202);
    app.ended(&accepted["turn_id"]).await;
    assert_eq!(shown(&turns(&app, session).await), thread(&[("one", "answer to one", "done")]));
}

/// EN-01: no place that shortens text may cut a character.
#[tokio::test]
async fn any_text_passes_through_every_place_that_shortens() {
    let data: Value = serde_json::from_str(include_str!("../fixtures/cases/en-boundaries.json")).expect("strings");
    let app = TestApp::start(vec![script("", vec![Reply::text(&["ok"])])]).await;
    for text in data["strings"].as_array().expect("strings").iter().filter_map(Value::as_str) {
        let session = app.session().await;
        let answer = app.ask(session, text).await;
        assert_eq!(answer["stop_reason"], "completed");
        let kept = rows(&app, session).await;
        assert_eq!(kept[0]["content"], text.replace('\0', ""));
        let path = format!("/api/v1/sessions/{session}");
        assert_eq!(app.request("PATCH", &path, Some(json!({"title": text}))).await.0, 200);
        let title = app.get(&path).await["title"].as_str().expect("a title").to_owned();
        assert!(!title.is_empty() && title.chars().count() <= 200 && !title.contains('\0'), "{title:?}");
        for chars in [1, 2, 3, 80, 260] {
            let query: String = text.replace('\0', "").chars().take(chars).collect();
            let found = http().get(format!("{}/api/v1/search", app.url)).query(&[("q", &query)]).send().await;
            assert_eq!(found.expect("an answer").status(), 200);
        }
    }
}

#[tokio::test]
async fn following_a_message_that_was_sent_before_gives_the_events_of_its_turn_again() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let headers = [JSON, ("accept", "text/event-stream"), ("idempotency-key", "k1")];
    let body = json!({"content": "one"}).to_string();
    let first = parse_sse(&app.send("POST", &path, &headers, body.clone()).await.text());
    app.ask(session, "two").await;
    let again = app.send("POST", &path, &headers, body);
    let again = tokio::time::timeout(Duration::from_secs(10), again).await.expect("the stream ends");
    let joined = |events: &[(u64, Value)]| -> Vec<(Value, Value)> {
        let shown = events.iter().filter(|(_, event)| event["event"] != "delta");
        shown.map(|(_, event)| (event["event"].clone(), event["seq"].clone())).collect()
    };
    assert_eq!(joined(&parse_sse(&again.text())), joined(&first));
    assert_eq!(app.model.requests().len(), 2);
}

#[tokio::test]
async fn a_key_names_one_thing_on_each_route() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let keyed = [JSON, ("idempotency-key", "same")];
    let path = format!("/api/v1/sessions/{session}/turns");
    let sent = app.send("POST", &path, &keyed, json!({"content": "one"}).to_string()).await.json();
    app.ended(&sent["turn_id"]).await;
    let retry = format!("/api/v1/turns/{}/retry", sent["turn_id"].as_str().expect("an id"));
    let retried = app.send("POST", &retry, &keyed, "").await.json();
    assert_ne!(retried["turn_id"], sent["turn_id"]);
    app.ended(&retried["turn_id"]).await;
    let retry = format!("/api/v1/turns/{}/retry", retried["turn_id"].as_str().expect("an id"));
    assert_ne!(app.send("POST", &retry, &keyed, "").await.json()["turn_id"], retried["turn_id"]);
}

/// A client that sends an empty id has none; its second message must not be taken for the first.
#[tokio::test]
async fn an_empty_client_id_is_none_and_a_long_one_is_refused() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    let mut turns = Vec::new();
    for word in ["one", "two"] {
        let accepted = send(&app, session, json!({"content": word, "client_message_id": ""})).await;
        app.ended(&accepted["turn_id"]).await;
        turns.push(accepted["turn_id"].clone());
    }
    assert_ne!(turns[0], turns[1]);
    let path = format!("/api/v1/sessions/{session}/turns");
    let id = |length: usize| json!({"content": "three", "client_message_id": "x".repeat(length)});
    let (status, accepted) = app.request("POST", &path, Some(id(255))).await;
    assert_eq!(status, 202);
    app.ended(&accepted["turn_id"]).await;
    let (status, problem) = app.request("POST", &path, Some(id(256))).await;
    assert_eq!((status, &problem["code"]), (422, &json!("bad_client_message_id")), "{problem}");
}

#[tokio::test]
async fn the_largest_numbers_are_no_error_of_the_server() {
    let app = TestApp::start(echo()).await;
    let session = app.session().await;
    app.ask(session, "one").await;
    let path = format!("/api/v1/sessions/{session}");
    for number in [i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        for (query, items) in [
            (format!("messages?after_seq={number}"), 0),
            (format!("messages?before_seq={number}"), 2),
            (format!("turns?before={number}"), 1),
        ] {
            let page = app.get(&format!("{path}/{query}")).await;
            assert_eq!(page["items"].as_array().map(Vec::len), Some(items), "{query}: {page}");
        }
        let events = app.send("GET", &format!("{path}/events?after={number}"), &[], "").await;
        assert_eq!(events.status, 409, "{number}");
        let (status, fork) = app.request("POST", &format!("{path}/fork"), Some(json!({"at_seq": number}))).await;
        assert_eq!(status, 201, "{number}: {fork}");
        let mut socket = app.socket().await;
        assert_eq!(socket.attach(session, number).await.expect("attached")["mode"], "reload", "{number}");
    }
    let fork = app.request("POST", &format!("{path}/fork"), Some(json!({"at_seq": 0}))).await;
    assert_eq!(fork.0, 404, "{}", fork.1);
}

#[tokio::test]
async fn a_fork_of_a_session_at_work_is_at_rest_and_can_go_on() {
    let (app, gate) = gated(vec![script("and?", vec![Reply::text(&["fine"])])]).await;
    let session = app.session().await;
    let first = send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    send(&app, session, json!({"content": "queued"})).await;
    let at = json!({"at_seq": 1_000_000});
    let (status, fork) = app.request("POST", &format!("/api/v1/sessions/{session}/fork"), Some(at)).await;
    assert_eq!((status, &fork["state"]), (201, &json!("idle")), "{fork}");
    let copy: SessionId = fork["id"].as_str().expect("an id").parse().expect("an id");
    let copied = turns(&app, copy).await;
    assert_eq!(shown(&copied), thread(&[("go", "", "interrupted")]), "the copy ends where it was made");
    assert!(copied[0]["parts"].as_array().expect("parts").iter().all(|part| part["status"] != "running"), "{copied:?}");
    assert_eq!(app.ask(copy, "and?").await["stop_reason"], "completed");
    legal::check(&app.model.requests()[1]).expect("a legal request");
    // Its events, read from the start, make the same turns.
    let mut socket = app.socket().await;
    let attached = socket.attach(copy, 0).await.expect("attached");
    let mut view = nanobot_tests::client::View::default();
    while Some(view.fold.seq) < attached["head_seq"].as_u64() {
        view.take(&socket.frame().await.expect("a frame")).expect("no gap");
    }
    let folded = serde_json::to_value(&view.fold.turns).expect("turns");
    assert_eq!(shown(folded.as_array().expect("turns")), shown(&turns(&app, copy).await));
    gate.open();
    assert_eq!(app.ended(&first["turn_id"]).await["state"], "done");
}

/// SS-05: deletion ends all work of the session; taking it back brings the messages, not the work.
#[tokio::test]
async fn a_restored_session_has_its_messages_and_runs_none_of_them() {
    let (app, gate) = gated(vec![script("and?", vec![Reply::text(&["fine"])])]).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}");
    send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    send(&app, session, json!({"content": "queued"})).await;
    let head = app.get(&path).await["head_seq"].as_u64().expect("a number");
    assert_eq!(app.request("DELETE", &path, None).await.0, 204);
    assert_eq!(app.request("DELETE", &path, None).await.0, 404);
    let (status, restored) = app.request("POST", &format!("{path}/restore"), None).await;
    assert_eq!((status, &restored["state"]), (200, &json!("idle")));
    let expected = [("go", "", "cancelled"), ("queued", "", "cancelled")];
    assert_eq!(shown(&turns(&app, session).await), thread(&expected));
    let accepted = send(&app, session, json!({"content": "and?"})).await;
    assert!(accepted["seq"].as_u64() > Some(head), "numbers are never used again");
    assert_eq!(app.ended(&accepted["turn_id"]).await["state"], "done");
    assert_eq!(app.model.requests().len(), 2, "what waited was not run");
    legal::check(&app.model.requests()[1]).expect("a legal request");
}

#[tokio::test]
async fn readers_of_a_deleted_session_come_to_an_end() {
    let app = TestApp::start(vec![script("", vec![hang("half")])]).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}");
    let events_path = format!("{path}/events");
    let follow = app.send("GET", &events_path, &[], "");
    let wait_path = format!("{path}/turns?wait=true");
    let wait = app.send("POST", &wait_path, &[JSON], json!({"content": "go"}).to_string());
    let delete = async {
        app.model.received(1).await;
        app.send("DELETE", &path, &[], "").await
    };
    let all = async { tokio::join!(follow, wait, delete) };
    let (follow, wait, delete) = tokio::time::timeout(Duration::from_secs(10), all).await.expect("all end");
    assert_eq!((follow.status, delete.status), (200, 204));
    assert!(follow.text().contains("turn_finished"));
    assert!(matches!(wait.status, 200 | 404), "{}", wait.text());
}

#[tokio::test]
async fn a_branch_of_another_session_cannot_be_shown() {
    let app = TestApp::start(echo()).await;
    let (one, two) = (app.session().await, app.session().await);
    let answer = app.ask(one, "one").await;
    app.ask(two, "two").await;
    app.titled(two).await;
    let before = app.get(&format!("/api/v1/sessions/{two}")).await;
    for id in [answer["message"]["id"].clone(), json!(NOBODY)] {
        let body = json!({"active_message_id": id});
        let (status, problem) = app.request("PATCH", &format!("/api/v1/sessions/{two}"), Some(body)).await;
        assert_eq!((status, &problem["code"]), (404, &json!("not_found")));
        let body = json!({"content": "x", "parent_message_id": id});
        assert_eq!(app.request("POST", &format!("/api/v1/sessions/{two}/turns"), Some(body)).await.0, 404);
    }
    assert_eq!(app.get(&format!("/api/v1/sessions/{two}")).await, before);
}

#[tokio::test]
async fn a_turn_that_was_steered_often_enough_leaves_the_rest_to_turns_of_their_own() {
    let gate_then_end = || vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["end"])];
    let steers = (1..=7).map(|n| script(&format!("steer {n}"), gate_then_end())).collect();
    let (app, gate) = gated(steers).await;
    let session = app.session().await;
    send(&app, session, json!({"content": "go"})).await;
    let mut last = Value::Null;
    for number in 1..=7 {
        gate.reached().await;
        last = send(&app, session, json!({"content": format!("steer {number}"), "mode": "steer"})).await;
        gate.open();
    }
    gate.reached().await;
    gate.open();
    app.ended(&last["turn_id"]).await;
    let mut feed = app.runtime.attach(session, 0).await.expect("a session").feed;
    while turns(&app, session).await.iter().any(|turn| turn["state"] != "done") {
        feed.next().await.expect("an event");
    }
    let rows = rows(&app, session).await;
    for number in 1..=7 {
        let text = json!(format!("steer {number}"));
        assert_eq!(rows.iter().filter(|row| row["content"] == text).count(), 1, "{text}");
    }
    for request in app.model.requests() {
        legal::check(&request).expect("a legal request");
    }
}

#[tokio::test]
async fn a_turn_that_waits_for_its_place_can_be_stopped() {
    let gate = Gate::default();
    let scripts = vec![
        script("go", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["through"])]),
        script("", vec![Reply::text(&["ok"])]),
    ];
    let options = Options {
        tools: vec![Arc::new(gate.clone())],
        config: "concurrent_turns = 1\n".to_owned(),
        ..Options::default()
    };
    let app = TestApp::with(scripts, options).await;
    let (one, two, three) = (app.session().await, app.session().await, app.session().await);
    let first = send(&app, one, json!({"content": "go"})).await;
    gate.reached().await;
    let second = send(&app, two, json!({"content": "stopped"})).await;
    let third = send(&app, three, json!({"content": "waits"})).await;
    let since = Instant::now();
    app.request("POST", &format!("/api/v1/sessions/{two}/stop"), None).await;
    assert_eq!(app.ended(&second["turn_id"]).await["state"], "cancelled");
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!(app.model.requests().len(), 1);
    gate.open();
    assert_eq!(app.ended(&first["turn_id"]).await["state"], "done");
    assert_eq!(app.ended(&third["turn_id"]).await["state"], "done");
}

#[tokio::test]
async fn sessions_are_listed_once_each_by_their_newest_message() {
    let app = TestApp::start(echo()).await;
    let mut sessions = Vec::new();
    for _ in 0..23 {
        sessions.push(app.session().await);
    }
    for session in &sessions[..3] {
        app.ask(*session, "one").await;
    }
    let mut listed = Vec::new();
    let mut cursor = String::new();
    loop {
        let page = app.get(&format!("/api/v1/sessions?limit=10{cursor}")).await;
        listed.extend(page["items"].as_array().expect("items").iter().map(|item| item["id"].clone()));
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    let mut expected: Vec<Value> = sessions[..3].iter().rev().map(|id| json!(id)).collect();
    expected.extend(sessions[3..].iter().rev().map(|id| json!(id)));
    assert_eq!(listed, expected);
    app.titled(sessions[0]).await;
    let title = app.get(&format!("/api/v1/sessions/{}", sessions[0])).await["title"].clone();
    assert_eq!(title, "one");
}

#[tokio::test]
async fn a_retry_behind_a_running_turn_waits_and_then_becomes_the_branch() {
    let (app, gate) = gated(vec![script("first", vec![Reply::text(&["answer"])])]).await;
    let session = app.session().await;
    let first = app.ask(session, "first").await;
    send(&app, session, json!({"content": "go"})).await;
    gate.reached().await;
    let path = format!("/api/v1/turns/{}/retry", first["turn_id"].as_str().expect("an id"));
    let (status, accepted) = app.request("POST", &path, None).await;
    assert_eq!((status, &accepted["position"]), (202, &json!(1)));
    // What waits has no request of its own yet, so there is nothing to retry.
    let waiting = format!("/api/v1/turns/{}/retry", accepted["turn_id"].as_str().expect("an id"));
    assert_eq!(app.request("POST", &waiting, None).await.0, 404);
    gate.open();
    let retried = app.ended(&accepted["turn_id"]).await;
    assert_eq!(retried["user"]["branch"]["index"], 1);
    assert_eq!(shown(&turns(&app, session).await), thread(&[("first", "answer", "done")]));
    assert_eq!(legal::said(app.model.requests().last().expect("a request")).len(), 2);
}
