//! SIGTERM, SIGINT and SIGHUP, as streams that do not end.
//!
//! Opening a stream needs a Tokio runtime. From then on, its signals do not end the program.

use std::io;

use futures_util::stream::{self, Stream, StreamExt};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};

#[cfg(unix)]
fn stream_of(kind: SignalKind) -> io::Result<impl Stream<Item = ()> + Send + Unpin> {
    let mut signal = signal(kind)?;
    Ok(stream::poll_fn(move |context| signal.poll_recv(context)))
}

/// SIGTERM and SIGINT, or Ctrl-C except on Unix, as exit codes of a program that they end.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = u8> + Send + Unpin> {
    #[cfg(unix)]
    return Ok(stream::select(
        stream_of(SignalKind::interrupt())?.map(|()| 130),
        stream_of(SignalKind::terminate())?.map(|()| 143),
    ));
    #[cfg(not(unix))]
    {
        let next = |()| async { Some((tokio::signal::ctrl_c().await.ok()?, ())) };
        let interrupt = stream::unfold((), next).map(|()| 130);
        Ok(Box::pin(interrupt.chain(stream::pending())))
    }
}

/// SIGHUP.
pub(super) fn reload_signals() -> io::Result<impl Stream<Item = ()> + Send + Unpin> {
    #[cfg(unix)]
    return stream_of(SignalKind::hangup());
    #[cfg(not(unix))]
    Ok(stream::pending())
}

/// Makes the program call `before` and exit on SIGTERM or SIGINT. Without a handler these signals do not end
/// the first process of a container.
pub(super) fn exit_on_signal(before: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = runtime.block_on(async { stop_signals() })?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let code = runtime.block_on(signals.next());
            before();
            std::process::exit(code.expect("the stream does not end").into())
        })?;
    Ok(())
}
