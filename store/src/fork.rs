//! Forks: a session that begins with a copy of another one's branch, with ids and numbers of its own.

use std::collections::{HashMap, HashSet};

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::id::{MessageId, SessionId, StreamId, TurnId};
use nanobot_engine::message::Row;
use nanobot_engine::turn::TurnStatus;
use sqlx::{Row as _, SqliteConnection};
use uuid::Uuid;

use crate::batch::Batch;
use crate::call::CallRecord;
use crate::encode::{self, number};
use crate::error::StoreError;
use crate::event::StoredEvent;
use crate::session::SessionRecord;
use crate::store::{Store, end};
use crate::turn::TurnRecord;
use crate::{call, event, message, session, turn};

impl Store {
    /// Creates the session `new` with a copy of a branch of `from` up to the number `at_seq`: its rows, their turns (ended),
    /// the events and calls of those. The branch is the one of the row with that number, else the active one.
    ///
    /// # Errors
    /// [`StoreError::SessionGone`] when `from` is deleted; [`StoreError::NotFound`] when there is no row up to `at_seq`.
    pub async fn fork_session(&self, from: SessionId, at_seq: u64, new: &SessionRecord) -> Result<(), StoreError> {
        // Rows and events never change, so a long history is read and renamed before the only writer is taken.
        let mut reading = self.begin_read().await?;
        let result = gather(&mut reading, from, at_seq, new).await;
        let (record, finished) = end(reading, result).await?;
        let mut writing = self.begin_write().await?;
        let result = write(&mut writing, from, &record, finished).await;
        end(writing, result).await
    }
}

async fn gather(
    connection: &mut SqliteConnection,
    from: SessionId,
    at_seq: u64,
    new: &SessionRecord,
) -> Result<(SessionRecord, Finished), StoreError> {
    refuse_deleted(connection, from).await?;
    let rows = rows_to_copy(connection, from, at_seq).await?;
    let Some(last) = rows.last() else { return Err(StoreError::NotFound("message")) };
    let mut copy = Copy::new(new.id, &rows);
    for original in turns_of(&rows) {
        copy.add_turn(connection, from, original, at_seq).await?;
    }
    let active_message_id = copy.rows.get(&last.id).copied();
    let finished = copy.finish(rows);
    let record = SessionRecord {
        active_message_id,
        forked_from: Some(from),
        forked_at_seq: Some(at_seq),
        reserved_seq: new.reserved_seq.max(finished.last_seq),
        ..new.clone()
    };
    Ok((record, finished))
}

async fn refuse_deleted(connection: &mut SqliteConnection, session: SessionId) -> Result<(), StoreError> {
    sqlx::query("SELECT 1 FROM sessions WHERE id = ? AND deleted_at IS NULL")
        .bind(encode::id(session.0))
        .fetch_optional(connection)
        .await?
        .ok_or(StoreError::SessionGone(session))?;
    Ok(())
}

async fn rows_to_copy(connection: &mut SqliteConnection, from: SessionId, at_seq: u64) -> Result<Vec<Row>, StoreError> {
    let session = encode::id(from.0);
    let exact = sqlx::query("SELECT id FROM messages WHERE session_id = ? AND seq = ?")
        .bind(session.as_str())
        .bind(number(at_seq))
        .fetch_optional(&mut *connection)
        .await?;
    let leaf = match exact {
        Some(row) => Some(row.try_get::<String, _>(0)?),
        None => message::active_leaf(connection, &session).await?,
    };
    let Some(leaf) = leaf else { return Ok(Vec::new()) };
    let mut rows = message::branch(connection, &session, &leaf).await?;
    rows.retain(|row| row.seq <= at_seq);
    Ok(rows)
}

fn turns_of(rows: &[Row]) -> Vec<TurnId> {
    let mut turns = Vec::new();
    for row in rows {
        if turns.last() != Some(&row.turn_id) && !turns.contains(&row.turn_id) {
            turns.push(row.turn_id);
        }
    }
    turns
}

/// A turn with what belongs to it, still with the ids and numbers of the original.
struct CopiedTurn {
    record: TurnRecord,
    events: Vec<StoredEvent>,
    calls: Vec<CallRecord>,
}

/// The copy while it is gathered.
struct Copy {
    session: SessionId,
    rows: HashMap<MessageId, MessageId>,
    turns: HashMap<TurnId, TurnId>,
    gathered: Vec<CopiedTurn>,
}

