//! What is told of scrambles, positions and solutions: plain data, for JSON and for people.

use std::time::Duration;

use serde::Serialize;

use crate::cube::notation::without_number;
use crate::cube::{Cube, FaceletError, Metric, NotationError, Sequence};

use super::scrambler::{Scramble, Solved};

/// A scramble.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ScrambleReport {
    /// The turns in WCA notation; if it is oriented, rotations of the whole cube come last.
    pub scramble: String,
    /// The number of turns, in outer block turns; rotations do not count.
    pub moves: usize,
    /// The state they lead to: 96 facelets, faces in the order U R F D L B.
    pub state: String,
}

impl From<&Scramble> for ScrambleReport {
    fn from(scramble: &Scramble) -> ScrambleReport {
        ScrambleReport {
            scramble: scramble.sequence.to_string(),
            moves: scramble.moves(),
            state: scramble.state.facelets(),
        }
    }
}

/// A length in the three metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Length {
    /// Outer block turns: what WCA scrambles are counted in.
    pub obtm: usize,
    /// Slice turns: one layer, any amount.
    pub stm: usize,
    /// Block turns: one layer or two neighbouring ones, any amount.
    pub btm: usize,
}

impl Length {
    /// The length of a sequence.
    #[must_use]
    pub fn of(sequence: &Sequence) -> Length {
        Length {
            obtm: sequence.length(Metric::Obtm),
            stm: sequence.length(Metric::Stm),
            btm: sequence.length(Metric::Btm),
        }
    }
}

/// A position that somebody asks about.
#[derive(Clone)]
pub struct Given {
    /// The position.
    pub cube: Cube,
    /// The turns and whether they are written as the WCA does, if it was given by turns from the
    /// solved cube.
    turns: Option<(Sequence, bool)>,
}

/// Text that gives no position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// Turns that cannot be read.
    #[error(transparent)]
    Turns(#[from] NotationError),
    /// Facelets of no reachable state.
    #[error(transparent)]
    Facelets(#[from] FaceletError),
}

impl Given {
    /// The position that turns of the solved cube lead to. A number before them, `1. ` or `1) `, is
    /// that of the line, and not part of the turns.
    ///
    /// # Errors
    ///
    /// Which turn is not understood.
    pub fn by_turns(text: &str) -> Result<Given, GivenError> {
        let text = without_number(text);
        let sequence: Sequence = text.parse()?;
        Ok(Given {
            cube: Cube::solved().moved_by(sequence.axis_moves()),
            turns: Some((sequence, Sequence::from_wca(text).is_ok())),
        })
    }

    /// The position that 96 facelets show.
    ///
    /// # Errors
    ///
    /// Which letter, count or piece is impossible.
    pub fn by_facelets(facelets: &str) -> Result<Given, GivenError> {
        Ok(Given {
            cube: Cube::from_facelets(facelets)?,
            turns: None,
        })
    }

    /// What can be said of the position.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict {
            state: self.cube.facelets(),
            length: self.turns.as_ref().map(|(turns, _)| Length::of(turns)),
            wca_notation: self.turns.as_ref().map(|&(_, is)| is),
            solved: self.cube.is_solved(),
            far_enough: self.cube.is_far_enough_from_solved(),
        }
    }
}

/// What can be said of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// 96 facelets, faces in the order U R F D L B.
    pub state: String,
    /// The length of the turns, if turns were given.
    pub length: Option<Length>,
    /// Whether the turns are written as WCA regulation 12a says, if turns were given.
    pub wca_notation: Option<bool>,
    /// Whether every face is of one colour.
    pub solved: bool,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 asks.
    pub far_enough: bool,
}

/// A part of a solution.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StageReport {
    /// What the stage reaches, or `premoves` for outer turns that end the solution.
    pub stage: &'static str,
    /// Its turns in WCA notation.
    pub moves: String,
    /// Their length by themselves; where stages meet, turns may join to fewer.
    pub length: Length,
}

/// A solution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SolutionReport {
    /// The position: 96 facelets, faces in the order U R F D L B.
    pub state: String,
    /// Turns in WCA notation that solve it.
    pub solution: String,
    /// Their length.
    pub length: Length,
    /// The name of the method.
    pub method: &'static str,
    /// The method's stages, and the premoves, in order.
    pub stages: Vec<StageReport>,
    /// Milliseconds that finding it took.
    pub millis: f64,
    /// Whether the deadline cut the search short.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub hurried: bool,
}

impl SolutionReport {
    /// Tells of a solution, and how long finding it took.
    #[must_use]
    pub fn new(state: &Cube, solved: &Solved, took: Duration) -> SolutionReport {
        let stage = |(stage, moves): &(&'static str, Sequence)| StageReport {
            stage,
            moves: moves.to_string(),
            length: Length::of(moves),
        };
        SolutionReport {
            state: state.facelets(),
            solution: solved.sequence.to_string(),
            length: Length::of(&solved.sequence),
            method: solved.method,
            stages: solved.stages.iter().map(stage).collect(),
            millis: took.as_micros() as f64 / 1e3,
            hurried: solved.hurried,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(turns: &str) -> Verdict {
        Given::by_turns(turns).unwrap().verdict()
    }

    #[test]
    fn turns_are_judged() {
        let length = |obtm, stm, btm| Some(Length { obtm, stm, btm });
        assert_eq!(verdict("Rw R'").length, length(2, 1, 1));
        assert_eq!(verdict("Rw U2 x").length, length(2, 3, 2));
        assert_eq!(verdict("3Rw M S2").length, length(3, 3, 2));
        for (turns, solved, far_enough) in [
            ("", true, false),
            ("x y'", true, false),
            ("R", false, false),
            ("r", false, true),
            ("R U", false, true),
        ] {
            let verdict = verdict(turns);
            assert_eq!(
                (verdict.solved, verdict.far_enough),
                (solved, far_enough),
                "{turns}"
            );
        }
    }

    #[test]
    fn numbers_of_lines_are_not_turns() {
        let plain = verdict("R U F");
        for text in ["1. R U F", " 12) R U F\r", "1.R U F"] {
            assert_eq!(verdict(text), plain, "{text}");
        }
        assert!(Given::by_turns("1. R\n2. U").is_err());
    }

    #[test]
    fn only_what_regulation_12a_allows_is_wca_notation() {
        for text in [
            "",
            " Rw U2\nx  F'",
            "2Rw 2Fw2 2Dw'",
            "3Rw 3Uw2 3Bw'",
            "x y2 z'",
            "1. R U F",
            "12) Rw",
        ] {
            assert_eq!(verdict(text).wca_notation, Some(true), "{text}");
        }
        for text in [
            "R U2'", "R3", "R’", "R′", "r U", "M", "E2", "S'", "(R U)", "( R )", "R // U", "2Rw2'",
            "3Rw3", "2R", "2R2", "2R'", "2-3Rw", "1-2Rw", "1-3Rw", "1Rw", "1R", "3R", "2r", "m",
            "Rv", "1. 2R U", "1. R U2'",
        ] {
            assert_eq!(verdict(text).wca_notation, Some(false), "{text}");
        }
    }

    #[test]
    fn facelets_are_judged_without_turns() {
        let state = Cube::solved().facelets();
        let verdict = Given::by_facelets(&state).unwrap().verdict();
        assert_eq!((verdict.length, verdict.wca_notation), (None, None));
        assert_eq!(verdict.state, state);
    }
}
