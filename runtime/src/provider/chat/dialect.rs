//! What is known of providers and models that speak Chat Completions, as data.
//!
//! Each row says only what differs from the plain form, which is what a server that nobody here knows gets. Sources are the reference
//! implementation's registry and the providers' own documentation: DeepSeek and Moonshot "thinking mode", Xiaomi MiMo, MiniMax
//! "interleaved thinking", Zhipu "tool_stream", Google "OpenAI compatibility" and "thought signatures", OpenRouter "reasoning tokens" and
//! "prompt caching", Mistral "reasoning", Alibaba Model Studio "deep thinking", StepFun "reasoning".

use reqwest::Url;

use super::terms::{
    AfterResults, Backfill, CallProof, EffortField, Feature, IdForm, ModelPrefix, OutputLimit, Reach, ReasoningReplay,
    TemperatureField, Thinking, Toggle, UserMedia,
};
use crate::provider::family::ModelFamily;
use crate::provider::schema::SchemaRules;

/// What is known of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProviderDialect {
    name: &'static str,
    /// Its host, by which it is known under another name too.
    host: &'static str,
    reach: Reach,
    output_limit: OutputLimit,
    effort: EffortField,
    toggle: Option<Toggle>,
    replay: ReasoningReplay,
    backfill: Backfill,
    ids: IdForm,
    proof: CallProof,
    media: UserMedia,
    after_results: AfterResults,
    prefix: ModelPrefix,
    /// Claude models take `cache_control` on parts.
    cache_markers: Feature,
    /// `tool_stream` asks for arguments in pieces.
    tool_stream: Feature,
    /// An answer may come as reasoning alone.
    reasoning_may_be_answer: Feature,
}

const PLAIN: ProviderDialect = ProviderDialect {
    name: "",
    host: "",
    reach: Reach::Own,
    output_limit: OutputLimit::MaxTokens,
    effort: EffortField::AsSet,
    toggle: None,
    replay: ReasoningReplay::Omit,
    backfill: Backfill::No,
    ids: IdForm::Usual,
    proof: CallProof::None,
    media: UserMedia::Images,
    after_results: AfterResults::Anything,
    prefix: ModelPrefix::Keep,
    cache_markers: Feature::Off,
    tool_stream: Feature::Off,
    reasoning_may_be_answer: Feature::Off,
};

const fn gateway(name: &'static str, host: &'static str) -> ProviderDialect {
    ProviderDialect { name, host, reach: Reach::Gateway, ..PLAIN }
}

const OPENCODE: &[&str] = &["opencode", "opencode_zen", "opencode-zen", "opencode_go", "opencode-go"];
const THINKING_TYPE: ProviderDialect = ProviderDialect { toggle: Some(Toggle::ThinkingType), ..PLAIN };
const THINKING_GATEWAY: ProviderDialect = ProviderDialect { reach: Reach::Gateway, ..THINKING_TYPE };

