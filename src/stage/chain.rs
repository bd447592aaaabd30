//! An ordered list of stages.

use std::fmt;

use rayon::prelude::*;

use crate::cube::Metric;

use super::custom::CustomStage;
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

/// A method whose stages bring their own positions, tables and search. They count in outer block
/// turns.
pub struct CustomChain {
    /// The method's name.
    pub name: &'static str,
    /// The stages in order. The last one is a [`CustomSearch::Finish`](super::CustomSearch::Finish),
    /// and no other.
    pub stages: Vec<Box<dyn CustomStage>>,
    /// For each effort level in order, the beam of each stage.
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
    /// A stage may turn what the stage before it may not, and does not say so.
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
        "method {method} must give {levels} effort levels with {beams} beams each, one for each stage \
         (for the last one only if it is a custom one), or none at all"
    )]
    Efforts {
        /// The method.
        method: &'static str,
        /// The number of levels there should be.
        levels: usize,
        /// The number of beams each should have.
        beams: usize,
    },
    /// The stages count in outer block turns.
    #[error("method {method} counts in {} only, not in {metric}", Metric::Obtm)]
    Metric {
        /// The method.
        method: &'static str,
        /// The metric that was asked for.
        metric: Metric,
    },
    /// A stage is declared wrongly.
    #[error(transparent)]
    Stage(#[from] StageError),
}

/// Stages worked out for one metric.
pub struct Chain {
    name: &'static str,
    /// The declared stages, or none.
    stages: Vec<Space>,
    /// The custom stages, or none.
    custom: Vec<Box<dyn CustomStage>>,
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
            if !pair[1].widens && !pair[1].freedom.is_within(&pair[0].freedom) {
                return Err(ChainError::Widening {
                    method,
                    stage: pair[0].name,
                    next: pair[1].name,
                });
            }
        }
        let efforts = efforts(method, spec.efforts, spec.stages.len() - 1)?;
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
            custom: Vec::new(),
            efforts,
            metric,
        })
    }

    /// A chain of custom stages.
    ///
    /// # Errors
    ///
    /// If there are no stages, or the effort levels do not fit them.
    pub fn of_custom(chain: CustomChain) -> Result<Chain, ChainError> {
        let method = chain.name;
        if chain.stages.is_empty() {
            return Err(ChainError::Empty { method });
        }
        Ok(Chain {
            name: method,
            stages: Vec::new(),
            efforts: efforts(method, chain.efforts, chain.stages.len())?,
            custom: chain.stages,
            metric: Metric::Obtm,
        })
    }

    /// The method's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The declared stages in order; none if the stages are custom ones.
    #[must_use]
    pub fn stages(&self) -> &[Space] {
        &self.stages
    }

    /// The custom stages in order; none if the stages are declared ones.
    #[must_use]
    pub fn custom_stages(&self) -> &[Box<dyn CustomStage>] {
        &self.custom
    }

    /// The names of all stages in order, at least one.
    pub fn stage_names(&self) -> impl Iterator<Item = &'static str> {
        let declared = self.stages.iter().map(Space::name);
        declared.chain(self.custom.iter().map(|stage| stage.name()))
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

/// Effort levels with so many beams each.
fn efforts(
    method: &'static str,
    efforts: Vec<Vec<Beam>>,
    beams: usize,
) -> Result<Vec<Effort>, ChainError> {
    let levels = EffortLevel::COUNT;
    let is_whole = efforts.is_empty() || efforts.len() == levels;
    if !is_whole || efforts.iter().any(|effort| effort.len() != beams) {
        return Err(ChainError::Efforts {
            method,
            levels,
            beams,
        });
    }
    Ok(efforts.into_iter().map(Effort::new).collect())
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain")
            .field("name", &self.name)
            .field("stages", &self.stage_names().collect::<Vec<_>>())
            .field("metric", &self.metric)
            .finish_non_exhaustive()
    }
}
