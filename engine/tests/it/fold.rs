//! The fold: however events are delivered, a client that keeps the rule of `prev_seq` sees the same turns.

use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::fold::{Fold, Outcome};
use nanobot_engine::id::{MessageId, SessionId, TurnId};
use nanobot_engine::message::{Origin, Role};
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::{Part, TurnStatus};
use proptest::prelude::*;

use crate::support::build::uuid;
use crate::support::cases;
use crate::support::plan::{Plan, plan};

/// Everything a session shows of these turns, numbered with gaps.
fn log(plans: &[Plan], gaps: &[u8]) -> Vec<Event> {
    let mut bodies: Vec<(Option<TurnId>, EventBody)> = Vec::new();
    for (number, plan) in (1_u128..).zip(plans) {
        let turn_id = Some(TurnId(uuid(number)));
        let mut world = plan.world();
        world.turn_seq = number.try_into().unwrap();
        let driver = plan.run(&world);
        bodies.push((
            turn_id,
            EventBody::UserMessage {
                message_id: MessageId(uuid(number + 100)),
                text: format!("question {number}"),
                attachments: Vec::new(),
                parent_id: None,
                branch: None,
                client_message_id: None,
                steer: false,
                stream_id: None,
            },
        ));
        let started = EventBody::TurnStarted { origin: Origin::User, preset: "p".to_owned(), model: "m".to_owned() };
        bodies.push((turn_id, started));
        for body in driver.shown {
            let output = match &body {
                EventBody::ToolStarted { stream_id, call_id, .. } => Some(EventBody::ToolOutput {
                    stream_id: stream_id.clone(),
                    call_id: call_id.clone(),
                    text: "line\n".to_owned(),
                    stream: "stdout".to_owned(),
                }),
                _ => None,
            };
            bodies.push((turn_id, body));
            bodies.extend(output.map(|output| (turn_id, output)));
        }
        if let Some(row) = driver.store.rows.iter().find(|row| row.answer) {
            let message_id = MessageId(uuid(number + 200));
            bodies.push((turn_id, EventBody::Message { message_id, text: row.message.text() }));
        }
        let ending = driver.store.finished.unwrap();
        bodies.push((
            turn_id,
            EventBody::TurnFinished {
                stop_reason: ending.stop_reason,
                latency_ms: 5,
                usage: driver.machine.state().usage,
                error: ending.error,
            },
        ));
        bodies.push((None, EventBody::session_state(nanobot_engine::event::SessionState::Idle)));
    }
    let (mut seq, mut prev_seq) = (0, 0);
    let gaps = gaps.iter().cycle();
    bodies
        .into_iter()
        .zip(gaps)
        .map(|((turn_id, body), gap)| {
            seq += 1 + u64::from(*gap);
            let event =
                Event { body, chat_id: SessionId(uuid(9)), seq, prev_seq, turn_id, at: i64::try_from(seq).unwrap() };
            prev_seq = seq;
            event
        })
        .collect()
}

/// Neighbouring pieces of a segment as one frame, at most so many together.
fn coalesced(events: &[Event], most: &[u8]) -> Vec<Event> {
    let mut frames: Vec<Event> = Vec::new();
    let mut joined = 1;
    let mut limits = most.iter().cycle();
    let mut limit = *limits.next().unwrap();
    for event in events {
        if let (Some(last), Some((stream_id, more))) = (frames.last_mut(), event.body.as_delta()) {
            let same = last.body.as_delta().is_some_and(|(open, _)| open == stream_id);
            if same && joined < limit {
                if let EventBody::Delta { text, .. } | EventBody::ReasoningDelta { text, .. } = &mut last.body {
                    text.push_str(more);
                }
                last.seq = event.seq;
                last.at = event.at;
                joined += 1;
                continue;
            }
        }
        joined = 1;
        limit = *limits.next().unwrap();
        frames.push(event.clone());
    }
    frames
}

/// A client on a bad line: frames get lost, come twice, or change places; at a gap it attaches again.
struct Client<'a> {
    events: &'a [Event],
    fold: Fold,
    /// Frames that are still to come on this connection.
    line: Vec<Event>,
    attaches: usize,
}

impl Client<'_> {
    fn attach(&mut self, most: &[u8]) {
        self.attaches += 1;
        let mut rest: Vec<Event> = self.events.iter().filter(|event| event.seq > self.fold.seq).cloned().collect();
        if let Some(first) = rest.first_mut() {
            first.prev_seq = self.fold.seq;
        }
        self.line = coalesced(&rest, most);
        self.line.reverse();
    }

    fn take(&mut self, frame: &Event, most: &[u8]) {
        match self.fold.apply(frame) {
            Outcome::Applied | Outcome::Stale => {}
            Outcome::Gap => self.attach(most),
        }
    }
}

