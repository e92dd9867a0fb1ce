//! Turns what a server says of a failure into a kind and into words for a person.

use nanobot_engine::model::{ModelError, ModelErrorKind};
use nanobot_engine::text;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use super::retry_after::wait_in_words;
use crate::mask::without;

/// Longest quotation of a server's own words, in characters.
const QUOTE_CHARS: usize = 500;

/// Codes and types of an account without credit.
const QUOTA_CODES: [&str; 11] = [
    "insufficient_quota",
    "exceeded_current_quota_error",
    "quota_exceeded",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_balance",
    "insufficient_credits",
    "out_of_credits",
    "payment_required",
    "arrearage",
    "billing_error",
];

/// Codes and types of a request that is larger than the window.
const CONTEXT_CODES: [&str; 5] = [
    "context_length_exceeded",
    "exceed_context_size_error",
    "context_window_exceeded",
    "model_max_prompt_tokens_exceeded",
    "request_too_large",
];

/// Codes and types of a conversation that a filter stopped.
const REFUSAL_CODES: [&str; 6] = [
    "content_filter",
    "content_policy_violation",
    "responsibleaipolicyviolation",
    "refusal",
    "bio_policy",
    "image_content_policy_violation",
];

/// Codes and types of a request that is wrong in itself. Inside a stream there is no status to tell it by.
const WRONG_REQUEST_CODES: [&str; 14] = [
    "invalid_request_error",
    "invalid_prompt",
    "data_residency_mismatch",
    "invalid_image",
    "invalid_image_format",
    "invalid_base64_image",
    "invalid_image_url",
    "image_too_large",
    "image_too_small",
    "image_parse_error",
    "invalid_image_mode",
    "image_file_too_large",
    "unsupported_image_media_type",
    "empty_image_file",
];

/// How messages about the window begin where there is no code. Anchored at the start, since a message may quote the user.
const CONTEXT_OPENINGS: [&str; 3] = [
    "this model's maximum context length is",
    "prompt is too long:",
    "the number of tokens to keep from the initial prompt",
];

/// A failure as a server describes it.
#[derive(Debug, Default)]
pub(crate) struct Failure<'a> {
    pub(crate) status: Option<u16>,
    pub(crate) codes: Vec<String>,
    pub(crate) message: &'a str,
}

impl<'a> Failure<'a> {
    /// Reads an error body or error event; what is no known shape gives an empty failure.
    pub(crate) fn read(body: &'a Value, status: Option<u16>) -> Self {
        let error = match body.get("error") {
            Some(error) if !error.is_null() => error,
            _ => body.get(0).and_then(|first| first.get("error")).unwrap_or(body),
        };
        let text = |key: &str| error.get(key).and_then(Value::as_str);
        let message = error
            .as_str()
            .or_else(|| text("message"))
            .or_else(|| text("detail"))
            .or_else(|| body.get("message").and_then(Value::as_str))
            .or_else(|| error.pointer("/detail/0/msg").and_then(Value::as_str))
            .unwrap_or_default();
        let codes = ["code", "type", "status"].into_iter().filter_map(|key| text(key).map(str::to_ascii_lowercase));
        let own_status = ["status_code", "code", "status"].into_iter().find_map(|key| {
            error
                .get(key)
                .and_then(Value::as_u64)
                .and_then(|n| u16::try_from(n).ok())
                .filter(|n| (400..600).contains(n))
        });
        Self { status: status.or(own_status), codes: codes.collect(), message }
    }

    fn is_one_of(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }

    fn kind(&self) -> ModelErrorKind {
        let status = self.status.unwrap_or(0);
        if self.is_one_of(&QUOTA_CODES) || status == 402 {
            return ModelErrorKind::Quota;
        }
        let opening = self.message.trim_start().to_ascii_lowercase();
        if self.is_one_of(&REFUSAL_CODES) {
            return ModelErrorKind::Refusal;
        }
        let final_refusal = matches!(status, 0 | 400 | 413 | 422);
        if final_refusal
            && (status == 413
                || self.is_one_of(&CONTEXT_CODES)
                || CONTEXT_OPENINGS.iter().any(|start| opening.starts_with(start)))
        {
            return ModelErrorKind::ContextLength;
        }
        match status {
            401 | 403 => ModelErrorKind::Auth,
            404 | 405 => ModelErrorKind::NotFound,
            429 => ModelErrorKind::RateLimit,
            408 | 409 | 425 | 500.. => ModelErrorKind::Unavailable,
            400.. => ModelErrorKind::RefusedRequest,
            _ if self.is_one_of(&["invalid_api_key", "authentication_error", "permission_error"]) => {
                ModelErrorKind::Auth
            }
            _ if self.is_one_of(&["rate_limit_error", "rate_limit_exceeded"]) => ModelErrorKind::RateLimit,
            _ if self.is_one_of(&["model_not_found", "not_found_error"]) => ModelErrorKind::NotFound,
            _ if self.is_one_of(&WRONG_REQUEST_CODES) => ModelErrorKind::RefusedRequest,
            _ => ModelErrorKind::Unavailable,
        }
    }

