//! The demo model's answers, step by step.

use std::sync::Arc;
use std::time::Duration;

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{Media, ModelRequest, Reply, StreamEnd, StreamItem, ToolChoice};
use nanobot_engine::tool::{CallStatus, Concurrency, ToolSpec};
use serde_json::json;

use super::DemoProvider;
use super::listing::Listing;
use crate::provider::Provider;

fn request(messages: Vec<Message>) -> ModelRequest {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: String::new(),
        parameters: json!({"type": "object"}),
        concurrency: Concurrency::Shared,
    };
    ModelRequest {
        model: DemoProvider::MODEL.into(),
        system: "system".into(),
        messages,
        tools: Arc::from([tool("list_dir"), tool("read_file")]),
        max_tokens: 1_000,
        temperature: None,
        reasoning_effort: None,
        tool_choice: ToolChoice::Auto,
        media: Media::default(),
        plain: false,
    }
}

async fn ask(request: ModelRequest) -> Reply {
    let mut stream = DemoProvider::new(Duration::ZERO).start(request).await;
    let (mut items, mut reasoning, mut text) = (Vec::new(), String::new(), String::new());
    loop {
        stream.next(&mut items).await;
        for item in items.drain(..) {
            match item {
                StreamItem::Reasoning(more) => reasoning.push_str(&more),
                StreamItem::Text(more) => text.push_str(&more),
                StreamItem::ProviderTool(event) => panic!("the demo has no tools of its own: {event:?}"),
                StreamItem::End(reply) => {
                    let message = Message { role: Role::Assistant, blocks: reply.blocks.clone() };
                    assert_eq!((message.text(), message.reasoning().unwrap_or_default()), (text, reasoning));
                    return *reply;
                }
            }
        }
    }
}

fn call(reply: &Reply) -> Option<&ToolCall> {
    reply.blocks.iter().find_map(|block| if let Block::Call(call) = block { Some(call) } else { None })
}

fn text(reply: &Reply) -> String {
    Message { role: Role::Assistant, blocks: reply.blocks.clone() }.text()
}

/// Answers the reply's call, and asks again.
fn answered(mut messages: Vec<Message>, reply: &Reply, status: CallStatus, result: &str) -> Vec<Message> {
    let call = call(reply).expect("a call");
    let result = Block::Result { call_id: call.id.clone(), name: call.name.clone(), status, text: result.into() };
    messages.push(Message { role: Role::Assistant, blocks: reply.blocks.clone() });
    messages.push(Message { role: Role::Tool, blocks: vec![result] });
    messages
}

#[tokio::test]
async fn it_lists_reads_and_tells() {
    let messages = vec![Message::user("what is in here?")];
    let reply = ask(request(messages.clone())).await;
    let list = call(&reply).expect("a call");
    assert_eq!((list.name.as_str(), json!(list.arguments)), ("list_dir", json!({"path": "."})));

    let messages = answered(messages, &reply, CallStatus::Ok, "📁 src\n📄 a.txt\n📄 ReadMe.md\n(3 entries)");
    let reply = ask(request(messages.clone())).await;
    let read = call(&reply).expect("a call");
    assert_eq!((read.name.as_str(), json!(read.arguments)), ("read_file", json!({"path": "ReadMe.md"})));
    assert_ne!(read.id, list.id);

    let messages = answered(messages, &reply, CallStatus::Ok, "1| # My notes\n2| \n3| about cats");
    let reply = ask(request(messages.clone())).await;
    assert_eq!(call(&reply), None);
    assert_eq!(reply.end, StreamEnd::Complete);
    let said = text(&reply);
    assert!(said.contains("There are 3 entries here: 1 folder and 2 files."), "{said}");
    assert!(said.contains("~~~text\n# My notes\nabout cats\n~~~"), "{said}");
    assert!(said.contains("I am the built-in demo model: scripted, offline"), "{said}");
    let usage = reply.usage.expect("an estimate");
    assert!(usage.estimated && usage.input_tokens > 10 && usage.output_tokens > 50);
    assert_eq!(ask(request(messages)).await, reply, "the same conversation, the same answer");
}

#[tokio::test]
async fn it_copes_with_nothing_and_with_refusal() {
    let messages = vec![Message::user("go")];
    let first = ask(request(messages.clone())).await;
    for empty in ["", "(empty)", "(Empty folder: .)"] {
        let reply = ask(request(answered(messages.clone(), &first, CallStatus::Ok, empty))).await;
        assert!(call(&reply).is_none() && text(&reply).contains("The workspace is empty"), "{empty:?}");
    }
    let reply = ask(request(answered(messages.clone(), &first, CallStatus::Denied, "Error: not allowed"))).await;
    assert!(call(&reply).is_none() && text(&reply).contains("not allowed"));
    let mut without_tools = request(messages);
    without_tools.tools = Arc::from([]);
    assert!(call(&ask(without_tools).await).is_none());
}

#[tokio::test]
async fn words_choose_the_answer() {
    for (word, want) in [
        ("Hi!", "Try one of these"),
        ("help", "Try one of these"),
        ("show me Markdown", "| `read_file` |"),
        ("please think", "**204**"),
    ] {
        let reply = ask(request(vec![Message::user(word)])).await;
        assert!(text(&reply).contains(want) && text(&reply).contains("built-in demo model"), "{word}");
        assert_eq!(reply.end, StreamEnd::Complete);
    }
    let mut hello = Message::user("hello");
    hello.blocks.push(Block::Text { text: "\n\nThe workspace has an error.".into() });
    assert!(text(&ask(request(vec![hello])).await).contains("Try one of these"));
    let reply = ask(request(vec![Message::user("error")])).await;
    assert!(matches!(reply.end, StreamEnd::Error(_)));
    assert!(call(&ask(request(vec![Message::user("help me list files")])).await).is_some());
}

#[test]
fn listings_are_read_in_several_forms() {
    for text in [
        "📁 src\n📄 a b.txt\n📄 z.md",
        "src/\na b.txt\nz.md\n",
        "Contents of .:\nsrc/\na b.txt  12 B\nz.md (3 KB)\n… 4 more",
        "(3 of 9 entries shown; list a folder below, or raise max_entries)\nsrc/\na b.txt  12 B\nz.md  (link)",
    ] {
        let want = Listing { folders: vec!["src".into()], files: vec!["a b.txt".into(), "z.md".into()] };
        assert_eq!(Listing::read(text), want, "{text}");
        assert_eq!(want.best_file(), Some("z.md"));
    }
}
