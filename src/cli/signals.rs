//! The signals of Unix, and the console events of Windows, as streams that do not end.
//!
//! Opening a stream needs a Tokio runtime. From then on, its signals do not end the program.

use std::io;

#[cfg(unix)]
use futures_util::stream::BoxStream;
use futures_util::stream::{self, Stream, StreamExt};
#[cfg(unix)]
use rustix::process::Signal;
#[cfg(unix)]
use tokio::signal::unix::{SignalKind, signal};
#[cfg(windows)]
use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close, ctrl_shutdown};

/// A stream of a signal, with a value. Tokio has a type for each event of Windows.
macro_rules! stream_of {
    ($signal:expr, $value:expr) => {{
        let mut signal = $signal?;
        let stream = stream::poll_fn(move |context| signal.poll_recv(context));
        stream.map(move |()| $value).boxed()
    }};
}

/// A signal with its exit code.
#[cfg(unix)]
fn with_exit_code(of: Signal) -> io::Result<BoxStream<'static, u8>> {
    let code = 128 + u8::try_from(of.as_raw()).expect("signals have small numbers");
    Ok(stream_of!(signal(SignalKind::from_raw(of.as_raw())), code))
}

/// SIGINT and SIGTERM, as exit codes of a program that they end. On Windows, Ctrl-C and Ctrl-Break count as SIGINT,
/// closing the console and shutting the system down as SIGTERM.
pub(super) fn stop_signals() -> io::Result<impl Stream<Item = u8> + Send + Unpin> {
    #[cfg(unix)]
    let streams = [with_exit_code(Signal::INT)?, with_exit_code(Signal::TERM)?];
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
    let mut signals = runtime.block_on(async { end_signals() })?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let code = runtime.block_on(signals.next());
            before();
            std::process::exit(code.expect("the stream does not end").into())
        })?;
    Ok(())
}

/// The signals that end a command, as its exit codes: SIGTERM, SIGINT and others that would leave unfinished files.
fn end_signals() -> io::Result<impl Stream<Item = u8> + Send + Unpin> {
    #[cfg(unix)]
    {
        use Signal as S;
        let ignored = ignored_signals();
        // With a handler, writing a file beyond the limit is an error.
        drop(with_exit_code(S::XFSZ)?);
        let signals = [
            S::HUP,
            S::INT,
            S::QUIT,
            S::USR1,
            S::USR2,
            S::ALARM,
            S::TERM,
            S::XCPU,
        ];
        let heard = signals.into_iter();
        let heard = heard.filter(|it| ignored >> (it.as_raw() - 1) & 1 == 0);
        let streams: io::Result<Vec<_>> = heard.map(with_exit_code).collect();
        Ok(stream::select_all(streams?))
    }
    #[cfg(not(unix))]
    stop_signals()
}

/// The signals that were ignored when the program was started, the first in bit 0: `nohup` ignores SIGHUP. SIGHUP if
/// the system does not tell.
#[cfg(unix)]
fn ignored_signals() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.unwrap_or(1)
}
