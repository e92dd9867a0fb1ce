//! The eighteen methods of hooks, through a composite.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use nanobot_engine::event::StopReason;
use nanobot_engine::hook::{
    AgentHook, Ask, CallContext, CompositeHook, Decision, HookError, HookFault, HookMethod, HookMethods, Isolation,
    IterationContext, Plain, ProviderToolEvent, RunContext, RunEnd,
};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::message::{Message, Origin};
use nanobot_engine::tool::ToolOutcome;
use nanobot_engine::usage::Usage;
use serde_json::json;

use crate::support::block_on;
use crate::support::build::{call, uuid};

type Log = Arc<Mutex<Vec<String>>>;
type Decider = Box<dyn Fn(&CallContext) -> Decision + Send + Sync>;

/// Notes every call; may fail in one method.
struct Recorder {
    name: &'static str,
    log: Log,
    methods: HookMethods,
    reraise: bool,
    streaming: bool,
    fails: Option<HookMethod>,
    decide: Decider,
}

impl Recorder {
    fn new(name: &'static str, log: &Log) -> Self {
        Self {
            name,
            log: Arc::clone(log),
            methods: HookMethods::ALL,
            reraise: false,
            streaming: false,
            fails: None,
            decide: Box::new(|_| Decision::Proceed),
        }
    }

    fn note(&self, method: HookMethod, detail: &str) -> Result<(), HookError> {
        let detail = if detail.is_empty() { String::new() } else { format!(" {detail}") };
        self.log.lock().unwrap().push(format!("{} {method:?}{detail}", self.name));
        if self.fails == Some(method) { Err(HookError(format!("{} broke", self.name))) } else { Ok(()) }
    }
}

#[async_trait]
impl AgentHook for Recorder {
    fn name(&self) -> &str {
        self.name
    }
    fn methods(&self) -> HookMethods {
        self.methods
    }
    fn reraise(&self) -> bool {
        self.reraise
    }
    fn wants_streaming(&self) -> bool {
        self.note(HookMethod::WantsStreaming, "").is_ok() && self.streaming
    }
    async fn before_run(&self, _: &RunContext) -> Result<(), HookError> {
        self.note(HookMethod::BeforeRun, "")
    }
    async fn after_run(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.note(HookMethod::AfterRun, "")
    }
    async fn on_error(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.note(HookMethod::OnError, "")
    }
    async fn on_finally(&self, _: &RunContext, _: &RunEnd) -> Result<(), HookError> {
        self.note(HookMethod::OnFinally, "")
    }
    async fn before_iteration(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note(HookMethod::BeforeIteration, "")
    }
    async fn after_iteration(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note(HookMethod::AfterIteration, "")
    }
    async fn before_request(&self, iteration: &mut IterationContext) -> Result<(), HookError> {
        iteration.inject(Message::user(self.name));
        self.note(HookMethod::BeforeRequest, "")
    }
    async fn on_stream(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.note(HookMethod::OnStream, delta)
    }
    async fn on_stream_end(&self, _: &IterationContext, resuming: bool) -> Result<(), HookError> {
        self.note(HookMethod::OnStreamEnd, if resuming { "resuming" } else { "" })
    }
    async fn emit_reasoning(&self, _: &IterationContext, delta: &str) -> Result<(), HookError> {
        self.note(HookMethod::EmitReasoning, delta)
    }
    async fn emit_reasoning_end(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note(HookMethod::EmitReasoningEnd, "")
    }
    async fn on_provider_tool_event(&self, _: &IterationContext, event: &ProviderToolEvent) -> Result<(), HookError> {
        self.note(HookMethod::OnProviderToolEvent, &event.phase)
    }
    async fn before_execute_tools(&self, _: &IterationContext) -> Result<(), HookError> {
        self.note(HookMethod::BeforeExecuteTools, "")
    }
    async fn before_execute_tool(&self, call: &CallContext) -> Result<Decision, HookError> {
        self.note(HookMethod::BeforeExecuteTool, &json!(call.call.arguments).to_string())?;
        Ok((self.decide)(call))
    }
    async fn after_execute_tool(&self, _: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        self.note(HookMethod::AfterExecuteTool, &outcome.text)
    }
    async fn on_execute_tool_error(&self, _: &CallContext, outcome: &ToolOutcome) -> Result<(), HookError> {
        self.note(HookMethod::OnExecuteToolError, &outcome.text)
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        self.note(HookMethod::FinalizeContent, &content)?;
        Ok(format!("{content}+{}", self.name))
    }
}

