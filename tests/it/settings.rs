//! Settings, presets, setup and the test of a provider; the description of the interface; embedded files.

use std::collections::BTreeSet;

use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::scripted::{Reply, Script, ScriptedModel};
use serde_json::{Value, json};

const SECRET: &str = "sk-very-secret-0123456789";

async fn app(options: Options) -> TestApp {
    TestApp::with(vec![Script { matches: String::new(), replies: vec![Reply::text(&["Hello there."])] }], options).await
}

#[tokio::test]
async fn a_patch_keeps_comments_order_and_unknown_keys() {
    let config = "\n# kept: why this preset exists\n[presets.careful]\nprovider = \"mock\" # kept too\nmodel = \"mock\"\n\
                  temperature = 0.2\nfuture_key = \"kept\"\n\n[future_section]\nvalue = [1, 2] # and this\n";
    let app = app(Options { config: config.to_owned(), ..Options::default() }).await;
    let file = app.home.join("config.toml");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("its mode");
    }
    let before = std::fs::read_to_string(&file).expect("the file");
    let patch = json!({
        "providers": {"more": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key": SECRET}},
        "presets": {"careful": {"temperature": 0.7, "model": "other"}},
        "agent": {"timezone": "Europe/Berlin"}
    });
    let (status, answer) = app.request("PATCH", "/api/v1/settings", Some(patch)).await;
    assert_eq!(status, 200, "{answer}");
    assert_eq!(answer, app.get("/api/v1/settings").await);
    assert_eq!(answer["presets"]["careful"]["temperature"], 0.7);
    assert_eq!(answer["agent"]["timezone"], "Europe/Berlin");
    let more = json!({"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "api_key_set": true});
    assert_eq!(answer["providers"]["more"], more);
    assert!(!answer.to_string().contains(SECRET));
    let warned: Vec<&str> =
        answer["warnings"].as_array().expect("warnings").iter().filter_map(|w| w["path"].as_str()).collect();
    assert!(warned.contains(&"future_section") && warned.contains(&"presets.careful.future_key"), "{warned:?}");

    let after = std::fs::read_to_string(&file).expect("the file");
    for line in [
        "# kept: why this preset exists",
        "provider = \"mock\" # kept too",
        "future_key = \"kept\"",
        "value = [1, 2] # and this",
    ] {
        assert!(after.contains(line), "{after}");
    }
    let kept =
        |line: &&str| !line.starts_with("temperature") && !line.contains("\"other\"") && *line != "model = \"mock\"";
    let mut rest = after.lines();
    for line in before.lines().filter(kept) {
        assert!(rest.any(|other| other == line), "{line:?} is gone or moved:\n{after}");
    }
    assert!(after.contains(SECRET), "the key is saved");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).expect("the file").permissions().mode() & 0o777, 0o600);
    }
    let (status, answer) = app.request("PATCH", "/api/v1/settings", Some(json!({"providers": {"more": null}}))).await;
    assert_eq!(status, 200);
    assert!(answer["providers"].get("more").is_none());
    assert!(!std::fs::read_to_string(&file).expect("the file").contains(SECRET));
}

#[tokio::test]
async fn a_wrong_patch_is_refused_with_its_place_and_changes_nothing() {
    let app = app(Options::default()).await;
    let file = app.home.join("config.toml");
    let before = std::fs::read_to_string(&file).expect("the file");
    for (patch, path) in [
        (json!({"server": {"port": 1}}), "server"),
        (json!({"agnet": {}}), "agnet"),
        (json!({"agent": {"max_iteration": 5}}), "agent.max_iteration"),
        (json!({"agent": {"max_iterations": 0}}), "agent.max_iterations"),
        (json!({"agent": {"max_iterations": 101}}), "agent.max_iterations"),
        (json!({"agent": {"max_iterations": "many"}}), "agent.max_iterations"),
        (json!({"presets": {"p": {"provider": 5}}}), "presets.p.provider"),
        (json!({"presets": {"p": {"temperature": "hot"}}}), "presets.p.temperature"),
        (json!({"presets": {" p": {"provider": "mock"}}}), "presets.\" p\""),
        (json!({"providers": {"p": {"kind": "teapot"}}}), "providers.p.kind"),
        (json!({"providers": {"p": "x"}}), "providers.p"),
        (json!({"providers": null}), "providers"),
        (json!([]), ""),
    ] {
        let (status, problem) = app.request("PATCH", "/api/v1/settings", Some(patch.clone())).await;
        assert_eq!((status, problem["path"].as_str()), (422, Some(path)), "{patch}: {problem}");
        assert_eq!(problem["code"], "invalid_field", "{problem}");
    }
    assert_eq!(std::fs::read_to_string(&file).expect("the file"), before);
}

