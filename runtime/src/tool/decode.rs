//! From the bytes of a file to text, or to a reason why they are not text.

use std::borrow::Cow;
use std::path::Path;

/// Text of a file and how it was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decoded<'a> {
    /// The text, with the line ends of the file, without a byte order mark.
    pub(crate) text: Cow<'a, str>,
    /// How the bytes were read.
    pub(crate) encoding: Encoding,
}

/// How bytes became text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 with a byte order mark.
    Utf16,
    /// One byte, one character: what is left for text files in an unknown encoding.
    Latin1,
}

/// Bytes that are not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotText {
    /// A picture, by its first bytes.
    Image(&'static str),
    /// A known kind of file that is no text.
    Known(&'static str),
    /// Anything else.
    Binary,
}

/// Names of files whose content is text even when it is not UTF-8.
const TEXT_EXTENSIONS: [&str; 48] = [
    "asm",
    "bat",
    "c",
    "cc",
    "cfg",
    "cmd",
    "conf",
    "cpp",
    "cs",
    "css",
    "csv",
    "env",
    "go",
    "h",
    "hpp",
    "htm",
    "html",
    "ini",
    "java",
    "js",
    "json",
    "jsonl",
    "jsx",
    "log",
    "lua",
    "md",
    "php",
    "pl",
    "properties",
    "ps1",
    "py",
    "rb",
    "rs",
    "rst",
    "sh",
    "sql",
    "srt",
    "svg",
    "tex",
    "toml",
    "ts",
    "tsv",
    "tsx",
    "txt",
    "vue",
    "xml",
    "yaml",
    "yml",
];

/// First bytes of files that are no text.
const KNOWN: [(&[u8], &str); 10] = [
    (b"%PDF-", "a PDF document"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"\xfd7zXZ\x00", "an XZ archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"OggS", "an Ogg recording"),
    (b"\x00asm", "a WebAssembly module"),
];

/// Part of a file that is searched for signs of binary content.
const SNIFFED_BYTES: usize = 8_192;

/// Reads the bytes of the file `name` as text.
pub(crate) fn decode<'a>(bytes: &'a [u8], name: &Path) -> Result<Decoded<'a>, NotText> {
    if let Some(image) = image_type(bytes) {
        return Err(NotText::Image(image));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return Ok(utf16(rest, u16::from_le_bytes));
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return Ok(utf16(rest, u16::from_be_bytes));
    }
    if let Some((_, kind)) = KNOWN.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        // A text file may begin with a few of these letters; one in UTF-8 without a NUL is read as text below.
        if *kind == "a PDF document" || looks_binary(bytes) || std::str::from_utf8(bytes).is_err() {
            return Err(NotText::Known(kind));
        }
    }
    if looks_binary(bytes) {
        return Err(NotText::Binary);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), encoding: Encoding::Utf8 }),
        Err(_) if has_text_extension(name) => {
            let text = bytes.iter().map(|byte| char::from(*byte)).collect::<String>();
            Ok(Decoded { text: Cow::Owned(text), encoding: Encoding::Latin1 })
        }
        Err(_) => Err(NotText::Binary),
    }
}

/// A NUL, or more than a fifth of control bytes, near the beginning.
fn looks_binary(bytes: &[u8]) -> bool {
    let start = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    let control = |byte: &&u8| matches!(**byte, 0x01..=0x06 | 0x0e..=0x1a | 0x1c..=0x1f | 0x7f);
    start.contains(&0) || start.iter().filter(control).count() * 5 > start.len()
}

fn image_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("PNG")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("JPEG")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("GIF")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("WebP")
    } else {
        None
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded<'static> {
    let (pairs, _odd_byte) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|pair| unit(*pair));
    let text = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect::<String>();
    Decoded { text: Cow::Owned(text), encoding: Encoding::Utf16 }
}

fn has_text_extension(name: &Path) -> bool {
    let extension = name.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    extension.is_some_and(|extension| TEXT_EXTENSIONS.contains(&extension.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], name: &str, expect: Result<(&str, Encoding), NotText>) {
        let decoded = decode(bytes, Path::new(name));
        assert_eq!(decoded.as_ref().map(|d| (d.text.as_ref(), d.encoding)).map_err(|e| *e), expect, "{name}");
    }

    #[test]
    fn text_in_many_encodings() {
        check(b"plain", "a", Ok(("plain", Encoding::Utf8)));
        check(b"\xef\xbb\xbfmark", "a", Ok(("mark", Encoding::Utf8)));
        check(b"caf\xe9", "a.txt", Ok(("café", Encoding::Latin1)));
        check(b"caf\xe9", "a.TXT", Ok(("café", Encoding::Latin1)));
        check(b"caf\xe9", "a.bin", Err(NotText::Binary));
        check(b"\xc4\xe3\xba\xc3", "gbk", Err(NotText::Binary));
        check(b"\xff\xfea\0\xe9\0\x3d\xd8\x00\xde", "a.bin", Ok(("aé😀", Encoding::Utf16)));
        check(b"\xfe\xff\0a", "a.bin", Ok(("a", Encoding::Utf16)));
        check(b"\xff\xfe\x3d\xd8x", "a.bin", Ok(("\u{fffd}", Encoding::Utf16)));
        check(b"BZh is how it begins", "a", Ok(("BZh is how it begins", Encoding::Utf8)));
    }

    #[test]
    fn what_is_no_text_is_named() {
        check(b"\x89PNG\r\n\x1a\n....", "a.txt", Err(NotText::Image("PNG")));
        check(b"RIFF\0\0\0\0WEBPVP8 ", "a", Err(NotText::Image("WebP")));
        check(b"%PDF-1.7 text", "a.pdf", Err(NotText::Known("a PDF document")));
        check(b"PK\x03\x04\x14\0", "a.docx", Err(NotText::Known("a ZIP archive or an office document")));
        check(b"a\0b", "a.txt", Err(NotText::Binary));
        check(b"\x01\x02\x03text", "a.txt", Err(NotText::Binary));
    }
}
