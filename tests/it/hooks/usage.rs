//! What hooks are told of the requests of an iteration: who was asked, how it ended, and the tokens.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, IterationContext, RunContext, RunEnd};
use nanobot_engine::usage::Usage;
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::scripted::{Reply, Script, ScriptedUsage};
use serde_json::{Value, json};

/// Keeps what it is told at the end of each iteration and of the run.
#[derive(Default)]
struct Keeps {
    iterations: Mutex<Vec<(Option<&'static str>, Option<Usage>)>>,
    run: Mutex<Option<Usage>>,
}

#[async_trait]
impl AgentHook for Keeps {
    fn name(&self) -> &'static str {
        "keeps"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeIteration, HookMethod::AfterIteration, HookMethod::OnFinally])
    }
    async fn before_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        assert_eq!(
            (iteration.outcome, iteration.usage, &iteration.asked),
            (None, None, &None),
            "of this iteration alone"
        );
        Ok(())
    }
    async fn after_iteration(&self, iteration: &IterationContext) -> Result<(), HookError> {
        self.iterations.lock().expect("lock").push((iteration.outcome, iteration.usage));
        Ok(())
    }
    async fn on_finally(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        *self.run.lock().expect("lock") = Some(end.usage);
        Ok(())
    }
}

async fn told(replies: Vec<Reply>) -> Arc<Keeps> {
    let keeps = Arc::new(Keeps::default());
    let options = Options { hooks: vec![Arc::clone(&keeps) as _], ..Options::default() };
    let app = TestApp::with(vec![Script { matches: String::new(), replies }], options).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    keeps
}

#[tokio::test]
async fn cached_tokens_are_told_with_the_iteration_and_summed_for_the_run() {
    let used = |reply, input, output, cached| Reply { usage: Some(ScriptedUsage { input, output, cached }), ..reply };
    let calls = Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]);
    let keeps = told(vec![used(calls, 1_000, 50, 800), used(Reply::text(&["done"]), 1_200, 10, 1_000)]).await;
    let iterations = keeps.iterations.lock().expect("lock").clone();
    let seen: Vec<_> = iterations.iter().map(|(outcome, usage)| (*outcome, usage.expect("tokens"))).collect();
    assert_eq!(seen.len(), 2);
    for ((outcome, usage), (input, output, cached)) in seen.iter().zip([(1_000, 50, 800), (1_200, 10, 1_000)]) {
        assert_eq!(*outcome, Some("complete"));
        assert_eq!((usage.input_tokens, usage.output_tokens, usage.cached_tokens), (input, output, cached));
        assert!(!usage.estimated);
        assert_eq!(usage.context_tokens, input + output);
    }
    let run = keeps.run.lock().expect("lock").expect("the run's tokens");
    assert_eq!((run.input_tokens, run.output_tokens, run.cached_tokens), (2_200, 60, 1_800));
    assert_eq!(run.context_tokens, 1_210, "of the last request");
}

#[tokio::test]
async fn tokens_are_estimated_when_the_provider_reports_none() {
    let keeps = told(vec![Reply::text(&["a short answer"])]).await;
    let iterations = keeps.iterations.lock().expect("lock").clone();
    let usage = iterations[0].1.expect("tokens");
    assert!(usage.estimated && usage.input_tokens > 0 && usage.output_tokens > 0, "{usage:?}");
}

#[tokio::test]
async fn a_failed_request_has_its_code_and_no_tokens() {
    let keeps = told(vec![Reply::status(401, "{}")]).await;
    assert_eq!(keeps.iterations.lock().expect("lock")[..], [(Some("provider_auth"), None)]);
}

#[tokio::test]
async fn a_program_is_told_the_tokens_of_each_iteration() {
    let app = super::app(super::shell("after_iteration", "cat >> told.jsonl", ""), vec![Reply::text(&["done"])]).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    let line: Value = serde_json::from_str(&super::read(&app.home, "told.jsonl").expect("told")).expect("JSON");
    assert_eq!((&line["outcome"], &line["usage"]["estimated"]), (&json!("complete"), &json!(true)), "{line}");
    assert!(line["usage"]["output_tokens"].as_u64() > Some(0), "{line}");
}

/// Ends the run at the first piece of text.
struct Interrupts;

#[async_trait]
impl AgentHook for Interrupts {
    fn name(&self) -> &'static str {
        "interrupts"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::WantsStreaming, HookMethod::OnStream])
    }
    fn reraise(&self) -> bool {
        true
    }
    fn wants_streaming(&self) -> bool {
        true
    }
    async fn on_stream(&self, _: &IterationContext, _: &str) -> Result<(), HookError> {
        Err(HookError("enough".to_owned()))
    }
}

/// The provider bills what it has done by then.
#[tokio::test]
async fn a_request_that_a_hook_cut_is_on_record_with_an_estimate() {
    let options = Options { hooks: vec![Arc::new(Interrupts)], ..Options::default() };
    let reply = Reply { hang: true, ..Reply::text(&["a long answer begins"]) };
    let app = TestApp::with(vec![Script { matches: String::new(), replies: vec![reply] }], options).await;
    let session = app.session().await;
    let turn = app.ask(session, "go").await;
    assert_eq!(turn["error"]["code"], "hook_failed");
    let total = app.get("/api/v1/usage").await["total"].clone();
    assert_eq!((&total["requests"], &total["estimated_requests"]), (&json!(1), &json!(1)), "{total}");
    assert!(total["input_tokens"].as_u64() > Some(0) && total["output_tokens"].as_u64() > Some(0), "{total}");
    same_usage(&turn["usage"], &total);
}

/// A turn that was stopped in the middle of an answer says what it cost, as the overall figures do.
#[tokio::test]
async fn a_request_that_stop_cut_counts_in_its_turn() {
    let reply = Reply { hang: true, ..Reply::text(&["a long answer begins"]) };
    let app = TestApp::start(vec![Script { matches: String::new(), replies: vec![reply] }]).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    let turn = socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    app.request("POST", &format!("/api/v1/sessions/{session}/stop"), None).await;
    let shown = socket.wait_for("usage").await.expect("usage");
    assert_eq!(shown["estimated"], true, "{shown}");
    let turn = app.ended(&json!(turn)).await;
    let total = app.get("/api/v1/usage").await["total"].clone();
    same_usage(&turn["usage"], &total);
    assert!(turn["usage"]["output_tokens"].as_u64() > Some(0), "{turn}");
}

fn same_usage(turn: &Value, total: &Value) {
    for field in ["input_tokens", "output_tokens"] {
        assert_eq!(turn[field], total[field], "{turn} and {total}");
    }
}
