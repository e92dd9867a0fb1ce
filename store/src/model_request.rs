//! Requests to models: one record for each HTTP attempt, which outlives its session.

use nanobot_engine::id::{SessionId, TurnId};
use uuid::Uuid;

use crate::batch::{Batch, Expect};
use crate::decode::{Broken, Columns, all};
use crate::encode::{self, number, text};
use crate::error::StoreError;
use crate::store::Store;

/// More tokens, or milliseconds of work, than any request has. Higher counts are stored as this one, so that no nonsense of a
/// provider or a clock can make sums overflow.
const MOST: u64 = 1_000_000_000_000;

/// One HTTP attempt to get an answer from a model, and what came of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequestRecord {
    /// Identity: a UUIDv7, so that it grows with time.
    pub id: Uuid,
    /// Its session. Ignored when it is written: it is the session of the step.
    pub session_id: SessionId,
    /// The turn that it was made for.
    pub turn_id: TurnId,
    /// Preset in use.
    pub preset: String,
    /// Name of the provider that was asked, as it is configured.
    pub provider: String,
    /// Model that was asked.
    pub model: String,
    /// Iteration of the turn.
    pub iteration: u32,
    /// Attempt within the iteration, from 1. Starts again when the turn is taken up after a kill.
    pub attempt: u32,
    /// UTC milliseconds.
    pub started_at: i64,
    /// From the start to the end of the answer, or to the failure.
    pub duration_ms: u64,
    /// From the start to the first piece of the answer, when there was one.
    pub first_output_ms: Option<u64>,
    /// Tokens sent, including cached ones.
    pub input_tokens: u64,
    /// The part of `input_tokens` that the provider read from its cache.
    pub cached_tokens: u64,
    /// Tokens produced, reasoning included.
    pub output_tokens: u64,
    /// Price in US dollars at that time; `None` when no price was known. A number that is not finite counts as `None`.
    pub cost_usd: Option<f64>,
    /// The provider reported nothing; the numbers are our own estimate.
    pub estimated: bool,
    /// `complete`, `length`, `truncated`, `empty`, `paused`, or an error code such as `provider_rate_limit`.
    pub outcome: String,
    /// Whether the attempt counts as a success.
    pub ok: bool,
    /// How long the turn worked since its request before, or since it began, with this request: waits for people do not count.
    pub worked_ms: u64,
}

fn read(columns: &mut Columns) -> Result<ModelRequestRecord, Broken> {
    Ok(ModelRequestRecord {
        id: columns.id()?,
        session_id: columns.id()?,
        turn_id: columns.id()?,
        preset: columns.text()?,
        provider: columns.text()?,
        model: columns.text()?,
        iteration: columns.number()?,
        attempt: columns.number()?,
        started_at: columns.integer()?,
        duration_ms: columns.number()?,
        first_output_ms: columns.optional_number()?,
        input_tokens: columns.number()?,
        cached_tokens: columns.number()?,
        output_tokens: columns.number()?,
        cost_usd: columns.optional_real()?,
        estimated: columns.flag()?,
        ok: columns.flag()?,
        outcome: columns.text()?,
        worked_ms: columns.number()?,
    })
}

impl Store {
    /// The requests of a turn by iteration and, within one, in the order they were made.
    pub async fn model_requests_of_turn(&self, turn_id: TurnId) -> Result<Vec<ModelRequestRecord>, StoreError> {
        let rows = sqlx::query(
            "SELECT id, session_id, turn_id, preset, provider, model, iteration, attempt, started_at, duration_ms, \
             first_output_ms, input_tokens, cached_tokens, output_tokens, cost_usd, estimated, ok, outcome, worked_ms \
             FROM model_requests WHERE turn_id = ? ORDER BY iteration, started_at, attempt, id",
        )
        .bind(encode::id(turn_id.0))
        .fetch_all(self.readers())
        .await?;
        Ok(all(&rows, "model request", read))
    }
}

/// Adds a request to the session of the step.
pub(crate) fn insert(batch: &mut Batch, session: &str, request: ModelRequestRecord) {
    batch
        .statement(
            "INSERT INTO model_requests(id, session_id, turn_id, preset, provider, model, iteration, attempt, \
             started_at, duration_ms, first_output_ms, input_tokens, cached_tokens, output_tokens, cost_usd, \
             estimated, ok, outcome, worked_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            Expect::Anything,
        )
        .bind(encode::id(request.id))
        .bind(session)
        .bind(encode::id(request.turn_id.0))
        .bind(text(request.preset))
        .bind(text(request.provider))
        .bind(text(request.model))
        .bind(request.iteration)
        .bind(request.attempt)
        .bind(request.started_at)
        .bind(number(request.duration_ms))
        .bind(request.first_output_ms.map(number))
        .bind(capped(request.input_tokens))
        .bind(capped(request.cached_tokens))
        .bind(capped(request.output_tokens))
        .bind(request.cost_usd.filter(|cost| cost.is_finite()))
        .bind(request.estimated)
        .bind(request.ok)
        .bind(text(request.outcome))
        .bind(capped(request.worked_ms));
}

fn capped(count: u64) -> i64 {
    number(count.min(MOST))
}
