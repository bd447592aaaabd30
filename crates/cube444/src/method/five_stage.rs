//! The five stages of Norskog, as refined by Gallet; see `docs/maths.md`.

use crate::coord::centers::{CenterArrangement, CenterPairing, CenterPlaces};
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::wing_pairs::WingPairCoset;
use crate::coord::wings::{WingArrangement, WingCoset, WingHands, WingPlaces};
use crate::cube::{Action, Axis, Symmetry};
use crate::search::{AxisFreedom, Beam, ChainSpec, Freedom, LayerTurns};
use crate::stage::{Expected, Projection, StageSpec};

use super::symmetries::{
    acting_on_places, half_rotations, keeping_axis, keeping_every_axis, quarter_about,
};

/// The method's name.
const NAME: &str = "five-stage";

/// Outer layers by half turns, inner ones by quarter turns.
const INNER: AxisFreedom = AxisFreedom {
    outer: LayerTurns::Half,
    inner: LayerTurns::Quarter,
};
/// The turns of stage 2.
const FREEDOM_2: Freedom = Freedom([INNER, AxisFreedom::ANY, INNER]);

/// The declaration of the method.
#[must_use]
pub fn chain() -> ChainSpec {
    chain_of(NAME, stages())
}

/// A method with the beams of this one.
#[must_use]
pub fn chain_of(name: &'static str, stages: [StageSpec; 5]) -> ChainSpec {
    ChainSpec {
        name,
        stages: stages.map(Into::into).into(),
        efforts: EFFORTS.map(beams).to_vec(),
        pocket_efforts: Vec::new(),
    }
}

/// The stages in order.
#[must_use]
pub fn stages() -> [StageSpec; 5] {
    [
        orient_corners(),
        place_fb_centers(),
        place_lr_centers(),
        half_turn_group(),
        solve(),
    ]
}

/// Candidates and beam widths of stages 1 to 4, by level. `docs/experiments.md` describes how they were
/// chosen.
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
    // On average a stage expands at most 4 nodes per ending, and hundreds before the first one. So only
    // exceptional searches reach these limits.
    let beams = level.map(|(candidates, width)| {
        let endings = candidates as u64;
        Beam::new(candidates, width).within(5_000 + 2 * endings, 10 * endings)
    });
    beams.to_vec()
}

/// The pruning tables of the compact profile for stages whose exact table is large.
const FIRST_AND_SECOND: &[Projection] = &[Projection::First, Projection::Second];

fn orient_corners() -> StageSpec {
    // C(24,8)·3^7 positions; one goal for each axis.
    let expected = Expected {
        goals: 3,
        positions: 735_471 * 2_187,
    };
    StageSpec::new(
        NAME,
        "oriented-corners",
        "corners oriented to one axis, and the u- and d-layer wings in its inner layers",
        Freedom([AxisFreedom::ANY; 3]),
        WingPlaces,
        expected,
    )
    .with_second(CornerTwist)
    .with_symmetries(Symmetry::all().map(acting_on_places))
    .with_relabellings(Symmetry::thirds().to_vec())
    .with_rotations(Symmetry::thirds().to_vec())
    .with_premoves(2)
}

fn place_fb_centers() -> StageSpec {
    // C(24,8)·35·420 positions; 6 center pairings on either pair of faces.
    let expected = Expected {
        goals: 12,
        positions: 735_471 * 35 * 420,
    };
    StageSpec::new(
        NAME,
        "fb-centers",
        "F and B centers on the F and B (or L and R) faces in a pattern that half turns solve; \
         u- and d-layer wings in an arrangement that half turns solve",
        FREEDOM_2,
        CenterPlaces::FB_ANYWHERE,
        expected,
    )
    .with_dependent_first(CenterPairing::FB)
    .with_second(WingCoset)
    .with_compact(FIRST_AND_SECOND)
    .with_symmetries(keeping_axis(Axis::Y).map(acting_on_places))
    .with_relabellings(quarter_about(Axis::Y))
    .with_rotations(quarter_about(Axis::Y))
}

fn place_lr_centers() -> StageSpec {
    // C(16,8)·35·C(16,8)·2 positions; 6 center pairings.
    let expected = Expected {
        goals: 6,
        positions: 12_870 * 35 * 25_740,
    };
    StageSpec::new(
        NAME,
        "lr-centers",
        "L and R centers on the L and R faces in a pattern that half turns solve; U- and \
         D-layer wings in their own orbits, in an even permutation",
        Freedom([AxisFreedom::HALF, AxisFreedom::OUTER, INNER]),
        CenterPlaces::LR_OFF_FB,
        expected,
    )
    .with_dependent_first(CenterPairing::LR)
    .with_second(WingHands)
    .with_compact(FIRST_AND_SECOND)
    .with_symmetries(keeping_every_axis().map(Action::conjugation))
}

fn half_turn_group() -> StageSpec {
    // 88,200·35·420 positions; 6 center pairings.
    let expected = Expected {
        goals: 6,
        positions: 88_200 * 35 * 420,
    };
    StageSpec::new(
        NAME,
        "half-turn-group",
        "corners, U and D centers and U- and D-layer wings in arrangements that half turns \
         solve",
        Freedom([AxisFreedom::HALF, AxisFreedom::OUTER, AxisFreedom::HALF]),
        WingPairCoset,
        expected,
    )
    .with_first(CenterPairing::DU)
    .with_second(CornerCoset)
    .with_symmetries(keeping_axis(Axis::Y).map(Action::conjugation))
    .with_premoves(1)
}

fn solve() -> StageSpec {
    // 96³·96·12³ positions; solved in four orientations.
    let expected = Expected {
        goals: 4,
        positions: 884_736 * 96 * 1_728,
    };
    let rotations = half_rotations().into_iter();
    let symmetries = rotations.flat_map(|rotation| {
        Symmetry::all().map(move |labels| Action::new(rotation.then(labels), labels))
    });
    StageSpec::new(
        NAME,
        "solved",
        "solved",
        Freedom::HALF,
        WingArrangement,
        expected,
    )
    .with_first(CornerArrangement)
    .with_second(CenterArrangement)
    .with_compact(&[Projection::Second, Projection::First])
    .with_symmetries(symmetries)
    .with_rotations(half_rotations())
}
