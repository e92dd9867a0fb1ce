//! Usage by day, session and preset, over the requests that the store holds.

use nanobot_engine::id::{SessionId, TurnId};
use nanobot_store::{ModelRequestRecord, Op};
use nanobot_tests::app::{Options, TestApp};
use serde_json::{Value, json};
use uuid::Uuid;

const HOUR: i64 = 3_600_000;
/// 2026-10-25 in Berlin, the day of 25 hours, begins.
const MIDNIGHT_25: i64 = 1_792_879_200_000;

async fn app(zone: &str) -> TestApp {
    let options = Options { config: format!("timezone = \"{zone}\"\n"), ..Options::default() };
    TestApp::with(Vec::new(), options).await
}

/// A request that went well and has a price.
fn request(session_id: SessionId, at: i64) -> ModelRequestRecord {
    ModelRequestRecord {
        id: Uuid::now_v7(),
        session_id,
        turn_id: TurnId(Uuid::now_v7()),
        preset: "default".to_owned(),
        provider: "mock".to_owned(),
        model: "mock".to_owned(),
        iteration: 0,
        attempt: 1,
        started_at: at,
        duration_ms: 900,
        first_output_ms: Some(200),
        input_tokens: 100,
        cached_tokens: 40,
        output_tokens: 10,
        cost_usd: Some(0.25),
        estimated: false,
        worked_ms: 0,
        outcome: "complete".to_owned(),
        ok: true,
    }
}

async fn store(app: &TestApp, request: ModelRequestRecord) {
    let session = request.session_id;
    app.runtime.store().commit(session, vec![Op::ModelRequest(Box::new(request))]).await.expect("a request");
}

/// The sums of `n` usual requests.
fn sums(n: u32) -> Value {
    json!({
        "requests": n, "failed_requests": 0, "input_tokens": 100 * n, "cached_tokens": 40 * n, "output_tokens": 10 * n,
        "cost_usd": 0.25 * f64::from(n), "unpriced_requests": 0, "estimated_requests": 0
    })
}

/// Sums of a group.
fn group(key: &str, label: &str, sums: Value) -> Value {
    let mut group = json!({"key": key, "label": label});
    let fields = group.as_object_mut().expect("an object");
    fields.extend(sums.as_object().expect("sums").clone());
    group
}

#[tokio::test]
async fn days_are_those_of_the_configured_zone() {
    let app = app("Europe/Berlin").await;
    let session = app.session().await;
    for hour in -1..=25 {
        store(&app, request(session, MIDNIGHT_25 + hour * HOUR)).await;
    }
    let usage = app.get("/api/v1/usage?by=day&since=2026-10-23&until=2026-10-26").await;
    let day = |day: &str, n| group(day, day, sums(n));
    let expected = json!({
        "by": "day", "since": "2026-10-23", "until": "2026-10-26", "timezone": "Europe/Berlin",
        "items": [day("2026-10-24", 1), day("2026-10-25", 25), day("2026-10-26", 1)],
        "total": sums(27), "next_cursor": null
    });
    assert_eq!(usage, expected);
    let one = app.get("/api/v1/usage?since=2026-10-25&until=2026-10-25").await;
    assert_eq!((&one["items"], &one["total"]), (&json!([day("2026-10-25", 25)]), &sums(25)));

    // The same requests in another zone, without a restart.
    let (status, _) =
        app.request("PATCH", "/api/v1/settings", Some(json!({"agent": {"timezone": "Asia/Kolkata"}}))).await;
    assert_eq!(status, 200);
    let usage = app.get("/api/v1/usage?by=day&since=2026-10-23&until=2026-10-26").await;
    assert_eq!(usage["timezone"], "Asia/Kolkata");
    // The 25th in Berlin begins at 03:30 of the 25th in Kolkata.
    assert_eq!(usage["items"], json!([day("2026-10-25", 22), day("2026-10-26", 5)]));
}

#[tokio::test]
async fn an_unknown_zone_is_utc() {
    let app = app("Mars/Olympus").await;
    let session = app.session().await;
    store(&app, request(session, MIDNIGHT_25)).await;
    let usage = app.get("/api/v1/usage?since=2026-10-24&until=2026-10-25").await;
    assert_eq!((&usage["timezone"], &usage["items"][0]["key"]), (&json!("UTC"), &json!("2026-10-24")));
}

