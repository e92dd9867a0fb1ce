//! A database that cannot be written: clear words, other sessions go on, and it works again once the cause is gone.

use std::path::{Path, PathBuf};
use std::time::Duration;

use nanobot_engine::event::{EventBody, StopReason};
use nanobot_engine::turn::TurnStatus;
use nanobot_tests::app::{Options, ServerProcess, TestApp, binary, http};
use nanobot_tests::client::Client;
use nanobot_tests::home::{Home, turns};
use nanobot_tests::reader::{Reader, exact};
use nanobot_tests::scripted::{Chunk, Reply, Script};
use serde_json::{Value, json};
use sqlx::{ConnectOptions, Connection, SqliteConnection, sqlite::SqliteConnectOptions};

/// A server that does not wait long for another program.
fn impatient() -> Options {
    Options { busy_timeout: Some(Duration::from_millis(200)), ..Options::default() }
}

fn scripts() -> Vec<Script> {
    let pieces = (0..120).map(|at| Chunk::text(&format!("piece {at}, "))).collect();
    vec![
        Script { matches: "slow".to_owned(), replies: vec![Reply::default().after(pieces).paced(20)] },
        Script { matches: String::new(), replies: vec![Reply::text(&["Fine."])] },
    ]
}

/// Another program that writes.
async fn other(database: &Path) -> SqliteConnection {
    SqliteConnectOptions::new().filename(database).connect().await.unwrap()
}

async fn run(connection: &mut SqliteConnection, sql: &'static str) {
    sqlx::query(sql).execute(connection).await.unwrap();
}

/// Reads until some text of the turn has come.
async fn until_text(reader: &mut Reader, client: &mut Client) {
    while !reader.view.events.iter().any(|event| matches!(event.body, EventBody::Delta { .. })) {
        reader.frames(client, 1).await.unwrap();
    }
}

