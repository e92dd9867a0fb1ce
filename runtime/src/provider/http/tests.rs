//! Which way requests go, and what is kept and shown of proxies.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn clients_are_built_once_and_shared() {
    let client = http_client();
    let is_built = || (client.0.direct_plain.get().is_some(), client.0.remote.get().is_some());
    assert_eq!(is_built(), (false, false));
    client.clone().for_url(&url("http://127.0.0.1:1"), true, None).expect("a client");
    assert_eq!(is_built(), (true, false));
    client.for_url(&url("https://h.test"), false, None).expect("a client");
    assert_eq!(is_built(), (true, true));
}

#[test]
fn addresses_of_this_machine_and_private_networks_are_near() {
    for (text, near) in [
        ("http://127.0.0.1:1", true),
        ("http://127.9.9.9", true),
        ("http://localhost", true),
        ("http://LOCALHOST.:1", true),
        ("http://a.localhost", true),
        ("http://10.0.0.1", true),
        ("http://172.16.0.1", true),
        ("http://172.31.255.255", true),
        ("http://172.32.0.1", false),
        ("http://192.168.1.2:8000/v1", true),
        ("http://192.169.1.2", false),
        ("http://169.254.1.1", true),
        ("http://[::1]:1", true),
        ("http://[fc00::1]", true),
        ("http://[fd12::1]", true),
        ("http://[fe80::1]", true),
        ("http://[::ffff:10.0.0.1]", true),
        ("http://[2001:db8::1]", false),
        ("http://host.docker.internal:11434", true),
        ("http://8.8.8.8", false),
        ("http://11.0.0.1", false),
        ("http://h.test", false),
        ("http://10.0.0.1.example.com", false),
        ("http://localhost.evil.com", false),
        ("http://notlocalhost", false),
        ("http://host.docker.internal.evil.com", false),
        ("http://127.0.0.1@evil.com", false),
    ] {
        assert_eq!(is_near(&url(text)), near, "{text}");
    }
}

#[test]
fn proxies_have_clients_of_their_own_that_are_kept() {
    let client = http_client();
    let target = url("http://127.0.0.1:1");
    let kept = || client.0.proxied.lock().expect("the lock").len();
    for (proxy, count) in
        [("http://a.test", 1), ("http://a.test/", 1), ("socks5://a.test:1080", 2), ("none", 2), ("", 2)]
    {
        client.for_url(&target, true, Some(&proxy.into())).expect(proxy);
        assert_eq!(kept(), count, "{proxy}");
    }
    for number in 0..2 * MAX_PROXIES {
        client.for_url(&target, true, Some(&format!("http://p{number}.test").into())).expect("a client");
    }
    assert!(kept() <= MAX_PROXIES);
}

#[test]
fn what_is_no_proxy_is_refused_without_showing_it() {
    let client = http_client();
    for proxy in ["ftp://me:pass-word@h.test", "me:pass-word@h.test", "http://", "http://***@h.test"] {
        let error = client.for_url(&url("https://h.test"), false, Some(&proxy.into())).expect_err(proxy);
        assert_eq!(error.kind, ModelErrorKind::NoModel);
        assert!(!error.detail.contains("pass-word"), "{}", error.detail);
    }
    client.for_url(&url("https://h.test"), false, Some(&"http://me:pass-word@h.test".into())).expect("a client");
    assert!(!format!("{client:?}").contains("pass-word"));
}

/// A proxy that answers the first request by itself and gives what it was sent.
async fn proxy() -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let seen = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut bytes = vec![0; 4096];
        let count = stream.read(&mut bytes).await.expect("a request");
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
        stream.write_all(answer).await.expect("an answer");
        String::from_utf8_lossy(&bytes[..count]).into_owned()
    });
    (address.to_string(), seen)
}

#[tokio::test]
async fn a_configured_proxy_is_used_even_for_this_machine() {
    let (address, seen) = proxy().await;
    let target = url("http://127.0.0.1:9/v1/models");
    let client = http_client();
    let proxied = client.for_url(&target, true, Some(&format!("http://me:pass@{address}").into())).expect("a client");
    assert_eq!(proxied.get(target.clone()).send().await.expect("an answer").status(), 200);
    let seen = seen.await.expect("the proxy ran");
    assert!(seen.starts_with("GET http://127.0.0.1:9/v1/models HTTP/1.1\r\n"), "{seen}");
    assert!(seen.contains("proxy-authorization: Basic bWU6cGFzcw=="), "{seen}");
    for none in ["none", " ", "NONE"] {
        let direct = client.for_url(&target, false, Some(&none.into())).expect("a client");
        assert!(direct.get(target.clone()).send().await.is_err_and(|error| error.is_connect()), "{none:?}");
    }
}

#[tokio::test]
async fn a_socks_proxy_is_spoken_to() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let greeting = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut bytes = [0; 2];
        stream.read_exact(&mut bytes).await.expect("a greeting");
        bytes
    });
    let target = url("http://127.0.0.1:9/");
    let client = http_client().for_url(&target, true, Some(&format!("socks5h://{address}").into())).expect("a client");
    assert!(client.get(target).send().await.is_err());
    assert_eq!(greeting.await.expect("the proxy ran")[0], 5, "the version of the protocol");
}
