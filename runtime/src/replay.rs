//! Plays a recorded turn again: a fresh machine is given what is on record, each request is governed anew, and what comes out is compared
//! with what is stored. Nothing is asked, run or written.

mod compare;
mod play;

use std::collections::HashMap;

use nanobot_engine::event::{Event, EventBody};
use nanobot_engine::id::TurnId;
use nanobot_engine::machine::TurnLimits;
use nanobot_engine::message::Row;
use nanobot_engine::retry::Candidate;
use nanobot_engine::tool::{ToolOutcome, ToolTable};
use nanobot_engine::turn::TurnStatus;
use nanobot_store::{CallRecord, Store, StoreError, TurnRecord};

use self::play::Play;
use crate::inspect::Sources;
use crate::recipe::{Ingredients, Recipe};
use crate::record::Entry;
use crate::runtime::split;

/// What came of playing a turn again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Replayed {
    /// Every request, row and part is as it was.
    Same {
        /// Requests that were made again.
        requests: usize,
        /// Calls whose recorded outcomes were used.
        calls: usize,
    },
    /// The first thing that is not as it was: where, and both sides, in words.
    Differs(String),
}

/// Why a turn cannot be played again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// There is no such turn.
    #[error("there is no such turn")]
    NotFound,
    /// What would be needed is not on record.
    #[error("this turn cannot be played again: {0}")]
    NotOnRecord(String),
    /// The database cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A turn as it is on record.
struct Recorded {
    turn: TurnRecord,
    limits: TurnLimits,
    candidates: Vec<Candidate>,
    tools: ToolTable,
    /// The branch up to the turn's own request, with it.
    before: Vec<Row>,
    /// What the turn wrote behind it.
    rows: Vec<Row>,
    calls: Vec<CallRecord>,
    events: Vec<Event>,
    stretches: Vec<Stretch>,
}

/// An entry of the journal, read.
struct Stretch {
    request: Option<(Recipe, Ingredients)>,
    entries: Vec<Entry<'static>>,
}

impl Recorded {
    fn outcomes(&self) -> HashMap<(u32, usize), ToolOutcome> {
        let place = |call: &CallRecord| (call.iteration, usize::try_from(call.position).unwrap_or(usize::MAX));
        self.calls.iter().filter_map(|call| Some((place(call), call.outcome.clone()?))).collect()
    }
}

/// Plays a turn again.
///
/// # Errors
/// When the turn does not exist, or when what would be needed is not on record.
pub async fn replay(store: &Store, id: TurnId) -> Result<Replayed, ReplayError> {
    let recorded = load(store, id).await?;
    let played = tokio::task::spawn_blocking(move || Play::new(recorded).run()).await;
    played.map_err(|error| ReplayError::NotOnRecord(format!("it broke the player ({error}); this is a bug")))?
}

fn not_on_record<T>(why: impl Into<String>) -> Result<T, ReplayError> {
    Err(ReplayError::NotOnRecord(why.into()))
}

async fn load(store: &Store, id: TurnId) -> Result<Recorded, ReplayError> {
    let turn = store.turn(id).await?.ok_or(ReplayError::NotFound)?;
    match turn.state {
        TurnStatus::Done | TurnStatus::Failed | TurnStatus::Cancelled | TurnStatus::Interrupted => {}
        TurnStatus::Queued => return not_on_record("it waits and has not begun"),
        TurnStatus::Running | TurnStatus::AwaitingApproval | TurnStatus::Parked => {
            return not_on_record("it is still at work; wait for its end");
        }
    }
    if turn.resume_attempts > 0 {
        return not_on_record(
            "it was taken up again after a restart, and what happened between its last stored step and that is not on record",
        );
    }
    let mut sources = Sources::new(store.clone(), turn.session_id);
    let stretches = stretches(store, id, &mut sources).await?;
    let begin = stretches.iter().flat_map(|stretch| &stretch.entries).next();
    let Some(Entry::Begin { limits, candidates, tools, .. }) = begin else {
        return not_on_record(
            "its journal is empty: it was made before journals were kept, was stopped before it began, or is a copy of another \
             session's turn",
        );
    };
    let Some(tools) = sources.tools(tools).await? else {
        return not_on_record("the list of its tools is gone, or was changed");
    };
    let mut rows = store.turn_rows(turn.session_id, &turn).await?;
    let Some(user) = turn.user_message_id else { return not_on_record("it has no request") };
    let own = rows.iter().position(|row| row.id == user).map_or(0, |at| at + 1);
    let rows = rows.split_off(own);
    let mut events = Vec::new();
    for stored in store.turn_events(turn.session_id, &turn).await? {
        let mut pieces = Vec::new();
        split(turn.session_id, stored, 0, &mut pieces);
        events.extend(pieces.into_iter().map(|event| Event::clone(&event)));
    }
    Ok(Recorded {
        limits: *limits,
        candidates: candidates.to_vec(),
        tools: tools.iter().cloned().collect(),
        before: store.branch_rows(turn.session_id, user).await?,
        rows,
        calls: store.calls(id).await?,
        events,
        stretches,
        turn,
    })
}

async fn stretches(store: &Store, id: TurnId, sources: &mut Sources) -> Result<Vec<Stretch>, ReplayError> {
    let mut stretches = Vec::new();
    for (place, entry) in store.journal(id).await?.into_iter().enumerate() {
        let broken = |error: serde_json::Error| {
            ReplayError::NotOnRecord(format!("entry {} of its journal cannot be read: {error}", place + 1))
        };
        let request = match &entry.recipe {
            Some(json) => {
                let recipe: Recipe = serde_json::from_str(json).map_err(broken)?;
                let Some(ingredients) = sources.ingredients(&recipe).await? else {
                    return not_on_record("a text that its requests were made from is gone, or was changed");
                };
                Some((recipe, ingredients))
            }
            None => None,
        };
        stretches.push(Stretch { request, entries: serde_json::from_str(&entry.inputs).map_err(broken)? });
    }
    Ok(stretches)
}

/// The events that come before anything the machine says: the request, and that the turn began.
fn prologue(events: &[Event]) -> &[Event] {
    let began = events.iter().rposition(|event| matches!(event.body, EventBody::TurnStarted { .. }));
    events.get(..began.map_or(0, |at| at + 1)).unwrap_or_default()
}