#[tokio::test]
async fn presets_are_listed_with_their_window() {
    let config = "\n[presets.assumed]\nprovider = \"mock\"\nmodel = \"m2\"\n\n[presets.demo]\nprovider = \"demo\"\nmodel = \"demo\"\n";
    let app = app(Options { config: config.to_owned(), ..Options::default() }).await;
    let preset = |name, provider, model, window, assumed, default, demo| {
        json!({
            "name": name, "provider": provider, "model": model, "context_window_tokens": window,
            "context_window_assumed": assumed, "max_tokens": 8192, "is_default": default, "is_demo": demo
        })
    };
    let expected = json!({"items": [
        preset("assumed", "mock", "m2", 128_000, true, false, false),
        preset("default", "mock", "mock", 100_000, false, true, false),
        preset("demo", "demo", "demo", 128_000, true, false, true),
    ]});
    assert_eq!(app.get("/api/v1/presets").await, expected);
}

#[tokio::test]
async fn setup_says_what_is_there_and_what_can_be_filled_in() {
    let app = app(Options::default()).await;
    let setup = app.get("/api/v1/setup").await;
    assert_eq!((&setup["needs_setup"], &setup["default_preset"]), (&json!(false), &json!("default")));
    assert_eq!(setup["demo"], json!({"provider": "demo", "model": "demo"}));
    assert!(setup["found"].is_array());
    let names: Vec<&str> =
        setup["providers"].as_array().expect("providers").iter().filter_map(|p| p["name"].as_str()).collect();
    assert!(names.contains(&"openai") && names.contains(&"ollama") && !names.contains(&"demo"), "{names:?}");
    for provider in setup["providers"].as_array().expect("providers") {
        for key in ["label", "kind", "base_url"] {
            assert!(provider[key].is_string(), "{provider}");
        }
    }
}

#[tokio::test]
async fn a_provider_is_tested_with_one_real_request() {
    let app = app(Options::default()).await;
    let test = async |body: Value| app.request("POST", "/api/v1/providers/test", Some(body)).await;
    let (status, good) = test(json!({"provider": "mock", "model": "mock"})).await;
    assert_eq!((status, &good["ok"], &good["text"]), (200, &json!(true), &json!("Hello there.")), "{good}");
    assert!(good["latency_ms"].is_u64());
    assert_eq!(app.model.requests().len(), 1);
    let url = format!("{}/v1", app.model.url());
    let (_, good) =
        test(json!({"provider": {"kind": "openai", "base_url": url, "api_key": SECRET}, "model": "m"})).await;
    assert_eq!(good["ok"], true);
    assert_eq!(app.model.requests()[1]["model"], "m");
    let (_, good) = test(json!({"provider": {"kind": "demo"}, "model": "demo"})).await;
    assert_eq!(good["ok"], true, "{good}");

    let problem = json!({"error": {"message": format!("no such key {SECRET}"), "code": "invalid_api_key"}}).to_string();
    let refusing =
        ScriptedModel::start(vec![Script { matches: String::new(), replies: vec![Reply::status(401, &problem)] }])
            .await;
    let inline = |url: &str| json!({"provider": {"kind": "openai", "base_url": url, "api_key": SECRET}, "model": "m"});
    let (status, bad) = test(inline(refusing.url())).await;
    assert_eq!((status, &bad["ok"], &bad["error"]["code"]), (200, &json!(false), &json!("provider_auth")));
    assert!(!bad.to_string().contains(SECRET) && bad.get("text").is_none(), "{bad}");
    let (_, bad) = test(inline("http://127.0.0.1:9")).await;
    assert_eq!(bad["error"]["code"], "provider_unavailable");
    for body in
        [inline("not an address"), inline("ftp://127.0.0.1/"), json!({"provider": {"kind": "openai"}, "model": "m"})]
    {
        let (status, bad) = test(body.clone()).await;
        assert!(status == 422 || (status == 200 && bad["ok"] == false), "{body}: {status} {bad}");
        assert!(bad["detail"].is_string() || bad["error"]["detail"].is_string(), "{body}: {bad}");
    }
    for (body, path) in [
        (json!({"provider": "nobody", "model": "m"}), "provider"),
        (json!({"provider": "mock", "model": " "}), "model"),
        (json!({"provider": 5, "model": "m"}), "provider"),
        (json!({"provider": {"kind": "openai", "key": "x"}, "model": "m"}), "provider"),
        (json!({"provider": "mock", "model": "m", "more": 1}), "more"),
    ] {
        let (status, problem) = test(body.clone()).await;
        assert_eq!((status, problem["path"].as_str()), (422, Some(path)), "{body}: {problem}");
    }
    // What was only tested is not saved.
    assert_eq!(app.get("/api/v1/settings").await["providers"].as_object().map(serde_json::Map::len), Some(1));
}

