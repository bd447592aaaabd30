//! The declared stages for the tests of all methods.

use crate::search::MoveSet;
use crate::stage::StageSpec;

use super::{all_axes, axis_centers, three_by_three};

/// The declared stages, including those inside the last stage, each with the turns of the next one.
pub(in crate::method) fn declared_stages() -> Vec<(StageSpec, MoveSet)> {
    let mut stages = vec![(axis_centers(), all_axes::MOVES)];
    stages.extend(three_by_three::declared());
    stages
}
