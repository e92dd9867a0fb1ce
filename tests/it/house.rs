//! The house rules that a compiler does not check: which crate may use what, and how long a file may be.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// Names in the `[dependencies]` section of a crate.
fn dependencies(room: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(room).join("Cargo.toml")).unwrap();
    text.lines()
        .skip_while(|line| line.trim() != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split(['=', '.', ' ']).next())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn rooms_use_only_what_their_row_allows() {
    let io = ["tokio", "reqwest", "axum", "hyper", "sqlx", "rusqlite", "async-std", "tower-http", "cap-std"];
    let rules: [(&str, Vec<&str>); 4] = [
        (
            "engine",
            [&io[..], &["nanobot-store", "nanobot-runtime", "nanobot-webui", "askama", "tracing", "jiff", "chrono"]]
                .concat(),
        ),
        ("store", vec!["axum", "hyper", "reqwest", "askama", "nanobot-runtime", "nanobot-webui"]),
        ("runtime", vec!["axum", "hyper", "askama", "sqlx", "rusqlite", "nanobot-webui"]),
        ("webui", vec!["axum", "sqlx", "rusqlite", "reqwest", "nanobot-store", "nanobot-runtime"]),
    ];
    for (room, forbidden) in rules {
        let used = dependencies(room);
        assert!(!used.is_empty(), "{room} has no dependencies; the test reads the wrong place");
        let wrong: Vec<_> = used.iter().filter(|name| forbidden.contains(&name.as_str())).collect();
        assert!(wrong.is_empty(), "{room} must not depend on {wrong:?}; see docs/ARCHITECTURE.md");
    }
    assert!(!dependencies("server").iter().any(|name| name == "sqlx"), "SQL text lives in store/");
}

fn sources(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(name.as_str(), "node_modules" | "target" | "test" | "tests" | "fixtures") {
                sources(&path, out);
            }
        } else if ["rs", "ts", "tsx", "css"].iter().any(|kind| path.extension().is_some_and(|e| e == *kind))
            && !name.contains(".test.")
            && !name.starts_with("tests")
        {
            out.push(path);
        }
    }
}

/// Lines of a file up to its test module.
fn production_lines(path: &Path) -> usize {
    let text = fs::read_to_string(path).unwrap();
    text.lines().take_while(|line| line.trim() != "#[cfg(test)]").count()
}

#[test]
fn no_source_file_is_longer_than_500_lines() {
    let mut files = Vec::new();
    for room in ["engine/src", "store/src", "runtime/src", "server/src", "webui/src", "webui/app"] {
        sources(&root().join(room), &mut files);
    }
    assert!(files.len() > 80, "found only {} files; the test reads the wrong place", files.len());
    let long: Vec<_> =
        files.iter().map(|path| (production_lines(path), path)).filter(|(lines, _)| *lines > 500).collect();
    assert!(long.is_empty(), "split by reason: {long:?}");
}

#[test]
fn every_rust_file_says_its_reason_first() {
    let mut files = Vec::new();
    for room in ["engine/src", "store/src", "runtime/src", "server/src", "webui/src"] {
        sources(&root().join(room), &mut files);
    }
    let silent: Vec<_> = files
        .iter()
        .filter(|path| path.extension().is_some_and(|kind| kind == "rs"))
        .filter(|path| !fs::read_to_string(path).unwrap().starts_with("//!"))
        .collect();
    assert!(silent.is_empty(), "{silent:?}");
}
