//! What `grep` finds, shows and leaves alone.

use super::*;
use crate::tool::registry::testing::Fixture;

async fn grep(fixture: &Fixture, arguments: Value) -> String {
    fixture.ok(&Grep::default(), arguments).await
}

fn project() -> Fixture {
    let fixture = Fixture::new();
    for (age, (name, text)) in [
        ("a.md", "alpha\nneedle one\nomega\n\nx\ny\nneedle two\n"),
        ("src/b.rs", "fn needle() {}\r\nlet a = \"Needle (x)\";\r\n"),
        ("src/c.rs", "nothing\n"),
        (".git/d", "needle"),
    ]
    .into_iter()
    .enumerate()
    {
        fixture.write(&format!("ws/{name}"), text);
        let file = std::fs::File::options().write(true).open(fixture.path(&format!("ws/{name}"))).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(age as u64)).unwrap();
    }
    fixture
}

#[tokio::test]
async fn lists_files_by_default() {
    let fixture = project();
    assert_eq!(grep(&fixture, json!({"pattern": "needle"})).await, "src/b.rs\na.md");
    assert_eq!(grep(&fixture, json!({"pattern": "needle", "glob": "*.md"})).await, "a.md");
    assert_eq!(grep(&fixture, json!({"pattern": "needle", "type": "rs", "path": "src"})).await, "src/b.rs");
    assert_eq!(grep(&fixture, json!({"pattern": "(x)", "fixed_strings": true})).await, "src/b.rs");
    assert_eq!(grep(&fixture, json!({"pattern": "^OMEGA$", "case_insensitive": true})).await, "a.md");
    assert_eq!(grep(&fixture, json!({"pattern": r"\{\}$"})).await, "src/b.rs");
    assert_eq!(grep(&fixture, json!({"pattern": "zzz"})).await, "No matches for \"zzz\"");
    assert_eq!(
        grep(&fixture, json!({"pattern": "needle", "head_limit": 1})).await,
        "src/b.rs\n\n(files 1-1 of 2; continue with offset=1)"
    );
}

#[tokio::test]
async fn counts_matching_lines() {
    let fixture = project();
    let counted = grep(&fixture, json!({"pattern": "needle", "output_mode": "count", "case_insensitive": true})).await;
    assert_eq!(counted, "src/b.rs: 2\na.md: 2\n\n(total: 4 matching lines in 2 files)");
}

#[tokio::test]
async fn shows_lines_with_context() {
    let fixture = project();
    let plain = grep(&fixture, json!({"pattern": "needle", "output_mode": "content"})).await;
    assert_eq!(plain, "a.md:2\n> 2| needle one\n\na.md:7\n> 7| needle two\n\nsrc/b.rs:1\n> 1| fn needle() {}");
    let near =
        json!({"pattern": "needle", "output_mode": "content", "path": "a.md", "context_before": 1, "context_after": 1});
    assert_eq!(
        grep(&fixture, near).await,
        "a.md:2\n  1| alpha\n> 2| needle one\n  3| omega\n\na.md:7\n  6| y\n> 7| needle two"
    );
    let page = json!({"pattern": "needle", "output_mode": "content", "offset": 1, "head_limit": 1});
    assert_eq!(
        grep(&fixture, page).await,
        "a.md:7\n> 7| needle two\n\n(matches 2-2; there are more, continue with offset=2)"
    );
    let past = json!({"pattern": "needle", "output_mode": "content", "offset": 9});
    let last = json!({
        "pattern": "needle", "output_mode": "content", "path": "a.md", "offset": 1, "context_before": 6, "context_after": 9
    });
    assert_eq!(
        grep(&fixture, last).await,
        "a.md:7\n  1| alpha\n> 2| needle one\n  3| omega\n  4| \n  5| x\n  6| y\n> 7| needle two"
    );
    assert_eq!(grep(&fixture, past).await, "No matches at offset 9; there are 3");
}

#[tokio::test]
async fn pages_of_neighbouring_matches_do_not_overlap() {
    let fixture = Fixture::new();
    fixture.write("ws/f", "x\n".repeat(10));
    let page = json!({"pattern": "x", "output_mode": "content", "offset": 3, "head_limit": 2});
    assert_eq!(
        grep(&fixture, page).await,
        "f:4\n> 4| x\n> 5| x\n\n(matches 4-5; there are more, continue with offset=5)"
    );
}

