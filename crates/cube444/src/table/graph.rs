//! The graph over which a table is built.

use std::collections::VecDeque;

/// The images of the entries of a row under a generator, or under a symmetry that keeps the row.
///
/// The image of entry `(i, j)` is entry `(first[i], second[j])` of `row`.
#[derive(Clone, Copy, Debug)]
pub struct RowStep<'a> {
    /// The row of the images.
    pub row: usize,
    /// Images of the first index.
    pub first: &'a [u16],
    /// Images of the second index.
    pub second: &'a [u16],
}

/// A graph whose entries are arranged in rows of equal length, so that each generator maps a whole row to
/// one row, by a permutation of the two indices of its entries.
///
/// The inverse of every generator must be a generator of the same cost.
///
/// # Examples
///
/// ```
/// use cube444::method::{Monitor, RowGraph, RowStep, build};
///
/// /// A ring of ten rows with one entry each. The generators are steps in both directions.
/// struct Ring;
///
/// impl RowGraph for Ring {
///     fn rows(&self) -> usize {
///         10
///     }
///
///     fn row_shape(&self) -> (usize, usize) {
///         (1, 1)
///     }
///
///     fn costs(&self) -> &[u8] {
///         &[1, 1]
///     }
///
///     fn step(&self, row: usize, generator: usize) -> RowStep<'_> {
///         let row = (row + [1, 9][generator]) % 10;
///         RowStep { row, first: &[0], second: &[0] }
///     }
///
///     fn self_images(&self, _row: usize) -> Vec<RowStep<'_>> {
///         Vec::new()
///     }
///
///     fn symmetries(&self) -> usize {
///         1
///     }
///
///     fn goals(&self) -> Vec<usize> {
///         vec![0]
///     }
/// }
///
/// let (distances, distribution) = build(&Ring, &Monitor::default())?;
/// assert_eq!(distances, [0, 1, 2, 3, 4, 5, 4, 3, 2, 1]);
/// assert_eq!(distribution.positions, [1, 2, 2, 2, 2, 1]);
/// # Ok::<(), cube444::table::BuildError>(())
/// ```
pub trait RowGraph: Sync {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// The two factors of a row's length, at most 65,536 each: entry `(i, j)` is at `i · second + j`.
    fn row_shape(&self) -> (usize, usize);

    /// The cost of each generator, at least 1.
    fn costs(&self) -> &[u8];

    /// The images of a row under a generator.
    fn step(&self, row: usize, generator: usize) -> RowStep<'_>;

    /// The images of a row under the symmetries that keep it, without the identity. Entries that are images
    /// of each other stand for symmetric positions.
    fn self_images(&self, row: usize) -> Vec<RowStep<'_>>;

    /// The number of symmetries. An entry of a row stands for `symmetries / (self-images + 1)`
    /// positions.
    fn symmetries(&self) -> usize;

    /// The entries at distance 0.
    fn goals(&self) -> Vec<usize>;

    /// Whether some entries are unreachable, such as an even permutation combined with an odd one. They are
    /// counted separately. If this is `false`, an unreachable entry is an error.
    fn is_sparse(&self) -> bool {
        false
    }
}

/// The distance of each position from the goals; 255 for unreachable positions. `images` gives the positions
/// one step away from a position, with the costs of the steps, at least 1. Every step must have an inverse of
/// the same cost.
pub(crate) fn distances<I: IntoIterator<Item = (usize, u8)>>(
    positions: usize,
    goals: impl IntoIterator<Item = usize>,
    images: impl Fn(usize) -> I,
) -> Vec<u8> {
    let mut distances = vec![u8::MAX; positions];
    // Positions whose images may get smaller distances. With steps of several costs, a position may return.
    let mut queue: VecDeque<usize> = goals.into_iter().collect();
    for &goal in &queue {
        distances[goal] = 0;
    }
    while let Some(position) = queue.pop_front() {
        for (image, cost) in images(position) {
            let next = distances[position] + cost;
            if next < distances[image] {
                distances[image] = next;
                queue.push_back(image);
            }
        }
    }
    distances
}
