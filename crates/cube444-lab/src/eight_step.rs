//! Tsai's eight steps, as described by Weed: four that reduce the cube to a 3x3x3 cube, and then
//! Thistlethwaite's four phases; see `docs/lab.md`.
//!
//! For analysis and comparison. The coordinates of the first four steps ignore what outer turns before the
//! state would change: it does not matter which edges are paired.

use cube444::cube::{Action, Axis, Symmetry};
use cube444::method::coordinates::{CenterPairing, CenterPlaces};
use cube444::method::symmetries::{
    acting_on_places, half_rotations, keeping_axis, keeping_every_axis, quarter_about,
};
use cube444::method::{AxisTurns, Beam, ChainSpec, Expected, MoveSet, Raw, StageSpec};

use super::coord::center_columns::CenterColumns;
use super::coord::edge_pairing::{EdgePairing, can_be_paired, middle_is_paired};
use super::coord::parity::Parity;
use super::thistlethwaite;

/// The method's name.
const NAME: &str = "eight-step";

/// The method.
pub(super) fn chain() -> ChainSpec {
    let beam = |candidates: usize| Beam::new(candidates, candidates.div_ceil(3));
    let mut method = ChainSpec::new(NAME, stages().map(Into::into).into());
    method.efforts = EFFORTS.map(|level| level.map(beam).to_vec()).to_vec();
    method
}

/// Candidates of all steps but the last, by level; a third of them are kept. Level 1 takes the first ending of
/// each step, like Weed's planner. The third step takes most of the time, because many nodes are expanded
/// for each of its endings.
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

/// The steps in order.
pub(crate) fn stages() -> [StageSpec; 8] {
    let [first, second, third, fourth] = thistlethwaite::stages();
    [
        // C(24,8) positions; the goal on each of three axes.
        StageSpec::new(
            NAME,
            "lr-centers",
            "L and R centers on the faces of one axis",
            MoveSet([AxisTurns::ANY; 3]),
            CenterPlaces::LR_ANYWHERE,
            Expected::new(3, 735_471),
        )
        .with(|stage| {
            stage.symmetries = Symmetry::all().map(acting_on_places).collect();
            stage.relabelings = Symmetry::thirds().to_vec();
            stage.rotations = Symmetry::thirds().to_vec();
        }),
        // C(16,8)·35·2 positions; 6 center pairings, with the D and U centers on either axis.
        StageSpec::new(
            NAME,
            "all-centers",
            "all centers on the faces of their axes, L and R centers in a pattern that half turns \
             solve; wings such that they can be paired up without quarter turns of inner layers",
            MoveSet([AxisTurns::ANY, AxisTurns::OUTER, AxisTurns::OUTER]),
            CenterPlaces::DU_OFF_LR,
            Expected::new(12, 12_870 * 35 * 2),
        )
        .with(|stage| {
            stage.first = Raw::Independent(Box::new(CenterPairing::LR));
            stage.second = Some(Box::new(Parity::Wings));
            stage.symmetries = keeping_axis(Axis::X).map(acting_on_places).collect();
            stage.relabelings = quarter_about(Axis::X);
            stage.rotations = quarter_about(Axis::X);
            stage.condition = Some(can_be_paired);
        }),
        // 35 pairings of F and B centers, and the 6 of L and R centers that half turns make; 3 and 3
        // of them are columns.
        StageSpec::new(
            NAME,
            "columns",
            "L, R, F and B centers in columns; four edges paired up in the middle layers between \
             U and D",
            MoveSet([AxisTurns::HALF, AxisTurns::OUTER, AxisTurns::OUTER]),
            CenterPairing::FB,
            Expected::new(9, 35 * 6),
        )
        .with(|stage| {
            stage.first = Raw::Independent(Box::new(CenterPairing::LR));
            stage.symmetries = keeping_every_axis().map(Action::conjugation).collect();
            stage.condition = Some(middle_is_paired);
        }),
        // 8!/2 matchings, 2 parities of edges and 2 of corners, 70·6·6 center patterns; solved in four
        // orientations, with both parities even or both odd.
        StageSpec::new(
            NAME,
            "reduced",
            "centers solved and all edges paired up, with corners and edges of equal parity: \
             reduced to a 3x3x3 cube",
            MoveSet([AxisTurns::HALF, AxisTurns::FACES, AxisTurns::HALF]),
            EdgePairing,
            Expected::new(8, 20_160 * 2 * 2 * 2_520),
        )
        .with(|stage| {
            stage.first = Raw::Independent(Box::new(Parity::Corners));
            stage.second = Some(Box::new(CenterColumns));
            stage.symmetries = keeping_axis(Axis::Y).map(Action::conjugation).collect();
            stage.rotations = half_rotations();
        }),
        first.with(|stage| {
            stage.widens = true;
        }),
        second,
        third,
        fourth,
    ]
}
