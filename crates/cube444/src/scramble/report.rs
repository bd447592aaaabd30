//! Serializable reports of positions and solutions.

use std::fmt;
use std::time::Duration;

use crate::cube::facelets::other_puzzle;
use crate::cube::misreading::like_facelets;
use crate::cube::notation::strip_line_number;
use crate::cube::{Cube, FaceletError, Metric, Misreading, NotationError, Sequence};

use super::checked::CheckedSolution;

/// A length in three metrics.
#[derive(Clone, Copy, Debug, derive_more::Display, PartialEq, Eq)]
#[display("{obtm} outer block turns, {stm} slice turns, {btm} block turns")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Length {
    /// Outer block turns, in which WCA scrambles are counted.
    pub obtm: usize,
    /// Slice turns: any turn of one layer.
    pub stm: usize,
    /// Block turns: any turn of one layer or of two neighboring ones.
    pub btm: usize,
}

impl Length {
    /// The length of a sequence.
    #[must_use]
    pub fn of(sequence: &Sequence) -> Length {
        let [obtm, stm, btm] = Metric::ALL.map(|metric| sequence.length(metric));
        Length { obtm, stm, btm }
    }
}

/// A position, parsed from turns or facelets.
///
/// # Examples
///
/// ```
/// use cube444::scramble::ParsedPosition;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let position = ParsedPosition::from_turns("1. Rw U2 (F')")?;
/// let again = ParsedPosition::from_facelets(&position.cube.facelets())?;
/// assert_eq!(again.cube, position.cube);
///
/// let error = ParsedPosition::from_turns("Rw Q").unwrap_err();
/// assert!(error.to_string().starts_with("turn 2 (\"Q\") is invalid"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedPosition {
    /// The position.
    pub cube: Cube,
    /// The turns, and whether they are in WCA notation, if the position was given by turns.
    turns: Option<(Sequence, bool)>,
}

/// A text is not a position.
#[derive(
    Clone, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error, derive_more::From,
)]
#[error(ignore)]
#[non_exhaustive]
pub enum PositionError {
    /// Invalid turns.
    #[from]
    Turns(NotationError),
    /// Lines after the first one have numbers.
    #[display(
        "line {_0} has a line number; only the first may have one, so give one scramble at a time"
    )]
    Numbered(usize),
    /// The first word may be the number of a scramble, such as `3` or `E1`.
    #[display(
        "{_0:?} may be the number of a scramble: leave it out{}",
        middle_layer(_0)
    )]
    ScrambleNumber(String),
    /// Facelets were given as turns.
    #[display(
        "these letters look like facelets, not turns{}; put spaces between turns, or give facelets as state",
        other_puzzle(*_0)
    )]
    FaceletsAsTurns(usize),
    /// Facelets of an impossible state.
    #[display("{error}{}", misreading.map_or_else(String::new, |way| format!("; {way}")))]
    Facelets {
        /// What is wrong.
        error: FaceletError,
        /// How the facelets can be read as a state.
        misreading: Option<Misreading>,
    },
}

/// What else the number of an extra scramble may be.
fn middle_layer(number: &str) -> &str {
    match number.starts_with('E') {
        true => {
            "; if it is a turn of the middle layer, write it at another place or without a digit"
        }
        false => "",
    }
}

/// Number of turns from which a sequence is more probably a scramble than an algorithm with a turn of the middle layer.
const MIN_SCRAMBLE: usize = 8;

impl PositionError {
    /// Why facelets are impossible.
    #[must_use]
    pub fn flaw(&self) -> Option<Flaw> {
        let PositionError::Facelets { error, .. } = self else {
            return None;
        };
        let places = error.places().into_iter();
        let places = places.map(|(place, facelets)| FlawedPlace {
            place: place.to_string(),
            facelets,
        });
        Some(Flaw {
            kind: error.kind(),
            places: places.collect(),
        })
    }
}

