//! Who may come in: Host and Origin on every request, and a credential wherever strangers could knock.
//!
//! On a loopback bind no password is needed, because Host has to be a loopback name and Origin, when present, has to
//! match it: so no web page can reach the server, neither directly nor through DNS rebinding. Every other bind, and every
//! request that came through a reverse proxy (its Host is in `allowed_hosts`), needs a token or a login cookie.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use nanobot_store::{LoginRecord, Store};
use secrecy::{ExposeSecret, SecretString};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::app::AppState;
use crate::audit::{self, Actor, CONFIG, FailedLogins, Way};
use crate::error::ApiError;

/// How our own tokens begin.
const TOKEN_PREFIX: &str = "nb_";
/// Name of the login cookie.
pub const COOKIE: &str = "nanobot_login";
/// How long a login lasts, in milliseconds.
const LOGIN_MS: i64 = 30 * 24 * 3_600 * 1_000;
/// Failed logins from one address within a minute.
const MAX_FAILURES: u32 = 10;
const FAILURE_WINDOW: Duration = Duration::from_secs(60);
/// Addresses that are remembered.
const MAX_ADDRESSES: usize = 4_096;

/// The rules of this server.
pub struct Auth {
    loopback: bool,
    port: u16,
    bound_host: String,
    allowed_hosts: Vec<String>,
    static_token: Option<SecretString>,
    failures: Mutex<HashMap<IpAddr, (u32, Instant)>>,
    failed_logins: FailedLogins,
}

impl Auth {
    /// Rules for a server bound to `address`.
    #[must_use]
    pub fn new(
        address: SocketAddr,
        bound_host: String,
        allowed_hosts: Vec<String>,
        token: Option<SecretString>,
    ) -> Self {
        Self {
            loopback: address.ip().is_loopback(),
            port: address.port(),
            bound_host: bound_host.to_ascii_lowercase(),
            allowed_hosts: allowed_hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            static_token: token,
            failures: Mutex::default(),
            failed_logins: FailedLogins::default(),
        }
    }

    /// The port that this server listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Failed sign-ins that the audit log has yet to be told of.
    pub(crate) fn failed_logins(&self) -> &FailedLogins {
        &self.failed_logins
    }

    /// May this Host header be answered at all?
    fn host_is_ours(&self, host: &str) -> bool {
        let name = host_name(host).to_ascii_lowercase();
        is_loopback_name(&name)
            || self.allowed_hosts.iter().any(|allowed| *allowed == name || *allowed == host.to_ascii_lowercase())
            // An address cannot be rebound to somebody else; a name can.
            || (!self.loopback && (name == self.bound_host || name.parse::<IpAddr>().is_ok()))
    }

    /// Does a request with this Host, from this peer, need a credential?
    fn needs_credential(&self, host: &str, peer: Option<IpAddr>) -> bool {
        let local = self.loopback && is_loopback_name(&host_name(host).to_ascii_lowercase());
        !local || self.static_token.is_some() || peer.is_some_and(|peer| !peer.is_loopback())
    }

    fn too_many_failures(&self, peer: IpAddr) -> bool {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.get(&peer).is_some_and(|(count, since)| *count >= MAX_FAILURES && since.elapsed() < FAILURE_WINDOW)
    }

