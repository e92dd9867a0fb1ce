//! What the demo model says and does: a pure function of the conversation.

use nanobot_engine::message::{Block, Message, Role, ToolCall};
use nanobot_engine::model::{ModelError, ModelErrorKind, ModelRequest, StreamEnd};
use nanobot_engine::text;
use nanobot_engine::tool::CallStatus;
use serde_json::{Map, Value};

use super::listing::{Listing, first_lines};

/// How the demo model introduces itself; each answer carries some of it.
const LABEL: &str = "I am the built-in demo model: scripted, offline, and not intelligent.";

/// One answer.
#[derive(Debug)]
pub(super) struct Script {
    pub(super) reasoning: String,
    pub(super) text: String,
    pub(super) call: Option<ToolCall>,
    pub(super) end: StreamEnd,
}

impl Script {
    fn answer(reasoning: impl Into<String>, text: impl Into<String>) -> Self {
        Self { reasoning: reasoning.into(), text: text.into(), call: None, end: StreamEnd::Complete }
    }
}

/// What the person wants, by the words they used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    Error,
    Markdown,
    Thinking,
    Introduction,
    Tour,
}

impl Wish {
    fn read(message: &str) -> Self {
        let lower = message.to_lowercase();
        let says = |wanted: &[&str]| lower.split(|c: char| !c.is_alphanumeric()).any(|word| wanted.contains(&word));
        if says(&["error", "fail"]) {
            Self::Error
        } else if says(&["markdown"]) {
            Self::Markdown
        } else if says(&["think", "thinking", "reason", "reasoning"]) {
            Self::Thinking
        } else if says(&["workspace", "file", "files", "folder", "list", "read", "look"]) {
            Self::Tour
        } else if says(&["hello", "hi", "hey", "help"]) {
            Self::Introduction
        } else {
            Self::Tour
        }
    }
}

/// The next answer in this conversation.
pub(super) fn script(request: &ModelRequest) -> Script {
    let asked = request.messages.iter().rposition(|message| message.role == Role::User);
    let (wish, since) = match asked.and_then(|at| request.messages.split_at_checked(at)) {
        Some((_, [question, since @ ..])) => (Wish::read(words(question)), since),
        Some((_, [])) | None => (Wish::Introduction, &[][..]),
    };
    match wish {
        Wish::Error => error(),
        Wish::Markdown => Script::answer("A sampler of Markdown was asked for. ", MARKDOWN),
        Wish::Thinking => Script::answer(LONG_REASONING, format!("{THOUGHT}\n\n{LABEL}")),
        Wish::Introduction => introduction(),
        Wish::Tour => tour(request, since),
    }
}

/// What the person wrote, without the facts that are added to the message for a model.
fn words(question: &Message) -> &str {
    let first = question.blocks.iter().find_map(|block| match block {
        Block::Text { text } => Some(text.as_str()),
        _ => None,
    });
    first.unwrap_or_default()
}

fn error() -> Script {
    let detail = "the demo model failed because you wrote \"error\": this is how the failure of a provider looks, nothing is broken";
    let error = ModelError::new(ModelErrorKind::RefusedRequest, detail);
    Script {
        end: StreamEnd::Error(error),
        ..Script::answer(
            "The word \"error\" is in the message, so this answer will fail. ",
            "I begin to answer, and then ",
        )
    }
}

fn introduction() -> Script {
    let text = format!(
        "Hello! {LABEL} I show how nanobot works before you have set up a real model.\n\n\
         Try one of these:\n\n\
         - **look at my workspace**: I list the folder and read a file with the real tools\n\
         - **markdown**: a sampler of what answers can hold\n\
         - **think**: a longer piece of reasoning\n\
         - **error**: how a failure of a provider looks\n\n\
         To get real answers, add a provider in the settings."
    );
    Script::answer("A greeting, or a call for help. I say what I am and what can be tried. ", text)
}

/// Lists the workspace, reads one file and tells what was there.
fn tour(request: &ModelRequest, since: &[Message]) -> Script {
    let results = results(since);
    let Some(listed) = results.iter().find(|result| result.name == "list_dir") else {
        return match offers(request, "list_dir") {
            true => call(
                "I do not know this workspace. I list it first. ",
                "Let me look at the workspace.",
                "list_dir",
                ".",
                since,
            ),
            false => Script::answer(
                "There are no tools to use. ",
                format!("{LABEL} I was given no tools to look at a workspace with."),
            ),
        };
    };
    if listed.status != CallStatus::Ok {
        return refused(listed);
    }
    let listing = Listing::read(listed.text);
    let read = results.iter().find(|result| result.name == "read_file");
    match (listing.best_file(), read) {
        (_, Some(read)) if read.status != CallStatus::Ok => refused(read),
        (Some(file), Some(read)) => summary(&listing, Some((file, read.text))),
        (Some(file), None) if offers(request, "read_file") => {
            let reasoning = format!("{} The file {file} may tell what this is about. ", counted(&listing));
            call(&reasoning, &format!("I read `{file}`."), "read_file", file, since)
        }
        (Some(_) | None, _) => summary(&listing, None),
    }
}

