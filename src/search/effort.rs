//! How much work goes into one solution.

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
    /// The level that the service uses if it is told nothing else.
    pub const DEFAULT_LEVEL: u8 = 4;
    /// The greatest level.
    pub const GREATEST_LEVEL: u8 = LEVELS.len() as u8;

    /// The least: the first ending of every stage.
    #[must_use]
    pub fn least() -> Effort {
        Effort::new([(1, 1); 4])
    }

    /// The effort of a level from 1 to [`Effort::GREATEST_LEVEL`]; others are taken for the nearest.
    #[must_use]
    pub fn level(level: u8) -> Effort {
        Effort::new(LEVELS[level.clamp(1, Effort::GREATEST_LEVEL) as usize - 1])
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
    /// The effort of [`Effort::DEFAULT_LEVEL`].
    fn default() -> Effort {
        Effort::level(Effort::DEFAULT_LEVEL)
    }
}
