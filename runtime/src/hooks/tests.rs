//! Isolation, faults, the order of a turn's hooks, and nested composites under the clock.

use nanobot_engine::hook::{HookMethod, HookMethods, IterationContext};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::message::Origin;
use tokio::time::Instant;
use uuid::Uuid;

use super::*;

fn run() -> RunContext {
    RunContext {
        session_id: SessionId(Uuid::now_v7()),
        turn_id: TurnId(Uuid::now_v7()),
        origin: Origin::User,
        preset: "p".to_owned(),
        model: "m".to_owned(),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Does {
    Nothing,
    Hang,
    Panic,
    Fail,
}

/// A hook of `before_run` and `finalize_content`.
struct Simple {
    name: &'static str,
    does: Does,
    reraise: bool,
    limit: Option<Duration>,
}

fn simple(name: &'static str, does: Does) -> Simple {
    Simple { name, does, reraise: false, limit: None }
}

#[async_trait]
impl AgentHook for Simple {
    fn name(&self) -> &str {
        self.name
    }
    fn methods(&self) -> HookMethods {
        HookMethods::of(&[HookMethod::BeforeRun, HookMethod::FinalizeContent])
    }
    fn reraise(&self) -> bool {
        self.reraise
    }
    fn limit(&self, _: HookMethod) -> Option<Duration> {
        self.limit
    }
    async fn before_run(&self, _: &RunContext) -> Result<(), HookError> {
        match self.does {
            Does::Nothing => Ok(()),
            Does::Hang => std::future::pending().await,
            Does::Panic => panic!("at the disco"),
            Does::Fail => Err(HookError("broke".to_owned())),
        }
    }
    fn finalize_content(&self, _: &IterationContext, content: String) -> Result<String, HookError> {
        match self.does {
            Does::Panic => panic!("at the disco"),
            _ => Ok(format!("{content}+{}", self.name)),
        }
    }
}

fn joined(hooks: Vec<Simple>) -> CompositeHook<Guarded> {
    let hooks: Vec<Arc<dyn AgentHook>> = hooks.into_iter().map(|hook| Arc::new(hook) as _).collect();
    guarded(of_turn(&hooks, std::iter::empty(), &run()))
}

fn told(hooks: &CompositeHook<Guarded>) -> Vec<(String, String)> {
    hooks.isolation().take_faults().into_iter().map(|fault| (fault.hook, fault.error.0)).collect()
}

fn fault(hook: &str, error: &str) -> (String, String) {
    (hook.to_owned(), error.to_owned())
}

#[tokio::test(start_paused = true)]
async fn a_hook_that_hangs_or_panics_is_named_once_a_turn() {
    let hooks = joined(vec![simple("slow", Does::Hang), simple("wild", Does::Panic), simple("good", Does::Nothing)]);
    let began = Instant::now();
    assert_eq!(hooks.before_run(&run()).await, Ok(()));
    assert_eq!(began.elapsed().as_secs(), HOOK_LIMIT.as_secs());
    assert_eq!(told(&hooks), [fault("slow", "took longer than 5 s"), fault("wild", "panicked: at the disco")]);
    assert_eq!(hooks.before_run(&run()).await, Ok(()));
    assert_eq!(told(&hooks), [], "not again in this turn");
}

#[tokio::test(start_paused = true)]
async fn an_error_that_ends_the_run_names_its_hook() {
    for (does, message) in [
        (Does::Hang, "slow: took longer than 5 s"),
        (Does::Panic, "slow: panicked: at the disco"),
        (Does::Fail, "slow: broke"),
    ] {
        let hooks = joined(vec![Simple { reraise: true, ..simple("slow", does) }]);
        assert_eq!(hooks.before_run(&run()).await, Err(HookError(message.to_owned())));
    }
    let hooks = joined(vec![simple("one", Does::Nothing), simple("wild", Does::Panic)]);
    let iteration = IterationContext::new(Arc::new(run()), 0);
    let finalized = hooks.finalize(&iteration, "text".to_owned()).await;
    assert_eq!(finalized, Err(HookError("wild: panicked: at the disco".to_owned())));
}

#[tokio::test(start_paused = true)]
async fn a_hook_may_have_a_limit_of_its_own() {
    let patient = Simple { limit: Some(Duration::from_secs(60)), ..simple("patient", Does::Hang) };
    let hooks = joined(vec![patient]);
    let began = Instant::now();
    assert_eq!(hooks.before_run(&run()).await, Ok(()));
    assert_eq!(began.elapsed().as_secs(), 60);
    assert_eq!(told(&hooks), [fault("patient", "took longer than 60 s")]);
}

/// A composite inside of a composite is one hook that may take as long as its own hooks together.
#[tokio::test(start_paused = true)]
async fn a_nested_composite_has_the_sum_of_its_limits_and_names_what_hangs_inside() {
    let isolation = Guarded::default();
    let inside: Vec<Arc<dyn AgentHook>> = vec![
        Arc::new(simple("first", Does::Hang)),
        Arc::new(Simple { limit: Some(Duration::from_secs(20)), ..simple("second", Does::Hang) }),
        Arc::new(simple("third", Does::Nothing)),
    ];
    let inner = CompositeHook::new(inside, isolation.clone(), Some(HOOK_LIMIT)).named("guards");
    let sum = inner.limit(HookMethod::BeforeRun).unwrap();
    assert!(sum > Duration::from_secs(30) && sum < Duration::from_secs(31), "{sum:?}");
    let hooks: Vec<Arc<dyn AgentHook>> = vec![Arc::new(inner), Arc::new(simple("after", Does::Fail))];
    let hooks = guarded(of_turn(&hooks, std::iter::empty(), &run()));
    let began = Instant::now();
    assert_eq!(hooks.before_run(&run()).await, Ok(()));
    assert_eq!(began.elapsed().as_secs(), 25, "longer than one hook may, since each inside has its own time");
    let named: Vec<_> = isolation.take_faults().into_iter().map(|fault| (fault.hook, fault.error.0)).collect();
    assert_eq!(named, [fault("guards/first", "took longer than 5 s"), fault("guards/second", "took longer than 20 s")]);
    assert_eq!(told(&hooks), [fault("after", "broke")], "the composite itself was not too late");
}

#[tokio::test(start_paused = true)]
async fn a_nested_composite_without_limits_has_that_of_any_hook_and_is_named() {
    let inside: Vec<Arc<dyn AgentHook>> = vec![Arc::new(simple("slow", Does::Hang))];
    let inner = CompositeHook::new(inside, Guarded::default(), None).named("guards");
    assert_eq!(inner.limit(HookMethod::BeforeRun), None);
    let hooks: Vec<Arc<dyn AgentHook>> = vec![Arc::new(inner)];
    let hooks = guarded(of_turn(&hooks, std::iter::empty(), &run()));
    assert_eq!(hooks.before_run(&run()).await, Err(HookError("guards: took longer than 5 s".to_owned())));
}

/// Makes a hook, none, or a panic.
struct Factory(Option<&'static str>);

impl TurnHookFactory for Factory {
    fn make(&self, _: &RunContext) -> Option<Arc<dyn AgentHook>> {
        let name = self.0?;
        assert_ne!(name, "bad", "this factory is broken");
        Some(Arc::new(simple(name, Does::Nothing)))
    }
}

#[tokio::test]
async fn made_hooks_come_behind_the_fixed_ones_and_a_broken_factory_is_passed_over() {
    let fixed: Vec<Arc<dyn AgentHook>> = vec![Arc::new(simple("one", Does::Nothing))];
    let factories = [Factory(Some("two")), Factory(None), Factory(Some("bad")), Factory(Some("three"))];
    let factories = factories.iter().map(|factory| factory as &dyn TurnHookFactory);
    let hooks = guarded(of_turn(&fixed, factories, &run()));
    let iteration = IterationContext::new(Arc::new(run()), 0);
    assert_eq!(hooks.finalize(&iteration, "text".to_owned()).await, Ok("text+one+two+three".to_owned()));
}

/// Nobody collects spans here, so a turn without hooks calls nothing.
#[test]
fn spans_that_nobody_collects_are_no_hook() {
    assert_eq!(guarded(of_turn(&[], std::iter::empty(), &run())).methods(), HookMethods::default());
}
