//! Thistlethwaite's four phases, for cubes whose wings are paired and centers are solved: a 4x4x4
//! cube that is turned like a 3x3x3 one, by its outer layers alone.
//!
//! There to be analyzed. Weed's paper has the phases in its figure 3, with 1,024 for the first, but
//! 2^11 flips are 2,048, and only with those do the factors make 4.33·10^19. Phases turn the axes
//! in another order here: x is the first to be left with half turns, then z, then y.

use crate::coord::Coordinate;
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::edges::{EdgeArrangement, EdgeFlip, EdgePlaces};
use crate::cube::{Action, Axis, Symmetry};
use crate::stage::{
    AxisFreedom, ChainSpec, ComponentSpec, Expected, Freedom, Projection, Raw, StageSpec,
};

use super::symmetries::{keeping_axis, keeping_every_axis};

/// The method's name.
const NAME: &str = "thistlethwaite";

/// The method.
pub(super) fn chain() -> ChainSpec {
    let edge_flip = EdgeFlip { axis: Axis::X };
    let middle_edges = EdgePlaces {
        along: Axis::Y,
        but: None,
    };
    let outer_edges = EdgePlaces {
        along: Axis::X,
        but: Some(Axis::Y),
    };
    ChainSpec {
        name: NAME,
        stages: vec![
            stage(
                "oriented-edges",
                "edges not flipped",
                Freedom([AxisFreedom::FACES; 3]),
                keeping_axis(Axis::X).collect(),
                (Box::new(edge_flip), None),
                2_048,
            ),
            stage(
                "oriented-corners",
                "corners oriented to the U-D axis, and the edges along it in its middle layer",
                Freedom([
                    AxisFreedom::HALF_FACES,
                    AxisFreedom::FACES,
                    AxisFreedom::FACES,
                ]),
                keeping_every_axis().collect(),
                (Box::new(middle_edges), Some(Box::new(CornerTwist))),
                495 * 2_187,
            ),
            stage(
                "half-turn-group",
                "corners, and the edges of each middle layer, in places that half turns can solve",
                Freedom([
                    AxisFreedom::HALF_FACES,
                    AxisFreedom::FACES,
                    AxisFreedom::HALF_FACES,
                ]),
                keeping_axis(Axis::Y).collect(),
                (Box::new(CornerCoset), Some(Box::new(outer_edges))),
                420 * 70,
            ),
            // Corners and edges must have equal parity, and corners are even here.
            stage(
                "solved",
                "solved",
                Freedom([AxisFreedom::HALF_FACES; 3]),
                Symmetry::all().collect(),
                (Box::new(CornerArrangement), Some(Box::new(EdgeArrangement))),
                96 * 13_824 / 2,
            ),
        ],
        efforts: Vec::new(),
    }
}

type Coordinates = (Box<dyn Coordinate>, Option<Box<dyn Coordinate>>);

fn stage(
    name: &'static str,
    goal: &'static str,
    freedom: Freedom,
    symmetries: Vec<Symmetry>,
    (symmetry, second): Coordinates,
    positions: u64,
) -> StageSpec {
    StageSpec {
        method: NAME,
        name,
        goal,
        freedom,
        symmetries: symmetries.into_iter().map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: vec![Symmetry::IDENTITY],
        condition: None,
        widens: false,
        components: vec![ComponentSpec {
            name: "all",
            symmetry,
            first: Raw::None,
            second,
            compact: &[Projection::Whole],
            full: &[Projection::Whole],
        }],
        expected: Expected {
            goals: 1,
            positions,
        },
    }
}
