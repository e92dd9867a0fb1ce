//! The scripted model as a process, for tests that are not written in Rust.

use anyhow::Context;
use nanobot_tests::scripted::ScriptedModel;

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let port = match arguments.iter().position(|argument| argument == "--port") {
        Some(at) => arguments.get(at + 1).context("--port needs a number")?.parse()?,
        None => 0,
    };
    let model = ScriptedModel::start_on(port).await?;
    println!("READY {}", model.url());
    tokio::signal::ctrl_c().await?;
    Ok(())
}
