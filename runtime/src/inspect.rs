//! The inspector: what a turn was made of. Its requests with what they were made from, its calls with their times, what hooks did wrong.

mod difference;
mod rebuild;

use std::collections::BTreeMap;

use nanobot_engine::event::GovernStep;
use nanobot_engine::id::{SessionId, TurnId};
use nanobot_engine::message::Message;
use nanobot_engine::model::ToolChoice;
use nanobot_engine::tool::CallStatus;
use nanobot_engine::turn::{Part, Turn};
use nanobot_engine::usage::Usage;
use nanobot_store::{CallRecord, ModelRequestRecord, Store, TurnRecord};
use serde::Serialize;
use serde_json::{Map, Value};
use uuid::Uuid;

pub use self::difference::Difference;
use self::rebuild::Rebuilt;
pub(crate) use self::rebuild::Sources;
use crate::error::RuntimeError;
use crate::recipe::Recipe;
use crate::runtime::Runtime;

/// What is said of a turn whose requests have no recipes.
const WITHOUT_RECIPES: &str = "What the requests of this turn were made from is not on record: it was made before that was kept, or it \
                               is a copy of another session's turn.";

/// How many turns without a request are passed over in search of the request before.
const MOST_TURNS_BACK: usize = 20;

/// A turn with what it was made of.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct InspectedTurn {
    /// The turn as the thread shows it.
    #[serde(flatten)]
    pub turn: Turn,
    /// What it was made of.
    pub inspection: TurnInspection,
}

/// What a turn was made of.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct TurnInspection {
    /// Each HTTP attempt to get an answer from a model, in order.
    pub requests: Vec<InspectedRequest>,
    /// The calls, in order.
    pub calls: Vec<InspectedCall>,
    /// Hooks that failed without ending the turn.
    pub hook_faults: Vec<InspectedFault>,
    /// Tokens of the whole turn.
    pub usage: Usage,
    /// Price in US dollars, when it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long models were waited for, all requests together.
    pub model_ms: u64,
    /// How long calls ran, all together, also where they ran side by side.
    pub tool_ms: u64,
    /// From the start of the turn to its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// What is not there, and why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One HTTP attempt.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct InspectedRequest {
    /// Identity.
    #[schema(value_type = String)]
    pub id: Uuid,
    /// Iteration of the turn, from 0.
    pub iteration: u32,
    /// Attempt within the iteration, from 1.
    pub attempt: u32,
    /// Preset in use.
    pub preset: String,
    /// Provider that was asked.
    pub provider: String,
    /// Model that was asked.
    pub model: String,
    /// UTC milliseconds.
    pub started_at: i64,
    /// From the start to the end of the answer, or to the failure.
    pub duration_ms: u64,
    /// From the start to the first piece of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_output_ms: Option<u64>,
    /// `complete`, `length`, `truncated`, `empty`, `paused`, `cancelled`, or an error code.
    pub outcome: String,
    /// Does it count as a success?
    pub ok: bool,
    /// Tokens sent, including cached ones.
    pub input_tokens: u64,
    /// The part of them that the provider read from its cache.
    pub cached_tokens: u64,
    /// Tokens produced.
    pub output_tokens: u64,
    /// Price in US dollars at that time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// The tokens are our own estimate.
    pub estimated: bool,
    /// What governance made of the conversation; absent when that was not kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub governed: Option<InspectedGovernance>,
}

/// What governance made of a conversation.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct InspectedGovernance {
    /// Steps that were taken for this request.
    pub steps: Vec<GovernStep>,
    /// Tokens that could be sent.
    pub budget_tokens: u64,
    /// The model's window.
    pub window_tokens: u64,
    /// Our estimate of what was sent.
    pub estimated_tokens: u64,
    /// Messages that were sent.
    pub messages: usize,
    /// A fingerprint of the request; the same for the same request.
    pub hash: String,
    /// SHA-256 of the system prompt.
    pub system_hash: String,
    /// SHA-256 of the list of tools.
    pub tools_hash: String,
}

