//! Reading a session: stored events first, then live ones, without a gap and without a double.
//!
//! A feed may be left half polled, such as while its reader's socket takes nothing. What it asks of the store is done by a task of its
//! own, so that it never keeps one of the few connections from others meanwhile.

use std::collections::VecDeque;
use std::sync::Arc;

use nanobot_engine::event::{Event, EventBody, SessionState};
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_store::{Store, StoreError, StoredEvent};
use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use crate::agent_loop::SessionHandle;
use crate::error::RuntimeError;

/// A reader further behind than this reads the turns again instead.
const MAX_REPLAY: u64 = 20_000;
/// Stored events read at a time.
const PAGE: u32 = 512;

/// A reader's beginning.
pub struct Attached {
    /// Number of the last event at this moment.
    pub head_seq: u64,
    /// True: too far behind; read the turns, then attach with their head. There is no feed then.
    pub reload: bool,
    /// What the session is doing.
    pub state: SessionState,
    /// The turn at work.
    pub turn_id: Option<TurnId>,
    /// What follows.
    pub feed: Feed,
}

/// What a feed gives.
#[derive(Debug)]
pub enum FeedItem {
    /// The next event; its `prev_seq` is the reader's last number.
    Event(Arc<Event>),
    /// The reader was too slow and is now too far behind: read the turns again.
    Reload,
    /// The session is gone.
    Closed,
}

/// The events of a session after a number.
pub struct Feed {
    store: Store,
    session_id: SessionId,
    log: Arc<crate::event_log::EventLog>,
    last: u64,
    /// Stored events up to here are still to be read.
    upto: u64,
    ready: VecDeque<Arc<Event>>,
    unstored: Vec<Arc<Event>>,
    live: broadcast::Receiver<Arc<Event>>,
}

pub(super) async fn attach(
    store: &Store,
    session_id: SessionId,
    handle: &SessionHandle,
    after_seq: u64,
) -> Result<Attached, RuntimeError> {
    let subscription = handle.log.subscribe();
    let status = handle.log.status();
    let behind =
        if after_seq >= subscription.head { 0 } else { store.count_events_after(session_id, after_seq).await? };
    // A number that was never given out can only come from another database.
    let ahead = after_seq > subscription.head && !handle.log.gave_out(after_seq);
    let feed = Feed {
        store: store.clone(),
        session_id,
        log: Arc::clone(&handle.log),
        last: after_seq,
        upto: subscription.head,
        ready: VecDeque::new(),
        unstored: subscription.unstored,
        live: subscription.live,
    };
    Ok(Attached {
        head_seq: feed.upto,
        reload: behind > MAX_REPLAY || ahead,
        state: status.state,
        turn_id: status.turn_id,
        feed,
    })
}

