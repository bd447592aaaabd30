//! SIGTERM, SIGINT and SIGHUP.

use std::io;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

/// SIGTERM and SIGINT as they come.
pub(super) struct StopSignals {
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
}

impl StopSignals {
    /// From now on, these signals do not end the program by themselves. Must be called on a runtime.
    pub(super) fn new() -> io::Result<StopSignals> {
        Ok(StopSignals {
            #[cfg(unix)]
            terminate: signal(SignalKind::terminate())?,
            #[cfg(unix)]
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    /// Waits for the next one. Gives the exit code of a program that such a signal ends.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) -> u8 {
        tokio::select! {
            _ = self.interrupt.recv() => 130,
            _ = self.terminate.recv() => 143,
        }
    }

    /// Waits for the next one.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) -> u8 {
        match tokio::signal::ctrl_c().await {
            Ok(()) => 130,
            Err(_) => std::future::pending().await,
        }
    }
}

/// SIGHUP as it comes. From now on, it does not end the program. Must be called on a runtime.
pub(super) struct ReloadSignals {
    #[cfg(unix)]
    hangup: Signal,
}

impl ReloadSignals {
    pub(super) fn new() -> io::Result<ReloadSignals> {
        Ok(ReloadSignals {
            #[cfg(unix)]
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    pub(super) async fn next(&mut self) {
        #[cfg(unix)]
        self.hangup.recv().await;
        #[cfg(not(unix))]
        std::future::pending::<()>().await;
    }
}

/// Ends the program at SIGTERM or SIGINT, whatever it is doing, after calling `before`. Without a
/// handler these do not end the first process of a container.
pub(super) fn end_at_signal(before: impl FnOnce() + Send + 'static) -> io::Result<()> {
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
