//! The fault matrix: each way a model server can fail, in each wire format, with the attempts that follow, what people see of them, and
//! the end. A failure that may pass is survived; one that will not is named at once.

use std::time::Duration;

use nanobot_runtime::provider::Limits;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::faulty::{Fault, FaultyModel, Wire};
use nanobot_tests::scripted::Script;
use serde_json::{Value, json};

/// A failure and what it comes to.
struct Case {
    name: &'static str,
    fault: Fault,
    /// Requests that the server sees in one turn.
    asked: usize,
    code: &'static str,
    /// Text is shown by each attempt and taken back before the next.
    says: bool,
}

fn problem(code: &str) -> String {
    json!({"type": "error", "error": {"message": "it said no", "code": code, "type": code}}).to_string()
}

fn status(status: u16, code: &str) -> Fault {
    Fault::Status(status, &[("content-type", "application/json")], problem(code))
}

/// The cases. Four attempts are all that a failure gets which may pass.
fn cases() -> Vec<Case> {
    let page = "<html><head><title>Sign in</title></head><body>no</body></html>";
    let case = |name, fault, asked, code| Case { name, fault, asked, code, says: false };
    let talks = |name, fault, asked, code| Case { name, fault, asked, code, says: true };
    vec![
        case("400", status(400, "invalid_request_error"), 1, "provider_refused_request"),
        case("401", status(401, "authentication_error"), 1, "provider_auth"),
        case("402", status(402, "payment_required"), 1, "provider_quota"),
        case("403", status(403, "permission_error"), 1, "provider_auth"),
        case("404", status(404, "not_found_error"), 1, "provider_not_found"),
        case("408", status(408, "timeout"), 4, "provider_unavailable"),
        case("409", status(409, "conflict"), 4, "provider_unavailable"),
        case("413", status(413, "request_too_large"), 1, "context_length"),
        case("400, too long", status(400, "context_length_exceeded"), 1, "context_length"),
        case("422", status(422, "invalid_request_error"), 1, "provider_refused_request"),
        case("425", status(425, "too_early"), 4, "provider_unavailable"),
        case("429", Fault::Status(429, &[("retry-after", "0")], problem("rate_limit_error")), 4, "provider_rate_limit"),
        case("429 without credit", status(429, "insufficient_quota"), 1, "provider_quota"),
        case("500", status(500, "api_error"), 4, "provider_unavailable"),
        case(
            "500, not to be repeated",
            Fault::Status(500, &[("x-should-retry", "false")], problem("api_error")),
            1,
            "provider_unavailable",
        ),
        case(
            "502, a web page",
            Fault::Status(502, &[("content-type", "text/html")], page.to_owned()),
            4,
            "provider_unavailable",
        ),
        case("503", Fault::Status(503, &[], String::new()), 4, "provider_unavailable"),
        case("529", status(529, "overloaded_error"), 4, "provider_unavailable"),
        case(
            "a redirect",
            Fault::Status(302, &[("location", "http://127.0.0.1:9/")], String::new()),
            1,
            "provider_bad_response",
        ),
        case("a web page", Fault::Body("text/html", page.to_owned()), 1, "provider_bad_response"),
        case("other JSON", Fault::Body("application/json", "{\"ok\": true}".to_owned()), 1, "provider_bad_response"),
        case("an empty body", Fault::Body("text/event-stream", String::new()), 4, "stream_truncated"),
        case("cut before the head", Fault::NoHead, 4, "provider_unavailable"),
        case("cut behind the head", Fault::NoBody, 4, "stream_truncated"),
        case("cut in the first event", Fault::HalfEvent, 4, "stream_truncated"),
        talks("cut in the text", Fault::HalfText, 4, "stream_truncated"),
        case("cut in a call", Fault::HalfCall, 4, "stream_truncated"),
        talks("no end signal", Fault::NoEnd, 4, "stream_truncated"),
        talks("a wrong length", Fault::WrongLength, 4, "stream_truncated"),
        case("no head in time", Fault::MuteBeforeHead, 4, "provider_timeout"),
        case("no byte in time", Fault::MuteBeforeBody, 4, "provider_timeout"),
        talks("silence after some text", Fault::MuteInText, 4, "provider_timeout"),
        talks("an error event", Fault::ErrorEvent, 4, "provider_unavailable"),
        talks("a damaged event", Fault::Damage, 4, "stream_truncated"),
        case("no TLS", Fault::NoTls, 4, "provider_unavailable"),
        case("a strange certificate", Fault::StrangeCertificate, 1, "provider_unavailable"),
    ]
}