/// Why facelets are impossible, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Flaw {
    /// `length` or `letter`: they cannot be read; `center-count`: a color is not on 4 centers; `no-such-piece`: no
    /// piece has these stickers; `mirrored-corner`: a corner's stickers in reversed order; `duplicate`: a piece occurs
    /// twice; `flipped-wing`: one wing of an edge occurs twice and the other is missing; `twist`: the sum of the
    /// corners' twists is impossible. More kinds may be added.
    pub kind: &'static str,
    /// The places with wrong stickers.
    pub places: Vec<FlawedPlace>,
}

/// A place with wrong stickers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct FlawedPlace {
    /// Its name, such as `URF`. Of the two wings of an edge, `UFr` is the one next to R.
    pub place: String,
    /// The indices of its facelets, 0 to 95.
    pub facelets: Vec<usize>,
}

impl ParsedPosition {
    /// The position that turns lead to from the solved cube. A leading line number, `1. `, `1) ` or `E1) `, is ignored.
    ///
    /// # Errors
    ///
    /// If a turn is invalid. The error names it.
    pub fn from_turns(text: &str) -> Result<ParsedPosition, PositionError> {
        let text = strip_line_number(text);
        // Most of them could be read as turns without spaces.
        if let Some(letters) = like_facelets(text) {
            return Err(PositionError::FaceletsAsTurns(letters));
        }
        let mut lines = (1..).zip(text.lines()).skip(1);
        if let Some((number, _)) = lines.find(|&(_, line)| strip_line_number(line) != line.trim()) {
            return Err(PositionError::Numbered(number));
        }
        // Sheets number scrambles like this, and scrambles have no turns of the middle layer. The next one may be copied, too.
        if let Some((first, rest)) = text.split_once(char::is_whitespace)
            && let (letter, number) = first.split_at(usize::from(first.starts_with('E')))
            && let Ok(value) = number.parse::<u32>()
            && let next = format!("{letter}{}", value.saturating_add(1))
            && let words = rest.split_whitespace().take_while(|word| *word != next)
            && let min = if letter.is_empty() { 1 } else { MIN_SCRAMBLE }
            && Sequence::from_wca(&words.collect::<Vec<_>>().join(" "))
                .is_ok_and(|rest| rest.len() >= min)
        {
            return Err(PositionError::ScrambleNumber(first.to_owned()));
        }
        let sequence: Sequence = text.parse()?;
        Ok(ParsedPosition {
            cube: Cube::solved().moved_by(sequence.axis_moves()),
            turns: Some((sequence, Sequence::from_wca(text).is_ok())),
        })
    }

    /// The position with these 96 facelets.
    ///
    /// # Errors
    ///
    /// If the facelets are impossible. The error names the letter, the count or the piece.
    pub fn from_facelets(facelets: &str) -> Result<ParsedPosition, PositionError> {
        let cube = Cube::from_facelets(facelets).map_err(|error| PositionError::Facelets {
            error,
            misreading: Misreading::of(facelets),
        })?;
        Ok(ParsedPosition { cube, turns: None })
    }

    /// Facts about the position.
    ///
    /// # Examples
    ///
    /// ```
    /// use cube444::scramble::ParsedPosition;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let verdict = ParsedPosition::from_turns("Rw U2 (F')")?.verdict();
    /// assert!(verdict.far_enough && !verdict.solved);
    /// assert_eq!(verdict.length.map(|length| length.obtm), Some(3));
    /// assert_eq!(verdict.wca_notation, Some(false));
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        Verdict {
            state: self.cube.facelets(),
            length: self.turns.as_ref().map(|(turns, _)| Length::of(turns)),
            wca_notation: self.turns.as_ref().map(|&(_, is_wca)| is_wca),
            solved: self.cube.is_solved(),
            far_enough: self.cube.is_far_enough_from_solved(),
        }
    }
}

/// Facts about a position.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Verdict {
    /// 96 facelets, faces in the order U R F D L B.
    #[cfg_attr(feature = "schemars", schemars(length(equal = 96)))]
    pub state: String,
    /// The length of the turns, if turns were given.
    pub length: Option<Length>,
    /// Whether the turns conform to WCA regulation 12a, if turns were given.
    pub wca_notation: Option<bool>,
    /// Whether every face has one color.
    pub solved: bool,
    /// Whether the position is at least two turns from solved, as WCA regulation 4b3 requires.
    pub far_enough: bool,
}

