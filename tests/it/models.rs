//! Model servers that fail: each failure has its code, the server and other sessions go on, and nothing of it is said
//! to the model later.

use std::time::{Duration, Instant};

use nanobot_engine::id::SessionId;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::proxy::Proxy;
use nanobot_tests::scripted::{Reply, Script, ScriptedUsage};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// Stands in every error that the model server gives.
const MARK: &str = "zebra-crossing";

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

fn scripts(failing: Reply) -> Vec<Script> {
    // Messages without an answer reach the model together with the next one, so the good words come first.
    let fine = |word: &str| script(word, vec![Reply::text(&["fine"])]);
    vec![fine("again"), fine("hello"), script("fail", vec![failing])]
}

fn raw(body: &str) -> Reply {
    Reply { raw: Some(body.to_owned()), ..Reply::default() }
}

fn with_header(reply: Reply, name: &str, value: &str) -> Reply {
    Reply { headers: vec![(name.to_owned(), value.to_owned())], ..reply }
}

fn fixture(name: &str) -> String {
    let path = format!("{}/fixtures/cases/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a fixture")
}

/// An error body that repeats the key, as some servers do.
fn problem(code: &str) -> String {
    json!({"error": {"message": format!("{MARK} with key test-key"), "code": code, "type": code}}).to_string()
}

async fn turn_of(app: &TestApp, answer: &Value) -> Value {
    app.get(&format!("/api/v1/turns/{}", answer["turn_id"].as_str().expect("an id"))).await
}

/// The one text of a turn.
fn text_of(turn: &Value) -> &Value {
    let texts: Vec<&Value> =
        turn["parts"].as_array().expect("parts").iter().filter(|part| part["kind"] == "text").collect();
    assert_eq!(texts.len(), 1, "{turn}");
    texts[0]
}

async fn rows(app: &TestApp, session: SessionId) -> Vec<Value> {
    app.get(&format!("/api/v1/sessions/{session}/messages")).await["items"].as_array().expect("rows").clone()
}

/// The failure has this code; another session and this one go on; the key is nowhere.
async fn fails_with(app: &TestApp, preset: Option<&str>, code: &str, name: &str) -> (SessionId, Value) {
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let body = json!({"content": "please fail", "preset": preset});
    let (status, failed) = app.request("POST", &path, Some(body)).await;
    assert_eq!(status, 200, "{name}: {failed}");
    assert_eq!((&failed["stop_reason"], &failed["error"]["code"]), (&json!("error"), &json!(code)), "{name}: {failed}");
    assert!(failed["error"]["detail"].as_str().is_some_and(|detail| detail.len() > 20), "{name}: {failed}");
    assert!(failed["message"].is_null(), "{name}: a failure is no answer: {failed}");
    let turn = turn_of(app, &failed).await;
    assert_eq!((&turn["state"], &turn["error"]), (&json!("failed"), &failed["error"]), "{name}");
    let session_view = app.get(&format!("/api/v1/sessions/{session}")).await;
    assert_eq!(session_view["state"], "idle", "{name}");

    let other = app.session().await;
    assert_eq!(app.ask(other, "hello").await["stop_reason"], "completed", "{name}");

    let before = app.model.requests().len();
    assert_eq!(app.ask(session, "again").await["stop_reason"], "completed", "{name}");
    let next = app.model.requests()[before].clone();
    legal::check(&next).unwrap_or_else(|fault| panic!("{name}: {fault}"));
    // PR-09: a failure is the state of a turn, never something the model said or reads.
    let said = next["messages"].to_string();
    for word in [MARK, "provider_", "stream_truncated", "Error"] {
        assert!(!said.contains(word), "{name}: {word} in {said}");
    }
    for seen in [failed.to_string(), turn.to_string(), json!(rows(app, session).await).to_string()] {
        assert!(!seen.contains("test-key"), "{name}: {seen}");
    }
    (session, turn)
}

