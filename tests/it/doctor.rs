//! `nanobot doctor`: what it finds, beside a running server too, what it says to do, and how it exits.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nanobot_store::{AuditEntry, AuditKind, Store};
use nanobot_tests::app::{ServerProcess, binary, config, http, request};
use nanobot_tests::scripted::ScriptedModel;
use serde_json::Value;
use sqlx::ConnectOptions as _;
use sqlx::sqlite::SqliteConnectOptions;
use tempfile::TempDir;
use tokio::process::Command;

/// A home whose model is the built-in one.
fn home() -> TempDir {
    let home = tempfile::tempdir().expect("a folder");
    mode(home.path(), 0o700);
    write(&home, "[presets.demo]\nprovider = \"demo\"\nmodel = \"demo\"\n\n[agent]\npreset = \"demo\"\n");
    home
}

/// Writes the settings as a save does: for their owner alone.
fn write(home: &TempDir, text: &str) {
    let file = home.path().join("config.toml");
    std::fs::write(&file, text).expect("the settings");
    mode(&file, 0o600);
}

fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("a mode");
}

/// What it printed, and how it exited.
struct Said {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Said {
    /// The lines of a check, without its name.
    fn lines<'a>(&'a self, status: &str, name: &str) -> Vec<&'a str> {
        let of = |line: &&str| line.split_whitespace().take(2).eq([status, name]);
        self.out.lines().filter(of).collect()
    }

    #[track_caller]
    fn one(&self, status: &str, name: &str) -> &str {
        let lines = self.lines(status, name);
        let [line] = lines.as_slice() else { panic!("not one line {status} {name}:\n{}{}", self.out, self.err) };
        line
    }
}

async fn doctor(home: &Path, arguments: &[&str]) -> Said {
    let mut command = Command::new(binary().expect("the binary"));
    command.arg("doctor").args(arguments).arg("--home").arg(home).kill_on_drop(true);
    let ended = tokio::time::timeout(Duration::from_secs(30), command.output()).await;
    let output = ended.expect("the command ends").expect("the command starts");
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), out: words(&output.stdout), err: words(&output.stderr) }
}

/// A home whose database has an audit log of five rows.
async fn audited() -> TempDir {
    let home = home();
    let store = Store::open(&home.path().join("nanobot.db")).await.expect("a database");
    for at in 1..=5 {
        let row = AuditEntry::new(AuditKind::Login, "laptop", format!("row {at}"), at);
        store.audit(row).await.expect("a row");
    }
    store.close().await;
    home
}

fn files(home: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found: Vec<_> = std::fs::read_dir(home)
        .expect("the home")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file() && !path.to_string_lossy().contains("nanobot.db-"))
        .map(|path| (path.clone(), std::fs::read(&path).expect("a file")))
        .collect();
    found.sort();
    found
}

#[tokio::test]
async fn a_good_home_is_good_and_stays_as_it_is() {
    let home = audited().await;
    let before = files(home.path());
    let said = doctor(home.path(), &[]).await;
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{}", said.out);
    assert!(said.one("ok", "audit").contains("the chain of 5 rows is whole"));
    assert!(said.one("ok", "database").contains("sound"));
    assert!(said.one("ok", "config").contains("config.toml is valid"));
    assert!(said.one("ok", "home").contains("for this user alone"));
    assert!(said.one("ok", "presets").contains("new sessions use demo"));
    assert!(said.one("ok", "provider").contains("demo answers: 1 models"));
    assert!(said.one("ok", "server").contains("not running"));
    assert!(said.lines("ok", "disk").len() + said.lines("warn", "disk").len() == 1, "{}", said.out);
    assert_eq!(files(home.path()), before);
}

