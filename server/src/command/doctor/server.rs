//! Is a server running on the home, and does it answer.

use std::path::Path;
use std::time::Duration;

use nanobot_runtime::config::Home;
use nanobot_runtime::provider::http_client;

use super::report::Check;

/// How long a server on this machine may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// Asks the server that holds the home.
pub(super) async fn check(home: &Path) -> Check {
    let Some(address) = Home::read_address(home) else {
        return Check::ok("server", "not running; start it with `nanobot serve`");
    };
    match answers(&address).await {
        Ok(()) => Check::ok("server", format!("runs at {address} and answers")),
        Err(problem) => {
            let detail = format!("holds the home but does not answer at {address}: {problem}");
            Check::fail("server", detail, "look at its log, then stop it and start it again")
        }
    }
}

async fn answers(address: &str) -> Result<(), String> {
    let clients = http_client();
    let client = clients.local().map_err(|error| error.detail)?;
    let response = client.get(format!("{address}/healthz")).timeout(PATIENCE).send().await;
    let status = response.map_err(|error| error.to_string())?.status();
    if status.is_success() { Ok(()) } else { Err(format!("status {status}")) }
}