/// The copy with its own ids and numbers, ready to be written.
struct Finished {
    turns: Vec<TurnRecord>,
    rows: Vec<Row>,
    events: Vec<StoredEvent>,
    calls: Vec<CallRecord>,
    last_seq: u64,
}

impl Copy {
    fn new(session: SessionId, rows: &[Row]) -> Self {
        let rows = rows.iter().map(|row| (row.id, MessageId(Uuid::now_v7()))).collect();
        Self { session, rows, turns: HashMap::new(), gathered: Vec::new() }
    }

    async fn add_turn(
        &mut self,
        connection: &mut SqliteConnection,
        from: SessionId,
        id: TurnId,
        at_seq: u64,
    ) -> Result<(), StoreError> {
        let Some(mut record) = turn::by_id(connection, id).await? else { return Ok(()) };
        let session = encode::id(from.0);
        let last_row = sqlx::query("SELECT MAX(seq) FROM messages WHERE session_id = ? AND turn_id = ?")
            .bind(session.as_str())
            .bind(encode::id(id.0))
            .fetch_one(&mut *connection)
            .await?
            .try_get::<Option<i64>, _>(0)?;
        let whole = record.ended_seq.is_some() && last_row <= Some(number(at_seq));
        let mut events = event::of_turn(connection, &session, &record).await?;
        if !whole {
            events.retain(|event| event.seq <= at_seq);
            drop_open_questions(&mut events);
            // A turn that has no end yet goes on where it is, not in the copy.
            let (state, stop_reason) = match record.ended_seq {
                Some(_) => (TurnStatus::Done, StopReason::Completed),
                None => (TurnStatus::Interrupted, StopReason::Interrupted),
            };
            events.push(cut_here(&record, stop_reason, u64::MAX - self.gathered.len() as u64));
            record.state = state;
            record.stop_reason = Some(stop_reason);
            record.error = None;
        }
        let calls = call::of_turn(connection, id).await?;
        self.turns.insert(id, TurnId(Uuid::now_v7()));
        self.gathered.push(CopiedTurn { record, events, calls });
        Ok(())
    }

    /// Gives everything its new number, in the order of the old ones.
    fn finish(self, rows: Vec<Row>) -> Finished {
        let Self { session, rows: row_ids, turns: turn_ids, gathered } = self;
        let mut old: Vec<u64> = rows.iter().map(|row| row.seq).collect();
        for turn in &gathered {
            old.push(turn.record.seq);
            old.extend(turn.events.iter().map(|event| event.seq));
        }
        old.sort_unstable();
        old.dedup();
        let numbers: HashMap<u64, u64> = old.into_iter().zip(1..).collect();
        let renumber = |seq: u64| numbers.get(&seq).copied().unwrap_or_default();
        let row_id = |id: MessageId| row_ids.get(&id).copied();
        let turn_id = |id: TurnId| turn_ids.get(&id).copied().unwrap_or(id);

        let mut finished =
            Finished { turns: Vec::new(), rows: Vec::new(), events: Vec::new(), calls: Vec::new(), last_seq: 0 };
        let mut parent_id = None;
        for row in rows {
            let id = row_id(row.id).unwrap_or(row.id);
            let seq = renumber(row.seq);
            finished.rows.push(Row { id, seq, turn_id: turn_id(row.turn_id), parent_id, ..row });
            parent_id = Some(id);
        }
        for CopiedTurn { record, events, calls } in gathered {
            let id = turn_id(record.id);
            let seq = renumber(record.seq);
            let mut last = None;
            for event in events {
                let seq_of_event = renumber(event.seq);
                last = Some(seq_of_event);
                finished.events.push(StoredEvent {
                    first_seq: seq_of_event,
                    seq: seq_of_event,
                    turn_id: event.turn_id.map(turn_id),
                    at: event.at,
                    body: renamed(event.body, seq, &row_id),
                    pieces: Vec::new(),
                });
            }
            finished.calls.extend(calls.into_iter().map(|call| CallRecord {
                turn_id: id,
                stream_id: moved(&call.stream_id, seq),
                ..call
            }));
            finished.turns.push(TurnRecord {
                id,
                session_id: session,
                seq,
                user_message_id: record.user_message_id.and_then(row_id),
                parent_message_id: record.parent_message_id.and_then(row_id),
                checkpoint: None,
                boot_id: None,
                // Numbers of events that are not there any more become those of the nearest ones.
                started_seq: record.started_seq.map(|started| match renumber(started) {
                    0 => seq,
                    started => started,
                }),
                ended_seq: last,
                ended_at: record.ended_at.or(record.started_at),
                ..record
            });
        }
        finished.last_seq = numbers.len() as u64;
        finished
    }
}

