//! Text that commands read, from files or standard input.

use std::fs;
use std::io::{self, BufRead, Cursor, Read};

use anyhow::Context;
use zeroize::Zeroizing;

/// Stands for standard input, and for standard output where a file is to be written.
pub(super) const STDIN: &str = "-";

/// The mark with which some programs begin a text in UTF-8.
const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// All of a file, or of standard input if the name is `-`. As it may be scrambles or a seed, it is wiped.
pub(super) fn bytes(file: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    if file == STDIN {
        let mut bytes = Zeroizing::new(Vec::new());
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        return Ok(bytes);
    }
    let bytes = fs::read(file).with_context(|| format!("cannot read {file}"))?;
    Ok(Zeroizing::new(bytes))
}

/// The text of a file, as [`bytes`] reads it.
pub(super) fn text(file: &str) -> anyhow::Result<Zeroizing<String>> {
    decoded(&bytes(file)?).with_context(|| {
        let name = if file == STDIN {
            "standard input"
        } else {
            file
        };
        format!("cannot read {name}")
    })
}

/// The text of a file that must be secret. Says so if it is not.
///
/// That is a warning, although ssh refuses such keys: drives without permissions show every file as readable by
/// all, and what others have read already is not taken back by an error in the middle of a competition.
pub(super) fn secret_text(file: &str) -> anyhow::Result<Zeroizing<String>> {
    #[cfg(unix)]
    if let Ok(found) = fs::metadata(file)
        && found.is_file()
        && file != STDIN
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            super::terminal::say(format_args!(
                "warning: {file} is secret, but others than its owner have access (mode {mode:04o}); \
                 `chmod 600` takes it from them"
            ));
        }
    }
    text(file)
}

/// Text in UTF-8, or in UTF-16 if it begins with that mark, which what PowerShell 5 redirects to a file does.
/// The mark itself is left out.
pub(super) fn decoded(bytes: &[u8]) -> anyhow::Result<Zeroizing<String>> {
    let text = match utf16_unit(bytes) {
        Some(unit) => {
            let (pairs, rest) = bytes[2..].as_chunks();
            let units = pairs.iter().map(|&pair| unit(pair));
            let text: Result<String, _> = char::decode_utf16(units).collect();
            text.ok().filter(|_| rest.is_empty())
        }
        None => String::from_utf8(without_mark(bytes).to_vec()).ok(),
    };
    text.map(Zeroizing::new)
        .context("this is not text in UTF-8 or UTF-16")
}

/// The lines of standard input as they come, without their ends: in UTF-8, unless that is not what they are.
pub(super) fn lines() -> anyhow::Result<impl Iterator<Item = io::Result<Vec<u8>>>> {
    let mut stdin = io::stdin().lock();
    let mut start = Vec::new();
    let mut begin = || {
        stdin.read_until(b'\n', &mut start)?;
        // Two bytes are a character there, so that lines cannot be told apart before they are decoded.
        if utf16_unit(&start).is_some() {
            stdin.read_to_end(&mut start)?;
        }
        io::Result::Ok(())
    };
    begin().context("cannot read standard input")?;
    let start = if utf16_unit(&start).is_some() {
        decoded(&start)
            .context("cannot read standard input")?
            .as_bytes()
            .to_vec()
    } else {
        without_mark(&start).to_vec()
    };
    Ok(Cursor::new(start).chain(stdin).split(b'\n'))
}

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(UTF8_MARK).unwrap_or(bytes)
}

/// How two bytes are read, if a text begins with the mark of UTF-16.
fn utf16_unit(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}
