//! Chains: the stages of a method, in order.

use std::sync::Arc;

use rayon::prelude::*;

use crate::cancel::CancelFlag;
use crate::cube::Metric;
use crate::declaration::DeclarationError;

use super::effort::{Beam, Beams, Effort};
use super::move_set::MoveSet;
use super::profile::Profile;
use super::stage::{Declaration, Stage};

/// The description of a method: stages that lead from any state to the solved cube.
/// See [`method`](crate::method) for an example.
#[non_exhaustive]
pub struct ChainSpec {
    /// The method's name.
    pub name: &'static str,
    /// The stages in order.
    pub stages: Vec<Declaration>,
    /// For each effort level in order, the beams of the stages. The last stage may have none, and then ends with
    /// its first ending. Empty for a method that is for analysis only.
    pub efforts: Vec<Vec<Beam>>,
    /// The beams for the tables of [`Profile::Pocket`], with which searches take longer; empty if `efforts` are for
    /// them, too.
    pub pocket_efforts: Vec<Vec<Beam>>,
}

impl ChainSpec {
    /// A method for analysis only.
    #[must_use]
    pub fn new(name: &'static str, stages: Vec<Declaration>) -> ChainSpec {
        ChainSpec {
            name,
            stages,
            efforts: Vec::new(),
            pocket_efforts: Vec::new(),
        }
    }
}

/// A method constructed for one metric. Cheap to clone.
///
/// # Examples
///
/// ```
/// use cube444::cube::Metric;
/// use cube444::Method;
///
/// let chain = Method::FIVE_STAGE.chain(Metric::Obtm)?;
/// assert_eq!(chain.name(), "five-stage");
/// assert_eq!(chain.stages().len(), 5);
/// # Ok::<(), cube444::method::DeclarationError>(())
/// ```
#[derive(Clone, derive_more::Debug)]
#[debug("Chain({name}, {metric})")]
pub struct Chain {
    name: &'static str,
    stages: Vec<Arc<dyn Stage>>,
    efforts: Vec<Beams>,
    pocket_efforts: Vec<Beams>,
    metric: Metric,
}

impl Chain {
    /// Constructs the stages of a method on the current rayon thread pool. The five stages take half a
    /// second of CPU time.
    ///
    /// # Errors
    ///
    /// If the description of the method is wrong.
    pub fn new(spec: ChainSpec, metric: Metric) -> Result<Chain, DeclarationError> {
        let chain = Chain::unless_cancelled(spec, metric, &CancelFlag::default())?;
        Ok(chain.expect("the flag is never set"))
    }

    /// Like [`Chain::new`], but looks at a flag before each stage; `None` if it is set.
    pub(crate) fn unless_cancelled(
        spec: ChainSpec,
        metric: Metric,
        cancel: &CancelFlag,
    ) -> Result<Option<Chain>, DeclarationError> {
        let efforts = checked_efforts(&spec, &spec.efforts)?;
        let pocket_efforts = checked_efforts(&spec, &spec.pocket_efforts)?;
        for (stage, next) in spec.stages.iter().zip(spec.stages.iter().skip(1)) {
            if !next.widens && !next.move_set.is_within(&stage.move_set) {
                let fault = format!(
                    "method {}: stage {} allows turns that stage {} before it does not allow",
                    spec.name, next.name, stage.name
                );
                return Err(fault.into());
            }
        }
        let move_sets = spec.stages.iter().map(|stage| stage.move_set);
        let next: Vec<MoveSet> = move_sets.skip(1).chain([MoveSet::NONE]).collect();
        let stages = spec.stages.into_par_iter().zip(next);
        let stages = stages.map(|(stage, next)| {
            let construct = || (stage.construct)(next, metric);
            (!cancel.is_cancelled()).then(construct)
        });
        let Some(stages) = stages.collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        // Of several errors, that of the first stage.
        let stages = stages.into_iter().collect::<Result<_, DeclarationError>>();
        Ok(Some(Chain {
            name: spec.name,
            stages: stages?,
            efforts,
            pocket_efforts,
            metric,
        }))
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

    /// Whether the method has beams for the tables of [`Profile::Pocket`]. A service can then begin with these, which
    /// are quickly made.
    #[must_use]
    pub fn has_pocket_efforts(&self) -> bool {
        !self.pocket_efforts.is_empty()
    }

    /// The beams of a level with the tables of a profile; `None` if the method is for analysis only.
    #[must_use]
    pub fn beams(&self, effort: Effort, profile: Profile) -> Option<&Beams> {
        let pocket = self.pocket_efforts.get(effort.index());
        let pocket = pocket.filter(|_| profile == Profile::Pocket);
        pocket.or_else(|| self.efforts.get(effort.index()))
    }
}

/// The effort levels, checked to have a beam for each stage but the last, which may have one.
fn checked_efforts(
    spec: &ChainSpec,
    efforts: &[Vec<Beam>],
) -> Result<Vec<Beams>, DeclarationError> {
    let method = spec.name;
    let beams = spec.stages.len().checked_sub(1);
    let beams = beams.ok_or_else(|| format!("method {method} has no stages"))?;
    let levels = Effort::COUNT;
    let is_complete = efforts.is_empty() || efforts.len() == levels;
    let mut counts = efforts.iter().map(Vec::len);
    if !is_complete || !counts.all(|count| count == beams || count == beams + 1) {
        let fault = format!(
            "method {method} must have {levels} effort levels with {beams} or {} beams each, or no effort levels",
            beams + 1
        );
        return Err(fault.into());
    }
    Ok(efforts.iter().cloned().map(Beams::new).collect())
}