#[tokio::test]
async fn sessions_and_presets_come_by_tokens_and_outlive_their_session() {
    let app = app("UTC").await;
    let (small, large) = (app.session().await, app.session().await);
    for (session, title) in [(small, "Small"), (large, "Large")] {
        app.request("PATCH", &format!("/api/v1/sessions/{session}"), Some(json!({"title": title}))).await;
    }
    store(&app, request(small, MIDNIGHT_25)).await;
    for _ in 0..2 {
        store(&app, request(large, MIDNIGHT_25)).await;
    }
    // A failed attempt, then one without a price or numbers from the provider, of another preset.
    let careful = |at| ModelRequestRecord { preset: "careful".to_owned(), cost_usd: None, ..request(large, at) };
    let failed = ModelRequestRecord {
        model: "old".to_owned(),
        outcome: "provider_rate_limit".to_owned(),
        ok: false,
        first_output_ms: None,
        input_tokens: 0,
        cached_tokens: 0,
        output_tokens: 0,
        ..careful(MIDNIGHT_25 + 1)
    };
    store(&app, failed).await;
    store(&app, ModelRequestRecord { model: "new".to_owned(), estimated: true, ..careful(MIDNIGHT_25 + 2) }).await;

    let get = async |by: &str| app.get(&format!("/api/v1/usage?by={by}&since=2026-10-20&until=2026-10-30")).await;
    let other = json!({
        "requests": 2, "failed_requests": 1, "input_tokens": 100, "cached_tokens": 40, "output_tokens": 10,
        "cost_usd": null, "unpriced_requests": 1, "estimated_requests": 1
    });
    let presets = get("preset").await;
    let expected = [group("default", "mock/mock", sums(3)), group("careful", "mock/new", other)];
    assert_eq!((&presets["by"], &presets["items"]), (&json!("preset"), &json!(expected)));
    let both = json!({
        "requests": 4, "failed_requests": 1, "input_tokens": 300, "cached_tokens": 120, "output_tokens": 30,
        "cost_usd": 0.5, "unpriced_requests": 1, "estimated_requests": 1
    });
    let sessions = get("session").await;
    let items = |name: &str| {
        json!([group(&large.to_string(), name, both.clone()), group(&small.to_string(), "Small", sums(1))])
    };
    assert_eq!((&sessions["by"], &sessions["items"]), (&json!("session"), &items("Large")));
    assert_eq!(sessions["total"], presets["total"]);
    assert_eq!((&sessions["total"]["requests"], &sessions["total"]["cost_usd"]), (&json!(5), &json!(0.75)));

    app.request("DELETE", &format!("/api/v1/sessions/{large}"), None).await;
    assert_eq!(app.runtime.store().purge_deleted(i64::MAX).await.expect("a purge"), 1);
    let after = get("session").await;
    assert_eq!((&after["items"], &after["total"]), (&items(""), &sessions["total"]));
    assert_eq!(get("preset").await, presets);
}

#[tokio::test]
async fn the_last_30_days_are_the_usual_ones() {
    let app = app("UTC").await;
    let session = app.session().await;
    let now = app.runtime.now();
    for days in [0, 28, 31] {
        store(&app, request(session, now - days * 24 * HOUR)).await;
    }
    let usage = app.get("/api/v1/usage").await;
    assert_eq!((&usage["by"], &usage["total"]), (&json!("day"), &sums(2)));
    assert_eq!(usage["items"].as_array().map(Vec::len), Some(2), "{usage}");
    let (since, until) = (usage["since"].as_str().expect("a day"), usage["until"].as_str().expect("a day"));
    assert_eq!(app.get(&format!("/api/v1/usage?by=day&since={since}&until={until}")).await, usage);
    assert_eq!(app.get(&format!("/api/v1/usage?until={until}")).await, usage);
    let none = app.get("/api/v1/usage?by=session&since=2020-01-01&until=2021-02-03").await;
    let nothing = json!({
        "requests": 0, "failed_requests": 0, "input_tokens": 0, "cached_tokens": 0, "output_tokens": 0,
        "cost_usd": null, "unpriced_requests": 0, "estimated_requests": 0
    });
    assert_eq!((&none["items"], &none["total"]), (&json!([]), &nothing), "400 days are not too many");
}

#[tokio::test]
async fn a_wrong_question_is_refused_with_its_place() {
    let app = app("America/New_York").await;
    for (query, path) in [
        ("by=week", "by"),
        ("by=", "by"),
        ("since=2026-10-26&until=2026-10-25", "since"),
        ("since=2020-01-01&until=2021-02-04", "since"),
        ("since=2020-01-01", "since"),
        ("since=9999-01-01", "since"),
        ("since=yesterday", "since"),
        ("since=", "since"),
        ("since=2026-02-29", "since"),
        ("since=2026-2-1", "since"),
        ("since=20260201", "since"),
        ("since=2026-02-01T00:00:00", "since"),
        ("since=%202026-02-01", "since"),
        ("until=2026-13-01", "until"),
        ("until=1792879200000", "until"),
        ("until=%2B2026-02-01", "until"),
        ("until=-009999-01-02", "until"),
        ("until=9999-12-31", "until"),
    ] {
        let (status, problem) = app.request("GET", &format!("/api/v1/usage?{query}"), None).await;
        assert_eq!((status, problem["path"].as_str()), (422, Some(path)), "{query}: {problem}");
        assert_eq!(problem["code"], "invalid_field", "{query}: {problem}");
    }
    let (status, problem) = app.request("GET", "/api/v1/usage?from=2026-01-01", None).await;
    assert_eq!((status, &problem["code"]), (422, &json!("bad_query")), "{problem}");
}
