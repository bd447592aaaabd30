//! The third stage: it pairs the wings, solves the centers and makes the parity even.
//!
//! It allows all turns of U, D, L and R, and half turns of F, B and of wide blocks. A position consists of the
//! pairing (see [`pairing`]), the centers and the parity (see [`centers`]). There are three lower bounds: from the
//! table of pairings with parity, from the exact distances of the centers, and from the filter of all positions
//! near the goal.
//!
//! Turns of outer layers keep the goal, so the last run of a solution is a single half turn of a wide block.

mod centers;
mod pairing;
mod pairing_table;
mod search;

use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use self::centers::Centers;
use self::pairing::{PAIRED, Pairings};
use self::pairing_table::PairingTable;
use self::search::PairEdgesSearch;
use super::{PAIR_EDGES, THREE_BY_THREE};
use crate::cube::Metric;
use crate::search::turns::Turns;
use crate::search::{Declaration, PlaceInChain, Profile, Stage, StagePart, StageSearch};
use crate::simd::{self, Portable, Simd};
use crate::table::{BuildError, BuildProgress, KeyGraph, NearGoalFilter, Table, TableSpec};

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

    fn pairing_table(&self, profile: Profile) -> PairingTable<'_> {
        PairingTable {
            stage: self,
            is_near: profile == Profile::Pocket,
        }
    }

    /// The filter of the positions near the goal: the stage has 7·10¹² positions, too many for a table.
    fn near_goal(&self, profile: Profile) -> NearGoalFilter<'_, PairEdges> {
        let (label, radius, bytes) = match profile {
            // 670,000 positions, with 12 bits each.
            Profile::Pocket => ("reduction-near-goal-7", 7, 1 << 20),
            // 55 million positions, with 7.3 bits each: a false-positive rate of about 5 %.
            Profile::Compact => ("reduction-near-goal", 9, 48 << 20),
            // Nine times as many positions.
            Profile::Full => ("reduction-near-goal-10", 10, 400 << 20),
        };
        NearGoalFilter {
            graph: self,
            label,
            nearest: 0,
            radius,
            bytes,
        }
    }
}

/// The number of bits of a key for the centers and the parity.
const CENTER_BITS: u32 = 15;

/// The key of a position up to symmetry: the rank of the pairing, and the centers and parity after the symmetry that
/// maps the pairing to its representative. A pairing with a stabiliser has several keys.
#[inline(always)]
fn key(index: u32, centers: u16) -> u64 {
    u64::from(index) << CENTER_BITS | u64::from(centers)
}

/// The rank of the pairing of a key, and the centers and parity.
fn split(key: u64) -> (u32, u16) {
    let centers = key & ((1 << CENTER_BITS) - 1);
    ((key >> CENTER_BITS) as u32, centers as u16)
}

impl KeyGraph for PairEdges {
    fn goals(&self) -> Vec<u64> {
        let goal = self.pairings.rank(Portable, PAIRED).index;
        vec![key(goal, self.centers.goal)]
    }

    fn generators(&self) -> usize {
        self.turns.moves().len()
    }

    fn neighbours(&self, keys: &[u64], _: u8) -> Vec<u64> {
        let mut reached = Vec::with_capacity(self.generators() * keys.len());
        simd::dispatch!(|simd| push_neighbours(simd, self, keys, &mut reached));
        reached
    }

    fn count(&self, keys: &[u64]) -> [u64; 2] {
        simd::dispatch!(|simd| count(simd, self, keys))
    }

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
}

#[inline(always)]
fn push_neighbours<S: Simd>(simd: S, stage: &PairEdges, keys: &[u64], into: &mut Vec<u64>) {
    let PairEdges {
        pairings, centers, ..
    } = stage;
    for &from in keys {
        let (index, at) = split(from);
        let pairing = pairings.unrank(index as usize);
        for (turn, &at) in centers.images(at).iter().enumerate() {
            let image = pairings.turned(simd, pairing, turn);
            let to = pairings.rank(simd, image);
            let seen = centers.conjugated(at, to.sym.into());
            pairings.for_each_rank(simd, image, to, |sym, index| {
                // Nearly always it is the identity, which needs no lookup.
                let seen = if sym == 0 {
                    seen
                } else {
                    centers.conjugated(seen, sym)
                };
                into.push(key(index, seen));
            });
        }
    }
}

/// The number of positions of keys, and that up to symmetry.
#[inline(always)]
fn count<S: Simd>(simd: S, stage: &PairEdges, keys: &[u64]) -> [u64; 2] {
    let mut counts = [0; 2];
    for &own in keys {
        let (index, at) = split(own);
        let precedes = |sym, other| key(other, stage.centers.conjugated(at, sym)) < own;
        let [positions, unique] = stage.pairings.count(simd, index, precedes);
        counts[0] += positions;
        counts[1] += unique;
    }
    counts
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
        let near_goal = self.near_goal(Profile::Compact);
        Ok(vec![
            part("pairings", pairings.distribution),
            part("centers", self.centers.distribution()),
            part("near-goal", near_goal.distribution()),
        ])
    }

    fn tables(&self, profile: Profile) -> Vec<Box<dyn TableSpec + '_>> {
        vec![
            Box::new(self.pairing_table(profile)),
            Box::new(self.near_goal(profile)),
        ]
    }

    fn open(self: Arc<Self>, _: Profile, tables: Vec<Arc<Table>>) -> Box<dyn StageSearch> {
        let [pairings, near] = tables.try_into().expect("the stage asks for two tables");
        Box::new(PairEdgesSearch::new(self, pairings, near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Filter, near_distances, table_of};

    #[test]
    fn as_many_positions_are_near_as_is_known() {
        let stage = PairEdges::new();
        let keys = near_distances(&stage, 7, usize::MAX);
        let sums = (0..8).map(|limit| keys.iter().filter(|(_, d)| *d <= limit).count());
        // The known numbers are of keys, of which those of a position that looks alike from several
        // sides are several.
        let known = [1, 4, 23, 152, 1221, 9762, 78587, 673957];
        assert_eq!(sums.collect::<Vec<_>>(), known);
        let distribution = stage.near_goal(Profile::Pocket).distribution();
        // The goal looks the same from all sides; half turns of a wide block solve one of three.
        assert_eq!(distribution.positions[..2], [1, 3]);
        assert_eq!(distribution.unique[..2], [1, 2]);
    }

    #[test]
    fn few_positions_pass_that_are_not_entered() {
        // 9,762 keys up to distance 5 and 78,587 up to 6 in 90 kB, about eight bits each.
        let stage = PairEdges::new();
        let near = NearGoalFilter {
            radius: 6,
            bytes: 90 << 10,
            ..stage.near_goal(Profile::Pocket)
        };
        let table = table_of(near.build(&|_| ()).unwrap().payload, near.encoding());
        let near = Filter::new(table).unwrap();
        let others = 0..100_000;
        let passed = others
            .filter(|&i| near.has(near.probe(key(31_000_000 - 7 * i, 29_000), 6)))
            .count();
        assert!(passed < 4_000, "{passed} of 100,000 passed");
    }
}
