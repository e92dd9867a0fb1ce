//! What messages cost, without a tokenizer: cheap, and rather too high than too low.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

use crate::message::{Block, Message, Row};
use crate::tool::ToolSpec;

/// Tokens that a message costs beside its text.
const MESSAGE_OVERHEAD: u64 = 4;
/// Bytes that a message or block costs on the wire beside its text.
const WIRE_OVERHEAD_BYTES: u64 = 64;
/// What one image is taken to cost.
pub(super) const IMAGE_TOKENS: u64 = 1_600;
/// What a document is taken to cost, when nothing is known of its pages.
pub(super) const DOCUMENT_TOKENS: u64 = 8_000;
/// Bytes counted in one go, few enough that no counter of one byte overflows.
const STRIDE: usize = 48;

/// Tokens and bytes that something takes up in a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Estimated tokens, before calibration.
    pub tokens: u64,
    /// Bytes in the request body, without the bytes of media.
    pub bytes: u64,
}

impl Add for Cost {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self { tokens: self.tokens + other.tokens, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Cost {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self { tokens: self.tokens.saturating_sub(other.tokens), bytes: self.bytes.saturating_sub(other.bytes) }
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::default(), Add::add)
    }
}

/// About four bytes of ASCII or one other character are a token.
#[must_use]
pub fn estimate_text(text: &str) -> u64 {
    Count::of(text.as_bytes()).tokens()
}

/// Estimate of one message with its blocks.
#[must_use]
pub fn estimate_message(message: &Message) -> u64 {
    message_cost(message).tokens
}

/// Cost of one message with its blocks.
#[must_use]
pub fn message_cost(message: &Message) -> Cost {
    Cost { tokens: MESSAGE_OVERHEAD, bytes: WIRE_OVERHEAD_BYTES } + message.blocks.iter().map(block_cost).sum()
}

/// Cost of one row as a model is sent it. Rows never change, so this may be kept with them.
#[must_use]
pub fn row_cost(row: &Row) -> Cost {
    message_cost(&row.message) + row.context.as_deref().map(text_cost).unwrap_or_default()
}

/// Cost of what every request of a turn holds: the system prompt and the schemas of its tools.
#[must_use]
pub fn fixed_cost(system: &str, tools: &[ToolSpec]) -> Cost {
    let tool = |tool: &ToolSpec| {
        let mut counter = Counter::default();
        counter.json(&tool.parameters);
        text_cost(&tool.name) + text_cost(&tool.description) + counter.0.cost() + framing()
    };
    text_cost(system) + tools.iter().map(tool).sum()
}

pub(super) fn text_cost(text: &str) -> Cost {
    Count::of(text.as_bytes()).cost()
}

fn framing() -> Cost {
    Cost { tokens: MESSAGE_OVERHEAD, bytes: WIRE_OVERHEAD_BYTES }
}

pub(super) fn block_cost(block: &Block) -> Cost {
    let overhead = Cost { tokens: 0, bytes: WIRE_OVERHEAD_BYTES };
    overhead
        + match block {
            Block::Text { text } => text_cost(text),
            Block::Result { text, call_id, .. } => text_cost(text) + Cost { tokens: 0, bytes: call_id.len() as u64 },
            Block::Thinking { text, signature } => {
                text_cost(text) + signature.as_ref().map(|proof| text_cost(&proof.value)).unwrap_or_default()
            }
            Block::ProviderItem { item, .. } => {
                let mut counter = Counter::default();
                counter.json(item);
                counter.0.cost()
            }
            Block::Pause => Cost::default(),
            Block::Image { .. } => Cost { tokens: IMAGE_TOKENS, bytes: 0 },
            Block::Document { name, .. } => Cost { tokens: DOCUMENT_TOKENS, bytes: name.len() as u64 },
            Block::Call(call) => {
                let mut counter = Counter::default();
                counter.json(&call.arguments);
                let proof = call.signature.as_ref().map(|proof| text_cost(&proof.value)).unwrap_or_default();
                let id = Cost { tokens: 0, bytes: call.id.len() as u64 };
                text_cost(&call.name) + counter.0.cost() + framing() + proof + id
            }
        }
}

/// Length of a value written as JSON, in bytes.
pub(super) fn json_bytes(value: &impl Serialize) -> usize {
    let mut counter = Counter::default();
    counter.json(value);
    usize::try_from(counter.0.bytes).unwrap_or(usize::MAX)
}

/// What there is in a text.
#[derive(Clone, Copy, Default)]
struct Count {
    bytes: u64,
    ascii: u64,
    chars: u64,
    /// Bytes that JSON adds for quotes, backslashes and control characters.
    escapes: u64,
}

impl Count {
    fn of(bytes: &[u8]) -> Self {
        let mut count = Self { bytes: bytes.len() as u64, ..Self::default() };
        let (strides, rest) = bytes.as_chunks::<STRIDE>();
        strides.iter().for_each(|stride| count.add(stride));
        count.add(rest);
        count
    }

    /// Counters of one byte let the compiler take many bytes at a time.
    #[inline(always)]
    fn add(&mut self, stride: &[u8]) {
        let (mut ascii, mut starts, mut escapes) = (0_u8, 0_u8, 0_u8);
        for &byte in stride {
            let white = (byte == b'\n') | (byte == b'\t') | (byte == b'\r');
            ascii += u8::from(byte < 0x80);
            starts += u8::from(byte & 0xc0 != 0x80);
            escapes += u8::from((byte == b'"') | (byte == b'\\'));
            escapes += u8::from(byte < 0x20) * 5 - u8::from(white) * 4;
        }
        self.ascii += u64::from(ascii);
        self.chars += u64::from(starts);
        self.escapes += u64::from(escapes);
    }

    fn tokens(self) -> u64 {
        self.ascii.div_ceil(4) + self.chars.saturating_sub(self.ascii)
    }

    fn cost(self) -> Cost {
        Cost { tokens: self.tokens(), bytes: self.bytes + self.escapes }
    }
}

/// Counts what is written to it and keeps nothing.
#[derive(Default)]
struct Counter(Count);

impl Counter {
    fn json(&mut self, value: &impl Serialize) {
        // Counting cannot fail, and what cannot be written costs nothing.
        let _ = serde_json::to_writer(self, value);
    }
}

impl std::io::Write for &mut Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let more = Count::of(bytes);
        self.0.bytes += more.bytes;
        self.0.ascii += more.ascii;
        self.0.chars += more.chars;
        self.0.escapes += more.escapes;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_json() {
        for text in ["", "plain", "\"quoted\" \\ and\nlines\t", "的文字👩‍👩‍👧", "\u{1}\u{1f}", &"x\"".repeat(100)]
        {
            let json = serde_json::to_string(text).unwrap();
            assert_eq!(text_cost(text).bytes, json.len() as u64 - 2, "{text:?}");
        }
    }

    #[test]
    fn tokens_are_a_quarter_of_ascii_and_the_whole_of_the_rest() {
        assert_eq!(estimate_text(&"a".repeat(401)), 101);
        assert_eq!(estimate_text(&"的".repeat(300)), 300);
        assert_eq!(estimate_text("ab的cd"), 2);
    }
}
