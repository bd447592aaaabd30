//! The public terms of an audit.

use serde::Serialize;

use super::commitment::{Commitment, CommitmentError};
use crate::member::{Member, WcifError};
use crate::wcif::Wcif;

/// The commitment and the salt, which are published before scrambles are made.
///
/// An interchange file has them in its member `audit`, an object with `commitment` and `salt`. There they only
/// tell which audit the file is for, as its maker can write anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Terms {
    /// The commitment to the root.
    pub commitment: Option<Commitment>,
    /// The salt that the auditor named.
    pub salt: Option<String>,
}

impl Terms {
    /// The terms in the document of a WCIF, if it has any.
    ///
    /// # Errors
    ///
    /// If they are invalid.
    pub fn of(wcif: &Wcif) -> Result<Terms, WcifError> {
        let audit = wcif.whole().get("audit")?;
        if audit.is_null() {
            return Ok(Terms::default());
        }
        let [commitment, salt] = audit.members(["commitment", "salt"])?;
        let text = |member: &Member<'_>| {
            let is_present = !member.is_null();
            is_present.then(|| member.text()).transpose()
        };
        let invalid = |error: CommitmentError| commitment.invalid(format!("is invalid: {error}"));
        Ok(Terms {
            commitment: text(&commitment)?
                .map(|text| text.parse().map_err(invalid))
                .transpose()?,
            salt: text(&salt)?,
        })
    }
}
