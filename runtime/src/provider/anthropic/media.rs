//! Images and documents as content blocks, or words in their place.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nanobot_engine::message::Block;
use nanobot_engine::model::Media;
use nanobot_engine::text;

use super::blocks::{Source, WireBlock};
use crate::provider::clean::{clean, is_blank};

/// "Vision": the image formats that the API takes.
const IMAGES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];
/// "PDF support": the only document that goes as bytes.
const PDF: &str = "application/pdf";
const MAX_TITLE_CHARS: usize = 200;

/// The block of an image or document; `None` for anything else. Without `media` nothing but its name is sent.
pub(crate) fn media_block<'a>(block: &'a Block, media: Option<&'a Media>) -> Option<WireBlock<'a>> {
    let bytes = |id: &str| media.and_then(|media| media.get(id));
    match block {
        Block::Image { mime, media_id } => Some(match bytes(media_id) {
            Some(data) if IMAGES.contains(&mime.as_str()) => {
                WireBlock::Image { source: Source::Base64 { media_type: mime, data }, cache_control: None }
            }
            _ => WireBlock::text(format!("[an image ({mime}) that could not be sent]")),
        }),
        Block::Document { mime, name, media_id } => Some(match bytes(media_id) {
            Some(data) if mime == PDF => WireBlock::Document {
                source: Source::Base64 { media_type: mime, data },
                title: title(name),
                cache_control: None,
            },
            Some(data) if mime.starts_with("text/") => match decoded(data) {
                Some(text) => WireBlock::text(format!("[{}]\n{text}", clean(name))),
                None => unsent(mime, name),
            },
            _ => unsent(mime, name),
        }),
        _ => None,
    }
}

/// "PDF support": a title is short and not blank, or is not there.
fn title(name: &str) -> Option<String> {
    let title = text::one_line(&clean(name), MAX_TITLE_CHARS);
    (!title.is_empty()).then_some(title)
}

fn unsent<'a>(mime: &str, name: &str) -> WireBlock<'a> {
    WireBlock::text(format!("[the document {} ({mime}) that could not be sent]", clean(name)))
}

fn decoded(base64: &str) -> Option<Cow<'static, str>> {
    let bytes = STANDARD.decode(base64).ok()?;
    let text = clean(&String::from_utf8_lossy(&bytes)).into_owned();
    (!is_blank(&text)).then_some(Cow::Owned(text))
}
