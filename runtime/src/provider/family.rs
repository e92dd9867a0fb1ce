//! What the name of a model tells about how it is asked.

/// Families of models that differ in what a request may hold, whatever the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelFamily {
    /// OpenAI's reasoning models: no temperature but their own, reasoning that is sealed.
    OpenaiReasoning,
    /// All others.
    Other,
}

impl ModelFamily {
    /// The family of a model by its name, which may begin with a provider's.
    #[must_use]
    pub fn of(model: &str) -> Self {
        let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
        if ["gpt-5", "o1", "o3", "o4"].iter().any(|family| is_family(&name, family)) {
            return Self::OpenaiReasoning;
        }
        Self::Other
    }
}

/// `o3` and `o3-mini`, but not `o3x`.
fn is_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_family() {
        for name in ["gpt-5", "gpt-5.1-codex", "openai/o3-mini", "O1", "o4-mini"] {
            assert_eq!(ModelFamily::of(name), ModelFamily::OpenaiReasoning, "{name}");
        }
        for name in ["gpt-50", "gpt-4o", "o3x", "llama-o3", ""] {
            assert_eq!(ModelFamily::of(name), ModelFamily::Other, "{name}");
        }
    }
}
