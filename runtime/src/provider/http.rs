//! The HTTP clients that all providers share, built when first used so that they cost nothing at start.
//!
//! Loading the system's certificates takes longer than the whole start of the server may; a server on this machine needs neither them
//! nor a proxy.

use std::collections::HashMap;
use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use nanobot_engine::model::{ModelError, ModelErrorKind};
use reqwest::{Client, ClientBuilder, Proxy, Url, redirect};
use secrecy::{ExposeSecret, SecretString};

use crate::config::ProxyChoice;

/// Longest wait for a connection, name lookup and TLS included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an unused connection is kept.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(60);

/// Most proxies whose clients are kept. Settings have a few; more are those of before.
const MAX_PROXIES: usize = 16;

/// A handle to the shared clients; cheap to clone, one set of connection pools behind all clones.
#[derive(Clone, Debug, Default)]
pub struct HttpClient(Arc<Clients>);

#[derive(Default)]
struct Clients {
    /// Plain HTTP to this machine and private networks: no proxy, no certificates.
    direct_plain: OnceLock<Option<Client>>,
    /// HTTPS without a proxy.
    direct_tls: OnceLock<Option<Client>>,
    /// All others, through the environment's proxy if there is one.
    remote: OnceLock<Option<Client>>,
    /// Those of configured proxies, by proxy.
    proxied: Mutex<HashMap<Url, Client>>,
}

/// Proxies have passwords in them, and clients show their proxies.
impl fmt::Debug for Clients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Clients").finish_non_exhaustive()
    }
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
        let client = self.0.direct_plain.get_or_init(|| build_plain(builder().no_proxy()));
        client.as_ref().ok_or_else(not_set_up)
    }

    /// The client for `url`; `is_local` when its host is known to be this machine. Without a `proxy` setting the environment's proxy is
    /// used, but never to this machine or a private network. A setting counts for every address: a proxy, or `none` or nothing for none.
    ///
    /// # Errors
    /// When the setting is no proxy, or the TLS stack cannot be set up at all.
    pub fn for_url(&self, url: &Url, is_local: bool, proxy: Option<&SecretString>) -> Result<Client, ModelError> {
        let direct = match proxy.map(|proxy| ProxyChoice::parse(proxy.expose_secret())).transpose().map_err(no_proxy)? {
            Some(ProxyChoice::Through(proxy)) => return self.through(proxy),
            Some(ProxyChoice::Never) => true,
            None => is_local || is_near(url),
        };
        let client = match (direct, url.scheme()) {
            (true, "http") => return self.local().cloned(),
            (true, _) => self.0.direct_tls.get_or_init(|| build_tls(|| builder().no_proxy())),
            (false, _) => self.0.remote.get_or_init(|| build_tls(builder)),
        };
        client.clone().ok_or_else(not_set_up)
    }

    /// The client that sends everything through this proxy.
    fn through(&self, proxy: Url) -> Result<Client, ModelError> {
        let mut proxied = self.0.proxied.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = proxied.get(&proxy) {
            return Ok(client.clone());
        }
        let setting = Proxy::all(proxy.clone()).map_err(|_| no_proxy("cannot be used as a proxy"))?;
        let client = build_tls(|| builder().no_proxy().proxy(setting.clone())).ok_or_else(not_set_up)?;
        if proxied.len() >= MAX_PROXIES {
            proxied.clear();
        }
        proxied.insert(proxy, client.clone());
        Ok(client)
    }
}

/// Whether an address is on this machine or in a private network, where a proxy for the internet does not lead. Only addresses count, and
/// the names that stand for this machine: what another name resolves to is not known here.
fn is_near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        return match address.to_canonical() {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified(),
            IpAddr::V6(v6) => {
                v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified()
            }
        };
    }
    let name = host.strip_suffix('.').unwrap_or(host);
    name == "localhost" || name.ends_with(".localhost") || name == "host.docker.internal"
}

fn no_proxy(why: &str) -> ModelError {
    ModelError::new(ModelErrorKind::NoModel, format!("the `proxy` of the provider {why}"))
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
mod tests;
