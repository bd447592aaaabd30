//! The name of the method, and what each stage may turn.

use crate::search::{AxisFreedom, Freedom};

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
