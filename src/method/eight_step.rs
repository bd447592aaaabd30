//! Tsai's eight steps, as Weed tells them: four that reduce the cube to a 3x3x3 one, and then
//! Thistlethwaite's four phases; see `docs/maths.md`.
//!
//! There to be analyzed and compared. What outer turns before the state would change does not matter
//! before the fifth step, and coordinates leave it out: which edges are paired up is free.

use crate::coord::Coordinate;
use crate::coord::center_columns::CenterColumns;
use crate::coord::centers::{CenterPairing, CenterPlaces};
use crate::coord::corners::CornerParity;
use crate::coord::edge_pairing::{EdgePairing, can_be_paired, middle_is_paired};
use crate::coord::wing_parity::WingParity;
use crate::cube::{Action, Axis, Symmetry};
use crate::stage::{
    AxisFreedom, Beam, ChainSpec, ComponentSpec, Expected, Freedom, Projection, Raw, StageSpec,
};

use super::symmetries::{
    acting_on_places, half_rotations, keeping_axis, keeping_every_axis, quarter_about,
};
use super::thistlethwaite;

/// The method's name.
const NAME: &str = "eight-step";

/// The method.
pub(super) fn chain() -> ChainSpec {
    let mut stages = vec![place_lr_centers(), place_all_centers(), line_up(), reduce()];
    let mut rest = thistlethwaite::chain().stages;
    rest[0].widens = true;
    stages.append(&mut rest);
    ChainSpec {
        name: NAME,
        stages,
        efforts: EFFORTS.map(beams).to_vec(),
    }
}

/// Candidates of the steps but the last, by level; a third of them are kept. The first level takes the
/// first shortest way through each step, as Weed's planner does. The third step takes most of the time:
/// few ways through it are cheap to find.
const EFFORTS: [[usize; 7]; 10] = [
    [1, 1, 1, 1, 1, 1, 1],
    [30, 5, 1, 100, 100, 300, 1_000],
    [100, 15, 3, 300, 300, 1_000, 3_000],
    [300, 30, 6, 1_000, 1_000, 3_000, 10_000],
    [300, 60, 15, 1_000, 1_000, 3_000, 10_000],
    [1_000, 100, 30, 3_000, 3_000, 10_000, 30_000],
    [1_000, 200, 60, 10_000, 3_000, 10_000, 30_000],
    [3_000, 500, 150, 10_000, 10_000, 30_000, 100_000],
    [3_000, 1_000, 300, 30_000, 10_000, 30_000, 100_000],
    [10_000, 3_000, 1_000, 100_000, 30_000, 100_000, 300_000],
];

fn beams(level: [usize; 7]) -> Vec<Beam> {
    let beams = level.map(|candidates| Beam::new(candidates, candidates.div_ceil(3)));
    beams.to_vec()
}

/// The only component of a step.
fn component(
    symmetry: impl Coordinate + 'static,
    first: Raw,
    second: Option<Box<dyn Coordinate>>,
) -> Vec<ComponentSpec> {
    vec![ComponentSpec {
        name: "all",
        symmetry: Box::new(symmetry),
        first,
        second,
        compact: &[Projection::Whole],
        full: &[Projection::Whole],
    }]
}

fn place_lr_centers() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "lr-centers",
        goal: "L and R centers on the faces of one axis",
        freedom: Freedom([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]),
        symmetries: Symmetry::all().map(acting_on_places).collect(),
        relabellings: Symmetry::thirds().to_vec(),
        premoves: 0,
        rotations: Symmetry::thirds().to_vec(),
        condition: None,
        widens: false,
        components: component(CenterPlaces::LR_ANYWHERE, Raw::None, None),
        // C(24,8) positions; the goal on each of three axes.
        expected: Expected {
            goals: 3,
            positions: 735_471,
        },
    }
}

fn place_all_centers() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "all-centers",
        goal: "all centers on the faces of their axes, L and R centers in a pattern that half turns \
               solve; wings such that they can be paired up without quarter turns of inner layers",
        freedom: Freedom([AxisFreedom::ANY, AxisFreedom::OUTER, AxisFreedom::OUTER]),
        symmetries: keeping_axis(Axis::X).map(acting_on_places).collect(),
        relabellings: quarter_about(Axis::X),
        premoves: 0,
        rotations: quarter_about(Axis::X),
        condition: Some(can_be_paired),
        widens: false,
        components: component(
            CenterPlaces::DU_OFF_LR,
            Raw::Independent(Box::new(CenterPairing::LR)),
            Some(Box::new(WingParity)),
        ),
        // C(16,8)·35·2 positions; 6 center pairings, with the D and U centers on either axis.
        expected: Expected {
            goals: 12,
            positions: 12_870 * 35 * 2,
        },
    }
}

fn line_up() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "columns",
        goal: "L, R, F and B centers in columns; four edges paired up in the middle layers between \
               U and D",
        freedom: Freedom([AxisFreedom::HALF, AxisFreedom::OUTER, AxisFreedom::OUTER]),
        symmetries: keeping_every_axis().map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: vec![Symmetry::IDENTITY],
        condition: Some(middle_is_paired),
        widens: false,
        components: component(
            CenterPairing::FB,
            Raw::Independent(Box::new(CenterPairing::LR)),
            None,
        ),
        // 35 pairings of F and B centers, and the 6 of L and R centers that half turns make; 3 and 3
        // of them are columns.
        expected: Expected {
            goals: 9,
            positions: 35 * 6,
        },
    }
}

fn reduce() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "reduced",
        goal: "centers solved and all edges paired up, with corners and edges of equal parity: \
               reduced to a 3x3x3 cube",
        freedom: Freedom([AxisFreedom::HALF, AxisFreedom::FACES, AxisFreedom::HALF]),
        symmetries: keeping_axis(Axis::Y).map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: half_rotations(),
        condition: None,
        widens: false,
        components: component(
            EdgePairing,
            Raw::Independent(Box::new(CornerParity)),
            Some(Box::new(CenterColumns)),
        ),
        // 8!/2 matchings, 2 parities of edges and 2 of corners, 70·6·6 center patterns; solved in four
        // orientations, with both parities even or both odd.
        expected: Expected {
            goals: 8,
            positions: 20_160 * 2 * 2 * 2_520,
        },
    }
}