async fn app(wire: Wire, server: &FaultyModel, more: &str) -> TestApp {
    let config = format!(
        "\n[providers.faulty]\nkind = \"{}\"\nbase_url = \"{}\"\napi_key = \"test-key\"\n\n\
         [presets.faulty]\nprovider = \"faulty\"\nmodel = \"m\"\n{more}",
        wire.kind(),
        server.url
    );
    let short = Duration::from_millis(300);
    let limits = Limits { first_byte: short, idle: short, ..Limits::default() };
    let scripts =
        vec![Script { matches: String::new(), replies: vec![nanobot_tests::scripted::Reply::text(&["other"])] }];
    TestApp::with(scripts, Options { config, model_limits: Some(limits), ..Options::default() }).await
}

async fn turn(app: &TestApp, content: &str) -> (Value, Value) {
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, ended) = app.request("POST", &path, Some(json!({"content": content, "preset": "faulty"}))).await;
    assert_eq!(status, 200, "{ended}");
    app.plays_again(&ended).await;
    let turn = app.get(&format!("/api/v1/turns/{}", ended["turn_id"].as_str().expect("an id"))).await;
    (ended, turn)
}

fn parts<'a>(turn: &'a Value, kind: &str) -> Vec<&'a Value> {
    turn["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == kind).collect()
}

async fn fails(wire: Wire, case: &Case) {
    let name = format!("{wire:?}, {}", case.name);
    let server = FaultyModel::start(wire, case.fault.clone(), usize::MAX).await;
    let app = app(wire, &server, "").await;
    let (ended, turn) = turn(&app, "hello").await;
    assert_eq!(
        (&ended["stop_reason"], &ended["error"]["code"]),
        (&json!("error"), &json!(case.code)),
        "{name}: {ended}"
    );
    assert_eq!(server.asked(), case.asked, "{name}: {ended}");
    // A handshake is not always a connection: a client may try a failed one again on its own.
    let waits = parts(&turn, "notice");
    // Before a conversation is given up as too long, a smaller one is tried to be made; this one is as small as it gets.
    let shrinking = usize::from(case.code == "context_length");
    assert_eq!(waits.len(), case.asked - 1 + shrinking, "{name}: {turn}");
    assert!(
        waits.iter().all(|wait| wait["code"] == "retry_wait" && wait["data"]["code"] == case.code),
        "{name}: {turn}"
    );
    let texts: Vec<&str> = parts(&turn, "text").iter().filter_map(|part| part["text"].as_str()).collect();
    // Only the last attempt's text is left, and it is marked as cut.
    assert_eq!(texts, if case.says { vec!["half an ans"] } else { vec![] }, "{name}: {turn}");
    assert!(parts(&turn, "tool").is_empty(), "{name}: a cut call ran");
    let rows = app.get(&format!("/api/v1/sessions/{}/messages", session_of(&app).await)).await;
    let kept: Vec<(&str, bool)> = rows["items"]
        .as_array()
        .expect("rows")
        .iter()
        .skip(1)
        .map(|row| (row["content"].as_str().unwrap_or_default(), row["interrupted"] == true))
        .collect();
    assert_eq!(kept, if case.says { vec![("half an ans", true)] } else { vec![] }, "{name}");
    assert!(!json!([ended, turn, rows]).to_string().contains("test-key"), "{name}");
    let usage = app.get("/api/v1/usage?by=preset").await;
    assert_eq!(
        (&usage["total"]["requests"], &usage["total"]["failed_requests"]),
        (&json!(case.asked), &json!(case.asked)),
        "{name}: each attempt is on record"
    );
}

