//! A random walk: any input in any phase is met without panic and without a fault in what readers see.

use nanobot_engine::approval::{Answered, ApprovalOutcome};
use nanobot_engine::event::{EventBody, GovernStep};
use nanobot_engine::hook::{Ask, Decision, ProviderToolEvent};
use nanobot_engine::machine::{Effect, Input, OverBudget, Phase, TurnLimits, TurnMachine, TurnState};
use nanobot_engine::message::Block;
use nanobot_engine::model::{ModelError, ModelErrorKind, Reply, StreamEnd};
use nanobot_engine::tool::{CallStatus, ToolOutcome};
use nanobot_engine::usage::Usage;
use proptest::prelude::*;
use serde_json::json;

use crate::support::build::{asking, call, decided, steer, text, thinking, tools};
use crate::support::cases;
use crate::support::monitor::Monitor;
use crate::support::plan::piece;

fn end() -> impl Strategy<Value = StreamEnd> {
    let error = ModelError::new(ModelErrorKind::Timeout, "slow");
    prop_oneof![
        8 => Just(StreamEnd::Complete),
        1 => Just(StreamEnd::Length),
        1 => Just(StreamEnd::Truncated),
        1 => Just(StreamEnd::Empty),
        1 => Just(StreamEnd::Paused),
        1 => Just(StreamEnd::Error(error)),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let name =
        prop_oneof![Just("list_dir"), Just("read_file"), Just("write_file"), Just("snapshot"), Just("nope"), Just("")];
    let id = prop_oneof![Just(""), Just("a"), Just("b"), Just("a_2")];
    prop_oneof![
        2 => piece().prop_map(text),
        1 => piece().prop_map(|piece| thinking(&piece, Some("SIG"))),
        5 => (id, name, any::<bool>()).prop_map(|(id, name, fits)| {
            Block::Call(call(id, name, if fits { json!({"path": "a"}) } else { json!({"depth": "x"}) }))
        }),
    ]
}

fn decision() -> impl Strategy<Value = Decision> {
    prop_oneof![
        6 => Just(Decision::Proceed),
        1 => Just(Decision::Deny { reason: "no".to_owned() }),
        2 => Just(Decision::Ask(Ask::once("may I?"))),
        1 => any::<bool>().prop_map(|fits| Decision::Replace {
            arguments: if fits { json!({"path": "b"}) } else { json!({"x": 1}) }.as_object().unwrap().clone(),
        }),
    ]
}

fn outcome_of_question() -> impl Strategy<Value = ApprovalOutcome> {
    prop_oneof![
        3 => Just(ApprovalOutcome::AllowOnce),
        1 => Just(ApprovalOutcome::Deny),
        1 => Just(ApprovalOutcome::Expired),
    ]
}

fn outcome() -> impl Strategy<Value = ToolOutcome> {
    let status = prop_oneof![
        5 => Just(CallStatus::Ok), 1 => Just(CallStatus::Error), 1 => Just(CallStatus::Running),
        1 => Just(CallStatus::Intended), 1 => Just(CallStatus::Waiting), 1 => Just(CallStatus::Unknown),
    ];
    (status, piece()).prop_map(|(status, text)| ToolOutcome { status, ..ToolOutcome::ok(text) })
}

fn provider_tool() -> impl Strategy<Value = ProviderToolEvent> {
    (0..3_u8, prop_oneof![Just("started"), Just("done")]).prop_map(|(id, phase)| ProviderToolEvent {
        phase: phase.to_owned(),
        call_id: format!("srv_{id}"),
        name: "web_search".to_owned(),
        arguments: None,
        text: None,
    })
}

fn input() -> impl Strategy<Value = Input> {
    let reply = (end(), proptest::collection::vec(block(), 0..6)).prop_map(|(end, blocks)| Input::ReplyEnded {
        reply: Box::new(Reply { end, blocks, usage: None }),
        usage: Usage { input_tokens: 3, ..Usage::default() },
        dice: 0.5,
    });
    let step = GovernStep { name: "snip".to_owned(), before_tokens: 2, after_tokens: 1, detail: "cut".to_owned() };
    prop_oneof![
        1 => Just(Input::Begin),
        4 => any::<bool>().prop_map(move |cut| Input::RequestReady {
            steps: if cut { vec![step.clone()] } else { Vec::new() },
            budget_tokens: 9,
            decisions: Box::default(),
            can_be_plainer: cut,
        }),
        4 => piece().prop_map(Input::Reasoning),
        6 => piece().prop_map(Input::Text),
        6 => reply,
        1 => Just(Input::Waited),
        2 => provider_tool().prop_map(Input::ProviderTool),
        6 => (0..7_usize, decision()).prop_map(|(position, decision)| {
            decided(position, decision)
        }),
        1 => Just(Input::OverBudget(Box::new(OverBudget {
            reason: "too much".to_owned(),
            arguments: serde_json::Map::new(),
            asking: asking(99),
        }))),
        3 => (0..7_u128, outcome_of_question()).prop_map(|(number, outcome)| Input::Answered(Box::new(Answered {
            approval_id: asking(number).approval_id,
            outcome,
            by: "somebody".to_owned(),
            reason: None,
            arguments: None,
        }))),
        6 => (0..7_usize, outcome()).prop_map(|(position, outcome)| Input::CallFinished { position, outcome }),
        3 => (0..3_u128).prop_map(|n| Input::Steered((0..n).map(|n| steer(n, "more")).collect())),
        2 => piece().prop_map(Input::Finalized),
        1 => Just(Input::HookFailed { detail: "broke".to_owned(), usage: None }),
        1 => Just(Input::Stop { usage: None }),
    ]
}

/// Moves an input to where it can have an effect, so that walks get far.
fn fit(input: Input, phase: &Phase) -> Input {
    match (phase, input) {
        (Phase::ExecutingTools(batch), Input::Decided { position, decision, .. }) => {
            let group = &batch.group;
            let position = group.get(position % group.len().max(1)).copied().unwrap_or(position);
            decided(position, decision)
        }
        (Phase::ExecutingTools(batch), Input::Answered(answered)) => {
            let pending = batch.calls.iter().find_map(|call| call.pending.as_ref());
            let approval_id = pending.map_or(answered.approval_id, |pending| pending.approval_id);
            Input::Answered(Box::new(Answered { approval_id, ..*answered }))
        }
        (Phase::AwaitingBudget(pause), Input::Answered(answered)) => {
            Input::Answered(Box::new(Answered { approval_id: pause.pending.approval_id, ..*answered }))
        }
        (Phase::ExecutingTools(batch), Input::CallFinished { position, outcome }) => {
            let running: Vec<usize> =
                (0..batch.calls.len()).filter(|at| batch.calls[*at].status == CallStatus::Running).collect();
            let position = running.get(position % running.len().max(1)).copied().unwrap_or(position);
            Input::CallFinished { position, outcome }
        }
        (Phase::Building, Input::Begin) => Input::RequestReady {
            steps: Vec::new(),
            budget_tokens: 9,
            decisions: Box::default(),
            can_be_plainer: false,
        },
        (Phase::Waiting, Input::Reasoning(_) | Input::Text(_)) => Input::Waited,
        (Phase::Finalizing(answer), Input::Text(text)) if !answer.finalized => Input::Finalized(text),
        (Phase::Finalizing(_) | Phase::Draining, Input::Reasoning(_)) => Input::Steered(Vec::new()),
        (_, input) => input,
    }
}

struct Walk {
    machine: TurnMachine,
    monitor: Monitor,
    finishes: usize,
    asked: usize,
    results: usize,
    inputs: u128,
}

impl Walk {
    fn step(&mut self, at: i64, mut input: Input) {
        // No two questions have one id.
        self.inputs += 1;
        match &mut input {
            Input::Decided { asking: a, .. } => *a = asking(1_000 + self.inputs),
            Input::OverBudget(over) => over.asking = asking(1_000 + self.inputs),
            _ => {}
        }
        // It may be kept and given to another machine later.
        let text = serde_json::to_string(&input).unwrap();
        assert_eq!(serde_json::from_str::<Input>(&text).unwrap(), input);
        let over = matches!(self.machine.state().phase, Phase::Done(_));
        let mut out = Vec::new();
        self.machine.step(at, input, &mut out);
        assert!(!over || out.is_empty(), "effects after the end: {out:?}");
        for effect in out {
            match effect {
                Effect::Emit(event) => {
                    assert!(!matches!(event, EventBody::ToolStarted { .. } | EventBody::ToolFinished { .. }));
                    self.monitor.see(&event);
                }
                Effect::Persist(step) => {
                    step.events.iter().for_each(|event| self.monitor.see(event));
                    let text = serde_json::to_string(&step.checkpoint).unwrap();
                    let read: TurnState = serde_json::from_str(&text).unwrap();
                    assert_eq!(serde_json::to_string(&read).unwrap(), text);
                    for write in step.writes {
                        if let nanobot_engine::machine::Write::Row { message, .. } = write {
                            self.asked += message.calls().count();
                            self.results +=
                                message.blocks.iter().filter(|block| matches!(block, Block::Result { .. })).count();
                        }
                    }
                }
                Effect::Finish(_) => self.finishes += 1,
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(300, 10_000))]

    #[test]
    fn any_input_in_any_phase(
        inputs in proptest::collection::vec((input(), proptest::bool::weighted(0.8), any::<i64>()), 0..120),
        max_iterations in 1..6_u32,
    ) {
        let limits = TurnLimits { max_iterations, ..TurnLimits::default() };
        let machine = TurnMachine::new(limits, tools(), 81, TurnState::default());
        let mut walk = Walk { machine, monitor: Monitor::default(), finishes: 0, asked: 0, results: 0, inputs: 0 };
        walk.step(0, Input::Begin);
        for (input, fitting, at) in inputs {
            let input = if fitting { fit(input, &walk.machine.state().phase) } else { input };
            walk.step(at, input);
        }
        walk.step(1, Input::Stop { usage: None });
        prop_assert!(matches!(walk.machine.state().phase, Phase::Done(_)));
        prop_assert_eq!(walk.finishes, 1);
        prop_assert_eq!(walk.asked, walk.results, "every stored call has one stored result");
        prop_assert_eq!(walk.monitor.calls(), walk.asked);
        walk.monitor.end();
        walk.step(2, Input::Text("late".to_owned()));
    }
}