/// The last turn says `storage` to live readers.
fn check_failed(reader: &Reader, detail: &str) {
    let turn = reader.view.fold.turns.first().unwrap();
    let error = turn.error.as_ref().unwrap();
    assert_eq!((turn.state, turn.stop_reason), (TurnStatus::Failed, Some(StopReason::Error)));
    assert_eq!(error.code, "storage");
    assert!(error.detail.contains(detail), "{}", error.detail);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_of_another_program_ends_the_turn_and_nothing_else() {
    let app = TestApp::with(scripts(), impatient()).await;
    let session = app.session().await;
    let mut reader = Reader::new(session);
    let mut client = reader.attach(&app.url).await.unwrap();
    let turn_id = reader.send(&mut client, "slow", "m1", "auto").await.unwrap();
    // One waits behind it, one wants to join it.
    let queued = reader.send(&mut client, "queued", "m2", "queue").await.unwrap();
    assert_eq!(reader.send(&mut client, "steered", "m3", "steer").await.unwrap(), turn_id);
    until_text(&mut reader, &mut client).await;

    let mut program = other(&app.home.join("nanobot.db")).await;
    run(&mut program, "BEGIN IMMEDIATE").await;
    reader.until_end(&mut client, turn_id).await.unwrap();
    check_failed(&reader, "the database is busy");
    // Reading goes on; a message is refused in words, and nothing of it is kept.
    assert_eq!(app.get("/healthz").await["status"], "ok");
    let path = format!("/api/v1/sessions/{session}/turns");
    let (status, problem) = app.request("POST", &path, Some(json!({"content": "refused"}))).await;
    assert_eq!((status, problem["code"].as_str()), (503, Some("database_busy")), "{problem}");
    run(&mut program, "ROLLBACK").await;

    // By itself: the turn is closed, and what was accepted is worked.
    reader.until_end(&mut client, queued).await.unwrap();
    let answered = |reader: &Reader, text: &str| {
        let asked = |turn: &&nanobot_engine::turn::Turn| turn.user.as_ref().is_some_and(|user| user.content == text);
        reader.view.fold.turns.iter().find(asked).and_then(|turn| turn.stop_reason) == Some(StopReason::Completed)
    };
    while !answered(&reader, "steered") {
        reader.frames(&mut client, 1).await.unwrap();
    }
    assert!(answered(&reader, "queued"));
    let after = reader.send(&mut client, "after", "m4", "auto").await.unwrap();
    reader.until_end(&mut client, after).await.unwrap();
    let (read, _) = turns(&http(), &app.url, session).await.unwrap();
    let asked: Vec<&str> = read.iter().filter_map(|turn| turn.user.as_ref()).map(|row| row.content.as_str()).collect();
    assert_eq!(asked.len(), 4, "{asked:?}");
    assert_eq!(read[0].state, TurnStatus::Failed);
    assert_eq!(read[0].parts, reader.view.fold.turns[0].parts, "what was shown is there");
    assert_eq!(app.runtime.store().integrity_check().await.unwrap(), [""; 0]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_lock_is_waited_for() {
    let app = TestApp::start(scripts()).await;
    let session = app.session().await;
    let mut program = other(&app.home.join("nanobot.db")).await;
    run(&mut program, "BEGIN IMMEDIATE").await;
    let release = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        run(&mut program, "COMMIT").await;
    };
    let (answer, ()) = tokio::join!(app.ask(session, "hello"), release);
    assert_eq!(answer["stop_reason"], "completed");
    app.stop().await;
}

/// A turn of a former process, and a lock at the moment when it would be taken up.
#[tokio::test(flavor = "multi_thread")]
async fn a_lock_at_the_start_delays_the_unfinished_turn() {
    let folder = tempfile::TempDir::new().unwrap();
    let options = || Options { home: Some(folder.path().to_owned()), ..impatient() };
    let app = TestApp::with(scripts(), options()).await;
    let mut reader = Reader::new(app.session().await);
    let mut client = reader.attach(&app.url).await.unwrap();
    let turn_id = reader.send(&mut client, "slow", "m", "auto").await.unwrap();
    until_text(&mut reader, &mut client).await;
    app.stop().await;

    let mut program = other(&folder.path().join("nanobot.db")).await;
    run(&mut program, "BEGIN IMMEDIATE").await;
    let app = TestApp::with(scripts(), options()).await;
    let mut client = reader.attach(&app.url).await.unwrap();
    let path = format!("/api/v1/sessions/{}/turns", reader.chat_id);
    let (status, problem) = app.request("POST", &path, Some(json!({"content": "refused"}))).await;
    assert_eq!((status, problem["code"].as_str()), (503, Some("database_busy")), "{problem}");
    assert_eq!(app.model.requests().len(), 0);
    run(&mut program, "ROLLBACK").await;
    reader.until_end(&mut client, turn_id).await.unwrap();
    let (read, _) = turns(&http(), &app.url, reader.chat_id).await.unwrap();
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    assert_eq!((read[0].stop_reason, read[0].resumed), (Some(StopReason::Completed), Some(1)));
    app.stop().await;
}

async fn refused_start(home: &Home) -> String {
    let mut command = tokio::process::Command::new(binary().unwrap());
    command.args(["serve", "--port", "0", "--home"]).arg(home.path()).kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(10), command.output()).await.expect("it refuses").unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let line = said.lines().find(|line| line.starts_with("nanobot: ")).unwrap_or_else(|| panic!("no sentence: {said}"));
    line.to_owned()
}

#[tokio::test]
async fn a_damaged_database_is_named_at_the_start() {
    let home = Home::new(scripts(), "").await;
    std::fs::write(home.database(), "this is no database, but somebody's notes\n".repeat(100)).unwrap();
    let said = refused_start(&home).await;
    assert!(said.contains("damaged") && said.contains("backups"), "{said}");
    assert!(std::fs::read_to_string(home.database()).unwrap().starts_with("this is no database"), "it is left alone");

    // A real one whose first page is lost.
    std::fs::remove_file(home.database()).unwrap();
    let server = home.start().await;
    assert_eq!(home.request(&server, "GET", "/readyz", None).await.0, 200);
    assert!(server.terminate().await.unwrap().success());
    let mut bytes = std::fs::read(home.database()).unwrap();
    bytes[..100].fill(0xff);
    std::fs::write(home.database(), bytes).unwrap();
    let said = refused_start(&home).await;
    assert!(said.contains("damaged"), "{said}");
}

/// A small disk of its own for one server; `None` where that may not be made.
struct SmallDisk {
    server: ServerProcess,
    root: PathBuf,
}

impl SmallDisk {
    async fn start(home: &Home, megabytes: u32) -> Option<Self> {
        let disk = home.path().join("disk");
        std::fs::create_dir_all(&disk).unwrap();
        let probe = |flags: &str| std::process::Command::new("unshare").args([flags, "true"]).status();
        let flags = ["-m", "-rm"].into_iter().find(|flags| probe(flags).is_ok_and(|status| status.success()))?;
        // Settings go onto the disk before the server starts.
        let script = format!(
            "mount -t tmpfs -o size={megabytes}m tmpfs \"$0\" && cp -r \"$1\"/config.toml \"$1\"/workspace \"$0\" && \
             exec \"$2\" serve --port 0 --home \"$0\""
        );
        let mut command = tokio::process::Command::new("unshare");
        command.args([flags, "sh", "-c", &script]).arg(&disk).arg(home.path()).arg(binary().unwrap());
        let server = ServerProcess::spawn(command).await.unwrap();
        // The other namespace, seen from here.
        let root = Path::new("/proc").join(server.pid()?.to_string()).join("root").join(disk.strip_prefix("/").ok()?);
        Some(Self { server, root })
    }

    fn filler(&self) -> PathBuf {
        self.root.join("filler")
    }

    /// Takes all the room there is.
    fn fill(&self) {
        use std::io::Write;
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(self.filler()).unwrap();
        for size in [65_536, 4_096, 1] {
            while file.write(&vec![0; size]).is_ok_and(|written| written > 0) {}
        }
    }

    fn empty(&self) {
        std::fs::remove_file(self.filler()).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_turn_and_works_again_with_room() {
    let home = Home::new(scripts(), "").await;
    let Some(disk) = SmallDisk::start(&home, 4).await else {
        println!("no mount namespaces here; nothing was tested");
        return;
    };
    let server = &disk.server;
    let session = |body: &Value| body["id"].as_str().unwrap().to_owned();
    let (status, idle) = home.request(server, "POST", "/api/v1/sessions", Some(json!({}))).await;
    assert_eq!(status, 201);
    let idle = session(&idle);
    let (status, answer) = home.ask(server, &idle, "hello").await;
    assert_eq!((status, answer["stop_reason"].as_str()), (200, Some("completed")));

    let mut client = Client::connect(&server.url).await.unwrap();
    let mut reader = Reader::new(client.new_chat().await.unwrap());
    let turn_id = reader.send(&mut client, "slow", "m", "auto").await.unwrap();
    until_text(&mut reader, &mut client).await;
    disk.fill();
    reader.until_end(&mut client, turn_id).await.unwrap();
    check_failed(&reader, "the disk is full");
    // Everybody is told, and reading goes on.
    let (status, problem) = home.ask(server, &idle, "refused").await;
    assert_eq!((status, problem["code"].as_str()), (507, Some("disk_full")), "{problem}");
    let (status, problem) = home.request(server, "POST", "/api/v1/sessions", Some(json!({}))).await;
    assert_eq!((status, problem["code"].as_str()), (507, Some("disk_full")), "{problem}");
    let mut second = Client::connect(&server.url).await.unwrap();
    second.send(json!({"type": "message", "chat_id": reader.chat_id, "content": "refused"})).await.unwrap();
    assert_eq!(second.wait_for("error").await.unwrap()["code"], "disk_full");
    assert_eq!(home.request(server, "GET", "/healthz", None).await.0, 200);
    assert_eq!(home.turns(server, &idle).await.len(), 1);

    disk.empty();
    let (status, answer) = home.ask(server, &idle, "again").await;
    assert_eq!((status, answer["stop_reason"].as_str()), (200, Some("completed")), "{answer}");
    let again = reader.send(&mut client, "again", "m2", "auto").await.unwrap();
    reader.until_end(&mut client, again).await.unwrap();
    let read = home.turns(server, reader.chat_id).await;
    assert_eq!(read.iter().map(|turn| turn.state).collect::<Vec<_>>(), [TurnStatus::Failed, TurnStatus::Done]);
    assert_eq!(exact(&reader.view.fold.turns), exact(&read));
    let mut fresh = Reader::new(reader.chat_id);
    let mut other = fresh.attach(&server.url).await.unwrap();
    fresh.until_end(&mut other, again).await.unwrap();
    assert_eq!(exact(&fresh.view.fold.turns), exact(&read));
    assert_eq!(disk.server.terminate().await.unwrap().code(), Some(0));
}

/// SS-03, shortened: eight sessions write, one reader reads, and the log is put into the main file meanwhile.
#[tokio::test(flavor = "multi_thread")]
async fn parallel_sessions_meet_no_lock() {
    let pieces = (0..30).map(|at| Chunk::text(&format!("piece {at}, "))).collect();
    let calls = Reply::calls(&[("c1", "list_dir", json!({"path": "."}))]).after(pieces);
    let script = Script { matches: String::new(), replies: vec![calls.paced(2), Reply::text(&["Fine."])] };
    let app = TestApp::start(vec![script]).await;
    let until = std::time::Instant::now() + Duration::from_secs(3);
    let mut sessions = Vec::new();
    for _ in 0..8 {
        sessions.push(app.session().await);
    }
    let write = async |session| {
        let mut turns = 0;
        while std::time::Instant::now() < until {
            let answer = app.ask(session, "go").await;
            assert_eq!(answer["stop_reason"], "completed", "{answer}");
            turns += 1;
        }
        turns
    };
    let read = async {
        while std::time::Instant::now() < until {
            app.get("/api/v1/sessions?limit=50").await;
            app.get(&format!("/api/v1/sessions/{}/turns", sessions[0])).await;
        }
    };
    let checkpoint = async {
        let mut program = other(&app.home.join("nanobot.db")).await;
        while std::time::Instant::now() < until {
            run(&mut program, "PRAGMA wal_checkpoint(PASSIVE)").await;
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        program.close().await.unwrap();
    };
    let writers = futures_util::future::join_all(sessions.iter().map(|session| write(*session)));
    let (turns, (), ()) = tokio::join!(writers, read, checkpoint);
    println!("{turns:?} turns");
    assert!(turns.iter().all(|count| *count > 0), "{turns:?}");
    app.stop().await;
}

/// SS-05.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_deleted_during_a_turn_does_not_come_back() {
    let home = Home::new(scripts(), "").await;
    let server = home.start().await;
    let mut client = Client::connect(&server.url).await.unwrap();
    let mut reader = Reader::new(client.new_chat().await.unwrap());
    let turn_id = reader.send(&mut client, "slow", "m1", "auto").await.unwrap();
    reader.send(&mut client, "queued", "m2", "queue").await.unwrap();
    reader.send(&mut client, "steered", "m3", "steer").await.unwrap();
    until_text(&mut reader, &mut client).await;
    let path = format!("/api/v1/sessions/{}", reader.chat_id);
    let (status, body) = home.request(&server, "DELETE", &path, None).await;
    assert_eq!(status, 204, "{body}");
    // The reader sees the end of the turn, then that the session is gone.
    reader.until_end(&mut client, turn_id).await.unwrap();
    assert_eq!(reader.turn(turn_id).unwrap().stop_reason, Some(StopReason::Cancelled));
    let gone = client.wait_for("error").await.unwrap();
    assert_eq!(
        (gone["code"].as_str(), gone["chat_id"].as_str()),
        (Some("no_session"), Some(&*reader.chat_id.to_string()))
    );
    let asked = home.model.requests().len();

    let check = async |server: &ServerProcess| {
        let (_, list) = home.request(server, "GET", "/api/v1/sessions", None).await;
        assert_eq!(list["items"], json!([]));
        for (method, path, body) in [
            ("GET", path.clone(), None),
            ("GET", format!("{path}/turns"), None),
            ("POST", format!("{path}/turns"), Some(json!({"content": "anyone?"}))),
        ] {
            let (status, problem) = home.request(server, method, &path, body).await;
            assert_eq!((status, problem["code"].as_str()), (404, Some("no_session")), "{method} {path}");
        }
    };
    check(&server).await;
    server.kill().await.unwrap();
    let server = home.start().await;
    check(&server).await;
    let store = home.store().await;
    assert_eq!(store.unfinished_turns().await.unwrap(), []);
    assert_eq!(store.queued_work(reader.chat_id).await.unwrap(), []);
    assert_eq!(home.model.requests().len(), asked);
}
