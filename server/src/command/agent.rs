//! `nanobot agent`: one turn, or a prompt loop, in the terminal.

use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

use nanobot_engine::event::{Event, EventBody, StopReason};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_runtime::config::{ConfigStore, Overrides, process_env};

use super::consent;
use super::link::Link;
use super::open::locate;
use super::{AgentArgs, Failure};

pub(super) async fn run(args: AgentArgs) -> Result<(), Failure> {
    let home = locate(args.home);
    let mut link = Link::connect(&home).await?;
    let outcome = talk(&mut link, &home, args.session.as_deref(), args.message, args.json).await;
    link.close().await;
    outcome
}

async fn talk(
    link: &mut Link,
    home: &Path,
    wanted: Option<&str>,
    message: Option<String>,
    json: bool,
) -> Result<(), Failure> {
    let session_id = link.session(wanted).await?;
    if let Some(message) = message {
        if command(message.trim()).is_some() {
            return Err(Failure::configuration(
                "/model is for the prompt; choose a preset for new sessions with agent.preset",
            ));
        }
        return turn(link, session_id, &message, None, json).await;
    }
    let mut preset: Option<String> = None;
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
        let outcome = match command(line.trim()) {
            Some(name) => choose(home, name, &mut preset),
            None => turn(link, session_id, line.trim(), preset.as_deref(), json).await,
        };
        if let Err(failure) = outcome {
            if !prompt {
                return Err(failure);
            }
            eprintln!("nanobot: {}", failure.message);
        }
    }
}

/// What follows `/model`, when the line is that command.
fn command(line: &str) -> Option<&str> {
    let rest = line.strip_prefix("/model")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// `/model` lists the presets, `/model NAME` takes one for the messages that follow.
fn choose(home: &Path, name: &str, preset: &mut Option<String>) -> Result<(), Failure> {
    let store = ConfigStore::open(home, Overrides::default(), process_env())
        .map_err(|error| Failure::failed(error.to_string()))?;
    let config = store.current();
    let list = || config.presets.keys().cloned().collect::<Vec<_>>().join(", ");
    if name.is_empty() {
        let current = preset.as_deref().or_else(|| config.default_preset()).unwrap_or("none");
        eprintln!("· presets: {}; in use: {current}; /model NAME takes another", list());
        return Ok(());
    }
    let Some(known) = config.preset_name(name) else {
        return Err(Failure::failed(format!("there is no preset {name:?}; there are: {}", list())));
    };
    eprintln!("· {known} answers from now on");
    *preset = Some(known.to_owned());
    Ok(())
}

/// Sends one message and prints what comes, until its turn ends. Ctrl-C stops the turn.
async fn turn(
    link: &mut Link,
    session_id: SessionId,
    message: &str,
    preset: Option<&str>,
    json: bool,
) -> Result<(), Failure> {
    let turn_id = link.submit(session_id, message, preset).await?;
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
        if let EventBody::ApprovalRequested { approval, .. } = &event.body
            && event.turn_id == Some(turn_id)
        {
            let decided = tokio::select! {
                decided = consent::ask(approval, json) => decided,
                _ = tokio::signal::ctrl_c() => {
                    link.stop(session_id).await?;
                    continue;
                }
            };
            link.decide(approval.approval_id, decided.0, decided.1).await?;
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
            out(&line);
            out("\n");
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
            EventBody::ApprovalRequested { .. } => self.end_line(),
            EventBody::RetryWait { delay_ms, reason, .. } => {
                self.note(&format!("{reason} Asking again in {} s.", delay_ms.div_ceil(1_000)));
            }
            EventBody::ModelSwitched { from, to, reason, .. } => {
                self.note(&format!("{to} answers because {from} failed: {reason}"));
            }
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
