//! Lookups in tables with two or four bits per entry.

use std::sync::Arc;

use super::encoding::Encoding;
use super::file::Table;
use super::map::prefetch;

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

    /// Prefetches the cache line of an entry.
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    #[inline(always)]
    pub(crate) fn prefetch(&self, index: u32) {
        prefetch(self.table.byte(index as usize / 4));
    }

    #[inline(always)]
    fn code(&self, index: u32) -> u8 {
        self.table.byte(index as usize / 4) >> (index % 4 * 2) & 3
    }

    /// Whether the distance of an entry is known to be greater than `limit`.
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    #[inline(always)]
    pub(crate) fn exceeds(&self, index: u32, limit: u8) -> bool {
        let code = self.code(index);
        code > 0 && self.least + code > limit
    }

    /// A lower bound of the distance of an entry: 0 in the first range, otherwise the least distance of its
    /// range.
    ///
    /// # Panics
    ///
    /// If `index` is out of bounds.
    #[inline(always)]
    pub(crate) fn bound(&self, index: u32) -> u8 {
        match self.code(index) {
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
