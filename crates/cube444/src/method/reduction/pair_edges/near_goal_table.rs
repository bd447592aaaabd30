//! Building the filter of the positions near the goal of the third stage.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::near_goal::GoalKey;
use super::near_goal_levels::{CHUNK, PART, levels, successors};
use super::space::PairingSpace;
use crate::search::Profile;
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, FilterBuilder, PROBES, Table,
    TableSpec, is_entered,
};

/// The filter of the positions near the goal of the third stage.
pub(super) struct NearGoalTable<'a> {
    /// The stage.
    pub(super) space: &'a PairingSpace,
    /// The size of the filter.
    pub(super) size: NearGoalSize,
}

impl NearGoalTable<'_> {
    /// The number of positions at each distance below the radius.
    pub(super) fn distribution(&self) -> Distribution {
        levels(self.space, self.size.radius, PART, |_| ())
    }
}

/// The size of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NearGoalSize {
    /// The label of the table.
    pub(super) name: &'static str,
    /// The greatest distance of the positions that are entered; at least 1.
    pub(super) radius: u8,
    /// The length in bytes, a multiple of 64.
    pub(super) bytes: usize,
}

impl NearGoalSize {
    /// The size in a profile.
    pub(super) fn of(profile: Profile) -> NearGoalSize {
        match profile {
            // 670,000 positions, with 12 bits each.
            Profile::Pocket => NearGoalSize {
                name: "near-goal-7",
                radius: 7,
                bytes: 1 << 20,
            },
            // 55 million positions, with 7.3 bits each: a false-positive rate of about 5 %.
            Profile::Compact => NearGoalSize {
                name: "near-goal",
                radius: 9,
                bytes: 48 << 20,
            },
            // Nine times as many positions.
            Profile::Full => NearGoalSize {
                name: "near-goal-10",
                radius: 10,
                bytes: 400 << 20,
            },
        }
    }
}

impl TableSpec for NearGoalTable<'_> {
    fn label(&self) -> String {
        format!("reduction-{}", self.size.name)
    }

    fn entries(&self) -> u64 {
        8 * self.size.bytes as u64
    }

    fn encoding(&self) -> Encoding {
        Encoding::filter(self.size.radius)
    }

    /// In large pages, level 4 with full tables takes 0.88 of the time.
    fn prefers_memory(&self) -> bool {
        true
    }

    fn fingerprint(&self) -> u128 {
        let mut hash = self.space.fingerprint();
        for number in [self.size.radius.into(), PROBES] {
            hash.update(&u32::to_le_bytes(number));
        }
        hash.digest128()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        Ok(build(self.space, self.size, progress))
    }

    /// Checks that the filter has all positions up to six turns from the goal.
    fn is_as_counted(&self, table: &Table) -> bool {
        let mut all_there = true;
        let sampled = SAMPLED.min(self.size.radius - 1);
        let distribution = levels(self.space, sampled + 1, PART, |part| {
            let is_there = |&key: &GoalKey| {
                (part.distance..=self.size.radius).all(|limit| is_entered(table, key.into(), limit))
            };
            all_there &= part.keys.par_iter().all(is_there);
        });
        let header = &table.header().distribution;
        let sampled = ..=usize::from(sampled);
        all_there
            && header.positions.get(sampled) == Some(&*distribution.positions)
            && header.unique.get(sampled) == Some(&*distribution.unique)
    }
}

/// The greatest distance of the positions that a check looks up: 80,000 positions.
const SAMPLED: u8 = 6;

/// Builds a filter of `bytes` bytes (whole cache lines) on the current rayon thread pool. It has all
/// positions up to `radius`, at least 1. The distribution is that of positions nearer than the radius.
fn build(
    space: &PairingSpace,
    NearGoalSize { radius, bytes, .. }: NearGoalSize,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Built {
    let filter = FilterBuilder::new(bytes, radius);
    let entries = 8 * bytes;
    let distribution = levels(space, radius, PART, |part| {
        let chunks = part.keys.par_chunks(CHUNK);
        chunks.for_each(|keys| filter.enter(keys, part.distance));
        if part.distance + 1 == radius {
            // Nearly all the work is in this step. Successors that are not at the radius are nearer, and have
            // been or will be entered.
            let done = AtomicUsize::new(0);
            part.keys.par_chunks(CHUNK).for_each(|keys| {
                filter.enter(&successors(space, keys), radius);
                let done = done.fetch_add(keys.len(), Ordering::Relaxed) + keys.len();
                let share = done as f64 / part.keys.len() as f64;
                let share = (part.number as f64 + share) / part.of as f64;
                progress(BuildProgress::of_share(radius, share, entries));
            });
        }
    });
    Built {
        payload: filter.into_payload(),
        distribution,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Filter, table_of};

    fn built(radius: u8, bytes: usize) -> (Filter, Distribution) {
        let space = PairingSpace::new();
        let size = NearGoalSize {
            name: "some",
            radius,
            bytes,
        };
        let built = build(&space, size, &|_| ());
        let table = table_of(built.payload, Encoding::filter(radius));
        (Filter::new(table).unwrap(), built.distribution)
    }

    #[test]
    fn the_distribution_begins_as_known() {
        let space = PairingSpace::new();
        let mut sums = Vec::new();
        let mut sum = 0;
        levels(&space, 8, PART, |part| {
            sum += part.keys.len();
            sums.push(sum);
        });
        // The known numbers are of keys, of which those of a position that looks alike from several
        // sides are several.
        assert_eq!(sums, [1, 4, 23, 152, 1221, 9762, 78587, 673957]);
        let (_, distribution) = built(4, 1 << 16);
        // The goal looks the same from all sides; half turns of a wide block solve one of three.
        assert_eq!(distribution.positions[..2], [1, 3]);
        assert_eq!(distribution.unique[..2], [1, 2]);
    }

    #[test]
    fn few_positions_pass_that_are_not_entered() {
        // 9,762 keys up to distance 5 and 78,587 up to 6 in 90 kB, about eight bits each.
        let (near, _) = built(6, 90 << 10);
        let others = 0..100_000;
        let passed = others
            .filter(|&i| near.has(near.probe(GoalKey::new(31_000_000 - 7 * i, 29_000).into(), 6)))
            .count();
        assert!(passed < 4_000, "{passed} of 100,000 passed");
    }
}
