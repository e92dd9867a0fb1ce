//! The event log of one session: gives numbers, stores, and shows, always in one order.
//!
//! What is shown was stored before, except pieces of text inside an open segment: those are shown at once and stored
//! with the next step or flush. Entries are shown strictly in the order in which they got their numbers; `prev_seq`
//! is set when an entry is shown, so that an entry whose store failed leaves no hole in the chain.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nanobot_engine::event::{Event, EventBody, SessionState};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_store::{Op, Piece, Store, StoreError, StoredEvent};
use tokio::sync::broadcast;

/// Numbers are reserved in blocks of this size, so that none is given out twice after a kill.
pub const SEQ_BLOCK: u64 = 1_024;
/// When fewer numbers are left, the next step reserves more.
const SEQ_LOW: u64 = 256;
/// Events a live reader may be behind before it is sent back to the store.
const LIVE_CAPACITY: usize = 256;

/// The log of one session.
#[derive(Debug)]
pub struct EventLog {
    session_id: SessionId,
    store: Store,
    inner: Mutex<Inner>,
}

/// What a session is doing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Status {
    pub(crate) state: SessionState,
    pub(crate) turn_id: Option<TurnId>,
}

impl Status {
    /// Changes with the event, so that nobody who has seen it finds what was before.
    fn follow(&mut self, event: &Event) {
        match &event.body {
            EventBody::TurnStarted { .. } => *self = Self { state: SessionState::Running, turn_id: event.turn_id },
            EventBody::SessionUpdated { state: Some(SessionState::Idle), .. } => *self = Self::default(),
            _ => {}
        }
    }
}

#[derive(Debug)]
struct Inner {
    status: Status,
    next_seq: u64,
    reserved: u64,
    /// Number of the last event shown.
    head: u64,
    entries: VecDeque<Entry>,
    live: Option<broadcast::Sender<Arc<Event>>>,
    /// The session is gone: readers end.
    closed: bool,
}