    fn note_failure(&self, peer: IpAddr) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        if failures.len() >= MAX_ADDRESSES {
            failures.retain(|_, (_, since)| since.elapsed() < FAILURE_WINDOW);
        }
        let entry = failures.entry(peer).or_insert((0, Instant::now()));
        if entry.1.elapsed() >= FAILURE_WINDOW {
            *entry = (0, Instant::now());
        }
        entry.0 += 1;
    }

    /// Is this the credential of the configuration?
    fn is_static(&self, token: &str) -> bool {
        self.static_token.as_ref().is_some_and(|expected| same(&hash(token), &hash(expected.expose_secret())))
    }

    /// A login that was made with the credential of the configuration. It is signed with it instead of stored, so it
    /// ends when that credential is changed.
    fn static_login(&self, expires_at: i64) -> Option<String> {
        let nonce = uuid::Uuid::new_v4().simple();
        self.sign(&format!("{expires_at}.{nonce}"))
    }

    fn is_static_login(&self, login: &str, now: i64) -> bool {
        let Some((data, _)) = login.rsplit_once('.') else { return false };
        let expires_at = data.split('.').next().and_then(|at| at.parse::<i64>().ok());
        expires_at.is_some_and(|at| at > now) && self.sign(data).is_some_and(|signed| same(&signed, login))
    }

    fn sign(&self, data: &str) -> Option<String> {
        let key = hash(self.static_token.as_ref()?.expose_secret());
        // Hashing twice with the key keeps the inner state from whoever sees a signature.
        Some(format!("{data}.{}", hash(&format!("{key} {}", hash(&format!("{key} {data}"))))))
    }

    /// The name of the credential that this token is, if it is one.
    pub async fn verify(&self, store: &Store, token: &str, now: i64) -> Option<String> {
        if self.is_static(token) {
            return Some(CONFIG.to_owned());
        }
        let record = store.token_by_hash(&hash(token)).await.ok().flatten()?;
        if record.revoked_at.is_some() {
            return None;
        }
        if let Err(error) = store.touch_token(&record.name, now).await {
            tracing::debug!(%error, "the last use of a token was not noted");
        }
        Some(record.name)
    }
}

/// What a request showed to come in.
#[derive(Clone)]
pub enum Credential {
    /// An API token.
    Token(SecretString),
    /// The cookie of a browser login.
    Login(SecretString),
}

impl Credential {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let token = bearer(headers).map(|token| Self::Token(token.into()));
        token.or_else(|| cookie(headers, COOKIE).map(|login| Self::Login(login.into())))
    }

    /// Our own tokens and cookies are too long to be guessed, so guessing by others need not lock them out.
    fn can_be_guessed(&self) -> bool {
        match self {
            Self::Token(token) => !token.expose_secret().starts_with(TOKEN_PREFIX),
            Self::Login(_) => false,
        }
    }

    /// Is it good now? Open sockets ask again, so that a revoked token ends them too.
    pub async fn holds(&self, app: &AppState) -> bool {
        self.name(app).await.is_some()
    }

    /// The name of the token behind it while it is good.
    async fn name(&self, app: &AppState) -> Option<String> {
        let store = app.runtime.store();
        let now = app.runtime.now();
        match self {
            Self::Token(token) => app.auth.verify(store, token.expose_secret(), now).await,
            Self::Login(login) => {
                if app.auth.is_static_login(login.expose_secret(), now) {
                    return Some(CONFIG.to_owned());
                }
                // Revoking a token ends the logins that were made with it.
                let known = store.login_by_hash(&hash(login.expose_secret())).await.ok().flatten();
                known.filter(|login| login.expires_at > now).map(|login| login.token_name)
            }
        }
    }
}

fn same(one: &str, other: &str) -> bool {
    bool::from(one.as_bytes().ct_eq(other.as_bytes()))
}

