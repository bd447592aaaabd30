//! How much work goes into one solution.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A level of effort: 1 is the least work and gives the longest solutions, [`EffortLevel::GREATEST`]
/// is the most work and gives the shortest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct EffortLevel(u8);

/// There is no such level of effort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a level of effort is a whole number from 1 to {}",
    EffortLevel::GREATEST
)]
pub struct UnknownEffort;

impl EffortLevel {
    /// The level that is used if nothing else is asked for: 4.
    pub const DEFAULT: EffortLevel = EffortLevel(4);
    /// The greatest level: 10.
    pub const GREATEST: EffortLevel = EffortLevel(LEVELS.len() as u8);

    /// The level of a number from 1 to 10.
    ///
    /// # Errors
    ///
    /// If the number is out of that range.
    pub const fn new(level: u8) -> Result<EffortLevel, UnknownEffort> {
        if level >= 1 && level <= EffortLevel::GREATEST.0 {
            Ok(EffortLevel(level))
        } else {
            Err(UnknownEffort)
        }
    }

    /// The number, from 1 to 10.
    #[must_use]
    pub const fn get(self) -> u8 {
        self.0
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

    /// Reads digits; a sign is refused.
    fn from_str(text: &str) -> Result<EffortLevel, UnknownEffort> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let number = text.parse().ok().filter(|_| digits);
        number.ok_or(UnknownEffort).and_then(EffortLevel::new)
    }
}

impl TryFrom<u8> for EffortLevel {
    type Error = UnknownEffort;

    fn try_from(level: u8) -> Result<EffortLevel, UnknownEffort> {
        EffortLevel::new(level)
    }
}

impl From<EffortLevel> for u8 {
    fn from(level: EffortLevel) -> u8 {
        level.0
    }
}

/// How much work goes into one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageEffort {
    /// Endings to enumerate.
    pub endings: usize,
    /// The most promising of them, to be kept as starting points of the next stage; at least 1.
    pub kept: usize,
}

/// How much work goes into one solution, stage by stage.
///
/// The last stage is finished as soon as one ending is found, which is then a shortest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// For each stage but the last.
    pub stages: Vec<StageEffort>,
}

impl Effort {
    /// The least: the first ending of every stage.
    #[must_use]
    pub fn least() -> Effort {
        Effort::new([(1, 1); 4])
    }

    /// The effort of a level.
    #[must_use]
    pub fn level(level: EffortLevel) -> Effort {
        // Levels are from 1 to LEVELS.len(), so there is one of each.
        Effort::new(LEVELS[usize::from(level.get()) - 1])
    }

    fn new(stages: [(usize, usize); 4]) -> Effort {
        let stages = stages.map(|(endings, kept)| StageEffort { endings, kept });
        Effort {
            stages: stages.to_vec(),
        }
    }

    /// Of a stage; the last stage, like any beyond those given, is finished at once.
    #[must_use]
    pub fn of(&self, stage: usize) -> StageEffort {
        self.stages.get(stage).copied().unwrap_or(StageEffort {
            endings: 1,
            kept: 1,
        })
    }
}

/// Endings and kept candidates of stages 1 to 4, by level. How they were chosen, and what they give,
/// is in `docs/search.md`.
const LEVELS: [[(usize, usize); 4]; 10] = [
    [(1_000, 100), (100, 100), (200, 100), (700, 100)],
    [(3_000, 200), (500, 200), (1_000, 200), (3_000, 400)],
    [(6_000, 200), (1_000, 200), (2_000, 200), (6_000, 400)],
    [(12_000, 200), (2_000, 200), (4_000, 200), (12_000, 400)],
    [(20_000, 300), (4_000, 300), (8_000, 300), (20_000, 400)],
    [(30_000, 500), (8_000, 500), (16_000, 500), (30_000, 400)],
    [
        (60_000, 1_000),
        (16_000, 1_000),
        (32_000, 1_000),
        (60_000, 400),
    ],
    [
        (130_000, 1_000),
        (40_000, 1_000),
        (80_000, 1_000),
        (130_000, 400),
    ],
    [
        (300_000, 2_000),
        (100_000, 2_000),
        (200_000, 2_000),
        (300_000, 400),
    ],
    [
        (900_000, 2_000),
        (300_000, 2_000),
        (500_000, 2_000),
        (800_000, 400),
    ],
];

impl Default for Effort {
    /// The effort of [`EffortLevel::DEFAULT`].
    fn default() -> Effort {
        Effort::level(EffortLevel::DEFAULT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_the_whole_numbers_from_1_to_10() {
        let valid = |text: &str| text.parse().map(EffortLevel::get);
        assert_eq!(valid("1"), Ok(1));
        assert_eq!(valid("10"), Ok(10));
        for text in ["0", "11", "256", "-1", "+1", "1.5", " 1", "", "four"] {
            assert_eq!(valid(text), Err(UnknownEffort), "{text}");
        }
        let json = serde_json::to_string(&EffortLevel::DEFAULT).unwrap();
        assert_eq!(json, "4");
        assert_eq!(serde_json::from_str::<EffortLevel>("10").unwrap().get(), 10);
        let error = serde_json::from_str::<EffortLevel>("11").unwrap_err();
        let said = error.to_string();
        assert!(said.contains("a whole number from 1 to 10"), "{said}");
    }

    #[test]
    fn a_greater_level_is_more_work() {
        let work = |level: u8| -> usize {
            let effort = Effort::level(EffortLevel::new(level).unwrap());
            effort.stages.iter().map(|stage| stage.endings).sum()
        };
        assert!((1..EffortLevel::GREATEST.get()).all(|level| work(level) < work(level + 1)));
    }
}
