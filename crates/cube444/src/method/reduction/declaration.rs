//! The name of the method, the turns of its stages, and the declaration of a stage with a special search.

use std::error::Error;
use std::sync::Arc;

use crate::cube::Metric;
use crate::search::{AxisFreedom, Declaration, Freedom, PlaceInChain, Stage};
use crate::stage::StageError;

/// The method's name.
pub(super) const NAME: &str = "reduction";

/// The turns of the first stage.
pub(super) const AXIS_CENTERS: Freedom = Freedom([AxisFreedom::ANY; 3]);
/// The turns of the second stage.
pub(super) const ALL_AXES: Freedom =
    Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::ANY]);
/// The turns of the third stage.
pub(super) const PAIR_EDGES: Freedom =
    Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
/// The turns of the last stage, and of its first phase.
pub(super) const THREE_BY_THREE: Freedom = Freedom([AxisFreedom::FACES; 3]);
/// The turns of the second phase of the last stage.
pub(super) const SUBGROUP: Freedom = Freedom([
    AxisFreedom::HALF_FACES,
    AxisFreedom::FACES,
    AxisFreedom::HALF_FACES,
]);

/// The declaration of a stage with a special search, which supports OBTM only.
pub(super) struct SpecialStage {
    pub(super) name: &'static str,
    pub(super) freedom: Freedom,
    pub(super) place: PlaceInChain,
    pub(super) widens: bool,
    pub(super) construct: fn() -> Result<Arc<dyn Stage>, StageError>,
}

impl Declaration for SpecialStage {
    fn name(&self) -> &'static str {
        self.name
    }

    fn freedom(&self) -> Freedom {
        self.freedom
    }

    fn widens(&self) -> bool {
        self.widens
    }

    fn place(&self) -> PlaceInChain {
        self.place
    }

    fn supports(&self, metric: Metric) -> bool {
        metric == Metric::Obtm
    }

    fn construct(
        self: Box<Self>,
        _: Freedom,
        _: Metric,
    ) -> Result<Arc<dyn Stage>, Box<dyn Error + Send + Sync>> {
        Ok((self.construct)()?)
    }
}
