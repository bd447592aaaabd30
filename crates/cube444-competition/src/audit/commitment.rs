//! Commitments to root seeds.

use std::fmt;
use std::str::FromStr;

use data_encoding::HEXLOWER;
use serde::{Serialize, Serializer};

use super::seed::Seed;

/// The salt of the derivation of a commitment.
pub(super) const SALT: &str = "commitment";
/// The first bytes of a commitment, which is a seed of the level after the root.
const PREFIX: [u8; 2] = [0x67, 1];

/// The commitment to a root seed: a hash that determines the root but does not reveal it.
///
/// `Display` and JSON are 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Commitment([u8; Seed::LENGTH]);

/// The text is not a commitment. The message does not repeat it, as it might be a secret seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a commitment is 64 hexadecimal digits, of which the first four are 6701")]
pub struct CommitmentError;

impl Seed {
    /// The commitment to this root.
    #[must_use]
    pub fn commitment(&self) -> Commitment {
        Commitment(*self.derive(SALT).bytes())
    }
}

impl FromStr for Commitment {
    type Err = CommitmentError;

    /// Parses the digits, or the whole line that `scramble444 audit init` prints. Ignores surrounding white
    /// space.
    fn from_str(text: &str) -> Result<Commitment, CommitmentError> {
        let text = text.trim();
        let digits = text.strip_prefix("commitment ").unwrap_or(text);
        let seed = Seed::from_hex(digits).map_err(|_| CommitmentError)?;
        let is_commitment = seed.bytes().starts_with(&PREFIX);
        is_commitment
            .then(|| Commitment(*seed.bytes()))
            .ok_or(CommitmentError)
    }
}

impl fmt::Display for Commitment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&HEXLOWER.encode(&self.0))
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
            assert_eq!(text.parse::<Commitment>(), Err(CommitmentError), "{text}");
        }
    }
}
