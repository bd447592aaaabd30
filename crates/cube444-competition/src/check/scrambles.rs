//! Checking scrambles.

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444::scramble::Event;
use serde::Serialize;

use super::orientations::Orientations;
use super::turns::{count, turn_faults};
use crate::member::Finding;
use crate::wcif::Skipped;

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

/// A file, whose scrambles are checked as they are read.
#[derive(Default)]
pub(super) struct Input {
    /// The report without the findings of scrambles.
    pub(super) report: Report,
    /// The findings of scrambles.
    pub(super) faults: Vec<Finding>,
    /// The scrambles of other events.
    pub(super) skipped: Skipped,
    /// The orientations in which scrambles of 444bf end.
    pub(super) orientations: Orientations,
    /// The states so far, with the places of their scrambles.
    seen: HashMap<Cube, String>,
}

/// Facts that a file states about a scramble.
#[derive(Default)]
pub(super) struct Stated {
    pub(super) moves: Option<u64>,
    pub(super) state: Option<String>,
    pub(super) svg: Option<String>,
}

impl Input {
    /// Adds a finding of the file as a whole.
    pub(super) fn find(&mut self, place: impl ToString, kind: &'static str, text: impl ToString) {
        self.report.findings.push(Finding::new(place, kind, text));
    }

    /// Checks a scramble. The event may be unknown.
    pub(super) fn check(
        &mut self,
        place: String,
        event: Option<Event>,
        scramble: &str,
        stated: &Stated,
    ) {
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
