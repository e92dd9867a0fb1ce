//! `TestApp`: the real router and runtime in this process on a free port, or the real binary as a process that can be killed.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use nanobot_engine::event::EventBody;
use nanobot_engine::hook::AgentHook;
use nanobot_engine::id::SessionId;
use nanobot_runtime::clock::{Clock, SystemClock};
use nanobot_runtime::config::{ConfigStore, Overrides};
use nanobot_runtime::hooks::TurnHookFactory;
use nanobot_runtime::provider::Limits;
use nanobot_runtime::replay::{ReplayError, Replayed, replay};
use nanobot_runtime::tool::{Tool, ToolRegistry};
use nanobot_runtime::{FeedItem, Runtime, RuntimeOptions};
use nanobot_server::auth::Auth;
use nanobot_store::Store;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::client::Client;
use crate::scripted::{Script, ScriptedModel};

/// Settings that ask the scripted model at `url`.
#[must_use]
pub fn config(url: &str) -> String {
    format!(
        "[providers.mock]\nkind = \"openai\"\nbase_url = \"{url}/v1\"\napi_key = \"test-key\"\n\n\
         [presets.default]\nprovider = \"mock\"\nmodel = \"mock\"\ncontext_window_tokens = 100000\n\n\
         [agent]\npreset = \"default\"\ntitles = \"first_words\"\n"
    )
}

/// What a test changes of the usual.
#[derive(Default)]
pub struct Options {
    /// Hooks.
    pub hooks: Vec<Arc<dyn AgentHook>>,
    /// Hooks that are made for each turn.
    pub turn_hooks: Vec<Arc<dyn TurnHookFactory>>,
    /// Tools beside the four that read.
    pub tools: Vec<Arc<dyn Tool>>,
    /// More lines of the `[agent]` section, or whole sections.
    pub config: String,
    /// Largest body, when not the usual.
    pub max_body_bytes: Option<usize>,
    /// Time limits of a model's answer, when not the usual.
    pub model_limits: Option<Limits>,
    /// The time, when not the machine's own.
    pub clock: Option<Arc<dyn Clock>>,
    /// Use this home and leave it.
    pub home: Option<PathBuf>,
    /// How long a write waits for another program, when not the usual time.
    pub busy_timeout: Option<Duration>,
    /// Listen on all addresses, so that a credential is needed.
    pub public: bool,
    /// Further names that the server answers for.
    pub allowed_hosts: Vec<String>,
    /// The static credential.
    pub token: Option<String>,
}

/// The server in this process, with a scripted model.
pub struct TestApp {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    /// Home folder.
    pub home: PathBuf,
    /// The model.
    pub model: ScriptedModel,
    /// The runtime behind the routes.
    pub runtime: Runtime,
    http: reqwest::Client,
    shutdown: CancellationToken,
    server: JoinHandle<()>,
    _folder: Option<TempDir>,
}

impl TestApp {
    /// Starts with these scripts.
    ///
    /// # Panics
    /// When anything does not start.
    pub async fn start(scripts: Vec<Script>) -> Self {
        Self::with(scripts, Options::default()).await
    }

    /// Starts with options.
    ///
    /// # Panics
    /// When anything does not start.
    pub async fn with(scripts: Vec<Script>, options: Options) -> Self {
        Self::build(scripts, options).await.expect("the test server starts")
    }

