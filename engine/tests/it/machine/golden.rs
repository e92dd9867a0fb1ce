//! The order of everything in one streaming turn, written down once.

use nanobot_engine::event::StopReason;
use nanobot_engine::machine::Effect;
use nanobot_engine::machine::Observation::{
    AfterIteration, AfterRun, BeforeExecuteTools, BeforeIteration, BeforeRun, OnError, OnFinally,
};
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd};
use serde_json::json;
use std::sync::Arc;

use crate::support::build::call;
use crate::support::driver::{World, lines, observed, reply, run};

fn script() -> World {
    World::new(vec![
        reply()
            .think("I should ")
            .think("look.")
            .say("Let me ")
            .say("see.")
            .call(call("c1", "write_file", json!({"path": "a"})))
            .call(call("c2", "list_dir", json!({"path": "b"})))
            .call(call("c3", "list_dir", json!({"path": "c"}))),
        reply().think("inline").say("All ").say("done."),
    ])
}

const GOLDEN: &str = r#"
H BeforeRun
H BeforeIteration
build closing=false
E iteration_started 0
ask
E reasoning_delta 29.0 "I should "
E reasoning_delta 29.0 "look."
E reasoning_end 29.0 14
E delta 29.1 "Let me "
E delta 29.1 "see."
E stream_end 29.1 11 resuming=true
E usage
D Assistant "Let me see.", c1 Intended, c2 Intended, c3 Intended
H BeforeExecuteTools
H before_execute_tool c1
D c1 Running
E tool_started 29.2 c1 write_file
run c1
D c1 Ok
E tool_finished 29.2 c1 Ok
H before_execute_tool c2
H before_execute_tool c3
D c2 Running, c3 Running
E tool_started 29.3 c2 list_dir
E tool_started 29.4 c3 list_dir
run c2 c3
D c2 Ok
E tool_finished 29.3 c2 Ok
D c3 Ok, Tool "did c1", Tool "did c2", Tool "did c3"
E tool_finished 29.4 c3 Ok
drain
H AfterIteration
H BeforeIteration
build closing=false
E iteration_started 1
ask
E reasoning_delta 29.5 "inline"
E reasoning_end 29.5 6
E delta 29.6 "All "
E delta 29.6 "done."
H finalize_content "All done."
drain
E stream_end 29.6 9 resuming=false
E usage
D Assistant (answer) "All done."
H AfterIteration
H AfterRun
H OnFinally
finish Completed
"#;

#[test]
fn the_golden_trace() {
    let world = script();
    let driver = run(&world);
    let trace: Vec<String> = driver.trace.iter().flat_map(lines).collect();
    assert_eq!(trace, GOLDEN.trim().lines().collect::<Vec<_>>());
    let state = driver.machine.state();
    assert_eq!((state.usage.input_tokens, state.usage.output_tokens), (20, 10));
    assert_eq!(state.tools_used, ["write_file", "list_dir", "list_dir"]);
}

#[test]
fn rows_are_in_call_order_when_the_last_call_ends_first() {
    let mut world = script();
    world.last_first = true;
    let driver = run(&world);
    let usual = script();
    assert_eq!(driver.store.rows, run(&usual).store.rows);
    let shown: Vec<String> = driver.trace.iter().flat_map(lines).collect();
    let at = |line: &str| shown.iter().position(|shown| shown == line).unwrap();
    assert!(at("E tool_finished 29.4 c3 Ok") < at("E tool_finished 29.3 c2 Ok"), "each as it ends");
}

#[test]
fn hooks_of_each_way_to_end() {
    let world = script();
    let driver = run(&world);
    let all = [
        BeforeRun,
        BeforeIteration,
        BeforeExecuteTools,
        AfterIteration,
        BeforeIteration,
        AfterIteration,
        AfterRun,
        OnFinally,
    ];
    assert_eq!(observed(&driver.trace), all);

    let error = ModelError::new(ModelErrorKind::Auth, "key refused");
    let world = World::new(vec![reply().end(StreamEnd::Error(error))]);
    let driver = run(&world);
    assert_eq!(observed(&driver.trace), [BeforeRun, BeforeIteration, AfterIteration, OnError, AfterRun, OnFinally]);

    let mut world = script();
    world.fail_at = Arc::new(|effect| matches!(effect, Effect::Observe(BeforeExecuteTools)));
    let driver = run(&world);
    assert_eq!(observed(&driver.trace), [BeforeRun, BeforeIteration, BeforeExecuteTools, OnError, OnFinally]);
    assert_eq!(driver.store.finished.as_ref().unwrap().stop_reason, StopReason::Error);
    assert_eq!(driver.store.finished.unwrap().error.unwrap().code, "hook_failed");
}
