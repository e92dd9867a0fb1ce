//! The rules of the Messages API, written as a check of a request body.
//!
//! From the public documents "Messages", "Tool use", "Extended thinking", "Prompt caching", "Vision" and "Server tools".

use std::collections::HashSet;

use base64::Engine;
use nanobot_engine::message::{Block, Role};
use nanobot_engine::model::{ModelRequest, ToolChoice};
use serde_json::Value;

const FIELDS: [&str; 10] = [
    "model",
    "max_tokens",
    "system",
    "messages",
    "tools",
    "tool_choice",
    "thinking",
    "output_config",
    "temperature",
    "stream",
];

macro_rules! require {
    ($holds:expr, $($what:tt)+) => {
        if !$holds {
            return Err(format!($($what)+));
        }
    };
}

type Checked = Result<(), String>;

/// What a body breaks, if anything. `by` is who is asked.
pub(super) fn check(body: &Value, request: &ModelRequest, by: &str) -> Checked {
    for key in body.as_object().expect("an object").keys() {
        require!(FIELDS.contains(&key.as_str()), "unknown field {key}");
    }
    require!(!body["model"].as_str().unwrap_or_default().starts_with("anthropic/"), "model prefix");
    require!(body["max_tokens"].as_u64().is_some_and(|n| n >= 1) && body["stream"] == true, "limits");
    let messages = body["messages"].as_array().expect("a list");
    check_turns(messages, request)?;
    for message in messages {
        check_content(message, request, by)?;
    }
    check_calls(messages, body)?;
    check_settings(body, messages, request)
}

fn content(message: &Value) -> &[Value] {
    message["content"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn kind(block: &Value) -> &str {
    block["type"].as_str().unwrap_or_default()
}

fn is_thinking(block: &Value) -> bool {
    matches!(kind(block), "thinking" | "redacted_thinking")
}

fn check_turns(messages: &[Value], request: &ModelRequest) -> Checked {
    require!(messages.first().is_some_and(|first| first["role"] == "user"), "the user first");
    require!(messages.windows(2).all(|pair| pair[0]["role"] != pair[1]["role"]), "roles in turn");
    let last = messages.last().expect("a message");
    if last["role"] == "assistant" {
        let latest = request.messages.iter().rfind(|message| message.role == Role::Assistant);
        let is_paused = latest.is_some_and(|message| message.blocks.last() == Some(&Block::Pause));
        require!(is_paused && !request.plain, "an assistant message at the end");
        let text = content(last).last().and_then(|block| block["text"].as_str()).unwrap_or_default();
        require!(text.trim_end() == text, "white space at the end");
    }
    Ok(())
}

fn check_content(message: &Value, request: &ModelRequest, by: &str) -> Checked {
    let blocks = content(message);
    require!(!blocks.is_empty(), "an empty message");
    for block in blocks {
        let is_users = matches!(kind(block), "text" | "image" | "document" | "tool_result");
        require!((message["role"] == "user") == is_users || kind(block) == "text", "{block} in {}", message["role"]);
        match kind(block) {
            "text" => check_text(&block["text"])?,
            "image" | "document" => check_source(block)?,
            "tool_result" => match &block["content"] {
                Value::Array(inner) => {
                    for block in inner {
                        if kind(block) == "text" { check_text(&block["text"])? } else { check_source(block)? }
                    }
                }
                text => check_text(text)?,
            },
            "tool_use" => require!(block["input"].is_object(), "input: {block}"),
            _ => require!(is_ours(block, request, by), "not ours: {block}"),
        }
        if request.plain {
            require!(matches!(kind(block), "text" | "tool_use" | "tool_result"), "not plain: {block}");
        }
    }
    if message["role"] == "assistant" {
        require!(!blocks.last().is_some_and(is_thinking), "thinking at the end");
    }
    Ok(())
}

fn check_text(text: &Value) -> Checked {
    let text = text.as_str().ok_or("no text")?;
    require!(!text.trim().is_empty() && !text.contains('\0'), "blank or NUL: {text:?}");
    Ok(())
}

fn check_source(block: &Value) -> Checked {
    let source = &block["source"];
    require!(source["type"] == "base64", "source: {block}");
    let data = source["data"].as_str().unwrap_or_default();
    require!(!data.is_empty() && base64::engine::general_purpose::STANDARD.decode(data).is_ok(), "data: {block}");
    let mime = source["media_type"].as_str().unwrap_or_default();
    let images = ["image/jpeg", "image/png", "image/gif", "image/webp"];
    require!(if kind(block) == "image" { images.contains(&mime) } else { mime == "application/pdf" }, "{mime}");
    Ok(())
}

/// Is this, byte for byte, something that the model that is asked had sealed?
fn is_ours(block: &Value, request: &ModelRequest, by: &str) -> bool {
    request.messages.iter().flat_map(|message| &message.blocks).any(|stored| match stored {
        Block::Thinking { text, signature: Some(signature) } => {
            kind(block) == "thinking"
                && signature.by == by
                && block["thinking"] == text.as_str()
                && block["signature"] == signature.value.as_str()
        }
        Block::ProviderItem { by: maker, item } => {
            let bytes = [item, block].map(Value::to_string);
            maker == by && bytes[0] == bytes[1]
        }
        _ => false,
    })
}

fn ids<'a>(message: &'a Value, of: &[&str], key: &str) -> Vec<&'a str> {
    content(message).iter().filter(|b| of.contains(&kind(b))).map(|b| b[key].as_str().unwrap_or_default()).collect()
}

