//! What a request and its answer may take up of a model's window.

use serde::{Deserialize, Serialize};

/// Bytes that a request may have when the provider says nothing else.
pub const DEFAULT_MAX_REQUEST_BYTES: u64 = 20_000_000;
/// Tokens kept free beside request and answer: estimates err, and providers add some of their own.
const WINDOW_MARGIN_TOKENS: u64 = 1_024;
/// An answer is not made shorter than this as long as the window has room for it.
const MIN_ANSWER_TOKENS: u64 = 256;

/// Limits that a request has to fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextBudget {
    /// Size of the model's window.
    pub window_tokens: u64,
    /// Longest answer that the preset asks for.
    pub max_answer_tokens: u64,
    /// Longest request body that the provider takes, media in base64 included.
    pub max_bytes: u64,
    /// Longest single tool result, in Unicode scalars.
    pub max_tool_result_chars: usize,
}

impl ContextBudget {
    /// A budget with the usual limit of bytes.
    #[must_use]
    pub fn new(window_tokens: u64, max_answer_tokens: u64, max_tool_result_chars: usize) -> Self {
        Self { window_tokens, max_answer_tokens, max_bytes: DEFAULT_MAX_REQUEST_BYTES, max_tool_result_chars }
    }

    /// Tokens that may be sent: window less answer less a margin, and at least half of the window. Where the answer would take
    /// more than the other half, [`answer_limit`] makes it shorter.
    #[must_use]
    pub fn input_tokens(&self) -> u64 {
        let taken = self.max_answer_tokens.saturating_add(margin(self.window_tokens));
        self.window_tokens.saturating_sub(taken).max(self.window_tokens / 2)
    }
}

/// The limit of the answer to send with a request of `input_tokens`: `max_tokens`, or what the window has left. At least 1.
#[must_use]
pub fn answer_limit(window_tokens: u64, input_tokens: u64, max_tokens: u64) -> u64 {
    let left = window_tokens.saturating_sub(input_tokens);
    let room = left.saturating_sub(margin(window_tokens)).max(left.min(MIN_ANSWER_TOKENS));
    max_tokens.min(room).max(1)
}

/// A small window has a small margin.
fn margin(window_tokens: u64) -> u64 {
    WINDOW_MARGIN_TOKENS.min(window_tokens / 8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_kept_when_the_answer_would_take_the_whole_window() {
        let input = |window, answer| ContextBudget::new(window, answer, 16_000).input_tokens();
        assert_eq!(input(128_000, 8_192), 128_000 - 8_192 - 1_024);
        assert_eq!(input(8_000, 8_192), 4_000, "max_tokens at or above the window does not switch governance off");
        assert_eq!(input(8_000, u64::MAX), 4_000);
        assert_eq!(input(0, 0), 0);
    }

    #[test]
    fn an_answer_never_reaches_beyond_the_window() {
        assert_eq!(answer_limit(128_000, 50_000, 8_192), 8_192);
        assert_eq!(answer_limit(8_000, 4_000, 8_192), 3_000);
        assert_eq!(answer_limit(8_000, 7_500, 8_192), 256);
        assert_eq!(answer_limit(8_000, 7_900, 8_192), 100);
        assert_eq!(answer_limit(8_000, 9_000, 8_192), 1);
        assert_eq!(answer_limit(0, 0, 0), 1);
    }
}
