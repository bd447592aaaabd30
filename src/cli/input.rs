//! Files that commands read, or standard input.

use std::fs;
use std::io::{self, Read};

use anyhow::Context;

/// Stands for standard input.
pub(super) const STDIN: &str = "-";

/// All of a file, or of standard input if the name is `-`.
pub(super) fn read(file: &str) -> anyhow::Result<Vec<u8>> {
    if file == STDIN {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().read_to_end(&mut bytes);
        read.context("cannot read standard input")?;
        return Ok(bytes);
    }
    fs::read(file).with_context(|| format!("cannot read {file}"))
}
