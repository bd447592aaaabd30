//! The last stage: the reduced cube, solved like a 3x3x3 in two phases.
//!
//! After the third stage every edge moves as one piece. The first phase leads to the subgroup of
//! quarter turns of U and D and half turns of the other faces (Kociemba's), the second one solves.
//! Both can be tried with each of three axes in the place of U–D, on the inverse of the state, and
//! with turns before the state.

mod cubies;
mod finish;
mod near_subgroup;
mod phase_one;
mod phase_two;
mod phases;
mod roots;
mod search;
mod starts;
mod steps;

use std::error::Error;
use std::sync::Arc;

use self::phase_one::PhaseOne;
use self::phase_two::PhaseTwo;
use self::phases::ThreeByThree;
use self::starts::Reduction;
use super::NAME as METHOD;
use crate::coord::corners::{CornerPermutation, CornerTwist};
use crate::coord::edges::{EdgePermutation, FlipSlice};
use crate::cube::{Action, Axis, Cube, Metric};
use crate::method::symmetries::keeping_axis;
use crate::search::{
    AxisFreedom, Declaration, Finish, FinishSearch, Freedom, Meter, Place, Profile, Search, Stage,
    StagePart,
};
use crate::stage::{Expected, Projection, ProjectionTable, Space, StageSpec};
use crate::table::{BuildError, BuildProgress, Encoding, Table, TableSpec, TwoBitTable};

/// What may be turned.
pub(super) const FREEDOM: Freedom = Freedom([AxisFreedom::FACES; 3]);
/// What may be turned in the second phase.
const SUBGROUP: Freedom = Freedom([
    AxisFreedom::HALF_FACES,
    AxisFreedom::FACES,
    AxisFreedom::HALF_FACES,
]);

/// Distances up to 6 of the first phase are known without a table, so that those at 7 are, too.
const LEAST_ONE: u8 = 7;
/// Distances up to 8 of the second phase are told apart by small tables well enough, and few searches
/// come to greater ones than 11.
const LEAST_TWO: u8 = 8;

/// The first phase: edges flipped and those along y in their places, and corners twisted, such that the
/// second phase can go on.
fn phase_one() -> StageSpec {
    let expected = Expected {
        goals: 1,
        positions: 1_013_760 * 2_187,
    };
    let goal = "in the subgroup of quarter turns of U and D and half turns of other faces";
    StageSpec::new(METHOD, "phase-one", goal, FREEDOM, FlipSlice, expected)
        .with_second(CornerTwist)
        .with_symmetries(keeping_axis(Axis::Y).map(Action::conjugation))
}

/// The second phase, without the four edges along y.
fn phase_two() -> StageSpec {
    let expected = Expected {
        goals: 1,
        positions: 40_320 * 40_320,
    };
    let goal = "corners and the eight edges of U and D in their places";
    let corners = CornerPermutation;
    StageSpec::new(METHOD, "phase-two", goal, SUBGROUP, corners, expected)
        .with_second(EdgePermutation::Outer)
        .with_symmetries(keeping_axis(Axis::Y).map(Action::conjugation))
}

/// Both phases as declared stages, each with what may be turned after it.
pub(super) fn declared() -> [(StageSpec, Freedom); 2] {
    [(phase_one(), SUBGROUP), (phase_two(), Freedom::NONE)]
}

const NAME: &str = "solved";

/// The declaration of both phases as one stage.
pub(super) struct ThreeByThreeSpec;

impl Declaration for ThreeByThreeSpec {
    fn name(&self) -> &'static str {
        NAME
    }

    fn freedom(&self) -> Freedom {
        FREEDOM
    }

    fn widens(&self) -> bool {
        // Quarter turns of F and B keep edges paired.
        true
    }

    fn place(&self) -> Place {
        Place::Last
    }

    fn counts_in(&self, metric: Metric) -> bool {
        metric == Metric::Obtm
    }

    fn work_out(
        self: Box<Self>,
        _: Freedom,
        _: Metric,
    ) -> Result<Arc<dyn Stage>, Box<dyn Error + Send + Sync>> {
        let [one, two] = declared();
        let work_out = |(spec, next)| Space::new(spec, next, Metric::Obtm);
        let (one, two) = rayon::join(|| work_out(one), || work_out(two));
        Ok(Arc::new(Phases {
            one: Arc::new(one?),
            two: Arc::new(two?),
        }))
    }
}

/// Both phases, worked out.
struct Phases {
    one: Arc<Space>,
    two: Arc<Space>,
}

impl Stage for Phases {
    fn name(&self) -> &'static str {
        NAME
    }

    fn goal(&self) -> &'static str {
        "solved, like a 3x3x3 cube in two phases"
    }

    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError> {
        let parts = [&self.one, &self.two].into_iter().map(|phase| {
            let parts = phase.parts(progress)?.into_iter();
            Ok(parts.map(|part| StagePart {
                name: phase.name(),
                is_exact: false,
                distribution: part.distribution,
            }))
        });
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().flatten().collect())
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        let phases = [(&self.one, LEAST_ONE), (&self.two, LEAST_TWO)];
        let tables = phases.map(|(space, least)| ProjectionTable {
            space,
            projection: Projection::Whole,
            encoding: Encoding::two_bits(least),
        });
        let boxed = tables.map(|table| -> Box<dyn TableSpec + '_> { Box::new(table) });
        boxed.into()
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Search {
        let [one, two] = super::exactly(tables);
        let table = |table| TwoBitTable::new(table).expect("phases have two bits an entry");
        let one = PhaseOne::new(self.one.clone(), table(one));
        let two = PhaseTwo::new(self.two.clone(), table(two));
        Search::Last(Box::new(ThreeByThree::new(one, two)))
    }
}

impl FinishSearch for ThreeByThree {
    fn name(&self) -> &'static str {
        NAME
    }

    fn finish(
        &self,
        from: &[(Cube, usize)],
        candidates: usize,
        meter: &mut Meter<'_>,
    ) -> Option<Finish> {
        let least = from.iter().map(|&(_, cost)| cost).min()?;
        let reductions: Vec<Reduction> = from
            .iter()
            .map(|&(cube, cost)| Reduction {
                cube,
                cost: cost as u8,
                // Two turns before a longer reduction seldom make up for its length.
                premoves: if cost == least { 2 } else { 1 },
            })
            .collect();
        let finished = self.shortest(&reductions, candidates, meter)?;
        Some(Finish {
            from: finished.reduction,
            cost: usize::from(finished.total) - from[finished.reduction].1,
            moves: finished.moves,
        })
    }
}
