//! The file on disk: what a save keeps, what a broken file does, and who is told.

use super::*;
use serde_json::{Value as Json, json};
use std::fs;
use tempfile::TempDir;

const FILE: &str = r#"# My bot.
future_top = "keep me"

[server]
host   =   "127.0.0.1"   # odd spacing stays

[providers.local]
base_url = "http://127.0.0.1:11434/v1"
api_key = "${LOCAL_KEY}"
extra_headers = { X_Team_Id = "a_b" }   # a header
extra_future = { Keep_Me = "a_b" }   # unknown here

# The one that I use.
[presets.default]
model = 'qwen3'     # literal
provider = "local"
max_tokens = 4_096

[mcp.servers.s]
command = "x"
env = { API_TOKEN = "t", snake_case_key = "v" }

[future_section]
keep = "me"

[memory.dream]
cron = "0 4 * * *"
# The end.
"#;

fn home_with(text: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(FILE_NAME), text).unwrap();
    home
}

fn open(home: &TempDir) -> Result<ConfigStore, ConfigError> {
    ConfigStore::open(home.path(), Overrides::default(), [("LOCAL_KEY".to_owned(), "sk-secret".to_owned())])
}

fn read(home: &TempDir, name: &str) -> String {
    fs::read_to_string(home.path().join(name)).unwrap()
}

fn patch(store: &ConfigStore, patch: Json) -> Result<Arc<Config>, ConfigError> {
    store.patch(&SettingsPatch::new(patch)?).map(|patched| patched.after)
}

fn refusal(result: Result<Arc<Config>, ConfigError>) -> (String, String) {
    match result {
        Err(ConfigError::Refused { path, detail }) => (path, detail),
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_save_changes_one_value_and_keeps_every_other_byte() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let config = patch(&store, json!({"presets": {"default": {"model": "qwen4"}}})).unwrap();
    assert_eq!(config.presets.get("default").unwrap().model, "qwen4");
    assert_eq!(read(&home, FILE_NAME), FILE.replace("'qwen3'", "\"qwen4\""));
    assert_eq!(read(&home, "config.toml.last-good"), read(&home, FILE_NAME));
    assert_eq!(read(&home, "config.toml.bak"), FILE);
}

#[test]
fn a_value_that_stays_the_same_stays_as_it_was_written() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let same = json!({"presets": {"default": {"model": "qwen3", "max_tokens": 4096}}, "providers": {"local": {"api_key": "${LOCAL_KEY}"}}});
    patch(&store, same).unwrap();
    assert_eq!(read(&home, FILE_NAME), FILE);
    assert!(!home.path().join("config.toml.bak").exists());
}

#[test]
fn line_ends_and_mark_stay() {
    let text = format!("\u{feff}{}", FILE.replace('\n', "\r\n"));
    let home = home_with(&text);
    let store = open(&home).unwrap();
    patch(&store, json!({"presets": {"default": {"model": "qwen4"}}})).unwrap();
    assert_eq!(read(&home, FILE_NAME), text.replace("'qwen3'", "\"qwen4\""));
}

#[test]
fn new_sections_are_written_as_people_write_them() {
    let home = tempfile::tempdir().unwrap();
    let store = open(&home).unwrap();
    patch(
        &store,
        json!({
            "providers": {"openai": {"api_key": "${OPENAI_API_KEY}"}},
            "presets": {"default": {"provider": "openai", "model": "m", "temperature": 0.5,
                "price": {"input": 1, "output": 2.5, "cached": null}, "fallbacks": ["default"]}},
            "agent": {"preset": "default", "subagents": {"total": 8}},
        }),
    )
    .unwrap();
    let expected = "[providers.openai]\napi_key = \"${OPENAI_API_KEY}\"\n\n[presets.default]\nprovider = \"openai\"\nmodel = \"m\"\n\
                    temperature = 0.5\nprice = { input = 1, output = 2.5 }\nfallbacks = [\"default\"]\n\n[agent]\npreset = \"default\"\n\
                    subagents = { total = 8 }\n";
    assert_eq!(read(&home, FILE_NAME), expected);
    patch(&store, json!({"presets": {"second": {"provider": "openai", "model": "n"}}, "agent": {"preset": null}}))
        .unwrap();
    assert_eq!(
        read(&home, FILE_NAME),
        expected
            .replace("preset = \"default\"\n", "")
            .replace("\n[agent]", "\n[presets.second]\nprovider = \"openai\"\nmodel = \"n\"\n\n[agent]")
    );
}

