//! Distance distributions of whole stages.

use scramble444::stage::{Projection, ProjectionGraph, Space};
use scramble444::table::{Distribution, build};

use super::tables::alone;

/// The distribution of a stage's first component, as the builder finds it in its coordinates.
pub(crate) fn distribution(space: &Space) -> Distribution {
    let _alone = alone();
    let graph = ProjectionGraph::new(space, 0, Projection::Whole);
    build(&graph, &|_| ()).unwrap().1
}
