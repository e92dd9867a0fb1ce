//! Messages that join a running turn: during its last answer, when it fails, at its limits, and more of them than may wait.

use std::sync::Arc;

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, IterationContext};
use nanobot_engine::id::SessionId;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::legal;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::Gate;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

fn script(matches: &str, replies: Vec<Reply>) -> Script {
    Script { matches: matches.to_owned(), replies }
}

async fn send(app: &TestApp, session: SessionId, content: &str, mode: &str) -> Value {
    let body = json!({"content": content, "mode": mode});
    let (status, body) = app.request("POST", &format!("/api/v1/sessions/{session}/turns"), Some(body)).await;
    assert_eq!(status, 202, "{body}");
    body
}

/// Who said what in each turn, and how it ended.
async fn thread(app: &TestApp, session: SessionId) -> Vec<(String, String, String)> {
    let turns = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    turns["items"]
        .as_array()
        .expect("turns")
        .iter()
        .map(|turn| {
            let parts = turn["parts"].as_array().expect("parts").iter();
            let said: Vec<String> = parts
                .filter(|part| matches!(part["kind"].as_str(), Some("text" | "steer")))
                .map(|part| text(&part["text"]))
                .collect();
            (text(&turn["user"]["content"]), said.join(" | "), text(&turn["stop_reason"]))
        })
        .collect()
}

fn expected(turns: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    turns.iter().map(|(a, b, c)| ((*a).to_owned(), (*b).to_owned(), (*c).to_owned())).collect()
}

/// Waits until so many turns have ended.
async fn ended(app: &TestApp, session: SessionId, turns: usize) {
    let ended = async {
        loop {
            let listed = app.get(&format!("/api/v1/sessions/{session}/turns")).await;
            let listed = listed["items"].as_array().expect("turns");
            if listed.len() == turns && listed.iter().all(|turn| turn.get("stop_reason").is_some()) {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(20), ended).await.expect("the turns end");
}

/// Holds the final text before it is stored.
struct HoldsAnswer {
    reached: Semaphore,
    open: Semaphore,
}

#[async_trait]
impl AgentHook for HoldsAnswer {
    fn name(&self) -> &'static str {
        "holds"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::FinalizeContent])
    }
    async fn finalize(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        self.reached.add_permits(1);
        self.open.acquire().await.expect("an open semaphore").forget();
        Ok(content)
    }
}

#[tokio::test]
async fn a_message_during_the_last_answer_makes_it_a_middle_one_that_the_next_request_knows() {
    let holds = Arc::new(HoldsAnswer { reached: Semaphore::new(0), open: Semaphore::new(0) });
    let scripts = vec![
        script("and B", vec![Reply::text(&["B is checked"])]),
        script("check A", vec![Reply::text(&["A is ", "checked"])]),
    ];
    let app = TestApp::with(scripts, Options { hooks: vec![Arc::clone(&holds) as _], ..Options::default() }).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "check A").await.expect("accepted");
    holds.reached.acquire().await.expect("an answer").forget();
    send(&app, session, "and B", "steer").await;
    holds.open.add_permits(2);
    let mut ends = Vec::new();
    loop {
        let frame = socket.frame().await.expect("a frame");
        match frame["event"].as_str() {
            Some("stream_end") => ends.push(frame["resuming"].clone()),
            Some("turn_finished") => break,
            _ => {}
        }
    }
    assert_eq!(ends, [json!(true), json!(false)]);
    let all = expected(&[("check A", "A is checked | and B | B is checked", "completed")]);
    assert_eq!(thread(&app, session).await, all);
    let request = app.model.requests()[1].clone();
    legal::check(&request).expect("a legal request");
    let said = legal::said(&request);
    let roles: Vec<&str> = said.iter().map(|(role, _)| role.as_str()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "user"]);
    assert_eq!(said[2].1, "A is checked");
}

