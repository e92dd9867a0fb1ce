//! Puts tool calls together from the fragments in which they arrive.
//!
//! The protocol says: one index per call, the id and name in the first fragment. Servers send fragments without an index, all calls on
//! index 0, empty ids after the first, whole calls in one piece, or no ids at all. A new call begins with a new id, with a new index, or
//! when the arguments of the one before are a whole JSON object.

use std::collections::HashSet;

use nanobot_engine::message::{Signature, ToolCall};
use serde_json::{Map, Value};

/// The calls of one answer, as far as they have arrived.
#[derive(Debug, Default)]
pub(crate) struct CallAssembly {
    calls: Vec<Partial>,
}

#[derive(Debug, Default)]
struct Partial {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    signature: String,
    extent: ObjectExtent,
}

/// One fragment of a call, with empty texts where the server sent none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Fragment<'a> {
    pub(crate) index: Option<u64>,
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a str,
    pub(crate) signature: &'a str,
}

impl CallAssembly {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// Adds a fragment to the call that it belongs to.
    pub(crate) fn add(&mut self, fragment: Fragment<'_>) {
        let is_empty = fragment.id.is_empty() && fragment.name.is_empty() && fragment.arguments.is_empty();
        if is_empty && fragment.signature.is_empty() {
            return;
        }
        let open = match fragment.index {
            Some(_) => self.calls.iter_mut().rev().find(|call| call.index == fragment.index),
            None if fragment.id.is_empty() => self.calls.last_mut(),
            None => self.calls.iter_mut().rev().find(|call| call.id == fragment.id),
        };
        match open.map(|call| (call.relation(fragment), call)) {
            // A proof alone begins no call.
            None if is_empty => {}
            Some((Relation::Continues, call)) => call.append(fragment),
            Some((Relation::Repeats, _)) => {}
            Some((Relation::Begins, _)) | None => {
                let mut call = Partial { index: fragment.index, ..Partial::default() };
                call.append(fragment);
                self.calls.push(call);
            }
        }
    }

    /// True when every call has a name and arguments that are one whole JSON object.
    pub(crate) fn all_whole(&self) -> bool {
        self.calls
            .iter()
            .all(|call| !call.name.is_empty() && serde_json::from_str::<Map<String, Value>>(&call.arguments).is_ok())
    }

    /// The calls, with ids for those that came without; proofs are marked as given by `by`.
    pub(crate) fn into_calls(self, by: &str) -> Vec<ToolCall> {
        let mut taken: HashSet<String> = self.calls.iter().map(|call| call.id.clone()).collect();
        let mut next = 0_usize;
        self.calls
            .into_iter()
            .map(|call| {
                let id = if call.id.is_empty() { mint(&mut taken, &mut next) } else { call.id };
                let (arguments, malformed) = read_arguments(call.arguments);
                let proof = Signature { by: by.to_owned(), value: call.signature };
                let signature = (!proof.value.is_empty()).then_some(proof);
                ToolCall { id, name: call.name.trim().to_owned(), arguments, malformed, signature }
            })
            .collect()
    }
}

/// A made-up id that is not taken.
pub(crate) fn mint(taken: &mut HashSet<String>, next: &mut usize) -> String {
    loop {
        let id = format!("call_{next}");
        *next += 1;
        if taken.insert(id.clone()) {
            return id;
        }
    }
}

/// Arguments as an object; text that is none is kept beside an empty object and never repaired, since it would be run.
pub(crate) fn read_arguments(text: String) -> (Map<String, Value>, Option<String>) {
    let trimmed = text.trim();
    if trimmed.is_empty() || trimmed == "null" {
        return (Map::new(), None);
    }
    match serde_json::from_str(trimmed) {
        Ok(arguments) => (arguments, None),
        Err(_) => (Map::new(), Some(text)),
    }
}

/// How a fragment stands to the latest call of its index or id.
enum Relation {
    Continues,
    Begins,
    /// The whole call once more, as some servers send it with the finish reason.
    Repeats,
}

impl Partial {
    fn relation(&self, fragment: Fragment<'_>) -> Relation {
        let same_id = !fragment.id.is_empty() && fragment.id == self.id;
        let new_id = !fragment.id.is_empty() && !self.id.is_empty() && fragment.id != self.id;
        let whole = self.extent == ObjectExtent::Whole;
        if same_id && whole && fragment.arguments == self.arguments {
            return Relation::Repeats;
        }
        // A new id without a name, in the middle of an object, is a server that makes up an id for each fragment.
        let stray_id = new_id && fragment.name.is_empty() && !fragment.arguments.is_empty() && self.extent.is_open();
        if new_id && !stray_id {
            return Relation::Begins;
        }
        let brings_more = !fragment.arguments.trim().is_empty();
        let other_name = !fragment.name.is_empty() && !self.name.is_empty() && fragment.name != self.name;
        // More arguments without a name cannot begin a call: glued to a whole object they make it malformed, so that nothing is run.
        if whole && (other_name || (brings_more && !fragment.name.is_empty())) {
            return Relation::Begins;
        }
        if other_name && (self.extent.is_open() || brings_more) {
            return Relation::Begins;
        }
        Relation::Continues
    }

    fn append(&mut self, fragment: Fragment<'_>) {
        if self.id.is_empty() {
            fragment.id.clone_into(&mut self.id);
        }
        // A name may be repeated with each fragment, or come in pieces before the arguments.
        if self.name != fragment.name {
            self.name.push_str(fragment.name);
        }
        if self.signature.is_empty() {
            fragment.signature.clone_into(&mut self.signature);
        }
        self.arguments.push_str(fragment.arguments);
        self.extent.feed(fragment.arguments);
    }
}

