//! Row-wise, parallel breadth-first search with weighted generators.
//!
//! At each distance `d`, a generator of cost `c` leads from entries at `d − c`. As long as fewer
//! entries were reached last than are left, those are pushed along the generators; once fewer are
//! left, each of them looks for a neighbour (pull). Either way the inner loop works on two rows
//! and one permutation, all of which fit a cache, rather than all over the table.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use rayon::prelude::*;

use super::distribution::Distribution;
use super::graph::{RowGraph, RowStep};

/// An entry that is not reached yet.
const UNREACHED: u8 = u8::MAX;

/// The greatest distance that a table may have: one bit of a row's mask for each.
const GREATEST: u8 = 31;

/// How far a build is.
#[derive(Clone, Copy, Debug)]
pub struct BuildProgress {
    /// The distance being worked on.
    pub distance: u8,
    /// Entries whose distance is known.
    pub reached: usize,
    /// Entries in all.
    pub entries: usize,
}

/// Why a table cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// Some entries cannot be reached from the goal.
    #[error("{0} entries cannot be reached from the goal")]
    Unreachable(usize),
    /// Distances exceed what the builder counts.
    #[error("distances exceed {GREATEST}")]
    TooDeep,
}

struct Search<'a, G> {
    graph: &'a G,
    second: usize,
    row_length: usize,
    distances: Vec<AtomicU8>,
    /// For each row, a bit for each distance that some entry of it has.
    present: Vec<AtomicU32>,
}

/// Finds the distance of every entry from the goal, one byte an entry.
///
/// Runs on the current rayon thread pool. Needs one byte of memory an entry, and 4 a row.
///
/// # Errors
///
/// If an entry is unreachable, or a distance too large.
pub fn build(
    graph: &impl RowGraph,
    progress: &(dyn Fn(BuildProgress) + Sync),
) -> Result<(Vec<u8>, Distribution), BuildError> {
    let (first, second) = graph.row_shape();
    let row_length = first * second;
    let search = Search {
        graph,
        second,
        row_length,
        distances: (0..graph.rows() * row_length)
            .into_par_iter()
            .map(|_| AtomicU8::new(UNREACHED))
            .collect(),
        present: (0..graph.rows()).map(|_| AtomicU32::new(0)).collect(),
    };
    let distribution = search.run(progress)?;
    let distances = search
        .distances
        .into_par_iter()
        .map(AtomicU8::into_inner)
        .collect();
    Ok((distances, distribution))
}

