//! Theme and language of a page, taken from cookies that a browser may fill with anything.

use serde::Serialize;

use crate::quality::weighted;

/// Name of the cookie that holds the theme.
pub const THEME_COOKIE: &str = "theme";
/// Name of the cookie that holds the language.
pub const LANG_COOKIE: &str = "lang";

/// Colours of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    /// Always light.
    Light,
    /// Always dark.
    Dark,
    /// As the reader's system says.
    #[default]
    System,
}

impl Theme {
    /// The theme a cookie asks for; anything unknown is [`Theme::System`].
    #[must_use]
    pub fn from_cookie(value: Option<&str>) -> Self {
        match value {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// Value of `data-theme`, which the page carries only when the reader chose against the system.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        match self {
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
            Self::System => None,
        }
    }

    /// Value of `<meta name="color-scheme">`: colours the canvas before any style sheet has arrived.
    pub(crate) fn color_scheme(self) -> &'static str {
        self.attribute().unwrap_or("light dark")
    }
}

/// Language of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub enum Lang {
    /// English.
    #[default]
    #[serde(rename = "en")]
    En,
    /// Simplified Chinese.
    #[serde(rename = "zh-CN")]
    ZhCn,
}

impl Lang {
    /// The language tag as HTML wants it.
    #[must_use]
    pub fn tag(self) -> &'static str {
        match self {
            Self::En => "en",
            Self::ZhCn => "zh-CN",
        }
    }

    /// The supported language of a tag such as `en-GB` or `zh-Hans`, judged by its first subtag.
    #[must_use]
    pub fn from_tag(tag: &str) -> Option<Self> {
        let primary = tag.split(['-', '_']).next()?;
        if primary.eq_ignore_ascii_case("zh") {
            Some(Self::ZhCn)
        } else if primary.eq_ignore_ascii_case("en") {
            Some(Self::En)
        } else {
            None
        }
    }

    /// The reader's own choice, else the best of `Accept-Language` (the first among equals), else English.
    #[must_use]
    pub fn choose(cookie: Option<&str>, accept_language: Option<&str>) -> Self {
        cookie.and_then(Self::from_tag).or_else(|| Self::accepted(accept_language?)).unwrap_or_default()
    }

    fn accepted(header: &str) -> Option<Self> {
        let mut best: Option<(Self, u16)> = None;
        for (tag, weight) in weighted(header) {
            let Some(lang) = Self::from_tag(tag) else { continue };
            if weight > best.map_or(0, |(_, weight)| weight) {
                best = Some((lang, weight));
            }
        }
        best.map(|(lang, _)| lang)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lang, Theme};

    #[test]
    fn only_known_themes_are_taken() {
        assert_eq!(Theme::from_cookie(Some("light")), Theme::Light);
        assert_eq!(Theme::from_cookie(Some("dark")), Theme::Dark);
        for other in [None, Some(""), Some("system"), Some("Dark"), Some("dark "), Some("\"><script>")] {
            assert_eq!(Theme::from_cookie(other), Theme::System, "{other:?}");
        }
    }

    #[test]
    fn language_comes_from_cookie_then_header_then_english() {
        let cases = [
            (None, None, Lang::En),
            (Some("zh-CN"), Some("en"), Lang::ZhCn),
            (Some("en"), Some("zh-CN"), Lang::En),
            (Some("xx"), Some("zh"), Lang::ZhCn),
            (None, Some("de, zh-TW;q=0.8, en;q=0.7"), Lang::ZhCn),
            (None, Some("en;q=0.5, zh;q=0.5"), Lang::En),
            (None, Some("zh;q=0, fr"), Lang::En),
            (None, Some("zhuang"), Lang::En),
        ];
        for (cookie, header, expected) in cases {
            assert_eq!(Lang::choose(cookie, header), expected, "{cookie:?} {header:?}");
        }
    }
}
