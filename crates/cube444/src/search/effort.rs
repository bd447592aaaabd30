//! Effort: how long a search looks for a shorter solution.

use std::str::FromStr;

/// A level of effort: more work for shorter solutions.
///
/// Level 1 takes milliseconds, level 10 seconds. Each method declares a beam for each level and stage;
/// [`Solver::beams`](super::Solver::beams) gives them.
///
/// # Examples
///
/// ```
/// use cube444::Effort;
///
/// let level: Effort = "7".parse()?;
/// assert_eq!(level, Effort::new(7)?);
/// assert!(Effort::MIN < level && level < Effort::MAX);
/// assert!("11".parse::<Effort>().is_err());
/// # Ok::<(), cube444::search::UnknownEffort>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, derive_more::Display)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "u8")
)]
#[cfg_attr(
    feature = "schemars",
    derive(schemars::JsonSchema),
    schemars(inline, extend("minimum" = 1, "maximum" = Effort::MAX.0))
)]
pub struct Effort(u8);

/// A number that is not a level of effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, derive_more::Display, derive_more::Error)]
#[display("a level of effort is a whole number from 1 to {}", Effort::MAX)]
pub struct UnknownEffort;

impl Effort {
    /// The number of levels.
    pub const COUNT: usize = 10;
    /// The lowest level.
    pub const MIN: Effort = Effort(1);
    /// The level that is used if no other is given: 4.
    pub const DEFAULT: Effort = Effort(4);
    /// The highest level.
    pub const MAX: Effort = Effort(Effort::COUNT as u8);

    /// The level with a number from 1 to 10.
    ///
    /// # Errors
    ///
    /// If the number is not in that range.
    pub const fn new(number: u8) -> Result<Effort, UnknownEffort> {
        if 1 <= number && number <= Effort::MAX.0 {
            Ok(Effort(number))
        } else {
            Err(UnknownEffort)
        }
    }

    /// The number, from 1 to 10.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }

    /// The level's index, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::DEFAULT
    }
}

impl FromStr for Effort {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<Effort, UnknownEffort> {
        let number = text.parse().ok().filter(|_| !text.starts_with('+'));
        number.ok_or(UnknownEffort).and_then(Effort::new)
    }
}

impl TryFrom<u8> for Effort {
    type Error = UnknownEffort;

    fn try_from(number: u8) -> Result<Effort, UnknownEffort> {
        Effort::new(number)
    }
}

/// The limits of one stage: how many endings a search lists, how many of them it keeps, and how many nodes it expands.
///
/// # Examples
///
/// ```
/// use cube444::method::{Beam, Beams};
///
/// // Lists 100 endings of each stage, keeps 50, and gives up after 1,000,000 nodes without an ending, or
/// // 200,000 nodes after the first.
/// let beam = Beam::new(100, 50).within(1_000_000, 200_000);
/// let beams = Beams::new(vec![beam; 4]);
/// assert_eq!(beams.beam(0).width, 50);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Beam {
    /// The number of endings of the stage to list, in the order of total cost; at least 1.
    pub endings: usize,
    /// The beam width: the number of candidates for the next stage that are kept, each an ending with a relabeling
    /// and a premove; at least 1.
    pub width: usize,
    /// The nodes to expand before the first ending; `None` for no limit. If there is no ending by then,
    /// the search starts again from the given state, and leaves out the endings of the stage before.
    pub patience: Option<u64>,
    /// The nodes to expand after the first ending; `None` for no limit. It bounds the time of the few
    /// states on which a stage takes long.
    pub nodes: Option<u64>,
}

impl Beam {
    /// A beam with no limit of nodes.
    #[must_use]
    pub const fn new(endings: usize, width: usize) -> Beam {
        Beam {
            endings,
            width,
            patience: None,
            nodes: None,
        }
    }

    /// The same beam with limits of nodes: before the first ending, and after it.
    #[must_use]
    pub const fn within(self, patience: u64, nodes: u64) -> Beam {
        Beam {
            patience: Some(patience),
            nodes: Some(nodes),
            ..self
        }
    }

    /// The beam of the second attempt. Its patience begins anew after as many nodes as the first attempt may
    /// have taken for the endings that the second one leaves out.
    pub(super) fn again(self) -> Beam {
        let twice = self.most_nodes().zip(self.patience);
        let patience = twice.map(|(most, patience)| most.saturating_add(patience));
        Beam { patience, ..self }
    }

