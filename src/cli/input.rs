//! Reading text from files or standard input.

use std::fs::File;
use std::io::{self, BufRead, Cursor, Read};

use anyhow::{Context, ensure};
use zeroize::Zeroizing;

/// The file name of standard input, and of standard output.
pub(super) const STDIN: &str = "-";

/// The byte order mark in UTF-8.
const UTF8_BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads a file, or standard input if the name is `-`. The content may be secret, so it is wiped when
/// dropped.
pub(super) fn bytes(file: &str) -> anyhow::Result<Zeroizing<Vec<u8>>> {
    let mut bytes = Zeroizing::new(Vec::new());
    let read = match file {
        STDIN => io::stdin().lock().read_to_end(&mut bytes),
        name => File::open(name).and_then(|mut file| file.read_to_end(&mut bytes)),
    };
    read.with_context(|| cannot_read(file))?;
    Ok(bytes)
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
    #[cfg(unix)]
    if let Ok(found) = std::fs::metadata(file)
        && found.is_file()
        && file != STDIN
    {
        let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
        if mode & 0o077 != 0 {
            super::terminal::eprint(format_args!(
                "warning: {file} is secret, but users other than its owner have access (mode {mode:04o}); \
                 use `chmod 600`"
            ));
        }
    }
    text(file)
}

/// Decodes UTF-8, or UTF-16 with a byte order mark, which PowerShell 5 writes. Removes the mark.
pub(super) fn decode(bytes: &[u8]) -> anyhow::Result<Zeroizing<String>> {
    let is_zip = bytes.starts_with(b"PK\x03\x04");
    ensure!(!is_zip, "the input is a zip file; unpack it first");
    let text = match utf16_unit(bytes) {
        Some(unit) => {
            let (pairs, rest) = bytes[2..].as_chunks();
            let units = pairs.iter().map(|&pair| unit(pair));
            let text: Result<String, _> = char::decode_utf16(units).collect();
            text.ok().filter(|_| rest.is_empty())
        }
        None => String::from_utf8(without_bom(bytes).to_vec()).ok(),
    };
    text.map(Zeroizing::new)
        .context("the input is not text in UTF-8 or UTF-16")
}

/// The lines of standard input without line feeds, as they arrive. UTF-16 is converted to UTF-8; other
/// lines may be invalid UTF-8.
pub(super) fn lines() -> anyhow::Result<impl Iterator<Item = anyhow::Result<Vec<u8>>>> {
    let cannot = || cannot_read(STDIN);
    let mut stdin = io::stdin().lock();
    let mut start = Vec::new();
    stdin.read_until(b'\n', &mut start).with_context(cannot)?;
    let start = if utf16_unit(&start).is_some() {
        // UTF-16 must be decoded before it can be split at line feeds.
        stdin.read_to_end(&mut start).with_context(cannot)?;
        decode(&start).with_context(cannot)?.as_bytes().to_vec()
    } else {
        without_bom(&start).to_vec()
    };
    let lines = Cursor::new(start).chain(stdin).split(b'\n');
    Ok(lines.map(move |line| line.with_context(cannot)))
}

fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(UTF8_BOM).unwrap_or(bytes)
}

/// The conversion of two bytes to a unit of UTF-16, if the text begins with its byte order mark.
fn utf16_unit(bytes: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}
