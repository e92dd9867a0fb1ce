//! Call ids as they go over the wire: legal, at most 64 characters, and never twice in one request.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

/// Longest id that every server takes.
const MAX_ID_CHARS: usize = 64;
/// Hash digits that tell two ids apart which look the same once made legal.
const HASH_CHARS: usize = 10;
/// Length of the ids that Mistral takes.
const SHORT_ID_CHARS: usize = 9;

/// Hands out wire ids in the order of the conversation, so that a longer conversation gets the same ids for its older part.
#[derive(Debug, Default)]
pub(crate) struct WireIds {
    taken: HashSet<String>,
    form: Form,
}

/// What ids have to look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Form {
    /// Letters, digits, `_` and `-`.
    #[default]
    Usual,
    /// Exactly nine letters and digits, as Mistral has it.
    NineAlphanumeric,
}

impl WireIds {
    /// Ids of exactly nine letters and digits.
    pub(crate) fn nine_alphanumeric() -> Self {
        Self { form: Form::NineAlphanumeric, ..Self::default() }
    }

    /// A new id for the call that our log knows as `id`. Legal ids stay as they are when they are used for the first time.
    pub(crate) fn assign(&mut self, id: &str) -> String {
        if self.form.is_legal(id) && self.taken.insert(id.to_owned()) {
            return id.to_owned();
        }
        let mut attempt = 0_u32;
        loop {
            let candidate = self.form.derive(id, attempt);
            if self.taken.insert(candidate.clone()) {
                return candidate;
            }
            attempt = attempt.wrapping_add(1);
        }
    }
}

impl Form {
    fn is_legal(self, id: &str) -> bool {
        match self {
            Self::Usual => is_legal(id),
            Self::NineAlphanumeric => id.len() == SHORT_ID_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
        }
    }

    fn derive(self, id: &str, attempt: u32) -> String {
        match self {
            Self::Usual => derive(id, attempt),
            Self::NineAlphanumeric => hash(id, attempt).chars().take(SHORT_ID_CHARS).collect(),
        }
    }
}

fn is_legal(id: &str) -> bool {
    !id.is_empty() && id.len() <= MAX_ID_CHARS && id.bytes().all(is_legal_byte)
}

fn is_legal_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn hash(id: &str, attempt: u32) -> String {
    let mut hasher = Sha256::new();
    hasher.update(attempt.to_be_bytes());
    hasher.update(id.as_bytes());
    hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn derive(id: &str, attempt: u32) -> String {
    let mut hash = hash(id, attempt);
    hash.truncate(HASH_CHARS);
    let readable = id.chars().map(|c| if u8::try_from(c).is_ok_and(is_legal_byte) { c } else { '_' });
    let mut out: String = readable.take(MAX_ID_CHARS - HASH_CHARS - 1).collect();
    out.push('_');
    out.push_str(&hash);
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn legal_ids_stay_and_others_become_legal() {
        let mut ids = WireIds::default();
        assert_eq!(ids.assign("call_1"), "call_1");
        assert_eq!(ids.assign(&"x".repeat(64)), "x".repeat(64));
        assert_eq!(ids.assign(&"x".repeat(65)).len(), 64);
        let again = ids.assign("call_1");
        assert!(again.starts_with("call_1_") && is_legal(&again), "{again}");
        assert!(is_legal(&ids.assign("")));
        let mut short = WireIds::nine_alphanumeric();
        assert_eq!(short.assign("D681PevKs"), "D681PevKs");
        assert_ne!(short.assign("D681PevKs"), "D681PevKs");
        assert_eq!(short.assign("call_1").len(), 9);
    }

    proptest! {
        #[test]
        fn every_id_is_legal_and_given_once(ids in proptest::collection::vec("(fc[:|_]1|.{0,70}|x{62,66})", 0..20)) {
            let mut wire = WireIds::default();
            let got: Vec<String> = ids.iter().map(|id| wire.assign(id)).collect();
            prop_assert!(got.iter().all(|id| is_legal(id)));
            prop_assert_eq!(got.iter().collect::<HashSet<_>>().len(), ids.len());
            let mut again = WireIds::default();
            let first_half: Vec<String> = ids.iter().take(10).map(|id| again.assign(id)).collect();
            prop_assert_eq!(&got[..first_half.len()], &first_half[..]);
            let mut short = WireIds::nine_alphanumeric();
            let got: Vec<String> = ids.iter().map(|id| short.assign(id)).collect();
            prop_assert!(got.iter().all(|id| id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric())));
            prop_assert_eq!(got.iter().collect::<HashSet<_>>().len(), ids.len());
        }
    }
}