fn summary(listing: &Listing, read: Option<(&str, &str)>) -> Script {
    if listing.files.is_empty() && listing.folders.is_empty() {
        let text = format!("The workspace is empty: there is nothing to list or read yet.\n\n{LABEL}");
        return Script::answer("The listing has no entries. ", text);
    }
    let mut text = format!("### Your workspace\n\n{}", counted(listing));
    let names = listing
        .folders
        .iter()
        .map(|name| format!("`{name}/`"))
        .chain(listing.files.iter().map(|name| format!("`{name}`")));
    for name in names.take(8) {
        text.push_str("\n- ");
        text.push_str(&name);
    }
    let more = (listing.folders.len() + listing.files.len()).saturating_sub(8);
    if more > 0 {
        text.push_str(&format!("\n- and {more} more"));
    }
    if let Some((file, content)) = read {
        let lines = first_lines(content, 3);
        if lines.is_empty() {
            text.push_str(&format!("\n\n`{file}` has no text."));
        } else {
            text.push_str(&format!("\n\n`{file}` begins:\n\n~~~text\n{}\n~~~", lines.join("\n")));
        }
    }
    text.push_str(&format!(
        "\n\n{LABEL} The tools that I used are real; for real answers add a provider in the settings."
    ));
    Script::answer("I have seen enough and tell what is there. ", text)
}

fn counted(listing: &Listing) -> String {
    let count = |number: usize, one: &str, many: &str| format!("{number} {}", if number == 1 { one } else { many });
    let folders = count(listing.folders.len(), "folder", "folders");
    let files = count(listing.files.len(), "file", "files");
    format!(
        "There are {} here: {folders} and {files}.",
        count(listing.folders.len() + listing.files.len(), "entry", "entries")
    )
}

fn refused(result: &ToolResult<'_>) -> Script {
    let said = text::one_line(result.text, 200);
    let text = format!("`{}` did not give a result, so I stop here. It said: {said}\n\n{LABEL}", result.name);
    Script::answer("The tool did not do what I asked. I do not try again. ", text)
}

/// Calls a tool that takes a path.
fn call(reasoning: &str, text: &str, tool: &str, path: &str, since: &[Message]) -> Script {
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), Value::String(path.to_owned()));
    let id = format!("demo_{}_{tool}", since.len());
    let call = ToolCall { id, name: tool.to_owned(), arguments, malformed: None, signature: None };
    Script { call: Some(call), ..Script::answer(reasoning, text) }
}

fn offers(request: &ModelRequest, tool: &str) -> bool {
    request.tools.iter().any(|spec| spec.name == tool)
}

struct ToolResult<'a> {
    name: &'a str,
    status: CallStatus,
    text: &'a str,
}

fn results(messages: &[Message]) -> Vec<ToolResult<'_>> {
    let blocks = messages.iter().flat_map(|message| &message.blocks);
    blocks
        .filter_map(|block| match block {
            Block::Result { name, status, text, .. } => Some(ToolResult { name, status: *status, text }),
            _ => None,
        })
        .collect()
}

const LONG_REASONING: &str = "Someone wants to see me think. I am a script, so this is a recital, but it shows how reasoning streams. \
First: how many squares are on a chessboard? Not only the 64 small ones. There are 8 × 8 of side one, 7 × 7 of side two, and so on. \
So the number is 64 + 49 + 36 + 25 + 16 + 9 + 4 + 1. Step by step: 64 and 49 make 113, and 36 is 149, and 25 is 174. \
Then 16 makes 190, 9 makes 199, 4 makes 203, and 1 makes 204. \
A check: n (n + 1) (2n + 1) / 6 with n = 8 is 8 × 9 × 17 / 6, which is 1224 / 6, which is 204. Both ways agree. ";

const THOUGHT: &str = "A chessboard has **204** squares when those of every size are counted: 8² + 7² + … + 1² = 204.";

const MARKDOWN: &str = "# Markdown sampler

I am the built-in demo model: scripted, offline. Answers may hold *emphasis*, **strong words**, `code` and [links](https://example.com).

> A quotation, to be read slowly.

1. First
2. Second
   - with a point below

| Tool | Does | Changes files |
| --- | --- | :-: |
| `list_dir` | lists a folder | no |
| `read_file` | reads a file | no |
| `write_file` | writes a file | yes |

```rust
fn main() {
    println!(\"hello from the demo model\");
}
```

- [x] streaming
- [ ] a real model: add one in the settings
";
