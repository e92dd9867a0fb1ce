//! Rules, access modes, and what is allowed for longer than once.

use super::*;

#[tokio::test]
async fn what_is_allowed_for_the_session_asks_no_more_there_until_the_mode_is_changed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (app, _) = start(writes(), Some(folder.path()), ASK).await;
    let (here, elsewhere) = (app.session().await, app.session().await);
    let (turn, approval) = ask(&app, here, "write").await;
    decide(&app, &approval, "allow_session").await;
    ended(&app, &turn).await;
    assert_eq!(app.ask(here, "again").await["stop_reason"], "completed");
    let (turn, approval) = ask(&app, elsewhere, "write").await;
    decide(&app, &approval, "deny").await;
    ended(&app, &turn).await;
    app.stop().await;

    let (app, _) = start(writes(), Some(folder.path()), ASK).await;
    assert_eq!(app.ask(here, "after the restart").await["stop_reason"], "completed");
    let path = format!("/api/v1/sessions/{here}");
    let (status, session) = app.request("PATCH", &path, Some(json!({"access": "ask"}))).await;
    assert_eq!((status, &session["access"]), (200, &json!("ask")));
    let (turn, approval) = ask(&app, here, "once more").await;
    decide(&app, &approval, "deny").await;
    ended(&app, &turn).await;
    let (status, session) = app.request("PATCH", &path, Some(json!({"access": "full"}))).await;
    assert_eq!((status, &session["access"]), (200, &json!("full")));
    assert_eq!(app.ask(here, "now").await["stop_reason"], "completed");
}

#[tokio::test]
async fn a_mode_that_is_chosen_while_a_turn_runs_holds_for_its_next_call() {
    let app = asking(ASK).await;
    let write = |id: &str| Reply::calls(&[(id, "write_file", json!({"path": "a.txt", "content": id}))]);
    app.model
        .set(vec![Script { matches: String::new(), replies: vec![write("c1"), write("c2"), Reply::text(&["done"])] }]);
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    let (status, _) =
        app.request("PATCH", &format!("/api/v1/sessions/{session}"), Some(json!({"access": "full"}))).await;
    assert_eq!(status, 200);
    decide(&app, &approval, "allow_once").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
    assert_eq!(std::fs::read_to_string(app.home.join("workspace/a.txt")).expect("the file"), "c2");
}

#[tokio::test]
async fn what_is_always_allowed_becomes_a_rule_of_the_settings() {
    let rules = "# mine\n[[permissions]]\ntool = \"write_file\"\nmatch = \"*.env\"\ndecision = \"deny\"\n";
    let app = asking(&format!("{ASK}\n{rules}")).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    decide(&app, &approval, "allow_always").await;
    ended(&app, &turn).await;
    let other = app.session().await;
    assert_eq!(app.ask(other, "write").await["stop_reason"], "completed");
    let settings = app.get("/api/v1/settings").await;
    assert_eq!(
        settings["permissions"],
        json!([
            {"tool": "write_file", "match": "*.env", "decision": "deny"},
            {"tool": "write_file", "match": "*", "decision": "allow"},
        ])
    );
    let file = std::fs::read_to_string(app.home.join("config.toml")).expect("the file");
    assert!(file.contains("# mine\n[[permissions]]"), "{file}");
    assert!(audited(&app, "settings_changed").await.iter().any(|row| row["subject"] == "permissions"));
}

