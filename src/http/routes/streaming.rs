//! Responses that are sent in pieces.

use std::convert::Infallible;
use std::iter;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use futures_util::{StreamExt, TryStream, stream};
use serde::Serialize;
use tokio::task::{spawn_blocking, yield_now};
use tokio::time::timeout;

use crate::http::extract::Caller;
use crate::http::line::{Lane, Overloaded};
use crate::http::problem::{ApiError, Result};
use crate::http::state::{Reservation, TIMEOUT, UNRESERVED};

/// Marks responses that are not to be compressed.
#[derive(Clone, Copy)]
struct Uncompressed;

/// Tells proxies such as nginx not to buffer a response; deploy/haproxy.cfg also tests it.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// A response whose pieces are sent as soon as they exist. An error cuts the connection off, so that the
/// client notices that the response is incomplete.
pub(crate) fn streamed(
    media: &'static str,
    pieces: impl TryStream<Ok: Into<Bytes>, Error: Into<BoxError>> + Send + 'static,
) -> Response {
    let headers = [(header::CONTENT_TYPE.as_str(), media), UNBUFFERED];
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    response.extensions_mut().insert(Uncompressed);
    response
}

/// The response to a HEAD request for scrambles. No scrambles are made, so the length is unknown.
pub(crate) fn only_head(media: &'static str) -> Response {
    streamed(media, stream::empty::<Result<Bytes, Infallible>>())
}

/// Whether a response may be compressed. Streamed ones may not, since that delays pieces.
pub(crate) fn may_compress(_: StatusCode, _: Version, _: &HeaderMap, of: &Extensions) -> bool {
    of.get::<Uncompressed>().is_none()
}

/// The header with the number of scrambles whose search the deadline cut short, for responses whose body
/// cannot say it.
pub(crate) const HURRIED: HeaderName = HeaderName::from_static("x-hurried");

/// The header with what may be a mistake in a competition.
pub(crate) const NOTES: HeaderName = HeaderName::from_static("x-notes");

/// Maximum number of notes in the header, and of characters of each: proxies limit the size of heads.
const MAX_NOTES: usize = 10;
const MAX_NOTE: usize = 200;

/// The header with notes, if there are any. Characters other than those of ASCII are escaped, as `\u{e9}`.
pub(crate) fn notes(all: impl Iterator<Item = String>) -> Option<[(HeaderName, HeaderValue); 1]> {
    let escaped = |c: char| match c {
        ' '..='~' => c.to_string(),
        _ => c.escape_unicode().to_string(),
    };
    let note = |note: String| note.chars().take(MAX_NOTE).map(escaped).collect();
    let mut notes: Vec<String> = all.map(note).collect();
    if notes.len() > MAX_NOTES {
        let rest = notes.split_off(MAX_NOTES).len();
        notes.push(format!("and {rest} more"));
    }
    let value = HeaderValue::try_from(notes.join("; ")).expect("the value is ASCII");
    (!notes.is_empty()).then_some([(NOTES, value)])
}

/// A document that is written no faster than it is sent; a small one has a length instead. Its memory is released when
/// all is sent.
pub(crate) fn document(
    headers: impl IntoResponseParts,
    hurried: usize,
    mut pieces: impl Iterator<Item: AsRef<[u8]> + Into<Bytes>> + Send + 'static,
    memory: Reservation,
) -> Response {
    let hurried = (hurried > 0).then(|| [(HURRIED, HeaderValue::from(hurried))]);
    let headers = (headers, hurried);
    let mut first = Vec::new();
    while first.len() <= UNRESERVED {
        match pieces.next() {
            Some(piece) => first.extend_from_slice(piece.as_ref()),
            None => return (headers, first).into_response(),
        }
    }
    // Other requests get a turn after each piece. A socket that takes all at once, such as one for compressed pieces, would
    // otherwise let none.
    let pieces = iter::once(first.into()).chain(pieces.map(Into::into));
    let pieces = stream::iter(pieces).then(move |piece| {
        let _ = &memory;
        async move {
            yield_now().await;
            Ok::<Bytes, Infallible>(piece)
        }
    });
    (headers, Body::from_stream(pieces)).into_response()
}

/// The pieces of a JSON array that is not empty.
pub(crate) fn json_array(items: impl Iterator<Item: Serialize>) -> impl Iterator<Item = String> {
    let openings = iter::once('[').chain(iter::repeat(','));
    let items = openings.zip(items);
    let items = items.map(|(opening, item)| {
        let item =
            serde_json::to_string(&item).expect("no item has a map with other keys than text");
        format!("{opening}{item}")
    });
    items.chain(iter::once("]".to_owned()))
}

/// Runs short work that blocks on a thread for it. `what` names the work in the log if it panics.
pub(super) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    ended(what, spawn_blocking(work).await.ok())
}

/// Reads or writes a document of `bytes` bytes when it is its turn. Waits at most ten seconds.
pub(super) async fn in_turn<T: Send + 'static>(
    caller: &Caller,
    bytes: usize,
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let line = caller.state.engines.line();
    let lane = if bytes > UNRESERVED {
        Lane::Large
    } else {
        Lane::Small
    };
    let result = timeout(TIMEOUT, line.turns().run(caller.client, lane, work)).await;
    let result = result.map_err(|_| Overloaded::Documents)?;
    if result.is_none() {
        caller.state.metrics.panics.inc();
    }
    ended(what, result)
}

fn ended<T>(what: &str, result: Option<T>) -> Result<T> {
    result.ok_or_else(|| {
        tracing::error!("{what} panicked");
        ApiError::Internal
    })
}