async fn session_of(app: &TestApp) -> String {
    app.get("/api/v1/sessions").await["items"][0]["id"].as_str().expect("an id").to_owned()
}

/// A failure that passes is survived: the answer comes, once, and nothing of the failed attempts is in it.
async fn survives(wire: Wire, case: &Case) {
    let name = format!("{wire:?}, {}", case.name);
    let server = FaultyModel::start(wire, case.fault.clone(), 2).await;
    let app = app(wire, &server, "").await;
    let (ended, turn) = turn(&app, "hello").await;
    assert_eq!(
        (&ended["stop_reason"], &ended["message"]["content"]),
        (&json!("completed"), &json!("fine")),
        "{name}: {ended}"
    );
    assert_eq!(server.asked(), 3, "{name}");
    let texts: Vec<&Value> = parts(&turn, "text").iter().map(|part| &part["text"]).collect();
    assert_eq!(texts, [&json!("fine")], "{name}");
}

async fn matrix(wire: Wire) {
    let cases = cases();
    assert!(cases.len() >= 25);
    // A few at a time: most of the time is spent waiting for limits.
    for some in cases.chunks(6) {
        let runs = some.iter().map(|case| async move {
            fails(wire, case).await;
            if case.asked > 1 && !matches!(case.fault, Fault::NoTls) {
                survives(wire, case).await;
            }
        });
        futures_util::future::join_all(runs).await;
    }
}

#[tokio::test]
async fn chat_completions_meet_every_fault() {
    matrix(Wire::Chat).await;
}

#[tokio::test]
async fn responses_meet_every_fault() {
    matrix(Wire::Responses).await;
}

#[tokio::test]
async fn messages_meet_every_fault() {
    matrix(Wire::Anthropic).await;
}

/// A server that asks for an hour gets a minute, and people can stop the wait.
#[tokio::test]
async fn an_hour_is_cut_to_a_minute_and_can_be_stopped() {
    for wire in Wire::ALL {
        let fault = Fault::Status(429, &[("retry-after", "3600")], problem("rate_limit_error"));
        let server = FaultyModel::start(wire, fault, usize::MAX).await;
        let app = app(wire, &server, "").await;
        let session = app.session().await;
        let mut socket = app.socket().await;
        let message = json!({"type": "message", "chat_id": session, "content": "hello", "preset": "faulty"});
        socket.send(message).await.expect("sent");
        let wait = socket.wait_for("retry_wait").await.expect("a wait");
        assert_eq!(
            (&wait["delay_ms"], &wait["attempt"], &wait["max_attempts"]),
            (&json!(60_000), &json!(2), &json!(4))
        );
        socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
        let finished = socket.wait_for("turn_finished").await.expect("the end");
        assert_eq!(finished["stop_reason"], "cancelled", "{wire:?}");
        assert_eq!(server.asked(), 1, "{wire:?}");
    }
}

/// With another model behind it, an hour is not waited for at all.
#[tokio::test]
async fn an_hour_is_not_waited_for_when_another_model_can_answer() {
    let fault = Fault::Status(429, &[("retry-after", "3600")], problem("rate_limit_error"));
    let server = FaultyModel::start(Wire::Chat, fault, usize::MAX).await;
    let app = app(Wire::Chat, &server, "fallbacks = [\"default\"]\n").await;
    let (ended, turn) = turn(&app, "hello").await;
    assert_eq!(ended["message"]["content"], "other", "{ended}");
    assert_eq!(server.asked(), 1);
    assert_eq!((&turn["preset"], &turn["model"]), (&json!("default"), &json!("mock")));
    let switched = parts(&turn, "notice")[0];
    assert_eq!(
        (&switched["code"], &switched["data"]),
        (
            &json!("model_switched"),
            &json!({"from": "faulty", "to": "default", "model": "mock", "code": "provider_rate_limit"})
        )
    );
}

