//! What it costs to govern a history of 5,000 rows: within a roomy window, over the budget, and by what was decided before.
//! Prints milliseconds; the last line is the worst of them.

use std::collections::HashMap;
use std::hint::black_box;
use std::time::Instant;

use nanobot_engine::govern::{
    ContextBudget, ContextGovernance, Decisions, GovernError, Governed, Surroundings, row_cost,
};
use nanobot_engine::id::{MessageId, TurnId};
use nanobot_engine::message::{Block, Message, Origin, Role, Row, ToolCall};
use nanobot_engine::tool::CallStatus;
use uuid::Uuid;

const ROWS: u128 = 5_000;
const RUNS: u32 = 50;

/// Turns of ten rows: a question, four rounds with a call and a result of a kilobyte or more, an answer.
fn history() -> Vec<Row> {
    let message = |number: u128| -> Message {
        let (turn, place) = (number / 10, number % 10);
        match place {
            0 => Message::user(format!("question {turn}: {}", "what about it? ".repeat(10))),
            9 => Message {
                role: Role::Assistant,
                blocks: vec![Block::Text { text: format!("answer {turn}: {}", "it is so. ".repeat(40)) }],
            },
            place if place % 2 == 1 => {
                let id = format!("call_{number}");
                let arguments = serde_json::json!({"path": format!("src/file_{number}.rs"), "offset": number as u64});
                let serde_json::Value::Object(arguments) = arguments else { unreachable!() };
                let call = ToolCall { id, name: "read_file".to_owned(), arguments, malformed: None, signature: None };
                Message { role: Role::Assistant, blocks: vec![Block::Call(call)] }
            }
            _ => Message {
                role: Role::Tool,
                blocks: vec![Block::Result {
                    call_id: format!("call_{}", number - 1),
                    name: "read_file".to_owned(),
                    status: CallStatus::Ok,
                    text: "let line = of(\"code\");\n".repeat(40 + number as usize % 40),
                }],
            },
        }
    };
    let row = |number: u128| Row {
        id: MessageId(Uuid::from_u128(number + 1)),
        seq: number as u64,
        turn_id: TurnId(Uuid::from_u128(number / 10)),
        parent_id: None,
        message: message(number),
        context: number.is_multiple_of(10).then(|| "[Now: Monday, 10:00]".to_owned()),
        interrupted: false,
        origin: Origin::User,
        client_message_id: None,
        created_at: 0,
    };
    // The last row is a result, which the model is about to read.
    (0..ROWS - 1).map(row).collect()
}

fn measure(name: &str, mut govern: impl FnMut() -> Result<Governed, GovernError>) -> f64 {
    let mut best = f64::MAX;
    let mut governed = govern();
    for _ in 0..RUNS {
        let since = Instant::now();
        governed = black_box(govern());
        best = best.min(since.elapsed().as_secs_f64() * 1e3);
    }
    let Ok(governed) = governed else { return f64::NAN };
    let steps: Vec<&str> = governed.steps.iter().map(|step| step.name.as_str()).collect();
    println!(
        "{name}: {best:.2} ms ({} messages, {} tokens, steps {steps:?})",
        governed.messages.len(),
        governed.tokens
    );
    best
}

fn main() {
    let rows = history();
    let costs: HashMap<MessageId, _> = rows.iter().map(|row| (row.id, row_cost(row))).collect();
    let fresh = Surroundings::default();
    let kept = Surroundings { costs: Some(&costs), ..Surroundings::default() };
    let roomy = ContextGovernance { budget: ContextBudget::new(4_000_000, 8_192, 16_000) };
    let usual = ContextGovernance { budget: ContextBudget::new(128_000, 8_192, 16_000) };
    let none = Decisions::default();
    let govern = |governance: ContextGovernance, decisions: &Decisions, around: &Surroundings<'_>| {
        governance.govern(&rows, decisions, around)
    };
    let Ok(Governed { decisions: decided, .. }) = govern(usual, &none, &fresh) else { return };
    let worst = [
        measure("all of it fits", || govern(roomy, &none, &fresh)),
        measure("all of it fits, costs kept", || govern(roomy, &none, &kept)),
        measure("over the budget", || govern(usual, &none, &fresh)),
        measure("over the budget, costs kept", || govern(usual, &none, &kept)),
        measure("decided before", || govern(usual, &decided, &fresh)),
    ]
    .into_iter()
    .fold(0.0, f64::max);
    println!("{worst:.2}");
}
