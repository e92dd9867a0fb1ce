//! Who may come in: Host and Origin, credentials beyond loopback, sign-in, and what the command line refuses.

use std::path::Path;
use std::process::Output;

use nanobot_tests::app::{Options, ServerProcess, TestApp, binary, http, request};
use nanobot_tests::client::Client;
use nanobot_tests::scripted::{Reply, Script};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;

const JSON: (&str, &str) = ("content-type", "application/json");

async fn app(options: Options) -> TestApp {
    let scripts = vec![Script { matches: String::new(), replies: vec![Reply::text(&["ok"])] }];
    TestApp::with(scripts, options).await
}

fn public() -> Options {
    Options { public: true, token: Some("the-token-of-this-test".to_owned()), ..Options::default() }
}

/// The status of an upgrade with these headers; 101 when it became a socket.
async fn upgrade(app: &TestApp, headers: &[(&'static str, String)]) -> u16 {
    let url = format!("{}/ws", app.url.replacen("http", "ws", 1));
    let mut request = url.into_client_request().expect("a request");
    for (name, value) in headers {
        request.headers_mut().insert(*name, HeaderValue::from_str(value).expect("a value"));
    }
    match tokio_tungstenite::connect_async(request).await {
        Ok((_, response)) => response.status().as_u16(),
        Err(tokio_tungstenite::tungstenite::Error::Http(response)) => response.status().as_u16(),
        Err(error) => panic!("{error}"),
    }
}

/// Browsers hide the origin of the sign-in form (`Referrer-Policy: no-referrer`), but say that it is our own page.
#[tokio::test]
async fn a_form_of_our_own_page_comes_in_without_its_origin() {
    let app = app(public()).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    let body = "token=the-token-of-this-test";
    for (site, status) in [("same-origin", 303), ("cross-site", 403), ("none", 403)] {
        let headers = [form, ("origin", "null"), ("sec-fetch-site", site), ("sec-fetch-mode", "navigate")];
        assert_eq!(app.send("POST", "/login", &headers, body).await.status, status, "{site}");
    }
}

/// SE-01: no web page can reach the local server, neither directly nor by a name that was bound to it.
#[tokio::test]
async fn host_and_origin_are_checked_on_the_socket_and_on_requests() {
    let app = app(Options::default()).await;
    let port = app.url.rsplit_once(':').expect("a port").1.to_owned();
    let table: Vec<Value> =
        serde_json::from_str(include_str!("../fixtures/cases/se-ws-origins.json")).expect("a table");
    assert_eq!(table.len(), 7);
    for row in table {
        let ours = |name: &str| row[name].as_str().map(|value| value.replace("8765", &port));
        let (host, origin) = (ours("Host").expect("a host"), ours("Origin"));
        // Without Origin it is no browser; on loopback such a client needs no token.
        let good = row["ok"].as_bool().unwrap_or(true);
        let mut headers = vec![("host", host.clone())];
        headers.extend(origin.clone().map(|origin| ("origin", origin)));
        assert_eq!(upgrade(&app, &headers).await, if good { 101 } else { 403 }, "socket: {row}");
        let mut headers = vec![JSON, ("host", host.as_str())];
        headers.extend(origin.as_deref().map(|origin| ("origin", origin)));
        for (method, path, created) in [("POST", "/api/v1/sessions", 201), ("GET", "/api/v1/sessions", 200)] {
            let answer = app.send(method, path, &headers, "{}").await;
            assert_eq!(answer.status, if good { created } else { 403 }, "{method}: {row}");
            if !good {
                assert!(matches!(answer.json()["code"].as_str(), Some("bad_host" | "bad_origin")), "{}", answer.text());
            }
        }
    }
    let sessions = app.get("/api/v1/sessions").await;
    assert_eq!(sessions["items"].as_array().map(Vec::len), Some(4), "what was refused made nothing");
}

#[tokio::test]
async fn a_request_made_by_another_site_is_refused_and_a_link_from_it_is_not() {
    let app = app(Options::default()).await;
    for (site, mode, method, path, status) in [
        ("cross-site", "cors", "POST", "/api/v1/sessions", 403),
        ("cross-site", "no-cors", "GET", "/api/v1/sessions", 403),
        ("cross-site", "websocket", "GET", "/api/v1/sessions", 403),
        ("cross-site", "navigate", "GET", "/", 200),
        ("same-origin", "cors", "POST", "/api/v1/sessions", 201),
        ("none", "navigate", "GET", "/", 200),
    ] {
        let headers = [JSON, ("sec-fetch-site", site), ("sec-fetch-mode", mode)];
        assert_eq!(app.send(method, path, &headers, "{}").await.status, status, "{site} {mode} {method} {path}");
    }
    // A form of another page that posts by navigation carries its Origin.
    let form = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("origin", "https://evil.example")];
    assert_eq!(app.send("POST", "/api/v1/sessions", &form, "{}").await.status, 403);
    // Some browsers leave the Origin of a form out when told to; a navigation that changes something is refused as well.
    assert_eq!(app.send("POST", "/api/v1/sessions", &form[..2], "{}").await.status, 403);
}

#[tokio::test]
async fn a_name_behind_a_proxy_has_to_be_allowed_and_needs_a_credential() {
    let options = Options { allowed_hosts: vec!["agent.example".to_owned()], ..Options::default() };
    let app = app(Options { token: Some("t0ken".to_owned()), ..options }).await;
    let get = async |headers: &[(&str, &str)]| app.send("GET", "/api/v1/sessions", headers, "").await.status;
    assert_eq!(get(&[("host", "other.example")]).await, 403);
    assert_eq!(get(&[("host", "agent.example")]).await, 401);
    assert_eq!(get(&[("host", "agent.example"), ("authorization", "Bearer t0ken")]).await, 200);
    let proxied = [("host", "agent.example"), ("authorization", "Bearer t0ken"), ("origin", "https://agent.example")];
    assert_eq!(get(&proxied).await, 200);
}

#[tokio::test]
async fn beyond_loopback_everything_but_health_and_sign_in_needs_a_credential() {
    let app = app(public()).await;
    for (method, path) in [
        ("GET", "/api/v1/sessions"),
        ("POST", "/api/v1/sessions"),
        ("GET", "/api/v1/settings"),
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/ws"),
        ("GET", "/"),
        ("GET", "/nothing"),
    ] {
        for headers in
            [vec![JSON], vec![JSON, ("authorization", "Bearer wrong")], vec![JSON, ("cookie", "nanobot_login=x")]]
        {
            let answer = app.send(method, path, &headers, "{}").await;
            assert_eq!(
                (answer.status, &answer.json()["code"]),
                (401, &json!("sign_in")),
                "{method} {path} {headers:?}"
            );
            assert_eq!(answer.header("www-authenticate"), "Bearer");
            if headers.len() > 1 && headers[1].0 == "authorization" {
                break;
            }
        }
    }
    for path in ["/healthz", "/readyz", "/login"] {
        assert_eq!(app.send("GET", path, &[], "").await.status, 200, "{path}");
    }
    let page = app.send("GET", "/s/abc", &[("accept", "text/html")], "").await;
    assert_eq!((page.status, page.header("location")), (303, "/login?next=/s/abc"));
}

#[tokio::test]
async fn a_token_opens_requests_and_the_socket() {
    let app = app(public()).await;
    let bearer = ("authorization", "Bearer the-token-of-this-test");
    assert_eq!(app.send("GET", "/api/v1/sessions", &[bearer], "").await.status, 200);
    assert_eq!(upgrade(&app, &[]).await, 401);
    assert_eq!(upgrade(&app, &[("authorization", "Bearer nope".to_owned())]).await, 401);
    assert_eq!(upgrade(&app, &[("authorization", bearer.1.to_owned())]).await, 101);
}

#[tokio::test]
async fn the_sign_in_form_gives_a_cookie_that_opens_the_rest() {
    let app = app(public()).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    let wrong = app.send("POST", "/login", &[form], "token=wrong&next=%2Fs%2Fabc").await;
    assert_eq!((wrong.status, wrong.header("set-cookie")), (401, ""));
    assert!(wrong.header("content-type").starts_with("text/html"));
    let body = "token=the-token-of-this-test&next=%2Fs%2Fabc";
    let right = app.send("POST", "/login", &[form], body).await;
    // The client follows no redirects.
    assert_eq!((right.status, right.header("location")), (303, "/s/abc"));
    let cookie = right.header("set-cookie").to_owned();
    for word in ["nanobot_login=", "HttpOnly", "SameSite=Lax", "Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    assert!(!cookie.contains("Secure") && !cookie.contains("the-token"));
    let pair = cookie.split(';').next().expect("a pair").to_owned();
    assert_eq!(app.send("GET", "/api/v1/sessions", &[("cookie", &pair)], "").await.status, 200);
    assert_eq!(upgrade(&app, &[("cookie", pair.clone())]).await, 101);
    assert_eq!(upgrade(&app, &[("cookie", pair.clone()), ("origin", "https://evil.example".to_owned())]).await, 403);
    // Neither the time of its end nor its signature can be made up.
    let value = pair.trim_start_matches("nanobot_login=").to_owned();
    let parts: Vec<&str> = value.split('.').collect();
    let later = format!("nanobot_login={}9.{}.{}", parts[0], parts[1], parts[2]);
    for forged in
        [later, format!("{pair}0"), "nanobot_login=9999999999999.x.y".to_owned(), "nanobot_login=..".to_owned()]
    {
        assert_eq!(app.send("GET", "/api/v1/sessions", &[("cookie", &forged)], "").await.status, 401, "{forged}");
    }
    let tls = app.send("POST", "/login", &[form, ("x-forwarded-proto", "https")], body).await;
    assert!(tls.header("set-cookie").contains("; Secure"));
    for next in ["https%3A%2F%2Fevil.example%2F", "%2F%2Fevil.example", "%2F%5Cevil.example", "javascript%3Aalert(1)"] {
        let answer = app.send("POST", "/login", &[form], format!("token=the-token-of-this-test&next={next}")).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/"), "{next}");
    }
}

#[tokio::test]
async fn guessing_is_slowed_down() {
    let app = app(public()).await;
    let form = ("content-type", "application/x-www-form-urlencoded");
    for attempt in 0..10 {
        let answer = if attempt % 2 == 0 {
            app.send("POST", "/login", &[form], format!("token=guess{attempt}")).await
        } else {
            app.send("GET", "/api/v1/sessions", &[("authorization", "Bearer guess")], "").await
        };
        assert_eq!(answer.status, 401, "{attempt}");
    }
    let refused = app.send("GET", "/api/v1/sessions", &[("authorization", "Bearer guess")], "").await;
    assert_eq!((refused.status, &refused.json()["code"]), (429, &json!("too_many_attempts")));
    assert_eq!(app.send("POST", "/login", &[form], "token=the-token-of-this-test").await.status, 429);
    assert_eq!(app.send("GET", "/healthz", &[], "").await.status, 200);
}

async fn nanobot(home: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    let mut command = Command::new(binary().expect("the binary"));
    command.args(arguments).arg("--home").arg(home).envs(environment.iter().copied()).env("NANOBOT_LOG", "warn");
    command.kill_on_drop(true);
    let ended = tokio::time::timeout(std::time::Duration::from_secs(20), command.output()).await;
    ended.expect("the command ends").expect("the command starts")
}

async fn public_server(home: &Path, environment: &[(&str, &str)]) -> ServerProcess {
    let mut command = Command::new(binary().expect("the binary"));
    command.args(["serve", "--host", "0.0.0.0", "--port", "0", "--home"]).arg(home).envs(environment.iter().copied());
    ServerProcess::spawn(command).await.expect("a server")
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test]
async fn the_server_refuses_to_be_reached_by_others_without_a_credential() {
    let home = tempfile::tempdir().expect("a folder");
    let refused = nanobot(home.path(), &["serve", "--host", "0.0.0.0", "--port", "0"], &[]).await;
    assert_eq!(refused.status.code(), Some(2));
    let said = words(&refused.stderr);
    assert!(
        said.contains("can be reached by others, so a credential is needed: make one with `nanobot token create NAME`"),
        "{said}"
    );
    assert_eq!(words(&refused.stdout), "");

    let created = nanobot(home.path(), &["token", "create", "phone"], &[]).await;
    assert_eq!(created.status.code(), Some(0), "{}", words(&created.stderr));
    let token = words(&created.stdout).trim().to_owned();
    assert!(token.starts_with("nb_"), "{token}");
    let server = public_server(home.path(), &[]).await;
    let get = async |token: &str| {
        let request = http().get(format!("{}/api/v1/sessions", server.url)).bearer_auth(token);
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(get(&token).await, 200);
    assert_eq!(get("nb_wrong").await, 401);

    // Tokens are managed beside the running server.
    let second = nanobot(home.path(), &["token", "create", "laptop"], &[]).await;
    assert_eq!(second.status.code(), Some(0), "{}", words(&second.stderr));
    let second = words(&second.stdout).trim().to_owned();
    assert_eq!(get(&second).await, 200);
    let taken = nanobot(home.path(), &["token", "create", "laptop"], &[]).await;
    assert_eq!(taken.status.code(), Some(1));
    let listed = words(&nanobot(home.path(), &["token", "list"], &[]).await.stdout);
    assert_eq!(listed.lines().collect::<Vec<_>>(), ["phone\tvalid", "laptop\tvalid"]);
    assert!(!listed.contains(&token));

    // A login made with a token ends with it.
    let form = ("content-type", "application/x-www-form-urlencoded");
    let login = http().post(format!("{}/login", server.url)).header(form.0, form.1).body(format!("token={second}"));
    let login = login.send().await.expect("an answer");
    assert_eq!(login.status(), 303);
    let cookie = login.headers()["set-cookie"].to_str().expect("text").split(';').next().expect("a pair").to_owned();
    let with_cookie = async || {
        let request = http().get(format!("{}/api/v1/sessions", server.url)).header("cookie", &cookie);
        request.send().await.expect("an answer").status().as_u16()
    };
    assert_eq!(with_cookie().await, 200);
    let bearer = [("authorization", format!("Bearer {second}"))];
    let mut by_token = Client::connect_with(&server.url, &bearer).await.expect("a socket");
    let mut by_login = Client::connect_with(&server.url, &[("cookie", cookie.clone())]).await.expect("a socket");
    assert_eq!(nanobot(home.path(), &["token", "revoke", "laptop"], &[]).await.status.code(), Some(0));
    assert_eq!(get(&second).await, 401);
    assert_eq!(with_cookie().await, 401);
    // Sockets that are open already end with it, too.
    assert_eq!(by_token.closed().await.expect("a close"), 4401);
    assert_eq!(by_login.closed().await.expect("a close"), 4401);
    assert_eq!(nanobot(home.path(), &["token", "revoke", "nobody"], &[]).await.status.code(), Some(1));
    assert!(server.terminate().await.expect("an end").success());
}

#[tokio::test]
async fn a_token_in_the_environment_is_a_credential() {
    let home = tempfile::tempdir().expect("a folder");
    let environment = [("NANOBOT__SERVER__TOKEN", "from-the-environment")];
    let server = public_server(home.path(), &environment).await;
    let url = format!("{}/api/v1/settings", server.url);
    assert_eq!(http().get(&url).send().await.expect("an answer").status(), 401);
    let settings = http().get(&url).bearer_auth("from-the-environment").send().await.expect("an answer");
    assert_eq!(settings.status(), 200);
    assert!(!settings.text().await.expect("a body").contains("from-the-environment"));
    server.terminate().await.expect("an end");
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap_or_default();
    assert!(!config.contains("from-the-environment"));
}

#[tokio::test]
async fn exit_codes_tell_usage_from_failure() {
    let home = tempfile::tempdir().expect("a folder");
    assert_eq!(nanobot(home.path(), &["serve", "--nope"], &[]).await.status.code(), Some(2));
    assert_eq!(nanobot(home.path(), &["dance"], &[]).await.status.code(), Some(2));
    let help = Command::new(binary().expect("the binary")).arg("--help").output().await.expect("help");
    assert_eq!(help.status.code(), Some(0));
    assert!(words(&help.stdout).contains("serve"));
    let version = Command::new(binary().expect("the binary")).arg("--version").output().await.expect("a version");
    assert_eq!(version.status.code(), Some(0));
    let host = nanobot(home.path(), &["serve", "--host", "no such host"], &[]).await;
    assert_eq!(host.status.code(), Some(2), "{}", words(&host.stderr));

    let server = ServerProcess::start(home.path()).await.expect("a server");
    let second = nanobot(home.path(), &["serve", "--port", "0"], &[]).await;
    assert_eq!(second.status.code(), Some(2));
    assert!(words(&second.stderr).contains("another nanobot server uses"), "{}", words(&second.stderr));
    assert!(words(&second.stderr).contains(&server.url), "{}", words(&second.stderr));
    let other = tempfile::tempdir().expect("a folder");
    let port = server.url.rsplit_once(':').expect("a port").1;
    let taken = nanobot(other.path(), &["serve", "--port", port], &[]).await;
    assert_eq!(taken.status.code(), Some(1));
    assert!(words(&taken.stderr).contains("choose another with --port"), "{}", words(&taken.stderr));
    let (status, _) = request(&http(), &server.url, "GET", "/healthz", None).await.expect("an answer");
    assert_eq!(status, 200);
    assert!(server.terminate().await.expect("an end").success());

    std::fs::write(home.path().join("config.toml"), "[server]\nport = 1\n\n[agent\n").expect("a file");
    let _ = std::fs::remove_dir_all(home.path().join("backups"));
    let broken = nanobot(home.path(), &["serve", "--port", "0"], &[]).await;
    let said = words(&broken.stderr);
    assert_eq!(broken.status.code(), Some(2), "{said}");
    assert!(said.contains("config.toml") && said.contains('4'), "{said}");
}
