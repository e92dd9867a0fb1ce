//! A turn that waits at its budget: more, or the end.

use nanobot_tests::clock::Ahead;
use nanobot_tests::scripted::ScriptedUsage;
use nanobot_tests::tools::{Canned, Gate};

use super::*;

/// One call and an answer; the first request uses 9,600 tokens.
fn scripts() -> Vec<Script> {
    let usage = Some(ScriptedUsage { input: 9_000, output: 600, cached: 0 });
    let calls = Reply { usage, ..Reply::calls(&[("c1", "next_line", json!({}))]) };
    vec![Script { matches: String::new(), replies: vec![calls, Reply::text(&["done"])] }]
}

async fn limited(home: Option<&Path>, config: &str) -> TestApp {
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(Canned::new("next_line", &["a line"]))];
    let options = Options { tools, config: config.to_owned(), home: home.map(Path::to_owned), ..Options::default() };
    TestApp::with(scripts(), options).await
}

/// Sends a message; gives what names its turn.
async fn go(app: &TestApp, session: SessionId) -> Value {
    let path = format!("/api/v1/sessions/{session}/turns");
    let (status, accepted) = app.request("POST", &path, Some(json!({"content": "go"}))).await;
    assert_eq!(status, 202, "{accepted}");
    accepted
}

/// The only question that waits, once there is one.
async fn question(app: &TestApp) -> Value {
    loop {
        if let [question] = &pending(app).await[..] {
            return question.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

const TURN: &str = "\n[budget]\nturn_tokens = 10000\n";

#[tokio::test]
async fn a_turn_at_its_budget_asks_for_more_and_goes_on() {
    let app = limited(None, TURN).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "go").await;
    assert_eq!(app.model.requests().len(), 1, "the request that would pass the limit is not made");
    let [question] = &pending(&app).await[..] else { panic!("one question") };
    assert_eq!((&question["kind"], &question["tool"]), (&json!("budget"), &json!("")));
    let arguments = &question["arguments"];
    assert_eq!((&arguments["key"], &arguments["unit"]), (&json!("turn_tokens"), &json!("tokens")));
    assert_eq!(
        (&arguments["limit"], &arguments["used"], &arguments["more"]),
        (&json!(10_000), &json!(9_600), &json!(10_000))
    );
    assert!(question["reason"].as_str().unwrap().contains("the token budget of this turn is used up"), "{question}");
    for (body, words) in [
        (json!({"decision": "allow_session"}), "allowed once or denied"),
        (json!({"decision": "allow_once", "arguments": {"more": 0}}), "whole number of tokens"),
        (json!({"decision": "allow_once", "arguments": {"more": 1.5}}), "whole number of tokens"),
        (json!({"decision": "allow_once", "arguments": {"more": "lots"}}), "has to be a number"),
        (json!({"decision": "allow_once", "arguments": {"less": 1}}), "a budget knows no less"),
    ] {
        let (status, refused) = answer(&app, &approval, body).await;
        assert_eq!(status, 422, "{refused}");
        assert!(refused["detail"].as_str().unwrap().contains(words), "{refused}");
    }
    decide(&app, &approval, "allow_once").await;
    let done = ended(&app, &turn).await;
    assert_eq!(done["stop_reason"], "completed");
    let asked = done["parts"].as_array().unwrap().iter().find(|part| part["kind"] == "approval").expect("the question");
    assert_eq!(asked["approval"]["decision"], "allow_once");
    // It was this turn that got more.
    let (turn, approval) = ask(&app, session, "again").await;
    decide(&app, &approval, "deny").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "budget");
}

#[tokio::test]
async fn too_little_asks_again_and_the_amount_is_the_persons() {
    let app = limited(None, TURN).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "go").await;
    let (status, _) = answer(&app, &approval, json!({"decision": "allow_once", "arguments": {"more": 1}})).await;
    assert_eq!(status, 200);
    let again = question(&app).await;
    assert_eq!(again["arguments"]["limit"], 10_001);
    decide(&app, again["approval_id"].as_str().unwrap(), "allow_once").await;
    let done = ended(&app, &turn).await;
    assert_eq!(done["stop_reason"], "completed");
    let granted: Vec<_> = done["parts"].as_array().unwrap().iter().filter(|part| part["kind"] == "approval").collect();
    let granted: Vec<_> = granted.iter().map(|part| part["approval"]["arguments"]["more"].clone()).collect();
    assert_eq!(granted, [json!(1), json!(10_000)]);
}

