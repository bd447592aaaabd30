//! Row-wise, parallel breadth-first search with weighted generators.
//!
//! At each distance `d`, a generator of cost `c` leads from entries at `d − c`. While the frontier is
//! smaller than the set of unreached entries, its entries are pushed along the generators; after that,
//! each unreached entry looks for a neighbor in the frontier (pull). A row is processed in *parts*, one
//! for each value of its first index. So the inner loop is a gather between two parts by one permutation,
//! and all three fit in a cache.

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU8, AtomicU32};

use rayon::prelude::*;

use crate::cancel::CancelFlag;
use crate::declaration::DeclarationError;

use super::graph::{RowGraph, RowStep};
use super::header::{Distribution, UNREACHED};

/// The maximum distance in a table. The mask of a part has a bit for each distance.
const MAX_DISTANCE: u8 = 31;

/// The progress of a build.
#[derive(Clone, Copy, derive_more::Constructor, Debug)]
#[non_exhaustive]
pub struct BuildProgress {
    /// The current distance.
    pub distance: u8,
    /// The number of entries whose distance is known.
    pub reached: usize,
    /// The number of all entries.
    pub entries: usize,
}

impl BuildProgress {
    /// The progress of a table whose entries are not reached one by one, by the share of the work that is
    /// done, from 0 to 1.
    pub(crate) fn of_share(distance: u8, share: f64, entries: usize) -> BuildProgress {
        BuildProgress::new(distance, (share * entries as f64) as usize, entries)
    }
}

/// What a build reports its progress to, and what cancels it. The default ignores reports, and never cancels.
#[derive(derive_more::Constructor, derive_more::Debug)]
pub struct Monitor<'a> {
    #[debug(skip)]
    report: &'a (dyn Fn(BuildProgress) + Sync),
    cancel: CancelFlag,
}

impl Default for Monitor<'_> {
    fn default() -> Self {
        Monitor::new(&|_| (), CancelFlag::default())
    }
}

impl Monitor<'_> {
    /// Reports progress.
    ///
    /// # Errors
    ///
    /// If the build is cancelled.
    pub fn report(&self, progress: BuildProgress) -> Result<(), BuildError> {
        (self.report)(progress);
        self.check()
    }

    /// Checks that the build goes on. Cheap enough for inner loops.
    ///
    /// # Errors
    ///
    /// If the build is cancelled.
    pub fn check(&self) -> Result<(), BuildError> {
        match self.cancel.is_cancelled() {
            true => Err(BuildError::Cancelled),
            false => Ok(()),
        }
    }
}

/// Why a table cannot be built.
#[derive(Debug, derive_more::Display, derive_more::Error, derive_more::From)]
#[non_exhaustive]
pub enum BuildError {
    /// The build was cancelled.
    #[display("the build was cancelled")]
    Cancelled,
    /// Entries are unreachable from the goal, a distance exceeds the maximum that the builder supports, or the number of
    /// positions differs from the declaration.
    #[from]
    Declaration(DeclarationError),
}

/// Compares the number of reachable positions with the one that a stage declares.
pub(crate) fn check_positions(found: u64, expected: u64) -> Result<(), DeclarationError> {
    match found == expected {
        true => Ok(()),
        false => {
            let fault =
                format!("{found} positions are reachable; the declaration expects {expected}");
            Err(fault.into())
        }
    }
}

struct LevelSearch<'a, G> {
    graph: &'a G,
    monitor: &'a Monitor<'a>,
    /// Whether to stop before the first pull; see [`build_near`].
    is_near: bool,
    /// The number of parts in a row.
    first: usize,
    /// The number of entries in a part.
    second: usize,
    distances: Vec<AtomicU8>,
    /// For each part, the distances of its entries as a bit mask.
    present: Vec<AtomicU32>,
}