#[derive(Debug)]
struct Entry {
    event: Arc<Event>,
    stored: Stored,
    shown: bool,
    /// May be shown before it is stored.
    volatile: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stored {
    No,
    /// A step that holds it is being committed.
    InFlight,
    Yes,
}

/// A reader's starting point: everything up to `head` is in the store or in `unstored`, the rest comes live.
#[derive(Debug)]
pub struct Subscription {
    /// Number of the last event shown.
    pub head: u64,
    /// Events shown but not stored yet.
    pub unstored: Vec<Arc<Event>>,
    /// What comes next.
    pub live: broadcast::Receiver<Arc<Event>>,
}

impl EventLog {
    /// A log that goes on after `reserved` (numbers) and `head` (events).
    #[must_use]
    pub fn new(session_id: SessionId, store: Store, reserved: u64, head: u64, fresh: bool) -> Self {
        // A session made by this process has used no number of its first block yet.
        let next_seq = if fresh { 1 } else { reserved + 1 };
        let inner = Inner {
            status: Status::default(),
            next_seq,
            reserved,
            head,
            entries: VecDeque::new(),
            live: None,
            closed: false,
        };
        Self { session_id, store, inner: Mutex::new(inner) }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a row. It is durable once the step that uses it is.
    pub fn next_seq(&self) -> u64 {
        let mut inner = self.lock();
        let seq = inner.next_seq;
        inner.next_seq += 1;
        seq
    }

    /// What the session is doing, as of the last event shown.
    pub(crate) fn status(&self) -> Status {
        self.lock().status
    }

    pub(crate) fn set_status(&self, status: Status) {
        self.lock().status = status;
    }

    /// Number of the last event shown.
    pub fn head(&self) -> u64 {
        self.lock().head
    }

    /// Shows a piece of an open segment at once; it is stored with the next step or flush.
    ///
    /// # Errors
    /// When new numbers had to be reserved and the store refused.
    pub async fn show(&self, turn_id: TurnId, at: i64, body: EventBody) -> Result<Arc<Event>, StoreError> {
        let exhausted = {
            let inner = self.lock();
            inner.next_seq >= inner.reserved
        };
        if exhausted {
            self.commit(Vec::new(), Some(turn_id), at, Vec::new()).await?;
        }
        let mut inner = self.lock();
        let event = inner.append(self.session_id, Some(turn_id), at, body, true);
        inner.show_ready();
        Ok(event)
    }

    /// Stores a step with its events and everything shown so far, in one transaction, then shows the events.
    ///
    /// # Errors
    /// When the store refuses; then none of the step is stored or shown.
    pub async fn commit(
        &self,
        ops: Vec<Op>,
        turn_id: Option<TurnId>,
        at: i64,
        bodies: Vec<EventBody>,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let bodies = bodies.into_iter().map(|body| (turn_id, body)).collect();
        self.commit_events(at, bodies, |_| ops).await
    }

    /// As [`EventLog::commit`], with events of several turns, and writes that name the numbers of these events.
    ///
    /// # Errors
    /// When the store refuses; then none of the step is stored or shown.
    pub async fn commit_events(
        &self,
        at: i64,
        bodies: Vec<(Option<TurnId>, EventBody)>,
        ops: impl FnOnce(&[u64]) -> Vec<Op>,
    ) -> Result<Vec<Arc<Event>>, StoreError> {
        let (numbers, batch, reserved) = {
            let mut inner = self.lock();
            let numbers: Vec<u64> = bodies
                .into_iter()
                .map(|(turn_id, body)| inner.append(self.session_id, turn_id, at, body, false).seq)
                .collect();
            let reserved = inner.reserve();
            (numbers, inner.take_unstored(), reserved)
        };
        let mut ops = ops(&numbers);
        if let Some(upto) = reserved {
            ops.push(Op::ReserveSeq { upto });
        }
        let stored = join_pieces(&batch);
        if !stored.is_empty() {
            ops.push(Op::AppendEvents(stored));
        }
        let outcome = self.store.commit(self.session_id, ops).await;
        let mut inner = self.lock();
        match outcome {
            Ok(()) => {
                inner.settle(&batch, Stored::Yes);
                inner.reserved = inner.reserved.max(reserved.unwrap_or(0));
                inner.show_ready();
                Ok(batch.into_iter().filter(|event| numbers.contains(&event.seq)).collect())
            }
            Err(error) => {
                inner.settle(&batch, Stored::No);
                inner.entries.retain(|entry| !numbers.contains(&entry.event.seq));
                inner.show_ready();
                Err(error)
            }
        }
    }

    /// Stores what was shown but not stored yet.
    ///
    /// # Errors
    /// When the store refuses; the pieces stay for the next try.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let waiting = self.lock().entries.iter().any(|entry| entry.stored == Stored::No);
        if waiting { self.commit_events(0, Vec::new(), |_| Vec::new()).await.map(|_| ()) } else { Ok(()) }
    }

    /// Shows an event to live readers without storing it: for news about a store that does not work.
    pub fn show_unstored(&self, turn_id: Option<TurnId>, at: i64, body: EventBody) {
        let mut inner = self.lock();
        let seq = inner.append(self.session_id, turn_id, at, body, true).seq;
        inner.show_ready();
        inner.entries.retain(|entry| !entry.shown || entry.event.seq != seq);
    }

    /// Was this number ever given out? Numbers of a former process count up to the block it had reserved.
    pub fn gave_out(&self, seq: u64) -> bool {
        seq < self.lock().next_seq
    }

    /// Ends all readers once they have taken what is there: the session was deleted.
    pub fn close(&self) {
        let mut inner = self.lock();
        inner.closed = true;
        inner.live = None;
    }

    /// A starting point for a reader.
    pub fn subscribe(&self) -> Subscription {
        let mut inner = self.lock();
        let live = if inner.closed {
            broadcast::channel(1).1
        } else {
            inner.live.get_or_insert_with(|| broadcast::channel(LIVE_CAPACITY).0).subscribe()
        };
        Subscription { head: inner.head, unstored: inner.shown_unstored(), live }
    }

