//! The third stage: it pairs the wings, solves the centers and makes the parity even.
//!
//! It allows all turns of U, D, L and R, and half turns of F, B and of wide blocks. A position consists of the
//! pairing (see [`pairing`]), the centers and the parity (see [`centers`]). There are three lower bounds: from the
//! table of pairings with parity, from the exact distances of the centers, and from the filter of all positions
//! near the goal.
//!
//! Turns of outer layers keep the goal, so the last run of a solution is a single half turn of a wide block.

mod centers;
mod near_goal;
mod near_goal_levels;
mod near_goal_table;
mod near_pairings;
mod pairing;
mod pairing_table;
mod search;
mod space;

use std::sync::Arc;

use self::near_goal_table::{NearGoalSize, NearGoalTable};
use self::near_pairings::NearPairings;
use self::pairing_table::PairingTable;
use self::search::{NAME, PairEdgesSearch};
use self::space::PairingSpace;
use super::declaration::PAIR_EDGES;
use crate::cube::Metric;
use crate::search::{Declaration, PlaceInChain, Profile, Stage, StagePart, StageSearch};
use crate::table::{BuildError, BuildProgress, Table, TableSpec};

/// The declaration of the stage.
pub(super) fn declaration() -> Declaration {
    Declaration {
        name: NAME,
        freedom: PAIR_EDGES,
        widens: false,
        place: PlaceInChain::BeforeLast,
        metric: Some(Metric::Obtm),
        construct: Box::new(|_, _| {
            let space = Arc::new(PairingSpace::new());
            Ok(Arc::new(PairEdges { space }))
        }),
    }
}

/// The third stage.
struct PairEdges {
    space: Arc<PairingSpace>,
}

impl PairEdges {
    fn near_goal(&self, profile: Profile) -> NearGoalTable<'_> {
        NearGoalTable {
            space: &self.space,
            size: NearGoalSize::of(profile),
        }
    }
}

impl Stage for PairEdges {
    fn name(&self) -> &'static str {
        NAME
    }

    fn goal(&self) -> &'static str {
        "centers solved and wings paired: a 3x3x3 cube"
    }

    fn parts(
        &self,
        progress: &(dyn Fn(BuildProgress) + Sync),
    ) -> Result<Vec<StagePart>, BuildError> {
        let part = |name, distribution| StagePart {
            name,
            is_exact: false,
            distribution,
        };
        let pairings = PairingTable(&self.space).build(progress)?;
        Ok(vec![
            part("pairings", pairings.distribution),
            part("centers", self.space.centers.distribution()),
            // The positions near the goal, with exact distances.
            part("near-goal", self.near_goal(Profile::Compact).distribution()),
        ])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        let pairings: Box<dyn TableSpec + '_> = match profile {
            Profile::Pocket => Box::new(NearPairings(&self.space)),
            Profile::Compact | Profile::Full => Box::new(PairingTable(&self.space)),
        };
        vec![pairings, Box::new(self.near_goal(profile))]
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        let [pairings, near] = tables.try_into().expect("the stage asks for two tables");
        let space = self.space.clone();
        Box::new(PairEdgesSearch::new(space, pairings, near))
    }
}
