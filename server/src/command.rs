//! The command line.

mod agent;
mod consent;
mod doctor;
mod link;
mod open;
mod replay;
mod serve;
mod token;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};

/// A self-hosted personal AI agent in one binary.
#[derive(Parser)]
#[command(name = "nanobot", version, disable_help_subcommand = true)]
struct Cli {
    #[command(flatten)]
    serve: ServeArgs,
    #[command(subcommand)]
    command: Option<CliCommand>,
}

#[derive(Subcommand)]
enum CliCommand {
    /// Run the server with its browser UI (what happens without a command, too).
    Serve(ServeArgs),
    /// One turn with -m, or a prompt loop, in the terminal.
    Agent(AgentArgs),
    /// Make, list or revoke access tokens.
    Token(TokenArgs),
    /// Look at settings, files, database and providers, and say what to do.
    Doctor(DoctorArgs),
    /// Play a recorded turn again and say whether everything is as it was.
    Replay(ReplayArgs),
}

#[derive(Args, Clone, Default)]
struct ServeArgs {
    /// Address to listen on; anything but loopback needs a token.
    #[arg(long)]
    host: Option<String>,
    /// Port to listen on; 0 takes a free one.
    #[arg(long)]
    port: Option<u16>,
    /// Folder of settings, database and workspace.
    #[arg(long)]
    home: Option<PathBuf>,
    /// Open the page in a browser.
    #[arg(long)]
    open: bool,
}

#[derive(Args)]
struct AgentArgs {
    /// The message; without it, lines are read from the terminal.
    #[arg(short, long)]
    message: Option<String>,
    /// Session: its id, or any name of your own.
    #[arg(long)]
    session: Option<String>,
    /// Print the events as JSON, one a line.
    #[arg(long)]
    json: bool,
    /// Folder of settings, database and workspace.
    #[arg(long)]
    home: Option<PathBuf>,
}

#[derive(Args)]
struct DoctorArgs {
    /// Folder of settings, database and workspace.
    #[arg(long)]
    home: Option<PathBuf>,
    /// Print the checks as JSON.
    #[arg(long)]
    json: bool,
    /// Ask no provider.
    #[arg(long)]
    offline: bool,
}

#[derive(Args)]
struct ReplayArgs {
    /// The turn's id.
    turn: String,
    /// Folder of settings, database and workspace.
    #[arg(long)]
    home: Option<PathBuf>,
}

#[derive(Args)]
struct TokenArgs {
    #[command(subcommand)]
    action: TokenAction,
    /// Folder of settings, database and workspace.
    #[arg(long, global = true)]
    home: Option<PathBuf>,
}

#[derive(Subcommand)]
enum TokenAction {
    /// Make a token; it is shown once.
    Create {
        /// What it is for.
        name: String,
    },
    /// List tokens, without their values.
    List,
    /// Refuse a token from now on.
    Revoke {
        /// Its name.
        name: String,
    },
}

/// A failed command: what to say and how to exit.
pub(crate) struct Failure {
    /// One line for the person.
    pub(crate) message: String,
    /// 1 failed, 2 usage or configuration.
    pub(crate) code: u8,
}

impl Failure {
    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 1 }
    }

    pub(crate) fn configuration(message: impl Into<String>) -> Self {
        Self { message: message.into(), code: 2 }
    }
}

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            eprintln!("nanobot: the asynchronous runtime could not be started: {error}");
            return ExitCode::from(1);
        }
    };
    let outcome = runtime.block_on(async {
        match cli.command {
            None => serve::run(cli.serve).await,
            Some(CliCommand::Serve(args)) => serve::run(args).await,
            Some(CliCommand::Agent(args)) => agent::run(args).await,
            Some(CliCommand::Token(args)) => token::run(args).await,
            Some(CliCommand::Doctor(args)) => doctor::run(args).await,
            Some(CliCommand::Replay(args)) => replay::run(args).await,
        }
    });
    // A blocking task that does not end must not keep the process.
    runtime.shutdown_timeout(std::time::Duration::from_millis(500));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("nanobot: {}", failure.message);
            ExitCode::from(failure.code)
        }
    }
}
