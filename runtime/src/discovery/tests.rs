//! Servers that answer, that answer something else, and that do not.

use super::*;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

fn client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder().no_proxy().build().unwrap()
}

/// A server that gives every connection this answer; without one it accepts and says nothing.
async fn serve(answer: Option<String>) -> (SocketAddr, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let mut silent = Vec::new();
        while let Ok((mut stream, _)) = listener.accept().await {
            let Some(answer) = &answer else {
                silent.push(stream);
                continue;
            };
            let mut request = [0; 1024];
            let count = stream.read(&mut request).await.unwrap_or_default();
            if count > 0 {
                assert!(request.starts_with(b"GET /v1/models HTTP/1.1\r\n"));
                let _ = stream.write_all(answer.as_bytes()).await;
            }
        }
    });
    (address, tasks)
}

fn ok(body: &str) -> Option<String> {
    Some(format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len()))
}

async fn probed(answer: Option<String>) -> Vec<Found> {
    let (address, _server) = serve(answer).await;
    discover(&client(), &[ProbeTarget { provider: "vllm", address }], &BTreeMap::new()).await
}

#[tokio::test]
async fn model_servers_are_listed_in_order() {
    let (ollama, _ollama) = serve(ok(r#"{"object":"list","data":null}"#)).await;
    let (vllm, _vllm) = serve(ok(r#"{"object":"list","data":[{"id":"qwen3","object":"model"},{"id":"b"}]}"#)).await;
    let targets =
        [ProbeTarget { provider: "ollama", address: ollama }, ProbeTarget { provider: "vllm", address: vllm }];
    let found = discover(&client(), &targets, &BTreeMap::new()).await;
    let seen: Vec<_> = found.iter().map(|found| (found.provider.as_str(), found.models.clone())).collect();
    assert_eq!(seen, [("ollama", vec![]), ("vllm", vec!["qwen3".to_owned(), "b".to_owned()])]);
    assert_eq!(
        serde_json::to_value(&found).unwrap()[1],
        serde_json::json!({
            "source": "server", "provider": "vllm", "label": "vLLM", "kind": "openai", "base_url": format!("http://{vllm}/v1"),
            "models": ["qwen3", "b"]
        })
    );
}

#[tokio::test]
async fn what_is_no_model_server_is_left_out() {
    for body in ["<html>", "{}", r#"{"data":[{"name":"x"}]}"#, r#"{"object":"list","data":{}}"#, "[]"] {
        assert_eq!(probed(ok(body)).await, [], "{body}");
    }
    assert_eq!(
        probed(Some("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".to_owned())).await,
        []
    );
    assert_eq!(probed(Some("SSH-2.0-x\r\n".to_owned())).await, []);
    let huge = format!(r#"{{"data":[{{"id":"{}"}}]}}"#, "x".repeat(MAX_ANSWER_BYTES));
    assert_eq!(probed(ok(&huge)).await, []);
}

#[tokio::test]
async fn a_server_that_says_nothing_or_is_not_there_does_not_hold_things_up() {
    let (silent, _server) = serve(None).await;
    let (closed, closed_server) = serve(None).await;
    drop(closed_server);
    tokio::task::yield_now().await;
    let targets = [silent, closed].map(|address| ProbeTarget { provider: "vllm", address });
    let started = std::time::Instant::now();
    assert_eq!(discover(&client(), &targets, &BTreeMap::new()).await, []);
    assert!(started.elapsed() < Duration::from_secs(4));
}

#[tokio::test]
async fn keys_of_providers_that_can_be_used_are_found() {
    let env = [("GROQ_API_KEY", "k"), ("OPENAI_API_KEY", " "), ("MINIMAX_API_KEY", "k"), ("AZURE_OPENAI_API_KEY", "k")];
    let env: BTreeMap<_, _> = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    let found = discover(&client(), &[], &env).await;
    assert_eq!(
        serde_json::to_value(&found).unwrap(),
        serde_json::json!([{
            "source": "key", "provider": "groq", "label": "Groq", "kind": "openai", "base_url": "https://api.groq.com/openai/v1",
            "env": "GROQ_API_KEY", "models": []
        }, {
            "source": "key", "provider": "minimax", "label": "MiniMax", "kind": "openai", "base_url": "https://api.minimax.io/v1",
            "env": "MINIMAX_API_KEY", "models": []
        }])
    );
    let view = SetupView::new(&Config::default(), found);
    assert!(view.needs_setup && view.default_preset.is_none());
    assert!(view.providers.iter().all(|provider| provider.kind != ProviderKind::Demo));
}

#[test]
fn every_usual_target_is_a_known_provider() {
    for target in usual_targets() {
        assert_eq!(known_provider(target.provider).unwrap().base_url, format!("http://{}/v1", target.address));
    }
}
