//! `nanobot serve`.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use nanobot_runtime::config::Overrides;
use tokio_util::sync::CancellationToken;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::format::FmtSpan;

use super::open::{locate, open};
use super::{Failure, ServeArgs};
use crate::auth::Auth;

pub(super) async fn run(args: ServeArgs) -> Result<(), Failure> {
    let filter = EnvFilter::try_from_env("NANOBOT_LOG").unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    // Whoever read our errors may be gone; the subscriber would say so on stderr, and end the task that logs.
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).with_target(false);
    // A span is worth a line once it is over.
    log.with_span_events(FmtSpan::CLOSE).log_internal_errors(false).init();
    let overrides = Overrides { host: args.host, port: args.port };
    let opened = open(&locate(args.home), overrides).await?;
    let config = opened.config.current();
    let host = config.server.host.clone();
    let address = resolve(&host, config.server.port)?;
    if !address.ip().is_loopback() {
        require_credential(&opened, &address).await?;
    }
    let listener = crate::serve::bind(address).map_err(|error| {
        Failure::failed(format!("cannot listen on {address}: {error}; choose another with --port, 0 takes a free one"))
    })?;
    let address = listener.local_addr().unwrap_or(address);
    let auth = Auth::new(address, host, config.server.allowed_hosts.clone(), config.server.token.clone());
    let shown = SocketAddr::new(reachable(address.ip()), address.port());
    if let Err(error) = opened.home.note_address(&format!("http://{shown}")) {
        tracing::warn!(%error, "the address was not noted; `nanobot agent` will not find this server");
    }
    let shutdown = CancellationToken::new();
    let signal = shutdown.clone();
    // Caught before the address is told, so that whoever reads it may end the server properly at once.
    let signalled = catch_signals();
    tokio::spawn(async move {
        signalled.await;
        tracing::info!("going away; running turns are parked and go on after the next start");
        signal.cancel();
    });
    println!("listening on http://{shown}");
    if args.open {
        open_browser(&format!("http://{shown}/"));
    }
    let max_body = usize::try_from(config.server.max_body_bytes).unwrap_or(usize::MAX);
    let served = crate::serve::run(listener, opened.runtime.clone(), auth, max_body, shutdown).await;
    drop(opened.home);
    served.map_err(|error| Failure::failed(format!("the server broke: {error}")))
}

fn resolve(host: &str, port: u16) -> Result<SocketAddr, Failure> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    (bare, port)
        .to_socket_addrs()
        .ok()
        .and_then(|mut found| found.next())
        .ok_or_else(|| Failure::configuration(format!("server.host {host:?} is no address of this machine")))
}

/// Beyond loopback nobody may come in without a credential, so there has to be one.
async fn require_credential(opened: &super::open::Opened, address: &SocketAddr) -> Result<(), Failure> {
    if opened.config.current().server.token.is_some() {
        return Ok(());
    }
    let tokens = opened.runtime.store().tokens().await.map_err(|error| Failure::failed(error.to_string()))?;
    if tokens.iter().any(|token| token.revoked_at.is_none()) {
        return Ok(());
    }
    Err(Failure::configuration(format!(
        "{address} can be reached by others, so a credential is needed: make one with `nanobot token create NAME`, or set server.token"
    )))
}

/// An address that a person can open.
fn reachable(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(v4) if v4.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        IpAddr::V6(v6) if v6.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
        other => other,
    }
}

fn open_browser(url: &str) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started = std::process::Command::new(program)
        .arg(url)
        .stdin(std::process::Stdio::null())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn();
    if let Err(error) = started {
        tracing::warn!(%error, "{program} could not be started; open {url} yourself");
    }
}

/// Installs the handlers at once; the future ends with the first signal.
fn catch_signals() -> impl Future<Output = ()> {
    #[cfg(unix)]
    let terminate = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::terminate()).inspect_err(|error| tracing::warn!(%error, "SIGTERM cannot be caught")).ok()
    };
    #[cfg(unix)]
    let interrupt = {
        use tokio::signal::unix::{SignalKind, signal};
        signal(SignalKind::interrupt()).ok()
    };
    async move {
        #[cfg(unix)]
        if let (Some(mut terminate), Some(mut interrupt)) = (terminate, interrupt) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            return;
        }
        let _ = tokio::signal::ctrl_c().await;
    }
}