/// Facts as lines of text.
impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = |is_true: bool| if is_true { "yes" } else { "no" };
        writeln!(formatter, "state         {}", self.state)?;
        if let Some(length) = self.length {
            writeln!(formatter, "length        {length}")?;
        }
        if let Some(is_wca) = self.wca_notation {
            writeln!(formatter, "WCA notation  {}", word(is_wca))?;
        }
        writeln!(formatter, "solved        {}", word(self.solved))?;
        let far = word(self.far_enough);
        write!(
            formatter,
            "far enough from solved (two turns or more)  {far}"
        )
    }
}

/// A part of a solution.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct StageReport {
    /// The name of the stage, such as `half-turn-group`, or `premoves` for the outer turns at the end of the solution.
    pub stage: &'static str,
    /// Its turns in WCA notation.
    pub turns: String,
    /// The length of these turns. The solution may be shorter than the sum, as turns of two stages can
    /// combine.
    pub length: Length,
}

/// A solution.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schemars", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SolutionReport {
    /// The position: 96 facelets, faces in the order U R F D L B.
    #[cfg_attr(feature = "schemars", schemars(length(equal = 96)))]
    pub state: String,
    /// The turns that solve it, in WCA notation.
    pub solution: String,
    /// The number of turns in outer block turns, without rotations.
    pub moves: usize,
    /// The length of the solution.
    pub length: Length,
    /// The name of the method.
    pub method: &'static str,
    /// The method's stages and the premoves, in order.
    pub stages: Vec<StageReport>,
    /// Time of the search in milliseconds.
    pub millis: f64,
    /// True if the deadline cut the search short. Otherwise JSON lacks it.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "std::ops::Not::not"))]
    pub hurried: bool,
}

impl SolutionReport {
    /// The report of a solution of `state` that took `took` to find.
    #[must_use]
    pub fn new(state: &Cube, solution: &CheckedSolution, took: Duration) -> SolutionReport {
        let stage = |(stage, turns): &(&'static str, Sequence)| StageReport {
            stage,
            turns: turns.to_string(),
            length: Length::of(turns),
        };
        let length = Length::of(&solution.sequence);
        SolutionReport {
            state: state.facelets(),
            solution: solution.sequence.to_string(),
            moves: length.obtm,
            length,
            method: solution.method,
            stages: solution.stages.iter().map(stage).collect(),
            millis: took.as_micros() as f64 / 1e3,
            hurried: solution.hurried,
        }
    }
}

