//! Reading fields of arguments that were checked against a schema already.

use serde_json::{Map, Value};

/// The string field `name`; absent and null are `None`.
pub(crate) fn text<'a>(arguments: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// The whole number `name`, or `default`.
pub(crate) fn number(arguments: &Map<String, Value>, name: &str, default: usize) -> usize {
    arguments.get(name).and_then(Value::as_u64).map_or(default, |n| usize::try_from(n).unwrap_or(usize::MAX))
}

/// The boolean `name`; absent is false.
pub(crate) fn flag(arguments: &Map<String, Value>, name: &str) -> bool {
    arguments.get(name).and_then(Value::as_bool).unwrap_or(false)
}
