//! Reads an event stream (`text/event-stream`) from bytes, whatever way the network cut them.
//!
//! Follows the WHATWG HTML standard, "Interpreting an event stream": a leading BOM, lines ended by CR, LF or CRLF, comments, several data
//! lines in one event, and an unterminated last event that is thrown away. Text is decoded per whole line, so a character cut between
//! two chunks is never damaged.

use std::borrow::Cow;

use memchr::{memchr, memchr2};

/// Longest line, and longest data of one event, in bytes.
pub const MAX_EVENT_BYTES: usize = 16 * 1024 * 1024;

/// One event, as it is handed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The event's type; empty when the stream gave none, which means `message`.
    pub name: &'a str,
    /// The data lines, joined by newlines.
    pub data: &'a str,
    /// The last id seen in the stream.
    pub last_id: &'a str,
}

/// An event is larger than the reader takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than {limit_bytes} bytes")]
pub struct EventTooLarge {
    /// The limit that was passed.
    pub limit_bytes: usize,
}

/// The reader's state between two chunks.
#[derive(Debug)]
pub struct SseReader {
    /// The start of a line whose end has not arrived.
    partial: Vec<u8>,
    /// No line has been read yet, so that a BOM may still come.
    at_start: bool,
    /// The last chunk ended in CR; an LF at the start of the next one belongs to it.
    after_cr: bool,
    name: String,
    data: String,
    has_data: bool,
    last_id: String,
    retry_ms: Option<u64>,
    limit_bytes: usize,
}

impl Default for SseReader {
    fn default() -> Self {
        Self::with_limit(MAX_EVENT_BYTES)
    }
}

impl SseReader {
    /// A reader that refuses lines and events of more than `limit_bytes`.
    #[must_use]
    pub fn with_limit(limit_bytes: usize) -> Self {
        Self {
            partial: Vec::new(),
            at_start: true,
            after_cr: false,
            name: String::new(),
            data: String::new(),
            has_data: false,
            last_id: String::new(),
            retry_ms: None,
            limit_bytes,
        }
    }

    /// The waiting time that the stream asked for before a new connection.
    #[must_use]
    pub fn retry_ms(&self) -> Option<u64> {
        self.retry_ms
    }

