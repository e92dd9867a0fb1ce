//! Spans of a turn as a collector of traces sees them: how they nest, what they say, that each one ends, and what never stands in them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use nanobot_engine::hook::{
    AgentHook, CallContext, Decision, HookError, HookMethod, HookMethods, IterationContext, RunContext,
};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::message::Origin;
use nanobot_runtime::hooks::{SPAN_TARGET, of_turn};
use nanobot_tests::app::{Options, TestApp};
use nanobot_tests::faulty::{Fault, FaultyModel, Wire};
use nanobot_tests::scripted::{Chunk, Reply, Script, ScriptedUsage};
use nanobot_tests::tools::Gate;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;

fn run() -> RunContext {
    RunContext {
        session_id: SessionId(uuid::Uuid::nil()),
        turn_id: TurnId(uuid::Uuid::nil()),
        origin: Origin::User,
        preset: String::new(),
        model: String::new(),
    }
}

/// A span as it was collected.
#[derive(Clone, Debug, Default)]
struct Seen {
    name: &'static str,
    parent: Option<u64>,
    fields: BTreeMap<String, String>,
    ended: bool,
}

#[derive(Clone, Default)]
struct Collector {
    spans: Arc<Mutex<BTreeMap<u64, Seen>>>,
    events: Arc<Mutex<Vec<String>>>,
}

struct Fields<'a>(&'a mut BTreeMap<String, String>);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }
}

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        metadata.target() == SPAN_TARGET
    }
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let parent = context.span(id).and_then(|span| span.parent().map(|parent| parent.id().into_u64()));
        let mut seen = Seen { name: attributes.metadata().name(), parent, ..Seen::default() };
        attributes.record(&mut Fields(&mut seen.fields));
        // The registry gives the number of an ended span again.
        let mut spans = self.spans.lock().expect("lock");
        let number = u64::try_from(spans.len()).expect("few spans");
        context.span(id).expect("the span").extensions_mut().insert(Place(number));
        spans.insert(number, seen);
    }
    fn on_record(&self, id: &Id, record: &Record<'_>, context: Context<'_, S>) {
        let mut spans = self.spans.lock().expect("lock");
        let seen = spans.get_mut(&place(&context, id)).expect("a known span");
        assert!(!seen.ended, "nothing is recorded behind the end");
        record.record(&mut Fields(&mut seen.fields));
    }
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut fields = BTreeMap::new();
        event.record(&mut Fields(&mut fields));
        self.events.lock().expect("lock").push(format!("{fields:?}"));
    }
    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let place = place(&context, &id);
        self.spans.lock().expect("lock").get_mut(&place).expect("a known span").ended = true;
    }
}

struct Place(u64);

fn place<S: Subscriber + for<'a> LookupSpan<'a>>(context: &Context<'_, S>, id: &Id) -> u64 {
    context.span(id).expect("the span").extensions().get::<Place>().expect("its place").0
}

impl Collector {
    /// Collects on this thread, where the whole test runs, until the guard is dropped.
    fn start() -> (Self, DefaultGuard) {
        let collector = Self::default();
        let guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(collector.clone()));
        // A test beside this one, where nobody collects, may just now be the first to come by the place where spans are asked for.
        while of_turn(&[], std::iter::empty(), &run()).is_empty() {
            tracing::callsite::rebuild_interest_cache();
            std::thread::yield_now();
        }
        (collector, guard)
    }

    fn spans(&self) -> Vec<Seen> {
        self.spans.lock().expect("lock").values().cloned().collect()
    }

    /// Name, and what matters of how it ended, in the order in which they began. Each one has ended, within the right one.
    fn lines(&self) -> Vec<String> {
        let spans = self.spans();
        spans
            .iter()
            .map(|span| {
                assert!(span.ended, "{span:?}");
                assert_eq!(span.parent.is_none(), span.name == "invoke_agent", "{span:?}");
                let field = |name: &str| span.fields.get(name).map(String::as_str).unwrap_or_default();
                let words = [
                    field("otel.name"),
                    field("gen_ai.response.finish_reasons"),
                    field("error.type"),
                    field("otel.status_code"),
                    field("nanobot.stop_reason"),
                ];
                words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            })
            .collect()
    }

    fn everything(&self) -> String {
        format!("{:?} {:?}", self.spans(), self.events.lock().expect("lock"))
    }
}

fn script(replies: Vec<Reply>) -> Vec<Script> {
    vec![Script { matches: String::new(), replies }]
}

fn used(reply: Reply, input: u64, output: u64, cached: u64) -> Reply {
    Reply { usage: Some(ScriptedUsage { input, output, cached }), ..reply }
}