#[tokio::test]
async fn a_refusal_ends_the_turn_with_what_was_done() {
    let app = limited(None, TURN).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "go").await;
    decide(&app, &approval, "deny").await;
    let done = ended(&app, &turn).await;
    assert_eq!((&done["stop_reason"], &done["state"]), (&json!("budget"), &json!("done")));
    let last = done["parts"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["kind"], &last["code"]), (&json!("notice"), &json!("budget")));
    assert_eq!(part(&done)["status"], "ok");
    let (status, _) = app.request("PATCH", "/api/v1/settings", Some(json!({"budget": {"turn_tokens": null}}))).await;
    assert_eq!(status, 200);
    assert_eq!(app.ask(session, "go on").await["stop_reason"], "completed");
}

#[tokio::test]
async fn more_for_a_day_holds_for_all_and_over_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let day = "\n[budget]\nday_tokens = 10000\n";
    let app = limited(Some(folder.path()), day).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "go").await;
    app.stop().await;
    let app = limited(Some(folder.path()), day).await;
    app.model
        .set(vec![Script { matches: String::new(), replies: vec![Reply::text(&["unused"]), Reply::text(&["done"])] }]);
    app.runtime.recover().await.expect("recovered");
    let (status, _) = answer(&app, &approval, json!({"decision": "allow_once", "arguments": {"more": 500_000}})).await;
    assert_eq!(status, 200);
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
    app.stop().await;
    let app = limited(Some(folder.path()), day).await;
    let other = app.session().await;
    assert_eq!(app.ask(other, "go").await["stop_reason"], "completed");
    let rows = audited(&app, "approval_resolved").await;
    assert_eq!((rows.len(), &rows[0]["subject"]), (1, &json!("allow_once")));
}

#[tokio::test]
async fn stop_ends_a_turn_that_waits_for_more() {
    let app = limited(None, TURN).await;
    let session = app.session().await;
    let (turn, _) = ask(&app, session, "go").await;
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "cancelled");
    assert_eq!(pending(&app).await.len(), 0);
}

/// Nobody has to answer each turn that waits when the limit itself is raised.
#[tokio::test]
async fn turns_that_wait_go_on_when_the_limit_has_room_again() {
    let app = limited(None, "\n[budget]\nday_tokens = 10000\n").await;
    let (first, second) = (app.session().await, app.session().await);
    let (one, _) = ask(&app, first, "go").await;
    let (other, _) = ask(&app, second, "go").await;
    let patch = json!({"budget": {"day_tokens": 1_000_000}});
    assert_eq!(app.request("PATCH", "/api/v1/settings", Some(patch)).await.0, 200);
    for turn in [&one, &other] {
        let done = ended(&app, turn).await;
        assert_eq!(done["stop_reason"], "completed");
        let asked = done["parts"].as_array().unwrap().iter().find(|part| part["kind"] == "approval").unwrap();
        assert_eq!(
            (&asked["approval"]["decision"], &asked["approval"]["by"]),
            (&json!("allow_once"), &json!("system"))
        );
    }
    assert_eq!(pending(&app).await.len(), 0);
}

#[tokio::test]
async fn one_answer_is_enough_for_all_that_wait_at_the_same_limit() {
    let app = limited(None, "\n[budget]\nday_tokens = 10000\n").await;
    let (first, second) = (app.session().await, app.session().await);
    let (one, approval) = ask(&app, first, "go").await;
    let (other, _) = ask(&app, second, "go").await;
    let (status, _) = answer(&app, &approval, json!({"decision": "allow_once", "arguments": {"more": 900_000}})).await;
    assert_eq!(status, 200);
    for turn in [&one, &other] {
        assert_eq!(ended(&app, turn).await["stop_reason"], "completed");
    }
}

/// What others have reserved and will hardly use is no reason to ask anybody.
#[tokio::test]
async fn turns_wait_for_requests_on_their_way_before_they_ask() {
    let usage = Some(ScriptedUsage { input: 700, output: 300, cached: 0 });
    let answer = Reply { usage, ..Reply::text(&["do", "ne"]) }.paced(20);
    let script = Script { matches: String::new(), replies: vec![answer] };
    let config = "\n[budget]\nday_tokens = 12000\n".to_owned();
    let app = TestApp::with(vec![script], Options { config, ..Options::default() }).await;
    let mut turns = Vec::new();
    for _ in 0..6 {
        let session = app.session().await;
        let accepted = go(&app, session).await;
        turns.push(accepted["turn_id"].as_str().unwrap().to_owned());
    }
    for turn in &turns {
        assert_eq!(ended(&app, turn).await["stop_reason"], "completed");
    }
    assert_eq!(audited(&app, "approval_requested").await.len(), 0);
}

