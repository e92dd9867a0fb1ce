//! Hashes tell requests apart, and a request made again from what is stored is the one that was sent.

use nanobot_engine::id::TurnId;
use nanobot_engine::message::{Origin, ToolCall};
use nanobot_engine::tool::Concurrency;
use proptest::prelude::*;
use uuid::Uuid;

use super::*;

fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest { model: "m".to_owned(), messages, ..ModelRequest::default() }
}

fn assistant(blocks: Vec<Block>) -> Message {
    Message { role: Role::Assistant, blocks }
}

#[test]
fn whatever_differs_gives_another_hash() {
    let text = |text: &str| Block::Text { text: text.to_owned() };
    let signed = |value: &str| Block::Thinking {
        text: "ab".to_owned(),
        signature: Some(Signature { by: "m".to_owned(), value: value.to_owned() }),
    };
    let item = |text: &str| Block::ProviderItem { by: "m".to_owned(), item: serde_json::from_str(text).unwrap() };
    let base = request(vec![Message::user("hello")]);
    let all = [
        base.clone(),
        request(Vec::new()),
        request(vec![Message::user("hell"), Message::user("o")]),
        request(vec![assistant(vec![text("hello")])]),
        request(vec![assistant(vec![text("hel"), text("lo")])]),
        request(vec![assistant(vec![signed("a")])]),
        request(vec![assistant(vec![signed("b")])]),
        request(vec![assistant(vec![item("{\"a\":1,\"b\":2}")])]),
        request(vec![assistant(vec![item("{\"b\":2,\"a\":1}")])]),
        request(vec![assistant(vec![Block::Pause])]),
        ModelRequest { plain: true, ..base.clone() },
        ModelRequest { temperature: Some(0.0), ..base.clone() },
        ModelRequest { temperature: Some(0.1), ..base.clone() },
        ModelRequest { reasoning_effort: Some(String::new()), ..base.clone() },
        ModelRequest { max_tokens: 1, ..base.clone() },
        ModelRequest { tool_choice: ToolChoice::None, ..base.clone() },
    ];
    let mut hashes: Vec<String> = all.iter().map(|request| hash_of(request, "s", "t")).collect();
    hashes.push(hash_of(&base, "st", ""));
    hashes.push(hash_of(&base, "", "st"));
    let count = hashes.len();
    assert_eq!(hash_of(&base, "s", "t"), hashes[0]);
    hashes.sort();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
    assert_eq!(hashes[0].len(), 32);
}

/// What a turn does next.
#[derive(Clone, Debug)]
enum Move {
    Ask(String),
    Call { tool: &'static str, arguments: String, lines: usize },
    Think(String),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let tool = prop_oneof![Just("read_file"), Just("grep"), Just("write_file")];
    let a_move = prop_oneof![
        1 => "\\PC{1,200}".prop_map(Move::Ask),
        4 => (tool, "[a-z\"\\\\é]{0,30}", 0..400_usize)
            .prop_map(|(tool, arguments, lines)| Move::Call { tool, arguments, lines }),
        1 => "[ -~]{0,300}".prop_map(Move::Think),
    ];
    proptest::collection::vec(a_move, 1..40)
}

#[derive(Default)]
struct Branch {
    rows: Vec<Row>,
}

impl Branch {
    fn add(&mut self, role: Role, blocks: Vec<Block>) {
        let number = self.rows.len() as u128 + 1;
        self.rows.push(Row {
            id: MessageId(Uuid::from_u128(number)),
            seq: number as u64,
            turn_id: TurnId(Uuid::from_u128(1)),
            parent_id: self.rows.last().map(|row| row.id),
            message: Message { role, blocks },
            context: (role == Role::User).then(|| "[It is noon.]".to_owned()),
            interrupted: false,
            origin: Origin::User,
            client_message_id: None,
            created_at: 0,
        });
    }

