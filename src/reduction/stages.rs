//! The kernels as stages of a chain.

use std::sync::Arc;

use super::axis_centers::AxisCenters;
use super::belt::Belt;
use super::kernel::{KernelSearch, StageKernel};
use super::near_goal::NearGoal;
use super::near_goal_table::{NearGoalSize, NearGoalTable};
use super::pair_up::PairUp;
use super::pair_up_space::PairUpSpace;
use super::pairing_table::PairingTable;
use super::three_by_three::phase_one::{PhaseOneSpace, PhaseOneTable};
use super::three_by_three::phase_two::{PhaseTwo, PhaseTwoSpace, PhaseTwoTable};
use super::three_by_three::{Reduction, ThreeByThree};
use crate::cube::{Cube, Symmetry};
use crate::lanes::Speed;
use crate::limits::Meter;
use crate::stage::{
    CustomSearch, CustomStage, CustomTable, Finish, FinishSearch, Profile, StagePart,
};
use crate::table::{BuildError, BuildProgress, Distribution, Table};

/// The stages of the reduction method. Works their positions out on all threads of the pool, a second of
/// work.
#[must_use]
pub fn stages(speed: Speed) -> Vec<Box<dyn CustomStage>> {
    let ((axis_centers, belt), (space, (one, two))) = rayon::join(
        || rayon::join(AxisCenters::new, || Belt::new(speed)),
        || {
            let phases = || rayon::join(PhaseOneSpace::new, PhaseTwoSpace::new);
            rayon::join(PairUpSpace::new, phases)
        },
    );
    vec![
        Box::new(SmallStage {
            name: "axis-centers",
            goal: "the centers of one axis on its two faces",
            kernel: Arc::new(axis_centers),
            // Any two opposite colours can be those of the axis.
            relabellings: Symmetry::thirds().to_vec(),
            part: "centers",
            is_exact: true,
            distribution: AxisCenters::distribution,
        }),
        Box::new(SmallStage {
            name: "all-axes",
            goal: "all centers on the faces of their axes, one wing of each dedge in each of two orbits",
            kernel: Arc::new(belt),
            relabellings: vec![Symmetry::IDENTITY],
            part: "centers-and-parity",
            is_exact: false,
            distribution: Belt::distribution,
        }),
        Box::new(PairUpStage {
            space: Arc::new(space),
            speed,
        }),
        Box::new(ThreeByThreeStage {
            one: Arc::new(one),
            two: Arc::new(two),
            speed,
        }),
    ]
}

/// A stage all of whose tables are small, and made with it.
struct SmallStage<K> {
    name: &'static str,
    goal: &'static str,
    kernel: Arc<K>,
    /// The choices of colours to try on entry.
    relabellings: Vec<Symmetry>,
    /// What its distances are of.
    part: &'static str,
    /// Whether they are those of the stage.
    is_exact: bool,
    distribution: fn(&K) -> Distribution,
}

impl<K: StageKernel + 'static> CustomStage for SmallStage<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn goal(&self) -> &'static str {
        self.goal
    }

    fn parts(&self, _: &(dyn Fn(BuildProgress) + Sync)) -> Result<Vec<StagePart>, BuildError> {
        Ok(vec![StagePart {
            name: self.part,
            is_exact: self.is_exact,
            distribution: (self.distribution)(&self.kernel),
        }])
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn CustomTable + '_>> {
        Vec::new()
    }

    fn search(&self, _: Vec<Arc<Table>>) -> CustomSearch {
        CustomSearch::Stage(Box::new(KernelSearch {
            name: self.name,
            kernel: self.kernel.clone(),
            relabellings: self.relabellings.clone(),
        }))
    }
}

/// The part of a stage that a table covers, by building it.
fn part_of(
    table: &dyn CustomTable,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Result<StagePart, BuildError> {
    Ok(StagePart {
        name: table.name(),
        is_exact: false,
        distribution: table.build(progress)?.distribution,
    })
}

struct PairUpStage {
    space: Arc<PairUpSpace>,
    speed: Speed,
}

impl PairUpStage {
    fn pairings(&self) -> PairingTable<'_> {
        PairingTable {
            space: &self.space,
            speed: self.speed,
        }
    }

    fn near_goal(&self, profile: Profile) -> NearGoalTable<'_> {
        NearGoalTable {
            space: &self.space,
            speed: self.speed,
            size: NearGoalSize::of(profile),
        }
    }
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
        let near = self.near_goal(Profile::Compact);
        Ok(vec![
            part_of(&self.pairings(), progress)?,
            StagePart {
                name: "centers",
                is_exact: false,
                distribution: self.space.centers.distribution(),
            },
            // Of all positions those near the goal, whose distances are exact.
            StagePart {
                name: near.name(),
                is_exact: false,
                distribution: near.distribution(),
            },
        ])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn CustomTable + '_>> {
        vec![Box::new(self.pairings()), Box::new(self.near_goal(profile))]
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
        let tables = self.tables(Profile::Compact);
        let parts = tables.iter().map(|table| part_of(&**table, progress));
        parts.collect()
    }

    fn tables(&self, _: Profile) -> Vec<Box<dyn CustomTable + '_>> {
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
