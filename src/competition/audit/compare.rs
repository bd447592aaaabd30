//! Comparing a competition's scrambles with the states that are derived for them.

use serde::Serialize;

use super::derivation::{Derivation, SaltError};
use super::seed::Seed;
use super::terms::Terms;
use crate::competition::check::{CheckError, Fault, Finding, Report, check};
use crate::competition::member::WcifError;
use crate::competition::wcif::Document;
use crate::cube::{Cube, Sequence};

/// Why scrambles cannot be compared with a derivation at all.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The file is not an interchange file or a WCIF.
    #[error(transparent)]
    File(#[from] CheckError),
    /// The salt must not be used.
    #[error(transparent)]
    Salt(#[from] SaltError),
    /// Neither the file nor the caller names a salt.
    #[error("the file does not name the auditor's salt")]
    NoSalt,
}

impl From<WcifError> for CompareError {
    fn from(error: WcifError) -> CompareError {
        CompareError::File(error.into())
    }
}

/// Where a commitment or a salt comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// It was published before there were scrambles; so the caller says.
    Published,
    /// It stands in the file that is checked, and proves nothing by itself.
    File,
}

/// What an audit finds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The findings. There is none only if the audit is complete, and everything is right.
    pub report: Report,
    /// The commitment with which that of the root was compared; `None` if there is neither.
    pub commitment: Option<Source>,
    /// The salt from which states were derived.
    pub salt: String,
    /// Where that comes from.
    pub salt_source: Source,
}

/// Audits an interchange file: checks it as [`check`] does, compares the state that each scramble leads to
/// with the one that is derived for it, and compares the root and the file with what was published.
/// Needs no solver: which turns lead to a state does not matter.
///
/// The commitment and the salt that the file names are compared, too. They cannot stand for what was
/// published: a maker who writes them afterwards can choose among scrambles. If `published` lacks one of
/// them, that is a finding.
///
/// # Errors
///
/// If the file is not an interchange file or a WCIF, or if there is no salt that may be used.
pub fn compare(file: &[u8], root: &Seed, published: &Terms) -> Result<Comparison, CompareError> {
    let document = Document::from_json(file)?;
    let own = Terms::of(&document.wcif.whole())?;
    let (salt, salt_source) = match (&published.salt, &own.salt) {
        (Some(salt), _) => (salt, Source::Published),
        (None, Some(salt)) => (salt, Source::File),
        (None, None) => return Err(CompareError::NoSalt),
    };
    let derivation = Derivation::new(root, salt)?;
    let mut report = check(file)?;
    let fixed = differences(root, published, &own);
    report.findings.splice(0..0, fixed);

    let sets = document.wcif.sets()?;
    let sets = sets.iter().flat_map(|(_, sets)| sets);
    for (place, scramble) in sets.flat_map(|set| set.placed()) {
        // What cannot be read has been found already.
        let Ok(sequence) = Sequence::from_wca(scramble) else {
            continue;
        };
        let state = Cube::solved().moved_by(sequence.axis_moves());
        if !derivation.allows(place, &state) {
            report.findings.push(Finding {
                place: place.to_string(),
                fault: Fault::NotDerived,
            });
        }
    }
    let commitment = match (published.commitment, own.commitment) {
        (Some(_), _) => Some(Source::Published),
        (None, own) => own.map(|_| Source::File),
    };
    Ok(Comparison {
        report,
        commitment,
        salt: salt.clone(),
        salt_source,
    })
}

/// What is wrong with the commitments and salts.
fn differences(root: &Seed, published: &Terms, own: &Terms) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |place: &str, fault: Fault| {
        let place = place.to_owned();
        findings.push(Finding { place, fault });
    };
    let found = root.commitment();
    for (named, by) in [
        (published.commitment, "the published one"),
        (own.commitment, "the one in the file"),
    ] {
        if named.is_some_and(|named| named != found) {
            let found = found.to_string();
            find("the root", Fault::Commitment { found, by });
        }
    }
    if published.commitment.is_none() {
        find("the audit", Fault::NoCommitment);
    }
    match (&published.salt, &own.salt) {
        (None, _) => find("the audit", Fault::NoSalt),
        (Some(published), Some(own)) if published != own => find("the file", Fault::Salt),
        _ => {}
    }
    findings
}