#[test]
fn sections_on_one_line_and_dotted_keys_can_be_changed() {
    let home = home_with(
        "providers = { a = { base_url = \"http://a.test\" } }\npresets.p.provider = \"a\"\npresets.p.model = \"m\"\n",
    );
    let store = open(&home).unwrap();
    let config = patch(
        &store,
        json!({"providers": {"b": {"base_url": "http://b.test"}}, "presets": {"p": {"provider": "b"}, "q": {"provider": "a", "model": "n"}}}),
    )
    .unwrap();
    assert_eq!(config.providers.keys().collect::<Vec<_>>(), ["a", "b"]);
    assert_eq!(config.presets.values().map(|preset| preset.provider.as_str()).collect::<Vec<_>>(), ["b", "a"]);
}

#[cfg(unix)]
#[test]
fn the_file_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let home = home_with(FILE);
    let file = home.path().join(FILE_NAME);
    for (before, after) in [(0o644, 0o600), (0o640, 0o600), (0o600, 0o600)] {
        fs::set_permissions(&file, fs::Permissions::from_mode(before)).unwrap();
        let store = open(&home).unwrap();
        patch(&store, json!({"agent": {"max_iterations": before % 97 + 1}})).unwrap();
        assert_eq!(mode(&file), after);
        assert_eq!(mode(&home.path().join("config.toml.last-good")), 0o600);
        assert_eq!(mode(&home.path().join("config.toml.bak")), 0o600);
    }
    let fresh = tempfile::tempdir().unwrap();
    patch(&open(&fresh).unwrap(), json!({"agent": {"max_iterations": 5}})).unwrap();
    assert_eq!(mode(&fresh.path().join(FILE_NAME)), 0o600);
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let home = tempfile::tempdir().unwrap();
    let elsewhere = home_with(FILE);
    std::os::unix::fs::symlink(elsewhere.path().join(FILE_NAME), home.path().join(FILE_NAME)).unwrap();
    patch(&open(&home).unwrap(), json!({"agent": {"max_iterations": 5}})).unwrap();
    assert!(home.path().join(FILE_NAME).is_symlink());
    assert!(read(&elsewhere, FILE_NAME).contains("max_iterations = 5"));
}

#[test]
fn a_half_written_file_starts_with_the_last_good_one() {
    let home = home_with(FILE);
    drop(open(&home).unwrap());
    for broken in ["[providers.openai]\napi_key = \"${OPENAI_API_K", "", "\n \n", "[server]\nport = \"web\"\n"] {
        fs::write(home.path().join(FILE_NAME), broken).unwrap();
        let store = open(&home).unwrap();
        assert_eq!(store.current().presets.get("default").unwrap().model, "qwen3");
        let warning = store.warnings().remove(0);
        assert!(warning.detail.contains("running with the last valid settings"), "{warning:?}");
        // Nothing overwrites what the person was writing.
        assert!(patch(&store, json!({"agent": {"max_iterations": 5}})).is_err());
        assert_eq!(read(&home, FILE_NAME), broken);
        assert_eq!(read(&home, "config.toml.last-good"), FILE);
    }
}

#[test]
fn without_a_last_good_copy_the_line_is_named() {
    let home = home_with("[server]\nport = 1\nport = 2\n");
    let error = open(&home).unwrap_err();
    assert!(matches!(error, ConfigError::Invalid { line: 3, .. }), "{error}");
    let error = open(&home_with("[server]\nhost = \"\u{0}\"")).unwrap_err();
    assert!(matches!(error, ConfigError::Invalid { line: 2, .. }), "{error}");
    let home = tempfile::tempdir().unwrap();
    fs::write(home.path().join(FILE_NAME), b"a = 1\nb = \"\xff\"\n").unwrap();
    assert!(matches!(open(&home).unwrap_err(), ConfigError::Invalid { line: 2, .. }));
}