#[tokio::test]
async fn the_description_lists_every_documented_route_and_each_route_answers() {
    let app = app(Options::default()).await;
    let description = app.get("/api/v1/openapi.json").await;
    assert!(description["openapi"].as_str().is_some_and(|version| version.starts_with("3.")));
    let mut routes = BTreeSet::new();
    for (path, methods) in description["paths"].as_object().expect("paths") {
        for method in methods.as_object().expect("methods").keys() {
            routes.insert(format!("{} {path}", method.to_uppercase()));
        }
    }
    let expected = [
        "DELETE /api/v1/sessions/{id}",
        "GET /api/v1/presets",
        "GET /api/v1/search",
        "GET /api/v1/sessions",
        "GET /api/v1/sessions/{id}",
        "GET /api/v1/sessions/{id}/events",
        "GET /api/v1/sessions/{id}/messages",
        "GET /api/v1/sessions/{id}/turns",
        "GET /api/v1/settings",
        "GET /api/v1/setup",
        "GET /api/v1/turns/{id}",
        "GET /api/v1/turns/{id}/export",
        "GET /api/v1/turns/{id}/requests/{request_id}",
        "GET /api/v1/usage",
        "GET /healthz",
        "GET /readyz",
        "PATCH /api/v1/sessions/{id}",
        "PATCH /api/v1/settings",
        "POST /api/v1/providers/models",
        "POST /api/v1/providers/test",
        "POST /api/v1/sessions",
        "POST /api/v1/sessions/{id}/fork",
        "POST /api/v1/sessions/{id}/restore",
        "POST /api/v1/sessions/{id}/stop",
        "POST /api/v1/sessions/{id}/turns",
        "POST /api/v1/turns/{id}/retry",
    ];
    let missing: Vec<_> = expected.iter().filter(|route| !routes.contains(**route)).collect();
    assert_eq!(missing, Vec::<&&str>::new());
    // Every reference leads somewhere.
    fn references<'a>(value: &'a Value, found: &mut Vec<&'a str>) {
        match value {
            Value::Object(fields) => {
                found.extend(fields.get("$ref").and_then(Value::as_str));
                fields.values().for_each(|value| references(value, found));
            }
            Value::Array(items) => items.iter().for_each(|value| references(value, found)),
            _ => {}
        }
    }
    let mut found = Vec::new();
    references(&description, &mut found);
    assert!(found.len() > 20);
    for reference in found {
        assert!(description.pointer(reference.trim_start_matches('#')).is_some(), "{reference}");
    }
    // What PROTOCOL.md names in a code span is there.
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/PROTOCOL.md")).expect("the page");
    let mut named = 0;
    for span in page.split('`').skip(1).step_by(2) {
        let Some((method, rest)) = span.split_once(" /") else { continue };
        if !matches!(method, "GET" | "POST" | "PATCH" | "PUT" | "DELETE") || rest == "ws" {
            continue;
        }
        named += 1;
        let path = rest.split('?').next().expect("a path").trim_start_matches("api/v1/");
        let route = format!("{method} /api/v1/{path}");
        let known = path == "openapi.json" || routes.contains(&route);
        assert!(known, "{span} is documented, but {route} is not described");
    }
    assert!(named >= 6, "{named}");
    // What is described exists: an unknown id is the worst that a route may say.
    for route in &routes {
        let (method, path) = route.split_once(' ').expect("a route");
        let path = path.replace("{id}", "018f0000-0000-7000-8000-000000000000");
        let answer = app.send(method, &path, &[("content-type", "application/json")], "{}").await;
        assert!(!matches!(answer.status, 405 | 500..), "{route}: {}", answer.text());
        assert!(answer.status != 404 || !answer.text().contains("no such path"), "{route}: {}", answer.text());
    }
}

#[tokio::test]
async fn health_says_what_is_needed_and_no_more() {
    let app = app(Options::default()).await;
    assert_eq!(app.get("/healthz").await, json!({"status": "ok"}));
    assert_eq!(app.get("/readyz").await, json!({"status": "ok", "database": "ok", "model": "ok", "sandbox": "none"}));
}

