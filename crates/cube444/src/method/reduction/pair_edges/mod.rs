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
mod pairing;
mod pairing_table;
mod search;

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use self::centers::Centers;
use self::near_goal::NearGoalTable;
use self::pairing::Pairings;
use self::pairing_table::PairingTable;
use self::search::PairEdgesSearch;
use super::declaration::{PAIR_EDGES, THREE_BY_THREE};
use super::turns::Turns;
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
        construct: Box::new(|_, _| Ok(Arc::new(PairEdges::new()))),
    }
}

const NAME: &str = "reduced";

/// The third stage: its turns, and the numbering of its positions.
struct PairEdges {
    turns: Turns,
    pairings: Pairings,
    /// The centers and the parity.
    centers: Centers,
}

impl PairEdges {
    /// Constructs the stage, which takes hundredths of a second.
    fn new() -> PairEdges {
        let turns = Turns::new(PAIR_EDGES, THREE_BY_THREE);
        let pairings = Pairings::new(&turns);
        let centers = Centers::new(&turns, pairings.symmetries);
        PairEdges {
            turns,
            pairings,
            centers,
        }
    }

    /// A hash of the turns and of the images of positions under them.
    fn fingerprint(&self) -> Xxh3 {
        let mut hash = Xxh3::new();
        for mv in self.turns.moves() {
            hash.update(&[mv.axis() as u8]);
            hash.update(&mv.amounts());
        }
        self.pairings.hash(&mut hash);
        self.centers.hash(&mut hash);
        hash
    }

    fn pairing_table(&self, profile: Profile) -> PairingTable<'_> {
        PairingTable {
            stage: self,
            is_near: profile == Profile::Pocket,
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
        let pairings = self.pairing_table(Profile::Compact).build(progress)?;
        // The positions near the goal, with exact distances.
        let near_goal = NearGoalTable::of(self, Profile::Compact);
        Ok(vec![
            part("pairings", pairings.distribution),
            part("centers", self.centers.distribution()),
            part("near-goal", near_goal.distribution()),
        ])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        vec![
            Box::new(self.pairing_table(profile)),
            Box::new(NearGoalTable::of(self, profile)),
        ]
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        let [pairings, near] = tables.try_into().expect("the stage asks for two tables");
        Box::new(PairEdgesSearch::new(self, pairings, near))
    }
}
