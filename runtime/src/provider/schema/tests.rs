//! What comes out keeps the rules, whatever goes in, and what keeps them already is not touched.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

const ALL: [SchemaRules; 3] = [SchemaRules::Openai, SchemaRules::Anthropic, SchemaRules::Gemini];

/// Does a finished schema keep the rules? Written from the providers' words, apart from the code that rewrites.
fn keeps_rules(schema: &Value, rules: SchemaRules) -> Result<(), String> {
    let top = schema.as_object().ok_or("no object")?;
    if top.get("type") != Some(&json!("object")) || !top.get("properties").is_some_and(Value::is_object) {
        return Err(format!("top is no object schema: {schema}"));
    }
    for key in ["oneOf", "anyOf", "allOf", "enum", "not", "$ref"] {
        if top.contains_key(key) {
            return Err(format!("{key} at the top"));
        }
    }
    match rules {
        SchemaRules::Openai | SchemaRules::Anthropic => keeps_json_schema(schema, schema),
        SchemaRules::Gemini => keeps_gemini(schema),
    }
}

fn keeps_json_schema(schema: &Value, root: &Value) -> Result<(), String> {
    let map = schema.as_object().ok_or_else(|| format!("no object: {schema}"))?;
    if map.get("type") == Some(&json!("array")) && !map.contains_key("items") {
        return Err("an array without items".to_owned());
    }
    for (key, value) in map {
        match key.as_str() {
            "properties" | "$defs" => {
                for part in value.as_object().ok_or("no map")?.values() {
                    keeps_json_schema(part, root)?;
                }
            }
            "items" | "not" => keeps_json_schema(value, root)?,
            "additionalProperties" if !value.is_boolean() => keeps_json_schema(value, root)?,
            "anyOf" | "oneOf" | "allOf" => {
                let parts = value.as_array().filter(|parts| !parts.is_empty()).ok_or("an empty list")?;
                parts.iter().try_for_each(|part| keeps_json_schema(part, root))?;
            }
            "$ref" => {
                let target = value.as_str().and_then(|path| root.pointer(path.strip_prefix('#')?));
                target.ok_or_else(|| format!("a reference to nothing: {value}"))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn keeps_gemini(schema: &Value) -> Result<(), String> {
    let map = schema.as_object().ok_or_else(|| format!("no object: {schema}"))?;
    if let Some(branches) = map.get("anyOf") {
        let branches = branches.as_array().ok_or("no list")?;
        if map.len() != 1 || branches.len() < 2 {
            return Err(format!("anyOf beside others: {schema}"));
        }
        return branches.iter().try_for_each(keeps_gemini);
    }
    let kind = map.get("type").and_then(Value::as_str).ok_or_else(|| format!("no type: {schema}"))?;
    for (key, value) in map {
        let fits = match key.as_str() {
            "type" => ["string", "number", "integer", "boolean", "array", "object"].contains(&kind),
            "enum" => {
                let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
                kind == "string" && value.as_array().is_some_and(|list| !list.is_empty() && list.iter().all(is_text))
            }
            "items" => kind == "array" && keeps_gemini(value).is_ok(),
            "properties" => {
                kind == "object" && value.as_object().is_some_and(|map| map.values().all(|v| keeps_gemini(v).is_ok()))
            }
            "required" => value.as_array().is_some_and(|names| {
                names.iter().all(|name| map["properties"].get(name.as_str().unwrap_or_default()).is_some())
            }),
            "format" => ["date-time", "enum", "float", "double", "int32", "int64"].iter().any(|known| value == known),
            "title" | "description" | "nullable" | "minItems" | "maxItems" | "minLength" | "maxLength" | "pattern"
            | "minimum" | "maximum" => true,
            _ => false,
        };
        if !fits {
            return Err(format!("{key} in {schema}"));
        }
    }
    if kind == "array" && !map.contains_key("items") {
        return Err("an array without items".to_owned());
    }
    Ok(())
}

fn rewritten(schema: &Value, rules: SchemaRules) -> Value {
    let got = accepted(schema, rules).into_owned();
    assert_eq!(keeps_rules(&got, rules), Ok(()), "{schema}");
    got
}

#[test]
fn what_is_accepted_stays_as_it_is() {
    let plain = json!({
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Where."},
            "names": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}},
            "n": {"type": "integer", "minimum": 1, "nullable": true},
        },
        "required": ["path"],
    });
    for rules in ALL {
        assert!(matches!(accepted(&plain, rules), Cow::Borrowed(_)), "{rules:?}");
    }
    let rich = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "additionalProperties": false,
        "properties": {"a": {"$ref": "#/$defs/a"}, "b": {"oneOf": [{"const": 1}, {"type": "null"}]}},
        "$defs": {"a": {"type": "object", "properties": {"next": {"$ref": "#/$defs/a"}}}},
    });
    for rules in [SchemaRules::Openai, SchemaRules::Anthropic] {
        assert!(matches!(accepted(&rich, rules), Cow::Borrowed(_)), "{rules:?}");
    }
}

