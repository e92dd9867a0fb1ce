//! The client against a server on this machine that answers with prepared bytes.

use std::sync::Arc;

use nanobot_engine::message::Message;
use nanobot_engine::model::{Media, Reply, StreamEnd, StreamItem, ToolChoice};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

use super::*;
use crate::provider::chat::ChatWire;
use crate::provider::http::http_client;

const KEY: &str = "sk-secret-0123456789";
const TEXT: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\n";
const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

/// Reads one request; `None` when the client closed the connection.
async fn read_request(socket: &mut TcpStream) -> Option<String> {
    let mut seen = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.to_ascii_lowercase().lines().find_map(|l| l.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        if socket.read_buf(&mut seen).await.expect("readable") == 0 {
            return None;
        }
    }
}

/// A server that takes one connection per answer, closes it after the answer, and tells what it was asked.
async fn serve(answers: Vec<String>) -> (String, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let server = tokio::spawn(async move {
        let mut seen = Vec::new();
        for answer in answers {
            let (mut socket, _) = listener.accept().await.expect("a client");
            seen.push(read_request(&mut socket).await.expect("a request"));
            socket.write_all(answer.as_bytes()).await.expect("writable");
            socket.shutdown().await.ok();
        }
        seen
    });
    (base_url, server)
}

fn answer(status: &str, headers: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
}

fn limits() -> Limits {
    let long = Duration::from_secs(20);
    Limits { first_byte: long, idle: long, without_data: long, after_finish: long, total: long }
}

fn server(base_url: &str, limits: Limits) -> Server {
    let api_key = Some(SecretString::from(KEY));
    Server { name: "stub".into(), base_url: base_url.into(), api_key, limits, ..Server::default() }
}

fn provider(base_url: &str, limits: Limits) -> WireProvider {
    WireProvider::new(server(base_url, limits), Box::new(ChatWire::default()), http_client()).expect("a good address")
}

fn request() -> ModelRequest {
    ModelRequest {
        model: "m".into(),
        system: "s".into(),
        messages: vec![Message::user("question")],
        tools: Arc::from([]),
        max_tokens: 10,
        temperature: None,
        reasoning_effort: None,
        tool_choice: ToolChoice::Auto,
        media: Media::default(),
        plain: false,
    }
}

async fn finish(mut stream: Box<dyn ModelStream>) -> Reply {
    let mut items = Vec::new();
    loop {
        stream.next(&mut items).await;
        if let Some(StreamItem::End(reply)) = items.last() {
            let reply = (**reply).clone();
            let count = items.len();
            stream.next(&mut items).await;
            assert_eq!(items.len(), count, "nothing after the end");
            return reply;
        }
    }
}

async fn ask(answer: String) -> Reply {
    let (base_url, _server) = serve(vec![answer]).await;
    finish(provider(&base_url, limits()).start(request()).await).await
}

fn error(reply: Reply) -> ModelError {
    match reply.end {
        StreamEnd::Error(error) => error,
        other => panic!("no error: {other:?}"),
    }
}

#[tokio::test]
async fn a_streamed_answer_arrives() {
    let body = format!("{TEXT}{STOP}{DONE}");
    let (base_url, server) = serve(vec![answer("200 OK", "content-type: text/event-stream\r\n", &body)]).await;
    let reply = finish(provider(&base_url, limits()).start(request()).await).await;
    assert_eq!(reply.end, StreamEnd::Complete);
    assert_eq!(reply.blocks, Message::user("hi").blocks);
    let seen = server.await.expect("the server ran").remove(0);
    let (head, body) = seen.split_once("\r\n\r\n").expect("a request");
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1"), "{head}");
    assert!(head.to_ascii_lowercase().contains(&format!("authorization: bearer {KEY}")), "{head}");
    let body: Value = serde_json::from_str(body).expect("JSON");
    assert_eq!((&body["stream"], &body["messages"][1]["content"]), (&Value::Bool(true), &Value::from("question")));
}

#[tokio::test]
async fn a_body_in_one_piece_is_an_answer_too() {
    let body = "\n {\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}";
    let reply = ask(answer("200 OK", "content-type: application/json\r\n", body)).await;
    assert_eq!((reply.end, reply.blocks), (StreamEnd::Complete, Message::user("hi").blocks));
}

#[tokio::test]
async fn refusals_have_their_kind_and_say_what_to_do() {
    use ModelErrorKind::{Auth, BadResponse, ContextLength, NotFound, RateLimit, Unavailable};
    let page = "<html><title>Sign in</title></html>";
    for (status, headers, body, kind, words) in [
        ("200 OK", "content-type: text/html\r\n", page, BadResponse, "a web page titled \"Sign in\""),
        ("200 OK", "", "{\"models\":[]}", BadResponse, "check base_url"),
        ("302 Found", "location: http://h.test/\r\n", "", BadResponse, "redirects to http://h.test/"),
        (
            "401 Unauthorized",
            "",
            "{\"error\":{\"message\":\"bad key sk-secret-0123456789\"}}",
            Auth,
            "refused the API key (401)",
        ),
        ("404 Not Found", "", "404 page not found", NotFound, "check the model name and base_url"),
        ("400 Bad Request", "", "{\"error\":{\"code\":\"context_length_exceeded\"}}", ContextLength, "context window"),
        ("429 Too Many Requests", "retry-after: 3\r\n", "", RateLimit, "wait a little"),
        ("502 Bad Gateway", "content-type: text/html\r\n", page, Unavailable, "titled \"Sign in\""),
    ] {
        let error = error(ask(answer(status, headers, body)).await);
        assert_eq!(error.kind, kind, "{status}");
        assert!(error.detail.contains(words) && error.detail.contains("stub"), "{status}: {}", error.detail);
        assert!(!error.detail.contains(KEY), "{}", error.detail);
        assert_eq!(error.retry_after_ms, (kind == RateLimit).then_some(3_000), "{status}");
    }
}