impl Feed {
    /// The next event, waiting for it. Cancel-safe.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn next(&mut self) -> Result<FeedItem, RuntimeError> {
        loop {
            if let Some(item) = self.take_ready() {
                return Ok(item);
            }
            if self.last < self.upto {
                self.read_stored().await?;
                continue;
            }
            match self.live.recv().await {
                Ok(event) => {
                    if let Some(event) = self.accept(event) {
                        return Ok(FeedItem::Event(event));
                    }
                }
                Err(RecvError::Lagged(_)) => {
                    if self.catch_up().await? {
                        return Ok(FeedItem::Reload);
                    }
                }
                Err(RecvError::Closed) => return Ok(FeedItem::Closed),
            }
        }
    }

    /// The next event if one is here already, without touching the store.
    pub fn try_next(&mut self) -> Option<Arc<Event>> {
        loop {
            match self.take_ready() {
                Some(FeedItem::Event(event)) => return Some(event),
                Some(FeedItem::Reload | FeedItem::Closed) => return None,
                None if self.last < self.upto => return None,
                None => {}
            }
            match self.live.try_recv() {
                Ok(event) => {
                    if let Some(event) = self.accept(event) {
                        return Some(event);
                    }
                }
                Err(TryRecvError::Lagged(_)) => {
                    self.lagged();
                    return None;
                }
                Err(TryRecvError::Empty | TryRecvError::Closed) => return None,
            }
        }
    }

    fn take_ready(&mut self) -> Option<FeedItem> {
        while let Some(event) = self.ready.pop_front() {
            if let Some(event) = self.accept(event) {
                return Some(FeedItem::Event(event));
            }
        }
        None
    }

    /// Chains the event to what the reader has; drops what it has passed.
    fn accept(&mut self, event: Arc<Event>) -> Option<Arc<Event>> {
        if event.seq <= self.last {
            return None;
        }
        let prev_seq = std::mem::replace(&mut self.last, event.seq);
        if event.prev_seq == prev_seq {
            return Some(event);
        }
        let mut event = Arc::unwrap_or_clone(event);
        event.prev_seq = prev_seq;
        Some(Arc::new(event))
    }

    async fn read_stored(&mut self) -> Result<(), RuntimeError> {
        let (store, session_id, last, upto) = (self.store.clone(), self.session_id, self.last, self.upto);
        let page = apart(async move { store.events_after(session_id, last, Some(upto), PAGE).await }).await?;
        let whole = u32::try_from(page.len()).unwrap_or(u32::MAX) < PAGE;
        for stored in page {
            let mut pieces = Vec::new();
            split(self.session_id, stored, self.last, &mut pieces);
            self.ready.extend(pieces);
        }
        if whole {
            // What was shown but not stored at the time of subscribing comes behind it.
            self.ready.extend(self.unstored.drain(..));
            if let Some(last) = self.ready.back() {
                self.upto = self.upto.min(last.seq);
            } else {
                self.upto = self.last;
            }
        }
        Ok(())
    }

    fn lagged(&mut self) {
        let subscription = self.log.subscribe();
        self.upto = subscription.head;
        self.unstored = subscription.unstored;
        self.live = subscription.live;
    }

    /// Goes back to the store after being too slow. True: too far behind.
    async fn catch_up(&mut self) -> Result<bool, RuntimeError> {
        self.lagged();
        let (store, session_id, last) = (self.store.clone(), self.session_id, self.last);
        Ok(apart(async move { store.count_events_after(session_id, last).await }).await? > MAX_REPLAY)
    }
}

/// Reads the store in a task of its own, which goes on when nobody polls.
async fn apart<T: Send + 'static>(
    read: impl Future<Output = Result<T, StoreError>> + Send + 'static,
) -> Result<T, StoreError> {
    tokio::spawn(read).await.map_err(|error| StoreError::Other(format!("a read was cut short ({error})")))?
}

/// The pieces of a stored event that come after `after`, as they were shown.
pub(crate) fn split(chat_id: SessionId, stored: StoredEvent, after: u64, out: &mut Vec<Arc<Event>>) {
    let StoredEvent { seq, turn_id, at, body, pieces, .. } = stored;
    let event = |seq, body| Arc::new(Event { body, chat_id, seq, prev_seq: 0, turn_id, at });
    let (stream_id, text, reasoning) = match body {
        EventBody::Delta { stream_id, text } if !pieces.is_empty() => (stream_id, text, false),
        EventBody::ReasoningDelta { stream_id, text } if !pieces.is_empty() => (stream_id, text, true),
        body => {
            if seq > after {
                out.push(event(seq, body));
            }
            return;
        }
    };
    // Everything up to `after` was seen; the rest is one piece again, which ends where the last one ended.
    let seen = pieces.iter().take_while(|piece| piece.seq <= after).last().map_or(0, |piece| piece.end as usize);
    let rest = text.get(seen..).unwrap_or_default().to_owned();
    if seq <= after || rest.is_empty() {
        return;
    }
    let body = if reasoning {
        EventBody::ReasoningDelta { stream_id, text: rest }
    } else {
        EventBody::Delta { stream_id, text: rest }
    };
    out.push(event(seq, body));
}
