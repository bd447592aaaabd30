//! Seeds, their derivation, and commitments to root seeds.

use std::str::FromStr;

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use serde::{Serialize, Serializer};
use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// The first byte of every seed.
const MARK: u8 = 0x67;

/// A seed of 32 secret bytes: `0x67`, the level (0 for a root, one more with each derivation), and 30 more.
///
/// The format and [`Seed::derive`] are those of Lucas Garron's scramble derivation for twips
/// (<https://github.com/cubing/twsearch>). The bytes are wiped when the seed is dropped, and `Debug` does not
/// print them.
///
/// # Examples
///
/// ```
/// use cube444_competition::audit::{Commitment, Seed, state_from_seed};
/// use cube444::scramble::Event;
///
/// let root = Seed::root_from_hex(&format!("6700{}", "ab".repeat(30)))?;
/// // Published before the competition.
/// let published: Commitment = root.commitment().to_string().parse()?;
///
/// // Derived again after the competition.
/// let seed = root.derive("the salt of the auditor");
/// let state = state_from_seed(&seed, Event::Sighted);
/// println!("{}", state.facelets());
/// assert_eq!(root.commitment(), published);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, derive_more::Debug)]
#[debug("Seed(..)")]
pub struct Seed(pub(super) Zeroizing<[u8; Seed::LENGTH]>);

/// The text is not a valid seed, commitment or salt. The message does not repeat it, as it might be a mistyped
/// seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeedError {
    /// The text does not have the form of a seed.
    #[error("a seed is 64 hexadecimal digits, of which the first two are 67")]
    Form,
    /// The seed is not a root.
    #[error("not a root seed: its first four digits must be 6700")]
    Derived,
    /// The text is not a commitment.
    #[error("a commitment is 64 hexadecimal digits, of which the first four are 6701")]
    Commitment,
    /// The salt adds no randomness.
    #[error("the auditor's salt must not be empty")]
    EmptySalt,
    /// With this salt the seed of the competition would be the published commitment.
    #[error("the auditor's salt must not be \"{COMMITMENT_SALT}\"")]
    ReservedSalt,
}

impl Seed {
    /// The length in bytes.
    pub const LENGTH: usize = 32;

    /// Makes a root seed from random bytes, the first two of which are replaced by `0x67` and level 0.
    #[must_use]
    pub fn root(mut random: Zeroizing<[u8; Seed::LENGTH]>) -> Seed {
        (random[0], random[1]) = (MARK, 0);
        Seed(random)
    }

    /// Parses a seed of any level. Ignores surrounding white space.
    ///
    /// # Errors
    ///
    /// If the text is not 64 hexadecimal digits that begin with 67.
    pub fn from_hex(text: &str) -> Result<Seed, SeedError> {
        let text = text.trim().as_bytes();
        let mut bytes = Zeroizing::new([0; Seed::LENGTH]);
        let is_seed = text.len() == 2 * Seed::LENGTH
            && HEXLOWER_PERMISSIVE.decode_mut(text, &mut *bytes).is_ok()
            && bytes[0] == MARK;
        is_seed.then_some(Seed(bytes)).ok_or(SeedError::Form)
    }

    /// Parses a root seed.
    ///
    /// # Errors
    ///
    /// If [`Seed::from_hex`] fails, or if the level is not 0.
    pub fn root_from_hex(text: &str) -> Result<Seed, SeedError> {
        let seed = Seed::from_hex(text)?;
        let is_root = seed.0[1] == 0;
        is_root.then_some(seed).ok_or(SeedError::Derived)
    }

    /// The seed as 64 hexadecimal digits.
    #[must_use]
    pub fn to_hex(&self) -> Zeroizing<String> {
        Zeroizing::new(HEXLOWER.encode(&*self.0))
    }

    /// The seed of the next level for a salt: SHA-256 of this seed's bytes followed by the SHA-256 of the
    /// salt, with the first two bytes replaced by `0x67` and the level.
    ///
    /// # Panics
    ///
    /// If the level is 255. The seeds of the states of a competition have level 9.
    #[must_use]
    pub fn derive(&self, salt: &str) -> Seed {
        let mut bytes = self.hash_with(&Sha256::digest(salt));
        let level = self.0[1].checked_add(1);
        (bytes[0], bytes[1]) = (MARK, level.expect("derivations have fewer than 256 levels"));
        Seed(bytes)
    }

    /// The SHA-256 of this seed's bytes followed by others.
    pub(super) fn hash_with(&self, others: &[u8]) -> Zeroizing<[u8; Seed::LENGTH]> {
        let mut hash = Zeroizing::new([0; Seed::LENGTH]);
        let hasher = Sha256::new().chain_update(*self.0).chain_update(others);
        hasher.finalize_into((&mut *hash).into());
        hash
    }

    /// The commitment to this root.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        Commitment(*self.derive(COMMITMENT_SALT).0)
    }
}

/// The salt of the derivation of a commitment.
pub(super) const COMMITMENT_SALT: &str = "commitment";

/// The commitment to a root seed: a hash that determines the root but does not reveal it.
///
/// `Display` and JSON are 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[display("{}", HEXLOWER.encode(_0))]
pub struct Commitment([u8; Seed::LENGTH]);

impl FromStr for Commitment {
    type Err = SeedError;

    /// Parses the digits, or the whole line that `scramble444 audit init` prints. Ignores surrounding white
    /// space.
    fn from_str(text: &str) -> Result<Commitment, SeedError> {
        let text = text.trim();
        match Seed::from_hex(text.strip_prefix("commitment ").unwrap_or(text)) {
            // A seed of the level after the root.
            Ok(seed) if seed.0[1] == 1 => Ok(Commitment(*seed.0)),
            _ => Err(SeedError::Commitment),
        }
    }
}

impl Serialize for Commitment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_do_not_repeat_the_text() {
        let good = format!("6700{}", "aB".repeat(30));
        assert!(Seed::root_from_hex(&format!(" {good}\n")).is_ok());
        for (text, error) in [
            (good.replace("6700", "6709"), SeedError::Derived),
            (good.replace("6700", "6800"), SeedError::Form),
            (good[1..].to_owned(), SeedError::Form),
            (good.replace('a', "g"), SeedError::Form),
            (format!("{good}00"), SeedError::Form),
            (String::new(), SeedError::Form),
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

    #[test]
    fn commitments_can_be_parsed() {
        let root = Seed::root_from_hex(&format!("6700{}", "ab".repeat(30))).unwrap();
        let commitment = root.commitment();
        let digits = commitment.to_string();
        for text in [
            digits.clone(),
            digits.to_uppercase(),
            format!("commitment {digits}\r\n"),
            format!("\n commitment {digits}"),
            format!(" {digits} "),
        ] {
            assert_eq!(text.parse(), Ok(commitment), "{text}");
        }
        for text in [
            "",
            "zzz",
            "commitment ",
            &digits[1..],
            &format!("{digits}0"),
            &digits.replacen("6701", "6702", 1),
            &root.to_hex(),
        ] {
            assert_eq!(
                text.parse::<Commitment>(),
                Err(SeedError::Commitment),
                "{text}"
            );
        }
    }
}
