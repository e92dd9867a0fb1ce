//! Random histories: broken and whole, small and huge.

use nanobot_engine::message::{Block, Message, Role, Row};
use nanobot_engine::tool::CallStatus;
use proptest::prelude::*;
use serde_json::json;

use crate::support::build::{assistant, call, result, row, text, thinking, user};

fn id() -> impl Strategy<Value = String> {
    prop_oneof![1 => Just(""), 6 => Just("a"), 6 => Just("b"), 6 => Just("c"), 3 => Just("a_2"), 1 => Just("调用|1")]
        .prop_map(str::to_owned)
}

fn tool() -> impl Strategy<Value = &'static str> {
    prop_oneof![4 => Just("read_file"), 2 => Just("mcp_files_get"), 2 => Just("write_file"), 1 => Just("")]
}

fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        10 => "[a-z]{1,8}",
        6 => "[的文字你好👩‍👧é]{1,6}",
        3 => Just(" \n".to_owned()),
        4 => (500..3_000_usize).prop_map(|size| "word ".repeat(size / 5)),
        3 => (500..3_000_usize).prop_map(|size| "字".repeat(size)),
        1 => (10_000..60_000_usize).prop_map(|size| "x".repeat(size)),
    ]
}

fn output() -> impl Strategy<Value = String> {
    prop_oneof![
        60 => words(),
        30 => (600..18_000_usize).prop_map(|size| "line\n".repeat(size / 5)),
        1 => Just("m".repeat(1_000_000)),
    ]
}

fn sealed() -> impl Strategy<Value = Block> {
    let item =
        |size: usize| Block::ProviderItem { by: "stub/model".to_owned(), item: json!({"data": "E".repeat(size)}) };
    prop_oneof![8 => Just(10_usize), 1 => Just(20_000)].prop_map(item)
}

fn media() -> impl Strategy<Value = Block> {
    prop_oneof![
        Just(Block::Image { mime: "image/png".to_owned(), media_id: "m1".to_owned() }),
        Just(Block::Document {
            mime: "application/pdf".to_owned(),
            name: "a.pdf".to_owned(),
            media_id: "m2".to_owned()
        }),
    ]
}

fn block() -> impl Strategy<Value = Block> {
    let arguments = prop_oneof![8 => Just(3_usize), 1 => Just(30_000)];
    let status = prop_oneof![Just(CallStatus::Ok), Just(CallStatus::Error), Just(CallStatus::Unknown)];
    prop_oneof![
        4 => words().prop_map(text),
        4 => (id(), tool(), arguments).prop_map(|(id, tool, size)| Block::Call(call(&id, tool, json!({"p": "p".repeat(size)})))),
        2 => (id(), output(), status).prop_map(|(call_id, text, status)| Block::Result {
            call_id, name: "read_file".to_owned(), status, text,
        }),
        1 => (words(), proptest::option::of(Just("SIG"))).prop_map(|(text, signature)| thinking(&text, signature)),
        1 => sealed(),
        1 => Just(Block::Pause),
        1 => media(),
    ]
}

/// One to three messages: whole rounds for the most part, and rubble.
fn stretch() -> impl Strategy<Value = Vec<Message>> {
    let any_role = prop_oneof![Just(Role::User), Just(Role::Assistant), Just(Role::Tool), Just(Role::Notice)];
    let round = (id(), tool(), output(), any::<bool>()).prop_map(|(id, tool, output, thinks)| {
        let mut blocks = Vec::new();
        if thinks {
            blocks.push(thinking("", Some("SIG")));
        }
        blocks.push(Block::Call(call(&id, tool, json!({"n": 1}))));
        vec![assistant(blocks), result(&id, tool, &output)]
    });
    prop_oneof![
        3 => words().prop_map(|words| vec![user(&words)]),
        8 => round,
        2 => words().prop_map(|words| vec![assistant(vec![text(words)])]),
        1 => (media(), words()).prop_map(|(media, words)| vec![Message { role: Role::User, blocks: vec![media, text(words)] }]),
        1 => (sealed(), words()).prop_map(|(sealed, words)| vec![
            assistant(vec![sealed, text(words), Block::Pause]),
            assistant(vec![text("and on")]),
        ]),
        1 => (id(), output()).prop_map(|(id, output)| vec![result(&id, "read_file", &output)]),
        2 => (any_role, proptest::collection::vec(block(), 0..4)).prop_map(|(role, blocks)| vec![Message { role, blocks }]),
    ]
}

/// Rows whose texts begin with a mark of their own, and the rows that are pinned.
pub(super) fn history() -> impl Strategy<Value = (Vec<Row>, Vec<usize>)> {
    let stretches = proptest::collection::vec((stretch(), any::<bool>(), proptest::bool::weighted(0.2)), 0..28);
    (stretches, proptest::collection::vec(any::<prop::sample::Index>(), 0..3)).prop_map(|(stretches, pinned)| {
        let mut rows: Vec<Row> = Vec::new();
        let mut turn = 1;
        for (messages, new_turn, facts) in stretches {
            turn += u128::from(new_turn);
            for message in messages {
                let number = rows.len() as u64 + 1;
                let mut row = row(number, turn, message);
                if facts && row.message.role == Role::User {
                    row.context = Some("[Now: Monday]".to_owned());
                }
                mark_all(&mut row);
                rows.push(row);
            }
        }
        let pinned = if rows.is_empty() { Vec::new() } else { pinned.iter().map(|at| at.index(rows.len())).collect() };
        (rows, pinned)
    })
}

fn mark_all(row: &mut Row) {
    for (at, block) in row.message.blocks.iter_mut().enumerate() {
        let mark = format!("<{}.{at}>", row.seq);
        match block {
            Block::Text { text } | Block::Result { text, .. } if !text.trim().is_empty() => {
                *text = format!("{mark}{text}")
            }
            Block::Call(call) => _ = call.arguments.insert("mark".to_owned(), json!(mark)),
            _ => {}
        }
    }
}

/// Everything that is sent, as one text.
pub(super) fn sent(messages: &[Message]) -> String {
    let mut out = String::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        match block {
            Block::Text { text } | Block::Result { text, .. } => out.push_str(text),
            Block::Call(call) => out.push_str(&serde_json::to_string(&call.arguments).unwrap()),
            _ => {}
        }
        out.push('\n');
    }
    out
}

/// The marks of a row.
pub(super) fn marks(row: &Row) -> Vec<String> {
    let marked = row.message.blocks.iter().enumerate().filter(|(_, block)| match block {
        Block::Text { text } | Block::Result { text, .. } => !text.trim().is_empty(),
        Block::Call(_) => true,
        _ => false,
    });
    marked.map(|(at, _)| format!("<{}.{at}>", row.seq)).collect()
}
