//! Comparing a competition's scrambles with the states that are derived for them.

use super::derivation::Derivation;
use crate::competition::check::{CheckError, Fault, Finding, Report, check};
use crate::competition::wcif::Document;
use crate::cube::{Cube, Sequence};

/// Checks an interchange file as [`check`] does, and compares the state that each scramble leads to with
/// the one that is derived for it. Needs no solver: which turns lead to a state does not matter.
///
/// # Errors
///
/// If the file is not an interchange file or a WCIF.
pub fn compare(file: &[u8], derivation: &Derivation) -> Result<Report, CheckError> {
    let document = Document::from_json(file)?;
    let mut report = check(file)?;
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
    Ok(report)
}
