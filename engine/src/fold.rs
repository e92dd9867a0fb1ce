//! From events to turns: the one fold that live views, replays and history share.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::approval::{Answered, Approval};
use crate::event::{Event, EventBody};
use crate::id::{MessageId, StreamId, TurnId};
use crate::message::{Message, Origin, Row};
use crate::tool::CallStatus;
use crate::turn::{Part, TextPart, ToolPart, Turn, TurnStatus, governed_text};

/// What the fold did with an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The event moved the view on.
    Applied,
    /// The reader has passed it; nothing changed.
    Stale,
    /// Events are missing before it; attach again after [`Fold::seq`].
    Gap,
}

/// A session's turns as they follow from its events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fold {
    /// Number of the last event applied.
    pub seq: u64,
    /// Turns in order of their first event.
    pub turns: Vec<Turn>,
    index: HashMap<TurnId, usize>,
}

impl Fold {
    /// A view that begins after `seq` with the given turns.
    #[must_use]
    pub fn starting_at(seq: u64, turns: Vec<Turn>) -> Self {
        let index = turns.iter().enumerate().map(|(at, turn)| (turn.id, at)).collect();
        Self { seq, turns, index }
    }

    /// Takes one event as a client does, by the rule of `prev_seq`.
    pub fn apply(&mut self, event: &Event) -> Outcome {
        if event.seq <= self.seq {
            return Outcome::Stale;
        }
        if event.prev_seq != self.seq {
            return Outcome::Gap;
        }
        self.seq = event.seq;
        self.apply_unchecked(event);
        Outcome::Applied
    }

    /// Takes one event that is known to be the next of its turn.
    pub fn apply_unchecked(&mut self, event: &Event) {
        let Some(turn_id) = event.turn_id else { return };
        if let EventBody::UserMessage { message_id, steer: false, .. } = &event.body {
            // It may have waited to join another turn and come too late for it.
            self.turns.iter_mut().for_each(|turn| forget_waiting(turn, *message_id));
        }
        let turn = self.turn(turn_id);
        fold_into(turn, event);
    }

    fn turn(&mut self, id: TurnId) -> &mut Turn {
        let at = *self.index.entry(id).or_insert_with(|| {
            self.turns.push(empty_turn(id));
            self.turns.len() - 1
        });
        #[expect(clippy::indexing_slicing, reason = "the index only holds positions of turns that were pushed")]
        &mut self.turns[at]
    }
}

/// A turn of which nothing is known yet.
#[must_use]
pub fn empty_turn(id: TurnId) -> Turn {
    Turn {
        id,
        origin: Origin::User,
        state: TurnStatus::Queued,
        stop_reason: None,
        error: None,
        preset: String::new(),
        model: String::new(),
        user: None,
        answer_id: None,
        parts: Vec::new(),
        usage: None,
        started_at: None,
        ended_at: None,
        resumed: None,
        queue_position: None,
    }
}

fn forget_waiting(turn: &mut Turn, message: MessageId) {
    turn.parts.retain(|part| !matches!(part, Part::Steer { message_id, .. } if *message_id == message));
}