/// One call.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct InspectedCall {
    /// Its id.
    pub call_id: String,
    /// Tool.
    pub name: String,
    /// Iteration that asked for it.
    pub iteration: u32,
    /// Place among the calls of the iteration, from 0.
    pub position: u32,
    /// How it ended.
    pub status: CallStatus,
    /// Arguments, as the tool got them.
    #[schema(value_type = Object)]
    pub arguments: Map<String, Value>,
    /// UTC milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<i64>,
    /// UTC milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<i64>,
    /// How long it ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<u64>,
    /// Length of its whole result, in Unicode scalars.
    pub output_chars: usize,
}

/// A hook that failed.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct InspectedFault {
    /// The hook.
    pub hook: String,
    /// The method it failed at.
    pub method: String,
    /// What happened.
    pub text: String,
}

/// A request as the model got it.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct RequestDetail {
    /// Identity.
    #[schema(value_type = String)]
    pub id: Uuid,
    /// Iteration of the turn, from 0.
    pub iteration: u32,
    /// Attempt within the iteration, from 1.
    pub attempt: u32,
    /// The model's id at its provider.
    pub model: String,
    /// System prompt.
    pub system: String,
    /// Tools on offer.
    pub tools: Vec<ToolDetail>,
    /// The conversation.
    #[schema(value_type = Vec<Object>)]
    pub messages: Vec<Message>,
    /// Limit of the answer in tokens; 0 when it is not known.
    pub max_tokens: u64,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// How much the model was to reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_effort: Option<String>,
    /// Could the model call tools?
    pub tool_choice: ToolChoice,
    /// Is this, apart from secrets, exactly what was sent?
    pub exact: bool,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// How it differs from the request before it.
    pub difference: Difference,
}

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ToolDetail {
    /// Name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    #[schema(value_type = Object)]
    pub parameters: Value,
}

/// Everything about a turn.
#[derive(Clone, Debug, PartialEq, Serialize, utoipa::ToSchema)]
pub struct TurnExport {
    /// Version of this form.
    pub version: u32,
    /// The session.
    pub session_id: SessionId,
    /// The turn.
    pub turn: InspectedTurn,
    /// Its requests, in order.
    pub requests: Vec<RequestDetail>,
}

/// The requests of a turn and what they were made from.
struct Requests {
    records: Vec<ModelRequestRecord>,
    recipes: BTreeMap<Uuid, Recipe>,
}

