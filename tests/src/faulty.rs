//! A model server that fails in one given way, in any of the three wire formats, and answers after a number of failures.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::PrivatePkcs8KeyDer;

/// A wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wire {
    /// Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Anthropic,
}

/// How the server fails.
#[derive(Clone, Debug)]
pub enum Fault {
    /// Another status, with headers and a body.
    Status(u16, &'static [(&'static str, &'static str)], String),
    /// 200 with this content type and body.
    Body(&'static str, String),
    /// Closes the connection without a byte.
    NoHead,
    /// Closes it behind the head of the answer.
    NoBody,
    /// Closes it in the middle of the first event.
    HalfEvent,
    /// Closes it after some text.
    HalfText,
    /// Closes it in the middle of the arguments of a call.
    HalfCall,
    /// Ends the body in due form, but without the end signal of the protocol.
    NoEnd,
    /// Says that the body is longer than it is.
    WrongLength,
    /// Never sends the head.
    MuteBeforeHead,
    /// Never sends a byte of the body.
    MuteBeforeBody,
    /// Falls silent after some text.
    MuteInText,
    /// An error event after some text.
    ErrorEvent,
    /// An event that is no JSON, after some text.
    Damage,
    /// Speaks plain HTTP where TLS is expected.
    NoTls,
    /// TLS with a certificate that nobody vouches for.
    StrangeCertificate,
}

/// The server.
pub struct FaultyModel {
    /// Base URL, with `/v1`.
    pub url: String,
    asked: Arc<AtomicUsize>,
    task: JoinHandle<()>,
}

impl Drop for FaultyModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl FaultyModel {
    /// Starts a server whose first `times` answers fail.
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn start(wire: Wire, fault: Fault, times: usize) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address: SocketAddr = listener.local_addr().expect("an address");
        let scheme = if matches!(fault, Fault::NoTls | Fault::StrangeCertificate) { "https" } else { "http" };
        let tls = matches!(fault, Fault::StrangeCertificate).then(strange_certificate);
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        let task = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (fault, counter, tls) = (fault.clone(), Arc::clone(&counter), tls.clone());
                tokio::spawn(async move {
                    if let Some(tls) = tls {
                        counter.fetch_add(1, Ordering::SeqCst);
                        let _ = tls.accept(socket).await;
                        return;
                    }
                    let _ = serve(socket, wire, &fault, times, &counter).await;
                });
            }
        });
        Self { url: format!("{scheme}://{address}/v1"), asked, task }
    }

    /// How many requests arrived; handshakes count where there is no request.
    #[must_use]
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn strange_certificate() -> TlsAcceptor {
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    let key = PrivatePkcs8KeyDer::from(made.signing_key.serialize_der());
    let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("protocol versions")
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key.into())
        .expect("a usable certificate");
    TlsAcceptor::from(Arc::new(config))
}

async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    mut socket: S,
    wire: Wire,
    fault: &Fault,
    times: usize,
    counter: &AtomicUsize,
) -> std::io::Result<()> {
    if matches!(fault, Fault::NoTls) {
        counter.fetch_add(1, Ordering::SeqCst);
        socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await?;
        return socket.shutdown().await;
    }
    if !read_request(&mut socket).await? {
        return Ok(());
    }
    if counter.fetch_add(1, Ordering::SeqCst) >= times {
        let body = wire.answer("fine");
        let head = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        socket.write_all(format!("{head}{body}").as_bytes()).await?;
        return socket.shutdown().await;
    }
    let chunked =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let text = wire.begin("half an ans");
    let said = match fault {
        Fault::Status(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {}\r\n{headers}\r\n{body}", body.len())
        }
        Fault::Body(kind, body) => format!(
            "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        ),
        Fault::NoHead | Fault::MuteBeforeHead | Fault::NoTls | Fault::StrangeCertificate => String::new(),
        Fault::NoBody | Fault::MuteBeforeBody => chunked.to_owned(),
        Fault::HalfEvent => format!("{chunked}{}", chunk(&text.chars().take(20).collect::<String>())),
        Fault::HalfText | Fault::MuteInText => format!("{chunked}{}", chunk(&text)),
        Fault::HalfCall => format!("{chunked}{}", chunk(&wire.half_call())),
        Fault::NoEnd => format!("{chunked}{}0\r\n\r\n", chunk(&text)),
        Fault::WrongLength => {
            let length = text.len() + 100;
            format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\ncontent-length: {length}\r\n\r\n{text}"
            )
        }
        Fault::ErrorEvent => format!("{chunked}{}{}0\r\n\r\n", chunk(&text), chunk(&wire.error_event())),
        Fault::Damage => format!("{chunked}{}{}", chunk(&text), chunk("data: {\"half\": \n\n")),
    };
    socket.write_all(said.as_bytes()).await?;
    if matches!(fault, Fault::MuteBeforeHead | Fault::MuteBeforeBody | Fault::MuteInText) {
        let mut rest = [0; 64];
        // Until the client gives up.
        let _ = tokio::time::timeout(Duration::from_secs(60), socket.read(&mut rest)).await;
    }
    socket.shutdown().await
}