    /// The maximum number of nodes that the stage expands; `None` if there is no limit.
    pub(crate) fn most_nodes(self) -> Option<u64> {
        Some(self.patience?.saturating_add(self.nodes?))
    }
}

/// The beams of all stages.
///
/// A last stage without a beam ends with its first ending, which is a shortest one.
///
/// # Examples
///
/// ```
/// use cube444::method::{Beam, Beams};
/// use cube444::scramble::Scramble;
/// use cube444::search::Limits;
/// use cube444::{Cube, Effort, Scrambler};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let scrambler = Scrambler::in_memory()?;
/// let solver = scrambler.solver();
/// // The first ending of every stage, in place of the beams of an effort.
/// let first_endings = Beams::new(vec![Beam::new(1, 1).within(100_000, 0)]);
/// let state = Cube::random(&mut cube444::rand::rng());
/// for beams in [solver.beams(Effort::new(6)?), &first_endings] {
///     let solution = solver.solve(&state, beams, &Limits::default())?;
///     println!("{}", Scramble::inverse_of(&solution, &state)?.sequence);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beams(Vec<Beam>);

impl Beams {
    /// Beams of the stages in order; see [`Beams::beam`] for stages without one.
    #[must_use]
    pub fn new(beams: Vec<Beam>) -> Beams {
        Beams(beams)
    }

    /// The beam of a stage, by its index. A stage without a beam takes its first ending, within the node
    /// limits of the last beam.
    #[must_use]
    pub fn beam(&self, stage: usize) -> Beam {
        let beyond = || Beam {
            endings: 1,
            width: 1,
            ..self.0.last().copied().unwrap_or(Beam::new(1, 1))
        };
        self.0.get(stage).copied().unwrap_or_else(beyond)
    }

    /// The maximum number of nodes that a search through `stages` stages expands in its first two attempts; `None` if a
    /// stage has no limit. A third attempt, which few states need, has no limit before the first ending of a stage.
    #[must_use]
    pub fn most_nodes(&self, stages: usize) -> Option<u64> {
        let beams = (0..stages).map(|stage| self.beam(stage));
        let mut nodes = beams.flat_map(|beam| [beam, beam.again()].map(Beam::most_nodes));
        nodes.try_fold(0, |sum: u64, nodes| Some(sum.saturating_add(nodes?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_from_1_to_10() {
        for number in 0..=u8::MAX {
            let level = Effort::new(number);
            assert_eq!(level.is_ok(), (1..=10).contains(&number), "{number}");
            assert_eq!(number.to_string().parse(), level);
        }
        for text in ["", "four", "-1", "256", "4.0"] {
            assert_eq!(text.parse::<Effort>(), Err(UnknownEffort));
        }
        assert_eq!(
            UnknownEffort.to_string(),
            "a level of effort is a whole number from 1 to 10"
        );
    }

    #[test]
    fn a_stage_without_a_beam_takes_its_first_ending_within_the_last_limits() {
        let effort = Beams::new(vec![Beam::new(5, 4), Beam::new(9, 8).within(7, 6)]);
        assert_eq!(effort.beam(1), Beam::new(9, 8).within(7, 6));
        for stage in [2, 3, 100] {
            assert_eq!(effort.beam(stage), Beam::new(1, 1).within(7, 6));
        }
        assert_eq!(Beams::new(Vec::new()).beam(0), Beam::new(1, 1));
    }

    #[test]
    fn a_search_takes_at_most_three_times_the_nodes_of_its_first_attempt() {
        assert_eq!(Beam::new(9, 8).again(), Beam::new(9, 8));
        let beam = Beam::new(9, 8).within(7, 5);
        assert_eq!(beam.again(), Beam::new(9, 8).within(19, 5));
        let effort = Beams::new(vec![
            Beam::new(1, 1).within(10, 5),
            Beam::new(1, 1).within(2, 1),
        ]);
        for (stages, nodes) in [(0, 0), (1, 15), (2, 18), (4, 24)] {
            assert_eq!(effort.most_nodes(stages), Some(3 * nodes));
        }
        let unlimited = Beams::new(vec![Beam::new(1, 1).within(10, 5), Beam::new(1, 1)]);
        assert_eq!(unlimited.most_nodes(1), Some(3 * 15));
        assert_eq!(unlimited.most_nodes(2), None);
        let huge = Beams::new(vec![Beam::new(1, 1).within(u64::MAX, 1)]);
        assert_eq!(huge.most_nodes(2), Some(u64::MAX));
    }
}