/// Every message of a person carries the moment it was written, also one that joined a running turn.
#[tokio::test]
async fn a_steered_message_knows_its_own_time() {
    let gate = Gate::default();
    let scripts = vec![script("", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["done"])])];
    let app = TestApp::with(scripts, Options { tools: vec![Arc::new(gate.clone())], ..Options::default() }).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    gate.reached().await;
    send(&app, session, "and quickly", "steer").await;
    gate.open();
    gate.open();
    socket.wait_for("turn_finished").await.expect("the end");
    let said = legal::said(&app.model.requests()[1]);
    let people: Vec<&String> = said.iter().filter(|(role, _)| role == "user").map(|(_, text)| text).collect();
    assert_eq!(people.len(), 2);
    for text in people {
        assert_eq!(text.matches("[Context, not written by the person: ").count(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_message_whose_turn_fails_gets_a_turn_of_its_own() {
    for (second, reason) in [(Reply::status(401, "{}"), "error"), (Reply::default(), "empty_final_response")] {
        let gate = Gate::default();
        let scripts = vec![
            script("and B", vec![Reply::text(&["B is checked"])]),
            script("go", vec![Reply::calls(&[("c1", "gate", json!({}))]), second]),
        ];
        // The message comes when the turn looks for messages no more: while its last request runs.
        let holds = Arc::new(HoldsRequest { reached: Semaphore::new(0), open: Semaphore::new(0) });
        let options =
            Options { tools: vec![Arc::new(gate.clone())], hooks: vec![Arc::clone(&holds) as _], ..Options::default() };
        let app = TestApp::with(scripts, options).await;
        let session = app.session().await;
        send(&app, session, "go", "auto").await;
        gate.reached().await;
        gate.open();
        holds.reached.acquire().await.expect("a request").forget();
        send(&app, session, "and B", "steer").await;
        holds.open.add_permits(10);
        ended(&app, session, 2).await;
        let all = expected(&[("go", "", reason), ("and B", "B is checked", "completed")]);
        assert_eq!(thread(&app, session).await, all);
    }
}

/// Holds each request after the first of a turn.
struct HoldsRequest {
    reached: Semaphore,
    open: Semaphore,
}

#[async_trait]
impl AgentHook for HoldsRequest {
    fn name(&self) -> &'static str {
        "holds"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeRequest])
    }
    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        if iteration.iteration > 0 {
            self.reached.add_permits(1);
            self.open.acquire().await.expect("an open semaphore").forget();
        }
        Ok(())
    }
}

#[tokio::test]
async fn a_message_that_comes_at_the_limit_of_iterations_gets_a_turn_of_its_own() {
    let gate = Gate::default();
    let holds = Arc::new(HoldsRequest { reached: Semaphore::new(0), open: Semaphore::new(0) });
    let scripts = vec![
        script("and B", vec![Reply::text(&["B is checked"])]),
        script("The limit of steps", vec![Reply::text(&["closed"])]),
        script("go", vec![Reply::calls(&[("c1", "gate", json!({}))])]),
    ];
    let options = Options {
        tools: vec![Arc::new(gate.clone())],
        hooks: vec![Arc::clone(&holds) as _],
        config: "max_iterations = 1\n".to_owned(),
        ..Options::default()
    };
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    send(&app, session, "go", "auto").await;
    gate.reached().await;
    gate.open();
    holds.reached.acquire().await.expect("the closing request").forget();
    send(&app, session, "and B", "steer").await;
    holds.open.add_permits(10);
    ended(&app, session, 2).await;
    let all = expected(&[("go", "closed", "max_iterations"), ("and B", "B is checked", "completed")]);
    assert_eq!(thread(&app, session).await, all);
}

#[tokio::test]
async fn more_messages_than_may_join_wait_for_turns_of_their_own() {
    let gate = Gate::default();
    let scripts = vec![script("", vec![Reply::calls(&[("c1", "gate", json!({}))]), Reply::text(&["done"])])];
    let app = TestApp::with(scripts, Options { tools: vec![Arc::new(gate.clone())], ..Options::default() }).await;
    let session = app.session().await;
    let first = send(&app, session, "go", "auto").await;
    gate.reached().await;
    for number in 0..100 {
        let accepted = send(&app, session, &format!("joins {number}"), "steer").await;
        assert_eq!(accepted["turn_id"], first["turn_id"], "{number}");
    }
    let own = send(&app, session, "one more", "steer").await;
    assert_ne!(own["turn_id"], first["turn_id"]);
    assert_eq!(own["position"], 1);
    let stop = format!("/api/v1/sessions/{session}/stop");
    assert_eq!(app.request("POST", &stop, None).await.1, json!({"stopped": true}));
}
