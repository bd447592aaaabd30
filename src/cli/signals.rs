//! SIGTERM, SIGINT and SIGHUP.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT.
pub(super) struct StopSignals {
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
}

impl StopSignals {
    /// Starts listening. From now on, the signals do not end the program. Needs a Tokio runtime.
    pub(super) fn new() -> io::Result<StopSignals> {
        Ok(StopSignals {
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for a signal. Returns the exit code of a program that it ends.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }

    /// Waits for Ctrl-C. Returns the exit code of a program that it ends.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 130,
            Err(_) => std::future::pending().await,
        }
    }
}

/// SIGHUP.
pub(super) struct ReloadSignals {
    #[cfg(unix)]
    hangup: Signal,
}

impl ReloadSignals {
    /// Starts listening. From now on, the signal does not end the program. Needs a Tokio runtime.
    pub(super) fn new() -> io::Result<ReloadSignals> {
        Ok(ReloadSignals {
            #[cfg(unix)]
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for a signal.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        self.hangup.recv().await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}

/// Makes the program call `before` and exit on SIGTERM or SIGINT. Without a handler these signals do not end
/// the first process of a container.
pub(super) fn exit_on_signal(before: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let mut signals = runtime.block_on(async { StopSignals::new() })?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let code = runtime.block_on(signals.next());
            before();
            std::process::exit(code.into())
        })?;
    Ok(())
}
