//! The event stream reader: the same events however the bytes are cut, and never more memory than its limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use nanobot_runtime::provider::SseReader;

/// The limit that the reader is given; small, so that inputs reach it.
const LIMIT: usize = 512;

fn read<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> Option<Vec<(String, String, String)>> {
    let mut reader = SseReader::with_limit(LIMIT);
    let mut events = Vec::new();
    for chunk in chunks {
        let read = reader.feed(chunk, |event| {
            events.push((event.name.to_owned(), event.data.to_owned(), event.last_id.to_owned()));
        });
        if read.is_err() {
            return None;
        }
    }
    Some(events)
}

fuzz_target!(|data: &[u8]| {
    let Some((cut, bytes)) = data.split_first() else { return };
    let whole = read([bytes]);
    let (head, tail) = bytes.split_at(usize::from(*cut).min(bytes.len()));
    assert_eq!(read([head, tail]), whole);
    assert_eq!(read(bytes.chunks(1)), whole);
    for (name, data, id) in whole.into_iter().flatten() {
        // A byte that is no UTF-8 becomes a character of three bytes.
        assert!([name, data, id].iter().all(|text| text.len() <= 3 * LIMIT));
    }
});
