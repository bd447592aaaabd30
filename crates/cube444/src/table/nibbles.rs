//! Tables with four bits per entry.

use std::sync::Arc;

use super::encoding::Encoding;
use super::file::Table;
use super::map::prefetch;

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
