//! Checking files with scrambles. Each scramble is replayed and compared with what the file states.

mod input;
mod orientations;
mod turns;

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444::scramble::Event;
use data_encoding::HEXLOWER;
use serde::Serialize;
use sha2::{Digest, Sha256};

use self::orientations::Orientations;
use self::turns::{count, turn_faults};
use crate::wcif::Skipped;

pub use self::input::CheckError;
pub use crate::member::Finding;

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
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

/// The content of a file, whose scrambles are checked as they are read.
#[derive(Default)]
struct Input {
    /// The report without the findings of scrambles.
    report: Report,
    /// The findings of scrambles.
    faults: Vec<Finding>,
    /// The scrambles of other events.
    skipped: Skipped,
    /// The orientations in which scrambles of 444bf end.
    orientations: Orientations,
    /// The states so far, with the places of their scrambles.
    seen: HashMap<Cube, String>,
}

/// Facts that a file states about a scramble.
#[derive(Default)]
struct Stated {
    moves: Option<u64>,
    state: Option<String>,
    svg: Option<String>,
}

impl Input {
    /// Adds a finding of the file as a whole.
    fn find(&mut self, place: impl ToString, kind: &'static str, text: impl ToString) {
        self.report.findings.push(Finding::new(place, kind, text));
    }

    /// Checks a scramble. The event may be unknown.
    fn check(&mut self, place: String, event: Option<Event>, scramble: &str, stated: &Stated) {
        self.report.scrambles += 1;
        let mut find = |kind, text: &str| self.faults.push(Finding::new(&place, kind, text));
        let sequence = match Sequence::from_wca(scramble) {
            Ok(sequence) => sequence,
            Err(error) => return find("notation", &error.to_string()),
        };
        let words: Vec<&str> = scramble.split_whitespace().collect();
        if words.join(" ") != scramble {
            let text = "has other white space than single spaces between turns";
            find("notation", text);
        }
        self.orientations.add(&sequence, event);
        for (kind, text) in turn_faults(&sequence, event) {
            find(kind, &text);
        }
        let state = Cube::solved().moved_by(sequence.axis_moves());
        if !state.is_far_enough_from_solved() {
            let text = "leads to a state less than two turns from solved";
            find("too-near", text);
        }
        let normalized = state.normalized();
        match self.seen.get(&normalized) {
            // A copy, or a broken random number generator.
            Some(first) => find("same-state", &format!("leads to the same state as {first}")),
            None => drop(self.seen.insert(normalized, place.clone())),
        }
        let counted = count(sequence.tokens());
        if let Some(moves) = stated.moves.filter(|&moves| moves != counted as u64) {
            let text = format!("has {counted} moves, not {moves} as stated");
            find("moves", &text);
        }
        // Comparing text first is much faster than parsing.
        if let Some(facelets) = &stated.state
            && *facelets != state.facelets()
            && Cube::from_facelets(facelets) != Ok(state)
        {
            find("state", "does not lead to the state in the file");
        }
        let is_picture = |picture: &String| *picture == svg(&state, &Scheme::default());
        if !stated.svg.as_ref().is_none_or(is_picture) {
            let text = "has a picture (svg) that differs from this program's picture of its state";
            find("picture", text);
        }
    }
}
