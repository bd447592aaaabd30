//! Thistlethwaite's four phases, for cubes with paired wings and solved centers: a 4x4x4 cube that is turned
//! like a 3x3x3 cube, by its outer layers.
//!
//! For analysis. Figure 3 of Weed's paper shows the phases. It has 1,024 positions for the first one, but there
//! are 2^11 = 2,048 flips, and only then the product of all phases is 4.33·10^19. The order of axes differs
//! here: first x is restricted to half turns, then z, then y.

use cube444::cube::{Action, Axis, Symmetry};
use cube444::method::coordinates::{CornerArrangement, CornerCoset, CornerTwist};
use cube444::method::symmetries::{keeping_axis, keeping_every_axis};
use cube444::method::{AxisTurns, ChainSpec, Expected, MoveSet, StageSpec};

use super::coord::edges::{EdgeArrangement, EdgeFlip, EdgePlaces};

/// The method's name.
const NAME: &str = "thistlethwaite";
/// Outer layers by quarter turns.
const FACES: AxisTurns = AxisTurns::FACES;
/// Outer layers by half turns.
const HALF: AxisTurns = AxisTurns::HALF_FACES;

/// The method.
pub(super) fn chain() -> ChainSpec {
    ChainSpec::new(NAME, stages().map(Into::into).into())
}

/// The phases in order.
pub(crate) fn stages() -> [StageSpec; 4] {
    [
        StageSpec::new(
            NAME,
            "oriented-edges",
            "edges not flipped",
            MoveSet([FACES; 3]),
            EdgeFlip { axis: Axis::X },
            Expected::new(1, 2_048),
        )
        .with(|stage| {
            stage.symmetries = keeping_axis(Axis::X).map(Action::conjugation).collect();
        }),
        StageSpec::new(
            NAME,
            "oriented-corners",
            "corners oriented to the U-D axis, and the edges along it in its middle layer",
            MoveSet([HALF, FACES, FACES]),
            EdgePlaces::new(Axis::Y, None),
            Expected::new(1, 495 * 2_187),
        )
        .with(|stage| {
            stage.second = Some(Box::new(CornerTwist));
            stage.symmetries = keeping_every_axis().map(Action::conjugation).collect();
        }),
        StageSpec::new(
            NAME,
            "half-turn-group",
            "corners, and the edges of each middle layer, in places that half turns can solve",
            MoveSet([HALF, FACES, HALF]),
            CornerCoset,
            Expected::new(1, 420 * 70),
        )
        .with(|stage| {
            stage.second = Some(Box::new(EdgePlaces::new(Axis::X, Some(Axis::Y))));
            stage.symmetries = keeping_axis(Axis::Y).map(Action::conjugation).collect();
        }),
        // Corners and edges must have equal parity, and corners are even here.
        StageSpec::new(
            NAME,
            "solved",
            "solved",
            MoveSet([HALF; 3]),
            CornerArrangement,
            Expected::new(1, 96 * 13_824 / 2),
        )
        .with(|stage| {
            stage.second = Some(Box::new(EdgeArrangement));
            stage.symmetries = Symmetry::all().map(Action::conjugation).collect();
        }),
    ]
}
