//! `nanobot agent`: one turn, or a prompt loop, in the terminal.

use std::io::{BufRead, IsTerminal, Write};

use nanobot_engine::event::{Event, EventBody, StopReason};
use nanobot_engine::id::{SessionId, TurnId};

use super::link::Link;
use super::open::locate;
use super::{AgentArgs, Failure};

pub(super) async fn run(args: AgentArgs) -> Result<(), Failure> {
    let home = locate(args.home);
    let mut link = Link::connect(&home).await?;
    let outcome = talk(&mut link, args.session.as_deref(), args.message, args.json).await;
    link.close().await;
    outcome
}

async fn talk(link: &mut Link, wanted: Option<&str>, message: Option<String>, json: bool) -> Result<(), Failure> {
    let session_id = link.session(wanted).await?;
    if let Some(message) = message {
        return turn(link, session_id, &message, json).await;
    }
    let prompt = std::io::stdin().is_terminal() && !json;
    loop {
        if prompt {
            out("> ");
        }
        let line = tokio::task::spawn_blocking(|| {
            let mut line = String::new();
            std::io::stdin().lock().read_line(&mut line).map(|read| (read > 0).then_some(line))
        });
        let line = line.await.map_err(|_| Failure::failed("the terminal could not be read"))?;
        let Some(line) = line.map_err(|error| Failure::failed(format!("the terminal could not be read: {error}")))?
        else {
            return Ok(());
        };
        if line.trim().is_empty() {
            continue;
        }
        if let Err(failure) = turn(link, session_id, line.trim(), json).await {
            if !prompt {
                return Err(failure);
            }
            eprintln!("nanobot: {}", failure.message);
        }
    }
}

/// Sends one message and prints what comes, until its turn ends. Ctrl-C stops the turn.
async fn turn(link: &mut Link, session_id: SessionId, message: &str, json: bool) -> Result<(), Failure> {
    let turn_id = link.submit(session_id, message).await?;
    let mut printer = Printer { json, at_line_start: true };
    loop {
        let event = tokio::select! {
            event = link.next() => event?,
            _ = tokio::signal::ctrl_c() => {
                link.stop(session_id).await?;
                continue;
            }
        };
        if let Some(outcome) = printer.print(&event, turn_id) {
            return outcome;
        }
    }
}

struct Printer {
    json: bool,
    at_line_start: bool,
}

impl Printer {
    /// Prints an event; the turn's outcome when it ended with it.
    fn print(&mut self, event: &Event, turn_id: TurnId) -> Option<Result<(), Failure>> {
        if event.turn_id != Some(turn_id) {
            return None;
        }
        if self.json
            && let Ok(line) = serde_json::to_string(event)
        {
            println!("{line}");
        }
        match &event.body {
            EventBody::Delta { text, .. } => self.text(text),
            EventBody::StreamEnd { .. } => self.end_line(),
            EventBody::ReasoningEnd { duration_ms, .. } => self.note(&format!("thought for {duration_ms} ms")),
            EventBody::ToolStarted { name, hint, .. } => self.note(&format!("{name} {hint}")),
            EventBody::ToolFinished { name, status, preview, .. }
                if *status != nanobot_engine::tool::CallStatus::Ok =>
            {
                self.note(&format!("{name}: {}", nanobot_engine::text::one_line(preview, 200)));
            }
            EventBody::Notice { text, .. } => self.note(text),
            EventBody::TurnFinished { stop_reason, error, .. } => {
                self.end_line();
                let outcome = match (stop_reason, error) {
                    (_, Some(error)) => Err(Failure::failed(error.detail.clone())),
                    (StopReason::Completed | StopReason::MaxIterations, None) => Ok(()),
                    (reason, None) => {
                        let reason = serde_json::to_value(reason).unwrap_or_default();
                        Err(Failure::failed(format!("the turn ended: {}", reason.as_str().unwrap_or("?"))))
                    }
                };
                return Some(outcome);
            }
            _ => {}
        }
        None
    }

    fn text(&mut self, text: &str) {
        if self.json {
            return;
        }
        out(text);
        self.at_line_start = text.ends_with('\n');
    }

    fn end_line(&mut self) {
        if !self.json && !self.at_line_start {
            out("\n");
            self.at_line_start = true;
        }
    }

    /// Progress goes to stderr, so that stdout is the answer alone.
    fn note(&mut self, text: &str) {
        if !self.json {
            self.end_line();
            eprintln!("· {text}");
        }
    }
}

/// Writes to stdout. When nobody reads any more, the process ends as others in a pipe do; the turn is kept.
fn out(text: &str) {
    let mut stdout = std::io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {
        std::process::exit(141);
    }
}