/// Providers that differ from the plain form.
const PROVIDERS: &[ProviderDialect] = &[
    ProviderDialect {
        name: "openai",
        host: "api.openai.com",
        output_limit: OutputLimit::MaxCompletionTokens,
        media: UserMedia::ImagesAndFiles,
        ..PLAIN
    },
    ProviderDialect {
        name: "azure_openai",
        host: "openai.azure.com",
        output_limit: OutputLimit::MaxCompletionTokens,
        media: UserMedia::ImagesAndFiles,
        ..PLAIN
    },
    ProviderDialect {
        effort: EffortField::ReasoningObject,
        replay: ReasoningReplay::Details,
        media: UserMedia::ImagesAndFiles,
        cache_markers: Feature::On,
        ..gateway("openrouter", "openrouter.ai")
    },
    ProviderDialect { replay: ReasoningReplay::Details, ..gateway("vercel_gateway", "ai-gateway.vercel.sh") },
    gateway("orcarouter", "api.orcarouter.ai"),
    gateway("edenai", "api.edenai.run"),
    ProviderDialect { prefix: ModelPrefix::Strip(OPENCODE), ..gateway("opencode", "opencode.ai") },
    ProviderDialect { prefix: ModelPrefix::Strip(OPENCODE), ..gateway("opencode_zen", "") },
    ProviderDialect { prefix: ModelPrefix::Strip(OPENCODE), ..gateway("opencode_go", "") },
    gateway("huggingface", "router.huggingface.co"),
    gateway("skywork", "api.apifree.ai"),
    ProviderDialect { prefix: ModelPrefix::StripAll, ..gateway("aihubmix", "aihubmix.com") },
    gateway("siliconflow", "api.siliconflow.cn"),
    gateway("novita", "api.novita.ai"),
    ProviderDialect {
        name: "volcengine",
        host: "volces.com",
        output_limit: OutputLimit::MaxCompletionTokens,
        ..THINKING_GATEWAY
    },
    ProviderDialect {
        name: "volcengine_coding_plan",
        output_limit: OutputLimit::MaxCompletionTokens,
        prefix: ModelPrefix::StripAll,
        ..THINKING_GATEWAY
    },
    ProviderDialect { name: "byteplus", host: "bytepluses.com", prefix: ModelPrefix::StripAll, ..THINKING_GATEWAY },
    ProviderDialect { name: "byteplus_coding_plan", prefix: ModelPrefix::StripAll, ..THINKING_GATEWAY },
    ProviderDialect { prefix: ModelPrefix::StripAll, ..gateway("github_copilot", "api.githubcopilot.com") },
    ProviderDialect {
        name: "deepseek",
        host: "api.deepseek.com",
        replay: ReasoningReplay::Content,
        backfill: Backfill::WhileThinking,
        media: UserMedia::Text,
        ..THINKING_TYPE
    },
    ProviderDialect {
        name: "gemini",
        host: "generativelanguage.googleapis.com",
        proof: CallProof::ThoughtSignature,
        media: UserMedia::ImagesAndFiles,
        ..PLAIN
    },
    ProviderDialect {
        name: "zhipu",
        host: "open.bigmodel.cn",
        replay: ReasoningReplay::Content,
        tool_stream: Feature::On,
        ..PLAIN
    },
    ProviderDialect {
        name: "zai",
        host: "api.z.ai",
        replay: ReasoningReplay::Content,
        tool_stream: Feature::On,
        ..PLAIN
    },
    ProviderDialect {
        effort: EffortField::Minimum,
        toggle: Some(Toggle::EnableThinking),
        ..gateway("dashscope", "dashscope.aliyuncs.com")
    },
    ProviderDialect {
        toggle: Some(Toggle::EnableThinking),
        prefix: ModelPrefix::Strip(&["modelscope"]),
        ..gateway("modelscope", "api-inference.modelscope.cn")
    },
    ProviderDialect {
        name: "moonshot",
        host: "api.moonshot.ai",
        replay: ReasoningReplay::Content,
        backfill: Backfill::WhileThinking,
        ..PLAIN
    },
    ProviderDialect {
        name: "minimax",
        host: "api.minimax.io",
        toggle: Some(Toggle::ReasoningSplit),
        replay: ReasoningReplay::DetailsOrContent,
        ..PLAIN
    },
    ProviderDialect {
        name: "mistral",
        host: "api.mistral.ai",
        effort: EffortField::HighOnly,
        ids: IdForm::NineAlphanumeric,
        after_results: AfterResults::Assistant,
        ..PLAIN
    },
    ProviderDialect { name: "stepfun", host: "api.stepfun.com", reasoning_may_be_answer: Feature::On, ..PLAIN },
    ProviderDialect {
        name: "xiaomi_mimo",
        host: "api.xiaomimimo.com",
        replay: ReasoningReplay::Content,
        backfill: Backfill::WhileThinking,
        ..THINKING_TYPE
    },
];