/// Keeps the failures that were swallowed.
#[derive(Clone, Default)]
struct Keeping(Arc<Mutex<Vec<HookFault>>>);

#[async_trait]
impl Isolation for Keeping {
    async fn guard<'a, T: Send + 'a>(
        &self,
        _: Option<Duration>,
        call: std::pin::Pin<Box<dyn Future<Output = Result<T, HookError>> + Send + 'a>>,
    ) -> Result<T, HookError> {
        call.await
    }

    fn report(&self, fault: &HookFault) {
        self.0.lock().unwrap().push(fault.clone());
    }
}

fn iteration() -> IterationContext {
    let run = RunContext {
        session_id: SessionId(uuid(1)),
        turn_id: TurnId(uuid(2)),
        origin: Origin::User,
        preset: "p".to_owned(),
        model: "m".to_owned(),
    };
    IterationContext::new(Arc::new(run), 0)
}

fn call_context() -> CallContext {
    CallContext { run: iteration().run, iteration: 0, call: call("c", "write_file", json!({"path": "a"})) }
}

fn end() -> RunEnd {
    RunEnd {
        stop_reason: StopReason::Completed,
        error: None,
        content: None,
        usage: Usage::default(),
        tools_used: Vec::new(),
    }
}

/// Calls one method of a hook; an error comes back as text.
fn fire(hook: &dyn AgentHook, method: HookMethod) -> Result<(), HookError> {
    let mut iteration = iteration();
    let run = Arc::clone(&iteration.run);
    let (call, end, ok) = (call_context(), end(), ToolOutcome::ok("fine"));
    let event = ProviderToolEvent {
        phase: "start".to_owned(),
        call_id: "p1".to_owned(),
        name: "web_search".to_owned(),
        arguments: None,
        text: None,
    };
    block_on(async {
        match method {
            HookMethod::WantsStreaming => {
                hook.wants_streaming();
                Ok(())
            }
            HookMethod::BeforeRun => hook.before_run(&run).await,
            HookMethod::AfterRun => hook.after_run(&run, &end).await,
            HookMethod::OnError => hook.on_error(&run, &end).await,
            HookMethod::OnFinally => hook.on_finally(&run, &end).await,
            HookMethod::BeforeIteration => hook.before_iteration(&iteration).await,
            HookMethod::AfterIteration => hook.after_iteration(&iteration).await,
            HookMethod::BeforeRequest => hook.before_request(&mut iteration).await,
            HookMethod::OnStream => hook.on_stream(&iteration, "d").await,
            HookMethod::OnStreamEnd => hook.on_stream_end(&iteration, true).await,
            HookMethod::EmitReasoning => hook.emit_reasoning(&iteration, "r").await,
            HookMethod::EmitReasoningEnd => hook.emit_reasoning_end(&iteration).await,
            HookMethod::OnProviderToolEvent => hook.on_provider_tool_event(&iteration, &event).await,
            HookMethod::BeforeExecuteTools => hook.before_execute_tools(&iteration).await,
            HookMethod::BeforeExecuteTool => hook.before_execute_tool(&call).await.map(|_| ()),
            HookMethod::AfterExecuteTool => hook.after_execute_tool(&call, &ok).await,
            HookMethod::OnExecuteToolError => hook.on_execute_tool_error(&call, &ok).await,
            HookMethod::FinalizeContent => hook.finalize_content(&iteration, "text".to_owned()).map(|_| ()),
        }
    })
}

