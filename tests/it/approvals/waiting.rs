//! What goes on while a turn waits: other turns, restarts, kills.

use nanobot_engine::hook::{AgentHook, Ask, CallContext, Decision, HookError, HookMethod, HookMethods};
use nanobot_tests::app::ServerProcess;
use nanobot_tests::home::Home;

use super::*;

#[tokio::test]
async fn a_turn_that_waits_keeps_nobody_else_from_working() {
    let app = asking(&format!("{ASK}concurrent_turns = 1\n")).await;
    let (waiting, busy) = (app.session().await, app.session().await);
    let (turn, approval) = ask(&app, waiting, "write").await;
    app.model.set(vec![Script { matches: String::new(), replies: vec![Reply::text(&["hello"])] }]);
    assert_eq!(app.ask(busy, "hello").await["message"]["content"], "hello");
    app.model.set(writes());
    decide(&app, &approval, "allow_once").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
}

#[tokio::test]
async fn a_message_that_is_sent_while_a_turn_waits_comes_after_it_or_joins_it() {
    let joined = Script { matches: "hurry".to_owned(), replies: vec![Reply::text(&["done"])] };
    let (app, _) = start([vec![joined], writes()].concat(), None, ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    let path = format!("/api/v1/sessions/{session}/turns");
    let send = async |body| app.request("POST", &path, Some(body)).await;
    let (status, steered) = send(json!({"content": "hurry", "mode": "steer"})).await;
    assert_eq!((status, &steered["turn_id"]), (202, &json!(turn)));
    let (status, queued) = send(json!({"content": "and then"})).await;
    assert_eq!((status, &queued["position"]), (202, &json!(1)));
    decide(&app, &approval, "allow_once").await;
    let done = ended(&app, &turn).await;
    assert!(done["parts"].as_array().unwrap().iter().any(|part| part["kind"] == "steer" && part["text"] == "hurry"));
    let next = loop {
        if let [question] = &pending(&app).await[..] {
            break question.clone();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert_eq!(next["turn_id"], queued["turn_id"]);
    decide(&app, next["approval_id"].as_str().unwrap(), "deny").await;
    ended(&app, queued["turn_id"].as_str().unwrap()).await;
}

#[tokio::test]
async fn a_question_survives_restarts_and_the_turn_goes_on_where_it_was() {
    let folder = tempfile::tempdir().expect("a folder");
    let (app, _) = start(writes(), Some(folder.path()), ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    app.stop().await;
    // More often than a turn that was cut may be taken up again.
    for _ in 0..5 {
        let (app, _) = start(writes(), Some(folder.path()), &format!("{ASK}resume_interrupted = false\n")).await;
        app.runtime.recover().await.expect("recovered");
        assert_eq!(pending(&app).await.len(), 1);
        assert_eq!(app.get(&format!("/api/v1/sessions/{session}")).await["state"], "awaiting_approval");
        app.stop().await;
    }
    let (app, _) = start(writes(), Some(folder.path()), ASK).await;
    // The scripted model is a new one, and has been asked nothing: its first reply to this turn is the call.
    app.model
        .set(vec![Script { matches: String::new(), replies: vec![Reply::text(&["unused"]), Reply::text(&["done"])] }]);
    decide(&app, &approval, "allow_once").await;
    let done = ended(&app, &turn).await;
    assert_eq!((&done["stop_reason"], &part(&done)["status"]), (&json!("completed"), &json!("ok")), "{done}");
    assert_eq!(done.get("resumed"), None, "it was never cut");
    assert!(written(&app));
}

#[tokio::test]
async fn a_question_that_expired_while_the_server_was_away_is_a_refusal() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = format!("{ASK}approvals_expire_s = 1\n");
    let (app, _) = start(writes(), Some(folder.path()), &config).await;
    let session = app.session().await;
    let (turn, _) = ask(&app, session, "write").await;
    app.stop().await;
    tokio::time::sleep(Duration::from_millis(1_100)).await;
    let (app, _) = start(writes(), Some(folder.path()), &config).await;
    app.runtime.recover().await.expect("recovered");
    let done = ended(&app, &turn).await;
    assert_eq!((&part(&done)["status"], &part(&done)["approval"]["decision"]), (&json!("denied"), &json!("expired")));
    assert!(!written(&app));
}

/// The real binary, killed while it waits.
#[tokio::test]
async fn a_question_survives_kill_9() {
    let scripts = vec![Script {
        matches: "look".to_owned(),
        replies: vec![Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]), Reply::text(&["nothing there"])],
    }];
    let home = Home::new(scripts, "\n[[permissions]]\ntool = \"list_dir\"\ndecision = \"ask\"\n").await;
    let http = nanobot_tests::app::http();
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let call = async |url: &str, method: &str, path: &str, body: Option<Value>| {
        nanobot_tests::app::request(&http, url, method, path, body).await.expect("an answer").1
    };
    let session = call(&server.url, "POST", "/api/v1/sessions", Some(json!({}))).await["id"].clone();
    let path = format!("/api/v1/sessions/{}/turns?wait=true", session.as_str().unwrap());
    let waiting = call(&server.url, "POST", &path, Some(json!({"content": "look"}))).await;
    server.kill().await.expect("killed");
    let server = ServerProcess::start(home.path()).await.expect("a server");
    let questions = call(&server.url, "GET", "/api/v1/approvals", None).await;
    assert_eq!(questions["items"][0]["approval_id"], waiting["approval_id"], "{questions}");
    let path = format!("/api/v1/approvals/{}", waiting["approval_id"].as_str().unwrap());
    let taken = call(&server.url, "POST", &path, Some(json!({"decision": "allow_once"}))).await;
    assert_eq!(taken["decision"], "allow_once", "{taken}");
    let path = format!("/api/v1/turns/{}", waiting["turn_id"].as_str().unwrap());
    for _ in 0..1_000 {
        let turn = call(&server.url, "GET", &path, None).await;
        if turn["state"] == "done" {
            assert_eq!(part(&turn)["status"], "ok");
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the turn has no end");
}

struct Careful;

#[async_trait::async_trait]
impl AgentHook for Careful {
    fn name(&self) -> &'static str {
        "careful"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeExecuteTool])
    }
    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        let asks = call.call.name == "write_file";
        Ok(if asks { Decision::Ask(Ask::once("are you sure?")) } else { Decision::Proceed })
    }
}