proptest! {
    #![proptest_config(cases(400, 3_000))]

    #[test]
    fn a_bad_line_changes_nothing(
        plans in proptest::collection::vec(plan(), 1..3),
        gaps in proptest::collection::vec(0..4_u8, 1..9),
        mishaps in proptest::collection::vec(0..24_u8, 1..60),
        most in proptest::collection::vec(1..5_u8, 1..6),
    ) {
        let events = log(&plans, &gaps);
        let mut clean = Fold::default();
        for event in &events {
            prop_assert_eq!(clean.apply(event), Outcome::Applied);
        }

        let mut client = Client { events: &events, fold: Fold::default(), line: Vec::new(), attaches: 0 };
        client.attach(&most);
        let mut sent: Vec<Event> = Vec::new();
        let mut mishaps = mishaps.iter().chain(std::iter::repeat(&99));
        while let Some(frame) = client.line.pop() {
            match mishaps.next().unwrap() {
                0 => {}
                1 => {
                    client.take(&frame, &most);
                    client.take(&frame, &most);
                }
                2 => {
                    if let Some(next) = client.line.pop() {
                        client.take(&next, &most);
                    }
                    client.take(&frame, &most);
                }
                3 => {
                    client.take(&frame, &most);
                    if let Some(old) = sent.get(sent.len() / 2).cloned() {
                        client.take(&old, &most);
                    }
                }
                // The line breaks and comes back.
                4 => client.attach(&most),
                _ => client.take(&frame, &most),
            }
            sent.push(frame);
            if client.line.is_empty() && client.fold.seq < events.last().unwrap().seq {
                client.attach(&most);
            }
        }
        prop_assert_eq!(client.fold.seq, clean.seq);
        // Frames carry the time of their last piece, but no time inside a segment is kept.
        prop_assert_eq!(&client.fold.turns, &clean.turns);

        // A client that starts from a page of turns in the middle sees the same.
        let middle = events[events.len() / 2].seq;
        let mut before = Fold::default();
        events.iter().filter(|event| event.seq <= middle).for_each(|event| { before.apply(event); });
        let mut late = Fold::starting_at(before.seq, before.turns);
        events.iter().filter(|event| event.seq > middle).for_each(|event| { late.apply(event); });
        prop_assert_eq!(late.turns, clean.turns);
    }

}

proptest! {
    #![proptest_config(cases(150, 1_500))]

    #[test]
    fn a_finished_turn_shows_what_was_stored(plan in plan()) {
        let mut world = plan.world();
        world.turn_seq = 1;
        let driver = plan.run(&world);
        let mut fold = Fold::default();
        log(std::slice::from_ref(&plan), &[0]).iter().for_each(|event| fold.apply_unchecked(event));
        let turn = &fold.turns[0];
        prop_assert_eq!(turn.user.as_ref().map(|row| row.content.as_str()), Some("question 1"));
        prop_assert_eq!(turn.state, TurnStatus::from(driver.store.finished.as_ref().unwrap().stop_reason));
        prop_assert_eq!(turn.usage, Some(driver.machine.state().usage));
        let mut tools = Vec::new();
        let mut texts = String::new();
        for part in &turn.parts {
            match part {
                Part::Tool(tool) => {
                    prop_assert!(tool.status.is_final());
                    prop_assert_eq!(tool.output.as_deref(), Some("line\n"));
                    tools.push((tool.call_id.clone(), tool.status));
                }
                Part::Text(part) => {
                    prop_assert!(!part.open);
                    texts.push_str(&part.text);
                }
                Part::Reasoning(part) => prop_assert!(!part.open && part.duration_ms.is_some()),
                Part::ProviderTool { .. } | Part::Steer { .. } | Part::Approval { .. } | Part::Notice { .. } => {}
            }
        }
        let mut stored: Vec<(String, CallStatus)> =
            driver.store.ledger.values().map(|call| (call.call.id.clone(), call.status)).collect();
        tools.sort_by(|a, b| a.0.cmp(&b.0));
        stored.sort_by(|a, b| a.0.cmp(&b.0));
        prop_assert_eq!(tools, stored);
        let spoken: String =
            driver.store.rows.iter().filter(|row| row.message.role == Role::Assistant).map(|row| row.message.text()).collect();
        // White space that a model said and nothing else is shown, but no row.
        let visible = |text: &str| text.split_whitespace().collect::<String>();
        prop_assert_eq!(visible(&texts), visible(&spoken));
    }
}

#[test]
fn a_gap_changes_nothing_and_an_old_event_neither() {
    let event = |seq, prev_seq, text: &str| Event {
        body: EventBody::Delta { stream_id: nanobot_engine::id::StreamId::new(1, 0), text: text.to_owned() },
        chat_id: SessionId(uuid(9)),
        seq,
        prev_seq,
        turn_id: Some(TurnId(uuid(1))),
        at: 0,
    };
    let mut fold = Fold::default();
    assert_eq!(fold.apply(&event(3, 0, "a")), Outcome::Applied);
    let before = fold.clone();
    assert_eq!(fold.apply(&event(9, 5, "z")), Outcome::Gap);
    assert_eq!(fold.apply(&event(3, 0, "a")), Outcome::Stale);
    assert_eq!(fold.apply(&event(2, 0, "a")), Outcome::Stale);
    assert_eq!(fold, before);
    // A frame that begins inside what is known cannot be split, so it is a gap as well.
    assert_eq!(fold.apply(&event(6, 2, "bc")), Outcome::Gap);
    assert_eq!(fold.apply(&event(6, 3, "bc")), Outcome::Applied);
}
