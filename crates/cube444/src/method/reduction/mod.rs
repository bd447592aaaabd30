//! Reduction to a 3x3x3 cube, in four stages. Supports OBTM only.
//!
//! The stages are those of Tsai's eight steps, merged: the centers of one axis on its faces; all centers on
//! their axes, and the wings in an arrangement that half turns of wide blocks can pair; all wings paired and
//! all centers solved; and the solution of the reduced cube in Kociemba's two phases. The ideas are from
//! Tsai's eight-step method, Chen Shuang's three-phase-reduction solver, and Kociemba's two-phase algorithm.
//!
//! The first stage is declared by coordinates. The others have special searches:
//!
//! - [`all_axes`] tests the wings after all ends of four turns at once;
//! - [`pair_edges`] ranks pairings of wings by byte shuffles, and has a Bloom filter of the positions near
//!   its goal;
//! - [`three_by_three`] searches both phases together, for the shortest solution of both.

mod all_axes;
mod effect;
mod pair_edges;
mod three_by_three;

use std::sync::Arc;

use self::all_axes::AllAxes;
use self::pair_edges::PairEdges;
use self::three_by_three::ThreeByThree;
use super::symmetries::acting_on_places;
use crate::coord::centers::CenterPlaces;
use crate::cube::{Metric, Symmetry};
use crate::declaration::DeclarationError;
use crate::search::{AxisTurns, Beam, ChainSpec, Declaration, MoveSet, Stage};
use crate::stage::{Expected, StageSpec};

/// The method's name.
const NAME: &str = "reduction";

/// The beams of a level: the endings and the width of the first stage, the endings of the second and of the third, the
/// nodes of the third after its first ending, and the endings of the first phase of the last one.
type EffortRow = (usize, usize, usize, usize, u64, usize);

/// The beams by level. All endings of the second and third stage are kept.
/// `crates/cube444-lab/docs/experiments.md` describes how they were chosen.
const EFFORTS: [EffortRow; 10] = [
    // (endings 1, width 1, endings 2, endings 3, nodes 3, endings of phase 1)
    (1_200, 200, 60, 3, 3_000, 900),
    (1_500, 250, 100, 3, 3_000, 1_200),
    (1_500, 300, 150, 7, 8_000, 3_000),
    (2_500, 500, 400, 16, 20_000, 6_000),
    (6_000, 900, 700, 20, 65_000, 11_000),
    (11_000, 1_300, 1_300, 50, 125_000, 16_000),
    (24_000, 3_000, 3_500, 130, 320_000, 38_000),
    (36_000, 4_200, 6_500, 200, 480_000, 70_000),
    (120_000, 10_500, 18_000, 640, 1_250_000, 205_000),
    (250_000, 25_000, 30_000, 1_500, 2_500_000, 500_000),
];

/// The same with pocket tables. From level 5 on, each is that of two levels lower, so that a level takes about as
/// long as with larger tables.
const POCKET_EFFORTS: [EffortRow; 10] = [
    (800, 150, 50, 2, 3_000, 700),
    EFFORTS[0],
    EFFORTS[1],
    (1_500, 300, 130, 4, 5_000, 1_800),
    EFFORTS[2],
    EFFORTS[3],
    EFFORTS[4],
    EFFORTS[5],
    EFFORTS[6],
    EFFORTS[7],
];

/// The first stage.
fn axis_centers() -> StageSpec {
    StageSpec {
        symmetries: Symmetry::all().map(acting_on_places).collect(),
        relabelings: Symmetry::thirds().to_vec(),
        rotations: Symmetry::thirds().to_vec(),
        stops_at_goals: true,
        ..StageSpec::new(
            NAME,
            "axis-centers",
            "the centers of one axis on its two faces",
            MoveSet([AxisTurns::ANY; 3]),
            CenterPlaces::FB_ANYWHERE,
            // C(24,8) positions; the goal on each of three axes.
            Expected::new(3, 735_471),
        )
    }
}

/// The declaration of a stage with a search of its own. `then` are the turns of the next stage, which must keep its
/// goal.
fn declaration<S: Stage + 'static>(
    name: &'static str,
    move_set: MoveSet,
    then: MoveSet,
    construct: fn() -> Result<S, DeclarationError>,
) -> Declaration {
    Declaration {
        name,
        move_set,
        // Quarter turns of F and B, which only the last stage makes again, keep edges paired.
        widens: then == MoveSet::NONE,
        construct: Box::new(move |next, metric| {
            let fault = if metric != Metric::Obtm {
                format!("does not support the metric {metric}")
            } else if next == then {
                return Ok(Arc::new(construct()?));
            } else if then == MoveSet::NONE {
                "solves the cube, so none can follow it".to_owned()
            } else if next == MoveSet::NONE {
                "does not solve the cube, so another must follow it".to_owned()
            } else {
                "must be followed by a stage with the turns that follow it in reduction".to_owned()
            };
            Err(format!("stage {name} {fault}").into())
        }),
    }
}

/// The method.
pub(super) fn chain() -> ChainSpec {
    // The limits of nodes after the first ending are about twice the means, except that of the third stage, which
    // few states need. Patience bounds the slowest states: one state in a thousand needs a second attempt. About one in
    // 10^11 needs a third, with pocket tables one in 10^4. The third and the last stage have the same patience at all
    // levels.
    let beams = |third_patience: u64, fourth_patience: u64| {
        move |(first, kept, second, third, nodes, fourth): EffortRow| {
            let times = |endings: usize, nodes: u64| nodes * endings as u64;
            vec![
                Beam::new(first, kept).within(1_000 + times(first, 1), times(first, 3)),
                Beam::new(second, second).within(30_000, times(second, 400)),
                Beam::new(third, third).within(third_patience, nodes),
                Beam::new(fourth, 1).within(fourth_patience, times(fourth, 10)),
            ]
        }
    };
    ChainSpec {
        name: NAME,
        stages: vec![
            axis_centers().into(),
            declaration(all_axes::NAME, all_axes::MOVES, pair_edges::MOVES, || {
                Ok(AllAxes::new())
            }),
            declaration(
                pair_edges::NAME,
                pair_edges::MOVES,
                three_by_three::MOVES,
                || Ok(PairEdges::new()),
            ),
            declaration(
                three_by_three::NAME,
                three_by_three::MOVES,
                MoveSet::NONE,
                ThreeByThree::new,
            ),
        ],
        efforts: EFFORTS.map(beams(10_000, 2_000)).to_vec(),
        // With smaller tables, the first endings of the third stage and of the first phase take more nodes.
        pocket_efforts: POCKET_EFFORTS.map(beams(40_000, 250_000)).to_vec(),
    }
}

#[cfg(test)]
pub(super) mod tests;
