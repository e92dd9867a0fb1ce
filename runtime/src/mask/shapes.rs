//! Texts that look like keys, whoever's they are.

use super::MASK;

/// A key that begins in a way of its own.
struct Shape {
    /// How it begins; this stays, so that one sees what it was.
    prefix: &'static str,
    /// Least length of the rest, in bytes.
    least: usize,
    /// What the rest is made of.
    part: fn(u8) -> bool,
}

const fn shape(prefix: &'static str, least: usize, part: fn(u8) -> bool) -> Shape {
    Shape { prefix, least, part }
}

/// As their makers document them, or as secret scanners look for them.
const SHAPES: [Shape; 33] = [
    shape("sk-", 16, is_word),
    shape("sk_live_", 16, is_word),
    shape("sk_test_", 16, is_word),
    shape("rk_live_", 16, is_word),
    shape("whsec_", 16, is_word),
    shape("gsk_", 16, is_word),
    shape("xai-", 16, is_word),
    shape("pplx-", 16, is_word),
    shape("nvapi-", 16, is_word),
    shape("tvly-", 16, is_word),
    shape("hf_", 16, is_word),
    shape("r8_", 16, is_word),
    shape("ghp_", 16, is_word),
    shape("gho_", 16, is_word),
    shape("ghu_", 16, is_word),
    shape("ghs_", 16, is_word),
    shape("ghr_", 16, is_word),
    shape("github_pat_", 16, is_word),
    shape("glpat-", 16, is_word),
    shape("npm_", 16, is_word),
    shape("pypi-", 16, is_word),
    shape("dop_v1_", 16, is_word),
    shape("xoxb-", 10, is_word),
    shape("xoxp-", 10, is_word),
    shape("xoxa-", 10, is_word),
    shape("xoxr-", 10, is_word),
    shape("xoxs-", 10, is_word),
    shape("xapp-", 10, is_word),
    shape("AKIA", 16, is_upper),
    shape("ASIA", 16, is_upper),
    shape("AIza", 30, is_word),
    shape("ya29.", 20, is_word),
    // A signed token of three parts, each base64 of a JSON object.
    shape("eyJ", 40, is_dotted),
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

fn is_dotted(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

fn is_base64(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'~')
}

/// Ends of the names of variables that hold secrets.
const SECRET_NAMES: [&str; 5] = ["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD"];
/// Shortest value of such a variable that is taken for a secret.
const LEAST_VALUE: usize = 8;
/// Shortest value behind `Bearer`.
const LEAST_BEARER: usize = 16;
const PEM_BEGIN: &str = "-----BEGIN ";
const PEM_END: &str = "-----END ";
const PEM_KEY: &str = "PRIVATE KEY-----";

/// The text with everything masked that looks like a key.
pub(super) fn mask(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before = None;
    while let Some(first) = rest.chars().next() {
        let bounded = !before.is_some_and(|c: char| c.is_alphanumeric() || c == '_');
        let found = if bounded { key(rest) } else { None };
        let found = found.or_else(|| block(rest, &mut out)).or_else(|| password(rest));
        let (kept, gone) = match found {
            Some((kept, gone)) => {
                out.push_str(rest.get(..kept).unwrap_or_default());
                out.push_str(MASK);
                (kept, gone)
            }
            None => {
                out.push(first);
                (first.len_utf8(), 0)
            }
        };
        let (done, later) = rest.split_at_checked(kept + gone).unwrap_or((rest, ""));
        before = done.chars().next_back();
        rest = later;
    }
    out
}

/// A key at the beginning of the text: how many bytes stay, and how many go.
fn key(text: &str) -> Option<(usize, usize)> {
    let shaped = SHAPES.iter().find_map(|shape| {
        let rest = text.strip_prefix(shape.prefix)?;
        let run = run(rest, shape.part);
        (run >= shape.least).then_some((shape.prefix.len(), run))
    });
    shaped.or_else(|| bearer(text)).or_else(|| variable(text))
}

fn bearer(text: &str) -> Option<(usize, usize)> {
    const WORD: usize = "bearer ".len();
    let word = text.get(..WORD).filter(|word| word.eq_ignore_ascii_case("bearer "))?;
    let run = run(text.get(word.len()..)?, is_base64);
    (run >= LEAST_BEARER).then_some((WORD, run))
}

/// `NAME_OF_A_KEY=value`, as in files of environment variables, or `"NAME": "value"`.
fn variable(text: &str) -> Option<(usize, usize)> {
    let name = run(text, |byte| is_upper(byte) || byte == b'_');
    let (word, rest) = text.split_at_checked(name)?;
    if !SECRET_NAMES.iter().any(|end| word.ends_with(end)) {
        return None;
    }
    let quoted = rest.strip_prefix(['"', '\'']).unwrap_or(rest).trim_start_matches([' ', '\t']);
    let value = quoted.strip_prefix(['=', ':'])?.trim_start_matches([' ', '\t']);
    let value = value.strip_prefix(['"', '\'']).unwrap_or(value);
    let run = value.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | ';')).unwrap_or(value.len());
    let is_reference = value.starts_with(['$', '<', '*']);
    (run >= LEAST_VALUE && !is_reference).then_some((text.len() - value.len(), run))
}

