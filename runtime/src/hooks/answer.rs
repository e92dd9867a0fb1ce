//! What a program may answer: one JSON object on its stdout.

use nanobot_engine::hook::{Ask, Decision, HookError};
use nanobot_engine::text;
use serde_json::{Map, Value};

use super::process::Kept;

/// Longest reason that the model is given, in characters.
const MAX_REASON_CHARS: usize = 4_000;

/// The object of an answer. Output that is none counts as no answer.
///
/// # Errors
/// When it begins like one but was too long to be kept: to take it for no answer would be a surprise.
pub(super) fn object(stdout: &Kept) -> Result<Map<String, Value>, HookError> {
    let begins = stdout.bytes.trim_ascii_start().first() == Some(&b'{');
    if stdout.cut && begins {
        return Err(HookError(format!("answered more than {} bytes", stdout.bytes.len())));
    }
    match serde_json::from_slice(&stdout.bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) | Err(_) => Ok(Map::new()),
    }
}

/// The decision about a call.
///
/// # Errors
/// When there is a decision that does not exist, or arguments that are no object: a misspelt refusal must not pass for
/// consent in silence.
pub(super) fn decision(mut answer: Map<String, Value>, hook: &str) -> Result<Decision, HookError> {
    let reason = answer.get("reason").and_then(Value::as_str).unwrap_or_default();
    let reason = reason_or(reason, hook);
    match answer.get("decision") {
        None | Some(Value::Null) => {}
        Some(Value::String(decision)) => match decision.as_str() {
            "allow" => {}
            "deny" => return Ok(Decision::Deny { reason }),
            "ask" => return Ok(Decision::Ask(Ask::once(reason))),
            other => return Err(unknown_decision(other)),
        },
        Some(other) => return Err(unknown_decision(&other.to_string())),
    }
    match answer.remove("arguments") {
        None | Some(Value::Null) => Ok(Decision::Proceed),
        Some(Value::Object(arguments)) => Ok(Decision::Replace { arguments }),
        Some(_) => Err(HookError("answered `arguments` that are no object".to_owned())),
    }
}

/// A refusal by exit code; stderr is the reason.
pub(super) fn refusal(stderr: &Kept, hook: &str) -> Decision {
    Decision::Deny { reason: reason_or(&String::from_utf8_lossy(&stderr.bytes), hook) }
}

/// A text of the answer.
///
/// # Errors
/// When there is something of this name that is no text.
pub(super) fn text(mut answer: Map<String, Value>, key: &str) -> Result<Option<String>, HookError> {
    match answer.remove(key) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Null) | None => Ok(None),
        Some(_) => Err(HookError(format!("answered `{key}` that is no text"))),
    }
}

fn reason_or(reason: &str, hook: &str) -> String {
    let reason = text::ellipsis(reason.trim(), MAX_REASON_CHARS);
    if reason.is_empty() { format!("the hook {hook} did not allow this") } else { reason }
}

fn unknown_decision(decision: &str) -> HookError {
    let decision = text::one_line(decision, 40);
    HookError(format!("answered the decision {decision:?}; there are allow, deny and ask"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn kept(text: &str) -> Kept {
        Kept { bytes: text.as_bytes().to_vec(), cut: false }
    }

    fn decide(stdout: &str) -> Result<Decision, String> {
        object(&kept(stdout)).and_then(|answer| decision(answer, "guard")).map_err(|error| error.0)
    }

    #[test]
    fn decisions() {
        let deny = |reason: &str| Ok(Decision::Deny { reason: reason.to_owned() });
        let replaced = json!({"path": "b"}).as_object().unwrap().clone();
        for (stdout, expected) in [
            ("", Ok(Decision::Proceed)),
            ("all is well", Ok(Decision::Proceed)),
            ("[1]", Ok(Decision::Proceed)),
            ("{}", Ok(Decision::Proceed)),
            ("{\"other\": 1}", Ok(Decision::Proceed)),
            (" {\"decision\": \"allow\"}\n", Ok(Decision::Proceed)),
            ("{\"decision\": \"deny\", \"reason\": \" no \"}", deny("no")),
            ("{\"decision\": \"deny\"}", deny("the hook guard did not allow this")),
            ("{\"decision\": \"deny\", \"arguments\": {}, \"reason\": \"no\"}", deny("no")),
            ("{\"decision\": \"ask\", \"reason\": \"sure?\"}", Ok(Decision::Ask(Ask::once("sure?")))),
            ("{\"arguments\": {\"path\": \"b\"}}", Ok(Decision::Replace { arguments: replaced.clone() })),
            (
                "{\"decision\": \"allow\", \"arguments\": {\"path\": \"b\"}}",
                Ok(Decision::Replace { arguments: replaced }),
            ),
        ] {
            assert_eq!(decide(stdout), expected, "{stdout}");
        }
        for (stdout, message) in [
            ("{\"decision\": \"denied\"}", "answered the decision \"denied\"; there are allow, deny and ask"),
            ("{\"decision\": true}", "answered the decision \"true\"; there are allow, deny and ask"),
            ("{\"arguments\": [1]}", "answered `arguments` that are no object"),
        ] {
            assert_eq!(decide(stdout), Err(message.to_owned()), "{stdout}");
        }
    }

    #[test]
    fn what_was_cut_is_no_answer_and_an_error_when_it_looked_like_one() {
        let cut = |text: &str| object(&Kept { cut: true, ..kept(text) });
        assert_eq!(cut("xxxx"), Ok(Map::new()));
        assert_eq!(cut(" {\"decision\""), Err(HookError("answered more than 12 bytes".to_owned())));
    }

    #[test]
    fn reasons_are_capped() {
        let Decision::Deny { reason } = refusal(&kept(&"x".repeat(60_000)), "guard") else { panic!("a refusal") };
        assert_eq!(reason.chars().count(), MAX_REASON_CHARS);
        assert_eq!(
            refusal(&kept(" \n"), "guard"),
            Decision::Deny { reason: "the hook guard did not allow this".to_owned() }
        );
    }

    #[test]
    fn only_texts_are_texts() {
        let answer = |json: Value| json.as_object().unwrap().clone();
        assert_eq!(text(answer(json!({"inject": "a"})), "inject"), Ok(Some("a".to_owned())));
        let wrong = HookError("answered `inject` that is no text".to_owned());
        assert_eq!(text(answer(json!({"inject": 1})), "inject"), Err(wrong));
        assert_eq!(text(answer(json!({})), "inject"), Ok(None));
    }
}