    fn go(&mut self, step: &Move) {
        match step {
            Move::Ask(text) => self.add(Role::User, vec![Block::Text { text: text.clone() }]),
            Move::Think(text) => self.add(
                Role::Assistant,
                vec![
                    Block::Thinking { text: text.clone(), signature: None },
                    Block::Text { text: format!("said {text}") },
                ],
            ),
            Move::Call { tool, arguments, lines } => {
                let id = format!("c{}", self.rows.len());
                let arguments = serde_json::Map::from_iter([
                    ("z".to_owned(), arguments.as_str().into()),
                    ("a".to_owned(), serde_json::json!([1.5, null, {"b": arguments}])),
                ]);
                let name = (*tool).to_owned();
                let call = ToolCall { id: id.clone(), name: name.clone(), arguments, malformed: None, signature: None };
                self.add(Role::Assistant, vec![Block::Call(call)]);
                let text = "a line of a result\n".repeat(*lines);
                self.add(Role::Tool, vec![Block::Result { call_id: id, name, status: CallStatus::Ok, text }]);
            }
        }
    }

    /// The rows as they come out of the database.
    fn read_back(&self) -> Vec<Row> {
        let read = |row: &Row| {
            let blocks = serde_json::from_str(&serde_json::to_string(&row.message.blocks).unwrap()).unwrap();
            Row { message: Message { role: row.message.role, blocks }, ..row.clone() }
        };
        self.rows.iter().map(read).collect()
    }
}

fn tools() -> Vec<ToolSpec> {
    let spec = |name: &str, concurrency| ToolSpec {
        name: name.to_owned(),
        description: format!("{name} does it"),
        parameters: serde_json::json!({"type": "object", "properties": {"z": {"type": "string"}, "a": {}}}),
        concurrency,
    };
    vec![spec("grep", Concurrency::Shared), spec("write_file", Concurrency::Exclusive)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_request_made_again_is_the_one_that_was_sent(moves in moves(), window in 3_000..9_000_u64, factor in 800..1_600_u64) {
        let (system, specs): (Arc<str>, Arc<[ToolSpec]>) = ("You are nanobot.".into(), tools().into());
        let (system_body, tools_body) = (Body::new(Arc::clone(&system)), Body::of_tools(&specs));
        let mut calibration = Calibration::default();
        calibration.observe(1_000, factor);
        let mut branch = Branch::default();
        branch.add(Role::User, vec![Block::Text { text: "go".to_owned() }]);
        let mut decisions = Decisions::default();
        for step in &moves {
            branch.go(step);
            let recipe = Recipe {
                system: system_body.hash.clone(),
                tools: tools_body.hash.clone(),
                decisions: None,
                leaf: branch.rows.last().map(|row| row.id),
                candidate: 0,
                model: "m".to_owned(),
                budget: ContextBudget::new(window, 500, 4_000),
                calibration,
                force: None,
                extra: vec![Message::user("of a hook")],
                from_hooks: 1,
                tool_choice: ToolChoice::Auto,
                max_tokens: 500,
                temperature: Some(0.1 + 0.2),
                reasoning_effort: None,
                plain: false,
                steps: Vec::new(),
                estimated_tokens: 0,
                messages: 0,
                hash: String::new(),
            };
            let given = Ingredients {
                system: Arc::clone(&system),
                tools: Arc::clone(&specs),
                decisions: Arc::new(decisions.clone()),
            };
            let Ok(sent) = recipe.make(&branch.rows, &given) else { return Ok(()) };
            prop_assert!(sent.governed.tokens <= recipe.budget.input_tokens());

            let recipe: Recipe = serde_json::from_str(&serde_json::to_string(&recipe).unwrap()).unwrap();
            let read = Ingredients {
                system: system_body.text.clone(),
                tools: serde_json::from_str::<Vec<ToolSpec>>(&tools_body.text).unwrap().into(),
                decisions: Arc::new(serde_json::from_str(&Body::of_decisions(&decisions).text).unwrap()),
            };
            let again = recipe.make(&branch.read_back(), &read).unwrap();
            prop_assert_eq!(&again.request, &sent.request);
            prop_assert_eq!(&again.hash, &sent.hash);
            prop_assert_eq!(&again.governed.decisions, &sent.governed.decisions);
            decisions = sent.governed.decisions;
        }
    }
}
