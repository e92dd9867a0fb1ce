//! One run of an outside program: its own process group, text in, bounded text out, and an end that comes in time.
//!
//! A task of its own looks after each process. Whoever waits for the answer may stop waiting at any moment; then the task
//! ends the whole group. The end of the process counts, not that of its pipes, which its children may hold for ever.

use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};
use tokio_util::task::TaskTracker;

use super::group::Group;

/// Bytes of each of its outputs that are kept.
pub(super) const KEEP_BYTES: usize = 64 * 1024;
/// How long a process has to end after SIGTERM, before SIGKILL.
const TERM_GRACE: Duration = Duration::from_millis(200);
/// How long the kernel has to end a process after SIGKILL.
const KILL_GRACE: Duration = Duration::from_millis(100);
/// How long what is still in the pipes is read after the process has ended.
const DRAIN: Duration = Duration::from_millis(100);
/// How often a program is tried that another program is writing at that moment.
const BUSY_ATTEMPTS: u32 = 5;

/// What to run.
#[derive(Clone, Debug)]
pub(super) struct Program {
    /// Program and arguments.
    pub(super) command: Vec<String>,
    /// Folder that relative paths are against.
    pub(super) folder: PathBuf,
    /// All of its environment.
    pub(super) environment: Vec<(&'static str, String)>,
    /// The longest that it may run.
    pub(super) limit: Duration,
    /// Bytes of stdout that are kept; the rest is read and dropped.
    pub(super) keep_bytes: usize,
}

/// How it ended.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) status: ExitStatus,
    pub(super) stdout: Kept,
    pub(super) stderr: Kept,
}

/// The beginning of an output.
#[derive(Debug, Default)]
pub(super) struct Kept {
    pub(super) bytes: Vec<u8>,
    /// There was more.
    pub(super) cut: bool,
}

/// Why there is no end to speak of.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProcessError {
    /// It could not be started.
    #[error("cannot be started: {0}")]
    Start(io::Error),
    /// It was ended because it took too long.
    #[error("took longer than {} ms", .0.as_millis())]
    Late(Duration),
    /// The system did not say how it ended.
    #[error("was lost: {0}")]
    Lost(String),
}

/// Runs a program to its end. When this future is dropped, the program and all of its children are ended.
pub(super) async fn run(tasks: &TaskTracker, program: Program, input: Vec<u8>) -> Result<Ended, ProcessError> {
    let (reply, answer) = oneshot::channel();
    tasks.spawn(look_after(program, input, reply));
    answer.await.unwrap_or_else(|_| Err(ProcessError::Lost("its task ended".to_owned())))
}

/// What came first.
enum First {
    Ended(io::Result<ExitStatus>),
    Late,
    /// Nobody waits for the answer any more.
    Unwanted,
}

async fn look_after(program: Program, input: Vec<u8>, mut reply: oneshot::Sender<Result<Ended, ProcessError>>) {
    let mut child = match start(&program).await {
        Ok(child) => child,
        Err(error) => {
            let _ = reply.send(Err(ProcessError::Start(error)));
            return;
        }
    };
    let group = Group::of(&child);
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (mut stdout, mut stderr) = (Kept::default(), Kept::default());
    let first = {
        let talk = async {
            let feed = async {
                if let Some(mut stdin) = stdin {
                    // A program that does not read its input is none the worse for it.
                    let _ = stdin.write_all(&input).await;
                }
            };
            tokio::join!(feed, keep(out, &mut stdout, program.keep_bytes), keep(err, &mut stderr, KEEP_BYTES));
        };
        tokio::pin!(talk);
        let late = sleep(program.limit);
        tokio::pin!(late);
        let mut talking = true;
        let first = loop {
            tokio::select! {
                biased;
                () = reply.closed() => break First::Unwanted,
                status = child.wait() => break First::Ended(status),
                () = &mut late => break First::Late,
                () = &mut talk, if talking => talking = false,
            }
        };
        if talking && matches!(first, First::Ended(_)) {
            let _ = timeout(DRAIN, &mut talk).await;
        }
        first
    };
    match first {
        First::Ended(status) => {
            let lost = |error: io::Error| ProcessError::Lost(error.to_string());
            let _ = reply.send(status.map_err(lost).map(|status| Ended { status, stdout, stderr }));
            end_rest(&group).await;
        }
        First::Late => {
            end(&mut child, &group).await;
            let _ = reply.send(Err(ProcessError::Late(program.limit)));
        }
        First::Unwanted => end(&mut child, &group).await,
    }
}

async fn start(program: &Program) -> io::Result<Child> {
    let (first, arguments) = program.command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    // A bare name is looked up in PATH; anything with a slash is a path, against the folder when it is relative.
    let path = if first.contains('/') { program.folder.join(first) } else { first.into() };
    let mut command = Command::new(path);
    command
        .args(arguments)
        .current_dir(&program.folder)
        .env_clear()
        .envs(program.environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    #[cfg(unix)]
    command.process_group(0);
    let mut attempt = 1;
    loop {
        match command.spawn() {
            Err(error) if error.kind() == io::ErrorKind::ExecutableFileBusy && attempt < BUSY_ATTEMPTS => {
                attempt += 1;
                sleep(Duration::from_millis(20)).await;
            }
            spawned => return spawned,
        }
    }
}

/// Reads to the end and keeps the beginning.
async fn keep(pipe: Option<impl AsyncRead + Unpin>, kept: &mut Kept, keep_bytes: usize) {
    let Some(mut pipe) = pipe else { return };
    let mut buffer = vec![0; 16 * 1024];
    while let Ok(count @ 1..) = pipe.read(&mut buffer).await {
        let room = keep_bytes.saturating_sub(kept.bytes.len());
        kept.cut |= count > room;
        kept.bytes.extend_from_slice(buffer.get(..count.min(room)).unwrap_or_default());
    }
}

/// Ends a process that runs, and its children.
async fn end(child: &mut Child, group: &Group) {
    group.terminate();
    let ended = timeout(TERM_GRACE, child.wait()).await.is_ok();
    group.kill();
    if !ended {
        let _ = child.start_kill();
        let _ = timeout(KILL_GRACE, child.wait()).await;
    }
}

/// Ends what a process left behind.
async fn end_rest(group: &Group) {
    if group.is_empty() {
        return;
    }
    group.terminate();
    sleep(TERM_GRACE).await;
    group.kill();
}

#[cfg(test)]
mod tests;