/// How far the text of a JSON object or array has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ObjectExtent {
    #[default]
    Before,
    Open {
        depth: u32,
        string: Option<Escape>,
    },
    Whole,
}

/// Inside a string: is the next character escaped?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    No,
    Yes,
}

impl ObjectExtent {
    fn is_open(self) -> bool {
        matches!(self, Self::Open { .. })
    }

    fn feed(&mut self, text: &str) {
        for byte in text.bytes() {
            *self = match (*self, byte) {
                (Self::Before, b'{' | b'[') => Self::Open { depth: 1, string: None },
                (Self::Open { depth, string: Some(Escape::Yes) }, _) => Self::Open { depth, string: Some(Escape::No) },
                (Self::Open { depth, string: Some(Escape::No) }, b'\\') => {
                    Self::Open { depth, string: Some(Escape::Yes) }
                }
                (Self::Open { depth, string: Some(Escape::No) }, b'"') => Self::Open { depth, string: None },
                (Self::Open { depth, string: None }, b'"') => Self::Open { depth, string: Some(Escape::No) },
                (Self::Open { depth, string: None }, b'{' | b'[') => {
                    Self::Open { depth: depth.saturating_add(1), string: None }
                }
                (Self::Open { depth: 1, string: None }, b'}' | b']') => Self::Whole,
                (Self::Open { depth, string: None }, b'}' | b']') => Self::Open { depth: depth - 1, string: None },
                (same, _) => same,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fragment<'a>(index: Option<u64>, id: &'a str, name: &'a str, arguments: &'a str) -> Fragment<'a> {
        Fragment { index, id, name, arguments, signature: "" }
    }

    fn assemble(fragments: &[Fragment<'_>]) -> Vec<String> {
        let mut calls = CallAssembly::default();
        for fragment in fragments {
            calls.add(*fragment);
        }
        calls
            .into_calls("stub/m")
            .into_iter()
            .map(|call| format!("{} {} {} {:?}", call.id, call.name, Value::Object(call.arguments), call.malformed))
            .collect()
    }

    #[test]
    fn interleaved_indices_stay_apart() {
        let got = assemble(&[
            fragment(Some(0), "a", "one", ""),
            fragment(Some(1), "b", "two", "{"),
            fragment(Some(0), "", "", "{\"x\":"),
            fragment(Some(1), "", "", "}"),
            fragment(Some(0), "", "", "1}"),
        ]);
        assert_eq!(got, ["a one {\"x\":1} None", "b two {} None"]);
    }

    #[test]
    fn whole_objects_on_one_index_are_separate_calls() {
        let got = assemble(&[
            fragment(Some(0), "", "one", "{\"a\":\"}\\\"{\"}"),
            fragment(Some(0), "", "one", "{}"),
            fragment(None, "", "two", "{"),
            fragment(None, "", "", "}"),
            fragment(None, "", "", ""),
        ]);
        assert_eq!(got, ["call_0 one {\"a\":\"}\\\"{\"} None", "call_1 one {} None", "call_2 two {} None"]);
    }

    #[test]
    fn repeated_ids_names_and_calls_do_not_double_anything() {
        let got = assemble(&[
            fragment(Some(0), "a", "one", "{\"x\""),
            fragment(Some(0), "a", "one", ":1}"),
            fragment(Some(0), "a", "one", "{\"x\":1}"),
            fragment(Some(0), "a", "one", ""),
            fragment(None, "call_0", "two", ""),
            fragment(None, "", "three", "null"),
        ]);
        assert_eq!(got, ["a one {\"x\":1} None", "call_0 two {} None", "call_1 three {} None"]);
    }

    #[test]
    fn late_and_stray_ids_belong_to_the_open_call() {
        let got = assemble(&[
            fragment(Some(0), "", "one", ""),
            fragment(Some(0), "late", "", "{"),
            fragment(Some(0), "stray", "", "}"),
        ]);
        assert_eq!(got, ["late one {} None"]);
    }

    #[test]
    fn what_cannot_begin_a_call_spoils_the_one_before() {
        let got = assemble(&[fragment(Some(0), "a", "one", "{}"), fragment(Some(0), "", "", "{\"x\":1}")]);
        assert_eq!(got, ["a one {} Some(\"{}{\\\"x\\\":1}\")"]);
        let got = assemble(&[fragment(None, "", "one", "{}"), fragment(None, "", "one", "")]);
        assert_eq!(got, ["call_0 one {} None"]);
        let got = assemble(&[fragment(Some(0), "a", "", "{"), fragment(Some(0), "", "one", "}")]);
        assert_eq!(got, ["a one {} None"]);
    }

    #[test]
    fn minted_ids_avoid_those_that_came() {
        let got = assemble(&[fragment(Some(0), "call_0", "one", "{}"), fragment(Some(1), "", "two", "{}")]);
        assert_eq!(got, ["call_0 one {} None", "call_1 two {} None"]);
    }

    #[test]
    fn arguments_that_are_no_object_are_kept_as_text() {
        for text in ["[1]", "\"{}\"", "{\"a\":", "3", "nonsense", "{} {}"] {
            assert_eq!(read_arguments(text.to_owned()), (Map::new(), Some(text.to_owned())));
        }
        for text in ["", " \n", "null", "{}"] {
            assert_eq!(read_arguments(text.to_owned()), (Map::new(), None));
        }
    }
}