impl Runtime {
    /// A turn with what it was made of.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn inspect_turn(&self, id: TurnId) -> Result<InspectedTurn, RuntimeError> {
        let (_, turn) = self.turn(id).await?;
        let requests = requests(self.store(), id).await?;
        let calls = self.store().calls(id).await?;
        let inspection = inspection(&turn, &requests, calls);
        Ok(InspectedTurn { turn, inspection })
    }

    /// A request of a turn, made again from what is stored.
    ///
    /// # Errors
    /// `NotFound` when the turn does not exist or has no such request.
    pub async fn inspect_request(&self, id: TurnId, request: Uuid) -> Result<RequestDetail, RuntimeError> {
        let turn = self.known_turn(id).await?;
        let requests = requests(self.store(), id).await?;
        let at = requests.records.iter().position(|record| record.id == request);
        let at = at.ok_or(RuntimeError::NotFound("request in this turn"))?;
        let mut details = self.details(&turn, requests, at, 1).await?;
        details.pop().ok_or(RuntimeError::NotFound("request in this turn"))
    }

    /// Everything about a turn.
    ///
    /// # Errors
    /// `NotFound` when it does not exist.
    pub async fn export_turn(&self, id: TurnId) -> Result<TurnExport, RuntimeError> {
        let record = self.known_turn(id).await?;
        let turn = self.inspect_turn(id).await?;
        let requests = requests(self.store(), id).await?;
        let details = self.details(&record, requests, 0, usize::MAX).await?;
        Ok(TurnExport { version: 1, session_id: record.session_id, turn, requests: details })
    }

    /// A turn of a session that is not deleted.
    async fn known_turn(&self, id: TurnId) -> Result<TurnRecord, RuntimeError> {
        let turn = self.store().turn(id).await?.ok_or(RuntimeError::NotFound("turn"))?;
        self.session(turn.session_id).await?;
        Ok(turn)
    }

    /// Makes `count` requests of a turn again, from the one at `first` on.
    async fn details(
        &self,
        turn: &TurnRecord,
        requests: Requests,
        first: usize,
        count: usize,
    ) -> Result<Vec<RequestDetail>, RuntimeError> {
        let mut sources = Sources::new(self.store().clone(), turn.session_id);
        let mut previous = match first.checked_sub(1) {
            Some(before) => match requests.records.get(before) {
                Some(record) => Some(rebuild_one(&mut sources, record, requests.recipes.get(&record.id)).await?),
                None => None,
            },
            None => self.last_before(turn, &mut sources).await?,
        };
        let mut details = Vec::new();
        for record in requests.records.iter().skip(first).take(count) {
            let rebuilt = rebuild_one(&mut sources, record, requests.recipes.get(&record.id)).await?;
            details.push(detail(record, &rebuilt, previous.as_ref()));
            previous = Some(rebuilt);
        }
        Ok(details)
    }

    /// The last request of the turn that this one follows on its branch, or of one before that when that one had none.
    async fn last_before(&self, turn: &TurnRecord, sources: &mut Sources) -> Result<Option<Rebuilt>, RuntimeError> {
        let mut user = turn.user_message_id;
        for _ in 0..MOST_TURNS_BACK {
            let Some(id) = user else { return Ok(None) };
            let Some((_, row)) = self.store().message(id).await? else { return Ok(None) };
            let Some(parent) = row.parent_id else { return Ok(None) };
            let Some((_, row)) = self.store().message(parent).await? else { return Ok(None) };
            let Requests { records, recipes } = requests(self.store(), row.turn_id).await?;
            if let Some(record) = records.last() {
                return Ok(Some(rebuild_one(sources, record, recipes.get(&record.id)).await?));
            }
            user = self.store().turn(row.turn_id).await?.and_then(|turn| turn.user_message_id);
        }
        Ok(None)
    }
}

async fn rebuild_one(
    sources: &mut Sources,
    record: &ModelRequestRecord,
    recipe: Option<&Recipe>,
) -> Result<Rebuilt, RuntimeError> {
    let mut rebuilt = match recipe {
        Some(recipe) => sources.rebuild(recipe).await?,
        None => Rebuilt::unknown(WITHOUT_RECIPES),
    };
    rebuilt.id = record.id;
    Ok(rebuilt)
}

async fn requests(store: &Store, id: TurnId) -> Result<Requests, RuntimeError> {
    let records = store.model_requests_of_turn(id).await?;
    let recipes = store.recipes(id).await?.into_iter();
    let read = |(id, json): (Uuid, String)| match serde_json::from_str(&json) {
        Ok(recipe) => Some((id, recipe)),
        Err(error) => {
            tracing::warn!(request = %id, %error, "what a request was made from cannot be read");
            None
        }
    };
    Ok(Requests { records, recipes: recipes.filter_map(read).collect() })
}

