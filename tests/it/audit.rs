//! The audit log as people see it: who signed in, made tokens and changed settings, and that no secret is ever in it.

use std::path::Path;
use std::process::Output;

use nanobot_server::auth::hash;
use nanobot_store::{AuditEntry, AuditKind, Store};
use nanobot_tests::app::{Answer, Options, TestApp, binary};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::process::Command;

const SECRET: &str = "sk-very-secret-0123456789";
const STATIC: &str = "the-token-of-this-test";
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

/// A server that needs a credential, on a home that outlives it.
async fn public(home: &TempDir) -> TestApp {
    let options = Options { public: true, token: Some(STATIC.to_owned()), ..Options::default() };
    TestApp::with(Vec::new(), Options { home: Some(home.path().to_owned()), ..options }).await
}

fn bearer(token: &str) -> (&'static str, String) {
    ("authorization", format!("Bearer {token}"))
}

async fn send(app: &TestApp, method: &str, path: &str, token: &str, body: Value) -> Answer {
    let (name, value) = bearer(token);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    app.send(method, path, &[(name, &value), ("content-type", "application/json")], body).await
}

async fn form(app: &TestApp, token: &str) -> Answer {
    app.send("POST", "/login", &[FORM], format!("token={token}")).await
}

/// Actor, kind and subject of the rows, newest first.
fn told(page: &Value) -> Vec<[&str; 3]> {
    let items = page["items"].as_array().expect("items");
    items.iter().map(|row| ["actor", "kind", "subject"].map(|key| row[key].as_str().expect("a text"))).collect()
}

async fn nanobot(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(binary().expect("the binary"));
    command.args(arguments).arg("--home").arg(home).env("NANOBOT_LOG", "warn").kill_on_drop(true);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), command.output()).await;
    ended.expect("the command ends").expect("the command starts")
}

#[tokio::test]
async fn sign_ins_are_written_with_who_and_from_where_and_never_with_what_was_tried() {
    let home = tempfile::tempdir().expect("a folder");
    let app = public(&home).await;
    let token = nanobot_server::auth::new_token();
    app.runtime.store().create_token("laptop", &hash(&token), &[], "terminal", 1).await.expect("a token");
    assert_eq!(form(&app, "wrong-guess-one").await.status, 401);
    assert_eq!(send(&app, "GET", "/api/v1/sessions", "wrong-guess-two", Value::Null).await.status, 401);
    // An old cookie is no attempt, nor is a request without anything.
    assert_eq!(app.send("GET", "/api/v1/sessions", &[("cookie", "nanobot_login=old")], "").await.status, 401);
    assert_eq!(app.send("GET", "/api/v1/audit", &[], "").await.status, 401, "strangers cannot read the log");
    assert_eq!(form(&app, STATIC).await.status, 303);
    assert_eq!(form(&app, &token).await.status, 303);

    let answer = send(&app, "GET", "/api/v1/audit", STATIC, Value::Null).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    let page = answer.json();
    let expected = [
        ["laptop", "login", "127.0.0.1"],
        ["config", "login", "127.0.0.1"],
        ["nobody", "login_failed", "127.0.0.1"],
        ["nobody", "login_failed", "127.0.0.1"],
        ["terminal", "token_created", "laptop"],
    ];
    assert_eq!(told(&page), expected);
    let ways: Vec<&Value> = (2..4).map(|at| &page["items"][at]["detail"]["way"]).collect();
    assert_eq!(ways, ["bearer", "form"]);
    let newest = &page["items"][0];
    assert_eq!((&newest["n"], newest["hash"].as_str().map(str::len)), (&json!(5), Some(64)));
    assert!(newest.get("session_id").is_none() && newest["at"].as_i64().is_some_and(|at| at > 1), "{newest}");
    for secret in ["wrong-guess", STATIC, token.as_str()] {
        assert!(!page.to_string().contains(secret), "{page}");
    }
    assert_eq!(app.runtime.store().verify_audit().await.expect("a report").first_fault, None);
    app.stop().await;
}

