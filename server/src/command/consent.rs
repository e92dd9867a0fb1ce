//! Questions in the terminal: what is asked, and the answer of whoever sits there.

use std::io::{BufRead, IsTerminal, Write};

use nanobot_engine::approval::{Approval, ApprovalDecision, ApprovalKind};
use tokio::sync::oneshot;

/// Longest arguments that are shown, in characters.
const MAX_SHOWN_CHARS: usize = 2_000;

/// The decision, and what to tell the model of it. Where nobody can be asked it is a refusal, so that no script waits for ever.
pub(super) async fn ask(approval: &Approval, json: bool) -> (ApprovalDecision, Option<String>) {
    if json || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        let reason = "nobody is at this terminal to answer";
        if !json {
            eprintln!("\u{b7} {} was not allowed: {reason}", subject(approval));
        }
        return (ApprovalDecision::Deny, Some(reason.to_owned()));
    }
    let session = !approval.covers.is_empty();
    let mut question = format!("? {}: {}\n", subject(approval), approval.reason);
    if approval.kind == ApprovalKind::Tool {
        question.push_str(&format!("  {}\n", shown(approval)));
    }
    if let Some(diff) = &approval.diff {
        question.push_str(diff);
    }
    question.push_str(if session { "  [y] once  [s] for this session  [n] no: " } else { "  [y] yes  [n] no: " });
    loop {
        eprint!("{question}");
        let _ = std::io::stderr().flush();
        let Some(line) = read_line().await else { return (ApprovalDecision::Deny, None) };
        return match line.trim().to_lowercase().as_str() {
            "y" | "yes" => (ApprovalDecision::AllowOnce, None),
            "s" if session => (ApprovalDecision::AllowSession, None),
            "n" | "no" => (ApprovalDecision::Deny, None),
            _ => {
                let session = if session { ", s for as long as the session lasts" } else { "" };
                eprintln!("  Type y to allow it{session}, or n to refuse, and Enter.");
                continue;
            }
        };
    }
}

fn subject(approval: &Approval) -> String {
    match approval.kind {
        ApprovalKind::Tool => format!("{} {}", approval.tool, approval.hint).trim_end().to_owned(),
        ApprovalKind::Budget => "more budget".to_owned(),
        ApprovalKind::Input => "an answer".to_owned(),
    }
}

fn shown(approval: &Approval) -> String {
    let arguments = serde_json::Value::Object(approval.arguments.clone()).to_string();
    nanobot_engine::text::one_line(&arguments, MAX_SHOWN_CHARS)
}

/// A line of the terminal, read by a thread of its own: one that waits in vain does not keep the process from ending.
async fn read_line() -> Option<String> {
    let (sender, line) = oneshot::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        let _ = sender.send(read.ok().filter(|read| *read > 0).map(|_| line));
    });
    line.await.ok().flatten()
}