#[tokio::test]
async fn beside_a_running_server_it_disturbs_nothing() {
    let home = home();
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let agent = |message: &'static str| {
        let mut command = Command::new(binary().expect("the binary"));
        command.args(["agent", "-m", message, "--home"]).arg(home.path()).kill_on_drop(true);
        command
    };
    assert!(agent("hello").output().await.expect("an answer").status.success());
    let patch = Some(serde_json::json!({"agent": {"timezone": "Asia/Kolkata"}}));
    let patched = request(&http(), &server.url, "PATCH", "/api/v1/settings", patch).await.expect("an answer");
    assert_eq!(patched.0, 200, "{}", patched.1);
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.err);
    assert!(said.one("ok", "server").contains(&format!("runs at {} and answers", server.url)), "{}", said.out);
    assert!(said.one("ok", "audit").contains("the chain of 1 rows is whole"), "{}", said.out);
    assert!(said.one("ok", "database").contains("sound"));
    // The server goes on writing, and ends as one that nobody looked at.
    assert!(agent("think").output().await.expect("an answer").status.success());
    assert!(server.terminate().await.expect("an end").success());
    assert!(doctor(home.path(), &[]).await.one("ok", "server").contains("not running"));
}

#[tokio::test]
async fn a_log_that_was_tampered_with_is_found() {
    let home = audited().await;
    let file = home.path().join("nanobot.db");
    let whole = std::fs::read(&file).expect("the database");
    for (sql, found) in [
        ("UPDATE audit SET actor = 'other' WHERE n = 3", "at row 3: the row was changed"),
        ("DELETE FROM audit WHERE n = 2", "at row 2: 1 row is missing"),
        (
            "UPDATE audit SET n = 9 WHERE n = 2; UPDATE audit SET n = 2 WHERE n = 4; UPDATE audit SET n = 4 WHERE n = 9",
            "at row 2: the row was changed",
        ),
        ("DELETE FROM audit WHERE n > 3", "at row 4: the end of the log was cut off: 2 rows are missing"),
    ] {
        std::fs::write(&file, &whole).expect("the database");
        let mut raw = SqliteConnectOptions::new().filename(&file).connect().await.expect("the database");
        let triggers = "DROP TRIGGER audit_is_never_changed; DROP TRIGGER audit_is_never_shortened;";
        sqlx::raw_sql(triggers).execute(&mut raw).await.expect("without triggers");
        sqlx::raw_sql(sql).execute(&mut raw).await.expect("tampered");
        sqlx::Connection::close(raw).await.expect("closed");
        let said = doctor(home.path(), &["--offline"]).await;
        assert_eq!(said.code, Some(1), "{sql}: {}", said.out);
        let line = said.one("fail", "audit");
        assert!(line.contains(found) && line.contains("find out who could"), "{sql}: {line}");
        assert!(said.err.contains("1 of") && said.err.contains("checks failed"), "{}", said.err);
    }
}

#[tokio::test]
async fn settings_that_cannot_be_read_exit_with_2_and_the_rest_is_looked_at() {
    let home = audited().await;
    write(&home, "[server]\nport = 1\n\n[agent\n");
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(2), "{}", said.out);
    assert!(said.one("fail", "config").contains("config.toml, line 4"), "{}", said.out);
    assert!(said.one("ok", "audit").contains("whole"));
    said.one("warn", "presets");
    // Unknown keys are warnings with the nearest known one.
    write(&home, "[agent]\ntimezon = \"UTC\"\n");
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(0), "{}", said.out);
    let line = said.one("warn", "config");
    assert!(line.contains("agent.timezon") && line.contains("timezone"), "{line}");
    assert!(said.one("warn", "presets").contains("no model is set up"));
    assert_eq!(doctor(home.path(), &["--nope"]).await.code, Some(2));
}

#[tokio::test]
async fn providers_are_asked_once_unless_told_not_to() {
    let model = ScriptedModel::start(Vec::new()).await;
    let home = tempfile::tempdir().expect("a folder");
    // Nobody listens on the port of a listener that is gone.
    let gone = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let spare = format!("[providers.spare]\nkind = \"openai\"\nbase_url = \"http://{gone}/v1\"\n");
    write(&home, &(config(model.url()) + &spare));
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(0), "one that no session needs is no failure: {}", said.out);
    assert!(said.one("ok", "provider").contains("mock answers: 1 models"));
    assert!(said.one("warn", "provider").contains("spare: "), "{}", said.out);

    write(&home, &config(&format!("http://{gone}")));
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(1));
    assert!(said.one("fail", "provider").contains("see that it runs"), "{}", said.out);
    let said = doctor(home.path(), &["--offline"]).await;
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.one("ok", "provider").contains("1 not asked"));

    write(&home, "[presets.default]\nprovider = \"nowhere\"\nmodel = \"m\"\n");
    let said = doctor(home.path(), &[]).await;
    assert_eq!(said.code, Some(1));
    assert!(said.one("fail", "presets").contains("`nowhere`, which is not configured"), "{}", said.out);
}

