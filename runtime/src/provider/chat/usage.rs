//! Reads token counts in the many shapes that servers report them.

use nanobot_engine::usage::Usage;
use serde_json::Value;

/// The usage of one request; `None` when the report lacks what makes it one.
pub(crate) fn read_usage(value: &Value) -> Option<Usage> {
    let input_tokens = count(value.get("prompt_tokens")?)?;
    let completion_tokens = count(value.get("completion_tokens")?)?;
    let cached = value
        .pointer("/prompt_tokens_details/cached_tokens")
        .or_else(|| value.get("prompt_cache_hit_tokens"))
        .or_else(|| value.get("cached_tokens"))
        .and_then(count)
        .unwrap_or(0);
    Some(reported(value, input_tokens, cached, completion_tokens))
}

/// The usage of a report whose counts have been read.
///
/// Some servers leave reasoning out of the answer's tokens and show it in the total only; the difference is counted as output, since it is
/// paid for as output.
pub(crate) fn reported(value: &Value, input_tokens: u64, cached: u64, answer_tokens: u64) -> Usage {
    let output_tokens = match value.get("total_tokens").and_then(count) {
        Some(total) => answer_tokens.max(total.saturating_sub(input_tokens)),
        None => answer_tokens,
    };
    Usage {
        input_tokens,
        cached_tokens: cached.min(input_tokens),
        output_tokens,
        cost_usd: value.get("cost").and_then(Value::as_f64).filter(|cost| cost.is_finite() && *cost >= 0.0),
        context_tokens: input_tokens.saturating_add(output_tokens),
        context_window_tokens: 0,
        estimated: false,
    }
}

/// A count of tokens, also where it came as a float.
pub(crate) fn count(value: &Value) -> Option<u64> {
    let count = match value.as_u64() {
        Some(count) => count,
        None => {
            let float = value.as_f64()?;
            (float >= 0.0 && float.fract() == 0.0 && float <= MOST_TOKENS as f64).then_some(float as u64)?
        }
    };
    (count <= MOST_TOKENS).then_some(count)
}

/// No request has more tokens than this; a higher count is nonsense and counts as none.
const MOST_TOKENS: u64 = 1_000_000_000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_known_shapes_and_refuses_others() {
        let usage = |value: Value| read_usage(&value).map(|u| (u.input_tokens, u.cached_tokens, u.output_tokens));
        assert_eq!(usage(json!({"prompt_tokens": 7, "completion_tokens": 1, "total_tokens": 8})), Some((7, 0, 1)));
        assert_eq!(
            usage(json!({"prompt_tokens": 9.0, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 4}})),
            Some((9, 4, 2))
        );
        assert_eq!(
            usage(json!({"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 3})),
            Some((9, 3, 2))
        );
        assert_eq!(
            usage(json!({"prompt_tokens": 390, "completion_tokens": 26, "total_tokens": 493})),
            Some((390, 0, 103))
        );
        assert_eq!(usage(json!({"total_tokens": 0, "total_characters": 0})), None);
        assert_eq!(usage(json!({"prompt_tokens": -1, "completion_tokens": "x"})), None);
        assert_eq!(usage(json!(null)), None);
    }
}
