//! Reads token counts as the Responses API reports them.

use nanobot_engine::usage::Usage;
use serde_json::Value;

use crate::provider::chat::token_count;

/// The usage of one request; `None` when the report lacks what makes it one.
///
/// Some servers leave reasoning out of `output_tokens` and show it in the total only; the difference is counted as output, since it is
/// paid for as output.
pub(crate) fn read_usage(value: &Value) -> Option<Usage> {
    let input_tokens = token_count(value.get("input_tokens")?)?;
    let own_output_tokens = token_count(value.get("output_tokens")?)?;
    let output_tokens = match value.get("total_tokens").and_then(token_count) {
        Some(total) => own_output_tokens.max(total.saturating_sub(input_tokens)),
        None => own_output_tokens,
    };
    let cached = value.pointer("/input_tokens_details/cached_tokens").and_then(token_count).unwrap_or(0);
    Some(Usage {
        input_tokens,
        cached_tokens: cached.min(input_tokens),
        output_tokens,
        cost_usd: value.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0),
        context_tokens: input_tokens.saturating_add(output_tokens),
        context_window_tokens: 0,
        estimated: false,
    })
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