/// A private key in PEM, or what is left of one.
fn block(text: &str, out: &mut String) -> Option<(usize, usize)> {
    if let Some(rest) = text.strip_prefix(PEM_BEGIN) {
        let label = rest.find(PEM_KEY).filter(|at| *at <= 32)? + PEM_KEY.len();
        let body = rest.get(label..)?;
        return Some((PEM_BEGIN.len() + label, body.find(PEM_END).unwrap_or(body.len())));
    }
    let _ = text.strip_prefix(PEM_END)?.find(PEM_KEY).filter(|at| *at <= 32)?;
    let kept = out.trim_end_matches(|c: char| c.is_whitespace() || u8::try_from(c).is_ok_and(is_base64)).len();
    // Its beginning was cut off: then the lines before its end go.
    if kept < out.len() && !out.ends_with(MASK) {
        out.truncate(kept);
        out.push_str(MASK);
    }
    None
}

/// `://user:password@`.
fn password(text: &str) -> Option<(usize, usize)> {
    let rest = text.strip_prefix("://")?;
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '<' | '>')).unwrap_or(rest.len());
    let (credentials, _) = rest.get(..end)?.rsplit_once('@')?;
    let (user, password) = credentials.split_once(':')?;
    (!password.is_empty() && password != MASK).then_some(("://".len() + user.len() + 1, password.len()))
}

fn run(text: &str, part: fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| part(*byte)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_known_by_their_shape() {
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAK\n-----END RSA PRIVATE KEY-----";
        for (text, want) in [
            ("key sk-proj-abcdefghijklmnop1234.", "key sk-***."),
            ("sk-ant-api03-abcdefghijklmnop", "sk-***"),
            ("a task-force-of-many-long-words", "a task-force-of-many-long-words"),
            ("Authorization: Bearer abc.def-ghi_jkl123456==", "Authorization: Bearer ***"),
            ("a bearer of bad news", "a bearer of bad news"),
            ("(ghp_abcdefghijklmnopqrstuvwxyz0123456789)", "(ghp_***)"),
            ("github_pat_11ABCDEFG0abcdefghij_klmnop", "github_pat_***"),
            ("AKIAIOSFODNN7EXAMPLE", "AKIA***"),
            ("AKIAIOSFODNN7", "AKIAIOSFODNN7"),
            ("AIzaSyA-abcdefghijklmnopqrstuvwxyz01234", "AIza***"),
            ("xoxb-1234567890-abcdef", "xoxb-***"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc-def_ghi", "eyJ***"),
            ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG", "AWS_SECRET_ACCESS_KEY=***"),
            ("export DB_PASSWORD='correct horse'", "export DB_PASSWORD='correct horse'"),
            ("export DB_PASSWORD=\"correct-horse\" x", "export DB_PASSWORD=\"***\" x"),
            ("{\"OPENAI_API_KEY\": \"abcdefghij\"}", "{\"OPENAI_API_KEY\": \"***\"}"),
            ("api_key = \"${OPENAI_API_KEY}\"", "api_key = \"${OPENAI_API_KEY}\""),
            ("API_KEY=$OTHER_API_KEY", "API_KEY=$OTHER_API_KEY"),
            ("MAX_TOKEN: 8192", "MAX_TOKEN: 8192"),
            ("postgres://me:pa:ss@db/x?y=1", "postgres://me:***@db/x?y=1"),
            ("https://example.org/a@b:c", "https://example.org/a@b:c"),
            (pem, "-----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY-----"),
            ("-----BEGIN PRIVATE KEY-----\nMIIEow\n[cut", "-----BEGIN PRIVATE KEY-----***"),
            ("…]\nIBAAK==\n-----END PRIVATE KEY-----\nend", "…]***-----END PRIVATE KEY-----\nend"),
            ("-----BEGIN CERTIFICATE-----\nMIIEow\n", "-----BEGIN CERTIFICATE-----\nMIIEow\n"),
            ("", ""),
        ] {
            let masked = mask(text);
            assert_eq!(masked, want, "{text}");
            assert_eq!(mask(&masked), masked, "{text}");
        }
    }
}
