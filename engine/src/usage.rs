//! Token counts as providers report them, and their sums.

use serde::{Deserialize, Serialize};

/// Tokens of one model request, or the sum over a turn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Usage {
    /// Tokens sent, including cached ones.
    pub input_tokens: u64,
    /// The part of `input_tokens` that the provider read from its cache.
    pub cached_tokens: u64,
    /// Tokens produced, reasoning included.
    pub output_tokens: u64,
    /// Price in US dollars, when the preset has one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub cost_usd: Option<f64>,
    /// Input plus output of the latest request: how full the context is.
    pub context_tokens: u64,
    /// Size of the model's window.
    pub context_window_tokens: u64,
    /// True when the provider reported nothing and the numbers are our own estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub estimated: bool,
}

impl Usage {
    /// Adds one request to the sum; context numbers are those of the newer request.
    pub fn add(&mut self, request: &Self) {
        self.input_tokens = self.input_tokens.saturating_add(request.input_tokens);
        self.cached_tokens = self.cached_tokens.saturating_add(request.cached_tokens);
        self.output_tokens = self.output_tokens.saturating_add(request.output_tokens);
        if let Some(cost) = request.cost_usd {
            self.cost_usd = Some(self.cost_usd.unwrap_or(0.0) + cost);
        }
        self.context_tokens = request.context_tokens;
        self.context_window_tokens = request.context_window_tokens;
        self.estimated |= request.estimated;
    }
}
