//! Checking a file.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::fault::{Fault, Finding};
use super::input::{CheckError, ScrambleEntry, read};
use super::turns::{count, turn_faults};
use crate::wcif::skipped_note;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The number of scrambles.
    pub scrambles: usize,
    /// The findings: first those of the file as a whole, then those of scrambles in the order of the file.
    pub findings: Vec<Finding>,
    /// Notes for users.
    pub notes: Vec<String>,
    /// The SHA-256 of the file, as 64 hexadecimal digits.
    pub sha256: String,
}

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
///     println!("{}: {}", finding.place, finding.fault);
/// }
/// assert!(report.findings.iter().any(|finding| finding.place == "line 2"));
/// # Ok::<(), cube444_competition::check::CheckError>(())
/// ```
pub fn check(file: &[u8]) -> Result<Report, CheckError> {
    let input = read(file)?;
    let mut findings = input.findings;
    if input.entries.is_empty() {
        let place = "the file".to_owned();
        let fault = Fault::Nothing;
        findings.push(Finding { place, fault });
    }
    let mut seen: HashMap<Cube, &str> = HashMap::with_capacity(input.entries.len());
    for entry in &input.entries {
        let faults = match Sequence::from_wca(&entry.scramble) {
            Ok(sequence) => check_entry(entry, &sequence, &mut seen),
            Err(error) => vec![error.into()],
        };
        findings.extend(faults.into_iter().map(|fault| Finding {
            place: entry.place.clone(),
            fault,
        }));
    }
    Ok(Report {
        scrambles: input.entries.len(),
        findings,
        notes: input
            .notes
            .into_iter()
            .chain(skipped_note(input.skipped))
            .collect(),
        sha256: HEXLOWER.encode(&Sha256::digest(file)),
    })
}

/// The faults of a scramble. `seen` has the states so far with their places.
fn check_entry<'a>(
    entry: &'a ScrambleEntry,
    sequence: &Sequence,
    seen: &mut HashMap<Cube, &'a str>,
) -> Vec<Fault> {
    let state = Cube::solved().moved_by(sequence.axis_moves());
    let mut faults = turn_faults(sequence, entry.event);
    if !state.is_far_enough_from_solved() {
        faults.push(Fault::TooNear);
    }
    match seen.entry(state.normalized()) {
        Slot::Vacant(slot) => {
            slot.insert(&entry.place);
        }
        Slot::Occupied(slot) => faults.push(Fault::SameState((*slot.get()).to_owned())),
    }
    let counted = count(sequence.tokens());
    if let Some(claimed) = entry.moves.filter(|&claimed| claimed as usize != counted) {
        faults.push(Fault::Moves { claimed, counted });
    }
    let is_state = |facelets: &String| {
        // Comparing text first is much faster than parsing.
        *facelets == state.facelets()
            || Cube::from_facelets(facelets).is_ok_and(|claimed| claimed == state)
    };
    if !entry.state.as_ref().is_none_or(is_state) {
        faults.push(Fault::State);
    }
    let is_picture = |picture: &String| *picture == svg(&state, &Scheme::default());
    if !entry.svg.as_ref().is_none_or(is_picture) {
        faults.push(Fault::Picture);
    }
    faults
}