/// Computes the distance of every entry from the goal, one byte per entry; 255 for unreachable entries.
///
/// Runs on the current rayon thread pool. Needs one byte of memory per entry and 4 bytes per part. See
/// [`RowGraph`] for an example.
///
/// # Errors
///
/// If an entry is unreachable, if a distance is too large, or if the build is cancelled.
pub fn build(
    graph: &impl RowGraph,
    monitor: &Monitor<'_>,
) -> Result<(Vec<u8>, Distribution), BuildError> {
    build_near(graph, false, monitor)
}

/// Like [`build`], but if `is_near`, stops before the first pull and sets all unreached entries to the next distance, a
/// lower bound of theirs. Pulling takes a third of the time, and few distances are greater.
pub(crate) fn build_near(
    graph: &impl RowGraph,
    is_near: bool,
    monitor: &Monitor<'_>,
) -> Result<(Vec<u8>, Distribution), BuildError> {
    let (first, second) = graph.row_shape();
    let parts = graph.rows() * first;
    let entries = (0..parts * second).into_par_iter();
    let mut search = LevelSearch {
        graph,
        monitor,
        is_near,
        first,
        second,
        distances: entries.map(|_| AtomicU8::new(UNREACHED)).collect(),
        present: (0..parts).map(|_| AtomicU32::new(0)).collect(),
    };
    let distribution = search.run()?;
    // Collected in place: no second copy of a large table.
    let distances = search.distances.into_iter().map(AtomicU8::into_inner);
    Ok((distances.collect(), distribution))
}

/// Whether a part has entries at a distance.
fn has(present: &AtomicU32, distance: u8) -> bool {
    present.load(Relaxed) >> distance & 1 == 1
}

