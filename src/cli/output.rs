//! Files that commands write, or standard output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use anyhow::Context;
use clap::Args;
use tempfile::{Builder, NamedTempFile};

use super::input::STDIN;
use super::terminal::print;

/// Where the result goes.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// The file to write instead of standard output (-).
    ///
    /// It gets its name when it is complete, and then replaces a file of that name. Only its owner can read a
    /// file with scrambles.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// Who can read a file that is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Readers {
    /// Its owner: for scrambles.
    Owner,
    /// Those to whom the user's umask gives new files.
    Usual,
}

/// Where the result of a command goes, until [`Output::finish`].
pub(super) enum Output {
    Stdout,
    /// Something that cannot be replaced, such as a pipe.
    Device(File, PathBuf),
    /// A file of this name, which until it is complete is [`UNFINISHED`].
    File(PathBuf),
}

/// The file that is being written. It is removed when it is dropped.
static UNFINISHED: Mutex<Option<NamedTempFile>> = Mutex::new(None);

fn unfinished() -> MutexGuard<'static, Option<NamedTempFile>> {
    let unfinished = UNFINISHED.lock();
    unfinished.expect("nobody panics who writes to a file")
}

/// Removes the file that is being written. Whoever goes on writing waits for ever: the program must end.
pub(super) fn abandon() {
    let mut unfinished = unfinished();
    drop(unfinished.take());
    std::mem::forget(unfinished);
}

impl OutputArgs {
    /// The file, unless standard output is meant.
    pub(super) fn file(&self) -> Option<&Path> {
        let file = self.output.as_deref();
        file.filter(|&file| file != Path::new(STDIN))
    }

    /// Begins to write. What cannot be written at all is an error here, before any work.
    pub(super) fn open(&self, readers: Readers) -> anyhow::Result<Output> {
        let Some(name) = self.file() else {
            return Ok(Output::Stdout);
        };
        // What a link leads to is replaced, not the link.
        let path = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        let open = || -> io::Result<Output> {
            if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
                let device = OpenOptions::new().write(true).open(&path)?;
                return Ok(Output::Device(device, path.clone()));
            }
            let directory = path.parent().filter(|parent| *parent != Path::new(""));
            let mut builder = Builder::new();
            builder.prefix(".scramble444-");
            #[cfg(unix)]
            builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(
                match readers {
                    Readers::Owner => 0o600,
                    Readers::Usual => 0o666,
                },
            ));
            // Elsewhere files have no such mode.
            #[cfg(not(unix))]
            let _ = readers;
            *unfinished() = Some(builder.tempfile_in(directory.unwrap_or(Path::new(".")))?);
            Ok(Output::File(path.clone()))
        };
        open().with_context(|| cannot_write(name))
    }
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {} (--output)", path.display())
}

impl Output {
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match self {
            Output::Stdout => Ok(print(write)?),
            Output::Device(device, path) => write(device).with_context(|| cannot_write(path)),
            Output::File(path) => {
                let mut file = unfinished();
                let file = file.as_mut().expect("it is there until it is finished");
                write(file).with_context(|| cannot_write(path))
            }
        }
    }

    /// Writes a document piece by piece.
    pub(super) fn write_pieces(
        &mut self,
        mut pieces: impl Iterator<Item = String>,
    ) -> anyhow::Result<()> {
        self.write(|out| pieces.try_for_each(|piece| out.write_all(piece.as_bytes())))
    }

    /// Gives a file its name.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        if let Output::File(path) = &self {
            let mut unfinished = unfinished();
            let file = unfinished.take().expect("it is there until it is finished");
            let finished = file.as_file().sync_all();
            let finished = finished.and_then(|()| file.persist(path).map_err(io::Error::from));
            finished.with_context(|| cannot_write(path))?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // Nothing is left if the command fails.
        if matches!(self, Output::File(_)) {
            unfinished().take();
        }
    }
}
