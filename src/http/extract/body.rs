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
use crate::http::state::{AppState, Reservation};

/// Maximum size of a body in bytes, except competition files.
const MAX_BODY: usize = 16 * 1024;

/// Time for a body to arrive, plus a second for each [`BYTES_PER_SECOND`] of its maximum size.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);
const BYTES_PER_SECOND: usize = 256 * 1024;

/// Reads a JSON object. `shape` describes it in error messages.
pub(crate) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T, ApiError> {
    let body = read_body(request, MAX_BODY, "").await?;
    // Not directly as a `T`, since serde accepts an array for a struct.
    let UniqueMembers(fields) = serde_json::from_slice(without_bom(&body)).map_err(|error| {
        ApiError::BadBody(match error.classify() {
            Category::Data => shape.to_owned(),
            // Messages about syntax do not repeat the body, which may hold secrets.
            _ => format!("the body is not JSON: {error}"),
        })
    })?;
    let object = serde_json::from_value(Value::Object(fields));
    object.map_err(|_| ApiError::BadBody(shape.to_owned()))
}

/// Reads the bytes of a competition file, and reserves memory for it.
pub(crate) async fn read_competition(
    state: &AppState,
    request: Request,
) -> Result<(Bytes, Reservation), ApiError> {
    let max = state.settings.max_competition;
    // Without a length the body may be as large as allowed.
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
    let length = length.map_or(max, |length: usize| length.min(max));
    let memory = state.document_memory.reserve(length).await?;
    let advice =
        "; the command line takes competitions of any size: scramble444 wcif, scramble444 sheets";
    Ok((read_body(request, max, advice).await?, memory))
}

/// The members of a JSON object. Repeated names are an error, where serde_json would drop a value.
struct UniqueMembers(Map<String, Value>);

impl<'de> Deserialize<'de> for UniqueMembers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<UniqueMembers, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = UniqueMembers;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut members: A,
            ) -> Result<UniqueMembers, A::Error> {
                let mut map = Map::new();
                while let Some((name, value)) = members.next_entry()? {
                    if map.insert(name, value).is_some() {
                        return Err(A::Error::custom("repeated member"));
                    }
                }
                Ok(UniqueMembers(map))
            }
        }

        deserializer.deserialize_map(Object)
    }
}

/// A text without a leading byte order mark.
fn without_bom(text: &[u8]) -> &[u8] {
    text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text)
}

/// Reads a body of at most `max` bytes whose headers say that it is JSON. `advice` goes into the error for
/// larger ones.
async fn read_body(
    mut request: Request,
    max: usize,
    advice: &'static str,
) -> Result<Bytes, ApiError> {
    if !is_json(request.headers()) || request.headers().contains_key(header::CONTENT_ENCODING) {
        return Err(ApiError::UnsupportedMediaType);
    }
    // With `Expect: 100-continue` the client waits, so it can be refused before it sends the body. Other
    // clients read no response until they have sent it.
    let waits = request.headers().contains_key(header::EXPECT);
    if waits && request.body().size_hint().lower() > max as u64 {
        return Err(ApiError::TooLarge { max, advice });
    }
    DefaultBodyLimit::max(max).apply(&mut request);
    let timeout = BODY_TIMEOUT + Duration::from_secs((max / BYTES_PER_SECOND) as u64);
    let body = tokio::time::timeout(timeout, Bytes::from_request(request, &()));
    match body.await.map_err(|_| ApiError::SlowBody)? {
        Ok(body) => Ok(body),
        Err(BytesRejection::FailedToBufferBody(FailedToBufferBody::LengthLimitError(_))) => {
            Err(ApiError::TooLarge { max, advice })
        }
        Err(_) => Err(ApiError::BadBody("the body is incomplete".to_owned())),
    }
}

/// Whether `Content-Type` is `application/json` or ends in `+json`.
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