/// Moves one turn on by one of its events.
pub fn fold_into(turn: &mut Turn, event: &Event) {
    match &event.body {
        EventBody::UserMessage { steer: true, message_id, text, client_message_id, stream_id, .. } => {
            if let Some(stream_id) = stream_id {
                // A page that was read while the message waited shows it already.
                forget_waiting(turn, *message_id);
                turn.parts.push(Part::Steer {
                    stream_id: stream_id.clone(),
                    message_id: *message_id,
                    text: text.clone(),
                    client_message_id: client_message_id.clone(),
                });
            }
        }
        EventBody::UserMessage { message_id, text, parent_id, branch, client_message_id, .. } => {
            let row = Row {
                id: *message_id,
                seq: event.seq,
                turn_id: turn.id,
                parent_id: *parent_id,
                message: Message::user(text.clone()),
                context: None,
                interrupted: false,
                origin: Origin::User,
                client_message_id: client_message_id.clone(),
                created_at: event.at,
            };
            turn.user = Some(row.view(branch.clone()));
        }
        EventBody::TurnStarted { origin, preset, model } => {
            turn.origin = *origin;
            turn.preset.clone_from(preset);
            turn.model.clone_from(model);
            turn.state = TurnStatus::Running;
            turn.started_at = Some(event.at);
        }
        EventBody::TurnResumed { attempt } => {
            turn.resumed = Some(*attempt);
            turn.state = TurnStatus::Running;
        }
        EventBody::ReasoningDelta { stream_id, text } => add_text(turn, stream_id, text, Part::Reasoning),
        EventBody::Delta { stream_id, text } => add_text(turn, stream_id, text, Part::Text),
        EventBody::ReasoningEnd { stream_id, duration_ms, .. } => lock(turn, stream_id, Some(*duration_ms)),
        EventBody::StreamEnd { stream_id, .. } => lock(turn, stream_id, None),
        EventBody::StreamDiscarded { stream_id, .. } => turn.parts.retain(|part| part.stream_id() != stream_id),
        EventBody::ToolStarted { stream_id, call_id, name, arguments, hint } => {
            turn.parts.push(Part::Tool(ToolPart {
                stream_id: stream_id.clone(),
                call_id: call_id.clone(),
                name: name.clone(),
                arguments: arguments.clone(),
                hint: hint.clone(),
                status: CallStatus::Running,
                output: None,
                preview: None,
                diff: None,
                exit_code: None,
                duration_ms: None,
                approval: None,
            }));
            settle_state(turn);
        }
        EventBody::ApprovalRequested { stream_id, approval } => asked(turn, stream_id, approval),
        EventBody::ApprovalResolved { stream_id, answered, .. } => resolved(turn, stream_id, event.at, answered),
        EventBody::ToolOutput { stream_id, text, .. } => {
            if let Some(part) = tool_part(turn, stream_id) {
                part.output.get_or_insert_default().push_str(text);
            }
        }
        EventBody::ToolFinished { stream_id, status, preview, duration_ms, diff, exit_code, .. } => {
            if let Some(part) = tool_part(turn, stream_id) {
                part.status = *status;
                part.preview = Some(preview.clone());
                part.duration_ms = Some(*duration_ms);
                part.diff.clone_from(diff);
                part.exit_code = *exit_code;
            }
            settle_state(turn);
        }
        EventBody::Notice { stream_id, code, text, data } => turn.parts.push(Part::Notice {
            stream_id: stream_id.clone(),
            code: code.clone(),
            text: text.clone(),
            data: data.clone(),
        }),
        EventBody::ContextGoverned { stream_id, steps, budget_tokens } => turn.parts.push(Part::Notice {
            stream_id: stream_id.clone(),
            code: "context_governed".to_owned(),
            text: governed_text(steps),
            data: Some(serde_json::json!({ "steps": steps, "budget_tokens": budget_tokens })),
        }),
        EventBody::ProviderTool { stream_id, call_id, name, phase, arguments, text } => {
            provider_tool(turn, stream_id, (call_id, name, phase), (arguments.as_ref(), text.as_ref()));
        }
        EventBody::RetryWait { stream_id, attempt, max_attempts, delay_ms, code, reason } => {
            turn.parts.push(Part::Notice {
                stream_id: stream_id.clone(),
                code: "retry_wait".to_owned(),
                text: reason.clone(),
                data: Some(serde_json::json!({
                    "attempt": attempt,
                    "max_attempts": max_attempts,
                    "delay_ms": delay_ms,
                    "code": code,
                    "until_at": event.at.saturating_add_unsigned(*delay_ms),
                })),
            });
        }
        EventBody::ModelSwitched { stream_id, from, to, model, code, reason } => {
            turn.preset.clone_from(to);
            turn.model.clone_from(model);
            turn.parts.push(Part::Notice {
                stream_id: stream_id.clone(),
                code: "model_switched".to_owned(),
                text: reason.clone(),
                data: Some(serde_json::json!({ "from": from, "to": to, "model": model, "code": code })),
            });
        }
        EventBody::Usage(usage) => turn.usage.get_or_insert_default().add(usage),
        EventBody::Message { message_id, .. } => turn.answer_id = Some(*message_id),
        EventBody::TurnFinished { stop_reason, usage, error, .. } => {
            close(turn, *stop_reason);
            turn.usage = Some(*usage);
            turn.error.clone_from(error);
            turn.ended_at = Some(event.at);
        }
        EventBody::IterationStarted { .. } | EventBody::SessionUpdated { .. } => {}
    }
}

/// A locked segment never grows again; the server does not send such text, and a fold that saw it would drop it.
fn add_text(turn: &mut Turn, stream_id: &StreamId, more: &str, kind: fn(TextPart) -> Part) {
    let known = turn.parts.iter_mut().rev().find(|part| part.stream_id() == stream_id);
    match known {
        Some(Part::Reasoning(part) | Part::Text(part)) => {
            if part.open {
                part.text.push_str(more);
            }
        }
        Some(
            Part::Tool(_)
            | Part::ProviderTool { .. }
            | Part::Steer { .. }
            | Part::Approval { .. }
            | Part::Notice { .. },
        ) => {}
        None => turn.parts.push(kind(TextPart {
            stream_id: stream_id.clone(),
            text: more.to_owned(),
            open: true,
            duration_ms: None,
        })),
    }
}

