//! Seeds, and deriving one from another.

use std::fmt;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The first byte of every seed.
const MARK: u8 = 0x67;

/// 32 secret bytes: `0x67`, the level (0 for a root, one more with each derivation), and 30 more.
///
/// These, and [`Seed::derive`], are the bytes of Lucas Garron's scramble derivation for twips
/// (<https://github.com/cubing/twsearch>). They are wiped when the value is dropped, and `Debug` prints
/// nothing of them.
pub struct Seed(Zeroizing<[u8; Seed::LENGTH]>);

/// The text is no seed. What it is goes nowhere, as it might be nearly one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotASeed {
    /// Not of the form of seeds.
    #[error("a seed is 64 hexadecimal digits, of which the first two are 67")]
    Form,
    /// The seed was derived from another one.
    #[error("this is no root: the first four digits of a root seed are 6700")]
    Derived,
}

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(..)")
    }
}

impl Seed {
    /// The number of bytes.
    pub const LENGTH: usize = 32;

    /// The root that random bytes make; the first two of them are not used.
    #[must_use]
    pub fn root(mut random: Zeroizing<[u8; Seed::LENGTH]>) -> Seed {
        (random[0], random[1]) = (MARK, 0);
        Seed(random)
    }

    /// Reads a seed of any level, with white space around it.
    ///
    /// # Errors
    ///
    /// If it is not 64 hexadecimal digits that begin with 67.
    pub fn from_hex(text: &str) -> Result<Seed, NotASeed> {
        let text = text.trim().as_bytes();
        let mut bytes = Zeroizing::new([0; Seed::LENGTH]);
        if text.len() != 2 * Seed::LENGTH {
            return Err(NotASeed::Form);
        }
        let decoded = HEXLOWER_PERMISSIVE.decode_mut(text, &mut *bytes);
        if decoded.is_err() || bytes[0] != MARK {
            return Err(NotASeed::Form);
        }
        Ok(Seed(bytes))
    }

    /// Reads a root seed.
    ///
    /// # Errors
    ///
    /// As [`Seed::from_hex`], or if the level is not that of a root.
    pub fn root_from_hex(text: &str) -> Result<Seed, NotASeed> {
        let seed = Seed::from_hex(text)?;
        if seed.0[1] == 0 {
            Ok(seed)
        } else {
            Err(NotASeed::Derived)
        }
    }

    /// The seed as 64 hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(HEXLOWER.encode(&*self.0))
    }

    /// The bytes.
    pub(super) fn bytes(&self) -> &[u8; Seed::LENGTH] {
        &self.0
    }

    /// The seed of the next level by a salt: SHA-256 of this one's bytes and of the salt's own SHA-256,
    /// the first two bytes replaced by the mark and the level.
    ///
    /// # Panics
    ///
    /// After 255 levels; a path has 9.
    #[must_use]
    pub fn derive(&self, salt: &str) -> Seed {
        let mut bytes = Zeroizing::new([0; Seed::LENGTH]);
        Sha256::new()
            .chain_update(*self.0)
            .chain_update(Sha256::digest(salt))
            .finalize_into((&mut *bytes).into());
        let level = self.0[1].checked_add(1);
        (bytes[0], bytes[1]) = (MARK, level.expect("paths are shorter than 256 levels"));
        Seed(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_seed_is_refused_without_being_repeated() {
        let good = format!("6700{}", "aB".repeat(30));
        assert!(Seed::root_from_hex(&format!(" {good}\n")).is_ok());
        for (text, error) in [
            (good.replace("6700", "6709"), NotASeed::Derived),
            (good.replace("6700", "6800"), NotASeed::Form),
            (good[1..].to_owned(), NotASeed::Form),
            (good.replace('a', "g"), NotASeed::Form),
            (format!("{good}00"), NotASeed::Form),
            (String::new(), NotASeed::Form),
        ] {
            assert_eq!(Seed::root_from_hex(&text).unwrap_err(), error, "{text}");
            assert!(!error.to_string().contains("aB"));
        }
        assert_eq!(
            format!("{:?}", Seed::root_from_hex(&good).unwrap()),
            "Seed(..)"
        );
    }

    #[test]
    fn random_bytes_make_a_root() {
        let root = Seed::root(Zeroizing::new([0xff; 32]));
        assert_eq!(*root.to_hex(), format!("6700{}", "ff".repeat(30)));
        assert!(Seed::root_from_hex(&root.to_hex()).is_ok());
    }
}
