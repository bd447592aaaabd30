//! Properties that hold for any input, shared by the fuzz targets and the tests. Each
//! function returns whether the input was accepted.

use std::fs;
use std::time::SystemTime;

use cube444::CancelFlag;
use cube444::cube::{Cube, Sequence};
use cube444::table::{Mapping, Table};
use cube444_competition::check::check;
use cube444_competition::{FillOptions, FillPlan, Layout, Replace, Sheets, Wcif};
use xxhash_rust::xxh3::xxh3_64;

/// The state after `sequence` from the solved cube.
pub fn end(sequence: &Sequence) -> Cube {
    Cube::solved().moved_by(sequence.axis_moves())
}

/// Turns that parse survive a round trip through text, and their inverse undoes them.
pub fn turns(text: &str) -> bool {
    let Ok(sequence) = text.parse::<Sequence>() else {
        return false;
    };
    let again: Sequence = sequence.to_string().parse().expect("formatted turns parse");
    assert_eq!(again, sequence);
    let back = end(&sequence).moved_by(sequence.inverse().axis_moves());
    assert!(back.is_solved(), "{sequence}");
    true
}

/// Facelets that parse survive a round trip through text.
pub fn facelets(text: &str) -> bool {
    let Ok(cube) = Cube::from_facelets(text) else {
        return false;
    };
    let written = cube.facelets();
    assert_eq!(Cube::from_facelets(&written).as_ref(), Ok(&cube));
    let plain: String = text.split_whitespace().collect();
    let plain = plain.to_ascii_uppercase();
    // Color letters, none of which is U, depend on the orientation of the cube.
    if plain.contains('U') {
        assert_eq!(plain, written);
    }
    true
}

/// A file that opens as a table has the length in its header, and its entries are readable.
pub fn table_file(bytes: &[u8]) -> bool {
    let directory = tempfile::tempdir().expect("a temporary directory can be made");
    let path = directory.path().join("fuzzed.table");
    fs::write(&path, bytes).expect("a small file can be written");
    let Ok(table) = Table::open(&path, None, Mapping::NEVER, &CancelFlag::default()) else {
        return false;
    };
    assert_eq!(table.bytes(), bytes.len() as u64);
    let identity = &table.header().identity;
    let encoding = identity.encoding;
    assert_eq!(
        encoding.bytes(identity.entries),
        table.payload().len() as u64
    );
    for entry in 0..identity.entries.min(1 << 12) {
        let code = table.code(entry as usize);
        let distance = encoding.least_code.checked_add(code);
        assert!(distance.is_some(), "{encoding:?}");
    }
    for distance in 0..=u8::MAX {
        assert!(encoding.code(distance) <= encoding.largest_code);
    }
    let checked = table.verify();
    let checksum = format!("{:016x}", xxh3_64(table.payload()));
    assert_eq!(checked.is_ok(), table.header().payload_checksum == checksum);
    true
}

/// As [`table_file`], for a file with `json` as its header and a valid header checksum.
pub fn table_header(json: &[u8]) -> bool {
    let lengths = [0, 1, 21].iter();
    let accepted = lengths.filter(|&&length| table_file(&with_checksum(json, length)));
    accepted.count() > 0
}

/// A table file with `json` as its header and `length` zero bytes of entries.
pub fn with_checksum(json: &[u8], length: usize) -> Vec<u8> {
    let mut file = b"S444DIST\x01\0\0\0".to_vec();
    file.extend((json.len() as u32).to_le_bytes());
    file.extend(xxh3_64(json).to_le_bytes());
    file.extend(json);
    file.resize(file.len().next_multiple_of(4096), 0);
    file.resize(file.len() + length, 0);
    file
}

/// Any file can be checked. A competition file that can be filled can be read, printed and checked
/// again afterwards.
pub fn wcif(file: &[u8]) -> bool {
    if let Ok(report) = check(file) {
        assert_eq!(report.sha256.len(), 64);
    }
    let Ok(document) = Wcif::from_json(file) else {
        return false;
    };
    // Fails if a scramble in the file is invalid.
    if let Ok(sheets) = Sheets::from_wcif(&document) {
        let file = sheets.to_pdf(Layout::default(), &[], None);
        assert!(file.unwrap().ends_with(b"%%EOF\n"));
    }
    let fill = |wcif: Wcif, replace: Replace| -> Option<(usize, String)> {
        let options = FillOptions {
            replace,
            ..FillOptions::default()
        };
        let plan = FillPlan::new(wcif, options).ok()?;
        let scrambles = vec!["Rw U2".to_owned(); plan.scramble_ids().len()];
        let count = scrambles.len();
        let filled = plan.fill(scrambles);
        let pieces = filled.into_interchange(None, SystemTime::UNIX_EPOCH);
        Some((count, pieces.collect()))
    };
    for replace in [Replace::Nothing, Replace::All] {
        let Some((count, written)) = fill(document.clone(), replace) else {
            return false;
        };
        let again = Wcif::from_json(written.as_bytes()).expect("a filled file parses");
        let report = check(written.as_bytes()).expect("a filled file can be checked");
        assert!(report.scrambles >= count);
        if let Ok(sheets) = Sheets::from_wcif(&again) {
            assert_eq!(sheets.scrambles(), report.scrambles);
        }
        assert_eq!(fill(again, Replace::Nothing), Some((0, written)));
    }
    true
}
