//! Responses that are sent in pieces.

use std::convert::Infallible;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use futures_util::{TryStream, stream};

use crate::http::problem::{ApiError, Result};
use crate::http::state::Reservation;

/// Marks streamed responses.
#[derive(Clone, Copy)]
struct Streamed;

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
    response.extensions_mut().insert(Streamed);
    response
}

/// The response to a HEAD request for scrambles. No scrambles are made, so the length is unknown.
pub(crate) fn only_head(media: &'static str) -> Response {
    streamed(media, stream::empty::<Result<Bytes, Infallible>>())
}

/// Whether a response is not streamed. Streamed ones are not compressed, since that delays pieces.
pub(crate) fn is_complete(_: StatusCode, _: Version, _: &HeaderMap, of: &Extensions) -> bool {
    of.get::<Streamed>().is_none()
}

/// The header with the number of scrambles whose search the deadline cut short, for responses whose body
/// cannot say it.
pub(crate) const HURRIED: HeaderName = HeaderName::from_static("x-hurried");

/// The header [`HURRIED`], unless the number is 0.
pub(crate) fn hurried_header(hurried: usize) -> Option<[(HeaderName, HeaderValue); 1]> {
    (hurried > 0).then(|| [(HURRIED, hurried.into())])
}

/// A document that is written no faster than it is sent. Its memory is released when all is sent.
pub(crate) fn document(
    headers: impl IntoResponseParts,
    hurried: usize,
    pieces: impl Iterator<Item = String> + Send + 'static,
    memory: Reservation,
) -> Response {
    let pieces = pieces.map(move |piece| {
        let _ = &memory;
        Ok::<_, Infallible>(piece)
    });
    let body = Body::from_stream(stream::iter(pieces));
    (headers, hurried_header(hurried), body).into_response()
}

/// Runs `work` on a thread that may block. `what` names it in the log if it panics.
pub(super) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let result = tokio::task::spawn_blocking(work).await;
    result.map_err(|_| {
        tracing::error!("{what} panicked");
        ApiError::Internal
    })
}
