//! The destination of a command's result: a file or standard output.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};

use anyhow::{Context, ensure};
use clap::Args;
use cube444_competition::Wcif;
use cube444_competition::audit::Seed;
use tempfile::{Builder, PathPersistError, TempPath};
use zeroize::Zeroizing;

use super::config::{InvalidArguments, require};
use super::input::{self, STDIN};
use super::passcodes::is_passcodes;
use super::terminal::print;

/// The flag `--output`.
#[derive(Args)]
pub(super) struct OutputArgs {
    /// The file to write instead of standard output (-).
    ///
    /// The file is renamed to this name when it is complete. It replaces an existing file, unless that file is
    /// read-only, has a root seed or passcodes, is a competition file whose scrambles would be lost, or changes in the meantime.
    /// Only the owner can read a file with scrambles.
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: Option<PathBuf>,
}

/// The permissions of files with scrambles: only the owner can read them.
pub(super) const SECRET: u32 = 0o600;
/// The permissions of other files, which the user's umask restricts.
pub(super) const PUBLIC: u32 = 0o666;

/// An open destination, until [`Output::finish`]: a file, its name, and the content that it replaces; or standard
/// output.
pub(super) struct Output(Option<(File, PathBuf, Option<Content>)>);

/// The content of a file, which may be secret.
type Content = Zeroizing<Vec<u8>>;

/// The names of the files that are being written, until they get their final names. Dropping them removes the files.
static UNFINISHED: Mutex<Vec<TempPath>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<TempPath>> {
    let unfinished = UNFINISHED.lock();
    unfinished.expect("removing and renaming a file does not panic")
}

/// Removes the files that are being written, and keeps the lock so that no file is finished. The program must exit.
pub(super) fn remove_unfinished() {
    let mut unfinished = unfinished();
    unfinished.clear();
    std::mem::forget(unfinished);
}

impl OutputArgs {
    /// The file; `None` for standard output.
    pub(super) fn file(&self) -> Option<&Path> {
        let file = self.output.as_deref();
        file.filter(|&file| file != Path::new(STDIN))
    }

    /// Opens the destination. This comes before a command's work, so that an invalid one is reported early.
    /// A new file gets the permissions on Unix.
    pub(super) fn open(&self, permissions: u32) -> anyhow::Result<Output> {
        self.open_unless(permissions, |_| {
            Some("is a competition file; name another file")
        })
    }

    /// Opens the destination like [`OutputArgs::open`], unless it is a competition file and `loss` says why it must not
    /// be replaced.
    pub(super) fn open_unless(
        &self,
        permissions: u32,
        loss: impl FnOnce(&Wcif) -> Option<&'static str>,
    ) -> anyhow::Result<Output> {
        let Some(name) = self.file() else {
            return Ok(Output(None));
        };
        let path = target(name).with_context(|| cannot_write(name))?;
        let unread = || {
            format!(
                "cannot check whether {} (--output) may be replaced",
                name.display()
            )
        };
        let old = content(&path).with_context(unread)?;
        check_replaced(name, &path, old.as_deref().map_or(&[], Vec::as_slice), loss)?;
        let open = || {
            // A pipe or another file that cannot be replaced.
            if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
                return OpenOptions::new().write(true).open(&path);
            }
            unfinished_file(directory(&path), permissions)
        };
        let file = open().with_context(|| cannot_write(name))?;
        Ok(Output(Some((file, path, old))))
    }
}

/// The directory of a file.
pub(super) fn directory(path: &Path) -> &Path {
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    parent.unwrap_or(Path::new("."))
}

/// Creates a file, which must not exist. It gets the permissions on Unix.
pub(super) fn create_new(path: &Path, permissions: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, permissions);
    #[cfg(not(unix))]
    let _ = permissions;
    options.write(true).create_new(true).open(path)
}

/// A file without its final name, which is removed unless it gets that. The list is locked, so that a signal removes the
/// file too, or there will be none.
fn unfinished_file(directory: &Path, permissions: u32) -> io::Result<File> {
    let mut unfinished = unfinished();
    let mut builder = Builder::new();
    // Not `tempfile_in`, whose errors have the temporary name.
    let create = |path: &Path| create_new(path, permissions);
    let made = builder.prefix(".scramble444-").make_in(directory, create)?;
    let (file, name) = made.into_parts();
    unfinished.push(name);
    Ok(file)
}

/// Writes new files that only their owner can read, or none of them: they get their names when all are complete. Makes
/// their directories, if the parents exist.
pub(super) fn create_all(
    paths: &[PathBuf],
    contents: impl Iterator<Item = anyhow::Result<Vec<u8>>>,
) -> anyhow::Result<()> {
    for path in paths {
        let name = path.display();
        require(
            path.symlink_metadata().is_err(),
            format_args!(
                "{name} exists, and is not replaced; name another directory or file, or print new sets alone (--only)"
            ),
        )?;
    }
    // If this fails, dropping it removes all.
    let _unfinished = Output(None);
    let cannot_write = |path: &Path| format!("cannot write {}", path.display());
    for (path, content) in paths.iter().zip(contents) {
        let parent = directory(path);
        let parent = if parent.exists() {
            parent
        } else {
            directory(parent)
        };
        let content = content?;
        let write = || {
            let mut file = unfinished_file(parent, SECRET)?;
            file.write_all(&content)?;
            file.sync_all()
        };
        write().with_context(|| cannot_write(path))?;
    }
    // With the lock, a signal ends the program before or after, but not in between.
    let mut unfinished = unfinished();
    let mut made: Vec<&Path> = Vec::new();
    let renamed = paths
        .iter()
        .zip(unfinished.drain(..))
        .try_for_each(|(path, name)| {
            let parent = directory(path);
            if !parent.exists() {
                fs::create_dir(parent).with_context(|| cannot_write(parent))?;
                made.push(parent);
            }
            let named = name_new(name, path, TempPath::persist_noclobber);
            named.with_context(|| cannot_write(path))?;
            made.push(path);
            anyhow::Ok(())
        });
    if renamed.is_err() {
        for path in made.iter().rev() {
            let _ = fs::remove_file(path).or_else(|_| fs::remove_dir(path));
        }
    }
    renamed
}

