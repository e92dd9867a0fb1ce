//! The ways in which providers and models differ, one type each.

/// Name of the field that limits the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OutputLimit {
    /// `max_tokens`, which nearly all servers take.
    #[default]
    MaxTokens,
    /// `max_completion_tokens`, which OpenAI's reasoning models insist on.
    MaxCompletionTokens,
}

/// Is a temperature sent when one is set?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TemperatureField {
    #[default]
    Send,
    /// The model refuses any but its own.
    Omit,
}

/// How `reasoning_effort` is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum EffortField {
    /// As it is set.
    #[default]
    AsSet,
    /// `minimal` is called `minimum`.
    Minimum,
    /// Only `high` is known: `medium` becomes that, less is left out.
    HighOnly,
    /// Only `max` is known.
    MaxOnly,
    /// The model reasons as it likes.
    Never,
    /// `reasoning: {effort}` instead.
    ReasoningObject,
}

/// A switch for thinking, sent only when an effort is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toggle {
    /// `thinking: {type: enabled|disabled}`.
    ThinkingType,
    /// `enable_thinking: true|false`.
    EnableThinking,
    /// `reasoning_split: true|false`.
    ReasoningSplit,
}

/// Can thinking be switched off?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Thinking {
    #[default]
    Optional,
    /// "disabled" is refused.
    Always,
}

/// Is reasoning of earlier answers sent back?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReasoningReplay {
    /// No: the server would ignore or refuse it.
    #[default]
    Omit,
    /// As `reasoning_content` of the assistant message.
    Content,
    /// As `reasoning_details`, unchanged; in the open where there are none and the server takes it so.
    Details,
    /// As `reasoning_details` where there are any, else as `reasoning_content`.
    DetailsOrContent,
}

/// Is a missing `reasoning_content` sent as ""?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Backfill {
    #[default]
    No,
    /// The server refuses a history without it while the model thinks.
    WhileThinking,
}

/// What call ids look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// Letters, digits, `_` and `-`, at most 64.
    #[default]
    Usual,
    /// Exactly nine letters and digits.
    NineAlphanumeric,
}

/// What a call carries beside name and arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CallProof {
    #[default]
    None,
    /// `extra_content.google.thought_signature`; the first call of a step must have one.
    ThoughtSignature,
}

/// What a user message may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum UserMedia {
    /// Text alone.
    Text,
    /// Images too.
    #[default]
    Images,
    /// Images, and documents as `file` parts.
    ImagesAndFiles,
}

/// What may follow the results of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AfterResults {
    #[default]
    Anything,
    /// The assistant only.
    Assistant,
}

/// Which part of `a/b/model` the server wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ModelPrefix {
    /// All of it.
    #[default]
    Keep,
    /// What follows one of these.
    Strip(&'static [&'static str]),
    /// The last part.
    StripAll,
}

/// Does the server pass on to models of many makers?
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Reach {
    #[default]
    Own,
    Gateway,
}

/// A feature that is off unless the server is known to have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Feature {
    #[default]
    Off,
    On,
}