#[tokio::test]
async fn a_flood_of_guesses_is_a_few_rows() {
    let home = tempfile::tempdir().expect("a folder");
    let app = public(&home).await;
    for attempt in 0..100 {
        let status = form(&app, &format!("guess{attempt}")).await.status;
        assert_eq!(status, if attempt < 10 { 401 } else { 429 }, "{attempt}");
    }
    let rows = async |store: &Store| store.audit_page(None, 1_000, None).await.expect("a page").items;
    assert_eq!(rows(app.runtime.store()).await.len(), 10);
    app.stop().await;
    // What was counted alone is told when the server goes away.
    let store = Store::open(&home.path().join("nanobot.db")).await.expect("the database");
    let rows = rows(&store).await;
    assert_eq!((rows.len(), rows[0].kind.as_str(), rows[0].actor.as_str()), (11, "logins_failed", "system"));
    let detail: Value = serde_json::from_str(&rows[0].detail).expect("JSON");
    assert_eq!((&detail["count"], &detail["addresses"]), (&json!(90), &json!(["127.0.0.1"])));
}

#[tokio::test]
async fn a_change_of_settings_is_written_with_its_keys_and_no_secret() {
    let home = tempfile::tempdir().expect("a folder");
    let app = public(&home).await;
    let token = nanobot_server::auth::new_token();
    app.runtime.store().create_token("laptop", &hash(&token), &[], "terminal", 1).await.expect("a token");
    let patch = json!({
        "providers": {"mock": {"api_key": SECRET, "extra_headers": {"X-Team": SECRET}}},
        "presets": {"default": {"model": "other"}},
    });
    for _ in 0..2 {
        // The second time nothing is different any more.
        let answer = send(&app, "PATCH", "/api/v1/settings", &token, patch.clone()).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let refused = json!({"agent": {"max_iterations": 0}});
    assert_eq!(send(&app, "PATCH", "/api/v1/settings", &token, refused).await.status, 422);
    let login = form(&app, &token).await;
    let cookie = login.header("set-cookie").split(';').next().expect("a pair").to_owned();
    let by_cookie = [("cookie", cookie.as_str()), ("content-type", "application/json")];
    let patch = json!({"agent": {"timezone": "Europe/Berlin"}}).to_string();
    assert_eq!(app.send("PATCH", "/api/v1/settings", &by_cookie, patch).await.status, 200);
    // An edit of the file that the next change takes up is not its author's.
    let file = home.path().join("config.toml");
    let text = std::fs::read_to_string(&file).expect("the file").replace("\"other\"", "\"edited\"");
    std::fs::write(&file, text).expect("the file");
    let patch = json!({"agent": {"titles": "model"}});
    assert_eq!(send(&app, "PATCH", "/api/v1/settings", STATIC, patch).await.status, 200);

    let page = send(&app, "GET", "/api/v1/audit?kind=settings_changed", STATIC, Value::Null).await.json();
    let keys = "presets.default.model, providers.mock.api_key, providers.mock.extra_headers.X-Team";
    let expected = [
        ["config", "settings_changed", "agent.titles"],
        ["laptop", "settings_changed", "agent.timezone"],
        ["laptop", "settings_changed", keys],
    ];
    let items = page["items"].as_array().expect("items");
    assert_eq!(told(&page).map_lower(), expected.to_vec().map_lower());
    let detail = &items[2]["detail"];
    assert_eq!(detail["values"], json!({"presets.default.model": ["mock", "other"]}));
    assert_eq!(detail["keys"].as_array().map(Vec::len), Some(3));
    assert_eq!(items[1]["detail"]["values"], json!({"agent.timezone": ["UTC", "Europe/Berlin"]}));
    assert!(!page.to_string().contains(SECRET) && !page.to_string().contains("test-key"), "{page}");
    app.stop().await;
}

/// Header names may be written in lower case on their way.
trait MapLower {
    fn map_lower(&self) -> Vec<String>;
}

impl MapLower for Vec<[&str; 3]> {
    fn map_lower(&self) -> Vec<String> {
        self.iter().map(|row| row.join(" | ").to_lowercase()).collect()
    }
}

#[tokio::test]
async fn somebody_on_this_machine_is_called_loopback() {
    let app = TestApp::start(Vec::new()).await;
    let patch = json!({"agent": {"timezone": "Asia/Kolkata"}});
    assert_eq!(app.request("PATCH", "/api/v1/settings", Some(patch)).await.0, 200);
    assert_eq!(told(&app.get("/api/v1/audit").await), [["loopback", "settings_changed", "agent.timezone"]]);
    app.stop().await;
}

#[tokio::test]
async fn the_log_is_read_in_pages_and_by_kind() {
    let app = TestApp::start(Vec::new()).await;
    assert_eq!(app.get("/api/v1/audit").await, json!({"items": [], "next_cursor": null}));
    for at in 0..250 {
        let kind = if at % 5 == 0 { AuditKind::ApprovalResolved } else { AuditKind::PermissionDecided };
        app.runtime.store().audit(AuditEntry::new(kind, "model", at.to_string(), at)).await.expect("a row");
    }
    for (query, total) in [("", 250), ("&kind=approval_resolved", 50), ("&kind=login", 0)] {
        let (mut seen, mut next) = (Vec::new(), String::new());
        loop {
            let page = app.get(&format!("/api/v1/audit?limit=40{query}{next}")).await;
            seen.extend(page["items"].as_array().expect("items").iter().filter_map(|row| row["n"].as_u64()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("&cursor={cursor}");
        }
        assert_eq!(seen.len(), total, "{query}");
        assert!(seen.is_sorted_by(|a, b| a > b), "{query}: {seen:?}");
    }
    let count = async |query: &str| app.get(&format!("/api/v1/audit{query}")).await["items"].as_array().map(Vec::len);
    assert_eq!((count("").await, count("?limit=1000").await, count("?limit=0").await), (Some(50), Some(200), Some(1)));
    for (query, code) in [
        ("kind=dance", "invalid_field"),
        ("kind=", "invalid_field"),
        ("cursor=x", "bad_cursor"),
        ("cursor=-1", "bad_cursor"),
        ("since=1", "bad_query"),
    ] {
        let (status, problem) = app.request("GET", &format!("/api/v1/audit?{query}"), None).await;
        assert!((400..=422).contains(&status) && problem["code"] == code, "{query}: {status} {problem}");
    }
    let described = app.get("/api/v1/openapi.json").await;
    assert!(described["paths"]["/api/v1/audit"]["get"].is_object());
    app.stop().await;
}

#[tokio::test]
async fn tokens_of_the_command_line_are_written_and_names_of_others_refused() {
    let home = tempfile::tempdir().expect("a folder");
    let created = nanobot(home.path(), &["token", "create", "phone"]).await;
    assert_eq!(created.status.code(), Some(0));
    assert_eq!(nanobot(home.path(), &["token", "create", "phone"]).await.status.code(), Some(1));
    assert_eq!(nanobot(home.path(), &["token", "revoke", "phone"]).await.status.code(), Some(0));
    for name in ["loopback", "system", "model", "config", "terminal", "nobody"] {
        let refused = nanobot(home.path(), &["token", "create", name]).await;
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(String::from_utf8_lossy(&refused.stderr).contains("choose another name"));
    }
    let store = Store::open(&home.path().join("nanobot.db")).await.expect("the database");
    let rows = store.audit_page(None, 10, None).await.expect("a page").items;
    let rows: Vec<_> = rows.iter().map(|row| (row.actor.as_str(), row.kind.as_str(), row.subject.as_str())).collect();
    assert_eq!(rows, [("terminal", "token_revoked", "phone"), ("terminal", "token_created", "phone")]);
    let token = String::from_utf8_lossy(&created.stdout).trim().to_owned();
    let page = store.audit_page(None, 10, None).await.expect("a page").items;
    assert!(!format!("{page:?}").contains(&token));
}
