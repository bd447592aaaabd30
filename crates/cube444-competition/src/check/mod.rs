//! Checking files with scrambles. Each scramble is replayed and compared with what the file states.

mod input;
mod turns;

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest, Sha256};

use self::input::{ScrambleEntry, read};
use self::turns::{count, turn_faults};
use crate::wcif::skipped_note;

pub use self::input::CheckError;

/// A fault of a scramble or of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// For example `line 3` or `444 round 1 set A extra 2`.
    pub place: String,
    /// A word for programs. Stable.
    pub kind: &'static str,
    /// The message, which completes a sentence that begins with the place.
    pub text: String,
}

impl Finding {
    pub(crate) fn new(place: impl ToString, kind: &'static str, text: impl ToString) -> Finding {
        Finding {
            place: place.to_string(),
            kind,
            text: text.to_string(),
        }
    }
}

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
///     println!("{}: {}", finding.place, finding.text);
/// }
/// assert!(report.findings.iter().any(|finding| finding.place == "line 2"));
/// # Ok::<(), cube444_competition::check::CheckError>(())
/// ```
pub fn check(file: &[u8]) -> Result<Report, CheckError> {
    let mut input = read(file)?;
    input.notes.extend(skipped_note(input.skipped));
    let mut findings = input.findings;
    if input.entries.is_empty() {
        findings.push(Finding::new("the file", "nothing", "has no scrambles"));
    }
    let mut seen = HashMap::with_capacity(input.entries.len());
    for entry in &input.entries {
        let find = |kind, text: &str| findings.push(Finding::new(&entry.place, kind, text));
        check_entry(entry, &mut seen, find);
    }
    Ok(Report {
        scrambles: input.entries.len(),
        findings,
        notes: input.notes,
        sha256: HEXLOWER.encode(&Sha256::digest(file)),
    })
}

/// Checks a scramble. `seen` has the states so far with their places.
fn check_entry<'a>(
    entry: &'a ScrambleEntry,
    seen: &mut HashMap<Cube, &'a str>,
    mut find: impl FnMut(&'static str, &str),
) {
    let sequence = match Sequence::from_wca(&entry.scramble) {
        Ok(sequence) => sequence,
        Err(error) => return find("notation", &error.to_string()),
    };
    let state = Cube::solved().moved_by(sequence.axis_moves());
    for (kind, text) in turn_faults(&sequence, entry.event) {
        find(kind, &text);
    }
    if !state.is_far_enough_from_solved() {
        let text = "leads to a state less than two turns from solved";
        find("too-near", text);
    }
    let normalized = state.normalized();
    match seen.get(&normalized) {
        // A copy, or a broken random number generator.
        Some(first) => find("same-state", &format!("leads to the same state as {first}")),
        None => drop(seen.insert(normalized, &entry.place)),
    }
    let counted = count(sequence.tokens());
    if let Some(claimed) = entry.moves.filter(|&claimed| claimed as usize != counted) {
        let text = format!("has {counted} moves, not {claimed} as stated");
        find("moves", &text);
    }
    // Comparing text first is much faster than parsing.
    if let Some(facelets) = &entry.state
        && *facelets != state.facelets()
        && Cube::from_facelets(facelets) != Ok(state)
    {
        find("state", "does not lead to the state in the file");
    }
    let is_picture = |picture: &String| *picture == svg(&state, &Scheme::default());
    if !entry.svg.as_ref().is_none_or(is_picture) {
        let text = "has a picture (svg) that differs from this program's picture of its state";
        find("picture", text);
    }
}