/// Reads a whole request; false when the client went away.
async fn read_request<S: AsyncRead + Unpin>(socket: &mut S) -> std::io::Result<bool> {
    let mut seen = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&seen).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let head = head.to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            if body.len() >= length.unwrap_or(0) {
                return Ok(true);
            }
        }
        if socket.read_buf(&mut seen).await? == 0 {
            return Ok(false);
        }
    }
}

fn event(name: &str, data: &Value) -> String {
    if name.is_empty() { format!("data: {data}\n\n") } else { format!("event: {name}\ndata: {data}\n\n") }
}

fn typed(data: Value) -> String {
    event(data["type"].as_str().unwrap_or_default(), &data)
}

impl Wire {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Anthropic];

    /// `kind` of the configuration.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            Self::Chat => "openai",
            Self::Responses => "openai-responses",
            Self::Anthropic => "anthropic",
        }
    }

    /// The events of an answer up to its text.
    #[must_use]
    pub fn begin(self, text: &str) -> String {
        match self {
            Self::Chat => {
                event("", &json!({"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]}))
            }
            Self::Responses => {
                let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": []});
                let part = json!({"type": "output_text", "text": "", "annotations": []});
                typed(
                    json!({"type": "response.created", "response": {"id": "resp_1", "object": "response", "status": "in_progress", "output": []}}),
                ) + &typed(json!({"type": "response.output_item.added", "output_index": 0, "item": item}))
                    + &typed(
                        json!({"type": "response.content_part.added", "item_id": "msg_1", "output_index": 0, "content_index": 0, "part": part}),
                    )
                    + &typed(
                        json!({"type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0, "content_index": 0, "delta": text}),
                    )
            }
            Self::Anthropic => {
                anthropic_start()
                    + &typed(
                        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                    )
                    + &typed(
                        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}),
                    )
            }
        }
    }

    /// A whole answer.
    #[must_use]
    pub fn answer(self, text: &str) -> String {
        let begin = self.begin(text);
        match self {
            Self::Chat => {
                begin
                    + &event("", &json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))
                    + "data: [DONE]\n\n"
            }
            Self::Responses => {
                let part = json!({"type": "output_text", "text": text, "annotations": []});
                let item = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]});
                let usage = json!({"input_tokens": 7, "output_tokens": 2, "total_tokens": 9});
                begin
                    + &typed(json!({"type": "response.output_item.done", "output_index": 0, "item": item.clone()}))
                    + &typed(json!({"type": "response.completed", "response": {
                        "id": "resp_1", "object": "response", "status": "completed", "output": [item], "usage": usage,
                    }}))
            }
            Self::Anthropic => {
                begin
                    + &typed(json!({"type": "content_block_stop", "index": 0}))
                    + &typed(
                        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}}),
                    )
                    + &typed(json!({"type": "message_stop"}))
            }
        }
    }

    /// An answer that breaks off inside the arguments of a call.
    fn half_call(self) -> String {
        let half = "{\"path\": \"wor";
        match self {
            Self::Chat => {
                let call = json!({"index": 0, "id": "c1", "type": "function", "function": {"name": "list_dir", "arguments": half}});
                event("", &json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
            }
            Self::Responses => {
                let item = json!({"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "list_dir", "arguments": "", "status": "in_progress"});
                typed(json!({"type": "response.output_item.added", "output_index": 0, "item": item}))
                    + &typed(
                        json!({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 0, "delta": half}),
                    )
            }
            Self::Anthropic => {
                let block = json!({"type": "tool_use", "id": "c1", "name": "list_dir", "input": {}});
                anthropic_start()
                    + &typed(json!({"type": "content_block_start", "index": 0, "content_block": block}))
                    + &typed(
                        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": half}}),
                    )
            }
        }
    }

    fn error_event(self) -> String {
        match self {
            Self::Chat => event("", &json!({"error": {"message": "it broke", "type": "server_error"}})),
            Self::Responses => {
                typed(json!({"type": "error", "code": "server_error", "message": "it broke", "param": null}))
            }
            Self::Anthropic => {
                typed(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
            }
        }
    }
}

fn anthropic_start() -> String {
    let usage = json!({"input_tokens": 7, "output_tokens": 1});
    let message =
        json!({"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": usage});
    typed(json!({"type": "message_start", "message": message}))
}