/// What the log holds of one method, as `name` alone.
fn names(log: &Log, method: HookMethod) -> Vec<String> {
    let log = log.lock().unwrap();
    log.iter()
        .map(|line| line.splitn(3, ' ').take(2).collect::<Vec<_>>())
        .inspect(|words| assert_eq!(words[1], format!("{method:?}"), "another method was called"))
        .map(|words| words[0].to_owned())
        .collect()
}

fn composite(hooks: Vec<Recorder>) -> (CompositeHook<Keeping>, Keeping) {
    let keeping = Keeping::default();
    let hooks = hooks.into_iter().map(|hook| Arc::new(hook) as Arc<dyn AgentHook>).collect();
    (CompositeHook::new(hooks, keeping.clone(), None), keeping)
}

#[test]
fn every_method_is_called_in_order_of_registration() {
    for method in HookMethod::ALL {
        let log = Log::default();
        let (hook, _) =
            composite(vec![Recorder::new("one", &log), Recorder::new("two", &log), Recorder::new("three", &log)]);
        assert_eq!(fire(&hook, method), Ok(()));
        assert_eq!(names(&log, method), ["one", "two", "three"]);
    }
}

#[test]
fn a_method_that_is_not_declared_is_never_called() {
    for method in HookMethod::ALL {
        let log = Log::default();
        let without: Vec<HookMethod> = HookMethod::ALL.into_iter().filter(|other| *other != method).collect();
        let deaf = Recorder { methods: HookMethods::of(&without), ..Recorder::new("deaf", &log) };
        let only = Recorder { methods: HookMethods::of(&[method]), ..Recorder::new("only", &log) };
        let (alone, _) =
            composite(vec![Recorder { methods: HookMethods::of(&without), ..Recorder::new("deaf", &log) }]);
        assert!(!alone.implements(method));
        assert_eq!(fire(&alone, method), Ok(()));
        assert_eq!(log.lock().unwrap()[..], [""; 0]);
        let (hook, _) = composite(vec![deaf, only]);
        assert!(hook.implements(method) && hook.methods() == HookMethods::ALL);
        assert_eq!(fire(&hook, method), Ok(()));
        assert_eq!(names(&log, method), ["only"]);
    }
}

#[test]
fn sets_of_methods() {
    let none = HookMethods::default();
    let some = HookMethods::of(&[HookMethod::OnStream, HookMethod::FinalizeContent, HookMethod::OnStream]);
    for method in HookMethod::ALL {
        assert!(!none.contains(method) && HookMethods::ALL.contains(method));
        assert!(HookMethods::of(&[method]).contains(method));
        assert_eq!(some.contains(method), matches!(method, HookMethod::OnStream | HookMethod::FinalizeContent));
    }
    assert_eq!(HookMethods::of(&HookMethod::ALL), HookMethods::ALL);
    assert_eq!(HookMethods::of(&[]), none);
    assert_eq!(some.union(none), some);
    let distinct: std::collections::HashSet<_> = HookMethod::ALL.into_iter().collect();
    assert_eq!(distinct.len(), 18);
}

#[test]
fn an_error_is_swallowed_with_its_name_or_ends_the_call() {
    for method in HookMethod::ALL {
        // The question about streaming cannot fail, and the pipeline has no isolation.
        if matches!(method, HookMethod::WantsStreaming | HookMethod::FinalizeContent) {
            continue;
        }
        for reraise in [false, true] {
            let log = Log::default();
            let broken = Recorder { reraise, fails: Some(method), ..Recorder::new("broken", &log) };
            let (hook, kept) = composite(vec![Recorder::new("one", &log), broken, Recorder::new("last", &log)]);
            let error = HookError("broken broke".to_owned());
            if reraise {
                assert_eq!(fire(&hook, method), Err(HookError("broken: broken broke".to_owned())));
                assert_eq!(names(&log, method), ["one", "broken"]);
                assert_eq!(kept.0.lock().unwrap()[..], []);
            } else {
                assert_eq!(fire(&hook, method), Ok(()));
                assert_eq!(names(&log, method), ["one", "broken", "last"]);
                assert_eq!(kept.0.lock().unwrap()[..], [HookFault { hook: "broken".to_owned(), method, error }]);
            }
        }
    }
}

