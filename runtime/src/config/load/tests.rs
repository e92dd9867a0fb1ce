//! Reading: precedence, messages, and what must never be shown.

use super::*;
use crate::config::{Access, BudgetConfig, PermissionDecision, PermissionRule, PresetError, ProviderKind, Titles};
use secrecy::ExposeSecret;

const FILE: &str = r#"
[server]
port = 9000
allowed_hosts = ["bot.example"]

[providers.openai]
api_key = "${OPENAI_API_KEY}"

[providers.box]
base_url = "http://10.0.0.2:8000"

[presets.main]
provider = "openai"
model = "gpt-x"
temperature = 1
price = { input = 1.25, output = 10 }
fallbacks = ["local"]

[presets.local]
provider = "box"
model = "qwen"
context_window_tokens = 32768

[agent]
preset = "main"
titles = "first_words"
"#;

fn env(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

fn load_with(text: &str, pairs: &[(&str, &str)]) -> Result<ConfigLoad, ConfigError> {
    ConfigLoad::from_text(text, Path::new("config.toml"), &env(pairs), &Overrides::default())
}

fn warnings(load: &ConfigLoad) -> Vec<(&str, &str)> {
    load.warnings.iter().map(|warning| (warning.path.as_str(), warning.detail.as_str())).collect()
}

#[test]
fn nothing_means_defaults() {
    let load = load_with("", &[]).unwrap();
    assert_eq!(load.warnings, []);
    let Config { server, providers, presets, agent, hooks, budget, permissions } = load.config;
    assert_eq!(permissions, []);
    assert_eq!(budget, BudgetConfig::default(), "no limits");
    assert!(hooks.is_empty());
    assert_eq!((server.host.as_str(), server.port, server.max_body_bytes), ("127.0.0.1", 8765, 26_214_400));
    assert!(server.token.is_none() && server.allowed_hosts.is_empty() && providers.is_empty() && presets.is_empty());
    assert_eq!((agent.max_iterations, agent.max_tool_result_chars, agent.concurrent_turns), (100, 16_000, 256));
    assert_eq!((agent.timezone.as_str(), agent.resume_interrupted), ("UTC", true));
    assert_eq!((agent.titles, agent.access), (Titles::Model, Access::Workspace));
    assert_eq!((agent.subagents.per_session, agent.subagents.total), (4, 64));
}

#[test]
fn flags_win_over_environment_over_file_over_defaults() {
    let load = |pairs: &[(&str, &str)], port| {
        let overrides = Overrides { host: None, port };
        ConfigLoad::from_text("[server]\nport = 2\n", Path::new("c"), &env(pairs), &overrides)
            .unwrap()
            .config
            .server
            .port
    };
    assert_eq!(load_with("", &[]).unwrap().config.server.port, 8765);
    assert_eq!(load(&[], None), 2);
    assert_eq!(load(&[("NANOBOT__SERVER__PORT", "3")], None), 3);
    assert_eq!(load(&[("NANOBOT__SERVER__PORT", "3")], Some(4)), 4);
}

#[test]
fn the_environment_can_configure_everything() {
    let load = load_with(
        "",
        &[
            ("NANOBOT__SERVER__ALLOWED_HOSTS", "[\"a.example\", \"b.example\"]"),
            ("NANOBOT__SERVER__TOKEN", "12345"),
            ("NANOBOT__PROVIDERS__OPENAI__API_KEY", "sk-env"),
            ("NANOBOT__PRESETS__DEFAULT__PROVIDER", "openai"),
            ("NANOBOT__PRESETS__DEFAULT__MODEL", "4"),
            ("NANOBOT__PRESETS__DEFAULT__PRICE__INPUT", "1"),
            ("NANOBOT__PRESETS__DEFAULT__PRICE__OUTPUT", "2.5"),
            ("NANOBOT__AGENT__RESUME_INTERRUPTED", "false"),
        ],
    )
    .unwrap();
    assert_eq!(load.warnings, []);
    assert_eq!(load.config.server.allowed_hosts, ["a.example", "b.example"]);
    assert_eq!(load.config.server.token.as_ref().unwrap().expose_secret(), "12345");
    assert!(!load.config.agent.resume_interrupted);
    let preset = load.config.resolve_preset(None).unwrap();
    assert_eq!((preset.model.as_str(), preset.price.unwrap().output), ("4", 2.5));
    assert_eq!(preset.api_key.unwrap().expose_secret(), "sk-env");
    let provider = load.config.providers.get("openai").unwrap();
    assert_eq!(provider.api_key_env.as_deref(), Some("NANOBOT__PROVIDERS__OPENAI__API_KEY"));
}

#[test]
fn variables_of_the_file_are_resolved_in_memory() {
    let load = load_with(FILE, &[("OPENAI_API_KEY", "sk-1")]).unwrap();
    assert_eq!(load.warnings, []);
    let preset = load.config.resolve_preset(None).unwrap();
    assert_eq!((preset.name.as_str(), preset.kind), ("main", ProviderKind::Openai));
    assert_eq!(preset.base_url.as_deref(), Some("https://api.openai.com/v1"));
    assert_eq!(preset.api_key.unwrap().expose_secret(), "sk-1");
    assert_eq!((preset.context_window_tokens, preset.context_window_assumed), (128_000, true));
    assert_eq!(preset.temperature, Some(1.0));
    let local = load.config.resolve_preset(Some("local")).unwrap();
    assert_eq!((local.context_window_tokens, local.context_window_assumed, local.max_tokens), (32_768, false, 8192));
}

#[test]
fn a_missing_variable_is_a_missing_key_and_a_warning() {
    let load = load_with(FILE, &[]).unwrap();
    let detail = "environment variable OPENAI_API_KEY is not set; set it or write the value here";
    assert_eq!(warnings(&load), [("providers.openai.api_key", detail)]);
    let provider = load.config.providers.get("openai").unwrap();
    assert!(provider.api_key.is_none());
    assert_eq!(provider.api_key_env.as_deref(), Some("OPENAI_API_KEY"));
    // The same key from elsewhere makes the variable unimportant.
    assert_eq!(load_with(FILE, &[("NANOBOT__PROVIDERS__OPENAI__API_KEY", "k")]).unwrap().warnings, []);
}

#[test]
fn unknown_keys_are_reported_with_the_nearest_known_one() {
    let text = "max_iteration = 3\n[server]\nprot = 1\n[providers.x]\nbase_url = \"http://h.test\"\napi_kye = \"\"\n[agents]\na = 1\n";
    let load = load_with(text, &[("NANOBOT__SERVER__HOTS", "x")]).unwrap();
    assert_eq!(
        warnings(&load),
        [
            ("agents", "unknown key; did you mean `agent`?"),
            ("max_iteration", "unknown key; did you mean `agent.max_iterations`?"),
            ("providers.x.api_kye", "unknown key; did you mean `api_key`?"),
            ("server.prot", "unknown key; did you mean `port`?"),
            ("server.hots", "unknown key; did you mean `host`? (environment variable NANOBOT__SERVER__HOTS)"),
        ]
    );
}

#[test]
fn sections_of_later_are_known() {
    let text = "[budget]\nday_usd = 1.0\n[tools.exec]\nenable = true\n[mcp.servers.x]\ncommand = \"y\"\n\
                [memory.dream]\nenabled = true\nfree = \"${NOT_OURS}\"\n[heartbeat]\nenabled = true\n\
                [channels.telegram]\ntoken = \"t\"\n";
    assert_eq!(load_with(text, &[]).unwrap().warnings, []);
}

#[test]
fn rules_keep_their_order_and_mistakes_in_them_are_named() {
    let text = "[[permissions]]\ntool = \"exec\"\ndecision = \"ask\"\nmach = \"x\"\n\
                [[permissions]]\ntool = \"*\"\nmatch = \"a*\"\ndecision = \"deny\"\n";
    let load = load_with(text, &[]).unwrap();
    let rule = |tool: &str, pattern: &str, decision| PermissionRule {
        tool: tool.to_owned(),
        pattern: pattern.to_owned(),
        decision,
    };
    assert_eq!(
        load.config.permissions,
        [rule("exec", "*", PermissionDecision::Ask), rule("*", "a*", PermissionDecision::Deny)]
    );
    assert_eq!(warnings(&load), [("permissions[0].mach", "unknown key; did you mean `match`?")]);
}

#[test]
fn what_is_wrong_is_named_with_its_line() {
    for (text, expected) in [
        (
            "[server]\nport = \"x\"\n",
            "config.toml, line 2: `server.port` must be a whole number from 0 to 65535, not the text \"x\"",
        ),
        ("\n\n[agent]\nmax_iterations = 101\n", "config.toml, line 4: `agent.max_iterations` must be from 1 to 100"),
        ("[agent]\nmax_iterations = 0\n", "config.toml, line 2: `agent.max_iterations` must be from 1 to 100"),
        (
            "[agent]\naccess = \"all\"\n",
            "config.toml, line 2: `agent.access` must be one of `ask`, `workspace`, `full`, not `all`",
        ),
        ("[server]\ntoken = 7\n", "config.toml, line 2: `server.token` must be a string"),
        ("[providers.a]\napi_key = [\"sk-1\"]\n", "config.toml, line 2: `providers.a.api_key` must be a string"),
        ("[presets.a]\nprice = { input = 1 }\n", "config.toml, line 2: `presets.a.price` `output` is missing"),
        (
            "[presets.a]\nprice = { input = 1, output = -1 }\n",
            "config.toml, line 2: `presets.a.price.output` must be 0 or more",
        ),
        ("[budget]\nday_usd = 0\n", "config.toml, line 2: `budget.day_usd` must be over 0; leave it out for no limit"),
        (
            "[budget]\nday_seconds = \"10 min\"\n",
            "config.toml, line 2: `budget.day_seconds` must be a whole number, 0 or more, not the text \"10 min\"",
        ),
        ("server = 1\n", "config.toml, line 1: `server` must be a section, not 1"),
    ] {
        assert_eq!(load_with(text, &[]).unwrap_err().to_string(), expected);
    }
    let error = load_with("[server]\nhost = \"half", &[]).unwrap_err();
    assert!(matches!(error, ConfigError::Invalid { line: 2, key: None, .. }), "{error}");
    assert!(!error.to_string().contains("half"));
}

#[test]
fn a_wrong_variable_is_named() {
    for (pairs, expected) in [
        (vec![("SERVER__PORT", "web")], "SERVER__PORT: must be a whole number from 0 to 65535, not the text \"web\""),
        (vec![("SERVER__ALLOWED_HOSTS", "[1]")], "SERVER__ALLOWED_HOSTS: must be text, not 1"),
        (vec![("AGENT", "1")], "AGENT: must be a section, not 1"),
        (
            vec![("AGENT", "1"), ("AGENT__TIMEZONE", "UTC")],
            "AGENT__TIMEZONE: `agent.timezone` is inside of something that is no section",
        ),
        (vec![("PRESETS__P__PRICE__INPUT", "1")], "PRESETS__P__PRICE__INPUT: `output` is missing"),
    ] {
        let env: BTreeMap<_, _> =
            pairs.iter().map(|(name, value)| (format!("NANOBOT__{name}"), (*value).to_owned())).collect();
        let error =
            ConfigLoad::from_text("[server]\nport = 1\n", Path::new("c"), &env, &Overrides::default()).unwrap_err();
        assert_eq!(error.to_string(), format!("environment variable NANOBOT__{expected}"));
    }
}

#[test]
fn references_that_lead_nowhere_are_warnings() {
    let text = "[providers.a]\nbase_url = \"h.test\"\n[providers.b]\n[presets.p]\nprovider = \"gone\"\nmodel = \"${NO_MODEL}\"\n\
                fallbacks = [\"q\"]\n[agent]\npreset = \"r\"\n";
    let load = load_with(text, &[]).unwrap();
    assert_eq!(
        load.warnings.iter().map(|warning| warning.path.as_str()).collect::<Vec<_>>(),
        [
            "presets.p.model",
            "providers.a.base_url",
            "providers.b.base_url",
            "presets.p.provider",
            "presets.p.model",
            "presets.p.fallbacks",
            "agent.preset"
        ]
    );
}

#[test]
fn presets_are_found_in_order() {
    let resolve =
        |text: &str, name| load_with(text, &[]).unwrap().config.resolve_preset(name).map(|preset| preset.name);
    let (demo, two) = (
        "[presets.a]\nprovider = \"demo\"\nmodel = \"demo\"\n",
        "[presets.default]\nprovider = \"demo\"\nmodel = \"demo\"\n",
    );
    assert_eq!(resolve("", None), Err(PresetError::NoModel));
    assert_eq!(resolve(demo, None), Ok("a".to_owned()));
    assert_eq!(resolve(&format!("{demo}{two}"), None), Ok("default".to_owned()));
    assert_eq!(resolve(&format!("{demo}{two}[agent]\npreset = \"a\"\n"), None), Ok("a".to_owned()));
    assert_eq!(resolve(&format!("{demo}{}", two.replace("default", "b")), None), Err(PresetError::NoModel));
    assert_eq!(resolve(demo, Some("x")), Err(PresetError::UnknownPreset("x".to_owned())));
    let unknown = PresetError::UnknownProvider { preset: "a".to_owned(), provider: "gone".to_owned() };
    assert_eq!(resolve(&demo.replace("\"demo\"\nmodel", "\"gone\"\nmodel"), None), Err(unknown));
}

#[test]
fn a_key_is_never_sent_to_a_guessed_address() {
    let url = |text: &str| {
        let config = load_with(text, &[]).unwrap().config;
        config.providers.iter().map(|(name, provider)| provider.base_url_for(name)).next().flatten()
    };
    assert_eq!(url("[providers.mine]\napi_key = \"k\"\n"), None);
    assert_eq!(url("[providers.mine]\nkind = \"openai\"\n").as_deref(), Some("https://api.openai.com/v1"));
    assert_eq!(url("[providers.groq]\n").as_deref(), Some("https://api.groq.com/openai/v1"));
    assert_eq!(url("[providers.groq]\nbase_url = \"http://proxy.test\"\n").as_deref(), Some("http://proxy.test"));
    assert_eq!(url("[providers.demo]\n"), None);
}

#[test]
fn debug_shows_no_secret() {
    let text =
        FILE.replace("${OPENAI_API_KEY}", "sk-secret-1").replace("[server]", "[server]\ntoken = \"sk-secret-2\"");
    let load = load_with(&text, &[("NANOBOT__PROVIDERS__BOX__API_KEY", "sk-secret-3")]).unwrap();
    let shown = format!("{load:?} {:?}", load.config.resolve_preset(None));
    assert!(!shown.contains("sk-secret"), "{shown}");
}

#[test]
fn a_file_cut_anywhere_is_read_or_refused() {
    for end in 0..=FILE.len() {
        let Some(part) = FILE.get(..end) else { continue };
        if let Err(error) = load_with(part, &[]) {
            assert!(matches!(error, ConfigError::Invalid { .. }), "{error}");
        }
    }
}
