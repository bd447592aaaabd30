//! Passcodes of encrypted PDF files.

use std::path::Path;

use rand::{Rng, RngExt};

/// The characters of passcodes, of which none is taken for another.
const CHARACTERS: &[u8] = b"23456789abcdefghjkmnpqrstuvwxyz";
/// The number of characters of a passcode.
const LENGTH: usize = 10;

/// A passcode with 49 bits of entropy.
pub(super) fn passcode(rng: &mut impl Rng) -> String {
    let mut character = || char::from(CHARACTERS[rng.random_range(..CHARACTERS.len())]);
    (0..LENGTH).map(|_| character()).collect()
}

/// A list of passcodes: an introduction, and after an empty line the entries.
pub(super) struct PasscodeList(pub(super) String);

impl PasscodeList {
    /// A list for the files in a place.
    pub(super) fn new(competition: &str, place: &Path) -> PasscodeList {
        let place = place.display();
        PasscodeList(format!(
            "Passcodes of the scramble sheets in {place}, SECRET: {competition}\n\
             Hand out the passcode of a PDF file when its group begins. The fingerprint is also on the sheet.\n\n"
        ))
    }

    pub(super) fn add(&mut self, name: &str, passcode: &str) {
        self.0 += &format!("{name}: {passcode}\n");
    }
}

/// Whether a text is a list of passcodes, perhaps with other lines.
pub(super) fn is_passcodes(text: &str) -> bool {
    let is_entry = |line: &str| {
        let code = line.rsplit(": ").next().unwrap_or_default();
        code.len() == LENGTH && code.bytes().all(|byte| CHARACTERS.contains(&byte))
    };
    text.lines().any(is_entry)
}
