//! Answers: over REST, socket and terminal; once, changed, denied, too late.

use nanobot_tests::client::View;
use serde_json::json;

use super::*;

#[tokio::test]
async fn a_call_that_asks_waits_and_runs_when_it_is_allowed() {
    let app = asking(ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    assert!(!written(&app));
    let waiting = app.get(&format!("/api/v1/turns/{turn}")).await;
    assert_eq!((&waiting["state"], &part(&waiting)["status"]), (&json!("awaiting_approval"), &json!("waiting")));
    assert_eq!(app.get(&format!("/api/v1/sessions/{session}")).await["state"], "awaiting_approval");
    let [question] = &pending(&app).await[..] else { panic!("one question") };
    assert_eq!(question["approval_id"], json!(approval));
    assert_eq!((&question["kind"], &question["tool"]), (&json!("tool"), &json!("write_file")));
    assert_eq!(question["arguments"], json!({"path": "a.txt", "content": "new"}));
    assert_eq!((&question["reason"], &question["hint"]), (&json!("it changes files"), &json!("a.txt")));
    assert_eq!(question["covers"], json!([{"tool": "write_file", "match": "*"}]));
    let diff = question["diff"].as_str().expect("what it would change");
    assert!(diff.contains("+new"), "{diff}");
    assert_eq!(question["session_id"], json!(session));
    let wait_ms = question["expires_at"].as_i64().unwrap() - question["requested_at"].as_i64().unwrap();
    assert_eq!(wait_ms, 86_400_000);

    let taken = decide(&app, &approval, "allow_once").await;
    assert_eq!(taken["by"], "loopback");
    let done = ended(&app, &turn).await;
    assert_eq!((&done["state"], &part(&done)["status"]), (&json!("done"), &json!("ok")));
    let known = &part(&done)["approval"];
    assert_eq!((&known["decision"], &known["by"]), (&json!("allow_once"), &json!("loopback")));
    assert!(written(&app));
    assert_eq!(pending(&app).await.len(), 0);
    assert_eq!(app.get(&format!("/api/v1/sessions/{session}")).await["state"], "idle");

    let (status, late) = answer(&app, &approval, json!({"decision": "deny"})).await;
    assert_eq!((status, &late["code"]), (409, &json!("approval_closed")), "{late}");
    assert!(late["detail"].as_str().unwrap().contains("loopback allowed it"), "{late}");
    let [asked] = &audited(&app, "approval_requested").await[..] else { panic!("one question in the log") };
    assert_eq!((&asked["subject"], &asked["actor"]), (&json!("write_file"), &json!("system")));
    let [resolved] = &audited(&app, "approval_resolved").await[..] else { panic!("one answer in the log") };
    assert_eq!((&resolved["subject"], &resolved["actor"]), (&json!("allow_once"), &json!("loopback")));
    assert_eq!(resolved["detail"]["approval_id"], json!(approval));
}

#[tokio::test]
async fn a_refusal_from_another_tab_is_seen_by_all_and_read_by_the_model() {
    let app = asking(ASK).await;
    let (mut first, mut second) = (app.socket().await, app.socket().await);
    let session = first.new_chat().await.expect("a session");
    second.attach(session, 0).await.expect("attached");
    first.message(session, "write").await.expect("accepted");
    let mut view = View::default();
    let approval = loop {
        let frame = first.frame().await.expect("a frame");
        view.take(&frame).expect("no gap");
        if frame["event"] == "session_updated" && frame["state"] == "awaiting_approval" {
            break pending(&app).await[0]["approval_id"].clone();
        }
    };
    assert_eq!(second.wait_for("approval_requested").await.expect("asked")["approval_id"], approval);
    let deny = json!({"type": "approve", "approval_id": approval, "decision": "deny", "reason": "write b.txt instead"});
    second.send(deny.clone()).await.expect("sent");
    let resolved = first.wait_for("approval_resolved").await.expect("resolved");
    assert_eq!((&resolved["decision"], &resolved["by"]), (&json!("deny"), &json!("loopback")));
    assert_eq!(resolved["reason"], "write b.txt instead");
    assert_eq!(first.wait_for("tool_finished").await.expect("finished")["status"], "denied");
    assert_eq!(first.wait_for("turn_finished").await.expect("ended")["stop_reason"], "completed");
    assert!(!written(&app));
    let said = nanobot_tests::legal::said(&app.model.requests()[1]);
    assert!(
        said.contains(&("tool".to_owned(), "Error: this call was not allowed: write b.txt instead".to_owned())),
        "{said:?}"
    );

    // The same again, and what does not exist.
    second.send(deny).await.expect("sent");
    let error = second.wait_for("error").await.expect("an error");
    assert_eq!((&error["code"], &error["approval_id"]), (&json!("approval_closed"), &approval));
    let unknown = json!({"type": "approve", "approval_id": session, "decision": "deny"});
    second.send(unknown).await.expect("sent");
    assert_eq!(second.wait_for("error").await.expect("an error")["code"], "not_found");
    second.send(json!({"type": "approve", "approval_id": approval, "decision": "yes"})).await.expect("sent");
    assert_eq!(second.wait_for("error").await.expect("an error")["code"], "bad_field");
}

#[tokio::test]
async fn a_person_changes_the_arguments_and_bad_ones_leave_the_question_open() {
    let rule = "\n[[permissions]]\ntool = \"write_file\"\nmatch = \"*.env\"\ndecision = \"deny\"\n";
    let app = asking(&format!("{ASK}{rule}")).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    for (arguments, words) in [
        (json!({"path": 7}), "missing required parameter content"),
        (json!({"path": "x/../.env", "content": ""}), "a rule denies write_file *.env: .env"),
    ] {
        let (status, body) = answer(&app, &approval, json!({"decision": "allow_once", "arguments": arguments})).await;
        assert_eq!(status, 422, "{body}");
        assert!(body["detail"].as_str().unwrap().contains(words), "{body}");
    }
    let (status, body) =
        answer(&app, &approval, json!({"decision": "allow_session", "arguments": {"path": "b", "content": ""}})).await;
    assert_eq!(status, 422, "{body}");
    let (status, body) = answer(&app, &approval, json!({"decision": "allow_once", "surprise": 1})).await;
    assert_eq!(status, 422, "{body}");
    let long = json!({"decision": "deny", "reason": "x".repeat(2_001)});
    assert_eq!(answer(&app, &approval, long).await.0, 422);
    assert_eq!(pending(&app).await.len(), 1);
    let other = json!({"decision": "allow_once", "arguments": {"path": "b.txt", "content": "mine"}});
    assert_eq!(answer(&app, &approval, other).await.0, 200);
    let done = ended(&app, &turn).await;
    assert_eq!(part(&done)["arguments"], json!({"path": "b.txt", "content": "mine"}));
    assert_eq!(part(&done)["hint"], "", "it was about the other file");
    let told = nanobot_tests::legal::said(&app.model.requests()[1]).pop().expect("the result").1;
    assert!(
        told.starts_with("[A person changed the arguments of this call to {\"path\":\"b.txt\",\"content\":\"mine\"}]"),
        "{told}"
    );
    assert_eq!(std::fs::read_to_string(app.home.join("workspace/b.txt")).expect("the file"), "mine");
    assert!(!written(&app));
}

#[tokio::test]
async fn what_nobody_answers_expires_to_a_refusal_and_the_turn_goes_on() {
    let app = asking(&format!("{ASK}approvals_expire_s = 1\n")).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    let done = ended(&app, &turn).await;
    assert_eq!((&done["stop_reason"], &part(&done)["status"]), (&json!("completed"), &json!("denied")));
    assert_eq!(part(&done)["approval"]["decision"], "expired");
    assert!(!written(&app));
    let (status, late) = answer(&app, &approval, json!({"decision": "allow_once"})).await;
    assert_eq!((status, &late["code"]), (409, &json!("approval_closed")));
    assert!(late["detail"].as_str().unwrap().contains("nobody answered in time"), "{late}");
    let said = nanobot_tests::legal::said(&app.model.requests()[1]);
    assert!(said.iter().any(|(role, text)| role == "tool" && text.contains("nobody answered")), "{said:?}");
}

#[tokio::test]
async fn stop_takes_the_question_back_and_so_does_deleting_the_session() {
    let app = asking(ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    let done = ended(&app, &turn).await;
    assert_eq!((&done["stop_reason"], &part(&done)["status"]), (&json!("cancelled"), &json!("cancelled")));
    assert_eq!(part(&done)["approval"]["decision"], "cancelled");
    assert_eq!(answer(&app, &approval, json!({"decision": "allow_once"})).await.0, 409);
    let (_, approval) = ask(&app, session, "again").await;
    assert_eq!(app.request("DELETE", &format!("/api/v1/sessions/{session}"), None).await.0, 204);
    assert_eq!(pending(&app).await.len(), 0);
    assert_eq!(answer(&app, &approval, json!({"decision": "allow_once"})).await.0, 409);
    assert!(!written(&app));
}

/// A script that waits for the terminal must not wait for ever.
#[tokio::test]
async fn where_nobody_can_be_asked_the_terminal_refuses() {
    let home = nanobot_tests::home::Home::new(
        vec![Script {
            matches: String::new(),
            replies: vec![Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]), Reply::text(&["as you like"])],
        }],
        "\n[[permissions]]\ntool = \"list_dir\"\ndecision = \"ask\"\n",
    )
    .await;
    let output = tokio::process::Command::new(nanobot_tests::app::binary().expect("the binary"))
        .args(["agent", "-m", "look", "--home"])
        .arg(home.path())
        .stdin(std::process::Stdio::null())
        .output();
    let output = tokio::time::timeout(Duration::from_secs(30), output).await.expect("it ends").expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{out} {err}");
    assert_eq!(out.trim(), "as you like");
    assert!(err.contains("list_dir . was not allowed: nobody is at this terminal to answer"), "{err}");
}
