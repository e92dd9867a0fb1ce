//! What a request to a model is made from, and the making of it. A request is a pure function of this, so it need not be stored: the
//! driver makes it for the model, and whoever wants to see it later makes it again and compares the hash.

mod fingerprint;

use std::borrow::Borrow;
use std::sync::Arc;

use nanobot_engine::event::GovernStep;
use nanobot_engine::govern::{
    Calibration, ContextBudget, ContextGovernance, Decisions, GovernError, Governed, Step, Surroundings, fixed_cost,
};
use nanobot_engine::id::MessageId;
use nanobot_engine::machine::{ContinueReason, TurnState};
use nanobot_engine::message::{Block, Message, Role, Row, Signature};
use nanobot_engine::model::{Media, ModelRequest, ToolChoice};
use nanobot_engine::tool::{CallStatus, ToolSpec};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use self::fingerprint::Fingerprint;

/// A text that many requests share, by its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// SHA-256 in hex.
    pub hash: String,
    /// The text.
    pub text: Arc<str>,
}

impl Body {
    /// A text with its hash.
    #[must_use]
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        let text = text.into();
        Self { hash: hex(&Sha256::digest(text.as_bytes())), text }
    }

    /// A list of tools, as it is kept.
    #[must_use]
    pub fn of_tools(tools: &[ToolSpec]) -> Self {
        // Strings, enums and JSON alone: this cannot fail.
        Self::new(serde_json::to_string(tools).unwrap_or_default())
    }

    /// Decisions, as they are kept.
    #[must_use]
    pub fn of_decisions(decisions: &Decisions) -> Self {
        Self::new(serde_json::to_string(decisions).unwrap_or_default())
    }
}

/// What one request was made from, apart from texts and rows, which it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recipe {
    /// Hash of the system prompt.
    pub system: String,
    /// Hash of the list of tools.
    pub tools: String,
    /// Hash of what governance had decided before; absent when that was nothing.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub decisions: Option<String>,
    /// The last row of the branch.
    pub leaf: Option<MessageId>,
    /// Who was asked: its place among the models that may answer.
    pub candidate: usize,
    /// The model's id at its provider.
    pub model: String,
    /// What the request had to fit.
    pub budget: ContextBudget,
    /// Correction of the estimates.
    pub calibration: Calibration,
    /// The step that governance had to take.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub force: Option<Step>,
    /// Messages behind the rows: of the machine first, then of hooks.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub extra: Vec<Message>,
    /// How many of `extra`, the last ones, are of hooks.
    #[serde(skip_serializing_if = "is_zero", default)]
    pub from_hooks: usize,
    /// May the model call tools?
    pub tool_choice: ToolChoice,
    /// Limit of the answer in tokens.
    pub max_tokens: u64,
    /// Sampling temperature.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub temperature: Option<f64>,
    /// How much the model shall reason.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reasoning_effort: Option<String>,
    /// Was it asked in the plainest form?
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub plain: bool,
    /// Steps that governance took for it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<GovernStep>,
    /// Our estimate of its tokens, calibrated.
    pub estimated_tokens: u64,
    /// How many messages it had.
    pub messages: usize,
    /// What it came to; see [`hash_of`].
    pub hash: String,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The texts that a recipe names.
#[derive(Clone, Debug)]
pub struct Ingredients {
    /// System prompt.
    pub system: Arc<str>,
    /// Tools on offer.
    pub tools: Arc<[ToolSpec]>,
    /// What governance had decided before.
    pub decisions: Arc<Decisions>,
}

/// A request that was made again.
#[derive(Clone, Debug)]
pub struct Made {
    /// The request.
    pub request: ModelRequest,
    /// What governance did.
    pub governed: Governed,
    /// What it comes to.
    pub hash: String,
}

impl Recipe {
    /// Makes the request from the rows of its branch, oldest first.
    ///
    /// # Errors
    /// When it does not fit any more, which a request that was sent does.
    pub fn make<R: Borrow<Row>>(&self, rows: &[R], ingredients: &Ingredients) -> Result<Made, GovernError> {
        let around = Surroundings {
            fixed: fixed_cost(&ingredients.system, &ingredients.tools),
            calibration: self.calibration,
            force: self.force,
            ..Surroundings::default()
        };
        let governance = ContextGovernance { budget: self.budget };
        let mut governed = govern(&governance, rows, &ingredients.decisions, &around, &self.extra)?;
        let request = ModelRequest {
            model: self.model.clone(),
            system: Arc::clone(&ingredients.system),
            messages: std::mem::take(&mut governed.messages),
            tools: Arc::clone(&ingredients.tools),
            tool_choice: self.tool_choice,
            max_tokens: self.max_tokens,
            temperature: self.temperature,
            reasoning_effort: self.reasoning_effort.clone(),
            media: Media::default(),
            plain: self.plain,
        };
        let hash = hash_of(&request, &self.system, &self.tools);
        Ok(Made { request, governed, hash })
    }
}

