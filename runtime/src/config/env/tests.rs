//! What the environment adds.

use super::*;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

#[test]
fn variables_in_text() {
    let env = env(&[("A", "1"), ("B_2", "two"), ("EMPTY", "")]);
    for (given, expected, missing) in [
        ("plain", "plain", vec![]),
        ("${A}", "1", vec![]),
        ("x-${A}-${B_2}-y", "x-1-two-y", vec![]),
        ("${EMPTY}", "", vec![]),
        ("a${NONE}b", "ab", vec!["NONE"]),
        ("$${A}", "${A}", vec![]),
        ("${A", "${A", vec![]),
        ("${}", "${}", vec![]),
        ("${not a name}", "${not a name}", vec![]),
        ("$A {A}", "$A {A}", vec![]),
        ("${${A}}", "${1}", vec![]),
    ] {
        let (result, lost) = expand_text(given, &env);
        assert_eq!(
            (result.as_ref(), lost),
            (expected, missing.iter().map(|name| (*name).to_owned()).collect()),
            "{given}"
        );
    }
}

#[test]
fn what_a_variable_put_in_is_not_expanded_again() {
    let env = env(&[("A", "${B}"), ("B", "secret")]);
    assert_eq!(expand_text("${A}", &env).0, "${B}");
}

#[test]
fn values_are_toml_where_the_schema_allows_it() {
    for (raw, shape, expected) in [
        ("8080", Shape::Value, "integer"),
        (" true ", Shape::Value, "boolean"),
        ("[\"a\", 'b']", Shape::Value, "array"),
        ("0.5", Shape::Value, "float"),
        ("plain words", Shape::Value, "string"),
        ("12345", Shape::Text, "string"),
        ("true", Shape::Text, "string"),
        ("", Shape::Text, "string"),
    ] {
        assert_eq!(parse_value(raw, shape).type_str(), expected, "{raw}");
    }
    assert_eq!(parse_value("\"quoted\"", Shape::Text).as_str(), Some("quoted"));
    assert_eq!(parse_value("sk-123", Shape::Text).as_str(), Some("sk-123"));
}

#[test]
fn names_of_the_file_are_found_again() {
    let text = "[providers.My-Box]\nbase_url = \"http://h.test\"\n";
    let mut table = DeTable::parse(text).unwrap();
    let env = env(&[("NANOBOT__PROVIDERS__MY_BOX__API_KEY", "k"), ("NANOBOT_HOME", "/ignored")]);
    let mut warnings = Vec::new();
    let overlay = overlay(table.get_mut(), &env, text.len(), &mut warnings).unwrap();
    assert_eq!(warnings, []);
    assert_eq!(overlay.variables_by_path.keys().collect::<Vec<_>>(), ["providers.My-Box.api_key"]);
    assert_eq!(overlay.variable_at(text.len() + 1), Some("NANOBOT__PROVIDERS__MY_BOX__API_KEY"));
    assert_eq!(overlay.variable_at(text.len()), None);
}