#[test]
fn a_deleted_file_means_defaults() {
    let home = home_with(FILE);
    drop(open(&home).unwrap());
    fs::remove_file(home.path().join(FILE_NAME)).unwrap();
    assert!(open(&home).unwrap().current().presets.is_empty());
}

#[test]
fn a_file_broken_while_running_changes_nothing() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let known = store.warnings();
    fs::write(home.path().join(FILE_NAME), "[providers.openai").unwrap();
    assert!(store.reload().is_err());
    assert!(store.reload().is_err());
    assert_eq!(store.current().presets.get("default").unwrap().model, "qwen3");
    assert_eq!(store.warnings().len(), known.len() + 1);
    fs::write(home.path().join(FILE_NAME), FILE).unwrap();
    store.reload().unwrap();
    assert_eq!(store.warnings(), known);
}

#[test]
fn an_edit_made_meanwhile_is_kept() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let edited = FILE.replace("# The end.", "[presets.other]\nprovider = \"local\"\nmodel = \"o\"\n# The end.");
    fs::write(home.path().join(FILE_NAME), &edited).unwrap();
    let config = patch(&store, json!({"presets": {"default": {"fallbacks": ["other"]}}})).unwrap();
    assert_eq!(config.presets.get("other").unwrap().model, "o");
    assert_eq!(
        read(&home, FILE_NAME),
        edited.replace("max_tokens = 4_096\n", "max_tokens = 4_096\nfallbacks = [\"other\"]\n")
    );
}

#[test]
fn an_edit_at_the_last_moment_is_noticed() {
    let home = home_with(FILE);
    let file = home.path().join(FILE_NAME);
    let before = FileState::read(&file).unwrap();
    fs::write(&file, "# edited\n").unwrap();
    assert!(write::replace(&file, &before, "# mine\n").unwrap().is_none());
    assert_eq!(read(&home, FILE_NAME), "# edited\n");
}

#[test]
fn everybody_is_told() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let mut news = store.clone().subscribe();
    assert!(!news.has_changed().unwrap());
    patch(&store, json!({"agent": {"max_iterations": 7}})).unwrap();
    assert_eq!(news.borrow_and_update().agent.max_iterations, 7);
    assert!(patch(&store, json!({"agent": {"max_iterations": 0}})).is_err());
    assert!(!news.has_changed().unwrap());
}

#[test]
fn what_cannot_work_is_refused_with_its_path() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    for (given, path, detail) in [
        (json!({"agent": {"max_iterations": 101}}), "agent.max_iterations", "must be from 1 to 100"),
        (
            json!({"agent": {"max_iterations": "5"}}),
            "agent.max_iterations",
            "must be a whole number, 0 or more, not the text \"5\"",
        ),
        (json!({"agent": {"preset": "gone"}}), "agent.preset", "there is no preset `gone`; `default` is used instead"),
        (
            json!({"presets": {"x": {"provider": "gone", "model": "m"}}}),
            "presets.x.provider",
            "there is no provider `gone`; add it under `providers`",
        ),
        (json!({"presets": {"x": {"provider": "local"}}}), "presets.x.model", "is missing"),
        (
            json!({"presets": {"default": {"fallbacks": ["gone"]}}}),
            "presets.default.fallbacks",
            "there is no preset `gone`",
        ),
        (
            json!({"providers": {"local": null}}),
            "presets.default.provider",
            "there is no provider `local`; add it under `providers`",
        ),
        (
            json!({"providers": {"new": {"api_key": "k"}}}),
            "providers.new.base_url",
            "is missing, and no address is known for this name",
        ),
        (
            json!({"providers": {"new": {"base_url": "h.test"}}}),
            "providers.new.base_url",
            "must start with http:// or https://",
        ),
        (json!({"presets": {"default": {"price": {"input": 1}}}}), "presets.default.price", "`output` is missing"),
    ] {
        assert_eq!(refusal(patch(&store, given)), (path.to_owned(), detail.to_owned()));
    }
    assert_eq!(read(&home, FILE_NAME), FILE);
    assert_eq!(store.current().agent.max_iterations, 100);
}

