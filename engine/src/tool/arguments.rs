//! The argument pipeline: from what a model wrote to what a tool's schema allows.

use serde_json::{Map, Number, Value};

/// Unwraps, casts and checks raw arguments against a tool's schema.
///
/// # Errors
/// A sentence for the model that names every problem, without the `Error: ` prefix.
pub fn prepare(schema: &Value, raw: &Map<String, Value>) -> Result<Map<String, Value>, String> {
    let mut value = Value::Object(unwrap_nested(schema, raw));
    cast(schema, &mut value);
    let mut problems = Vec::new();
    check(schema, &value, "", &mut problems);
    match value {
        Value::Object(arguments) if problems.is_empty() => Ok(arguments),
        _ => Err(problems.join("; ")),
    }
}

/// Some models wrap everything in one `arguments` object.
fn unwrap_nested(schema: &Value, raw: &Map<String, Value>) -> Map<String, Value> {
    let named = schema.pointer("/properties/arguments").is_some();
    match (raw.len(), raw.get("arguments"), named) {
        (1, Some(Value::Object(inner)), false) => inner.clone(),
        (1, Some(Value::String(text)), false) => serde_json::from_str(text).unwrap_or_else(|_| raw.clone()),
        _ => raw.clone(),
    }
}

/// The non-null type of a schema, which may be a union with null.
fn type_of(schema: &Value) -> Option<&str> {
    match schema.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|name| *name != "null"),
        _ => None,
    }
}

fn nullable(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_array).is_some_and(|names| names.iter().any(|name| name == "null"))
}

fn cast(schema: &Value, value: &mut Value) {
    match (type_of(schema), &mut *value) {
        (Some("integer"), Value::String(text)) => {
            if let Ok(number) = text.trim().parse::<i64>() {
                *value = Value::Number(number.into());
            }
        }
        (Some("integer"), Value::Number(number)) => {
            if let Some(float) = number.as_f64().filter(|f| number.as_i64().is_none() && f.fract() == 0.0)
                && let Ok(whole) = format!("{float:.0}").parse::<i64>()
            {
                *value = Value::Number(whole.into());
            }
        }
        (Some("number"), Value::String(text)) => {
            if let Some(number) = text.trim().parse::<f64>().ok().and_then(Number::from_f64) {
                *value = Value::Number(number);
            }
        }
        (Some("boolean"), Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" => *value = Value::Bool(true),
            "false" | "0" | "no" => *value = Value::Bool(false),
            _ => {}
        },
        (Some("string"), Value::Number(_) | Value::Bool(_)) => *value = Value::String(value.to_string()),
        (Some("array"), Value::Array(items)) => {
            if let Some(item_schema) = schema.get("items") {
                items.iter_mut().for_each(|item| cast(item_schema, item));
            }
        }
        (Some("object"), Value::Object(fields)) => {
            for (name, field) in fields.iter_mut() {
                if let Some(field_schema) = field_schema(schema, name) {
                    cast(field_schema, field);
                }
            }
        }
        _ => {}
    }
}

fn field_schema<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    schema
        .get("properties")
        .and_then(|properties| properties.get(name))
        .or_else(|| schema.get("additionalProperties").filter(|extra| extra.is_object()))
}