#[test]
fn composites_may_hold_composites() {
    for reraise in [false, true] {
        let log = Log::default();
        let broken = Recorder { reraise, fails: Some(HookMethod::OnStream), ..Recorder::new("broken", &log) };
        let (inner, kept) = composite(vec![broken, Recorder::new("inner", &log)]);
        let inner = inner.named("guards");
        let hooks: Vec<Arc<dyn AgentHook>> =
            vec![Arc::new(Recorder::new("first", &log)), Arc::new(inner), Arc::new(Recorder::new("last", &log))];
        let outer = CompositeHook::new(hooks, Plain, None);
        assert_eq!(outer.name(), "composite");
        let fired = fire(&outer, HookMethod::OnStream);
        if reraise {
            assert_eq!(fired, Err(HookError("guards: broken: broken broke".to_owned())), "both names");
            assert_eq!(names(&log, HookMethod::OnStream), ["first", "broken"]);
        } else {
            assert_eq!(fired, Ok(()));
            assert_eq!(names(&log, HookMethod::OnStream), ["first", "broken", "inner", "last"]);
            assert_eq!(kept.0.lock().unwrap().len(), 1, "reported once, where it was swallowed");
        }
    }
    let empty: CompositeHook<Plain> = CompositeHook::new(Vec::new(), Plain, None);
    let outer = CompositeHook::new(vec![Arc::new(empty) as Arc<dyn AgentHook>], Plain, None);
    assert_eq!(outer.methods(), HookMethods::default());
}

#[test]
fn one_hook_that_reads_the_stream_is_enough() {
    let log = Log::default();
    let (none, _) = composite(vec![Recorder::new("one", &log), Recorder::new("two", &log)]);
    assert!(!none.wants_streaming());
    let wanting = Recorder { streaming: true, ..Recorder::new("two", &log) };
    let (some, _) = composite(vec![Recorder::new("one", &log), wanting, Recorder::new("three", &log)]);
    assert!(some.wants_streaming());
    let deaf =
        Recorder { streaming: true, methods: HookMethods::of(&[HookMethod::OnStream]), ..Recorder::new("x", &log) };
    assert!(!composite(vec![deaf]).0.wants_streaming(), "who does not declare the question is not asked");
}

#[test]
fn injected_messages_come_in_order_of_registration() {
    let log = Log::default();
    let (hook, _) = composite(vec![Recorder::new("one", &log), Recorder::new("two", &log)]);
    let mut iteration = iteration();
    assert_eq!(block_on(hook.before_request(&mut iteration)), Ok(()));
    assert_eq!(iteration.injected, [Message::user("one"), Message::user("two")]);
}

#[test]
fn the_final_text_passes_all_hooks_and_an_error_ends_it() {
    let log = Log::default();
    let (hook, _) = composite(vec![Recorder::new("one", &log), Recorder::new("two", &log)]);
    assert_eq!(hook.finalize_content(&iteration(), "text".to_owned()), Ok("text+one+two".to_owned()));

    let broken = Recorder { fails: Some(HookMethod::FinalizeContent), ..Recorder::new("broken", &log) };
    let (hook, kept) = composite(vec![Recorder::new("one", &log), broken, Recorder::new("last", &log)]);
    log.lock().unwrap().clear();
    assert_eq!(
        hook.finalize_content(&iteration(), "text".to_owned()),
        Err(HookError("broken: broken broke".to_owned()))
    );
    assert_eq!(log.lock().unwrap()[..], ["one FinalizeContent text", "broken FinalizeContent text+one"]);
    assert_eq!(kept.0.lock().unwrap()[..], [], "nothing is swallowed in the pipeline");
}

fn arguments(path: &str) -> serde_json::Map<String, serde_json::Value> {
    json!({"path": path}).as_object().unwrap().clone()
}

#[test]
fn a_refusal_ends_the_asking() {
    let log = Log::default();
    let refusal = Decision::Deny { reason: "no".to_owned() };
    let given = refusal.clone();
    let refusing = Recorder { decide: Box::new(move |_| given.clone()), ..Recorder::new("two", &log) };
    let (hook, _) = composite(vec![Recorder::new("one", &log), refusing, Recorder::new("three", &log)]);
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(refusal));
    assert_eq!(names(&log, HookMethod::BeforeExecuteTool), ["one", "two"]);
}

