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
        (json!([{"tool": "y", "decision": "ask"}, {"tool": "x"}]), "permissions[1]"),
        (json!([{"tool": "x", "match": "", "decision": "deny"}]), "permissions[0].match"),
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
    let slip = json!({"tool": "READ_FILE", "match": "*", "decision": "deny"});
    let (status, settings) = patch(json!([slip])).await;
    assert_eq!((status, &settings["warnings"][0]["path"]), (200, &json!("permissions[0].tool")), "{settings}");
    assert!(settings["warnings"][0]["detail"].as_str().unwrap().ends_with("did you mean `read_file`?"), "{settings}");
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

/// A rule about a file holds for every name that it has.
#[tokio::test]
async fn links_are_judged_by_where_they_lead() {
    let rule = |tool: &str, pattern: &str, decision: &str| {
        format!("\n[[permissions]]\ntool = \"{tool}\"\nmatch = \"{pattern}\"\ndecision = \"{decision}\"\n")
    };
    let rules = rule("read_file", "*.env", "deny") + &rule("read_file", "docs/*", "ask");
    let app = asking(&rules).await;
    app.file(".env", "SECRET=1");
    std::fs::create_dir_all(app.home.join("workspace/docs")).expect("a folder");
    app.file("docs/a.md", "words");
    for (link, target) in [("link", ".env"), ("docs/deep", "../.env"), ("folder", "docs")] {
        std::os::unix::fs::symlink(target, app.home.join("workspace").join(link)).expect("a link");
    }
    let read = |path: &str| {
        let call = Reply::calls(&[("c1", "read_file", json!({ "path": path }))]);
        vec![Script { matches: String::new(), replies: vec![call, Reply::text(&["done"])] }]
    };
    let session = app.session().await;
    for path in ["link", "./link", "docs/deep", "folder/deep", ".env"] {
        app.model.set(read(path));
        let done = app.ask(session, path).await;
        let turn = app.get(&format!("/api/v1/turns/{}", done["turn_id"].as_str().expect("id"))).await;
        assert_eq!(part(&turn)["status"], "denied", "{path}");
    }
    app.model.set(read("folder/a.md"));
    let (turn, approval) = ask(&app, session, "the other way").await;
    let by_link = json!({"decision": "allow_once", "arguments": {"path": "docs/deep"}});
    assert_eq!(answer(&app, &approval, by_link).await.0, 422);
    decide(&app, &approval, "allow_once").await;
    assert_eq!(part(&ended(&app, &turn).await)["status"], "ok");
}

/// What one answer allows for longer settles the other questions that are about the same.
#[tokio::test]
async fn an_answer_for_the_session_settles_the_other_questions_that_it_covers() {
    let app = asking("\n[[permissions]]\ntool = \"list_dir\"\ndecision = \"ask\"\n").await;
    let call = |id: &'static str, path: &str| (id, "list_dir", json!({ "path": path }));
    let calls = Reply::calls(&[call("c1", "."), call("c2", "./"), call("c3", "nowhere")]);
    app.model.set(vec![Script { matches: String::new(), replies: vec![calls, Reply::text(&["done"])] }]);
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "look").await;
    assert_eq!(pending(&app).await.len(), 3);
    decide(&app, &approval, "allow_session").await;
    let done = ended(&app, &turn).await;
    let parts: Vec<&Value> = done["parts"].as_array().unwrap().iter().filter(|part| part["kind"] == "tool").collect();
    assert_eq!(parts.iter().map(|part| &part["status"]).collect::<Vec<_>>(), ["ok", "ok", "error"]);
    assert!(parts.iter().all(|part| part["approval"]["by"] == "loopback"), "{parts:?}");
}

/// A rule that denies is newer than the question: nobody can allow what it is about any more.
#[tokio::test]
async fn a_rule_that_denies_holds_for_questions_that_wait() {
    let app = asking(ASK).await;
    let session = app.session().await;
    let (turn, approval) = ask(&app, session, "write").await;
    let rule = json!([{"tool": "write_file", "match": "a.*", "decision": "deny"}]);
    let (status, _) = app.request("PATCH", "/api/v1/settings", Some(json!({ "permissions": rule }))).await;
    assert_eq!(status, 200);
    let (status, refused) = answer(&app, &approval, json!({"decision": "allow_once"})).await;
    assert_eq!(status, 422, "{refused}");
    assert!(refused["detail"].as_str().unwrap().contains("a rule denies write_file a.*"), "{refused}");
    assert_eq!(pending(&app).await.len(), 1, "the question stays open");
    decide(&app, &approval, "deny").await;
    assert_eq!(ended(&app, &turn).await["stop_reason"], "completed");
    assert!(!written(&app));
}
