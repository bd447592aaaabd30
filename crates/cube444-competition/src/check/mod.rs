//! Checking files with scrambles. Each scramble is replayed and compared with what the file states.

mod input;
mod scrambles;
mod turns;

use std::collections::HashSet;

use data_encoding::HEXLOWER;
use sha2::{Digest, Sha256};

use self::scrambles::Input;
use crate::member::{Errors, Member};
use crate::round::{Round, ScrambleSet};

pub use self::input::CheckError;
pub use self::scrambles::Report;
pub use crate::member::Finding;

/// Checks a file: text with one scramble per line, or JSON of one of several forms.
///
/// # Errors
///
/// If the file has none of these forms.
///
/// # Examples
///
/// ```
/// use cube444_competition::check::check;
///
/// let report = check(b"1. Rw U2 F' x\n2. Rw Q2\n")?;
/// assert_eq!(report.scrambles, 2);
/// for finding in &report.findings {
///     println!("{}: {}", finding.place, finding.text);
/// }
/// assert!(report.findings.iter().any(|finding| finding.place == "line 2"));
/// # Ok::<(), cube444_competition::check::CheckError>(())
/// ```
pub fn check(file: &[u8]) -> Result<Report, CheckError> {
    let mut input = Input::default();
    input.read(file)?;
    if input.report.scrambles == 0 {
        input.find("the file", "nothing", "has no scrambles of 444 or 444bf");
    }
    let of_file = |kind| move |text| Finding::new("the file", kind, text);
    let misspelt = input.skipped.misspelt().map(of_file("event"));
    let orientation = input.orientations.fault().map(of_file("orientation"));
    let mut report = input.report;
    report.findings.extend(misspelt.chain(orientation));
    report.findings.extend(input.faults);
    report.notes.extend(input.skipped.notes());
    report.sha256 = HEXLOWER.encode(&Sha256::digest(file));
    Ok(report)
}

/// Reads a set of a round, and checks it apart from the numbers of its scrambles. Its id must not be `taken`; then it is.
pub(crate) fn check_set(
    round: Round,
    number: u32,
    set: &Member,
    taken: &mut HashSet<u64>,
) -> (Option<ScrambleSet>, Vec<Finding>) {
    let (mut input, mut errors) = (Input::default(), Errors::default());
    let read = round.read_set(number, set.clone(), true, &mut errors);
    if let Some(set) = &read {
        input.id(set, taken);
        input.set(set);
    }
    let findings = errors.into_findings().into_iter();
    let findings = findings.chain(input.report.findings).chain(input.faults);
    (read, findings.collect())
}
