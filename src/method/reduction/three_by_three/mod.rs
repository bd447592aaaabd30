//! The last stage: the reduced cube, solved like a 3x3x3 in two phases.
//!
//! After the third stage every edge moves as one piece. The first phase leads to the subgroup of
//! quarter turns of U and D and half turns of the other faces (Kociemba's), the second one solves.
//! Both can be tried with each of three axes in the place of U–D, on the inverse of the state, and
//! with turns before the state.

mod bounds;
mod cubies;
mod declared;
mod finish;
mod near_subgroup;
mod phase_one;
mod phase_two;
mod phases;
mod roots;
mod search;
mod starts;
mod steps;
mod subgroup_filter;
mod subgroup_levels;

use std::sync::Arc;

use self::bounds::Bounds;
#[cfg(test)]
pub(super) use self::declared::declared;
use self::declared::spaces;
use self::phase_one::PhaseOne;
use self::phase_two::PhaseTwo;
use self::phases::ThreeByThree;
use self::starts::Reduction;
use self::subgroup_filter::SubgroupFilter;
use super::declaration::{Special, THREE_BY_THREE};
use crate::cube::Cube;
use crate::search::{Finish, FinishSearch, Meter, Place, Profile, Search, Stage, StagePart};
use crate::stage::{Projection, ProjectionTable, Space};
use crate::table::{BuildError, BuildProgress, Encoding, Filter, RangeTable, Table, TableSpec};

const NAME: &str = "solved";

/// The declaration of the stage.
pub(super) fn declaration() -> Special {
    Special {
        name: NAME,
        freedom: THREE_BY_THREE,
        place: Place::Last,
        // Quarter turns of F and B keep edges paired.
        widens: true,
        construct: || {
            let [one, two] = spaces()?.map(Arc::new);
            Ok(Arc::new(Phases { one, two }))
        },
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

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        if profile == Profile::Pocket {
            return vec![Box::new(SubgroupFilter(&self.one))];
        }
        let phases = [(&self.one, phase_one::LEAST), (&self.two, phase_two::LEAST)];
        let tables = phases.map(|(space, least)| ProjectionTable {
            space,
            projection: Projection::Whole,
            encoding: Encoding::two_bits(least),
        });
        let boxed = tables.map(|table| -> Box<dyn TableSpec + '_> { Box::new(table) });
        boxed.into()
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Search {
        let ranges = |table| RangeTable::new(table).expect("phases have two bits an entry");
        let mut tables = tables.into_iter();
        let mut next = || tables.next();
        let one = next().expect("the first phase has a table in every profile");
        let one = match Filter::new(Arc::clone(&one)) {
            Some(filter) => Bounds::Near(filter),
            None => Bounds::Ranges(ranges(one)),
        };
        let one = PhaseOne::new(self.one.clone(), one);
        let two = PhaseTwo::new(self.two.clone(), next().map(ranges));
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
