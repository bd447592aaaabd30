//! Checking a whole file.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;

use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::fault::{Fault, Finding};
use super::input::{CheckError, Entry, read};
use super::turns::{count, faults};
use crate::cube::{Cube, Sequence};
use crate::picture::{Scheme, svg};

/// What there is to say of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Report {
    /// How many scrambles it has.
    pub scrambles: usize,
    /// What is wrong, in the order of the file, but what is wrong with the file as a whole first.
    pub findings: Vec<Finding>,
    /// What people should know of the file besides.
    pub notes: Vec<String>,
    /// The SHA-256 of its bytes, as 64 hexadecimal digits.
    pub sha256: String,
}

/// Checks a file: text with a scramble a line, or JSON of one of several forms.
///
/// # Errors
///
/// If it cannot be read as any of these.
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
        let found = match Sequence::from_wca(&entry.scramble) {
            Ok(sequence) => replayed(entry, &sequence, &mut seen),
            Err(error) => vec![error.into()],
        };
        findings.extend(found.into_iter().map(|fault| Finding {
            place: entry.place.clone(),
            fault,
        }));
    }
    Ok(Report {
        scrambles: input.entries.len(),
        findings,
        notes: input.notes,
        sha256: HEXLOWER.encode(&Sha256::digest(file)),
    })
}

/// The faults of a scramble that can be read. `seen` has the states so far, and where they were.
fn replayed<'a>(
    entry: &'a Entry,
    sequence: &Sequence,
    seen: &mut HashMap<Cube, &'a str>,
) -> Vec<Fault> {
    let state = Cube::solved().moved_by(sequence.axis_moves());
    let mut found = faults(sequence, entry.event);
    if !state.is_far_enough_from_solved() {
        found.push(Fault::TooNear);
    }
    match seen.entry(state.normalized()) {
        Slot::Vacant(slot) => {
            slot.insert(&entry.place);
        }
        Slot::Occupied(slot) => found.push(Fault::SameState((*slot.get()).to_owned())),
    }
    let counted = count(sequence.tokens());
    if let Some(claimed) = entry.moves.filter(|&claimed| claimed as usize != counted) {
        found.push(Fault::Moves { claimed, counted });
    }
    let shows = |facelets: &String| {
        // Reading facelets takes far longer than writing them.
        *facelets == state.facelets()
            || Cube::from_facelets(facelets).is_ok_and(|claimed| claimed == state)
    };
    if !entry.state.as_ref().is_none_or(shows) {
        found.push(Fault::State);
    }
    let is_drawn = |picture: &String| *picture == svg(&state, &Scheme::default());
    if !entry.svg.as_ref().is_none_or(is_drawn) {
        found.push(Fault::Picture);
    }
    found
}
