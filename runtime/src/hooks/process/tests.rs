//! Real processes: what they say, and that none outlives its time. Elapsed time is compared with wide bounds.

use std::time::Instant;

use tempfile::TempDir;

use super::*;

struct Shell {
    folder: TempDir,
    tasks: TaskTracker,
}

impl Shell {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap(), tasks: TaskTracker::new() }
    }

    fn program(&self, command: &[&str], limit_ms: u64) -> Program {
        Program {
            command: command.iter().map(|&word| word.to_owned()).collect(),
            folder: self.folder.path().to_owned(),
            environment: vec![("PATH", "/usr/bin:/bin".to_owned()), ("MINE", "yes".to_owned())],
            limit: Duration::from_millis(limit_ms),
            keep_bytes: KEEP_BYTES,
        }
    }

    /// Runs a script that writes its group to the file `group` first.
    async fn run(&self, script: &str, limit_ms: u64) -> (Result<Ended, ProcessError>, Duration) {
        let script = format!("echo $$ > group; {script}");
        let program = self.program(&["sh", "-c", &script], limit_ms);
        let began = Instant::now();
        (run(&self.tasks, program, b"input\n".to_vec()).await, began.elapsed())
    }

    /// Waits for the tasks, then says who of the group is left.
    async fn left(&self) -> Vec<String> {
        self.tasks.close();
        timeout(Duration::from_secs(5), self.tasks.wait()).await.expect("the tasks end");
        let group = std::fs::read_to_string(self.folder.path().join("group")).unwrap();
        // A killed process is listed for a moment.
        let began = Instant::now();
        loop {
            let left = members(group.trim());
            if left.is_empty() || began.elapsed() > Duration::from_secs(2) {
                return left;
            }
            sleep(Duration::from_millis(10)).await;
        }
    }
}

/// Processes of a group that run. What has ended and was not fetched by its parent yet does not.
fn members(group: &str) -> Vec<String> {
    let listed = std::process::Command::new("ps").args(["-A", "-o", "pgid=,stat=,args="]).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let of_group = |line: &&str| {
        let mut words = line.split_whitespace();
        words.next() == Some(group) && words.next().is_some_and(|state| !state.starts_with('Z'))
    };
    listed.lines().filter(of_group).map(str::to_owned).collect()
}

fn text(kept: &Kept) -> &str {
    std::str::from_utf8(&kept.bytes).unwrap()
}

#[tokio::test]
async fn input_outputs_code_and_environment() {
    let shell = Shell::new();
    let (ended, _) = shell.run("cat; echo no >&2; env | sort; pwd; exit 3", 5_000).await;
    let ended = ended.unwrap();
    assert_eq!(ended.status.code(), Some(3));
    assert_eq!(text(&ended.stderr), "no\n");
    let folder = shell.folder.path().canonicalize().unwrap();
    let lines: Vec<&str> = text(&ended.stdout).lines().filter(|line| !line.starts_with("_=")).collect();
    // PWD, SHLVL and the like are the shell's own.
    assert_eq!(lines.first(), Some(&"input"));
    assert!(lines.contains(&"MINE=yes") && lines.contains(&"PATH=/usr/bin:/bin"), "{lines:?}");
    assert!(!lines.iter().any(|line| line.starts_with("CARGO")), "nothing is inherited: {lines:?}");
    assert_eq!(lines.last().map(std::path::PathBuf::from), Some(folder));
    assert_eq!(shell.left().await, [""; 0]);
}

#[tokio::test]
async fn a_program_that_does_not_read_its_input_is_no_failure() {
    let shell = Shell::new();
    let program = shell.program(&["true"], 5_000);
    let ended = run(&shell.tasks, program, vec![b'x'; 10_000_000]).await.unwrap();
    assert!(ended.status.success());
}

#[tokio::test]
async fn a_program_that_hangs_is_ended_in_time() {
    let shell = Shell::new();
    let (ended, took) = shell.run("sleep 60", 300).await;
    assert_eq!(ended.unwrap_err().to_string(), "took longer than 300 ms");
    assert!(took < Duration::from_millis(800), "{took:?}");
    assert_eq!(shell.left().await, [""; 0]);
}

