//! Pictures and documents as parts of a user's message.

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use nanobot_engine::message::Block;
use nanobot_engine::model::Media;
use serde::Serialize;

use crate::provider::clean::{clean, is_blank};

/// One part of a user's message.
#[derive(Debug, Serialize)]
#[serde(tag = "type")]
pub(crate) enum UserPart<'a> {
    #[serde(rename = "input_text")]
    Text { text: Cow<'a, str> },
    #[serde(rename = "input_image")]
    Image { image_url: String, detail: &'static str },
    #[serde(rename = "input_file")]
    File { filename: Cow<'a, str>, file_data: String },
}

/// Are media sent, or only named?
#[derive(Clone, Copy, Debug)]
pub(crate) enum MediaBytes<'a> {
    Sent(&'a Media),
    Named,
}

impl<'a> MediaBytes<'a> {
    fn get(self, media_id: &str) -> Option<&'a str> {
        match self {
            Self::Sent(media) => media.get(media_id),
            Self::Named => None,
        }
    }
}

/// The part for a block; `None` for a block that is no part of a user's message, or blank.
pub(crate) fn user_part<'a>(block: &'a Block, media: MediaBytes<'a>) -> Option<UserPart<'a>> {
    let named = |what: String| Some(UserPart::Text { text: Cow::Owned(what) });
    match block {
        Block::Text { text } => (!is_blank(text)).then(|| UserPart::Text { text: clean(text) }),
        Block::Image { mime, media_id } => match media.get(media_id) {
            Some(base64) => Some(UserPart::Image { image_url: format!("data:{mime};base64,{base64}"), detail: "auto" }),
            None => named(format!("[an image ({mime}) that could not be sent]")),
        },
        Block::Document { mime, name, media_id } => match media.get(media_id) {
            Some(base64) if mime.starts_with("text/") => named(match text_of(base64) {
                Some(text) => format!("[{}]\n{text}", clean(name)),
                None => format!("[the document {} ({mime}) is no text that could be read]", clean(name)),
            }),
            Some(base64) => {
                Some(UserPart::File { filename: clean(name), file_data: format!("data:{mime};base64,{base64}") })
            }
            None => named(format!("[the document {} ({mime}) that could not be sent]", clean(name))),
        },
        Block::Call(_) | Block::Result { .. } | Block::Thinking { .. } | Block::ProviderItem { .. } | Block::Pause => {
            None
        }
    }
}

/// The document's own text, with a substitute for what is no UTF-8.
fn text_of(base64: &str) -> Option<String> {
    let bytes = STANDARD.decode(base64).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(clean(&text).into_owned())
}
