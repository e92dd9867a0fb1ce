//! One answer on its way over HTTP: time limits, and the choice between an event stream, a JSON body and a web page.

use async_trait::async_trait;
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd, StreamItem};
use reqwest::Response;
use secrecy::SecretString;
use tokio::time::{Duration, Instant, timeout, timeout_at};

use super::client::Limits;
use super::errors::{bad_response, describe_page, strike_out};
use super::provider::ModelStream;
use super::sse::{MAX_EVENT_BYTES, SseReader};
use super::wire::Decoder;

/// How much of a web page is read for its title.
const PAGE_BYTES: usize = 64 * 1024;
/// How the first line of an event stream begins.
const FIELDS: [&[u8]; 5] = [b"data", b"event", b"id", b"retry", b":"];
/// The end of the body follows the last event at once; reading it lets the connection be used again.
const DRAIN: Duration = Duration::from_millis(2);

/// The answer to one request.
pub(crate) struct WireStream {
    provider: String,
    /// Kept only to be struck out of what the server says.
    secrets: Vec<SecretString>,
    /// `None` once the answer is over.
    response: Option<Response>,
    limits: Limits,
    decoder: Box<dyn Decoder>,
    form: Form,
    started: Instant,
    last_bytes: Instant,
    last_data: Instant,
    has_data: bool,
}

/// What the body turned out to be; content types are not to be relied on.
enum Form {
    /// Only white space has come.
    Unknown(Vec<u8>),
    Events(SseReader),
    Json(Vec<u8>),
    Page(Vec<u8>),
}

impl WireStream {
    pub(crate) fn new(
        provider: String,
        secrets: Vec<SecretString>,
        limits: Limits,
        decoder: Box<dyn Decoder>,
        response: Response,
    ) -> Self {
        let now = Instant::now();
        Self {
            provider,
            secrets,
            response: Some(response),
            limits,
            decoder,
            form: Form::Unknown(Vec::new()),
            started: now,
            last_bytes: now,
            last_data: now,
            has_data: false,
        }
    }

    /// When waiting ends: comments alone prolong it, but not for ever.
    fn deadline(&self) -> Instant {
        if self.decoder.is_finished() {
            return self.last_bytes + self.limits.after_finish;
        }
        let idle = if self.has_data { self.limits.idle } else { self.limits.first_byte };
        (self.last_bytes + idle).min(self.last_data + self.limits.without_data).min(self.started + self.limits.total)
    }

    fn take(&mut self, bytes: &[u8], items: &mut Vec<StreamItem>) {
        self.last_bytes = Instant::now();
        if let Form::Unknown(start) = &mut self.form {
            start.extend_from_slice(bytes);
            let text = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
            let form = match text.trim_ascii_start().first() {
                None => return,
                Some(b'{' | b'[') => Form::Json(Vec::new()),
                Some(b'<') => Form::Page(Vec::new()),
                Some(_) => {
                    let text = text.trim_ascii_start();
                    if FIELDS.iter().any(|field| text.starts_with(field)) {
                        Form::Events(SseReader::default())
                    } else if FIELDS.iter().any(|field| field.starts_with(text)) {
                        return;
                    } else {
                        Form::Page(Vec::new())
                    }
                }
            };
            let start = std::mem::take(start);
            self.form = form;
            self.read(&start, items);
        } else {
            self.read(bytes, items);
        }
    }

    fn read(&mut self, bytes: &[u8], items: &mut Vec<StreamItem>) {
        match &mut self.form {
            Form::Unknown(_) => {}
            Form::Events(reader) => {
                let (decoder, mut got_data) = (self.decoder.as_mut(), false);
                let read = reader.feed(bytes, |event| {
                    got_data = true;
                    decoder.event(event, items);
                });
                if got_data {
                    self.has_data = true;
                    self.last_data = self.last_bytes;
                }
                if let Err(error) = read {
                    self.decoder.fail(bad_response(&self.provider, &error.to_string()), items);
                }
            }
            Form::Json(body) => {
                self.has_data = true;
                self.last_data = self.last_bytes;
                body.extend_from_slice(bytes);
                if body.len() > MAX_EVENT_BYTES {
                    self.decoder.fail(bad_response(&self.provider, "the body is too large"), items);
                }
            }
            Form::Page(page) => {
                page.extend_from_slice(bytes);
                if page.len() > PAGE_BYTES {
                    self.finish(items);
                }
            }
        }
    }

    /// The bytes are over.
    fn finish(&mut self, items: &mut Vec<StreamItem>) {
        match &self.form {
            Form::Unknown(_) | Form::Events(_) => self.decoder.end(items),
            Form::Json(body) => {
                let body = body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body);
                self.decoder.body(body, items);
            }
            Form::Page(page) => {
                let what = describe_page(&String::from_utf8_lossy(page));
                self.decoder.fail(bad_response(&self.provider, &what), items);
            }
        }
    }

    fn time_out(&mut self, items: &mut Vec<StreamItem>) {
        if self.decoder.is_finished() {
            self.decoder.end(items);
            return;
        }
        if self.started.elapsed() >= self.limits.total {
            let detail = format!(
                "{} did not come to an end within {} minutes: ask for less at once or choose another model",
                self.provider,
                self.limits.total.as_secs() / 60
            );
            self.decoder.fail(ModelError::new(ModelErrorKind::Timeout, detail), items);
            return;
        }
        let waited = if self.has_data { self.last_data.elapsed() } else { self.last_bytes.elapsed() };
        self.decoder.fail(timed_out(&self.provider, "nothing more", waited), items);
    }
}

#[async_trait]
impl ModelStream for WireStream {
    async fn next(&mut self, items: &mut Vec<StreamItem>) {
        let before = items.len();
        while items.len() == before {
            let deadline = self.deadline();
            let Some(response) = &mut self.response else { return };
            match timeout_at(deadline, response.chunk()).await {
                Ok(Ok(Some(bytes))) => self.take(&bytes, items),
                Ok(Ok(None)) => self.finish(items),
                Ok(Err(error)) => {
                    let error = error.without_url();
                    tracing::debug!(provider = self.provider, error = &error as &dyn std::error::Error, "answer cut");
                    self.decoder.end(items);
                }
                Err(_) => self.time_out(items),
            }
        }
        if let Some(StreamItem::End(reply)) = items.last_mut()
            && let StreamEnd::Error(error) = &mut reply.end
        {
            strike_out(error, &self.secrets);
        }
        if self.decoder.is_over()
            && let Some(mut response) = self.response.take()
        {
            let _ = timeout(DRAIN, response.chunk()).await;
        }
    }
}

/// The provider let a limit pass.
pub(crate) fn timed_out(provider: &str, what: &str, waited: Duration) -> ModelError {
    let detail = format!("{provider} sent {what} for {} s: try again or choose another model", waited.as_secs());
    ModelError::new(ModelErrorKind::Timeout, detail)
}
