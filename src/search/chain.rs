//! An ordered list of stages.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use rayon::prelude::*;

use crate::cube::Metric;

use super::effort::{Beam, Effort, EffortLevel};
use super::freedom::Freedom;
use super::profile::Profile;
use super::stage::{Declaration, Place, Stage};

/// A method as data: stages that lead from the states that it takes to the solved cube.
pub struct ChainSpec {
    /// The method's name.
    pub name: &'static str,
    /// The stages in order.
    pub stages: Vec<Box<dyn Declaration>>,
    /// For each effort level in order, the beam of each stage; none of the last one, unless it can
    /// only be the last one ([`Place::Last`]). Empty for a method that is only analyzed.
    pub efforts: Vec<Vec<Beam>>,
    /// The same with the tables of [`Profile::Pocket`], with which the same beams may take longer; empty
    /// if it makes no difference.
    pub pocket_efforts: Vec<Vec<Beam>>,
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
    /// A stage that does not solve the cube is the last one.
    #[error("method {method}: stage {stage} does not solve the cube, so another must follow it")]
    LastMissing {
        /// The method.
        method: &'static str,
        /// The last stage.
        stage: &'static str,
    },
    /// A stage that solves the cube is not the last one.
    #[error("method {method}: stage {stage} solves the cube, so none can follow it")]
    LastTooEarly {
        /// The method.
        method: &'static str,
        /// The stage.
        stage: &'static str,
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
         (for the last one only if it can only be the last), or none at all"
    )]
    Efforts {
        /// The method.
        method: &'static str,
        /// The number of levels there should be.
        levels: usize,
        /// The number of beams each should have.
        beams: usize,
    },
    /// A stage does not count in the metric.
    #[error("method {method}: stage {stage} does not count in {metric}")]
    Metric {
        /// The method.
        method: &'static str,
        /// The stage.
        stage: &'static str,
        /// The metric that was asked for.
        metric: Metric,
    },
    /// A stage is declared wrongly. For a stage declared by coordinates the reason is a
    /// [`StageError`](crate::stage::StageError).
    #[error(transparent)]
    Stage(Box<dyn Error + Send + Sync>),
}

/// Stages worked out for one metric. Cheap to clone.
#[derive(Clone)]
pub struct Chain {
    name: &'static str,
    stages: Vec<Arc<dyn Stage>>,
    efforts: Vec<Effort>,
    pocket_efforts: Vec<Effort>,
    metric: Metric,
}

impl Chain {
    /// Works out a method, on all threads of the pool. Half a second of work for the five stages.
    ///
    /// # Errors
    ///
    /// If the declaration is wrong.
    pub fn new(spec: ChainSpec, metric: Metric) -> Result<Chain, ChainError> {
        let efforts = checked_efforts(&spec, &spec.efforts)?;
        let pocket_efforts = checked_efforts(&spec, &spec.pocket_efforts)?;
        check_stages(&spec, metric)?;
        let freedoms = spec.stages.iter().map(|stage| stage.freedom());
        let next: Vec<Freedom> = freedoms.skip(1).chain([Freedom::NONE]).collect();
        let stages = spec.stages.into_par_iter().zip(next);
        let stages = stages.map(|(stage, next)| stage.work_out(next, metric));
        Ok(Chain {
            name: spec.name,
            stages: stages
                .collect::<Result<_, _>>()
                .map_err(ChainError::Stage)?,
            efforts,
            pocket_efforts,
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
    pub fn stages(&self) -> &[Arc<dyn Stage>] {
        &self.stages
    }

    /// The metric of all stages.
    #[must_use]
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// Whether the tables of [`Profile::Pocket`] are smaller than those of the compact profile.
    #[must_use]
    pub fn has_pocket_tables(&self) -> bool {
        !self.pocket_efforts.is_empty()
    }

    /// How much work goes into a solution at a level with the tables of a profile; `None` if the method is
    /// only analyzed.
    #[must_use]
    pub fn effort(&self, level: EffortLevel, profile: Profile) -> Option<&Effort> {
        let pocket = match profile {
            Profile::Pocket => self.pocket_efforts.get(level.index()),
            Profile::Compact | Profile::Full => None,
        };
        pocket.or_else(|| self.efforts.get(level.index()))
    }
}

/// Checks that the stages can follow each other, and count in a metric.
fn check_stages(spec: &ChainSpec, metric: Metric) -> Result<(), ChainError> {
    let method = spec.name;
    for (number, stage) in spec.stages.iter().enumerate() {
        let is_last = number + 1 == spec.stages.len();
        let stage_name = stage.name();
        match stage.place() {
            Place::BeforeLast if is_last => {
                return Err(ChainError::LastMissing {
                    method,
                    stage: stage_name,
                });
            }
            Place::Last if !is_last => {
                return Err(ChainError::LastTooEarly {
                    method,
                    stage: stage_name,
                });
            }
            _ => {}
        }
        if !stage.counts_in(metric) {
            return Err(ChainError::Metric {
                method,
                stage: stage_name,
                metric,
            });
        }
    }
    for pair in spec.stages.windows(2) {
        if !pair[1].widens() && !pair[1].freedom().is_within(&pair[0].freedom()) {
            return Err(ChainError::Widening {
                method,
                stage: pair[0].name(),
                next: pair[1].name(),
            });
        }
    }
    Ok(())
}

/// The effort levels, which must have a beam for each stage that takes one.
fn checked_efforts(spec: &ChainSpec, efforts: &[Vec<Beam>]) -> Result<Vec<Effort>, ChainError> {
    let method = spec.name;
    let last = spec.stages.last().ok_or(ChainError::Empty { method })?;
    let beams = spec.stages.len() - usize::from(last.place() != Place::Last);
    let levels = EffortLevel::COUNT;
    let is_whole = efforts.is_empty() || efforts.len() == levels;
    if !is_whole || efforts.iter().any(|effort| effort.len() != beams) {
        return Err(ChainError::Efforts {
            method,
            levels,
            beams,
        });
    }
    Ok(efforts.iter().cloned().map(Effort::new).collect())
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.stages.iter().map(|stage| stage.name()).collect();
        f.debug_struct("Chain")
            .field("name", &self.name)
            .field("stages", &names)
            .field("metric", &self.metric)
            .finish_non_exhaustive()
    }
}
