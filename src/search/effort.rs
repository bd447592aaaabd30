//! How much work goes into one solution.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A level of effort, from 1 (some milliseconds a solution) to 10 (seconds, and fewer turns).
///
/// What a level means is up to the method: its declaration has a beam for each level and stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct EffortLevel(u8);

/// The number is of no level of effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a level of effort is a whole number from 1 to {}",
    EffortLevel::GREATEST
)]
pub struct UnknownEffort;

impl EffortLevel {
    /// The number of levels.
    pub const COUNT: usize = 10;
    /// The least level.
    pub const LEAST: EffortLevel = EffortLevel(1);
    /// The level of a service or command that is told nothing else.
    pub const DEFAULT: EffortLevel = EffortLevel(4);
    /// The greatest level.
    pub const GREATEST: EffortLevel = EffortLevel(EffortLevel::COUNT as u8);

    /// The level with a number from 1 to 10.
    ///
    /// # Errors
    ///
    /// If the number is not in that range.
    pub const fn new(number: u8) -> Result<EffortLevel, UnknownEffort> {
        if 1 <= number && number <= EffortLevel::GREATEST.0 {
            Ok(EffortLevel(number))
        } else {
            Err(UnknownEffort)
        }
    }

    /// The number, from 1 to 10.
    #[must_use]
    pub fn get(self) -> u8 {
        self.0
    }

    /// The place among the levels, from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl Default for EffortLevel {
    fn default() -> EffortLevel {
        EffortLevel::DEFAULT
    }
}

impl fmt::Display for EffortLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for EffortLevel {
    type Err = UnknownEffort;

    fn from_str(text: &str) -> Result<EffortLevel, UnknownEffort> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        number.ok_or(UnknownEffort).and_then(EffortLevel::new)
    }
}

impl TryFrom<u8> for EffortLevel {
    type Error = UnknownEffort;

    fn try_from(number: u8) -> Result<EffortLevel, UnknownEffort> {
        EffortLevel::new(number)
    }
}

impl From<EffortLevel> for u8 {
    fn from(level: EffortLevel) -> u8 {
        level.0
    }
}

/// The beam of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beam {
    /// Candidates to enumerate: endings of the stage, in the order of their total cost; at least 1.
    pub candidates: usize,
    /// The beam width: how many of the most promising candidates the next stage expands; at
    /// least 1.
    pub width: usize,
    /// Nodes to expand before the first candidate; `None` for as many as it takes. If there is none by
    /// then, the whole search begins anew with broader beams.
    pub patience: Option<u64>,
    /// Once a candidate has been found, nodes to expand before what has been found must do; `None`
    /// for as many as it takes. It cuts off the few states on which a stage takes long.
    pub nodes: Option<u64>,
}

impl Beam {
    /// A beam without a limit of nodes.
    #[must_use]
    pub const fn new(candidates: usize, width: usize) -> Beam {
        Beam {
            candidates,
            width,
            patience: None,
            nodes: None,
        }
    }

    /// The same beam with limits of nodes, before the first candidate and after it.
    #[must_use]
    pub const fn within(self, patience: u64, nodes: u64) -> Beam {
        Beam {
            patience: Some(patience),
            nodes: Some(nodes),
            ..self
        }
    }

    /// A beam so many times as broad, with so many times the nodes.
    pub(super) fn times(self, factor: usize) -> Beam {
        let nodes = |nodes: Option<u64>| nodes.map(|nodes| nodes.saturating_mul(factor as u64));
        Beam {
            candidates: self.candidates.saturating_mul(factor),
            width: self.width.saturating_mul(factor),
            patience: nodes(self.patience),
            nodes: nodes(self.nodes),
        }
    }

    /// The most nodes that its stage expands; `None` if there is no limit.
    pub(super) fn most_nodes(self) -> Option<u64> {
        Some(self.patience?.saturating_add(self.nodes?))
    }
}

/// How much work goes into one solution, stage by stage.
///
/// A last stage without a beam is finished as soon as one ending is found, which is then a shortest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    beams: Vec<Beam>,
}

impl Effort {
    /// An effort with a beam for each stage; a declared last stage needs none.
    #[must_use]
    pub fn new(beams: Vec<Beam>) -> Effort {
        Effort { beams }
    }

    /// The least: the first candidate of every stage.
    #[must_use]
    pub fn least() -> Effort {
        Effort::new(Vec::new())
    }

    /// The beam of a stage, counted from 0; a stage beyond those given takes its first candidate, within
    /// the limits of the last of them.
    #[must_use]
    pub fn beam(&self, stage: usize) -> Beam {
        let beyond = || Beam {
            candidates: 1,
            width: 1,
            ..self.beams.last().copied().unwrap_or(Beam::new(1, 1))
        };
        self.beams.get(stage).copied().unwrap_or_else(beyond)
    }

    /// The most nodes that a search through so many stages expands, all its attempts together; `None` if
    /// a stage has no limit.
    #[must_use]
    pub fn most_nodes(&self, stages: usize) -> Option<u64> {
        let mut nodes = (0..stages).map(|stage| self.beam(stage).most_nodes());
        let of_attempt = nodes.try_fold(0u64, |sum, nodes| Some(sum.saturating_add(nodes?)))?;
        Some(of_attempt.saturating_mul((1 << ATTEMPTS) - 1))
    }
}

/// How often a search begins, each time with beams twice as broad and twice the nodes. What has not been
/// found by then is not there.
pub(super) const ATTEMPTS: u32 = 7;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_those_from_1_to_10() {
        for number in 0..=u8::MAX {
            let level = EffortLevel::new(number);
            assert_eq!(level.is_ok(), (1..=10).contains(&number), "{number}");
            assert_eq!(number.to_string().parse(), level);
        }
        for text in ["", "four", "-1", "256", "4.0"] {
            assert_eq!(text.parse::<EffortLevel>(), Err(UnknownEffort));
        }
        assert_eq!(
            UnknownEffort.to_string(),
            "a level of effort is a whole number from 1 to 10"
        );
    }
}
