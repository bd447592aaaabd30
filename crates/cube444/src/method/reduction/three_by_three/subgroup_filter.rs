//! The filter of positions near the goal of the first phase: lower bounds that are built quickly.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::near_subgroup;
use super::subgroup_levels::{SubgroupLevels, entry, for_each_neighbour};
use crate::stage::{Position, Space};
use crate::table::{
    BuildError, BuildProgress, Built, Distribution, Encoding, FilterBuilder, Table, TableSpec,
};

/// The greatest distance of the positions that are entered: 750,000 up to symmetry.
const RADIUS: u8 = 7;
/// The length of the filter in bytes, ten bits for each position.
const BYTES: usize = 1 << 20;

/// A filter of the positions up to [`RADIUS`] turns from the goal. They are entered at distances greater than
/// [`near_subgroup::RADIUS`], with their table entries as keys.
pub(super) struct SubgroupFilter<'a>(pub(super) &'a Space);

impl TableSpec for SubgroupFilter<'_> {
    fn label(&self) -> String {
        "reduction-near-subgroup".to_owned()
    }

    fn entries(&self) -> u64 {
        8 * BYTES as u64
    }

    fn encoding(&self) -> Encoding {
        Encoding::filter(RADIUS)
    }

    fn fingerprint(&self) -> u128 {
        self.0.fingerprint()
    }

    fn build(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Built, BuildError> {
        let space = self.0;
        let filter = FilterBuilder::new(BYTES, RADIUS);
        let nearest = near_subgroup::RADIUS + 1;
        let mut distribution = Distribution::default();
        let levels = SubgroupLevels::new(space, RADIUS - 1).levels;
        for (distance, level) in levels.iter().enumerate() {
            let [positions, unique] = count(space, level);
            distribution.add(distance, positions, unique);
            let entries: Vec<u32> = level
                .iter()
                .map(|position| entry(space, position))
                .collect();
            filter.enter(&entries, nearest.max(distance as u8));
        }
        // Neighbours that are not at the radius are nearer, and have been entered.
        let last = &levels[levels.len() - 1];
        let done = AtomicUsize::new(0);
        last.par_chunks(CHUNK).for_each(|level| {
            let mut entries = Vec::new();
            for position in level {
                for_each_neighbour(space, position, |image| entries.push(entry(space, &image)));
            }
            filter.enter(&entries, RADIUS);
            let done = done.fetch_add(level.len(), Ordering::Relaxed) + level.len();
            let share = done as f64 / last.len() as f64;
            progress(BuildProgress::of_share(RADIUS, share, 8 * BYTES));
        });
        Ok(Built {
            payload: filter.into_payload(),
            distribution,
        })
    }

    fn is_as_counted(&self, table: &Table) -> bool {
        let built = self.build(&|_| ());
        built.is_ok_and(|built| built.payload == table.payload())
    }
}

/// The number of positions of a level, and that up to symmetry. All images of a position must be listed.
fn count(space: &Space, level: &[Position]) -> [u64; 2] {
    let [mut positions, mut unique] = [0; 2];
    for position in level {
        let stabiliser = space.classes().stabiliser(position.class());
        positions += (space.group().len() / (stabiliser.len() + 1)) as u64;
        let own = entry(space, position);
        let mut images = space.images(position).into_iter();
        unique += u64::from(images.all(|image| entry(space, &image) >= own));
    }
    [positions, unique]
}

/// The number of positions in a unit of work of a thread.
const CHUNK: usize = 1 << 12;

#[cfg(test)]
mod tests {
    use super::super::declared::spaces;
    use super::*;

    #[test]
    fn as_many_positions_are_near_as_is_known() {
        let [space, _] = spaces().unwrap();
        let built = SubgroupFilter(&space).build(&|_| ()).unwrap();
        // Kociemba's numbers for the first phase.
        let known = [1, 4, 50, 592, 7_156, 87_236, 1_043_817];
        assert_eq!(built.distribution.positions, known);
    }
}