/// Questions without an answer are the turn's own; nobody can answer them in the copy.
fn drop_open_questions(events: &mut Vec<StoredEvent>) {
    let answered: HashSet<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::ApprovalResolved { answered, .. } => Some(answered.approval_id),
            _ => None,
        })
        .collect();
    events.retain(|event| match &event.body {
        EventBody::ApprovalRequested { approval, .. } => answered.contains(&approval.approval_id),
        _ => true,
    });
}

/// The end of a turn whose later part is not copied; `seq` sorts after all numbers in use until it gets one of its own.
fn cut_here(record: &TurnRecord, stop_reason: StopReason, seq: u64) -> StoredEvent {
    StoredEvent {
        first_seq: seq,
        seq,
        turn_id: Some(record.id),
        at: record.started_at.unwrap_or(record.created_at),
        body: EventBody::TurnFinished {
            stop_reason,
            latency_ms: 0,
            usage: record.usage.unwrap_or_default(),
            error: None,
        },
        pieces: Vec::new(),
    }
}

/// The same event in the names of the copy.
fn renamed(mut body: EventBody, turn_seq: u64, row_id: &dyn Fn(MessageId) -> Option<MessageId>) -> EventBody {
    match &mut body {
        EventBody::UserMessage { message_id, parent_id, branch, stream_id, .. } => {
            *message_id = row_id(*message_id).unwrap_or(*message_id);
            *parent_id = parent_id.and_then(row_id);
            *branch = None;
            *stream_id = stream_id.as_ref().map(|id| moved(id, turn_seq));
        }
        EventBody::Message { message_id, .. } => *message_id = row_id(*message_id).unwrap_or(*message_id),
        EventBody::SessionUpdated { active_message_id, .. } => {
            *active_message_id = active_message_id.and_then(row_id);
        }
        EventBody::ReasoningDelta { stream_id, .. }
        | EventBody::ReasoningEnd { stream_id, .. }
        | EventBody::Delta { stream_id, .. }
        | EventBody::StreamEnd { stream_id, .. }
        | EventBody::StreamDiscarded { stream_id, .. }
        | EventBody::ToolStarted { stream_id, .. }
        | EventBody::ToolOutput { stream_id, .. }
        | EventBody::ToolFinished { stream_id, .. }
        | EventBody::ApprovalRequested { stream_id, .. }
        | EventBody::ApprovalResolved { stream_id, .. }
        | EventBody::ProviderTool { stream_id, .. }
        | EventBody::RetryWait { stream_id, .. }
        | EventBody::ModelSwitched { stream_id, .. }
        | EventBody::Notice { stream_id, .. }
        | EventBody::ContextGoverned { stream_id, .. } => *stream_id = moved(stream_id, turn_seq),
        EventBody::TurnStarted { .. }
        | EventBody::TurnResumed { .. }
        | EventBody::IterationStarted { .. }
        | EventBody::Usage(_)
        | EventBody::TurnFinished { .. } => {}
    }
    body
}

/// The same place among the parts of a turn that begins at another number.
fn moved(stream_id: &StreamId, turn_seq: u64) -> StreamId {
    stream_id.index().map_or_else(|| stream_id.clone(), |index| StreamId::new(turn_seq, index))
}

async fn write(
    connection: &mut SqliteConnection,
    from: SessionId,
    record: &SessionRecord,
    finished: Finished,
) -> Result<(), StoreError> {
    refuse_deleted(connection, from).await?;
    session::insert(connection, record).await?;
    let session = &encode::id(record.id.0);
    let Finished { turns, rows, events, calls, last_seq: _ } = finished;
    let mut writer = Writer { connection, batch: Batch::default() };
    for turn in turns {
        turn::insert(writer.next().await?, session, turn)?;
    }
    for row in rows {
        message::insert(writer.next().await?, session, row)?;
    }
    for event in events {
        event::insert(writer.next().await?, session, event)?;
    }
    for call in calls {
        call::upsert(writer.next().await?, call)?;
    }
    writer.batch.run(writer.connection, "", "").await?;
    Ok(())
}

/// Runs statements a batch at a time.
struct Writer<'c> {
    connection: &'c mut SqliteConnection,
    batch: Batch,
}

impl Writer<'_> {
    async fn next(&mut self) -> Result<&mut Batch, StoreError> {
        if self.batch.len() >= Batch::LIMIT {
            std::mem::take(&mut self.batch).run(self.connection, "", "").await?;
        }
        Ok(&mut self.batch)
    }
}
