//! The pages that the server renders: the shell of the app, the login form, and errors. All work before any script runs.

use std::sync::LazyLock;

use askama::Template;
use serde::Serialize;

use crate::assets::{MOUNT, asset, asset_url};
use crate::preferences::{Lang, Theme};
use crate::words::{self, Words, words};

const NAME: &str = "nanobot";
const HOME: &str = "/";
const LOGIN: &str = "/login";

/// What the shell hands to the app as data.
#[derive(Clone, Debug, Serialize)]
pub struct Boot {
    /// Version of the server.
    pub version: String,
    /// Changes with every start of the server.
    pub boot_id: String,
    /// Colours of the first frame.
    pub theme: Theme,
    /// Language of the first frame.
    pub lang: Lang,
    /// What the server will take.
    pub limits: Limits,
    /// Whether this server asks for a token.
    pub needs_login: bool,
}

/// Limits that the app keeps before it sends, so that nothing is refused after typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Limits {
    /// Largest WebSocket frame in bytes.
    pub max_frame_bytes: u64,
    /// Longest message in Unicode scalar values.
    pub max_message_chars: u64,
}

/// What the login page shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoginPage<'a> {
    /// Where to go afterwards; goes through [`safe_next`].
    pub next: &'a str,
    /// Why the reader is here again.
    pub problem: Option<LoginProblem>,
    /// Colours of the page.
    pub theme: Theme,
    /// Language of the page.
    pub lang: Lang,
}

/// Why a login did not succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoginProblem {
    /// The token is unknown or revoked.
    WrongToken,
    /// Logins from this address are held back.
    TooManyAttempts {
        /// Seconds until the next attempt is looked at.
        retry_after_s: u64,
    },
    /// The browser's session has ended.
    Expired,
}

/// What the error page shows; title and sentence follow from the status.
#[derive(Clone, Copy, Debug)]
pub struct ErrorPage<'a> {
    /// HTTP status.
    pub status: u16,
    /// Stable code of the error.
    pub code: &'a str,
    /// Colours of the page.
    pub theme: Theme,
    /// Language of the page.
    pub lang: Lang,
}

/// The page of the app.
///
/// # Errors
/// When the template cannot be rendered, which would be a defect of the template.
pub fn shell(boot: &Boot) -> Result<String, askama::Error> {
    let json = serde_json::to_string(boot).map_err(askama::Error::custom)?;
    let main = asset_url("app/main.js");
    ShellTemplate {
        head: Head::new(NAME, boot.theme, boot.lang),
        imports: &IMPORTS,
        main: &main,
        boot: &escape_json(&json),
        words: words(boot.lang),
    }
    .render()
}

/// The login form: posts `token` and `next` to `/login`.
///
/// # Errors
/// When the template cannot be rendered, which would be a defect of the template.
pub fn login(page: &LoginPage<'_>) -> Result<String, askama::Error> {
    let words = words(page.lang);
    LoginTemplate {
        head: Head::new(words.login_title, page.theme, page.lang),
        name: NAME,
        action: LOGIN,
        next: safe_next(page.next),
        problem: page.problem.map(|problem| words::login_problem(page.lang, problem)),
        words,
    }
    .render()
}

/// A page for an error that a person sees in place of a page.
///
/// # Errors
/// When the template cannot be rendered, which would be a defect of the template.
pub fn error(page: &ErrorPage<'_>) -> Result<String, askama::Error> {
    let words = words(page.lang);
    let (title, sentence) = words::status(page.lang, page.status);
    let (link, link_text) = if page.status == 401 { (LOGIN, words.sign_in) } else { (HOME, words.go_home) };
    ErrorTemplate {
        head: Head::new(title, page.theme, page.lang),
        name: NAME,
        title,
        sentence,
        status: page.status,
        code: page.code,
        link,
        link_text,
    }
    .render()
}

/// A place on this server to go to after the login: `next` if it is one, else the start page.
///
/// Browsers read `//host`, `/\host` and either with tabs or line breaks inside as another server.
#[must_use]
pub fn safe_next(next: &str) -> &str {
    let local = next.starts_with('/') && !next.starts_with("//");
    let plain = !next.contains(|c: char| c == '\\' || c.is_control());
    let path = next.split(['?', '#']).next().unwrap_or_default();
    if local && plain && path != LOGIN { next } else { HOME }
}

/// What every page has in its head.
struct Head<'a> {
    title: &'a str,
    lang: &'static str,
    theme: Option<&'static str>,
    color_scheme: &'static str,
    icon: Option<String>,
    main_css: String,
    pages_css: String,
}

impl<'a> Head<'a> {
    fn new(title: &'a str, theme: Theme, lang: Lang) -> Self {
        Self {
            title,
            lang: lang.tag(),
            theme: theme.attribute(),
            color_scheme: theme.color_scheme(),
            icon: asset("icon.svg", None).map(|_| asset_url("icon.svg")),
            main_css: asset_url("app/main.css"),
            pages_css: asset_url("pages.css"),
        }
    }
}

#[derive(Template)]
#[template(path = "shell.html")]
struct ShellTemplate<'a> {
    head: Head<'a>,
    imports: &'a [String],
    main: &'a str,
    boot: &'a str,
    words: &'a Words,
}

#[derive(Template)]
#[template(path = "login.html")]
struct LoginTemplate<'a> {
    head: Head<'a>,
    name: &'a str,
    action: &'a str,
    next: &'a str,
    problem: Option<String>,
    words: &'a Words,
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorTemplate<'a> {
    head: Head<'a>,
    name: &'a str,
    title: &'a str,
    sentence: &'a str,
    status: u16,
    code: &'a str,
    link: &'a str,
    link_text: &'a str,
}

/// URLs of the modules that `main.js` imports, without versions because that is how it names them: announced in the head,
/// they arrive with it instead of after it.
static IMPORTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let main = asset("app/main.js", None);
    let source = main.as_ref().map_or("", |main| std::str::from_utf8(&main.body).unwrap_or_default());
    static_imports(source).map(|file| format!("{MOUNT}app/{file}")).collect()
});

/// Files named by `import "./…"` and `… from "./…"`; a lazy `import("./…")` stays lazy.
fn static_imports(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| {
        let (before, after) = line.split_once("\"./")?;
        let (file, end) = after.split_once('"')?;
        (end.trim() == ";" && (before == "import " || before.ends_with("from "))).then_some(file)
    })
}

/// JSON that cannot leave the element it is written into: the characters that mean something to HTML stand only inside
/// JSON strings, where an escape means the same.
fn escape_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' => escaped.push_str("\\u003c"),
            '>' => escaped.push_str("\\u003e"),
            '&' => escaped.push_str("\\u0026"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests;
