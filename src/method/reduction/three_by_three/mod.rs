//! The fourth and fifth stage: the reduced cube, solved like a 3x3x3 in two phases.
//!
//! After the third stage every dedge moves as one piece. The first phase leads to the subgroup of
//! quarter turns of U and D and half turns of the other faces (Kociemba's), the second one solves.
//! Both can be tried with each of three axes in the place of U–D, on the inverse of the state, and
//! with turns before the state.

mod cubies;
mod finish;
mod flip_slice;
mod near_subgroup;
mod permutations;
mod phase_graph;
mod phase_one;
mod phase_two;
mod phases;
mod roots;
mod search;
mod starts;
mod steps;

use std::error::Error;
use std::sync::Arc;

use self::phase_one::{PhaseOneSpace, PhaseOneTable};
use self::phase_two::{PhaseTwo, PhaseTwoSpace, PhaseTwoTable};
use self::phases::ThreeByThree;
use self::starts::Reduction;
use crate::cube::{Cube, Metric};
use crate::search::{
    AxisFreedom, Declaration, Finish, FinishSearch, Freedom, Meter, Place, Profile, Search, Stage,
    StagePart,
};
use crate::table::{BuildError, BuildProgress, Table, TableSpec};

const NAME: &str = "solved";

/// The declaration of both phases as one stage.
pub(super) struct ThreeByThreeSpec;

impl Declaration for ThreeByThreeSpec {
    fn name(&self) -> &'static str {
        NAME
    }

    fn freedom(&self) -> Freedom {
        Freedom([AxisFreedom::FACES; 3])
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
        let (one, two) = rayon::join(PhaseOneSpace::new, PhaseTwoSpace::new);
        Ok(Arc::new(Phases {
            one: Arc::new(one),
            two: Arc::new(two),
        }))
    }
}

/// Both phases, worked out.
struct Phases {
    one: Arc<PhaseOneSpace>,
    two: Arc<PhaseTwoSpace>,
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
        let names = ["phase-one", "phase-two"];
        let tables = self.tables(Profile::Compact);
        let parts = names.into_iter().zip(tables).map(|(name, table)| {
            Ok(StagePart {
                name,
                is_exact: false,
                distribution: table.build(progress)?.distribution,
            })
        });
        parts.collect()
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        vec![
            Box::new(PhaseOneTable { space: &self.one }),
            Box::new(PhaseTwoTable { space: &self.two }),
        ]
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Search {
        let [one, two] = super::exactly(tables);
        let two = PhaseTwo::new(self.two.clone(), two);
        Search::Last(Box::new(ThreeByThree::new(self.one.clone(), one, two)))
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