    /// The error for a person, about the provider of this name.
    pub(crate) fn into_error(self, provider: &str, retry_after_ms: Option<u64>) -> ModelError {
        let kind = self.kind();
        let status = self.status.map(|status| format!(" ({status})")).unwrap_or_default();
        let opening = match (kind, self.status) {
            (ModelErrorKind::Auth, Some(403)) => {
                format!("{provider} does not allow this{status}: check the API key and what it may use")
            }
            (ModelErrorKind::Auth, _) => format!("{provider} refused the API key{status}: check it in the settings"),
            (ModelErrorKind::Quota, _) => {
                format!(
                    "the account at {provider} has no credit left{status}: add credit there or choose another model"
                )
            }
            (ModelErrorKind::RateLimit, _) => {
                format!("{provider} takes no more requests for now{status}: wait a little or choose another model")
            }
            (ModelErrorKind::ContextLength, _) => {
                format!("the conversation is larger than the context window of this model at {provider}{status}")
            }
            (ModelErrorKind::Refusal, _) => format!("a filter at {provider} stopped this conversation{status}"),
            (ModelErrorKind::NotFound, _) => {
                format!("{provider} does not know this model or address{status}: check the model name and base_url")
            }
            (ModelErrorKind::RefusedRequest, _) => format!("{provider} refused the request{status}"),
            _ => format!("{provider} has a problem of its own{status}: try again later or choose another model"),
        };
        let detail = match text::one_line(self.message, QUOTE_CHARS) {
            quote if quote.is_empty() => opening,
            quote => format!("{opening}. It said: {quote}"),
        };
        ModelError::new(kind, detail).after(retry_after_ms.or_else(|| wait_in_words(self.message)))
    }
}

/// What came back is no answer of this protocol.
pub(crate) fn bad_response(provider: &str, what: &str) -> ModelError {
    let detail = format!("{provider} did not answer as a model API does ({what}): check base_url");
    ModelError::new(ModelErrorKind::BadResponse, detail)
}

/// A stream was going well until something came that is not of this protocol.
pub(crate) fn damaged_stream(provider: &str, what: &str) -> ModelError {
    ModelError::new(ModelErrorKind::Truncated, format!("The answer of {provider} was damaged on its way ({what})."))
}

/// The title of a web page, or how it begins.
pub(crate) fn describe_page(page: &str) -> String {
    let lower = page.to_ascii_lowercase();
    let title = lower.find("<title").and_then(|start| {
        let start = start + lower.get(start..)?.find('>')? + 1;
        let end = start + lower.get(start..)?.find("</title")?;
        page.get(start..end)
    });
    match title.map(|title| text::one_line(title, 80)).filter(|title| !title.is_empty()) {
        Some(title) => format!("a web page titled {title:?}"),
        None => format!("it begins {:?}", text::one_line(page, 80)),
    }
}

/// Removes secrets, which some servers repeat in their errors.
pub(crate) fn strike_out(error: &mut ModelError, secrets: &[SecretString]) {
    for secret in secrets.iter().map(|secret| secret.expose_secret().trim()) {
        error.detail = without(&error.detail, secret);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn kind(status: u16, body: &Value) -> ModelErrorKind {
        Failure::read(body, Some(status)).into_error("stub", None).kind
    }

    #[test]
    fn kinds_follow_codes_and_status() {
        use ModelErrorKind::{Auth, ContextLength, NotFound, Quota, RateLimit, Refusal, RefusedRequest, Unavailable};
        for (status, body, want) in [
            (401, json!({"error": {"message": "bad key", "code": "invalid_api_key"}}), Auth),
            (403, json!({}), Auth),
            (402, json!({"error": {"message": "credits"}}), Quota),
            (429, json!({"error": {"type": "rate_limit_error"}}), RateLimit),
            (429, json!({"error": {"code": "insufficient_quota"}}), Quota),
            (400, json!({"error": {"code": "context_length_exceeded"}}), ContextLength),
            (400, json!({"error": {"type": "exceed_context_size_error", "code": 400}}), ContextLength),
            (400, json!({"object": "error", "message": "This model's maximum context length is 10"}), ContextLength),
            (
                400,
                json!({"error": {"message": "bad text: \"this model's maximum context length is\""}}),
                RefusedRequest,
            ),
            (404, json!({"error": "model 'x' not found"}), NotFound),
            (400, json!({"error": {"code": "content_filter", "message": "filtered"}}), Refusal),
            (422, json!({"detail": [{"msg": "field required"}]}), RefusedRequest),
            (400, json!({"error": {"message": "connection"}}), RefusedRequest),
            (503, json!(null), Unavailable),
            (529, json!({"type": "error", "error": {"type": "overloaded_error"}}), Unavailable),
        ] {
            assert_eq!(kind(status, &body), want, "{status} {body}");
        }
    }

    #[test]
    fn words_name_the_provider_and_quote_it() {
        let body = json!({"error": {"message": "model 'x'\nnot found"}});
        let error = Failure::read(&body, Some(404)).into_error("local", None);
        assert_eq!(
            error.detail,
            "local does not know this model or address (404): check the model name and base_url. It said: model 'x' not found"
        );
    }

    #[test]
    fn secrets_are_struck_out_also_when_they_were_cut() {
        let key = "SECRETKEY-abcdef012345678";
        for (said, shown) in [
            (format!("bad key {key}!"), "bad key ***!"),
            ("bad key SECRETKEY-abcd…".to_owned(), "bad key ***…"),
            (format!("{key}{key}"), "******"),
            ("SECRET".to_owned(), "SECRET"),
        ] {
            let mut error = ModelError::new(ModelErrorKind::Auth, said);
            strike_out(&mut error, &[key.into()]);
            assert_eq!(error.detail, shown);
        }
        let mut error = ModelError::new(ModelErrorKind::Auth, "kind k");
        strike_out(&mut error, &["k".into()]);
        assert_eq!(error.detail, "kind k", "a short key would take words apart");
    }

    #[test]
    fn pages_are_named_by_their_title() {
        assert_eq!(describe_page("<html><TITLE lang=en> Sign\n in </title>"), "a web page titled \"Sign in\"");
        assert_eq!(describe_page("<html>hello"), "it begins \"<html>hello\"");
    }
}