#[tokio::test]
async fn a_turn_is_an_agent_with_its_requests_and_calls_named_by_the_conventions() {
    let (collector, _guard) = Collector::start();
    let calls = Reply::calls(&[("c1", "list_dir", json!({"path": "."})), ("c2", "read_file", json!({"path": "none"}))]);
    let replies = vec![used(calls, 100, 20, 64), used(Reply::text(&["done"]), 150, 30, 0)];
    let app = TestApp::start(script(replies)).await;
    let session = app.session().await;
    let done = app.ask(session, "go").await;
    let spans = collector.spans();
    assert_eq!(
        collector.lines(),
        [
            "invoke_agent nanobot completed",
            "chat mock [\"tool_call\"]",
            "execute_tool list_dir",
            "execute_tool read_file error ERROR",
            "chat mock [\"stop\"]",
        ]
    );
    let turn = done["turn_id"].as_str().expect("an id").to_owned();
    let common = [("gen_ai.conversation.id", session.to_string()), ("nanobot.turn.id", turn)];
    let expect = |span: &Seen, fields: &[(&str, &str)]| {
        let fields = fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let common = common.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let mut seen = span.fields.clone();
        seen.remove("nanobot.tool.duration_ms");
        assert_eq!(seen, fields.chain(common).collect::<BTreeMap<_, _>>());
    };
    expect(
        &spans[0],
        &[
            ("otel.name", "invoke_agent nanobot"),
            ("otel.kind", "internal"),
            ("gen_ai.operation.name", "invoke_agent"),
            ("gen_ai.agent.name", "nanobot"),
            ("gen_ai.request.model", "mock"),
            ("gen_ai.usage.input_tokens", "250"),
            ("gen_ai.usage.output_tokens", "50"),
            ("gen_ai.usage.cache_read.input_tokens", "64"),
            ("nanobot.stop_reason", "completed"),
        ],
    );
    expect(
        &spans[1],
        &[
            ("otel.name", "chat mock"),
            ("otel.kind", "client"),
            ("gen_ai.operation.name", "chat"),
            ("gen_ai.provider.name", "mock"),
            ("gen_ai.request.model", "mock"),
            ("gen_ai.response.finish_reasons", "[\"tool_call\"]"),
            ("gen_ai.usage.input_tokens", "100"),
            ("gen_ai.usage.output_tokens", "20"),
            ("gen_ai.usage.cache_read.input_tokens", "64"),
            ("nanobot.iteration", "0"),
        ],
    );
    expect(
        &spans[2],
        &[
            ("otel.name", "execute_tool list_dir"),
            ("otel.kind", "internal"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "list_dir"),
            ("gen_ai.tool.call.id", "c1"),
            ("gen_ai.tool.type", "function"),
            ("nanobot.iteration", "0"),
        ],
    );
    assert!(spans[2].fields.contains_key("nanobot.tool.duration_ms"));
    assert_eq!(spans[4].fields["nanobot.iteration"], "1");
}

#[tokio::test]
async fn two_turns_have_spans_of_their_own() {
    let (collector, _guard) = Collector::start();
    let app = TestApp::start(script(vec![Reply::text(&["done"])])).await;
    let session = app.session().await;
    app.ask(session, "one").await;
    app.ask(session, "two").await;
    let one_turn = ["invoke_agent nanobot completed", "chat mock [\"stop\"]"];
    assert_eq!(collector.lines(), [one_turn, one_turn].concat());
}

#[tokio::test]
async fn a_failed_request_fails_its_span_and_the_agents() {
    let (collector, _guard) = Collector::start();
    let app = TestApp::start(script(vec![Reply::status(401, "{}")])).await;
    let session = app.session().await;
    app.ask(session, "go").await;
    assert_eq!(collector.lines(), ["invoke_agent nanobot provider_auth ERROR error", "chat mock provider_auth ERROR"]);
}

#[tokio::test]
async fn stop_ends_the_spans_of_what_it_cut_without_calling_it_an_error() {
    let (collector, _guard) = Collector::start();
    let gate = Gate::default();
    let hang = Reply { hang: true, ..Reply::text(&["half"]) };
    let scripts = vec![
        Script { matches: "call".to_owned(), replies: vec![Reply::calls(&[("c1", "gate", json!({}))])] },
        Script { matches: String::new(), replies: vec![hang] },
    ];
    let options = Options { tools: vec![Arc::new(gate.clone())], ..Options::default() };
    let app = TestApp::with(scripts, options).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    socket.wait_for("delta").await.expect("text");
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    socket.wait_for("turn_finished").await.expect("the end");
    socket.message(session, "call").await.expect("accepted");
    gate.reached().await;
    socket.send(json!({"type": "stop", "chat_id": session})).await.expect("sent");
    socket.wait_for("turn_finished").await.expect("the end");
    app.stop().await;
    assert_eq!(
        collector.lines(),
        [
            "invoke_agent nanobot cancelled cancelled",
            "chat mock cancelled",
            "invoke_agent nanobot cancelled cancelled",
            "chat mock [\"tool_call\"]",
            "execute_tool gate cancelled",
        ]
    );
}

