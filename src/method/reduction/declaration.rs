//! The name of the method, what each stage may turn, and how a stage with a search of its own is declared.

use std::error::Error;
use std::sync::Arc;

use crate::cube::Metric;
use crate::search::{AxisFreedom, Declaration, Freedom, Place, Stage};
use crate::stage::StageError;

/// The method's name.
pub(super) const NAME: &str = "reduction";

/// What the first stage may turn.
pub(super) const AXIS_CENTERS: Freedom = Freedom([AxisFreedom::ANY; 3]);
/// What the second stage may turn.
pub(super) const ALL_AXES: Freedom =
    Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::ANY]);
/// What the third stage may turn.
pub(super) const PAIR_EDGES: Freedom =
    Freedom([AxisFreedom::OUTER, AxisFreedom::OUTER, AxisFreedom::HALF]);
/// What the last stage may turn, and its first phase.
pub(super) const THREE_BY_THREE: Freedom = Freedom([AxisFreedom::FACES; 3]);
/// What the second phase of the last stage may turn.
pub(super) const SUBGROUP: Freedom = Freedom([
    AxisFreedom::HALF_FACES,
    AxisFreedom::FACES,
    AxisFreedom::HALF_FACES,
]);

/// A stage with a search of its own, which counts in outer block turns.
pub(super) struct Special {
    pub(super) name: &'static str,
    pub(super) freedom: Freedom,
    pub(super) place: Place,
    pub(super) widens: bool,
    pub(super) construct: fn() -> Result<Arc<dyn Stage>, StageError>,
}

impl Declaration for Special {
    fn name(&self) -> &'static str {
        self.name
    }

    fn freedom(&self) -> Freedom {
        self.freedom
    }

    fn widens(&self) -> bool {
        self.widens
    }

    fn place(&self) -> Place {
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
