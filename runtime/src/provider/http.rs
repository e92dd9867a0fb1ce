//! The HTTP clients that all providers share, built when first used so that they cost nothing at start.
//!
//! Loading the system's certificates takes longer than the whole start of the server may; a server on this machine needs neither them
//! nor a proxy.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use nanobot_engine::model::{ModelError, ModelErrorKind};
use reqwest::{Client, ClientBuilder, Url, redirect};

/// Longest wait for a connection, name lookup and TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// A handle to the shared clients; cheap to clone, one set of connection pools behind all clones.
#[derive(Clone, Debug, Default)]
pub struct HttpClient(Arc<Clients>);

#[derive(Debug, Default)]
struct Clients {
    /// Plain HTTP to this machine: no proxy, no certificates.
    local_plain: OnceLock<Option<Client>>,
    /// HTTPS to this machine: no proxy.
    local_tls: OnceLock<Option<Client>>,
    /// All others, through the environment's proxy if there is one.
    remote: OnceLock<Option<Client>>,
}

/// A handle whose clients are built when they are first asked for.
#[must_use]
pub fn http_client() -> HttpClient {
    HttpClient::default()
}

impl HttpClient {
    /// The client for plain HTTP to this machine.
    ///
    /// # Errors
    /// When it cannot be set up.
    pub fn local(&self) -> Result<&Client, ModelError> {
        let client = self.0.local_plain.get_or_init(|| build_plain(builder().no_proxy()));
        client.as_ref().ok_or_else(not_set_up)
    }

    /// The client for `url`; `is_local` when its host is this machine.
    ///
    /// # Errors
    /// When the TLS stack cannot be set up at all.
    pub fn for_url(&self, url: &Url, is_local: bool) -> Result<&Client, ModelError> {
        let client = match (is_local, url.scheme()) {
            (true, "http") => self.0.local_plain.get_or_init(|| build_plain(builder().no_proxy())),
            (true, _) => self.0.local_tls.get_or_init(|| build_tls(|| builder().no_proxy())),
            (false, _) => self.0.remote.get_or_init(|| build_tls(builder)),
        };
        client.as_ref().ok_or_else(not_set_up)
    }
}

fn not_set_up() -> ModelError {
    let detail = "the HTTP client could not be set up: see the log for the cause";
    ModelError::new(ModelErrorKind::Unavailable, detail)
}

fn builder() -> ClientBuilder {
    // Another part of the process may have chosen its own provider before; then that one is used.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("nanobot/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .pool_idle_timeout(POOL_IDLE_TIMEOUT)
        .tcp_nodelay(true)
        .redirect(redirect::Policy::none())
}

fn build_plain(builder: ClientBuilder) -> Option<Client> {
    match builder.tls_certs_only([]).build() {
        Ok(client) => Some(client),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "failed to build the HTTP client");
            None
        }
    }
}

/// A machine without any certificates can still reach servers over plain HTTP.
fn build_tls(builder: impl Fn() -> ClientBuilder) -> Option<Client> {
    match builder().build() {
        Ok(client) => Some(client),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "no certificate authorities found, HTTPS will fail: install ca-certificates or set SSL_CERT_FILE"
            );
            build_plain(builder())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_are_built_once_and_shared() {
        let client = http_client();
        let url = Url::parse("http://127.0.0.1:1").expect("a URL");
        let started = std::time::Instant::now();
        let first: *const Client = client.for_url(&url, true).expect("a client");
        println!("local client built in {:?}", started.elapsed());
        assert!(std::ptr::eq(first, client.clone().for_url(&url, true).expect("a client")));
        let started = std::time::Instant::now();
        client.for_url(&Url::parse("https://h.test").expect("a URL"), false).expect("a client");
        println!("remote client built in {:?}", started.elapsed());
    }
}