#[tokio::test]
async fn each_failure_of_a_model_server_has_its_code_and_harms_nothing_else() {
    let page = "<html><head><title>Sign in</title></head><body>zebra-crossing</body></html>";
    let cases = [
        ("a web page", with_header(Reply::status(200, page), "content-type", "text/html"), "provider_bad_response"),
        (
            "a web page with 502",
            with_header(Reply::status(502, page), "content-type", "text/html"),
            "provider_unavailable",
        ),
        ("a redirect", with_header(Reply::status(302, ""), "location", "http://127.0.0.1:9/"), "provider_bad_response"),
        ("401", Reply::status(401, &problem("invalid_api_key")), "provider_auth"),
        ("403", Reply::status(403, &problem("permission_error")), "provider_auth"),
        ("402", Reply::status(402, &problem("payment_required")), "provider_quota"),
        ("429 without credit", Reply::status(429, &problem("insufficient_quota")), "provider_quota"),
        (
            "429",
            with_header(Reply::status(429, &problem("rate_limit_exceeded")), "retry-after", "1"),
            "provider_rate_limit",
        ),
        ("500", Reply::status(500, &problem("server_error")), "provider_unavailable"),
        ("503 without a body", Reply::status(503, ""), "provider_unavailable"),
        ("529", Reply::status(529, &problem("overloaded_error")), "provider_unavailable"),
        ("404", Reply::status(404, &problem("model_not_found")), "provider_not_found"),
        ("400", Reply::status(400, &problem("invalid_request_error")), "provider_refused_request"),
        ("a request that is too long", Reply::status(400, &problem("context_length_exceeded")), "context_length"),
        ("plain words", raw("Down for maintenance, back at noon.\n"), "provider_bad_response"),
        ("no JSON", raw("data: {not json zebra-crossing\n\n"), "stream_truncated"),
        (
            "JSON of another kind",
            with_header(Reply::status(200, "{\"ok\": true}"), "content-type", "application/json"),
            "provider_bad_response",
        ),
        ("an empty body", raw(&fixture("ps-empty-body.sse")), "stream_truncated"),
    ];
    for (name, reply, code) in cases {
        let app = TestApp::start(scripts(reply)).await;
        let (session, turn) = fails_with(&app, None, code, name).await;
        let parts = turn["parts"].as_array().expect("parts");
        assert!(parts.iter().all(|part| part["code"] == "retry_wait"), "{name}: {turn}");
        let roles: Vec<Value> = rows(&app, session).await.iter().map(|row| row["role"].clone()).collect();
        assert_eq!(roles, ["user", "user", "assistant"], "{name}");
    }
}

/// PS-07: an answer without its end is no answer, but what came of it is kept.
#[tokio::test]
async fn text_that_breaks_off_is_kept_as_interrupted() {
    let expected: Value = serde_json::from_str(&fixture("ps-text-eof.expect.json")).expect("JSON");
    let text = expected["text_partial"].as_str().expect("text");
    let app = TestApp::start(scripts(raw(&fixture("ps-text-eof.sse")))).await;
    let (session, turn) = fails_with(&app, None, "stream_truncated", "text, then the end").await;
    assert_eq!((&text_of(&turn)["text"], &text_of(&turn)["open"]), (&json!(text), &json!(false)));
    let kept = rows(&app, session).await;
    assert_eq!((&kept[1]["content"], &kept[1]["interrupted"]), (&json!(text), &json!(true)));
    let last = app.model.requests().pop().expect("a request");
    assert_eq!(legal::said(&last)[2], ("assistant".to_owned(), text.to_owned()));
}

#[tokio::test]
async fn an_error_inside_the_stream_keeps_the_text_before_it() {
    let half = json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": "half"}}]});
    let body = format!("data: {half}\n\ndata: {}\n\n", problem("server_error"));
    let app = TestApp::start(scripts(raw(&body))).await;
    let (session, turn) = fails_with(&app, None, "provider_unavailable", "an error event").await;
    assert_eq!(text_of(&turn)["text"], "half");
    assert_eq!(rows(&app, session).await[1]["interrupted"], true);
}