    async fn build(scripts: Vec<Script>, options: Options) -> Result<Self> {
        let model = ScriptedModel::start(scripts).await;
        let folder = if options.home.is_none() { Some(TempDir::new()?) } else { None };
        let home = match (&options.home, &folder) {
            (Some(home), _) => home.clone(),
            (None, Some(folder)) => folder.path().to_owned(),
            (None, None) => bail!("no home"),
        };
        std::fs::create_dir_all(home.join("workspace"))?;
        std::fs::write(home.join("config.toml"), config(model.url()) + &options.config)?;
        let config = ConfigStore::open(&home, Overrides::default(), Vec::new())?;
        let database = home.join("nanobot.db");
        let store = match options.busy_timeout {
            Some(busy_timeout) => Store::open_with(&database, busy_timeout).await?,
            None => Store::open(&database).await?,
        };
        let mut tools = ToolRegistry::read_only();
        for tool in options.tools {
            tools.register(tool)?;
        }
        let runtime = Runtime::new(RuntimeOptions {
            home: home.clone(),
            store,
            config,
            clock: options.clock.unwrap_or_else(|| Arc::new(SystemClock)),
            tools,
            hooks: options.hooks,
            turn_hooks: options.turn_hooks,
            max_message_chars: nanobot_server::app::MAX_MESSAGE_CHARS,
            model_limits: options.model_limits.unwrap_or_default(),
            dice: || 0.0,
        });
        let ip = if options.public { [0, 0, 0, 0] } else { [127, 0, 0, 1] };
        let listener = nanobot_server::serve::bind((ip, 0).into())?;
        let address = listener.local_addr()?;
        let token = options.token.map(Into::into);
        let auth = Auth::new(address, address.ip().to_string(), options.allowed_hosts, token);
        let shutdown = CancellationToken::new();
        let served = nanobot_server::serve::run(
            listener,
            runtime.clone(),
            auth,
            options.max_body_bytes.unwrap_or(1024 * 1024),
            shutdown.clone(),
        );
        let server = tokio::spawn(async move {
            let _ = served.await;
        });
        let url = format!("http://127.0.0.1:{}", address.port());
        Ok(Self { url, home, model, runtime, http: http(), shutdown, server, _folder: folder })
    }

    /// Shuts down as SIGTERM does.
    ///
    /// # Panics
    /// When the server does not end.
    pub async fn stop(self) {
        self.shutdown.cancel();
        tokio::time::timeout(Duration::from_secs(10), self.server)
            .await
            .expect("the server ends")
            .expect("server task");
    }

    /// A file in the workspace.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn file(&self, name: &str, text: &str) {
        std::fs::write(self.home.join("workspace").join(name), text).expect("a workspace file");
    }

    /// A request with a JSON body; gives status and body.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn request(&self, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        request(&self.http, &self.url, method, path, body).await.expect("an answer")
    }

    /// A request with headers and any body.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<reqwest::Body>,
    ) -> Answer {
        let method = method.parse().expect("a method");
        let mut request = self.http.request(method, format!("{}{path}", self.url)).body(body);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, body: response.bytes().await.expect("a body").into() }
    }

    /// GET that has to succeed.
    ///
    /// # Panics
    /// When it does not.
    pub async fn get(&self, path: &str) -> Value {
        let (status, body) = self.request("GET", path, None).await;
        assert_eq!(status, 200, "GET {path}: {body}");
        body
    }

    /// A new session.
    ///
    /// # Panics
    /// When it cannot be made.
    pub async fn session(&self) -> SessionId {
        let (status, body) = self.request("POST", "/api/v1/sessions", Some(json!({}))).await;
        assert_eq!(status, 201, "{body}");
        body["id"].as_str().expect("id").parse().expect("a session id")
    }

    /// Sends a message and waits for the end of its turn.
    ///
    /// # Panics
    /// When the server refuses.
    pub async fn ask(&self, session: SessionId, content: &str) -> Value {
        let path = format!("/api/v1/sessions/{session}/turns?wait=true");
        let (status, body) = self.request("POST", &path, Some(json!({ "content": content }))).await;
        assert_eq!(status, 200, "{body}");
        self.plays_again(&body).await;
        body
    }

    /// Plays a turn again that has ended: it has to be the same, unless its end is not on record.
    ///
    /// # Panics
    /// When it is not the same.
    pub async fn plays_again(&self, turn: &Value) {
        let id = turn["turn_id"].as_str().expect("id").parse().expect("a turn id");
        match replay(self.runtime.store(), id).await {
            Ok(Replayed::Same { .. }) | Err(ReplayError::NotOnRecord(_)) => {}
            other => panic!("{other:?}: {turn}"),
        }
    }

    /// A turn once it has ended, by its id.
    ///
    /// # Panics
    /// When it does not end within 20 s.
    pub async fn ended(&self, turn: &Value) -> Value {
        let path = format!("/api/v1/turns/{}", turn.as_str().expect("an id"));
        let wait = async {
            loop {
                let read = self.get(&path).await;
                if read.get("stop_reason").is_some() {
                    return read;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), wait).await.expect("the end of the turn")
    }

    /// Waits until the session got its title, which is no part of its first turn.
    ///
    /// # Panics
    /// When it gets none.
    pub async fn titled(&self, session: SessionId) {
        let mut feed = self.runtime.attach(session, 0).await.expect("a session").feed;
        loop {
            let next = tokio::time::timeout(Duration::from_secs(20), feed.next()).await.expect("a title");
            let FeedItem::Event(event) = next.expect("an event") else { panic!("the feed ended") };
            if matches!(event.body, EventBody::SessionUpdated { title: Some(_), .. }) {
                return;
            }
        }
    }

    /// A socket.
    ///
    /// # Panics
    /// When the server refuses it.
    pub async fn socket(&self) -> Client {
        Client::connect(&self.url).await.expect("a socket")
    }
}