#[test]
fn the_top_is_an_object() {
    let empty = json!({"type": "object", "properties": {}});
    for schema in [json!({}), json!(true), json!(null), json!([]), json!({"type": "string"}), json!({"type": "object"})]
    {
        for rules in ALL {
            assert_eq!(rewritten(&schema, rules), empty, "{schema} {rules:?}");
        }
    }
    let branches = json!({
        "oneOf": [
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a", "b"]},
            {"properties": {"b": {"type": "string"}}, "required": ["b"]},
        ],
        "allOf": [{"$ref": "#/$defs/c"}],
        "required": ["d"],
        "$defs": {"c": {"properties": {"c": {"type": "string"}}, "required": ["c"]}},
    });
    for rules in ALL {
        let got = rewritten(&branches, rules);
        let names: Vec<&String> = got["properties"].as_object().expect("a map").keys().collect();
        assert_eq!(names, ["a", "b", "c"], "{rules:?}");
        let required = got["required"].as_array().expect("a list");
        assert!(required.contains(&json!("b")) && required.contains(&json!("c")) && !required.contains(&json!("a")));
    }
}

#[test]
fn google_gets_its_part_of_json_schema() {
    let property = |schema: Value| {
        let whole = json!({
            "type": "object",
            "properties": {"x": schema},
            "$defs": {"loop": {"type": "object", "properties": {"next": {"$ref": "#/$defs/loop"}}}},
        });
        rewritten(&whole, SchemaRules::Gemini)["properties"]["x"].clone()
    };
    for (schema, want) in [
        (json!({"type": ["string", "null"]}), json!({"type": "string", "nullable": true})),
        (json!({"type": ["string", "integer"]}), json!({"anyOf": [{"type": "string"}, {"type": "integer"}]})),
        (json!({"const": "a"}), json!({"type": "string", "enum": ["a"]})),
        (json!({"type": "integer", "enum": [1, 2]}), json!({"type": "integer"})),
        (json!({"type": "integer", "exclusiveMinimum": 0}), json!({"type": "integer", "minimum": 0})),
        (json!({"type": "string", "format": "uri"}), json!({"type": "string"})),
        (json!({"type": "array"}), json!({"type": "array", "items": {"type": "string"}})),
        (
            json!({"oneOf": [{"type": "string"}, {"type": "null"}], "description": "d"}),
            json!({"type": "string", "nullable": true, "description": "d"}),
        ),
        (
            json!({"type": "object", "additionalProperties": false, "patternProperties": {}, "required": ["a"]}),
            json!({"type": "object", "properties": {}}),
        ),
        (json!({"$ref": "#/$defs/loop"}), json!({"type": "object", "properties": {"next": {"type": "string"}}})),
        (json!(true), json!({"type": "string"})),
    ] {
        assert_eq!(property(schema.clone()), want, "{schema}");
    }
}

#[test]
fn references_that_multiply_are_bounded() {
    let mut defs = serde_json::Map::new();
    for i in 0..30 {
        let next = json!({"$ref": format!("#/$defs/d{}", i + 1)});
        defs.insert(format!("d{i}"), json!({"type": "object", "properties": {"a": next, "b": next, "c": next}}));
    }
    let schema = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/d0"}}, "$defs": defs});
    let got = rewritten(&schema, SchemaRules::Gemini);
    assert!(got.to_string().len() < 1_000_000);
}

fn any_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(null)),
        Just(json!({})),
        Just(json!({"type": "string", "enum": ["a", "", 1, null]})),
        Just(json!({"const": 3})),
        Just(json!({"type": ["integer", "null"], "exclusiveMinimum": 1})),
        Just(json!({"type": "null"})),
        Just(json!({"type": 5, "format": "uri"})),
        Just(json!({"$ref": "#/$defs/a"})),
        Just(json!({"$ref": "#/properties/x", "description": "d"})),
        Just(json!({"$ref": "https://h.test/s.json"})),
        Just(json!({"$ref": "#"})),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let list = proptest::collection::vec(inner.clone(), 0..4);
        let map = proptest::collection::btree_map("[a-cx]", inner.clone(), 0..4);
        let key = prop_oneof![Just("anyOf"), Just("oneOf"), Just("allOf")];
        let kind = prop_oneof![Just(json!("object")), Just(json!(["object", "array"])), Just(json!("array"))];
        prop_oneof![
            (map.clone(), kind).prop_map(|(map, kind)| {
                json!({"type": kind, "properties": map, "required": ["a", "b"], "additionalProperties": {"type": "array"}})
            }),
            (map.clone(), key.clone(), list.clone())
                .prop_map(|(map, key, list)| json!({"$defs": {"a": {"properties": map}}, key: list, "not": false})),
            (key, list.clone()).prop_map(|(key, list)| json!({key: list})),
            inner.prop_map(|items| json!({"type": "array", "items": items})),
            list.prop_map(|items| json!({"type": "array", "items": items})),
            map.prop_map(|map| json!({"properties": map, "items": {}})),
        ]
    })
}

proptest! {
    #[test]
    fn any_schema_comes_out_by_the_rules_and_once_is_enough(schema in any_schema()) {
        for rules in ALL {
            let once = accepted(&schema, rules).into_owned();
            prop_assert_eq!(keeps_rules(&once, rules), Ok(()), "{} -> {}", &schema, &once);
            prop_assert!(matches!(accepted(&once, rules), Cow::Borrowed(_)), "{:?}: {} -> {}", rules, &schema, &once);
        }
    }
}