#[tokio::test]
async fn says_what_it_skipped() {
    let fixture = Fixture::new();
    let large = format!("{}\nneedle\n", "x".repeat(2_000_000));
    fixture.write("ws/large.txt", &large).write("ws/binary", b"needle\0").write("ws/gbk", b"needle \xc4\xe3");
    let note = "(files skipped: 2 binary, 1 larger than 2 MB)";
    assert_eq!(grep(&fixture, json!({"pattern": "needle"})).await, format!("No matches for \"needle\"\n\n{note}"));
    let explicit = json!({"pattern": "needle", "path": "large.txt", "output_mode": "content"});
    assert_eq!(grep(&fixture, explicit).await, "large.txt:2\n> 2| needle");
    fixture.write("ws/latin.txt", b"needle \xe9\n").write("ws/wide", b"\xff\xfen\0e\0e\0d\0l\0e\0");
    let found = grep(&fixture, json!({"pattern": "needle", "output_mode": "content"})).await;
    assert_eq!(found, format!("latin.txt:1\n> 1| needle é\n\nwide:1\n> 1| needle\n\n{note}"));
}

#[tokio::test]
async fn a_pattern_is_refused_or_linear() {
    let fixture = Fixture::new();
    fixture.write("ws/f", format!("{}!", "a".repeat(27)).repeat(1_000));
    let started = std::time::Instant::now();
    assert!(grep(&fixture, json!({"pattern": "(a+)+$"})).await.starts_with("No matches"));
    assert!(started.elapsed() < Duration::from_secs(2));
    for pattern in ["(", r"(a)\1", "a\nb", r"(?:\w{1000}){1000}"] {
        let problem = fixture.error(&Grep::default(), json!({"pattern": pattern})).await;
        assert!(problem.starts_with("Error: the pattern is not a valid regular expression"), "{pattern}: {problem}");
    }
}

#[tokio::test]
async fn long_lines_are_cut_around_the_match() {
    let fixture = Fixture::new();
    fixture.write("ws/f.txt", format!("{}needle{}\n", "漢".repeat(5_000), "字".repeat(5_000)));
    let found = grep(&fixture, json!({"pattern": "needle", "output_mode": "content"})).await;
    assert!(found.starts_with(&format!("f.txt:1\n> 1| …{}needle字", "漢".repeat(100))), "{found}");
    assert!(found.chars().count() < 600);
}

#[tokio::test]
async fn the_result_stays_within_its_limit() {
    let fixture = Fixture::new();
    for file in 0..3 {
        let text = (0..500).map(|line| format!("needle {line} {}\n\n", "漢".repeat(150))).collect::<String>();
        fixture.write(&format!("ws/{file}.txt"), text);
    }
    let mut offset = 0;
    let mut seen = 0;
    loop {
        let page = json!({"pattern": "needle", "output_mode": "content", "head_limit": 0, "offset": offset});
        let found = grep(&fixture, page).await;
        assert!(found.chars().count() <= 128_000);
        seen += found.matches("\n> ").count();
        match found.rsplit_once("offset=") {
            Some((_, next)) => offset = next.trim_end_matches(')').parse::<usize>().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, 1_500);
}

#[tokio::test]
async fn one_long_run_of_matches_can_be_paged() {
    let fixture = Fixture::new();
    fixture.write("ws/f", "needle\n".repeat(60_000));
    let (mut offset, mut seen) = (0, 0);
    loop {
        let page = json!({"pattern": "needle", "output_mode": "content", "head_limit": 0, "offset": offset});
        let found = grep(&fixture, page).await;
        assert!(found.chars().count() <= 128_000);
        seen += found.matches("\n> ").count();
        match found.rsplit_once("offset=") {
            Some((_, next)) => offset = next.trim_end_matches(')').parse::<usize>().unwrap(),
            None => break,
        }
    }
    assert_eq!(seen, 60_000);
}

#[tokio::test]
async fn never_prints_what_is_outside() {
    let fixture = Fixture::with_denied(&["ws/private"]);
    fixture
        .write("outside/secret", "S3CRET")
        .write("ws/private/key", "S3CRET")
        .link("ws/out", fixture.path("outside"))
        .link("ws/direct", fixture.path("outside/secret"));
    assert_eq!(grep(&fixture, json!({"pattern": "S3CRET"})).await, "No matches for \"S3CRET\"");
    for path in ["out", "direct", "out/secret", "private", "private/key", "../outside"] {
        let problem = fixture.error(&Grep::default(), json!({"pattern": "S", "path": path})).await;
        assert!(problem.contains("outside the workspace"), "{path}: {problem}");
    }
}

#[test]
fn the_time_limit_is_told() {
    let fixture = project();
    let stop = Stop::never();
    stop.expire();
    for path in [".", "a.md"] {
        let arguments = json!({"pattern": "needle", "path": path});
        let found = Search::of(arguments.as_object().unwrap()).unwrap().run(&fixture.context.scope, &stop).unwrap();
        assert_eq!(found, "No matches for \"needle\"\n\n(stopped at the time limit; the result is incomplete)");
    }
}

#[test]
fn hints_name_the_object() {
    let hint = |arguments: Value| Grep::default().hint(arguments.as_object().unwrap());
    assert_eq!(hint(json!({"pattern": "a b"})), "\"a b\"");
    assert_eq!(hint(json!({"pattern": "a", "path": "src"})), "\"a\" in src");
}
