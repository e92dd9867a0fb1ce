//! Binding, serving and going away.

use std::future::IntoFuture;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::serve::ListenerExt;
use tokio::net::{TcpListener, TcpSocket};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::app::{App, AppState};
use crate::audit;
use crate::auth::Auth;
use crate::router::router;
use nanobot_runtime::Runtime;

/// Connections that may wait to be accepted; a small number makes many clients at once wait a second.
const BACKLOG: u32 = 4_096;
/// How long open requests and sockets get to end.
const GRACE: Duration = Duration::from_secs(5);

/// Binds an address.
///
/// # Errors
/// When the address is taken or not ours.
pub fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves until `shutdown`, then parks running turns and closes the database.
///
/// # Errors
/// When the listener breaks.
pub async fn run(
    listener: TcpListener,
    runtime: Runtime,
    auth: Auth,
    max_body_bytes: usize,
    shutdown: CancellationToken,
) -> std::io::Result<()> {
    let sockets = TaskTracker::new();
    let app = AppState(Arc::new(App {
        runtime: runtime.clone(),
        auth,
        max_body_bytes,
        shutdown: shutdown.clone(),
        sockets: sockets.clone(),
    }));
    // Small frames must not wait for an acknowledgement of the one before.
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "nodelay was not set");
        }
    });
    let background = tokio::spawn(upkeep(app.clone(), shutdown.clone()));
    let service = router(app).into_make_service_with_connect_info::<SocketAddr>();
    let signal = shutdown.clone();
    let server = axum::serve(listener, service).with_graceful_shutdown(async move { signal.cancelled().await });
    let mut serving = std::pin::pin!(server.into_future());
    let served = tokio::select! {
        served = &mut serving => served,
        () = shutdown.cancelled() => {
            sockets.close();
            let ended = async {
                sockets.wait().await;
                serving.await
            };
            tokio::time::timeout(GRACE, ended).await.unwrap_or(Ok(()))
        }
    };
    shutdown.cancel();
    let _ = background.await;
    if tokio::time::timeout(GRACE, runtime.shutdown()).await.is_err() {
        tracing::warn!("some work did not end in time; it is taken up at the next start");
    }
    served
}

/// What runs after the socket is bound: unfinished turns, then slow and regular work.
async fn upkeep(app: AppState, shutdown: CancellationToken) {
    let runtime = &app.runtime;
    if let Err(error) = runtime.recover().await {
        tracing::error!(%error, "unfinished turns could not be taken up");
    }
    let work = async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        match runtime.store().integrity_check().await {
            Ok(problems) if problems.is_empty() => {}
            Ok(problems) => tracing::error!(?problems, "the database is damaged; put back a backup"),
            Err(error) => tracing::warn!(%error, "the database could not be checked"),
        }
        loop {
            while matches!(runtime.store().index_pending(64).await, Ok(true)) {
                tokio::task::yield_now().await;
            }
            let week = 7 * 24 * 3_600 * 1_000;
            if let Err(error) = runtime.store().purge_deleted(runtime.now().saturating_sub(week)).await {
                tracing::warn!(%error, "deleted sessions were not removed");
            }
            if let Some(entry) = app.auth.failed_logins().over(runtime.now()) {
                audit::write(runtime.store(), entry).await;
            }
            tokio::time::sleep(Duration::from_secs(30)).await;
        }
    };
    tokio::select! {
        () = work => {}
        () = shutdown.cancelled() => {}
    }
    if let Some(entry) = app.auth.failed_logins().rest(runtime.now()) {
        audit::write(runtime.store(), entry).await;
    }
}
