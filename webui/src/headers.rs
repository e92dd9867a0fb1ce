//! The response headers of pages and files: what a page may load, who may frame it, how long it may be kept.

use crate::assets::Asset;

/// `Content-Security-Policy` of every page. With `trusted-types 'none'` even a slip in our own code cannot inject markup.
pub const PAGE_CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
    font-src 'self'; connect-src 'self'; frame-src 'self'; media-src 'self' blob:; manifest-src 'self'; \
    worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// `Content-Security-Policy` of `/static/frame/*`, the sandboxed documents that draw diagrams for the page.
pub const FRAME_CSP: &str =
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'";

/// Headers that every response carries, with lower-case names.
pub const COMMON: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("permissions-policy", "microphone=(self)"),
];

/// `Cache-Control` of the shell and other rendered pages: they hold state of this moment and this reader.
pub const CACHE_NEVER: &str = "no-store";
/// `Cache-Control` of a file without a matching version: kept, but asked for again with its `ETag`.
pub const CACHE_REVALIDATE: &str = "no-cache";
/// `Cache-Control` of a file whose URL names its content.
pub const CACHE_FOREVER: &str = "public, max-age=31536000, immutable";

/// `Vary` of every file: its body depends on what the client can decompress.
pub const VARY: &str = "accept-encoding";

/// `Content-Type` of rendered pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// The policy for a file, by its path below `/static/`.
#[must_use]
pub fn asset_csp(path: &str) -> &'static str {
    if path.starts_with("frame/") { FRAME_CSP } else { PAGE_CSP }
}

/// How long a file may be kept, by the value of `v` in the query of its URL.
#[must_use]
pub fn asset_cache_control(asset: &Asset, version: Option<&str>) -> &'static str {
    if version == Some(asset.hash.as_str()) { CACHE_FOREVER } else { CACHE_REVALIDATE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assets::asset;

    #[test]
    fn policies_are_one_line_and_exact() {
        assert_eq!(
            PAGE_CSP,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; media-src 'self' blob:; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        );
        for value in [PAGE_CSP, FRAME_CSP] {
            assert!(value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) && !value.contains("  "));
        }
    }

    #[test]
    fn frames_have_their_own_policy() {
        assert_eq!(asset_csp("frame/mermaid.html"), FRAME_CSP);
        assert_eq!(asset_csp("app/frame/x.js"), PAGE_CSP);
        assert_eq!(asset_csp("frame.html"), PAGE_CSP);
    }

    #[test]
    fn only_the_right_version_is_kept_forever() {
        let asset = asset("pages.css", None).unwrap();
        assert_eq!(asset_cache_control(&asset, Some(&asset.hash)), CACHE_FOREVER);
        for version in [None, Some(""), Some("0123456789abcdef"), asset.hash.get(..8)] {
            assert_eq!(asset_cache_control(&asset, version), CACHE_REVALIDATE);
        }
    }
}
