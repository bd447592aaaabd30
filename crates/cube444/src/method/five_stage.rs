//! The five stages of Norskog, as refined by Gallet; see `docs/maths.md`.

use crate::coord::centers::{CenterArrangement, CenterPairing, CenterPlaces};
use crate::coord::corners::{CornerArrangement, CornerCoset, CornerTwist};
use crate::coord::wing_pairs::WingPairCoset;
use crate::coord::wings::{WingArrangement, WingCoset, WingHands, WingPlaces};
use crate::cube::{Action, Axis, Symmetry};
use crate::search::{AxisTurns, Beam, ChainSpec, LayerTurns, MoveSet};
use crate::stage::{Expected, Projection, Raw, StageSpec};

use super::symmetries::{
    acting_on_places, half_rotations, keeping_axis, keeping_every_axis, quarter_about,
};

/// The method's name.
const NAME: &str = "five-stage";

/// Outer layers by half turns, inner ones by quarter turns.
const INNER: AxisTurns = AxisTurns {
    outer: LayerTurns::Half,
    inner: LayerTurns::Quarter,
};

/// The declaration of the method.
#[must_use]
pub fn chain() -> ChainSpec {
    chain_of(NAME, stages())
}

/// A method with the beams of this one.
#[must_use]
pub fn chain_of(name: &'static str, stages: [StageSpec; 5]) -> ChainSpec {
    let mut method = ChainSpec::new(name, stages.map(Into::into).into());
    method.efforts = EFFORTS.map(beams).to_vec();
    method
}

/// The stages in order.
#[must_use]
pub fn stages() -> [StageSpec; 5] {
    [
        orient_corners(),
        place_fb_centers(),
        place_lr_centers(),
        half_turn_group(),
        solved(),
    ]
}

/// The beams by level. `crates/cube444-lab/docs/experiments.md` describes how they were chosen.
const EFFORTS: [([usize; 4], usize, usize); 10] = [
    // (endings of stages 1 to 4, width of stages 1 to 3, width of stage 4)
    ([650, 150, 250, 850], 60, 100),
    ([2_000, 800, 1_000, 3_500], 150, 400),
    ([4_200, 1_900, 1_900, 6_400], 200, 400),
    ([8_500, 4_000, 3_600, 12_500], 200, 400),
    ([14_000, 7_000, 7_000, 22_000], 300, 400),
    ([23_000, 11_000, 13_000, 33_000], 500, 400),
    ([50_000, 18_000, 26_000, 66_000], 1_000, 400),
    ([60_000, 80_000, 70_000, 160_000], 1_000, 400),
    ([150_000, 170_000, 140_000, 360_000], 2_000, 400),
    ([450_000, 520_000, 420_000, 1_000_000], 2_000, 400),
];

fn beams((endings, width, last): ([usize; 4], usize, usize)) -> Vec<Beam> {
    // On average a stage expands at most 4 nodes per ending, and hundreds before the first one. So only
    // exceptional searches reach these limits.
    let widths = [width, width, width, last];
    let beam = |(endings, width)| {
        let count = endings as u64;
        Beam::new(endings, width).within(20_000 + 2 * count, 10 * count)
    };
    endings.into_iter().zip(widths).map(beam).collect()
}

/// The pruning tables of the smaller profiles for stages whose exact table is large.
const FIRST_AND_SECOND: &[Projection] = &[Projection::First, Projection::Second];

fn orient_corners() -> StageSpec {
    StageSpec {
        second: Some(Box::new(CornerTwist)),
        symmetries: Symmetry::all().map(acting_on_places).collect(),
        relabelings: Symmetry::thirds().to_vec(),
        rotations: Symmetry::thirds().to_vec(),
        premoves: 2,
        ..StageSpec::new(
            NAME,
            "oriented-corners",
            "corners oriented to one axis, and the u- and d-layer wings in its inner layers",
            MoveSet([AxisTurns::ANY; 3]),
            WingPlaces,
            // C(24,8)·3^7 positions; one goal for each axis.
            Expected::new(3, 735_471 * 2_187),
        )
    }
}

fn place_fb_centers() -> StageSpec {
    StageSpec {
        first: Raw::Dependent(Box::new(CenterPairing::FB)),
        second: Some(Box::new(WingCoset)),
        compact: FIRST_AND_SECOND,
        symmetries: keeping_axis(Axis::Y).map(acting_on_places).collect(),
        relabelings: quarter_about(Axis::Y),
        rotations: quarter_about(Axis::Y),
        ..StageSpec::new(
            NAME,
            "fb-centers",
            "F and B centers on the F and B (or L and R) faces in a pattern that half turns solve; \
         u- and d-layer wings in an arrangement that half turns solve",
            MoveSet([INNER, AxisTurns::ANY, INNER]),
            CenterPlaces::FB_ANYWHERE,
            // C(24,8)·35·420 positions; 6 center pairings on either pair of faces.
            Expected::new(12, 735_471 * 35 * 420),
        )
    }
}

fn place_lr_centers() -> StageSpec {
    StageSpec {
        first: Raw::Dependent(Box::new(CenterPairing::LR)),
        second: Some(Box::new(WingHands)),
        compact: FIRST_AND_SECOND,
        symmetries: keeping_every_axis().map(Action::conjugation).collect(),
        ..StageSpec::new(
            NAME,
            "lr-centers",
            "L and R centers on the L and R faces in a pattern that half turns solve; U- and \
         D-layer wings in their own orbits, in an even permutation",
            MoveSet([AxisTurns::HALF, AxisTurns::OUTER, INNER]),
            CenterPlaces::LR_OFF_FB,
            // C(16,8)·35·C(16,8)·2 positions; 6 center pairings.
            Expected::new(6, 12_870 * 35 * 25_740),
        )
    }
}

fn half_turn_group() -> StageSpec {
    StageSpec {
        first: Raw::Independent(Box::new(CenterPairing::DU)),
        second: Some(Box::new(CornerCoset)),
        pocket: Some(FIRST_AND_SECOND),
        symmetries: keeping_axis(Axis::Y).map(Action::conjugation).collect(),
        premoves: 1,
        ..StageSpec::new(
            NAME,
            "half-turn-group",
            "corners, U and D centers and U- and D-layer wings in arrangements that half turns \
         solve",
            MoveSet([AxisTurns::HALF, AxisTurns::OUTER, AxisTurns::HALF]),
            WingPairCoset,
            // 88,200·35·420 positions; 6 center pairings.
            Expected::new(6, 88_200 * 35 * 420),
        )
    }
}

fn solved() -> StageSpec {
    let rotations = half_rotations().into_iter();
    let symmetries = rotations.flat_map(|rotation| {
        Symmetry::all().map(move |labels| Action::new(rotation.then(labels), labels))
    });
    StageSpec {
        first: Raw::Independent(Box::new(CornerArrangement)),
        second: Some(Box::new(CenterArrangement)),
        compact: &[Projection::Second, Projection::First],
        symmetries: symmetries.collect(),
        rotations: half_rotations(),
        ..StageSpec::new(
            NAME,
            "solved",
            "solved",
            MoveSet::HALF,
            WingArrangement,
            // 96³·96·12³ positions; solved in four orientations.
            Expected::new(4, 884_736 * 96 * 1_728),
        )
    }
}
