//! A TCP proxy that can cut every connection at once, or refuse new ones: for tests of lost networks.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// A proxy in front of a server.
pub struct Proxy {
    address: SocketAddr,
    /// Counts up; every connection that sees it change ends.
    cuts: watch::Sender<u64>,
    /// Bytes from the server after which the next connection is cut; 0 for never.
    cut_after: Arc<AtomicU64>,
    cut_once: Arc<AtomicBool>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Starts in front of `upstream` (`http://HOST:PORT`).
    ///
    /// # Panics
    /// When no port can be bound.
    pub async fn start(upstream: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let upstream = upstream.trim_start_matches("http://").to_owned();
        let cuts = watch::Sender::new(0);
        let cut_after = Arc::new(AtomicU64::new(0));
        let (receiver, limit) = (cuts.subscribe(), Arc::clone(&cut_after));
        let cut_once = Arc::new(AtomicBool::new(true));
        let once = Arc::clone(&cut_once);
        let task = tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let (upstream, mut cut, limit) = (upstream.clone(), receiver.clone(), Arc::clone(&limit));
                let once = Arc::clone(&once);
                cut.mark_unchanged();
                tokio::spawn(async move {
                    if let Ok(server) = TcpStream::connect(&upstream).await {
                        let _ = server.set_nodelay(true);
                        tokio::select! {
                            () = pump(client, server, if once.load(Ordering::SeqCst) { limit.swap(0, Ordering::SeqCst) } else { limit.load(Ordering::SeqCst) }) => {}
                            _ = cut.changed() => {}
                        }
                    }
                });
            }
        });
        Self { address, cuts, cut_after, cut_once, task }
    }

    /// Its address, `http://127.0.0.1:PORT`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts every connection.
    pub fn cut(&self) {
        self.cuts.send_modify(|count| *count += 1);
    }

    /// The next connection is cut after this many bytes from the server.
    pub fn cut_next_after(&self, bytes: u64) {
        self.cut_once.store(true, Ordering::SeqCst);
        self.cut_after.store(bytes, Ordering::SeqCst);
    }

    /// Cuts every further connection after so many bytes from the server.
    pub fn cut_each_after(&self, bytes: u64) {
        self.cut_once.store(false, Ordering::SeqCst);
        self.cut_after.store(bytes, Ordering::SeqCst);
    }
}

async fn pump(mut client: TcpStream, mut server: TcpStream, cut_after: u64) {
    let (mut client_read, mut client_write) = client.split();
    let (mut server_read, mut server_write) = server.split();
    let up = tokio::io::copy(&mut client_read, &mut server_write);
    let down = async {
        let mut left = if cut_after == 0 { u64::MAX } else { cut_after };
        let mut buffer = [0_u8; 4096];
        while left > 0 {
            let room = usize::try_from(left).unwrap_or(buffer.len()).min(buffer.len());
            match server_read.read(&mut buffer[..room]).await {
                Ok(0) | Err(_) => break,
                Ok(read) => {
                    left -= read as u64;
                    if client_write.write_all(&buffer[..read]).await.is_err() {
                        break;
                    }
                }
            }
        }
    };
    tokio::select! {
        _ = up => {}
        () = down => {}
    }
}
