//! The name of the method, and the turns of its stages.

use crate::search::{AxisFreedom, Freedom};

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
