//! Bodies of requests that are refused before they have been read. Most clients read no response while they send a body, and
//! hyper closes a connection with an unread one.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderValue, Request, Response, StatusCode, header};
use hyper::body::{Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::state::MAX_COMPETITION;

/// Time in which the rest of a body must arrive.
const MAX_TIME: Duration = Duration::from_secs(10);

/// The body of a request. When it is dropped, it passes on what has not been read.
pub(super) struct Kept(Option<(Incoming, oneshot::Sender<Incoming>)>);

impl Kept {
    fn body(&self) -> &Incoming {
        &self.0.as_ref().expect("only drop takes it").0
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some((body, keeper)) = self.0.take()
            && !body.is_end_stream()
        {
            // Nobody needs it if the client has left.
            let _ = keeper.send(body);
        }
    }
}

impl HttpBody for Kept {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let (body, _) = self.0.as_mut().expect("only drop takes it");
        Pin::new(body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body().is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body().size_hint()
    }
}

/// Keeps the body of a request for [`discard`].
pub(super) fn keep(request: Request<Incoming>) -> (Request<Kept>, oneshot::Receiver<Incoming>) {
    let (keeper, unread) = oneshot::channel();
    (request.map(|body| Kept(Some((body, keeper)))), unread)
}

/// Reads the rest of a body, unless it is too large or late, or the client waits for a response before it sends the body.
/// Then the response says that the connection is closed.
pub(super) async fn discard(
    mut response: Response<Body>,
    mut unread: oneshot::Receiver<Incoming>,
    is_expected: bool,
) -> Response<Body> {
    let Ok(mut rest) = unread.try_recv() else {
        return response;
    };
    let (status, headers) = (response.status(), response.headers_mut());
    let is_small = rest.size_hint().lower() <= MAX_COMPETITION as u64;
    let is_late = status == StatusCode::REQUEST_TIMEOUT;
    let is_closed = headers.contains_key(header::CONNECTION);
    let read = async {
        let mut bytes = 0;
        while bytes <= MAX_COMPETITION
            && let Some(Ok(frame)) =
                poll_fn(|context| Pin::new(&mut rest).poll_frame(context)).await
        {
            bytes += frame.data_ref().map_or(0, Bytes::len);
        }
    };
    if is_small && !is_expected && !is_late && !is_closed {
        let _ = timeout(MAX_TIME, read).await;
    }
    if !rest.is_end_stream() {
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
