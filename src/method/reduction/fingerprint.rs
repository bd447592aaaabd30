//! What tables were built for.

use xxhash_rust::xxh3::Xxh3;

use super::turns::Turns;

/// A hash of everything on which the meaning of a table's entries depends.
pub(super) struct Fingerprint(Xxh3);

impl Fingerprint {
    /// Begins with the turns that distances are counted in.
    pub(super) fn new(turns: &Turns) -> Fingerprint {
        let mut fingerprint = Fingerprint(Xxh3::new());
        for mv in turns.moves() {
            fingerprint.bytes([mv.axis() as u8].into_iter().chain(mv.amounts()));
        }
        fingerprint
    }

    /// Takes bytes into account.
    pub(super) fn bytes(&mut self, bytes: impl IntoIterator<Item = u8>) {
        let bytes: Vec<u8> = bytes.into_iter().collect();
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(&bytes);
    }

    /// Takes numbers below 2³² into account.
    pub(super) fn numbers<N: Into<u32>>(&mut self, numbers: impl IntoIterator<Item = N>) {
        let words = numbers.into_iter().map(Into::into);
        self.bytes(words.flat_map(u32::to_le_bytes));
    }

    /// The hash.
    pub(super) fn finish(&self) -> u128 {
        self.0.digest128()
    }
}
