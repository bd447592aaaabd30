//! A client's connection, with patience for one who says that no more will come.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;
use tokio_io_timeout::TimeoutStream;

/// A client who sends no more may be one who has closed its connection, or one who only says so and
/// waits for its answer; what comes over the network is the same. It gets so long.
const HALF_CLOSED: Duration = Duration::from_secs(2);

/// How long a client may take to read some of what it is sent.
const SEND_TIMEOUT: Duration = Duration::from_secs(30);

/// How many answers a client waits for.
#[derive(Clone, Default)]
pub(super) struct Awaited(Arc<AtomicUsize>);

impl Awaited {
    /// One more, until what is returned is dropped.
    pub(super) fn one(&self) -> AwaitedAnswer {
        self.0.fetch_add(1, Ordering::Relaxed);
        AwaitedAnswer(Arc::clone(&self.0))
    }

    fn any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

/// An answer that a client waits for.
pub(super) struct AwaitedAnswer(Arc<AtomicUsize>);

impl AwaitedAnswer {
    /// The body of the answer, which is awaited until all of it has been sent off.
    pub(super) fn with(self, body: Body) -> AnswerBody {
        AnswerBody {
            body,
            _answer: self,
        }
    }
}

impl Drop for AwaitedAnswer {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The body of an answer that a client waits for.
pub(super) struct AnswerBody {
    body: Body,
    _answer: AwaitedAnswer,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A connection. While an answer is awaited, its end is seen some time after it has come; whoever does
/// not read is given up.
pub(super) struct Connection {
    stream: Pin<Box<TimeoutStream<TcpStream>>>,
    awaited: Awaited,
    /// From the end of what the client sends.
    ended: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream, awaited: Awaited) -> Connection {
        // Lines of a stream are short and must not wait for each other.
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(SEND_TIMEOUT));
        Connection {
            stream: Box::pin(stream),
            awaited,
            ended: None,
        }
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let is_awaited = self.awaited.any();
        if let Some(ended) = &mut self.ended {
            return match is_awaited {
                true => ended.as_mut().poll(context).map(Ok),
                false => Poll::Ready(Ok(())),
            };
        }
        let before = buffer.filled().len();
        let read = self.stream.as_mut().poll_read(context, buffer);
        let is_end = matches!(read, Poll::Ready(Ok(())))
            && buffer.filled().len() == before
            && buffer.remaining() > 0;
        if !is_end || !is_awaited {
            return read;
        }
        let mut ended = Box::pin(tokio::time::sleep(HALF_CLOSED));
        let waiting = ended.as_mut().poll(context).map(Ok);
        self.ended = Some(ended);
        waiting
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.stream.as_mut().poll_write_vectored(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(context)
    }
}
