//! The hooks of docs/hooks, as a person would set them up.

use std::path::Path;

use nanobot_tests::app::TestApp;
use nanobot_tests::scripted::Reply;
use serde_json::{Value, json};

use super::{app, notices, one_write, read};

/// Puts the files where docs/HOOKS.md says: `hooks/` of the home.
fn install(app: &TestApp) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository").join("docs/hooks");
    let to = app.home.join("hooks");
    std::fs::create_dir_all(&to).expect("a folder");
    for name in ["audit.sh", "footer.py", "redact.py"] {
        std::fs::copy(from.join(name), to.join(name)).expect(name);
    }
}

fn hook(event: &str, command: &str, more: &str) -> String {
    format!("\n[[hooks]]\nevent = \"{event}\"\ncommand = [{command}]\n{more}\n")
}

#[tokio::test]
async fn audit_writes_a_line_for_each_call_and_turn() {
    let hooks: String = ["after_execute_tool", "on_execute_tool_error", "on_finally"]
        .iter()
        .map(|event| hook(event, "\"./hooks/audit.sh\"", ""))
        .collect();
    let app = app(hooks, one_write()).await;
    install(&app);
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(notices(&app, &done).await, [""; 0]);
    let text = read(&app.home, "logs/audit.jsonl").expect("the file");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let events: Vec<&Value> = lines.iter().map(|line| &line["told"]["event"]).collect();
    assert_eq!(events, ["after_execute_tool", "on_finally"]);
    assert_eq!(lines[0]["told"]["tool"]["arguments"]["path"], "a.txt");
    assert!(lines[0]["at"].as_str().is_some_and(|at| at.ends_with('Z') && at.len() == 20), "{text}");
}

#[tokio::test]
async fn footer_stands_under_each_answer() {
    let hooks = hook("finalize_content", "\"./hooks/footer.py\", \"Check this.\"", "");
    let app = app(hooks, vec![Reply::text(&["Hello \"you\"\n"])]).await;
    install(&app);
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(notices(&app, &done).await, [""; 0]);
    assert_eq!(done["message"]["content"], "Hello \"you\"\n\nCheck this.");
}

#[tokio::test]
async fn redaction_takes_personal_data_out_of_answers_and_calls() {
    let command = "\"./hooks/redact.py\"";
    let hooks = hook("finalize_content", command, "reraise = true")
        + &hook("before_execute_tool", command, "match = \"write_*\"\nreraise = true");
    let call = json!({"path": "a.txt", "content": "mail jo.doe+x@mail.example.org or call +49 (170) 123-4567"});
    let answer =
        "Card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00; order 4111 1111 1111 1112, 2026-01-31, 3.14.";
    let app = app(hooks, vec![Reply::calls(&[("c1", "write_file", call)]), Reply::text(&[answer])]).await;
    install(&app);
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!(notices(&app, &done).await, [""; 0]);
    assert_eq!(read(&app.home, "workspace/a.txt").as_deref(), Some("mail [mail] or call [phone]"));
    assert_eq!(
        done["message"]["content"], "Card [card], IBAN [iban]; order 4111 1111 1111 1112, 2026-01-31, 3.14.",
        "what is no card and no IBAN stays"
    );
    let rows = app.get(&format!("/api/v1/sessions/{session}/messages")).await;
    assert!(
        !rows["items"]
            .as_array()
            .and_then(|rows| rows.last())
            .expect("a row")
            .to_string()
            .contains("4111 1111 1111 1111")
    );
}

/// A redaction that cannot run gives no answer rather than one that was not looked at.
#[tokio::test]
async fn redaction_that_is_missing_fails_the_turn() {
    let hooks = hook("finalize_content", "\"./hooks/redact.py\"", "reraise = true");
    let app = app(hooks, vec![Reply::text(&["jo@example.org"])]).await;
    let session = app.session().await;
    let failed = app.ask(session, "go").await;
    assert_eq!(failed["error"]["code"], "hook_failed", "{failed}");
    let detail = failed["error"]["detail"].as_str().expect("a detail");
    assert!(detail.starts_with("redact.py: cannot be started"), "{detail}");
}
