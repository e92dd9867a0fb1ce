//! What hooks get when: streams only when one of them wants them, runs as they are, and errors that never hide the one that came first.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use nanobot_engine::hook::{AgentHook, HookError, HookMethod, HookMethods, IterationContext, RunContext, RunEnd};
use nanobot_engine::tool::{Concurrency, ToolOutcome, ToolSpec};
use nanobot_runtime::hooks::TurnHookFactory;
use nanobot_runtime::tool::{Tool, ToolContext};
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::scripted::{Chunk, Reply, Script};
use serde_json::{Map, Value, json};

use super::{notices, parts};

/// Reads the stream, when it says so.
struct Reads {
    wants: bool,
    panics: bool,
    log: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl AgentHook for Reads {
    fn name(&self) -> &'static str {
        "reads"
    }
    fn methods(&self) -> HookMethods {
        let methods =
            [HookMethod::WantsStreaming, HookMethod::OnStream, HookMethod::OnStreamEnd, HookMethod::EmitReasoning];
        HookMethods::of(&methods)
    }
    fn wants_streaming(&self) -> bool {
        assert!(!self.panics, "at the disco");
        self.wants
    }
    async fn on_stream(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.log.lock().expect("lock").push(delta.to_owned());
        Ok(())
    }
    async fn on_stream_end(&self, _: &IterationContext, resuming: bool) -> Result<(), HookError> {
        self.log.lock().expect("lock").push(format!("end {resuming}"));
        Ok(())
    }
    async fn emit_reasoning(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.log.lock().expect("lock").push(format!("({delta})"));
        Ok(())
    }
}

fn reads(wants: bool, panics: bool, log: &Arc<Mutex<Vec<String>>>) -> Arc<dyn AgentHook> {
    Arc::new(Reads { wants, panics, log: Arc::clone(log) })
}

async fn with(hooks: Vec<Arc<dyn AgentHook>>, replies: Vec<Reply>) -> TestApp {
    let scripts = vec![Script { matches: String::new(), replies }];
    TestApp::with(scripts, Options { hooks, ..Options::default() }).await
}

#[tokio::test]
async fn pieces_of_text_come_when_a_hook_wants_them_and_reasoning_always() {
    let reply = || Reply::text(&["two ", "deltas"]).paced(5).after(vec![Chunk::reasoning("hm")]);
    for (wants, expected) in [(true, vec!["(hm)", "two ", "deltas", "end false"]), (false, vec!["(hm)"])] {
        let log = Arc::default();
        let app = with(vec![reads(wants, false, &log)], vec![reply()]).await;
        let session = app.session().await;
        app.ask(session, "go").await;
        assert_eq!(log.lock().expect("lock")[..], expected);
        assert_eq!(app.model.requests()[0]["stream"], true, "people always want the stream");
    }
}

#[tokio::test]
async fn a_hook_that_panics_over_what_it_wants_is_named_and_the_others_are_asked() {
    let (log, other) = (Arc::default(), Arc::default());
    let hooks = vec![reads(true, true, &log), reads(true, false, &other)];
    let app = with(hooks, vec![Reply::text(&["fine"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("fine")), "{done}");
    assert_eq!(notices(&app, &done).await, ["The hook reads failed at wants_streaming: panicked: at the disco."]);
    assert_eq!(other.lock().expect("lock")[..], ["fine", "end false"]);
}

/// Fails wherever a run ends.
struct FailsAtTheEnd(&'static [HookMethod]);

#[async_trait]
impl AgentHook for FailsAtTheEnd {
    fn name(&self) -> &'static str {
        "fails"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(self.0)
    }
    fn reraise(&self) -> bool {
        true
    }
    async fn on_error(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        Err(HookError("on_error broke".to_owned()))
    }
    async fn after_run(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        Err(HookError("after_run broke".to_owned()))
    }
    async fn on_finally(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        Err(HookError("on_finally broke".to_owned()))
    }
}

/// Keeps the last end it was told of.
#[derive(Default)]
struct KeepsEnd(Mutex<Option<RunEnd>>);

#[async_trait]
impl AgentHook for KeepsEnd {
    fn name(&self) -> &'static str {
        "keeps"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::OnFinally])
    }
    async fn on_finally(&self, _: &RunContext, end: &RunEnd) -> Result<(), HookError> {
        *self.0.lock().expect("lock") = Some(end.clone());
        Ok(())
    }
}

