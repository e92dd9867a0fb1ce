//! The files below `/static/`, embedded in the binary together with their compressed forms and hashes.

use std::borrow::Cow;
use std::fmt::Write as _;

use rust_embed::RustEmbed;

use crate::quality::weighted;

#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../static"]
#[allow_missing = true]
struct Plain;

/// Written by `build.rs` under the same paths as [`Plain`], for text that gains from it.
#[derive(RustEmbed)]
#[folder = "$OUT_DIR/gzip"]
struct Gzip;

/// Where the server mounts the files.
pub const MOUNT: &str = "/static/";

const HASH_BYTES: usize = 8;

/// One file in the form a client can read.
#[derive(Clone, Debug)]
pub struct Asset {
    /// The bytes to send, compressed if `encoding` says so.
    pub body: Cow<'static, [u8]>,
    /// Value of `Content-Type`.
    pub content_type: &'static str,
    /// Value of `ETag`, quotes included; differs between the forms of one file.
    pub etag: String,
    /// Value of `Content-Encoding`, if any.
    pub encoding: Option<&'static str>,
    /// The first 16 hex digits of the SHA-256 of the uncompressed file: what `?v=` carries.
    pub hash: String,
}

impl Asset {
    /// Whether a client that sent this `If-None-Match` already has these bytes (RFC 9110 §13.1.2).
    #[must_use]
    pub fn is_known(&self, if_none_match: &str) -> bool {
        if_none_match.split(',').map(str::trim).any(|tag| tag == "*" || tag.trim_start_matches("W/") == self.etag)
    }
}

/// The file at `path` (below `/static/`, without a leading slash), compressed when `accept_encoding` allows it.
///
/// Files are looked up by their exact name in a list made at build time: no path can reach outside of it.
#[must_use]
pub fn asset(path: &str, accept_encoding: Option<&str>) -> Option<Asset> {
    // The lookup would read a backslash as a slash; a file has one name only.
    if path.contains('\\') {
        return None;
    }
    let plain = Plain::get(path)?;
    let hash = short_hash(&plain.metadata.sha256_hash());
    let content_type = content_type(path);
    let compressed = if accept_encoding.is_some_and(accepts_gzip) { Gzip::get(path) } else { None };
    Some(match compressed {
        Some(gzip) => {
            Asset { body: gzip.data, content_type, etag: format!("\"{hash}-gzip\""), encoding: Some("gzip"), hash }
        }
        None => Asset { body: plain.data, content_type, etag: format!("\"{hash}\""), encoding: None, hash },
    })
}

/// The URL of a file with its hash as the version; without a version if there is no such file.
#[must_use]
pub fn asset_url(path: &str) -> String {
    match asset(path, None) {
        Some(Asset { hash, .. }) => format!("{MOUNT}{path}?v={hash}"),
        None => format!("{MOUNT}{path}"),
    }
}

fn short_hash(sha256: &[u8]) -> String {
    sha256.iter().take(HASH_BYTES).fold(String::with_capacity(2 * HASH_BYTES), |mut hash, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hash, "{byte:02x}");
        hash
    })
}

/// `gzip` counts by its own weight, else by that of `*` (RFC 9110 §12.5.3).
fn accepts_gzip(accept_encoding: &str) -> bool {
    let weight_of = |names: &[&str]| {
        weighted(accept_encoding)
            .find(|(name, _)| names.iter().any(|known| name.eq_ignore_ascii_case(known)))
            .map(|(_, weight)| weight)
    };
    weight_of(&["gzip", "x-gzip"]).or_else(|| weight_of(&["*"])).is_some_and(|weight| weight > 0)
}

