//! Reading JSON bodies.

use std::fmt;
use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::rejection::{BytesRejection, FailedToBufferBody};
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{HeaderMap, header};
use serde::de::{DeserializeOwned, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;
use serde_json::{Map, Value};

use crate::http::problem::ApiError;
use crate::http::state::{AppState, Share};

/// The most bytes of a request's body, where nothing else is said.
const MOST_BODY: usize = 16 * 1024;

/// How long a body may take to arrive, and how much longer for each so many bytes.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
const BYTES_A_SECOND: usize = 256 * 1024;

/// Reads a JSON object. `shape` says what it must be like.
pub(crate) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T, ApiError> {
    let body = read_body(request, MOST_BODY, "").await?;
    // By way of a map, since an array would pass for a structure as well.
    let Members(fields) = serde_json::from_slice(without_mark(&body)).map_err(|error| {
        ApiError::BadBody(match error.classify() {
            Category::Data => shape.to_owned(),
            // This tells what was expected where, and nothing of the body.
            _ => format!("the body is not JSON: {error}"),
        })
    })?;
    let object = serde_json::from_value(Value::Object(fields));
    object.map_err(|_| ApiError::BadBody(shape.to_owned()))
}

/// Reads a competition, and reserves memory for it. What it must be like is not looked at.
pub(crate) async fn read_competition(
    state: &AppState,
    request: Request,
) -> Result<(Bytes, Share), ApiError> {
    let most = state.settings.max_competition;
    // Whoever does not say how much will come may send as much as is allowed.
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let length = length.map_or(most, |length: usize| length.min(most));
    let share = state.documents.share(length).await?;
    let advice =
        "; the command line takes competitions of any size: scramble444 wcif, scramble444 sheets";
    Ok((read_body(request, most, advice).await?, share))
}

/// The members of an object, none of which is there twice: one of the two would be lost.
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Members;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
                let mut map = Map::new();
                while let Some((name, value)) = members.next_entry()? {
                    if map.insert(name, value).is_some() {
                        return Err(A::Error::custom("a member is there twice"));
                    }
                }
                Ok(Members(map))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A text without the byte order mark that it may begin with.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Reads a body of at most so many bytes that is said to be JSON. `advice` is for whoever sends more.
async fn read_body(
    mut request: Request,
    most: usize,
    advice: &'static str,
) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) || request.headers().contains_key(header::CONTENT_ENCODING) {
        return Err(ApiError::UnsupportedMediaType);
    }
    // A client that waits to be told to continue is refused before it sends anything. Others are sending
    // already, and would not read an answer that comes before the body has been read.
    let waits = request.headers().contains_key(header::EXPECT);
    if waits && request.body().size_hint().lower() > most as u64 {
        return Err(ApiError::TooLarge { most, advice });
    }
    DefaultBodyLimit::max(most).apply(&mut request);
    let patience = BODY_TIMEOUT + Duration::from_secs((most / BYTES_A_SECOND) as u64);
    let body = tokio::time::timeout(patience, Bytes::from_request(request, &()));
    match body.await.map_err(|_| ApiError::SlowBody)? {
        Ok(body) => Ok(body),
        Err(BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_))) => {
            Err(ApiError::TooLarge { most, advice })
        }
        Err(_) => Err(ApiError::BadBody("the body broke off".to_owned())),
    }
}

/// Whether a body is said to be JSON.
fn is_json(headers: &HeaderMap) -> bool {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media
        .and_then(|media| media.to_str().ok())
        .unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    let subtype = media
        .split_once('/')
        .filter(|(kind, _)| kind.eq_ignore_ascii_case("application"));
    let subtype = subtype.map(|(_, subtype)| subtype.to_ascii_lowercase());
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}