/// Consent that a person gives to one hook's question lifts no refusal of another.
#[test]
fn a_question_gives_way_to_a_refusal_behind_it_and_keeps_replaced_arguments() {
    let log = Log::default();
    let saying = |name, decision: Decision| Recorder {
        decide: Box::new(move |_| decision.clone()),
        ..Recorder::new(name, &log)
    };
    let covers = vec![nanobot_engine::approval::Allowance { tool: "t".to_owned(), pattern: "*".to_owned() }];
    let ask = Ask { covers: covers.clone(), ..Ask::once("may I?") };
    let other = Decision::Ask(Ask::once("sure?"));
    let refusal = Decision::Deny { reason: "no".to_owned() };
    let (hook, _) = composite(vec![saying("one", Decision::Ask(ask.clone())), saying("two", refusal.clone())]);
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(refusal));

    let replace = Decision::Replace { arguments: arguments("b") };
    let (hook, _) = composite(vec![saying("one", replace.clone()), saying("two", Decision::Ask(ask.clone()))]);
    let expected = Ask { arguments: Some(arguments("b")), ..ask.clone() };
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(Decision::Ask(expected)));

    let (hook, _) = composite(vec![saying("one", Decision::Ask(ask.clone())), saying("two", replace)]);
    let expected = Ask { arguments: Some(arguments("b")), ..ask.clone() };
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(Decision::Ask(expected)));

    // What only one of two questions knows how to allow for longer cannot be allowed for longer.
    let (hook, _) = composite(vec![saying("one", Decision::Ask(ask)), saying("two", other)]);
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(Decision::Ask(Ask::once("may I?; sure?"))));
}

#[test]
fn replaced_arguments_feed_the_hooks_behind() {
    let log = Log::default();
    let replacing = |name, path: &'static str| Recorder {
        decide: Box::new(move |_| Decision::Replace { arguments: arguments(path) }),
        ..Recorder::new(name, &log)
    };
    let (hook, _) = composite(vec![
        Recorder::new("one", &log),
        replacing("two", "b"),
        replacing("three", "c"),
        Recorder::new("four", &log),
    ]);
    let decision = block_on(hook.before_execute_tool(&call_context()));
    assert_eq!(decision, Ok(Decision::Replace { arguments: arguments("c") }), "the last word counts");
    assert_eq!(
        log.lock().unwrap()[..],
        [
            r#"one BeforeExecuteTool {"path":"a"}"#,
            r#"two BeforeExecuteTool {"path":"a"}"#,
            r#"three BeforeExecuteTool {"path":"b"}"#,
            r#"four BeforeExecuteTool {"path":"c"}"#
        ]
    );

    // A guard behind a replacement still refuses what came of it.
    let guard = Recorder {
        decide: Box::new(|call| {
            assert_eq!(call.call.arguments, arguments("b"));
            Decision::Deny { reason: "not b".to_owned() }
        }),
        ..Recorder::new("guard", &log)
    };
    let (hook, _) = composite(vec![replacing("two", "b"), guard]);
    assert_eq!(block_on(hook.before_execute_tool(&call_context())), Ok(Decision::Deny { reason: "not b".to_owned() }));
}

#[test]
fn a_hook_that_overrides_nothing_does_nothing() {
    struct Silent;
    impl AgentHook for Silent {
        fn name(&self) -> &str {
            "silent"
        }
        fn methods(&self) -> HookMethods {
            HookMethods::ALL
        }
    }
    for method in HookMethod::ALL {
        assert_eq!(fire(&Silent, method), Ok(()));
    }
    assert_eq!(block_on(Silent.before_execute_tool(&call_context())), Ok(Decision::Proceed));
    assert_eq!(Silent.finalize_content(&iteration(), "as it was".to_owned()), Ok("as it was".to_owned()));
    assert!(!Silent.reraise() && !Silent.wants_streaming());
}
