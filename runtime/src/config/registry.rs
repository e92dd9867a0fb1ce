//! Providers that are known by name: what to fill a form with, and what to assume when a setting is missing.

use super::types::ProviderKind;

/// A provider that needs no more than its name and, mostly, a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownProvider {
    /// The name in `config.toml`.
    pub name: &'static str,
    /// Other names that are understood.
    pub aliases: &'static [&'static str],
    /// The name for people.
    pub label: &'static str,
    /// The wire format.
    pub kind: ProviderKind,
    /// Address of the API; empty for the demo model, and for providers whose every customer has another one.
    pub base_url: &'static str,
    /// The environment variable that usually holds its key; `None` for servers on this machine. No two companies share one.
    pub env: Option<&'static str>,
    /// The header that carries its key.
    pub auth: KeyHeader,
}

/// How a key is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyHeader {
    /// `authorization: Bearer KEY`
    #[default]
    Bearer,
    /// `x-api-key: KEY`
    XApiKey,
    /// `api-key: KEY`
    ApiKey,
}

impl KnownProvider {
    const fn also(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

const fn hosted(name: &'static str, label: &'static str, base_url: &'static str, env: &'static str) -> KnownProvider {
    KnownProvider { env: Some(env), ..local(name, label, base_url) }
}

const fn anthropic(
    name: &'static str,
    label: &'static str,
    base_url: &'static str,
    env: &'static str,
) -> KnownProvider {
    KnownProvider { kind: ProviderKind::Anthropic, auth: KeyHeader::XApiKey, ..hosted(name, label, base_url, env) }
}

const fn local(name: &'static str, label: &'static str, base_url: &'static str) -> KnownProvider {
    KnownProvider {
        name,
        aliases: &[],
        label,
        kind: ProviderKind::Openai,
        base_url,
        env: None,
        auth: KeyHeader::Bearer,
    }
}

/// All of them, in the order in which a form offers them. Of several for one key, the one that a key alone means comes first.
pub const KNOWN_PROVIDERS: &[KnownProvider] = &[
    hosted("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    anthropic("anthropic", "Anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY"),
    hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    hosted("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    hosted("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    hosted("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
    hosted("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    KnownProvider { auth: KeyHeader::ApiKey, ..hosted("azure_openai", "Azure OpenAI", "", "AZURE_OPENAI_API_KEY") }
        .also(&["azure"]),
    hosted("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    hosted("together", "Together AI", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    hosted("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    hosted("huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN"),
    hosted("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    hosted("perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
    hosted("moonshot", "Moonshot AI (Kimi)", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    anthropic("kimi_coding", "Kimi Coding", "https://api.kimi.com/coding/v1", "KIMI_CODING_API_KEY"),
    hosted("zhipu", "Zhipu AI (GLM)", "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY").also(&["zhipuai"]),
    hosted("zai", "Z.ai (GLM)", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    hosted(
        "dashscope",
        "Alibaba DashScope (Qwen)",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
    ),
    hosted("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    anthropic("minimax_anthropic", "MiniMax (Anthropic format)", "https://api.minimax.io/anthropic", "MINIMAX_API_KEY"),
    hosted("siliconflow", "SiliconFlow", "https://api.siliconflow.cn/v1", "SILICONFLOW_API_KEY"),
    hosted("modelscope", "ModelScope", "https://api-inference.modelscope.cn/v1", "MODELSCOPE_API_KEY"),
    hosted("novita", "Novita AI", "https://api.novita.ai/openai", "NOVITA_API_KEY"),
    hosted("stepfun", "StepFun", "https://api.stepfun.com/v1", "STEPFUN_API_KEY"),
    hosted("qianfan", "Baidu Qianfan", "https://qianfan.baidubce.com/v2", "QIANFAN_API_KEY"),
    hosted("volcengine", "Volcengine Ark", "https://ark.cn-beijing.volces.com/api/v3", "ARK_API_KEY"),
    hosted(
        "volcengine_coding_plan",
        "Volcengine Coding Plan",
        "https://ark.cn-beijing.volces.com/api/coding/v3",
        "ARK_API_KEY",
    ),
    hosted("byteplus", "BytePlus ModelArk", "https://ark.ap-southeast.bytepluses.com/api/v3", "BYTEPLUS_API_KEY"),
    hosted(
        "byteplus_coding_plan",
        "BytePlus Coding Plan",
        "https://ark.ap-southeast.bytepluses.com/api/coding/v3",
        "BYTEPLUS_API_KEY",
    ),
    hosted("aihubmix", "AiHubMix", "https://aihubmix.com/v1", "AIHUBMIX_API_KEY"),
    hosted("orcarouter", "OrcaRouter", "https://api.orcarouter.ai/v1", "ORCAROUTER_API_KEY"),
    hosted("edenai", "Eden AI", "https://api.edenai.run/v3", "EDENAI_API_KEY"),
    hosted("opencode", "OpenCode Zen", "https://opencode.ai/zen/v1", "OPENCODE_API_KEY").also(&["opencode_zen"]),
    hosted("opencode_go", "OpenCode Go", "https://opencode.ai/zen/go/v1", "OPENCODE_API_KEY"),
    hosted("skywork", "Skywork", "https://api.apifree.ai/agent/v1", "SKYWORK_API_KEY"),
    hosted("xiaomi_mimo", "Xiaomi MiMo", "https://api.xiaomimimo.com/v1", "XIAOMIMIMO_API_KEY"),
    hosted("longcat", "LongCat", "https://api.longcat.chat/openai/v1", "LONGCAT_API_KEY"),
    hosted("ant_ling", "Ant Ling", "https://api.ant-ling.com/v1", "ANT_LING_API_KEY"),
    local("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1").also(&["lm_studio"]),
    local("llamacpp", "llama.cpp server", "http://127.0.0.1:8080/v1").also(&["llama_cpp"]),
    local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
    local("atomic_chat", "Atomic Chat", "http://127.0.0.1:1337/v1"),
    local("ovms", "OpenVINO Model Server", "http://127.0.0.1:8000/v3").also(&["openvino"]),
    KnownProvider { kind: ProviderKind::Demo, ..local("demo", "Demo (offline)", "") },
];

/// The provider of this name or alias.
#[must_use]
pub fn known_provider(name: &str) -> Option<&'static KnownProvider> {
    KNOWN_PROVIDERS.iter().find(|known| known.name == name || known.aliases.contains(&name))
}

#[cfg(test)]
mod tests;
