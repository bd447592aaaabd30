//! What an audit is held against.

use serde::Serialize;

use super::commitment::{Commitment, NotACommitment};
use crate::competition::member::{Member, WcifError};

/// What the maker and the auditor fix, one after the other, before there are scrambles. Both are public.
///
/// An interchange file has them as its member `audit`, an object with `commitment` and `salt`. There they
/// only say which audit the file belongs to: its maker can write anything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Terms {
    /// The commitment to the root.
    pub commitment: Option<Commitment>,
    /// The salt that the auditor named.
    pub salt: Option<String>,
}

impl Terms {
    /// Those that a document names, if it names any.
    pub(super) fn of(document: &Member<'_>) -> Result<Terms, WcifError> {
        let audit = document.get("audit")?;
        if audit.is_null() {
            return Ok(Terms::default());
        }
        let [commitment, salt] = audit.members(["commitment", "salt"])?;
        let text = |member: &Member<'_>| {
            let is_there = !member.is_null();
            is_there.then(|| member.text()).transpose()
        };
        let wrong = |error: NotACommitment| commitment.impossible(format!("is wrong: {error}"));
        Ok(Terms {
            commitment: text(&commitment)?
                .map(|text| text.parse().map_err(wrong))
                .transpose()?,
            salt: text(&salt)?,
        })
    }
}