    /// Takes the next bytes and hands every event that they complete to `on_event`.
    ///
    /// # Errors
    /// When a line or an event passes the limit; the stream is of no use after that.
    pub fn feed(&mut self, bytes: &[u8], mut on_event: impl FnMut(SseEvent<'_>)) -> Result<(), EventTooLarge> {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let (line, tail) = rest.split_at_checked(end).unwrap_or((rest, &[]));
            rest = match tail {
                [b'\r', b'\n', after @ ..] => after,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, after @ ..] => after,
                [] => &[],
            };
            self.check(self.partial.len() + line.len())?;
            if self.partial.is_empty() {
                self.line(line, &mut on_event)?;
            } else {
                let mut whole = std::mem::take(&mut self.partial);
                whole.extend_from_slice(line);
                self.line(&whole, &mut on_event)?;
                whole.clear();
                self.partial = whole;
            }
        }
        self.check(self.partial.len() + rest.len())?;
        self.partial.extend_from_slice(rest);
        Ok(())
    }

    fn check(&self, bytes: usize) -> Result<(), EventTooLarge> {
        if bytes > self.limit_bytes { Err(EventTooLarge { limit_bytes: self.limit_bytes }) } else { Ok(()) }
    }

    fn line(&mut self, line: &[u8], on_event: &mut impl FnMut(SseEvent<'_>)) -> Result<(), EventTooLarge> {
        let line = if std::mem::replace(&mut self.at_start, false) {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            if self.has_data {
                on_event(SseEvent { name: &self.name, data: &self.data, last_id: &self.last_id });
            }
            self.name.clear();
            self.data.clear();
            self.has_data = false;
            return Ok(());
        }
        let (field, value) = match memchr(b':', line) {
            Some(0) => return Ok(()),
            Some(colon) => {
                let (field, value) = line.split_at_checked(colon).unwrap_or((line, &[]));
                let value = value.strip_prefix(b":").unwrap_or(value);
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &[][..]),
        };
        let value: Cow<'_, str> = String::from_utf8_lossy(value);
        match field {
            b"data" => {
                self.check(self.data.len() + value.len() + 1)?;
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(&value);
            }
            b"event" => self.name = value.into_owned(),
            b"id" if !value.contains('\0') => self.last_id = value.into_owned(),
            b"retry" if value.bytes().all(|b| b.is_ascii_digit()) => {
                self.retry_ms = value.parse().ok().or(self.retry_ms);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Seen = Vec<(String, String, String)>;

    fn read(chunks: &[&[u8]]) -> Seen {
        let mut reader = SseReader::default();
        let mut seen = Seen::new();
        for chunk in chunks {
            reader
                .feed(chunk, |e| seen.push((e.name.to_owned(), e.data.to_owned(), e.last_id.to_owned())))
                .expect("within the limit");
        }
        seen
    }

    fn data(input: &[u8]) -> Vec<String> {
        read(&[input]).into_iter().map(|(_, data, _)| data).collect()
    }

    #[test]
    fn reads_the_examples_of_the_standard() {
        assert_eq!(data(b"data: YHOO\ndata: +2\ndata: 10\n\n"), ["YHOO\n+2\n10"]);
        assert_eq!(
            data(b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n"),
            ["first event", "second event"]
        );
        assert_eq!(data(b"data\n\ndata\ndata\n\ndata:"), ["", "\n"]);
        assert_eq!(data(b"data:test\n\ndata: test\n\n"), ["test", "test"]);
    }

    #[test]
    fn takes_every_line_end_and_a_bom() {
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("\u{feff}event: x{end}data: a{end}data: b{end}id: 7{end}{end}data: c{end}{end}");
            let want = vec![
                ("x".to_owned(), "a\nb".to_owned(), "7".to_owned()),
                (String::new(), "c".to_owned(), "7".to_owned()),
            ];
            assert_eq!(read(&[text.as_bytes()]), want, "{end:?}");
        }
    }

    #[test]
    fn an_lf_after_a_cut_cr_is_not_a_blank_line() {
        assert_eq!(read(&[b"data: a\r", b"", b"\ndata: b\r", b"\n\r", b"\n"]).len(), 1);
        assert_eq!(read(&[b"data: a\r", b"\r", b"data: b\r\r"]).len(), 2);
    }

    #[test]
    fn replaces_only_bytes_that_are_really_invalid() {
        assert_eq!(data(b"data: a\xFFb\n\n"), ["a\u{fffd}b"]);
        assert_eq!(read(&[b"data: \xE2", b"\x98", b"\x80\n\n"]).first().map(|e| e.1.clone()), Some("☀".to_owned()));
    }

    #[test]
    fn keeps_the_limit_at_its_edge() {
        let mut reader = SseReader::with_limit(10);
        assert_eq!(reader.feed(b"data: 1234", |_| {}), Ok(()));
        assert_eq!(reader.feed(b"5", |_| {}), Err(EventTooLarge { limit_bytes: 10 }));
        let mut reader = SseReader::with_limit(10);
        assert!(reader.feed(b"data: 1234\ndata: 5678\ndata: 9\n", |_| {}).is_err());
    }

    #[test]
    fn remembers_the_retry_time() {
        let mut reader = SseReader::default();
        reader.feed(b"retry: 3000\nretry: x\n\n", |_| panic!("no event")).expect("small");
        assert_eq!(reader.retry_ms(), Some(3000));
    }

    proptest! {
        #[test]
        fn any_split_gives_what_the_whole_gives(
            lines in proptest::collection::vec(("(data|event|id|retry|:|x|data:|data: |)", "[ :a-zé☀\u{fffd}]{0,6}", "(\n|\r|\r\n)"), 0..30),
            raw in proptest::collection::vec(any::<u8>(), 0..20),
            cuts in proptest::collection::vec(0usize..400, 0..8),
        ) {
            let mut bytes: Vec<u8> = lines.iter().flat_map(|(a, b, c)| format!("{a}{b}{c}").into_bytes()).collect();
            bytes.extend(raw);
            bytes.extend(b"\n\ndata: end\n\n");
            let mut cuts: Vec<usize> = cuts.into_iter().map(|c| c.min(bytes.len())).collect();
            cuts.sort_unstable();
            let mut chunks = Vec::new();
            let mut from = 0;
            for cut in cuts {
                chunks.push(&bytes[from..cut]);
                from = cut;
            }
            chunks.push(&bytes[from..]);
            let whole = read(&[&bytes]);
            prop_assert_eq!(&read(&chunks), &whole);
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            prop_assert_eq!(&read(&single), &whole);
        }
    }
}
