//! AL-07: the beginning of a request stays byte for byte the same while time passes, so that the provider's cache holds.

use std::sync::Arc;

use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::clock::Ahead;
use nanobot_tests::legal;
use nanobot_tests::scripted::{Reply, Script};
use nanobot_tests::tools::Canned;
use serde_json::{Value, json};

fn messages(request: &Value) -> Vec<String> {
    request["messages"].as_array().expect("messages").iter().map(Value::to_string).collect()
}

#[tokio::test]
async fn requests_a_minute_and_a_day_apart_begin_with_the_same_bytes() {
    let clock = Ahead::default();
    let calls = Reply::calls(&[("c1", "look", json!({}))]);
    let options = Options {
        clock: Some(Arc::new(clock.clone())),
        // Neither the order of registration counts.
        tools: vec![
            Arc::new(Canned::new("zebra", &["z"])),
            Arc::new(Canned::new("look", &["seen"])),
            Arc::new(Canned::new("ant", &["a"])),
        ],
        ..Options::default()
    };
    let app =
        TestApp::with(vec![Script { matches: String::new(), replies: vec![calls, Reply::text(&["ok"])] }], options)
            .await;
    let session = app.session().await;
    for seconds in [0, 60, 86_400] {
        clock.by(seconds);
        app.ask(session, "what time is it?").await;
    }
    let requests = app.model.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        assert_eq!(pair[0]["tools"].to_string(), pair[1]["tools"].to_string());
        let before = messages(&pair[0]);
        assert_eq!(before, messages(&pair[1])[..before.len()]);
    }
    // The time is told all the same: behind each message of the person, and each its own.
    let said = legal::said(requests.last().expect("a request"));
    assert!(!said[0].1.contains("[Context"), "never in the system prompt");
    let mut times: Vec<&str> =
        said.iter().filter(|(role, _)| role == "user").filter_map(|(_, text)| text.split("[Context").nth(1)).collect();
    assert_eq!(times.len(), 3);
    times.dedup();
    assert_eq!(times.len(), 3, "{times:?}");
}

#[tokio::test]
async fn tools_registered_in_another_order_give_the_same_bytes() {
    let mut seen = Vec::new();
    for names in [["ant", "look", "zebra"], ["zebra", "ant", "look"]] {
        let tools = names.map(|name| Arc::new(Canned::new(name, &["x"])) as Arc<dyn nanobot_runtime::tool::Tool>);
        let scripts = vec![Script { matches: String::new(), replies: vec![Reply::text(&["ok"])] }];
        let app = TestApp::with(scripts, Options { tools: tools.into(), ..Options::default() }).await;
        let session = app.session().await;
        app.ask(session, "go").await;
        seen.push(app.model.requests()[0]["tools"].to_string());
    }
    assert_eq!(seen[0], seen[1]);
}