fn check_calls(messages: &[Value], body: &Value) -> Checked {
    let is_legal = |text: &str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let (mut seen, mut expected) = (HashSet::new(), Vec::new());
    for (position, message) in messages.iter().enumerate() {
        let results = ids(message, &["tool_result"], "tool_use_id");
        require!(results == expected, "results {results:?} for calls {expected:?}");
        let head = content(message).iter().take(results.len());
        require!(head.clone().all(|block| kind(block) == "tool_result"), "results first");
        expected = ids(message, &["tool_use"], "id");
        for name in ids(message, &["tool_use"], "name") {
            require!(is_legal(name) && name.len() <= 128, "name {name:?}");
        }
        for id in ids(message, &["tool_use", "server_tool_use", "mcp_tool_use"], "id") {
            require!(is_legal(id) && id.len() <= 64 && seen.insert(id), "id {id:?}");
        }
        require!(
            body["tools"].is_array() || (expected.is_empty() && results.is_empty()),
            "blocks of calls in a request without tools"
        );
        check_server_tools(content(message), position + 1 == messages.len())?;
    }
    require!(expected.is_empty(), "calls without results at the end");
    Ok(())
}

fn check_server_tools(blocks: &[Value], is_last: bool) -> Checked {
    let mut open = Vec::new();
    for block in blocks {
        if matches!(kind(block), "server_tool_use" | "mcp_tool_use") {
            open.push(&block["id"]);
        } else {
            if kind(block).ends_with("_tool_result") {
                let before = open.len();
                open.retain(|id| **id != block["tool_use_id"]);
                require!(open.len() + 1 == before, "a result of no call: {block}");
            }
            require!(open.is_empty() || kind(block).ends_with("_tool_result") || has_result(blocks, &open), "{block}");
        }
    }
    require!(open.is_empty() || is_last, "a server tool without its result");
    Ok(())
}

fn has_result(blocks: &[Value], open: &[&Value]) -> bool {
    open.iter().all(|id| blocks.iter().any(|block| block["tool_use_id"] == **id))
}

fn check_settings(body: &Value, messages: &[Value], request: &ModelRequest) -> Checked {
    let choice = kind(&body["tool_choice"]);
    let want = match request.tool_choice {
        _ if request.tools.is_empty() => "",
        ToolChoice::Auto => "auto",
        ToolChoice::None => "none",
    };
    require!(choice == want && body["tools"].is_array() != request.tools.is_empty(), "tool choice {choice:?}");
    let temperature = body["temperature"].as_f64();
    require!(temperature.is_none_or(|t| (0.0..=1.0).contains(&t)), "temperature {temperature:?}");
    let markers = body.to_string().matches("\"cache_control\"").count();
    require!(markers <= 4, "{markers} markers");
    let marked = messages.iter().flat_map(content).filter(|block| block.get("cache_control").is_some());
    require!(marked.clone().all(|b| matches!(kind(b), "text" | "image" | "document" | "tool_result")), "marker");
    let thinking = &body["thinking"];
    match kind(thinking) {
        "enabled" => {
            let budget = thinking["budget_tokens"].as_u64().unwrap_or(0);
            require!(budget >= 1_024 && budget < body["max_tokens"].as_u64().unwrap_or(0), "budget {budget}");
            require!(temperature.is_none_or(|t| t == 1.0), "temperature {temperature:?} with thinking");
            let start = open_round(messages).last().and_then(|blocks| blocks.iter().find(|b| kind(b) != "compaction"));
            require!(start.is_none_or(is_thinking), "an open round without thinking");
        }
        "adaptive" => require!(temperature.is_none(), "temperature with adaptive thinking"),
        "disabled" | "" => {
            let asks_back = ["model", "claude-sonnet-5", "claude-fable-5"].map(Value::from).contains(&body["model"]);
            let is_off = kind(thinking) == "disabled" || !asks_back;
            let mut blocks = open_round(messages).into_iter().flatten();
            require!(!is_off || !blocks.any(is_thinking), "thinking in an open round of a model that does not think");
        }
        other => return Err(format!("thinking {other}")),
    }
    if !thinking.is_null() {
        require!(kind(thinking) == "disabled" || choice != "none", "thinking where no tool may be called");
    }
    if request.plain {
        require!(thinking.is_null() && temperature.is_none() && markers == 0, "not plain");
        require!(body.get("output_config").is_none(), "not plain");
    }
    Ok(())
}

/// The answers of the round of calls that is not over, newest first.
fn open_round(messages: &[Value]) -> Vec<&[Value]> {
    let is_result = |block: &Value| kind(block) == "tool_result";
    let mut round = Vec::new();
    for message in messages.iter().rev() {
        let blocks = content(message);
        if message["role"] == "assistant" {
            round.push(blocks);
        } else {
            let goes_on = if round.is_empty() { blocks.iter().any(is_result) } else { blocks.iter().all(is_result) };
            if !goes_on {
                break;
            }
        }
    }
    round
}
