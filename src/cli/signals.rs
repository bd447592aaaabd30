//! The signals of Unix, and the console events of Windows, as streams that do not end.
//!
//! Opening a stream needs a Tokio runtime. From then on, its signals do not end the program.

use std::io;

use futures_util::stream::{self, Stream, StreamExt};
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

/// A stream of a signal, with a value. Tokio has a type for each event of Windows.
macro_rules! stream_of {
    ($signal:expr, $value:expr) => {{
        let mut signal = $signal?;
        let stream = stream::poll_fn(move |context| signal.poll_recv(context));
        stream.map(|()| $value).boxed()
    }};
}

/// SIGINT and SIGTERM, as exit codes of a program that they end. On Windows, Ctrl-C and Ctrl-Break count as SIGINT,
/// closing the console and shutting the system down as SIGTERM.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = u8> + Send + Unpin> {
    #[cfg(unix)]
    let streams = [
        stream_of!(signal(SignalKind::interrupt()), 130),
        stream_of!(signal(SignalKind::terminate()), 143),
    ];
    #[cfg(windows)]
    let streams = [
        stream_of!(ctrl_c(), 130),
        stream_of!(ctrl_break(), 130),
        stream_of!(ctrl_close(), 143),
        stream_of!(ctrl_shutdown(), 143),
    ];
    Ok(stream::select_all(streams))
}

/// SIGHUP.
pub(super) fn reload_signals() -> io::Result<impl Stream<Item = ()> + Send + Unpin> {
    #[cfg(unix)]
    return Ok(stream_of!(signal(SignalKind::hangup()), ()));
    #[cfg(not(unix))]
    Ok(stream::pending())
}

/// Makes the program call `before` and exit on a stop signal. Without a handler these signals do not end the first
/// process of a container.
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
