//! The browser's side: shell, sign-in, embedded files, and the headers that every answer carries.

use std::net::SocketAddr;

use axum::body::Body;
use axum::extract::{ConnectInfo, Form, Path, Query, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use nanobot_webui::{Boot, ErrorPage, Lang, Limits, LoginPage, LoginProblem, Theme, assets, headers, preferences};
use serde::Deserialize;

use super::settings::VERSION;
use crate::app::{AppState, MAX_FRAME_BYTES, MAX_MESSAGE_CHARS};
use crate::auth::{cookie, login_cookie, sign_in as check_token};
use crate::error::ApiError;

/// The app's one page.
pub(crate) async fn shell(State(app): State<AppState>, request: HeaderMap) -> Response {
    let boot = Boot {
        version: VERSION.to_owned(),
        boot_id: app.runtime.boot_id().to_string(),
        theme: Theme::from_cookie(cookie(&request, preferences::THEME_COOKIE)),
        lang: lang(&request),
        limits: Limits { max_frame_bytes: MAX_FRAME_BYTES as u64, max_message_chars: MAX_MESSAGE_CHARS as u64 },
        needs_login: false,
    };
    page(StatusCode::OK, nanobot_webui::shell(&boot))
}

#[derive(Deserialize)]
pub(crate) struct Next {
    next: Option<String>,
}

/// The sign-in form; it works without script.
pub(crate) async fn login(Query(next): Query<Next>, request: HeaderMap) -> Response {
    login_form(&request, StatusCode::OK, next.next, None)
}

#[derive(Deserialize)]
pub(crate) struct SignIn {
    token: String,
    next: Option<String>,
}

/// Takes the form.
pub(crate) async fn sign_in(
    State(app): State<AppState>,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: HeaderMap,
    Form(form): Form<SignIn>,
) -> Response {
    match check_token(&app, peer.ip(), &form.token).await {
        Ok(value) => {
            let secure = request.get("x-forwarded-proto").is_some_and(|proto| proto == "https");
            let mut response = StatusCode::SEE_OTHER.into_response();
            let target = nanobot_webui::safe_next(form.next.as_deref().unwrap_or("/"));
            if let Ok(target) = HeaderValue::from_str(target) {
                response.headers_mut().insert(header::LOCATION, target);
            }
            if let Ok(cookie) = HeaderValue::from_str(&login_cookie(&value, secure)) {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => {
            let status = StatusCode::from_u16(error.status).unwrap_or(StatusCode::UNAUTHORIZED);
            let problem = match error.code {
                "too_many_attempts" => LoginProblem::TooManyAttempts { retry_after_s: 60 },
                _ => LoginProblem::WrongToken,
            };
            login_form(&request, status, form.next, Some(problem))
        }
    }
}

fn login_form(
    request: &HeaderMap,
    status: StatusCode,
    next: Option<String>,
    problem: Option<LoginProblem>,
) -> Response {
    let theme = Theme::from_cookie(cookie(request, preferences::THEME_COOKIE));
    let next = next.unwrap_or_else(|| "/".to_owned());
    let login = LoginPage { lang: lang(request), theme, next: &next, problem };
    page(status, nanobot_webui::login(&login))
}

/// An embedded file.
pub(crate) async fn asset(Path(path): Path<String>, uri: Uri, request: HeaderMap) -> Response {
    let accepted = request.get(header::ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    let Some(asset) = assets::asset(&path, accepted) else {
        return ApiError::not_found("file").into_response();
    };
    let version = uri.query().and_then(|query| query.split('&').find_map(|pair| pair.strip_prefix("v=")));
    let cache = headers::asset_cache_control(&asset, version);
    let known = request.get(header::IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let mut response = if known.is_some_and(|tag| asset.is_known(tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        Response::new(Body::from(asset.body.clone()))
    };
    let map = response.headers_mut();
    map.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.content_type));
    map.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
    map.insert(header::VARY, HeaderValue::from_static(headers::VARY));
    map.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(headers::asset_csp(&path)));
    if let Ok(etag) = HeaderValue::from_str(&asset.etag) {
        map.insert(header::ETAG, etag);
    }
    if let Some(encoding) = asset.encoding {
        map.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
    }
    response
}

/// Everything that has no route: a page for people, a problem for programs.
pub(crate) async fn not_found(uri: Uri, request: HeaderMap) -> Response {
    let wants_page = request
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"));
    if uri.path().starts_with("/api/") || !wants_page {
        return ApiError::not_found("path; see /api/v1/openapi.json").into_response();
    }
    let theme = Theme::from_cookie(cookie(&request, preferences::THEME_COOKIE));
    let error = ErrorPage { status: 404, code: "not_found", lang: lang(&request), theme };
    page(StatusCode::NOT_FOUND, nanobot_webui::error(&error))
}

fn lang(request: &HeaderMap) -> Lang {
    let accepted = request.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
    Lang::choose(cookie(request, preferences::LANG_COOKIE), accepted)
}

fn page(status: StatusCode, html: Result<String, nanobot_webui::RenderError>) -> Response {
    match html {
        Ok(html) => {
            let mut response = (status, html).into_response();
            let map = response.headers_mut();
            map.insert(header::CONTENT_TYPE, HeaderValue::from_static(headers::HTML));
            map.insert(header::CACHE_CONTROL, HeaderValue::from_static(headers::CACHE_NEVER));
            response
        }
        Err(error) => {
            tracing::error!(%error, "a page could not be rendered");
            let detail = "this page could not be made; see the log";
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail).into_response()
        }
    }
}

/// Headers that every answer carries.
pub(crate) async fn add_headers(mut response: Response) -> Response {
    let map = response.headers_mut();
    for (name, value) in headers::COMMON {
        map.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if !map.contains_key(header::CONTENT_SECURITY_POLICY) {
        map.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(headers::PAGE_CSP));
    }
    response
}