#[tokio::test]
async fn a_connection_that_is_lost_keeps_the_text_before_it() {
    let pieces: Vec<String> = (0..50).map(|n| format!("piece {n} ")).collect();
    let refs: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let app = TestApp::start(scripts(Reply::text(&refs).paced(2))).await;
    let proxy = Proxy::start(app.model.url()).await;
    add_provider(&app, "far", &format!("{}/v1", proxy.url())).await;
    proxy.cut_next_after(3_000);
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, healed) = app.request("POST", &path, Some(json!({"content": "please fail", "preset": "far"}))).await;
    assert_eq!(healed["message"]["content"], json!(pieces.concat()), "asked again: {healed}");
    // The kept connection has no limit; the next one has.
    proxy.cut();
    proxy.cut_each_after(3_000);
    let (session, turn) = fails_with(&app, Some("far"), "stream_truncated", "a lost connection").await;
    let text = text_of(&turn)["text"].as_str().expect("text").to_owned();
    assert!(text.starts_with("piece 0 piece 1 ") && text.len() < pieces.concat().len(), "{text}");
    let kept = rows(&app, session).await;
    assert_eq!((&kept[1]["content"], &kept[1]["interrupted"]), (&json!(text), &json!(true)));
}

/// PS-06 (b, c): a call that is not known to be whole never runs.
#[tokio::test]
async fn a_tool_call_that_breaks_off_never_runs() {
    for name in ["ps-toolcall-cut-eof.sse", "ps-toolcall-whole-eof.sse"] {
        let app = TestApp::start(scripts(raw(&fixture(name)))).await;
        let (session, turn) = fails_with(&app, None, "stream_truncated", name).await;
        assert!(turn["parts"].as_array().expect("parts").iter().all(|part| part["kind"] != "tool"), "{name}: {turn}");
        assert!(rows(&app, session).await.iter().all(|row| row["role"] != "tool"), "{name}");
    }
}

async fn add_provider(app: &TestApp, name: &str, base_url: &str) {
    let patch = json!({
        "providers": {name: {"kind": "openai", "base_url": base_url, "api_key": "test-key"}},
        "presets": {name: {"provider": name, "model": "mock"}}
    });
    let (status, body) = app.request("PATCH", "/api/v1/settings", Some(patch)).await;
    assert_eq!(status, 200, "{body}");
    assert!(!body.to_string().contains("test-key"), "{body}");
}

#[tokio::test]
async fn a_server_that_is_not_there_and_a_wrong_path_are_named() {
    let app = TestApp::start(scripts(Reply::text(&["not asked"]))).await;
    // A port that was free a moment ago.
    let address = TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    add_provider(&app, "gone", &format!("http://{address}/v1")).await;
    let (_, turn) = fails_with(&app, Some("gone"), "provider_unavailable", "connection refused").await;
    assert!(turn["error"]["detail"].as_str().expect("detail").contains(&address.to_string()), "{turn}");
    add_provider(&app, "elsewhere", &format!("{}/elsewhere/v1", app.model.url())).await;
    let (_, turn) = fails_with(&app, Some("elsewhere"), "provider_not_found", "a wrong path").await;
    assert!(turn["error"]["detail"].as_str().expect("detail").contains("base_url"), "{turn}");
}

#[tokio::test]
async fn a_server_that_never_answers_can_be_stopped() {
    let app = TestApp::start(scripts(Reply::text(&["not asked"]))).await;
    let mute = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    add_provider(&app, "mute", &format!("http://{}/v1", mute.local_addr().expect("an address"))).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket
        .send(json!({"type": "message", "chat_id": session, "content": "hello", "preset": "mute"}))
        .await
        .expect("sent");
    let (_held, _) = tokio::time::timeout(Duration::from_secs(20), mute.accept()).await.expect("asked").expect("asked");
    let since = Instant::now();
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    let finished = socket.wait_for("turn_finished").await.expect("the end");
    assert!(since.elapsed() < Duration::from_secs(2), "{:?}", since.elapsed());
    assert_eq!(finished["stop_reason"], "cancelled");
    assert_eq!(app.ask(session, "again").await["stop_reason"], "completed");
}

