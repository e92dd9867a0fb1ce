//! Reads token counts as the Responses API reports them.

use nanobot_engine::usage::Usage;
use serde_json::Value;

use crate::provider::chat::{reported_usage, token_count};

/// The usage of one request; `None` when the report lacks what makes it one.
pub(crate) fn read_usage(value: &Value) -> Option<Usage> {
    let input_tokens = token_count(value.get("input_tokens")?)?;
    let output_tokens = token_count(value.get("output_tokens")?)?;
    let cached = value.pointer("/input_tokens_details/cached_tokens").and_then(token_count).unwrap_or(0);
    Some(reported_usage(value, input_tokens, cached, output_tokens))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_what_is_a_report_and_refuses_others() {
        let usage = |value: Value| read_usage(&value).map(|u| (u.input_tokens, u.cached_tokens, u.output_tokens));
        let whole = json!({"input_tokens": 9, "output_tokens": 2, "input_tokens_details": {"cached_tokens": 4}});
        assert_eq!(usage(whole), Some((9, 4, 2)));
        assert_eq!(usage(json!({"input_tokens": 9.0, "output_tokens": 2, "total_tokens": 20})), Some((9, 0, 11)));
        assert_eq!(usage(json!({"prompt_tokens": 9, "completion_tokens": 2})), None);
        assert_eq!(usage(json!({"input_tokens": 9, "output_tokens": "x"})), None);
        assert_eq!(usage(json!(null)), None);
        let cost = json!({"input_tokens": 1, "output_tokens": 1, "cost": 0.5});
        assert_eq!(read_usage(&cost).and_then(|usage| usage.cost_usd), Some(0.5));
    }
}
