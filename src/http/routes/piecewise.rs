//! Answers that are sent piece by piece.

use std::convert::Infallible;
use std::error::Error;

use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, HeaderName, StatusCode, Version, header};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, stream};

use crate::http::state::Share;

/// Marks answers that are sent as they come about.
#[derive(Clone, Copy)]
struct Piecewise;

/// Tells proxies to pass an answer on as it comes: those of nginx's kind know it, and
/// deploy/haproxy.cfg heeds it.
const UNBUFFERED: (&str, &str) = ("x-accel-buffering", "no");

/// An answer whose pieces are sent as they come about. At an error the connection is cut off, so that no
/// client takes what it has for the whole.
pub(crate) fn piecewise<E: Into<Box<dyn Error + Send + Sync>>>(
    media: &'static str,
    pieces: impl Stream<Item = Result<Bytes, E>> + Send + 'static,
) -> Response {
    let headers = [(header::CONTENT_TYPE.as_str(), media), UNBUFFERED];
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    response.extensions_mut().insert(Piecewise);
    response
}

/// What a request for the head of an answer gets: nobody would see the scrambles, so none are made, and
/// how long they would be is not known.
pub(crate) fn only_head(media: &'static str) -> Response {
    piecewise(media, stream::empty::<Result<Bytes, Infallible>>())
}

/// Whether an answer is whole, as opposed to sent as it comes about: compressing holds pieces back.
pub(crate) fn is_whole(_: StatusCode, _: Version, _: &HeaderMap, of: &Extensions) -> bool {
    of.get::<Piecewise>().is_none()
}

/// How many scrambles of an answer that has no other place for it the deadline cut short, if any.
pub(crate) const HURRIED: HeaderName = HeaderName::from_static("x-hurried");

/// An answer that says how many of its scrambles the deadline cut short.
pub(crate) fn with_hurried(mut response: Response, hurried: usize) -> Response {
    if hurried > 0 {
        response.headers_mut().insert(HURRIED, hurried.into());
    }
    response
}

/// A document that is written only as fast as it is sent, and keeps its share of memory until then.
pub(crate) fn document<const N: usize>(
    headers: [(HeaderName, String); N],
    hurried: usize,
    pieces: impl Iterator<Item = String> + Send + 'static,
    share: Share,
) -> Response {
    let pieces = pieces.map(move |piece| {
        let _ = &share;
        Ok::<_, Infallible>(Bytes::from(piece))
    });
    let body = Body::from_stream(stream::iter(pieces));
    with_hurried((headers, body).into_response(), hurried)
}