/// What the model reads when it has to close without tools.
const CLOSING: &str = "The limit of steps for this request is reached. Do not call tools. Say what was done, what was \
                       found, and what remains, without claiming that it is finished if it is not.";

/// Messages that a turn in this state puts behind the rows; nothing is stored of them.
pub(crate) fn behind_the_rows(state: &TurnState) -> Vec<Message> {
    let cut = state.continued == Some(ContinueReason::LengthRecovery);
    // An answer that is half said is said to its end; anything else is summed up.
    let sums_up = state.closing && (!cut || state.cut.text.is_empty());
    let mut extra = if cut && !sums_up { state.cut.request() } else { Vec::new() };
    extra.extend(sums_up.then(|| Message::user(CLOSING)));
    extra
}

/// Governs rows; a step that is forced and finds nothing to do gives way to the next.
pub(crate) fn govern<R: Borrow<Row>>(
    governance: &ContextGovernance,
    rows: &[R],
    decisions: &Decisions,
    base: &Surroundings<'_>,
    injected: &[Message],
) -> Result<Governed, GovernError> {
    let mut around = Surroundings { injected, ..*base };
    loop {
        let governed = governance.govern(rows.iter().map(Borrow::borrow), decisions, &around)?;
        match around.force {
            Some(step) if governed.steps.is_empty() && step != Step::LastResort => around.force = Some(step.next()),
            _ => return Ok(governed),
        }
    }
}

/// Two requests with the same hash are the same, to the last byte of their messages. System prompt and tools go in by their hashes,
/// which stay the same over a whole session.
#[must_use]
pub fn hash_of(request: &ModelRequest, system: &str, tools: &str) -> String {
    let ModelRequest {
        model,
        system: _,
        messages,
        tools: _,
        tool_choice,
        max_tokens,
        temperature,
        reasoning_effort,
        // Media stand in the messages by their ids.
        media: _,
        plain,
    } = request;
    let mut feed = Feed::default();
    feed.text(model);
    feed.text(system);
    feed.text(tools);
    feed.number(match tool_choice {
        ToolChoice::Auto => 0,
        ToolChoice::None => 1,
    });
    feed.number(*max_tokens);
    feed.optional(temperature.map(|temperature| temperature.to_string()).as_deref());
    feed.optional(reasoning_effort.as_deref());
    feed.number(u64::from(*plain));
    feed.number(messages.len() as u64);
    for message in messages {
        feed.message(message);
    }
    feed.0.finish()
}

/// Values as bytes that no other values have: with their kind and length.
#[derive(Default)]
struct Feed(Fingerprint);

impl Feed {
    fn number(&mut self, number: u64) {
        self.0.number(number);
    }

    fn text(&mut self, text: &str) {
        self.0.bytes(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.number(u64::from(text.is_some()));
        self.text(text.unwrap_or_default());
    }

    fn json(&mut self, value: &impl Serialize) {
        // What came as JSON can be written as such.
        self.0.bytes(&serde_json::to_vec(value).unwrap_or_default());
    }

    fn signature(&mut self, signature: Option<&Signature>) {
        self.optional(signature.map(|signature| signature.by.as_str()));
        self.optional(signature.map(|signature| signature.value.as_str()));
    }

    fn message(&mut self, message: &Message) {
        self.number(match message.role {
            Role::User => 0,
            Role::Assistant => 1,
            Role::Tool => 2,
            Role::Notice => 3,
        });
        self.number(message.blocks.len() as u64);
        for block in &message.blocks {
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match block {
            Block::Text { text } => {
                self.number(0);
                self.text(text);
            }
            Block::Image { mime, media_id } => {
                self.number(1);
                self.text(mime);
                self.text(media_id);
            }
            Block::Document { mime, name, media_id } => {
                self.number(2);
                self.text(mime);
                self.text(name);
                self.text(media_id);
            }
            Block::Call(call) => {
                self.number(3);
                self.text(&call.id);
                self.text(&call.name);
                self.json(&call.arguments);
                self.optional(call.malformed.as_deref());
                self.signature(call.signature.as_ref());
            }
            Block::Result { call_id, name, status, text } => {
                self.number(4);
                self.text(call_id);
                self.text(name);
                self.number(place(*status));
                self.text(text);
            }
            Block::Thinking { text, signature } => {
                self.number(5);
                self.text(text);
                self.signature(signature.as_ref());
            }
            Block::ProviderItem { by, item } => {
                self.number(6);
                self.text(by);
                self.json(item);
            }
            Block::Pause => self.number(7),
        }
    }
}

fn place(status: CallStatus) -> u64 {
    match status {
        CallStatus::Intended => 0,
        CallStatus::Running => 1,
        CallStatus::Waiting => 2,
        CallStatus::Ok => 3,
        CallStatus::Error => 4,
        CallStatus::Denied => 5,
        CallStatus::Cancelled => 6,
        CallStatus::Unknown => 7,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut out, byte| {
        for digit in [byte >> 4, byte & 15] {
            out.extend(char::from_digit(u32::from(digit), 16));
        }
        out
    })
}

#[cfg(test)]
mod tests;