#[test]
fn extras_are_merged_and_removed_key_by_key() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let set = |change: Json| {
        let config = patch(&store, json!({"providers": {"local": change}})).unwrap();
        Json::Object(config.providers.get("local").unwrap().extra_body.clone())
    };
    let body = json!({
        "stop": ["a", "b"], "thinking": {"type": "on", "deep": {"er": 1.5}}, "tools": [{"type": "web", "list": [[1], {"x": true}]}]
    });
    assert_eq!(set(json!({"extra_body": body})), body);
    let line = "extra_body = { stop = [\"a\", \"b\"], thinking = { type = \"on\", deep = { er = 1.5 } }, \
                tools = [{ type = \"web\", list = [[1], { x = true }] }] }\n";
    assert_eq!(read(&home, FILE_NAME), FILE.replace("# unknown here\n", &format!("# unknown here\n{line}")));
    let before = read(&home, FILE_NAME);
    assert_eq!(set(json!({"extra_body": body})), body);
    assert_eq!(read(&home, FILE_NAME), before, "what stays the same stays as it was written");

    let changed = set(
        json!({"extra_body": {"stop": null, "missing": null, "thinking": {"deep": {"er": null, "new": []}}, "tools": "none"}}),
    );
    assert_eq!(changed, json!({"thinking": {"type": "on", "deep": {"new": []}}, "tools": "none"}));
    assert_eq!(set(json!({"extra_body": {"thinking": 5}})), json!({"thinking": 5, "tools": "none"}));
    assert_eq!(set(json!({"extra_body": {"thinking": {"a": {}}}})), json!({"thinking": {"a": {}}, "tools": "none"}));

    set(
        json!({"extra_headers": {"X-New": "${LOCAL_KEY}", "X_Team_Id": null}, "extra_query": {"v": "1"}, "proxy": "none"}),
    );
    let config = store.current();
    let local = config.providers.get("local").unwrap();
    assert_eq!(local.extra_headers.keys().collect::<Vec<_>>(), ["X-New"]);
    assert_eq!((local.extra_query.get("v").map(String::as_str), local.proxy.is_some()), (Some("1"), true));
    assert!(!read(&home, FILE_NAME).contains("sk-secret"), "the variable stays a variable");
    set(json!({"extra_headers": null, "extra_query": null, "extra_body": null, "proxy": null}));
    let config = store.current();
    let local = config.providers.get("local").unwrap();
    assert!(
        local.extra_headers.is_empty()
            && local.extra_query.is_empty()
            && local.extra_body.is_empty()
            && local.proxy.is_none()
    );
    assert_eq!(read(&home, FILE_NAME), FILE.replace("extra_headers = { X_Team_Id = \"a_b\" }   # a header\n", ""));
}

#[test]
fn headed_extras_are_changed_where_they_stand() {
    let text = "[providers.local]\nbase_url = \"http://h.test\"\n\n[providers.local.extra_body.thinking]\ntype = \"on\" # keep\n\n\
                [[providers.local.extra_body.list]]\na = 1\n";
    let home = home_with(text);
    let store = open(&home).unwrap();
    patch(&store, json!({"providers": {"local": {"extra_body": {"thinking": {"budget": {"tokens": 5}}}}}})).unwrap();
    assert_eq!(read(&home, FILE_NAME), text.replace("# keep\n", "# keep\nbudget = { tokens = 5 }\n"));
    let config = patch(&store, json!({"providers": {"local": {"extra_body": {"list": [{"a": 2}]}}}})).unwrap();
    let body = Json::Object(config.providers.get("local").unwrap().extra_body.clone());
    assert_eq!(body, json!({"thinking": {"type": "on", "budget": {"tokens": 5}}, "list": [{"a": 2}]}));
}