/// A line for each stage, one for the solution, and its lengths and time.
impl fmt::Display for SolutionReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self.stages.iter();
        let parts = parts.map(|part| (part.stage, part.length.obtm, &part.turns));
        for (name, length, turns) in parts.chain([("solution", self.moves, &self.solution)]) {
            writeln!(formatter, "{name:18} {length:3}  {turns}")?;
        }
        write!(formatter, "{}; {:.1} ms", self.length, self.millis)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(turns: &str) -> Verdict {
        ParsedPosition::from_turns(turns).unwrap().verdict()
    }

    #[test]
    fn verdicts_of_turns() {
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
    fn line_numbers_are_ignored() {
        let plain = verdict("R U F");
        for text in ["1. R U F", " 12) R U F\r", "1.R U F", "E1) R U F"] {
            assert_eq!(verdict(text), plain, "{text}");
        }
        for number in ["1", "E1", "E2", "E10"] {
            let copied = format!("{number}  R U F D L\nB R U");
            let expected = Some(PositionError::ScrambleNumber(number.to_owned()));
            assert_eq!(ParsedPosition::from_turns(&copied).err(), expected);
        }
        // With the start of the next one.
        for (text, number) in [("E1 R U F D L B R U\nE2 R U", "E1"), ("1 R U 2 F", "1")] {
            let expected = Some(PositionError::ScrambleNumber(number.to_owned()));
            assert_eq!(ParsedPosition::from_turns(text).err(), expected);
        }
        verdict("E2 R U F D L B R");
        verdict("E2 R U F D L B R E2");
        for text in ["1) R U\n2) F2", "1. R\r\n 2. U\n3. F", "\nR U\n7.F"] {
            let error = ParsedPosition::from_turns(text).err();
            assert_eq!(error, Some(PositionError::Numbered(2)), "{text}");
        }
    }

    #[test]
    fn misread_facelets_are_explained() {
        let message = |parsed: Result<ParsedPosition, PositionError>| match parsed {
            Ok(_) => panic!("this is a position"),
            Err(error) => error.to_string(),
        };
        let state = verdict("Rw U F2 Lw'").state;
        let as_turns = message(ParsedPosition::from_turns(&state.replace('U', "W")));
        assert_eq!(
            as_turns,
            "these letters look like facelets, not turns; put spaces between turns, or give facelets as state"
        );
        let smaller = message(ParsedPosition::from_turns(&"URFDLB".repeat(9)));
        let hint = "not turns; a 3x3x3 has 54 facelets, a 4x4x4 has 96; put spaces";
        assert!(smaller.contains(hint), "{smaller}");
        let smaller = message(ParsedPosition::from_facelets(&"URFDLB".repeat(9)));
        let hint = "but 54 were given; a 3x3x3 has 54 facelets, a 4x4x4 has 96";
        assert!(smaller.ends_with(hint), "{smaller}");
        for letter in ["W", "g"] {
            let mixed = message(ParsedPosition::from_facelets(
                &state.replacen('U', letter, 1),
            ));
            assert!(
                mixed.ends_with("; letters of faces and of colors are mixed"),
                "{mixed}"
            );
        }
        let other = message(ParsedPosition::from_facelets(&state.replacen('U', "Q", 1)));
        assert!(!other.contains("mixed"), "{other}");
        let other_order = [&state[..16], &state[32..48], &state[16..32], &state[48..]].concat();
        let expected = "; they are a state if their faces are in the order U F R D L B";
        let found = message(ParsedPosition::from_facelets(&other_order));
        assert!(
            found.starts_with("no ") && found.ends_with(expected),
            "{found}"
        );
        let impossible = message(ParsedPosition::from_facelets(&"U".repeat(96)));
        assert!(!impossible.contains("they are"), "{impossible}");
    }

    #[test]
    fn wca_notation_is_that_of_regulation_12a() {
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
    fn verdict_of_facelets() {
        let state = Cube::solved().facelets();
        let verdict = ParsedPosition::from_facelets(&state).unwrap().verdict();
        assert_eq!((verdict.length, verdict.wca_notation), (None, None));
        assert_eq!(verdict.state, state);
    }

    #[test]
    fn a_solution_is_reported_with_its_parts_and_milliseconds() {
        let sequence = |text: &str| -> Sequence { text.parse().unwrap() };
        let solution = CheckedSolution {
            method: "some",
            sequence: sequence("Rw U2"),
            stages: vec![("first", sequence("Rw")), ("premoves", sequence("U2"))],
            hurried: true,
        };
        let state = Cube::solved();
        let report = SolutionReport::new(&state, &solution, Duration::from_nanos(1_234_567_890));
        assert_eq!((report.millis, report.hurried), (1_234.567, true));
        assert_eq!(
            (report.method, &*report.state),
            ("some", &*state.facelets())
        );
        let length = |obtm, stm, btm| Length { obtm, stm, btm };
        assert_eq!(
            (&*report.solution, report.length),
            ("Rw U2", length(2, 3, 2))
        );
        let stage = |stage, moves: &str, length| StageReport {
            stage,
            turns: moves.to_owned(),
            length,
        };
        let first = stage("first", "Rw", length(1, 2, 1));
        assert_eq!(
            report.stages,
            [first, stage("premoves", "U2", length(1, 1, 1))]
        );
    }
}
