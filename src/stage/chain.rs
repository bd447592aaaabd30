//! An ordered list of stages.

use rayon::prelude::*;

use crate::cube::Metric;

use super::effort::{Beam, Effort, EffortLevel};
use super::freedom::Freedom;
use super::space::{Space, StageError};
use super::spec::StageSpec;

/// A method as data: stages that lead from the states that it takes to the solved cube.
pub struct ChainSpec {
    /// The method's name.
    pub name: &'static str,
    /// The stages in order.
    pub stages: Vec<StageSpec>,
    /// For each effort level in order, the beam of each stage but the last. Empty for a method that
    /// is there to be analyzed only.
    pub efforts: Vec<Vec<Beam>>,
}

/// A method that cannot be worked out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChainError {
    /// There is no stage.
    #[error("method {method} has no stages")]
    Empty {
        /// The method.
        method: &'static str,
    },
    /// A stage may turn what the stage before it may not.
    #[error("method {method}: stage {next} may make turns that stage {stage} before it may not")]
    Widening {
        /// The method.
        method: &'static str,
        /// The stage that may turn less.
        stage: &'static str,
        /// The stage after it.
        next: &'static str,
    },
    /// The effort levels do not fit the stages.
    #[error(
        "method {method} must give {levels} effort levels with a beam for each of its {beams} \
         stages but the last, or none at all"
    )]
    Efforts {
        /// The method.
        method: &'static str,
        /// The number of levels there should be.
        levels: usize,
        /// The number of beams each should have.
        beams: usize,
    },
    /// A stage is declared wrongly.
    #[error(transparent)]
    Stage(#[from] StageError),
}

/// Stages worked out for one metric.
#[derive(Debug)]
pub struct Chain {
    name: &'static str,
    stages: Vec<Space>,
    efforts: Vec<Effort>,
    metric: Metric,
}

impl Chain {
    /// Works out a method, on all cores. Half a second of work for the five stages.
    ///
    /// # Errors
    ///
    /// What is wrong with the declaration.
    pub fn new(spec: ChainSpec, metric: Metric) -> Result<Chain, ChainError> {
        let method = spec.name;
        if spec.stages.is_empty() {
            return Err(ChainError::Empty { method });
        }
        for pair in spec.stages.windows(2) {
            if !pair[1].freedom.is_within(&pair[0].freedom) {
                return Err(ChainError::Widening {
                    method,
                    stage: pair[0].name,
                    next: pair[1].name,
                });
            }
        }
        let (levels, beams) = (EffortLevel::COUNT, spec.stages.len() - 1);
        let is_whole = spec.efforts.is_empty() || spec.efforts.len() == levels;
        if !is_whole || spec.efforts.iter().any(|effort| effort.len() != beams) {
            return Err(ChainError::Efforts {
                method,
                levels,
                beams,
            });
        }
        let next: Vec<Freedom> = spec.stages[1..]
            .iter()
            .map(|stage| stage.freedom)
            .chain([Freedom::NONE])
            .collect();
        let stages = spec
            .stages
            .into_par_iter()
            .zip(next)
            .map(|(stage, next)| Space::new(stage, next, metric));
        Ok(Chain {
            name: method,
            stages: stages.collect::<Result<_, _>>()?,
            efforts: spec.efforts.into_iter().map(Effort::new).collect(),
            metric,
        })
    }

    /// The method's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The stages in order, at least one.
    #[must_use]
    pub fn stages(&self) -> &[Space] {
        &self.stages
    }

    /// The metric of all stages.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// How much work goes into a solution at a level; `None` if the method is there to be analyzed
    /// only.
    #[must_use]
    pub fn effort(&self, level: EffortLevel) -> Option<&Effort> {
        self.efforts.get(level.index())
    }
}
