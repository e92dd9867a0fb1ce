//! Tools that the provider runs itself: what people and hooks see of them, also when the request fails while one runs.

use std::sync::Arc;

use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::faulty::{Fault, FaultyModel, Wire};
use nanobot_tests::recorder::Recorder;
use serde_json::{Value, json};

fn event(name: &str, data: &Value) -> String {
    format!("event: {name}\ndata: {data}\n\n")
}

/// The beginning of an answer in which the server's own search runs.
fn searching() -> String {
    let item = json!({"type": "web_search_call", "id": "ws_1", "status": "in_progress"});
    let response = json!({"id": "r", "object": "response", "status": "in_progress", "output": []});
    event("response.created", &json!({"type": "response.created", "response": response}))
        + &event(
            "response.output_item.added",
            &json!({"type": "response.output_item.added", "output_index": 0, "item": item}),
        )
        + &event(
            "response.web_search_call.searching",
            &json!({"type": "response.web_search_call.searching", "output_index": 0, "item_id": "ws_1"}),
        )
}

/// The rest of it.
fn found() -> String {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "nanobots"}});
    let message = json!({"type": "message", "id": "m_1", "status": "completed", "role": "assistant", "content": [{"type": "output_text", "text": "found", "annotations": []}]});
    let response = json!({"id": "r", "object": "response", "status": "completed", "output": [search, message], "usage": {"input_tokens": 5, "output_tokens": 2, "total_tokens": 7}});
    event("response.output_item.done", &json!({"type": "response.output_item.done", "output_index": 0, "item": search}))
        + &event(
            "response.output_item.added",
            &json!({"type": "response.output_item.added", "output_index": 1, "item": {"type": "message", "id": "m_1", "status": "in_progress", "role": "assistant", "content": []}}),
        )
        + &event(
            "response.output_text.delta",
            &json!({"type": "response.output_text.delta", "output_index": 1, "item_id": "m_1", "content_index": 0, "delta": "found"}),
        )
        + &event(
            "response.output_item.done",
            &json!({"type": "response.output_item.done", "output_index": 1, "item": message}),
        )
        + &event("response.completed", &json!({"type": "response.completed", "response": response}))
}

async fn turn(body: String) -> (Value, Vec<String>) {
    let server = FaultyModel::start(Wire::Responses, Fault::Body("text/event-stream", body), usize::MAX).await;
    let config = format!(
        "\n[providers.hosted]\nkind = \"{}\"\nbase_url = \"{}\"\napi_key = \"k\"\n\n\
         [presets.hosted]\nprovider = \"hosted\"\nmodel = \"m\"\ncontext_window_tokens = 100000\n",
        Wire::Responses.kind(),
        server.url
    );
    let recorder = Arc::new(Recorder::default());
    let options = Options { config, hooks: vec![Arc::clone(&recorder) as _], ..Options::default() };
    let app = TestApp::with(Vec::new(), options).await;
    let session = app.session().await;
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, ended) = app.request("POST", &path, Some(json!({"content": "go", "preset": "hosted"}))).await;
    assert_eq!(status, 200, "{ended}");
    let turn = app.get(&format!("/api/v1/turns/{}", ended["turn_id"].as_str().expect("an id"))).await;
    let told = recorder.lines().into_iter().filter(|line| line.contains("on_provider_tool_event")).collect();
    (turn, told)
}

fn tools(turn: &Value) -> Vec<(&Value, &Value)> {
    let parts = turn["parts"].as_array().expect("parts").iter();
    parts.filter(|part| part["kind"] == "provider_tool").map(|part| (&part["name"], &part["phase"])).collect()
}

#[tokio::test]
async fn a_search_of_the_server_is_shown_from_its_start_to_its_end() {
    let (turn, told) = turn(searching() + &found()).await;
    assert_eq!(turn["stop_reason"], "completed", "{turn}");
    assert_eq!(tools(&turn), [(&json!("web_search"), &json!("done"))], "{turn}");
    assert!(told.first().is_some_and(|line| line.ends_with("started")), "{told:?}");
    assert!(told.last().is_some_and(|line| line.ends_with("done")), "{told:?}");
}

#[tokio::test]
async fn a_search_that_runs_when_the_request_fails_for_good_has_failed() {
    let (turn, _) = turn(searching()).await;
    assert_eq!(turn["error"]["code"], "stream_truncated", "{turn}");
    assert_eq!(
        tools(&turn),
        [(&json!("web_search"), &json!("error"))],
        "those of earlier attempts are taken back: {turn}"
    );
}
