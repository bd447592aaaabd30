//! An ordered list of stages.

use rayon::prelude::*;

use crate::cube::Metric;

use super::five::five_stages;
use super::space::{Space, StageError};
use super::spec::StageSpec;

/// Stages that lead from any state to the solved cube, each worked out for the same metric.
pub struct Chain {
    /// The stages in order.
    pub stages: Vec<Space>,
    /// The metric of all of them.
    pub metric: Metric,
}

impl Chain {
    /// Works out stages, on all cores. Half a second of work for the five stages.
    ///
    /// # Errors
    ///
    /// If a declaration is unsound.
    pub fn new(specs: Vec<StageSpec>, metric: Metric) -> Result<Chain, StageError> {
        let stages = specs.into_par_iter().map(|spec| Space::new(spec, metric));
        Ok(Chain {
            stages: stages.collect::<Result<_, _>>()?,
            metric,
        })
    }

    /// The five stages in a metric.
    ///
    /// # Errors
    ///
    /// None in practice: the declarations are sound, which tests assert.
    pub fn five_stages(metric: Metric) -> Result<Chain, StageError> {
        Chain::new(five_stages(), metric)
    }
}
