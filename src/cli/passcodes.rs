//! Passcodes of encrypted PDF files.

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

/// Whether a text is a list of passcodes.
pub(super) fn is_passcodes(text: &str) -> bool {
    let is_entry = |line: &str| {
        let code = line.rsplit(": ").next().unwrap_or_default();
        code.len() == LENGTH && code.bytes().all(|byte| CHARACTERS.contains(&byte))
    };
    text.lines().next().is_some() && text.lines().all(is_entry)
}
