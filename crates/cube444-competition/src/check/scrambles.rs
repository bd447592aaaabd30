//! Checking scrambles.

use std::collections::HashMap;

use cube444::cube::{Cube, Sequence};
use cube444::picture::{Scheme, svg};
use cube444::scramble::Event;
use serde::Serialize;

use super::turns::{count, is_rotation, turn_faults};
use crate::member::Finding;
use crate::sheets::unusable;
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
        if let Some((kind, text)) = unusable(&sequence, &state) {
            find(kind, &text);
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

/// Maximum probability that a file of random orientations has a fault.
const MAX_PROBABILITY: f64 = 1e-6;

/// How many scrambles of the blindfolded event end in each orientation.
#[derive(Default)]
pub(super) struct Orientations(HashMap<Cube, usize>);

impl Orientations {
    /// Counts a scramble. If its event is unknown, it is of the blindfolded event if it has a rotation.
    fn add(&mut self, scramble: &Sequence, event: Option<Event>) {
        let tokens = scramble.tokens().iter();
        let rotations = tokens.filter(|&&token| is_rotation(token));
        let rotations: Vec<_> = rotations.map(|token| token.axis_move()).collect();
        if event.map_or(!rotations.is_empty(), |event| event == Event::Blindfolded) {
            let orientation = Cube::solved().moved_by(rotations);
            *self.0.entry(orientation).or_default() += 1;
        }
    }

    /// What is wrong if one orientation is too frequent for chance.
    pub(super) fn fault(&self) -> Option<String> {
        let count: usize = self.0.values().sum();
        let (orientation, &most) = self.0.iter().max_by_key(|&(_, number)| number)?;
        // At least k of n scrambles end in one of the 24 orientations with a probability of at most 24 C(n, k) / 24^k.
        // It is 23 where scrambles without a rotation do not count. Logarithms do not overflow.
        let factor = |index: usize| ((count - index) as f64 / (index + 1) as f64 / 23.0).ln();
        let probability = 24_f64.ln() + (0..most).map(factor).sum::<f64>();
        let rotation = match *orientation == Cube::solved() {
            true => "have no rotation",
            false => "end in the same orientation",
        };
        let text = format!(
            "has {count} scrambles of 444bf of which {most} {rotation}, but each must have a random orientation"
        );
        (probability < MAX_PROBABILITY.ln()).then_some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_scrambles_do_not_overflow() {
        let orientations = Orientations(HashMap::from([(Cube::solved(), 100_000)]));
        assert!(orientations.fault().is_some());
        let all = cube444::scramble::Orientation::all();
        let turned =
            all.map(|it| Cube::solved().moved_by(it.rotations().map(|token| token.axis_move())));
        let orientations = Orientations(turned.map(|cube| (cube, 100_000)).collect());
        assert_eq!(orientations.0.len(), 24);
        assert_eq!(orientations.fault(), None);
    }
}