/// A call waits, or the turn as a whole.
fn asked(turn: &mut Turn, stream_id: &StreamId, approval: &Approval) {
    if let Some(part) = tool_part(turn, stream_id) {
        part.status = CallStatus::Waiting;
        part.approval = Some(Box::new(approval.clone()));
    } else {
        turn.parts.push(Part::Approval { stream_id: stream_id.clone(), approval: Box::new(approval.clone()) });
    }
    settle_state(turn);
}

fn resolved(turn: &mut Turn, stream_id: &StreamId, at: i64, answered: &Answered) {
    for part in &mut turn.parts {
        match part {
            Part::Tool(part) if part.stream_id == *stream_id => {
                if let Some(approval) = &mut part.approval {
                    approval.resolve(at, answered);
                }
                if answered.outcome.allows() {
                    part.status = CallStatus::Running;
                    if let Some(arguments) = &answered.arguments {
                        part.arguments.clone_from(arguments);
                        // It was about the arguments before.
                        part.hint.clear();
                    }
                }
            }
            Part::Approval { stream_id: known, approval } if known == stream_id => approval.resolve(at, answered),
            Part::Tool(_)
            | Part::Approval { .. }
            | Part::Reasoning(_)
            | Part::Text(_)
            | Part::ProviderTool { .. }
            | Part::Steer { .. }
            | Part::Notice { .. } => {}
        }
    }
    settle_state(turn);
}

/// A turn awaits an approval while something of it waits for one and nothing of it runs.
fn settle_state(turn: &mut Turn) {
    if !matches!(turn.state, TurnStatus::Running | TurnStatus::AwaitingApproval) {
        return;
    }
    let waits = turn.parts.iter().any(|part| match part {
        Part::Tool(part) => {
            part.status == CallStatus::Waiting && part.approval.as_ref().is_some_and(|it| it.decision.is_none())
        }
        Part::Approval { approval, .. } => approval.decision.is_none(),
        Part::Reasoning(_) | Part::Text(_) | Part::ProviderTool { .. } | Part::Steer { .. } | Part::Notice { .. } => {
            false
        }
    });
    let runs = turn.parts.iter().any(|part| matches!(part, Part::Tool(part) if part.status == CallStatus::Running));
    turn.state = if waits && !runs { TurnStatus::AwaitingApproval } else { TurnStatus::Running };
}

/// What is not said again keeps its value.
fn provider_tool(
    turn: &mut Turn,
    id: &StreamId,
    (call_id, name, phase): (&str, &str, &str),
    (arguments, text): (Option<&Map<String, Value>>, Option<&String>),
) {
    let known = turn.parts.iter_mut().find(|part| part.stream_id() == id);
    match known {
        Some(Part::ProviderTool { phase: had_phase, arguments: had_arguments, text: had_text, .. }) => {
            phase.clone_into(had_phase);
            if arguments.is_some() {
                *had_arguments = arguments.cloned();
            }
            if text.is_some() {
                *had_text = text.cloned();
            }
        }
        Some(_) => {}
        None => turn.parts.push(Part::ProviderTool {
            stream_id: id.clone(),
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            phase: phase.to_owned(),
            arguments: arguments.cloned(),
            text: text.cloned(),
        }),
    }
}

fn lock(turn: &mut Turn, stream_id: &StreamId, duration_ms: Option<u64>) {
    for part in &mut turn.parts {
        if let Part::Reasoning(part) | Part::Text(part) = part
            && part.stream_id == *stream_id
        {
            part.open = false;
            part.duration_ms = duration_ms;
        }
    }
}

fn tool_part<'a>(turn: &'a mut Turn, stream_id: &StreamId) -> Option<&'a mut ToolPart> {
    turn.parts.iter_mut().find_map(|part| match part {
        Part::Tool(tool) if tool.stream_id == *stream_id => Some(tool),
        _ => None,
    })
}

fn close(turn: &mut Turn, reason: crate::event::StopReason) {
    turn.state = reason.into();
    turn.stop_reason = Some(reason);
    for part in &mut turn.parts {
        match part {
            Part::Reasoning(part) | Part::Text(part) => part.open = false,
            Part::Tool(part) => {
                if !part.status.is_final() {
                    part.status = CallStatus::Cancelled;
                }
            }
            Part::ProviderTool { phase, .. } => {
                if phase == "started" || phase == "running" {
                    "error".clone_into(phase);
                }
            }
            Part::Steer { .. } | Part::Approval { .. } | Part::Notice { .. } => {}
        }
    }
}