impl<G: RowGraph> Search<'_, G> {
    fn run(&self, progress: &(dyn Fn(BuildProgress) + Sync)) -> Result<Distribution, BuildError> {
        let entries = self.distances.len();
        for goal in self.graph.goals() {
            self.reach(goal / self.row_length, goal % self.row_length, 0);
        }
        let greatest_cost = self.graph.costs().iter().copied().max().unwrap_or(1);
        let mut counts = vec![self.count(0)];
        let mut reached = counts[0];
        let mut distance = 0;
        // Done when as many distances as the greatest cost have brought nothing new.
        while counts
            .iter()
            .rev()
            .take(greatest_cost as usize)
            .any(|&count| count > 0)
            && reached < entries
        {
            distance += 1;
            if distance > GREATEST {
                return Err(BuildError::TooDeep);
            }
            progress(BuildProgress {
                distance,
                reached,
                entries,
            });
            let frontier: usize = counts.iter().rev().take(greatest_cost as usize).sum();
            if frontier <= entries - reached {
                self.push(distance);
            } else {
                self.pull(distance);
            }
            self.symmetrise(distance);
            counts.push(self.count(distance));
            reached += counts[distance as usize];
        }
        progress(BuildProgress {
            distance,
            reached,
            entries,
        });
        match entries - reached {
            0 => Ok(self.distribution()),
            left => Err(BuildError::Unreachable(left)),
        }
    }

    fn row(&self, row: usize) -> &[AtomicU8] {
        &self.distances[row * self.row_length..][..self.row_length]
    }

    /// Sets an entry that is not reached yet.
    fn reach(&self, row: usize, entry: usize, distance: u8) {
        self.row(row)[entry].store(distance, Ordering::Relaxed);
        self.present[row].fetch_or(1 << distance, Ordering::Relaxed);
    }

    fn has(&self, row: usize, distance: u8) -> bool {
        self.present[row].load(Ordering::Relaxed) >> distance & 1 == 1
    }

    /// Collects the entries of a row with a value, as pairs of indices.
    fn collect(&self, row: usize, value: u8, into: &mut Vec<(u16, u16)>) {
        into.clear();
        for (i, part) in self.row(row).chunks_exact(self.second).enumerate() {
            for (j, entry) in part.iter().enumerate() {
                if entry.load(Ordering::Relaxed) == value {
                    into.push((i as u16, j as u16));
                }
            }
        }
    }

    fn image(&self, step: &RowStep<'_>, (i, j): (u16, u16)) -> usize {
        step.first[i as usize] as usize * self.second + step.second[j as usize] as usize
    }

    /// The generators of each cost that can lead to a distance, with the distance they lead from.
    fn sources(&self, distance: u8) -> impl Iterator<Item = (usize, u8)> + '_ {
        let costs = self.graph.costs().iter().enumerate();
        costs.filter_map(move |(generator, &cost)| Some((generator, distance.checked_sub(cost)?)))
    }

    fn push(&self, distance: u8) {
        (0..self.graph.rows())
            .into_par_iter()
            .for_each_init(Vec::new, |entries, row| {
                let mut collected = None;
                for (generator, from) in self.sources(distance) {
                    if !self.has(row, from) {
                        continue;
                    }
                    if collected != Some(from) {
                        self.collect(row, from, entries);
                        collected = Some(from);
                    }
                    let step = self.graph.step(row, generator);
                    let target = self.row(step.row);
                    let mut any = false;
                    for &entry in &*entries {
                        let entry = &target[self.image(&step, entry)];
                        if entry.load(Ordering::Relaxed) == UNREACHED {
                            entry.store(distance, Ordering::Relaxed);
                            any = true;
                        }
                    }
                    if any {
                        self.present[step.row].fetch_or(1 << distance, Ordering::Relaxed);
                    }
                }
            });
    }

    fn pull(&self, distance: u8) {
        (0..self.graph.rows())
            .into_par_iter()
            .for_each_init(Vec::new, |entries, row| {
                self.collect(row, UNREACHED, entries);
                for (generator, from) in self.sources(distance) {
                    if entries.is_empty() {
                        break;
                    }
                    let step = self.graph.step(row, generator);
                    if !self.has(step.row, from) {
                        continue;
                    }
                    let source = self.row(step.row);
                    entries.retain(|&(i, j)| {
                        let near =
                            source[self.image(&step, (i, j))].load(Ordering::Relaxed) == from;
                        if near {
                            self.reach(row, i as usize * self.second + j as usize, distance);
                        }
                        !near
                    });
                }
            });
    }

    /// Gives the images of each new entry under symmetries that keep its row the same distance.
    fn symmetrise(&self, distance: u8) {
        (0..self.graph.rows())
            .into_par_iter()
            .for_each_init(Vec::new, |entries, row| {
                if !self.has(row, distance) {
                    return;
                }
                let images = self.graph.self_images(row);
                if images.is_empty() {
                    return;
                }
                self.collect(row, distance, entries);
                for image in &images {
                    for &entry in &*entries {
                        self.row(row)[self.image(image, entry)].store(distance, Ordering::Relaxed);
                    }
                }
            });
    }

    fn count(&self, distance: u8) -> usize {
        (0..self.graph.rows())
            .into_par_iter()
            .filter(|&row| self.has(row, distance))
            .map(|row| {
                let row = self.row(row).iter();
                row.filter(|entry| entry.load(Ordering::Relaxed) == distance)
                    .count()
            })
            .sum()
    }

    /// Counts what the finished table holds.
    fn distribution(&self) -> Distribution {
        (0..self.graph.rows())
            .into_par_iter()
            .fold(Distribution::default, |mut distribution, row| {
                let images = self.graph.self_images(row);
                let weight = (self.graph.symmetries() / (images.len() + 1)) as u64;
                let mut counts = [(0u64, 0u64); GREATEST as usize + 1];
                for (index, entry) in self.row(row).iter().enumerate() {
                    let pair = ((index / self.second) as u16, (index % self.second) as u16);
                    let smallest = images.iter().all(|image| self.image(image, pair) >= index);
                    let count = &mut counts[entry.load(Ordering::Relaxed) as usize];
                    count.0 += weight;
                    count.1 += u64::from(smallest);
                }
                for (distance, (positions, unique)) in counts.into_iter().enumerate() {
                    if positions > 0 {
                        distribution.add(distance, positions, unique);
                    }
                }
                distribution
            })
            .reduce(Distribution::default, |a, b| a.merged(&b))
    }
}
