//! SIGTERM and SIGINT.

use std::future::Future;

/// Resolves at SIGTERM or SIGINT, to the exit code of a program that such a signal ends. Must be
/// called on a runtime.
pub(super) fn stop_signal() -> std::io::Result<impl Future<Output = u8> + Send + 'static> {
    #[cfg(unix)]
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
    Ok(async move {
        #[cfg(unix)]
        let terminated = terminate.recv();
        #[cfg(not(unix))]
        let terminated = std::future::pending::<()>();
        tokio::select! {
            _ = tokio::signal::ctrl_c() => 130,
            _ = terminated => 143,
        }
    })
}

/// Ends the program at SIGTERM or SIGINT, whatever it is doing, after calling `before`. Without a
/// handler these do not end the first process of a container.
pub(super) fn end_at_signal(before: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_io()
        .build()?;
    let signal = runtime.block_on(async { stop_signal() })?;
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(move || {
            let code = runtime.block_on(signal);
            before();
            std::process::exit(code.into())
        })?;
    Ok(())
}
