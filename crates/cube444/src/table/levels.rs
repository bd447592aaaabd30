//! Breadth-first search by keys: the positions near the goal of a graph that may be too large for a table.

use rayon::prelude::*;
use xxhash_rust::xxh3::Xxh3;

use super::builder::{BuildError, Monitor};
use super::header::Distribution;

/// A graph whose positions have keys. A position that is symmetric to itself may have several keys; all of them are
/// listed.
pub(crate) trait KeyGraph: Sync {
    /// The keys of the goals in ascending order.
    fn goals(&self) -> Vec<u64>;

    /// The number of generators. The inverse of every generator is a generator of the same cost.
    fn generators(&self) -> usize;

    /// The maximum cost of a generator.
    fn max_cost(&self) -> u8 {
        1
    }

    /// The keys of the positions to which generators of a cost lead from positions.
    fn neighbors(&self, keys: &[u64], cost: u8) -> Vec<u64>;

    /// The number of positions that keys stand for, and that up to symmetry.
    fn count(&self, keys: &[u64]) -> [u64; 2];

    /// A hash of everything that the meaning of keys and distances depends on.
    fn fingerprint(&self) -> Xxh3;
}

/// The number of positions in a unit of work of a thread.
pub(super) const CHUNK: usize = 1 << 12;

/// The maximum number of neighbors in memory at a time. They take 0.75 GB, because they are in memory twice while
/// they are merged.
pub(super) const PART: usize = 3 << 24;

