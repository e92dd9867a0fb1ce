//! A real model behind a server that speaks all three wire formats, such as llama.cpp's. It runs when its address is given:
//! `NANOBOT_LOCAL_MODEL=http://127.0.0.1:8080 cargo nextest run -p nanobot-tests local_model`

use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::faulty::Wire;
use serde_json::json;

#[tokio::test]
async fn a_real_model_answers_over_every_wire() {
    let Ok(url) = std::env::var("NANOBOT_LOCAL_MODEL") else {
        println!("skipped: NANOBOT_LOCAL_MODEL is not set");
        return;
    };
    let sections: String = Wire::ALL
        .iter()
        .map(|wire| {
            let kind = wire.kind();
            format!(
                "\n[providers.{kind}-local]\nkind = \"{kind}\"\nbase_url = \"{url}\"\n\n[presets.{kind}]\nprovider = \"{kind}-local\"\n\
                 model = \"local\"\ncontext_window_tokens = 16384\nmax_tokens = 200\n"
            )
        })
        .collect();
    let app = TestApp::with(Vec::new(), Options { config: sections, ..Options::default() }).await;
    app.file("harbour.txt", "The harbour master is called Ottilie Brandt.\n");
    for wire in Wire::ALL {
        let session = app.session().await;
        let path = format!("/api/v1/sessions/{session}/turns?wait=true");
        let ask = |content: &str| json!({"content": content, "preset": wire.kind()});
        let (_, said) = app.request("POST", &path, Some(ask("Say hello in one short sentence. Use no tools."))).await;
        assert_eq!(said["stop_reason"], "completed", "{wire:?}: {said}");
        assert!(said["message"]["content"].as_str().is_some_and(|text| !text.trim().is_empty()), "{wire:?}: {said}");
        assert!(said["usage"]["output_tokens"].as_u64() > Some(0), "{wire:?}: {said}");
        assert_eq!(said["usage"].get("estimated"), None, "{wire:?}: the server counts: {said}");
        let session = app.session().await;
        let path = format!("/api/v1/sessions/{session}/turns?wait=true");
        let question = "Use the read_file tool on harbour.txt. What is the harbour master called?";
        let (_, read) = app.request("POST", &path, Some(ask(question))).await;
        let turn = app.get(&format!("/api/v1/turns/{}", read["turn_id"].as_str().expect("an id"))).await;
        println!("{wire:?}: {} | {} | {}", said["message"]["content"], read["message"]["content"], read["error"]);
        let tools: Vec<String> = turn["parts"]
            .as_array()
            .expect("parts")
            .iter()
            .filter(|part| part["kind"] == "tool")
            .map(|part| format!("{} {}", part["name"], part["status"]))
            .collect();
        println!("{wire:?}: {tools:?}");
        assert!(!tools.is_empty(), "{wire:?}: no tool was called: {turn}");
    }
}
