//! The limits of threads and files that a process may have.

use std::io;
use std::sync::Mutex;
use std::thread;

use anyhow::Context;

/// Checks that this process can start `threads` more threads and open `files` more files. Libraries that start threads or
/// open files would panic.
///
/// # Errors
///
/// The error names the limit.
pub(super) fn check(threads: usize, files: usize) -> anyhow::Result<()> {
    let pipes: io::Result<Vec<_>> = (0..files.div_ceil(2)).map(|_| io::pipe()).collect();
    drop(pipes.with_context(|| {
        format!("cannot open {files} files: raise the limit of open files (ulimit -n, LimitNOFILE)")
    })?);
    let gate = Mutex::new(());
    thread::scope(|scope| {
        let held = gate.lock();
        let start = |_| thread::Builder::new().spawn_scoped(scope, || drop(gate.lock()));
        let started: io::Result<Vec<_>> = (0..threads).map(start).collect();
        drop(held);
        started.map(drop)
    })
    .with_context(|| {
        format!(
            "cannot start {threads} threads: raise the limit of processes or of memory (ulimit -u and -v, TasksMax, the \
             limits of the container)"
        )
    })
}
