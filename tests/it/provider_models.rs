//! The list of a provider's models: what is asked, how it is answered, and what a failure says.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use nanobot_tests::app::{Options, TestApp};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

const SECRET: &str = "sk-very-secret-0123456789";

/// What the stub was asked: the URI, and its headers with values.
type Seen = Arc<Mutex<Vec<(String, Vec<String>)>>>;

/// A server that gives every request the same answer and remembers what it was asked.
struct Stub {
    url: String,
    seen: Seen,
    server: JoinHandle<()>,
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.server.abort();
    }
}

impl Stub {
    async fn start(status: u16, body: Value) -> Self {
        let seen = Seen::default();
        let status = StatusCode::from_u16(status).expect("a status");
        let remembered = Arc::clone(&seen);
        let router = Router::new().fallback(move |request: Request| {
            let headers = request.headers().iter();
            let headers = headers.map(|(name, value)| format!("{name}: {}", value.to_str().unwrap_or("?"))).collect();
            remembered.lock().expect("the lock").push((request.uri().to_string(), headers));
            let answer = (status, axum::Json(body.clone())).into_response();
            async { answer }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let server = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Self { url, seen, server }
    }

    /// The only request since the last call.
    fn request(&self) -> (String, Vec<String>) {
        let mut seen = std::mem::take(&mut *self.seen.lock().expect("the lock"));
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.remove(0)
    }
}

async fn app(config: &str) -> TestApp {
    TestApp::with(Vec::new(), Options { config: config.to_owned(), ..Options::default() }).await
}

async fn list(app: &TestApp, provider: Value) -> (u16, Value) {
    app.request("POST", "/api/v1/providers/models", Some(json!({"provider": provider}))).await
}

fn has(headers: &[String], header: &str) -> bool {
    headers.iter().any(|known| known == header)
}

#[tokio::test]
async fn models_come_sorted_with_their_windows() {
    let app = app("").await;
    let (status, listed) = list(&app, json!("mock")).await;
    assert_eq!((status, listed), (200, json!({"items": [{"id": "mock"}], "next_cursor": null})));

    let models = json!([
        {"id": "b", "context_length": 200_000}, {"id": "c", "meta": {"n_ctx_train": 8192}}, {"id": "a", "max_model_len": 4096},
        {"id": "b", "context_length": 200_000}
    ]);
    let stub = Stub::start(200, json!({"object": "list", "data": models})).await;
    let expected = json!({"items": [
        {"id": "a", "context_window_tokens": 4096}, {"id": "b", "context_window_tokens": 200_000},
        {"id": "c", "context_window_tokens": 8192}
    ], "next_cursor": null});
    for kind in ["openai", "openai-responses"] {
        let (status, listed) = list(&app, json!({"kind": kind, "base_url": stub.url, "api_key": SECRET})).await;
        assert_eq!((status, &listed), (200, &expected));
        let (uri, headers) = stub.request();
        assert_eq!(uri, "/v1/models");
        assert!(has(&headers, &format!("authorization: Bearer {SECRET}")), "{headers:?}");
    }
    let (status, listed) = list(&app, json!({"kind": "demo"})).await;
    assert_eq!((status, listed), (200, json!({"items": [{"id": "demo"}], "next_cursor": null})));
    let (status, listed) = list(&app, json!("demo")).await;
    assert_eq!((status, &listed["items"]), (200, &json!([{"id": "demo"}])));
    // What was only asked for is not saved.
    assert_eq!(app.get("/api/v1/settings").await["providers"].as_object().map(serde_json::Map::len), Some(1));
}

#[tokio::test]
async fn anthropic_servers_are_asked_in_their_own_words() {
    let app = app("").await;
    let answer =
        json!({"data": [{"type": "model", "id": "claude-b"}, {"type": "model", "id": "claude-a"}], "has_more": false});
    let stub = Stub::start(200, answer).await;
    for base_url in [stub.url.clone(), format!("{}/v1", stub.url), format!("{}/v1/messages", stub.url)] {
        let (status, listed) = list(&app, json!({"kind": "anthropic", "base_url": base_url, "api_key": SECRET})).await;
        assert_eq!((status, &listed["items"]), (200, &json!([{"id": "claude-a"}, {"id": "claude-b"}])));
        let (uri, headers) = stub.request();
        assert_eq!(uri, "/v1/models?limit=1000");
        assert!(has(&headers, &format!("x-api-key: {SECRET}")), "{headers:?}");
        assert!(has(&headers, "anthropic-version: 2023-06-01"), "{headers:?}");
        assert!(!headers.iter().any(|header| header.starts_with("authorization")), "{headers:?}");
    }
}

#[tokio::test]
async fn configured_extras_are_sent_along() {
    let stub = Stub::start(200, json!({"data": [{"id": "m"}]})).await;
    let proxy = Stub::start(200, json!({"data": [{"id": "through-the-proxy"}]})).await;
    let address = proxy.url.strip_prefix("http://").expect("an address");
    let config = format!(
        "\n[providers.azure_openai]\nbase_url = \"{url}/openai/v1\"\napi_key = \"{SECRET}\"\n\
         extra_query = {{ api-version = \"a b\" }}\nextra_headers = {{ X-Team = \"blue\", User-Agent = \"mine\" }}\n\
         \n[providers.custom]\nbase_url = \"{url}/v1?keep=1\"\napi_key = \"unused\"\n\
         extra_headers = {{ Authorization = \"Basic eA==\" }}\n\
         \n[providers.proxied]\nbase_url = \"http://127.0.0.1:9/v1\"\nproxy = \"http://me:pass@{address}\"\n",
        url = stub.url
    );
    let app = app(&config).await;
    assert_eq!(list(&app, json!("azure_openai")).await.0, 200);
    let (uri, headers) = stub.request();
    assert_eq!(uri, "/openai/v1/models?api-version=a+b");
    for header in [&format!("api-key: {SECRET}"), "x-team: blue", "user-agent: mine"] {
        assert!(has(&headers, header), "{header}: {headers:?}");
    }
    assert!(!headers.iter().any(|header| header.starts_with("authorization")), "{headers:?}");

    assert_eq!(list(&app, json!("custom")).await.0, 200);
    let (uri, headers) = stub.request();
    assert_eq!(uri, "/v1/models?keep=1");
    let authorization: Vec<_> = headers.iter().filter(|header| header.starts_with("authorization")).collect();
    assert_eq!(authorization, ["authorization: Basic eA=="], "a configured header is sent in place of the usual one");

    let (status, listed) = list(&app, json!("proxied")).await;
    assert_eq!((status, &listed["items"]), (200, &json!([{"id": "through-the-proxy"}])));
    let (uri, headers) = proxy.request();
    assert_eq!(uri, "http://127.0.0.1:9/v1/models");
    assert!(has(&headers, "proxy-authorization: Basic bWU6cGFzcw=="), "{headers:?}");
}

#[tokio::test]
async fn a_thousand_models_are_listed_at_most() {
    let app = app("").await;
    for (offered, listed) in [(1000, 1000), (1001, 1000)] {
        let models: Vec<Value> = (0..offered).rev().map(|number| json!({"id": format!("m{number:04}")})).collect();
        let stub = Stub::start(200, json!({"data": models})).await;
        let (status, answer) = list(&app, json!({"base_url": stub.url})).await;
        let items = answer["items"].as_array().expect("items");
        assert_eq!((status, items.len(), &items[999]["id"]), (200, listed, &json!("m0999")));
    }
}

#[tokio::test]
async fn failures_have_a_code_and_words_and_no_secret() {
    let app = app(&format!(
        "\n[providers.odd]\nbase_url = \"http://127.0.0.1:9\"\nextra_headers = {{ X-Key = \"{SECRET}\" }}\nproxy = \"http://me:{SECRET}@127.0.0.1:9\"\n"
    ))
    .await;
    let problem = json!({"error": {"message": format!("no such key {SECRET}"), "code": "bad"}});
    for (status, body, code) in [
        (401, problem.clone(), "provider_auth"),
        (403, problem.clone(), "provider_auth"),
        (429, json!({}), "provider_rate_limit"),
        (500, problem, "provider_unavailable"),
        (404, json!({}), "provider_not_found"),
        (302, json!({}), "provider_bad_response"),
        (200, json!({"models": "none"}), "provider_bad_response"),
        (200, json!("x".repeat(5 * 1024 * 1024)), "provider_bad_response"),
    ] {
        for kind in ["openai", "anthropic"] {
            let stub = Stub::start(status, body.clone()).await;
            let (got, problem) = list(&app, json!({"kind": kind, "base_url": stub.url, "api_key": SECRET})).await;
            assert_eq!((got, problem["code"].as_str()), (502, Some(code)), "{status} {kind}: {problem}");
            assert!(problem["detail"].as_str().is_some_and(|detail| detail.len() > 20), "{problem}");
            assert!(!problem.to_string().contains(SECRET), "{problem}");
        }
    }
    for (provider, code) in [
        (json!("odd"), "provider_unavailable"),
        (json!({"base_url": "http://127.0.0.1:9"}), "provider_unavailable"),
        (json!({"base_url": "not an address"}), "no_model"),
        (json!({"kind": "openai"}), "no_model"),
        (json!({"kind": "anthropic", "api_key": SECRET}), "no_model"),
        (json!({"base_url": "http://127.0.0.1:9", "api_key": "bad\nkey"}), "provider_auth"),
        (json!({"kind": "anthropic", "base_url": "http://127.0.0.1:9", "api_key": "bad\nkey"}), "provider_auth"),
    ] {
        let (status, problem) = list(&app, provider.clone()).await;
        let want = if code == "no_model" { 422 } else { 502 };
        assert_eq!((status, problem["code"].as_str()), (want, Some(code)), "{provider}: {problem}");
        assert!(!problem.to_string().contains(SECRET), "{problem}");
    }
    for (body, path) in [
        (json!({"provider": "nobody"}), "provider"),
        (json!({"provider": 5}), "provider"),
        (json!({"provider": {"kind": "teapot"}}), "provider"),
        (json!({"provider": "mock", "model": "m"}), "model"),
    ] {
        let (status, problem) = app.request("POST", "/api/v1/providers/models", Some(body.clone())).await;
        assert_eq!((status, problem["path"].as_str()), (422, Some(path)), "{body}: {problem}");
    }
}
