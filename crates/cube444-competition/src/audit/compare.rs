//! The public terms of an audit, and comparing a competition's scrambles with the derived states.

use serde::Serialize;

use super::seed::{Commitment, Seed, SeedError};
use super::state::Derivation;
use crate::check::{CheckError, Finding, Report, check};
use crate::member::{Member, WcifError};
use crate::round::state_after;
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
        let audit = wcif.document.get("audit")?;
        if audit.is_null() {
            return Ok(Terms::default());
        }
        let [commitment, salt] = audit.members(["commitment", "salt"])?;
        let parse = |member: &Member| {
            let parsed = member.text()?.parse();
            parsed.map_err(|error: SeedError| member.invalid(format!("is invalid: {error}")))
        };
        let commitment = commitment.if_any().map(parse).transpose()?;
        let salt = salt.if_any().map(Member::text).transpose()?;
        Ok(Terms { commitment, salt })
    }
}

/// The scrambles cannot be compared with a derivation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The file is not an interchange file or a WCIF.
    #[error(transparent)]
    File(#[from] CheckError),
    /// The salt is not allowed.
    #[error(transparent)]
    Salt(#[from] SeedError),
    /// Neither the file nor the caller names a salt.
    #[error("the file does not name the auditor's salt")]
    NoSalt,
}

/// The source of a commitment or a salt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The caller states that it was published before the scrambles were made.
    Published,
    /// It is only in the file, which proves nothing.
    File,
}

/// The result of an audit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// The findings. There are none if the audit is complete and everything is correct.
    pub report: Report,
    /// The commitment with which that of the root was compared; `None` if there was none.
    pub commitment: Option<Source>,
    /// The salt of the derivation.
    pub salt: String,
    /// The source of the salt.
    pub salt_source: Source,
}

/// Audits an interchange file: makes the checks of [`check`], compares the state of each scramble with the
/// derived one, and compares the root and the file with what was published. Needs no solver, since only
/// the states of scrambles matter, not their turns.
///
/// The commitment and the salt in the file are compared, too, but do not replace published ones: a maker
/// who writes them afterwards could choose between scrambles. A missing published value is a finding.
///
/// # Errors
///
/// If the file is not an interchange file or a WCIF, or if there is no valid salt.
pub fn compare(file: &[u8], root: &Seed, published: &Terms) -> Result<Comparison, CompareError> {
    let document = Wcif::from_json(file).map_err(CheckError::Member)?;
    let in_file = Terms::of(&document).map_err(CheckError::Member)?;
    let salt = with_source(&published.salt, &in_file.salt);
    let (salt, salt_source) = salt.ok_or(CompareError::NoSalt)?;
    let derivation = Derivation::new(root, &salt)?;
    let mut report = check(file)?;
    let of_terms = compare_terms(root, published, &in_file);
    report.findings.splice(0..0, of_terms);
    let sets = document.sets().map_err(CheckError::Member)?;
    let sets = sets.iter().flat_map(|(_, sets)| sets);
    for (id, scramble) in sets.flat_map(|set| set.identified()) {
        // `check` has reported invalid scrambles.
        if state_after(scramble).is_some_and(|state| !derivation.allows(id, &state)) {
            let text = "does not lead to its derived state";
            report.findings.push(Finding::new(id, "not-derived", text));
        }
    }
    let commitment = with_source(&published.commitment, &in_file.commitment);
    Ok(Comparison {
        report,
        commitment: commitment.map(|(_, source)| source),
        salt,
        salt_source,
    })
}

/// The published value, or else the one in the file, if any.
fn with_source<T: Clone>(published: &Option<T>, in_file: &Option<T>) -> Option<(T, Source)> {
    let published = published.clone().map(|value| (value, Source::Published));
    published.or_else(|| Some((in_file.clone()?, Source::File)))
}

/// Compares the commitment of the root, the published terms, and those in the file.
fn compare_terms(root: &Seed, published: &Terms, in_file: &Terms) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut find = |place: &str, kind, text: &str| findings.push(Finding::new(place, kind, text));
    let found = root.commitment();
    for (expected, source) in [
        (published.commitment, "the published one"),
        (in_file.commitment, "the one in the file"),
    ] {
        if expected.is_some_and(|expected| expected != found) {
            let text = format!("has the commitment {found}, not {source}");
            find("the root", "commitment", &text);
        }
    }
    if published.commitment.is_none() {
        let text = "lacks the published commitment: the root may have been chosen after the salt was known";
        find("the audit", "no-commitment", text);
    }
    if published.salt.is_none() {
        let text =
            "lacks the salt that the auditor named: the one in the file may be the maker's choice";
        find("the audit", "no-salt", text);
    } else if in_file.salt.is_some() && in_file.salt != published.salt {
        find("the file", "salt", "names another salt than the auditor's");
    }
    findings
}
