//! The five stages of Norskog, as refined by Gallet; see `docs/maths.md`.

use crate::coord::Coordinate;
use crate::coord::centers::{CenterArrangement, CenterPairing, CenterPlaces};
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::wing_pairs::WingPairCoset;
use crate::coord::wings::{WingArrangement, WingCoset, WingHands, WingPlaces};
use crate::cube::{Action, Axis, Symmetry};
use crate::stage::{
    AxisFreedom, Beam, ChainSpec, ComponentSpec, Expected, Freedom, Projection, Raw, StageSpec,
    Turns,
};

use super::symmetries::{
    acting_on_places, half_rotations, keeping_axis, keeping_every_axis, quarter_about,
};

/// The method's name.
const NAME: &str = "five-stage";

/// Outer layers by half turns, inner ones by quarter turns.
const INNER: AxisFreedom = AxisFreedom {
    outer: Turns::Half,
    inner: Turns::Quarter,
};
/// What stage 2 may turn, about x, y and z.
const FREEDOM_2: Freedom = Freedom([INNER, AxisFreedom::ANY, INNER]);

/// The method.
pub(super) fn chain() -> ChainSpec {
    ChainSpec {
        name: NAME,
        stages: vec![
            orient_corners(),
            place_fb_centers(),
            place_lr_centers(),
            half_turn_group(),
            solve(),
        ],
        efforts: EFFORTS.map(beams).to_vec(),
    }
}

/// Candidates and beam widths of stages 1 to 4, by level. How they were chosen, and what they give,
/// is in `docs/search.md`.
const EFFORTS: [[(usize, usize); 4]; 10] = [
    [(1_000, 100), (100, 100), (200, 100), (700, 100)],
    [(3_000, 200), (500, 200), (1_000, 200), (3_000, 400)],
    [(6_000, 200), (1_000, 200), (2_000, 200), (6_000, 400)],
    [(12_000, 200), (2_000, 200), (4_000, 200), (12_000, 400)],
    [(20_000, 300), (4_000, 300), (8_000, 300), (20_000, 400)],
    [(30_000, 500), (8_000, 500), (16_000, 500), (30_000, 400)],
    [
        (60_000, 1_000),
        (16_000, 1_000),
        (32_000, 1_000),
        (60_000, 400),
    ],
    [
        (130_000, 1_000),
        (40_000, 1_000),
        (80_000, 1_000),
        (130_000, 400),
    ],
    [
        (300_000, 2_000),
        (100_000, 2_000),
        (200_000, 2_000),
        (300_000, 400),
    ],
    [
        (900_000, 2_000),
        (300_000, 2_000),
        (500_000, 2_000),
        (800_000, 400),
    ],
];

fn beams(level: [(usize, usize); 4]) -> Vec<Beam> {
    let beams = level.map(|(candidates, width)| Beam::new(candidates, width));
    beams.to_vec()
}

/// The only component of a stage; its full profile is exact.
fn component(
    symmetry: Box<dyn Coordinate>,
    first: Raw,
    second: Box<dyn Coordinate>,
    compact: &'static [Projection],
) -> Vec<ComponentSpec> {
    vec![ComponentSpec {
        name: "all",
        symmetry,
        first,
        second: Some(second),
        compact,
        full: &[Projection::Whole],
    }]
}

fn orient_corners() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "oriented-corners",
        goal: "corners oriented to one axis, and the u- and d-layer wings in its inner layers",
        freedom: Freedom([AxisFreedom::ANY, AxisFreedom::ANY, AxisFreedom::ANY]),
        symmetries: Symmetry::all().map(acting_on_places).collect(),
        relabellings: Symmetry::thirds().to_vec(),
        premoves: 2,
        rotations: Symmetry::thirds().to_vec(),
        condition: None,
        widens: false,
        components: component(
            Box::new(WingPlaces),
            Raw::None,
            Box::new(CornerTwist),
            &[Projection::Whole],
        ),
        // C(24,8)·3^7 positions; the goal on each of three axes.
        expected: Expected {
            goals: 3,
            positions: 735_471 * 2_187,
        },
    }
}

fn place_fb_centers() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "fb-centers",
        goal: "F and B centers on the F and B (or L and R) faces in a pattern that half turns solve; \
               u- and d-layer wings in an arrangement that half turns solve",
        freedom: FREEDOM_2,
        symmetries: keeping_axis(Axis::Y).map(acting_on_places).collect(),
        relabellings: quarter_about(Axis::Y),
        premoves: 0,
        rotations: quarter_about(Axis::Y),
        condition: None,
        widens: false,
        components: component(
            Box::new(CenterPlaces::FB_ANYWHERE),
            Raw::Dependent(Box::new(CenterPairing::FB)),
            Box::new(WingCoset),
            &[Projection::First, Projection::Second],
        ),
        // C(24,8)·35·420 positions; 6 center pairings on either pair of faces.
        expected: Expected {
            goals: 12,
            positions: 735_471 * 35 * 420,
        },
    }
}

fn place_lr_centers() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "lr-centers",
        goal: "L and R centers on the L and R faces in a pattern that half turns solve; U- and \
               D-layer wings in their own orbits, in an even permutation",
        freedom: Freedom([AxisFreedom::HALF, AxisFreedom::OUTER, INNER]),
        symmetries: keeping_every_axis().map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: vec![Symmetry::IDENTITY],
        condition: None,
        widens: false,
        components: component(
            Box::new(CenterPlaces::LR_OFF_FB),
            Raw::Dependent(Box::new(CenterPairing::LR)),
            Box::new(WingHands),
            &[Projection::First, Projection::Second],
        ),
        // C(16,8)·35·C(16,8)·2 positions; 6 center pairings.
        expected: Expected {
            goals: 6,
            positions: 12_870 * 35 * 25_740,
        },
    }
}

fn half_turn_group() -> StageSpec {
    StageSpec {
        method: NAME,
        name: "half-turn-group",
        goal: "corners, U and D centers and U- and D-layer wings in arrangements that half turns \
               solve",
        freedom: Freedom([AxisFreedom::HALF, AxisFreedom::OUTER, AxisFreedom::HALF]),
        symmetries: keeping_axis(Axis::Y).map(Action::conjugation).collect(),
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 1,
        rotations: vec![Symmetry::IDENTITY],
        condition: None,
        widens: false,
        components: component(
            Box::new(WingPairCoset),
            Raw::Independent(Box::new(CenterPairing::DU)),
            Box::new(CornerCoset),
            &[Projection::Whole],
        ),
        // 88,200·35·420 positions; 6 center pairings.
        expected: Expected {
            goals: 6,
            positions: 88_200 * 35 * 420,
        },
    }
}

fn solve() -> StageSpec {
    let mut symmetries = Vec::new();
    for rotation in half_rotations() {
        for labels in Symmetry::all() {
            symmetries.push(Action::new(rotation.then(labels), labels));
        }
    }
    StageSpec {
        method: NAME,
        name: "solved",
        goal: "solved",
        freedom: Freedom::HALF,
        symmetries,
        relabellings: vec![Symmetry::IDENTITY],
        premoves: 0,
        rotations: half_rotations(),
        condition: None,
        widens: false,
        components: component(
            Box::new(WingArrangement),
            Raw::Independent(Box::new(CornerArrangement)),
            Box::new(CenterArrangement),
            &[Projection::Second, Projection::First],
        ),
        // 96³·96·12³ positions; solved in four orientations.
        expected: Expected {
            goals: 4,
            positions: 884_736 * 96 * 1_728,
        },
    }
}