/// A whole answer.
#[derive(Debug)]
pub struct Answer {
    /// Status.
    pub status: u16,
    /// Headers.
    pub headers: reqwest::header::HeaderMap,
    /// Body.
    pub body: Vec<u8>,
}

impl Answer {
    /// A header as text, empty when there is none.
    #[must_use]
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body as JSON, `null` when it is none.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// The body as text.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A client for servers on this machine.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn http() -> reqwest::Client {
    nanobot_runtime::provider::http_client().local().expect("an HTTP client").clone()
}

/// A request with a JSON body; gives status and body.
///
/// # Errors
/// When the server does not answer.
pub async fn request(
    http: &reqwest::Client,
    url: &str,
    method: &str,
    path: &str,
    body: Option<Value>,
) -> Result<(u16, Value)> {
    let mut request = http.request(method.parse()?, format!("{url}{path}"));
    if let Some(body) = body {
        request = request.header("content-type", "application/json").body(body.to_string());
    }
    let response = request.send().await?;
    let status = response.status().as_u16();
    let text = response.text().await?;
    Ok((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
}

/// The real binary as a process.
pub struct ServerProcess {
    /// `http://127.0.0.1:PORT`.
    pub url: String,
    child: Child,
}

impl ServerProcess {
    /// Starts the binary on a home.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn start(home: &Path) -> Result<Self> {
        let mut command = Command::new(binary()?);
        command.args(["serve", "--port", "0", "--home"]).arg(home);
        Self::spawn(command).await
    }

    /// Runs a command that becomes the server.
    ///
    /// # Errors
    /// When it does not come up.
    pub async fn spawn(mut command: Command) -> Result<Self> {
        let mut child = command
            .env("NANOBOT_LOG", "warn")
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .kill_on_drop(true)
            .spawn()?;
        let stdout = child.stdout.take().context("stdout")?;
        let mut lines = BufReader::new(stdout).lines();
        let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line()).await??;
        let url = line.and_then(|line| line.strip_prefix("listening on ").map(str::to_owned));
        Ok(Self { url: url.context("the server did not say where it listens")?, child })
    }

    /// Its process id; `None` when it has ended.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    /// `kill -9`.
    ///
    /// # Errors
    /// When the process cannot be killed.
    pub async fn kill(mut self) -> Result<()> {
        self.child.kill().await?;
        Ok(())
    }

    /// SIGTERM, then waits.
    ///
    /// # Errors
    /// When the process does not end by itself.
    pub async fn terminate(mut self) -> Result<std::process::ExitStatus> {
        let pid = self.child.id().context("the server has ended already")?;
        let sent = Command::new("kill").args(["-TERM", &pid.to_string()]).status().await?;
        if !sent.success() {
            bail!("SIGTERM could not be sent");
        }
        Ok(tokio::time::timeout(Duration::from_secs(10), self.child.wait()).await??)
    }
}

/// Where the binary is: `NANOBOT_BIN`, else beside the test's own target folder.
///
/// # Errors
/// When it was not built.
pub fn binary() -> Result<PathBuf> {
    if let Some(path) = std::env::var_os("NANOBOT_BIN") {
        return Ok(path.into());
    }
    let own = std::env::current_exe()?;
    let found = own.ancestors().map(|folder| folder.join("nanobot")).find(|path| path.is_file());
    found.context("build the binary first: cargo build -p nanobot")
}
