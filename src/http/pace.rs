//! Connections whose clients must read at a minimum pace, and may close their sending side.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use super::metrics::Metrics;
use super::unreadable;

/// Bytes of a response for which a client may take a second: a slow mobile network.
const BYTES_PER_SECOND: usize = 16 * 1024;

/// Time that a client may take beyond that to read responses.
pub(super) const MAX_CREDIT: Duration = Duration::from_secs(30);

/// How long the end of what a client sends is kept from hyper while a request is in progress. Hyper takes it for the end of
/// the connection, and drops the request.
const HALF_CLOSED: Duration = Duration::from_secs(2);

/// A connection that fails when its client reads too slowly. Only the time in which the service waits for the client
/// counts. Responses of any size are cut off after [`MAX_CREDIT`] and a second for each [`BYTES_PER_SECOND`].
pub(super) struct PacedStream {
    stream: TcpStream,
    /// How long the service still waits for the client. Grows with the bytes that the client takes.
    credit: Duration,
    /// Since when the service has been waiting for the client, and until when it does.
    waiting: Option<(Instant, Pin<Box<Sleep>>)>,
    /// Shared with the service and with each request in progress.
    requests: Arc<()>,
    /// Until when the end of what the client sends is kept back, if it has come.
    end: Option<Pin<Box<Sleep>>>,
    metrics: Arc<Metrics>,
}

impl PacedStream {
    /// `requests` is shared with the service, and with each request while it is in progress.
    pub(super) fn new(stream: TcpStream, requests: Arc<()>, metrics: Arc<Metrics>) -> PacedStream {
        PacedStream {
            stream,
            credit: MAX_CREDIT,
            waiting: None,
            requests,
            end: None,
            metrics,
        }
    }

    /// Accounts for an attempt to write.
    fn account(
        &mut self,
        context: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if let Poll::Ready(result) = written {
            if let Some((since, _)) = self.waiting.take() {
                self.credit = self.credit.saturating_sub(since.elapsed());
            }
            let bytes = *result.as_ref().unwrap_or(&0);
            self.credit += Duration::from_secs(bytes as u64) / BYTES_PER_SECOND as u32;
            self.credit = self.credit.min(MAX_CREDIT);
            return Poll::Ready(result);
        }
        let credit = self.credit;
        let (_, timeout) = self.waiting.get_or_insert_with(|| {
            let now = Instant::now();
            (now, Box::pin(sleep_until(now + credit)))
        });
        ready!(timeout.as_mut().poll(context));
        tracing::info!("a client that read too slowly was disconnected");
        // Otherwise the kernel would keep what it has buffered for the client.
        let _ = self.stream.set_zero_linger();
        Poll::Ready(Err(ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        if self.end.is_none() {
            ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
            if buffer.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
        let is_idle = Arc::strong_count(&self.requests) <= 2;
        let end = self.end.get_or_insert_with(|| Box::pin(sleep(HALF_CLOSED)));
        if !is_idle {
            ready!(end.as_mut().poll(context));
        }
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if let Some(response) = unreadable::response(bytes, &self.metrics) {
            // The buffer for sending is empty, and takes it whole.
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &response));
            return Poll::Ready(written.map(|_| bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.account(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::io::Seek;

    use tokio::net::TcpSocket;

    use super::*;
    use crate::http::listen::bind;

    /// A connection of the service, and its other end, which buffers little.
    async fn connection() -> (PacedStream, TcpStream) {
        let listener = bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let client = TcpSocket::new_v4().unwrap();
        client.set_recv_buffer_size(4096).unwrap();
        let client = client.connect(listener.local_addr().unwrap());
        let (client, accepted) = tokio::join!(client, listener.accept());
        let stream = PacedStream::new(accepted.unwrap().0, Arc::default(), Arc::default());
        (stream, client.unwrap())
    }

    /// Sends up to `bytes`, until that fails. Returns the bytes that were sent.
    async fn send(stream: &mut PacedStream, bytes: usize) -> usize {
        let mut sent = 0;
        while sent < bytes {
            let piece = vec![0; 8192.min(bytes - sent)];
            let written = poll_fn(|context| Pin::new(&mut *stream).poll_write(context, &piece));
            match written.await {
                Ok(more) => sent += more,
                Err(_) => break,
            }
        }
        sent
    }

    /// Reads `bytes`, or less at the end. The paused clock stands still until they have arrived: it would go on if this
    /// task waited for them.
    async fn read(client: &TcpStream, bytes: usize) -> usize {
        let (mut buffer, mut at) = (vec![0; bytes], 0);
        while at < bytes {
            match client.try_read(&mut buffer[at..]) {
                Ok(0) => break,
                Ok(more) => at += more,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    tokio::task::yield_now().await;
                }
                Err(_) => break,
            }
        }
        at
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_disconnected() {
        let mut log = tempfile::tempfile().unwrap();
        let subscriber = tracing_subscriber::fmt().with_writer(log.try_clone().unwrap());
        let _guard = tracing::subscriber::set_default(subscriber.finish());
        let (mut stream, _client) = connection().await;
        let began = Instant::now();
        let sent = send(&mut stream, usize::MAX).await;
        assert_eq!(began.elapsed().as_secs(), 30);
        assert!(sent < 256 * 1024, "the kernel buffered {sent}");
        log.rewind().unwrap();
        let log = io::read_to_string(log).unwrap();
        assert_eq!(log.matches("read too slowly").count(), 1, "{log}");
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_client_is_disconnected_after_a_time_by_the_size() {
        let (mut stream, client) = connection().await;
        let began = Instant::now();
        let reading = tokio::spawn(async move {
            while read(&client, 8 * 1024).await > 0 {
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
        });
        let all = 1024 * 1024;
        let sent = send(&mut stream, all).await;
        assert!(sent < all, "1.6 KiB a second suffice");
        let max = MAX_CREDIT + Duration::from_secs((sent / BYTES_PER_SECOND) as u64 + 1);
        assert!(
            (MAX_CREDIT..=max).contains(&began.elapsed()),
            "{sent}, {:?}",
            began.elapsed()
        );
        drop(stream);
        reading.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_with_the_minimum_pace_gets_all() {
        let (mut stream, client) = connection().await;
        let began = Instant::now();
        let reading = tokio::spawn(async move {
            while read(&client, 16 * 1024).await > 0 {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
        let all = 100 * 16 * 1024;
        assert_eq!(send(&mut stream, all).await, all);
        assert!(began.elapsed() > 2 * MAX_CREDIT);
        drop(stream);
        reading.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn bytes_that_were_read_quickly_earn_no_time() {
        let (mut stream, _client) = connection().await;
        // As if the kernel took them at once.
        let bytes = 100 * BYTES_PER_SECOND;
        let taken = poll_fn(|context| stream.account(context, Poll::Ready(Ok(bytes))));
        assert_eq!(taken.await.unwrap(), bytes);
        let began = Instant::now();
        send(&mut stream, usize::MAX).await;
        assert_eq!(began.elapsed().as_secs(), MAX_CREDIT.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_in_which_there_is_nothing_to_send_does_not_count() {
        let (mut stream, client) = connection().await;
        for _ in 0..100 {
            assert_eq!(send(&mut stream, 100).await, 100);
            tokio::time::sleep(Duration::from_secs(60)).await;
            assert_eq!(read(&client, 100).await, 100);
        }
    }
}