/// 64 turns at once under one day: what is spent and reserved never passes it, and what is over it waits.
#[tokio::test]
async fn many_turns_at_once_stay_under_one_day() {
    let usage = Some(ScriptedUsage { input: 700, output: 300, cached: 0 });
    let answer = Reply { usage, ..Reply::text(&["done"]) }.paced(5);
    let script = Script { matches: String::new(), replies: vec![answer] };
    let config = "max_iterations = 5\n\n[budget]\nday_tokens = 60000\n".to_owned();
    let app = TestApp::with(vec![script], Options { config, ..Options::default() }).await;
    let mut turns = Vec::new();
    for _ in 0..64 {
        let session = app.session().await;
        let accepted = go(&app, session).await;
        turns.push(accepted["turn_id"].as_str().unwrap().to_owned());
    }
    let mut waiting = 0;
    for turn in &turns {
        loop {
            let read = app.get(&format!("/api/v1/turns/{turn}")).await;
            match read["state"].as_str().unwrap() {
                "done" => break,
                "awaiting_approval" => {
                    waiting += 1;
                    break;
                }
                _ => tokio::time::sleep(Duration::from_millis(10)).await,
            }
        }
    }
    let spent = app.get("/api/v1/usage").await["total"].clone();
    let spent = spent["input_tokens"].as_u64().unwrap() + spent["output_tokens"].as_u64().unwrap();
    assert!(spent <= 60_000 && waiting > 0, "{spent} tokens, {waiting} wait");
    assert_eq!(app.model.requests().len() as u64 * 1_000, spent, "what was sent is what is on record");
}

/// Each message opens the gate twice; time goes by while it waits there.
async fn timed(home: Option<&Path>, config: &str) -> (TestApp, Gate, Ahead) {
    let (gate, clock) = (Gate::default(), Ahead::default());
    let call = |id| Reply::calls(&[(id, "gate", json!({}))]);
    let replies = vec![call("c1"), call("c2"), Reply::text(&["done"])];
    let scripts = vec![Script { matches: String::new(), replies }];
    let options = Options {
        tools: vec![Arc::new(gate.clone())],
        config: config.to_owned(),
        clock: Some(Arc::new(clock.clone())),
        home: home.map(Path::to_owned),
        ..Options::default()
    };
    (TestApp::with(scripts, options).await, gate, clock)
}

/// Models and tools are work; a turn that waits for a person does not work.
#[tokio::test]
async fn a_turn_at_its_time_asks_for_more_and_waiting_for_the_answer_costs_nothing() {
    let (app, gate, clock) = timed(None, "approvals_expire_s = 86400\n\n[budget]\nturn_seconds = 60\n").await;
    let session = app.session().await;
    let turn = go(&app, session).await;
    gate.reached().await;
    clock.by(70);
    gate.open();
    let asked = question(&app).await;
    let arguments = &asked["arguments"];
    assert_eq!((&arguments["key"], &arguments["unit"]), (&json!("turn_seconds"), &json!("seconds")));
    assert_eq!((&arguments["limit"], &arguments["more"], &arguments["needed"]), (&json!(60), &json!(60), &json!(0.1)));
    assert!((70.0..75.0).contains(&arguments["used"].as_f64().unwrap()), "{arguments}");
    assert!(asked["reason"].as_str().unwrap().starts_with("the time budget of this turn is used up (7"), "{asked}");
    let approval = asked["approval_id"].as_str().unwrap();
    let (status, refused) = answer(&app, approval, json!({"decision": "allow_once", "arguments": {"more": 1.5}})).await;
    assert_eq!(
        (status, &refused["detail"]),
        (422, &json!("more has to be a whole number of seconds from 1 to 1000000000000000"))
    );
    clock.by(3_600);
    decide(&app, approval, "allow_once").await;
    gate.reached().await;
    clock.by(20);
    gate.open();
    let done = ended(&app, turn["turn_id"].as_str().unwrap()).await;
    assert_eq!(done["stop_reason"], "completed", "90 s of work of 120, the hour of waiting not among them");
}