fn check(schema: &Value, value: &Value, path: &str, problems: &mut Vec<String>) {
    let here = if path.is_empty() { "arguments" } else { path };
    if value.is_null() && nullable(schema) {
        return;
    }
    if let Some(expected) = type_of(schema) {
        let fits = match expected {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "integer" => value.as_i64().is_some() || value.as_u64().is_some(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            _ => true,
        };
        if !fits {
            problems.push(format!("{here} must be {expected}"));
            return;
        }
    }
    if let Some(allowed) = schema.get("enum").and_then(Value::as_array)
        && !allowed.contains(value)
    {
        let names = allowed.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        problems.push(format!("{here} must be one of {names}"));
    }
    match value {
        Value::Number(number) => check_range(schema, number, here, problems),
        Value::String(text) => {
            check_size(schema, "Length", "characters", text.chars().count(), here, problems);
        }
        Value::Array(items) => {
            check_size(schema, "Items", "items", items.len(), here, problems);
            if let Some(item_schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(item_schema, item, &format!("{path}[{index}]"), problems);
                }
            }
        }
        Value::Object(fields) => check_fields(schema, fields, path, problems),
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_range(schema: &Value, number: &Number, here: &str, problems: &mut Vec<String>) {
    let Some(number) = number.as_f64() else { return };
    if let Some(least) = schema.get("minimum").and_then(Value::as_f64).filter(|least| number < *least) {
        problems.push(format!("{here} must be at least {least}"));
    }
    if let Some(most) = schema.get("maximum").and_then(Value::as_f64).filter(|most| number > *most) {
        problems.push(format!("{here} must be at most {most}"));
    }
}

fn check_size(schema: &Value, suffix: &str, unit: &str, size: usize, here: &str, problems: &mut Vec<String>) {
    let size = size as u64;
    let bound = |prefix: &str| schema.get(format!("{prefix}{suffix}")).and_then(Value::as_u64);
    if let Some(least) = bound("min").filter(|least| size < *least) {
        problems.push(format!("{here} must have at least {least} {unit}"));
    }
    if let Some(most) = bound("max").filter(|most| size > *most) {
        problems.push(format!("{here} must have at most {most} {unit}"));
    }
}

fn check_fields(schema: &Value, fields: &Map<String, Value>, path: &str, problems: &mut Vec<String>) {
    let child = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
        if !fields.contains_key(name) {
            problems.push(format!("missing required parameter {}", child(name)));
        }
    }
    let closed = schema.get("additionalProperties").and_then(Value::as_bool) == Some(false);
    for (name, field) in fields {
        match field_schema(schema, name) {
            Some(field_schema) => check(field_schema, field, &child(name), problems),
            None if closed => problems.push(format!("unexpected parameter {}", child(name))),
            None => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "minLength": 1},
                "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 10},
                "deep": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "number"}}},
                "flag": {"type": "boolean"},
                "mode": {"type": "string", "enum": ["a", "b"]}
            },
            "required": ["path"],
            "additionalProperties": false
        })
    }

    fn run(raw: Value) -> Result<Value, String> {
        let Value::Object(raw) = raw else { panic!("object expected") };
        prepare(&schema(), &raw).map(Value::Object)
    }

    #[test]
    fn casts_what_can_be_cast() {
        assert_eq!(
            run(json!({"path": 7, "limit": "5", "flag": "yes", "deep": {"x": ["1.5"]}})),
            Ok(json!({"path": "7", "limit": 5, "flag": true, "deep": {"x": [1.5]}}))
        );
        assert_eq!(run(json!({"path": "a", "limit": null})), Ok(json!({"path": "a", "limit": null})));
        assert_eq!(run(json!({"path": "a", "limit": 3.0})), Ok(json!({"path": "a", "limit": 3})));
    }

    #[test]
    fn names_every_problem_with_its_path() {
        assert_eq!(
            run(json!({"limit": 11, "flag": "nope", "mode": "c", "deep": {"x": ["q"]}, "odd": 1})).unwrap_err(),
            "missing required parameter path; limit must be at most 10; flag must be boolean; \
             mode must be one of \"a\", \"b\"; deep.x[0] must be number; unexpected parameter odd"
        );
        assert_eq!(run(json!({"path": ""})).unwrap_err(), "path must have at least 1 characters");
        assert_eq!(run(json!({"path": "a", "limit": true})).unwrap_err(), "limit must be integer");
    }

    #[test]
    fn unwraps_a_lone_arguments_object() {
        assert_eq!(run(json!({"arguments": {"path": "a"}})), Ok(json!({"path": "a"})));
        assert_eq!(run(json!({"arguments": "{\"path\":\"a\"}"})), Ok(json!({"path": "a"})));
    }
}