#[tokio::test]
async fn a_hook_asks_too_and_rules_still_deny() {
    let rule = "\n[[permissions]]\ntool = \"write_file\"\nmatch = \"*.env\"\ndecision = \"deny\"\n";
    let options = Options {
        hooks: vec![Arc::new(Careful)],
        tools: vec![Arc::new(WriteFile::default())],
        config: rule.to_owned(),
        ..Options::default()
    };
    let app = TestApp::with(writes(), options).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    assert_eq!(pending(&app).await[0]["reason"], "are you sure?");
    let (status, body) = answer(&app, &approval, json!({"decision": "allow_session"})).await;
    assert_eq!((status, &body["code"]), (422, &json!("bad_answer")), "{body}");
    decide(&app, &approval, "allow_once").await;
    ended(&app, &turn).await;
    assert!(written(&app));
    let secret = Reply::calls(&[("c1", "write_file", json!({"path": ".env", "content": "new"}))]);
    app.model.set(vec![Script { matches: String::new(), replies: vec![secret, Reply::text(&["done"])] }]);
    assert_eq!(app.ask(session, "the other").await["stop_reason"], "completed", "a rule denies; nobody is asked");
}

#[tokio::test]
async fn who_waits_for_a_message_behind_a_question_is_told_of_the_question() {
    let app = asking(ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    assert_eq!(
        pending(&app).await[0]["session_title"],
        "write",
        "a session without a name is called by what was asked"
    );
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, queued) = app.request("POST", &path, Some(json!({"content": "and then"}))).await;
    assert_eq!((status, &queued["state"], &queued["approval_id"]), (202, &json!("queued"), &json!(approval)));
    assert_ne!(queued["turn_id"], json!(turn));
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    ended(&app, &turn).await;
}

/// The question is the turn's own: a copy of the session has neither it nor a turn that would wait for it.
#[tokio::test]
async fn a_fork_of_a_waiting_turn_asks_nothing() {
    let app = asking(ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    let at = app.get(&format!("/api/v1/sessions/{session}")).await["head_seq"].clone();
    let (status, fork) =
        app.request("POST", &format!("/api/v1/sessions/{session}/fork"), Some(json!({"at_seq": at}))).await;
    assert_eq!(status, 201, "{fork}");
    let copied = app.get(&format!("/api/v1/sessions/{}/turns", fork["id"].as_str().unwrap())).await["items"][0].clone();
    assert_eq!((&copied["state"], &copied["stop_reason"]), (&json!("interrupted"), &json!("interrupted")), "{copied}");
    for part in copied["parts"].as_array().unwrap() {
        assert_eq!(part.get("approval"), None, "{copied}");
        assert!(part["status"] != "waiting" && part["status"] != "running", "{copied}");
    }
    assert_eq!(pending(&app).await.len(), 1, "one question, of the original");
    decide(&app, &approval, "allow_once").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
}