#[tokio::test]
async fn embedded_files_are_cached_compressed_and_typed() {
    let app = app(Options::default()).await;
    let shell = app.send("GET", "/", &[("accept", "text/html")], "").await;
    assert_eq!((shell.status, shell.header("content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(shell.header("cache-control"), "no-store");
    assert!(shell.header("content-security-policy").contains("default-src 'none'"));
    assert_eq!(
        (shell.header("x-content-type-options"), shell.header("referrer-policy").is_empty()),
        ("nosniff", false)
    );
    let page = shell.text();
    let assets: Vec<&str> = page.split('"').filter(|text| text.starts_with("/static/")).collect();
    assert!(assets.len() >= 2, "{page}");
    for asset in assets {
        let plain = app.send("GET", asset, &[], "").await;
        assert_eq!(plain.status, 200, "{asset}");
        let etag = plain.header("etag").to_owned();
        assert!(etag.starts_with('"') && plain.header("vary") == "accept-encoding", "{asset}");
        assert_eq!(plain.header("content-encoding"), "", "{asset}");
        let again = app.send("GET", asset, &[("if-none-match", &etag)], "").await;
        assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, etag.as_str()), "{asset}");
        let other = app.send("GET", asset, &[("if-none-match", "\"other\"")], "").await;
        assert_eq!((other.status, other.body.len()), (200, plain.body.len()), "{asset}");
        if asset.contains("?v=") {
            assert!(plain.header("cache-control").contains("immutable"), "{asset}: {}", plain.header("cache-control"));
        }
        if asset.contains(".js") || asset.contains(".css") {
            let small = app.send("GET", asset, &[("accept-encoding", "gzip")], "").await;
            assert_eq!(small.header("content-encoding"), "gzip", "{asset}");
            assert!(small.body.starts_with(&[0x1f, 0x8b]) && small.body.len() < plain.body.len(), "{asset}");
            assert_eq!(small.header("content-type"), plain.header("content-type"));
        }
    }
    for path in ["/static/nothing.js", "/static/../Cargo.toml", "/static/%2e%2e/Cargo.toml", "/static/"] {
        assert_eq!(app.send("GET", path, &[], "").await.status, 404, "{path}");
    }
}

#[tokio::test]
async fn an_unknown_page_is_a_page_for_people_and_a_problem_for_programs() {
    let app = app(Options::default()).await;
    let page = app.send("GET", "/nowhere", &[("accept", "text/html,*/*")], "").await;
    assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"));
    let problem = app.send("GET", "/nowhere", &[], "").await;
    assert_eq!((problem.status, problem.header("content-type")), (404, "application/problem+json"));
    let api = app.send("GET", "/api/v1/nowhere", &[("accept", "text/html")], "").await;
    assert_eq!((api.status, &api.json()["code"]), (404, &json!("not_found")));
    for path in ["/s/018f0000-0000-7000-8000-000000000000", "/settings", "/settings/providers"] {
        assert_eq!(app.send("GET", path, &[("accept", "text/html")], "").await.status, 200, "{path}");
    }
}

/// A key belongs to the address that it was given for.
#[tokio::test]
async fn a_provider_that_moves_without_a_new_key_loses_the_old_one() {
    let app = TestApp::start(Vec::new()).await;
    let patch = async |body: Value| {
        let (status, settings) = app.request("PATCH", "/api/v1/settings", Some(body)).await;
        assert_eq!(status, 200, "{settings}");
        settings["providers"]["mock"]["api_key_set"].as_bool().expect("a flag")
    };
    let same = app.get("/api/v1/settings").await["providers"]["mock"]["base_url"].clone();
    assert!(patch(json!({"providers": {"mock": {"base_url": same}}})).await, "it did not move");
    assert!(!patch(json!({"providers": {"mock": {"base_url": "http://127.0.0.1:9/v1"}}})).await);
    let with_key = json!({"providers": {"mock": {"base_url": "http://127.0.0.1:10/v1", "api_key": "new"}}});
    assert!(patch(with_key).await);
}

#[tokio::test]
async fn a_provider_that_moves_loses_the_headers_that_it_is_not_given_again() {
    let config = "\n[providers.box]\nbase_url = \"http://127.0.0.1:9/v1\"\nextra_headers = { X-Old = \"secret-1\", X-Both = \"secret-2\" }\n";
    let app = app(Options { config: config.to_owned(), ..Options::default() }).await;
    let patch = async |change: Value| {
        let (status, answer) =
            app.request("PATCH", "/api/v1/settings", Some(json!({"providers": {"box": change}}))).await;
        assert_eq!(status, 200, "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
        answer["providers"]["box"]["extra_headers"].clone()
    };
    let stays = patch(json!({"base_url": "http://127.0.0.1:9/v1", "extra_headers": {"X-New": "secret-3"}})).await;
    assert_eq!(stays, json!({"X-Both": "set", "X-New": "set", "X-Old": "set"}));
    let moved = patch(json!({"base_url": "http://127.0.0.1:10/v1", "extra_headers": {"X-Both": "secret-4"}})).await;
    assert_eq!(moved, json!({"X-Both": "set"}));
    assert_eq!(patch(json!({"base_url": "http://127.0.0.1:11/v1"})).await, Value::Null);
    let file = std::fs::read_to_string(app.home.join("config.toml")).expect("the file");
    assert!(!file.contains("secret"), "{file}");
}