/// Further hosts of the same providers.
const OTHER_HOSTS: [(&str, &str); 5] = [
    ("api.moonshot.cn", "moonshot"),
    ("api.minimaxi.com", "minimax"),
    ("api.siliconflow.com", "siliconflow"),
    ("dashscope-intl.aliyuncs.com", "dashscope"),
    ("api.stepfun.ai", "stepfun"),
];

/// How one model at one provider is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dialect<'a> {
    /// The name that the server knows.
    pub(crate) model: &'a str,
    pub(crate) output_limit: OutputLimit,
    pub(crate) temperature: TemperatureField,
    pub(crate) effort: EffortField,
    pub(crate) toggles: [Option<Toggle>; 2],
    pub(crate) thinking: Thinking,
    pub(crate) replay: ReasoningReplay,
    pub(crate) backfill: Backfill,
    /// The model thinks unless it is told not to.
    pub(crate) thinks_by_itself: Feature,
    pub(crate) ids: IdForm,
    pub(crate) proof: CallProof,
    pub(crate) media: UserMedia,
    pub(crate) after_results: AfterResults,
    pub(crate) cache_markers: Feature,
    pub(crate) tool_stream: Feature,
    pub(crate) schema: SchemaRules,
}

impl Default for ProviderDialect {
    fn default() -> Self {
        PLAIN
    }
}

impl ProviderDialect {
    /// What is known of the provider of this name, or of the one at this address; the plain form otherwise.
    #[must_use]
    pub fn of(name: &str, base_url: &str) -> Self {
        let name = name.to_ascii_lowercase().replace('-', "_");
        let url = Url::parse(base_url.trim()).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let at_host = |known: &&Self| {
            !known.host.is_empty()
                && host.strip_suffix(known.host).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        let by_name = |name: &str| PROVIDERS.iter().find(|known| known.name == name);
        let other = || OTHER_HOSTS.iter().find(|(other, _)| *other == host).and_then(|(_, name)| by_name(name));
        let named = by_name(&name);
        named.or_else(|| PROVIDERS.iter().find(at_host)).or_else(other).copied().unwrap_or(PLAIN)
    }

    /// Every provider that is known, and the plain form.
    #[cfg(test)]
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        PROVIDERS.iter().copied().chain([PLAIN])
    }

    /// Its name; empty for the plain form.
    #[cfg(test)]
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn reasoning_may_be_answer(&self) -> bool {
        self.reasoning_may_be_answer == Feature::On
    }

    /// How this model is asked.
    pub(crate) fn for_model<'a>(&self, model: &'a str) -> Dialect<'a> {
        let lower = model.to_ascii_lowercase();
        let slug = lower.rsplit('/').next().unwrap_or(&lower);
        let of_openai = ModelFamily::of(slug) == ModelFamily::OpenaiReasoning;
        let kimi = Kimi::of(slug);
        let at_moonshot = self.name == "moonshot";
        let picky = of_openai || kimi == Some(Kimi::K3) || (at_moonshot && kimi.is_some());
        let of_model = model_toggle(slug);
        let mut dialect = Dialect {
            model: self.prefix.strip(model),
            output_limit: if of_openai || kimi == Some(Kimi::K3) {
                OutputLimit::MaxCompletionTokens
            } else {
                self.output_limit
            },
            temperature: if picky { TemperatureField::Omit } else { TemperatureField::Send },
            effort: self.effort,
            toggles: [self.toggle, of_model.filter(|toggle| self.toggle != Some(*toggle))],
            thinking: if kimi == Some(Kimi::AlwaysThinking) { Thinking::Always } else { Thinking::Optional },
            replay: self.replay,
            backfill: self.backfill,
            thinks_by_itself: Feature::Off,
            ids: self.ids,
            proof: self.proof,
            media: self.media,
            after_results: self.after_results,
            cache_markers: Feature::Off,
            tool_stream: self.tool_stream,
            schema: schema_rules(slug, self.name),
        };
        if kimi == Some(Kimi::K3) && self.effort != EffortField::ReasoningObject {
            dialect.effort = EffortField::MaxOnly;
        } else if kimi.is_some_and(|kimi| kimi != Kimi::K3) && self.effort == EffortField::AsSet {
            // The native switch says it all; Moonshot refuses both together.
            dialect.effort = EffortField::Never;
        } else if self.effort == EffortField::HighOnly && slug.contains("magistral") {
            dialect.effort = EffortField::Never;
        }
        if self.effort == EffortField::ReasoningObject {
            // One field for all models; it can say "none" where a model has a switch.
            dialect.toggles = [None, None];
            if of_model.is_none() {
                dialect.thinking = Thinking::Always;
            }
        }
        if self.reach == Reach::Gateway && self.replay == ReasoningReplay::Omit && wants_its_reasoning(slug) {
            dialect.replay = ReasoningReplay::Content;
            dialect.backfill = Backfill::WhileThinking;
        }
        if ["deepseek-v4", "deepseek-reasoner"].iter().any(|family| slug.contains(family)) {
            dialect.thinks_by_itself = Feature::On;
        }
        if self.media == UserMedia::Text && ["vision", "-vl"].iter().any(|word| slug.contains(word)) {
            dialect.media = UserMedia::Images;
        }
        if self.cache_markers == Feature::On && (lower.starts_with("anthropic/") || slug.starts_with("claude")) {
            dialect.cache_markers = Feature::On;
        }
        if self.proof == CallProof::ThoughtSignature && !slug.starts_with("gemini") {
            dialect.proof = CallProof::None;
        }
        dialect
    }
}

