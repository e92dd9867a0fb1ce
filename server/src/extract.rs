//! Extractors that answer in our own words: JSON bodies with the path of what is wrong, ids, query strings.

use std::str::FromStr;

use axum::body::Bytes;
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use nanobot_runtime::plain::plain;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};

use crate::error::ApiError;

/// A JSON body. Unknown fields, wrong types and broken JSON are named with their place.
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let bytes = Bytes::from_request(request, state).await.map_err(|rejection| too_large(&rejection))?;
        // An absent body is an empty object, so that every field that may be left out can be.
        let bytes: &[u8] = if bytes.is_empty() { b"{}" } else { &bytes };
        parse(bytes).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

fn too_large(rejection: &BytesRejection) -> ApiError {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        ApiError::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "body_too_large",
            "the body is over the limit of server.max_body_bytes; send less, or raise the limit",
        )
    } else {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_body", "the body could not be read to its end; send it again")
    }
}

/// Parses JSON and says where it is wrong.
///
/// # Errors
/// 400 for text that is no JSON, 422 with the path for JSON that does not fit.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        let inner = error.into_inner();
        if inner.is_data() {
            ApiError::invalid(path, plain(&inner.to_string()))
        } else {
            ApiError::new(StatusCode::BAD_REQUEST, "bad_json", format!("the body is no JSON: {inner}"))
        }
    })?;
    reader.end().map_err(|error| {
        ApiError::new(StatusCode::BAD_REQUEST, "bad_json", format!("there is more behind the JSON: {error}"))
    })?;
    Ok(value)
}

/// An id in the path. One that is no id names nothing, so it is 404 like an unknown one.
#[derive(Clone, Copy, Debug)]
pub struct Id<T>(pub T);

impl<S: Send + Sync, T: FromStr> FromRequestParts<S> for Id<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let text = Path::<String>::from_request_parts(parts, state).await.map_err(|_| ApiError::not_found("thing"))?;
        text.parse().map(Self).map_err(|_| ApiError::not_found("thing: this is not an id"))
    }
}

/// A query string.
#[derive(Clone, Copy, Debug)]
pub struct Params<T>(pub T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Params<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(params)) => Ok(Self(params)),
            Err(error) => {
                let text = error.body_text();
                let words = text.strip_prefix("Failed to deserialize query string: ").unwrap_or(&text);
                Err(ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_query", query_words(words)))
            }
        }
    }
}

/// What is wrong with a query string: the field, and what it must be.
fn query_words(words: &str) -> String {
    match words.split_once(": ") {
        Some((field, "invalid digit found in string" | "cannot parse integer from empty string")) => {
            format!("{field}: must be a whole number, 0 or more")
        }
        Some((field, "number too large to fit in target type")) => format!("{field}: must be a smaller number"),
        Some((field, words)) => format!("{field}: {}", plain(words)),
        None => plain(words),
    }
}

/// Tells an absent field (`None`) from one that is `null` (`Some(None)`).
///
/// # Errors
/// When the value does not fit.
pub fn present<'de, D, T>(deserializer: D) -> Result<Option<Option<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Option::<T>::deserialize(deserializer).map(Some)
}
