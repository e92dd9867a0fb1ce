//! Makes addresses out of a `base_url` that people write in several ways.

use nanobot_engine::model::{ModelError, ModelErrorKind};
use reqwest::Url;

/// Ends of addresses that people paste whole.
const KNOWN_PATHS: [&str; 3] = ["/chat/completions", "/responses", "/messages"];

/// The addresses of one server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    requests: Url,
    models: Url,
}

impl Endpoint {
    /// Reads a base URL for requests to `path`: with or without `/v1` or another version, with or without a slash at the end, or a full
    /// address such as `…/chat/completions`, of which the part before it is used exactly.
    ///
    /// # Errors
    /// When it is no `http` or `https` URL.
    pub fn parse(provider: &str, base_url: &str, path: &str) -> Result<Self, ModelError> {
        let wrong = |why: &str| {
            let detail = format!("the base_url of {provider} {why}: write it like http://127.0.0.1:11434/v1");
            ModelError::new(ModelErrorKind::NoModel, detail)
        };
        let mut base = Url::parse(base_url.trim()).map_err(|_| wrong("is not a URL"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host_str().is_none_or(str::is_empty) {
            return Err(wrong("is not an http or https URL"));
        }
        base.set_fragment(None);
        let given = base.path().trim_end_matches('/').to_owned();
        let root = match KNOWN_PATHS.iter().find_map(|known| given.strip_suffix(known)) {
            Some(root) => root.to_owned(),
            None if given.split('/').any(is_version) => given,
            None => format!("{given}/v1"),
        };
        let with = |tail: &str| {
            let mut url = base.clone();
            url.set_path(&format!("{root}/{tail}"));
            url
        };
        Ok(Self { requests: with(path), models: with("models") })
    }

    /// Where answers are asked for.
    #[must_use]
    pub fn requests(&self) -> &Url {
        &self.requests
    }

    /// Where models are listed.
    #[must_use]
    pub fn models(&self) -> &Url {
        &self.models
    }

    /// True when the server is on this machine, so that no proxy can be meant.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = self.requests.host_str().unwrap_or_default().trim_matches(['[', ']']);
        host == "localhost"
            || host.ends_with(".localhost")
            || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    /// Host and port for messages.
    pub(crate) fn address(&self) -> String {
        let host = self.requests.host_str().unwrap_or_default();
        match self.requests.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }
}

/// `v1`, `v4`, `v1beta`, …
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(|rest| {
        rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_lead_to_the_same_place() {
        for (base, chat) in [
            ("http://127.0.0.1:11434", "http://127.0.0.1:11434/v1/chat/completions"),
            (" http://127.0.0.1:11434/ ", "http://127.0.0.1:11434/v1/chat/completions"),
            ("http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1/chat/completions"),
            ("http://127.0.0.1:11434/v1//", "http://127.0.0.1:11434/v1/chat/completions"),
            ("https://h.test/v1/chat/completions/", "https://h.test/v1/chat/completions"),
            ("https://h.test/chat/completions?api-version=1", "https://h.test/chat/completions?api-version=1"),
            ("https://h.test/api", "https://h.test/api/v1/chat/completions"),
            ("https://h.test/v1beta/openai/", "https://h.test/v1beta/openai/chat/completions"),
            ("https://h.test/api/paas/v4", "https://h.test/api/paas/v4/chat/completions"),
        ] {
            let endpoint = Endpoint::parse("stub", base, "chat/completions").expect(base);
            assert_eq!(endpoint.requests().as_str(), chat);
        }
        assert_eq!(
            Endpoint::parse("stub", "http://h.test/v1/chat/completions", "responses").expect("a URL").models().as_str(),
            "http://h.test/v1/models"
        );
        for base in ["", "h.test/v1", "ftp://h.test", "/v1"] {
            assert!(Endpoint::parse("stub", base, "messages").is_err(), "{base:?}");
        }
    }

    #[test]
    fn loopback_is_recognised() {
        for (base, loopback) in [
            ("http://localhost:1", true),
            ("http://127.3.2.1:1", true),
            ("http://[::1]:1", true),
            ("http://h.test", false),
            ("http://localhost.h.test", false),
            ("http://192.168.1.1", false),
        ] {
            assert_eq!(Endpoint::parse("stub", base, "messages").expect(base).is_loopback(), loopback, "{base}");
        }
    }
}