/// Kimi models, by what they want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kimi {
    K3,
    Thinking,
    AlwaysThinking,
}

impl Kimi {
    fn of(slug: &str) -> Option<Self> {
        match slug {
            "kimi-k3" => Some(Self::K3),
            "kimi-k2.5" | "kimi-k2.6" | "kimi-k2.7" | "k2.6-code-preview" => Some(Self::Thinking),
            _ if slug.starts_with("kimi-k2.7-code") => Some(Self::AlwaysThinking),
            _ => None,
        }
    }
}

/// The switch that belongs to a model, wherever it runs.
fn model_toggle(slug: &str) -> Option<Toggle> {
    if Kimi::of(slug).is_some_and(|kimi| kimi != Kimi::K3) {
        return Some(Toggle::ThinkingType);
    }
    let mimo = ["mimo-v2.5-pro", "mimo-v2.5", "mimo-v2-pro", "mimo-v2-omni"];
    if mimo.contains(&slug) {
        return Some(Toggle::ThinkingType);
    }
    let qwen = ["qwen3.5-", "qwen3.6-", "qwen3.7-"].iter().any(|family| slug.starts_with(family));
    qwen.then_some(Toggle::EnableThinking)
}

/// Models whose makers ask for earlier reasoning, also behind a gateway.
fn wants_its_reasoning(slug: &str) -> bool {
    Kimi::of(slug).is_some()
        || ["deepseek-v4", "deepseek-reasoner", "mimo-v2", "minimax-m2", "glm-4.7", "glm-5", "kimi-k2-thinking"]
            .iter()
            .any(|family| slug.starts_with(family))
}

fn schema_rules(slug: &str, provider: &str) -> SchemaRules {
    if provider == "gemini" || slug.starts_with("gemini") {
        SchemaRules::Gemini
    } else if slug.starts_with("claude") {
        SchemaRules::Anthropic
    } else {
        SchemaRules::Openai
    }
}

impl ModelPrefix {
    fn strip(self, model: &str) -> &str {
        match (self, model.split_once('/')) {
            (Self::Keep, _) | (_, None) => model,
            (Self::StripAll, Some(_)) => model.rsplit('/').next().unwrap_or(model),
            (Self::Strip(prefixes), Some((prefix, rest))) => {
                if prefixes.iter().any(|known| known.eq_ignore_ascii_case(prefix)) { rest } else { model }
            }
        }
    }
}
