//! Rewrites the schemas of tools to what a provider accepts; what it accepts already stays as it is.
//!
//! OpenAI, "Function calling": the top level has type `object`, has `properties`, and holds no `oneOf`, `anyOf`, `allOf`, `enum` or
//! `not`; arrays have `items`. Anthropic, "Tool use": `input_schema` is an object schema without `oneOf`, `anyOf` or `allOf` at the top.
//! Google, "Function calling" and the `Schema` type of its API: a part of OpenAPI 3.0, see [`gemini`]. References that lead nowhere and
//! boolean schemas are refused by most and mended for all.

mod gemini;

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// Deepest nesting that is kept.
const MAX_DEPTH: usize = 32;
/// Most hops from reference to reference, and most branches within branches at the top.
const MAX_HOPS: usize = 8;
/// Keys that the top level may not have.
const NOT_AT_TOP: [&str; 8] = ["oneOf", "anyOf", "allOf", "enum", "not", "if", "then", "else"];
/// Keys whose value is a map of schemas.
const MAPS: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/// Keys whose value is one schema.
const SINGLE: [&str; 7] = ["items", "not", "contains", "propertyNames", "if", "then", "else"];
/// Keys whose value is a list of schemas.
const LISTS: [&str; 4] = ["anyOf", "oneOf", "allOf", "prefixItems"];

/// Whose rules a schema has to keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SchemaRules {
    /// OpenAI and nearly all compatible servers.
    #[default]
    Openai,
    /// Anthropic.
    Anthropic,
    /// Google's models, which take a part of JSON Schema only.
    Gemini,
}

/// The schema as these rules want it; what they take already stays as it is. One pass over the schema, bounded in depth and size.
pub(crate) fn accepted(schema: &Value, rules: SchemaRules) -> Cow<'_, Value> {
    let top = Value::Object(top_object(schema));
    let written = match rules {
        SchemaRules::Openai | SchemaRules::Anthropic => mend(&top, &top, 0),
        SchemaRules::Gemini => gemini::rewrite(&top, schema),
    };
    if written == *schema { Cow::Borrowed(schema) } else { Cow::Owned(written) }
}

/// The schema as one of an object, without branches at the top.
fn top_object(schema: &Value) -> Map<String, Value> {
    let mut top = flat(schema, schema, 0);
    if !may_be_object(&top) {
        top.retain(|key, _| key == "description" || key == "title");
    }
    top.insert("type".to_owned(), json!("object"));
    if !top.get("properties").is_some_and(Value::is_object) {
        top.insert("properties".to_owned(), json!({}));
    }
    if top.get("required").is_some_and(|required| !is_list_of_names(required)) {
        top.shift_remove("required");
    }
    top
}

fn may_be_object(schema: &Map<String, Value>) -> bool {
    match schema.get("type") {
        None => true,
        Some(Value::String(kind)) => kind == "object",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "object"),
        Some(_) => false,
    }
}

fn is_list_of_names(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

/// A schema with its own reference followed and its branches merged: all properties, and what every possible reading requires.
fn flat(schema: &Value, root: &Value, hops: usize) -> Map<String, Value> {
    let Value::Object(schema) = schema else { return Map::new() };
    let mut out = schema.clone();
    if let Some(reference) = out.shift_remove("$ref")
        && hops < MAX_HOPS
        && let Some(target) = resolve(&reference, root)
    {
        for (key, value) in flat(target, root, hops + 1) {
            out.entry(key).or_insert(value);
        }
    }
    for key in NOT_AT_TOP {
        let branches = out.shift_remove(key);
        if !matches!(key, "oneOf" | "anyOf" | "allOf") || hops >= MAX_HOPS {
            continue;
        }
        let branches: Vec<Map<String, Value>> = branches
            .as_ref()
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|branch| flat(branch, root, hops + 1))
            .collect();
        merge_branches(&mut out, branches, key == "allOf");
    }
    out
}

fn merge_branches(out: &mut Map<String, Value>, branches: Vec<Map<String, Value>>, all_hold: bool) {
    let names = |schema: &Map<String, Value>| -> Vec<Value> {
        schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let mut required: Option<Vec<Value>> = None;
    for branch in &branches {
        let own = names(branch);
        required = Some(match required {
            None => own,
            Some(before) if all_hold => before.into_iter().chain(own).collect(),
            Some(before) => before.into_iter().filter(|name| own.contains(name)).collect(),
        });
    }
    for branch in branches {
        for (key, value) in branch {
            match (key.as_str(), out.get_mut(&key)) {
                ("required", _) => {}
                ("properties", Some(Value::Object(properties))) => {
                    for (name, property) in value.as_object().into_iter().flatten() {
                        properties.entry(name.clone()).or_insert_with(|| property.clone());
                    }
                }
                (_, Some(_)) => {}
                (_, None) => {
                    out.insert(key, value);
                }
            }
        }
    }
    let mut all = names(out);
    for name in required.unwrap_or_default() {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    if !all.is_empty() {
        out.insert("required".to_owned(), Value::Array(all));
    }
}

/// What a reference within the schema leads to.
fn resolve<'a>(reference: &Value, root: &'a Value) -> Option<&'a Value> {
    root.pointer(reference.as_str()?.strip_prefix('#')?)
}

/// A schema in which every part is one that strict servers read.
fn mend(schema: &Value, root: &Value, depth: usize) -> Value {
    let Value::Object(schema) = schema else { return json!({}) };
    if depth >= MAX_DEPTH {
        return json!({});
    }
    let mut out = Map::new();
    for (key, value) in schema {
        let name = key.as_str();
        let value = if MAPS.contains(&name) {
            let Value::Object(parts) = value else { continue };
            Value::Object(parts.iter().map(|(name, part)| (name.clone(), mend(part, root, depth + 1))).collect())
        } else if LISTS.contains(&name) || (name == "items" && value.is_array()) {
            let Some(parts) = value.as_array().filter(|parts| !parts.is_empty()) else { continue };
            let parts = Value::Array(parts.iter().map(|part| mend(part, root, depth + 1)).collect());
            if name == "items" {
                // The list form is that of older drafts.
                out.insert("prefixItems".to_owned(), parts);
                continue;
            }
            parts
        } else if SINGLE.contains(&name) || (name == "additionalProperties" && !value.is_boolean()) {
            mend(value, root, depth + 1)
        } else if name == "$ref" && resolve(value, root).is_none() {
            continue;
        } else {
            value.clone()
        };
        out.insert(key.clone(), value);
    }
    let is_array = match out.get("type") {
        Some(Value::String(kind)) => kind == "array",
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == "array"),
        _ => false,
    };
    if is_array && !out.contains_key("items") {
        out.insert("items".to_owned(), json!({}));
    }
    Value::Object(out)
}

#[cfg(test)]
mod tests;