#[tokio::test]
async fn a_hook_that_fails_at_the_end_never_changes_how_the_run_ended() {
    const ENDS: &[HookMethod] = &[HookMethod::OnError, HookMethod::AfterRun, HookMethod::OnFinally];
    let hang = Reply { hang: true, ..Reply::text(&["half"]) };
    for (reply, stop_reason, code) in [
        (Reply::text(&["done"]), "completed", Value::Null),
        (Reply::status(401, "{}"), "error", json!("provider_auth")),
        (hang, "cancelled", Value::Null),
    ] {
        // Nobody behind a hook with `reraise` that failed is called.
        let keeps = Arc::new(KeepsEnd::default());
        let app = with(vec![Arc::clone(&keeps) as _, Arc::new(FailsAtTheEnd(ENDS))], vec![reply]).await;
        let session = app.session().await;
        let mut socket = app.socket().await;
        socket.message(session, "go").await.expect("accepted");
        if stop_reason == "cancelled" {
            socket.wait_for("delta").await.expect("text");
            socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
        }
        let ended = socket.wait_for("turn_finished").await.expect("the end");
        assert_eq!((&ended["stop_reason"], &ended["error"]["code"]), (&json!(stop_reason), &code), "{ended}");
        let kept = keeps.0.lock().expect("lock").clone().expect("an end");
        assert_eq!(json!(kept.stop_reason), json!(stop_reason));
    }
}

/// Keeps what it is asked to make hooks for.
#[derive(Default)]
struct Factory(Mutex<Vec<RunContext>>);

impl TurnHookFactory for Factory {
    fn make(&self, run: &RunContext) -> Option<Arc<dyn AgentHook>> {
        self.0.lock().expect("lock").push(run.clone());
        None
    }
}

struct Shared(Arc<Factory>);

impl TurnHookFactory for Shared {
    fn make(&self, run: &RunContext) -> Option<Arc<dyn AgentHook>> {
        self.0.make(run)
    }
}

#[tokio::test]
async fn a_factory_is_told_which_run_it_is() {
    let factory = Arc::new(Factory::default());
    let options = Options { turn_hooks: vec![Arc::new(Shared(Arc::clone(&factory)))], ..Options::default() };
    let app =
        TestApp::with(vec![Script { matches: String::new(), replies: vec![Reply::text(&["done"])] }], options).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    let runs = factory.0.lock().expect("lock").clone();
    assert_eq!(runs.len(), 1);
    assert_eq!((runs[0].session_id, json!(runs[0].turn_id)), (session, done["turn_id"].clone()));
    assert_eq!(
        (json!(runs[0].origin), runs[0].preset.as_str(), runs[0].model.as_str()),
        (json!("user"), "default", "mock")
    );
}

/// A tool whose words for people break.
struct BrokenHint(ToolSpec);

#[async_trait]
impl Tool for BrokenHint {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }
    fn hint(&self, _: &Map<String, Value>) -> String {
        panic!("no words")
    }
    fn edits(&self, _: &ToolContext, _: &Map<String, Value>) -> Vec<String> {
        panic!("no files")
    }
    async fn run(&self, _: &ToolContext, _: Map<String, Value>) -> ToolOutcome {
        ToolOutcome::ok("worked")
    }
}

#[tokio::test]
async fn a_tool_that_breaks_over_its_words_still_works() {
    let spec = ToolSpec {
        name: "broken".to_owned(),
        description: "broken, for tests".to_owned(),
        parameters: json!({"type": "object", "properties": {}}),
        concurrency: Concurrency::Alone,
    };
    let replies = vec![Reply::calls(&[("c1", "broken", json!({}))]), Reply::text(&["done"])];
    let options = Options { tools: vec![Arc::new(BrokenHint(spec))], ..Options::default() };
    let app = TestApp::with(vec![Script { matches: String::new(), replies }], options).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    let tools = parts(&app, &done, "tool").await;
    assert_eq!(
        (&tools[0]["status"], &tools[0]["preview"], &tools[0]["hint"]),
        (&json!("ok"), &json!("worked"), &json!(""))
    );
}

/// Leaves nothing of an answer.
struct Empties;

#[async_trait]
impl AgentHook for Empties {
    fn name(&self) -> &'static str {
        "empties"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::FinalizeContent])
    }
    fn finalize_content(&self, _: &IterationContext, _: String) -> Result<String, HookError> {
        Ok(String::new())
    }
}

#[tokio::test]
async fn an_answer_of_which_a_hook_leaves_nothing_ends_the_turn_and_the_session_goes_on() {
    let app = with(vec![Arc::new(Empties)], vec![Reply::text(&["secret"])]).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    assert_eq!((&done["stop_reason"], &done["message"]["content"]), (&json!("completed"), &json!("")), "{done}");
    assert_eq!(app.ask(session, "and now?").await["stop_reason"], "completed");
    let request = app.model.requests()[1].clone();
    nanobot_tests::legal::check(&request).expect("a legal request");
    assert!(!request.to_string().contains("secret"), "{request}");
}