#[test]
fn extras_that_cannot_be_sent_are_refused() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let null = "must not be null: TOML has no null; leave the key out";
    for (given, key, detail) in [
        (json!({"extra_body": {"a": null}}), "extra_body.a", null),
        (json!({"extra_body": {"a": {"b": [1, null]}}}), "extra_body.a.b", null),
        (json!({"extra_body": {"a": [{"b": null}]}}), "extra_body.a.b", null),
        (json!({"extra_body": 5}), "extra_body", "must be an object"),
        (json!({"extra_headers": {"X-A": 5}}), "extra_headers.X-A", "must be a string"),
        (json!({"extra_headers": []}), "extra_headers", "must be an object"),
        (json!({"extra_query": {"a": {}}}), "extra_query.a", "must be a string"),
        (json!({"proxy": 1}), "proxy", "must be a string"),
        (json!({"proxy": "http://***@proxy.test"}), "proxy", "has *** where user and password belong: give them again"),
    ] {
        let path = format!("providers.local.{key}");
        assert_eq!(refusal(patch(&store, json!({"providers": {"local": given}}))), (path, detail.to_owned()));
    }
    let (path, detail) = refusal(patch(&store, json!({"providers": {"local": {"extra_headers": {"X A": "v"}}}})));
    assert!(path.starts_with("providers.local.extra_headers") && detail.contains("no header name"), "{path}: {detail}");
    assert_eq!(read(&home, FILE_NAME), FILE);
}

#[test]
fn advice_that_changes_is_no_new_problem() {
    let text = "[presets.default]\nprovider = \"demo\"\nmodel = \"m\"\n[presets.b]\nprovider = \"demo\"\nmodel = \"m\"\n\
                fallbacks = [\"defualt\"]\n[agent]\npreset = \"gone\"\n";
    let home = home_with(text);
    let store = open(&home).unwrap();
    let details = || store.warnings().into_iter().map(|warning| warning.detail).collect::<Vec<_>>();
    assert_eq!(
        details(),
        [
            "there is no preset `defualt`; did you mean `default`?",
            "there is no preset `gone`; `default` is used instead"
        ]
    );
    patch(&store, json!({"presets": {"default": null}})).unwrap();
    assert_eq!(details(), ["there is no preset `defualt`", "there is no preset `gone`; `b` is used instead"]);
}

#[test]
fn what_led_nowhere_before_does_not_stop_other_changes() {
    let home = home_with("[presets.p]\nprovider = \"gone\"\nmodel = \"m\"\n");
    let store = open(&home).unwrap();
    patch(&store, json!({"agent": {"max_iterations": 5}})).unwrap();
    assert_eq!(store.warnings().len(), 1);
}

#[test]
fn a_much_smaller_result_is_refused_unless_keys_were_removed() {
    let long = "x".repeat(4000);
    let home = home_with(&format!("[providers.a]\nbase_url = \"http://a.test/{long}\"\n"));
    let store = open(&home).unwrap();
    let (_, detail) = refusal(patch(&store, json!({"providers": {"a": {"base_url": "http://a.test"}}})));
    assert!(detail.contains("less than half"), "{detail}");
    patch(&store, json!({"providers": {"a": null}})).unwrap();
    assert!(store.current().providers.is_empty());
}

#[test]
fn debug_shows_no_secret() {
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    assert!(!format!("{store:?} {:?} {:?}", store.current(), store.warnings()).contains("sk-secret"));
}

#[test]
fn the_views_have_no_secret_and_the_documented_shape() {
    use crate::config::{PresetView, SettingsView};
    let home = home_with(FILE);
    let store = open(&home).unwrap();
    let view = serde_json::to_value(SettingsView::new(&store.current(), Vec::new(), "1.2.3")).unwrap();
    assert_eq!(
        view,
        json!({
            "providers": {"local": {"kind": "openai", "base_url": "http://127.0.0.1:11434/v1", "api_key_set": true, "api_key_env": "LOCAL_KEY", "extra_headers": {"X_Team_Id": "set"}}},
            "presets": {"default": {"provider": "local", "model": "qwen3", "max_tokens": 4096, "fallbacks": []}},
            "agent": {
                "max_iterations": 100, "max_tool_result_chars": 16000, "subagents": {"per_session": 4, "total": 64}, "concurrent_turns": 256,
                "timezone": "UTC", "resume_interrupted": true, "titles": "model", "access": "workspace", "approvals_expire_s": 86400,
                "retry_mode": "standard"
            },
            "budget": {},
            "permissions": [],
            "hooks": [],
            "warnings": [],
            "version": "1.2.3"
        })
    );
    assert_eq!(
        serde_json::to_value(PresetView::list(&store.current())).unwrap(),
        json!([{
            "name": "default", "provider": "local", "model": "qwen3", "context_window_tokens": 128000, "context_window_assumed": true,
            "max_tokens": 4096, "is_default": true, "is_demo": false
        }])
    );
}
