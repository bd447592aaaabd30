//! Answers that are sent piece by piece.

use std::convert::Infallible;
use std::error::Error;

use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};

/// Marks answers that are sent piece by piece.
#[derive(Clone, Copy)]
struct Piecewise;

/// An answer that is sent piece by piece. At an error the connection is cut off, so that no client
/// takes what it has for the whole.
pub(crate) fn piecewise<E: Into<Box<dyn Error + Send + Sync>>>(
    media: &'static str,
    pieces: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
) -> Response {
    let headers = [(header::CONTENT_TYPE, media)];
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    response.extensions_mut().insert(Piecewise);
    response
}

/// What a request for the head of an answer gets: nobody would see the scrambles, so none are made, and
/// how long they would be is not known.
pub(crate) fn only_head(media: &'static str) -> Response {
    piecewise(media, stream::empty::<Result<Bytes, Infallible>>())
}

/// Whether an answer is whole, as opposed to sent piece by piece: compressing holds pieces back.
pub(crate) fn is_whole(_: StatusCode, _: Version, _: &HeaderMap, of: &Extensions) -> bool {
    of.get::<Piecewise>().is_none()
}