impl<G: RowGraph> LevelSearch<'_, G> {
    fn run(&mut self) -> Result<Distribution, BuildError> {
        let entries = self.distances.len();
        for goal in self.graph.goals() {
            self.distances[goal].store(0, Relaxed);
            self.mark(goal / self.second, 0);
        }
        let greatest_cost = self.graph.costs().iter().copied().max().unwrap_or(1) as usize;
        let mut counts = vec![self.count(0)];
        loop {
            let reached: usize = counts.iter().sum();
            let frontier: usize = counts.iter().rev().take(greatest_cost).sum();
            let is_complete = frontier == 0 || reached == entries;
            let distance = (counts.len() - usize::from(is_complete)) as u8;
            if distance > MAX_DISTANCE {
                let fault = format!("distances exceed {MAX_DISTANCE}");
                return Err(DeclarationError::from(fault).into());
            }
            let progress = BuildProgress::new(distance, reached, entries);
            self.monitor.report(progress)?;
            if is_complete && reached < entries && !self.graph.is_sparse() {
                let unreachable = entries - reached;
                let fault = format!("{unreachable} entries are unreachable from the goal");
                return Err(DeclarationError::from(fault).into());
            }
            if is_complete {
                let distance = |entry: usize| self.distances[entry].load(Relaxed);
                return Ok(Distribution::of(self.graph, distance));
            }
            if frontier <= entries - reached {
                self.push(distance);
            } else if self.is_near {
                self.fill(distance);
            } else {
                self.pull(distance);
            }
            self.symmetrize(distance);
            self.monitor.check()?;
            counts.push(self.count(distance));
        }
    }

    fn part(&self, part: usize) -> &[AtomicU8] {
        &self.distances[part * self.second..][..self.second]
    }

    /// The image of part `i` of a row under a step.
    fn image(&self, step: &RowStep<'_>, i: usize) -> usize {
        step.row * self.first + step.first[i] as usize
    }

    fn mark(&self, part: usize, distance: u8) {
        self.present[part].fetch_or(1 << distance, Relaxed);
    }

    /// Collects the entries of a part at a distance.
    fn collect(&self, part: usize, value: u8, into: &mut Vec<u16>) {
        let entries = self.part(part).iter().enumerate();
        let with_value = entries.filter(|(_, entry)| entry.load(Relaxed) == value);
        into.clear();
        into.extend(with_value.map(|(j, _)| j as u16));
    }

    /// The generators that can lead to a distance, with the distances from which they lead.
    fn sources(&self, distance: u8) -> Vec<(usize, u8)> {
        let costs = self.graph.costs().iter().enumerate();
        let from = |(generator, &cost)| Some((generator, distance.checked_sub(cost)?));
        let mut sources: Vec<(usize, u8)> = costs.filter_map(from).collect();
        sources.sort_by_key(|&(_, from)| from);
        sources
    }

    /// Calls `work` with each part, its row and its first index, and with memory to use again. Leaves out parts after
    /// the build is cancelled.
    fn for_each_part(&self, work: impl Fn(usize, usize, usize, &mut Vec<u16>) + Sync) {
        let rows = (0..self.graph.rows()).into_par_iter();
        rows.for_each_init(Vec::new, |entries, row| {
            let parts = (0..self.first).take_while(|_| self.monitor.check().is_ok());
            parts.for_each(|i| work(row * self.first + i, row, i, entries));
        });
    }

    fn push(&self, distance: u8) {
        let sources = self.sources(distance);
        self.for_each_part(|part, row, i, entries| {
            for sources in sources.chunk_by(|(_, a), (_, b)| a == b) {
                let (_, from) = sources[0];
                if has(&self.present[part], from) {
                    self.collect(part, from, entries);
                    for &(generator, _) in sources {
                        self.spread(&self.graph.step(row, generator), i, entries, distance);
                    }
                }
            }
        });
    }

    /// Sets the distance of the images of entries of part `i` of a row that are not nearer.
    fn spread(&self, step: &RowStep<'_>, i: usize, entries: &[u16], distance: u8) {
        let image = self.image(step, i);
        let target = self.part(image);
        let mut any = false;
        for &j in entries {
            let entry = &target[step.second[j as usize] as usize];
            let known = entry.load(Relaxed);
            entry.store(known.min(distance), Relaxed);
            any |= known == UNREACHED;
        }
        if any {
            self.mark(image, distance);
        }
    }

    /// Sets the distance of all unreached entries.
    fn fill(&mut self, distance: u8) {
        let entries = self.distances.par_iter_mut().map(AtomicU8::get_mut);
        entries.for_each(|known| *known = distance.min(*known));
        (0..self.present.len()).for_each(|part| self.mark(part, distance));
    }

    fn pull(&self, distance: u8) {
        let sources = self.sources(distance);
        self.for_each_part(|part, row, i, entries| {
            self.collect(part, UNREACHED, entries);
            let left = entries.len();
            for &(generator, from) in &sources {
                if entries.is_empty() {
                    break;
                }
                let step = self.graph.step(row, generator);
                let image = self.image(&step, i);
                if !has(&self.present[image], from) {
                    continue;
                }
                let (source, target) = (self.part(image), self.part(part));
                entries.retain(|&j| {
                    let neighbor = &source[step.second[j as usize] as usize];
                    let near = neighbor.load(Relaxed) == from;
                    if near {
                        target[j as usize].store(distance, Relaxed);
                    }
                    !near
                });
            }
            if entries.len() < left {
                self.mark(part, distance);
            }
        });
    }

    /// Sets the distance of the images of each new entry under the symmetries that keep its row.
    fn symmetrize(&self, distance: u8) {
        self.for_each_part(|part, row, i, entries| {
            let images = self.graph.self_images(row);
            if images.is_empty() || !has(&self.present[part], distance) {
                return;
            }
            self.collect(part, distance, entries);
            for step in &images {
                self.spread(step, i, entries, distance);
            }
        });
    }

    fn count(&mut self, distance: u8) -> usize {
        let parts = self.distances.par_chunks_mut(self.second);
        let parts = parts.zip(&self.present);
        let parts = parts.filter(|(_, present)| has(present, distance));
        // Exclusive access lets the compiler vectorize the count.
        let count = |part: &mut [AtomicU8]| {
            let entries = part.iter_mut().map(AtomicU8::get_mut);
            entries.filter(|entry| **entry == distance).count()
        };
        parts.map(|(part, _)| count(part)).sum()
    }
}
