//! Table files with changed contents and valid checksums.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_64;

use super::robust::with_checksum;

/// A table file with a changed header and a valid header checksum.
pub fn with_header(table: &[u8], change: impl FnOnce(&mut Value)) -> Vec<u8> {
    let length = u32::from_le_bytes(table[12..16].try_into().unwrap()) as usize;
    let mut header: Value = serde_json::from_slice(&table[24..24 + length]).unwrap();
    change(&mut header);
    let json = serde_json::to_vec(&header).unwrap();
    [&with_checksum(&json, 0), &table[4096..]].concat()
}

/// Changes the first entry of a table file.
pub fn forge_entry(path: &Path) {
    let mut contents = fs::read(path).unwrap();
    contents[4096] ^= 1;
    let checksum = format!("{:016x}", xxh3_64(&contents[4096..]));
    let forged = with_header(&contents, |header| {
        header["payload_checksum"] = json!(checksum);
    });
    // Not in place, as the file may be open.
    fs::remove_file(path).unwrap();
    fs::write(path, forged).unwrap();
}
