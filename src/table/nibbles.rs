//! Tables of four bits an entry.

use std::sync::Arc;

use super::encoding::Encoding;
use super::file::Table;
use super::map::prefetch;

/// A table of [`Encoding::NIBBLES`]: distances from 0 to 14, and 15 for all greater ones.
#[derive(Debug)]
pub struct NibbleTable(Arc<Table>);

impl NibbleTable {
    /// A table to look distances up in; `None` if its entries are stored in another way.
    #[must_use]
    pub fn new(table: Arc<Table>) -> Option<NibbleTable> {
        (table.header().identity.encoding == Encoding::NIBBLES).then_some(NibbleTable(table))
    }

    /// Asks the processor to fetch an entry, which will be looked up soon.
    ///
    /// # Panics
    ///
    /// As [`NibbleTable::get`].
    #[inline(always)]
    pub fn prefetch(&self, index: usize) {
        prefetch(self.0.byte(index / 2));
    }

    /// The distance of an entry, or 15 if it is greater.
    ///
    /// # Panics
    ///
    /// If there is no such entry. (Of an odd number of entries, one after the last reads as 0.)
    #[must_use]
    #[inline(always)]
    pub fn get(&self, index: usize) -> u8 {
        self.0.byte(index / 2) >> (4 * (index & 1)) & 0xf
    }
}
