//! The kernels as stages of a chain.

use std::sync::Arc;

use super::axis_centers::AxisCenters;
use super::belt::Belt;
use super::kernel::KernelSearch;
use super::lanes::Speed;
use super::near_goal::NearGoal;
use super::near_goal_table::{NearGoalSize, NearGoalTable};
use super::pair_up::PairUp;
use super::pair_up_space::PairUpSpace;
use super::pairing_table::PairingTable;
use super::three_by_three::phase_one::{PhaseOneSpace, PhaseOneTable};
use super::three_by_three::phase_two::{PhaseTwo, PhaseTwoSpace, PhaseTwoTable};
use super::three_by_three::{Reduction, ThreeByThree, thirds};
use crate::cube::{Cube, Symmetry};
use crate::limits::Meter;
use crate::stage::{CustomSearch, CustomStage, CustomTable, Finish, FinishSearch, StagePart};
use crate::table::{BuildError, BuildProgress, Table};

/// The stages of the reduction method, with a list of positions near the third one's goal of some
/// size. Works their positions out on all threads of the pool, a second of work.
#[must_use]
pub fn stages(speed: Speed, near: NearGoalSize) -> Vec<Box<dyn CustomStage>> {
    let ((axis_centers, belt), (space, (one, two))) = rayon::join(
        || rayon::join(AxisCenters::new, || Belt::new(speed)),
        || {
            let phases = || rayon::join(PhaseOneSpace::new, PhaseTwoSpace::new);
            rayon::join(PairUpSpace::new, phases)
        },
    );
    vec![
        Box::new(AxisCentersStage(Arc::new(axis_centers))),
        Box::new(BeltStage(Arc::new(belt))),
        Box::new(PairUpStage {
            space: Arc::new(space),
            speed,
            near,
        }),
        Box::new(ThreeByThreeStage {
            one: Arc::new(one),
            two: Arc::new(two),
            speed,
        }),
    ]
}

struct AxisCentersStage(Arc<AxisCenters>);

impl CustomStage for AxisCentersStage {
    fn name(&self) -> &'static str {
        "axis-centers"
    }

    fn goal(&self) -> &'static str {
        "the centers of one axis on its two faces"
    }

    fn parts(&self, _: &(dyn Fn(BuildProgress) + Sync)) -> Result<Vec<StagePart>, BuildError> {
        Ok(vec![StagePart {
            name: "centers",
            is_exact: true,
            distribution: self.0.distribution(),
        }])
    }

    fn tables(&self) -> Vec<Box<dyn CustomTable + '_>> {
        Vec::new()
    }

    fn search(&self, _: Vec<Arc<Table>>) -> CustomSearch {
        // Any two opposite colours can be those of the axis.
        CustomSearch::Stage(Box::new(KernelSearch {
            name: self.name(),
            kernel: self.0.clone(),
            relabellings: thirds().to_vec(),
        }))
    }
}

struct BeltStage(Arc<Belt>);

impl CustomStage for BeltStage {
    fn name(&self) -> &'static str {
        "all-axes"
    }

    fn goal(&self) -> &'static str {
        "all centers on the faces of their axes, one wing of each dedge in each of two orbits"
    }

    fn parts(&self, _: &(dyn Fn(BuildProgress) + Sync)) -> Result<Vec<StagePart>, BuildError> {
        Ok(vec![StagePart {
            name: "centers-and-parity",
            is_exact: false,
            distribution: self.0.distribution(),
        }])
    }

    fn tables(&self) -> Vec<Box<dyn CustomTable + '_>> {
        Vec::new()
    }

    fn search(&self, _: Vec<Arc<Table>>) -> CustomSearch {
        CustomSearch::Stage(Box::new(KernelSearch {
            name: self.name(),
            kernel: self.0.clone(),
            relabellings: vec![Symmetry::IDENTITY],
        }))
    }
}

struct PairUpStage {
    space: Arc<PairUpSpace>,
    speed: Speed,
    near: NearGoalSize,
}

impl CustomStage for PairUpStage {
    fn name(&self) -> &'static str {
        "reduced"
    }

    fn goal(&self) -> &'static str {
        "centers solved and wings paired: a 3x3x3 cube"
    }

    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError> {
        let [pairings, near] = <[_; 2]>::try_from(self.tables())
            .ok()
            .expect("the stage has two tables");
        Ok(vec![
            StagePart {
                name: pairings.name(),
                is_exact: false,
                distribution: pairings.build(progress)?.distribution,
            },
            StagePart {
                name: "centers",
                is_exact: false,
                distribution: self.space.centers.distribution(),
            },
            // Of all positions those near the goal, whose distances are exact.
            StagePart {
                name: near.name(),
                is_exact: false,
                distribution: near.build(progress)?.distribution,
            },
        ])
    }

    fn tables(&self) -> Vec<Box<dyn CustomTable + '_>> {
        let space = &self.space;
        let PairUpStage { speed, near, .. } = *self;
        vec![
            Box::new(PairingTable { space, speed }),
            Box::new(NearGoalTable {
                space,
                speed,
                size: near,
            }),
        ]
    }

    fn search(&self, tables: Vec<Arc<Table>>) -> CustomSearch {
        let [pairings, near] = exactly(tables);
        let near = NearGoal::new(near);
        CustomSearch::Stage(Box::new(KernelSearch {
            name: self.name(),
            kernel: Arc::new(PairUp::new(self.space.clone(), pairings, near, self.speed)),
            relabellings: vec![Symmetry::IDENTITY],
        }))
    }
}

/// As many tables as a stage wants.
fn exactly<const N: usize>(tables: Vec<Arc<Table>>) -> [Arc<Table>; N] {
    let tables = tables.try_into().ok();
    tables.expect("a stage is given the tables that it wants")
}

struct ThreeByThreeStage {
    one: Arc<PhaseOneSpace>,
    two: Arc<PhaseTwoSpace>,
    speed: Speed,
}

impl CustomStage for ThreeByThreeStage {
    fn name(&self) -> &'static str {
        "solved"
    }

    fn goal(&self) -> &'static str {
        "solved, like a 3x3x3 cube in two phases"
    }

    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError> {
        let part = |table: &dyn CustomTable| {
            Ok(StagePart {
                name: table.name(),
                is_exact: false,
                distribution: table.build(progress)?.distribution,
            })
        };
        self.tables().iter().map(|table| part(&**table)).collect()
    }

    fn tables(&self) -> Vec<Box<dyn CustomTable + '_>> {
        vec![
            Box::new(PhaseOneTable { space: &self.one }),
            Box::new(PhaseTwoTable { space: &self.two }),
        ]
    }

    fn search(&self, tables: Vec<Arc<Table>>) -> CustomSearch {
        let [one, two] = exactly(tables);
        let two = PhaseTwo::new(self.two.clone(), two);
        let phases = ThreeByThree::new(self.one.clone(), one, two, self.speed);
        CustomSearch::Finish(Box::new(ThreeByThreeSearch {
            name: self.name(),
            phases,
        }))
    }
}

struct ThreeByThreeSearch {
    name: &'static str,
    phases: ThreeByThree,
}

impl FinishSearch for ThreeByThreeSearch {
    fn name(&self) -> &'static str {
        self.name
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
        let finished = self.phases.finish(&reductions, candidates, meter)?;
        Some(Finish {
            from: finished.reduction,
            cost: usize::from(finished.total) - from[finished.reduction].1,
            moves: finished.moves,
        })
    }
}