#[tokio::test]
async fn an_empty_answer_is_asked_for_once_more_and_then_named() {
    let app =
        TestApp::start(vec![script("again", vec![Reply::text(&["fine"])]), script("", vec![Reply::default()])]).await;
    let session = app.session().await;
    let failed = app.ask(session, "hello").await;
    assert_eq!(failed["stop_reason"], "empty_final_response");
    assert_eq!(failed["error"]["code"], "empty_response");
    assert_eq!(app.model.requests().len(), 2);
    app.ask(session, "again").await;
    legal::check(&app.model.requests()[2]).expect("a legal request");
    let roles: Vec<Value> = rows(&app, session).await.iter().map(|row| row["role"].clone()).collect();
    assert_eq!(roles, ["user", "user", "assistant"]);
}

#[tokio::test]
async fn usage_is_taken_as_reported_priced_and_else_estimated() {
    let usage = Some(ScriptedUsage { input: 100, cached: 40, output: 20 });
    let calls = Reply { usage, ..Reply::calls(&[("c1", "list_dir", json!({}))]) };
    let answer = Reply { usage: Some(ScriptedUsage { input: 300, cached: 100, output: 50 }), ..Reply::text(&["ok"]) };
    let options = Options {
        config: "\n[presets.priced]\nprovider = \"mock\"\nmodel = \"mock\"\ncontext_window_tokens = 50000\n\
                 price = { input = 1.0, cached = 0.5, output = 2.0 }\n"
            .to_owned(),
        ..Options::default()
    };
    let scripts = vec![script("priced", vec![calls, answer]), script("", vec![Reply::text(&["four words of text"])])];
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (_, done) = app.request("POST", &path, Some(json!({"content": "priced", "preset": "priced"}))).await;
    let cost = done["usage"]["cost_usd"].as_f64().expect("a cost");
    assert!((cost - (260.0 + 0.5 * 140.0 + 2.0 * 70.0) / 1e6).abs() < 1e-12, "{cost}");
    let mut usage = done["usage"].clone();
    usage.as_object_mut().expect("usage").remove("cost_usd");
    let expected = json!({
        "input_tokens": 400, "cached_tokens": 140, "output_tokens": 70, "context_tokens": 350,
        "context_window_tokens": 50_000
    });
    assert_eq!(usage, expected);
    assert_eq!(turn_of(&app, &done).await["usage"], done["usage"]);

    let estimated = app.ask(session, "plain").await["usage"].clone();
    assert_eq!((&estimated["estimated"], &estimated["context_window_tokens"]), (&json!(true), &json!(100_000)));
    assert!(
        estimated["input_tokens"].as_u64() > Some(100) && estimated["output_tokens"].as_u64() > Some(2),
        "{estimated}"
    );
    assert!(estimated.get("cost_usd").is_none());
}

/// Some servers promise to keep a connection and close it after each answer; the next request then meets a closed one.
#[tokio::test]
async fn a_kept_connection_that_the_server_closed_is_replaced() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let served = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let count = std::sync::Arc::clone(&served);
    let server = tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let count = std::sync::Arc::clone(&count);
            tokio::spawn(async move {
                let mut buffer = vec![0; 64 * 1024];
                let read = socket.read(&mut buffer).await.unwrap_or(0);
                if read == 0 {
                    return;
                }
                count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                let body = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"hello\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
                let head = format!(
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nkeep-alive: timeout=5\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let _ = socket.write_all(format!("{head}{body}").as_bytes()).await;
                // It waits for the next request and then hangs up without a word.
                let _ = socket.read(&mut buffer).await;
            });
        }
    });
    let more = format!(
        "\n[providers.closing]\nkind = \"openai\"\nbase_url = \"{url}/v1\"\n\n[presets.closing]\nprovider = \"closing\"\nmodel = \"m\"\n"
    );
    let app = TestApp::with(Vec::new(), Options { config: more, ..Options::default() }).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    for _ in 0..4 {
        let (_, ended) = app.request("POST", &path, Some(json!({"content": "hi", "preset": "closing"}))).await;
        assert_eq!(ended["stop_reason"], "completed", "{ended}");
    }
    assert_eq!(served.load(std::sync::atomic::Ordering::SeqCst), 4);
    server.abort();
}
