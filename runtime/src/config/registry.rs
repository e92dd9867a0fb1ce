//! Providers that are known by name: what to fill a form with, and what to assume when a setting is missing.

use super::types::ProviderKind;

/// A provider that needs no more than its name and, mostly, a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownProvider {
    /// The name in `config.toml`.
    pub name: &'static str,
    /// The name for people.
    pub label: &'static str,
    /// The wire format.
    pub kind: ProviderKind,
    /// Address of the API; empty for the demo model.
    pub base_url: &'static str,
    /// The environment variable that usually holds its key; `None` for servers on this machine.
    pub env: Option<&'static str>,
    /// Whether this version can talk to it.
    pub available: bool,
}

const fn hosted(name: &'static str, label: &'static str, base_url: &'static str, env: &'static str) -> KnownProvider {
    KnownProvider { name, label, kind: ProviderKind::Openai, base_url, env: Some(env), available: true }
}

const fn local(name: &'static str, label: &'static str, base_url: &'static str) -> KnownProvider {
    KnownProvider { name, label, kind: ProviderKind::Openai, base_url, env: None, available: true }
}

/// All of them, in the order in which a form offers them.
pub const KNOWN_PROVIDERS: &[KnownProvider] = &[
    hosted("openai", "OpenAI", "https://api.openai.com/v1", "OPENAI_API_KEY"),
    KnownProvider {
        name: "anthropic",
        label: "Anthropic",
        kind: ProviderKind::Anthropic,
        base_url: "https://api.anthropic.com",
        env: Some("ANTHROPIC_API_KEY"),
        available: false,
    },
    hosted("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    hosted("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY"),
    hosted("deepseek", "DeepSeek", "https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    hosted("mistral", "Mistral", "https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    hosted("xai", "xAI", "https://api.x.ai/v1", "XAI_API_KEY"),
    hosted("groq", "Groq", "https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    hosted("cerebras", "Cerebras", "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY"),
    hosted("together", "Together AI", "https://api.together.xyz/v1", "TOGETHER_API_KEY"),
    hosted("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    hosted("huggingface", "Hugging Face", "https://router.huggingface.co/v1", "HF_TOKEN"),
    hosted("nvidia", "NVIDIA NIM", "https://integrate.api.nvidia.com/v1", "NVIDIA_API_KEY"),
    hosted("perplexity", "Perplexity", "https://api.perplexity.ai", "PERPLEXITY_API_KEY"),
    hosted("moonshot", "Moonshot AI (Kimi)", "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    hosted("zhipu", "Zhipu AI (GLM)", "https://open.bigmodel.cn/api/paas/v4", "ZHIPUAI_API_KEY"),
    hosted("zai", "Z.ai (GLM)", "https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    hosted(
        "dashscope",
        "Alibaba DashScope (Qwen)",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        "DASHSCOPE_API_KEY",
    ),
    hosted("minimax", "MiniMax", "https://api.minimax.io/v1", "MINIMAX_API_KEY"),
    hosted("siliconflow", "SiliconFlow", "https://api.siliconflow.cn/v1", "SILICONFLOW_API_KEY"),
    hosted("modelscope", "ModelScope", "https://api-inference.modelscope.cn/v1", "MODELSCOPE_API_KEY"),
    hosted("novita", "Novita AI", "https://api.novita.ai/openai", "NOVITA_API_KEY"),
    hosted("stepfun", "StepFun", "https://api.stepfun.com/v1", "STEPFUN_API_KEY"),
    hosted("qianfan", "Baidu Qianfan", "https://qianfan.baidubce.com/v2", "QIANFAN_API_KEY"),
    local("ollama", "Ollama", "http://127.0.0.1:11434/v1"),
    local("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1"),
    local("llamacpp", "llama.cpp server", "http://127.0.0.1:8080/v1"),
    local("vllm", "vLLM", "http://127.0.0.1:8000/v1"),
    KnownProvider {
        name: "demo",
        label: "Demo (offline)",
        kind: ProviderKind::Demo,
        base_url: "",
        env: None,
        available: true,
    },
];

/// The provider of this name.
#[must_use]
pub fn known_provider(name: &str) -> Option<&'static KnownProvider> {
    KNOWN_PROVIDERS.iter().find(|known| known.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_and_keys_are_unique() {
        let names: BTreeSet<_> = KNOWN_PROVIDERS.iter().map(|known| known.name).collect();
        assert_eq!(names.len(), KNOWN_PROVIDERS.len());
        let keys: Vec<_> = KNOWN_PROVIDERS.iter().filter_map(|known| known.env).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len());
    }

    #[test]
    fn only_what_works_is_available() {
        for known in KNOWN_PROVIDERS {
            let works = matches!(known.kind, ProviderKind::Openai | ProviderKind::Demo);
            assert_eq!(known.available, works, "{}", known.name);
        }
    }
}
