//! Google's part of JSON Schema: no references, no unions of types, enums of text alone, and only the keys of its `Schema` type.

use serde_json::{Map, Value, json};

use super::{MAX_DEPTH, merge_branches, resolve};

/// Keys that are taken as they are.
const KEPT: [&str; 10] = [
    "title",
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "maximum",
];
/// Types that there are.
const TYPES: [&str; 6] = ["string", "number", "integer", "boolean", "array", "object"];
/// Formats that there are.
const FORMATS: [&str; 6] = ["date-time", "enum", "float", "double", "int32", "int64"];
/// Most parts of one schema once references are followed.
const MAX_PARTS: usize = 5_000;

/// The schema in Google's form.
pub(super) fn rewrite(schema: &Value, root: &Value) -> Value {
    Rewriter { root, parts: 0, open: Vec::new() }.schema(schema, 0)
}

struct Rewriter<'a> {
    root: &'a Value,
    parts: usize,
    /// References that are being followed.
    open: Vec<String>,
}

impl Rewriter<'_> {
    fn schema(&mut self, schema: &Value, depth: usize) -> Value {
        self.parts += 1;
        let Value::Object(schema) = schema else { return anything() };
        if depth >= MAX_DEPTH || self.parts > MAX_PARTS {
            return anything();
        }
        if let Some(reference) = schema.get("$ref") {
            return self.reference(reference, schema, depth);
        }
        if let Some(all) = schema.get("allOf") {
            let mut merged = schema.clone();
            merged.shift_remove("allOf");
            let branches = all.as_array().into_iter().flatten().map(|branch| self.inlined(branch));
            merge_branches(&mut merged, branches.collect(), true);
            return self.schema(&Value::Object(merged), depth + 1);
        }
        for key in ["anyOf", "oneOf"] {
            if let Some(branches) = schema.get(key).and_then(Value::as_array) {
                return self.union(branches, schema, depth);
            }
        }
        match schema.get("type") {
            Some(Value::Array(kinds)) => {
                let branches: Vec<Value> = kinds.iter().map(|kind| with_type(schema, kind)).collect();
                self.union(&branches, &Map::new(), depth)
            }
            _ => self.typed(schema, depth),
        }
    }

    fn reference(&mut self, reference: &Value, schema: &Map<String, Value>, depth: usize) -> Value {
        let name = reference.as_str().unwrap_or_default().to_owned();
        let Some(target) = resolve(reference, self.root).filter(|_| !self.open.contains(&name)) else {
            // A schema within itself has no end.
            return described(anything(), schema);
        };
        self.open.push(name);
        let written = self.schema(target, depth + 1);
        self.open.pop();
        described(written, schema)
    }

    /// A branch of `allOf` with its reference followed once.
    fn inlined(&self, branch: &Value) -> Map<String, Value> {
        let target = branch.get("$ref").and_then(|reference| resolve(reference, self.root)).unwrap_or(branch);
        let mut branch = target.as_object().cloned().unwrap_or_default();
        // What is still nested here is beyond what can be said.
        branch.shift_remove("allOf");
        branch.shift_remove("$ref");
        branch
    }

    fn union(&mut self, branches: &[Value], schema: &Map<String, Value>, depth: usize) -> Value {
        let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
        let nullable = branches.iter().any(|branch| is_null(&branch));
        let mut written: Vec<Value> = Vec::new();
        for branch in branches.iter().filter(|branch| !is_null(branch)) {
            let mut branch = self.schema(branch, depth + 1);
            if nullable && let Some(fields) = branch.as_object_mut().filter(|fields| !fields.contains_key("anyOf")) {
                fields.insert("nullable".to_owned(), json!(true));
            }
            if !written.contains(&branch) {
                written.push(branch);
            }
        }
        match written.len() {
            0 => described(anything(), schema),
            1 => described(written.pop().unwrap_or_default(), schema),
            // Nothing else may stand beside it.
            _ => json!({"anyOf": written}),
        }
    }

    fn typed(&mut self, schema: &Map<String, Value>, depth: usize) -> Value {
        let kind = kind(schema);
        let mut out = Map::new();
        out.insert("type".to_owned(), json!(kind));
        for (key, value) in schema {
            if KEPT.contains(&key.as_str()) {
                out.insert(key.clone(), value.clone());
            }
        }
        for (from, to) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            if let Some(bound) = schema.get(from).filter(|bound| bound.is_number()) {
                out.entry(to).or_insert_with(|| bound.clone());
            }
        }
        if let Some(format) = schema.get("format").filter(|format| FORMATS.iter().any(|known| *format == known)) {
            out.insert("format".to_owned(), format.clone());
        }
        match kind {
            "string" => {
                if let Some(values) = text_enum(schema) {
                    out.insert("enum".to_owned(), values);
                }
            }
            "array" => {
                let tuple = schema.get("prefixItems").and_then(|items| items.get(0));
                let items = match schema.get("items") {
                    Some(Value::Array(items)) => items.first(),
                    items => items.filter(|items| items.is_object()).or(tuple),
                };
                let items = items.map_or_else(anything, |items| self.schema(items, depth + 1));
                out.insert("items".to_owned(), items);
            }
            "object" => {
                let mut properties = Map::new();
                for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    properties.insert(name.clone(), self.schema(property, depth + 1));
                }
                let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
                let required: Vec<&Value> =
                    required.filter(|name| name.as_str().is_some_and(|name| properties.contains_key(name))).collect();
                if !required.is_empty() {
                    out.insert("required".to_owned(), json!(required));
                }
                out.insert("properties".to_owned(), Value::Object(properties));
            }
            _ => {}
        }
        Value::Object(out)
    }
}

/// What stands for a value of any kind: text, which the tool casts.
fn anything() -> Value {
    json!({"type": "string"})
}

fn described(mut written: Value, schema: &Map<String, Value>) -> Value {
    if let (Some(fields), Some(description)) = (written.as_object_mut(), schema.get("description"))
        && !fields.contains_key("anyOf")
    {
        fields.insert("description".to_owned(), description.clone());
    }
    written
}

fn with_type(schema: &Map<String, Value>, kind: &Value) -> Value {
    let mut schema = schema.clone();
    // A type that is no text is none.
    schema.insert("type".to_owned(), if kind.is_string() { kind.clone() } else { json!("string") });
    Value::Object(schema)
}

fn kind(schema: &Map<String, Value>) -> &'static str {
    let named = schema.get("type").and_then(Value::as_str);
    let known = named.and_then(|named| TYPES.iter().find(|known| **known == named));
    match known {
        Some(known) => known,
        None if schema.contains_key("properties") => "object",
        None if schema.contains_key("items") || schema.contains_key("prefixItems") => "array",
        None => "string",
    }
}

/// The values of an enum or constant, when they are text.
fn text_enum(schema: &Map<String, Value>) -> Option<Value> {
    let constant = schema.get("const").map(std::slice::from_ref);
    let values = schema.get("enum").and_then(Value::as_array).map(Vec::as_slice).or(constant)?;
    let texts: Vec<&Value> =
        values.iter().filter(|value| value.as_str().is_some_and(|text| !text.is_empty())).collect();
    (!texts.is_empty()).then(|| json!(texts))
}
