//! The two phases as declared stages.

use super::super::declaration::{NAME, SUBGROUP, THREE_BY_THREE};
use crate::coord::corners::{CornerPermutation, CornerTwist};
use crate::coord::edges::{EdgePermutation, FlipSlice};
use crate::cube::{Action, Axis, Metric};
use crate::method::symmetries::keeping_axis;
use crate::search::Freedom;
use crate::stage::{Expected, Space, StageError, StageSpec};

/// The first phase leads to a cube that the second phase can solve.
fn phase_one() -> StageSpec {
    let expected = Expected {
        goals: 1,
        positions: 1_013_760 * 2_187,
    };
    let goal = "in the subgroup of quarter turns of U and D and half turns of other faces";
    StageSpec::new(NAME, "phase-one", goal, THREE_BY_THREE, FlipSlice, expected)
        .with_second(CornerTwist)
        .with_symmetries(keeping_axis(Axis::Y).map(Action::conjugation))
}

/// The second phase without the four edges along y.
fn phase_two() -> StageSpec {
    let expected = Expected {
        goals: 1,
        positions: 40_320 * 40_320,
    };
    let goal = "corners and the eight edges of U and D in their places";
    let corners = CornerPermutation;
    StageSpec::new(NAME, "phase-two", goal, SUBGROUP, corners, expected)
        .with_second(EdgePermutation::Outer)
        .with_symmetries(keeping_axis(Axis::Y).map(Action::conjugation))
}

/// Both phases, each with the turns of the next one.
pub(crate) fn declared() -> [(StageSpec, Freedom); 2] {
    [(phase_one(), SUBGROUP), (phase_two(), Freedom::NONE)]
}

/// Both phases, constructed.
pub(super) fn spaces() -> Result<[Space; 2], StageError> {
    let [one, two] = declared();
    let construct = |(spec, next)| Space::new(spec, next, Metric::Obtm);
    let (one, two) = rayon::join(|| construct(one), || construct(two));
    Ok([one?, two?])
}
