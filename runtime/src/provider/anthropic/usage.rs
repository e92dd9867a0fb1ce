//! Token counts, which come in two parts: with the start of a message and with its end.

use nanobot_engine::usage::Usage;
use serde_json::Value;

use crate::provider::chat::token_count;

/// What has been reported so far; later numbers replace earlier ones, since they are totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    input: Option<u64>,
    cache_creation: Option<u64>,
    cache_read: Option<u64>,
    output: Option<u64>,
    /// Input and output of the last of several steps, where the provider lists them.
    last_step: Option<u64>,
}

impl Counts {
    /// Takes a `usage` object; fields that are missing or null change nothing.
    pub(crate) fn update(&mut self, usage: Option<&Value>) {
        let Some(usage) = usage else { return };
        let newer = |key: &str, before: Option<u64>| count(usage, key).or(before);
        self.input = newer("input_tokens", self.input);
        self.cache_creation = newer("cache_creation_input_tokens", self.cache_creation);
        self.cache_read = newer("cache_read_input_tokens", self.cache_read);
        self.output = newer("output_tokens", self.output);
        if let Some(step) = usage.get("iterations").and_then(Value::as_array).and_then(|steps| steps.last()) {
            let mut counts = Self::default();
            counts.update(Some(step));
            self.last_step = counts.usage().map(|usage| usage.input_tokens.saturating_add(usage.output_tokens));
        }
    }

    /// The usage of the request. "Prompt caching": `input_tokens` leaves out what was written to the cache or read from it.
    pub(crate) fn usage(&self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        let cached_tokens = self.cache_read.unwrap_or(0);
        let input_tokens =
            self.input.unwrap_or(0).saturating_add(self.cache_creation.unwrap_or(0)).saturating_add(cached_tokens);
        let output_tokens = self.output.unwrap_or(0);
        Some(Usage {
            input_tokens,
            cached_tokens,
            output_tokens,
            cost_usd: None,
            context_tokens: self.last_step.unwrap_or(input_tokens.saturating_add(output_tokens)),
            context_window_tokens: 0,
            estimated: false,
        })
    }
}

fn count(usage: &Value, key: &str) -> Option<u64> {
    usage.get(key).and_then(token_count)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn later_numbers_win_and_null_changes_nothing() {
        let mut counts = Counts::default();
        counts.update(None);
        assert_eq!(counts.usage(), None);
        counts.update(Some(&json!({
            "input_tokens": 10, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 1,
        })));
        counts.update(Some(&json!({"input_tokens": null, "cache_read_input_tokens": 5, "output_tokens": 7})));
        let usage = counts.usage().expect("usage");
        assert_eq!((usage.input_tokens, usage.cached_tokens, usage.output_tokens), (35, 5, 7));
        assert_eq!(usage.context_tokens, 42);
        counts.update(Some(
            &json!({"iterations": [{"input_tokens": 9, "output_tokens": 9}, {"input_tokens": 3, "output_tokens": 4}]}),
        ));
        assert_eq!(counts.usage().map(|usage| usage.context_tokens), Some(7));
        assert_eq!(counts.usage().map(|usage| usage.input_tokens), Some(35));
    }
}
