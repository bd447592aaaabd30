//! Reading JSON bodies.

use std::time::Duration;

use axum::body::{Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use futures_util::StreamExt;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::client::Caller;
use crate::http::elapsed::Began;
use crate::http::problem::{ApiError, Result};
use crate::http::state::{MAX_COMPETITION, Reservation, UNRESERVED};

/// The byte order mark in UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

/// Bytes for which a client may take a second more.
const BYTES_PER_SECOND: usize = 256 * 1024;

/// Time for a piece of a body to arrive, and for all of it, plus a second for each [`BYTES_PER_SECOND`] of its maximum
/// size.
const BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Reads a JSON object of at most [`UNRESERVED`] bytes. `shape` describes it in error messages.
pub(crate) async fn read_object<T: DeserializeOwned>(
    request: Request,
    shape: &'static str,
) -> Result<T> {
    let body = read_body(request, UNRESERVED, "").await?;
    let text = body.strip_prefix(BOM).unwrap_or(&body);
    // Messages about syntax do not repeat the body, which may hold secrets.
    let value = serde_json::from_slice::<Value>(text);
    let value =
        value.map_err(|error| ApiError::BadBody(format!("the body is not JSON: {error}")))?;
    // serde also accepts an array for a struct. A value has lost repeated members, which are errors.
    let mut json = serde_json::Deserializer::from_slice(text);
    let (problem, member) = match serde_path_to_error::deserialize(&mut json) {
        Ok(object) if value.is_object() => return Ok(object),
        Ok(_) => (String::new(), None),
        Err(error) => {
            let member = error.path().to_string();
            let member = value.get(&member).map(|_| member);
            (error.inner().to_string(), member)
        }
    };
    // Other messages may repeat values.
    let names_member = ["unknown field", "duplicate field"];
    let is_named = names_member.iter().any(|start| problem.starts_with(start));
    // In backticks, which a name may have, too.
    let name = problem.split_once('`').and_then(|(_, rest)| {
        let end = rest.find("`, expected").or_else(|| rest.rfind('`'))?;
        Some(rest[..end].to_owned())
    });
    Err(match name.filter(|_| is_named) {
        Some(name) => ApiError::BadMember(name, format!("{problem}; {shape}")),
        None => match member {
            Some(member) => {
                ApiError::BadMember(member.clone(), format!("{member} is invalid: {shape}"))
            }
            None => ApiError::BadBody(shape.to_owned()),
        },
    })
}

/// Reads the bytes of a competition file, for which it reserves memory.
pub(crate) async fn read_competition(
    Caller { state, client, .. }: &Caller,
    request: Request,
) -> Result<(Bytes, Reservation)> {
    let mut memory = state.memory.reservation(*client);
    let size = request.body().size_hint().upper();
    let size = size.map_or(MAX_COMPETITION, |size| MAX_COMPETITION.min(size as usize));
    memory.grow(size).await?;
    let advice =
        "; the command line takes competitions of any size: scramble444 wcif, scramble444 sheets";
    let body = read_body(request, MAX_COMPETITION, advice).await?;
    Ok((body, memory))
}

/// Reads a body of at most `max` bytes whose headers say that it is JSON. `advice` says what to do with a larger one.
async fn read_body(mut request: Request, max: usize, advice: &'static str) -> Result<Bytes> {
    if !is_json(request.headers()) {
        return Err(ApiError::UnsupportedMediaType);
    }
    // With `Expect: 100-continue` the client waits, so it can be refused before it sends the body. Other
    // clients read no response until they have sent it.
    if request.headers().contains_key(header::EXPECT)
        && request.body().size_hint().lower() > max as u64
    {
        return Err(ApiError::TooLarge(max, advice));
    }
    let began = Began::of(request.extensions_mut());
    began.wait_for_body();
    let deadline = BODY_TIMEOUT + Duration::from_secs((max / BYTES_PER_SECOND) as u64);
    let deadline = Instant::now() + deadline;
    let mut chunks = request.into_body().into_data_stream();
    let mut body = Vec::new();
    loop {
        let next = timeout_at(deadline.min(Instant::now() + BODY_TIMEOUT), chunks.next());
        let Some(chunk) = next.await.map_err(|_| ApiError::SlowBody)? else {
            began.begin();
            return Ok(body.into());
        };
        let chunk = chunk.map_err(|_| ApiError::BadBody("the body is incomplete".to_owned()))?;
        if chunk.len() > max - body.len() {
            return Err(ApiError::TooLarge(max, advice));
        }
        body.extend_from_slice(&chunk);
    }
}

/// Whether `Content-Type` is `application/json` or ends in `+json`, in UTF-8, and nothing else is to be decoded.
fn is_json(headers: &HeaderMap) -> bool {
    let media = headers.get(header::CONTENT_TYPE);
    let media = media.and_then(|media| media.to_str().ok());
    let media = media.unwrap_or_default().to_ascii_lowercase();
    let (media, parameters) = media.split_once(';').unwrap_or((&media, ""));
    let subtype = media.trim().strip_prefix("application/");
    let mut charsets = parameters
        .split(';')
        .filter_map(|parameter| parameter.trim().strip_prefix("charset="));
    let mut encodings = headers.get_all(header::CONTENT_ENCODING).iter();
    subtype.is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
        && charsets
            .all(|charset| ["utf-8", "utf8", "us-ascii"].contains(&charset.trim_matches('"')))
        && encodings.all(|encoding| encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}