/// What was worked is on record: over turns, and over restarts.
#[tokio::test]
async fn time_of_a_session_and_of_a_day_is_summed_over_turns_and_restarts() {
    let folder = tempfile::tempdir().expect("a folder");
    for key in ["session_seconds", "day_seconds"] {
        let config = format!("\n[budget]\n{key} = 100\n");
        let (app, gate, clock) = timed(Some(folder.path()), "").await;
        let session = app.session().await;
        let first = go(&app, session).await;
        for seconds in [50, 60] {
            gate.reached().await;
            clock.by(seconds);
            gate.open();
        }
        app.ended(&first["turn_id"]).await;
        app.stop().await;
        let (app, ..) = timed(Some(folder.path()), &config).await;
        let (turn, approval) = ask(&app, session, "go on").await;
        let asked = question(&app).await;
        assert_eq!(asked["arguments"]["key"], key);
        assert!(asked["arguments"]["used"].as_f64().unwrap() >= 110.0, "{asked}");
        decide(&app, &approval, "deny").await;
        let done = ended(&app, &turn).await;
        assert_eq!(done["stop_reason"], "budget");
        let told = done["parts"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap().to_owned();
        assert!(told.contains(&format!("Raise {key} in the settings")), "{told}");
        app.stop().await;
    }
}

#[tokio::test]
async fn tokens_of_a_session_are_limited_too() {
    let app = limited(None, "\n[budget]\nsession_tokens = 10000\n").await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "go").await;
    assert_eq!(question(&app).await["arguments"]["key"], "session_tokens");
    decide(&app, &approval, "allow_once").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
    // Another session has a budget of its own.
    let other = app.session().await;
    assert_eq!(ask(&app, other, "go").await.0.len(), 36);
}

/// A limit that is set in the middle of a turn counts what the turn worked before, once.
#[tokio::test]
async fn a_limit_of_time_that_is_set_later_counts_what_was_worked_before() {
    let (app, gate, clock) = timed(None, "").await;
    let session = app.session().await;
    let turn = go(&app, session).await;
    gate.reached().await;
    clock.by(40);
    gate.open();
    gate.reached().await;
    let (status, _) = app.request("PATCH", "/api/v1/settings", Some(json!({"budget": {"turn_seconds": 45}}))).await;
    assert_eq!(status, 200);
    clock.by(10);
    gate.open();
    let asked = question(&app).await;
    let used = asked["arguments"]["used"].as_f64().unwrap();
    assert!((50.0..55.0).contains(&used), "{asked}");
    decide(&app, asked["approval_id"].as_str().unwrap(), "allow_once").await;
    assert_eq!(ended(&app, turn["turn_id"].as_str().unwrap()).await["stop_reason"], "completed");
}

/// A limit that was raised while the server was away holds from its start on.
#[tokio::test]
async fn a_turn_that_waits_goes_on_at_the_start_when_the_limit_was_raised_meanwhile() {
    let folder = tempfile::tempdir().expect("a folder");
    let app = limited(Some(folder.path()), TURN).await;
    let session = app.session().await;
    let (turn, _) = ask(&app, session, "go").await;
    app.stop().await;
    let app = limited(Some(folder.path()), "\n[budget]\nturn_tokens = 100000\n").await;
    app.model
        .set(vec![Script { matches: String::new(), replies: vec![Reply::text(&["unused"]), Reply::text(&["done"])] }]);
    app.runtime.recover().await.expect("recovered");
    let done = ended(&app, &turn).await;
    assert_eq!(done["stop_reason"], "completed");
    let asked = done["parts"].as_array().unwrap().iter().find(|part| part["kind"] == "approval").expect("the question");
    assert_eq!((&asked["approval"]["decision"], &asked["approval"]["by"]), (&json!("allow_once"), &json!("system")));
}

/// Whoever waits for what others hold sees a limit that was raised at once.
#[tokio::test]
async fn a_turn_that_waits_for_a_request_on_its_way_sees_a_raised_limit() {
    let hangs =
        Script { matches: "hold".to_owned(), replies: vec![Reply { hang: true, ..Reply::text(&["on my way"]) }] };
    let scripts = vec![hangs, Script { matches: String::new(), replies: vec![Reply::text(&["done"])] }];
    // The first request reserves all that is left for its answer.
    let config = "\n[budget]\nday_tokens = 4000\n".to_owned();
    let app = TestApp::with(scripts, Options { config, ..Options::default() }).await;
    let (holder, other) = (app.session().await, app.session().await);
    let mut socket = app.socket().await;
    socket.message(holder, "hold").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    let turn = go(&app, other).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let waits = app.get(&format!("/api/v1/turns/{}", turn["turn_id"].as_str().unwrap())).await;
    assert_eq!(waits["state"], "running", "it asks nobody, and is not answered: {waits}");
    let (status, _) = app.request("PATCH", "/api/v1/settings", Some(json!({"budget": {"day_tokens": 100_000}}))).await;
    assert_eq!(status, 200);
    assert_eq!(app.ended(&turn["turn_id"]).await["stop_reason"], "completed");
    app.request("POST", &format!("/api/v1/sessions/{holder}/stop"), None).await;
}
