//! Lookups of lower bounds, and those in tables with two or four bits per entry.

use std::sync::Arc;

use super::header::Encoding;
use super::map::prefetch;
use super::opened::Table;

/// Lower bounds of the distances of positions, each given by a key.
pub(crate) trait Bounds: Send + Sync {
    /// Prefetches what the other methods read for a position.
    fn prefetch(&self, key: u64);

    /// A lower bound of the distance of a position.
    fn bound(&self, key: u64) -> u8;

    /// Whether the distance of a position is known to be greater than `limit`.
    #[inline(always)]
    fn exceeds(&self, key: u64, limit: u8) -> bool {
        self.bound(key) > limit
    }
}

/// A table of [`Encoding::two_bits`], which stores ranges of distances.
///
/// A search prunes as well as with exact distances if it knows the positions up to the first range from
/// elsewhere, and if few positions are farther than the last range begins.
#[derive(Debug)]
pub(crate) struct RangeTable {
    least: u8,
    table: Arc<Table>,
}

impl RangeTable {
    /// A view of a table; `None` if it has another encoding.
    pub(crate) fn new(table: Arc<Table>) -> Option<RangeTable> {
        let encoding = table.header().identity.encoding;
        let least = encoding.least_code;
        (encoding == Encoding::two_bits(least)).then_some(RangeTable { least, table })
    }
}

/// A key is the index of an entry. Panics if it is out of bounds.
impl Bounds for RangeTable {
    #[inline(always)]
    fn prefetch(&self, index: u64) {
        prefetch(self.table.byte(index as usize / 4));
    }

    /// 0 in the first range, otherwise the least distance of the range.
    #[inline(always)]
    fn bound(&self, index: u64) -> u8 {
        match self.table.byte(index as usize / 4) >> (index % 4 * 2) & 3 {
            0 => 0,
            code => self.least + code,
        }
    }
}

/// A table of [`Encoding::NIBBLES`]: distances from 0 to 14, and 15 for all greater ones.
#[derive(Debug)]
pub struct NibbleTable(Arc<Table>);

impl NibbleTable {
    /// A view of a table; `None` if it has another encoding.
    #[must_use]
    pub fn new(table: Arc<Table>) -> Option<NibbleTable> {
        (table.header().identity.encoding == Encoding::NIBBLES).then_some(NibbleTable(table))
    }

    /// Prefetches the cache line of an entry.
    ///
    /// # Panics
    ///
    /// See [`NibbleTable::get`].
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: usize) {
        prefetch(self.0.byte(index / 2));
    }

    /// The distance of an entry, or 15 if it is greater.
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds. If the number of entries is odd, the entry after the last one is 0.
    #[must_use]
    #[inline(always)]
    pub fn get(&self, index: usize) -> u8 {
        self.0.byte(index / 2) >> (4 * (index & 1)) & 0xf
    }
}

#[cfg(test)]
pub(crate) mod tests;
