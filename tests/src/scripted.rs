//! A scripted model that speaks OpenAI Chat Completions.
//!
//! A script matches by a part of the last user message, and its reply number `i` answers the request in which `i`
//! assistant messages follow that user message. So it needs no memory: a request that is made again after a restart gets
//! the same reply. Over HTTP: `PUT /__scripts` sets the scripts, `GET /__requests` gives what was sent.

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post, put};
use axum::{Json, Router};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What to answer to requests whose last user message holds `match`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Script {
    /// Part of the last user message; empty matches all.
    #[serde(rename = "match")]
    pub matches: String,
    /// One reply an iteration; the last one is used for all further ones.
    pub replies: Vec<Reply>,
}

/// One answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Reply {
    /// Pieces, in order.
    pub chunks: Vec<Chunk>,
    /// Finish reason; `stop` when empty.
    pub finish: String,
    /// Tokens to report.
    pub usage: Option<ScriptedUsage>,
    /// Answer with this status and `body` instead.
    pub status: Option<u16>,
    /// Body of such an answer.
    pub body: String,
    /// Headers of such an answer.
    pub headers: Vec<(String, String)>,
    /// Never end: keep the connection open after the chunks.
    pub hang: bool,
    /// Close the connection after the chunks, without the end signal.
    pub cut: bool,
    /// Send these bytes as the body, as they are.
    pub raw: Option<String>,
}

/// A piece of an answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Chunk {
    /// Native reasoning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning: Option<String>,
    /// Text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A whole tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call: Option<ScriptedCall>,
    /// Wait before this piece.
    pub delay_ms: u64,
}

/// A tool call of a script.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct ScriptedCall {
    /// Id.
    pub id: String,
    /// Tool.
    pub name: String,
    /// Arguments; a string is sent as it is.
    pub arguments: Value,
}

/// Tokens of a script.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ScriptedUsage {
    /// Prompt tokens.
    pub input: u64,
    /// Completion tokens.
    pub output: u64,
    /// Cached prompt tokens.
    pub cached: u64,
}

impl Reply {
    /// Text in pieces, then `stop`.
    #[must_use]
    pub fn text(pieces: &[&str]) -> Self {
        Self { chunks: pieces.iter().map(|piece| Chunk::text(piece)).collect(), ..Self::default() }
    }

    /// Calls, then `tool_calls`.
    #[must_use]
    pub fn calls(calls: &[(&str, &str, Value)]) -> Self {
        let chunks = calls
            .iter()
            .map(|(id, name, arguments)| Chunk {
                tool_call: Some(ScriptedCall {
                    id: (*id).to_owned(),
                    name: (*name).to_owned(),
                    arguments: arguments.clone(),
                }),
                ..Chunk::default()
            })
            .collect();
        Self { chunks, finish: "tool_calls".to_owned(), ..Self::default() }
    }

    /// An error answer.
    #[must_use]
    pub fn status(status: u16, body: &str) -> Self {
        Self { status: Some(status), body: body.to_owned(), ..Self::default() }
    }

    /// With these pieces first.
    #[must_use]
    pub fn after(mut self, first: Vec<Chunk>) -> Self {
        self.chunks.splice(0..0, first);
        self
    }

    /// With a pause before each piece.
    #[must_use]
    pub fn paced(mut self, delay_ms: u64) -> Self {
        self.chunks.iter_mut().for_each(|chunk| chunk.delay_ms = delay_ms);
        self
    }
}

impl Chunk {
    /// Text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self { text: Some(text.to_owned()), ..Self::default() }
    }

    /// Reasoning.
    #[must_use]
    pub fn reasoning(text: &str) -> Self {
        Self { reasoning: Some(text.to_owned()), ..Self::default() }
    }
}

#[derive(Default)]
struct Shared {
    scripts: Vec<Script>,
    requests: Vec<Value>,
    count: watch::Sender<usize>,
}

type Known = Arc<Mutex<Shared>>;

/// A running scripted model. It ends when dropped.
pub struct ScriptedModel {
    url: String,
    shared: Known,
    server: JoinHandle<()>,
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl ScriptedModel {
    /// Starts on a free port with these scripts.
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn start(scripts: Vec<Script>) -> Self {
        let model = Self::start_on(0).await.expect("a free port");
        model.set(scripts);
        model
    }

    /// Starts on a port.
    ///
    /// # Errors
    /// When the port is taken.
    pub async fn start_on(port: u16) -> std::io::Result<Self> {
        let shared = Known::default();
        let router = Router::new()
            .route("/v1/chat/completions", post(complete))
            .route("/v1/models", get(|| async { Json(json!({"object": "list", "data": [{"id": "mock"}]})) }))
            .route("/__scripts", put(set_scripts))
            .route("/__requests", get(requests).delete(forget))
            .with_state(Arc::clone(&shared));
        let listener = TcpListener::bind(("127.0.0.1", port)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, shared, server })
    }

    /// Its address.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Replaces the scripts.
    ///
    /// # Panics
    /// When another thread panicked while it held the scripts.
    pub fn set(&self, scripts: Vec<Script>) {
        self.shared.lock().expect("lock").scripts = scripts;
    }

