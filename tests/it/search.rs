//! Search over sessions and messages, with marks that fit the text beside them.

use nanobot_tests::app::{TestApp, http};
use nanobot_tests::scripted::{Reply, Script};
use serde_json::{Value, json};

async fn app() -> TestApp {
    TestApp::start(vec![Script { matches: String::new(), replies: vec![Reply::text(&["The harbour is closed."])] }])
        .await
}

async fn search(app: &TestApp, query: &[(&str, &str)]) -> (u16, Value) {
    let request = http().get(format!("{}/api/v1/search", app.url)).query(query);
    let response = request.send().await.expect("an answer");
    (response.status().as_u16(), response.json().await.expect("JSON"))
}

/// The marked stretches of a text.
fn marked(text: &Value, marks: &Value) -> Vec<String> {
    let chars: Vec<char> = text.as_str().expect("text").chars().collect();
    let cut = |mark: &Value| {
        let at = |index: usize| usize::try_from(mark[index].as_u64().expect("a number")).expect("small");
        chars[at(0)..at(0) + at(1)].iter().collect()
    };
    marks.as_array().expect("marks").iter().map(cut).collect()
}

#[tokio::test]
async fn sessions_are_found_by_title_and_messages_by_text() {
    let app = app().await;
    let asked = app.session().await;
    app.ask(asked, "Where does the 船 to Ærøskøbing leave? 👩‍👩‍👧‍👦 去码头怎么走，谢谢").await;
    let titled = app.session().await;
    app.request("PATCH", &format!("/api/v1/sessions/{titled}"), Some(json!({"title": "Plans for 東京 and Zürich"})))
        .await;
    // Messages are indexed in the background; nobody waits for that in a test.
    while app.runtime.store().index_pending(64).await.expect("the index") {}

    for (query, text) in [
        ("harbour", "harbour"),
        ("HARBOUR", "harbour"),
        ("Ærøskøbing", "Ærøskøbing"),
        ("码头", "码头"),
        ("船", "船"),
        ("怎么走", "怎么走"),
    ] {
        let (status, found) = search(&app, &[("q", query)]).await;
        assert_eq!(status, 200);
        let hits = found["messages"].as_array().expect("messages");
        assert_eq!(hits.len(), 1, "{query}: {found}");
        assert_eq!(hits[0]["session_id"], json!(asked));
        assert!(marked(&hits[0]["snippet"], &hits[0]["marks"]).contains(&text.to_owned()), "{query}: {found}");
        let rows = app.get(&format!("/api/v1/sessions/{asked}/messages")).await;
        let row = rows["items"].as_array().expect("rows").iter().find(|row| row["id"] == hits[0]["message_id"]);
        assert_eq!(
            (&row.expect("the row")["seq"], &row.expect("the row")["role"]),
            (&hits[0]["seq"], &hits[0]["role"])
        );
    }
    for (query, text) in [("東京", "東京"), ("zürich", "Zürich"), ("plans", "Plans")] {
        let (_, found) = search(&app, &[("q", query)]).await;
        let hits = found["sessions"].as_array().expect("sessions");
        assert_eq!(hits.len(), 1, "{query}: {found}");
        assert_eq!(hits[0]["session_id"], json!(titled));
        assert_eq!(marked(&hits[0]["title"], &hits[0]["marks"]), [text], "{query}");
        let listed = http().get(format!("{}/api/v1/sessions", app.url)).query(&[("q", query)]);
        let listed: Value = listed.send().await.expect("an answer").json().await.expect("JSON");
        assert_eq!(listed["items"].as_array().map(Vec::len), Some(1), "{query}");
    }
}

#[tokio::test]
async fn scope_narrows_and_any_query_is_plain_text() {
    let app = app().await;
    let session = app.session().await;
    app.ask(session, "harbour lights").await;
    app.titled(session).await;
    while app.runtime.store().index_pending(64).await.expect("the index") {}
    let (_, both) = search(&app, &[("q", "harbour")]).await;
    assert_eq!(
        (both["sessions"].as_array().map(Vec::len), both["messages"].as_array().map(Vec::len)),
        (Some(1), Some(2))
    );
    let (_, sessions) = search(&app, &[("q", "harbour"), ("scope", "sessions")]).await;
    assert_eq!((&sessions["sessions"], &sessions["messages"]), (&both["sessions"], &json!([])));
    let (_, messages) = search(&app, &[("q", "harbour"), ("scope", "messages")]).await;
    assert_eq!((&messages["sessions"], &messages["messages"]), (&json!([]), &both["messages"]));
    let (status, problem) = search(&app, &[("q", "x"), ("scope", "everything")]).await;
    assert_eq!((status, &problem["path"]), (422, &json!("scope")));
    let (_, one) = search(&app, &[("q", "harbour"), ("limit", "1"), ("scope", "messages")]).await;
    assert_eq!(one["messages"].as_array().map(Vec::len), Some(1));
    let long = "x".repeat(5_000);
    for query in [
        "",
        "  ",
        "\"",
        "har\" OR \"",
        "NEAR(a b)",
        "a*",
        "-lights",
        "col:x",
        "(",
        "%",
        "_",
        "\\",
        "'; DROP TABLE messages;--",
        &long,
        "\u{202e}",
        "*",
    ] {
        let (status, found) = search(&app, &[("q", query)]).await;
        assert_eq!(status, 200, "{query:?}: {found}");
        assert_eq!((&found["sessions"], &found["messages"]), (&json!([]), &json!([])), "{query:?}");
    }
    // A deleted session is not found any more.
    app.request("DELETE", &format!("/api/v1/sessions/{session}"), None).await;
    let (_, none) = search(&app, &[("q", "harbour")]).await;
    assert_eq!(none, json!({"sessions": [], "messages": []}));
}
