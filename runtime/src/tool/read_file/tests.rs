//! What `read_file` shows and refuses.

use super::*;
use crate::tool::registry::testing::Fixture;

async fn read(fixture: &Fixture, path: &str) -> String {
    fixture.ok(&ReadFile::default(), json!({"path": path})).await
}

async fn refused(fixture: &Fixture, path: &str) -> String {
    fixture.error(&ReadFile::default(), json!({"path": path})).await
}

#[tokio::test]
async fn shows_a_window_of_numbered_lines() {
    let fixture = Fixture::new();
    fixture.write("ws/notes.md", "a\r\nb\nc");
    assert_eq!(read(&fixture, "notes.md").await, "1| a\n2| b\n3| c\n\n(end of file, 3 lines)");
    let window = fixture.ok(&ReadFile::default(), json!({"path": "./notes.md", "offset": "2", "limit": 1})).await;
    assert_eq!(window, "2| b\n\n(lines 2-2 of 3; continue with offset=3)");
    let past = fixture.error(&ReadFile::default(), json!({"path": "notes.md", "offset": 9})).await;
    assert_eq!(past, "Error: offset 9 is past the end of notes.md, which has 3 lines");
    let absolute = fixture.path("ws/notes.md");
    assert!(read(&fixture, absolute.to_str().unwrap()).await.starts_with("1| a"));
}

#[tokio::test]
async fn reads_other_encodings_or_says_why_not() {
    let fixture = Fixture::new();
    fixture
        .write("ws/latin.txt", b"caf\xe9\n")
        .write("ws/gbk", b"\xc4\xe3\xba\xc3\r\n")
        .write("ws/wide.txt", b"\xff\xfea\0\r\0\n\0b\0")
        .write("ws/a.bin", [0_u8, 159, 146, 150])
        .write("ws/picture.png", b"\x89PNG\r\n\x1a\n1234")
        .write("ws/paper.pdf", "%PDF-1.7")
        .write("ws/empty", "");
    assert!(read(&fixture, "latin.txt").await.starts_with("1| café\n\n(end of file, 1 line)\n(the file is not UTF-8"));
    assert!(refused(&fixture, "gbk").await.contains("unknown encoding (6 B)"));
    assert!(read(&fixture, "wide.txt").await.starts_with("1| a\n2| b\n"));
    assert!(refused(&fixture, "a.bin").await.contains("binary file"));
    assert_eq!(
        refused(&fixture, "picture.png").await,
        "Error: picture.png is an image (PNG, 12 B); images cannot be read yet"
    );
    assert!(refused(&fixture, "paper.pdf").await.contains("a PDF document (8 B)"));
    assert_eq!(read(&fixture, "empty").await, "(Empty file: empty)");
}

#[tokio::test]
async fn refuses_what_is_no_ordinary_file_without_waiting() {
    let fixture = Fixture::new();
    fixture.write("ws/folder/f", "x").link("ws/zero", "/dev/zero").link("ws/stdin", "/proc/self/fd/0");
    let made = std::process::Command::new("mkfifo").arg(fixture.path("ws/pipe")).status().unwrap();
    assert!(made.success());
    assert!(refused(&fixture, "pipe").await.contains("pipe is a device, pipe or socket"));
    assert!(refused(&fixture, "folder").await.contains("list_dir"));
    for path in ["zero", "stdin", "/dev/zero", "/dev/random", "/proc/self/fd/0", "/proc/self/environ"] {
        assert!(refused(&fixture, path).await.contains("is outside the workspace"), "{path}");
    }
}

#[tokio::test]
async fn refuses_a_huge_file_before_reading_it() {
    let fixture = Fixture::new();
    let file = std::fs::File::create(fixture.path("ws/huge.txt")).unwrap();
    file.set_len(MAX_FILE_BYTES + 1).unwrap();
    assert_eq!(
        refused(&fixture, "huge.txt").await,
        "Error: huge.txt is too large to read (100.0 MB; the limit is 100.0 MB)"
    );
}

#[tokio::test]
async fn names_similar_files() {
    let fixture = Fixture::with_denied(&["ws/readme.mdd"]);
    for name in ["README.md", "readme.txt", "other", "reedme.md"] {
        fixture.write(&format!("ws/docs/{name}"), "x");
    }
    assert_eq!(
        refused(&fixture, "docs/readme.md").await,
        "Error: there is no file docs/readme.md. Similar names: docs/README.md, docs/reedme.md, docs/readme.txt"
    );
    assert_eq!(
        refused(&fixture, "no/readme.md").await,
        "Error: there is no file no/readme.md: its folder does not exist"
    );
    assert_eq!(refused(&fixture, "readme.md").await, "Error: there is no file readme.md");
}

#[tokio::test]
async fn reads_earlier_results() {
    let fixture = Fixture::new();
    let tool = ReadFile::default();
    let stored = fixture.ok(&tool, json!({"path": "result:call_1", "offset": 2, "limit": 1})).await;
    assert_eq!(stored, "2| second\n\n(lines 2-2 of 3; continue with offset=3)");
    assert!(refused(&fixture, "result:other").await.contains("no stored result of a call \"other\""));
}

#[test]
fn hints_name_the_object() {
    let hint = |arguments: Value| ReadFile::default().hint(arguments.as_object().unwrap());
    assert_eq!(hint(json!({"path": "notes.md"})), "notes.md");
    assert_eq!(hint(json!({"path": "notes.md", "limit": 40})), "notes.md:1-40");
    assert_eq!(hint(json!({"path": "a\nb", "offset": 7})), "a b:7");
}