#[tokio::test]
async fn json_says_the_same() {
    let home = audited().await;
    for (settings, code) in [(None, 0), (Some("["), 2)] {
        if let Some(settings) = settings {
            write(&home, settings);
        }
        let said = doctor(home.path(), &["--json", "--offline"]).await;
        assert_eq!(said.code, Some(code), "{}", said.out);
        let report: Value = serde_json::from_str(&said.out).expect("JSON");
        assert_eq!((&report["ok"], report["home"].as_str()), (&Value::from(code == 0), home.path().to_str()));
        assert_eq!(report["version"].as_str(), Some(env!("CARGO_PKG_VERSION")));
        let checks = report["checks"].as_array().expect("checks");
        let status = |name: &str| checks.iter().find(|check| check["name"] == name).map(|check| &check["status"]);
        assert_eq!(status("audit"), Some(&Value::from("ok")));
        assert_eq!(status("config"), Some(&Value::from(if code == 0 { "ok" } else { "fail" })));
        for check in checks {
            assert!(
                check["detail"].is_string() && (check["status"] == "fail") == check["advice"].is_string(),
                "{check}"
            );
        }
    }
}

#[tokio::test]
async fn homes_that_are_open_missing_or_damaged_are_told_apart() {
    let home = audited().await;
    mode(&home.path().join("config.toml"), 0o644);
    let said = doctor(home.path(), &["--offline"]).await;
    assert_eq!(said.code, Some(0), "the folder is closed: {}", said.out);
    assert!(said.one("warn", "home").contains("chmod 600"), "{}", said.out);
    mode(home.path(), 0o755);
    let said = doctor(home.path(), &["--offline"]).await;
    assert_eq!(said.code, Some(1));
    assert!(said.one("fail", "home").contains("others can read"), "{}", said.out);
    assert!(said.one("warn", "home").contains("chmod 700"), "{}", said.out);
    mode(home.path(), 0o700);

    let file = home.path().join("nanobot.db");
    let mut damaged = std::fs::read(&file).expect("the database");
    damaged.iter_mut().skip(4_096).for_each(|byte| *byte = 0xaa);
    std::fs::write(&file, damaged).expect("the database");
    let said = doctor(home.path(), &["--offline"]).await;
    assert_eq!(said.code, Some(1));
    assert!(said.one("fail", "database").contains("damaged"), "{}", said.out);
    std::fs::remove_file(&file).expect("removed");
    let said = doctor(home.path(), &["--offline"]).await;
    assert!(said.one("warn", "database").contains("the first start makes it"), "{}", said.out);
    assert!(!file.exists());

    let missing = home.path().join("missing");
    let said = doctor(&missing, &[]).await;
    assert_eq!(said.code, Some(0), "{}", said.out);
    assert!(said.one("warn", "home").contains("not there yet"));
    assert!(!missing.exists());
    let said = doctor(&home.path().join("config.toml"), &["--offline"]).await;
    assert_ne!(said.code, Some(0), "{}", said.out);
    assert!(said.one("fail", "home").contains("is not a folder"), "{}", said.out);
}

/// A part that is there must be looked at, and no more be called missing.
#[tokio::test]
async fn what_is_called_not_part_of_this_version_is_not_there() {
    let home = home();
    let said = doctor(home.path(), &["--offline"]).await;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the root").join("runtime/src");
    for (name, modules) in [("sandbox", ["sandbox", "tool/exec"]), ("mcp", ["mcp", "tool/mcp"])] {
        let there =
            modules.iter().any(|module| source.join(module).exists() || source.join(format!("{module}.rs")).exists());
        let absent = said.lines("ok", name).iter().any(|line| line.contains("not part of this version"));
        assert!(there != absent, "{name}: {}", said.out);
    }
}