#[tokio::test]
async fn a_program_that_ignores_sigterm_is_killed_with_its_children_in_time() {
    let shell = Shell::new();
    let (ended, took) = shell.run("trap '' TERM; sleep 60 & sleep 60", 300).await;
    assert!(matches!(ended, Err(ProcessError::Late(_))));
    assert!(took < Duration::from_millis(800), "{took:?}");
    assert_eq!(shell.left().await, [""; 0]);
}

#[tokio::test]
async fn a_child_that_holds_the_pipe_is_not_waited_for_and_ended() {
    for keeps in ["", "trap '' TERM; "] {
        let shell = Shell::new();
        let (ended, took) = shell.run(&format!("{keeps}sleep 60 & echo done"), 5_000).await;
        assert_eq!(text(&ended.unwrap().stdout), "done\n");
        assert!(took < Duration::from_secs(2), "{took:?}");
        assert_eq!(shell.left().await, [""; 0]);
    }
}

#[tokio::test]
async fn a_flood_is_read_to_its_end_and_its_beginning_kept() {
    let shell = Shell::new();
    let (ended, _) = shell.run("head -c 100000000 /dev/zero | tr '\\0' x; echo end >&2", 30_000).await;
    let ended = ended.unwrap();
    assert!(ended.status.success());
    assert_eq!((ended.stdout.bytes.len(), ended.stdout.cut), (KEEP_BYTES, true));
    assert_eq!((text(&ended.stderr), ended.stderr.cut), ("end\n", false));
}

#[tokio::test]
async fn output_as_long_as_the_bound_is_not_cut() {
    let shell = Shell::new();
    let (ended, _) = shell.run("head -c 65536 /dev/zero", 5_000).await;
    assert_eq!(ended.map(|ended| (ended.stdout.bytes.len(), ended.stdout.cut)).unwrap(), (KEEP_BYTES, false));
    let (ended, _) = shell.run("head -c 65537 /dev/zero", 5_000).await;
    assert_eq!(ended.map(|ended| (ended.stdout.bytes.len(), ended.stdout.cut)).unwrap(), (KEEP_BYTES, true));
}

#[tokio::test]
async fn a_flood_without_end_is_late() {
    let shell = Shell::new();
    let (ended, took) = shell.run("yes", 300).await;
    assert!(matches!(ended, Err(ProcessError::Late(_))));
    assert!(took < Duration::from_millis(800), "{took:?}");
    assert_eq!(shell.left().await, [""; 0]);
}

#[tokio::test]
async fn who_stops_waiting_ends_the_program() {
    for keeps in ["", "trap '' TERM; "] {
        let shell = Shell::new();
        let given_up =
            timeout(Duration::from_millis(300), shell.run(&format!("{keeps}sleep 60 & sleep 60"), 60_000)).await;
        assert!(given_up.is_err(), "it runs");
        assert_eq!(shell.left().await, [""; 0]);
    }
}

#[tokio::test]
async fn a_runtime_that_goes_away_ends_the_program() {
    let shell = Shell::new();
    let tasks = shell.tasks.clone();
    let program = shell.program(&["sh", "-c", "echo $$ > new; mv new group; sleep 60 & sleep 60"], 60_000);
    let group = shell.folder.path().join("group");
    let ended = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            tokio::spawn(async move { run(&tasks, program, Vec::new()).await });
            while !group.exists() {
                sleep(Duration::from_millis(5)).await;
            }
        });
    });
    ended.join().unwrap();
    assert_eq!(shell.left().await, [""; 0]);
}

#[tokio::test]
async fn what_cannot_be_started_says_why() {
    let shell = Shell::new();
    std::fs::write(shell.folder.path().join("plain.sh"), "#!/bin/sh\n").unwrap();
    for (command, message) in [
        ("./missing.sh", "cannot be started: No such file or directory"),
        ("no-such-program-anywhere", "cannot be started: No such file or directory"),
        ("./plain.sh", "cannot be started: Permission denied"),
    ] {
        let error = run(&shell.tasks, shell.program(&[command], 5_000), Vec::new()).await.unwrap_err().to_string();
        assert!(error.starts_with(message), "{command}: {error}");
    }
}