#[tokio::test]
async fn rules_judge_each_command_of_a_chain() {
    let rule = |pattern: &str, decision: &str| {
        format!("\n[[permissions]]\ntool = \"exec\"\nmatch = \"{pattern}\"\ndecision = \"{decision}\"\n")
    };
    let rules = rule("git push*", "ask") + &rule("rm *", "deny");
    let (app, exec) = start(runs("ls; rm -r x"), None, &rules).await;
    let session = app.session().await;
    let done = app.ask(session, "clean up").await;
    let turn = app.get(&format!("/api/v1/turns/{}", done["turn_id"].as_str().expect("id"))).await;
    assert_eq!(part(&turn)["status"], "denied");
    assert_eq!(part(&turn)["preview"], "Error: a rule denies exec rm *: rm -r x");
    let [row] = &audited(&app, "permission_decided").await[..] else { panic!("one refusal in the log") };
    assert_eq!((&row["subject"], &row["detail"]["rule"]["match"]), (&json!("denied exec"), &json!("rm *")));

    app.model.set(runs("make && git push origin main"));
    let (turn, approval) = ask(&app, session, "publish").await;
    let [question] = &pending(&app).await[..] else { panic!("one question") };
    assert_eq!(question["reason"], "a rule asks about exec git push*");
    assert_eq!(question["covers"], json!([{"tool": "exec", "match": "git push origin main"}]));
    decide(&app, &approval, "allow_session").await;
    ended(&app, &turn).await;
    assert_eq!(exec.ran(), ["make && git push origin main"]);
    // The same command is allowed now, another one is not.
    app.model.set(runs("git push origin main"));
    assert_eq!(app.ask(session, "again").await["stop_reason"], "completed");
    app.model.set(runs("git push origin main --force"));
    let (_, approval) = ask(&app, session, "harder").await;
    decide(&app, &approval, "deny").await;
    assert_eq!(exec.ran().len(), 2);
}

#[tokio::test]
async fn rules_are_set_as_a_list_and_bad_ones_are_refused_where_they_are() {
    let app = asking("").await;
    let patch = async |permissions: Value| {
        app.request("PATCH", "/api/v1/settings", Some(json!({ "permissions": permissions }))).await
    };
    let deny = json!({"tool": "write_file", "match": "*", "decision": "deny"});
    let allow = json!({"tool": "*", "match": "a*", "decision": "allow"});
    let (status, settings) = patch(json!([deny, allow])).await;
    assert_eq!((status, &settings["permissions"]), (200, &json!([deny, allow])), "{settings}");
    let session = app.session().await;
    app.ask(session, "write").await;
    assert!(!written(&app));
    let (status, settings) = patch(json!([allow, deny])).await;
    assert_eq!((status, &settings["permissions"]), (200, &json!([allow, deny])), "the order is the list's");
    app.ask(session, "write").await;
    assert!(written(&app));
    for (bad, path) in [
        (json!([{"tool": "x", "decision": "maybe"}]), "permissions"),
        (json!([{"tool": "x", "decision": "ask", "mach": "*"}]), "permissions[0].mach"),
        (json!([{"decision": "ask"}]), "permissions"),
        (json!(["x"]), "permissions[0]"),
        (json!({"tool": "x"}), "permissions"),
    ] {
        let (status, body) = patch(bad.clone()).await;
        assert_eq!(status, 422, "{bad}: {body}");
        assert!(body.to_string().contains(path), "{bad}: {body}");
    }
    assert_eq!(app.get("/api/v1/settings").await["permissions"], json!([allow, deny]), "nothing was lost");
    let rows = audited(&app, "settings_changed").await;
    assert_eq!((rows.len(), &rows[0]["subject"]), (2, &json!("permissions")));
    let (status, settings) = patch(json!([])).await;
    assert_eq!((status, &settings["permissions"]), (200, &json!([])));
}

#[tokio::test]
async fn by_default_files_of_the_workspace_need_no_question_and_unknown_tools_do() {
    let unknown = Exec::new(Reach::Beyond);
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(WriteFile::default()), Arc::new(unknown.clone())];
    let app = TestApp::with(writes(), Options { tools, ..Options::default() }).await;
    let session = app.session().await;
    assert_eq!(app.ask(session, "write").await["stop_reason"], "completed");
    assert!(written(&app));
    app.model.set(runs("curl example.com"));
    let (turn, approval) = ask(&app, session, "fetch").await;
    assert_eq!(pending(&app).await[0]["reason"], "it may do more than work inside the workspace");
    decide(&app, &approval, "allow_once").await;
    ended(&app, &turn).await;
    assert_eq!(unknown.ran(), ["curl example.com"]);
}
