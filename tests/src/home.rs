//! A home for the real binary: settings, workspace, and a scripted model that outlives every process on it.

use std::path::{Path, PathBuf};

use anyhow::Result;
use nanobot_engine::turn::Turn;
use nanobot_store::Store;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::app::{ServerProcess, config, http, request};
use crate::scripted::{Script, ScriptedModel};

/// The home and its model.
pub struct Home {
    /// The model.
    pub model: ScriptedModel,
    http: reqwest::Client,
    folder: TempDir,
}

impl Home {
    /// A home with these scripts; `more` are further lines of the `[agent]` section.
    ///
    /// # Panics
    /// When it cannot be made.
    pub async fn new(scripts: Vec<Script>, more: &str) -> Self {
        let model = ScriptedModel::start(scripts).await;
        let folder = TempDir::new().expect("a folder");
        let home = Self { model, http: http(), folder };
        home.prepare(home.path(), more);
        home
    }

    /// Writes settings and workspace into a folder.
    ///
    /// # Panics
    /// When they cannot be written.
    pub fn prepare(&self, path: &Path, more: &str) {
        std::fs::create_dir_all(path.join("workspace").join("sub")).expect("a workspace");
        std::fs::write(path.join("workspace").join("notes.md"), "one\ntwo\nthree\n").expect("a file");
        std::fs::write(path.join("config.toml"), config(self.model.url()) + more).expect("settings");
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The database file.
    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.path().join("nanobot.db")
    }

    /// Starts the binary.
    ///
    /// # Panics
    /// When it does not come up.
    pub async fn start(&self) -> ServerProcess {
        ServerProcess::start(self.path()).await.expect("the server starts")
    }

    /// The database, beside or after a server.
    ///
    /// # Panics
    /// When it cannot be opened.
    pub async fn store(&self) -> Store {
        Store::open(&self.database()).await.expect("the database opens")
    }

    /// A request with a JSON body; gives status and body.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn request(&self, server: &ServerProcess, method: &str, path: &str, body: Option<Value>) -> (u16, Value) {
        request(&self.http, &server.url, method, path, body).await.expect("an answer")
    }

    /// Sends a message and waits for the end of its turn; gives status and body.
    ///
    /// # Panics
    /// When the server does not answer.
    pub async fn ask(&self, server: &ServerProcess, session: impl std::fmt::Display, content: &str) -> (u16, Value) {
        let path = format!("/api/v1/sessions/{session}/turns?wait=true");
        self.request(server, "POST", &path, Some(json!({ "content": content }))).await
    }

    /// The turns of a session's active branch.
    ///
    /// # Panics
    /// When they cannot be read.
    pub async fn turns(&self, server: &ServerProcess, session: impl std::fmt::Display) -> Vec<Turn> {
        turns(&self.http, &server.url, session).await.expect("the turns").0
    }
}

/// The turns of a session's active branch, and the number up to which they are true.
///
/// # Errors
/// When they cannot be read.
pub async fn turns(http: &reqwest::Client, url: &str, session: impl std::fmt::Display) -> Result<(Vec<Turn>, u64)> {
    let (status, page) = request(http, url, "GET", &format!("/api/v1/sessions/{session}/turns"), None).await?;
    anyhow::ensure!(status == 200, "GET turns: {status} {page}");
    Ok((serde_json::from_value(page["items"].clone())?, page["head_seq"].as_u64().unwrap_or_default()))
}