/// Lists and counts the positions at each distance less than `radius`, in ascending order. In memory are these
/// positions, except those at the last distance, and about `most` neighbors. The last level is split into parts
/// accordingly; each part computes all neighbors and keeps its own. Calls `take` with the distance and the sorted
/// keys of each part, its index, and the number of parts of its distance; an error of it ends the search, as does the
/// monitor.
pub(super) fn levels(
    graph: &impl KeyGraph,
    radius: u8,
    most: usize,
    monitor: &Monitor<'_>,
    mut take: impl FnMut(u8, &[u64], (usize, usize)) -> Result<(), BuildError>,
) -> Result<Distribution, BuildError> {
    let mut distribution = Distribution::default();
    let mut levels: Vec<Vec<u64>> = Vec::new();
    for distance in 0..radius {
        let is_last = distance + 1 == radius;
        let sources = levels.iter().rev().take(graph.max_cost().into());
        let neighbors = graph.generators() * sources.map(Vec::len).sum::<usize>();
        let most = if is_last { most } else { usize::MAX };
        let parts = neighbors.div_ceil(most).max(1);
        for part in 0..parts {
            let keys = next_level(graph, &levels, (part, parts), usize::MAX, monitor)?;
            let keys = keys.expect("a level without a limit is complete");
            let chunks = keys.par_chunks(CHUNK);
            let chunks = chunks.take_any_while(|_| monitor.check().is_ok());
            let counts = chunks.map(|keys| graph.count(keys));
            let [positions, unique] = counts.reduce(|| [0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
            monitor.check()?;
            distribution.add(distance.into(), positions, unique);
            take(distance, &keys, (part, parts))?;
            if !is_last {
                levels.push(keys);
            }
        }
    }
    Ok(distribution)
}

/// The keys up to a distance of `radius`, or up to the greatest one with at most `most` keys, but at least the goals.
/// In ascending order, each with its distance.
pub(crate) fn near_distances(graph: &impl KeyGraph, radius: u8, most: usize) -> Vec<(u64, u8)> {
    let (mut levels, mut keys) = (Vec::new(), Vec::new());
    for distance in 0..=radius {
        let left = most.saturating_sub(keys.len());
        let level = next_level(graph, &levels, (0, 1), left, &Monitor::default());
        let Ok(Some(level)) = level else { break };
        keys.extend(level.iter().map(|&key| (key, distance)));
        levels.push(level);
    }
    keys.sort_unstable();
    keys
}

/// Those of the keys at the distance after those of `levels` whose remainder by `parts` is `part`; `None` if there
/// are more than `most`.
fn next_level(
    graph: &impl KeyGraph,
    levels: &[Vec<u64>],
    (part, parts): (usize, usize),
    most: usize,
    monitor: &Monitor<'_>,
) -> Result<Option<Vec<u64>>, BuildError> {
    if levels.is_empty() {
        return Ok(Some(graph.goals()));
    }
    let mut next = Vec::new();
    for (cost, from) in (1..=graph.max_cost()).zip(levels.iter().rev()) {
        for from in from.chunks(most.max(1)) {
            let chunks = from.par_chunks(CHUNK);
            let chunks = chunks.take_any_while(|_| monitor.check().is_ok());
            let neighbors = chunks.flat_map_iter(|keys| graph.neighbors(keys, cost));
            next.par_extend(neighbors.filter(|&key| key % parts as u64 == part as u64));
            monitor.check()?;
            next.par_sort_unstable();
            next.dedup();
            // No generator leads back farther than two of the greatest cost.
            for known in levels.iter().rev().take(2 * usize::from(graph.max_cost())) {
                monitor.check()?;
                remove(&mut next, known);
            }
            if next.len() > most {
                return Ok(None);
            }
        }
    }
    Ok(Some(next))
}

/// Removes keys from a list; both are sorted.
fn remove(keys: &mut Vec<u64>, others: &[u64]) {
    let mut others = others.iter().peekable();
    keys.retain(|key| {
        while others.next_if(|&other| other < key).is_some() {}
        others.peek() != Some(&key)
    });
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::super::graph::distances;
    use super::*;
    use crate::cancel::CancelFlag;

    /// A torus with steps in one direction that cost 1, and in the other one that cost 2. A key is `2 · place`, plus 1
    /// for the second key of each place on the diagonal.
    struct Torus;

    const SIDE: u64 = 61;

    fn keys_of(place: u64) -> impl Iterator<Item = u64> {
        (0..1 + u64::from(place % SIDE == place / SIDE)).map(move |number| 2 * place + number)
    }

    fn steps(place: u64) -> [(u64, u8); 4] {
        let (row, column) = (place / SIDE, place % SIDE);
        let at = |row: u64, column: u64| row % SIDE * SIDE + column % SIDE;
        [
            (at(row, column + 1), 1),
            (at(row, column + SIDE - 1), 1),
            (at(row + 1, column), 2),
            (at(row + SIDE - 1, column), 2),
        ]
    }

    impl KeyGraph for Torus {
        fn goals(&self) -> Vec<u64> {
            [5, 900].into_iter().flat_map(keys_of).collect()
        }
        fn generators(&self) -> usize {
            4
        }
        fn max_cost(&self) -> u8 {
            2
        }
        fn neighbors(&self, keys: &[u64], cost: u8) -> Vec<u64> {
            let steps = keys.iter().flat_map(|key| steps(key / 2));
            let steps = steps.filter(|&(_, of_step)| of_step == cost);
            steps.flat_map(|(place, _)| keys_of(place)).collect()
        }
        fn count(&self, keys: &[u64]) -> [u64; 2] {
            let first = keys.iter().filter(|&key| key % 2 == 0);
            [10 * keys.len() as u64, first.count() as u64]
        }
        fn fingerprint(&self) -> Xxh3 {
            Xxh3::new()
        }
    }

    /// The sorted keys at each distance.
    fn expected() -> Vec<Vec<u64>> {
        let goals = [5, 900];
        let distances = distances((SIDE * SIDE) as usize, goals, |place| {
            steps(place as u64).map(|(place, cost)| (place as usize, cost))
        });
        let greatest = *distances.iter().max().unwrap();
        let level = |distance| {
            let places = (0..SIDE * SIDE).filter(|&place| distances[place as usize] == distance);
            places.flat_map(keys_of).collect()
        };
        (0..=greatest).map(level).collect()
    }

    #[test]
    fn keys_are_listed_with_their_distances() {
        let levels = expected();
        let nearest = |count: usize| {
            let levels = (0..).zip(&levels[..count]);
            let keys =
                levels.flat_map(|(distance, level)| level.iter().map(move |&key| (key, distance)));
            let mut keys: Vec<(u64, u8)> = keys.collect();
            keys.sort_unstable();
            keys
        };
        assert_eq!(
            near_distances(&Torus, u8::MAX, usize::MAX),
            nearest(levels.len())
        );
        assert_eq!(near_distances(&Torus, 7, usize::MAX), nearest(8));
        let mut sum = 0;
        for (distance, level) in levels.iter().enumerate() {
            sum += level.len();
            assert_eq!(near_distances(&Torus, u8::MAX, sum), nearest(distance + 1));
            if distance > 0 {
                assert_eq!(near_distances(&Torus, u8::MAX, sum - 1), nearest(distance));
            }
        }
        assert_eq!(near_distances(&Torus, u8::MAX, 0), nearest(1));
    }

    #[test]
    fn a_level_in_parts_is_the_level() {
        let expected = expected();
        let sources = expected[22].len() + expected[23].len();
        for most in [usize::MAX, 300, 10] {
            let parts = (4 * sources).div_ceil(most);
            let mut found = vec![Vec::new(); 25];
            let mut seen = 0;
            let take = |distance: u8, keys: &[u64], (part, of): (usize, usize)| {
                let level: &mut Vec<u64> = &mut found[usize::from(distance)];
                if distance == 24 {
                    assert_eq!((part, of), (seen, parts));
                    seen += 1;
                }
                assert!(keys.iter().all(|key| key % of as u64 == part as u64));
                level.extend_from_slice(keys);
                Ok(())
            };
            let distribution = levels(&Torus, 25, most, &Monitor::default(), take).unwrap();
            found.iter_mut().for_each(|level| level.sort_unstable());
            assert_eq!(found, expected[..25], "{most}");
            assert_eq!((seen, parts > 1), (parts, most < 1_000));
            for (distance, keys) in found.iter().enumerate() {
                let [positions, unique] = Torus.count(keys);
                assert_eq!(distribution.positions[distance], positions);
                assert_eq!(distribution.unique[distance], unique);
            }
        }
    }

    /// A graph of three units of work at each distance. Cancels at the first neighbors, or the first count, which it
    /// counts.
    #[derive(Default)]
    struct Cancelling {
        cancel: CancelFlag,
        in_count: bool,
        calls: AtomicUsize,
    }

    impl Cancelling {
        fn call(&self, in_count: bool) {
            if in_count == self.in_count {
                self.cancel.cancel();
                self.calls.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    impl KeyGraph for Cancelling {
        fn goals(&self) -> Vec<u64> {
            (0..3 * CHUNK as u64).collect()
        }
        fn generators(&self) -> usize {
            1
        }
        fn neighbors(&self, keys: &[u64], _: u8) -> Vec<u64> {
            self.call(false);
            keys.iter().map(|key| key + 3 * CHUNK as u64).collect()
        }
        fn count(&self, _: &[u64]) -> [u64; 2] {
            self.call(true);
            [0; 2]
        }
        fn fingerprint(&self) -> Xxh3 {
            Xxh3::new()
        }
    }

    #[test]
    fn a_level_can_be_cancelled() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        pool.unwrap().install(|| {
            for in_count in [false, true] {
                let cancel = CancelFlag::default();
                let monitor = Monitor::new(&|_| (), cancel.clone());
                let graph = Cancelling {
                    cancel,
                    in_count,
                    ..Cancelling::default()
                };
                let mut taken = 0;
                let take = |_: u8, _: &[u64], _: (usize, usize)| {
                    taken += 1;
                    Ok(())
                };
                let found = levels(&graph, 3, usize::MAX, &monitor, take);
                assert!(matches!(found, Err(BuildError::Cancelled)));
                assert_eq!(graph.calls.into_inner(), 1);
                assert_eq!(taken, usize::from(!in_count));
            }
        });
    }
}