    /// Head and events shown but not stored yet, for a read that has to agree with the live view.
    pub fn snapshot(&self) -> (u64, Vec<Arc<Event>>) {
        let inner = self.lock();
        (inner.head, inner.shown_unstored())
    }

    /// Is anyone reading live?
    pub fn has_readers(&self) -> bool {
        self.lock().live.as_ref().is_some_and(|live| live.receiver_count() > 0)
    }
}

impl Inner {
    fn append(
        &mut self,
        chat_id: SessionId,
        turn_id: Option<TurnId>,
        at: i64,
        body: EventBody,
        volatile: bool,
    ) -> Arc<Event> {
        let seq = self.next_seq;
        self.next_seq += 1;
        let event = Arc::new(Event { body, chat_id, seq, prev_seq: 0, turn_id, at });
        self.entries.push_back(Entry { event: Arc::clone(&event), stored: Stored::No, shown: false, volatile });
        event
    }

    /// The end of a new block when the present one runs low.
    fn reserve(&self) -> Option<u64> {
        let low = self.next_seq + SEQ_LOW > self.reserved;
        low.then(|| self.next_seq + SEQ_BLOCK)
    }

    fn take_unstored(&mut self) -> Vec<Arc<Event>> {
        let mut batch = Vec::new();
        for entry in self.entries.iter_mut().filter(|entry| entry.stored == Stored::No) {
            entry.stored = Stored::InFlight;
            batch.push(Arc::clone(&entry.event));
        }
        batch
    }

    fn settle(&mut self, batch: &[Arc<Event>], stored: Stored) {
        for entry in &mut self.entries {
            if batch.binary_search_by_key(&entry.event.seq, |event| event.seq).is_ok() {
                entry.stored = stored;
            }
        }
    }

    /// Shows the longest prefix that may be shown, and forgets what is both shown and stored.
    fn show_ready(&mut self) {
        for entry in &mut self.entries {
            if entry.shown {
                continue;
            }
            if !entry.volatile && entry.stored != Stored::Yes {
                break;
            }
            let mut event = Event::clone(&entry.event);
            event.prev_seq = self.head;
            self.head = event.seq;
            self.status.follow(&event);
            entry.event = Arc::new(event);
            entry.shown = true;
            if let Some(live) = &self.live {
                // No reader is no error.
                let _ = live.send(Arc::clone(&entry.event));
            }
        }
        while self.entries.front().is_some_and(|entry| entry.shown && entry.stored == Stored::Yes) {
            self.entries.pop_front();
        }
    }

    fn shown_unstored(&self) -> Vec<Arc<Event>> {
        self.entries.iter().filter(|entry| entry.shown).map(|entry| Arc::clone(&entry.event)).collect()
    }
}

/// Neighbouring pieces of one segment become one stored event that remembers where each piece ended.
fn join_pieces(batch: &[Arc<Event>]) -> Vec<StoredEvent> {
    let mut stored: Vec<StoredEvent> = Vec::with_capacity(batch.len().min(16));
    for event in batch {
        if let Some(last) = stored.last_mut()
            && last.turn_id == event.turn_id
            && extend(last, event)
        {
            continue;
        }
        stored.push(StoredEvent {
            first_seq: event.seq,
            seq: event.seq,
            turn_id: event.turn_id,
            at: event.at,
            body: event.body.clone(),
            pieces: Vec::new(),
        });
    }
    stored
}

fn extend(last: &mut StoredEvent, event: &Event) -> bool {
    let (Some((open, _)), Some((stream_id, more))) = (last.body.as_delta(), event.body.as_delta()) else {
        return false;
    };
    if open != stream_id {
        return false;
    }
    let (EventBody::Delta { text, .. } | EventBody::ReasoningDelta { text, .. }) = &mut last.body else {
        return false;
    };
    if last.pieces.is_empty() {
        last.pieces.push(Piece { seq: last.seq, end: clamp(text.len()) });
    }
    text.push_str(more);
    last.pieces.push(Piece { seq: event.seq, end: clamp(text.len()) });
    last.seq = event.seq;
    true
}

fn clamp(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
