//! What `[[hooks]]` may say, what is refused, and what is only reported.

use std::collections::BTreeMap;
use std::path::Path;

use super::*;
use crate::config::{ConfigError, ConfigLoad, Overrides};

fn load(text: &str) -> Result<ConfigLoad, ConfigError> {
    let env = BTreeMap::from([("AUDIT".to_owned(), "/opt/audit".to_owned())]);
    ConfigLoad::from_text(text, Path::new("config.toml"), &env, &Overrides::default())
}

fn warnings(text: &str) -> Vec<(String, String)> {
    load(text).unwrap().warnings.into_iter().map(|warning| (warning.path, warning.detail)).collect()
}

#[test]
fn a_hook_has_defaults() {
    let hook = load("[[hooks]]\nevent = \"before_execute_tool\"\ncommand = [\"hooks/audit.sh\", \"-v\"]\n").unwrap();
    assert_eq!(hook.warnings, []);
    let [hook] = &hook.config.hooks[..] else { panic!("one hook") };
    assert_eq!(hook.event, HookEvent::Method(HookMethod::BeforeExecuteTool));
    assert_eq!((hook.timeout_ms, hook.reraise, hook.tools.is_none()), (5_000, false, true));
    assert_eq!(hook.shown_name(), "audit.sh");
}

#[test]
fn everything_can_be_set_and_variables_are_replaced() {
    let text = "[[hooks]]\nevent = \"on_finally\"\ncommand = [\"${AUDIT}/run\", \"$${X}\"]\ntimeout_ms = 60000\nname = \"audit\"\nreraise = true\n\
                [[hooks]]\nevent = \"after_execute_tool\"\nmatch = \"{exec,mcp_*}\"\ncommand = [\"b\"]\ntimeout_ms = 1\n";
    let loaded = load(text).unwrap();
    assert_eq!(loaded.warnings, []);
    let [first, second] = &loaded.config.hooks[..] else { panic!("two hooks") };
    assert_eq!(first.command, ["/opt/audit/run", "${X}"]);
    assert_eq!((first.shown_name(), first.timeout_ms, first.reraise), ("audit", 60_000, true));
    let tools = second.tools.as_ref().unwrap();
    for (name, fits) in [("exec", true), ("mcp_git_log", true), ("exec2", false), ("read_file", false)] {
        assert_eq!(tools.matches(name), fits, "{name}");
    }
}

#[test]
fn every_event_that_a_program_can_take_part_in_is_known_and_the_others_are_refused() {
    for method in HookMethod::ALL {
        let name = method.name();
        assert_eq!(serde_json::to_value(method).unwrap(), name, "the name is that of the method");
        let loaded = load(&format!("[[hooks]]\nevent = \"{name}\"\ncommand = [\"a\"]\n"));
        if EVENTS.contains(&method) {
            assert_eq!(loaded.unwrap().config.hooks[0].event, HookEvent::Method(method));
        } else {
            let error = loaded.unwrap_err().to_string();
            assert!(error.contains(&format!("a program cannot be run for `{name}`")), "{error}");
            assert!(error.contains("line 2"), "{error}");
        }
    }
}

#[test]
fn an_unknown_event_is_reported_and_only_that_hook_is_left_out() {
    let text = "[[hooks]]\nevent = \"before_tool\"\ncommand = [\"a\"]\n[[hooks]]\nevent = \"before_exec_tool\"\ncommand = [\"a\"]\n\
                [[hooks]]\nevent = \"zzz\"\ncommand = [\"a\"]\n[[hooks]]\nevent = \"after_run\"\ncommand = [\"b\"]\n";
    let loaded = load(text).unwrap();
    assert_eq!(loaded.config.hooks.iter().map(|hook| hook.command[0].as_str()).collect::<Vec<_>>(), ["b"]);
    let said: Vec<_> = loaded.warnings.iter().map(|warning| (warning.path.as_str(), warning.detail.as_str())).collect();
    assert_eq!(said.len(), 3, "{said:?}");
    assert_eq!(said[1].0, "hooks[1].event");
    assert!(said[1].1.ends_with("did you mean `before_execute_tool`?"), "{said:?}");
    assert_eq!(said[2], ("hooks[2].event", "there is no event `zzz`, so this hook never runs"));
}

#[test]
fn keys_that_no_hook_has_and_patterns_without_effect_are_reported() {
    let text = "[[hooks]]\nevent = \"after_run\"\ncommand = [\"a\"]\nmatch = \"exec\"\ntimeout = 3\n";
    assert_eq!(
        warnings(text),
        [
            ("hooks[0].timeout".to_owned(), "unknown key; did you mean `timeout_ms`?".to_owned()),
            ("hooks[0].match".to_owned(), "has no effect: `after_run` is not about one tool".to_owned()),
        ]
    );
}

#[test]
fn wrong_values_are_refused_with_their_line() {
    for (line, message) in [
        ("command = []", "must name a program"),
        ("command = [\" \"]", "must name a program"),
        ("command = \"a\"", "must be a list, not the text"),
        ("command = [\"a\"]\ntimeout_ms = 0", "must be from 1 to 60000"),
        ("command = [\"a\"]\ntimeout_ms = 60001", "must be from 1 to 60000"),
        ("command = [\"a\"]\nmatch = \"[\"", "error parsing glob"),
        ("name = \"x\"", "`command` is missing"),
    ] {
        let error = load(&format!("[[hooks]]\nevent = \"after_execute_tool\"\n{line}\n")).unwrap_err().to_string();
        assert!(error.contains(message), "{line}: {error}");
    }
    assert!(load("[hooks]\nevent = \"after_run\"\n").is_err(), "one table instead of a list of them");
}
