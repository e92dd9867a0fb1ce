//! What is looked at before and after a call, in a real workspace.

use super::*;
use crate::tool::registry::testing::Fixture;

fn paths(paths: &[&str]) -> Vec<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

async fn watched(fixture: &Fixture, named: &[&str], change: impl FnOnce()) -> Option<String> {
    let watch = EditWatch::default();
    watch.before(&fixture.context.scope, paths(named)).await;
    change();
    watch.after().await
}

#[tokio::test]
async fn a_call_that_names_no_file_is_not_watched() {
    let fixture = Fixture::new();
    let watch = EditWatch::default();
    watch.before(&fixture.context.scope, Vec::new()).await;
    fixture.write("ws/a.txt", "a");
    assert!(watch.is_idle());
    assert_eq!(watch.after().await, None);
}

#[tokio::test]
async fn new_changed_and_deleted_files_are_one_diff_in_the_order_they_were_named() {
    let fixture = Fixture::new();
    fixture.write("ws/b.txt", "1\n").write("ws/c.txt", "1\n").write("ws/d.txt", "1\n");
    let diff = watched(&fixture, &["deep/new.txt", "b.txt", "c.txt", "d.txt"], || {
        fixture.write("ws/deep/new.txt", "n\n").write("ws/b.txt", "2\n");
        std::fs::remove_file(fixture.path("ws/c.txt")).unwrap();
    });
    let expected = "--- /dev/null\n+++ b/deep/new.txt\n@@ -0,0 +1 @@\n+n\n\
                    --- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-1\n+2\n\
                    --- a/c.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n";
    assert_eq!(diff.await.as_deref(), Some(expected));
}

#[tokio::test]
async fn a_file_is_shown_once_however_it_was_written() {
    let fixture = Fixture::new();
    fixture.write("ws/a.txt", "1\n").link("ws/link", "a.txt");
    let whole = fixture.path("ws/a.txt").display().to_string();
    let named = ["a.txt", "./a.txt", "sub/../a.txt", &whole, "link"];
    let diff = watched(&fixture, &named, || {
        fixture.write("ws/a.txt", "2\n");
    })
    .await
    .unwrap();
    assert_eq!(diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n");
}

#[tokio::test]
async fn folders_and_places_outside_are_not_looked_at() {
    let fixture = Fixture::with_denied(&["ws/private"]);
    fixture
        .write("secret.txt", "s")
        .write("ws/private/key", "k")
        .write("ws/folder/x", "x")
        .link("ws/out", "../secret.txt");
    let diff = watched(&fixture, &["../secret.txt", "private/key", "folder", "out", "/etc/passwd", "a\0b"], || {
        fixture.write("secret.txt", "changed").write("ws/private/key", "changed").write("ws/folder/y", "y");
    });
    assert_eq!(diff.await, None);
}

#[tokio::test]
async fn what_is_no_text_or_too_large_is_named_when_it_changed() {
    let fixture = Fixture::new();
    let large = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap() + 1);
    fixture.write("ws/nul", b"a\0b").write("ws/latin", b"\xe9").write("ws/large", &large).write("ws/same", b"\0");
    let fits = "x".repeat(usize::try_from(MAX_FILE_BYTES).unwrap());
    let diff = watched(&fixture, &["nul", "latin", "large", "same"], || {
        fixture.write("ws/nul", b"a\0c").write("ws/latin", b"\xe8").write("ws/large", fits);
    });
    let diff = diff.await.unwrap();
    assert!(diff.contains("+++ b/nul\n\\ not shown: a binary file of 3 bytes → a binary file of 3 bytes\n"), "{diff}");
    assert!(diff.contains("+++ b/latin\n\\ not shown: a binary file of 1 bytes"), "{diff}");
    let too_large = "\\ not shown: a file of 2097153 bytes, which is too large to compare → text of 2097152 bytes\n";
    assert!(diff.contains(too_large), "{diff}");
    assert!(!diff.contains("same"), "{diff}");
}

#[tokio::test]
async fn of_many_large_files_those_that_are_not_kept_are_named_when_they_changed() {
    let fixture = Fixture::new();
    let text = format!("{}\n", "x".repeat(1_999_999));
    let names: Vec<String> = (0..12).map(|n| format!("{n}.txt")).collect();
    for name in &names {
        fixture.write(&format!("ws/{name}"), &text);
    }
    let named: Vec<&str> = names.iter().map(String::as_str).collect();
    let diff = watched(&fixture, &named, || {
        fixture.write("ws/0.txt", "short\n").write("ws/11.txt", "short\n");
    });
    let diff = diff.await.unwrap();
    assert_eq!(diff.matches("+++ b/").count(), 2, "the others stayed as they were");
    assert!(diff.contains("+++ b/0.txt\n@@ -1 +1 @@\n-xxx"));
    assert!(diff.contains(
        "+++ b/11.txt\n\\ not shown: a file of 2000000 bytes, which is too large to compare → text of 6 bytes"
    ));
}

#[tokio::test]
async fn a_folder_that_takes_the_place_of_a_file_means_the_file_is_gone() {
    let fixture = Fixture::new();
    fixture.write("ws/a", "1\n").write("ws/b/c", "2\n");
    let diff = watched(&fixture, &["a", "b/c"], || {
        std::fs::remove_file(fixture.path("ws/a")).unwrap();
        fixture.write("ws/a/inside", "x");
        std::fs::remove_dir_all(fixture.path("ws/b")).unwrap();
        fixture.write("ws/b", "now a file");
    });
    let expected = "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- a/b/c\n+++ /dev/null\n@@ -1 +0,0 @@\n-2\n";
    assert_eq!(diff.await.as_deref(), Some(expected));
}

#[tokio::test]
async fn a_preview_shows_what_would_change_and_changes_nothing() {
    let fixture = Fixture::new();
    fixture.write("ws/a.txt", "1\n").write("ws/gone.txt", "g\n").write("outside.txt", "o");
    let edit =
        |path: &str, content: Option<&str>| ProposedEdit { path: path.to_owned(), content: content.map(str::to_owned) };
    let edits = vec![
        edit("a.txt", Some("2\n")),
        edit("gone.txt", None),
        edit("new/b.txt", Some("b\n")),
        edit("../outside.txt", Some("x")),
    ];
    let expected = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n\
                    --- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n\
                    --- /dev/null\n+++ b/new/b.txt\n@@ -0,0 +1 @@\n+b\n";
    assert_eq!(preview(&fixture.context, edits).await.as_deref(), Some(expected));
    assert_eq!(std::fs::read_to_string(fixture.path("ws/a.txt")).unwrap(), "1\n");
    assert!(fixture.path("ws/gone.txt").exists() && !fixture.path("ws/new").exists());
    assert_eq!(preview(&fixture.context, vec![edit("a.txt", Some("1\n"))]).await, None);
}