    /// What was sent so far.
    ///
    /// # Panics
    /// When another thread panicked while it held the requests.
    #[must_use]
    pub fn requests(&self) -> Vec<Value> {
        self.shared.lock().expect("lock").requests.clone()
    }

    /// Waits until this many requests have arrived; gives them.
    ///
    /// # Panics
    /// When they do not come.
    pub async fn received(&self, requests: usize) -> Vec<Value> {
        let mut count = self.shared.lock().expect("lock").count.subscribe();
        let waiting = count.wait_for(|count| *count >= requests);
        let seen = tokio::time::timeout(Duration::from_secs(20), waiting).await;
        seen.expect("a request").expect("a running model");
        self.requests()
    }
}

async fn set_scripts(State(shared): State<Known>, Json(scripts): Json<Vec<Script>>) -> StatusCode {
    shared.lock().expect("lock").scripts = scripts;
    StatusCode::NO_CONTENT
}

async fn requests(State(shared): State<Known>) -> Json<Vec<Value>> {
    Json(shared.lock().expect("lock").requests.clone())
}

async fn forget(State(shared): State<Known>) -> StatusCode {
    shared.lock().expect("lock").requests.clear();
    StatusCode::NO_CONTENT
}

async fn complete(State(shared): State<Known>, Json(request): Json<Value>) -> Response {
    let reply = {
        let mut shared = shared.lock().expect("lock");
        let reply = choose(&shared.scripts, &request);
        shared.requests.push(request);
        let count = shared.requests.len();
        shared.count.send_replace(count);
        reply
    };
    let Some(reply) = reply else {
        let problem = json!({"error": {"message": "no script matches", "type": "invalid_request_error"}});
        return (StatusCode::BAD_REQUEST, Json(problem)).into_response();
    };
    if let Some(status) = reply.status {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, reply.body.clone()).into_response();
        for (name, value) in &reply.headers {
            if let (Ok(name), Ok(value)) = (name.parse::<header::HeaderName>(), value.parse()) {
                response.headers_mut().insert(name, value);
            }
        }
        return response;
    }
    respond(reply)
}

fn text_of(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn choose(scripts: &[Script], request: &Value) -> Option<Reply> {
    let messages = request["messages"].as_array()?;
    let last = messages.iter().rposition(|message| message["role"] == "user")?;
    let said = text_of(messages.get(last)?);
    let iteration = messages[last..].iter().filter(|message| message["role"] == "assistant").count();
    let script = scripts.iter().find(|script| said.contains(&script.matches))?;
    script.replies.get(iteration).or(script.replies.last()).cloned()
}

enum Step {
    Wait(u64),
    Send(String),
    Hang,
    Cut,
}

fn respond(reply: Reply) -> Response {
    let steps = steps(reply);
    let body = stream::unfold(steps.into_iter(), |mut steps| async move {
        loop {
            match steps.next()? {
                Step::Wait(delay_ms) => tokio::time::sleep(Duration::from_millis(delay_ms)).await,
                Step::Send(text) => return Some((Ok::<_, Infallible>(Bytes::from(text)), steps)),
                Step::Hang => std::future::pending::<()>().await,
                Step::Cut => return None,
            }
        }
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(body)).into_response()
}

fn steps(reply: Reply) -> Vec<Step> {
    if let Some(raw) = reply.raw {
        return vec![Step::Send(raw)];
    }
    let event = |delta: Value, finish: Option<&str>| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"id": "x", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let mut steps = vec![Step::Send(event(json!({"role": "assistant"}), None))];
    let mut calls = 0;
    for chunk in reply.chunks {
        if chunk.delay_ms > 0 {
            steps.push(Step::Wait(chunk.delay_ms));
        }
        if let Some(text) = chunk.reasoning {
            steps.push(Step::Send(event(json!({"reasoning_content": text}), None)));
        }
        if let Some(text) = chunk.text {
            steps.push(Step::Send(event(json!({"content": text}), None)));
        }
        if let Some(call) = chunk.tool_call {
            let arguments = match call.arguments {
                Value::String(text) => text,
                other => other.to_string(),
            };
            let function = json!({"name": call.name, "arguments": arguments});
            let call = json!({"index": calls, "id": call.id, "type": "function", "function": function});
            steps.push(Step::Send(event(json!({"tool_calls": [call]}), None)));
            calls += 1;
        }
    }
    if reply.hang {
        steps.push(Step::Hang);
    }
    if reply.cut {
        steps.push(Step::Cut);
        return steps;
    }
    let finish = if reply.finish.is_empty() { "stop" } else { reply.finish.as_str() };
    steps.push(Step::Send(event(json!({}), Some(finish))));
    if let Some(usage) = reply.usage {
        let usage = json!({
            "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
            "prompt_tokens_details": {"cached_tokens": usage.cached}
        });
        steps.push(Step::Send(format!("data: {}\n\n", json!({"choices": [], "usage": usage}))));
    }
    steps.push(Step::Send("data: [DONE]\n\n".to_owned()));
    steps
}