#[tokio::test]
async fn long_error_bodies_are_read_in_part() {
    let error = error(ask(answer("500 Oops", "", &"x".repeat(1_000_000))).await);
    assert!(error.detail.len() < 800 && error.kind == ModelErrorKind::Unavailable, "{}", error.detail);
}

#[tokio::test]
async fn nobody_listening_is_said_so() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let error = error(finish(provider(&base_url, limits()).start(request()).await).await);
    assert_eq!(error.kind, ModelErrorKind::Unavailable);
    assert!(error.detail.contains("is it running?"), "{}", error.detail);
}

#[tokio::test]
async fn a_cut_answer_is_no_whole_one() {
    let cut = |length: usize, body: &str| format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{body}");
    assert_eq!(ask(cut(10_000, TEXT)).await.end, StreamEnd::Truncated);
    assert_eq!(ask(cut(TEXT.len(), TEXT)).await.end, StreamEnd::Truncated);
    assert_eq!(ask(cut(0, "")).await.end, StreamEnd::Truncated);
    let finished = format!("{TEXT}{STOP}");
    assert_eq!(ask(cut(10_000, &finished)).await.end, StreamEnd::Complete);
}

/// Serves one connection with a script that may wait; the connection stays open until the client closes it.
async fn serve_slowly(parts: Vec<(&'static str, Duration)>) -> (String, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a client");
        read_request(&mut socket).await.expect("a request");
        socket.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n").await.expect("writable");
        for (part, pause) in parts {
            if socket.write_all(part.as_bytes()).await.is_err() {
                return;
            }
            tokio::time::sleep(pause).await;
        }
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.ok();
    });
    (base_url, server)
}

async fn ask_slow(parts: Vec<(&'static str, Duration)>, limits: Limits) -> Reply {
    let (base_url, server) = serve_slowly(parts).await;
    let reply = finish(provider(&base_url, limits).start(request()).await).await;
    server.await.expect("the server saw the connection close");
    reply
}

#[tokio::test]
async fn silence_has_limits() {
    let (now, short) = (Duration::ZERO, Duration::from_millis(60));
    let reply = ask_slow(vec![(TEXT, now)], Limits { idle: short, ..limits() }).await;
    assert_eq!(reply.blocks, Message::user("hi").blocks, "what came before stays");
    assert_eq!(error(reply).kind, ModelErrorKind::Timeout);

    let reply = ask_slow(vec![(": ping\n\n", now)], Limits { first_byte: short, ..limits() }).await;
    assert_eq!(error(reply).kind, ModelErrorKind::Timeout);

    let reply = ask_slow(vec![(TEXT, now), (STOP, now)], Limits { after_finish: short, ..limits() }).await;
    assert_eq!(reply.end, StreamEnd::Complete);
}

#[tokio::test]
async fn comments_prolong_but_not_for_ever() {
    let pause = Duration::from_millis(100);
    let ping = (": ping\n\n", pause);
    let tight = Limits { idle: Duration::from_millis(600), without_data: Duration::from_millis(900), ..limits() };
    // 800 ms of comments are longer than the idle limit and shorter than the ceiling.
    let mut parts = vec![(TEXT, Duration::ZERO)];
    parts.extend([ping; 8]);
    parts.push((STOP, Duration::ZERO));
    parts.push((DONE, Duration::ZERO));
    let roomy = Limits { without_data: Duration::from_secs(20), ..tight };
    assert_eq!(ask_slow(parts, roomy).await.end, StreamEnd::Complete);
    let mut parts = vec![(TEXT, Duration::ZERO)];
    parts.extend([ping; 30]);
    assert_eq!(error(ask_slow(parts, tight).await).kind, ModelErrorKind::Timeout);
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let (base_url, server) = serve_slowly(vec![(TEXT, Duration::ZERO)]).await;
    let mut stream = provider(&base_url, limits()).start(request()).await;
    let mut items = Vec::new();
    stream.next(&mut items).await;
    assert_eq!(items, [StreamItem::Text("hi".into())]);
    drop(stream);
    server.await.expect("the server saw the connection close");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let base_url = format!("http://{}", listener.local_addr().expect("an address"));
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.expect("a client");
        let body = format!("{TEXT}{STOP}{DONE}");
        let chunked = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
        for _ in 0..2 {
            read_request(&mut socket).await.expect("a request on the first connection");
            let answer = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{chunked}");
            socket.write_all(answer.as_bytes()).await.expect("writable");
        }
    });
    let provider = provider(&base_url, limits());
    for _ in 0..2 {
        assert_eq!(finish(provider.start(request()).await).await.end, StreamEnd::Complete);
    }
    server.await.expect("both on one connection");
}

#[tokio::test]
async fn the_key_stays_out_of_sight() {
    let said = format!("data: {{\"error\":{{\"message\":\"no such key: {KEY}\"}}}}\n\n");
    let echoed = error(ask(answer("200 OK", "", &said)).await);
    assert!(echoed.detail.contains("no such key: ***"), "{}", echoed.detail);
    assert!(!format!("{:?}", server("http://127.0.0.1:1", limits())).contains(KEY));
    let server = Server { api_key: Some(SecretString::from("bad\nkey")), ..server("http://127.0.0.1:1", limits()) };
    let provider = WireProvider::new(server, Box::new(ChatWire::default()), http_client()).expect("a good address");
    let error = error(finish(provider.start(request()).await).await);
    assert_eq!(error.kind, ModelErrorKind::Auth);
    assert!(!error.detail.contains("bad\nkey"));
}