fn inspection(turn: &Turn, requests: &Requests, calls: Vec<CallRecord>) -> TurnInspection {
    let calls: Vec<InspectedCall> = calls.into_iter().map(inspected_call).collect();
    let usage = turn.usage.unwrap_or_default();
    let duration = turn.started_at.zip(turn.ended_at).map(|(from, to)| to.saturating_sub(from));
    let answered = turn.answer_id.is_some() || !calls.is_empty();
    let unknown = requests.records.iter().any(|record| !requests.recipes.contains_key(&record.id))
        || (answered && requests.records.is_empty());
    TurnInspection {
        model_ms: requests.records.iter().map(|record| record.duration_ms).sum(),
        tool_ms: calls.iter().filter_map(|call| call.duration_ms).sum(),
        requests: requests.records.iter().map(|record| inspected_request(record, &requests.recipes)).collect(),
        calls,
        hook_faults: turn.parts.iter().filter_map(hook_fault).collect(),
        usage,
        cost_usd: usage.cost_usd,
        duration_ms: duration.and_then(|duration| u64::try_from(duration).ok()),
        note: unknown.then(|| WITHOUT_RECIPES.to_owned()),
    }
}

fn inspected_request(record: &ModelRequestRecord, recipes: &BTreeMap<Uuid, Recipe>) -> InspectedRequest {
    let governed = recipes.get(&record.id).map(|recipe| InspectedGovernance {
        steps: recipe.steps.clone(),
        budget_tokens: recipe.budget.input_tokens(),
        window_tokens: recipe.budget.window_tokens,
        estimated_tokens: recipe.estimated_tokens,
        messages: recipe.messages,
        hash: recipe.hash.clone(),
        system_hash: recipe.system.clone(),
        tools_hash: recipe.tools.clone(),
    });
    InspectedRequest {
        id: record.id,
        iteration: record.iteration,
        attempt: record.attempt,
        preset: record.preset.clone(),
        provider: record.provider.clone(),
        model: record.model.clone(),
        started_at: record.started_at,
        duration_ms: record.duration_ms,
        first_output_ms: record.first_output_ms,
        outcome: record.outcome.clone(),
        ok: record.ok,
        input_tokens: record.input_tokens,
        cached_tokens: record.cached_tokens,
        output_tokens: record.output_tokens,
        cost_usd: record.cost_usd,
        estimated: record.estimated,
        governed,
    }
}

fn inspected_call(call: CallRecord) -> InspectedCall {
    let ran = call.started_at.zip(call.ended_at).and_then(|(from, to)| u64::try_from(to.saturating_sub(from)).ok());
    InspectedCall {
        call_id: call.call_id,
        name: call.name,
        iteration: call.iteration,
        position: call.position,
        status: call.status,
        arguments: call.arguments,
        started_at: call.started_at,
        ended_at: call.ended_at,
        duration_ms: call.outcome.as_ref().map(|outcome| outcome.duration_ms).or(ran),
        output_chars: call.outcome.map_or(0, |outcome| outcome.text.chars().count()),
    }
}

fn hook_fault(part: &Part) -> Option<InspectedFault> {
    let Part::Notice { code, text, data, .. } = part else { return None };
    if code != "hook_failed" {
        return None;
    }
    let field = |name| data.as_ref().and_then(|data| data.get(name)).and_then(Value::as_str).unwrap_or_default();
    Some(InspectedFault { hook: field("hook").to_owned(), method: field("method").to_owned(), text: text.clone() })
}

fn detail(record: &ModelRequestRecord, rebuilt: &Rebuilt, previous: Option<&Rebuilt>) -> RequestDetail {
    let request = &rebuilt.request;
    let tools = request.tools.iter().map(|tool| ToolDetail {
        name: tool.name.clone(),
        description: tool.description.clone(),
        parameters: tool.parameters.clone(),
    });
    RequestDetail {
        id: record.id,
        iteration: record.iteration,
        attempt: record.attempt,
        model: record.model.clone(),
        system: request.system.as_ref().to_owned(),
        tools: tools.collect(),
        messages: request.messages.clone(),
        max_tokens: request.max_tokens,
        temperature: request.temperature,
        reasoning_effort: request.reasoning_effort.clone(),
        tool_choice: request.tool_choice,
        exact: rebuilt.exact,
        note: rebuilt.note.clone(),
        difference: difference::between(previous, rebuilt),
    }
}
