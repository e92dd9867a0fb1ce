//! The bundled browser UI: its embedded files, the pages the server renders, and the headers both are sent with.
//!
//! Read [`assets`] for what `/static/` answers, [`headers`] for what keeps a page safe, [`pages`] for the HTML, and
//! [`preferences`] for how theme and language are chosen before the first frame.

pub mod assets;
pub mod headers;
pub mod pages;
pub mod preferences;
mod quality;
mod words;

pub use askama::Error as RenderError;
pub use assets::{Asset, asset, asset_url};
pub use pages::{Boot, ErrorPage, Limits, LoginPage, LoginProblem, error, login, safe_next, shell};
pub use preferences::{Lang, Theme};
