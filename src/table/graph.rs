//! What the builder needs to know of a table.

/// What becomes of each number below a size: in bytes where they are enough, since a cache holds
/// twice as many of them.
#[derive(Clone, Copy, Debug)]
pub enum Images<'a> {
    /// Images of at most 256 numbers.
    Bytes(&'a [u8]),
    /// Images of at most 65,536 numbers.
    Words(&'a [u16]),
}

impl Images<'_> {
    /// What becomes of a number.
    #[must_use]
    #[inline]
    pub fn of(self, number: usize) -> usize {
        match self {
            Images::Bytes(images) => images[number] as usize,
            Images::Words(images) => images[number] as usize,
        }
    }
}

/// Where a generator, or a symmetry that keeps a row, takes the entries of a row.
///
/// Entry `(i, j)` goes to entry `(first of i, second[j])` of `row`.
#[derive(Clone, Copy)]
pub struct RowStep<'a> {
    /// The row reached.
    pub row: usize,
    /// Images of the first index.
    pub first: Images<'a>,
    /// Images of the second index.
    pub second: &'a [u16],
}

/// A graph whose entries are arranged in rows of equal length, so that each generator takes a whole
/// row to one row by one fixed permutation.
///
/// Every generator's inverse must be a generator of the same cost.
pub trait RowGraph: Sync {
    /// The number of rows.
    fn rows(&self) -> usize;

    /// The two factors of a row's length, at most 65,536 each: entry `(i, j)` is at `i · second + j`.
    fn row_shape(&self) -> (usize, usize);

    /// The cost of each generator, at least 1.
    fn costs(&self) -> &[u8];

    /// Where a generator takes a row.
    fn step(&self, row: usize, generator: usize) -> RowStep<'_>;

    /// What the symmetries other than the identity that keep a row make of it. Entries that are
    /// images of each other stand for the same thing.
    fn self_images(&self, row: usize) -> Vec<RowStep<'_>>;

    /// The number of symmetries. An entry of a row stands for `symmetries / (self-images + 1)`
    /// positions.
    fn symmetries(&self) -> usize;

    /// The entries at distance 0.
    fn goals(&self) -> Vec<usize>;

    /// Whether there are entries that no generators lead to: an even permutation beside an odd one,
    /// say. They are counted apart. Otherwise an entry that is not reached is an error.
    fn is_sparse(&self) -> bool {
        false
    }
}