#[tokio::test]
async fn a_shutdown_ends_the_spans_of_a_turn_that_goes_on_later() {
    let (collector, _guard) = Collector::start();
    let gate = Gate::default();
    let options = Options { tools: vec![Arc::new(gate.clone())], ..Options::default() };
    let app = TestApp::with(script(vec![Reply::calls(&[("c1", "gate", json!({}))])]), options).await;
    let session = app.session().await;
    let mut socket = app.socket().await;
    socket.message(session, "go").await.expect("accepted");
    gate.reached().await;
    app.stop().await;
    assert_eq!(collector.lines(), ["invoke_agent nanobot", "chat mock [\"tool_call\"]", "execute_tool gate"]);
}

/// Refuses each call, or fails there so that the run ends.
struct Refuses {
    fails: bool,
}

#[async_trait::async_trait]
impl AgentHook for Refuses {
    fn name(&self) -> &'static str {
        "refuses"
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeExecuteTool, HookMethod::BeforeRequest])
    }
    fn reraise(&self) -> bool {
        true
    }
    async fn before_execute_tool(&self, _: &CallContext) -> Result<Decision, HookError> {
        if self.fails {
            Err(HookError("secret words".to_owned()))
        } else {
            Ok(Decision::Deny { reason: "no".to_owned() })
        }
    }
    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        // What a hook is told of the request before.
        assert_eq!(iteration.outcome.is_none(), iteration.usage.is_none());
        assert_eq!(iteration.asked.as_ref().map(|asked| asked.model.as_str()), Some("mock"));
        Ok(())
    }
}

#[tokio::test]
async fn a_refused_call_and_a_hook_that_ends_the_run_are_told_apart() {
    for (fails, expected) in [
        (
            false,
            vec![
                "invoke_agent nanobot completed",
                "chat mock [\"tool_call\"]",
                "execute_tool list_dir denied ERROR",
                "chat mock [\"stop\"]",
            ],
        ),
        (
            true,
            vec![
                "invoke_agent nanobot hook_failed ERROR error",
                "chat mock [\"tool_call\"]",
                "execute_tool list_dir cancelled",
            ],
        ),
    ] {
        let (collector, _guard) = Collector::start();
        let options = Options { hooks: vec![Arc::new(Refuses { fails })], ..Options::default() };
        let calls = Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]);
        let app = TestApp::with(script(vec![calls, Reply::text(&["done"])]), options).await;
        let session = app.session().await;
        app.ask(session, "go").await;
        assert_eq!(collector.lines(), expected);
    }
}

async fn with_a_faulty_model(times: usize, more: &str) -> Collector {
    let (collector, _guard) = Collector::start();
    let fault = Fault::Status(503, &[("retry-after", "0")], "secret words".to_owned());
    let server = FaultyModel::start(Wire::Chat, fault, times).await;
    let config = format!(
        "\n[providers.faulty]\nkind = \"openai\"\nbase_url = \"{}\"\napi_key = \"k\"\n\n\
         [presets.faulty]\nprovider = \"faulty\"\nmodel = \"weak\"\ncontext_window_tokens = 100000\n{more}\n",
        server.url
    );
    let app = TestApp::with(script(vec![Reply::text(&["done"])]), Options { config, ..Options::default() }).await;
    let session = app.session().await;
    let body = json!({"content": "go", "preset": "faulty"});
    let path = format!("/api/v1/sessions/{session}/turns?wait=true");
    let (status, done) = app.request("POST", &path, Some(body)).await;
    assert_eq!((status, &done["stop_reason"]), (200, &json!("completed")), "{done}");
    assert!(!collector.everything().contains("secret words"), "{}", collector.everything());
    collector
}

#[tokio::test]
async fn attempts_at_the_same_model_are_one_span_and_another_model_has_its_own() {
    let collector = with_a_faulty_model(2, "").await;
    assert_eq!(collector.lines(), ["invoke_agent nanobot completed", "chat weak [\"stop\"]"]);
    assert_eq!(collector.spans()[1].fields["nanobot.attempts"], "3");
    let events = collector.events.lock().expect("lock").clone();
    assert_eq!(events.len(), 2, "{events:?}");
    assert!(events.iter().all(|event| event.contains("provider_unavailable")), "{events:?}");

    let collector = with_a_faulty_model(usize::MAX, "fallbacks = [\"default\"]").await;
    let lines = collector.lines();
    assert_eq!(
        lines,
        ["invoke_agent nanobot completed", "chat weak provider_unavailable ERROR", "chat mock [\"stop\"]"]
    );
}

#[tokio::test]
async fn nothing_that_was_said_stands_in_a_span() {
    let (collector, _guard) = Collector::start();
    let calls = Reply::calls(&[("c1", "read_file", json!({"path": "kumquat.txt"}))])
        .after(vec![Chunk::reasoning("kumquat"), Chunk::text("kumquat")]);
    let app = TestApp::start(script(vec![calls, Reply::text(&["a kumquat"])])).await;
    app.file("kumquat.txt", "kumquat");
    app.file("AGENTS.md", "kumquat");
    let session = app.session().await;
    app.ask(session, "what is a kumquat?").await;
    assert_eq!(collector.lines().len(), 4);
    assert!(!collector.everything().contains("kumquat"), "{}", collector.everything());
}