/// PR-02: requests are the sum of each model's own attempts, in order, with one word at the end; after three such turns the first model
/// is left alone.
#[tokio::test]
async fn a_chain_that_fails_is_asked_in_order_and_then_left_alone() {
    let first = FaultyModel::start(Wire::Chat, status(503, "api_error"), usize::MAX).await;
    let second = FaultyModel::start(Wire::Anthropic, status(503, "api_error"), usize::MAX).await;
    let third = FaultyModel::start(Wire::Responses, status(503, "api_error"), usize::MAX).await;
    let more = format!(
        "fallbacks = [\"second\", \"third\"]\n\n[providers.second]\nkind = \"anthropic\"\nbase_url = \"{}\"\n\n\
         [presets.second]\nprovider = \"second\"\nmodel = \"m2\"\n\n\
         [providers.third]\nkind = \"openai-responses\"\nbase_url = \"{}\"\n\n\
         [presets.third]\nprovider = \"third\"\nmodel = \"m3\"\n",
        second.url, third.url
    );
    let app = app(Wire::Chat, &first, &more).await;
    for round in 1..=3 {
        let (ended, _) = turn(&app, "hello").await;
        assert_eq!(ended["error"]["code"], "provider_unavailable", "{ended}");
        assert_eq!([first.asked(), second.asked(), third.asked()], [4 * round; 3]);
    }
    let (ended, turn) = turn(&app, "hello").await;
    assert_eq!(ended["error"]["code"], "provider_paused", "{ended}");
    assert!(ended["error"]["detail"].as_str().is_some_and(|detail| detail.contains("third")), "{ended}");
    assert_eq!([first.asked(), second.asked(), third.asked()], [12; 3], "nobody is asked");
    assert_eq!(parts(&turn, "notice").len(), 2, "{turn}");
}

/// The wait before another attempt survives a kill: the same turn goes on, with one more request.
#[tokio::test]
async fn a_turn_killed_in_the_wait_goes_on() {
    let fault = Fault::Status(503, &[("retry-after", "3")], problem("api_error"));
    let server = FaultyModel::start(Wire::Responses, fault, 1).await;
    let more = format!(
        "\n[providers.faulty]\nkind = \"openai-responses\"\nbase_url = \"{}\"\n\n[presets.faulty]\nprovider = \"faulty\"\nmodel = \"m\"\n",
        server.url
    );
    let home = nanobot_tests::home::Home::new(Vec::new(), &more).await;
    let process = home.start().await;
    let (_, session) = home.request(&process, "POST", "/api/v1/sessions", Some(json!({"preset": "FAULTY "}))).await;
    let session = session["id"].as_str().expect("an id").to_owned();
    let path = format!("/api/v1/sessions/{session}/turns");
    let (status, accepted) = home.request(&process, "POST", &path, Some(json!({"content": "hello"}))).await;
    assert_eq!(status, 202, "{accepted}");
    let waits = |turns: &[nanobot_engine::turn::Turn]| {
        serde_json::to_value(turns).expect("plain data").to_string().matches("\"retry_wait\"").count()
    };
    let mut seen = home.turns(&process, &session).await;
    while waits(&seen) == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        seen = home.turns(&process, &session).await;
    }
    process.kill().await.expect("killed");
    assert_eq!(server.asked(), 1);
    let process = home.start().await;
    while !seen.iter().all(|turn| turn.ended_at.is_some()) {
        tokio::time::sleep(Duration::from_millis(20)).await;
        seen = home.turns(&process, &session).await;
    }
    assert_eq!(server.asked(), 2);
    assert_eq!((seen.len(), seen[0].id.to_string().as_str()), (1, accepted["turn_id"].as_str().expect("an id")));
    assert_eq!((waits(&seen), seen[0].resumed), (1, Some(1)));
    let (_, rows) = home.request(&process, "GET", &format!("/api/v1/sessions/{session}/messages"), None).await;
    assert_eq!(rows["items"][1]["content"], "fine", "{rows}");
    let (_, usage) = home.request(&process, "GET", "/api/v1/usage?by=session", None).await;
    assert_eq!((&usage["total"]["requests"], &usage["total"]["failed_requests"]), (&json!(2), &json!(1)), "{usage}");
}
