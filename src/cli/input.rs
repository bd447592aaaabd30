//! Reading text from files or standard input.

use std::fs::File;
use std::io::{self, BufRead, Cursor, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, ensure};
use zeroize::Zeroizing;

use super::terminal::print_note;

/// The file name of standard input, and of standard output.
pub(super) const STDIN: &str = "-";

/// Maximum length of an input in bytes.
const MAX_BYTES: usize = 1 << 30;

/// Maximum length of a line of standard input in bytes, with its end.
const MAX_LINE: usize = 1 << 20;

/// The byte order mark in UTF-8.
const UTF_8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads a file.
pub(super) fn read_file(path: &Path) -> io::Result<Zeroizing<Vec<u8>>> {
    read(File::open(path)?, MAX_BYTES)
}

/// Reads at most `max` bytes.
fn read(from: impl Read, max: usize) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    from.take(max as u64 + 1).read_to_end(&mut bytes)?;
    check_length("it", bytes.len(), max).map(|()| bytes)
}

fn check_length(what: &str, length: usize, max: usize) -> io::Result<()> {
    let error = || io::Error::other(format!("{what} is longer than {max} bytes"));
    (length <= max).then_some(()).ok_or_else(error)
}

/// Reads a file, or standard input if the name is `-`. The content may be secret, so it is wiped when
/// dropped.
pub(super) fn bytes(file: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let read = match file {
        STDIN => {
            if io::stdin().is_terminal() {
                print_note("reading standard input until it ends (Ctrl-D; on Windows Ctrl-Z)");
            }
            read(io::stdin().lock(), MAX_BYTES)
        }
        name => read_file(Path::new(name)),
    };
    read.with_context(|| cannot_read(file))
}

fn cannot_read(file: &str) -> String {
    let name = match file {
        STDIN => "standard input",
        name => name,
    };
    format!("cannot read {name}")
}

/// Reads a text file like [`bytes`].
pub(super) fn text(file: &str) -> anyhow::Result<Zeroizing<String>> {
    decode(&bytes(file)?).with_context(|| cannot_read(file))
}

/// Reads a secret text file, and warns if users other than its owner have access.
///
/// This is not an error, unlike for keys of ssh: on drives without permissions all files look readable by
/// others, and failing in the middle of a competition would not undo a leak.
pub(super) fn secret_text(file: &str) -> anyhow::Result<Zeroizing<String>> {
    if file != STDIN
        && let Some(exposure) = exposure(Path::new(file), 0o077)
    {
        super::terminal::eprint(format_args!("warning: {exposure}"));
    }
    text(file)
}

/// A warning if users other than its owner have access to a secret file; `others` are the permissions that count.
pub(super) fn exposure(file: &Path, others: u32) -> Option<String> {
    let found = std::fs::metadata(file).ok().filter(|it| it.is_file())?;
    #[cfg(unix)]
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    #[cfg(not(unix))]
    let (mode, _) = (0, found);
    (mode & others != 0).then(|| {
        let name = file.display();
        format!("{name} is secret, but other users have access (mode {mode:04o}); use `chmod 600`")
    })
}

/// Decodes UTF-8, or UTF-16 with a byte order mark, which PowerShell 5 writes. Removes the mark.
pub(super) fn decode(bytes: &[u8]) -> anyhow::Result<Zeroizing<String>> {
    let is_zip = bytes.starts_with(b"PK\x03\x04");
    ensure!(!is_zip, "the input is a zip file; unpack it first");
    let utf_16 = |unit: fn([u8; 2]) -> u16| {
        let (pairs, odd) = bytes[2..].as_chunks();
        let units: Zeroizing<Vec<u16>> = Zeroizing::new(pairs.iter().copied().map(unit).collect());
        String::from_utf16(&units).ok().filter(|_| odd.is_empty())
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => utf_16(u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf_16(u16::from_be_bytes),
        _ => str::from_utf8(bytes.strip_prefix(UTF_8_MARK).unwrap_or(bytes))
            .ok()
            .map(str::to_owned),
    };
    text.map(Zeroizing::new)
        .context("the input is not text in UTF-8 or UTF-16")
}

/// The lines of standard input with their line feeds, as they arrive. UTF-16 is converted to UTF-8; other lines may be
/// invalid UTF-8.
pub(super) fn lines() -> anyhow::Result<impl Iterator<Item = anyhow::Result<Vec<u8>>>> {
    let mut stdin = io::stdin().lock();
    let mut start = read_line(&mut stdin)?;
    if matches!(start[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        // UTF-16 must be decoded before it can be split at line feeds.
        let all = read(Cursor::new(start).chain(&mut stdin), MAX_BYTES);
        let text = all.map_err(Into::into).and_then(|all| decode(&all));
        start = text
            .with_context(|| cannot_read(STDIN))?
            .as_bytes()
            .to_vec();
    } else if start.starts_with(UTF_8_MARK) {
        start.drain(..UTF_8_MARK.len());
    }
    let mut rest = Cursor::new(start).chain(stdin);
    let mut next = move || read_line(&mut rest).map(|line| (!line.is_empty()).then_some(line));
    Ok(std::iter::from_fn(move || next().transpose()))
}

/// Reads a line of standard input with its line feed. It is empty at the end.
fn read_line(from: &mut impl BufRead) -> anyhow::Result<Vec<u8>> {
    let mut line = Vec::new();
    let read = from.take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line);
    let read = read.and_then(|length| check_length("a line", length, MAX_LINE));
    read.with_context(|| cannot_read(STDIN))?;
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_and_lines_have_a_maximum_length() {
        assert_eq!(*read(io::repeat(1).take(10), 10).unwrap(), [1; 10]);
        let error = read(io::repeat(1), 10).unwrap_err().to_string();
        assert_eq!(error, "it is longer than 10 bytes");

        let longest = [vec![b'R'; MAX_LINE - 1], b"\nU".to_vec()].concat();
        let mut reader = &longest[..];
        assert_eq!(read_line(&mut reader).unwrap(), longest[..MAX_LINE]);
        assert_eq!(read_line(&mut reader).unwrap(), b"U");
        assert_eq!(read_line(&mut reader).unwrap(), b"");
        let error = read_line(&mut io::BufReader::new(io::repeat(b'R'))).unwrap_err();
        assert!(
            error
                .root_cause()
                .to_string()
                .contains("a line is longer than 1048576 bytes")
        );
    }
}
