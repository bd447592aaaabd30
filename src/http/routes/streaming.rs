//! Responses that are sent in pieces.

use std::convert::Infallible;
use std::iter;
use std::num::NonZeroUsize;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use axum::BoxError;
use axum::body::{Body, Bytes};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode, Version, header};
use axum::response::{IntoResponse, IntoResponseParts, Response};
use futures_util::{StreamExt, TryStream, stream};
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::yield_now;
use tokio::time::timeout;

use crate::http::problem::{ApiError, Result};
use crate::http::state::{MemoryExhausted, Reservation, TIMEOUT, UNRESERVED};

/// Marks responses that are not to be compressed.
#[derive(Clone, Copy)]
struct Uncompressed;

/// Maximum number of large documents that are compressed at the same time. Each keeps a core busy, and takes 0.3 MB.
const MAX_COMPRESSED: usize = 2;
static COMPRESSED: Semaphore = Semaphore::const_new(MAX_COMPRESSED);

/// Maximum number of threads that read and write large documents.
const MAX_THREADS: usize = 4;
static THREADS: LazyLock<Semaphore> = LazyLock::new(|| {
    let cores = available_parallelism().map_or(1, NonZeroUsize::get);
    Semaphore::new(cores.min(MAX_THREADS))
});

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

/// A document that is written no faster than it is sent; a small one has a length instead. Its memory is released when
/// all is sent. At most [`MAX_COMPRESSED`] large documents are compressed at the same time.
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
    let compression = COMPRESSED.try_acquire().ok();
    let is_compressed = compression.is_some();
    let held = (memory, compression);
    // Other requests get a turn after each piece. A socket that takes all at once, such as one for compressed pieces, would
    // otherwise let none.
    let pieces = iter::once(first.into()).chain(pieces.map(Into::into));
    let pieces = stream::iter(pieces).then(move |piece| {
        let _ = &held;
        async move {
            yield_now().await;
            Ok::<Bytes, Infallible>(piece)
        }
    });
    let mut response = (headers, Body::from_stream(pieces)).into_response();
    if !is_compressed {
        response.extensions_mut().insert(Uncompressed);
    }
    response
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

/// Runs `work` on one of a few threads that may block: it would delay all other requests. Waits up to ten seconds for a
/// thread. `what` names the work in the log if it panics.
pub(super) async fn blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let permit = timeout(TIMEOUT, THREADS.acquire()).await;
    let permit = permit.map_err(|_| MemoryExhausted)?;
    let result = tokio::task::spawn_blocking(move || {
        // Held until the end, even if nobody waits for the result.
        let _permit = permit;
        work()
    });
    result.await.map_err(|_| {
        tracing::error!("{what} panicked");
        ApiError::Internal
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use futures_util::FutureExt;

    use super::*;
    use crate::http::state::DocumentMemory;
    use crate::pool::Client;

    #[tokio::test]
    async fn a_large_document_is_compressed_unless_too_many_others_are() {
        let memory = DocumentMemory::new(1024 * 1024);
        let large = || {
            let pieces = iter::repeat_n("x".repeat(UNRESERVED), 2);
            document((), 0, pieces, memory.reservation(Client::default()))
        };
        let is_compressed = |it: &Response| it.extensions().get::<Uncompressed>().is_none();
        let mut unsent: Vec<Response> = iter::repeat_with(large).take(MAX_COMPRESSED).collect();
        assert!(unsent.iter().all(is_compressed));
        assert!(!is_compressed(&large()));
        unsent.pop();
        assert!(is_compressed(&large()));
    }

    #[tokio::test]
    async fn work_that_blocks_keeps_its_thread_until_its_end() {
        let all = THREADS.available_permits();
        let (begin, began) = mpsc::channel();
        let (ends, works): (Vec<_>, Vec<_>) = (0..all)
            .map(|_| {
                let (end, ended) = mpsc::channel::<()>();
                let begin = begin.clone();
                let work = move || {
                    begin.send(()).unwrap();
                    let _ = ended.recv();
                };
                (end, tokio::spawn(blocking("the test", work)))
            })
            .unzip();
        tokio::task::spawn_blocking(move || {
            for _ in 0..all {
                began.recv().unwrap();
            }
        })
        .await
        .unwrap();
        assert_eq!(THREADS.available_permits(), 0);
        // Others wait for one, but not for ever.
        tokio::time::pause();
        let more = tokio::spawn(blocking("the test", || ()));
        yield_now().await;
        tokio::time::advance(TIMEOUT + Duration::from_millis(1)).await;
        yield_now().await;
        let refused = more.now_or_never().expect("it has waited long enough");
        assert_eq!(refused.unwrap(), Err(MemoryExhausted.into()));
        drop(ends);
        for work in works {
            work.await.unwrap().unwrap();
        }
        assert_eq!(THREADS.available_permits(), all);
    }
}