/// SHA-256 in hex: how tokens are stored. They have 244 random bits, so no slow hash is needed.
#[must_use]
pub fn hash(token: &str) -> String {
    Sha256::digest(token.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A new random token.
#[must_use]
pub fn new_token() -> String {
    let (a, b) = (uuid::Uuid::new_v4().simple(), uuid::Uuid::new_v4().simple());
    format!("{TOKEN_PREFIX}{a}{b}")
}

/// The guard in front of everything.
pub async fn guard(State(app): State<AppState>, mut request: Request, next: Next) -> Response {
    match check(&app, &mut request).await {
        Ok(()) => next.run(request).await,
        Err(refusal) => *refusal,
    }
}

/// Paths that answer without a credential: health, the login page and what it needs.
fn is_public(path: &str) -> bool {
    matches!(path, "/healthz" | "/readyz" | "/login") || path.starts_with("/static/")
}

async fn check(app: &AppState, request: &mut Request) -> Result<(), Box<Response>> {
    let refuse = |error: ApiError| Box::new(error.into_response());
    let headers = request.headers();
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    if !app.auth.host_is_ours(&host) {
        let detail = format!(
            "this server does not answer for the name {:?}; add it to server.allowed_hosts if it is yours",
            nanobot_engine::text::head(&host, 80)
        );
        return Err(refuse(ApiError::new(StatusCode::FORBIDDEN, "bad_host", detail)));
    }
    if !origin_fits(request.method(), headers, &host) {
        let detail = "the request comes from another web page; open nanobot at its own address";
        return Err(refuse(ApiError::new(StatusCode::FORBIDDEN, "bad_origin", detail)));
    }
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    if is_public(request.uri().path()) || !app.auth.needs_credential(&host, peer) {
        return Ok(());
    }
    let peer = peer.unwrap_or(IpAddr::from([0, 0, 0, 0]));
    let credential = Credential::of(headers);
    if app.auth.too_many_failures(peer) && credential.as_ref().is_none_or(Credential::can_be_guessed) {
        if credential.is_some() {
            note_refused(app, peer).await;
        }
        let detail = "too many failed sign-ins from this address; wait a minute";
        return Err(refuse(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_attempts", detail)));
    }
    if let Some(credential) = credential {
        if let Some(name) = credential.name(app).await {
            request.extensions_mut().insert(credential);
            request.extensions_mut().insert(Actor(name));
            return Ok(());
        }
        if matches!(credential, Credential::Token(_)) {
            note_wrong(app, peer, Way::Bearer).await;
        }
    }
    let headers = request.headers();
    let wants_page = request.method() == Method::GET
        && headers.get(header::ACCEPT).and_then(|a| a.to_str().ok()).is_some_and(|a| a.contains("text/html"));
    if wants_page {
        let mut response = StatusCode::SEE_OTHER.into_response();
        let target = format!("/login?next={}", request.uri().path());
        if let Ok(target) = HeaderValue::from_str(&target) {
            response.headers_mut().insert(header::LOCATION, target);
        }
        return Err(Box::new(response));
    }
    let mut response = ApiError::new(
        StatusCode::UNAUTHORIZED,
        "sign_in",
        "send a token as Authorization: Bearer, made with `nanobot token create NAME`, or sign in at /login",
    )
    .into_response();
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Err(Box::new(response))
}

/// Tries a token from the login form. Gives the cookie's value.
///
/// # Errors
/// When the token is wrong, or too many were tried.
pub async fn sign_in(app: &AppState, peer: IpAddr, token: &str) -> Result<String, ApiError> {
    if app.auth.too_many_failures(peer) {
        note_refused(app, peer).await;
        let detail = "too many failed sign-ins from this address; wait a minute";
        return Err(ApiError::new(StatusCode::TOO_MANY_REQUESTS, "too_many_attempts", detail));
    }
    let now = app.runtime.now();
    let store = app.runtime.store();
    let Some(token_name) = app.auth.verify(store, token.trim(), now).await else {
        note_wrong(app, peer, Way::Form).await;
        return Err(ApiError::new(StatusCode::UNAUTHORIZED, "wrong_token", "this token is not known here"));
    };
    audit::write(store, audit::login(&token_name, peer, now)).await;
    let expires_at = now.saturating_add(LOGIN_MS);
    if app.auth.is_static(token.trim())
        && let Some(value) = app.auth.static_login(expires_at)
    {
        return Ok(value);
    }
    let value = new_token();
    let login = LoginRecord { hash: hash(&value), token_name, created_at: now, expires_at };
    store.create_login(&login).await?;
    Ok(value)
}

async fn note_wrong(app: &AppState, peer: IpAddr, way: Way) {
    app.auth.note_failure(peer);
    for entry in app.auth.failed_logins.wrong(peer, way, app.runtime.now()) {
        audit::write(app.runtime.store(), entry).await;
    }
}

async fn note_refused(app: &AppState, peer: IpAddr) {
    if let Some(entry) = app.auth.failed_logins.refused(peer, app.runtime.now()) {
        audit::write(app.runtime.store(), entry).await;
    }
}

/// The `Set-Cookie` value of a login.
#[must_use]
pub fn login_cookie(value: &str, secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE}={value}; Path=/; HttpOnly; SameSite=Lax; Max-Age={}{secure}", LOGIN_MS / 1_000)
}

/// A cookie of the request.
#[must_use]
pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers
        .get_all(header::COOKIE)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|line| line.split(';'))
        .filter_map(|pair| pair.trim().split_once('='))
        .find_map(|(key, value)| (key == name).then_some(value))
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    value.strip_prefix("Bearer ").map(str::trim)
}

/// The name in a Host header, without its port.
fn host_name(host: &str) -> &str {
    if let Some(rest) = host.strip_prefix('[') {
        return rest.split(']').next().unwrap_or(rest);
    }
    host.rsplit_once(':').map_or(host, |(name, _)| name)
}

fn is_loopback_name(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Origin, when a browser sends it, is our own address; and no other site makes the request.
fn origin_fits(method: &Method, headers: &HeaderMap, host: &str) -> bool {
    // A link from another site may lead here, as long as following it changes nothing.
    let follows_link = method.is_safe() && headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate");
    if headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site") && !follows_link {
        return false;
    }
    match headers.get(header::ORIGIN) {
        None => true,
        // With `Referrer-Policy: no-referrer` a browser hides the origin of a form, but still says that it is our own.
        Some(origin) if origin == "null" => headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin"),
        Some(origin) => origin.to_str().ok().is_some_and(|origin| {
            let place = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            place.is_some_and(|place| place.eq_ignore_ascii_case(host))
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth(bind: &str, allowed: &[&str]) -> Auth {
        let address: SocketAddr = bind.parse().unwrap();
        Auth::new(address, address.ip().to_string(), allowed.iter().map(|a| (*a).to_owned()).collect(), None)
    }

    #[test]
    fn a_loopback_bind_answers_loopback_names_only() {
        let auth = auth("127.0.0.1:8765", &["agent.example"]);
        for host in ["127.0.0.1:8765", "localhost:8765", "[::1]:8765", "localhost", "agent.example"] {
            assert!(auth.host_is_ours(host), "{host}");
        }
        for host in ["evil.example:8765", "192.168.1.5:8765", "", "localhost.evil.example"] {
            assert!(!auth.host_is_ours(host), "{host}");
        }
        assert!(!auth.needs_credential("localhost:8765", None));
        assert!(auth.needs_credential("agent.example", None));
    }

    #[test]
    fn another_bind_needs_a_credential() {
        let auth = auth("0.0.0.0:8765", &[]);
        assert!(auth.host_is_ours("192.168.1.5:8765"));
        assert!(!auth.host_is_ours("evil.example:8765"));
        assert!(auth.needs_credential("localhost:8765", None));
    }

    #[test]
    fn origin_has_to_be_our_own() {
        let check = |origin: Option<&str>, host: &str| {
            let mut headers = HeaderMap::new();
            if let Some(origin) = origin {
                headers.insert(header::ORIGIN, HeaderValue::from_str(origin).unwrap());
            }
            origin_fits(&Method::GET, &headers, host)
        };
        assert!(check(Some("http://127.0.0.1:8765"), "127.0.0.1:8765"));
        assert!(check(Some("http://[::1]:8765"), "[::1]:8765"));
        assert!(check(None, "127.0.0.1:8765"));
        assert!(!check(Some("https://evil.example"), "127.0.0.1:8765"));
        assert!(!check(Some("null"), "127.0.0.1:8765"), "without the browser's word that it is our own page");
        assert!(!check(Some("http://127.0.0.1:8766"), "127.0.0.1:8765"));
    }
}
