//! Rewrites the schemas of tools to what a provider accepts.

use std::borrow::Cow;

use serde_json::Value;

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

/// The schema as these rules want it; what they take already stays as it is.
pub(crate) fn accepted(schema: &Value, _rules: SchemaRules) -> Cow<'_, Value> {
    Cow::Borrowed(schema)
}