fn content_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("js" | "mjs") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("html") => "text/html; charset=utf-8",
        Some("txt") => "text/plain; charset=utf-8",
        Some("json" | "map") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    #[test]
    fn a_file_has_type_hash_and_etag() {
        let asset = asset("pages.css", None).unwrap();
        assert_eq!(asset.content_type, "text/css; charset=utf-8");
        assert_eq!(asset.encoding, None);
        assert!(asset.hash.len() == 16 && asset.hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_eq!(asset.etag, format!("\"{}\"", asset.hash));
        assert_eq!(asset_url("pages.css"), format!("/static/pages.css?v={}", asset.hash));
    }

    #[test]
    fn hash_is_the_start_of_the_sha256() {
        let sha256 = [0x00, 0x0f, 0xa5, 0xff, 0x10, 0x20, 0x30, 0x40, 0x50];
        assert_eq!(short_hash(&sha256), "000fa5ff10203040");
    }

    #[test]
    fn gzip_is_sent_only_to_those_who_take_it() {
        for taken in ["gzip", "deflate, GZIP;q=0.1, br", "*", "x-gzip", "br;q=0, *;q=0.5"] {
            assert_eq!(asset("pages.css", Some(taken)).unwrap().encoding, Some("gzip"), "{taken:?}");
        }
        for refused in ["", "identity", "br, deflate", "gzip;q=0", "gzip;q=0.000, *", "*;q=0", "gzip;q=x", "gzipped"] {
            assert_eq!(asset("pages.css", Some(refused)).unwrap().encoding, None, "{refused:?}");
        }
    }

    #[test]
    fn compressed_forms_hold_the_same_bytes_under_another_etag() {
        let mut compressed_files = 0;
        for path in Gzip::iter() {
            let plain = asset(&path, None).unwrap();
            let gzip = asset(&path, Some("gzip")).unwrap();
            let mut unpacked = Vec::new();
            flate2::read::GzDecoder::new(gzip.body.as_ref()).read_to_end(&mut unpacked).unwrap();
            assert_eq!(unpacked, plain.body.as_ref(), "{path}");
            assert!(gzip.body.len() < plain.body.len(), "{path}");
            assert_eq!(gzip.hash, plain.hash, "{path}");
            assert_ne!(gzip.etag, plain.etag, "{path}");
            compressed_files += 1;
        }
        assert!(compressed_files > 0);
    }

    #[test]
    fn a_known_etag_is_recognised() {
        let asset = asset("pages.css", None).unwrap();
        let etag = asset.etag.clone();
        for known in [etag.clone(), format!("W/{etag}"), format!("\"x\", {etag}"), "*".to_owned()] {
            assert!(asset.is_known(&known), "{known}");
        }
        for unknown in ["", "\"x\"", asset.hash.as_str()] {
            assert!(!asset.is_known(unknown), "{unknown}");
        }
    }

    #[test]
    fn no_path_leads_outside() {
        for path in [
            "",
            "/",
            ".",
            "..",
            "../Cargo.toml",
            "app/../pages.css",
            "./pages.css",
            "/pages.css",
            "//pages.css",
            "pages.css/",
            "pages.css\0",
            "%2e%2e/Cargo.toml",
            "..%2fCargo.toml",
            "..\\Cargo.toml",
            "app\\main.js",
            "/etc/passwd",
            "PAGES.CSS",
            "missing.js",
        ] {
            assert!(asset(path, Some("gzip")).is_none(), "{path:?}");
        }
        assert_eq!(asset_url("missing.js"), "/static/missing.js");
    }

    #[test]
    fn every_embedded_file_has_a_type_of_its_own() {
        for path in Plain::iter() {
            assert_ne!(content_type(&path), "application/octet-stream", "{path}");
        }
        for (path, expected) in [
            ("a.mjs", "text/javascript; charset=utf-8"),
            ("a.html", "text/html; charset=utf-8"),
            ("a.js.map", "application/json"),
            ("a.webmanifest", "application/manifest+json"),
            ("a.svg", "image/svg+xml"),
            ("a.png", "image/png"),
            ("favicon.ico", "image/x-icon"),
            ("a.woff2", "font/woff2"),
            ("LICENSE", "application/octet-stream"),
        ] {
            assert_eq!(content_type(path), expected, "{path}");
        }
    }
}
