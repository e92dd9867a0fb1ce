//! Random turns that could have happened.

use std::sync::Arc;

use nanobot_engine::approval::ApprovalOutcome;
use nanobot_engine::hook::{Ask, Decision};
use nanobot_engine::machine::Input;
use nanobot_engine::model::{ModelError, ModelErrorKind, StreamEnd};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use proptest::prelude::*;
use serde_json::json;

use super::build::{call, steer};
use super::driver::{Driver, Scripted, Store, World, answered, reply};

/// What is streamed; `true` for reasoning.
type Pieces = Vec<(bool, String)>;

/// A turn as plain data.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) requests: Vec<(Pieces, Vec<CallPlan>)>,
    pub(crate) last: (Pieces, u8),
    /// Attempts at the first request that fail, each after some output.
    pub(crate) failing: Vec<Pieces>,
    pub(crate) steer: Vec<(u32, String)>,
    pub(crate) stop_after_inputs: Option<usize>,
    pub(crate) last_first: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct CallPlan {
    tool: &'static str,
    id: &'static str,
    /// 0 for arguments that do not fit, 1 for a refusal, 2 for a failure, 3 and 4 for a question with yes and no.
    fate: u8,
}

pub(crate) fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{0,12}",
        1 => "[的文字é👩‍👧]{1,6}",
        1 => Just(" \n".to_owned()),
    ]
}

fn pieces() -> impl Strategy<Value = Pieces> {
    proptest::collection::vec((proptest::bool::weighted(0.3), piece()), 0..6)
}

fn call_plan() -> impl Strategy<Value = CallPlan> {
    let tool = prop_oneof![
        3 => Just("list_dir"), 2 => Just("read_file"), 1 => Just("snapshot"), 2 => Just("write_file"), 1 => Just("nope"),
    ];
    let id = prop_oneof![Just(""), Just("call_0"), Just("c"), Just("toolu_1")];
    (tool, id, 0..10_u8).prop_map(|(tool, id, fate)| CallPlan { tool, id, fate })
}

pub(crate) fn plan() -> impl Strategy<Value = Plan> {
    (
        proptest::collection::vec((pieces(), proptest::collection::vec(call_plan(), 1..5)), 0..4),
        ((pieces(), 0..6_u8), proptest::collection::vec(pieces(), 0..3)),
        proptest::collection::vec((0..5_u32, "[a-z]{1,8}"), 0..3),
        proptest::option::weighted(0.3, 1..40_usize),
        any::<bool>(),
    )
        .prop_map(|(requests, (last, failing), steer, stop_after_inputs, last_first)| Plan {
            requests,
            last,
            failing,
            steer,
            stop_after_inputs,
            last_first,
        })
}

fn gone() -> StreamEnd {
    StreamEnd::Error(ModelError::new(ModelErrorKind::Unavailable, "gone"))
}

impl Plan {
    pub(crate) fn world(&self) -> World {
        let mut script: Vec<Scripted> = Vec::new();
        for (pieces, calls) in &self.requests {
            let mut scripted = Scripted { pieces: pieces.clone(), ..reply() };
            for (number, plan) in calls.iter().enumerate() {
                let arguments = match plan.fate {
                    0 => json!({"depth": 0}),
                    1 => json!({"path": "refused"}),
                    2 => json!({"path": "broken"}),
                    3 => json!({"path": "asked"}),
                    4 => json!({"path": "asked in vain"}),
                    _ => json!({"path": format!("{}/{number}", script.len())}),
                };
                scripted = scripted.call(call(plan.id, plan.tool, arguments));
            }
            script.push(scripted);
        }
        let end = match self.last.1 {
            0 => StreamEnd::Length,
            1 => StreamEnd::Truncated,
            2 => gone(),
            _ => StreamEnd::Complete,
        };
        // Steer messages and blank answers prolong the turn; the same answer comes again.
        script.extend(vec![Scripted { pieces: self.last.0.clone(), ..reply() }.end(end); 12]);
        if let Some(first) = script.first_mut() {
            first.failing =
                self.failing.iter().map(|pieces| Scripted { pieces: pieces.clone(), ..reply() }.end(gone())).collect();
        }
        let mut world = World::new(script);
        world.limits.retry.attempts = 3;
        world.last_first = self.last_first;
        world.steer = (0..)
            .zip(&self.steer)
            .map(|(number, (from, text))| (*from, steer(number, &format!("s{number}{text}"))))
            .collect();
        world.decide = Arc::new(|call| match call.arguments.get("path").and_then(|path| path.as_str()) {
            Some("refused") => Decision::Deny { reason: "not allowed".to_owned() },
            Some(path) if path.starts_with("asked") => Decision::Ask(Ask::once("may it?")),
            _ => Decision::Proceed,
        });
        world.answer = Arc::new(|question| {
            let vain = question.arguments.get("path").is_some_and(|path| path == "asked in vain");
            answered(question, if vain { ApprovalOutcome::Deny } else { ApprovalOutcome::AllowOnce })
        });
        world.run_tool = Arc::new(|call| match call.arguments.get("path").and_then(|path| path.as_str()) {
            Some("broken") => ToolOutcome::failed(CallStatus::Error, "it broke"),
            path => ToolOutcome::ok(format!("{} {path:?}", call.name)),
        });
        world
    }

    /// Runs the turn in one life.
    pub(crate) fn run<'a>(&self, world: &'a World) -> Driver<'a> {
        let mut driver = Driver::new(world, Store::default());
        if let Some(inputs) = self.stop_after_inputs {
            driver = driver.stop_after_inputs(inputs);
        }
        assert!(driver.run(Input::Begin));
        driver
    }
}