/// Gives a file its name, which must be new. Some file systems, such as those of USB sticks, cannot rename a file only if the
/// name is new, as `rename` does. There, an empty file takes the name first.
fn name_new(
    file: TempPath,
    path: &Path,
    rename: impl FnOnce(TempPath, PathBuf) -> Result<(), PathPersistError>,
) -> io::Result<()> {
    let Err(PathPersistError { error, path: file }) = rename(file, path.to_owned()) else {
        return Ok(());
    };
    if error.kind() == ErrorKind::AlreadyExists {
        return Err(error);
    }
    create_new(path, SECRET)?;
    file.persist(path).map_err(|error| {
        let _ = fs::remove_file(path);
        error.error
    })
}

/// The target of a link, which may not exist yet, or the file itself.
fn target(name: &Path) -> io::Result<PathBuf> {
    match fs::canonicalize(name) {
        // A pipe exists, but its link in /proc has no path.
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut path = name.to_owned();
            while !name.exists()
                && let Ok(next) = fs::read_link(&path)
            {
                path.pop();
                path.push(next);
            }
            Ok(path)
        }
        found => found,
    }
}

const ROOT: &str = "has a root seed, which the audit needs; name another file";
const PASSCODES: &str = "has passcodes of PDF files; name another file";

/// The content of an existing file; `None` for a pipe or the like, and if there is none.
fn content(path: &Path) -> io::Result<Option<Content>> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    is_file.then(|| input::read_file(path)).transpose()
}

/// Whether a text has a root seed, perhaps with a label.
fn has_root(text: &str) -> bool {
    let mut runs = text.split(|c: char| !c.is_ascii_hexdigit());
    runs.any(|run| Seed::root_from_hex(run).is_ok())
}

/// Whether a text has a member with scrambles, perhaps encrypted, even if it is not valid JSON.
fn names_scrambles(text: &str) -> bool {
    let names = [
        "\"scrambles\"",
        "\"encryptedScrambles\"",
        "\"encryptedScrambleSets\"",
        "\"ciphertext\"",
    ];
    let mut ends = names.iter().flat_map(|name| text.split(name).skip(1));
    ends.any(|rest| rest.trim_start().starts_with(':'))
}

/// Fails if a file exists and must not be replaced.
fn check_replaced(
    name: &Path,
    path: &Path,
    bytes: &[u8],
    loss: impl FnOnce(&Wcif) -> Option<&'static str>,
) -> Result<(), InvalidArguments> {
    let Some(found) = fs::metadata(path).ok().filter(fs::Metadata::is_file) else {
        return Ok(());
    };
    let lossy = |_| String::from_utf8_lossy(bytes).into_owned().into();
    let text = input::decode(bytes).unwrap_or_else(lossy);
    let reason = match Wcif::from_json(text.as_bytes()) {
        _ if found.permissions().readonly() => "is read-only".to_owned(),
        Ok(wcif) => loss(&wcif).unwrap_or_default().to_owned(),
        Err(_) if has_root(&text) => ROOT.to_owned(),
        Err(_) if is_passcodes(&text) => PASSCODES.to_owned(),
        Err(error) if names_scrambles(&text) => {
            format!("has scrambles, but cannot be read; name another file ({error})")
        }
        Err(_) => String::new(),
    };
    let name = name.display();
    require(
        reason.is_empty(),
        format_args!("{name} (--output) {reason}"),
    )
}

fn cannot_write(path: &Path) -> String {
    format!("cannot write {} (--output)", path.display())
}

impl Output {
    pub(super) fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        match &mut self.0 {
            None => print(write),
            Some((file, path, _)) => write(file).with_context(|| cannot_write(path)),
        }
    }

    /// Writes a whole document in pieces, and finishes.
    pub(super) fn write_document(
        mut self,
        pieces: impl IntoIterator<Item: AsRef<[u8]>>,
    ) -> anyhow::Result<()> {
        let mut pieces = pieces.into_iter();
        self.write(|out| pieces.try_for_each(|piece| out.write_all(piece.as_ref())))?;
        self.finish()
    }

    /// Gives a complete file its name.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        if let Some((file, path, old)) = &self.0
            && let Some(name) = unfinished().pop()
        {
            let now = content(path).with_context(|| cannot_write(path))?;
            ensure!(
                now.is_none() || now == *old,
                "{} (--output) has changed since the command began, so it stays; run the command again",
                path.display()
            );
            let renamed = file
                .sync_all()
                .and_then(|()| name.persist(path).map_err(io::Error::from));
            renamed.with_context(|| cannot_write(path))?;
        }
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // If the command fails, remove its unfinished files, if any.
        unfinished().clear();
    }
}

#[cfg(test)]
mod tests;
