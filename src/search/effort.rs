//! How much work goes into one solution.

/// How much work goes into one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StageEffort {
    /// Endings to enumerate.
    pub endings: usize,
    /// The most promising of them, to be kept as starting points of the next stage.
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

impl Default for Effort {
    /// What the service uses: about 48.5 moves.
    fn default() -> Effort {
        Effort::new([(4_000, 200), (500, 200), (900, 200), (4_000, 400)])
    }
}
